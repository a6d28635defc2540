package sampling

import (
	"math/big"
	"math/rand/v2"
)

// fraction is a number between 0 and 1, given by its first binary digits in words of 64. The digits after them are
// undetermined: uniform and independent of the others.
type fraction struct {
	first uint64
	more  []uint64
}

func newFraction(src rand.Source) fraction { return fraction{first: src.Uint64()} }

// word returns word i, drawing undetermined words up to it.
func (f *fraction) word(i int, src rand.Source) uint64 {
	if i == 0 {
		return f.first
	}
	for len(f.more) < i {
		f.more = append(f.more, src.Uint64())
	}
	return f.more[i-1]
}

// below reports whether f < g. It draws digits until the two numbers differ.
func (f *fraction) below(g *fraction, src rand.Source) bool {
	if f.first != g.first {
		return f.first < g.first
	}
	for i := 1; ; i++ {
		if a, b := f.word(i, src), g.word(i, src); a != b {
			return a < b
		}
	}
}

// Real is a draw of a continuous variable whose digits are drawn on demand. It is not safe for concurrent use.
type Real struct {
	Negative bool
	Whole    uint64
	fraction fraction
	src      rand.Source
}

// First returns the first 64 digits after the binary point: |x| lies between Whole + First·2⁻⁶⁴ and 2⁻⁶⁴ more.
func (r *Real) First() uint64 { return r.fraction.first }

// Number returns the variable as a Number, which draws digits as it needs them.
func (r *Real) Number() Number {
	return func(bits int) (lo, hi *big.Int) {
		v := new(big.Int).SetUint64(r.Whole)
		words := max(1, (bits+63)/64)
		for i := range words {
			v.Lsh(v, 64)
			v.Or(v, new(big.Int).SetUint64(r.fraction.word(i, r.src)))
		}
		lo, hi = shrunk(v, new(big.Int).Add(v, one), 64*words-bits)
		if r.Negative {
			lo, hi = hi.Neg(hi), lo.Neg(lo)
		}
		return lo, hi
	}
}

// Draw determines the first 64·words digits after the binary point, words > 0. A Number that needs no more digits then
// draws nothing and is safe for concurrent use.
func (r *Real) Draw(words int) { r.fraction.word(words-1, r.src) }

// UniformReal draws a number between 0 and 1.
func UniformReal(src rand.Source) *Real { return &Real{fraction: newFraction(src), src: src} }

// Exponential draws a number of density e^{−x}, x > 0 (von Neumann 1951). A fraction is accepted with probability
// e^{−x}, and the integer part increases by one after each rejection, which has probability 1/e.
func Exponential(src rand.Source) *Real {
	for whole := uint64(0); ; whole++ {
		x := newFraction(src)
		if falls(&x, src, nil) {
			return &Real{Whole: whole, fraction: x, src: src}
		}
	}
}

// falls returns true with probability e^{−xp}. It draws uniform numbers as long as each is below the previous one, the
// first below x, and an independent trial of probability p succeeds. It returns whether the count n of such numbers is
// even: n or more have probability xⁿpⁿ/n!. A nil trial means p = 1.
func falls(x *fraction, src rand.Source, trial func() bool) bool {
	var least fraction
	last := x // the digits of x drawn here must be stored in x
	for even := true; ; even = !even {
		z := newFraction(src)
		if !z.below(last, src) || trial != nil && !trial() {
			return even
		}
		least = z
		last = &least
	}
}

// Normal draws a standard normal number by Karney's algorithm N ("Sampling exactly from the normal distribution",
// ACM Trans. Math. Softw. 42(1), 2016). The integer part k has weight e^{−k²/2}, from k trials of probability
// e^{−1/2} and k(k − 1) more. The fraction x is accepted with probability e^{−x(2k+x)/2}.
func Normal(src rand.Source) *Real {
	r := new(Real)
	r.normal(src)
	return r
}

// Normals draws as many standard normal numbers as dst has room for.
func Normals(dst []Real, src rand.Source) {
	for i := range dst {
		dst[i].normal(src)
	}
}

func (r *Real) normal(src rand.Source) {
	for {
		k := uint64(0)
		for rootE(src) {
			k++
		}
		if !allRootE(k, src) {
			continue
		}
		x := newFraction(src)
		if !keeps(k, &x, src) {
			continue
		}
		*r = Real{Negative: src.Uint64()&1 == 0, Whole: k, fraction: x, src: src}
		return
	}
}

// rootE returns true with probability e^{−1/2}.
func rootE(src rand.Source) bool {
	u := src.Uint64()
	if u >= 1<<63 {
		return true // the first of the falling numbers is not below 1/2
	}
	x := fraction{first: u}
	return !falls(&x, src, nil)
}

// allRootE returns true with probability e^{−k(k−1)/2}.
func allRootE(k uint64, src rand.Source) bool {
	for n := uint64(1); n < k; n++ {
		for range k {
			if !rootE(src) {
				return false
			}
		}
	}
	return true
}

// keeps returns true with probability e^{−x(2k+x)/2}. It makes k + 1 trials of probability e^{−x(2k+x)/(2k+2)}.
func keeps(k uint64, x *fraction, src rand.Source) bool {
	for range k + 1 {
		if !falls(x, src, func() bool { return ratio(k, x, src) }) {
			return false
		}
	}
	return true
}

// ratio returns true with probability (2k + x)/(2k + 2): of 2k + 2 equal parts, 2k give true, one gives true with
// probability x, and one gives false.
func ratio(k uint64, x *fraction, src rand.Source) bool {
	switch part := Uniform(src, 2*k+2); {
	case part < 2*k:
		return true
	case part > 2*k:
		return false
	}
	z := newFraction(src)
	return z.below(x, src)
}
