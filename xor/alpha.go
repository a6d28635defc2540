package xor

import (
	"context"
	"math"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/internal/golden"
	"dpworkbench/internal/lists"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
)

// Constraint selects how the budget is counted.
type Constraint int

// ClaimedPrivacy uses condition (4) of Theorem 1 as printed, ExactPrivacy the smallest ε of the law.
const (
	ClaimedPrivacy Constraint = iota + 1
	ExactPrivacy
)

// AlphaProblem asks for the share α that minimises the probability that a bit is flipped. The laws have the form of
// Algorithm 1: Θ = θI and Λ_ij = λI with θ/λ = α/((1 − α)/(N(N−1)/2)). They are scaled until the constraint holds with
// equality at ε, for neighbors that differ in at most Sensitivity bits.
type AlphaProblem struct {
	N, P        int
	Epsilon     evidence.Epsilon
	Sensitivity int
	Privacy     Constraint
	Complement  bool // the noise is 1 − B
}

// AlphaSolution is the best share found.
type AlphaSolution struct {
	Alpha    float64
	Law      *Bernoulli         // law of the requested noise: of 1 − B if Complement
	FlipRate evidence.Certified // probability that noise of Law flips a bit
	Claimed  evidence.Claimed   // what Theorem 1 promises for B
	Smallest evidence.Certified // the smallest ε of Law
	// Response is the flip rate 1/(1 + e^{ε/s}) of randomised response, for the smallest ε of Law and s = Sensitivity.
	Response evidence.Certified
}

// lawAt returns the law with share alpha that spends the budget.
func (q AlphaProblem) lawAt(alpha float64) (*Bernoulli, error) {
	law, err := Allocate(Budget{q.N, q.P, q.Epsilon, alpha, float64(q.Sensitivity)})
	if err != nil || q.Privacy == ClaimedPrivacy {
		return law, err
	}
	// The smallest ε is a maximum of functions linear in (θ, λ): scaling the
	// parameters scales it.
	scale := q.Epsilon.Value() / law.cols.LossAnywhere(q.Sensitivity).Hi
	if !(scale > 0) || math.IsInf(scale, 1) {
		return nil, parameter.Errorf("alpha = %g gives parameters whose privacy loss is 0 or not finite, so they cannot be scaled to the budget", alpha)
	}
	scaled, err := law.Scale(scale)
	if err != nil {
		return nil, err
	}
	// 24 units cover the roundings of scale: of the quotient, of the enclosure of the loss, and of ε to float64.
	return scaled.read(reading{units: 24}), nil
}

// complement returns the law of 1 − B for a law with exchangeable columns. With n − m ones instead of m the
// exponent θm + λm(m − 1) becomes θ'm + λm(m − 1) plus a constant, θ' = −θ − 2λ(n − 1). Its privacy is that of B,
// because each is a function of the other. It returns an error wrapping evidence.ErrParameter if θ' is too large.
func (b *Bernoulli) complement() (*Bernoulli, error) {
	c := b.cols
	turned := new(big.Rat).SetFloat64(c.lambda)
	turned.Mul(turned, big.NewRat(-2*int64(b.n-1), 1)).Sub(turned, new(big.Rat).SetFloat64(c.theta))
	theta, exact := turned.Float64()
	out, err := NewUniform(b.n, b.p, theta, c.lambda)
	if err != nil {
		return nil, err
	}
	off := interval.Up(c.offTheta + interval.Up(2*float64(b.n-1)*c.offLambda))
	if !exact {
		off = interval.Up(off + interval.Up(unit*math.Abs(theta)))
	}
	out.cols.offTheta, out.cols.offLambda = off, c.offLambda
	out.reading = spanning([2]float64{theta, off}, [2]float64{c.lambda, c.offLambda})
	return out, nil
}

