package xor

import (
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/claims/check"
	"dpworkbench/claims/check/checktest"
	"dpworkbench/internal/ctxtest"
	"dpworkbench/reproductions/learn"
)

func TestLedger(t *testing.T) {
	checktest.Ledger{Claims: Claims(), Sizes: sizes, Repeated: repeated, Panels: map[string]checktest.Panel{
		"xor.figure3.graph": {Head: 1, Each: 4, Family: []string{"draws"}, NonVacuous: 1, Check: wholeTwin},
		"xor.figure3.d":     {Head: 1, Each: 4, Family: []string{"draws"}, NonVacuous: 1, Check: wholeRelease},
	}}.Run(t)
}

func TestInterrupted(t *testing.T) {
	checktest.Ledger{Claims: Claims()}.Interrupted(t, ctxtest.CancelOnce)
}

// wholeTwin draws a complete random graph, sums by definition, and compares with the first convention.
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
	near := math.Abs(want-(lo+hi)/2) <= .075 // 5 standard deviations
	if n != facebook.nodes || sum != 2*facebook.edges || !near {
		t.Errorf("a complete graph of %d nodes gives %g, and draws by nodes %v", n, want, items[0].Number)
	}
	return want > 1.5
}

// wholeRelease draws every bit of the released degrees and of their twin, sums by definition, and compares with the
// first convention.
func wholeRelease(t *testing.T, _ string, items []check.Item) bool {
	src, n, flip := rand.New(rand.NewPCG(3, 4)), len(facebookDegrees()), 1/(1+math.Exp(.01))
	count := func(degrees []int, kept, added float64) (out map[int]float64, sum int) {
		out = make(map[int]float64)
		for _, d := range degrees {
			k := 0
			for other := range n - 1 {
				chance := added
				if other < d {
					chance = kept
				}
				if src.Float64() < chance {
					k++
				}
			}
			out[k], sum = out[k]+1, sum+k
		}
		return out, sum
	}
	released, sum := count(facebookDegrees(), (1-flip)*(1-flip), flip*flip)
	share := float64(sum) / float64(n*(n-1))
	twin, _ := count(make([]int, n), share, share)
	want := 0.0
	for d, c := range twin {
		if released[d] > 0 {
			want += c / float64(n) * math.Log(c/released[d])
		}
	}
	lo, hi := items[0].Number.Bounds()
	if math.Abs(want-(lo+hi)/2) > .025 { // 5 standard deviations
		t.Errorf("the divergence is %g bit by bit, and %v node by node", want, items[0].Number)
	}
	return true
}
