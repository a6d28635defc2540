package mechanism_test

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
	"dpworkbench/internal/ctxtest"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
	"dpworkbench/privacy"
	"dpworkbench/query"
)

// plainWeights implements the definitions of DESIGN.md independently, in float64 with loops over all pairs.
func plainWeights(name string, q *query.Query, e float64) [][]float64 {
	n, space := q.Size(), q.Space()
	f := func(x int) float64 { return float64(q.Value(x).(query.Number)) }
	delta := 0.0
	local := make([]float64, n)
	for x := range n {
		for y := range n {
			if d := space.Distance(x, y); d <= 1 {
				local[x] = max(local[x], math.Abs(f(x)-f(y)))
			}
		}
		delta = max(delta, local[x])
	}
	rows := make([][]float64, n)
	for x := range n {
		rows[x] = make([]float64, len(q.Range()))
		sum := 0.0
		for r, v := range q.Range() {
			value := float64(v.(query.Number))
			d := math.Abs(value - f(x))
			switch name {
			case "exponential":
				rows[x][r] = math.Exp(-e * d / (2 * delta))
				if delta == 0 {
					rows[x][r] = 0
					if d == 0 {
						rows[x][r] = 1
					}
				}
			case "ladder":
				k := 0.0
				if d > 0 {
					k = 1
					total := 0.0
					for t := 0; ; t++ {
						step := 0.0
						for y := range n {
							if space.Distance(x, y) <= float64(t) {
								step = max(step, local[y])
							}
						}
						total += step
						if total >= d-1e-9 {
							break
						}
						if t > 100 {
							k = math.Inf(1)
							break
						}
						k++
					}
				}
				rows[x][r] = math.Exp(-k * e / 2)
			case "inverse":
				k := math.Inf(1)
				for y := range n {
					if f(y) == value {
						k = min(k, space.Distance(x, y))
					}
				}
				rows[x][r] = math.Exp(-k * e / 2)
			case "laplace": // numerical integration
				if delta == 0 {
					if d == 0 {
						rows[x][r] = 1
					}
					break
				}
				b := delta / e
				cdf := func(t float64) float64 {
					if t < 0 {
						return math.Exp(t/b) / 2
					}
					return 1 - math.Exp(-t/b)/2
				}
				lo, hi := math.Inf(-1), math.Inf(1)
				if r > 0 {
					lo = (value + float64(q.Range()[r-1].(query.Number))) / 2
				}
				if r+1 < len(q.Range()) {
					hi = (value + float64(q.Range()[r+1].(query.Number))) / 2
				}
				rows[x][r] = cdf(hi-f(x)) - cdf(lo-f(x))
			case "geometric": // sum over the noise values
				if delta == 0 {
					if d == 0 {
						rows[x][r] = 1
					}
					break
				}
				for k := -3000; k <= 3000; k++ {
					out := f(x) + float64(k)
					best := 0
					for s := range q.Range() {
						if math.Abs(float64(q.Range()[s].(query.Number))-out) < math.Abs(float64(q.Range()[best].(query.Number))-out) {
							best = s // the first, smallest value wins a tie
						}
					}
					if best == r {
						rows[x][r] += math.Exp(-e * math.Abs(float64(k)) / delta)
					}
				}
			}
			sum += rows[x][r]
		}
		for r := range rows[x] {
			rows[x][r] /= sum
		}
	}
	return rows
}

