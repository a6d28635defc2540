// Package elementary has exp and ln in float64 with proven errors, for sums of many terms
// that 256-bit intervals are too slow for. Everything is IEEE additions, products and
// quotients, and products are rounded before they are added, so the errors hold on every
// machine.
package elementary

import (
	"math"
	"sync"

	"dpworkbench/internal/interval"
)

// unit is the rounding unit of float64.
const unit = 0x1p-53

// ExpError bounds the relative error of Exp. Three numbers from tables err by a unit each,
// as do three products; of the polynomial 1 + q with |q| < 2⁻⁶·⁹ the last sum errs by a
// unit and q by less than 8 units of itself, and the rest of the series is below 2⁻⁷¹.
const ExpError = 8 * unit

// MostExp bounds the arguments of Exp on both sides.
const MostExp = 700

// LogError bounds the error of Log in units of 1 + |ln x|: see there.
const LogError = 2 * unit

// Functions are exp and ln, with the numbers of which they are composed.
type Functions struct {
	coarse [2*coarse + 1]float64 // e^{16i}
	middle [16]float64           // e^i
	fine   [64]float64           // e^{i/64}
	logs   [logs]float64         // ln(i/128)
}

const (
	coarse = 44
	logs   = 182
)

// ln2High has 32 bits, so its products with exponents are exact; ln2Low is the rest.
const (
	ln2High = 0x1.62e42feep-1
	ln2Low  = 0x1.a39ef35793c76p-33
)

// New returns the functions, whose tables are computed once, in 256-bit intervals.
var New = sync.OnceValue(func() *Functions {
	t := new(Functions)
	at := func(num, den int64) float64 { return interval.Int(num).Quo(interval.Int(den)).Exp().Mid() }
	for i := range t.coarse {
		t.coarse[i] = at(16*int64(i-coarse), 1)
	}
	for i := range t.middle {
		t.middle[i] = at(int64(i), 1)
	}
	for i := range t.fine {
		t.fine[i] = at(int64(i), 64)
	}
	for i := 1; i < logs; i++ {
		if i != 128 {
			t.logs[i] = interval.Int(int64(i)).Quo(interval.Int(128)).Log().Mid()
		}
	}
	return t
})

// Exp returns eˣ up to a relative error of ExpError, for |x| ≤ MostExp. It panics beyond.
//
// With k the integer nearest to 64x, r = x − k/64 is exact: it is a multiple of the last
// place of x or of 1/64, and at most 1/128.
func (t *Functions) Exp(x float64) float64 {
	if !(math.Abs(x) <= MostExp) {
		panic("elementary: exponent beyond 700")
	}
	k := int(math.Floor(float64(64*x) + 0.5))
	r := x - float64(k)/64
	q := float64(r*(1.0/5040)) + 1.0/720
	q = float64(q*r) + 1.0/120
	q = float64(q*r) + 1.0/24
	q = float64(q*r) + 1.0/6
	q = float64(q*r) + 0.5
	q = float64(q*r) + 1
	q = float64(q*r) + 1
	whole := k >> 6
	return t.coarse[whole>>4+coarse] * t.middle[whole&15] * t.fine[k&63] * q
}

// Log returns ln x up to LogError·(1 + |ln x|), for a positive normal x. It panics elsewhere.
//
// x = 2ᵏm with m in [√½, √2], c the multiple of 1/128 nearest to m, and r = (m − c)/c, of
// which the difference is exact and |r| < 2⁻⁷·⁴: ln x = k ln 2 + ln c + ln(1 + r). The
// series errs by 2⁻⁷⁸ and, with r, by less than 4 units of r; the table by half a unit of
// at most ln √2; the three sums by a unit of what they come to, and k·ln2Low by 2⁻⁷⁵.
func (t *Functions) Log(x float64) float64 {
	if !(x >= 0x1p-1022 && x <= math.MaxFloat64) {
		panic("elementary: logarithm of a number that is not positive and normal")
	}
	m, k := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, k = 2*m, k-1
	}
	j := int(math.Floor(128*m + 0.5))
	c := float64(j) / 128
	r := (m - c) / c
	p := float64(r*(-1.0/10)) + 1.0/9
	p = float64(p*r) - 1.0/8
	p = float64(p*r) + 1.0/7
	p = float64(p*r) - 1.0/6
	p = float64(p*r) + 1.0/5
	p = float64(p*r) - 1.0/4
	p = float64(p*r) + 1.0/3
	p = float64(p*r) - 1.0/2
	p = float64(p*r) + 1
	e := float64(k)
	return float64(e*ln2High) + (t.logs[j] + (float64(e*ln2Low) + float64(p*r)))
}
