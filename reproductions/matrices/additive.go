package matrices

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"

	"dpworkbench/evidence"
	"dpworkbench/gaussian"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/mvg"
	"dpworkbench/privacy"

	"gonum.org/v1/gonum/mat"
)

// Scaling says how a noise's scale is chosen.
type Scaling string

// Classic scales are the published ones, Tight ones the least that the exact privacy allows.
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

// Gaussian returns independent Gaussian noise of one variance on every element, for a query with
// the given differences: of the classic deviation s₂√(2 ln(1.25/δ))/ε, or of the least one
// that is (ε, δ)-private. It is an MVG design like others, with its exact privacy, draws and
// releases. Errors wrap evidence.ErrParameter or are the context's.
func Gaussian(ctx context.Context, s mvg.Sensitivity, eps evidence.Epsilon, delta float64, form Scaling) (*mvg.Design, error) {
	if err := checkScaling(form); err != nil {
		return nil, err
	}
	if s == nil {
		return nil, parameter.Errorf("there is no sensitivity set")
	}
	if form == Tight {
		return mvg.NewTight(ctx, s, mvg.Recipe{Epsilon: eps, Delta: delta})
	}
	sigma, err := mvg.ClassicSigma(eps, delta, s.Frobenius().Hi)
	if err != nil {
		return nil, err
	}
	m, n := s.Shape()
	_, sd := sigma.Bounds()
	rows, err := mvg.NewIsotropic(m, sd*sd*(1+0x1p-50))
	if err != nil {
		return nil, err
	}
	columns, err := mvg.NewIsotropic(n, 1)
	if err != nil {
		return nil, err
	}
	return mvg.NewDesign(ctx, s, rows, columns)
}

// L1Sensitivity encloses the largest sum of absolute values in a set of differences: for a box
// Σ 2h_i; for an L2 ball √(mn)·s₂; for a Gram matrix scale·d·c² when a record comes or
// goes, attained at equal entries, and up to √2 times that when one is replaced; for a list
// the largest. It returns an error wrapping evidence.ErrParameter for a set that it does not
// know.
func L1Sensitivity(s mvg.Sensitivity) (evidence.Certified, error) {
	const definition = "l1 sensitivity over all elements"
	switch s := s.(type) {
	case mvg.Box:
		sum := interval.Int(0)
		for _, h := range s.HalfWidths() {
			sum = sum.Add(interval.Float(h))
		}
		return evidence.Toward(evidence.Enclosed(sum.Add(sum), "closed form", definition), evidence.Up), nil
	case mvg.Ball:
		m, n := s.Shape()
		return evidence.Toward(evidence.Enclosed(interval.Int(int64(m)*int64(n)).Sqrt().Mul(interval.Between(s.Frobenius().Bounds())), "closed form", definition), evidence.Up), nil
	case mvg.Gram:
		d, _ := s.Shape()
		one := interval.Float(s.RowNorm()).Pow(2).Mul(interval.Float(s.Scale())).Mul(interval.Int(int64(d)))
		if !s.Replaces() || d == 1 {
			return evidence.Toward(evidence.Enclosed(one, "closed form", definition), evidence.Up), nil
		}
		return evidence.Toward(evidence.Enclosed(interval.Hull(one, one.Mul(interval.Int(2).Sqrt())), "one record against none, and Cauchy and Schwarz", definition), evidence.Up), nil
	case mvg.Differences:
		most := interval.Int(0)
		for _, a := range s.List() {
			sum := interval.Int(0)
			for _, v := range a.RawMatrix().Data {
				sum = sum.Add(interval.Float(math.Abs(v)))
			}
			most = interval.Max(most, sum)
		}
		return evidence.Toward(evidence.Enclosed(most, "closed form", definition), evidence.Up), nil
	}
	return evidence.Certified{}, parameter.Errorf("no l1 sensitivity is known of %T", s)
}

// Laplace is independent Laplace noise of one scale on every element.
type Laplace struct {
	Scale float64

	sensitivity mvg.Sensitivity
	l1          evidence.Certified
	eps         evidence.Epsilon // claimed; ε = 0 where the scale is given
}

// NewLaplace returns the noise of a given scale. Errors wrap evidence.ErrParameter.
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

// ClassicLaplace returns the noise of scale Δ₁/ε, which is ε-private (Dwork, McSherry, Nissim
// and Smith 2006). Errors wrap evidence.ErrParameter.
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

