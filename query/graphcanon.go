package query

import (
	"math/bits"
)

// maxGraphNodes is the most nodes of the universe of graphs; codes and masks
// of nodes are sized for it.
const maxGraphNodes = 10

// graphCode is a labelled graph as an integer: the upper triangle column by
// column, x(0,1), x(0,2), x(1,2), x(0,3), …, the first entry most significant.
// For a fixed number of nodes, codes order as graph6 strings do.
type graphCode = uint64

// canonizer finds the least code over all labellings of a graph, and the
// labellings that attain it. It keeps scratch space; one goroutine at a time.
//
// The code is fixed column by column, so a labelling is least only if each
// prefix is. Breadth first, c.front holds every way to label the nodes placed
// so far that gives the least prefix. Two ideas keep it short.
//
// Labels are handed out lazily. An arrangement is an ordered partition of the
// placed nodes into cells such that any order within the cells gives the same
// prefix. Against a cell of k nodes, d of them neighbors of v, the column of v is
// least as k−d zeros, then d ones: it is least for the v whose counts d, cell
// by cell, are lexicographically least, and placing v splits each cell into
// non-neighbors, then neighbors.
//
// Nodes are placed in blocks. Let T be the unplaced nodes whose column is
// least and whose placed neighbors are those of v. After v, the least column
// is that of a node of T not joined to v, where there is one: any other node
// has a larger column already without its last bit. So a largest independent
// subset of T follows as one cell, in any order, and the larger it is, the
// less the code. If T is a clique, the same holds for T as a whole. At the
// start T is every node: the code begins with a maximum independent set.
//
// All arrangements of the front share the sizes of their cells, and each least
// labelling belongs to exactly one of them.
type canonizer struct {
	nodes int
	adj   [16]uint16 // neighbors of each node

	code   graphCode            // of the prefix placed so far
	placed int                  // nodes placed
	cells  int                  // cells of every arrangement in front
	sizes  [maxGraphNodes]uint8 // their sizes
	front  []arrangement        // all arrangements that attain code
	next   []arrangement        // scratch for step
	sets   []uint16             // scratch for independent
	column [maxGraphNodes]uint8 // scratch for step: neighbors per cell
}

// arrangement is an ordered partition of the placed nodes.
type arrangement struct {
	placed uint16
	cells  [maxGraphNodes]uint16
}

// load makes the graph with the given code the current one.
func (c *canonizer) load(nodes int, code graphCode) {
	c.nodes = nodes
	c.adj = [16]uint16{}
	top := nodes*(nodes-1)/2 - 1
	for ; code != 0; code &= code - 1 {
		e := pairs[top-bits.TrailingZeros64(code)]
		c.adj[e[0]] |= 1 << e[1]
		c.adj[e[1]] |= 1 << e[0]
	}
}

// toggle adds or removes the edge {a, b}.
func (c *canonizer) toggle(a, b uint8) {
	c.adj[a&15] ^= 1 << b
	c.adj[b&15] ^= 1 << a
}

// all is the set of all nodes.
func (c *canonizer) all() uint16 { return 1<<c.nodes - 1 }

// least returns the least code of the current graph.
func (c *canonizer) least() graphCode {
	c.code, c.placed, c.cells = 0, 0, 0
	c.front = append(c.front[:0], arrangement{})
	return c.finish()
}

// leastFrom is least for a caller that knows the maximum independent sets.
func (c *canonizer) leastFrom(sets []uint16) graphCode {
	size := bits.OnesCount16(sets[0])
	if size == 1 {
		return c.least() // complete: one block of another kind
	}
	c.code, c.placed, c.cells = 0, size, 1
	c.sizes[0] = uint8(size)
	c.front = c.front[:0]
	for _, s := range sets {
		c.front = append(c.front, arrangement{placed: s, cells: [maxGraphNodes]uint16{s}})
	}
	return c.finish()
}

func (c *canonizer) finish() graphCode {
	for c.placed < c.nodes {
		c.step()
	}
	return c.code
}

// labellings returns how many labellings attain the least code just found:
// the order of the automorphism group.
func (c *canonizer) labellings() uint64 {
	count := uint64(len(c.front))
	for _, size := range c.sizes[:c.cells] {
		for k := uint64(size); k > 1; k-- {
			count *= k
		}
	}
	return count
}

// rigid reports whether the least code just found has one labelling only.
func (c *canonizer) rigid() bool { return len(c.front) == 1 && c.cells == c.nodes }

// step places the next block in every arrangement and keeps the least.
func (c *canonizer) step() {
	c.next = c.next[:0]
	best := block{}
	for i := range c.front {
		s := &c.front[i]
		ties, less := c.leastColumn(s, len(c.next) == 0)
		if ties == 0 {
			continue
		}
		if less {
			c.next = c.next[:0]
			best = block{}
		}
		for ties != 0 {
			v := bits.TrailingZeros16(ties) & 15
			seen := c.adj[v] & s.placed
			group := uint16(1) << v
			for r := ties &^ group; r != 0; r &= r - 1 {
				w := bits.TrailingZeros16(r) & 15
				if c.adj[w]&s.placed == seen {
					group |= 1 << w
				}
			}
			ties &^= group
			best = c.place(s, seen, group, best)
		}
	}
	c.settle(best)
	c.front, c.next = c.next, c.front
}

