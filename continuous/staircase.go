package continuous

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
	"dpworkbench/privacy"
)

// Cost is what a noise distribution is optimised for.
type Cost string

// These are the costs for which Geng and Viswanath give closed forms.
const (
	CostAbs    Cost = "abs"    // E|noise|
	CostSquare Cost = "square" // E noise²
)

const staircaseSource = "Geng and Viswanath, IEEE Trans. Inf. Theory 62(2), 2016"

// Staircase is the Staircase mechanism of Geng and Viswanath on the real line:
// density b^i/(2Δ(γ + β)) where the step i of |r| is 0 below γΔ and then grows by
// one every Δ, with b = e^{−ε} and β = b/(1−b).
//
// With u = γ + β (Abel's summation over the steps),
//
//	E|noise|  = Δ/2 (u + β(1+β)/u),
//	E noise² = Δ²/3 (u² + 3β(1+β) + β(1+β)(1+2β)/u),
//
// which are least at u² = β(1+β) and at u³ = β(1+β)(1+2β)/2.
type Staircase struct {
	eps         evidence.Epsilon
	sensitivity *big.Rat
	gamma, u    evidence.RatOrInterval
	below       evidence.RatOrInterval // 1/2 − γ, which distinguishes γ from 1/2 however close they are
	b, beta     evidence.RatOrInterval
	cost        Cost // the cost that γ minimizes; "" if γ was given
	source      string
	neighbors   Set // V_f
}

// NewStaircase returns the Staircase mechanism of a linear query with the given
// step position γ; nil means the optimal one for E|noise|. It returns an error
// wrapping evidence.ErrParameter unless 0 < γ < 1 and ε ≤ 700.
func NewStaircase(q *Linear, eps evidence.Epsilon, gamma *big.Rat) (*Staircase, error) {
	if gamma == nil {
		return NewOptimalStaircase(q, eps, CostAbs)
	}
	if gamma.Sign() <= 0 || gamma.Cmp(big.NewRat(1, 1)) >= 0 {
		return nil, parameter.Bad("gamma", gamma, "0 < gamma < 1")
	}
	if err := checkRate("eps", eps); err != nil {
		return nil, err
	}
	return newStaircase(q.Sensitivity().Value, q.set, eps, evidence.ExactRat(gamma), fraction(1, 2).Sub(evidence.ExactRat(gamma))), nil
}

// NewOptimalStaircase returns the Staircase mechanism that minimises a cost:
// γ* = 1/(1 + e^{ε/2}) for E|noise|, and γ* = ((b(1+b)/2)^{1/3} − b)/(1−b) for
// E noise². It returns errors as NewStaircase does.
func NewOptimalStaircase(q *Linear, eps evidence.Epsilon, cost Cost) (*Staircase, error) {
	if err := checkRate("eps", eps); err != nil {
		return nil, err
	}
	gamma, below, err := optimalGamma(eps, cost)
	if err != nil {
		return nil, err
	}
	s := newStaircase(q.Sensitivity().Value, q.set, eps, gamma, below)
	s.cost = cost
	return s, nil
}

// optimalGamma returns γ* and 1/2 − γ*, both without subtracting nearly equal numbers. For E|noise| with w = e^{−ε/2}
// they are w/(1+w) and (1−w)/(2(1+w)). For E noise² let A = (1+b)/2 and x = (1−b)/(1+b). Then b/A² = 1 − x², so that
//
//	1/2 − γ* = (A − (bA)^{1/3})/(1−b) = A(1 − (1−x²)^{1/3})/(1−b),
//
// which is used for ε < 1. For larger ε the formula of NewOptimalStaircase is used.
func optimalGamma(eps evidence.Epsilon, cost Cost) (gamma, below evidence.RatOrInterval, err error) {
	one := big.NewRat(1, 1)
	switch cost {
	case CostAbs:
		two := big.NewRat(2, 1)
		w := decay(eps, one, two)
		total := w.Add(whole(1))
		return w.Quo(total), shortfall(eps, one, two).Quo(total.Mul(whole(2))), nil
	case CostSquare:
		b, rest := decay(eps, one, one), shortfall(eps, one, one)
		half := product(b.Add(whole(1)), fraction(1, 2))
		third := func(log interval.Interval) interval.Interval { return log.Quo(interval.Int(3)) }
		if eps.Value() < 1 {
			x := rest.Quo(b.Add(whole(1))).Enclosure
			root := evidence.RatOrInterval{Enclosure: third(x.Mul(x).Neg().Log1p()).Expm1().Neg()} // 1 − (1−x²)^{1/3}
			below = product(half, root).Quo(rest)
			return fraction(1, 2).Sub(below), below, nil
		}
		root := evidence.RatOrInterval{Enclosure: third(b.Mul(half).Enclosure.Log()).Exp()}
		gamma = root.Sub(b).Quo(rest)
		return gamma, fraction(1, 2).Sub(gamma), nil
	}
	return evidence.RatOrInterval{}, evidence.RatOrInterval{}, parameter.Bad("cost", string(cost), `"abs" or "square"`)
}

