package xor_test

import (
	"context"
	"math"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/xor"
)

// The flip rate is the mean number of flips over the number of bits: exactly, or
// between ends that hold the quotients of the ends and are next to them.
func TestFlipRateIsTheMeanOverTheBits(t *testing.T) {
	for _, c := range []struct{ n, p int }{{1, 1}, {1, 3}, {3, 1}, {2, 3}, {7, 1}} {
		for _, eps := range []evidence.Epsilon{must.Be(evidence.LogEpsilon("eps", big.NewRat(7, 2))), must.Be(evidence.NewEpsilon("eps", 0.6))} {
			law, err := xor.NewOptimalNoise(context.Background(), c.n, c.p, eps, xor.FlipBits(1))
			if err != nil {
				t.Fatal(err)
			}
			bits := big.NewRat(int64(c.n*c.p), 1)
			rate := law.FlipRate()
			if mean, ok := law.MeanFlips().(evidence.Exact); ok {
				if got := rate.(evidence.Exact).Value; got.Cmp(new(big.Rat).Quo(mean.Value, bits)) != 0 {
					t.Errorf("%+v: rate %v of %v flips", c, got, mean.Value)
				}
				// One flip costs ε, so bits by themselves are best.
				if want := big.NewRat(2, 9); rate.(evidence.Exact).Value.Cmp(want) != 0 {
					t.Errorf("%+v: rate %v, want randomised response's %v", c, rate, want)
				}
				continue
			}
			lo, hi := law.MeanFlips().Bounds()
			least, most := rate.Bounds()
			back := func(v float64) *big.Rat { return new(big.Rat).Mul(new(big.Rat).SetFloat64(v), bits) }
			if back(least).Cmp(new(big.Rat).SetFloat64(lo)) > 0 || back(most).Cmp(new(big.Rat).SetFloat64(hi)) < 0 {
				t.Errorf("%+v: rate in [%v, %v] of flips in [%v, %v] is rounded inwards", c, least, most, lo, hi)
			}
			if most-least > (hi-lo)/float64(c.n*c.p)+1e-15 {
				t.Errorf("%+v: rate in [%v, %v] of flips in [%v, %v]", c, least, most, lo, hi)
			}
		}
	}
}

// The ends of a flip rate never lie within the quotients, at any ε and number of bits.
func TestFlipRateRoundsOutward(t *testing.T) {
	for _, bits := range []int{1, 3, 5, 6, 7} {
		for _, eps := range []float64{0.3, 0.6, 0.9, 1.3, 2} {
			law, err := xor.NewOptimalNoise(context.Background(), bits, 1, must.Be(evidence.NewEpsilon("eps", eps)), xor.FlipBits(1))
			if err != nil {
				t.Fatal(err)
			}
			lo, hi := law.MeanFlips().Bounds()
			least, most := law.FlipRate().Bounds()
			back := func(v float64) *big.Rat {
				return new(big.Rat).Mul(new(big.Rat).SetFloat64(v), big.NewRat(int64(bits), 1))
			}
			if back(least).Cmp(new(big.Rat).SetFloat64(lo)) >= 0 || back(most).Cmp(new(big.Rat).SetFloat64(hi)) <= 0 || most-least > (hi-lo)/float64(bits)+1e-15 {
				t.Errorf("%d bits, ε = %g: rate in [%v, %v] of flips in [%v, %v]", bits, eps, least, most, lo, hi)
			}
			want := 1 / (1 + math.Exp(eps)) // randomised response
			if least > want || most < want || law.MeanFlips().Origin() == "" {
				t.Errorf("%d bits, ε = %g: rate in [%v, %v], want %v", bits, eps, least, most, want)
			}
		}
	}
}
