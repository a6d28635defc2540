package query

import "math/bits"

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
type canonicalLabeller struct {
	nodes int
	adj   [16]uint16 // neighbors of each node

	code   graphCode                // of the prefix placed so far
	placed int                      // nodes placed
	cells  int                      // cells of every arrangement in front
	sizes  [maxGraphNodes + 1]uint8 // their sizes
	front  []partialLabelling       // all arrangements that attain code
	next   []partialLabelling       // scratch for step
	sets   []partialLabelling       // scratch for independent

	// Scratch for step:
	ties       []tie                    // for each arrangement in front
	column     graphCode                // the least column
	splits     [maxGraphNodes]splitCell // the cells it divides
	splitCount int
}

// arrangement is an ordered partition of the placed nodes into cells, whose
// sizes the canonizer knows.
type partialLabelling struct {
	order uint64 // the nodes, cell by cell, four bits each, the first least significant
	nodes uint64 // the set of them
}

// load makes the graph with the given code the current one.
func (c *canonicalLabeller) load(nodes int, code graphCode) {
	c.nodes, c.adj = nodes, decode(nodes, code)
}

// toggle adds or removes the edge {a, b}.
func (c *canonicalLabeller) toggle(a, b uint8) {
	c.adj[a&15] ^= 1 << b
	c.adj[b&15] ^= 1 << a
}

// all is the set of all nodes.
func (c *canonicalLabeller) all() uint16 { return 1<<c.nodes - 1 }

// least returns the least code of the current graph.
func (c *canonicalLabeller) minCode() graphCode {
	c.code, c.placed, c.cells = 0, 0, 0
	c.front = append(c.front[:0], partialLabelling{})
	for c.placed < c.nodes {
		c.step()
	}
	return c.code
}

// labellings returns how many labellings attain the least code just found:
// the order of the automorphism group.
func (c *canonicalLabeller) labellings() uint64 {
	count := uint64(len(c.front))
	for _, size := range c.sizes[:c.cells] {
		for k := uint64(size); k > 1; k-- {
			count *= k
		}
	}
	return count
}

// step places the next block in every arrangement and keeps the least.
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

// tie is the least column of an arrangement and the nodes that attain it.
type tie struct {
	column graphCode
	nodes  uint16
}

// leastColumn returns the unplaced nodes whose column is least in s, and the
// column: a bit for each placed node, the first most significant.
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

// fewest returns the nodes among ties with the fewest neighbors in the cell of
// the given size at the start of order, and how many those are. It counts for
// all nodes at once, a bit of the count per word.
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

// without keeps the ties outside word and doubles d, or, where there are none,
// keeps all and adds one.
func without(ties, word uint16, d uint8) (uint16, uint8) {
	d *= 2
	z := ties &^ word
	if z == 0 {
		z = ties
		d++
	}
	return z, d
}

// A block is what a step places: an independent set of b>>4 nodes, or, where
// that is 1, a clique of b&15. The larger, the less the code.
type block uint8

const single block = 1<<4 | 1

// nodes returns how many nodes the block has.
func (b block) nodes() int { return max(int(b>>4), int(b&15)) }

// place appends to c.next every arrangement that puts a block from group next
// in s, unless best is better; it drops what is there if best is worse. seen is
// the placed neighbors of every node of group.
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

// with adds v to an arrangement of size nodes, last.
func (s partialLabelling) append(v, size int) partialLabelling {
	return partialLabelling{s.order | uint64(v)<<(4*size), s.nodes | 1<<v}
}

// offer is place for one block.
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

// cut is a cell that the next column divides.
type splitCell struct {
	start, size, ones uint8
}

// sort moves the nodes of seen, of which there are k.ones, to the end of the cell.
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

// refine divides the cells into zeros and ones of c.column, and says in c.cuts
// which of them that changes.
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

// settle extends the code by the block placed, whose first column is c.column.
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

// independent returns all independent subsets of the given nodes. The slice is
// scratch space, good until the next call.
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

// largest keeps the largest of sets, in place.
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