// Law, distortion, smallest ε and profile of all mechanisms match the definitions in float64.
func TestMechanismsMatchDefinitions(t *testing.T) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(1, 2))
	for trial := range 60 {
		scale := []float64{1, 1, 10}[trial%3]
		q := randomQuery(t, rng, scale)
		e := []float64{0.1, 0.7, 1, 3}[rng.IntN(4)]
		for _, name := range names {
			if name == "geometric" && scale != 1 {
				continue
			}
			m := build(t, name, q, eps(t, e))
			want := plainWeights(name, q, e)
			label := fmt.Sprintf("trial %d: %s at %g", trial, name, e)
			for x := range want {
				distortion := 0.0
				for r, p := range want[x] {
					got := m.Enclose(x, r).Mid()
					if math.Abs(got-p) > 1e-12 {
						t.Fatalf("%s: p^%d(%v) = %.15g, want %.15g", label, x, q.Range()[r], got, p)
					}
					if p > 0 && math.Abs(m.LogProb(x, r)-math.Log(p)) > 1e-9 {
						t.Fatalf("%s: ln p^%d(%v) = %v, want %v", label, x, q.Range()[r], m.LogProb(x, r), math.Log(p))
					}
					distortion += p * math.Abs(float64(q.Range()[r].(query.Number)-q.Value(x).(query.Number)))
				}
				if got := mechanism.Distortion(m, x).Float(); math.Abs(got-distortion) > 1e-11 {
					t.Fatalf("%s: distortion at %d is %v, want %v", label, x, got, distortion)
				}
			}
			loss, delta := 0.0, 0.0
			for x := range want {
				for _, y := range q.Space().Neighbors(x) {
					sum := 0.0
					for r := range want[x] {
						if want[x][r] > 0 {
							loss = max(loss, math.Log(want[x][r]/want[y][r]))
						}
						sum += max(0, want[x][r]-math.Exp(e/3)*want[y][r])
					}
					delta = max(delta, sum)
				}
			}
			got := must.For(mechanism.Privacy(m).Epsilon(ctx, evidence.Delta{}))(t)
			if g := got.Float(); math.Abs(g-loss) > 1e-9 && !(math.IsInf(g, 1) && math.IsInf(loss, 1)) {
				t.Fatalf("%s: smallest ε %v, want %v", label, got, loss)
			}
			lo, hi := got.Bounds()
			if !math.IsInf(hi, 1) && hi-lo > 1e-12*max(hi, e) {
				t.Fatalf("%s: enclosure [%v, %v] is too wide", label, lo, hi)
			}
			d := must.For(mechanism.Privacy(m).Delta(ctx, eps(t, e/3)))(t)
			if math.Abs(d.Float()-delta) > 1e-12 {
				t.Fatalf("%s: δ(%g) = %v, want %v", label, e/3, d.Float(), delta)
			}
			if hi > 0 && !math.IsInf(hi, 1) {
				if at, _ := mechanism.Privacy(m).Delta(ctx, eps(t, hi)); at.Float() > 1e-14 {
					t.Fatalf("%s: δ at the smallest ε is %v, want 0", label, at)
				}
				if at, _ := mechanism.Privacy(m).Delta(ctx, eps(t, 0.99*lo)); at.Float() <= 0 {
					t.Fatalf("%s: δ just below the smallest ε is %v, want more than 0", label, at)
				}
			}
			if hi > m.ClaimedEpsilon().Float()*(1+1e-12) {
				t.Fatalf("%s: smallest ε %v exceeds the claim %v", label, hi, m.ClaimedEpsilon().Float())
			}
		}
	}
}

func eps(_ testing.TB, v float64) evidence.Epsilon { return evidencetest.Epsilon(v) }

func ln(_ testing.TB, num, den int64) evidence.Epsilon { return evidencetest.LogEpsilon(num, den) }

// randomQuery returns a random query on a connected path space with integer or decimal values.
func randomQuery(t testing.TB, rng *rand.Rand, scale float64) *query.Query {
	t.Helper()
	n := 2 + rng.IntN(7)
	var edges [][2]int
	for x := 1; x < n; x++ {
		edges = append(edges, [2]int{x, rng.IntN(x)})
	}
	for range rng.IntN(n) {
		if x, y := rng.IntN(n), rng.IntN(n); x != y {
			edges = append(edges, [2]int{x, y})
		}
	}
	space := must.For(query.NewPathSpace(n, edges))(t)
	values := make([]float64, n)
	for x := range values {
		values[x] = float64(rng.IntN(9)) / scale // k/10 is its own shortest decimal
	}
	q := must.For(query.NewNumeric("random", space, values, nil))(t)
	return q
}

