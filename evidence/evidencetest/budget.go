package evidencetest

import (
	"math/big"

	"dpworkbench/evidence"
)

// Delta returns the shortest decimal of v as δ. It panics unless 0 ≤ v < 1.
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

// Epsilon returns ε = v, also for v = 0. It panics if v is negative, infinite or NaN.
func Epsilon(v float64) evidence.Epsilon {
	if v == 0 {
		return evidence.Epsilon{}
	}
	e, err := evidence.NewEpsilon("eps", v)
	if err != nil {
		panic(err)
	}
	return e
}

// LogEpsilon returns ε = ln(num/den). It panics unless num > den > 0.
func LogEpsilon(num, den int64) evidence.Epsilon {
	e, err := evidence.LogEpsilon("eps", big.NewRat(num, den))
	if err != nil {
		panic(err)
	}
	return e
}
