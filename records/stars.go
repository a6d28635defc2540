package records

import (
	"container/heap"
	"math/big"
	"slices"
	"sync"

	"dpworkbench/internal/lists"
	"dpworkbench/internal/parameter"
)

// ends holds the degrees of the two nodes of a pair, not counting the edge between them.
type ends struct{ high, low int }

// KStar returns the query for the number of k-stars, Σ_v C(d_v, k). The bounds are proved in docs/records.md. Under
// edge neighbors, t changes move the number by at most the sum of what each edge can add or remove. Downwards, another
// bound is the sum of the 2t largest terms C(d − 1, k − 1), at most t of them at one node. Upwards, for k = 2, another
// bound is the sum of the degrees of the t pairs with the largest degrees, plus C(t, 2). It returns an error wrapping
// evidence.ErrParameter unless 2 ≤ k < the number of nodes.
func (g *Graph) KStar(k int) (*Query, error) {
	n := g.Nodes()
	if n < 3 {
		return nil, parameter.Errorf("k_star: a graph of %d nodes has no stars, want at least three nodes", n)
	}
	if k < 2 || k >= n {
		return nil, parameter.Bad("k", k, "2…%d, below the number of nodes", n-1)
	}
	if g.neighbors == Node {
		return g.starsOfNodes(k), nil
	}
	value, d := new(big.Int), g.degrees()
	for _, x := range d {
		value.Add(value, binomial(x, k))
	}
	most := binomial(n-1, k)
	hi := new(big.Rat).SetInt(most.Mul(most, big.NewInt(int64(n))))
	q := g.query(big.NewInt(int64(k)).String()+"-stars", new(big.Rat).SetInt(value), new(big.Rat), hi, func(g *Graph) (*Query, error) { return g.KStar(k) })
	q.ground = "degrees of pairs, bounded separately for edges and non-edges (docs/records.md)"
	q.graph, q.pattern = g, pattern{size: k + 1, leaves: k}
	edges, others := g.paretoFronts()
	best := func(front []ends, s int) *big.Int {
		out := new(big.Int)
		if s < 0 {
			return out
		}
		for _, e := range front { // add s edges at one node; edges beyond its capacity go to the other
			high := min(e.high+s, n-2)
			low := min(e.low+max(0, e.high+s-(n-2)), n-2)
			if v := new(big.Int).Add(binomial(high, k-1), binomial(low, k-1)); v.Cmp(out) > 0 {
				out = v
			}
		}
		return out
	}
	larger := func(a, b *big.Int) *big.Rat {
		if a.Cmp(b) < 0 {
			a = b
		}
		return new(big.Rat).SetInt(a)
	}
	summed := newClimb(func(s int) (up, down *big.Rat) {
		return larger(best(others, s), best(edges, s-1)), larger(best(edges, s), best(others, s-1))
	})
	count := make([]int, d[0]+2) // number of nodes with degree at least j
	for _, x := range d {
		count[x]++
	}
	for j := d[0]; j >= 0; j-- {
		count[j] += count[j+1]
	}
	top := &topPairs{graph: g}
	pairs := n * (n - 1) / 2
	q.moves = func(t int) (*big.Rat, *big.Rat) {
		t = min(t, pairs) // every graph is reached by this number of changes
		up, down := summed.moves(t)
		down = least(down, new(big.Rat).SetInt(topTerms(count, k, t)), q.value)
		if k == 2 {
			up = least(up, big.NewRat(top.sum(t)+int64(t)*int64(t-1)/2, 1))
		}
		return up, down
	}
	q.local, q.attained = func(t int) *big.Rat { return larger(best(edges, t), best(others, t)) }, always
	q.global = new(big.Rat).SetInt(new(big.Int).Mul(big.NewInt(2), binomial(n-2, k-1)))
	return q, nil
}

// topTerms returns the sum of the 2t largest C(j − 1, k − 1) over nodes and 1 ≤ j ≤ their degree, at most t at one
// node. count[j] is the number of nodes with degree at least j.
func topTerms(count []int, k, t int) *big.Int {
	sum, left := new(big.Int), 2*t
	for j := len(count) - 2; j >= 1 && left > 0; j-- {
		beyond := 0 // number of nodes that already gave t terms
		if j+t < len(count) {
			beyond = count[j+t]
		}
		take := min(left, count[j]-beyond)
		left -= take
		v := binomial(j-1, k-1)
		sum.Add(sum, v.Mul(v, big.NewInt(int64(take))))
	}
	return sum
}

