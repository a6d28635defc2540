package certificate_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/cases"
	"dpworkbench/mvg"
)

// TestFilling checks optima of water-filling with one or more eigenvalues, including noise floors far above the
// budget.
func TestFilling(t *testing.T) { checkAll(t, fillings) }

// fillings adds certificates for water-filling.
func fillings(j *checkerCases) {
	t := j.t
	src := rand.New(rand.NewPCG(26, 4))
	random := noises{t, src}.powers
	all := func(w *mvg.Waterfilling, err error) *document {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		j.number(w.KnownLevel, nil)
		j.accepted(w.MutualInformation(), nil)
		return j.number(w.Value, nil)
	}
	for n := 1; n <= 7; n = 2*n + 1 {
		for _, decades := range cases.Of([]float64{1, 199}, []float64{1, 20, 199}) {
			e := random(n, decades)
			all(mvg.Waterfill(e, math.Pow(10, 4*src.Float64()-2), mvg.L1))
			all(mvg.Waterfill(e, math.Pow(10, decades*(src.Float64()-0.5)), mvg.L2))
			all(mvg.WaterfillWeighted(e, random(n, decades), math.Pow(10, decades*(src.Float64()-0.5))))
		}
	}
	all(mvg.Waterfill([]float64{1}, 1, mvg.L1)) // the level c is exactly 2
	all(mvg.Waterfill([]float64{1, 1, 0, 0.5}, 1, mvg.L1))
	all(mvg.Waterfill([]float64{1}, 1, mvg.L2)) // ν = 1/4
	all(mvg.Waterfill([]float64{1e-100, 1e-100}, 1e-100, mvg.L1))
	all(mvg.Waterfill([]float64{1e100, 1e-100}, 1e-100, mvg.L2))
	all(mvg.Waterfill(random(cases.Of(40, 300), 6), 10, mvg.L1))

	f := all(mvg.WaterfillWeighted([]float64{1, 2, 3}, []float64{1, 2, 1}, 1))
	j.add(f.saying("budget", "2"), "another budget")
	j.add(f.saying("norm", "l2"), "another norm")
	j.add(f.saying("number", "information"), "half the number")
	j.add(f.saying("eigenvalues", list{"1", "2", "4"}), "other eigenvalues")
	j.add(f.saying("weights", list{"1", "2", "2"}), "other weights")
	j.add(f.saying("eigenvalues", list{"0", "0", "0"}), "no signal")
	j.add(f.proving("level", list{"1/1000", "1/100"}), "a level that spends too little")
	j.add(f.proving("level", list{"10", "100"}), "a level that spends too much")
	j.add(f.proving("level", list{"0", "100"}), "no level")
	j.add(f.proving("level", list{"1/1000", "100"}), "levels that are far apart")
}
