package discretize_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/continuous"
	"dpworkbench/discretize"
	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

var ctx = context.Background()

func float(t testing.TB, v float64) evidence.Epsilon {
	return must.For(evidence.NewEpsilon("eps", v))(t)
}

func log(t testing.TB, base int64) evidence.Epsilon {
	return must.For(evidence.LogEpsilon("eps", big.NewRat(base, 1)))(t)
}

// cycle is f(x) = |x − n| around a cycle of 2n datasets: values 0 … n, Δ = 1.
func cycle(t testing.TB, n int) *query.Query {
	t.Helper()
	var edges [][2]int
	values := make([]float64, 2*n)
	for x := range values {
		edges = append(edges, [2]int{x, (x + 1) % (2 * n)})
		values[x] = math.Abs(float64(x - n))
	}
	space := must.For(query.NewPathSpace(2*n, edges))(t)
	return must.For(query.NewNumeric("cycle", space, values, nil))(t)
}

// path is f(x) = x·step on a path of n datasets.
func path(t testing.TB, n int, step float64) *query.Query {
	t.Helper()
	var edges [][2]int
	values := make([]float64, n)
	for x := range values {
		if x > 0 {
			edges = append(edges, [2]int{x - 1, x})
		}
		values[x] = float64(x) * step
	}
	return must.For(query.NewNumeric("path", must.For(query.NewPathSpace(n, edges))(t), values, nil))(t)
}

// Probabilities on boundaries: geometric noise that lands on the far end of a
// path has p/M = e^{−kε/Δ} exactly, wherever it starts; so the end lies in layer
// ⌊k/Δ⌋, whether e^{−ε} is rational or not.
func TestGeometricBoundaries(t *testing.T) {
	for _, eps := range []evidence.Epsilon{float(t, 1), float(t, 0.1), log(t, 3), log(t, 9).Ratio(1, 4)} {
		q := path(t, 7, 1)
		d := must.For(discretize.New(ctx, must.For(mechanism.NewGeometric(ctx, q, eps))(t), eps))(t)
		for x := range 7 {
			for r, k := range map[int]int{0: x, 6: 6 - x} {
				if got := d.Layer(x, r); got != k {
					t.Errorf("ε = %v: end %d at distance %d is in layer %d", eps, r, k, got)
				}
			}
		}
		if d.Boundaries() == 0 {
			t.Errorf("ε = %v: no boundary was met", eps)
		}
	}
}

// Exponential weights e^{−kε/(2Δ)} with one normaliser have layers ⌊k/(2Δ)⌋; with
// 2Δ = 6 the unit ε/6 is no float64 for ε = 1.1.
func TestExponentialBoundaries(t *testing.T) {
	space := must.For(query.NewPathSpace(2, [][2]int{{0, 1}}))(t)
	for _, eps := range []evidence.Epsilon{float(t, 1.1), float(t, 0.3), log(t, 5)} {
		var rng []float64
		for v := range 41 {
			rng = append(rng, float64(v))
		}
		q := must.For(query.NewNumeric("f", space, []float64{19, 22}, rng[1:]))(t) // mirror images in 1 … 40
		m := must.For(mechanism.NewExponential(ctx, q, eps))(t)
		d := must.For(discretize.New(ctx, m, eps))(t)
		for x, f := range []int{19, 22} {
			for r := range q.Range() {
				k := r + 1 - f
				if want := max(k, -k) / 6; d.Layer(x, r) != want {
					t.Errorf("ε = %v: value at distance %d is in layer %d, want %d", eps, k, d.Layer(x, r), want)
				}
			}
		}
	}
}

