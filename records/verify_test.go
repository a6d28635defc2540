package records_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
	"dpworkbench/query"
	"dpworkbench/records"
)

var decay = must.Be(evidence.LogEpsilon("decay", big.NewRat(3, 1)))

func rat(a, b int64) *big.Rat { return big.NewRat(a, b) }

// small returns a dataset whose queries can be rebuilt at all other datasets.
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
		"mean":    must.For(r.Mean())(t),
		"count":   must.For(r.Count(func(v *big.Rat) (bool, error) { return v.Cmp(rat(2, 1)) > 0, nil }))(t),
	}
	for _, p := range []*big.Rat{rat(0, 1), rat(1, 10), rat(1, 4), rat(1, 3), rat(2, 5), rat(1, 2), rat(3, 5), rat(7, 10), rat(9, 10), rat(1, 1)} {
		out["quantile "+p.RatString()] = must.For(r.Quantile(p))(t)
	}
	names := must.For(records.NewCategories([]string{"a", "b", "b"}, []string{"a", "b", "c", "d"}, neighbors))(t)
	out["mode"] = must.For(names.Mode())(t)
	if neighbors == records.Replace {
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
			if what == "delta" && v.Distance != nil { // its layers may be below the distances, never above
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

// customLaw is a law whose interval probabilities come from a function.
type customLaw struct {
	records.Law
	between func(m records.Law, lo, hi *big.Rat) (interval.Interval, error)
}

func (m customLaw) Between(_ context.Context, lo, hi *big.Rat) (interval.Interval, error) {
	return m.between(m.Law, lo, hi)
}

// Verify evaluates custom laws on the same cells as built-in laws, on a lattice and on a line. It returns their errors,
// and rejects a probability whose enclosure contains 0.
func TestVerifyCustomLaws(t *testing.T) {
	eps := must.For(evidence.NewEpsilon("eps", 1))(t)
	gone := errors.New("gone")
	edges := must.For(triangle(records.Node).Edges())(t)
	extension := must.For(records.Extend(ctx, edges, 2, nil))(t)
	if extension.Range().Step != nil {
		t.Fatal("the range of the extension is a lattice, want a line")
	}
	for _, q := range []*records.Query{edges, extension} {
		verify := func(between func(m records.Law, lo, hi *big.Rat) (interval.Interval, error)) (*records.Verification, error) {
			return records.Verify(ctx, q, func(q *records.Query) (records.Law, error) {
				m, err := records.NewLaplace(q, eps)
				if between == nil || err != nil {
					return m, err
				}
				return customLaw{m, between}, nil
			}, records.VerifyOptions{Nodes: 3})
		}
		want := must.For(verify(nil))(t)
		have := must.For(verify(func(m records.Law, lo, hi *big.Rat) (interval.Interval, error) { return m.Between(ctx, lo, hi) }))(t)
		a, b := want.Smallest.Bounds()
		if lo, hi := have.Smallest.Bounds(); lo > b || hi < a || have.Keeps != evidence.Confirmed {
			t.Errorf("%s: %v, want %v", q.Name(), have.Smallest, want.Smallest)
		}
		v, err := verify(func(records.Law, *big.Rat, *big.Rat) (interval.Interval, error) { return interval.Int(1), gone })
		if v != nil || err != gone {
			t.Errorf("%s: %v, error %v", q.Name(), v, err)
		}
		v, err = verify(func(records.Law, *big.Rat, *big.Rat) (interval.Interval, error) {
			return interval.Hull(interval.Int(0), interval.Rat(rat(1, 2))), nil
		})
		if v != nil || !isParameter(err, "bounds above 0") {
			t.Errorf("%s: %v, error %v", q.Name(), v, err)
		}
	}
	mode := modeOf(t, []int{1, 2}, records.Replace)
	m := must.For(purest(mode))(t)
	n, err := records.DistortionFrom(ctx, m, rat(0, 1))
	if refused(t, err, "the error of "+m.Name()+" is known only relative to the value of its own query"); n != nil {
		t.Errorf("%v returned with an error", n)
	}
}

func floatsOf(x []int64) (out []float64) {
	for _, v := range x {
		out = append(out, float64(v))
	}
	return out
}

// smallestOf returns the largest log-ratio of neighboring laws, in float64.
func smallestOf(laws []records.Law, neighbors [][2]int, values []*big.Rat) float64 {
	at := func(x int, v *big.Rat) float64 { return must.Be(laws[x].Between(ctx, v, v)).Mid() }
	worst := 0.0
	for _, e := range neighbors {
		for _, v := range values {
			worst = max(worst, math.Abs(math.Log(at(e[0], v)/at(e[1], v))))
		}
	}
	return worst
}

// Verify on numeric queries agrees with an enumeration of all datasets: counts, layers below or above distances, layers
// of neighbors too far apart, and the smallest ε.
func TestVerifyRecordsMatchesEnumeration(t *testing.T) {
	const top = 3
	wholeRange := []*big.Rat{rat(0, 1), rat(1, 1), rat(2, 1), rat(3, 1)}
	median := func(x []int64) int64 { return x[(len(x)+1)/2-1] }
	all := tuples(4, top)
	var near [][2]int
	for i := range all {
		for j := range i {
			if replacements(all[i], all[j]) == 1 {
				near = append(near, [2]int{j, i})
			}
		}
	}
	distance := func(x []int64, r int64) int {
		least := 100
		for _, y := range all {
			if median(y) == r {
				least = min(least, replacements(x, y))
			}
		}
		return least
	}
	for name, off := range map[string]func(x []float64, r, layer int) int{
		"right": func(_ []float64, _, layer int) int { return layer },
		"half":  func(_ []float64, _, layer int) int { return layer / 2 },
		"none":  func(_ []float64, _, layer int) int { return 0 },
		"up": func(x []float64, r, layer int) int {
			return layer + b2i(slices.Equal(x, []float64{1, 1, 2, 3}) && r == 3)
		},
		"last up": func(x []float64, r, layer int) int {
			return layer + b2i(slices.Equal(x, []float64{3, 3, 3, 3}) && r == 0)
		},
		"down": func(x []float64, r, layer int) int {
			return layer - 2*b2i(slices.Equal(x, []float64{0, 0, 0, 0}) && r == 2)
		},
		"never": func(x []float64, r, layer int) int {
			return layer - (layer+1)*b2i(slices.Equal(x, []float64{0, 1, 1, 3}) && r == 0)
		},
		"never at 3": func(_ []float64, r, layer int) int { return layer - (layer+1)*b2i(r == 3 && layer > 0) },
	} {
		bare := ownMedian(off).Bare(records.Replace)
		v := must.For(records.Verify(ctx, bare, purest, records.VerifyOptions{Records: 4, Values: floatsOf([]int64{0, 1, 2, 3})}))(t)
		layer := func(x []int64, r int64) int { return off(floatsOf(x), int(r), distance(x, r)) }
		strict, above, wild := 0, 0, 0
		for _, x := range all {
			for r := range int64(top + 1) {
				a, d := layer(x, r), distance(x, r)
				strict += b2i(a >= 0 && a < d)
				above += b2i(a > d || a < 0)
			}
		}
		for _, e := range near {
			for r := range int64(top + 1) {
				a, b := layer(all[e[0]], r), layer(all[e[1]], r)
				wild += b2i(a-b > 1 || b-a > 1 || (a < 0) != (b < 0))
			}
		}
		verdict := "exact"
		switch {
		case above > 0 || wild > 0:
			verdict = "wrong"
		case strict > 0:
			verdict = "valid bound"
		}
		if v.Datasets != len(all) || v.Pairs != int64(len(near)) || v.Compared != len(all)*(top+1) || v.Strict != strict || v.Verdict != verdict || (v.Lipschitz != nil) != (wild > 0) || (v.Distance != nil) != (strict+above > 0) {
			t.Errorf("%s: %+v, want %d datasets, %d pairs, %d below, %d above, %d neighbors apart, %s", name, v, len(all), len(near), strict, above, wild, verdict)
		}
		if f := v.Distance; f != nil {
			x := []int64{}
			for _, w := range f.Dataset.Records {
				x = append(x, int64(w))
			}
			r := f.Value.Num().Int64()
			if f.Neighbor != nil || f.Layer != layer(x, r) || f.Other != distance(x, r) || f.Layer == f.Other {
				t.Errorf("%s: %+v", name, f)
			}
		}
		if f := v.Lipschitz; f != nil {
			var x, y []int64
			for i := range f.Dataset.Records {
				x, y = append(x, int64(f.Dataset.Records[i])), append(y, int64(f.Neighbor.Records[i]))
			}
			r := f.Value.Num().Int64()
			if replacements(x, y) != 1 || f.Layer != layer(x, r) || f.Other != layer(y, r) || f.Other-f.Layer <= 1 && (f.Layer < 0) == (f.Other < 0) {
				t.Errorf("%s: %+v, %v", name, f, f.Neighbor)
			}
		}
		scope := "tested on all 35 datasets of 4 records from 4 values under replace"
		if verdict != "wrong" {
			scope += "; for other datasets it depends on the given functions"
		}
		if (verdict == "wrong") == (v.Keeps == evidence.Confirmed) || v.Local != "" || v.Global != "" {
			t.Errorf("%s: layers %s, %s, %s and %s", name, verdict, v.Keeps, v.Local, v.Global)
		}
		if v.Mechanism != "purest(decay=ln(3))" || v.Scope != scope || fmt.Sprint(v.Claimed) != fmt.Sprint(mechanism.Claim(decay.Times(2), "Wu et al., Proposition 3: 2·decay")) {
			t.Errorf("%s: mechanism %s, scope %s, claimed %v", name, v.Mechanism, v.Scope, v.Claimed)
		}
	}
	// Check the smallest ε of layered laws, of laws on a lattice, and of laws rounded to a lattice.
	eps := must.For(evidence.NewEpsilon("eps", 0.8))(t)
	for name, of := range mechanisms {
		q := must.For(small(records.Replace).Median())(t)
		build := func(q *records.Query) (records.Law, error) { return of(q, eps) }
		v := must.For(records.Verify(ctx, q, build, records.VerifyOptions{Records: 4, Values: floatsOf([]int64{0, 1, 2, 3})}))(t)
		var laws []records.Law
		for _, x := range all {
			laws = append(laws, must.For(of(must.For(recordsOf(t, x, top, rat(1, 1), records.Replace).Median())(t), eps))(t))
		}
		if name == "line" || name == "smooth on the line" {
			continue // not evaluated at the values, so tested below
		}
		lo, hi := v.Smallest.Bounds()
		if want := smallestOf(laws, near, wholeRange); want < lo-1e-12 || want > hi+1e-12 || v.Keeps != evidence.Confirmed {
			t.Errorf("%s: ε from %g to %g, want %g; %s", name, lo, hi, want, v.Keeps)
		}
	}
}

// Verify on graph queries agrees with an enumeration of all labelled graphs.
func TestVerifyGraphsMatchesEnumeration(t *testing.T) {
	const n = 4
	var pairs [][2]int
	for u := range n {
		for v := range u {
			pairs = append(pairs, [2]int{v, u})
		}
	}
	edgesOf := func(set int) (out [][2]int) {
		for i, e := range pairs {
			if set>>i&1 == 1 {
				out = append(out, e)
			}
		}
		return out
	}
	for _, neighbors := range []records.Neighbors{records.Edge, records.Node} {
		distance := func(a, b int) int { // number of differing edges, or of nodes that cover them
			differ := edgesOf(a ^ b)
			if neighbors == records.Edge {
				return len(differ)
			}
			for size := range n + 1 {
				for set := range 1 << n {
					k := 0
					for v := range n {
						k += set >> v & 1
					}
					met := !slices.ContainsFunc(differ, func(e [2]int) bool { return set>>e[0]&1 == 0 && set>>e[1]&1 == 0 })
					if k == size && met {
						return size
					}
				}
			}
			return n
		}
		for name, of := range map[string]func(g *records.Graph) (*records.Query, error){
			"triangles": func(g *records.Graph) (*records.Query, error) { return g.Triangles(ctx) },
			"2-stars":   func(g *records.Graph) (*records.Query, error) { return g.KStar(2) },
			"edges":     (*records.Graph).Edges,
			"maximum":   (*records.Graph).MaximumDegree,
		} {
			at := make([]*records.Query, 1<<len(pairs))
			for set := range at {
				at[set] = must.For(of(must.For(records.NewGraph(n, edgesOf(set), neighbors))(t)))(t)
			}
			v := must.For(records.Verify(ctx, at[0], purest, records.VerifyOptions{Nodes: n}))(t)
			all := must.For(query.NewGraphs(ctx, n))(t)
			strict, compared, links := 0, 0, 0
			top := at[0].Range().Hi.Num().Int64()
			for i := range all.Size() {
				set := 0
				for _, e := range all.Edges(i) {
					set |= 1 << slices.Index(pairs, [2]int{min(e[0], e[1]), max(e[0], e[1])})
				}
				seen := map[int]bool{}
				for other := range at {
					if distance(set, other) == 1 {
						seen[must.For(all.Index(graph6Of(n, edgesOf(other))))(t)] = true
					}
				}
				delete(seen, i)
				links += len(seen)
				for r := range top + 1 {
					least := 100
					for other := range at {
						if at[other].Value().Cmp(rat(r, 1)) == 0 {
							least = min(least, distance(set, other))
						}
					}
					compared++ // a value that no graph has is infinitely far
					layer := must.For(at[set].Layer(rat(r, 1)))(t)
					strict += b2i(layer >= 0 && layer < least)
				}
			}
			verdict := "valid bound"
			if strict == 0 {
				verdict = "exact"
			}
			if v.Datasets != all.Size() || v.Pairs != int64(links/2) || v.Compared != compared || v.Strict != strict || v.Verdict != verdict || v.Keeps != evidence.Confirmed || v.Lipschitz != nil || v.Distance != nil {
				t.Errorf("%s under %s: %+v, want %d graphs, %d pairs, %d of %d below, %s", name, neighbors, v, all.Size(), links/2, strict, compared, verdict)
			}
			if v.Scope != fmt.Sprintf("tested on all 11 graphs of 4 nodes, up to names, under one %s; for other datasets it is a theorem", neighbors) {
				t.Error(v.Scope)
			}
		}
	}
}

// graph6Of encodes a graph in nauty's graph6 format.
func graph6Of(n int, edges [][2]int) string {
	word, have := 0, 0
	out := []byte{byte(63 + n)}
	for v := 1; v < n; v++ {
		for u := range v {
			word = 2*word + b2i(slices.Contains(edges, [2]int{u, v}))
			if have++; have%6 == 0 {
				out, word = append(out, byte(63+word)), 0
			}
		}
	}
	if have%6 > 0 {
		out = append(out, byte(63+word<<(6-have%6)))
	}
	return string(out)
}

// doubleExponential is Laplace noise, implemented outside the package.
type doubleExponential struct{}

func (doubleExponential) Tail(u interval.Interval) interval.Interval {
	return u.Neg().Exp().Quo(interval.Int(2))
}
func (doubleExponential) Area(u interval.Interval) interval.Interval {
	return u.Neg().Expm1().Quo(interval.Int(-2))
}
func (doubleExponential) Half() interval.Interval      { return interval.Rat(rat(1, 2)) }
func (doubleExponential) Draw(src rand.Source) float64 { return rand.New(src).ExpFloat64() }

// Verify refutes a claim that is too small, and gives no verdict without a claim.
func TestVerifyRefutesFalseClaims(t *testing.T) {
	eps := must.For(evidence.NewEpsilon("eps", 1))(t)
	q := must.For(small(records.Replace).Median())(t)
	options := records.VerifyOptions{Records: 3, Values: floatsOf([]int64{0, 1, 2})}
	noise := func(scale int64, claim evidence.Number) func(q *records.Query) (records.Law, error) {
		return func(q *records.Query) (records.Law, error) {
			return records.NewAdded(q, "noise", interval.Int(scale), doubleExponential{}, claim, nil)
		}
	}
	for _, c := range []struct {
		scale int64
		claim evidence.Number
		want  evidence.Verdict
	}{{2, mechanism.Claim(eps, "nobody"), evidence.Confirmed}, {1, mechanism.Claim(eps, "nobody"), evidence.Refuted}, {1, evidence.Exact{Value: rat(1, 1)}, evidence.Verdict("")}, {1, evidence.Claimed{Value: 1}, evidence.Verdict("")}} {
		if v := must.For(records.Verify(ctx, q, noise(c.scale, c.claim), options))(t); v.Keeps != c.want {
			t.Errorf("scale %d, claim %v: %s, want %s", c.scale, c.claim, v.Keeps, c.want)
		}
	}
}