func build(t testing.TB, name string, q *query.Query, e evidence.Epsilon) mechanism.Mechanism {
	t.Helper()
	var m mechanism.Mechanism
	var err error
	ctx := context.Background()
	switch name {
	case "exponential":
		m, err = mechanism.NewExponential(ctx, q, e)
	case "ladder":
		m, err = mechanism.NewLadder(ctx, q, e)
	case "inverse":
		m, err = mechanism.NewInverseSensitivity(ctx, q, e, new(big.Rat))
	case "laplace":
		m, err = mechanism.NewLaplace(ctx, q, e)
	case "geometric":
		m, err = mechanism.NewGeometric(ctx, q, e)
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return m
}

var names = []string{"exponential", "ladder", "inverse", "laplace", "geometric"}

// Results are exact if e^ε is rational. They lie in the enclosures that the float64 of the same ε gives.
func TestResultsAreExactAtRationalEpsilon(t *testing.T) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(3, 4))
	for range 30 {
		q := randomQuery(t, rng, 1)
		for _, name := range names {
			if delta := q.SensitivitySteps(); name == "exponential" || name == "laplace" || name == "geometric" {
				if delta != 1 && delta != 2 {
					continue // e^{−ε/2Δ} is rational for e^ε = 81^k only if 2Δ divides 4k
				}
			}
			m := build(t, name, q, ln(t, 81, 1))
			loss := must.For(mechanism.Privacy(m).Epsilon(ctx, evidence.Delta{}))(t)
			if loss.Kind() != evidence.KindExact && !math.IsInf(loss.Float(), 1) {
				t.Fatalf("%s: smallest ε is %s, want exact", name, loss.Kind())
			}
			float := build(t, name, q, eps(t, math.Log(81)))
			near := must.For(mechanism.Privacy(float).Epsilon(ctx, evidence.Delta{}))(t)
			if !math.IsInf(loss.Float(), 1) && math.Abs(loss.Float()-near.Float()) > 1e-12 {
				t.Fatalf("%s: exact smallest ε %v, enclosed %v", name, loss.Float(), near.Float())
			}
			for x := range q.Size() {
				exact := mechanism.Distortion(m, x)
				if exact.Kind() != evidence.KindExact {
					t.Fatalf("%s: distortion at %d is %s, want exact", name, x, exact.Kind())
				}
				if lo, hi := mechanism.Distortion(float, x).Bounds(); exact.Float() < lo-1e-13 || exact.Float() > hi+1e-13 {
					t.Fatalf("%s: distortion %v outside [%v, %v]", name, exact.Float(), lo, hi)
				}
			}
			mean, err := mechanism.ExpectedDistortion(ctx, m, nil)
			if err != nil || mean.Kind() != evidence.KindExact {
				t.Fatalf("%s: expected distortion %v, %v, want exact", name, mean, err)
			}
			sum := 0.0
			for x := range q.Size() {
				sum += mechanism.Distortion(m, x).Float()
			}
			if want := sum / float64(q.Size()); math.Abs(mean.Float()-want) > 1e-12 {
				t.Fatalf("%s: expected distortion %v, want %v", name, mean.Float(), want)
			}
		}
	}
}

