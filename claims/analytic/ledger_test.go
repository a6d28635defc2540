package analytic_test

import (
	"math"
	"testing"

	"dpworkbench/claims/analytic"
	"dpworkbench/claims/check"
	"dpworkbench/claims/check/checktest"
	"dpworkbench/internal/ctxtest"
)

// panels describes the evidence of the claims whose checks compute numbers and search for no counterexample.
var panels = map[string]checktest.Panel{
	"analytic.figure1.neighborhood": {Each: 1, NonVacuous: 7, Family: func() (out []string) {
		for _, order := range []string{"sparsest", "densest", "fewest triangles"} {
			for _, e := range []string{"0.5", "1", "2", "3", "4"} {
				out = append(out, order+" ε = "+e)
			}
		}
		return out
	}(), Check: func(t *testing.T, instance string, items []check.Item) bool {
		share := items[0].Number.Float()
		if graphs := 100 * share; math.Abs(graphs-math.Round(graphs)) > 1e-9 {
			t.Errorf("%s: %v of a hundred graphs", instance, graphs)
		}
		return share > 0 && share < 1
	}},
}

func TestLedger(t *testing.T) {
	checktest.Ledger{Claims: analytic.Claims(), Sizes: analytic.Sizes, Repeated: analytic.Repeated, Panels: panels}.Run(t)
}

func TestInterrupted(t *testing.T) {
	checktest.Ledger{Claims: analytic.Claims()}.Interrupted(t, ctxtest.CancelAfter)
}
