package workload_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/cases"
	"dpworkbench/internal/must"
	"dpworkbench/workload"

	"gonum.org/v1/gonum/mat"
)

func TestLeastErrorUnderParticipation(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 58))
	unit := mat.NewDense(1, 1, []float64{1})
	square := mat.NewDense(6, 6, nil)
	square.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, square)
	wide := mat.DenseCopyOf(square.Slice(0, 4, 0, 6))
	for _, c := range []struct {
		w    workload.Workload
		p    workload.Participation
		gap  float64
		mean float64 // known mean error, or 0
	}{
		// The mean error is from an independent computation.
		{must.Be(workload.PrefixSums(4)), fixed(2, 2), 1e-7, 1.91015542},
		{must.Be(workload.PrefixSums(12)), fixed(3, 4), 1e-7, 0},
		{must.Be(workload.PrefixSums(11)), fixed(3, 4), 1e-7, 0},
		// A person participates in all steps, so only one pattern is possible.
		{must.Be(workload.PrefixSums(5)), fixed(5, 1), 2e-7, 0},
		{must.Be(workload.NewMatrix("square", square)), fixed(2, 3), 2e-7, 0},
		{must.Be(workload.NewMatrix("wide", wide)), fixed(3, 2), 1e-5, 0},
		// In the following cases patterns share steps.
		{must.Be(workload.PrefixSums(9)), fixed(2, 3), 1e-7, 0},
		{must.Be(workload.PrefixSums(13)), fixed(3, 4), 1e-7, 0},
		{must.Be(workload.NewMatrix("square", square)), fixed(2, 2), 2e-7, 0},
		{must.Be(workload.NewMatrix("wide", wide)), fixed(2, 2), 1e-5, 0},
		{must.Be(workload.PrefixSums(8)), scalar(fixed(4, 2)), 1e-6, 0},
		{must.Be(workload.PrefixSums(7)), scalar(fixed(3, 2)), 1e-6, 0},
		{must.Be(workload.PrefixSums(6)), apart(2, 3), .2, 0},
	} {
		for _, o := range []workload.Objective{workload.Max, workload.Mean} {
			best := leastError(t, c.w, o, c.p)
			e := best.Error
			if !(e.Lo > 0 && e.Lo <= e.Hi && e.Hi <= e.Lo*(1+c.gap)) {
				t.Errorf("%s, %v, %v: [%v, %v], relative gap %.2g", c.w.Name(), c.p, o, e.Lo, e.Hi, e.Hi/e.Lo-1)
			}
			if o == workload.Mean && c.mean > 0 && !(e.Lo < c.mean+5e-9 && e.Hi > c.mean-5e-9) {
				t.Errorf("%s, %v, %v: [%v, %v], want %v", c.w.Name(), c.p, o, e.Lo, e.Hi, c.mean)
			}
			if reach := bruteForce(best.C, c.p, rng); reach > 1+1e-12 && !c.p.Scalar {
				t.Errorf("%s, %v, %v: C has sensitivity %v", c.w.Name(), c.p, o, reach)
			}
			// No strategy near the best has an error below the lower bound.
			d := must.Be(c.w.Dense())
			for range 30 {
				x := mat.DenseCopyOf(best.C)
				size := math.Exp(-10 * rng.Float64())
				x.Apply(func(_, _ int, v float64) float64 { return v + size*rng.NormFloat64() }, x)
				var b, product mat.Dense
				if b.Solve(x.T(), d.T()) != nil {
					continue
				}
				product.Mul(b.T(), x)
				if !mat.EqualApprox(&product, d, 1e-8) {
					continue
				}
				s, _, err := workload.Sensitivity(context.Background(), x, c.p)
				if err != nil {
					t.Fatal(err)
				}
				if got := errorOf(mat.DenseCopyOf(b.T()), unit, o) * s.Hi; got < e.Lo*(1-1e-9) {
					t.Errorf("%s, %v, %v: a strategy has error %v, below %v", c.w.Name(), c.p, o, got, e.Lo)
				}
			}
		}
	}
}

// Each of the nine patterns of 16 consecutive steps shares 15 steps with the next, and has 120 weights. A search by
// Newton steps in all weights together gave the enclosure 13.6970434 to 13.6970444.
func TestLeastErrorOfLongPatterns(t *testing.T) {
	e := leastError(t, must.Be(workload.PrefixSums(24)), workload.Mean, fixed(16, 1)).Error
	if !(e.Lo <= 13.697044 && e.Hi >= 13.697044 && e.Hi <= e.Lo*(1+2e-7)) {
		t.Errorf("the least error is in [%v, %v], want 13.697044", e.Lo, e.Hi)
	}
	n := cases.Of(48, 128) // two patterns with up to 2,016 pairs each
	for _, o := range cases.Of([]workload.Objective{workload.Max}, []workload.Objective{workload.Max, workload.Mean}) {
		if e := leastError(t, must.Be(workload.PrefixSums(n)), o, fixed(n/2, 2)).Error; !(e.Hi <= e.Lo*(1+1e-6)) {
			t.Errorf("%v: [%v, %v], want a relative width of at most 1e-6", o, e.Lo, e.Hi)
		}
	}
}
