package smooth

import (
	"math"
	"math/big"

	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
)

// Quantile returns float64s around the p-quantile of |Z|, the smallest t with Pr[|Z| ≤ t] ≥ p. They are adjacent
// unless an enclosure does not decide. It returns an error wrapping evidence.ErrParameter unless 0 < p < 1.
func (n Noise) Quantile(p *big.Rat) (lo, hi float64, err error) {
	if p == nil || p.Sign() <= 0 || p.Cmp(big.NewRat(1, 1)) >= 0 {
		return 0, 0, parameter.Errorf("p = %s, want 0 < p < 1", written(p))
	}
	rest := interval.Rat(new(big.Rat).Sub(big.NewRat(1, 1), p))
	if n.family == laplace {
		lo, hi := rest.Log().Neg().Bounds()
		return max(lo, 0), hi, nil
	}
	// Invariant: tail(lo) > rest > tail(hi). An undecided comparison ends the search.
	compare := func(t float64) int {
		tail := n.tailAt(interval.Float(t))
		switch {
		case rest.Less(tail):
			return 1
		case tail.Less(rest):
			return -1
		}
		return 0
	}
	at := func(k uint64) float64 { return math.Float64frombits(k) } // positive float64s in their order
	a, b := uint64(0), math.Float64bits(math.MaxFloat64)
	if compare(at(b)) >= 0 {
		return math.MaxFloat64, math.Inf(1), nil
	}
	hi = at(b)
	for b-a > 1 {
		mid := a + (b-a)/2
		switch compare(at(mid)) {
		case 1:
			a, lo = mid, at(mid)
		case -1:
			b, hi = mid, at(mid)
		default:
			return at(mid - 1), at(mid + 1), nil
		}
	}
	return lo, hi, nil
}
