package xor

import (
	"math"

	"dpworkbench/interval"
)

// reading bounds the distance between the float64 parameters Θ and Λ and the exact parameters that they stand for.
type reading struct {
	decimals bool    // covers the shortest decimals as well as the float64s
	units    float64 // further relative error, in units of rounding
	least    float64 // further absolute error, for subnormal numbers
}

// of bounds the distance between x and the exact parameter.
func (r reading) of(x float64) float64 {
	off := r.units*unit*math.Abs(x) + r.least
	if r.decimals {
		off += misread(x)
	}
	if off > 0 {
		off = interval.Up(off * (1 + 2*unit))
	}
	return off
}

// spanning returns a reading that covers the given (number, error) pairs.
func spanning(numbers ...[2]float64) (r reading) {
	for _, n := range numbers {
		v, off := math.Abs(n[0]), n[1]
		switch {
		case off == 0:
		case v < 0x1p-900:
			r.least = math.Max(r.least, off)
		default:
			r.units = math.Max(r.units, interval.Up(interval.Up(off/v)/unit))
		}
	}
	return r
}

// exponents bounds the effect of a reading on an exponent bᵀΠb: the largest increase plus the largest decrease, from
// the sum over all entries.
func (r reading) exponents(diag []float64, rows [][]float64) float64 {
	if r == (reading{}) {
		return 0
	}
	var sum float64
	for k, d := range diag {
		sum += r.of(d)
		for _, v := range rows[k][:k] {
			sum += 2 * r.of(v)
		}
	}
	return sum * (1 + float64(len(diag)*len(diag)+1)*unit)
}

// misread bounds the difference between a float64 and its shortest decimal, half an ulp. It is 0 if they are known
// to be equal: for integers, and for multiples of 2⁻¹⁰ with at most 15 digits.
func misread(x float64) float64 {
	a := math.Abs(x)
	if x == math.Trunc(x) && a < 0x1p53 || a < 1e5 && x*1024 == math.Trunc(x*1024) {
		return 0
	}
	return math.Max(a*unit, math.SmallestNonzeroFloat64)
}

// ForDecimals returns the law of b with numbers that hold for two readings of its parameters at once: the float64s, for
// which samples are drawn, and their shortest decimals, as a person wrote them. The two differ by half an ulp, about
// 1e-16 of each entry, and enclosures widen by the sum over the entries of Π. The widening is 0 if entries are integers
// or exact binary fractions such as 0.25, and 1e-16·Σ|Π| relative otherwise.
func (b *Bernoulli) ForDecimals() *Bernoulli { return b.read(reading{decimals: true}) }

// read returns b with its reading widened by r.
func (b *Bernoulli) read(r reading) *Bernoulli {
	out := &Bernoulli{
		n: b.n, p: b.p, theta: b.theta, coupled: b.coupled, near: b.near, links: b.links, lam: b.lam,
		reading: b.reading.and(r),
	}
	if b.cols != nil {
		out.cols = b.cols.read(r)
	}
	return out
}

func (r reading) and(s reading) reading {
	return reading{r.decimals || s.decimals, r.units + s.units, r.least + s.least}
}
