package xor_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"dpworkbench/claims/check"
	"dpworkbench/claims/check/checktest"
	"dpworkbench/claims/xor"
	"dpworkbench/internal/ctxtest"
	"dpworkbench/reproductions/learn"
)

func TestLedger(t *testing.T) {
	checktest.Ledger{Claims: xor.Claims(), Sizes: sizes, Repeated: repeated, Panels: map[string]checktest.Panel{
		"xor.figure3.graph": {Head: 1, Each: 4, Family: []string{"draws"}, NonVacuous: 1, Check: wholeTwin},
		"xor.figure3.d":     {Head: 1, Each: 4, Family: []string{"draws"}, NonVacuous: 1, Check: wholeRelease},
	}}.Run(t)
}

func TestInterrupted(t *testing.T) {
	checktest.Ledger{Claims: xor.Claims()}.Interrupted(t, ctxtest.CancelOnce)
}

// facebookDegrees returns the degrees of the Facebook graph, from a file of "degree:count".
func facebookDegrees(t *testing.T) (out []int) {
	t.Helper()
	file, err := os.ReadFile("facebook_degrees.txt")
	if err != nil {
		t.Fatal(err)
	}
	for field := range strings.FieldsSeq(string(file)) {
		var degree, count int
		if _, err := fmt.Sscanf(field, "%d:%d", &degree, &count); err != nil {
			t.Fatal(err)
		}
		out = append(out, slices.Repeat([]int{degree}, count)...)
	}
	return out
}

// wholeTwin draws a whole random graph, sums the divergence by its definition, and compares it with the first
// convention.
func wholeTwin(t *testing.T, _ string, items []check.Item) bool {
	facebook := facebookDegrees(t)
	counts, graph, n := map[int]float64{}, map[int]float64{}, len(facebook)
	sum := 0
	for _, d := range facebook {
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
	if n != 4039 || sum != 2*88234 || !near {
		t.Errorf("a complete graph of %d nodes gives %g, and draws by nodes %v", n, want, items[0].Number)
	}
	return want > 1.5
}

// wholeRelease draws every bit of the released degrees and of their twin, sums the divergence by its definition, and
// compares it with the first convention.
func wholeRelease(t *testing.T, _ string, items []check.Item) bool {
	facebook := facebookDegrees(t)
	src, n, flip := rand.New(rand.NewPCG(3, 4)), len(facebook), 1/(1+math.Exp(.01))
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
	released, sum := count(facebook, (1-flip)*(1-flip), flip*flip)
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