// OptimizeAlpha minimises by a scan of [0, 1] and golden-section search around the best points. With one object the
// answer is α = 1. Shares whose law would overflow are skipped. It returns an error wrapping evidence.ErrParameter for
// a bad shape, ε or sensitivity, or if every share's law overflows, and ctx's error.
//
// Under exact privacy, with the complement and at most P bits, α = 1 is best. Every conditional logit is at most θ +
// 2λ(N−1) = ε/s_f. So no bit is flipped less often than by randomised response, which is α = 1.
func OptimizeAlpha(ctx context.Context, q AlphaProblem) (*AlphaSolution, error) {
	if q.Privacy != ClaimedPrivacy && q.Privacy != ExactPrivacy {
		return nil, parameter.Errorf("privacy constraint %d, want ClaimedPrivacy or ExactPrivacy", q.Privacy)
	}
	if err := (Budget{q.N, q.P, q.Epsilon, 1, float64(q.Sensitivity)}).check(); err != nil {
		return nil, err
	}
	if q.Sensitivity > q.N*q.P {
		return nil, parameter.Errorf("sensitivity = %d bits, want 1 to %d: f(D) is %d × %d", q.Sensitivity, q.N*q.P, q.N, q.P)
	}
	rate := func(alpha float64) float64 { // errors of single shares are ignored here and reported below
		law, err := q.lawAt(alpha)
		if err == nil {
			if flips, err := law.cols.FlipRate(ctx, Variant(q.Complement)); err == nil {
				return flips.Float()
			}
		}
		return math.Inf(1)
	}
	best, at := rate(1), 1.0
	if q.N > 1 {
		const steps = 64
		values := lists.Of(steps+1, func(i int) float64 { return rate(float64(i) / steps) })
		for i := range values {
			left, right := max(i-1, 0), min(i+1, steps)
			if values[i] > values[left] || values[i] > values[right] {
				continue
			}
			alpha, v := golden.Minimize(rate, float64(left)/steps, float64(right)/steps, 60)
			for _, c := range [2][2]float64{{float64(i) / steps, values[i]}, {alpha, v}} {
				// Rounding must not decide between an end of [0, 1] and its neighborhood.
				if c[1] < best*(1-1e-13) {
					at, best = c[0], c[1]
				}
			}
		}
	}
	law, err := q.lawAt(at)
	if err != nil {
		return nil, err
	}
	claimed := law.ClaimedEpsilon(q.Sensitivity)
	if q.Complement {
		if law, err = law.complement(); err != nil {
			return nil, err
		}
	}
	flips, err := law.cols.FlipRate(ctx, Plain)
	if err != nil {
		return nil, err
	}
	bits := new(big.Int).Mul(big.NewInt(int64(q.N)), big.NewInt(int64(q.P)))
	flips = evidence.WithStatement(flips, &FlipsStatement{law, false, bits})
	out := &AlphaSolution{Alpha: at, Law: law, FlipRate: flips, Claimed: claimed}
	out.Smallest = evidence.WithStatement(law.cols.LossAnywhere(q.Sensitivity), &LossStatement{law, FlipBits(q.Sensitivity)})
	out.Response = responseRate(math.Max(0, interval.Down(out.Smallest.Lo/float64(q.Sensitivity))), interval.Up(out.Smallest.Hi/float64(q.Sensitivity)))
	return out, nil
}

// responseRate encloses 1/(1 + e^ε), the flip rate of randomised response of one bit, for every ε from lo to hi. It
// needs 0 ≤ lo ≤ hi < ∞.
func responseRate(lo, hi float64) evidence.Certified {
	most, least := response(lo), response(hi)
	out := evidence.Certified{Provenance: evidence.From("Warner 1965").By("closed form")}
	out.Lo, _ = least.bounds(2 * unit)
	_, out.Hi = most.bounds(2 * unit)
	out.Hi = math.Min(out.Hi, .5)
	return out
}

// response returns 1/(1 + eˣ), with two roundings.
func response(x float64) scaledFloat {
	if x > maxExponent {
		x = maxExponent // both results are below every positive float64
	}
	e := expCache{}.of(-x)
	if e.e < -60 {
		return e // e/(1 + e) rounds to e
	}
	v, _ := e.float()
	return newScaledFloat(v / (1 + v))
}
