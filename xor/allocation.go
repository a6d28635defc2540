package xor

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
)

// Budget is the input of Algorithm 1.
type Budget struct {
	N, P        int
	Epsilon     evidence.Epsilon
	Alpha       float64 // share of the budget spent on Θ; 1 makes objects independent
	Sensitivity float64 // s_f
}

func (u Budget) check() error {
	if u.N < 1 || u.P < 1 {
		return parameter.Errorf("shape %d × %d, want at least 1 × 1", u.N, u.P)
	}
	if u.N > math.MaxInt32 || u.P > math.MaxInt32 {
		return parameter.Errorf("shape %d × %d, want at most 2³¹ − 1 rows and columns", u.N, u.P)
	}
	return cmp.Or(u.Epsilon.Positive("eps"), parameter.Unit("alpha", u.Alpha), parameter.Positive("sensitivity", u.Sensitivity))
}

// Allocate returns the law of Algorithm 1, which spends a privacy budget. Every eigenvalue of Θ is αε/(s_f√P), every
// eigenvalue of every Λ_ij is (1 − α)ε/(s_f√P·N(N−1)/2). For every orthonormal basis U, U(λI)U⁻¹ = λI, so the basis
// that the paper leaves open does not matter. With one object there are no pairs, and the share 1 − α is not spent.
//
// Samples are drawn for float64s θ and λ near these eigenvalues. Certified numbers about the law also hold for the
// exact eigenvalues, with the exact ε, and with α and s_f read as float64s or as their shortest decimals.
//
// It returns an error wrapping evidence.ErrParameter unless the shape is at least 1 × 1, ε and s_f are positive and
// finite, and 0 ≤ α ≤ 1.
func Allocate(u Budget) (*Bernoulli, error) {
	if err := u.check(); err != nil {
		return nil, err
	}
	n, p, alpha := u.N, u.P, u.Alpha
	pairs := float64(n) * (float64(n) - 1) / 2
	each := u.Epsilon.Value() / (u.Sensitivity * math.Sqrt(float64(p)))
	theta, lambda := alpha*each, 0.0
	if n > 1 {
		lambda = (1 - alpha) * each / pairs
	}
	b, err := NewUniform(n, p, theta, lambda)
	if err != nil {
		return nil, fmt.Errorf("eps = %s makes Θ = %.3g·I and Λ_ij = %.3g·I: %w", u.Epsilon, theta, lambda, err)
	}
	// Enclose the exact θ and λ in 256-bit arithmetic, for all readings of ε, α and s_f.
	one, a := interval.Int(1), interval.Readings(alpha)
	meant := readingsOf(u.Epsilon).Quo(interval.Readings(u.Sensitivity).Mul(interval.Int(int64(p)).Sqrt()))
	b.cols.offTheta = largestDistance(a.Mul(meant), theta)
	if n > 1 {
		b.cols.offLambda = largestDistance(one.Sub(a).Mul(meant).Quo(interval.Int(int64(n)*int64(n-1)/2)), lambda)
	}
	b.reading = spanning([2]float64{theta, b.cols.offTheta}, [2]float64{lambda, b.cols.offLambda})
	return b, nil
}

// largestDistance bounds the distance from v to the elements of x.
func largestDistance(x interval.Interval, v float64) float64 {
	lo, hi := x.Sub(interval.Float(v)).Bounds()
	return math.Max(math.Abs(lo), math.Abs(hi))
}

// ErrorRate returns E‖f(D) ⊕ M − f(D)‖²/ones for the noise M = B, or M = 1 − B for the complement: Theorem 2, by
// enumeration or closed form. ones is ‖f(D)‖². If ones is 0, the rate is the probability that a bit is flipped,
// averaged over the NP bits.
func (b *Bernoulli) ErrorRate(ctx context.Context, ones int, complement Variant) (evidence.Certified, error) {
	if err := parameter.AtLeast("ones", ones, 0); err != nil {
		return evidence.Certified{}, err
	}
	d := float64(ones)
	if ones == 0 {
		d = float64(b.n) * float64(b.p)
	}
	per := big.NewInt(int64(ones))
	if ones == 0 {
		per.Mul(big.NewInt(int64(b.n)), big.NewInt(int64(b.p)))
	}
	rate, err := b.rate(ctx, d, ones == 0, complement)
	if err != nil {
		return evidence.Certified{}, err
	}
	return evidence.WithStatement(rate, &FlipsStatement{b, bool(complement), per}), nil
}

// rate returns E‖B‖²/d or E‖1 − B‖²/d, which is a probability if d is the number of bits.
func (b *Bernoulli) rate(ctx context.Context, d float64, chance bool, complement Variant) (evidence.Certified, error) {
	if b.cols != nil {
		return b.cols.MeanOnes(ctx, complement, d)
	}
	mean, err := b.MeanOnes(ctx, complement)
	if err != nil {
		return evidence.Certified{}, err
	}
	mean.Lo, mean.Hi = math.Max(0, interval.Down(mean.Lo/d*(1-unit))), interval.Up(mean.Hi/d*(1+unit)) // d may have been rounded
	if chance {
		mean = atMost(1, mean)
	}
	return mean, nil
}
