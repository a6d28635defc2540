package records

import (
	"context"
	"math/big"
	"slices"
	"sort"
	"sync"

	"dpworkbench/internal/parallel"
)

// shape describes a pair of nodes: the number of their common neighbors, and the number of neighbors of exactly one of
// the two.
type shape struct{ common, single int }

// pairs groups pairs of nodes by their number of common neighbors. The pairs are the edges of a graph, or all other
// pairs.
type pairs struct {
	count  []int64 // count[c]: pairs with c common neighbors, c ≥ 1
	single []int   // single[c]: the most neighbors of just one node of such a pair; −1 if there is none
	front  []shape // the Pareto-maximal shapes
	known  []int64 // known[c]: pairs with at least c common neighbors
	sums   []int64 // sums[c]: total number of common neighbors of the pairs in known[c]
	widest int     // the largest single
	both   int     // the largest single + 2·common; −2 if there is no pair
}

func (p *pairs) add(common, single int) {
	for len(p.count) <= common {
		p.count, p.single = append(p.count, 0), append(p.single, -1)
	}
	p.count[common]++
	p.single[common] = max(p.single[common], single)
}

func (p *pairs) merge(o *pairs) {
	for c, n := range o.count {
		if o.single[c] >= 0 {
			p.add(c, o.single[c])
			p.count[c] += n - 1
		}
	}
}

func (p *pairs) finish() {
	best, n := -1, len(p.count)
	p.known, p.sums, p.both = make([]int64, n+1), make([]int64, n+1), -2
	for c := n - 1; c >= 0; c-- {
		p.known[c], p.sums[c] = p.known[c+1]+p.count[c], p.sums[c+1]+int64(c)*p.count[c]
		if p.single[c] > best {
			best = p.single[c]
			p.front = append(p.front, shape{c, best})
			p.both = max(p.both, 2*c+best)
		}
	}
	p.widest = max(best, 0)
}

// top returns T_t, the sum of the t largest numbers c of common neighbors.
//
// Up: f + U_t with U_t = T_t + C(t, 2) over non-edges is valid. If x′ = x + e, each c of another pair rises by at most
// 1, so c_e + U_t(x′) ≤ c_e + T_t(x without e) + t + C(t, 2) ≤ U_{t+1}(x). If x′ = x − e, e is now a non-edge. Then
// U_t(x′) − c_e ≤ T_t(x) + C(t, 2) if e is among the best t, and less otherwise.
//
// Down: f − D_t with D_t = T_t + C(t − 1, 2) over edges is valid. If x′ = x − e, c_e + D_t(x′) ≤ D_{t+1}(x). If x′ = x
// + e and e is among the best t edges of x′, D_t(x′) ≤ c_e + T_{t−1}(x) + (t − 1) + C(t − 1, 2) ≤ c_e + D_{t+1}(x).
// Otherwise at most min(t, 2c_e) edges gain, and min(t, 2c_e) − c_e ≤ t/2 ≤ t − 1 for t ≥ 2, and ≤ 0 for t = 1. T_t
// alone is not valid: an added edge may lie in many triangles of the best edges, which then count twice.
func (p *pairs) top(t int) int64 {
	c := sort.Search(len(p.known), func(c int) bool { return p.known[c] <= int64(t) })
	if c == 0 {
		return p.sums[0]
	}
	return p.sums[c] + (int64(t)-p.known[c])*int64(c-1)
}

// most returns the largest number of triangles on one pair after s changes of other pairs. It is −1 if there is no
// pair or s is negative (Nissim, Raskhodnikova and Smith 2007).
func (p *pairs) most(s, cap int) int {
	if s < 0 {
		return -1
	}
	best := -1
	for _, f := range p.front {
		best = max(best, min(f.common+(s+min(s, f.single))/2, cap))
	}
	return best
}

// wedges counts the common neighbors of all pairs, edges and non-edges.
func (g *Graph) wedges(ctx context.Context) (edges, others *pairs, triangles int64, err error) {
	n := g.Nodes()
	edges, others = new(pairs), new(pairs)
	var mu sync.Mutex
	err = parallel.Workers(ctx, n, 64, func() func(first, last int) error {
		mine, rest, sum := new(pairs), new(pairs), int64(0)
		count := make([]int32, n)
		var touched []int32
		return func(first, last int) error {
			for u := first; u < last; u++ {
				if err := ctx.Err(); err != nil {
					return err
				}
				touched = touched[:0]
				for _, w := range g.row(u) {
					row := g.row(int(w))
					at, _ := slices.BinarySearch(row, int32(u)+1)
					for _, v := range row[at:] {
						if count[v] == 0 {
							touched = append(touched, v)
						}
						count[v]++
					}
				}
				for _, v := range g.row(u) {
					if int(v) > u {
						c := int(count[v])
						mine.add(c, g.degree(u)+g.degree(int(v))-2*c-2)
						sum += int64(c)
						count[v] = 0
					}
				}
				for _, v := range touched {
					if c := int(count[v]); c > 0 {
						rest.add(c, g.degree(u)+g.degree(int(v))-2*c)
						count[v] = 0
					}
				}
			}
			mu.Lock()
			defer mu.Unlock()
			edges.merge(mine)
			others.merge(rest)
			triangles += sum
			*mine, *rest, sum = pairs{}, pairs{}, 0
			return nil
		}
	})
	if err != nil {
		return nil, nil, 0, err
	}
	// Count pairs without a common neighbor. An overestimate is harmless here.
	if all := int64(n) * int64(n-1) / 2; all > int64(g.Len()) {
		others.add(0, n)
	}
	edges.finish()
	others.finish()
	return edges, others, triangles / 3, nil
}

