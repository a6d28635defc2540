package optimize_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/ctxtest"
	"dpworkbench/internal/must"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/optimize"
	"dpworkbench/query"
	"dpworkbench/xor"
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

// The expected optima are from an independent solver, to six decimals.
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
		m := solve(t, q, evidencetest.Epsilon(c.eps), optimize.Options{Objective: c.objective})
		lo, hi := bounds(m.Optimum())
		if hi < c.want-5.1e-7 || lo > c.want+5.1e-7 || !((hi-lo)/hi <= 1e-6) {
			t.Errorf("n = %d, ε = %g, %s: [%v, %v], want %v", c.n, c.eps, c.objective, lo, hi, c.want)
		}
		checkMechanism(t, m, c.eps)
		checkCertificate(t, q, m, big.NewRat(0, 1))
		value := objectiveOf(t, m, c.objective)
		if got, _ := value.Float64(); got > hi || got < hi-1e-9 {
			t.Errorf("n = %d, ε = %g, %s: the mechanism attains %v, the upper bound is %v", c.n, c.eps, c.objective, got, hi)
		}
	}
}

func TestExactOptima(t *testing.T) {
	for n, want := range map[int]*big.Rat{4: big.NewRat(18545, 3888*11), 5: big.NewRat(3690392, 137781*34)} {
		q := graphs(t, n, "triangle")
		m := solve(t, q, evidencetest.LogEpsilon(3, 1), optimize.Options{})
		got, ok := m.Optimum().(evidence.Exact)
		if !ok || got.Value.Cmp(want) != 0 {
			t.Errorf("n = %d: %v, want %v", n, m.Optimum(), want)
		}
		loss := must.For(mechanism.Privacy(m).Epsilon(context.Background(), evidence.Delta{}))(t)
		if a := loss.(evidence.ExactLog).Argument; a.Cmp(big.NewRat(3, 1)) != 0 {
			t.Errorf("n = %d: smallest ε = ln(%v), want ln(3)", n, a)
		}
		checkCertificate(t, q, m, big.NewRat(3, 1))
	}
}

