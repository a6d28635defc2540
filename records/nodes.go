package records

import (
	"context"
	"math/big"
	"slices"
	"sync"

	"dpworkbench/internal/parallel"
)

// pattern is the subgraph that a query counts: edges (size 2), triangles (3), or stars with the given number of
// leaves.
type pattern struct{ size, leaves int }

// none reports whether no pattern is set.
func (p pattern) none() bool { return p == pattern{} }

// atNode holds has, the number of copies of a pattern that contain a node, and full, their number if the node were
// joined to all others.
type atNode struct{ has, full *big.Int }

// underNodes returns q with the layers of a pattern count under node neighbors (docs/records.md). both is the largest
// number of copies that two nodes share. Rewiring t nodes loses at most the t largest numbers of copies, plus both·C(t
// − 1, 2). It gains at most the t largest numbers of missing copies, plus twice·both·C(t, 2) for copies that need edges
// at two rewired nodes.
//
// Proof. Neighbors x and x′ agree with a graph y except for the edges of a node v, which has no edges in y. At node u,
// let h_u be has and g_u be full; let κ be both and m be twice. h_v = f(x) − f(y), g_v depends on y alone, and f(x′) ≤
// f(y) + g_v. For u ≠ v, h_u and g_u are at least their values in y, and larger by at most κ.
//
// Down: D_t = (the t largest h_u) + κC(t − 1, 2) must satisfy D_t(x′) − h_v(x′) ≤ D_{t+1}(x) − h_v(x). The right side
// is at least the t largest h_u(y) + κC(t, 2). If v is among the best t of x′, the others are at most h_u(y) + κ, and
// (t − 1)κ + κC(t − 1, 2) = κC(t, 2). Otherwise each of the best t gained at most min(h_v(x′), κ), and t·min(h_v, κ) −
// h_v ≤ (t − 1)κ.
//
// Up: U_t = (the t largest g_u − h_u) + mκC(t, 2) must satisfy f(x′) + U_t(x′) ≤ f(x) + U_{t+1}(x). The right side is
// at least f(y) + g_v + (t other terms of x) + mκC(t + 1, 2). A term of x is at least the term of y, less κ for stars:
// copies missing at u stay missing, except copies with v as a leaf of u. Missing triangles lack an edge between v and
// two others, which y lacks, too. If v is among the best of x′, the left side is at most f(y) + g_v + Σ (t − 1 terms of
// y, each κ more) + mκC(t, 2). Otherwise h_v(x′) ≤ g_v, and the t terms are at most κ more each: mκC(t, 2) + tκ + (m −
// 1)tκ = mκC(t + 1, 2).
func (q *Query) underNodes(g *Graph, of pattern, nodes []atNode, both *big.Int, twice int64) *Query {
	q.graph, q.pattern = g, of
	q.ground = "copies at each node, present and absent (docs/records.md)"
	has, missing := make([]*big.Int, len(nodes)), make([]*big.Int, len(nodes))
	full, first := new(big.Int), new(big.Int)
	most := func(a *big.Int, b *big.Int) {
		if a.Cmp(b) < 0 {
			a.Set(b)
		}
	}
	for v, a := range nodes {
		has[v], missing[v] = a.has, new(big.Int).Sub(a.full, a.has)
		most(full, a.full)
		most(first, has[v])
		most(first, missing[v])
	}
	falling := func(a, b *big.Int) int { return b.Cmp(a) }
	slices.SortFunc(has, falling)
	slices.SortFunc(missing, falling)
	n := len(nodes)
	down, up := running(has), running(missing)
	q.moves = func(t int) (*big.Rat, *big.Rat) {
		t = min(t, n)
		more := func(sum *big.Int, factor, pairs int64) *big.Rat {
			v := new(big.Int).Mul(both, big.NewInt(factor*pairs))
			return new(big.Rat).SetInt(v.Add(v, sum))
		}
		summed := q.ladderSum(t)
		return least(more(up[t], twice, int64(t)*int64(t-1)/2), summed), least(more(down[t], 1, int64(t-1)*int64(t-2)/2), summed)
	}
	q.attained = atFirst
	top := new(big.Int).Set(q.global.Num())
	q.local = func(t int) *big.Rat {
		if t <= 0 {
			return new(big.Rat).SetInt(first)
		}
		v := new(big.Int).Mul(both, big.NewInt(int64(min(t, n))))
		v.Add(v, full)
		if v.Cmp(top) > 0 {
			v = top
		}
		return new(big.Rat).SetInt(v)
	}
	return q
}