// Errors name the argument and its value.
func TestErrorMessages(t *testing.T) {
	ctx := t.Context()
	q, m := halves(t)
	other := pathQuery(t, 2)
	product := must.For(query.Product(ctx, []*query.Query{q, q}, query.SumNorm, nil))(t)
	_, twin := halves(t)
	discrete := must.For(query.New("names", q.Space(), []query.Value{query.Name("a"), query.Name("b"), query.Name("a")}, nil, query.ValueMetric{Discrete: true}))(t)
	far := must.For(query.New("far", q.Space(), []query.Value{query.Number(0), query.Number(7), query.Number(0)}, nil, query.ValueMetric{Discrete: true}))(t)
	broken := errors.New("broken")
	bad := func(int, int) (*big.Rat, error) { return nil, broken }
	fine := func(int, int) (*big.Rat, error) { return big.NewRat(1, 1), nil }
	r := big.NewRat
	space := must.For(query.NewPathSpace(1, nil))(t)
	one := must.For(query.NewNumeric("one", space, []float64{0}, []float64{0, 1}))(t)
	sole := must.For(query.NewNumeric("sole", space, []float64{0}, nil))(t)
	enclosed := build(t, "laplace", q, eps(t, 0.5))
	apart := build(t, "laplace", must.For(query.NewNumeric("three", q.Space(), []float64{0, 5, 0}, nil))(t), eps(t, 0.5)) // different values
	for want, do := range map[string]func() error{
		"answering with values beyond the range needs a value metric, but lossy has a loss: use a mechanism that needs no distances, such as purest or optimal": func() error {
			numbers := must.For(query.NewNumeric("lossy", q.Space(), []float64{0, 1, 0}, nil))(t)
			_, err := mechanism.WithRange(ctx, m, must.For(numbers.WithLoss("lossy", [][]*big.Rat{{r(0, 1), r(1, 1)}, {r(1, 1), r(0, 1)}}))(t))
			return err
		},
		"prior has 2 entries, want 3, one per dataset": func() error {
			_, err := mechanism.MeanLoss(ctx, m, fine, []*big.Rat{r(1, 2), r(1, 2)})
			return err
		},
		"broken": func() error { _, err := mechanism.MeanLoss(ctx, m, bad, nil); return err },
		"the comparison is empty, want one that Compare returned": func() error { _, _, err := (mechanism.Comparison{}).Signs(ctx); return err },
		"q = y has datasets or neighbors that differ from those of three": func() error {
			_, err := mechanism.WithRange(ctx, m, must.For(query.NewNumeric("y", other.Space(), []float64{0, 1}, nil))(t))
			return err
		},
		"the mechanism may output 0, which is not in the range of far": func() error { _, err := mechanism.WithRange(ctx, m, far); return err },
		"0 mechanisms for 0 queries, want one mechanism per query": func() error {
			_, err := mechanism.Product(ctx, sole, nil)
			return err
		},
		"0 mechanisms for 2 queries, want one mechanism per query": func() error {
			_, err := mechanism.Product(ctx, product, nil)
			return err
		},
		"mechanisms[0] answers three, want the product's three": func() error {
			_, err := mechanism.Product(ctx, product, []mechanism.Mechanism{apart, m})
			return err
		},
		"mechanisms[1] answers three, want the product's three": func() error {
			_, err := mechanism.Product(ctx, product, []mechanism.Mechanism{m, apart})
			return err
		},
		"probability -1/2 in row 0, value 1, is negative": func() error {
			_, err := mechanism.NewRationalTable(mechanism.Info{Name: "bad", Query: one, Claimed: evidence.Claimed{}}, [][]*big.Rat{{r(3, 2), r(-1, 2)}}, nil)
			return err
		},
		enclosed.Name() + " has no exact sampler: a release needs probabilities that are rational or sums of powers of e^{−ε}, and only bounds are known": func() error {
			half := interval.Between(0.49, 0.51)
			rows := [][]interval.Interval{{half, half, interval.Int(0)}}
			table, err := mechanism.NewEnclosedTable(mechanism.Info{Name: enclosed.Name(), Query: q, Claimed: evidence.Claimed{}}, rows, nil, []int32{0, 0, 0})
			if err != nil {
				return err
			}
			_, err = mechanism.Release(ctx, table, 0, 1, nil)
			return err
		},
		"one universe has 2 datasets and 1 pairs of neighbors, the other 3 and 2, want mechanisms on the same universe": func() error {
			a, b := mechanism.Pairs(build(t, "ladder", other, eps(t, 1))), mechanism.Pairs(m)
			if err := b.Universe.(privacy.IncompatibleUniverse).CheckCompatible(mechanism.Pairs(twin).Universe); (err == nil) != q.Space().SameNeighbors(twin.Query().Space()) {
				t.Errorf("equal universes: %v", err)
			}
			return a.Universe.(privacy.IncompatibleUniverse).CheckCompatible(b.Universe)
		},
	} {
		err := do()
		if err == nil || err.Error() != want || err != broken && !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if _, err := mechanism.WithRange(ctx, m, discrete); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("numbers for a query of names: %v", err)
	}
	for name, do := range map[string]func(ctx context.Context) error{
		"a mean loss": func(ctx context.Context) error { _, err := mechanism.MeanLoss(ctx, m, fine, nil); return err },
		"an answer":   func(ctx context.Context) error { _, err := mechanism.WithRange(ctx, m, q); return err },
		"a product": func(ctx context.Context) error {
			_, err := mechanism.Product(ctx, product, []mechanism.Mechanism{m, m})
			return err
		},
		"a release": func(ctx context.Context) error { _, err := mechanism.Release(ctx, m, 0, 3, nil); return err },
	} {
		t.Run(name, func(t *testing.T) { ctxtest.EachPoll(t, 1, do) })
	}
}