// Ghosh, Roughgarden and Sundararajan 2009: for counts on a line, the geometric mechanism followed by the best remap is
// optimal for every prior.
func TestGeometricWithRemapIsOptimalOnALine(t *testing.T) {
	for _, c := range []struct {
		n     int
		eps   evidence.Epsilon
		prior []*big.Rat
	}{
		{10, evidencetest.LogEpsilon(3, 1), nil},
		{15, evidencetest.LogEpsilon(3, 2), nil},
		{7, evidencetest.LogEpsilon(6, 5), nil},
		{4, evidencetest.LogEpsilon(2, 1), decimals(0.1, 0.4, 0.05, 0.05, 0.4)},
		{3, evidencetest.LogEpsilon(5, 1), decimals(0, 0.5, 0.5, 0)},
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

// If some answer costs nothing, the optimum is exactly 0.
func TestZeroOptimum(t *testing.T) {
	q := counts(t, 2)
	m := solve(t, q, evidencetest.Epsilon(1), optimize.Options{Prior: decimals(0, 1, 0)})
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
		m := solve(t, constant, evidencetest.Epsilon(1), o)
		if _, hi := bounds(m.Optimum()); hi != 0 {
			t.Errorf("constant on each component: %v, want 0", m.Optimum())
		}
		checkMechanism(t, m, 1)
		checkCertificate(t, constant, m, big.NewRat(2, 1))
	}
	m = solve(t, constant, evidencetest.Epsilon(1), optimize.Options{Objective: optimize.Worst})
	again, err := optimize.NewOptimal(context.Background(), constant, evidencetest.Epsilon(1), optimize.Options{Objective: optimize.Pareto, Than: m})
	if err != nil {
		t.Fatal(err)
	}
	if _, hi := bounds(again.Optimum()); hi != 0 {
		t.Errorf("improving a mechanism of cost 0: %v, want 0", again.Optimum())
	}
}

// checkMechanism fails unless the smallest ε is certified to be at most eps and all rows sum to 1.
func checkMechanism(t *testing.T, m *optimize.Optimal, eps float64) {
	t.Helper()
	loss := must.For(mechanism.Privacy(m).Epsilon(context.Background(), evidence.Delta{}))(t)
	if _, hi := bounds(loss); !(hi <= eps) {
		t.Errorf("%s: smallest ε up to %v, want at most %v", m.Name(), hi, eps)
	}
	for x := range m.Query().Size() {
		sum := new(big.Rat)
		for r := range m.Query().Range() {
			p, ok := m.Rational(x, r)
			if !ok || p.Sign() < 0 {
				t.Fatalf("%s: p^%d(%d) = %v, %v", m.Name(), x, r, p, ok)
			}
			sum.Add(sum, p)
		}
		if sum.Cmp(big.NewRat(1, 1)) != 0 {
			t.Errorf("%s: row %d sums to %v", m.Name(), x, sum)
		}
	}
}

// objectiveOf returns the objective of the mechanism, computed from the query and the probabilities alone.
func objectiveOf(t *testing.T, m *optimize.Optimal, objective optimize.Objective) *big.Rat {
	t.Helper()
	total, worst := new(big.Rat), new(big.Rat)
	q := m.Query()
	for x := range q.Size() {
		sum := new(big.Rat)
		for r := range q.Range() {
			p, _ := m.Rational(x, r)
			d := new(big.Rat).SetFloat64(q.Metric().Distance(q.ValueIndex(x), r))
			sum.Add(sum, d.Mul(d, p))
		}
		total.Add(total, sum)
		if sum.Cmp(worst) > 0 {
			worst = sum
		}
	}
	switch objective {
	case optimize.Worst:
		return worst
	case optimize.Pareto:
		return total
	}
	return total.Quo(total, big.NewRat(int64(q.Size()), 1))
}

// checkCertificate recomputes the dual bound from the certificate in rational arithmetic. It fails unless the bound
// reaches the lower bound of the optimum. It uses w as e^ε or, if w is 0, both bounds of a rational enclosure.
func checkCertificate(t *testing.T, q *query.Query, m *optimize.Optimal, w *big.Rat, than ...*big.Rat) {
	t.Helper()
	ends := []*big.Rat{w}
	if w.Sign() == 0 {
		eps, _ := m.Guarantee()
		e := math.Exp(eps.Value())
		ends = []*big.Rat{
			new(big.Rat).SetFloat64(math.Nextafter(e, 0)), new(big.Rat).SetFloat64(math.Nextafter(e, math.Inf(1))),
		}
	}
	c := m.Certificate()
	var least *big.Rat
	for _, w := range ends { // the bound is concave in w, so its minimum is at an endpoint
		rest := make(map[[2]int]*big.Rat)
		for x := range q.Size() {
			rate := new(big.Rat).Set(c.Weight[x])
			if c.Bound != nil {
				rate.Add(rate, c.Bound[x])
			}
			for _, r := range c.Values {
				d := q.Metric().Rational(q.ValueIndex(x), r)
				d.Quo(d, c.Unit)
				rest[[2]int{x, r}] = d.Mul(d, rate)
			}
		}
		for key, price := range c.Up {
			x, y, r := key[0], key[1], key[2]
			if price.Sign() < 0 {
				t.Fatalf("price %v is negative", key)
			}
			if !slices.Contains(q.Space().Neighbors(x), int32(y)) {
				t.Fatalf("price %v belongs to no constraint", key)
			}
			rest[[2]int{x, r}].Add(rest[[2]int{x, r}], price)
			rest[[2]int{y, r}].Sub(rest[[2]int{y, r}], new(big.Rat).Mul(w, price))
		}
		bound := new(big.Rat)
		for x := range q.Size() {
			var low *big.Rat
			for _, r := range c.Values {
				if v := rest[[2]int{x, r}]; low == nil || v.Cmp(low) < 0 {
					low = v
				}
			}
			bound.Add(bound, low)
			if than != nil {
				bound.Sub(bound, new(big.Rat).Mul(c.Bound[x], than[x]))
			}
		}
		dearest := make(map[[2]int]*big.Rat)
		for key, price := range c.Up {
			if at := [2]int{key[0], key[1]}; dearest[at] == nil || price.Cmp(dearest[at]) > 0 {
				dearest[at] = price
			}
		}
		for _, price := range dearest {
			bound.Sub(bound, new(big.Rat).Mul(c.Delta, price))
		}
		bound.Mul(bound, c.Unit)
		if least == nil || bound.Cmp(least) < 0 {
			least = bound
		}
	}
	lo, _ := bounds(m.Optimum())
	got, _ := least.Float64()
	if e, ok := m.Optimum().(evidence.Exact); ok {
		if least.Cmp(e.Value) != 0 {
			t.Errorf("%s: the certificate proves %v, want %v", m.Name(), least, e.Value)
		}
	} else if got < lo-1e-12*math.Abs(lo) {
		t.Errorf("%s: the certificate proves %v, want %v", m.Name(), got, lo)
	}
}

// On small random queries the interval contains the exact optimum at the same ε, for every objective. The objective of
// the mechanism is at most the upper bound.
func TestIntervalsContainExactOptima(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 40))
	for range 6 {
		n := 3 + rng.IntN(2)
		var edges [][2]int
		values, prior, total := make([]float64, n), make([]*big.Rat, n), int64(0)
		weights := make([]int64, n)
		for x := range values {
			values[x] = float64(rng.IntN(7)) / 10
			if x > 0 {
				edges = append(edges, [2]int{rng.IntN(x), x})
			}
			weights[x] = 1 + rng.Int64N(7)
			total += weights[x]
		}
		for x, w := range weights {
			prior[x] = big.NewRat(w, total)
		}
		space, err := query.NewPathSpace(n, edges)
		if err != nil {
			t.Fatal(err)
		}
		q, err := query.NewNumeric("f", space, values, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range []optimize.Options{{}, {Prior: prior}, {Objective: optimize.Worst}} {
			eps := evidencetest.LogEpsilon(5, 2)
			o.Rational = optimize.Required
			exact := solve(t, q, eps, o)
			value, ok := exact.Optimum().(evidence.Exact)
			if !ok {
				t.Fatalf("%v: %v is not exact", values, exact.Optimum())
			}
			checkCertificate(t, q, exact, big.NewRat(5, 2))
			o.Rational = optimize.Never
			near := solve(t, q, eps, o)
			checkMechanism(t, near, math.Log(2.5)*(1+1e-15))
			want, _ := value.Value.Float64()
			lo, hi := bounds(near.Optimum())
			if lo > want || hi < want || hi-lo > 1e-6*hi {
				t.Errorf("%v, %+v: [%v, %v], want %v", values, o, lo, hi, want)
			}
			if want == 0 {
				continue
			}
			checkCertificate(t, q, near, big.NewRat(5, 2))
			got := new(big.Rat)
			for x := range n {
				d := mechanism.Distortion(near, x).(evidence.Exact).Value
				switch {
				case o.Objective == optimize.Worst:
					if d.Cmp(got) > 0 {
						got = d
					}
				case o.Prior != nil:
					got.Add(got, new(big.Rat).Mul(d, prior[x]))
				default:
					got.Add(got, new(big.Rat).Quo(d, big.NewRat(int64(n), 1)))
				}
			}
			if v, _ := got.Float64(); v > hi*(1+1e-15) || v < lo {
				t.Errorf("%v, %+v: attains %v, the optimum is in [%v, %v]", values, o, v, lo, hi)
			}
		}
	}
}