func newStaircase(sensitivity *big.Rat, neighbors Set, eps evidence.Epsilon, gamma, below evidence.RatOrInterval) *Staircase {
	one := big.NewRat(1, 1)
	s := &Staircase{eps: eps, sensitivity: sensitivity, gamma: gamma, below: below, b: decay(eps, one, one), source: staircaseSource, neighbors: neighbors}
	s.beta = s.b.Quo(shortfall(eps, one, one))
	s.u = s.gamma.Add(s.beta)
	return s
}

// Name implements Mechanism.
func (s *Staircase) Name() string {
	return fmt.Sprintf("staircase(eps=%v, gamma=%.6g)", s.eps, s.gamma.Enclosure.Mid())
}

// Epsilon returns the guarantee ε.
func (s *Staircase) Epsilon() evidence.Epsilon { return s.eps }

// ClaimedEpsilon implements Mechanism: ε.
func (s *Staircase) ClaimedEpsilon() evidence.Number { return mechanism.Claim(s.eps, s.Name()) }

// Gamma returns γ.
func (s *Staircase) Gamma() evidence.Number { return s.gamma.Number(closedForm, s.source) }

// StepExceeds reports whether γΔ, where the first step ends, exceeds x. It returns
// an error wrapping mechanism.ErrUndecided if γ is not rational and x too close.
func (s *Staircase) StepExceeds(x *big.Rat) (bool, error) {
	at := new(big.Rat).Quo(x, s.sensitivity)
	for _, gap := range [2]evidence.RatOrInterval{
		s.gamma.Sub(evidence.ExactRat(at)),
		evidence.ExactRat(new(big.Rat).Sub(big.NewRat(1, 2), at)).Sub(s.below),
	} {
		if sign, exact := gap.Enclosure.Sign(); sign != 0 || exact {
			return sign > 0, nil
		}
	}
	return false, fmt.Errorf("%w: whether the first step ends below %s", mechanism.ErrUndecided, x.RatString())
}

// Distortion returns E|noise|.
func (s *Staircase) Distortion() evidence.Number {
	spread := product(s.beta, s.beta.Add(whole(1))).Quo(s.u)
	return product(evidence.ExactRat(s.sensitivity), fraction(1, 2), s.u.Add(spread)).Number(closedForm, s.source)
}

// SecondMoment returns E noise².
func (s *Staircase) SecondMoment() evidence.Number {
	spread := product(s.beta, s.beta.Add(whole(1)))
	twist := spread.Mul(s.beta.Mul(whole(2)).Add(whole(1))).Quo(s.u)
	return product(evidence.ExactRat(s.sensitivity), evidence.ExactRat(s.sensitivity), fraction(1, 3),
		sum(s.u.Mul(s.u), spread.Mul(whole(3)), twist)).Number(closedForm, s.source)
}

// step returns the number of the step that contains |r|. With |r| = (n + x)Δ, where n is an integer and 0 ≤ x < 1, it
// is n if x is below γ, and n + 1 otherwise.
func (s *Staircase) step(r *big.Rat) (*big.Int, error) {
	at := new(big.Rat).Abs(r)
	n := interval.RationalFloor(at.Quo(at, s.sensitivity))
	within, err := s.StepExceeds(at.Mul(at.Sub(at, new(big.Rat).SetInt(n)), s.sensitivity))
	if err == nil && !within {
		n.Add(n, big.NewInt(1))
	}
	return n, err
}

