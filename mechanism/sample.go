package mechanism

import (
	"math"
	"math/rand/v2"
)

// Sample draws n values at dataset x, as places in the range, by inversion of
// the float64 law. It is for research: a release needs a cryptographic source.
// It panics where m's query has no dataset x, as an index does.
func Sample(m Mechanism, x, n int, src rand.Source) []int {
	size := len(m.Query().Range())
	cumulative := make([]float64, size)
	sum := 0.0
	for r := range size {
		sum += math.Exp(m.LogProb(x, r))
		cumulative[r] = sum
	}
	rng := rand.New(src)
	out := make([]int, n)
	for i := range out {
		u := rng.Float64() * sum
		lo, hi := 0, size-1
		for lo < hi { // first r with cumulative > u
			if mid := (lo + hi) / 2; cumulative[mid] > u {
				hi = mid
			} else {
				lo = mid + 1
			}
		}
		out[i] = lo
	}
	return out
}
