package signrp

import (
	"context"
	"math/big"
	"math/bits"

	"dpworkbench/evidence"
)

// wide is a whole number below 2¹²⁸.
type wide struct{ hi, lo uint64 }

func (a wide) add(b wide) wide {
	lo, carry := bits.Add64(a.lo, b.lo, 0)
	hi, _ := bits.Add64(a.hi, b.hi, carry)
	return wide{hi, lo}
}

func (a wide) less(b wide) bool { return a.hi < b.hi || a.hi == b.hi && a.lo < b.lo }

func toWide(n *big.Int) wide {
	var buf [16]byte
	n.FillBytes(buf[:])
	var w wide
	for _, b := range buf[:8] {
		w.hi = w.hi<<8 | uint64(b)
	}
	for _, b := range buf[8:] {
		w.lo = w.lo<<8 | uint64(b)
	}
	return w
}

// exactByHalves counts the sign patterns with |Σ ±n_i| ≤ limit: with A and B
// the sums of the plus side of either half, those with
// (T − limit)/2 ≤ A + B ≤ (T + limit)/2, T = Σ n_i. Both halves' sums are sorted
// and swept against each other. ok is false where T leaves 126 bits.
func exactByHalves(ctx context.Context, sizes []*big.Int, limit *big.Int) (n evidence.Number, ok bool, err error) {
	total := new(big.Int)
	for _, n := range sizes {
		total.Add(total, n)
	}
	if total.BitLen() > 126 {
		return nil, false, nil
	}
	if total.Cmp(limit) <= 0 {
		return evidence.Exact{Value: big.NewRat(1, 1), Cases: 1, Source: pplusSource}, true, nil
	}
	low := new(big.Int).Sub(total, limit) // ⌈(T − limit)/2⌉
	low.Add(low, big.NewInt(1)).Rsh(low, 1)
	high := new(big.Int).Add(total, limit)
	high.Rsh(high, 1)
	from, to := toWide(low), toWide(high)

	a, b := subsetSums(sizes[:len(sizes)/2]), subsetSums(sizes[len(sizes)/2:])
	if err := ctx.Err(); err != nil {
		return nil, false, err
	}
	inside, first, end := uint64(0), len(b), len(b) // as A rises, the window of B falls
	for _, v := range a {
		for end > 0 && to.less(v.add(b[end-1])) {
			end--
		}
		for first > 0 && !v.add(b[first-1]).less(from) {
			first--
		}
		inside += uint64(end - first)
	}
	all := new(big.Int).Lsh(big.NewInt(1), uint(len(sizes)))
	q := new(big.Rat).SetFrac(new(big.Int).SetUint64(inside), all)
	return evidence.Exact{Value: q, Cases: 1 << len(sizes), Source: pplusSource}, true, nil
}

// subsetSums returns the sums of all subsets, sorted.
func subsetSums(sizes []*big.Int) []wide {
	sums := []wide{{}}
	for _, n := range sizes {
		d := toWide(n)
		next := make([]wide, 0, 2*len(sums))
		i, j := 0, 0
		for i < len(sums) { // without n come first: j ≤ i
			if with := sums[j].add(d); with.less(sums[i]) {
				next = append(next, with)
				j++
			} else {
				next = append(next, sums[i])
				i++
			}
		}
		for ; j < len(sums); j++ {
			next = append(next, sums[j].add(d))
		}
		sums = next
	}
	return sums
}
