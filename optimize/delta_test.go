package optimize_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/optimize"
	"dpworkbench/query"
)

func ExampleNewOptimal_delta() {
	g, _ := query.NewGraphs(context.Background(), 4)
	q, _ := g.Count("triangle")
	three, _ := evidence.LogEpsilon("eps", big.NewRat(3, 1))
	m, err := optimize.NewOptimal(context.Background(), q, three, optimize.Options{Delta: evidencetest.RationalDelta(big.NewRat(1, 100))})
	fmt.Println(m.Optimum().(evidence.Exact).Value, err)
	// Output: 24899/59400 <nil>
}

// checkSpent fails unless δ(ε) is certified to be at most delta.
func checkSpent(t *testing.T, m mechanism.Mechanism, eps evidence.Epsilon, delta *big.Rat) {
	t.Helper()
	spent := must.For(mechanism.Privacy(m).Delta(context.Background(), eps))(t)
	_, hi := bounds(spent)
	most := new(big.Rat).SetFloat64(hi)
	if e, ok := spent.(evidence.Exact); ok {
		most = e.Value
	}
	if most.Cmp(delta) > 0 {
		t.Errorf("%s: δ(%s) = %v, want at most %v", m.Name(), eps, spent, delta)
	}
}

// excess returns the largest Σ_r max(0, p^x(r) − w p^y(r)) over neighbors, from the probabilities alone.
func excess(t *testing.T, m *optimize.Optimal, w *big.Rat) *big.Rat {
	t.Helper()
	most := new(big.Rat)
	for x := range m.Query().Size() {
		for _, y := range m.Query().Space().Neighbors(x) {
			sum := new(big.Rat)
			for r := range m.Query().Range() {
				p, ok := m.Rational(x, r)
				if !ok {
					t.Fatal("probabilities should be rational")
				}
				other, _ := m.Rational(int(y), r)
				if over := new(big.Rat).Sub(p, new(big.Rat).Mul(w, other)); over.Sign() > 0 {
					sum.Add(sum, over)
				}
			}
			if sum.Cmp(most) > 0 {
				most = sum
			}
		}
	}
	return most
}

// The expected optima are from an independent solver, to ten decimals.
func TestDeltaGoldens(t *testing.T) {
	for _, c := range []struct {
		q         *query.Query
		eps       float64
		delta     *big.Rat
		objective optimize.Objective
		want      float64
	}{
		{graphs(t, 4, "triangle"), 1, big.NewRat(1, 100), optimize.Mean, .4639274240319},
		{graphs(t, 5, "triangle"), 1, big.NewRat(1, 100), optimize.Mean, .8249495597},
		{graphs(t, 5, "triangle"), .5, big.NewRat(1, 20), optimize.Mean, 1.0441563190},
		{graphs(t, 4, "triangle"), 1, big.NewRat(1, 100), optimize.Worst, .9103951960},
		{counts(t, 20), 1, big.NewRat(1, 100), optimize.Mean, .7433836093},
		{counts(t, 20), 1, big.NewRat(1, 100), optimize.Worst, .7955807499},
	} {
		m := solve(t, c.q, evidencetest.Epsilon(c.eps), optimize.Options{Objective: c.objective, Delta: evidencetest.RationalDelta(c.delta)})
		lo, hi := bounds(m.Optimum())
		if hi < c.want-6e-11 || lo > c.want+6e-11 || !((hi-lo)/hi <= 1e-6) {
			t.Errorf("%s on %s: [%v, %v], want %v", m.Name(), c.q.Name(), lo, hi, c.want)
		}
		checkSpent(t, m, evidencetest.Epsilon(c.eps), c.delta)
		// The float64 below e^ε gives an excess that is at least the true one.
		if over := excess(t, m, new(big.Rat).SetFloat64(math.Nextafter(math.Exp(c.eps), 0))); over.Cmp(new(big.Rat).Mul(c.delta, big.NewRat(1000001, 1000000))) > 0 {
			t.Errorf("%s on %s: neighbors exceed e^ε by %v", m.Name(), c.q.Name(), over.FloatString(12))
		}
		checkCertificate(t, c.q, m, big.NewRat(0, 1))
		value := objectiveOf(t, m, c.objective)
		if got, _ := value.Float64(); got > hi || got < hi-1e-9 {
			t.Errorf("%s on %s: the mechanism attains %v, the upper bound is %v", m.Name(), c.q.Name(), got, hi)
		}
		if claim := m.ClaimedEpsilon().Float(); !math.IsInf(claim, 1) {
			t.Errorf("%s has the claimed ε = %v at δ = 0", m.Name(), claim)
		}
		if eps, delta := m.Guarantee(); eps.Value() != c.eps || delta.Rat().Cmp(c.delta) != 0 {
			t.Errorf("%s claims (%s, %v)", m.Name(), eps, delta)
		}
	}
}

