package packing

import (
	"context"
	"math/big"

	"dpworkbench/internal/parameter"
)

// Edges returns the largest Σ x_e with 0 ≤ x_e ≤ 1 and Σ_{e ∋ v} x_e ≤ bound at every node v of a graph, where row(v)
// lists the neighbors of v. It is half of a largest flow (Dinitz's method) through two copies of the nodes. Each copy
// of a node carries at most bound, and each edge at most 1 in either direction. Edges returns the context's error, and
// one wrapping evidence.ErrParameter if bound has a denominator of more than 2²⁰.
func Edges(ctx context.Context, nodes int, row func(v int) []int32, bound *big.Rat) (*big.Rat, error) {
	edges, top := 0, int64(0)
	for v := range nodes {
		edges += len(row(v))
		top = max(top, int64(len(row(v))))
	}
	if bound.Cmp(big.NewRat(top, 1)) >= 0 {
		return big.NewRat(int64(edges/2), 1), nil
	}
	if d := bound.Denom(); !d.IsInt64() || d.Int64() > 1<<20 {
		return nil, parameter.Bad("bound", bound, "a fraction with a numerator and a denominator of at most 2^20")
	}
	unit, most := bound.Denom().Int64(), bound.Num().Int64() // capacities of an edge and of a node
	f := &flow{nodes: nodes, row: row, from: make([]int, nodes+1), out: make([]int64, nodes), in: make([]int64, nodes)}
	for v := range nodes {
		f.from[v+1] = f.from[v] + len(row(v))
		f.out[v], f.in[v] = most, most
	}
	f.left, f.back = make([]int64, edges), make([]int, edges)
	place := make([]int, nodes)
	for v := range nodes { // index of the reverse arc v → w: rows are ascending, and so are the v that reach w
		for i, w := range row(v) {
			f.left[f.from[v]+i] = unit
			f.back[f.from[v]+i] = f.from[w] + place[w]
			place[w]++
		}
	}
	f.unit = unit
	sum := int64(0)
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !f.levels() {
			return big.NewRat(sum, 2*unit), nil
		}
		f.next[0], f.next[1] = make([]int, nodes), make([]int, nodes)
		for v := range nodes {
			for f.out[v] > 0 && f.level[0][v] == 0 {
				pushed := f.push(0, v, f.out[v])
				if pushed == 0 {
					break
				}
				f.out[v] -= pushed
				sum += pushed
			}
		}
	}
}

// flow is a flow in the double cover of the graph: node v on side 0 has arcs to its neighbors on side 1.
type flow struct {
	nodes   int
	row     func(v int) []int32
	unit    int64
	from    []int
	left    []int64 // remaining capacity of the arc v → row(v)[i], at from[v] + i
	back    []int   // index of the arc row(v)[i] → v
	out, in []int64 // remaining capacities of a node to send and to receive
	level   [2][]int32
	next    [2][]int
}

// room returns the remaining capacity of arc i of a node on a side, and its index in left. From side 1 it is the flow
// of the incoming arc, which can be sent back.
func (f *flow) room(side, v, i int) (int64, int) {
	at := f.from[v] + i
	if side == 0 {
		return f.left[at], at
	}
	at = f.back[at]
	return f.unit - f.left[at], at
}

// levels sets the level of each node: the fewest arcs from a node that can still send. It reports whether a node that
// can still receive is reached.
func (f *flow) levels() bool {
	var queue []int
	for side := range f.level {
		f.level[side] = make([]int32, f.nodes)
		for v := range f.level[side] {
			f.level[side][v] = -1
			if side == 0 && f.out[v] > 0 {
				f.level[0][v] = 0
				queue = append(queue, v)
			}
		}
	}
	found := false
	for k := 0; k < len(queue); k++ {
		side, v := 0, queue[k]
		if v >= f.nodes {
			side, v = 1, v-f.nodes
			if f.in[v] > 0 {
				found = true
				continue
			}
		}
		for i, w := range f.row(v) {
			if room, _ := f.room(side, v, i); room > 0 && f.level[1-side][w] < 0 {
				f.level[1-side][w] = f.level[side][v] + 1
				queue = append(queue, int(w)+f.nodes*(1-side))
			}
		}
	}
	return found
}

// push sends up to most along arcs to the next level, and returns what it sent. The recursion is as deep as the path is
// long.
func (f *flow) push(side, v int, most int64) int64 {
	if side == 1 && f.in[v] > 0 {
		sent := min(most, f.in[v])
		f.in[v] -= sent
		return sent
	}
	row := f.row(v)
	for ; f.next[side][v] < len(row); f.next[side][v]++ {
		i := f.next[side][v]
		w := int(row[i])
		room, at := f.room(side, v, i)
		if room <= 0 || f.level[1-side][w] != f.level[side][v]+1 {
			continue
		}
		if sent := f.push(1-side, w, min(most, room)); sent > 0 {
			if side == 0 {
				f.left[at] -= sent
			} else {
				f.left[at] += sent
			}
			return sent
		}
	}
	return 0
}
