package definite

import (
	"dpworkbench/interval"
	"math"
)

// unit is the rounding unit of float64.
const unit = interval.Unit

// norm returns the Frobenius norm of some entries.
func norm(v []float64) float64 {
	s := 0.0
	for _, x := range v {
		s += x * x
	}
	return math.Sqrt(s)
}
