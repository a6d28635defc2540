package evidencetest

import (
	"math/big"

	"dpworkbench/evidence"
)

// Delta returns the δ that a float64 names. It panics where that is none.
func Delta(v float64) evidence.Delta {
	d, err := evidence.NewDelta("delta", v)
	if err != nil {
		panic(err)
	}
	return d
}

// RationalDelta returns δ = q, and 0 for nil. It panics unless 0 ≤ q < 1.
func RationalDelta(q *big.Rat) evidence.Delta {
	if q == nil {
		return evidence.Delta{}
	}
	d, err := evidence.RationalDelta("delta", q)
	if err != nil {
		panic(err)
	}
	return d
}
