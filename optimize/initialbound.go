package optimize

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"dpworkbench/internal/lists"
	"dpworkbench/internal/parallel"
)

// A lower bound on the cost of all tables of layers, and a branch and bound on it.
//
// From the layers of each dataset subtract its first one, and merge all layers from deepest on into one. Its values may
// have any weight from 0 to that of layer deepest, whichever costs least. Every table gives such rows. Rows of
// neighbors differ by at most 1 everywhere after a shift by −1, 0 or 1. So the least cost of compatible rows is a lower
// bound. This cost is bounded from below in turn by potentials on the edges. An edge from x to y, x before y in the
// order, has a potential M on the rows of y; it subtracts from each row of x the largest M of a compatible row of y.
// For any potentials, the sum of each dataset's cheapest row, potentials included, is at most the cost of compatible
// rows. Sequential tree-reweighted message passing (Kolmogorov 2006) makes that sum large.
//
// The bound of a table increases by the excess of its row over the cheapest row of the dataset. So rows above the best
// known table are removed, which raises the bound. If that stalls, the rows of one dataset are split by the layer of
// one value, and both halves are searched.

// relaxed is the relaxation of a search over tables.
type relaxed struct {
	*tables
	deepest int
	states  int         // (deepest + 1)^size, including rows that do not begin at layer 0
	valid   []int32     // the rows that begin at layer 0
	cost    [][]float64 // of the rows, by the index of f(x)
	order   []int       // datasets
	edges   []link      // of neighbors, by their place in the order
	before  [][]int     // edges to earlier datasets, by dataset
	after   [][]int     // edges to later datasets, by dataset
	message [][]float32 // message of each edge, to the end that the last pass visited later
	most    float32     // cap of a message, above the cost of any table
	slack   float64     // bound on the rounding of a bound's sums
	free    chan *passage
}

// link is an edge, its earlier dataset first.
type link struct{ x, y int }

// passage is scratch memory for one message.
type passage struct{ out, one, two []float32 }

var never = float32(math.Inf(1))

// relax prepares the relaxation. It returns an error wrapping ErrNotReached if that takes too much memory, and ctx's
// error if ctx ends.
func (s *tables) relax(ctx context.Context, deepest int) (*relaxed, error) {
	const most = 3 << 30 // bytes
	e := &relaxed{tables: s, deepest: deepest, states: 1, free: make(chan *passage, 8)}
	e.arrange()
	for range s.size {
		if e.states *= deepest + 1; e.states > most/e.bytes() {
			return nil, fmt.Errorf("%w: a bound with %d layers of %d values on %d pairs of neighbors takes more than 3 GiB, want fewer layers", ErrNotReached, deepest, s.size, len(e.edges))
		}
	}
	for range e.edges {
		e.message = append(e.message, make([]float32, e.states))
	}
	largest, all := slices.Max(s.dist), float64(s.q.Size())
	e.most = float32(4*largest) + 1
	e.slack = all*(all+1)*(2*all+1)*float64(e.most)*0x1p-52 + 1e-12*largest // rounding of sums of that many terms, and of their total
	row := make([]int, s.size)
	for i := range e.states {
		if i%65536 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if e.layers(i, row); slices.Min(row) == 0 {
			e.valid = append(e.valid, int32(i))
		}
	}
	e.cost = make([][]float64, s.size)
	n := s.q.Size()
	for x := range n {
		if v := s.q.ValueIndex(x); e.cost[v] == nil {
			e.cost[v] = make([]float64, e.states)
			d := s.dist[x*s.size:][:s.size]
			sorted := lists.Order(s.size, func(a, b int) int { return cmp.Compare(d[a], d[b]) })
			for k, i := range e.valid {
				if k%65536 == 0 && ctx.Err() != nil {
					return nil, ctx.Err()
				}
				e.layers(int(i), row)
				e.cost[v][i] = e.least(row, d, sorted)
			}
		}
	}
	return e, nil
}

