package lp

// A block is a connected component of the pairs: one column of the program, or several after merging. Its variables
// are the core's start … start+n−1, ordered by level, the breadth-first distance from a peripheral vertex. A pair
// never skips a level, so the normal matrix of the block is block tridiagonal.
type block struct {
	start, n int
	level    []int   // level l is variables level[l] … level[l+1]−1 of the block
	pairs    []int32 // its pairs in the core
	slot     []int   // index of a pair's off-diagonal entry, in the order of pairs
	// Entries are kept in one slice: per level the square upper-triangular
	// diagonal block at diag[l], then the rectangle to the next level at next[l].
	diag, next []int
	size       int
	spent      []budgetRow // by budget
}

// order numbers the variables block by block and level by level, and lays out
// the blocks.
func (c *core) order() {
	n := len(c.row)
	adjacent := newAdjacency(n, c.pairs)
	position := make([]int32, n) // new number of each variable
	blockOf := make([]int32, n)
	search := &search{adjacency: adjacent, depth: make([]int32, n), seen: make([]int32, n)}
	placed := make([]bool, n)
	next := 0
	for j := range n {
		if placed[j] {
			continue
		}
		order := search.levels(int32(j))
		b := &block{start: next, n: len(order)}
		for i, v := range order {
			if d := int(search.depth[v]); d == len(b.level) {
				b.level = append(b.level, i)
			}
			placed[v] = true
			position[v] = int32(next + i)
			blockOf[next+i] = int32(len(c.blocks))
		}
		b.level = append(b.level, len(order))
		next += len(order)
		c.blocks = append(c.blocks, b)
	}
	c.renumber(position)
	for k, e := range c.pairs {
		b := c.blocks[blockOf[e[0]]]
		b.pairs = append(b.pairs, int32(k))
	}
	for _, b := range c.blocks {
		b.layout(c.pairs)
		if c.budgets > 0 {
			b.spent = c.budgetRowsOf(b)
		}
	}
}

// renumber gives variable j the number position[j].
func (c *core) renumber(position []int32) {
	n := len(position)
	row, count, cost, loss := c.row, c.count, c.cost, c.loss
	c.row, c.count, c.cost, c.loss = make([]int32, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for j, at := range position {
		c.row[at], c.count[at], c.cost[at], c.loss[at] = row[j], count[j], cost[j], loss[j]
	}
	for j, k := range c.cell {
		c.cell[j] = position[k]
	}
	for k, e := range c.pairs {
		c.pairs[k] = [2]int32{position[e[0]], position[e[1]]}
	}
}

// layout assigns indices to the entries of the block's normal matrix.
func (b *block) layout(pairs [][2]int32) {
	levels := len(b.level) - 1
	of := make([]int, b.n)
	b.diag, b.next = make([]int, levels), make([]int, levels)
	for l := range levels {
		width := b.level[l+1] - b.level[l]
		b.diag[l] = b.size
		b.size += width * width
		b.next[l] = b.size
		if l+1 < levels {
			b.size += width * (b.level[l+2] - b.level[l+1])
		}
		for i := b.level[l]; i < b.level[l+1]; i++ {
			of[i] = l
		}
	}
	b.slot = make([]int, len(b.pairs))
	for k, pair := range b.pairs {
		x, y := int(pairs[pair][0])-b.start, int(pairs[pair][1])-b.start
		if x > y {
			x, y = y, x
		}
		l := of[x]
		row := x - b.level[l]
		if of[y] == l {
			b.slot[k] = b.diag[l] + row*(b.level[l+1]-b.level[l]) + y - b.level[l]
		} else {
			b.slot[k] = b.next[l] + row*(b.level[l+2]-b.level[l+1]) + y - b.level[l+1]
		}
	}
}

// adjacency is an undirected graph in compressed rows.
type adjacency struct {
	offset []int32
	to     []int32
}

func newAdjacency(n int, pairs [][2]int32) adjacency {
	a := adjacency{make([]int32, n+1), make([]int32, 2*len(pairs))}
	for _, e := range pairs {
		a.offset[e[0]+1]++
		a.offset[e[1]+1]++
	}
	for j := range n {
		a.offset[j+1] += a.offset[j]
	}
	fill := append([]int32(nil), a.offset[:n]...)
	for _, e := range pairs {
		a.to[fill[e[0]]], a.to[fill[e[1]]] = e[1], e[0]
		fill[e[0]]++
		fill[e[1]]++
	}
	return a
}

func (a adjacency) neighbors(v int32) []int32 { return a.to[a.offset[v]:a.offset[v+1]] }

// search runs breadth-first searches; seen[v] == mark says that the last one
// reached v, at depth[v].
type search struct {
	adjacency
	depth, seen []int32
	mark        int32
}

// from returns the vertices that v reaches in the order of their depth.
func (s *search) from(v int32) []int32 {
	s.mark++
	order := []int32{v}
	s.seen[v], s.depth[v] = s.mark, 0
	for at := 0; at < len(order); at++ {
		u := order[at]
		for _, t := range s.neighbors(u) {
			if s.seen[t] != s.mark {
				s.seen[t], s.depth[t] = s.mark, s.depth[u]+1
				order = append(order, t)
			}
		}
	}
	return order
}

// levels searches from a peripheral vertex of v's component. It restarts at the last vertex found as long as that
// increases the depth (George and Liu 1979, without their choice among the last level).
func (s *search) levels(v int32) []int32 {
	order := s.from(v)
	for {
		last := order[len(order)-1]
		depth := s.depth[last]
		again := s.from(last)
		if s.depth[again[len(again)-1]] <= depth {
			return again
		}
		order = again
	}
}
