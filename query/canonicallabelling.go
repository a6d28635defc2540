package query

import "math/bits"

// canonicalLabeller computes the least code over all labellings of a graph, and the labellings that attain it. It
// reuses its memory and serves one goroutine.
//
// It determines the code column by column, since every prefix of a least code is least. Breadth first, front holds
// all labellings of the nodes placed so far that give the least prefix. Two techniques keep front short.
//
// First, a partial labelling is an ordered partition of the placed nodes into cells, such that every order within
// the cells gives the same prefix. If a cell of k nodes has d neighbors of v, the least column of v has k−d zeros,
// then d ones, there. So the next node v is one with the lexicographically least counts d, cell by cell. Placing v
// splits each cell into non-neighbors, then neighbors of v.
//
// Second, nodes are placed in blocks. Let T be the unplaced nodes that have the least column and the same placed
// neighbors as v. After v, the least column is that of a node of T not adjacent to v, if there is one: every other
// node has a larger column even without its last bit. So a largest independent subset of T follows as one cell.
// The larger it is, the smaller is the code. If T is a clique, all of T follows as one cell. At the start T is
// every node, so the code begins with a maximum independent set.
//
// All partial labellings in front have the same cell sizes, and each least labelling belongs to exactly one of
// them.
type canonicalLabeller struct {
	nodes int
	adj   [16]uint16 // neighbors of each node

	code   graphCode                // code of the nodes placed so far
	placed int                      // number of placed nodes
	cells  int                      // number of cells
	sizes  [maxGraphNodes + 1]uint8 // cell sizes
	front  []partialLabelling       // all partial labellings that attain code
	next   []partialLabelling       // scratch for step
	sets   []partialLabelling       // scratch for independent

	// Scratch for step:
	ties       []tie                    // for each partial labelling in front
	column     graphCode                // the least column of all
	splits     [maxGraphNodes]splitCell // the cells that column splits
	splitCount int
}

// partialLabelling is an ordered partition of the placed nodes into cells. The labeller knows the cell sizes.
type partialLabelling struct {
	order uint64 // the nodes, cell by cell, four bits each, least significant first
	nodes uint64 // the set of these nodes
}

// load sets the current graph.
func (c *canonicalLabeller) load(nodes int, code graphCode) {
	c.nodes, c.adj = nodes, decode(nodes, code)
}

// toggle adds or removes the edge {a, b}.
func (c *canonicalLabeller) toggle(a, b uint8) {
	c.adj[a&15] ^= 1 << b
	c.adj[b&15] ^= 1 << a
}

// all returns the set of all nodes.
func (c *canonicalLabeller) all() uint16 { return 1<<c.nodes - 1 }

// minCode returns the least code of the current graph.
func (c *canonicalLabeller) minCode() graphCode {
	c.code, c.placed, c.cells = 0, 0, 0
	c.front = append(c.front[:0], partialLabelling{})
	for c.placed < c.nodes {
		c.step()
	}
	return c.code
}

// labellings returns the number of labellings that attain the last minCode: the order of the automorphism group.
func (c *canonicalLabeller) labellings() uint64 {
	count := uint64(len(c.front))
	for _, size := range c.sizes[:c.cells] {
		for k := uint64(size); k > 1; k-- {
			count *= k
		}
	}
	return count
}

// step places the next block in every partial labelling and keeps the least.
func (c *canonicalLabeller) step() {
	c.ties = c.ties[:0]
	c.column = ^graphCode(0)
	for _, s := range c.front {
		ties, column := c.minColumn(s)
		c.ties = append(c.ties, tie{column, ties})
		c.column = min(c.column, column)
	}
	c.refine()
	c.next = c.next[:0]
	best := block(0)
	for i, t := range c.ties {
		if t.column != c.column {
			continue
		}
		s := c.front[i]
		for ties := t.nodes; ties != 0; {
			group := ties & -ties
			seen := c.adj[bits.TrailingZeros16(ties)&15] & uint16(s.nodes)
			for r := ties &^ group; r != 0; r &= r - 1 {
				w := bits.TrailingZeros16(r) & 15
				if c.adj[w]&uint16(s.nodes) == seen {
					group |= 1 << w
				}
			}
			ties &^= group
			best = c.place(s, seen, group, best)
		}
	}
	c.extendCode(best)
	c.front, c.next = c.next, c.front
}

