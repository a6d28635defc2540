package optimize_test

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
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/internal/parallel"
	"dpworkbench/interval"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/optimize"
	"dpworkbench/query"
)

func radiiQuery(t testing.TB, edges [][2]int, values []float64) *query.Query {
	t.Helper()
	return must.For(query.NewNumeric("f", must.For(query.NewPathSpace(len(values), edges))(t), values, nil))(t)
}

// The example finds greedy radii for the values 11, 12, 1, 10 along a path, and the best radii.
func ExampleGreedyRadii() {
	space, _ := query.NewPathSpace(4, [][2]int{{0, 1}, {1, 2}, {2, 3}})
	q, _ := query.NewNumeric("f", space, []float64{11, 12, 1, 10}, nil)
	decay, _ := evidence.LogEpsilon("decay", big.NewRat(3, 1))
	greedy, _ := optimize.GreedyRadii(context.Background(), q, decay, optimize.Mean, nil)
	best, _ := optimize.ExhaustiveRadii(context.Background(), q, decay, optimize.Mean, nil)
	fmt.Println(greedy.Radius, greedy.Value.(evidence.Exact).Value, greedy.Cases)
	fmt.Println(best.Radius, best.Value.(evidence.Exact).Value, best.Cases)
	// Output:
	// [1 0 0 0] 1189/480 2
	// [0 1 0 1] 107/44 192
}

// On random tiny queries, greedy radii are never worse than the purest mechanism and never better than the exhaustive
// search. The gains of the steps add up. If a ring holds one value, Theorem 5 predicts the gain itself, dataset by
// dataset.
func TestRadiiAgainstExhaustive(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 1))
	ctx := context.Background()
	optimal, grew, worstGap := 0, 0, 0.0
	const trials = 40
	for trial := range trials {
		n := 4
		var edges [][2]int
		for x := 1; x < n; x++ {
			edges = append(edges, [2]int{r.IntN(x), x})
		}
		values := make([]float64, n)
		for x := range values {
			values[x] = []float64{0, 1, 10, 11, 12}[r.IntN(5)] // far apart in clusters, so balls can help
		}
		q := radiiQuery(t, edges, values)
		decay, err := evidence.NewEpsilon("decay", 0.3+r.Float64())
		if err != nil {
			t.Fatal(err)
		}
		objective := optimize.Mean
		if trial%2 == 1 {
			objective = optimize.Worst
		}
		greedy, err := optimize.GreedyRadii(ctx, q, decay, objective, nil)
		if err != nil {
			t.Fatal(err)
		}
		best, err := optimize.ExhaustiveRadii(ctx, q, decay, objective, nil)
		if err != nil {
			t.Fatal(err)
		}
		purest, err := layers.NewPurest(ctx, q, decay)
		if err != nil {
			t.Fatal(err)
		}
		p, err := mechanism.Distortions(ctx, purest)
		if err != nil {
			t.Fatal(err)
		}
		start := 0.0
		for _, v := range p {
			if objective == optimize.Worst {
				start = max(start, v)
			} else {
				start += v / float64(n)
			}
		}
		value, least := greedy.Value.Float(), best.Value.Float()
		if value > start*(1+1e-12) || value < least*(1-1e-12) {
			t.Errorf("f = %v on %v: purest %v, greedy %v, exhaustive %v", values, edges, start, value, least)
		}
		if len(greedy.Steps) > 0 {
			grew++
		}
		gained := 0.0
		for _, s := range greedy.Steps {
			gained += s.Actual
			if s.Predicted <= 0 || s.Actual <= 0 {
				t.Errorf("step %+v gains nothing", s)
			}
		}
		if math.Abs(start-gained-value) > 1e-9*(1+start) {
			t.Errorf("f = %v: %v less %v gained is not %v", values, start, gained, value)
		}
		if value <= least*(1+1e-12) {
			optimal++
		}
		if least > 0 {
			worstGap = max(worstGap, value/least-1)
		}
		if best.Steps != nil || best.Cases == 0 || len(best.Radius) != n {
			t.Errorf("exhaustive search returned %+v", best)
		}
	}
	t.Logf("greedy is optimal in %d of %d, at most %.1f %% above", optimal, trials, 100*worstGap)
	if optimal == trials || optimal == 0 || grew == 0 {
		t.Errorf("greedy is optimal in %d of %d and grew a ball in %d, want more cases of both", optimal, trials, grew)
	}
}

func TestRadiiErrors(t *testing.T) {
	ctx := parallel.WithProgress(context.Background(), func(int64, int64, string) { t.Error("an invalid problem starts work") })
	q := radiiQuery(t, [][2]int{{0, 1}}, []float64{0, 1})
	decay := must.For(evidence.NewEpsilon("decay", 1))(t)
	for _, c := range []struct {
		objective optimize.Objective
		prior     []*big.Rat
	}{{"median", nil}, {optimize.Mean, decimals(1)}, {optimize.Worst, decimals(0.5, 0.5)}} {
		if _, err := optimize.GreedyRadii(ctx, q, decay, c.objective, c.prior); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("objective %q, prior %v: %v, want ErrParameter", c.objective, c.prior, err)
		}
		if _, err := optimize.ExhaustiveRadii(ctx, q, decay, c.objective, c.prior); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("objective %q, prior %v, all radii: %v, want ErrParameter", c.objective, c.prior, err)
		}
	}
	var edges [][2]int
	values := make([]float64, 12)
	for x := range values {
		if x > 0 {
			edges = append(edges, [2]int{x - 1, x})
		}
		values[x] = float64(x)
	}
	if _, err := optimize.ExhaustiveRadii(ctx, radiiQuery(t, edges, values), decay, optimize.Mean, nil); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("12 datasets: %v, want ErrParameter", err)
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := optimize.GreedyRadii(ended, q, decay, optimize.Mean, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("ended context: %v, want Canceled", err)
	}
}