// gainSums computes sums of u_s, the most that change s + 1 adds in one direction. u_s is the maximum of own.most at s
// and other.most at s − 1, because one change turns a pair of the other kind into a pair of this kind.
type gainSums struct {
	own, other *pairs
	cap        int // the most triangles on one pair: n − 2
	mu         sync.Mutex
	sums       []int64 // partial sums of the first changes
}

// at returns u_s.
func (r *gainSums) at(s int) int { return max(r.own.most(s, r.cap), r.other.most(s-1, r.cap), 0) }

// sum returns u_0 + … + u_{t−1}. If s exceeds the number of neighbors of exactly one node for every pair, u_s = min(⌊(s
// + M)/2⌋, n − 2), where M is the largest single + 2·common.
func (r *gainSums) sum(t int) *big.Int {
	settled := max(r.own.widest, r.other.widest+1)
	r.mu.Lock()
	if r.sums == nil {
		r.sums = []int64{0}
	}
	for len(r.sums) <= min(t, settled) {
		k := len(r.sums) - 1
		r.sums = append(r.sums, r.sums[k]+int64(r.at(k)))
	}
	out := big.NewInt(r.sums[min(t, settled)])
	r.mu.Unlock()
	if t <= settled {
		return out
	}
	m := max(r.own.both, r.other.both-1)
	if m < -1 {
		return out // there is no pair
	}
	// Add Σ ⌊(s + m)/2⌋ from s = settled on, while the term is below n − 2. All further terms are n − 2.
	flat := max(settled, min(t, 2*r.cap-m))
	halves := func(k int) *big.Int { // Σ_{j<k} ⌊j/2⌋ = ⌊(k − 1)²/4⌋
		v := big.NewInt(int64(k) - 1)
		v.Mul(v, v)
		return v.Rsh(v, 2)
	}
	out.Add(out, halves(flat+m)).Sub(out, halves(settled+m))
	rest := big.NewInt(int64(t - flat))
	return out.Add(out, rest.Mul(rest, big.NewInt(int64(r.cap))))
}

// Triangles returns the query for the number of triangles. docs/records.md proves the bounds for t edges, or for all
// edges of t nodes. Under edge neighbors there are three bounds in each direction. Upwards: the sum of what each change
// can add; the sum over the t pairs with most common neighbors, plus C(t, 2); and the most triangles in a graph with t
// more edges (Kruskal and Katona). Downwards: the sum of what each change can remove; the sum over the t edges in most
// triangles, plus C(t − 1, 2); and all triangles.
func (g *Graph) Triangles(ctx context.Context) (*Query, error) {
	if g.neighbors == Node {
		return g.trianglesOfNodes(ctx)
	}
	edges, others, count, err := g.wedges(ctx)
	if err != nil {
		return nil, err
	}
	n, m := g.Nodes(), g.Len()
	q := g.query("triangles", big.NewRat(count, 1), new(big.Rat), new(big.Rat).SetInt(binomial(n, 3)), func(g *Graph) (*Query, error) { return g.Triangles(context.Background()) })
	q.ground = "common neighbors of pairs, bounded separately for edges and non-edges (docs/records.md)"
	q.graph, q.pattern = g, pattern{size: 3}
	adds, takes := &gainSums{own: others, other: edges, cap: n - 2}, &gainSums{own: edges, other: others, cap: n - 2}
	q.moves = func(t int) (*big.Rat, *big.Rat) {
		t = min(t, n*(n-1)/2) // every graph is reached by this number of changes
		more := big.NewInt(int64(t))
		more.Mul(more, big.NewInt(int64(t)-1)).Rsh(more, 1) // C(t, 2)
		up := new(big.Int).Add(big.NewInt(others.top(t)), more)
		down := new(big.Int).Add(big.NewInt(edges.top(t)), more)
		down.Sub(down, big.NewInt(int64(t)-1))
		return integer(up, adds.sum(t), new(big.Int).Sub(maxTriangles(m+t), big.NewInt(count))), integer(down, takes.sum(t), big.NewInt(count))
	}
	q.local, q.attained = func(t int) *big.Rat { return whole(max(edges.most(t, n-2), others.most(t, n-2), 0)) }, atFirst
	q.global = whole(n - 2)
	return q, nil
}

// integer returns the minimum of some integers as a rational.
func integer(of ...*big.Int) *big.Rat { return new(big.Rat).SetInt(slices.MinFunc(of, (*big.Int).Cmp)) }

func least(of ...*big.Rat) *big.Rat { return slices.MinFunc(of, (*big.Rat).Cmp) }

// maxTriangles returns the largest number of triangles in a graph with m edges: C(k, 3) + C(r, 2) for m = C(k, 2) +
// r, 0 ≤ r < k.
func maxTriangles(m int) *big.Int {
	k := sort.Search(1<<22, func(k int) bool { return k*(k-1)/2 > m }) - 1
	r := m - k*(k-1)/2
	return new(big.Int).Add(binomial(k, 3), binomial(r, 2))
}
