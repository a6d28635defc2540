package records_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/records"
	"dpworkbench/smooth"
)

// Extensions are named, ranged and moved as docs/records.md says, by counts of copies in the fullest graph of a degree.
func TestExtensionsAreTheirBounds(t *testing.T) {
	for _, neighbors := range []records.Neighbors{records.Edge, records.Node} {
		g := must.For(records.NewGraph(7, [][2]int{{0, 1}, {0, 2}, {0, 3}, {0, 4}, {1, 2}, {2, 3}, {3, 4}, {4, 1}, {5, 6}}, neighbors))(t)
		for name, q := range counts(t, g) {
			for degree := 2; degree <= 5; degree++ {
				// A node of this degree, all of whose neighbors have it too, in a graph where they are joined: as many copies as there can be.
				d := int64(degree)
				want := map[string]int64{"edge": d, "triangle": choose(degree, 2), "2-star": choose(degree, 2) + d*(d-1), "3-star": choose(degree, 3) + d*choose(degree-1, 2)}[name]
				size := map[string]int64{"edge": 2, "triangle": 3, "2-star": 3, "3-star": 4}[name]
				places, what := int64(7), "node"
				if neighbors == records.Edge { // the copies that both ends make at an edge
					want = map[string]int64{"triangle": d - 1, "2-star": 2 * (d - 1), "3-star": 2 * choose(degree-1, 2)}[name]
					size = map[string]int64{"triangle": 3, "2-star": 2, "3-star": 3}[name]
					places, what = 21, "edge"
				}
				have := records.DegreeBound(q, degree)
				if have.Cmp(rat(want, 1)) != 0 {
					t.Errorf("%s under %s, degree %d: %v copies, want %d", name, neighbors, degree, have, want)
				}
				if want == 0 {
					continue
				}
				e := must.For(records.Extend(ctx, q, degree, nil))(t)
				half := must.For(records.Extend(ctx, q, 0, rat(want, 2)))(t)
				if e.Name() != q.Name()+fmt.Sprintf(", at most %d at ", want)+map[string]string{"node": "a node", "edge": "an edge"}[what] || e.Neighbors() != neighbors || e.Exact() || e.StandsFor() != q ||
					e.Ground() != "one "+what+" moves it by at most the bound (Kasiviswanathan, Nissim, Raskhodnikova and Smith 2013)" {
					t.Errorf("%s: %s, %t", e.Name(), e.Ground(), e.Exact())
				}
				hi := smallest(rat(places*want, size), q.Range().Hi)
				if r := e.Range(); r.Lo.Sign() != 0 || r.Hi.Cmp(hi) != 0 || r.Step != nil {
					t.Errorf("%s: %v, want up to %v", e.Name(), r, hi)
				}
				if half.Value().Cmp(e.Value()) > 0 || half.Value().Cmp(new(big.Rat).Mul(e.Value(), rat(1, 2))) < 0 || half.Global().Cmp(rat(want, 2)) != 0 { // half of a solution is one
					t.Errorf("%s: %v, and %v at half of the bound", e.Name(), e.Value(), half.Value())
				}
				for k := range 4 {
					up, down, err := e.Moves(k)
					far := rat(want*int64(k), 1)
					if x, y := smallest(far, new(big.Rat).Sub(hi, e.Value())), smallest(far, e.Value()); err != nil || up.Cmp(x) != 0 || down.Cmp(y) != 0 {
						t.Errorf("%s: %d changes move it by %v and %v, %v, want %v and %v", e.Name(), k, up, down, err, x, y)
					}
					if l := must.For(e.Local(k))(t); l.Cmp(rat(want, 1)) != 0 {
						t.Errorf("%s: I_%d = %v", e.Name(), k, l)
					}
				}
			}
		}
	}
	node := triangle(records.Node)
	edges := must.For(node.Edges())(t)
	for degree, want := range map[int]string{0: "on = 0, want a degree of 1…3, below the number of nodes", 3: "", 4: "on = 4, want a degree of 1…3, below the number of nodes"} {
		if _, err := records.Extend(ctx, edges, degree, nil); want == "" && err != nil {
			t.Error(err)
		} else if want != "" {
			refused(t, err, want)
		}
	}
	refused(t, errorOf(records.Extend(ctx, edges, 1, rat(0, 1))), "bound = 0, want a positive number, in how many copies a node or an edge may be")
	refused(t, errorOf(records.Extend(ctx, edges, 1, rat(-1, 2))), "bound = -1/2, want a positive number, in how many copies a node or an edge may be")
	single := must.For(triangle(records.Edge).Edges())(t)
	refused(t, errorOf(records.Extend(ctx, single, 1, nil)), "edges of a graph of 4 nodes and 4 edges has no extension from graphs of bounded degree: edges under nodes, triangles and k_star have")
	refused(t, errorOf(records.Extend(ctx, must.For(small(records.Replace).Median())(t), 1, nil)), "median of 3 records in [0, 4], grid 1 has no extension from graphs of bounded degree: edges under nodes, triangles and k_star have")
	hub := make([][2]int, 2898)
	for v := range hub {
		hub[v] = [2]int{0, v + 1}
	}
	stars := must.For(must.For(records.NewGraph(2899, hub, records.Node))(t).KStar(2))(t)
	refused(t, errorOf(records.Extend(ctx, stars, 2, nil)), "2-stars of a graph of 2899 nodes and 2898 edges: 4197753 copies, want at most 4194304 for an extension by a linear program")
}

