package evidencetest

import "dpworkbench/evidence"

// Delta returns the δ that a float64 names. It panics where that is none.
func Delta(v float64) evidence.Delta {
	d, err := evidence.NewDelta("delta", v)
	if err != nil {
		panic(err)
	}
	return d
}
