package records_test

import (
	"context"
	"math/big"
	"testing"

	"dpworkbench/internal/must"
	"dpworkbench/records"
)

// ownMedian is the median by functions, of numbers from 0 to 3, with its layers off by what a mutant says.
func ownMedian(off func(x []float64, r, layer int) int) *records.CustomQuery {
	layer := func(x []float64, r int) int {
		m := (len(x) + 1) / 2
		f := int(x[m-1])
		t := 0
		for ; ; t++ {
			lo, hi := 0, 3
			if m-t >= 1 {
				lo = int(x[m-t-1])
			}
			if m+t <= len(x) {
				hi = int(x[m+t-1])
			}
			if t == 0 && r == f || t > 0 && lo <= r && r <= hi {
				return t
			}
		}
	}
	return must.Be(records.NewCustomQuery(records.CustomQuery{
		Value: func(x records.Dataset) (*big.Rat, error) {
			return rat(int64(x.Records[(len(x.Records)+1)/2-1]), 1), nil
		},
		Distance: func(x records.Dataset, r *big.Rat) (int, error) {
			v := int(r.Num().Int64())
			return off(x.Records, v, layer(x.Records, v)), nil
		},
	}))
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Triangles' closed form for many changes agrees with adding up change by change.
func TestManyChanges(t *testing.T) {
	g := triangle(records.Edge)
	q := must.For(g.Triangles(context.Background()))(t)
	full := false
	for k := 1; k < 40; k++ {
		up, down, err := q.Moves(k)
		if err != nil || up.Cmp(rat(3, 1)) > 0 || down.Cmp(rat(1, 1)) > 0 {
			t.Fatalf("%d changes move one triangle of four nodes by %v and %v, %v", k, up, down, err)
		}
		full = up.Cmp(rat(3, 1)) == 0 && down.Cmp(rat(1, 1)) == 0
	}
	if !full {
		t.Error("40 changes do not reach all graphs of four nodes")
	}
}
