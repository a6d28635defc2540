package records_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/internal/must"
	"dpworkbench/records"
)

// matrix is a graph by its adjacency matrix.
type matrix [][]bool

func (g matrix) edges() (out [][2]int) {
	for u := range g {
		for v := range u {
			if g[u][v] {
				out = append(out, [2]int{v, u})
			}
		}
	}
	return out
}

func (g matrix) degree(u int) (d int) {
	for v := range g {
		d += b2i(g[u][v])
	}
	return d
}

// pairs calls f for each two nodes.
func (g matrix) pairs(f func(u, v int)) {
	for u := range g {
		for v := range u {
			f(u, v)
		}
	}
}

// joinedToAll is the graph with a node that is joined to all others.
func (g matrix) joinedToAll(u int) matrix {
	out := make(matrix, len(g))
	for v := range g {
		out[v] = slices.Clone(g[v])
	}
	for v := range g {
		out[u][v], out[v][u] = v != u, v != u
	}
	return out
}

// trianglesAt counts the triangles at a node, and starsAt the k-stars, as their center and as a leaf.
func (g matrix) trianglesAt(u int) (n int64) {
	g.pairs(func(v, w int) { n += int64(b2i(g[u][v] && g[u][w] && g[v][w])) })
	return n
}

func (g matrix) starsAt(u, k int) int64 {
	n := choose(g.degree(u), k)
	for v := range g {
		if g[u][v] {
			n += choose(g.degree(v)-1, k-1)
		}
	}
	return n
}

func choose(n, k int) int64 {
	if k < 0 || n < k {
		return 0
	}
	out := int64(1)
	for i := range int64(k) {
		out = out * (int64(n) - i) / (i + 1)
	}
	return out
}

func (g matrix) components() (n int) {
	seen := make([]bool, len(g))
	var visit func(u int)
	visit = func(u int) {
		seen[u] = true
		for v := range g {
			if g[u][v] && !seen[v] {
				visit(v)
			}
		}
	}
	for u := range g {
		if !seen[u] {
			n++
			visit(u)
		}
	}
	return n
}

// best sums the t largest of some numbers.
func best(of []int64, t int) (sum int64) {
	of = slices.Clone(of)
	slices.Sort(of)
	slices.Reverse(of)
	for _, v := range of[:min(t, len(of))] {
		sum += v
	}
	return sum
}

// manyGraphs are graphs of all densities, and some of one kind.
func manyGraphs(from, to, each int) (out []matrix) {
	rng := rand.New(rand.NewPCG(9, 12))
	for n := from; n <= to; n++ {
		for i := range each {
			g := make(matrix, n)
			for u := range g {
				g[u] = make([]bool, n)
			}
			for u := range n {
				for v := range u {
					on := rng.IntN(each) < i
					switch i {
					case 1: // a star
						on = v == 0
					case 2: // a path
						on = v == u-1
					case 3: // a circle, with what is not in it
						on = v == u-1 && u < n-1 || v == 0 && u == n-2 && n > 3
					case each - 1:
						on = true
					}
					g[u][v], g[v][u] = on, on
				}
			}
			out = append(out, g)
		}
	}
	return out
}

// bound is what a bound says: how far t changes move the value up and down, and I_t.
type bound struct {
	value    int64
	up, down func(t int) int64
	local    func(t int) int64
	top      int64 // the end of the range
	global   int64
}

func (b *bound) holds(t *testing.T, what string, q *records.Query, far ...int) {
	t.Helper()
	if q.Value().Cmp(rat(b.value, 1)) != 0 || q.Global().Cmp(rat(b.global, 1)) != 0 || q.Range().Hi.Cmp(rat(b.top, 1)) != 0 {
		t.Fatalf("%s: %v up to %v, Δ = %v, want %d up to %d, Δ = %d", what, q.Value(), q.Range(), q.Global(), b.value, b.top, b.global)
	}
	for d := 1; d < 16; d++ {
		far = append(far, d)
	}
	for _, d := range far {
		up, down, err := q.Moves(d)
		if err != nil {
			t.Fatal(err)
		}
		low := int64(0)
		if q.Range().Lo.Sign() > 0 {
			low = 1
		}
		if x, y := min(b.up(d), b.top-b.value), min(b.down(d), b.value-low); up.Cmp(rat(x, 1)) != 0 || down.Cmp(rat(y, 1)) != 0 {
			t.Errorf("%s: %d changes move it by %v and %v, want %d and %d", what, d, up, down, x, y)
		}
	}
	for d := range 16 {
		if have := must.For(q.Local(d))(t); have.Cmp(rat(b.local(d), 1)) != 0 {
			t.Errorf("%s: I_%d = %v, want %d", what, d, have, b.local(d))
		}
	}
}