// leastColumn returns the unplaced nodes whose column is least in s, or none if
// that column exceeds c.column, which it otherwise replaces; less says that it
// changed it (always if fresh).
func (c *canonizer) leastColumn(s *arrangement, fresh bool) (ties uint16, less bool) {
	ties = c.all() &^ s.placed
	less = fresh
	for k := range c.cells {
		cell := s.cells[k%maxGraphNodes]
		var d uint8
		if cell&(cell-1) == 0 {
			if z := ties &^ c.adj[bits.TrailingZeros16(cell)&15]; z != 0 {
				ties = z
			} else {
				d = 1
			}
		} else {
			ties, d = c.fewest(ties, cell)
		}
		if !less && d != c.column[k%maxGraphNodes] {
			if d > c.column[k%maxGraphNodes] {
				return 0, false
			}
			less = true
		}
		c.column[k%maxGraphNodes] = d
	}
	return ties, less
}

// fewest returns the nodes among ties with the fewest neighbors in cell, and
// how many those are. It counts for all nodes at once, a bit of the count per
// word.
func (c *canonizer) fewest(ties, cell uint16) (uint16, uint8) {
	var ones, twos, fours, eights uint16
	for m := cell; m != 0; m &= m - 1 {
		carry := c.adj[bits.TrailingZeros16(m)&15]
		ones, carry = ones^carry, ones&carry
		twos, carry = twos^carry, twos&carry
		fours, carry = fours^carry, fours&carry
		eights ^= carry
	}
	var d uint8
	for _, b := range [...]uint16{eights, fours, twos, ones} {
		d <<= 1
		if z := ties &^ b; z != 0 {
			ties = z
		} else {
			d |= 1
		}
	}
	return ties, d
}

// block says what a step places: an independent set, or, where that would be a
// single node, a clique. More is less: the code shrinks with either size.
type block struct {
	independent, clique int
}

// place appends to c.next every arrangement that puts a block from group next
// in s, unless best is better; it drops what is there if best is worse. seen is
// the placed neighbors of every node of group.
func (c *canonizer) place(s *arrangement, seen, group uint16, best block) block {
	if group&(group-1) == 0 {
		return c.offer(s, seen, group, block{1, 1}, best)
	}
	size := bits.OnesCount16(group)
	empty, full := true, true
	for r := group; r != 0; r &= r - 1 {
		v := bits.TrailingZeros16(r) & 15
		near := c.adj[v] & group
		empty = empty && near == 0
		full = full && near == group&^(1<<v)
	}
	switch {
	case empty:
		return c.offer(s, seen, group, block{size, 0}, best)
	case full:
		return c.offer(s, seen, group, block{1, size}, best)
	}
	for _, set := range c.largest(c.independent(group)) {
		best = c.offer(s, seen, set, block{bits.OnesCount16(set), 0}, best)
	}
	return best
}

// offer is place for one block.
func (c *canonizer) offer(s *arrangement, seen, set uint16, b, best block) block {
	if b != best {
		if b.independent < best.independent || b.independent == best.independent && b.clique < best.clique {
			return best
		}
		c.next = c.next[:0]
	}
	if c.cells == c.placed { // all cells are single nodes
		c.next = append(c.next, *s)
		t := &c.next[len(c.next)-1]
		t.placed |= set
		t.cells[c.cells%maxGraphNodes] = set
		return b
	}
	t := arrangement{placed: s.placed | set}
	cells := 0
	for k := range c.cells {
		cell := s.cells[k%maxGraphNodes]
		out, in := cell&^seen, cell&seen
		if out != 0 {
			t.cells[cells%maxGraphNodes] = out
			cells++
		}
		if in != 0 {
			t.cells[cells%maxGraphNodes] = in
			cells++
		}
	}
	t.cells[cells%maxGraphNodes] = set
	c.next = append(c.next, t)
	return b
}

// settle extends the code and the sizes of the cells by the block placed, whose
// first column is c.column.
func (c *canonizer) settle(b block) {
	var column graphCode
	var sizes [maxGraphNodes]uint8
	cells := 0
	for k := range c.cells {
		size, d := c.sizes[k%maxGraphNodes], c.column[k%maxGraphNodes]
		column = column<<size | (1<<d - 1)
		if d < size {
			sizes[cells%maxGraphNodes] = size - d
			cells++
		}
		if d > 0 {
			sizes[cells%maxGraphNodes] = d
			cells++
		}
	}
	for range max(b.independent, b.clique) {
		c.code = c.code<<c.placed | column
		c.placed++
		column <<= 1
		if b.clique > 1 {
			column |= 1
		}
	}
	sizes[cells%maxGraphNodes] = uint8(max(b.independent, b.clique))
	c.sizes, c.cells = sizes, cells+1
}

// independent returns all independent subsets of the given nodes. The slice is
// scratch space, good until the next call.
func (c *canonizer) independent(nodes uint16) []uint16 {
	c.sets = append(c.sets[:0], 0)
	for r := nodes; r != 0; r &= r - 1 {
		v := bits.TrailingZeros16(r) & 15
		near := c.adj[v]
		for _, s := range c.sets {
			if s&near == 0 {
				c.sets = append(c.sets, s|1<<v)
			}
		}
	}
	return c.sets
}

// largest keeps the largest of sets, in place.
func (c *canonizer) largest(sets []uint16) []uint16 {
	most, kept := 0, sets[:0]
	for _, s := range sets {
		switch size := bits.OnesCount16(s); {
		case size > most:
			most, kept = size, append(kept[:0], s)
		case size == most:
			kept = append(kept, s)
		}
	}
	return kept
}

// pairs lists the pairs {i, j}, i < j, in the order of the code.
var pairs = func() (p [maxGraphNodes * (maxGraphNodes - 1) / 2][2]uint8) {
	k := 0
	for j := range uint8(maxGraphNodes) {
		for i := range j {
			p[k] = [2]uint8{i, j}
			k++
		}
	}
	return p
}()

// pairIndex is the place of {i, j}, i ≠ j, in pairs.
func pairIndex(i, j int) int {
	if i > j {
		i, j = j, i
	}
	return j*(j-1)/2 + i
}