// The errors of an interrupted or unfinished search have these messages.
func TestErrorTexts(t *testing.T) {
	stopped := &optimize.Stopped{Lo: 0.25, Hi: 1.5, Steps: 7, Cause: context.Canceled}
	for got, want := range map[string]string{
		stopped.Error():                                "stopped after 7 steps: the optimum lies in [0.25, 1.5]: context canceled",
		stopped.Partial():                              "after 7 steps: the optimum lies in [0.25, 1.5]",
		(&optimize.Stopped{Hi: 2}).Partial():           "before the first step: the optimum lies in [0.0, 2.0]",
		(&optimize.Stopped{Hi: math.Inf(1)}).Partial(): "before the first step",
		(&optimize.NegativeError{Datasets: []int{3, 5}, Values: []float64{-0.125}}).Error():              "no tight mechanism: its constant c is negative at 2 datasets: 3 (-0.125) 5",
		(&optimize.NegativeError{Datasets: []int{0, 1, 2, 3, 4, 5, 6, 7}}).Error():                       "no tight mechanism: its constant c is negative at 8 datasets: 0 1 2 3 4 5 6 7",
		(&optimize.NegativeError{Datasets: []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}}).Error():                 "no tight mechanism: its constant c is negative at 10 datasets: 0 1 2 3 4 5 6 7 and 2 more",
		fmt.Sprint(errors.Is(&optimize.NegativeError{}, optimize.ErrInfeasible)):                         "true",
		fmt.Sprint(errors.Is(stopped, context.Canceled), errors.Is(stopped, optimize.ErrInfeasible)):     "true false",
		fmt.Sprint(errors.Is(&optimize.NegativeError{}, evidence.ErrParameter), stopped.Unwrap() != nil): "false true",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A family that cannot reach an ε near the largest float64 gives ErrNotReached. The smallest and largest ε that the
// solver accepts give the optimum.
func TestEpsilonLimits(t *testing.T) {
	ctx := context.Background()
	q := counts(t, 1)
	flat := func(evidence.Epsilon) (mechanism.Mechanism, error) {
		return mechanism.NewGeometric(ctx, q, evidencetest.Epsilon(0.1))
	}
	for _, eps := range []float64{1.5e308, math.MaxFloat64} {
		if m, err := optimize.Calibrate(ctx, flat, evidencetest.Epsilon(eps)); !errors.Is(err, optimize.ErrNotReached) || m != nil {
			t.Errorf("ε = %g: %v", eps, err)
		}
	}
	for _, eps := range []float64{1e-9, 138} {
		m, err := optimize.NewOptimal(ctx, q, evidencetest.Epsilon(eps), optimize.Options{})
		if err != nil && !errors.Is(err, optimize.ErrPrecision) {
			t.Fatalf("ε = %g: %v", eps, err)
		}
		want := 1 / (1 + math.Exp(eps)) // randomised response
		if lo, hi := bounds(m.Optimum()); lo > want || hi < want*(1-1e-15) {
			t.Errorf("ε = %g: [%v, %v], want %v", eps, lo, hi, want)
		}
	}
	for _, eps := range []float64{math.Nextafter(1e-9, 0), math.Nextafter(138, 139)} {
		if _, err := optimize.NewOptimal(ctx, q, evidencetest.Epsilon(eps), optimize.Options{}); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("ε = %v: %v, want ErrParameter", eps, err)
		}
		if _, err := xor.NewOptimalNoise(ctx, 1, 1, evidencetest.Epsilon(eps), xor.FlipBits(1)); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("noise at ε = %v: %v, want ErrParameter", eps, err)
		}
	}
}

