package records_test

import (
	"context"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/query"
	"dpworkbench/records"
)

// counts returns the count queries that have extensions.
func counts(t *testing.T, g *records.Graph) map[string]*records.Query {
	out := map[string]*records.Query{"triangle": must.For(g.Triangles(context.Background()))(t), "2-star": must.For(g.KStar(2))(t), "3-star": must.For(g.KStar(3))(t)}
	if g.Neighbors() == records.Node {
		out["edge"] = must.For(g.Edges())(t)
	}
	return out
}

// On all graphs of five nodes, the extension is at most the count, and equals it if degrees are bounded. Adding or
// removing a node or edge changes the extension by at most the bound, and mechanisms keep their claims.
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
						continue // too few nodes for this count
					}
					e := must.For(records.Extend(ctx, q, degree, nil))(t)
					if all.MaxDegree(x) <= degree && e.Value().Cmp(q.Value()) != 0 || e.Value().Cmp(q.Value()) > 0 || e.Original() != q {
						t.Fatalf("%s of %s under %s, degree %d: %v extends %v", name, all.Graph6(x), neighbors, degree, e.Value(), q.Value())
					}
					if e.Value().Cmp(e.Range().Hi) > 0 {
						t.Fatalf("%s of %s: %v is above the range %v", name, all.Graph6(x), e.Value(), e.Range())
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
