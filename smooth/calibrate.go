package smooth

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/internal/sampling"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
)

// real is an enclosed number that can also be computed to any precision, for exact sampling.
type real struct {
	enclosure interval.Interval
	number    sampling.Number
}

func rational(q *big.Rat) real { return real{interval.Rat(q), sampling.Rat(q)} }

func epsilon(e evidence.Epsilon) real { return real{e.Enclosure(), sampling.Epsilon(e)} }

func (a real) mul(b real) real {
	return real{a.enclosure.Mul(b.enclosure), a.number.Mul(b.number).Known()}
}

func (a real) add(b real) real {
	return real{a.enclosure.Add(b.enclosure), sampling.Sum(a.number, b.number).Known()}
}

func (a real) neg() real { return real{a.enclosure.Neg(), a.number.Neg()} }

// over returns a/b for a positive b.
func (a real) over(b real) real {
	return real{a.enclosure.Quo(b.enclosure), a.number.Mul(b.number.Inverse()).Known()}
}

func (a real) sqrt() real { return real{a.enclosure.Sqrt(), a.number.Root(2).Known()} }

// exp returns e^a for a ≤ 0.
func (a real) exp() real { return real{a.enclosure.Exp(), sampling.Exp(a.number).Known()} }

// Calibration scales noise for ε: the answer is f(x) + Scale·S(x)·Z, where S is a β-smooth upper bound of the local
// sensitivity.
type Calibration struct {
	Noise   Noise
	Epsilon evidence.Epsilon
	Delta   evidence.Delta // 0 for the pure laws

	beta, scale real
	source      string
}

// Calibrate returns the calibration of a theorem for (ε, δ) with the smoothness beta of S. The default for nil is
//
//   - Cauchy-type noise (Nissim, Raskhodnikova and Smith 2007, full version, Corollary 2.4): the largest β = ε/(2(γ +
//     1)), with scale 2(γ + 1)/ε and δ = 0;
//   - Laplace noise (the same corollary): the largest β = ε/(2 ln(2/δ)), with scale 2/ε and δ > 0;
//   - Student's t (Bun and Steinke 2019): the β that makes the summands of ε = (d + 1)(β + 1/(2√d·scale)) equal, with
//     δ = 0.
//
// It returns an error wrapping evidence.ErrParameter if δ or β are outside their range.
func Calibrate(n Noise, eps evidence.Epsilon, delta evidence.Delta, beta *big.Rat) (*Calibration, error) {
	if err := eps.Positive("eps"); err != nil {
		return nil, err
	}
	c := &Calibration{Noise: n, Epsilon: eps, Delta: delta}
	e, two := epsilon(eps), rational(big.NewRat(2, 1))
	var most real
	switch n.family {
	case laplace:
		if delta.IsZero() {
			return nil, parameter.Errorf(`delta = 0 with noise = "laplace", want 0 < delta < 1: tails of Laplace noise of different scales have no finite log-ratio; "cauchy" and "student" take delta = 0`)
		}
		over := new(big.Rat).Quo(big.NewRat(2, 1), delta.Rat())
		log := real{interval.Rat(over).Log(), sampling.Log(over)}
		most = e.over(two.mul(log))
		c.scale = two.over(e)
		c.source = "Nissim, Raskhodnikova and Smith 2007, Corollary 2.4: β ≤ ε/(2 ln(2/δ)), scale 2/ε"
	case cauchy:
		k := new(big.Rat).Add(n.shape, big.NewRat(1, 1))
		k.Mul(k, big.NewRat(2, 1))
		most = e.over(rational(k))
		c.scale = rational(k).over(e)
		c.source = "Nissim, Raskhodnikova and Smith 2007, Corollary 2.4: β ≤ ε/(2(γ + 1)), scale 2(γ + 1)/ε"
	case student:
		k := rational(new(big.Rat).Add(n.shape, big.NewRat(1, 1)))
		most = e.over(k)
		own := most.over(two)
		if beta != nil {
			own = rational(beta)
		}
		// scale = 1/(2√d(ε/(d + 1) − β))
		left := most.add(own.neg())
		c.beta = own
		if beta == nil || beta.Sign() > 0 && own.enclosure.Less(most.enclosure) {
			c.scale = rational(big.NewRat(1, 1)).over(two.mul(rational(n.shape).sqrt()).mul(left))
		}
		c.source = "Bun and Steinke 2019: ε = (d + 1)(β + s/(2√d)), scale 1/s"
	}
	if n.family != laplace && !delta.IsZero() {
		return nil, parameter.Errorf(`delta = %s, want 0 with noise = "%s", whose guarantee is pure`, short(delta.Rat()), map[family]string{cauchy: "cauchy", student: "student"}[n.family])
	}
	if beta != nil {
		if b := interval.Rat(beta); beta.Sign() <= 0 || !b.Less(most.enclosure) && (n.family == student || most.enclosure.Less(b)) {
			_, top := most.enclosure.Bounds()
			return nil, parameter.Errorf("beta = %s, want 0 < beta <= %.6g, the range of the theorem", short(beta), top)
		}
		c.beta = rational(beta)
	} else if n.family != student {
		c.beta = most
	}
	return c, nil
}

