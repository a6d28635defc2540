package privacy

import (
	"context"
	"math"
	"math/big"
	"math/bits"

	"dpworkbench/interval"
	"dpworkbench/privacy/internal/convolve"
)

// lossPMF is the law under P of a loss whose finite values are base + (first + j)·step:
// what is left of it when masses are cut off to whole multiples of 2^−prec. Mass that was cut
// off, rest, belongs to some loss, nobody knows which: an upper end counts it as an
// infinite loss, a lower end leaves it out.
type lossPMF struct {
	grid
	base         interval.Interval
	first        int64
	mass         []*big.Int // none negative
	infinityMass *big.Int   // of infinite losses
	prec         uint
}

// whole returns 2^prec.
func (l *lossPMF) oneFixed() *big.Int { return new(big.Int).Lsh(big.NewInt(1), l.prec) }

// truncated returns what was cut off, in units of 2^−prec.
func (l *lossPMF) truncated() *big.Int {
	rest := l.oneFixed()
	for _, m := range l.mass {
		rest.Sub(rest, m)
	}
	return rest.Sub(rest, l.infinityMass)
}

// lossAt encloses the loss of bucket j.
func (l *lossPMF) lossAt(j int) interval.Interval {
	k := l.first + int64(j)
	if k == 0 {
		return l.base
	}
	return l.base.Add(l.step.Mul(interval.Int(k)))
}

// floorFixed returns the largest multiple of 2^−prec that is at most the numbers of a ≥ 0.
func floorFixed(a interval.Interval, prec uint) *big.Int {
	lo := a.Lower().MidFloat(interval.Prec)
	if lo.Sign() <= 0 {
		return new(big.Int)
	}
	n, _ := new(big.Float).SetMantExp(lo, int(prec)).Int(nil)
	return n
}

// dropEmptyTails drops buckets without mass at both ends.
func (l *lossPMF) dropEmptyTails() *lossPMF {
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

// convolve returns the law of the sum of two independent losses, of buckets of one step.
func (l *lossPMF) convolve(o *lossPMF) *lossPMF {
	out := &lossPMF{grid: l.grid, base: l.base.Add(o.base), first: l.first + o.first, prec: l.prec}
	out.mass = convolve.Rows(l.mass, o.mass)
	for _, m := range out.mass {
		m.Rsh(m, l.prec)
	}
	// 1 − (1 − s)(1 − t) = s + t − st, cut off.
	st := new(big.Int).Mul(l.infinityMass, o.infinityMass)
	sum := new(big.Int).Add(l.infinityMass, o.infinityMass)
	out.infinityMass = sum.Sub(sum.Lsh(sum, l.prec), st)
	out.infinityMass.Rsh(out.infinityMass, l.prec)
	return out.dropEmptyTails()
}

// selfConvolve returns the law of the sum of n ≥ 1 independent losses.
func (l *lossPMF) selfConvolve(ctx context.Context, n int) (*lossPMF, error) {
	var out *lossPMF
	for bit := bits.Len(uint(n)) - 1; bit >= 0; bit-- {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if out != nil {
			out = out.convolve(out)
		}
		if n>>bit&1 == 1 {
			if out == nil {
				out = l
			} else {
				out = out.convolve(l)
			}
		}
	}
	return out, nil
}

// workingPrecision returns enough bits for answers to be narrow beside δ after so many uses: what is
// cut off stays below δ·2⁻⁴⁰ or so. It is such that two masses fill whole words.
func workingPrecision(delta, uses float64) uint {
	return logPrecision(math.Log2(min(max(delta, math.SmallestNonzeroFloat64), 1))*math.Ln2, uses)
}

// logPrecision is workingPrecision for ln δ.
func logPrecision(log, uses float64) uint {
	need := 60 + math.Log2(max(uses, 1)) + min(-log, maxDepth)/math.Ln2
	words := math.Ceil((2*need + 24) / bits.UintSize)
	return uint(words*bits.UintSize-24) / 2
}

// maxDepth is how small ln δ may be for more bits.
const maxDepth = 1e4
