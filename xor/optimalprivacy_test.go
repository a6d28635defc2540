package xor_test

import (
	"context"
	"math"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/xor"
)

// The law is private at its ε, not below, and its profile is what its states add up to.
func TestOptimalNoiseUnder(t *testing.T) {
	ctx := context.Background()
	for _, relation := range []string{"bits", "row", "edge"} {
		for _, eps := range []evidence.Epsilon{must.Be(evidence.LogEpsilon("eps", big.NewRat(7, 2))), must.Be(evidence.NewEpsilon("eps", 0.6))} {
			nb := neighbors(relation, 1)
			law, err := xor.NewOptimalNoise(ctx, 2, 2, eps, nb)
			if err != nil {
				t.Fatal(err)
			}
			curve, err := law.Under(nb)
			if err != nil {
				t.Fatal(err)
			}
			pure, err := curve.Epsilon(ctx, evidence.Delta{})
			if err != nil {
				t.Fatal(err)
			}
			if lo, hi := pure.Bounds(); lo > eps.Value()*(1+1e-9) || hi < eps.Value()*(1-1e-3) {
				t.Errorf("%s, ε = %v: smallest %v", relation, eps, pure)
			}
			for _, v := range []float64{0, 0.1, 0.5, 3} {
				at := evidence.Epsilon{}
				if v > 0 {
					at = must.Be(evidence.NewEpsilon("eps", v))
				}
				got, err := curve.Delta(ctx, at)
				if err != nil {
					t.Fatal(err)
				}
				want := 0.0
				for s := 1; s < law.States(); s++ {
					if !related(2, 2, 1, s, relation) {
						continue
					}
					sum := 0.0
					for b := range law.States() {
						sum += math.Max(0, law.Prob(b)-math.Exp(v)*law.Prob(b^s))
					}
					want = math.Max(want, sum)
				}
				if lo, hi := got.Bounds(); lo > want+1e-12 || hi < want-1e-12 || hi-lo > 1e-14 {
					t.Errorf("%s, ε = %v: δ(%v) = %v, want %v", relation, eps, v, got, want)
				}
			}
			at, err := curve.Epsilon(ctx, evidencetest.Delta(0.01))
			if err != nil {
				t.Fatal(err)
			}
			if at.Float() <= 0 || at.Float() >= pure.Float() {
				t.Errorf("%s, ε = %v: ε at 0.01 is %v", relation, eps, at)
			}
		}
	}
}