// paretoFronts returns the Pareto-maximal ends of edges and of pairs that are not edges.
func (g *Graph) paretoFronts() (edges, others []ends) {
	n := g.Nodes()
	order := g.byDegree()
	for _, u := range order {
		best := -1 // the largest degree among those joined to u
		for _, v := range g.row(u) {
			best = max(best, g.degree(int(v)))
		}
		if best >= 0 {
			edges = append(edges, pairOf(g.degree(u)-1, best-1))
		}
		if g.degree(u) == n-1 {
			continue
		}
		for _, v := range order {
			if v != u && !g.joined(u, v) {
				others = append(others, pairOf(g.degree(u), g.degree(v)))
				break
			}
		}
	}
	return paretoFront(edges), paretoFront(others)
}

func pairOf(a, b int) ends { return ends{max(a, b), min(a, b)} }

// paretoFront returns the ends that no other pair's ends dominate in both coordinates, in descending order.
func paretoFront(of []ends) []ends {
	slices.SortFunc(of, func(a, b ends) int {
		if a.high != b.high {
			return b.high - a.high
		}
		return b.low - a.low
	})
	var out []ends
	for _, e := range of {
		if len(out) == 0 || e.low > out[len(out)-1].low {
			out = append(out, e)
		}
	}
	return out
}

// byDegree lists the nodes in descending order of degree.
func (g *Graph) byDegree() []int {
	return lists.Order(g.Nodes(), func(a, b int) int { return g.degree(b) - g.degree(a) })
}

// topPairs lists pairs that are not edges in descending order of the sum of degrees. It extends the list when sum needs
// more.
type topPairs struct {
	graph *Graph
	mu    sync.Mutex
	order []int
	queue pairQueue
	sums  []int64
}

// sum returns the sum of the degrees of the first t pairs.
func (p *topPairs) sum(t int) int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.sums == nil {
		p.order = p.graph.byDegree()
		p.sums = []int64{0}
		p.push(0, 1)
	}
	for len(p.sums) <= t {
		last := p.sums[len(p.sums)-1]
		if len(p.queue) == 0 {
			p.sums = append(p.sums, last)
			continue
		}
		e := heap.Pop(&p.queue).(ranked)
		p.push(e.i, e.j+1)
		if e.j == e.i+1 {
			p.push(e.i+1, e.i+2)
		}
		if !p.graph.joined(p.order[e.i], p.order[e.j]) {
			p.sums = append(p.sums, last+int64(e.sum))
		}
	}
	return p.sums[t]
}

func (p *topPairs) push(i, j int) {
	if j < len(p.order) {
		heap.Push(&p.queue, ranked{p.graph.degree(p.order[i]) + p.graph.degree(p.order[j]), i, j})
	}
}

// ranked is a pair of nodes, given by their indices in order, and the sum of their degrees.
type ranked struct{ sum, i, j int }

type pairQueue []ranked

func (q pairQueue) Len() int           { return len(q) }
func (q pairQueue) Less(a, b int) bool { return q[a].sum > q[b].sum }
func (q pairQueue) Swap(a, b int)      { q[a], q[b] = q[b], q[a] }

// Push implements heap.Interface.
func (q *pairQueue) Push(x any) { *q = append(*q, x.(ranked)) }

// Pop implements heap.Interface.
func (q *pairQueue) Pop() any {
	old := *q
	x := old[len(old)-1]
	*q = old[:len(old)-1]
	return x
}

// runningBounds computes bounds for t = 0, 1, … by adding what each change contributes.
type runningBounds struct {
	mu   sync.Mutex
	sums [][2]*big.Rat                   // up and down, for each t
	step func(t int) (up, down *big.Rat) // what change t + 1 adds
}

func newClimb(step func(t int) (up, down *big.Rat)) *runningBounds {
	return &runningBounds{sums: [][2]*big.Rat{{new(big.Rat), new(big.Rat)}}, step: step}
}

// moves returns the sums after t changes.
func (c *runningBounds) moves(t int) (up, down *big.Rat) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.sums) <= t {
		k := len(c.sums) - 1
		u, d := c.step(k)
		c.sums = append(c.sums, [2]*big.Rat{new(big.Rat).Add(c.sums[k][0], u), new(big.Rat).Add(c.sums[k][1], d)})
	}
	return c.sums[t][0], c.sums[t][1]
}
