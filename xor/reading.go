package xor

import (
	"dpworkbench/interval"
	"math"
)

// reading says how far the numbers of Θ and Λ may be from those that are meant.
type reading struct {
	decimals bool    // the shortest decimals are meant as well as the float64s
	units    float64 // besides, each was rounded, by so many units of itself
	least    float64 // and by this where it fell below the normal numbers
}

// of bounds what is meant by x less x.
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

// spanning returns a reading that allows for the given numbers what each is off by.
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

// exponents bounds what the reading of a law can add to an exponent bᵀΠb, plus
// what it can take off one: the sum over all entries.
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

// misread bounds the difference between a float64 and the shortest decimal that
// stands for it, half an ulp. It is 0 where they are known to be the same number:
// whole numbers, and whole multiples of 2⁻¹⁰ that 15 digits spell out.
func misread(x float64) float64 {
	a := math.Abs(x)
	if x == math.Trunc(x) && a < 0x1p53 || a < 1e5 && x*1024 == math.Trunc(x*1024) {
		return 0
	}
	return math.Max(a*unit, math.SmallestNonzeroFloat64)
}

// ForDecimals returns the law of b whose numbers hold for two readings of its
// parameters at once: the float64s, which samples are drawn for, and their
// shortest decimals, which are what a person wrote. The two differ by half an ulp
// of each entry, 1e-16 of it, and enclosures widen by the sum of that over the
// entries of Π: by nothing where entries are whole or such as 0.25, and by
// 1e-16·Σ|Π| relative elsewhere.
func (b *Bernoulli) ForDecimals() *Bernoulli { return b.read(reading{decimals: true}) }

// read returns b with its parameters read more loosely.
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
