package signrp

import (
	"cmp"
	"math"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
)

// Angle returns the angle between u and v in radians. It returns an error wrapping evidence.ErrParameter if one of
// them is zero or the lengths differ.
func Angle(u, v []float64) (float64, error) {
	if len(u) != len(v) {
		return 0, parameter.Errorf("v has %d entries, want %d, as many as u", len(v), len(u))
	}
	a, b := norm(u), norm(v)
	if !(a > 0 && b > 0) {
		return 0, parameter.Errorf("u or v is zero, want two vectors with an angle between them")
	}
	// Kahan's formula, which is accurate for small angles as well.
	sum, difference := 0.0, 0.0
	for i := range u {
		x, y := u[i]/a, v[i]/b // at most 1 in size
		sum += (x + y) * (x + y)
		difference += (x - y) * (x - y)
	}
	return 2 * math.Atan2(math.Sqrt(difference), math.Sqrt(sum)), nil
}

// AngleEstimate returns θ̂ = π(1 − P̂) of Theorem 4.5 from two releases of signs, each flipped with probability
// 1/(e^{ε'}+1). P̂ is the fraction of signs that agree, corrected for the flips. It is unbiased for the angle if W
// is Gaussian, and may lie outside [0, π].
//
// It returns an error wrapping evidence.ErrParameter unless a and b have the same positive length, and ε' is
// positive and large enough for the estimate to be a finite float64.
func AngleEstimate(a, b []int8, eps evidence.Epsilon) (float64, error) {
	if len(a) != len(b) || len(a) == 0 {
		return 0, parameter.Errorf("%d and %d signs, want two releases of one length", len(a), len(b))
	}
	if err := eps.Positive("eps"); err != nil {
		return 0, err
	}
	agree := 0
	for j := range a {
		if a[j] == b[j] {
			agree++
		}
	}
	// P̂ = (e^{ε'}+1)²/(e^{ε'}−1)²·P − 2e^{ε'}/(e^{ε'}−1)² for the fraction P of agreeing signs. That is P + 2c(2P
	// − 1) with c = e^{ε'}/(e^{ε'}−1)².
	c, err := spreadOf(eps)
	if err != nil {
		return 0, err
	}
	k := float64(len(a))
	return math.Pi * (1 - float64(agree)/k - 2*c*(float64(2*agree-len(a))/k)), nil
}

// spreadOf returns e^{ε'}/(e^{ε'}−1)² = 1/(4 sinh²(ε'/2)). It is the nearest float64 if e^{ε'} is rational. It
// returns an error wrapping evidence.ErrParameter if the square overflows.
func spreadOf(eps evidence.Epsilon) (float64, error) {
	const least = 1e-75
	if eps.Value() < least {
		return 0, parameter.Bad("eps", eps, "at least %g, or the variance of the flips overflows float64", least)
	}
	if x, ok := eps.Exp(); ok {
		d := new(big.Rat).Sub(x, big.NewRat(1, 1))
		v, _ := x.Quo(x, d.Mul(d, d)).Float64()
		return v, nil
	}
	if eps.Value() > 1400 {
		return 0, nil
	}
	s := 2 * math.Sinh(eps.Value()/2)
	return 1 / s / s, nil
}

// AngleVariance returns V_RR/k of Theorem 4.5, the variance of AngleEstimate at angle θ from k signs:
//
//	V_RR = θ(π−θ) + 2π²e^{ε'}/(e^{ε'}−1)² + 4π²e^{2ε'}/(e^{ε'}−1)⁴.
//
// For Gaussian W this is the variance at every k, not only in the limit: signs agree independently, with a
// probability affine in θ. For other W it is an approximation, hence claimed.
//
// It returns an error wrapping evidence.ErrParameter unless 0 ≤ θ ≤ π, ε' is positive, the variance is finite, and
// k ≥ 1.
func AngleVariance(theta float64, eps evidence.Epsilon, k int) (evidence.Claimed, error) {
	if !(theta >= 0 && theta <= math.Pi) {
		return evidence.Claimed{}, parameter.Bad("theta", theta, "0 <= theta <= pi")
	}
	if err := cmp.Or(eps.Positive("eps"), checkShape(1, k)); err != nil {
		return evidence.Claimed{}, err
	}
	a, err := spreadOf(eps)
	if err != nil {
		return evidence.Claimed{}, err
	}
	v := theta*(math.Pi-theta) + 2*math.Pi*math.Pi*a + 4*math.Pi*math.Pi*a*a
	return evidence.Claimed{Value: v / float64(k), Provenance: evidence.From(Paper + ", Theorem 4.5, for Gaussian W")}, nil
}
