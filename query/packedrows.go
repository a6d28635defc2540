package query

import (
	"context"
	"math/bits"
	"slices"

	"dpworkbench/internal/parallel"
)

// packedRows holds an ascending list of numbers for each item in compressed form: the length, then for each number
// the gap to the previous one, less 1, in a Rice code (JPL 1979): gap>>riceBits in unary, then the riceBits low
// bits.
type packedRows struct {
	riceBits int
	words    [][]uint64 // one slice per packedChunk items
	starts   []uint32   // bit offset of each row in its chunk
	total    int64      // total length of all rows
}

const (
	packedChunk = 1 << 9
	lengthBits  = 6 // a row of a graph on ten nodes has at most 45 neighbors
)

// pack compresses rows of numbers below limit with a total length of entries.
func pack(ctx context.Context, rows rowList, limit int, entries int64) (packedRows, error) {
	items := len(rows.ends)
	p := packedRows{words: make([][]uint64, (items+packedChunk-1)/packedChunk), starts: make([]uint32, items), total: entries}
	p.riceBits = max(0, bits.Len64(uint64(limit)*uint64(items)/uint64(max(1, entries)))-1)
	err := parallel.Workers(ctx, items, packedChunk, func() func(from, to int) error {
		var w bitWriter
		return func(from, to int) error {
			w = bitWriter{words: w.words[:0]}
			for x := from; x < to; x++ {
				p.starts[x] = uint32(w.at)
				row := rows.row(x)
				w.write(uint64(len(row)), lengthBits)
				last := int32(-1)
				for _, y := range row {
					gap := uint64(y - last - 1)
					for high := gap >> p.riceBits; ; high -= 32 {
						if high < 32 {
							w.write(1<<high-1, int(high)+1)
							break
						}
						w.write(1<<32-1, 32)
					}
					w.write(gap&(1<<p.riceBits-1), p.riceBits)
					last = y
				}
			}
			w.write(0, 64) // allows reading beyond the last row
			p.words[from/packedChunk] = slices.Clone(w.words)
			return nil
		}
	})
	return p, err
}

// length returns the length of the row of x.
func (p *packedRows) length(x int) int {
	words, at := p.words[x/packedChunk], p.starts[x]
	return int((words[at/64]>>(at%64) | words[at/64+1]<<1<<(63-at%64)) & (1<<lengthBits - 1))
}

// append appends the row of x, with base added to every number.
func (p *packedRows) append(x, base int, out []int32) []int32 {
	length := p.length(x)
	words, at := p.words[x/packedChunk], uint(p.starts[x])+lengthBits
	peek := func() uint64 {
		i, s := at/64, at%64
		return words[i]>>s | words[i+1]<<1<<(63-s)
	}
	next, mask := int32(base), uint64(1)<<p.riceBits-1
	for range length {
		high := uint64(0)
		w := peek()
		for w == ^uint64(0) {
			high, at = high+64, at+64
			w = peek()
		}
		ones := uint64(bits.TrailingZeros64(^w))
		at += uint(ones) + 1
		low := peek() & mask
		at += uint(p.riceBits)
		next += int32((high+ones)<<p.riceBits | low)
		out = append(out, next)
		next++
	}
	return out
}

// bitWriter writes bits, least significant first.
type bitWriter struct {
	words []uint64
	at    int
}

// write appends the n ≤ 64 low bits of v. The other bits of v must be 0.
func (w *bitWriter) write(v uint64, n int) {
	s := w.at % 64
	if s == 0 {
		w.words = append(w.words, 0)
	}
	w.words[len(w.words)-1] |= v << s
	if s+n > 64 {
		w.words = append(w.words, v>>(64-s))
	}
	w.at += n
}