// Random rational laws against Definition 13 read literally.
func TestDefinition13(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 1))
	q := cycle(t, 3)
	for range 60 {
		base := big.NewRat(2+r.Int64N(4), 1)
		rows := make([][]*big.Rat, q.Size())
		for x := range rows {
			rows[x] = make([]*big.Rat, len(q.Range()))
			sum := new(big.Rat)
			for v := range rows[x] { // powers of the base, so that boundaries are met
				rows[x][v] = new(big.Rat).Inv(new(big.Rat).SetInt(new(big.Int).Exp(base.Num(), big.NewInt(r.Int64N(5)), nil)))
				if r.IntN(6) == 0 {
					rows[x][v] = new(big.Rat)
				}
				sum.Add(sum, rows[x][v])
			}
			if sum.Sign() == 0 {
				rows[x][0], sum = big.NewRat(1, 1), big.NewRat(1, 1)
			}
			for _, p := range rows[x] {
				p.Quo(p, sum)
			}
		}
		m := must.For(mechanism.NewRationalTable(mechanism.Info{Name: "random", Query: q, Claimed: evidence.Claimed{Value: 1}}, rows, nil))(t)
		d := must.For(discretize.New(ctx, m, must.For(evidence.LogEpsilon("eps", base))(t)))(t)
		most := new(big.Rat)
		for _, row := range rows {
			for _, p := range row {
				if p.Cmp(most) > 0 {
					most = p
				}
			}
		}
		for x, row := range rows {
			for v, p := range row {
				want := query.Unreached
				if p.Sign() > 0 {
					bound := new(big.Rat).Set(most)
					for want = 0; ; want++ { // e^{−(i+1)ε} < p/M
						if bound.Quo(bound, base); p.Cmp(bound) > 0 {
							break
						}
					}
				}
				if got := d.Layer(x, v); got != want {
					t.Fatalf("p^%d = %v, e^ε = %v: value %d in layer %d, want %d", x, row, base, v, got, want)
				}
			}
		}
	}
}

// Theorem 1 on mechanisms of every kind, and discretizing twice changes nothing
// that Definition 13 does not.
func TestTheorem1(t *testing.T) {
	for _, q := range []*query.Query{cycle(t, 4), path(t, 6, 1), path(t, 5, 2)} {
		for _, eps := range []evidence.Epsilon{float(t, 0.5), float(t, 2), log(t, 3)} {
			for _, m := range []mechanism.Mechanism{
				must.For(mechanism.NewLaplace(ctx, q, eps))(t),
				must.For(mechanism.NewGeometric(ctx, q, eps))(t),
				must.For(mechanism.NewExponential(ctx, q, eps))(t),
				must.For(mechanism.NewLadder(ctx, q, eps))(t),
				must.For(layers.NewPurest(ctx, q, eps.Ratio(1, 2)))(t),
				must.For(layers.NewDeltaNeighborhood(ctx, q, eps.Ratio(1, 2), make([]float64, q.Size())))(t),
			} {
				at := must.For(discretize.Guarantee(m))(t)
				if at.Value() != eps.Value() {
					t.Errorf("%s claims %v, want %v", m.Name(), at, eps)
				}
				d := must.For(discretize.New(ctx, m, at))(t)
				th := must.For(d.Theorem1(ctx))(t)
				if th.Hypothesis != evidence.Confirmed || th.Privacy != evidence.Confirmed || th.Utility != evidence.Confirmed {
					t.Errorf("%s at %v: %+v", m.Name(), at, th)
				}
				for _, rule := range []layers.Rule{layers.Published, layers.Closure} {
					if r := must.For(d.Reconstruct(ctx, rule))(t); !r.Equal {
						t.Errorf("%s at %v: rule %q differs at %v", m.Name(), at, rule, r.Differ)
					}
				}
				extras := must.For(d.Extras(ctx))(t)
				if basic := must.For(d.IsBasic(ctx))(t); basic != (len(extras) == 0) {
					t.Errorf("%s: basic %v with extras %v", m.Name(), basic, extras)
				}
			}
		}
	}
}

