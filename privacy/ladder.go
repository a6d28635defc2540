package privacy

import (
	"context"
	"math"
	"math/big"
	"math/bits"

	"dpworkbench/interval"
)

// ladder is the law under P of a loss whose finite values are base + (first + j)·step:
// what is left of it when masses are cut off to whole multiples of 2^−prec. Mass that was cut
// off, rest, belongs to some loss, nobody knows which: an upper end counts it as an
// infinite loss, a lower end leaves it out.
//
// Losses that lie between rungs are split between the two next to them, in the
// proportion that keeps dQ/dP on average, x. So every use multiplies x by a factor of mean 1
// that lies in an interval of ratio e^step: (1 − e^ε x)⁺ being convex in x, that
// raises every hockey-stick divergence, whatever else is composed. It is an upper bound therefore,
// and blurs says how many such factors there are, which bounds from below, see blur.
type ladder struct {
	base, step interval.Interval
	first      int64
	mass       []*big.Int // none negative
	sure       *big.Int   // of infinite losses
	prec       uint
	blurs      int
}

// whole returns 2^prec.
func (l *ladder) whole() *big.Int { return new(big.Int).Lsh(big.NewInt(1), l.prec) }

// rest returns what was cut off, in units of 2^−prec.
func (l *ladder) rest() *big.Int {
	rest := l.whole()
	for _, m := range l.mass {
		rest.Sub(rest, m)
	}
	return rest.Sub(rest, l.sure)
}

// at encloses the loss of rung j.
func (l *ladder) at(j int) interval.Interval {
	k := l.first + int64(j)
	if k == 0 {
		return l.base
	}
	return l.base.Add(l.step.Mul(interval.Int(k)))
}

// cut returns the largest multiple of 2^−prec that is at most the numbers of a ≥ 0.
func cut(a interval.Interval, prec uint) *big.Int {
	lo := a.Lower().MidFloat(interval.Prec)
	if lo.Sign() <= 0 {
		return new(big.Int)
	}
	n, _ := new(big.Float).SetMantExp(lo, int(prec)).Int(nil)
	return n
}

// trim drops rungs without mass at both ends.
func (l *ladder) trim() *ladder {
	from, to := 0, len(l.mass)
	for to > from && l.mass[to-1].Sign() == 0 {
		to--
	}
	for from < to && l.mass[from].Sign() == 0 {
		from++
	}
	l.mass, l.first = l.mass[from:to], l.first+int64(from)
	return l
}

// times returns the law of the sum of two independent losses on rungs of the same
// step.
func (l *ladder) times(o *ladder) *ladder {
	out := &ladder{base: l.base.Add(o.base), step: l.step, first: l.first + o.first, prec: l.prec, blurs: l.blurs + o.blurs}
	out.mass = convolve(l.mass, o.mass, l.prec)
	for _, m := range out.mass {
		m.Rsh(m, l.prec)
	}
	// 1 − (1 − s)(1 − t) = s + t − st, cut off.
	st := new(big.Int).Mul(l.sure, o.sure)
	sum := new(big.Int).Add(l.sure, o.sure)
	out.sure = sum.Sub(sum.Lsh(sum, l.prec), st)
	out.sure.Rsh(out.sure, l.prec)
	return out.trim()
}

// power returns the law of the sum of n ≥ 1 independent losses.
func (l *ladder) power(ctx context.Context, n int) (*ladder, error) {
	var out *ladder
	for bit := bits.Len(uint(n)) - 1; bit >= 0; bit-- {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if out != nil {
			out = out.times(out)
		}
		if n>>bit&1 == 1 {
			if out == nil {
				out = l
			} else {
				out = out.times(l)
			}
		}
	}
	return out, nil
}

// convolve returns the sums Σ_i a_i b_{j−i} of two rows of whole numbers from 0 to
// 2^prec. Each row becomes one whole number (Kronecker's substitution), so that one product does it.
func convolve(a, b []*big.Int, prec uint) []*big.Int {
	if len(a) == 0 || len(b) == 0 {
		return nil
	}
	slot := (2*int(prec) + 1 + bits.Len(uint(min(len(a), len(b)))) + bits.UintSize - 1) / bits.UintSize
	pack := func(row []*big.Int) *big.Int {
		words := make([]big.Word, slot*len(row))
		for i, m := range row {
			copy(words[i*slot:], m.Bits())
		}
		return new(big.Int).SetBits(words)
	}
	x := pack(a)
	y := x
	if len(a) != len(b) || &a[0] != &b[0] {
		y = pack(b)
	}
	words := new(big.Int).Mul(x, y).Bits()
	out := make([]*big.Int, len(a)+len(b)-1)
	for i := range out {
		from, to := min(i*slot, len(words)), min((i+1)*slot, len(words))
		out[i] = new(big.Int).SetBits(words[from:to:to])
	}
	return out
}

// places returns enough bits for answers to be narrow beside δ after so many uses: what is
// cut off stays below δ·2⁻⁴⁰ or so. It is such that two masses fill whole words.
func places(delta, uses float64) uint {
	need := 60 + math.Log2(max(uses, 1)) - math.Log2(min(max(delta, math.SmallestNonzeroFloat64), 1))
	words := math.Ceil((2*need + 24) / bits.UintSize)
	return uint(words*bits.UintSize-24) / 2
}