// Source returns the theorem with its β and scale.
func (c *Calibration) Source() string { return c.source }

// Claim returns the ε that the theorem claims. For Laplace noise this is the ε of (ε, δ)-privacy.
func (c *Calibration) Claim() evidence.Claimed { return mechanism.Claim(c.Epsilon, c.source) }

// Beta returns β.
func (c *Calibration) Beta() evidence.Number {
	return evidence.Enclosed(c.beta.enclosure, "closed form, rounded outward", c.source)
}

// BetaEnclosure returns an enclosure of β.
func (c *Calibration) BetaEnclosure() interval.Interval { return c.beta.enclosure }

// Scale returns an enclosure of the factor of S·Z.
func (c *Calibration) Scale() interval.Interval { return c.scale.enclosure }

// AbsError returns E|answer − f(x)| for noise scaled with s. It is certified, and +Inf if the law has no first moment.
func (c *Calibration) AbsError(s evidence.RatOrInterval) evidence.Number {
	m, ok := c.Noise.AbsMoment()
	return c.error(s, m, ok, 1)
}

// SquareError returns E(answer − f(x))². It is certified, and +Inf if the law has no second moment.
func (c *Calibration) SquareError(s evidence.RatOrInterval) evidence.Number {
	m, ok := c.Noise.SquareMoment()
	return c.error(s, m, ok, 2)
}

func (c *Calibration) error(s evidence.RatOrInterval, moment interval.Interval, finite bool, degree int) evidence.Number {
	if s.Rational != nil && s.Rational.Sign() == 0 {
		return evidence.Exact{Value: new(big.Rat), Provenance: evidence.From("no noise: f is the same on all datasets that a path joins to this one")}
	}
	if !finite {
		return infinite(c.Noise, degree)
	}
	return evidence.Enclosed(s.Enclosure.Mul(c.scale.enclosure).Pow(degree).Mul(moment), "moment of the noise by its series, rounded outward", c.source)
}

// infinite returns an infinite moment.
func infinite(n Noise, degree int) evidence.Number {
	index, least := "gamma", degree+1
	if n.family == student {
		index, least = "d", degree
	}
	which := map[int]string{1: "absolute", 2: "squared"}[degree]
	why := n.Name() + ": the expected " + which + " error is infinite unless " + index + " > " + big.NewInt(int64(least)).String()
	inf := interval.Whole().Upper()
	out := evidence.Enclosed(inf, "infinite", why)
	out.Lo = out.Hi
	return out
}

// Quantile returns the p-quantile of |answer − f(x)|, 0 < p < 1.
func (c *Calibration) Quantile(s evidence.RatOrInterval, p *big.Rat) (evidence.Number, error) {
	lo, hi, err := c.Noise.Quantile(p)
	if err != nil {
		return nil, err
	}
	if s.Rational != nil && s.Rational.Sign() == 0 {
		return evidence.Exact{Value: new(big.Rat), Provenance: evidence.From(c.source)}, nil
	}
	return evidence.Enclosed(interval.Between(lo, hi).Mul(s.Enclosure).Mul(c.scale.enclosure), "bisection on enclosed probabilities", c.source), nil
}

// ErrNotReached is wrapped by the error of AtEpsilon if no member of a family has the wanted smallest ε.
var ErrNotReached = errors.New("not reached")

// AtEpsilon returns the member family(e) whose smallest ε is at most eps and above eps·(1 − 1e-6). It calibrates a
// mechanism to its true privacy instead of the claim of a theorem. The smallest ε must increase with e. It returns an
// error wrapping ErrNotReached if there is no such member, and errors of family.
func AtEpsilon(ctx context.Context, family func(e evidence.Epsilon) (*Mechanism, error), eps evidence.Epsilon) (*Mechanism, error) {
	if err := eps.Positive("eps"); err != nil {
		return nil, err
	}
	want, _ := eps.Enclosure().Bounds()
	try := func(e float64) (*Mechanism, float64, error) {
		at, err := evidence.NewEpsilon("e", e)
		if err != nil {
			return nil, 0, err
		}
		m, err := family(at)
		if err != nil {
			return nil, 0, err
		}
		loss, err := m.SmallestEpsilon(ctx)
		if err != nil {
			return nil, 0, err
		}
		_, hi := loss.Bounds()
		return m, hi, nil
	}
	lo, hi := 0.0, math.Inf(1)
	e := want
	for range 200 {
		m, loss, err := try(e)
		switch {
		case err != nil:
			return nil, err
		case loss <= want && loss > want*(1-1e-6):
			return m, nil
		case loss < want:
			lo = e
		default:
			hi = e
		}
		next := e * want / max(loss, want/64) // the smallest ε is nearly proportional to e
		next *= 1 - 5e-7                      // aim at the middle of the accepted range
		if !(next > lo && next < hi) {
			next = lo + (hi-lo)/2
		}
		if !(next > 0 && next < math.MaxFloat64/4) || hi <= lo*(1+1e-15) {
			break
		}
		e = next
	}
	return nil, fmt.Errorf("%w: no parameter from %g to %g gives the smallest epsilon %g", ErrNotReached, lo, hi, want)
}