// tie holds the least column of a partial labelling and the nodes that attain it.
type tie struct {
	column graphCode
	nodes  uint16
}

// minColumn returns the unplaced nodes with the least column in s, and that column: one bit per placed node, most
// significant first.
func (c *canonicalLabeller) minColumn(s partialLabelling) (ties uint16, column graphCode) {
	ties = c.all() &^ uint16(s.nodes)
	order := s.order
	for _, size := range c.sizes[:c.cells] {
		if size == 1 {
			z := ties &^ c.adj[order&15]
			order >>= 4
			column <<= 1
			if z == 0 {
				z = ties
				column++
			}
			ties = z
		} else {
			var d uint8
			ties, d = c.fewest(ties, order, size)
			order >>= 4 * size
			column = column<<size | (1<<d - 1)
		}
	}
	return ties, column
}

// fewest returns the nodes among ties with the fewest neighbors in a cell, and that number of neighbors. The cell
// consists of the first size nodes of order. The counts of all nodes are binary numbers stored bit by bit: twos, for
// example, holds the second bit of each node's count.
func (c *canonicalLabeller) fewest(ties uint16, order uint64, size uint8) (uint16, uint8) {
	var ones, twos, fours, eights uint16
	for range size {
		carry := c.adj[order&15]
		order >>= 4
		ones, carry = ones^carry, ones&carry
		twos, carry = twos^carry, twos&carry
		fours, carry = fours^carry, fours&carry
		eights ^= carry
	}
	var d uint8
	ties, d = without(ties, eights, d)
	ties, d = without(ties, fours, d)
	ties, d = without(ties, twos, d)
	return without(ties, ones, d)
}

// without returns the ties whose bit in word is 0, and appends a 0 to the binary number d. If there are no such ties,
// it returns all ties and appends a 1.
func without(ties, word uint16, d uint8) (uint16, uint8) {
	d *= 2
	z := ties &^ word
	if z == 0 {
		z = ties
		d++
	}
	return z, d
}

// A block describes a set of nodes placed in one step: an independent set of b>>4 nodes or, if b>>4 is 1, a clique of
// b&15 nodes. A larger block gives a smaller code.
type block uint8

const single block = 1<<4 | 1

// nodes returns the number of nodes.
func (b block) nodes() int { return max(int(b>>4), int(b&15)) }

// place finds the best block of nodes from group that can extend s. If it is worse than best, c.next stays as it is. If
// it is better, place clears c.next. Then it appends every extension of s by such a block to c.next. It returns the
// better of the two blocks. seen is the set of placed neighbors of each node of group.
func (c *canonicalLabeller) place(s partialLabelling, seen, group uint16, best block) block {
	if group&(group-1) == 0 {
		set := partialLabelling{uint64(bits.TrailingZeros16(group)), uint64(group)}
		return c.placeBlock(s, seen, set, single, best)
	}
	var whole partialLabelling
	size := 0
	empty, full := true, true
	for r := group; r != 0; r &= r - 1 {
		v := bits.TrailingZeros16(r) & 15
		near := c.adj[v] & group
		empty = empty && near == 0
		full = full && near == group&^(1<<v)
		whole = whole.append(v, size)
		size++
	}
	switch {
	case empty:
		return c.placeBlock(s, seen, whole, block(size<<4), best)
	case full:
		return c.placeBlock(s, seen, whole, block(1<<4|size), best)
	}
	for _, set := range c.largest(c.independent(group)) {
		best = c.placeBlock(s, seen, set, block(bits.OnesCount64(set.nodes)<<4), best)
	}
	return best
}

