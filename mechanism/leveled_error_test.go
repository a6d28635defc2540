package mechanism

import (
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/query"
)

// The error of ln p is that of the largest sum of weights, and of the deepest level.
func TestErrorOfLargestSum(t *testing.T) {
	const n = 40
	edges := make([][2]int, 0, n)
	values := make([]float64, n)
	for x := 1; x < n; x++ {
		edges = append(edges, [2]int{x - 1, x})
		values[x] = float64(x)
	}
	space, err := query.NewPathSpace(n, edges)
	if err != nil {
		t.Fatal(err)
	}
	q, err := query.NewNumeric("path", space, values, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range []float64{1e-9, .1, 3} {
		table := make([]int32, n*n)
		for i := range table {
			table[i] = int32(min(i%n, 7))
		}
		levels, err := NewLayerTable(t.Context(), q, table)
		if err != nil {
			t.Fatal(err)
		}
		unit, err := evidence.NewEpsilon("unit", u)
		if err != nil {
			t.Fatal(err)
		}
		m := NewLayered("levels", levels, unit, evidence.Claimed{Value: 1})
		var sum float64
		for r := range n {
			sum += math.Exp(-u * float64(min(r, 7)))
		}
		if got, least := m.LogError(), logError(math.Log(sum))+2*expError+n*0x1p-51+0x1p-51*7*u; !(got >= least*(1-1e-9) && got <= 1.01*least) {
			t.Errorf("unit %v: the error is %v, want %v", u, got, least)
		}
		for i, s := range m.logSum {
			if math.Abs(s-math.Log(sum)) > 1e-12 {
				t.Errorf("unit %v: ln of sum %d is %v", u, i, s)
			}
		}
	}
}

// Among the losses that the filter keeps is one that no other exceeds, however small or
// large the unit is; where all others are far below, it is kept alone.
func TestFilterKeepsLargestLoss(t *testing.T) {
	rng := rand.New(rand.NewPCG(61, 5))
	alone := 0
	for trial := range 400 {
		n := 3 + rng.IntN(4)
		edges, values := make([][2]int, 0, n), make([]float64, n)
		for x := 1; x < n; x++ {
			edges = append(edges, [2]int{rng.IntN(x), x})
			values[x] = float64(x)
		}
		space, err := query.NewPathSpace(n, edges)
		if err != nil {
			t.Fatal(err)
		}
		q, err := query.NewNumeric("path", space, values, nil)
		if err != nil {
			t.Fatal(err)
		}
		spread := []int{3, 3, 40, 1 << 29}[trial%4]
		table := make([]int32, n*n)
		for i := range table {
			table[i] = int32(rng.IntN(spread))
		}
		levels, err := NewLayerTable(t.Context(), q, table)
		if err != nil {
			t.Fatal(err)
		}
		unit, err := evidence.NewEpsilon("unit", []float64{1e-300, 1e-25, 1e-11, 1e-6, .1, 1, 3, 700, 1e9, 1e300}[rng.IntN(10)])
		if err != nil {
			t.Fatal(err)
		}
		m := NewLayered("levels", levels, unit, evidence.Claimed{Value: 1})
		near, infinite, err := m.candidateLosses(t.Context())
		if err != nil || infinite {
			t.Fatalf("infinite: %v, error %v", infinite, err)
		}
		inside, outside, all := math.Inf(-1), math.Inf(-1), 0
		seen := map[layerLoss]bool{}
		offer := func(l layerLoss) {
			if seen[l] {
				return
			}
			seen[l] = true
			all++
			// In units, so that nothing underflows.
			v, _ := m.encloseLoss(l).Quo(unit.Enclosure()).Bounds()
			if near[l] {
				inside = max(inside, v)
			} else {
				outside = max(outside, v)
			}
		}
		if _, err := eachEdge(t.Context(), levels, func(*int) func(edge) { return func(e edge) { m.losses(e, offer) } }); err != nil {
			t.Fatal(err)
		}
		if outside > inside {
			t.Errorf("unit %v, levels %v: a loss of %v units is left out, the largest kept is %v", unit, table, outside, inside)
		}
		if len(near) == 1 && all > 1 {
			alone++
		}
		if len(near) == all && all > 2 && spread > 3 && unit.Value() > 1e-9 {
			t.Errorf("unit %v, levels %v: all %d losses are kept", unit, table, all)
		}
	}
	if alone < 100 {
		t.Errorf("in %d of 400 cases one loss is kept", alone)
	}
}