// running returns the partial sums of the first 0, 1, 2, … numbers.
func running(of []*big.Int) []*big.Int {
	sums := []*big.Int{new(big.Int)}
	for k, v := range of {
		sums = append(sums, new(big.Int).Add(sums[k], v))
	}
	return sums
}

// trianglesOfNodes returns the query of Triangles under node neighbors.
func (g *Graph) trianglesOfNodes(ctx context.Context) (*Query, error) {
	at, err := g.trianglesAt(ctx)
	if err != nil {
		return nil, err
	}
	n, sum := g.Nodes(), int64(0)
	nodes := make([]atNode, n)
	for v, has := range at {
		sum += has
		nodes[v] = atNode{big.NewInt(has), big.NewInt(int64(g.Len() - g.degree(v)))}
	}
	q := g.query("triangles", big.NewRat(sum/3, 1), new(big.Rat), new(big.Rat).SetInt(binomial(n, 3)), func(g *Graph) (*Query, error) { return g.Triangles(context.Background()) })
	q.global = new(big.Rat).SetInt(binomial(n-1, 2))
	return q.underNodes(g, pattern{size: 3}, nodes, big.NewInt(int64(n-2)), 1), nil
}

// trianglesAt counts the triangles at each node.
func (g *Graph) trianglesAt(ctx context.Context) ([]int64, error) {
	n := g.Nodes()
	out := make([]int64, n)
	var mu sync.Mutex
	err := parallel.Workers(ctx, n, 64, func() func(first, last int) error {
		mine := make([]int64, n)
		return func(first, last int) error {
			for u := first; u < last; u++ {
				if err := ctx.Err(); err != nil {
					return err
				}
				g.trianglesFrom(u, func(v, w int) { mine[u], mine[v], mine[w] = mine[u]+1, mine[v]+1, mine[w]+1 })
			}
			mu.Lock()
			defer mu.Unlock()
			for v, k := range mine {
				out[v] += k
				mine[v] = 0
			}
			return nil
		}
	})
	return out, err
}

// trianglesFrom calls f for every triangle of nodes u < v < w, for a given u.
func (g *Graph) trianglesFrom(u int, f func(v, w int)) {
	above := func(row []int32, v int) []int32 {
		at, _ := slices.BinarySearch(row, int32(v)+1)
		return row[at:]
	}
	mine := above(g.row(u), u)
	for i, v := range mine {
		a, b := mine[i+1:], above(g.row(int(v)), int(v))
		for len(a) > 0 && len(b) > 0 {
			switch {
			case a[0] < b[0]:
				a = a[1:]
			case a[0] > b[0]:
				b = b[1:]
			default:
				f(int(v), int(a[0]))
				a, b = a[1:], b[1:]
			}
		}
	}
}

// starsOfNodes returns the query of KStar under node neighbors.
func (g *Graph) starsOfNodes(k int) *Query {
	n, value, leaves := g.Nodes(), new(big.Int), new(big.Int)
	for v := range n {
		value.Add(value, binomial(g.degree(v), k))
		leaves.Add(leaves, binomial(g.degree(v), k-1))
	}
	nodes := make([]atNode, n)
	for v := range nodes {
		d := g.degree(v)
		has, full := binomial(d, k), binomial(n-1, k)
		full.Add(full, leaves).Sub(full, binomial(d, k-1)) // as a leaf of u ≠ v, with k − 1 of u's other neighbors
		for _, u := range g.row(v) {
			own := binomial(g.degree(int(u))-1, k-1)
			has.Add(has, own)
			full.Add(full, own).Sub(full, binomial(g.degree(int(u)), k-1)) // the degree of a neighbor u counts v
		}
		nodes[v] = atNode{has, full}
	}
	most := binomial(n-1, k)
	most.Mul(most, big.NewInt(int64(n)))
	q := g.query(big.NewInt(int64(k)).String()+"-stars", new(big.Rat).SetInt(value), new(big.Rat), new(big.Rat).SetInt(most), func(g *Graph) (*Query, error) { return g.KStar(k) })
	all := binomial(n-2, k-1) // a node is the center of C(n − 1, k) stars, and a leaf of C(n − 2, k − 1) for each other center
	all.Mul(all, big.NewInt(int64(n-1)))
	q.global = new(big.Rat).SetInt(all.Add(all, binomial(n-1, k)))
	both := binomial(n-2, k-1) // copies with one of the two as the center, or with both as leaves of a third
	both.Mul(both, big.NewInt(2))
	third := binomial(n-3, k-2)
	both.Add(both, third.Mul(third, big.NewInt(int64(n-2))))
	return q.underNodes(g, pattern{size: k + 1, leaves: k}, nodes, both, 2)
}
