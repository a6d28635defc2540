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

// NewOPORP returns the one-permutation, one-random-projection map (docs/signrp.md, Algorithm 2). The coordinates are
// padded with zeros to a multiple of k, permuted and distributed to k bins of ⌈p/k⌉ coordinates each. x_j is the sum
// over bin j of w_i u_i for one Rademacher vector w. [Projection.Padded] returns the padded length.
//
// It returns an error wrapping evidence.ErrParameter unless 1 ≤ k ≤ p, or ctx's error if it ends.
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
	if err := memory.Need(fmt.Sprintf("an OPORP of %d numbers", p), 16*float64(size)*float64(k)); err != nil { // and bins
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

// permutation returns the same permutation as rng.Perm(n), for n ≤ 2^29. It returns ctx's error if ctx ends.
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

// bins lists the coordinates of each bin of an OPORP in an order that is fast to sum: reads are random but stay within
// the first-level cache, and writes are sequential.
//
// Slot s of bin j holds coordinate from[s·k+j] with weight[s·k+j] = ±1, or 0 if the slot is empty. The number of slots
// is even.
type bins struct {
	k      int
	from   []uint32
	weight []float64
}

// newBins sorts the coordinates i by bin. place[i] is twice the bin, plus 1 if the sign is −1. No bin has more than
// size coordinates.
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

// add adds the bin sums of u to x, two slots at a time. u must have an entry for every coordinate. It prefetches
// nextX and nextU, the arguments of the next call.
func (b *bins) add(x, u, nextX, nextU []float64) {
	for at := 0; at < len(b.from); at += 2 * b.k {
		gather(x[:b.k], u, b.from[at:at+2*b.k], b.weight[at:at+2*b.k], nextX, nextU)
	}
}

// streams reports whether set should compute the sums of this number of vectors. It should if bins have two slots,
// which one pass fills, and the sums exceed the cache.
func (b *bins) streams(vectors int) bool { return len(b.from) == 2*b.k && vectors*b.k >= 1<<21 }

// set sets x to the bin sums of u. nextU is the argument of the next call.
func (b *bins) set(x, u, nextU []float64) { stream(x[:b.k], u, b.from, b.weight, nextU) }

// gatherGo adds the products of two slots of bin j to x[j], from j = first on.
func gatherGo(first int, x, u []float64, from []uint32, weight []float64) {
	k := len(x)
	fromA, fromB, weightA, weightB := from[:k], from[k:2*k], weight[:k], weight[k:2*k]
	for j := first; j < k; j++ {
		x[j] += float64(weightA[j]*u[fromA[j]]) + float64(weightB[j]*u[fromB[j]])
	}
}
