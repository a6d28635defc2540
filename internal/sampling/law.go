package sampling

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"sort"
)

// Law is a law of finitely many outcomes 0, 1, …, given by computable weights. A draw compares a uniform number, digit
// by digit, with the cumulative distribution, which is refined as necessary. So every outcome has exactly its
// probability. A Law is safe for concurrent use if its weights are.
type Law struct {
	weights []Number
	near    thresholds // at 64 bits
}

// thresholds enclose the probabilities of an outcome of at most i, in units of 2^−bits. The last threshold is not
// needed.
type thresholds struct {
	bits   int
	lo, hi []*big.Int
	words  [][2]uint64 // lo and hi if bits = 64; all ones also stands for values from 2⁶⁴ on
}

// NewLaw returns the law of the given weights, which must be nonnegative and not all zero. It returns an error wrapping
// ErrUndecided if a weight is known only to a fixed precision, or if no weight is shown to be positive.
func NewLaw(weights ...Number) (*Law, error) {
	l := &Law{weights: weights}
	var err error
	if l.near, err = l.enclose(64); err != nil {
		return nil, err
	}
	l.near.words = make([][2]uint64, len(weights))
	for i := range weights {
		for k, v := range [2]*big.Int{l.near.lo[i], l.near.hi[i]} {
			if l.near.words[i][k] = ^uint64(0); v.IsUint64() {
				l.near.words[i][k] = v.Uint64()
			}
		}
	}
	return l, nil
}

// enclose returns the thresholds, within about 2^−bits.
func (l *Law) enclose(places int) (t thresholds, err error) {
	t = thresholds{bits: places, lo: make([]*big.Int, len(l.weights)), hi: make([]*big.Int, len(l.weights))}
	err = steps(func(bits int) (bool, error) {
		bits += places
		low, high := new(big.Int), new(big.Int)
		for i, w := range l.weights {
			a, b, err := w.enclose(bits)
			if err != nil {
				return false, fmt.Errorf("weight %d: %w", i, err)
			}
			if b.Sign() < 0 {
				return false, fmt.Errorf("%w: weight %d is negative", ErrUndecided, i)
			}
			if a.Sign() > 0 {
				low.Add(low, a)
			}
			high.Add(high, b)
			t.lo[i], t.hi[i] = new(big.Int).Set(low), new(big.Int).Set(high)
		}
		// The sum of the weights must be known with a relative error of 2^−places.
		return new(big.Int).Sub(high, low).BitLen()+places <= low.BitLen(), nil
	})
	if err != nil {
		return t, err
	}
	last := len(l.weights) - 1
	low, high := t.lo[last], t.hi[last]
	for i := range l.weights {
		// A threshold is C/W, where C is the sum of the weights up to i and W that of all. Its bounds are (C lo)/(W hi)
		// and (C hi)/(W lo), the latter rounded up.
		a := new(big.Int).Lsh(t.lo[i], uint(places))
		b := new(big.Int).Lsh(t.hi[i], uint(places))
		b.Add(b, low).Sub(b, one)
		t.lo[i], t.hi[i] = a.Quo(a, high), b.Quo(b, low)
	}
	return t, nil
}

// Draw returns an outcome. It returns an error wrapping ErrUndecided if the weights cannot be refined far enough.
func (l *Law) Draw(src rand.Source) (int, error) {
	u := src.Uint64()
	last := len(l.weights) - 1
	i := sort.Search(last, func(i int) bool { return u < l.near.words[i][1] })
	if u != ^uint64(0) && (i == last || u < l.near.words[i][0]) {
		return i, nil
	}
	return l.refine(u, src)
}

// refine draws further digits after u until they decide the outcome.
func (l *Law) refine(u uint64, src rand.Source) (int, error) {
	digits := new(big.Int).SetUint64(u)
	for places := 128; places <= mostBits; places *= 2 {
		for have := places / 2; have < places; have += 64 {
			digits.Lsh(digits, 64).Or(digits, new(big.Int).SetUint64(src.Uint64()))
		}
		t, err := l.enclose(places)
		if err != nil {
			return 0, err
		}
		last := len(l.weights) - 1
		i := sort.Search(last, func(i int) bool { return digits.Cmp(t.hi[i]) < 0 })
		if i == last || digits.Cmp(t.lo[i]) < 0 {
			return i, nil
		}
	}
	return 0, fmt.Errorf("%w to 2^−%d", ErrUndecided, mostBits)
}

// Bernoulli returns true with probability p, 0 ≤ p ≤ 1. Errors are those of [Law.Draw].
func Bernoulli(p Number, src rand.Source) (bool, error) {
	u := &Real{fraction: newFraction(src), src: src}
	return Less(u.Number(), p)
}
