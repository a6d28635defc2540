package pld_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/must"
	"dpworkbench/privacy/internal/pld"
)

// If atoms lie close to grid points and far from each other, the optimistic discretization keeps nearly all of their
// mean. No divergence increases.
func TestOptimisticKeepsMean(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 54))
	for round := range 40 {
		const step = 0x1p-8
		apart, off := float64(2+rng.IntN(6)), []float64{1e-3, 0.05, 0.3}[round%3]
		l := &pld.List{}
		mean, slope := 0.0, 2*rng.Float64()-1
		for i := range 60 {
			d := off * (2*rng.Float64() - 1)
			if round%2 == 0 { // points above, then points below, as in cells of a density
				d = off * (1 - float64(i)/30)
			}
			if i == 59 { // the last atom has no next atom that could raise it
				d = 0
			}
			l.Loss = append(l.Loss, step*(float64(i-20)*apart+d))
			l.Log = append(l.Log, -math.Log(60)-1+slope*float64(i-30)/30)
			mean += math.Exp(l.Log[i]) * l.Loss[i]
		}
		law := must.Be(l.Optimistic(t.Context(), step, 0, 1, 50))
		got := 0.0
		at := func(j int) float64 { return float64(law.First+int64(j))*law.Step + law.Offset }
		for j, log := range law.Log {
			got += math.Exp(log) * at(j)
		}
		if round%2 == 0 && off < 0.1 && mean-got > 0.1*off*step {
			t.Errorf("round %d: the mean falls by %g steps", round, (mean-got)/step)
		}
		for eps := l.Loss[0] - step; eps < l.Loss[59]; eps += 0.17 * step {
			delta := 0.0
			for j, log := range law.Log {
				delta += math.Exp(log) * max(-math.Expm1(eps-at(j)), 0)
			}
			if _, most, _ := l.Delta(eps); delta > most+1e-14 {
				t.Fatalf("round %d: δ(%g) = %g, and that of the list is %g", round, eps, delta, most)
			}
		}
	}
}

// Losses so large that float64 cannot distinguish them from points of the grid are rejected. Laws of other losses stay
// below the list.
func TestOptimisticWithHugeLosses(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 2))
	refused := 0
	for range 200 {
		x := 1e30 * (1 + rng.Float64())
		l := &pld.List{Loss: []float64{x * (1 - 0x1p-30), x}, Log: []float64{-1, -1}}
		law, err := l.Optimistic(t.Context(), x*math.Exp2(-44-6*rng.Float64()), 0, 1/x, 50)
		if err == pld.ErrTooFine {
			refused++
			continue
		}
		if top := float64(law.First+int64(len(law.Log)-1))*law.Step + law.Offset; err != nil || top > x {
			t.Fatalf("the largest loss %g is %g, %v", x, top, err)
		}
	}
	if refused < 50 || refused > 150 {
		t.Errorf("%d of 200 are refused", refused)
	}
}