// radiiCase returns a random query on a tree and a random prior with some zero weights. The range may contain values
// that f never takes.
func radiiCase(t *testing.T, r *rand.Rand, scale float64, most int64) (*query.Query, []*big.Rat) {
	t.Helper()
	n := 3
	var edges [][2]int
	values, rng := make([]float64, n), []float64(nil)
	for x := range values {
		if x > 0 {
			edges = append(edges, [2]int{r.IntN(x), x})
		}
		values[x] = scale * []float64{0, 1, 10, 11, 12}[r.IntN(5)]
		rng = append(rng, values[x])
	}
	if r.IntN(3) == 0 {
		rng = append(rng, scale*float64(5+r.IntN(4)))
	}
	slices.Sort(rng)
	q := must.For(query.NewNumeric("f", must.Be(query.NewPathSpace(n, edges)), values, slices.Compact(rng)))(t)
	weights, total := make([]int64, n), int64(0)
	for x := range weights {
		if weights[x] = r.Int64N(4); r.IntN(3) == 0 {
			weights[x] *= most
		}
		total += weights[x]
	}
	if total == 0 {
		return q, nil
	}
	prior := make([]*big.Rat, n)
	for x, w := range weights {
		prior[x] = big.NewRat(w, total)
	}
	return q, prior
}

// radiiRings returns the distances from a dataset's value to the range.
func radiiRings(q *query.Query, x int) []float64 {
	var ring []float64
	for r := range q.Range() {
		ring = append(ring, q.Metric().Distance(q.ValueIndex(x), r))
	}
	slices.Sort(ring)
	return slices.Compact(ring)
}

// No choice of radii beats the best, compared by the logarithm of its cost. The cases include a large decay where all
// costs underflow, rational decays, weights of 0 and costs of 0. Rational costs are compared exactly.
func TestExhaustiveRadiiAreBest(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 3))
	ctx := context.Background()
	free := 0
	for trial := range 24 {
		q, prior := radiiCase(t, r, 1, 1e11) // beside 1e11, the other weights are lost to rounding in float64
		if trial%5 == 0 {                    // a single value, so that a mechanism may be constant
			q = must.Be(query.NewNumeric("f", must.Be(query.NewPathSpace(2, [][2]int{{0, 1}})), []float64{3, 3}, []float64{2.5, 3, 4}))
			prior = nil
		}
		decay := []evidence.Epsilon{evidencetest.Epsilon(1000), evidencetest.LogEpsilon(3, 1), evidencetest.Epsilon(0.7)}[trial%3]
		objective := optimize.Mean
		if r.IntN(3) == 0 {
			objective, prior = optimize.Worst, nil
		}
		value := func(m *layers.Mechanism) (interval.Interval, bool) {
			var logs, weights []interval.Interval
			for x := range q.Size() {
				log, positive := mechanism.LogDistortion(m, x)
				w := big.NewRat(1, int64(q.Size()))
				if prior != nil {
					w = prior[x]
				}
				if positive && w.Sign() > 0 {
					logs, weights = append(logs, log), append(weights, interval.Rat(w))
				}
			}
			if len(logs) == 0 {
				return interval.Interval{}, false
			}
			if objective == optimize.Mean {
				return interval.LogSum(logs, weights), true
			}
			worst := logs[0]
			for _, l := range logs {
				worst = interval.Max(worst, l)
			}
			return worst, true
		}
		exact := func(m *layers.Mechanism) evidence.Number {
			if objective == optimize.Worst {
				return must.Be(mechanism.WorstDistortion(ctx, m))
			}
			return must.Be(mechanism.ExpectedDistortion(ctx, m, prior))
		}
		best := must.Be(optimize.ExhaustiveRadii(ctx, q, decay, objective, prior))
		least, costs := value(best.Mechanism)
		if !costs {
			free++
		}
		total := uint64(1)
		rank, radii := make([]int, q.Size()), make([]float64, q.Size())
		rings := make([][]float64, q.Size())
		for x := range rings {
			rings[x] = radiiRings(q, x)
			total *= uint64(len(rings[x]))
		}
		first := true // the first of the best is returned, so all before it must be worse
		for range total {
			for x, k := range rank {
				radii[x] = rings[x][k]
			}
			m := must.Be(layers.NewDeltaNeighborhood(ctx, q, decay, radii))
			v, positive := value(m)
			e, ok := exact(m).(evidence.Exact)
			b, too := best.Value.(evidence.Exact)
			switch {
			case !positive && costs, positive && costs && v.Less(least), ok && too && e.Value.Cmp(b.Value) < 0:
				t.Fatalf("%s at %v: radii %v beat %v", objective, decay, radii, best.Radius)
			case slices.Equal(radii, best.Radius):
				first = false
			case first && ok && too && e.Value.Cmp(b.Value) == 0:
				t.Fatalf("%s at %v: radii %v come before %v and cost the same", objective, decay, radii, best.Radius)
			}
			for x := range rank {
				if rank[x]++; rank[x] < len(rings[x]) {
					break
				}
				rank[x] = 0
			}
		}
		if best.Cases != total || best.Steps != nil || exact(best.Mechanism).String() != best.Value.String() {
			t.Errorf("%d cases, want %d; value %v, want %v", best.Cases, total, best.Value, exact(best.Mechanism))
		}
	}
	if free == 0 {
		t.Error("no case costs nothing")
	}
}
