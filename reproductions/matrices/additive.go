package matrices

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/mvg"
	"dpworkbench/privacy"

	"gonum.org/v1/gonum/mat"
)

// Scaling is the way a noise's scale is chosen.
type Scaling string

// Classic scales are the published ones. Tight ones are the least that the exact privacy allows.
const (
	Classic Scaling = "classic"
	Tight   Scaling = "tight"
)

func checkScaling(form Scaling) error {
	if form != Classic && form != Tight {
		return parameter.Bad("form", form, "%q or %q", Classic, Tight)
	}
	return nil
}

// L1Sensitivity encloses the largest sum of absolute values in a set of differences. For a box it is Σ 2h_i, for an
// L2 ball √(mn)·s₂. For a Gram matrix it is scale·d·c² if a record is added or removed, attained at equal entries,
// and up to √2 times that if one is replaced. For a list it is the largest one. It returns an error wrapping
// evidence.ErrParameter for any other set.
func L1Sensitivity(s mvg.Sensitivity) (evidence.Certified, error) {
	const definition = "l1 sensitivity over all elements"
	switch s := s.(type) {
	case mvg.Box:
		sum := interval.Int(0)
		for _, h := range s.HalfWidths() {
			sum = sum.Add(interval.Float(h))
		}
		return evidence.WithSide(evidence.Enclosed(sum.Add(sum), "closed form", definition), evidence.Up), nil
	case mvg.Ball:
		m, n := s.Shape()
		return evidence.WithSide(evidence.Enclosed(interval.Int(int64(m)*int64(n)).Sqrt().Mul(interval.Between(s.Frobenius().Bounds())), "closed form", definition), evidence.Up), nil
	case mvg.Gram:
		d, _ := s.Shape()
		one := interval.Float(s.RowNorm()).Pow(2).Mul(interval.Float(s.Scale())).Mul(interval.Int(int64(d)))
		if !s.Replaces() || d == 1 {
			return evidence.WithSide(evidence.Enclosed(one, "closed form", definition), evidence.Up), nil
		}
		return evidence.WithSide(evidence.Enclosed(interval.Hull(one, one.Mul(interval.Int(2).Sqrt())), "one record against none, and Cauchy and Schwarz", definition), evidence.Up), nil
	case mvg.Differences:
		most := interval.Int(0)
		for _, a := range s.List() {
			sum := interval.Int(0)
			for _, v := range a.RawMatrix().Data {
				sum = sum.Add(interval.Float(math.Abs(v)))
			}
			most = interval.Max(most, sum)
		}
		return evidence.WithSide(evidence.Enclosed(most, "closed form", definition), evidence.Up), nil
	}
	return evidence.Certified{}, parameter.Errorf("the l1 sensitivity of a %T is unknown", s)
}

// Laplace is independent Laplace noise of one scale on every element.
type Laplace struct {
	Scale float64

	sensitivity mvg.Sensitivity
	l1          evidence.Certified
	eps         evidence.Epsilon // the claimed ε; 0 if the scale was given
}

// NewLaplace returns the noise with a given scale. Errors wrap evidence.ErrParameter.
func NewLaplace(s mvg.Sensitivity, scale float64) (*Laplace, error) {
	if s == nil {
		return nil, parameter.Errorf("there is no sensitivity set")
	}
	l1, err := L1Sensitivity(s)
	if err != nil {
		return nil, err
	}
	if err := parameter.Positive("scale", scale); err != nil {
		return nil, err
	}
	return &Laplace{Scale: scale, sensitivity: s, l1: l1}, nil
}

// ClassicLaplace returns the noise with scale Δ₁/ε, which is ε-private (Dwork, McSherry, Nissim and Smith 2006). Errors
// wrap evidence.ErrParameter.
func ClassicLaplace(s mvg.Sensitivity, eps evidence.Epsilon) (*Laplace, error) {
	if err := eps.Positive("eps"); err != nil {
		return nil, err
	}
	l, err := NewLaplace(s, 1)
	if err != nil {
		return nil, err
	}
	_, scale := interval.Float(l.l1.Hi).Quo(eps.Enclosure()).Bounds()
	if l, err = NewLaplace(s, scale); err != nil {
		return nil, err
	}
	l.eps = eps
	return l, nil
}

// TightLaplace returns the noise with about the least scale at which the certified upper end of δ(ε) is at most δ.
// Errors wrap evidence.ErrParameter or ErrUnreached, or are the context's.
func TightLaplace(ctx context.Context, s mvg.Sensitivity, eps evidence.Epsilon, delta evidence.Delta) (*Laplace, error) {
	if err := checkPrivacy(eps, delta); err != nil {
		return nil, err
	}
	start, err := ClassicLaplace(s, eps)
	if err != nil {
		return nil, err
	}
	most, above := delta.Bounds()
	if above < leastDelta {
		return nil, fmt.Errorf("%w: delta = %v, want at least %g", ErrUnreached, delta, leastDelta)
	}
	exact := func(scale float64) (float64, error) {
		l := *start
		l.Scale = scale
		d, err := l.Privacy().Delta(ctx, eps)
		if err != nil {
			return 0, err
		}
		_, hi := d.Bounds()
		return hi, nil
	}
	scale, err := solve(ctx, most, start.Scale, exact)
	if err != nil {
		return nil, err
	}
	return NewLaplace(s, scale)
}

