package sampling

import (
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"

	"dpworkbench/internal/parameter"
)

// GeometricOver draws an integer k ≥ 0 with probability e^{−rk}(1 − e^{−r}), r > 0, given the scale 1/r. It is the
// floor of the scale times an exponential variable. It returns an error wrapping ErrUndecided if the scale is not known
// precisely enough.
func GeometricOver(scale Number, src rand.Source) (*big.Int, error) {
	return Floor(Exponential(src).Number().Mul(scale))
}

// DiscreteGaussian is the law on the integers in which k has weight e^{−k²/2σ²} (Canonne, Kamath and Steinke, "The
// discrete Gaussian for differential privacy", 2020). It draws and compares integers only.
type DiscreteGaussian struct {
	num, den, t *big.Int // σ² = num/den, t = ⌊σ⌋ + 1
	small       bool
	n, d, s     uint64 // num, den and t, if intermediate results fit in 64 bits
}

// NewDiscreteGaussian returns the law with parameter σ²; its variance is near σ². It returns an error wrapping
// evidence.ErrParameter unless σ² is positive and at most 2¹⁰⁰.
func NewDiscreteGaussian(square *big.Rat) (*DiscreteGaussian, error) {
	most := new(big.Rat).SetInt(new(big.Int).Lsh(one, 100))
	if square.Sign() <= 0 || square.Cmp(most) > 0 {
		return nil, parameter.Bad("sigma²", square, "a positive number, at most 2^100")
	}
	g := &DiscreteGaussian{num: square.Num(), den: square.Denom()}
	g.t = new(big.Int).Quo(g.num, g.den)
	g.t.Add(g.t.Sqrt(g.t), one)
	// (|y|·t·den − num)² for |y| < 64t must stay below 2⁶³, and so must 2·num·den·t².
	if max(6+2*g.t.BitLen()+g.den.BitLen(), g.num.BitLen()) < 32 {
		g.small, g.n, g.d, g.s = true, g.num.Uint64(), g.den.Uint64(), g.t.Uint64()
	}
	return g, nil
}

// Draw returns an integer from the law: a discrete Laplace variable y of scale t, accepted with probability e^{−(|y| −
// σ²/t)²/2σ²}.
func (g *DiscreteGaussian) Draw(src rand.Source) *big.Int {
	if g.small {
		for {
			y := DiscreteLaplace(g.s, src)
			size := uint64(max(y, -y))
			if size >= 64*g.s {
				if g.keeps(big.NewInt(y), src) {
					return big.NewInt(y)
				}
				continue
			}
			off := int64(size*g.s*g.d) - int64(g.n)
			if expNeg(uint64(off*off), 2*g.n*g.d*g.s*g.s, src) {
				return big.NewInt(y)
			}
		}
	}
	for {
		if y := bigLaplace(g.t, src); g.keeps(y, src) {
			return y
		}
	}
}

func (g *DiscreteGaussian) keeps(y *big.Int, src rand.Source) bool {
	off := new(big.Int).Abs(y)
	off.Mul(off, g.t).Mul(off, g.den).Sub(off, g.num)
	den := new(big.Int).Mul(g.num, g.den)
	den.Mul(den, g.t).Mul(den, g.t).Lsh(den, 1)
	return bigExpNeg(off.Mul(off, off), den, src)
}

// DiscreteLaplace draws an integer y with probability proportional to e^{−|y|/t}, t > 0.
func DiscreteLaplace(t uint64, src rand.Source) int64 {
	for {
		u := Uniform(src, t)
		if !expNeg(u, t, src) {
			continue
		}
		v := uint64(0)
		for expNeg(1, 1, src) {
			v++
		}
		y := int64(u + t*v)
		if src.Uint64()&1 == 0 {
			return y
		}
		if y != 0 {
			return -y
		}
	}
}

// bigLaplace is DiscreteLaplace for numbers of any size.
func bigLaplace(t *big.Int, src rand.Source) *big.Int {
	for {
		u := uniformBelow(t, src)
		if !bigExpNeg(u, t, src) {
			continue
		}
		for expNeg(1, 1, src) {
			u.Add(u, t)
		}
		if src.Uint64()&1 == 0 {
			return u
		}
		if u.Sign() != 0 {
			return u.Neg(u)
		}
	}
}

