package privacy

import (
	"context"
	"math"
	"math/big"
	"math/bits"

	"dpworkbench/interval"
	"dpworkbench/privacy/internal/convolve"
)

// lossPMF is the distribution under P of a loss with finite values base + (first + j)·step, with masses rounded down to
// multiples of 2^−prec. The truncated mass belongs to unknown losses: an upper bound counts it as infinite losses, and
// a lower bound omits it.
type lossPMF struct {
	grid
	base         interval.Interval
	first        int64
	mass         []*big.Int // nonnegative
	infinityMass *big.Int   // mass of infinite losses
	prec         uint
}

// oneFixed returns 2^prec.
func (l *lossPMF) oneFixed() *big.Int { return new(big.Int).Lsh(big.NewInt(1), l.prec) }

// truncated returns the truncated mass in units of 2^−prec.
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

// floorFixed returns the lower end of a ≥ 0 in units of 2^−prec, rounded down.
func floorFixed(a interval.Interval, prec uint) *big.Int {
	lo := a.Lower().MidFloat(interval.Prec)
	if lo.Sign() <= 0 {
		return new(big.Int)
	}
	n, _ := new(big.Float).SetMantExp(lo, int(prec)).Int(nil)
	return n
}

// dropEmptyTails removes empty buckets at both ends.
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

// convolve returns the distribution of the sum of two independent losses with the same step.
func (l *lossPMF) convolve(o *lossPMF) *lossPMF {
	out := &lossPMF{grid: l.grid, base: l.base.Add(o.base), first: l.first + o.first, prec: l.prec}
	out.mass = convolve.Rows(l.mass, o.mass)
	for _, m := range out.mass {
		m.Rsh(m, l.prec)
	}
	// The infinity mass is 1 − (1 − s)(1 − t) = s + t − st, rounded down.
	st := new(big.Int).Mul(l.infinityMass, o.infinityMass)
	sum := new(big.Int).Add(l.infinityMass, o.infinityMass)
	out.infinityMass = sum.Sub(sum.Lsh(sum, l.prec), st)
	out.infinityMass.Rsh(out.infinityMass, l.prec)
	return out.dropEmptyTails()
}

// selfConvolve returns the distribution of the sum of n ≥ 1 independent losses.
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

// workingPrecision returns a number of bits with which the truncated mass after the given number of uses stays below
// about δ·2⁻⁴⁰. It is chosen such that the product of two masses fills an integer number of words.
func workingPrecision(delta, uses float64) uint {
	return logPrecision(math.Log2(min(max(delta, math.SmallestNonzeroFloat64), 1))*math.Ln2, uses)
}

// logPrecision returns workingPrecision for a δ given by its logarithm.
func logPrecision(log, uses float64) uint {
	need := 60 + math.Log2(max(uses, 1)) + min(-log, maxDepth)/math.Ln2
	words := math.Ceil((2*need + 24) / bits.UintSize)
	return uint(words*bits.UintSize-24) / 2
}

// maxDepth is the largest −ln δ up to which the precision increases.
const maxDepth = 1e4