// Between two datasets 1 − p ≤ e^ε p + δ, so the error is exactly (1 − δ)/(1 + e^ε).
func TestDeltaOnTwoDatasets(t *testing.T) {
	q := counts(t, 1)
	for _, text := range []string{"0", "1e-12", "1/100", "1/3", "0.999999"} {
		delta, _ := new(big.Rat).SetString(text)
		want := new(big.Rat).Sub(big.NewRat(1, 1), delta)
		want.Quo(want, big.NewRat(4, 1))
		for _, objective := range []optimize.Objective{optimize.Mean, optimize.Worst} {
			m := solve(t, q, evidencetest.LogEpsilon(3, 1), optimize.Options{Objective: objective, Delta: evidencetest.RationalDelta(delta), Rational: optimize.Required})
			if got := m.Optimum().(evidence.Exact).Value; got.Cmp(want) != 0 {
				t.Errorf("δ = %s, %s: %v, want %v", text, objective, got, want)
			}
			if over := excess(t, m, big.NewRat(3, 1)); over.Cmp(delta) > 0 {
				t.Errorf("δ = %s, %s: neighbors exceed 3 by %v", text, objective, over)
			}
			m = solve(t, q, evidencetest.LogEpsilon(3, 1), optimize.Options{Objective: objective, Delta: evidencetest.RationalDelta(delta), Rational: optimize.Never, Width: 1e-5})
			lo, hi := bounds(m.Optimum())
			if v, _ := want.Float64(); v < lo*(1-1e-15) || v > hi*(1+1e-15) {
				t.Errorf("δ = %s, %s: [%v, %v], want %v", text, objective, lo, hi, v)
			}
		}
	}
}

// δ = 0 gives exactly the mechanism without δ.
func TestZeroDeltaChangesNothing(t *testing.T) {
	q := graphs(t, 4, "triangle")
	than := must.For(layers.NewPurest(context.Background(), q, evidencetest.Epsilon(0.5)))(t)
	for _, o := range []optimize.Options{{}, {Objective: optimize.Worst}, {Objective: optimize.Pareto, Than: than}} {
		for _, eps := range []evidence.Epsilon{evidencetest.Epsilon(1.1), evidencetest.LogEpsilon(3, 1)} {
			plain := solve(t, q, eps, o)
			o.Delta = evidencetest.RationalDelta(new(big.Rat))
			zero := solve(t, q, eps, o)
			if plain.Name() != zero.Name() || fmt.Sprint(plain.Optimum()) != fmt.Sprint(zero.Optimum()) || fmt.Sprint(plain.ClaimedEpsilon()) != fmt.Sprint(zero.ClaimedEpsilon()) {
				t.Errorf("%s %v, without %s %v", zero.Name(), zero.Optimum(), plain.Name(), plain.Optimum())
			}
			for x := range q.Size() {
				for r := range q.Range() {
					if plain.LogProb(x, r) != zero.LogProb(x, r) {
						t.Errorf("p^%d(%d) differs", x, r)
					}
				}
			}
		}
	}
}

// On random universes the optimum decreases as δ and ε grow. The mechanism satisfies δ, and the certificate proves the
// lower bound, for all priors and distances.
func TestDeltaOnRandomUniverses(t *testing.T) {
	rng := rand.New(rand.NewPCG(24, 7))
	for trial := range 12 {
		n := 2 + rng.IntN(5)
		var edges [][2]int
		values := make([]float64, n)
		prior, total := make([]*big.Rat, n), int64(0)
		for x := range n {
			if x > 0 {
				edges = append(edges, [2]int{rng.IntN(x), x})
			}
			values[x] = float64(rng.IntN(9)) / 3
			prior[x] = big.NewRat(1+rng.Int64N(7), 1)
			total += prior[x].Num().Int64()
		}
		for _, p := range prior {
			p.Quo(p, big.NewRat(total, 1))
		}
		values[0], values[n-1] = 0, math.Pi
		space, err := query.NewPathSpace(n, edges)
		if err != nil {
			t.Fatal(err)
		}
		q, err := query.NewNumeric("f", space, values, nil)
		if err != nil {
			t.Fatal(err)
		}
		o := optimize.Options{Prior: prior}
		if trial%3 == 1 {
			o = optimize.Options{Objective: optimize.Worst}
		}
		last := math.Inf(1)
		for _, delta := range []*big.Rat{new(big.Rat), big.NewRat(1, 1<<40), big.NewRat(1, 1000), big.NewRat(1, 50), big.NewRat(1, 4), big.NewRat(2, 3)} {
			o.Delta = evidencetest.RationalDelta(delta)
			m := solve(t, q, evidencetest.Epsilon(0.8), o)
			lo, hi := bounds(m.Optimum())
			if lo > last {
				t.Errorf("trial %d, δ = %v: lower bound %v, but a smaller δ attains %v", trial, delta, lo, last)
			}
			last = hi
			if delta.Sign() > 0 {
				checkSpent(t, m, evidencetest.Epsilon(0.8), delta)
			}
			checkCertificate(t, q, m, new(big.Rat))
		}
		o.Delta = evidencetest.RationalDelta(big.NewRat(1, 50))
		near, _ := bounds(solve(t, q, evidencetest.Epsilon(1.2), o).Optimum())
		if _, far := bounds(solve(t, q, evidencetest.Epsilon(0.8), o).Optimum()); near > far {
			t.Errorf("trial %d: %v at ε = 1.2, %v at 0.8", trial, near, far)
		}
	}
}

