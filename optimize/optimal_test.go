package optimize_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/optimize"
	"dpworkbench/query"
)

func ExampleNewOptimal() {
	g, _ := query.NewGraphs(context.Background(), 4, nil)
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
		loss, err := mechanism.SmallestEpsilon(context.Background(), m)
		if err != nil {
			t.Fatal(err)
		}
		if a := loss.(evidence.ExactLog).Argument; a.Cmp(big.NewRat(3, 1)) != 0 {
			t.Errorf("n = %d: smallest ε = ln(%v), want ln(3)", n, a)
		}
		checkCertificate(t, q, m, big.NewRat(3, 1))
	}
}

// checkMechanism fails unless the smallest ε is certified not to exceed eps and
// all rows sum to 1.
func checkMechanism(t *testing.T, m *optimize.Optimal, eps float64) {
	t.Helper()
	loss, err := mechanism.SmallestEpsilon(context.Background(), m)
	if err != nil {
		t.Fatal(err)
	}
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

// attained returns what the mechanism attains, from the query and the
// probabilities alone.
func attained(t *testing.T, m *optimize.Optimal, objective optimize.Objective) *big.Rat {
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

// checkCertificate recomputes the dual bound from the certificate in rational
// arithmetic, with e^ε or, where that is 0, with both ends of a rational
// enclosure, and fails unless it reaches the lower end of the optimum.
func checkCertificate(t *testing.T, q *query.Query, m *optimize.Optimal, w *big.Rat, than ...*big.Rat) {
	t.Helper()
	ends := []*big.Rat{w}
	if w.Sign() == 0 {
		e := math.Exp(m.ClaimedEpsilon().Float())
		ends = []*big.Rat{
			new(big.Rat).SetFloat64(math.Nextafter(e, 0)), new(big.Rat).SetFloat64(math.Nextafter(e, math.Inf(1))),
		}
	}
	c := m.Certificate()
	var least *big.Rat
	for _, w := range ends { // the bound is concave in w: its ends enclose it from below
		rest := make(map[[2]int]*big.Rat)
		for x := range q.Size() {
			rate := new(big.Rat).Set(c.Weight[x])
			if c.Bound != nil {
				rate.Add(rate, c.Bound[x])
			}
			for _, r := range c.Values {
				d := new(big.Rat).SetFloat64(q.Metric().Steps(q.ValueIndex(x), r))
				rest[[2]int{x, r}] = d.Mul(d, rate)
			}
		}
		for key, price := range c.Up {
			x, y, r := key[0], key[1], key[2]
			if price.Sign() < 0 {
				t.Fatalf("price %v is negative", key)
			}
			if !slices.Contains(q.Space().Neighbors(x), int32(y)) {
				t.Fatalf("price %v is of no constraint", key)
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
		bound.Mul(bound, c.Unit)
		if least == nil || bound.Cmp(least) < 0 {
			least = bound
		}
	}
	lo, _ := bounds(m.Optimum())
	got, _ := least.Float64()
	if e, ok := m.Optimum().(evidence.Exact); ok {
		if least.Cmp(e.Value) != 0 {
			t.Errorf("%s: the certificate proves %v, not %v", m.Name(), least, e.Value)
		}
	} else if got < lo-1e-12*math.Abs(lo) {
		t.Errorf("%s: the certificate proves %v, not %v", m.Name(), got, lo)
	}
}

// Ghosh, Roughgarden and Sundararajan 2009: on a line of counts the geometric
// mechanism followed by the best remap is optimal, whatever the prior.
func TestGeometricWithRemapIsOptimalOnALine(t *testing.T) {
	for _, c := range []struct {
		n     int
		eps   evidence.Epsilon
		prior []float64
	}{
		{10, logarithm(t, 3, 1), nil},
		{15, logarithm(t, 3, 2), nil},
		{7, logarithm(t, 6, 5), nil},
		{4, logarithm(t, 2, 1), []float64{0.1, 0.4, 0.05, 0.05, 0.4}},
		{3, logarithm(t, 5, 1), []float64{0, 0.5, 0.5, 0}},
	} {
		q := counts(t, c.n)
		g, err := mechanism.NewGeometric(q, c.eps)
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
	g, err := mechanism.NewGeometric(q, epsilon(t, 1))
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

func TestParetoProgram(t *testing.T) {
	ctx := context.Background()
	q := graphs(t, 5, "triangle")
	family := func(e float64) (mechanism.Mechanism, error) { return layers.Purest(ctx, q, epsilon(t, e)) }
	than, err := optimize.Calibrate(ctx, family, 1)
	if err != nil {
		t.Fatal(err)
	}
	m := solve(t, q, epsilon(t, 1), optimize.Options{Objective: optimize.Pareto, Than: than})
	checkMechanism(t, m, 1)
	limits := make([]*big.Rat, q.Size())
	sum := 0.0
	for x := range limits {
		before, after := mechanism.Distortion(than, x), mechanism.Distortion(m, x)
		lo, hi := bounds(before)
		if _, now := bounds(after); now > hi {
			t.Errorf("dataset %d is worse off: %v > %v", x, now, hi)
		}
		limits[x] = new(big.Rat).SetFloat64(hi)
		sum += lo
	}
	checkCertificate(t, q, m, new(big.Rat), limits...)
	lo, hi := bounds(m.Optimum())
	if got, _ := attained(t, m, optimize.Pareto).Float64(); got > hi || got < lo || !((hi-lo)/hi <= 1e-6) || hi > 0.7*sum {
		t.Errorf("Pareto [%v, %v], attained %v, the purest mechanism's sum is %v", lo, hi, got, sum)
	}

	// What is optimal cannot be improved: the sum stays.
	best := solve(t, q, epsilon(t, 1), optimize.Options{})
	again, err := optimize.NewOptimal(ctx, q, epsilon(t, 1), optimize.Options{Objective: optimize.Pareto, Than: best})
	if err != nil {
		t.Fatal(err)
	}
	checkMechanismEnclosed(t, again, 1)
	lo, hi = bounds(again.Optimum())
	total := best.Optimum().Float() * float64(q.Size())
	if math.Abs(lo-total) > 1e-5*total || math.Abs(hi-total) > 1e-5*total {
		t.Errorf("improving the optimum gives [%v, %v], want %v", lo, hi, total)
	}

	// Less ε cannot keep the distortions.
	if _, err := optimize.NewOptimal(ctx, q, epsilon(t, 0.9), optimize.Options{Objective: optimize.Pareto, Than: best}); !errors.Is(err, optimize.ErrInfeasible) {
		t.Errorf("at ε = 0.9: %v, want ErrInfeasible", err)
	}
}

func checkMechanismEnclosed(t *testing.T, m *optimize.Optimal, eps float64) {
	t.Helper()
	loss, err := mechanism.SmallestEpsilon(context.Background(), m)
	if err != nil {
		t.Fatal(err)
	}
	if _, hi := bounds(loss); !(hi <= eps) {
		t.Errorf("%s: smallest ε up to %v, want at most %v", m.Name(), hi, eps)
	}
}

func TestRatioToOptimum(t *testing.T) {
	ctx := context.Background()
	q := graphs(t, 5, "triangle")
	ratio := func(m mechanism.Mechanism) (lo, hi float64) {
		r, err := optimize.RatioToOptimum(ctx, m)
		if err != nil {
			t.Fatal(err)
		}
		return bounds(r)
	}
	best := solve(t, q, epsilon(t, 1), optimize.Options{})
	if lo, hi := ratio(best); lo > 1 || hi < 1 || hi > 1+1e-6 {
		t.Errorf("the optimum over itself is in [%v, %v]", lo, hi)
	}
	purest, err := layers.Purest(ctx, q, epsilon(t, 0.5))
	if err != nil {
		t.Fatal(err)
	}
	loss, err := mechanism.SmallestEpsilon(ctx, purest)
	if err != nil {
		t.Fatal(err)
	}
	mean, err := mechanism.ExpectedDistortion(ctx, purest, nil)
	if err != nil {
		t.Fatal(err)
	}
	same := solve(t, q, epsilon(t, loss.Float()), optimize.Options{})
	want := mean.Float() / same.Optimum().Float()
	if lo, hi := ratio(purest); lo > want*(1+1e-7) || hi < want*(1-1e-7) || hi-lo > 2e-6 {
		t.Errorf("purest: [%v, %v], want %v", lo, hi, want)
	}

	row := func(p ...float64) []float64 { return p }
	line := counts(t, 2)
	constant, err := mechanism.NewTable("constant", line, evidence.Claimed{}, [][]float64{row(1, 0, 0), row(1, 0, 0), row(1, 0, 0)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if lo, hi := ratio(constant); lo != 1.5 || hi != 1.5 { // (0+1+2)/3 against (1+0+1)/3
		t.Errorf("a constant: [%v, %v], want 3/2", lo, hi)
	}
	bare, err := mechanism.NewTable("bare", line, evidence.Claimed{}, [][]float64{row(1, 0, 0), row(0, 1, 0), row(0, 0, 1)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if lo, hi := ratio(bare); lo != 1 || hi != 1 {
		t.Errorf("f itself: [%v, %v], want 1", lo, hi)
	}
	leaky, err := mechanism.NewTable("leaky", line, evidence.Claimed{}, [][]float64{row(1, 1, 0), row(0, 1, 0), row(0, 0, 1)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if lo, _ := ratio(leaky); !math.IsInf(lo, 1) {
		t.Errorf("no ε at all: from %v, want +Inf", lo)
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
	m := solve(t, q, epsilon(t, 1), optimize.Options{Prior: []float64{0, 1, 0}})
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

func TestBadInput(t *testing.T) {
	ctx := context.Background()
	q := counts(t, 2)
	purest, err := layers.Purest(ctx, counts(t, 3), epsilon(t, 1))
	if err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]optimize.Options{
		"length":        {Prior: []float64{0.5, 0.5}},
		"negative":      {Prior: []float64{1.5, -0.5, 0}},
		"sum":           {Prior: []float64{0.5, 0.5, 0.5}},
		"nan":           {Prior: []float64{math.NaN(), 0.5, 0.5}},
		"objective":     {Objective: "median"},
		"worst prior":   {Objective: optimize.Worst, Prior: []float64{0.2, 0.3, 0.5}},
		"pareto alone":  {Objective: optimize.Pareto},
		"than alone":    {Than: purest},
		"than's domain": {Objective: optimize.Pareto, Than: purest},
		"irrational":    {Rational: optimize.Required},
	} {
		if _, err := optimize.NewOptimal(ctx, q, epsilon(t, 1), o); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%s: %v, want ErrParameter", name, err)
		}
	}
	for _, e := range []float64{1e-12, 1e-300, 200} {
		if _, err := optimize.NewOptimal(ctx, q, epsilon(t, e), optimize.Options{}); !errors.Is(err, optimize.ErrPrecision) || !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("ε = %g: %v, want ErrPrecision", e, err)
		}
	}
	m := solve(t, q, epsilon(t, 1e-6), optimize.Options{})
	if lo, hi := bounds(m.Optimum()); lo > 2./3 || hi < 2./3 || hi-lo > 1e-6 {
		t.Errorf("ε = 1e-6: [%v, %v], want 2/3: always answering 1 is best", lo, hi)
	}
}

// An interrupted solve returns its certified interval so far.
func TestInterrupted(t *testing.T) {
	q := graphs(t, 5, "triangle")
	than, err := layers.Purest(context.Background(), q, epsilon(t, 0.5))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	last := math.Inf(1)
	m, err := optimize.NewOptimal(ctx, q, epsilon(t, 1), optimize.Options{Objective: optimize.Pareto, Than: than, Progress: func(step int, lo, hi float64) {
		if hi > 10 { // past the search for an interior point, whose objective is about −1
			last = hi
			if step == 3 {
				cancel()
			}
		}
	}})
	cancel()
	if stopped := new(optimize.Stopped); !errors.As(err, &stopped) || m == nil || stopped.Hi > last*1.01 || stopped.Lo > 29.27 {
		t.Errorf("Pareto stopped at 3: %v, the last value told was %v", err, last)
	}

	for _, objective := range []optimize.Objective{optimize.Mean, optimize.Worst} {
		whole := solve(t, q, epsilon(t, 1), optimize.Options{Objective: objective})
		truth := whole.Optimum().Float()
		for stop := range 6 {
			ctx, cancel := context.WithCancel(context.Background())
			if stop == 0 {
				cancel()
			}
			m, err := optimize.NewOptimal(ctx, q, epsilon(t, 1), optimize.Options{Objective: objective, Progress: func(step int, lo, hi float64) {
				if step == stop {
					cancel()
				}
			}})
			cancel()
			if stop == 0 {
				if !errors.Is(err, context.Canceled) {
					t.Errorf("ended before the start: %v", err)
				}
				continue
			}
			var stopped *optimize.Stopped
			if !errors.As(err, &stopped) || !errors.Is(err, context.Canceled) || m == nil {
				t.Fatalf("stopped at %d: %v", stop, err)
			}
			lo, hi := bounds(m.Optimum())
			if stopped.Lo != lo || stopped.Hi != hi || stopped.Steps != stop || !(lo <= truth && truth <= hi) {
				t.Errorf("stopped at %d: [%v, %v] after %d steps, optimum %v", stop, lo, hi, stopped.Steps, truth)
			}
			checkMechanism(t, m, 1)
		}
	}
}