// bytes returns the memory per row for messages, and for costs by dataset and by value.
func (e *relaxed) bytes() int { return 4*len(e.edges) + 8*e.q.Size() + 8*e.size }

// layers writes the layers of row number i into row.
func (e *relaxed) layers(i int, row []int) {
	for r := range row {
		row[r] = i % (e.deepest + 1)
		i /= e.deepest + 1
	}
}

// least returns the least cost of a row whose values in the last layer may have any weight up to that layer's. sorted
// lists the values by their distances d.
func (e *relaxed) least(row []int, d []float64, sorted []int) float64 {
	sum, mass := 0.0, 0.0
	add := func(r, l int) {
		if l < len(e.weight) {
			sum += e.weight[l] * d[r]
			mass += e.weight[l]
		}
	}
	for r, l := range row {
		if l < e.deepest {
			add(r, l)
		}
	}
	for _, r := range sorted {
		if row[r] == e.deepest && d[r]*mass < sum {
			add(r, e.deepest)
		}
	}
	return sum / mass
}

// arrange orders the datasets, each component starting from a dataset far from the others, and links neighbors.
func (e *relaxed) arrange() {
	n := e.q.Size()
	place := make([]int, n)
	for _, members := range components(e.q.Space()) {
		first := members[0]
		far := first
		for _, y := range members {
			if e.far[first][y] > e.far[first][far] {
				far = y
			}
		}
		slices.SortStableFunc(members, func(a, b int) int { return e.far[far][a] - e.far[far][b] })
		e.order = append(e.order, members...)
	}
	for k, x := range e.order {
		place[x] = k
	}
	e.before, e.after = make([][]int, n), make([][]int, n)
	for _, x := range e.order {
		for _, y := range e.q.Space().Neighbors(x) {
			if place[x] < place[int(y)] {
				k := len(e.edges)
				e.edges = append(e.edges, link{x, int(y)})
				e.after[x], e.before[y] = append(e.after[x], k), append(e.before[y], k)
			}
		}
	}
}

// narrow replaces v(l) by min(v(l), v(l + 1)) if up, and by min(v(l), v(l − 1)) otherwise, along every value in turn.
func (e *relaxed) narrow(v []float32, up bool) {
	stride := 1
	for range e.size {
		block := stride * (e.deepest + 1)
		for at := 0; at < len(v); at += block {
			if b := v[at:][:block]; up {
				least(b[:block-stride], b[stride:])
			} else {
				for l := e.deepest; l > 0; l-- {
					least(b[l*stride:][:stride], b[(l-1)*stride:][:stride])
				}
			}
		}
		stride = block
	}
}

// least sets each entry of a to the minimum of a's and b's.
func least(a, b []float32) {
	b = b[:len(a)]
	for i, v := range b {
		if v < a[i] {
			a[i] = v
		}
	}
}

// reach sets p.out(b) to the least p.out(a) over the rows a compatible with b.
func (e *relaxed) reach(p *passage) {
	copy(p.one, p.out)
	e.narrow(p.one, true)
	copy(p.two, p.out)
	copy(p.out, p.one)
	e.narrow(p.out, false) // a within 1 of b
	e.narrow(p.one, true)  // a − 1 within 1 of b
	least(p.out, p.one)
	e.narrow(p.two, false)
	e.narrow(p.two, false) // a + 1 within 1 of b
	least(p.out, p.two)
}

func (e *relaxed) passage() *passage {
	select {
	case p := <-e.free:
		return p
	default:
		return &passage{make([]float32, e.states), make([]float32, e.states), make([]float32, e.states)}
	}
}

func (e *relaxed) release(p *passage) {
	select {
	case e.free <- p:
	default:
	}
}

// box is a node of the branch and bound: the rows that remain.
type box struct {
	gone  []rowset
	bound float64
	split [3]int // dataset, value and layer for the split; the value is −1 if there is none
}

type rowset []uint64

func (b rowset) has(i int32) bool { return b[i>>6]>>(i&63)&1 != 0 }
func (b rowset) add(i int32)      { b[i>>6] |= 1 << (i & 63) }

