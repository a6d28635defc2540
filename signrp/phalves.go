package signrp

import (
	"context"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/internal/wideint"
)

// bigWhole is an integer of any size.
type bigWhole struct{ *big.Int }

// Add returns a + b.
func (a bigWhole) Add(b bigWhole) bigWhole { return bigWhole{new(big.Int).Add(a.Int, b.Int)} }

// Less reports whether a < b.
func (a bigWhole) Less(b bigWhole) bool { return a.Cmp(b.Int) < 0 }

// summand is a nonnegative integer type.
type summand[T any] interface {
	Add(T) T
	Less(T) bool
}

// longCoords bounds the number of coordinates if sums need more than 126 bits.
const longCoords = 32

// exactByHalves counts the sign patterns with |Σ ±n_i| ≤ limit by meeting in the middle. Let A and B be the sums of the
// positive terms of the two halves, and T = Σ n_i. The patterns are those with (T − limit)/2 ≤ A + B ≤ (T + limit)/2.
// The sums of both halves are sorted and swept against each other. ok is false if T needs more than 126 bits and there
// are more than longCoords coordinates.
func exactByHalves(ctx context.Context, sizes []*big.Int, limit *big.Int) (n evidence.Number, ok bool, err error) {
	total := new(big.Int)
	for _, n := range sizes {
		total.Add(total, n)
	}
	low := new(big.Int).Sub(total, limit) // ⌈(T − limit)/2⌉
	low.Add(low, big.NewInt(1)).Rsh(low, 1)
	high := new(big.Int).Add(total, limit)
	high.Rsh(high, 1)
	var inside uint64
	switch {
	case total.BitLen() <= 126:
		inside, err = countBetween(ctx, sizes, low, high, wideint.Of)
	case len(sizes) <= longCoords:
		inside, err = countBetween(ctx, sizes, low, high, func(n *big.Int) bigWhole { return bigWhole{n} })
	default:
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	all := new(big.Int).Lsh(big.NewInt(1), uint(len(sizes)))
	q := new(big.Rat).SetFrac(new(big.Int).SetUint64(inside), all)
	return evidence.Exact{Value: q, Cases: 1 << len(sizes), Provenance: evidence.From(pplusSource)}, true, nil
}

// countBetween counts the subsets of sizes with sums between low and high.
func countBetween[T summand[T]](ctx context.Context, sizes []*big.Int, low, high *big.Int, as func(*big.Int) T) (inside uint64, err error) {
	from, to := as(low), as(high)
	a, b := subsetSums(sizes[:len(sizes)/2], as), subsetSums(sizes[len(sizes)/2:], as)
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	first, end := len(b), len(b) // as A increases, the window of B decreases
	for _, v := range a {
		for end > 0 && to.Less(v.Add(b[end-1])) {
			end--
		}
		for first > 0 && !v.Add(b[first-1]).Less(from) {
			first--
		}
		inside += uint64(end - first)
	}
	return inside, nil
}

// subsetSums returns the sums of all subsets, sorted.
func subsetSums[T summand[T]](sizes []*big.Int, as func(*big.Int) T) []T {
	sums := []T{as(new(big.Int))}
	for _, n := range sizes {
		d := as(n)
		next := make([]T, 0, 2*len(sums))
		i, j := 0, 0
		for i < len(sums) { // j ≤ i, because a sum without n precedes that sum with n
			if with := sums[j].Add(d); with.Less(sums[i]) {
				next = append(next, with)
				j++
			} else {
				next = append(next, sums[i])
				i++
			}
		}
		for ; j < len(sums); j++ {
			next = append(next, sums[j].Add(d))
		}
		sums = next
	}
	return sums
}