// The optimum is that of all choices of copies where these are disjoint or share one node: what a node lets through.
func TestExtensionsOfStars(t *testing.T) {
	for leaves := 2; leaves <= 7; leaves++ {
		var list [][2]int
		for v := range leaves {
			list = append(list, [2]int{0, v + 1})
		}
		for _, b := range []*big.Rat{rat(1, 3), rat(1, 1), rat(5, 2), rat(4, 1), rat(100, 1)} {
			node := must.For(records.NewGraph(leaves+1, list, records.Node))(t)
			// Edges: all at the center, each at most 1 and at most what its leaf takes.
			want := smallest(b, smallest(rat(int64(leaves), 1), new(big.Rat).Mul(b, rat(int64(leaves), 1))))
			if e := must.For(records.Extend(ctx, must.For(node.Edges())(t), 0, b))(t); e.Value().Cmp(want) != 0 {
				t.Errorf("%d edges, at most %v: %v, want %v", leaves, b, e.Value(), want)
			}
			// 2-stars: all at the center; spread evenly over pairs of leaves, of which each is in two.
			want = smallest(b, rat(choose(leaves, 2), 1))
			if e := must.For(records.Extend(ctx, must.For(node.KStar(2))(t), 0, b))(t); e.Value().Cmp(want) != 0 {
				t.Errorf("2-stars of %d leaves, at most %v: %v, want %v", leaves, b, e.Value(), want)
			}
			// Under edges, each 2-star is at two of them: b·leaves/2 in all, spread evenly.
			edge := must.For(records.NewGraph(leaves+1, list, records.Edge))(t)
			want = smallest(new(big.Rat).Mul(b, rat(int64(leaves), 2)), rat(choose(leaves, 2), 1))
			if e := must.For(records.Extend(ctx, must.For(edge.KStar(2))(t), 0, b))(t); e.Value().Cmp(want) != 0 {
				t.Errorf("2-stars of %d leaves, at most %v at an edge: %v, want %v", leaves, b, e.Value(), want)
			}
		}
	}
	// All triangles of a complete graph, spread evenly over nodes, or edges.
	for n := 3; n <= 5; n++ {
		var list [][2]int
		for u := range n {
			for v := range u {
				list = append(list, [2]int{v, u})
			}
		}
		for _, b := range []*big.Rat{rat(1, 2), rat(2, 1), rat(50, 1)} {
			for neighbors, places := range map[records.Neighbors]int64{records.Node: int64(n), records.Edge: choose(n, 2)} {
				g := must.For(records.NewGraph(n, list, neighbors))(t)
				want := smallest(new(big.Rat).Mul(b, rat(places, 3)), rat(choose(n, 3), 1))
				if e := must.For(records.Extend(ctx, must.For(g.Triangles(ctx))(t), 0, b))(t); e.Value().Cmp(want) != 0 {
					t.Errorf("triangles of %d nodes under %s, at most %v: %v, want %v", n, neighbors, b, e.Value(), want)
				}
			}
		}
	}
}

