package records_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/internal/packing"
	"dpworkbench/query"
	"dpworkbench/records"
)

// counts are the queries that have extensions.
func counts(t *testing.T, g *records.Graph) map[string]*records.Query {
	out := map[string]*records.Query{"triangle": must.For(g.Triangles(context.Background()))(t), "2-star": must.For(g.KStar(2))(t), "3-star": must.For(g.KStar(3))(t)}
	if g.Neighbors() == records.Node {
		out["edge"] = must.For(g.Edges())(t)
	}
	return out
}

// On all graphs of five nodes, extensions are the count where degrees are bounded, never above it, one node or edge
// moves them by at most the bound, and mechanisms of them keep their claims.
func TestExtensions(t *testing.T) {
	ctx := context.Background()
	eps := must.For(evidence.NewEpsilon("eps", 1))(t)
	all := must.For(query.NewGraphs(ctx, 5))(t)
	for _, neighbors := range []records.Neighbors{records.Edge, records.Node} {
		for degree := 2; degree <= 3; degree++ {
			bites := 0
			for x := range all.Size() {
				g := must.For(records.NewGraph(5, all.Edges(x), neighbors))(t)
				for name, q := range counts(t, g) {
					if records.DegreeBound(q, degree).Sign() == 0 {
						continue // no node has so many neighbors
					}
					e := must.For(records.Extend(ctx, q, degree, nil))(t)
					if all.MaxDegree(x) <= degree && e.Value().Cmp(q.Value()) != 0 || e.Value().Cmp(q.Value()) > 0 || e.Original() != q {
						t.Fatalf("%s of %s under %s, degree %d: %v extends %v", name, all.Graph6(x), neighbors, degree, e.Value(), q.Value())
					}
					if e.Value().Cmp(e.Range().Hi) > 0 {
						t.Fatalf("%s of %s: %v is beyond %v", name, all.Graph6(x), e.Value(), e.Range())
					}
					if e.Value().Cmp(q.Value()) < 0 {
						bites++
					}
				}
			}
			if bites == 0 {
				t.Errorf("no extension from degree %d under %s differs from its count", degree, neighbors)
			}
			start := must.For(records.NewGraph(5, nil, neighbors))(t)
			for name, q := range counts(t, start) {
				if records.DegreeBound(q, degree).Sign() == 0 {
					continue
				}
				e := must.For(records.Extend(ctx, q, degree, nil))(t)
				if e.Global().Cmp(records.DegreeBound(q, degree)) != 0 {
					t.Errorf("%s: a bound of %v", name, e.Global())
				}
				for _, of := range []func(q *records.Query) (records.Law, error){purest, func(q *records.Query) (records.Law, error) { return records.NewLaplace(q, eps) }} {
					v := must.For(records.Verify(ctx, e, of, records.VerifyOptions{Nodes: 5}))(t)
					if v.Verdict == "wrong" || v.Keeps != evidence.Confirmed {
						t.Errorf("%s under %s, degree %d, %s: %s, ε %v: %+v %+v", name, neighbors, degree, v.Mechanism, v.Verdict, v.Smallest, v.Distance, v.Lipschitz)
					}
				}
			}
		}
	}
}

// The flow gives what the linear program does, on random graphs and fractions as bounds.
func TestFlowIsTheProgram(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 3))
	for range 60 {
		n := 2 + r.IntN(9)
		var edges [][2]int
		var sets []packing.Set
		rows := make([][]int32, n)
		for u := range n {
			for v := range u {
				if r.IntN(3) > 0 {
					edges = append(edges, [2]int{v, u})
					sets = append(sets, packing.Set{Places: []int32{int32(v), int32(u)}, Times: 1})
				}
			}
		}
		for _, e := range edges { // ascending rows
			rows[e[1]] = append(rows[e[1]], int32(e[0]))
		}
		for u := range n {
			for v := u + 1; v < n; v++ {
				for _, w := range rows[v] {
					if int(w) == u {
						rows[u] = append(rows[u], int32(v))
					}
				}
			}
		}
		bound := rat(int64(1+r.IntN(12)), int64(1+r.IntN(4)))
		row := func(v int) []int32 { return rows[v] }
		have := must.For(packing.Edges(context.Background(), n, row, bound))(t)
		if want := must.For(packing.Largest(context.Background(), sets, n, bound))(t); have.Cmp(want) != 0 {
			t.Fatalf("%v, at most %v at a node: %v by the flow, %v by the program", edges, bound, have, want)
		}
	}
}