func TestParetoAtDelta(t *testing.T) {
	ctx := context.Background()
	q, eps, delta := graphs(t, 5, "triangle"), evidencetest.Epsilon(1), big.NewRat(1, 100)
	than := must.For(layers.NewPurest(ctx, q, evidencetest.Epsilon(0.5)))(t)
	m := solve(t, q, eps, optimize.Options{Objective: optimize.Pareto, Than: than, Delta: evidencetest.RationalDelta(delta)})
	checkSpent(t, m, eps, delta)
	limits := make([]*big.Rat, q.Size())
	for x := range limits {
		_, hi := bounds(mechanism.Distortion(than, x))
		if _, now := bounds(mechanism.Distortion(m, x)); now > hi {
			t.Errorf("dataset %d is worse off: %v > %v", x, now, hi)
		}
		limits[x] = new(big.Rat).SetFloat64(hi)
	}
	checkCertificate(t, q, m, new(big.Rat), limits...)
	lo, hi := bounds(m.Optimum())
	if got, _ := objectiveOf(t, m, optimize.Pareto).Float64(); got > hi || got < lo || !((hi-lo)/hi <= 1e-6) {
		t.Errorf("Pareto [%v, %v], attained %v", lo, hi, got)
	}
	pure := solve(t, q, eps, optimize.Options{Objective: optimize.Pareto, Than: than})
	if least, _ := bounds(pure.Optimum()); lo > least {
		t.Errorf("Pareto at δ = %v: at least %v, %v at 0", delta, lo, least)
	}

	// An optimal mechanism cannot be improved, and its distortions cannot be attained at a smaller δ.
	best := solve(t, q, eps, optimize.Options{Delta: evidencetest.RationalDelta(delta)})
	again := solve(t, q, eps, optimize.Options{Objective: optimize.Pareto, Than: best, Delta: evidencetest.RationalDelta(delta)})
	checkSpent(t, again, eps, delta)
	lo, hi = bounds(again.Optimum())
	if total := best.Optimum().Float() * float64(q.Size()); math.Abs(lo-total) > 1e-5*total || math.Abs(hi-total) > 1e-5*total {
		t.Errorf("improving the optimum gives [%v, %v], want %v", lo, hi, total)
	}
	if _, err := optimize.NewOptimal(ctx, q, eps, optimize.Options{Objective: optimize.Pareto, Than: best, Delta: evidencetest.RationalDelta(big.NewRat(1, 200))}); !errors.Is(err, optimize.ErrInfeasible) {
		t.Errorf("at half the δ: %v, want ErrInfeasible", err)
	}
}

// A dataset of weight 0 lies between two others. If δ ≥ ½ its answer can connect theirs, and the optimum is 0.
func TestZeroOptimumWithDelta(t *testing.T) {
	q := counts(t, 2)
	for _, c := range []struct {
		delta *big.Rat
		free  bool
	}{{big.NewRat(1, 3), false}, {big.NewRat(1, 2), true}, {big.NewRat(5, 8), true}} {
		m := solve(t, q, evidencetest.Epsilon(1), optimize.Options{Prior: decimals(0.5, 0, 0.5), Delta: evidencetest.RationalDelta(c.delta)})
		if lo, hi := bounds(m.Optimum()); c.free != (hi == 0) || !c.free && !(lo > 0) {
			t.Errorf("δ = %v: optimum in [%v, %v]", c.delta, lo, hi)
		}
		checkSpent(t, m, evidencetest.Epsilon(1), c.delta)
		checkCertificate(t, q, m, new(big.Rat))
	}
}

func TestBrief(t *testing.T) {
	for text, want := range map[string]string{"0.01": "1/100", "1e-300": "1e-300", "12345678901234567/100000000000000000": "≈0.123457", "0": "0",
		"12345678901/123456789013": "12345678901/123456789013", "12345678901/1234567890121": "≈0.01"} {
		delta, _ := new(big.Rat).SetString(text)
		if got := optimize.Brief(evidencetest.RationalDelta(delta)); got != want {
			t.Errorf("Brief(%s) = %s, want %s", text, got, want)
		}
	}
}