// pass visits the datasets once, forwards or backwards, and updates their messages to later ones.
func (e *relaxed) pass(ctx context.Context, b *box, forward bool) error {
	total := make([]float32, e.states)
	for k := range e.order {
		x, before, after := e.order[k], e.before, e.after
		if !forward {
			x, before, after = e.order[len(e.order)-1-k], after, before
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		cost, prior, gone := e.cost[e.q.ValueIndex(x)], e.prior[x], b.gone[x]
		for i := range total {
			total[i] = never
		}
		for _, i := range e.valid {
			if gone.has(i) {
				continue
			}
			v := float32(prior * cost[i])
			for _, k := range before[x] {
				v += e.message[k][i]
			}
			for _, k := range after[x] {
				v += e.message[k][i]
			}
			total[i] = v
		}
		share := 1 / float32(max(len(before[x]), len(after[x]), 1))
		err := parallel.Each(ctx, len(after[x]), func(j int) error {
			m, p := e.message[after[x][j]], e.passage()
			for i, v := range total {
				p.out[i] = share*v - m[i]
			}
			e.reach(p)
			low := never
			for _, i := range e.valid {
				low = min(low, p.out[i])
			}
			for _, i := range e.valid {
				if low < never {
					m[i] = min(p.out[i]-low, e.most)
				}
			}
			e.release(p)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// settle computes the bound from the potentials of a forward pass, removes the rows that cost more than limit, and
// chooses a split.
func (e *relaxed) settle(ctx context.Context, b *box, limit float64) error {
	n := e.q.Size()
	costs := make([][]float64, n)
	lows := make([]float64, n)
	err := parallel.Each(ctx, n, func(x int) error {
		t := make([]float64, e.states)
		cost, prior := e.cost[e.q.ValueIndex(x)], e.prior[x]
		for _, i := range e.valid {
			t[i] = prior * cost[i]
			for _, k := range e.before[x] {
				t[i] += float64(e.message[k][i])
			}
		}
		p := e.passage()
		for _, k := range e.after[x] {
			if err := ctx.Err(); err != nil {
				return err
			}
			for i := range p.out {
				p.out[i] = never
			}
			for _, i := range e.valid {
				if !b.gone[e.edges[k].y].has(i) {
					p.out[i] = -e.message[k][i]
				}
			}
			e.reach(p)
			for _, i := range e.valid {
				t[i] += float64(p.out[i])
			}
		}
		e.release(p)
		lows[x] = math.Inf(1)
		for _, i := range e.valid {
			if !b.gone[x].has(i) {
				lows[x] = min(lows[x], t[i])
			}
		}
		costs[x] = t
		return nil
	})
	if err != nil {
		return err
	}
	sum := -e.slack
	for _, v := range lows {
		sum += v
	}
	if b.bound = max(b.bound, sum); b.bound > limit {
		return nil
	}
	b.split = [3]int{-1, -1, 0}
	widest := [2]int{} // of nearly cheapest rows, and of all rows
	row := make([]int, e.size)
	for x := range n {
		b.gone[x] = slices.Clone(b.gone[x]) // copy: other boxes may share it
		near, all := e.nothing(), e.nothing()
		for _, i := range e.valid {
			if b.gone[x].has(i) {
				continue
			}
			above := costs[x][i] - lows[x]
			if sum+above-e.slack > limit {
				b.gone[x].add(i)
				continue
			}
			e.layers(int(i), row)
			all.take(row)
			if above <= (limit-sum)/64 {
				near.take(row)
			}
		}
		for r := range near {
			wide := [2]int{near[r][1] - near[r][0], all[r][1] - all[r][0]}
			if wide[0] > widest[0] || wide[0] == widest[0] && wide[1] > widest[1] {
				widest = wide
				if from := near[r]; wide[0] > 0 {
					b.split = [3]int{x, r, (from[0] + from[1]) / 2}
				} else {
					b.split = [3]int{x, r, (all[r][0] + all[r][1]) / 2}
				}
			}
		}
	}
	return nil
}
