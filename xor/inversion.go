package xor

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"

	"dpworkbench/ehmc"
	"dpworkbench/internal/sampling"
	"dpworkbench/interval"
)

// inversion draws an outcome 0, 1, … with exactly the probability that its weight gives. It compares a uniform number
// with the cumulative distribution. The first 128 digits decide unless they are within off of a threshold. Then it
// computes weights with higher precision, and draws more digits, until it can decide. It is immutable.
type inversion struct {
	upTo ehmc.Thresholds
	off  ehmc.Threshold // bound on the error of upTo, plus 2⁻¹²⁸

	top   int64 // binary exponent of the largest weight, or one more
	guard uint
	// weights visits the weights in order, each to within a factor 1 ± 2^(guard−prec), as long as visit returns
	// true. It returns ctx's error.
	weights func(ctx context.Context, prec uint, visit func(w scaledBigFloat) bool) error
}

// newInversion returns the sampler of weights that are known to within a factor 1 ± rel, rel < 2⁻³⁰.
//
// Let u = 2⁻⁵³. AccumulateSum of n weights rounds the low word 2n times. The low word is at most (n + 2)u of the sum,
// so the relative error is 2(n + 1)²u². thresholdOf divides by the high word only. That adds an error of the size of
// the low word, at most 2(n + 3)u, and its roundings, in all 2(n + 3)(n + 7)u². Two sums and a quotient thus have an
// error of at most 8(n + 4)²u². 2⁻¹⁰⁰ covers dropped terms and digits.
func newInversion(weights []scaledDouble, top int64, rel float64) *inversion {
	var z, run interval.DoubleDouble
	for _, w := range weights {
		z.AccumulateSum(w.over(top))
	}
	n := float64(len(weights) + 4)
	l := &inversion{
		upTo: make(ehmc.Thresholds, len(weights)), top: top,
		off: fraction(0x1p-100 + 3*rel + 9*n*n*unit*unit),
	}
	for s, w := range weights {
		run.AccumulateSum(w.over(top))
		l.upTo[s] = thresholdOf(run, z)
	}
	l.upTo[len(weights)-1] = ehmc.Threshold{Hi: math.MaxUint64, Lo: math.MaxUint64}
	return l
}

// draw returns an outcome. It returns an error wrapping sampling.ErrUndecided if sampling.MostBits digits do not
// decide, and ctx's error.
func (l *inversion) draw(ctx context.Context, src rand.Source) (int, error) {
	u := ehmc.Threshold{Hi: src.Uint64(), Lo: src.Uint64()}
	if i, sure := l.upTo.At(u, l.off); sure {
		return i, nil
	}
	digits := new(big.Int).SetUint64(u.Hi)
	digits.Lsh(digits, 64).Or(digits, new(big.Int).SetUint64(u.Lo))
	for have, places := 128, 128; places <= sampling.MostBits; places *= 2 {
		for ; have < places; have += 64 {
			digits.Lsh(digits, 64).Or(digits, new(big.Int).SetUint64(src.Uint64()))
		}
		if i, sure, err := l.at(ctx, digits, places); sure || err != nil {
			return i, err
		}
	}
	return 0, fmt.Errorf("%w: a uniform number and a cumulative probability agree to 2^−%d", sampling.ErrUndecided, sampling.MostBits)
}

// at returns the outcome for a uniform number given by its first digits, an integer multiple of 2^−places. sure is
// false if these digits do not decide.
//
// Sums of weights are in units of 2^−shift of the largest weight. Rounding down costs at most one unit per term, and
// the weights have a relative error of 2^(guard−prec).
func (l *inversion) at(ctx context.Context, digits *big.Int, places int) (i int, sure bool, err error) {
	last := len(l.upTo) - 1
	prec := uint(places) + l.guard + 64
	shift := int64(places+bits.Len(uint(last))+64) - l.top
	z := new(big.Int)
	if err := l.weights(ctx, prec, func(w scaledBigFloat) bool {
		z.Add(z, w.fixed(shift))
		return true
	}); err != nil {
		return 0, false, err
	}
	off := new(big.Int).Add(z, big.NewInt(int64(last+1)))
	off.Rsh(off, prec-l.guard).Add(off, big.NewInt(int64(last+3)))

	// The uniform number is certainly below the threshold C/Z of a cumulative sum C if C ≥ above, and above it if C ≤
	// beyond.
	beyond := new(big.Int).Sub(z, off)
	beyond.Mul(beyond, digits).Rsh(beyond, uint(places)).Sub(beyond, off)
	above := new(big.Int).Add(z, off)
	above.Mul(above, new(big.Int).Add(digits, big.NewInt(1))).Rsh(above, uint(places)).Add(above, off).Add(above, big.NewInt(1))

	run := new(big.Int)
	err = l.weights(ctx, prec, func(w scaledBigFloat) bool {
		if i == last {
			sure = true
			return false
		}
		if run.Add(run, w.fixed(shift)).Cmp(beyond) <= 0 {
			i++
			return true
		}
		sure = run.Cmp(above) >= 0
		return false
	})
	return i, sure, err
}
