package records_test

import (
	"fmt"
	"math/big"
	"slices"
	"testing"

	"dpworkbench/internal/must"
	"dpworkbench/records"
)

// How far t changes move a mean of records that come and go is what all datasets within t changes say.
func TestMovesOfOpenMeans(t *testing.T) {
	for _, x := range [][]int64{{0}, {3}, {1, 2}, {0, 1, 3}, {0, 0, 3, 3, 3}, {1, 1, 2, 3, 3}} {
		q := must.For(recordsOf(t, x, 3, rat(1, 1), records.AddRemove).Mean())(t)
		near := map[string][]int64{fmt.Sprint(x): x}
		lo, hi := q.Value(), q.Value()
		for d := 1; d <= 5; d++ {
			next := map[string][]int64{}
			for _, y := range near {
				for v := range int64(4) {
					z := append(slices.Clone(y), v)
					slices.Sort(z)
					next[fmt.Sprint(z)] = z
				}
				for i := range y {
					if z := slices.Delete(slices.Clone(y), i, i+1); len(z) > 0 {
						next[fmt.Sprint(z)] = z
					}
				}
			}
			for _, y := range next {
				mean := new(big.Rat)
				for _, v := range y {
					mean.Add(mean, rat(v, int64(len(y))))
				}
				lo, hi = smallest(lo, mean), largest(hi, mean)
			}
			near = next
			up, down, err := q.Moves(d)
			if err != nil {
				t.Fatal(err)
			}
			if up.Add(up, q.Value()).Cmp(hi) != 0 || down.Sub(q.Value(), down).Cmp(lo) != 0 {
				t.Errorf("%d changes move the mean of %v to [%v, %v], want [%v, %v]", d, x, down, up, lo, hi)
			}
		}
	}
}
