package optimize_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/mechanism"
	"dpworkbench/optimize"
	"dpworkbench/query"
)

func ExampleNewOptimal() {
	g, _ := query.NewGraphs(context.Background(), 4)
	q, _ := g.Count("triangle")
	eps, _ := evidence.NewEpsilon("eps", 1)
	m, err := optimize.NewOptimal(context.Background(), q, eps, optimize.Options{})
	fmt.Printf("%.6f %v\n", m.Optimum().Float(), err)
	three, _ := evidence.LogEpsilon("eps", big.NewRat(3, 1))
	m, err = optimize.NewOptimal(context.Background(), q, three, optimize.Options{})
	fmt.Println(m.Optimum().(evidence.Exact).Value, err)
	// Output:
	// 0.480580 <nil>
	// 18545/42768 <nil>
}

func solve(t testing.TB, q *query.Query, eps evidence.Epsilon, o optimize.Options) *optimize.Optimal {
	t.Helper()
	m, err := optimize.NewOptimal(context.Background(), q, eps, o)
	if err != nil {
		t.Fatalf("ε = %s, %+v: %v", eps, o, err)
	}
	return m
}

// Optima found by an independent solver, to six decimals.
func TestTriangleOptima(t *testing.T) {
	for _, c := range []struct {
		n         int
		eps       float64
		objective optimize.Objective
		want      float64
	}{
		{4, 1, optimize.Mean, 0.480580}, {5, 0.5, optimize.Mean, 1.219274}, {5, 1, optimize.Mean, 0.860720},
		{5, 2, optimize.Mean, 0.356915}, {4, 1, optimize.Worst, 0.924189}, {5, 1, optimize.Worst, 1.678223},
	} {
		q := graphs(t, c.n, "triangle")
		m := solve(t, q, epsilon(t, c.eps), optimize.Options{Objective: c.objective})
		lo, hi := bounds(m.Optimum())
		if hi < c.want-5.1e-7 || lo > c.want+5.1e-7 || !((hi-lo)/hi <= 1e-6) {
			t.Errorf("n = %d, ε = %g, %s: [%v, %v], want %v", c.n, c.eps, c.objective, lo, hi, c.want)
		}
		checkMechanism(t, m, c.eps)
		checkCertificate(t, q, m, big.NewRat(0, 1))
		value := attained(t, m, c.objective)
		if got, _ := value.Float64(); got > hi || got < hi-1e-9 {
			t.Errorf("n = %d, ε = %g, %s: the mechanism attains %v, the upper end is %v", c.n, c.eps, c.objective, got, hi)
		}
	}
}

func TestExactOptima(t *testing.T) {
	for n, want := range map[int]*big.Rat{4: big.NewRat(18545, 3888*11), 5: big.NewRat(3690392, 137781*34)} {
		q := graphs(t, n, "triangle")
		m := solve(t, q, logarithm(t, 3, 1), optimize.Options{})
		got, ok := m.Optimum().(evidence.Exact)
		if !ok || got.Value.Cmp(want) != 0 {
			t.Errorf("n = %d: %v, want %v", n, m.Optimum(), want)
		}
		loss, err := mechanism.Privacy(m).Epsilon(context.Background(), evidence.Delta{})
		if err != nil {
			t.Fatal(err)
		}
		if a := loss.(evidence.ExactLog).Argument; a.Cmp(big.NewRat(3, 1)) != 0 {
			t.Errorf("n = %d: smallest ε = ln(%v), want ln(3)", n, a)
		}
		checkCertificate(t, q, m, big.NewRat(3, 1))
	}
}

// Ghosh, Roughgarden and Sundararajan 2009: on a line of counts the geometric
// mechanism followed by the best remap is optimal, whatever the prior.
func TestGeometricWithRemapIsOptimalOnALine(t *testing.T) {
	for _, c := range []struct {
		n     int
		eps   evidence.Epsilon
		prior []*big.Rat
	}{
		{10, logarithm(t, 3, 1), nil},
		{15, logarithm(t, 3, 2), nil},
		{7, logarithm(t, 6, 5), nil},
		{4, logarithm(t, 2, 1), decimals(0.1, 0.4, 0.05, 0.05, 0.4)},
		{3, logarithm(t, 5, 1), decimals(0, 0.5, 0.5, 0)},
	} {
		q := counts(t, c.n)
		g, err := mechanism.NewGeometric(context.Background(), q, c.eps)
		if err != nil {
			t.Fatal(err)
		}
		prior, err := mechanism.PriorWeights(c.n+1, c.prior)
		if err != nil {
			t.Fatal(err)
		}
		want := new(big.Rat)
		for s := range c.n + 1 { // the best answer to the geometric output s
			var least *big.Rat
			for r := range c.n + 1 {
				sum := new(big.Rat)
				for x := range c.n + 1 {
					p, ok := g.Rational(x, s)
					if !ok {
						t.Fatal("the geometric mechanism should be rational")
					}
					p = new(big.Rat).Mul(p, prior[x])
					sum.Add(sum, p.Mul(p, big.NewRat(int64(max(x-r, r-x)), 1)))
				}
				if least == nil || sum.Cmp(least) < 0 {
					least = sum
				}
			}
			want.Add(want, least)
		}
		m := solve(t, q, c.eps, optimize.Options{Prior: c.prior, Rational: optimize.Required})
		if got := m.Optimum().(evidence.Exact).Value; got.Cmp(want) != 0 {
			t.Errorf("n = %d, ε = %s: %v, geometric with remap %v", c.n, c.eps, got, want)
		}
		m = solve(t, q, c.eps, optimize.Options{Prior: c.prior, Rational: optimize.Never})
		lo, hi := bounds(m.Optimum())
		if v, _ := want.Float64(); v < lo || v > hi || !((hi-lo)/hi <= 1e-6) {
			t.Errorf("n = %d, ε = %s: [%v, %v], geometric with remap %v", c.n, c.eps, lo, hi, v)
		}
	}
}