// Smooth sensitivity scales noise by the largest e^{−βt}·I_t over all t, as far as the range.
func TestSmoothBounds(t *testing.T) {
	for _, c := range []struct {
		noise smooth.Noise
		delta *big.Rat
		eps   float64
	}{{smooth.Laplace(), rat(1, 1000), 1}, {smooth.Laplace(), rat(1, 100), 0.05}, {must.Be(smooth.Student(rat(3, 1))), nil, 2}, {must.Be(smooth.Cauchy(rat(4, 1))), nil, 5}} {
		eps := must.For(evidence.NewEpsilon("eps", c.eps))(t)
		by := must.For(smooth.Calibrate(c.noise, eps, evidencetest.RationalDelta(c.delta), nil))(t)
		for n, q := range map[string]*records.Query{"median": must.For(recordsOf(t, []int64{0, 50, 51, 51, 52, 52, 53, 54, 100}, 100, rat(1, 1), records.Replace).Median())(t), "triangles": must.For(triangle(records.Edge).Triangles(ctx))(t),
			"edges": must.For(triangle(records.Node).Edges())(t), "total": must.For(small(records.AddRemove).Total())(t)} {
			m := must.For(records.NewSmooth(ctx, q, by))(t)
			want, beta := fresh(), by.BetaEnclosure()
			for d := range 40 {
				lo, hi := bounds(beta)
				middle := times(plus(lo, hi), fresh().SetFloat64(-0.5*float64(d)))
				if v := times(expOf(middle), realOf(must.For(q.Local(d))(t))); v.Cmp(want) > 0 {
					want = v
				}
			}
			s := m.Bound()
			lo, hi := s.Bounds()
			near, _ := want.Float64()
			if lo > near*(1+1e-15) || hi < near*(1-1e-15) || hi-lo > 1e-14*hi {
				t.Errorf("%s: S = %v, want %g", n, s, near)
			}
			f := by.Scale().Mid() * near
			if math.Abs(m.Scale().Mid()-f) > 1e-14*f || !m.Delta().Equal(evidencetest.RationalDelta(c.delta)) {
				t.Errorf("%s: the scale is %g, want %g; δ = %v", n, m.Scale().Mid(), f, m.Delta())
			}
			title := "smooth_sensitivity, " + c.noise.Name() + "(eps=" + eps.String()
			if c.delta != nil {
				title += ", delta=" + map[int64]string{1000: "0.001", 100: "0.01"}[c.delta.Denom().Int64()]
			}
			if m.Name() != title+")" || m.OnLine().Name() != title+") on the line" || fmt.Sprint(m.ClaimedEpsilon()) != fmt.Sprint(by.Claim()) {
				t.Errorf("%s: %s claims %v", n, m.Name(), m.ClaimedEpsilon())
			}
			_, grid, err := m.Release(ctx, 1, rand.NewPCG(1, 1))
			if (grid == nil) != (q.Range().Step != nil) || err != nil {
				t.Errorf("%s: released on %v, %v", n, grid, err)
			}
			_, _, err = m.Release(ctx, -1, rand.NewPCG(1, 1))
			if !isParameter(err, "n = -1") {
				t.Error(err)
			}
		}
	}
}
