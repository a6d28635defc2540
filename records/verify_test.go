package records_test

import (
	"context"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/records"
)

var decay = must.Be(evidence.LogEpsilon("decay", big.NewRat(3, 1)))

func rat(a, b int64) *big.Rat { return big.NewRat(a, b) }

// small is a dataset from which queries are built again at all others.
func small(neighbors records.Neighbors) *records.Records {
	return must.Be(records.New([]float64{1, 2, 4}, records.Options{Lo: rat(0, 1), Hi: rat(4, 1), Grid: rat(1, 1), Neighbors: neighbors}))
}

func tabular(t *testing.T, neighbors records.Neighbors) map[string]*records.Query {
	r := small(neighbors)
	out := map[string]*records.Query{
		"median":  must.For(r.Median())(t),
		"minimum": must.For(r.Minimum())(t),
		"maximum": must.For(r.Maximum())(t),
		"total":   must.For(r.Total())(t),
		"count":   must.For(r.Count(func(v *big.Rat) (bool, error) { return v.Cmp(rat(2, 1)) > 0, nil }))(t),
	}
	for _, p := range []*big.Rat{rat(0, 1), rat(1, 10), rat(1, 4), rat(1, 3), rat(2, 5), rat(1, 2), rat(3, 5), rat(7, 10), rat(9, 10), rat(1, 1)} {
		out["quantile "+p.RatString()] = must.For(r.Quantile(p))(t)
	}
	names := must.For(records.NewCategories([]string{"a", "b", "b"}, []string{"a", "b", "c", "d"}, neighbors))(t)
	out["mode"] = must.For(names.Mode())(t)
	if neighbors == records.Replace {
		out["mean"] = must.For(r.Mean())(t)
		out["trimmed_mean"] = must.For(r.TrimmedMean(1))(t)
		out["variance"] = must.For(r.Variance())(t)
	}
	return out
}

func purest(q *records.Query) (records.Law, error) { return records.NewPurest(q, decay) }

func TestLayersAreDistances(t *testing.T) {
	for _, neighbors := range []records.Neighbors{records.Replace, records.AddRemove} {
		for name, q := range tabular(t, neighbors) {
			values, sizes := []float64{0, 1, 2, 3, 4}, []int{2, 3, 4}
			if name == "mode" {
				values = []float64{0, 1, 2, 3}
			}
			if name == "trimmed_mean" || name == "variance" {
				sizes = []int{3, 4}
			}
			for _, n := range sizes {
				v, err := records.Verify(context.Background(), q, purest, records.VerifyOptions{Records: n, Values: values})
				if err != nil {
					t.Fatalf("%s under %s: %v", name, neighbors, err)
				}
				want := "valid bound"
				if q.Exact() {
					want = "exact"
				}
				if v.Verdict != want && !(v.Verdict == "exact" && neighbors == records.AddRemove) || v.Distance != nil && v.Verdict != "valid bound" {
					t.Errorf("%s under %s, %d records: %s, want %s: %+v %+v", name, neighbors, n, v.Verdict, want, v.Distance, v.Lipschitz)
				}
				if v.Keeps != evidence.Confirmed {
					t.Errorf("%s under %s, %d records: smallest ε %v against %v: %s", name, neighbors, n, v.Smallest, v.Claimed, v.Keeps)
				}
				if q.Exact() && v.Distance != nil {
					t.Errorf("%s under %s, %d records: %+v", name, neighbors, n, v.Distance)
				}
			}
		}
	}
}

func triangle(neighbors records.Neighbors) *records.Graph {
	return must.Be(records.NewGraph(4, [][2]int{{0, 1}, {1, 2}, {2, 0}, {2, 3}}, neighbors))
}

func graphs(t *testing.T, neighbors records.Neighbors) map[string]*records.Query {
	g := triangle(neighbors)
	out := map[string]*records.Query{"edges": must.For(g.Edges())(t), "maximum_degree": must.For(g.MaximumDegree())(t)}
	if neighbors == records.Edge {
		out["triangles"] = must.For(g.Triangles(context.Background()))(t)
		out["2-star"] = must.For(g.KStar(2))(t)
		out["3-star"] = must.For(g.KStar(3))(t)
		out["components"] = must.For(g.Components())(t)
	}
	return out
}

func TestGraphLayersAreValid(t *testing.T) {
	for neighbors, nodes := range map[records.Neighbors][]int{records.Edge: {4, 6}, records.Node: {3, 5}} {
		for name, q := range graphs(t, neighbors) {
			for _, n := range nodes {
				v := must.For(records.Verify(context.Background(), q, purest, records.VerifyOptions{Nodes: n}))(t)
				if v.Verdict == "wrong" || q.Exact() && v.Verdict != "exact" || v.Keeps != evidence.Confirmed {
					t.Errorf("%s under %s, %d nodes: %s, ε %v: %+v %+v", name, neighbors, n, v.Verdict, v.Smallest, v.Distance, v.Lipschitz)
				}
			}
		}
	}
}

func TestMechanismsKeepTheirClaims(t *testing.T) {
	eps := must.For(evidence.NewEpsilon("eps", 1))(t)
	makers := map[string]func(q *records.Query) (records.Law, error){
		"ladder":      func(q *records.Query) (records.Law, error) { return records.NewLadder(q, eps) },
		"laplace":     func(q *records.Query) (records.Law, error) { return records.NewLaplace(q, eps) },
		"exponential": func(q *records.Query) (records.Law, error) { return records.NewExponential(q, eps) },
		"staircase":   func(q *records.Query) (records.Law, error) { return records.NewStaircase(q, eps, nil) },
		"delta":       func(q *records.Query) (records.Law, error) { return records.NewDeltaNeighborhood(q, eps, rat(1, 1)) },
	}
	check := func(name string, q *records.Query, o records.VerifyOptions) {
		for what, of := range makers {
			if _, err := of(q); err != nil && (name == "mode" || what == "delta") {
				continue
			}
			v := must.For(records.Verify(context.Background(), q, of, o))(t)
			if v.Keeps != evidence.Confirmed {
				t.Errorf("%s of %s: %v against %v, %s", what, name, v.Smallest, v.Claimed, v.Keeps)
			}
			if what == "delta" && v.Distance != nil { // which puts values into lower layers than their distances
				t.Errorf("%s of %s: layer %d at distance %d", what, name, v.Distance.Layer, v.Distance.Other)
			}
		}
	}
	for _, neighbors := range []records.Neighbors{records.Replace, records.AddRemove} {
		for name, q := range tabular(t, neighbors) {
			values := []float64{0, 1, 2}
			check(name, q, records.VerifyOptions{Records: 3, Values: values})
		}
	}
	for _, neighbors := range []records.Neighbors{records.Edge, records.Node} {
		for name, q := range graphs(t, neighbors) {
			check(name, q, records.VerifyOptions{Nodes: 4})
		}
	}
}
