package xor

import (
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/claims/check"
	"dpworkbench/claims/check/checktest"
	"dpworkbench/internal/looks"
	"dpworkbench/reproductions/learn"
)

func TestLedger(t *testing.T) {
	checktest.Ledger{Claims: Claims(), Sizes: sizes, Repeated: repeated, Panels: map[string]checktest.Panel{
		"xor.figure3.graph": {Head: 1, Each: 4, Family: []string{"draws"}, NonVacuous: 1, Check: wholeTwin},
	}}.Run(t)
}

func TestInterrupted(t *testing.T) { checktest.Ledger{Claims: Claims()}.Interrupted(t, looks.Blink) }

// wholeTwin draws a whole random graph, sums by the definition, and compares with the first convention.
func wholeTwin(t *testing.T, _ string, items []check.Item) bool {
	counts, graph, n := map[int]float64{}, map[int]float64{}, len(facebookDegrees())
	sum := 0
	for _, d := range facebookDegrees() {
		graph[d]++
		sum += d
	}
	rows, err := learn.RandomGraph(t.Context(), n, sum/2, rand.NewPCG(1, 2))
	if err != nil {
		t.Fatal(err)
	}
	degrees, err := learn.Degrees(rows)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range degrees {
		counts[d]++
	}
	want := 0.0
	for d, c := range counts {
		if graph[d] > 0 {
			want += c / float64(n) * math.Log(c/graph[d])
		}
	}
	lo, hi := items[0].Number.Bounds()
	near := math.Abs(want-(lo+hi)/2) <= .075 // 5 deviations
	if n != facebook.nodes || sum != 2*facebook.edges || !near {
		t.Errorf("a whole graph of %d nodes has %g, draws by nodes %v", n, want, items[0].Number)
	}
	return want > 1.5
}