func TestLongLineHasFiniteSmallestEpsilon(t *testing.T) {
	q := counts(t, 80)
	m := solve(t, q, epsilon(t, 1), optimize.Options{})
	checkMechanism(t, m, 1)
	lo, hi := bounds(m.Optimum())
	if !((hi-lo)/hi <= 1e-5) {
		t.Errorf("[%v, %v] is wider than 1e-5", lo, hi)
	}
	g, err := mechanism.NewGeometric(context.Background(), q, epsilon(t, 1))
	if err != nil {
		t.Fatal(err)
	}
	mean, err := mechanism.ExpectedDistortion(context.Background(), g, nil)
	if err != nil {
		t.Fatal(err)
	}
	if above, _ := bounds(mean); above < lo || above > 1.02*hi {
		t.Errorf("geometric %v, optimum [%v, %v]: a line's remap moves little but its ends", above, lo, hi)
	}
}

// Values outside the attained interval are dropped, values between are not.
func TestLargerRange(t *testing.T) {
	ctx := context.Background()
	space, err := query.NewPathSpace(2, [][2]int{{0, 1}})
	if err != nil {
		t.Fatal(err)
	}
	for _, rng := range [][]float64{{0, 2}, {0, 1, 2}, {-5, 0, 1, 2, 7}} {
		q, err := query.NewNumeric("two", space, []float64{0, 2}, rng)
		if err != nil {
			t.Fatal(err)
		}
		m, err := optimize.NewOptimal(ctx, q, logarithm(t, 3, 1), optimize.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Optimum().(evidence.Exact).Value; got.Cmp(big.NewRat(1, 2)) != 0 { // 2/(1 + e^ε)
			t.Errorf("range %v: %v, want 1/2", rng, got)
		}
		for r, v := range q.Range() {
			if p, _ := m.Rational(0, r); (v.(query.Number) < 0 || v.(query.Number) > 2) && p.Sign() != 0 {
				t.Errorf("range %v: %v has probability %v", rng, v, p)
			}
		}
	}
}

// Where one answer costs nothing the optimum is 0, exactly.
func TestNothingToLose(t *testing.T) {
	q := counts(t, 2)
	m := solve(t, q, epsilon(t, 1), optimize.Options{Prior: decimals(0, 1, 0)})
	if e, ok := m.Optimum().(evidence.Exact); !ok || e.Value.Sign() != 0 {
		t.Errorf("all weight on one dataset: %v, want 0", m.Optimum())
	}
	checkMechanism(t, m, 1)
	checkCertificate(t, q, m, big.NewRat(2, 1))
	space, err := query.NewPathSpace(4, [][2]int{{0, 1}, {2, 3}})
	if err != nil {
		t.Fatal(err)
	}
	constant, err := query.NewNumeric("constant", space, []float64{3, 3, 5, 5}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []optimize.Options{{}, {Objective: optimize.Worst}} {
		m := solve(t, constant, epsilon(t, 1), o)
		if _, hi := bounds(m.Optimum()); hi != 0 {
			t.Errorf("constant on each component: %v, want 0", m.Optimum())
		}
		checkMechanism(t, m, 1)
		checkCertificate(t, constant, m, big.NewRat(2, 1))
	}
	m = solve(t, constant, epsilon(t, 1), optimize.Options{Objective: optimize.Worst})
	again, err := optimize.NewOptimal(context.Background(), constant, epsilon(t, 1), optimize.Options{Objective: optimize.Pareto, Than: m})
	if err != nil {
		t.Fatal(err)
	}
	if _, hi := bounds(again.Optimum()); hi != 0 {
		t.Errorf("improving nothing: %v, want 0", again.Optimum())
	}
}

// Datasets without neighbors, distances below 1, and a value metric that is no
// whole multiple of anything.
func TestUnusualQueries(t *testing.T) {
	ctx := context.Background()
	space, err := query.NewMatrixSpace([][]float64{{0, 0.5, 3}, {0.5, 0, 3}, {3, 3, 0}})
	if err != nil {
		t.Fatal(err)
	}
	q, err := query.New("odd", space, []query.Value{query.Name("a"), query.Name("b"), query.Name("c")}, nil,
		query.ValueMetric{Matrix: [][]float64{{0, math.Pi, 4}, {math.Pi, 0, math.Sqrt2 + 1}, {4, math.Sqrt2 + 1, 0}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []float64{1e-3, 1, 6} {
		m, err := optimize.NewOptimal(ctx, q, epsilon(t, e), optimize.Options{})
		if err != nil {
			t.Fatal(err)
		}
		want := 2 * math.Pi / (1 + math.Exp(e)) / 3 // the third dataset is free
		if lo, hi := bounds(m.Optimum()); want < lo*(1-1e-12) || want > hi*(1+1e-12) || (hi-lo)/hi > 1e-6 {
			t.Errorf("ε = %g: [%v, %v], want %v", e, lo, hi, want)
		}
		checkMechanism(t, m, e)
	}
}
