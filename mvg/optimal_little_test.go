package mvg_test

import (
	"math"
	"testing"

	"dpworkbench/evidence/evidencetest"
	"dpworkbench/mvg"
	"dpworkbench/query"

	"gonum.org/v1/gonum/mat"
)

// Where a signal is weak its information is in proportion to it, and so are both ends of the
// optimum, however weak it is.
func TestLittleInformation(t *testing.T) {
	a := mat.NewDense(3, 3, []float64{1, 2.5, 0.3, -0.5, 1, 0.4, 0.3, 0.2, 1.5})
	b := mat.NewDense(3, 3, []float64{-1, 0.7, 2, 2, 0.1, 0.5, 0.4, 1.1, -0.6})
	c := mat.NewDense(3, 3, []float64{0.2, -1, 1, 0.8, 0.9, -1.3, 1.2, -0.3, 0.1})
	list := must[mvg.Differences](t)(mvg.NewDifferences([]*mat.Dense{a, b, c}))
	box := must[mvg.Box](t)(mvg.NewBox(3, []float64{1, 2, 0.5}))
	gram := must[mvg.Gram](t)(mvg.NewGram(3, 1, query.Replace, 1))
	w := rotation(3, 5)
	for _, c := range []struct {
		name   string
		s      mvg.Sensitivity
		recipe mvg.Recipe
	}{
		{"list", list, mvg.Recipe{Directions: w}},
		{"list, free axes", list, mvg.Recipe{Directions: w, FreeAxes: true}},
		{"list, any Ψ", list, mvg.Recipe{Mode: mvg.Bimodal}},
		{"box in its axes", box, mvg.Recipe{}},
		{"box", box, mvg.Recipe{Directions: w}},
		{"box, free axes", box, mvg.Recipe{Directions: w, FreeAxes: true}},
		{"gram", gram, mvg.Recipe{Mode: mvg.Equimodal}},
		{"gram, any Ψ", gram, mvg.Recipe{Mode: mvg.Bimodal}},
	} {
		c.recipe.Epsilon, c.recipe.Delta = one, evidencetest.Delta(1e-5)
		ends := func(k float64) (lo, hi float64) {
			goal := mvg.Goal{Objective: mvg.MostInformation, Weights: []float64{k, 2 * k, 3 * k}}
			o := must[*mvg.Optimum](t)(mvg.Optimal(ctx, c.s, goal, c.recipe))
			return o.Value.Lo / k, o.Value.Hi / k
		}
		apart := 1e-6
		if c.recipe.Mode == mvg.Equimodal {
			apart = 1e-3 // regions are left where their bounds are so close
		}
		lo, hi := ends(1e-8) // with 1e-8 or so of curvature
		for _, k := range []float64{1e-12, 1e-16, 1e-20, 1e-25, 1e-30} {
			if l, h := ends(k); math.Abs(l-lo) > 1e-6*lo || math.Abs(h-hi) > apart*hi {
				t.Errorf("%s, a signal of %g: optimum in [%v, %v] of it, at 1e-8 in [%v, %v]", c.name, k, l, h, lo, hi)
			}
		}
	}
}
