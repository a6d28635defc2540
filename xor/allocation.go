package xor

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
)

// Budget is what Algorithm 1 divides.
type Budget struct {
	N, P        int
	Epsilon     float64 // ε, nats
	Alpha       float64 // the share of Θ; 1 where objects are independent
	Sensitivity float64 // s_f
}

func (u Budget) check() error {
	if u.N < 1 || u.P < 1 {
		return parameter.Errorf("shape %d × %d, want at least 1 × 1", u.N, u.P)
	}
	return cmp.Or(parameter.Positive("eps", u.Epsilon), parameter.Unit("alpha", u.Alpha), parameter.Positive("sensitivity", u.Sensitivity))
}

// Allocate is Algorithm 1. Every eigenvalue of Θ is αε/(s_f√P), every
// eigenvalue of every Λ_ij is (1 − α)ε/(s_f√P·N(N−1)/2): whatever orthonormal
// basis U is taken, U(λI)U⁻¹ = λI, so that the basis the paper leaves open
// changes nothing. With one object there are no pairs, and the share 1 − α is
// spent on nothing. It returns an error wrapping evidence.ErrParameter unless the shape
// is at least 1 × 1, ε and s_f are positive and finite, and 0 ≤ α ≤ 1.
func Allocate(u Budget) (*Bernoulli, error) {
	if err := u.check(); err != nil {
		return nil, err
	}
	n := float64(u.N)
	each := u.Epsilon / (u.Sensitivity * math.Sqrt(float64(u.P)))
	rest, pairs := 1-u.Alpha, n*(n-1)/2
	theta, lambda := u.Alpha*each, 0.0
	if u.N > 1 {
		lambda = rest * each / pairs
	}
	b, err := NewUniform(u.N, u.P, theta, lambda)
	if err != nil {
		return nil, fmt.Errorf("eps = %g makes Θ = %.3g·I and Λ_ij = %.3g·I: %w", u.Epsilon, theta, lambda, err)
	}
	// Six roundings at most, and ε, α and s may be decimals; 1 − α may cancel.
	c := b.cols.read(reading{units: 10})
	if lambda != 0 || rest > 0 && u.N > 1 {
		slip := misread(u.Alpha) + math.Abs((1-rest)-u.Alpha)
		c.offLambda = up(c.offLambda + slip*each/pairs*(1+8*unit))
	}
	const small, lost = 0x1p-1000, 0x1p-1070 // products below the normal numbers lose digits
	if theta < small && u.Alpha > 0 {
		c.offTheta += lost
	}
	if lambda < small && rest > 0 && u.N > 1 {
		c.offLambda += lost
	}
	b.cols = c
	return b, nil
}

// ErrorRate returns E‖f(D) ⊕ M − f(D)‖²/ones for a noise M that is B, or 1 − B
// where complement is true: Theorem 2, by enumeration or closed form. ones is
// ‖f(D)‖²; where it is 0 the rate is the chance that a bit is flipped, the mean
// over the NP bits.
func (b *Bernoulli) ErrorRate(ctx context.Context, ones int, complement bool, opts Options) (evidence.Certified, error) {
	if err := parameter.AtLeast("ones", ones, 0); err != nil {
		return evidence.Certified{}, err
	}
	d := float64(ones)
	if ones == 0 {
		d = float64(b.n) * float64(b.p)
	}
	if b.cols != nil {
		return b.cols.MeanOnes(ctx, complement, d)
	}
	mean, err := b.MeanOnes(ctx, complement, opts)
	if err != nil {
		return evidence.Certified{}, err
	}
	mean.Lo, mean.Hi = math.Max(0, down(mean.Lo/d*(1-unit))), up(mean.Hi/d*(1+unit)) // d may have been rounded
	if ones == 0 {
		mean = atMost(1, mean)
	}
	return mean, nil
}
