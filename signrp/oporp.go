package signrp

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"

	"dpworkbench/internal/lists"
	"dpworkbench/internal/memory"
	"dpworkbench/internal/parameter"
)

// NewOPORP returns the one-permutation, one-random-projection map (docs/signrp.md,
// Algorithm 2): the coordinates, padded with zeros to a multiple of k, are
// permuted and dealt to k bins of ⌈p/k⌉ coordinates each; x_j is the sum over
// bin j of w_i u_i for one Rademacher vector w. [Projection.Padded] tells the
// padding.
//
// It returns an error wrapping evidence.ErrParameter unless 1 ≤ k ≤ p, and that of
// ctx where it ends before.
func NewOPORP(ctx context.Context, p, k int, seed uint64) (*Projection, error) {
	if err := checkShape(p, k); err != nil {
		return nil, err
	}
	if k > p {
		return nil, parameter.Bad("k", k, "at most p = %d for OPORP", p)
	}
	w := &Projection{kind: OPORP, p: p, k: k, seed: seed}
	rng := rand.New(w.stream(0))
	size := (p + k - 1) / k
	if err := memory.Need(fmt.Sprintf("an OPORP of %d numbers", p), 16*float64(size)*float64(k)); err != nil { // with its bins
		return nil, err
	}
	w.place = make([]int32, size*k)
	deal, err := permutation(ctx, rng, size*k)
	if err != nil {
		return nil, err
	}
	for at, i := range deal {
		w.place[i] = int32(at / size * 2)
	}
	w.place = w.place[:p]
	for i := range w.place {
		w.place[i] |= int32(rng.Uint32() & 1)
	}
	w.bins = sync.OnceValue(func() *bins { return newBins(w.place, k, size) })
	w.lazily()
	return w, nil
}

// permutation returns what rng.Perm(n) does, n being at most 2^29, and stops with
// ctx.
func permutation(ctx context.Context, rng *rand.Rand, n int) ([]int32, error) {
	deal := lists.Of(n, func(i int) int32 { return int32(i) })
	for i := n - 1; i > 0; i-- {
		if i%(1<<16) == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		j := rng.Uint64N(uint64(i + 1))
		deal[i], deal[j] = deal[j], deal[i]
	}
	return deal, nil
}

// bins says what each bin of an OPORP gathers: a vector then costs reads in any
// order from what the first-level cache holds, and a write of every sum in turn.
//
// Slot s of bin j holds coordinate from[s·k+j] with weight[s·k+j] = ±1, or 0 where
// the slot is empty; the number of slots is even.
type bins struct {
	k      int
	from   []uint32
	weight []float64
}

// newBins sorts the coordinates i by bin, place[i] being twice the bin, plus 1
// where the sign is −1; no bin has more than size.
func newBins(place []int32, k, size int) *bins {
	n := (size + size%2) * k
	b := &bins{k: k, from: make([]uint32, n), weight: make([]float64, n)}
	held := make([]int, k)
	for i, at := range place {
		j := int(at >> 1)
		b.from[held[j]*k+j], b.weight[held[j]*k+j] = uint32(i), float64(1-2*(at&1))
		held[j]++
	}
	return b
}

// add adds the bin sums of u to x, two slots at a time. u must have an entry for
// every coordinate. nextX and nextU, what the next call is for, are fetched into
// the cache meanwhile.
func (b *bins) add(x, u, nextX, nextU []float64) {
	for at := 0; at < len(b.from); at += 2 * b.k {
		gather(x[:b.k], u, b.from[at:at+2*b.k], b.weight[at:at+2*b.k], nextX, nextU)
	}
}

// streams reports whether set does the sums of so many vectors: bins of two slots, which one pass fills, and more sums than a
// cache would keep.
func (b *bins) streams(vectors int) bool { return len(b.from) == 2*b.k && vectors*b.k >= 1<<21 }

// set sets x to the bin sums of u, as add would from 0. nextU is what the next call is for.
func (b *bins) set(x, u, nextU []float64) { stream(x[:b.k], u, b.from, b.weight, nextU) }

// gatherGo adds to x[j], from j = first on, the products of two slots of bin j.
func gatherGo(first int, x, u []float64, from []uint32, weight []float64) {
	k := len(x)
	fromA, fromB, weightA, weightB := from[:k], from[k:2*k], weight[:k], weight[k:2*k]
	for j := first; j < k; j++ {
		x[j] += float64(weightA[j]*u[fromA[j]]) + float64(weightB[j]*u[fromB[j]])
	}
}