// Density implements Mechanism. It returns an error wrapping mechanism.ErrUndecided if γ is not rational and r is too
// close to the end of a step.
func (s *Staircase) Density(r *big.Rat) (evidence.Number, error) {
	k, err := s.step(r)
	if err != nil {
		return nil, fmt.Errorf("step of r = %s: %w", r.RatString(), err)
	}
	one := big.NewRat(1, 1)
	height := product(whole(2), evidence.ExactRat(s.sensitivity), s.u)
	return decayed(s.b, s.eps, one, one, k).Quo(height).Number(closedForm, s.source), nil
}

// Layers implements Mechanism: layer i is step i. If γ is not rational, the ends are rounded to float64.
func (s *Staircase) Layers(ctx context.Context, upTo int) ([]Set, error) {
	if err := checkUpTo(upTo); err != nil {
		return nil, err
	}
	edge := func(i int) *big.Rat { // of step i
		return end(evidence.ExactRat(s.sensitivity).Mul(s.gamma.Add(whole(int64(i)))))
	}
	out := make([]Set, upTo+1)
	out[0] = NewSet(Segment{Lo: new(big.Rat).Neg(edge(0)), Hi: edge(0), OpenLo: true, OpenHi: true})
	for i := 1; i <= upTo; i++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		right := NewSet(Segment{Lo: edge(i - 1), Hi: edge(i), OpenHi: true})
		out[i] = right.Union(right.Negate())
	}
	return out, nil
}

// Noise implements Mechanism by Geng and Viswanath's Algorithm 1: a sign, a
// geometric number of whole steps, the near or the far part of a step, and a
// uniform place in it.
func (s *Staircase) Noise(n int, src rand.Source) ([]float64, error) {
	if err := mechanism.CheckDraws(n); err != nil {
		return nil, err
	}
	rng := rand.New(src)
	delta, _ := s.sensitivity.Float64()
	gamma, b := s.gamma.Enclosure.Mid(), s.b.Enclosure.Mid()
	near := gamma / (gamma + (1-gamma)*b)
	out := make([]float64, n)
	for i := range out {
		steps := math.Floor(-math.Log1p(-rng.Float64()) / s.eps.Value())
		v := rng.Float64()
		if rng.Float64() < near {
			v *= gamma
		} else {
			v = gamma + (1-gamma)*v
		}
		out[i] = (steps + v) * delta
		if rng.Uint64()&1 == 0 {
			out[i] = -out[i]
		}
	}
	return finite(out, evidence.ExactRat(s.sensitivity).Mul(s.u))
}

// Privacy implements Mechanism. A shift in V changes |r| by at most Δ, so it changes the step by at most 1, and the
// shift Δ attains this. The loss is then ε₀, 0 or −ε₀, and
//
//	δ(ε) = (1 − e^{−(ε₀ − ε)}) Pr[the step grows],
//
// This is largest under Δ: if the step grows under v, it also grows under larger shifts. Under Δ it grows for every
// r ≤ 0, and for 0 < r < min(γ, 1 − γ)Δ, where the density is 1/(2Δ(γ + β)).
func (s *Staircase) Privacy() privacy.Profile {
	return known(shiftedLoss(s.eps, 0, stepProof, s.source), func(eps evidence.Epsilon) evidence.Number {
		return stepDelta(s.eps, eps, s.grows(), growsEvent+"Δ; "+s.source)
	})
}

// grows returns the probability that the step grows under Δ.
func (s *Staircase) grows() evidence.RatOrInterval {
	side := s.gamma
	switch sign, exact := s.below.Enclosure.Sign(); {
	case sign < 0:
		side = whole(1).Sub(s.gamma)
	case sign == 0 && !exact: // γ is 1/2 up to the width of the enclosure
		side = evidence.RatOrInterval{Enclosure: interval.Rat(big.NewRat(1, 2)).Sub(interval.Max(s.below.Enclosure, s.below.Enclosure.Neg()))}
	}
	return fraction(1, 2).Mul(whole(1).Add(side.Quo(s.u)))
}

// stepDelta returns (1 − e^{−(ε₀ − ε)})·grows for ε < ε₀, and 0 otherwise.
func stepDelta(top, eps evidence.Epsilon, grows evidence.RatOrInterval, source string) evidence.Number {
	share, positive := remainder(top, big.NewRat(1, 1), eps)
	if !positive {
		share = whole(0)
	}
	return deltaOf(share.Mul(grows), source)
}

const stepProof = "|r| moves by at most Δ under V, so the step by at most 1, and by 1 under Δ itself"
