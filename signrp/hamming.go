package signrp

import (
	"context"
	"math"
	"math/bits"
	"slices"

	"dpworkbench/internal/parallel"
	"dpworkbench/internal/parameter"
)

// packSigns packs k signs into ⌈k/64⌉ words: bit j is set if sign j is +1.
func packSigns(signs []int8) []uint64 {
	words := make([]uint64, (len(signs)+63)/64)
	for j, s := range signs {
		if s > 0 {
			words[j/64] |= 1 << (j % 64)
		}
	}
	return words
}

// codes holds the packed signs of many vectors of one length.
type codes struct {
	words int // a vector
	bits  []uint64
}

// packed packs the signs of vectors of one length.
func packed(signs [][]int8) *codes {
	c := &codes{}
	for _, s := range signs {
		c.bits = append(c.bits, packSigns(s)...)
	}
	if len(signs) > 0 {
		c.words = (len(signs[0]) + 63) / 64
	}
	return c
}

// Len returns the number of vectors.
func (c *codes) Len() int {
	if c.words == 0 {
		return 0
	}
	return len(c.bits) / c.words
}

// distances sets out[v] to the Hamming distance of vector v from q.
func (c *codes) distances(out []int32, q []uint64) {
	if c.words == 8 { // 512 signs
		q0, q1, q2, q3, q4, q5, q6, q7 := q[0], q[1], q[2], q[3], q[4], q[5], q[6], q[7]
		rest := c.bits
		for v := range out {
			b := (*[8]uint64)(rest)
			out[v] = int32(bits.OnesCount64(b[0]^q0) + bits.OnesCount64(b[1]^q1) + bits.OnesCount64(b[2]^q2) + bits.OnesCount64(b[3]^q3) +
				bits.OnesCount64(b[4]^q4) + bits.OnesCount64(b[5]^q5) + bits.OnesCount64(b[6]^q6) + bits.OnesCount64(b[7]^q7))
			rest = rest[8:]
		}
		return
	}
	for v := range out {
		sum := 0
		for n, w := range c.bits[v*c.words : (v+1)*c.words] {
			sum += bits.OnesCount64(w ^ q[n])
		}
		out[v] = int32(sum)
	}
}

// nearest returns, for every query, the indices of the count vectors of c at the least Hamming distance, nearest
// first, ties by index. It returns an error wrapping evidence.ErrParameter if the lengths differ or count is not
// positive, or ctx's error if it ends.
func (c *codes) nearest(ctx context.Context, queries *codes, count int) ([][]int, error) {
	if queries.words != c.words {
		return nil, parameter.Errorf("queries of %d words, want %d", queries.words, c.words)
	}
	if err := parameter.AtLeast("count", count, 1); err != nil {
		return nil, err
	}
	n := c.Len()
	out := make([][]int, queries.Len())
	done := parallel.Count(ctx, int64(len(out)), "queries")
	err := parallel.Chunks(ctx, len(out), 4, func(first, last int) error {
		distance := make([]int32, n)
		histogram := make([]int, 64*c.words+1)
		for q := first; q < last; q++ {
			c.distances(distance, queries.bits[q*c.words:(q+1)*c.words])
			out[q] = leastCounts(distance, histogram, min(count, n))
		}
		done(int64(last - first))
		return nil
	})
	return out, err
}

// leastCounts returns the indices of the count least distances, by counting
// sort.
func leastCounts(distance []int32, histogram []int, count int) []int {
	clear(histogram)
	for _, d := range distance {
		histogram[d]++
	}
	limit, below := 0, 0
	for below+histogram[limit] < count {
		below += histogram[limit]
		limit++
	}
	ties := count - below
	out := make([]int, 0, count)
	for v, d := range distance {
		switch {
		case int(d) < limit:
			out = append(out, v)
		case int(d) == limit && ties > 0:
			out = append(out, v)
			ties--
		}
	}
	slices.SortStableFunc(out, func(a, b int) int { return int(distance[a] - distance[b]) })
	return out
}