// L1 returns the ℓ1 sensitivity.
func (l *Laplace) L1() evidence.Certified { return l.l1 }

// Sensitivity returns the set of differences between neighbors.
func (l *Laplace) Sensitivity() mvg.Sensitivity { return l.sensitivity }

// NoiseSD returns the standard deviation of an element, √2 times the scale.
func (l *Laplace) NoiseSD() evidence.Number {
	return evidence.Enclosed(interval.Int(2).Sqrt().Mul(interval.Float(l.Scale)), "closed form", laplaceSource)
}

// Claimed returns the ε of the classic scale. ok is false for other scales.
func (l *Laplace) Claimed() (eps evidence.Claimed, ok bool) {
	return evidence.Claimed{Value: l.eps.Value(), Epsilon: l.eps, Provenance: evidence.From(laplaceSource)}, !l.eps.IsZero()
}

const laplaceSource = "Dwork, McSherry, Nissim and Smith 2006"

// Privacy returns the actual privacy of the noise for its set. A box moves the coordinates of one record separately,
// each by at most 2h_i. For a Laplace law, a pair with a smaller shift is a post-processing of a pair with a larger
// shift. The same holds for products of these pairs. So the largest shifts are the worst: independent Laplace pairs,
// whose δ(ε) is enclosed. For other sets the smallest ε is Δ₁/scale, and δ(ε) is at most that of any mechanism with
// that ε.
func (l *Laplace) Privacy() privacy.Profile {
	if box, ok := l.sensitivity.(mvg.Box); ok {
		return laplaceBox{l, box}
	}
	return privacy.ProfileFunc{
		Pure: func(context.Context) (evidence.Number, error) { return l.pure(), nil },
		At: func(_ context.Context, eps evidence.Epsilon) (evidence.Number, error) {
			return privacy.PureDelta(l.pure(), eps, laplaceSource), nil
		},
		Source: laplaceSource,
	}
}

func (l *Laplace) pure() evidence.Number {
	return evidence.EnclosedLoss(interval.Between(l.l1.Bounds()).Quo(interval.Float(l.Scale)), "closed form", laplaceSource)
}

// laplaceBox is the privacy profile of the noise for a box.
type laplaceBox struct {
	*Laplace
	box mvg.Box
}

func (l laplaceBox) account() (*privacy.Account, error) {
	scale := new(big.Rat).SetFloat64(l.Scale)
	var pairs []privacy.Pair
	var times []int
	seen := map[float64]int{}
	for _, h := range l.box.HalfWidths() {
		if at, ok := seen[h]; ok {
			times[at]++
			continue
		}
		move := new(big.Rat).SetFloat64(h)
		eps, err := evidence.RationalEpsilon("half_width over scale", move.Quo(move.Add(move, move), scale))
		if err != nil {
			return nil, err
		}
		seen[h] = len(pairs)
		pairs, times = append(pairs, privacy.Laplace(eps)), append(times, 1)
	}
	return privacy.New(privacy.PairAndReverse("Laplace noise on a record", laplaceSource, privacy.Independent(pairs, times))), nil
}

// Delta implements privacy.Profile.
func (l laplaceBox) Delta(ctx context.Context, eps evidence.Epsilon) (evidence.Number, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if r, ok := l.rows(); ok {
		return enclosed(r.delta(eps.Enclosure())), nil
	}
	a, err := l.account()
	if err != nil {
		return nil, err
	}
	d, err := a.Delta(ctx, eps)
	if err != nil {
		return nil, err
	}
	lo, hi := d.Bounds()
	if _, most := privacy.PureDelta(l.pure(), eps, laplaceSource).Bounds(); most < hi { // close to the largest loss
		return evidence.EnclosedLoss(interval.Between(lo, max(lo, most)), "independent Laplace pairs, and the largest loss", laplaceSource), nil
	}
	return d, nil
}

// Epsilon implements privacy.Profile.
func (l laplaceBox) Epsilon(ctx context.Context, delta evidence.Delta) (evidence.Number, error) {
	if delta.IsZero() {
		return l.pure(), nil
	}
	if r, ok := l.rows(); ok {
		lo, hi, err := r.epsilon(ctx, interval.Rat(delta.Rat()))
		if err != nil {
			return nil, err
		}
		return enclosed(interval.Between(lo, hi)), nil
	}
	a, err := l.account()
	if err != nil {
		return nil, err
	}
	return a.Epsilon(ctx, delta)
}

// Simulate returns fx plus a draw of the noise in float64. It returns an error wrapping evidence.ErrParameter if fx has
// another shape or an entry that is not finite.
func (l *Laplace) Simulate(fx mat.Matrix, src rand.Source) (*mat.Dense, error) {
	if err := checkRecords(fx); err != nil {
		return nil, err
	}
	m, n := l.sensitivity.Shape()
	if r, c := fx.Dims(); r != m || c != n {
		return nil, parameter.Errorf("x is %d×%d, want %d×%d", r, c, m, n)
	}
	return mvg.SimulateLaplace(fx, l.Scale, src)
}
