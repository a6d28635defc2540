package records

import (
	"context"
	"math/big"
	"slices"
	"sync"

	"dpworkbench/internal/parallel"
)

// shape is a pair of nodes as one change of it counts: so many common neighbors, and neighbors
// of just one of the two.
type shape struct{ common, single int }

// pairs are the pairs of nodes of one kind, edges or others, by what they have in common.
type pairs struct {
	count  []int64 // count[c]: pairs with c common neighbors, c ≥ 1
	single []int   // single[c]: the most neighbors of just one of the two, −1 without a pair
	front  []shape // those that another does not exceed in both
	sums   []int64 // of the t largest numbers of common neighbors
	left   int64   // pairs of the number that was used last
	at     int
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
	best := -1
	for c := len(p.count) - 1; c >= 0; c-- {
		if p.single[c] > best {
			best = p.single[c]
			p.front = append(p.front, shape{c, best})
		}
	}
	p.sums, p.at = []int64{0}, len(p.count)-1
	if p.at >= 0 {
		p.left = p.count[p.at]
	}
}

// top returns the sum of the t largest numbers of common neighbors.
func (p *pairs) top(t int) int64 {
	for len(p.sums) <= t {
		for p.at > 0 && p.left == 0 {
			p.at--
			p.left = p.count[p.at]
		}
		p.left--
		p.sums = append(p.sums, p.sums[len(p.sums)-1]+int64(max(p.at, 0)))
	}
	return p.sums[t]
}

// most returns the most triangles that a pair can be in after s changes of other pairs, −1
// where there is no pair or s is negative (Nissim, Raskhodnikova and Smith 2007).
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

// wedges counts the common neighbors of all pairs, edges and others.
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
	// Pairs without a common neighbor: more than are there do no harm.
	if all := int64(n) * int64(n-1) / 2; all > int64(g.Len()) {
		others.add(0, n)
	}
	edges.finish()
	others.finish()
	return edges, others, triangles / 3, nil
}

// climb are bounds that grow step by step, each from those before.
type climb struct {
	mu       sync.Mutex
	up, down []*big.Rat
	step     func(t int) (up, down *big.Rat) // what change t + 1 adds
}

func newClimb(step func(t int) (up, down *big.Rat)) *climb {
	return &climb{up: []*big.Rat{new(big.Rat)}, down: []*big.Rat{new(big.Rat)}, step: step}
}

// moves returns the sums of the first t steps; the caller holds the lock.
func (c *climb) moves(t int) (up, down *big.Rat) {
	for len(c.up) <= t {
		k := len(c.up) - 1
		u, d := c.step(k)
		c.up, c.down = append(c.up, new(big.Rat).Add(c.up[k], u)), append(c.down, new(big.Rat).Add(c.down[k], d))
	}
	return c.up[t], c.down[t]
}

// Triangles returns the number of triangles, under edges. The bounds on how far t edges move it
// are proved in docs/records.md: up, the sum of how much each can add, the t pairs with most common
// neighbors and C(t, 2), and what so many edges can hold (Kruskal and Katona); down, the sum of how much
// each can take, the t edges in most triangles and C(t − 1, 2), and all.
func (g *Graph) Triangles(ctx context.Context) (*Query, error) {
	if err := g.needsEdge("triangles"); err != nil {
		return nil, err
	}
	edges, others, count, err := g.wedges(ctx)
	if err != nil {
		return nil, err
	}
	n, m := g.Nodes(), g.Len()
	q := g.query("triangles", big.NewRat(count, 1), new(big.Rat), new(big.Rat).SetInt(binomial(n, 3)), func(g *Graph) (*Query, error) { return g.Triangles(context.Background()) })
	q.ground = "common neighbors of pairs, edges and others apart (docs/records.md)"
	summed := newClimb(func(s int) (up, down *big.Rat) {
		up = whole(max(others.most(s, n-2), edges.most(s-1, n-2), 0))
		return up, whole(max(edges.most(s, n-2), others.most(s-1, n-2), 0))
	})
	q.moves = func(t int) (*big.Rat, *big.Rat) {
		summed.mu.Lock()
		defer summed.mu.Unlock()
		up, down := summed.moves(t)
		more := int64(t) * int64(t-1) / 2
		up = least(up, big.NewRat(others.top(t)+more, 1), new(big.Rat).SetInt(new(big.Int).Sub(held(m+t), big.NewInt(count))))
		down = least(down, big.NewRat(edges.top(t)+more-int64(t-1), 1), q.value)
		return up, down
	}
	q.local = func(t int) *big.Rat { return whole(max(edges.most(t, n-2), others.most(t, n-2), 0)) }
	q.global = whole(n - 2)
	return q, nil
}

func least(of ...*big.Rat) *big.Rat { return slices.MinFunc(of, (*big.Rat).Cmp) }

// held returns the most triangles of a graph with m edges, C(k, 3) + C(r, 2) for m = C(k, 2) + r,
// 0 ≤ r < k.
func held(m int) *big.Int {
	k, over := 1, 1<<31
	for over-k > 1 {
		if mid := (k + over) / 2; mid*(mid-1)/2 <= m {
			k = mid
		} else {
			over = mid
		}
	}
	r := m - k*(k-1)/2
	return new(big.Int).Add(binomial(k, 3), binomial(r, 2))
}