// NearestByCosine returns, for every query, the indices of the count vectors of data at the least angle, nearest
// first. A zero vector is at a right angle to all. It returns an error wrapping evidence.ErrParameter if there is
// no data, lengths differ, an entry is not finite or count is not positive, or ctx's error if it ends.
func NearestByCosine(ctx context.Context, data, queries [][]float64, count int) ([][]int, error) {
	if err := parameter.AtLeast("count", count, 1); err != nil {
		return nil, err
	}
	if len(data) == 0 {
		return nil, parameter.Errorf("no vectors to search, want at least one")
	}
	for n, set := range []*[][]float64{&data, &queries} {
		name := [2]string{"vector", "query"}[n]
		for v, x := range *set {
			if len(x) != len(data[0]) {
				return nil, parameter.Errorf("%s %d has %d entries, want %d", name, v, len(x), len(data[0]))
			}
			for i, c := range x {
				if math.IsNaN(c) || math.IsInf(c, 0) {
					return nil, parameter.Errorf("entry %d of %s %d is %g, want a finite number", i, name, v, c)
				}
			}
		}
		*set = inRange(*set)
	}
	inverse := make([]float64, len(data))
	for v, x := range data {
		if n := norm(x); n > 0 {
			inverse[v] = 1 / n
		}
	}
	out := make([][]int, len(queries))
	done := parallel.Count(ctx, int64(len(queries)), "queries")
	err := parallel.Chunks(ctx, len(queries), 4, func(first, last int) error {
		scores := make([]float64, 4*len(data))
		group := queries[first:last]
		dotProducts(scores, data, group)
		for q := range group {
			s := scores[q*len(data) : (q+1)*len(data)]
			for v := range s {
				s[v] *= inverse[v]
			}
			out[first+q] = largestScores(s, min(count, len(data)))
		}
		done(int64(last - first))
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// inRange returns the vectors, those with only large or only small entries multiplied by a power of two, so that
// products do not overflow or underflow.
func inRange(set [][]float64) [][]float64 {
	const far = 0x1p400
	copied := false
	for v, x := range set {
		most := largestOf(x)
		if most == 0 || most < far && most > 1/far {
			continue
		}
		if !copied {
			set, copied = slices.Clone(set), true
		}
		_, e := math.Frexp(most)
		set[v] = make([]float64, len(x))
		for i, c := range x {
			set[v][i] = math.Ldexp(c, -e)
		}
	}
	return set
}

// dotProducts sets scores[q·len(data) + v] to ⟨queries_q, data_v⟩ for up to four
// queries, so that a vector is read once for all of them.
func dotProducts(scores []float64, data, queries [][]float64) {
	n := len(data)
	if len(queries) < 4 {
		for q, y := range queries {
			for v, x := range data {
				sum := 0.0
				for i, c := range x {
					sum += float64(c * y[i])
				}
				scores[q*n+v] = sum
			}
		}
		return
	}
	for v, x := range data {
		y0, y1, y2, y3 := queries[0][:len(x)], queries[1][:len(x)], queries[2][:len(x)], queries[3][:len(x)]
		var a, b, c, d float64
		for i, t := range x {
			a += t * y0[i]
			b += t * y1[i]
			c += t * y2[i]
			d += t * y3[i]
		}
		scores[v], scores[n+v], scores[2*n+v], scores[3*n+v] = a, b, c, d
	}
}

// largestScores returns the indices of the count largest scores, largest first,
// ties by index.
func largestScores(scores []float64, count int) []int {
	heap := make([]int, 0, count) // heap with the least kept score on top
	worse := func(a, b int) bool { return scores[a] < scores[b] || scores[a] == scores[b] && a > b }
	sift := func(at int) {
		for {
			least := at
			for _, child := range [2]int{2*at + 1, 2*at + 2} {
				if child < len(heap) && worse(heap[child], heap[least]) {
					least = child
				}
			}
			if least == at {
				return
			}
			heap[at], heap[least] = heap[least], heap[at]
			at = least
		}
	}
	var floor float64 // the least kept score, once count are kept
	for v, s := range scores {
		switch {
		case len(heap) < count:
			if heap = append(heap, v); len(heap) == count {
				for at := count/2 - 1; at >= 0; at-- {
					sift(at)
				}
				floor = scores[heap[0]]
			}
		case s > floor:
			heap[0] = v
			sift(0)
			floor = scores[heap[0]]
		}
	}
	slices.SortFunc(heap, func(a, b int) int {
		if worse(a, b) {
			return 1
		}
		return -1
	})
	return heap
}
