package privacy

import (
	"math"
	"math/big"
	"testing"

	"dpworkbench/interval"
)

// At whole orders the moment is Σ C(α, k)(1−γ)^{α−k}γ^k e^{k(k−1)/(2σ²)}.
func TestPoissonMomentOfWholeOrders(t *testing.T) {
	for _, sigma := range []*big.Rat{big.NewRat(3, 10), big.NewRat(1, 1), big.NewRat(17, 2)} {
		for _, rate := range []*big.Rat{big.NewRat(1, 100000), big.NewRat(1, 50), big.NewRat(2, 3)} {
			for _, alpha := range []int64{2, 17} {
				s := &DPSGD{NoiseMultiplier: sigma, Rate: rate, Steps: 1, Sampling: Poisson}
				sum := interval.Int(0)
				half := new(big.Rat).Inv(new(big.Rat).Mul(sigma, sigma))
				half.Quo(half, big.NewRat(2, 1))
				for k := range alpha + 1 {
					weight := new(big.Rat).SetInt(new(big.Int).Binomial(alpha, k))
					weight.Mul(weight, interval.RationalPower(rate, big.NewInt(k)))
					weight.Mul(weight, interval.RationalPower(new(big.Rat).Sub(one, rate), big.NewInt(alpha-k)))
					sum = sum.Add(interval.Rat(weight).Mul(interval.Rat(half).Mul(interval.Int(k * (k - 1))).Exp()))
				}
				want, got := sum.Log(), s.poissonMoment(big.NewRat(alpha, 1))
				lo, hi := got.Bounds()
				if got.Less(want) || want.Less(got) || hi-lo > 1e-12*hi {
					t.Errorf("σ = %v, rate %v, order %d: %v, want %v", sigma, rate, alpha, got, want)
				}
				if rough := s.fastMoment(float64(alpha)); math.Abs(rough-hi) > 1e-9*hi+1e-13 {
					t.Errorf("σ = %v, rate %v, order %d: %g in float64, is %g", sigma, rate, alpha, rough, hi)
				}
			}
		}
	}
}

// Fractional orders against 40 digits of quadrature by mpmath (mp.quad on the pieces between −12, …, 12 + α/σ).
func TestPoissonMomentOfFractions(t *testing.T) {
	for _, c := range []struct {
		alpha, sigma, rate *big.Rat
		want               float64
	}{
		{big.NewRat(3, 2), big.NewRat(4, 5), big.NewRat(1, 100), 0.0001366553500201942775},
		{big.NewRat(5, 4), big.NewRat(1, 1), big.NewRat(1, 1000), 2.6794290648528960729e-7},
		{big.NewRat(9, 2), big.NewRat(3, 10), big.NewRat(1, 5), 80.257529394046548547},
		{big.NewRat(11, 2), big.NewRat(5, 1), big.NewRat(1, 2), 0.13020952627208128691},
	} {
		s := &DPSGD{NoiseMultiplier: c.sigma, Rate: c.rate, Steps: 1, Sampling: Poisson}
		if lo, hi := s.poissonMoment(c.alpha).Bounds(); lo > c.want*(1+1e-15) || hi < c.want*(1-1e-15) || hi-lo > 1e-12*hi {
			t.Errorf("order %v, σ = %v, rate %v: [%g, %g], want %g", c.alpha, c.sigma, c.rate, lo, hi, c.want)
		}
	}
}

// Sampling a share of the records costs no more than all of them.
func TestReplacementMomentIsNoMoreThanUnsampled(t *testing.T) {
	for _, alpha := range []int64{2, 5, 30} {
		order, last := big.NewRat(alpha, 1), 0.0
		for _, rate := range []*big.Rat{big.NewRat(1, 1000), big.NewRat(1, 100), big.NewRat(1, 10)} {
			s := &DPSGD{NoiseMultiplier: big.NewRat(2, 1), Rate: rate, Steps: 3, Sampling: WithoutReplacement}
			lo, hi := s.renyiMoment(order).Bounds()
			if !(lo > last) || math.Abs(3*s.fastMoment(float64(alpha))-hi) > 1e-9*hi {
				t.Errorf("order %d, rate %v: [%g, %g], %g in float64", alpha, rate, lo, hi, 3*s.fastMoment(float64(alpha)))
			}
			last = hi
		}
	}
}