// A width that the arithmetic cannot certify is an error that comes with the best solution, for every objective. An
// attainable width is met.
func TestWidths(t *testing.T) {
	ctx := context.Background()
	q, eps := counts(t, 3), evidencetest.Epsilon(1)
	best := solve(t, q, eps, optimize.Options{})
	for _, o := range []optimize.Options{{}, {Objective: optimize.Worst}, {Objective: optimize.Pareto, Than: best}} {
		o.Width = 1e-30
		m, err := optimize.NewOptimal(ctx, q, eps, o)
		if !errors.Is(err, optimize.ErrPrecision) || m == nil {
			t.Errorf("%q to 1e-30: %v", o.Objective, err)
			continue
		}
		lo, hi := bounds(m.Optimum())
		if !(lo <= hi) || hi-lo > 1e-6*hi {
			t.Errorf("%q: [%v, %v]", o.Objective, lo, hi)
		}
		o.Width = 0.01
		if m, err = optimize.NewOptimal(ctx, q, eps, o); err != nil {
			t.Errorf("%q to 0.01: %v", o.Objective, err)
		} else if l, h := bounds(m.Optimum()); h-l > 0.01*h || l > hi || h < lo {
			t.Errorf("%q to 0.01: [%v, %v], with the smaller width [%v, %v]", o.Objective, l, h, lo, hi)
		}
	}
}