// Bounds under edges are those of docs/records.md, by loops over all pairs of nodes.
func TestBoundsUnderEdges(t *testing.T) {
	for _, g := range manyGraphs(3, 9, 8) {
		n, m := len(g), len(g.edges())
		graph := must.For(records.NewGraph(n, g.edges(), records.Edge))(t)
		what := fmt.Sprint(n, " nodes, ", g.edges())
		all := choose(n, 2)
		(&bound{int64(m), func(t int) int64 { return int64(t) }, func(t int) int64 { return int64(t) }, func(int) int64 { return 1 }, all, 1}).holds(t, "edges of "+what, must.For(graph.Edges())(t), 1000)

		// Triangles: c common neighbors, b nodes that are neighbors of just one.
		common := func(u, v int) (c, b int) {
			for w := range g {
				if w != u && w != v {
					c, b = c+b2i(g[u][w] && g[v][w]), b+b2i(g[u][w] != g[v][w])
				}
			}
			if !g[u][v] && c == 0 {
				b = n // of pairs that share nothing no more is counted
			}
			return c, b
		}
		most := func(edge bool, s int) int64 { // the largest g_s
			best := int64(-1)
			g.pairs(func(u, v int) {
				c, b := common(u, v)
				if s >= 0 && g[u][v] == edge {
					best = max(best, int64(min(c+(s+min(s, b))/2, n-2)))
				}
				if s >= 0 && !g[u][v] && !edge {
					best = max(best, int64(min((s+min(s, n))/2, n-2)))
				}
			})
			return best
		}
		var own, others []int64
		triangles := int64(0)
		g.pairs(func(u, v int) {
			c, _ := common(u, v)
			if g[u][v] {
				own = append(own, int64(c))
				triangles += int64(c)
			} else {
				others = append(others, int64(c))
			}
		})
		triangles /= 3
		summed := func(t int, f func(s int) int64) (sum int64) {
			for s := range t {
				sum += f(s)
			}
			return sum
		}
		held := func(m int) int64 { // Kruskal and Katona
			k := 1
			for int(choose(k+1, 2)) <= m {
				k++
			}
			return choose(k, 3) + choose(m-int(choose(k, 2)), 2)
		}
		(&bound{triangles,
			func(t int) int64 {
				return min(summed(t, func(s int) int64 { return max(most(false, s), most(true, s-1), 0) }), best(others, t)+choose(t, 2), held(m+t)-triangles)
			},
			func(t int) int64 {
				return min(summed(t, func(s int) int64 { return max(most(true, s), most(false, s-1), 0) }), best(own, t)+choose(t-1, 2), triangles)
			},
			func(t int) int64 { return max(most(true, t), most(false, t), 0) }, choose(n, 3), int64(n - 2)}).holds(t, "triangles of "+what, must.For(graph.Triangles(ctx))(t), 25, 60)

		// Stars: degrees without the edge between, all changes to the larger up to n − 2, and then to the other.
		for k := 2; k < min(n, 5); k++ {
			most := func(edge bool, s int) int64 {
				out := int64(0)
				g.pairs(func(u, v int) {
					if s < 0 || g[u][v] != edge {
						return
					}
					a, b := g.degree(u)-b2i(edge), g.degree(v)-b2i(edge)
					a, b = max(a, b), min(a, b)
					for range s {
						if a < n-2 {
							a++
						} else if b < n-2 {
							b++
						}
					}
					out = max(out, choose(a, k-1)+choose(b, k-1))
				})
				return out
			}
			value := int64(0)
			var sums []int64
			for u := range g {
				value += choose(g.degree(u), k)
			}
			g.pairs(func(u, v int) {
				if !g[u][v] {
					sums = append(sums, int64(g.degree(u)+g.degree(v)))
				}
			})
			(&bound{value,
				func(t int) int64 {
					up := summed(t, func(s int) int64 { return max(most(false, s), most(true, s-1)) })
					if k == 2 {
						up = min(up, best(sums, t)+choose(t, 2))
					}
					return up
				},
				func(t int) int64 {
					var falls []int64 // what one less of a degree takes, t of a node
					for u := range g {
						for j := g.degree(u); j > max(g.degree(u)-t, 0); j-- {
							falls = append(falls, choose(j-1, k-1))
						}
					}
					return min(summed(t, func(s int) int64 { return max(most(true, s), most(false, s-1)) }), best(falls, 2*t))
				},
				func(t int) int64 { return max(most(true, t), most(false, t)) }, int64(n) * choose(n-1, k), 2 * choose(n-2, k-1)}).holds(t, fmt.Sprintf("%d-stars of %s", k, what), must.For(graph.KStar(k))(t), 25, 60)
		}

		// The largest degree: down to r by lowering what stands above it, at a node by one and in all by two an edge.
		top := 0
		for u := range g {
			top = max(top, g.degree(u))
		}
		(&bound{int64(top), func(t int) int64 { return int64(t) }, func(t int) int64 {
			for r := range top {
				over := 0
				for u := range g {
					over += max(g.degree(u)-r, 0)
				}
				if max(top-r, (over+1)/2) <= t {
					return int64(top - r)
				}
			}
			return 0
		}, func(int) int64 { return 1 }, int64(n - 1), 1}).holds(t, "maximum degree of "+what, must.For(graph.MaximumDegree())(t), 1000)

		// Components: one more an edge, but not for the first where no edge is a bridge.
		parts, bridge := g.components(), int64(0)
		g.pairs(func(u, v int) {
			if g[u][v] {
				g[u][v], g[v][u] = false, false
				if g.components() > parts {
					bridge = 1
				}
				g[u][v], g[v][u] = true, true
			}
		})
		(&bound{int64(parts), func(t int) int64 { return int64(t) - 1 + bridge }, func(t int) int64 { return int64(t) }, func(int) int64 { return 1 }, int64(n), 1}).holds(t, "components of "+what, must.For(graph.Components())(t), 1000)
	}
}

