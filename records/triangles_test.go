package records_test

import (
	"math/big"

	"dpworkbench/internal/must"
	"dpworkbench/records"
)

// ownMedian returns the median of numbers from 0 to 3 as a custom query. off, if not nil, makes a mutant with other
// layers.
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