// The certificate proves the lower bound. Its weights are the exact prior, even without a small common denominator.
func TestCertificateOfLongPrior(t *testing.T) {
	q := counts(t, 3)
	prior := decimals(0.12345678901234567, 0.2345678901234567, 0.3456789012345678, 0.29629641962962966)
	weights := must.For(mechanism.PriorWeights(4, prior))(t)
	for _, eps := range []evidence.Epsilon{evidencetest.Epsilon(1), evidencetest.LogEpsilon(3, 1)} {
		m := solve(t, q, eps, optimize.Options{Prior: prior})
		c := m.Certificate()
		for x, w := range weights {
			if c.Weight[x].Cmp(w) != 0 {
				t.Errorf("weight %d is %v, want the prior's %v", x, c.Weight[x], w)
			}
		}
		if c.Unit.Cmp(q.Metric().Unit()) != 0 {
			t.Errorf("unit %v, want the value metric's %v", c.Unit, q.Metric().Unit())
		}
		w := new(big.Rat)
		if v, ok := eps.Exp(); ok {
			w = v
			if m.Optimum().Kind() != evidence.KindExact {
				t.Errorf("optimum at %v is %s, want exact", eps, m.Optimum().Kind())
			}
		}
		checkCertificate(t, q, m, w)
	}
}

// Value s is nearer to every dataset than value r, by less than the rounding error of float64. The optimum uses s.
func TestValuesCloserThanRounding(t *testing.T) {
	space, err := query.NewMatrixSpace([][]float64{{0, 1, 1}, {1, 0, 1}, {1, 1, 0}})
	if err != nil {
		t.Fatal(err)
	}
	one, corner := big.NewRat(1, 1), big.NewRat(9, 5)
	less, _ := new(big.Rat).SetString("0.99999999999999999999")
	d := make([][]*big.Rat, 5) // three corners and two centres
	for i := range d {
		d[i] = make([]*big.Rat, 5)
		for j := range d[i] {
			switch far := max(i, j); {
			case i == j:
				d[i][j] = new(big.Rat)
			case far < 3:
				d[i][j] = corner
			case far == 4 && min(i, j) < 3:
				d[i][j] = less
			default:
				d[i][j] = one
			}
		}
	}
	names := []query.Value{query.Name("a"), query.Name("b"), query.Name("c"), query.Name("r"), query.Name("s")}
	q, err := query.New("centres", space, names[:3], names, query.ValueMetric{Rational: d})
	if err != nil {
		t.Fatal(err)
	}
	for _, objective := range []optimize.Objective{optimize.Mean, optimize.Worst} {
		m := solve(t, q, evidencetest.LogEpsilon(3, 2), optimize.Options{Objective: objective})
		if e, ok := m.Optimum().(evidence.Exact); !ok || e.Value.Cmp(less) != 0 {
			t.Errorf("%s: optimum %v, want exactly %v", objective, m.Optimum(), less.FloatString(20))
		}
	}
}

// The prices that bound the largest distortion sum to 1, also if the optimum is 0.
func TestWorstPricesSumToOne(t *testing.T) {
	flat := must.Be(query.NewNumeric("flat", must.Be(query.NewPathSpace(3, [][2]int{{0, 1}, {1, 2}})), []float64{2, 2, 2}, []float64{1, 2}))
	for _, q := range []*query.Query{counts(t, 2), graphs(t, 4, "triangle"), flat} {
		for _, r := range []optimize.Rationality{optimize.Never, optimize.Required} {
			m := solve(t, q, evidencetest.LogEpsilon(3, 1), optimize.Options{Objective: optimize.Worst, Rational: r})
			sum := new(big.Rat)
			for _, b := range m.Certificate().Bound {
				sum.Add(sum, b)
			}
			if sum.Cmp(big.NewRat(1, 1)) != 0 {
				t.Errorf("%s: prices sum to %v, want 1", m.Name(), sum)
			}
			checkCertificate(t, q, m, big.NewRat(3, 1))
		}
	}
}

