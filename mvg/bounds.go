package mvg

import (
	"math"
	"slices"

	"dpworkbench/internal/elementary"
	"dpworkbench/internal/symmetric"

	"gonum.org/v1/gonum/mat"
)

// Bounds compute with float64 ends, rounded outward: for sums that are long and need few digits,
// where interval's 256 bits cost too much. What is beyond float64 has an end that is infinite or NaN,
// and so has all that is made of it.

// positiveNumber reports whether v is neither infinite, NaN, 0 nor negative.
func positiveNumber(v float64) bool { return v > 0 && v <= math.MaxFloat64 }

// point is a float64 as it is.
func point(v float64) bound { return bound{v, v} }

// nothing says that the number is 0, which no sum or product rounds.
func (a bound) nothing() bool { return a.lo == 0 && a.hi == 0 }

func (a bound) plus(b bound) bound {
	switch {
	case a.nothing():
		return b
	case b.nothing():
		return a
	}
	return bound{down(a.lo + b.lo), up(a.hi + b.hi)}
}

func (a bound) minus(b bound) bound { return a.plus(bound{-b.hi, -b.lo}) }

func (a bound) times(b bound) bound {
	if a.nothing() || b.nothing() {
		return bound{}
	}
	v, w, x, y := a.lo*b.lo, a.lo*b.hi, a.hi*b.lo, a.hi*b.hi
	return bound{down(min(v, w, x, y)), up(max(v, w, x, y))}
}

// over divides by b > 0.
func (a bound) over(b bound) bound {
	if a.nothing() && b.lo > 0 {
		return a
	}
	if !(b.lo > 0) {
		return bound{math.Inf(-1), math.Inf(1)}
	}
	v, w, x, y := a.lo/b.lo, a.lo/b.hi, a.hi/b.lo, a.hi/b.hi
	return bound{down(min(v, w, x, y)), up(max(v, w, x, y))}
}

// larger encloses the larger of two numbers.
func (a bound) larger(b bound) bound { return bound{max(a.lo, b.lo), max(a.hi, b.hi)} }

// smaller encloses the smaller of two numbers.
func (a bound) smaller(b bound) bound { return bound{min(a.lo, b.lo), min(a.hi, b.hi)} }

// log returns ln a for a > 0, no subnormal.
func (a bound) log() bound {
	if !(a.lo >= 0x1p-1000 && a.hi <= math.MaxFloat64) {
		return bound{math.NaN(), math.NaN()}
	}
	lo, hi := elementary.Log(a.lo), elementary.Log(a.hi)
	return bound{down(lo - 2*elementary.LogError*math.Abs(lo)), up(hi + 2*elementary.LogError*math.Abs(hi))}
}

// log1p returns ln(1 + a) for a ≥ 0.
func (a bound) log1p() bound {
	if a.hi > 1 {
		one := point(1)
		return one.plus(a).log()
	}
	lo, hi := elementary.Log1p(a.lo), elementary.Log1p(a.hi)
	return bound{max(0, down(lo-2*elementary.LogError*lo)), up(hi + 2*elementary.LogError*hi)}
}

// surelyPositive reports whether all symmetric matrices within the bounds, of which those on and
// above the diagonal are looked at, are proven to be positive definite: with the diagonal brought
// near 1 by powers of two, which are exact, what entries are off by is at most the diagonal of its row
// sums. Rows of 0 are left out: semi-definite will do there.
func surelyPositive(a [][]bound) bool {
	var rows []int
	for i := range a {
		if slices.ContainsFunc(a[i], func(v bound) bool { return !v.nothing() }) {
			rows = append(rows, i)
		}
	}
	m := len(rows)
	if m == 0 {
		return true
	}
	shifts, diagonal := make([]int, m), make([]float64, m)
	at := func(i, j int) bound { return a[rows[min(i, j)]][rows[max(i, j)]] }
	for i := range m {
		if diagonal[i] = at(i, i).lo; !(diagonal[i] > 0) {
			return false
		}
		_, e := math.Frexp(diagonal[i])
		shifts[i] = -(e >> 1)
	}
	h := mat.NewSymDense(m, nil)
	for i := range m {
		low := math.Ldexp(diagonal[i], 2*shifts[i])
		for j := range m {
			if j == i {
				continue
			}
			v := at(i, j)
			lo, hi := down(math.Ldexp(v.lo, shifts[i]+shifts[j])), up(math.Ldexp(v.hi, shifts[i]+shifts[j]))
			mid := lo/2 + hi/2
			low = down(low - up(max(hi-mid, mid-lo)))
			h.SetSym(i, j, mid)
		}
		h.SetSym(i, i, low)
	}
	return symmetric.Positive(h)
}
