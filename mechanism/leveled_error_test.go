package mechanism

import (
	"math"
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
		levels, err := NewLevels(t.Context(), q, table)
		if err != nil {
			t.Fatal(err)
		}
		unit, err := evidence.NewEpsilon("unit", u)
		if err != nil {
			t.Fatal(err)
		}
		m := NewLeveled("levels", levels, unit, evidence.Claimed{Value: 1})
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