// The program keeps exactly the undominated values. A value dominates another if it is never farther and sometimes
// nearer, or if all distances are equal and its index is smaller. The distances are tenths, whose rounding hides ties.
func TestUndominatedValues(t *testing.T) {
	for _, rng := range [][]float64{{0, 0.3, 0.1, 0.7}, {0, 0.3, -1, 0.1, 0.2, 0.4, 2}, {0, 0.3, 0.15}, {0.3, 0, 5}, {0.3, 0.9, 0.1, 0.5},
		{1e9 + 0.3, 5e9, 0.1, 2e9 + 0.5}, {1e9 + 0.7, 5e9, 0.6, 2e9 + 0.8}, {3e9 + 0.1, 9e9, 0.2, 6e9}, {7e7 + 0.3, 9e9, 0.2, 14e7 + 0.4}} {
		f := []float64{rng[0], rng[1]}
		slices.Sort(rng)
		q := must.Be(query.NewNumeric("f", must.Be(query.NewPathSpace(2, [][2]int{{0, 1}})), f, rng))
		var want []int
		for r := range rng {
			needed := true
			for s := range rng {
				never, sometimes := true, false
				for x := range 2 {
					sign := q.Metric().Rational(q.ValueIndex(x), s).Cmp(q.Metric().Rational(q.ValueIndex(x), r))
					never, sometimes = never && sign <= 0, sometimes || sign < 0
				}
				needed = needed && !(never && (sometimes || s < r))
			}
			if needed {
				want = append(want, r)
			}
		}
		if got := solve(t, q, evidencetest.Epsilon(1), optimize.Options{}).Certificate().Values; !slices.Equal(got, want) {
			t.Errorf("range %v: the program uses values %v, want %v", rng, got, want)
		}
	}
}

// An ε is refused if e^ε is irrational and above the solver's limit.
func TestOptimalNoiseEpsilonLimits(t *testing.T) {
	for k, ok := range map[int64]bool{251: true, 253: false} { // in units of (ln 3)/2: 137.9 and 139
		_, err := xor.NewOptimalNoise(context.Background(), 1, 2, evidencetest.LogEpsilon(3, 1).Ratio(k, 2), xor.FlipBits(1))
		if refused := errors.Is(err, evidence.ErrParameter); refused == ok || !ok && !strings.Contains(err.Error(), "at most 138") {
			t.Errorf("ε = %d/2 ln 3: %v", k, err)
		}
	}
	// A cancelled exact search returns no result.
	for n := 0; ; n++ {
		law, err := xor.NewOptimalNoise(ctxtest.CancelAfter(t.Context(), n), 2, 2, evidencetest.LogEpsilon(3, 1), xor.FlipRows(1))
		if err == nil && n > 3 {
			break
		}
		if law != nil || !errors.Is(err, context.Canceled) {
			t.Fatalf("stopped after %d polls: %v, %v", n, law, err)
		}
	}
	// An ε is also refused if float64 cannot distinguish e^ε from 1.
	law, err := xor.NewOptimalNoise(context.Background(), 1, 2, evidencetest.LogEpsilon(3, 1).Ratio(1, 1<<50), xor.FlipBits(1))
	if law != nil || !errors.Is(err, evidence.ErrParameter) || !errors.Is(err, optimize.ErrPrecision) {
		t.Errorf("ε = 2⁻⁵⁰ ln 3: %v, %v", law, err)
	}
}

// An error about precision states the interval of its mechanism's optimum.
func TestPrecisionErrorHasInterval(t *testing.T) {
	m, err := optimize.NewOptimal(context.Background(), counts(t, 3), evidencetest.Epsilon(1), optimize.Options{Width: 1e-30})
	lo, hi := bounds(m.Optimum())
	if want := "eps = 1: the optimum lies in " + evidence.FormatBounds(lo, hi, 10); err == nil || !strings.Contains(err.Error(), want) || lo == hi {
		t.Errorf("%v, want %s", err, want)
	}
}