// Two datasets at distance 2 that are no neighbors: (34) brings R_0^y to layer 2,
// where Definition 13 puts it into layer 4. The claim of Theorem 3 needs a metric
// in which distance 2 has a way through a neighbor.
func TestReconstructionNeedsChains(t *testing.T) {
	space := must.For(query.NewMatrixSpace([][]float64{{0, 2}, {2, 0}}))(t)
	q := must.For(query.NewNumeric("f", space, []float64{0, 1}, nil))(t)
	m := must.For(mechanism.NewRationalTable(mechanism.Info{Name: "table", Query: q, Claimed: evidence.Claimed{Value: 1}},
		[][]*big.Rat{{big.NewRat(99, 100), big.NewRat(1, 100)}, {big.NewRat(1, 100), big.NewRat(99, 100)}}, nil))(t)
	d := must.For(discretize.New(ctx, m, float(t, 1)))(t)
	r := must.For(d.Reconstruct(ctx, layers.Published))(t)
	if d.Layer(0, 1) != 4 || r.Equal || len(r.Differ) != 2 || r.Differ[0] != (discretize.Extra{Dataset: 0, Value: 1, Layer: 2}) {
		t.Errorf("layer %d, rebuilt %+v", d.Layer(0, 1), r)
	}
}

// A probability whose enclosure holds the boundary is an error.
func TestUndecided(t *testing.T) {
	q := path(t, 2, 1)
	half := interval.Int(1).Quo(interval.Int(2))
	edge := interval.Int(-1).Exp().Quo(interval.Int(2))
	rows := [][]interval.Interval{{half, edge}, {edge, half}}
	m := must.For(mechanism.NewEnclosedTable(mechanism.Info{Name: "table", Query: q, Claimed: evidence.Claimed{Value: 1}}, rows, nil, nil))(t)
	if _, err := discretize.New(ctx, m, float(t, 1)); !errors.Is(err, mechanism.ErrUndecided) {
		t.Errorf("p/M = e^{−1} by enclosure: %v, want ErrUndecided", err)
	}
	if _, err := discretize.New(ctx, m, float(t, 0.99)); err != nil {
		t.Errorf("p/M = e^{−1} at ε = 0.99: %v", err)
	}
	if _, err := discretize.New(ctx, m, float(t, 1e-12)); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("ε = 1e-12: %v, want ErrParameter", err)
	}
}

func ExampleNew() {
	space, _ := query.NewPathSpace(4, [][2]int{{0, 1}, {1, 2}, {2, 3}})
	q, _ := query.NewNumeric("f", space, []float64{0, 1, 2, 3}, nil)
	eps, _ := evidence.LogEpsilon("eps", big.NewRat(4, 1))
	m, _ := mechanism.NewExponential(ctx, q, eps)
	d, _ := discretize.New(context.Background(), m, eps)
	for x := range 4 {
		fmt.Print(d.Layers(x), " ")
	}
	basic, _ := d.IsBasic(context.Background())
	extras, _ := d.Extras(context.Background())
	fmt.Println(basic, extras)
	// Output:
	// [[0 1] [2 3]] [[0 1 2] [3]] [[1 2 3] [0]] [[2 3] [0 1]] false [{0 3 1} {3 0 1}]
}

func TestLine(t *testing.T) {
	of := func(ends ...int64) *continuous.Linear {
		var v [][2]*big.Rat
		for i := 0; i < len(ends); i += 2 {
			v = append(v, [2]*big.Rat{big.NewRat(ends[i], 2), big.NewRat(ends[i+1], 2)})
		}
		return must.For(continuous.NewLinear(v))(t)
	}
	full, gaps := of(0, 20), of(0, 2, 18, 20)
	eps := log(t, 3)
	check := func(q *continuous.Linear, m continuous.Mechanism, basic bool) {
		t.Helper()
		d := must.For(discretize.NewLine(q, m))(t)
		if d.IsBasic() != basic {
			t.Errorf("%s on %v: basic %v, want %v", m.Name(), q, d.IsBasic(), basic)
		}
		th := must.For(d.Theorem1(ctx))(t)
		if th.Hypothesis != evidence.Confirmed || th.Privacy != evidence.Confirmed || th.Utility != evidence.Confirmed {
			t.Errorf("%s on %v: %+v", m.Name(), q, th)
		}
		// the layers of p are those of q, ends and all
		a, b := must.For(m.Layers(ctx, 3))(t), must.For(d.Layers(ctx, 3))(t)
		for i := range a {
			if !a[i].Equal(b[i]) {
				t.Errorf("%s: R_%d = %v, discretized %v", m.Name(), i, a[i], b[i])
			}
		}
		// and are basic where R_0 + V covers A_1
		reach := a[0].Sum(q.NeighboringSet())
		if covers := a[1].Difference(reach).IsEmpty(); covers != basic {
			t.Errorf("%s on %v: R_0 + V covers A_1: %v, want %v", m.Name(), q, covers, basic)
		}
	}
	check(full, must.For(continuous.NewStaircase(full, eps, big.NewRat(1, 7)))(t), true)
	check(gaps, must.For(continuous.NewStaircase(gaps, eps, big.NewRat(1, 7)))(t), false)
	check(gaps, must.For(continuous.NewStaircase(gaps, eps, big.NewRat(2, 5)))(t), false) // gap 8 = 2γΔ, ends out
	check(gaps, must.For(continuous.NewStaircase(gaps, eps, big.NewRat(41, 100)))(t), true)
	check(gaps, must.For(continuous.NewLaplace(gaps, eps))(t), true)
	check(gaps, must.For(continuous.NewDeltaNeighborhood(ctx, gaps, eps, big.NewRat(1, 3)))(t), true)
	check(gaps, must.For(discretize.NewLine(gaps, must.For(continuous.NewLaplace(gaps, eps))(t)))(t), true)
}