// append adds v as the last node to a set of size nodes.
func (s partialLabelling) append(v, size int) partialLabelling {
	return partialLabelling{s.order | uint64(v)<<(4*size), s.nodes | 1<<v}
}

// placeBlock does the work of place for the single set of nodes set, which forms the block b.
func (c *canonicalLabeller) placeBlock(s partialLabelling, seen uint16, set partialLabelling, b, best block) block {
	if b != best {
		if b < best {
			return best
		}
		c.next = c.next[:0]
	}
	for _, k := range c.splits[:c.splitCount] {
		s.order = k.sort(s.order, seen)
	}
	c.next = append(c.next, partialLabelling{s.order | set.order<<(4*c.placed), s.nodes | set.nodes})
	return b
}

// splitCell is a cell that the next column splits. ones is the number of 1 bits that the column has in this cell.
type splitCell struct {
	start, size, ones uint8
}

// sort moves the nodes of the cell that are in seen to the end of the cell. There are k.ones of them.
func (k splitCell) sort(order uint64, seen uint16) uint64 {
	cell := order >> (4 * k.start)
	sorted, out, in := uint64(0), uint8(0), 4*(k.size-k.ones)
	for range k.size {
		v := cell & 15
		cell >>= 4
		joined := uint8(seen>>v) & 1
		at := out
		if joined != 0 {
			at = in
		}
		sorted |= v << (at & 63)
		in += 4 * joined
		out += 4 - 4*joined
	}
	mask := uint64(1)<<(4*k.size) - 1
	return order&^(mask<<(4*k.start)) | sorted<<(4*k.start)
}

// refine splits the cells by the bits of c.column, and records the splits in c.splits.
func (c *canonicalLabeller) refine() {
	c.splitCount = 0
	if c.cells == c.placed {
		return
	}
	sizes, cells, end := c.sizes, 0, 0
	for _, size := range sizes[:c.cells] {
		end += int(size)
		ones := uint8(bits.OnesCount64(c.column >> (c.placed - end) & (1<<size - 1)))
		if ones == 0 || ones == size {
			c.sizes[cells] = size
			cells++
			continue
		}
		c.splits[c.splitCount] = splitCell{uint8(end) - size, size, ones}
		c.splitCount++
		c.sizes[cells], c.sizes[cells+1] = size-ones, ones
		cells += 2
	}
	c.cells = cells
}

// extendCode appends the columns of the placed block to the code. Its first column is c.column.
func (c *canonicalLabeller) extendCode(b block) {
	size := b.nodes()
	c.sizes[c.cells] = uint8(size)
	c.cells++
	for range size {
		c.code = c.code<<c.placed | c.column
		c.placed++
		c.column <<= 1
		if b&15 > 1 {
			c.column++
		}
	}
}

// independent returns all independent subsets of the given nodes. The slice is valid until the next call.
func (c *canonicalLabeller) independent(nodes uint16) []partialLabelling {
	c.sets = append(c.sets[:0], partialLabelling{})
	for r := nodes; r != 0; r &= r - 1 {
		v := bits.TrailingZeros16(r) & 15
		near := uint64(c.adj[v])
		for _, s := range c.sets {
			if s.nodes&near == 0 {
				c.sets = append(c.sets, s.append(v, bits.OnesCount64(s.nodes)))
			}
		}
	}
	return c.sets
}

// largest keeps the largest sets, in place.
func (c *canonicalLabeller) largest(sets []partialLabelling) []partialLabelling {
	most, kept := 0, sets[:0]
	for _, s := range sets {
		switch size := bits.OnesCount64(s.nodes); {
		case size > most:
			most, kept = size, append(kept[:0], s)
		case size == most:
			kept = append(kept, s)
		}
	}
	return kept
}
