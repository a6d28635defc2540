package mechanism_test

import (
	"context"
	"math"
	"math/big"
	"testing"

	"dpworkbench/mechanism"
	"dpworkbench/query"
)

// The profile of Laplace noise against the sum over a fine grid of r of
// (p(r) − e^ε p(r − Δ))⁺.
func TestLaplaceLineProfile(t *testing.T) {
	ctx := context.Background()
	q, err := query.NewLinear([][2]*big.Rat{{big.NewRat(2, 1), big.NewRat(2, 1)}})
	if err != nil {
		t.Fatal(err)
	}
	for _, top := range []float64{0.1, 1, 4} {
		m, err := mechanism.NewLaplaceLine(q, eps(t, top))
		if err != nil {
			t.Fatal(err)
		}
		for _, share := range []float64{0.01, 0.3, 0.9, 1, 1.7} {
			const steps = 200_000
			b := 2 / top
			from, to, sum := -60*b, 60*b+2, 0.0
			h := (to - from) / steps
			for i := range steps {
				r := from + (float64(i)+0.5)*h
				p, shifted := math.Exp(-math.Abs(r)/b)/(2*b), math.Exp(-math.Abs(r-2)/b)/(2*b)
				sum += math.Max(0, p-math.Exp(share*top)*shifted) * h
			}
			got, err := m.Privacy().Delta(ctx, eps(t, share*top))
			if err != nil {
				t.Fatal(err)
			}
			if lo, hi := got.Bounds(); math.Abs(lo-sum) > 1e-4 || math.Abs(hi-sum) > 1e-4 {
				t.Errorf("ε₀ = %g, ε = %g: δ in [%g, %g], want %g", top, share*top, lo, hi, sum)
			}
			if share >= 1 {
				continue
			}
			_, delta := got.Bounds()
			back, err := m.Privacy().Epsilon(ctx, delta)
			if err != nil {
				t.Fatal(err)
			}
			if lo, hi := back.Bounds(); !(lo <= share*top*(1+1e-12) && hi >= share*top*(1-1e-12) && hi-lo < 1e-9*(1+hi)) {
				t.Errorf("δ = %g: ε in [%g, %g], want %g", delta, lo, hi, share*top)
			}
		}
	}
}