// Discretized densities at the ends of layers and beside them: layer i of Laplace
// noise is where p(r) lies in (e^{−(i+1)ε}, e^{−iε}] of its largest, so
// the nearer end of |r| is in.
func TestLineEnds(t *testing.T) {
	eps := log(t, 3)
	delta := big.NewRat(5, 2)
	q := must.For(continuous.NewLinear([][2]*big.Rat{{big.NewRat(1, 2), big.NewRat(1, 2)}, {delta, delta}}))(t)
	laplace := must.For(discretize.NewLine(q, must.For(continuous.NewLaplace(q, eps))(t)))(t)
	density := func(m *discretize.Line, r *big.Rat) *big.Rat {
		e, ok := must.For(m.Density(r))(t).(evidence.Exact)
		if !ok {
			t.Fatalf("%s at %v is not exact", m.Name(), r)
		}
		return e.Value
	}
	sliver := big.NewRat(1, 1<<50)
	most := density(laplace, new(big.Rat))
	if want := big.NewRat(2, 15); most.Cmp(want) != 0 { // (1 − 1/3)/(2Δ)
		t.Errorf("largest density %v, want %v", most, want)
	}
	for i := int64(0); i < 6; i++ {
		power := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(3), big.NewInt(i), nil))
		start := new(big.Rat).Mul(delta, big.NewRat(i, 1))
		last := new(big.Rat).Sub(new(big.Rat).Add(start, delta), sliver)
		for _, r := range []*big.Rat{start, last, new(big.Rat).Neg(start), new(big.Rat).Neg(last)} {
			if got := density(laplace, r); got.Cmp(new(big.Rat).Mul(power, most)) != 0 {
				t.Errorf("Laplace at %v: %v, want 3^-%d of %v", r, got, i, most)
			}
		}
	}
}

// Theorem 1 is decided at every ε and scale, infinite distortions among them.
func TestLineAtEveryScale(t *testing.T) {
	for _, e := range []float64{1e-300, 1e-80, 1e-16, 1, 700} {
		for _, size := range []string{"1e-300", "1", "1e300"} {
			delta, _ := new(big.Rat).SetString(size)
			q := must.For(continuous.NewLinear([][2]*big.Rat{{delta, delta}}))(t)
			eps := must.For(evidence.NewEpsilon("eps", e))(t)
			for _, m := range []continuous.Mechanism{
				must.For(continuous.NewLaplace(q, eps))(t), must.For(continuous.NewStaircase(q, eps, nil))(t), must.For(continuous.NewPurest(ctx, q, eps))(t),
			} {
				th := must.For(must.For(discretize.NewLine(q, m))(t).Theorem1(ctx))(t)
				if th.Hypothesis != evidence.Confirmed || th.Privacy != evidence.Confirmed || th.Utility != evidence.Confirmed {
					t.Errorf("%s, Δ = %s: %+v", m.Name(), size, th)
				}
			}
		}
	}
}