// Rational distortions give rational bounds. A program that is too large is refused with that reason.
func TestRationalBoundsAndProgramSize(t *testing.T) {
	ctx := context.Background()
	q := must.Be(query.NewNumeric("f", must.Be(query.NewPathSpace(3, [][2]int{{0, 1}, {1, 2}})), []float64{0, 0.1, 0.2}, nil))
	eps := evidencetest.LogEpsilon(9, 1)
	rough := must.Be(layers.NewPurest(ctx, q, evidencetest.Epsilon(math.Log(3)))) // its probabilities are intervals near the rational ones
	than := must.Be(layers.NewPurest(ctx, q, evidencetest.LogEpsilon(3, 1)))
	m := solve(t, q, eps, optimize.Options{Objective: optimize.Pareto, Than: than})
	for x := range 3 {
		_, limit := bounds(mechanism.Distortion(than, x))
		if _, hi := bounds(mechanism.Distortion(m, x)); hi > limit {
			t.Errorf("dataset %d: %v, want at most %v", x, hi, limit)
		}
	}
	if _, exact := mechanism.Distortion(than, 0).(evidence.Exact); !exact {
		t.Error("the bounds are not rational")
	}
	if lo, hi := bounds(m.Optimum()); lo > 0.05 || hi < 0.03 || hi-lo > 1e-6*hi {
		t.Errorf("the sum lies in [%v, %v]", lo, hi)
	}
	same := solve(t, q, evidencetest.Epsilon(2*math.Log(3)), optimize.Options{Objective: optimize.Pareto, Than: rough})
	if a, b := m.Optimum().Float(), same.Optimum().Float(); math.Abs(a-b) > 1e-6*a {
		t.Errorf("the sum is %v with rational bounds and %v with intervals", a, b)
	}
	const n = 5001
	values, prior := make([]float64, n), make([]*big.Rat, n)
	var edges [][2]int
	for x := range values {
		values[x] = float64(x % 2)
		prior[x] = big.NewRat(2*int64(x+1), n*(n+1))
		if x > 0 {
			edges = append(edges, [2]int{x - 1, x})
		}
	}
	long := must.Be(query.NewNumeric("f", must.Be(query.NewPathSpace(n, edges)), values, nil))
	rows := make([][]float64, n)
	for x := range rows {
		rows[x] = []float64{float64(n + x), float64(n)}
	}
	each := must.Be(mechanism.NewTable(mechanism.Info{Name: "each", Query: long}, rows, nil))
	if m, err := optimize.NewOptimal(ctx, long, evidencetest.Epsilon(1), optimize.Options{Objective: optimize.Pareto, Than: each}); m != nil || !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), "10002 rows and bounds") {
		t.Errorf("5001 rows with different bounds: %v, want ErrParameter", err)
	}
	if m, err := optimize.NewOptimal(ctx, long, evidencetest.Epsilon(1), optimize.Options{Prior: prior}); m != nil || !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), "5001 rows") {
		t.Errorf("5001 different rows: %v, want ErrParameter", err)
	}
}

// If no identification of the optimal face is right, a required exact optimum fails with the known interval. Otherwise
// the result is an interval.
func TestOptimumWithoutIdentification(t *testing.T) {
	for _, c := range []struct {
		n         int
		w         int64
		objective optimize.Objective
	}{{5, 1e12, optimize.Mean}, {12, 1e12, optimize.Worst}, {12, 1e5, optimize.Worst}} {
		q, eps := counts(t, c.n), evidencetest.LogEpsilon(c.w, 1)
		near := solve(t, q, eps, optimize.Options{Objective: c.objective})
		lo, hi := bounds(near.Optimum())
		if _, exact := near.Optimum().(evidence.Exact); exact || !(lo < hi) {
			t.Fatalf("the optimum on %d counts at %v is %v, want an interval", c.n, eps, near.Optimum())
		}
		m, err := optimize.NewOptimal(context.Background(), q, eps, optimize.Options{Objective: c.objective, Rational: optimize.Required})
		if want := "only known to lie in " + evidence.FormatBounds(lo, hi, 10); m != nil || !errors.Is(err, optimize.ErrUnidentified) || !strings.Contains(err.Error(), want) {
			t.Errorf("%d counts at %v: %v, want %s", c.n, eps, err, want)
		}
	}
}
