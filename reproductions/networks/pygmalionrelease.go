package networks

import (
	"context"
	"math/big"
	"math/rand/v2"
	"slices"

	"dpworkbench/internal/lists"
	"dpworkbench/internal/sampling"
	"dpworkbench/xor"
)

// roundUp rounds a number up to at most 41 binary digits after the point.
func roundUp(q *big.Rat) *big.Rat {
	up := new(big.Int).Lsh(q.Num(), 40)
	up.Add(up.Quo(up, q.Denom()), big.NewInt(1))
	return new(big.Rat).SetFrac(up, new(big.Int).Lsh(big.NewInt(1), 40))
}

// Release implements Rival.
func (p *Pygmalion) Release(ctx context.Context, g *xor.Bits, src rand.Source) (*xor.Bits, error) {
	in, err := readGraph(g)
	if err != nil {
		return nil, err
	}
	in = in.cut(p.DegreeBound)
	at, m := p.tuples(in)
	smoothed := !p.Rough && !p.AllTuples
	counts, err := noisy(p.eps, m.entries, smoothed, src)
	if err != nil {
		return nil, err
	}
	if smoothed {
		counts = smooth(m.entries, counts)
	}
	return makeSeries(ctx, in.nodes(), at, counts, p.AllTuples, src)
}

// smooth returns the isotonic regression of noisy numbers in the order of the true ones (pool adjacent violators),
// rounded and at least 0.
func smooth(entries []entry, counts []int) []int {
	order := lists.Of(len(entries), func(i int) int { return i })
	slices.SortStableFunc(order, func(a, b int) int { return entries[a].value - entries[b].value })
	type block struct{ sum, size int }
	var blocks []block
	for _, i := range order {
		blocks = append(blocks, block{counts[i], 1})
		for k := len(blocks) - 1; k > 0 && blocks[k-1].sum*blocks[k].size > blocks[k].sum*blocks[k-1].size; k-- {
			blocks[k-1] = block{blocks[k-1].sum + blocks[k].sum, blocks[k-1].size + blocks[k].size}
			blocks = blocks[:k]
		}
	}
	out, next := make([]int, len(counts)), 0
	for _, b := range blocks {
		for range b.size {
			out[order[next]] = max(0, (2*b.sum+b.size)/(2*b.size))
			next++
		}
	}
	return out
}

// dealt assigns nodes, in the given order, to the degrees of a noisy series, in proportion to the number of edge ends
// divided by the degree. It returns nil for a series without edges.
func dealt(order []int, at []tuple, counts []int) [][]int {
	most := 0
	for _, t := range at {
		most = max(most, t.j)
	}
	ends := make([]float64, most+1)
	for k, t := range at {
		ends[t.i] += float64(counts[k])
		ends[t.j] += float64(counts[k])
	}
	need, total := make([]float64, most+1), 0.0
	for d := 1; d <= most; d++ {
		need[d] = ends[d] / float64(d)
		total += need[d]
	}
	if total == 0 {
		return nil
	}
	n := len(order)
	group := make([][]int, most+1)
	first, sum := 0, 0.0
	share := min(1, float64(n)/total) // nodes without edges are not assigned
	for d := 1; d <= most; d++ {
		sum += need[d] * share
		if last := min(int(sum+0.5), n); last > first {
			group[d], first = order[first:last], last
		}
	}
	if first == 0 { // less than half a node
		group[most] = order
	}
	return group
}

// tries is the number of times that a loop or a repeated edge is drawn again.
const tries = 20

// makeSeries draws a graph with n nodes that has about the given numbers of edges between nodes of the degrees of
// each tuple, assigned to a random order of the nodes. An edge joins two random nodes of its degrees, and is drawn
// again if it is a loop or a repetition. If full is true and a tuple has as many edges as there are pairs, all of
// these are joined.
func makeSeries(ctx context.Context, n int, at []tuple, counts []int, full bool, src rand.Source) (*xor.Bits, error) {
	out, err := xor.NewBits(n, n)
	if err != nil {
		return nil, err
	}
	group := dealt(permutation(n, src), at, counts)
	if group == nil || n < 2 {
		return out, nil
	}
	for k, t := range at {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if counts[k] == 0 {
			continue
		}
		a, b := nearest(group, t.i), nearest(group, t.j)
		if full && counts[k] >= between(a, b) {
			for _, u := range a {
				for _, v := range b {
					if u != v {
						join(out, u, v)
					}
				}
			}
			continue
		}
		for range min(counts[k], n*(n-1)/2) {
			for range tries {
				u, v := a[sampling.Uniform(src, uint64(len(a)))], b[sampling.Uniform(src, uint64(len(b)))]
				if u != v && !out.At(u, v) {
					join(out, u, v)
					break
				}
			}
		}
	}
	return out, nil
}

// between counts the pairs of nodes of two groups, which must be equal or disjoint.
func between(a, b []int) int {
	if a[0] == b[0] {
		return len(a) * (len(a) - 1) / 2
	}
	return len(a) * len(b)
}

// nearest returns the nodes of the degree closest to d among the degrees with nodes, and of the smaller of two such
// degrees.
func nearest(group [][]int, d int) []int {
	for off := 0; ; off++ {
		if d-off > 0 && len(group[d-off]) > 0 {
			return group[d-off]
		}
		if d+off < len(group) && len(group[d+off]) > 0 {
			return group[d+off]
		}
	}
}

// permutation draws a permutation of 0 … n−1.
func permutation(n int, src rand.Source) []int {
	out := make([]int, n)
	for i := range out {
		j := int(sampling.Uniform(src, uint64(i+1)))
		out[i], out[j] = out[j], i
	}
	return out
}
