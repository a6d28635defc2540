package mvg

import (
	"math"
	"math/big"

	"dpworkbench/internal/sampling"
	"dpworkbench/internal/wideint"
)

// A grid is the set of integer multiples of a positive rational step. A release rounds the real number f(X) + Z to
// it, halves upwards. That is post-processing, so it has the privacy of Z.
type grid struct {
	step *big.Rat
	exp  int // step = 2^exp if even
	even bool
}

// newGrid returns the grid with the given step, or with preset if step is nil. It returns an error wrapping
// evidence.ErrParameter unless the step is positive.
func newGrid(step, preset *big.Rat) (grid, error) {
	if step == nil {
		step = preset
	}
	if err := sampling.CheckGrid(step); err != nil {
		return grid{}, err
	}
	g := grid{step: new(big.Rat).Set(step)}
	n, d := g.step.Num(), g.step.Denom()
	g.exp = n.BitLen() - d.BitLen()
	g.even = int(n.TrailingZeroBits()) == n.BitLen()-1 && int(d.TrailingZeroBits()) == d.BitLen()-1
	return g, nil
}

// rational returns v exactly.
func rational(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }

// integral returns integers m and exp with v = m·2^exp.
func integral(v float64) (m int64, exp int) {
	f, e := math.Frexp(v)
	return int64(f * 0x1p53), e - 53
}

// place returns ⌊(x/step + ½)·2⁶⁴⌋. ok is false if that may be 2¹²⁶ or more in size.
func (g grid) place(x float64) (p wideint.Int128, ok bool) {
	m, e := integral(x)
	if !g.even {
		v := new(big.Int).Mul(big.NewInt(m), g.step.Denom())
		w := new(big.Int).Set(g.step.Num())
		if e += 64; e >= 0 {
			v.Lsh(v, uint(e))
		} else {
			w.Lsh(w, uint(-e))
		}
		v.Div(v, w)
		v.Add(v, new(big.Int).Lsh(big.NewInt(1), 63))
		if v.BitLen() > 126 {
			return wideint.Int128{}, false
		}
		return wideint.Of(v), true
	}
	switch shift := e - g.exp + 64; {
	case m == 0:
	case shift > 72:
		return wideint.Int128{}, false
	case shift >= 64:
		p = wideint.Int128{Hi: m << (shift - 64)}
	case shift > 0:
		p = wideint.Int128{Hi: m >> (64 - shift), Lo: uint64(m) << shift}
	default:
		m >>= min(-shift, 63)
		p = wideint.Int128{Hi: m >> 63, Lo: uint64(m)}
	}
	return p.Add(wideint.Int128{Lo: 1 << 63}), true
}

// value returns the float64 nearest to k steps, or ±math.MaxFloat64 beyond its range.
func (g grid) value(k *big.Int) float64 {
	if g.even && k.IsInt64() {
		return g.short(k.Int64())
	}
	return sampling.Multiple(k, g.step)
}

// short returns value(k) for a 64-bit k. If step is a power of two, it rounds k and scales the result.
func (g grid) short(k int64) float64 {
	if !g.even || g.exp < -1022 {
		return sampling.Multiple(big.NewInt(k), g.step)
	}
	return math.Max(-math.MaxFloat64, math.Min(math.MaxFloat64, math.Ldexp(float64(k), g.exp)))
}

// snap returns ⌊(x + y'·2^exp)/step + ½⌋ if it is the same for all y' within off of y; ok reports that.
func (g grid) snap(x float64, y, off *big.Int, exp int) (k *big.Int, ok bool) {
	m, e := integral(x)
	if m == 0 {
		e = exp
	}
	low := min(e, exp)
	start := new(big.Int).Lsh(big.NewInt(m), uint(e-low))
	floor := func(v *big.Int) *big.Int { // ⌊v·2^low/step + ½⌋ = ⌊(2v·2^low·den + num)/2num⌋
		v.Lsh(v, uint(exp-low)).Add(v, start).Mul(v, g.step.Denom()).Lsh(v, 1)
		num := new(big.Int).Lsh(g.step.Num(), uint(max(0, -low)))
		v.Lsh(v, uint(max(0, low))).Add(v, num)
		return v.Div(v, num.Lsh(num, 1))
	}
	k = floor(new(big.Int).Sub(y, off))
	return k, k.Cmp(floor(new(big.Int).Add(y, off))) == 0
}
