package records

import (
	"context"
	"math/big"
	"slices"

	"dpworkbench/internal/packing"
	"dpworkbench/internal/parameter"
)

// mostCopies bounds the number of copies of a pattern that an extension lists.
const mostCopies = 1 << 22

// Extend returns the Lipschitz extension of a count at a graph (Kasiviswanathan, Nissim, Raskhodnikova and Smith 2013,
// by a flow for edges and a linear program for triangles and stars).
//
// The extension is the largest Σ x_C over the copies C of the pattern, subject to 0 ≤ x_C ≤ 1 and Σ_{C ∋ v} x_C ≤ bound
// at every node v. It equals the count if no node is in more than bound copies. A nil bound stands for [DegreeBound],
// which no graph of degree at most degree exceeds. Removing a node's edges lowers the extension by at most bound,
// because the copies at this node have at most this total weight. Under edge neighbors, pairs of nodes take the place
// of nodes. The optimum is exact.
//
// It returns an error wrapping evidence.ErrParameter unless q counts edges (under node neighbors), triangles or stars,
// bound > 0, and the linear program is small enough for rational arithmetic.
func Extend(ctx context.Context, q *Query, degree int, bound *big.Rat) (*Query, error) {
	if q.pattern.none() || q.pattern.size == 2 && q.neighbors == Edge {
		return nil, parameter.Errorf("%s has no extension from graphs of bounded degree, want edges with node neighbors, triangles or k_star", q.name)
	}
	g := q.graph
	if bound == nil {
		if degree < 1 || degree > g.Nodes()-1 {
			return nil, parameter.Bad("on", degree, "a degree of 1…%d, below the number of nodes", g.Nodes()-1)
		}
		bound = DegreeBound(q, degree)
	}
	if bound.Sign() <= 0 {
		return nil, parameter.Bad("bound", bound, "a positive number: the most copies that contain one node or one edge")
	}
	value, err := q.solvePacking(ctx, bound)
	if err != nil {
		return nil, err
	}
	// Each copy counts at each of its nodes or edges, so the optimum is at most the total capacity divided by the
	// size of a copy.
	places, each := big.NewInt(int64(g.Nodes())), int64(q.pattern.size)
	what := "node"
	if q.neighbors == Edge {
		places, each, what = binomial(g.Nodes(), 2), int64(q.pattern.edges()), "edge"
	}
	hi := new(big.Rat).SetInt(places)
	hi.Mul(hi, bound).Quo(hi, big.NewRat(each, 1))
	again := q.again.graph
	return &Query{name: q.name + ", at most " + text(bound) + " at " + map[string]string{"node": "a node", "edge": "an edge"}[what], value: value, rng: Range{new(big.Rat), least(hi, q.rng.Hi), nil}, neighbors: q.neighbors, original: q,
		ground: "one " + what + " moves it by at most the bound (Kasiviswanathan, Nissim, Raskhodnikova and Smith 2013)",
		moves: func(t int) (up, down *big.Rat) {
			v := new(big.Rat).Mul(bound, whole(t))
			return v, v
		},
		local: constant(bound), global: bound, unattained: true,
		again: builder{here: q.again.here, graph: func(nodes int, edges [][2]int) (*Query, error) {
			other, err := again(nodes, edges)
			if err != nil {
				return nil, err
			}
			return Extend(context.Background(), other, 0, bound)
		}}}, nil
}

// edges returns the number of edges of a copy of the pattern.
func (p pattern) edges() int {
	if p.leaves > 0 {
		return p.leaves
	}
	return p.size * (p.size - 1) / 2
}

// DegreeBound returns the largest number of copies that contain one node, or under edge neighbors one edge, in a
// graph of degree at most d. This is the sensitivity of the count among such graphs.
func DegreeBound(q *Query, d int) *big.Rat {
	k := q.pattern.leaves
	var v *big.Int
	switch {
	case q.neighbors == Edge && k > 0:
		v = binomial(d-1, k-1)
		v.Mul(v, big.NewInt(2))
	case q.neighbors == Edge:
		v = big.NewInt(int64(d - 1))
	case k > 0: // copies in which the node is the center, or a leaf
		v = binomial(d-1, k-1)
		v.Mul(v, big.NewInt(int64(d)))
		v.Add(v, binomial(d, k))
	default:
		v = binomial(d, q.pattern.size-1)
	}
	return new(big.Rat).SetInt(v)
}

// solvePacking solves the extension's linear program.
func (q *Query) solvePacking(ctx context.Context, bound *big.Rat) (*big.Rat, error) {
	g := q.graph
	if q.pattern.size == 2 {
		return packing.Edges(ctx, g.Nodes(), g.row, bound)
	}
	if q.value.Cmp(whole(mostCopies)) > 0 {
		return nil, parameter.Errorf("%s counts %s copies, want at most %d for an extension by a linear program", q.name, q.value.RatString(), mostCopies)
	}
	var sets []packing.Set
	add := func(nodes ...int32) { // nodes of one copy; the center of a star comes first
		places := nodes
		if q.neighbors == Edge {
			places = nil
			for i, u := range nodes {
				for _, v := range nodes[:i] {
					if q.pattern.leaves == 0 || v == nodes[0] {
						places = append(places, int32(g.edgeAt(int(u), int(v))))
					}
				}
			}
		}
		sets = append(sets, packing.Set{Places: places, Times: 1})
	}
	for u := range g.Nodes() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if q.pattern.leaves == 0 {
			g.trianglesFrom(u, func(v, w int) { add(int32(u), int32(v), int32(w)) })
			continue
		}
		star := make([]int32, q.pattern.size)
		star[0] = int32(u)
		var choose func(leaf, first int)
		choose = func(leaf, first int) {
			if leaf > q.pattern.leaves {
				add(append([]int32(nil), star...)...)
				return
			}
			row := g.row(u)
			for i := first; i <= len(row)-(q.pattern.leaves-leaf+1); i++ {
				star[leaf] = row[i]
				choose(leaf+1, i+1)
			}
		}
		choose(1, 0)
	}
	places := g.Nodes()
	if q.neighbors == Edge {
		places = len(g.to)
	}
	return packing.Largest(ctx, sets, places, bound)
}

// edgeAt returns the index of the edge between two nodes in the adjacency list of the smaller one.
func (g *Graph) edgeAt(u, v int) int {
	if u > v {
		u, v = v, u
	}
	at, _ := slices.BinarySearch(g.row(u), int32(v))
	return g.from[u] + at
}