// And so are those under the rewiring of nodes.
func TestBoundsUnderNodes(t *testing.T) {
	for _, g := range manyGraphs(3, 8, 8) {
		n, m := len(g), len(g.edges())
		graph := must.For(records.NewGraph(n, g.edges(), records.Node))(t)
		what := fmt.Sprint(n, " nodes, ", g.edges())
		var degrees, missing []int64
		for u := range g {
			degrees, missing = append(degrees, int64(g.degree(u))), append(missing, int64(n-1-g.degree(u)))
		}
		slices.Sort(degrees)
		slices.Reverse(degrees)
		local := func(t int) int64 {
			if t > 0 { // a node is joined to all others, and then to none
				return int64(n - 1)
			}
			return max(slices.Max(degrees), slices.Max(missing))
		}
		summed := func(t int, f func(s int) int64) (sum int64) {
			for s := range t {
				sum += f(s)
			}
			return sum
		}
		(&bound{int64(m), func(t int) int64 { return min(best(missing, t)+choose(min(t, n)-1, 2), summed(t, local)) },
			func(t int) int64 { return min(best(degrees, t)+choose(min(t, n)-1, 2), summed(t, local)) }, local, choose(n, 2), int64(n - 1)}).holds(t, "edges of "+what, must.For(graph.Edges())(t), 100)
		(&bound{degrees[0], func(int) int64 { return int64(n) }, func(t int) int64 {
			if t >= n {
				return degrees[0]
			}
			return degrees[0] - max(degrees[t]-int64(t), 0)
		}, func(int) int64 { return int64(n - 1) }, int64(n - 1), int64(n - 1)}).holds(t, "maximum degree of "+what, must.For(graph.MaximumDegree())(t), 100)

		copies := func(name string, q *records.Query, at func(g matrix, u int) int64, each, both, twice, top, global int64) {
			var has, rest []int64
			sum, full := int64(0), int64(0)
			for u := range g {
				h, f := at(g, u), at(g.joinedToAll(u), u)
				has, rest = append(has, h), append(rest, f-h)
				sum, full = sum+h, max(full, f)
			}
			local := func(t int) int64 {
				if t == 0 {
					return max(slices.Max(has), slices.Max(rest))
				}
				return min(full+both*int64(min(t, n)), global)
			}
			(&bound{sum / each, func(t int) int64 {
				t = min(t, n)
				return min(best(rest, t)+twice*both*choose(t, 2), summed(t, local))
			}, func(t int) int64 {
				t = min(t, n)
				return min(best(has, t)+both*choose(t-1, 2), summed(t, local))
			}, local, top, global}).holds(t, name+" of "+what, q, 100)
		}
		copies("triangles", must.For(graph.Triangles(ctx))(t), matrix.trianglesAt, 3, int64(n-2), 1, choose(n, 3), choose(n-1, 2))
		for k := 2; k < min(n, 5); k++ {
			at := choose(n-1, k) + int64(n-1)*choose(n-2, k-1) // as a center, and as a leaf of each other node
			copies(fmt.Sprintf("%d-stars", k), must.For(graph.KStar(k))(t), func(g matrix, u int) int64 { return g.starsAt(u, k) }, int64(k+1),
				2*choose(n-2, k-1)+int64(n-2)*choose(n-3, k-2), 2, int64(n)*choose(n-1, k), at)
		}
	}
}
