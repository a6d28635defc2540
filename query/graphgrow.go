package query

import (
	"context"
	"math/bits"
	"slices"

	"dpworkbench/internal/parallel"
)

// graphLevel is the classes with one number of edges.
type graphLevel struct {
	codes []graphCode // least codes, ascending

	// up[ends[x-1]:ends[x]] lists the classes of the next level that class x
	// reaches by one more edge, ascending. Nil where it was not asked for.
	ends []int32
	up   []int32
}

// row returns the classes of the next level that x reaches.
func (l *graphLevel) row(x int) []int32 {
	from := int32(0)
	if x > 0 {
		from = l.ends[x-1]
	}
	return l.up[from:l.ends[x]]
}

// grow fills in l.up and returns the codes of the next level, of which there
// are size. It adds one edge per orbit of missing edges to each class.
func (l *graphLevel) grow(ctx context.Context, nodes int, size int, done func(int64)) ([]graphCode, error) {
	table := newCodeTable(size)
	chunk := chunkSize(len(l.codes))
	rows := make([][]int32, (len(l.codes)+chunk-1)/chunk)
	l.ends = make([]int32, len(l.codes))
	err := parallel.Workers(ctx, len(l.codes), chunk, func() func(from, to int) error {
		e := new(extender)
		missing := nodes*(nodes-1)/2 - bits.OnesCount64(l.codes[0])
		return func(from, to int) error {
			row := make([]int32, 0, (to-from)*missing)
			for x := from; x < to; x++ {
				start := len(row)
				e.extend(nodes, l.codes[x], func(code graphCode) {
					row = append(row, table.insert(code))
				})
				l.ends[x] = int32(len(row) - start)
			}
			rows[from/chunk] = row
			done(int64(to - from))
			return nil
		}
	})
	if err != nil {
		return nil, err
	}

	// Slots become ranks. Two orbits may lead to one class, so repeats go.
	codes, rank := table.ranks(size)
	err = parallel.Chunks(ctx, len(l.codes), chunk, func(from, to int) error {
		slots := rows[from/chunk]
		kept := slots[:0]
		for x := from; x < to; x++ {
			row := slots[:l.ends[x]]
			slots = slots[l.ends[x]:]
			for k, slot := range row {
				row[k] = rank[slot]
			}
			slices.Sort(row)
			row = slices.Compact(row)
			kept = append(kept, row...)
			l.ends[x] = int32(len(row))
		}
		rows[from/chunk] = kept
		return nil
	})
	if err != nil {
		return nil, err
	}
	l.up = slices.Concat(rows...)
	end := int32(0)
	for x, count := range l.ends {
		end += count
		l.ends[x] = end
	}
	return codes, nil
}

// extender adds edges to a graph given by its least code.
type extender struct {
	canonizer
	parent [len(pairs)]uint8 // of the union-find on pairs of nodes
	starts []arrangement
	levels [maxGraphNodes + 1][]arrangement // independent sets by size
}

// extend calls yield with the least code of every graph that has one edge more
// than the given one: once for each orbit of missing edges under its
// automorphisms.
func (e *extender) extend(nodes int, code graphCode, yield func(graphCode)) {
	e.load(nodes, code)
	e.least()
	e.orbits()
	for k := range e.levels {
		e.levels[k] = e.levels[k][:0]
	}
	for _, s := range e.independent(e.all()) {
		k := bits.OnesCount64(s.nodes)
		e.levels[k] = append(e.levels[k], s)
	}
	size := nodes * (nodes - 1) / 2
	for p := range size {
		if code>>(size-1-p)&1 != 0 || int(e.parent[p]) != p {
			continue
		}
		a, b := pairs[p][0], pairs[p][1]
		e.toggle(a, b)
		yield(e.leastFrom(e.apart(nodes, 1<<a|1<<b)))
		e.toggle(a, b)
	}
}

// apart returns the largest independent sets that do not hold all of pair: the
// maximum independent sets once the pair is joined.
func (e *extender) apart(nodes int, pair uint64) []arrangement {
	e.starts = e.starts[:0]
	for k := nodes; len(e.starts) == 0; k-- {
		for _, s := range e.levels[k] {
			if s.nodes&pair != pair {
				e.starts = append(e.starts, s)
			}
		}
	}
	return e.starts
}

// orbits sets e.parent to a forest whose trees are the orbits of pairs of nodes
// under the automorphisms of the current graph, rooted at the least pair. The
// graph's labels must attain the least code just found, so that every labelling
// that does is an automorphism, and those of the front, together with the swaps
// within cells, generate the group.
func (e *extender) orbits() {
	for p := range e.parent {
		e.parent[p] = uint8(p)
	}
	if e.rigid() {
		return
	}
	identity := [maxGraphNodes]uint8{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	at := 0
	for _, size := range e.sizes[:e.cells] {
		for k := at; k < at+int(size)-1; k++ {
			swap := identity
			swap[k], swap[k+1] = swap[k+1], swap[k]
			e.merge(&swap)
		}
		at += int(size)
	}
	for i := range e.front {
		var image [maxGraphNodes]uint8
		for k := range image {
			image[k] = uint8(e.front[i].order >> (4 * k) & 15)
		}
		e.merge(&image)
	}
}

// merge joins the orbits of each pair and its image.
func (e *extender) merge(image *[maxGraphNodes]uint8) {
	for p := range e.nodes * (e.nodes - 1) / 2 {
		a, b := e.root(uint8(p)), e.root(uint8(pairIndex(int(image[pairs[p][0]]), int(image[pairs[p][1]]))))
		e.parent[max(a, b)] = min(a, b)
	}
}

func (e *extender) root(p uint8) uint8 {
	for e.parent[p] != p {
		p = e.parent[p]
	}
	return p
}