// Every function returns the context's error at each poll.
func TestCancellation(t *testing.T) {
	whole := pathQuery(t, 3)
	fractions, _ := fractionQuery(t, rand.New(rand.NewPCG(5, 5)), 3)
	rational, decimal := ln(t, 3, 1), eps(t, 0.7)
	half := big.NewRat(1, 2)
	must := func(m mechanism.Mechanism, err error) mechanism.Mechanism {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	for _, c := range []struct {
		what  string
		least int
		do    func(ctx context.Context) error
	}{
		{"levels", 3, func(ctx context.Context) error {
			_, err := mechanism.NewLayerTable(ctx, whole, make([]int32, 9))
			return err
		}},
		{"levels of one dataset", 3, func(ctx context.Context) error {
			_, err := mechanism.NewLayerTable(ctx, pathQuery(t, 1), make([]int32, 1))
			return err
		}},
		{"edges of one dataset", 1, func(ctx context.Context) error {
			_, err := mechanism.Privacy(build(t, "ladder", pathQuery(t, 1), decimal)).Epsilon(ctx, evidence.Delta{})
			return err
		}},
		{"exponential", 2, func(ctx context.Context) error { _, err := mechanism.NewExponential(ctx, whole, decimal); return err }},
		{"exponential of fractions", 1, func(ctx context.Context) error {
			_, err := mechanism.NewExponential(ctx, fractions, decimal)
			return err
		}},
		{"ladder", 3, func(ctx context.Context) error { _, err := mechanism.NewLadder(ctx, whole, decimal); return err }},
		{"ladder of fractions", 4, func(ctx context.Context) error { _, err := mechanism.NewLadder(ctx, fractions, decimal); return err }},
		{"inverse sensitivity", 3, func(ctx context.Context) error {
			_, err := mechanism.NewInverseSensitivity(ctx, whole, decimal, half)
			return err
		}},
		{"laplace", 1, func(ctx context.Context) error { _, err := mechanism.NewLaplace(ctx, whole, decimal); return err }},
		{"geometric", 1, func(ctx context.Context) error { _, err := mechanism.NewGeometric(ctx, whole, rational); return err }},
		{"ε at a δ", 9, func(ctx context.Context) error {
			_, err := mechanism.Privacy(build(t, "ladder", whole, rational)).Epsilon(ctx, evidencetest.Delta(0.1))
			return err
		}},
		{"finite", 2, func(ctx context.Context) error {
			_, err := mechanism.NewFinite(ctx, pathQuery(t, 2), [][]*big.Rat{{half, half}, {half, half}}, nil)
			return err
		}},
	} {
		t.Run(c.what, func(t *testing.T) { ctxtest.EachPoll(t, c.least, c.do) })
	}
	for _, q := range []*query.Query{whole, fractions} {
		for _, e := range []evidence.Epsilon{rational, ln(t, 9, 1), decimal} { // only ln 9 has a rational e^{−ε/2}
			for _, name := range []string{"ladder", "laplace", "exponential"} {
				m := func() mechanism.Mechanism { return build(t, name, q, e) }
				for _, c := range []struct {
					what  string
					least int
					do    func(ctx context.Context) error
				}{
					{"smallest ε", 2, func(ctx context.Context) error {
						_, err := mechanism.Privacy(m()).Epsilon(ctx, evidence.Delta{})
						return err
					}},
					{"profile at 0", 2, func(ctx context.Context) error {
						_, err := mechanism.Privacy(m()).Delta(ctx, evidence.Epsilon{})
						return err
					}},
					{"profile", 2, func(ctx context.Context) error {
						_, err := mechanism.Privacy(m()).Delta(ctx, e.Ratio(1, 3))
						return err
					}},
					{"profile above the smallest ε", 2, func(ctx context.Context) error { _, err := mechanism.Privacy(m()).Delta(ctx, e.Times(3)); return err }},
					{"witness of a δ", 2, func(ctx context.Context) error {
						_, _, err := (&mechanism.EpsilonAtStatement{Of: m(), Delta: evidencetest.Delta(.1)}).Witness(ctx, .25)
						return err
					}},
					{"witness of ε", 2, func(ctx context.Context) error {
						_, _, err := (&mechanism.EpsilonStatement{Of: m()}).Witness(ctx)
						return err
					}},
					{"mean", 1, func(ctx context.Context) error { _, err := mechanism.ExpectedDistortion(ctx, m(), nil); return err }},
					{"worst", 1, func(ctx context.Context) error { _, err := mechanism.WorstDistortion(ctx, m()); return err }},
					{"comparison", 1, func(ctx context.Context) error {
						_, err := mechanism.Compare(ctx, m(), must(mechanism.NewLaplace(context.Background(), q, decimal)))
						return err
					}},
					{"comparison from it", 2, func(ctx context.Context) error {
						_, err := mechanism.Compare(ctx, must(mechanism.NewLaplace(context.Background(), q, decimal)), m())
						return err
					}},
				} {
					t.Run(name+" "+c.what, func(t *testing.T) { ctxtest.EachPoll(t, c.least, c.do) })
				}
			}
		}
	}
}