// expNeg returns true with probability e^{−n/d}.
func expNeg(n, d uint64, src rand.Source) bool {
	for ; n > d; n -= d {
		if !expNeg(1, 1, src) {
			return false
		}
	}
	for k := uint64(1); ; k++ { // true if the first k whose trial of probability n/(dk) fails is odd
		hi, m := bits.Mul64(d, k)
		if hi != 0 {
			return bigSeries(new(big.Int).SetUint64(n), new(big.Int).SetUint64(d), k, src)
		}
		if !below(n, m, src) {
			return k&1 == 1
		}
	}
}

// bigExpNeg is expNeg for numbers of any size.
func bigExpNeg(n, d *big.Int, src rand.Source) bool {
	whole, rest := new(big.Int).QuoRem(n, d, new(big.Int))
	for ; whole.Sign() > 0; whole.Sub(whole, one) {
		if !expNeg(1, 1, src) {
			return false
		}
	}
	return bigSeries(rest, d, 1, src)
}

func bigSeries(n, d *big.Int, k uint64, src rand.Source) bool {
	for ; ; k++ {
		if uniformBelow(new(big.Int).Mul(d, new(big.Int).SetUint64(k)), src).Cmp(n) >= 0 {
			return k&1 == 1
		}
	}
}

// below returns true with probability n/m, n ≤ m. It compares the digits of a uniform number with those of n/m, one
// word at a time.
func below(n, m uint64, src rand.Source) bool {
	if n == m {
		return true
	}
	for {
		hi, lo := bits.Mul64(src.Uint64(), m)
		// With the uniform word u, the remainder n·2⁶⁴ − um is the part of u's cell that is below n/m.
		rest, borrow := bits.Sub64(0, lo, 0)
		top, under := bits.Sub64(n, hi, borrow)
		switch {
		case under != 0 || top == 0 && rest == 0:
			return false
		case top != 0 || rest >= m:
			return true
		}
		n = rest
	}
}

// uniformBelow draws an integer from 0 to n − 1.
func uniformBelow(n *big.Int, src rand.Source) *big.Int {
	last := new(big.Int).Sub(n, one)
	size := last.BitLen()
	words := make([]big.Word, 0, size/bits.UintSize+2)
	for {
		words = words[:0]
		for left := size; left > 0; left -= 64 {
			w := src.Uint64()
			if left < 64 {
				w &= 1<<left - 1
			}
			words = append(words, big.Word(w))
			if bits.UintSize == 32 {
				words = append(words, big.Word(w>>32))
			}
		}
		if v := new(big.Int).SetBits(append([]big.Word(nil), words...)); v.Cmp(n) < 0 {
			return v
		}
	}
}

// Finer is the binary logarithm of the ratio of a noise's scale to the default grid of its release, up to rounding.
const Finer = 32

// GridFor returns the default grid for noise of the given positive scale: 2^(⌊log₂ scale⌋ − 32).
func GridFor(scale *big.Rat) *big.Rat { return TwoTo(FloorLog2(scale) - Finer) }

// TwoTo returns 2^exp.
func TwoTo(exp int) *big.Rat {
	power := new(big.Int).Lsh(one, uint(max(exp, -exp)))
	if exp < 0 {
		return new(big.Rat).SetFrac(one, power)
	}
	return new(big.Rat).SetInt(power)
}

// FloorLog2 returns ⌊log₂ q⌋ for a positive q.
func FloorLog2(q *big.Rat) int {
	e := q.Num().BitLen() - q.Denom().BitLen()
	if q.Cmp(TwoTo(e)) < 0 {
		e--
	}
	return e
}

// CheckGrid returns an error wrapping evidence.ErrParameter unless grid is nil or positive.
func CheckGrid(grid *big.Rat) error {
	if grid != nil && grid.Sign() <= 0 {
		return parameter.Bad("grid", grid, "a positive number")
	}
	return nil
}

// Float returns the finite float64 nearest to q.
func Float(q *big.Rat) float64 {
	v, _ := q.Float64()
	return max(-math.MaxFloat64, min(math.MaxFloat64, v))
}

// Multiple returns the finite float64 nearest to k·grid.
func Multiple(k *big.Int, grid *big.Rat) float64 {
	v := new(big.Rat).SetInt(k)
	return Float(v.Mul(v, grid))
}