// TightLaplace returns the noise of about the least scale whose certified upper end of δ(ε) is at
// most δ. Errors wrap evidence.ErrParameter or ErrUnreached, or are the context's.
func TightLaplace(ctx context.Context, s mvg.Sensitivity, eps evidence.Epsilon, delta float64) (*Laplace, error) {
	if err := checkPrivacy(eps, delta); err != nil {
		return nil, err
	}
	start, err := ClassicLaplace(s, eps)
	if err != nil {
		return nil, err
	}
	if delta < leastDelta {
		return nil, fmt.Errorf("%w: delta = %g, want at least %g", ErrUnreached, delta, leastDelta)
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
	scale, err := solve(ctx, delta, start.Scale, exact)
	if err != nil {
		return nil, err
	}
	return NewLaplace(s, scale)
}

// L1 returns the l1 sensitivity that the noise is judged by.
func (l *Laplace) L1() evidence.Certified { return l.l1 }

// Claimed returns the ε that the classic scale promises; ok is false for others.
func (l *Laplace) Claimed() (eps evidence.Claimed, ok bool) {
	return evidence.Claimed{Value: l.eps.Value(), Epsilon: l.eps, Source: laplaceSource}, !l.eps.IsZero()
}

const laplaceSource = "Dwork, McSherry, Nissim and Smith 2006"

// Privacy returns what the noise really gives for its set. A box moves the coordinates of one
// record on their own, each at most 2h_i; as a shift of a Laplace law is the harder to see the
// smaller it is, and what is harder to see part by part is so as a whole, its ends are the
// worst: independent Laplace pairs, of which δ(ε) is known from both sides. Of other sets the
// smallest ε is Δ₁/scale, and δ(ε) at most that of any mechanism that is so private.
func (l *Laplace) Privacy() privacy.Curve {
	if box, ok := l.sensitivity.(mvg.Box); ok {
		return laplaceBox{l, box}
	}
	return privacy.Profile{
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

// laplaceBox is the curve of the noise for a box.
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
	return privacy.New(privacy.Single("Laplace noise on a record", laplaceSource, privacy.Independent(pairs, times))), nil
}

// Delta implements privacy.Curve.
func (l laplaceBox) Delta(ctx context.Context, eps evidence.Epsilon) (evidence.Number, error) {
	a, err := l.account()
	if err != nil {
		return nil, err
	}
	d, err := a.Delta(ctx, eps)
	if err != nil {
		return nil, err
	}
	lo, hi := d.Bounds()
	if _, most := privacy.PureDelta(l.pure(), eps, laplaceSource).Bounds(); most < hi { // near the largest loss
		return evidence.EnclosedLoss(interval.Between(lo, max(lo, most)), "independent Laplace pairs, and the largest loss", laplaceSource), nil
	}
	return d, nil
}

// Epsilon implements privacy.Curve.
func (l laplaceBox) Epsilon(ctx context.Context, delta float64) (evidence.Number, error) {
	if delta == 0 {
		return l.pure(), nil
	}
	a, err := l.account()
	if err != nil {
		return nil, err
	}
	return a.Epsilon(ctx, delta)
}

// Simulate returns fx plus a draw of the noise in float64. It returns an error wrapping
// evidence.ErrParameter where fx has another shape or an entry that is not finite.
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

// SymmetricGauss is Gaussian noise on the diagonal and above of scale·XXᵀ, mirrored below
// ("Analyze Gauss", Algorithm 1 of Dwork, Talwar, Thakurta and Zhang 2014, whose abstract was
// at hand).
type SymmetricGauss struct {
	Sigma float64

	d           int
	sensitivity evidence.Certified
}

// UpperSensitivity encloses the L2 sensitivity of the diagonal and above of scale·XXᵀ, with
// ‖upper(Δ)‖² = ½(‖Δ‖_F² + Σ Δ_ii²) for a symmetric Δ, when one record comes or goes, or is
// replaced. Records are bounded in norm (halfWidths nil), or within a box around the origin; at scale 1:
//
//   - norm c: c² at x = c e₁; replaced, √2 c² at c e₁ and c e₂ (c² in one dimension);
//   - box: √(½(T² + Σ h_i⁴)) with T = Σ h_i² at a corner; replaced, at most T, attained where
//     the h_i² can be parted into two equal sums, and at least what a greedy parting shows.
//
// It returns an error wrapping evidence.ErrParameter unless 1 ≤ d ≤ 4096 and the bounds are
// positive and finite.
func UpperSensitivity(d int, norm float64, halfWidths []float64, replaced bool, scale float64) (evidence.Certified, error) {
	if err := parameter.Positive("scale", scale); err != nil {
		return evidence.Certified{}, err
	}
	if d < 1 || d > mostOrder {
		return evidence.Certified{}, parameter.Bad("d", d, "1 <= d <= %d", mostOrder)
	}
	const what = "L2 sensitivity of the diagonal and above"
	enclosed := func(s interval.Interval, method string) evidence.Certified {
		return evidence.Toward(evidence.Enclosed(s.Mul(interval.Float(scale)), method, what), evidence.Up)
	}
	if halfWidths == nil {
		if err := parameter.Positive("row_norm", norm); err != nil {
			return evidence.Certified{}, err
		}
		s := interval.Float(norm).Pow(2)
		if replaced && d > 1 {
			s = s.Mul(interval.Int(2).Sqrt())
		}
		return enclosed(s, "closed form"), nil
	}
	if len(halfWidths) != d {
		return evidence.Certified{}, parameter.Errorf("half_width has %d entries, want %d", len(halfWidths), d)
	}
	sum, fourth, rest := interval.Int(0), interval.Int(0), interval.Int(0)
	for i, h := range halfWidths {
		if err := parameter.Positive(fmt.Sprintf("half_width[%d]", i), h); err != nil {
			return evidence.Certified{}, err
		}
		square := interval.Float(h).Pow(2)
		sum, fourth = sum.Add(square), fourth.Add(square.Mul(square))
		if rest.Mid() > 0 {
			rest = rest.Sub(square)
		} else {
			rest = rest.Add(square)
		}
	}
	corner := sum.Mul(sum).Add(fourth).Quo(interval.Int(2)).Sqrt()
	if !replaced {
		return enclosed(corner, "closed form"), nil
	}
	// Corners x and y with ⟨x, y⟩ = rest differ by √(T² − rest²).
	pair := positivePart(sum.Mul(sum).Sub(rest.Mul(rest))).Sqrt()
	least := interval.Max(pair, corner)
	return enclosed(interval.Hull(least, sum), "two corners, and ½(a² + b² + Σ(a_i − b_i)²) ≤ T² for a_i, b_i ≤ h_i²"), nil
}

const mostOrder = 1 << 12

// NewSymmetricGauss returns the noise of a given deviation on a d×d matrix whose diagonal and
// above move by at most the sensitivity. Errors wrap evidence.ErrParameter.
func NewSymmetricGauss(d int, sensitivity evidence.Certified, sigma float64) (*SymmetricGauss, error) {
	if d < 1 || d > mostOrder {
		return nil, parameter.Bad("d", d, "1 <= d <= %d", mostOrder)
	}
	if err := parameter.Positive("sensitivity", sensitivity.Hi); err != nil {
		return nil, err
	}
	if err := parameter.Positive("sigma", sigma); err != nil {
		return nil, err
	}
	return &SymmetricGauss{sigma, d, sensitivity}, nil
}

// SymmetricGaussFor returns the noise for (ε, δ): of the published deviation Δ√(2 ln(1.25/δ))/ε,
// or of the least one. Errors wrap evidence.ErrParameter.
func SymmetricGaussFor(d int, sensitivity evidence.Certified, eps evidence.Epsilon, delta float64, form Scaling) (*SymmetricGauss, error) {
	if err := checkScaling(form); err != nil {
		return nil, err
	}
	if err := checkPrivacy(eps, delta); err != nil {
		return nil, err
	}
	if err := parameter.Positive("sensitivity", sensitivity.Hi); err != nil {
		return nil, err
	}
	if form == Classic {
		sigma, err := mvg.ClassicSigma(eps, delta, sensitivity.Hi)
		if err != nil {
			return nil, err
		}
		_, sd := sigma.Bounds()
		return NewSymmetricGauss(d, sensitivity, sd)
	}
	sigma, err := gaussian.Sigma(eps, delta, sensitivity.Hi)
	if err != nil {
		return nil, err
	}
	return NewSymmetricGauss(d, sensitivity, sigma.Hi)
}

// Sensitivity returns the L2 sensitivity of the diagonal and above.
func (g *SymmetricGauss) Sensitivity() evidence.Certified { return g.sensitivity }

// Order returns d.
func (g *SymmetricGauss) Order() int { return g.d }

// Privacy returns what the noise really gives: a Gaussian mechanism's curve at the ratio of
// sensitivity and deviation.
func (g *SymmetricGauss) Privacy() privacy.Curve { return symmetricCurve{g} }

type symmetricCurve struct{ of *SymmetricGauss }

func (c symmetricCurve) ratio() interval.Interval {
	return interval.Between(c.of.sensitivity.Bounds()).Quo(interval.Float(c.of.Sigma))
}

// Delta implements privacy.Curve.
func (c symmetricCurve) Delta(_ context.Context, eps evidence.Epsilon) (evidence.Number, error) {
	return gaussian.DeltaAt(eps, c.ratio()), nil
}

// Epsilon implements privacy.Curve.
func (c symmetricCurve) Epsilon(_ context.Context, delta float64) (evidence.Number, error) {
	return gaussian.EpsilonAt(delta, c.ratio())
}

// Simulate returns the d×d matrix fx plus a draw of the noise in float64. It returns an error
// wrapping evidence.ErrParameter where fx has another order, is not symmetric, or has an entry
// that is not finite.
func (g *SymmetricGauss) Simulate(fx mat.Matrix, src rand.Source) (*mat.SymDense, error) {
	s, err := symmetricOf("x", fx, g.d)
	if err != nil {
		return nil, err
	}
	normal := rand.New(src)
	for i := range g.d {
		for k := i; k < g.d; k++ {
			s.SetSym(i, k, s.At(i, k)+g.Sigma*normal.NormFloat64())
		}
	}
	return s, nil
}
