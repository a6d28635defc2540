package optimize_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/parallel"
	"dpworkbench/interval"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/optimize"
	"dpworkbench/query"
	"dpworkbench/xor"
)

// radiiCase is a random query on a tree, whose range may hold values that f never takes,
// and a random prior, of which some weights are 0.
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
	q, err := query.NewNumeric("f", must(query.NewPathSpace(n, edges)), values, slices.Compact(rng))
	if err != nil {
		t.Fatal(err)
	}
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

// radiiRings are the distances from a dataset's value to the range.
func radiiRings(q *query.Query, x int) []float64 {
	var ring []float64
	for r := range q.Range() {
		ring = append(ring, q.Metric().Distance(q.ValueIndex(x), r))
	}
	slices.Sort(ring)
	return slices.Compact(ring)
}

func radiiScore(objective optimize.Objective, prior []*big.Rat, p []float64) float64 {
	if objective == optimize.Worst {
		return slices.Max(p)
	}
	sum := 0.0
	for x, v := range p {
		w := 1 / float64(len(p))
		if prior != nil {
			w, _ = prior[x].Float64()
		}
		sum += w * v
	}
	return sum
}

// The greedy search by hand: each step of it, from migrations of single values and
// mechanisms built anew.
func TestGreedyRadiiByHand(t *testing.T) {
	r := rand.New(rand.NewPCG(18, 2))
	ctx := context.Background()
	steps, last, flat := 0, 0, 0
	for trial := range 90 {
		q, prior := radiiCase(t, r, []float64{1, 1e-9, 1e9}[trial%3], 4)
		decay := []evidence.Epsilon{epsilon(t, 0.3), epsilon(t, 1), epsilon(t, 0.02)}[r.IntN(3)]
		if trial == 0 { // a middle that counts for nothing, and brings its neighbors near each other
			q = radiiQuery(t, [][2]int{{0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 5}, {0, 6}}, []float64{10, 0, 0, 0, 1, 1, 1})
			prior, decay = []*big.Rat{new(big.Rat)}, epsilon(t, 0.3)
			for range 6 {
				prior = append(prior, big.NewRat(1, 6))
			}
		}
		objective := optimize.Mean
		if trial%4 == 3 {
			objective, prior = optimize.Worst, nil
		}
		distortions := func(m *layers.Mechanism) []float64 { return must(mechanism.Distortions(ctx, m)) }
		score := func(m *layers.Mechanism) float64 { return radiiScore(objective, prior, distortions(m)) }
		radii := make([]float64, q.Size())
		at := func() *layers.Mechanism { return must(layers.NewDeltaNeighborhood(ctx, q, decay, radii)) }
		m, cases := at(), uint64(1)
		got := must(optimize.GreedyRadii(ctx, q, decay, objective, prior))
		for i := 0; ; i++ {
			before := score(m)
			best, gain, predicted, to, final := -1, 0.0, 0.0, 0.0, false
			for x := range radii {
				ring := radiiRings(q, x)
				k := slices.Index(ring, radii[x]) + 1
				if k == len(ring) {
					continue
				}
				after := distortions(m)
				for v := range q.Range() {
					if q.Metric().Distance(q.ValueIndex(x), v) == ring[k] {
						moved := distortions(must(m.Migrate(ctx, layers.Move{Dataset: x, Value: v, Layer: 0})))
						for y, p := range distortions(m) {
							after[y] -= p - moved[y]
						}
					}
				}
				hope := before - radiiScore(objective, prior, after)
				if math.Abs(hope) < 1e-10*before {
					flat++ // whether roundings leave it above 0 is no matter
				}
				if !(hope > 1e-10*before) {
					continue
				}
				cases++
				old := radii[x]
				radii[x] = ring[k]
				if won := before - score(at()); won > gain+1e-12*before {
					best, gain, predicted, to, final = x, won, hope, ring[k], k == len(ring)-1
				}
				radii[x] = old
			}
			if best < 0 {
				if len(got.Steps) != i {
					t.Fatalf("f of %v: step %d is %+v, want none", q.Range(), i, got.Steps[i])
				}
				break
			}
			if i >= len(got.Steps) {
				t.Fatalf("f of %v: %d steps, want dataset %d to %g", q.Range(), i, best, to)
			}
			s := got.Steps[i]
			if s.Dataset != best || s.Radius != to || math.Abs(s.Predicted-predicted) > 1e-9*before || math.Abs(s.Actual-gain) > 1e-9*before {
				t.Fatalf("step %d: %+v, want dataset %d to %g for %g, predicted %g", i, s, best, to, gain, predicted)
			}
			if final {
				last++
			}
			radii[best] = to
			m = at()
			steps++
		}
		if !slices.Equal(got.Radius, radii) || got.Cases < cases || flat == 0 && got.Cases != cases || math.Abs(got.Value.Float()-score(m)) > 1e-9*score(m) {
			t.Errorf("radii %v after %d mechanisms, value %v: want %v, %d, %v", got.Radius, got.Cases, got.Value, radii, cases, score(m))
		}
		for x, p := range distortions(got.Mechanism) {
			if p != distortions(m)[x] {
				t.Errorf("radii %v: distortion %g of dataset %d, want %g", radii, p, x, distortions(m)[x])
			}
		}
	}
	t.Logf("%d steps, %d to a last ring", steps, last)
	if steps < 30 || last == 0 {
		t.Errorf("%d steps, %d to a last ring: want more", steps, last)
	}
}

// No choice of radii beats the best, by the logarithms of what it costs: at a large
// decay, where all costs underflow, at rational ones and others, priors with weights of
// 0 and costs of 0 among them; where the costs are rational none is below it at all.
func TestExhaustiveRadiiAreBest(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 3))
	ctx := context.Background()
	free := 0
	for trial := range 24 {
		q, prior := radiiCase(t, r, 1, 1e11) // beside 1e11 others do not show in float64
		if trial%5 == 0 {                    // one value, that a mechanism need not leave
			q = must(query.NewNumeric("f", must(query.NewPathSpace(2, [][2]int{{0, 1}})), []float64{3, 3}, []float64{2.5, 3, 4}))
			prior = nil
		}
		decay := []evidence.Epsilon{epsilon(t, 1000), logarithm(t, 3, 1), epsilon(t, 0.7)}[trial%3]
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
				return must(mechanism.WorstDistortion(ctx, m))
			}
			return must(mechanism.ExpectedDistortion(ctx, m, prior))
		}
		best := must(optimize.ExhaustiveRadii(ctx, q, decay, objective, prior))
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
		first := true // whether all before are worse, as the first of the best is taken
		for range total {
			for x, k := range rank {
				radii[x] = rings[x][k]
			}
			m := must(layers.NewDeltaNeighborhood(ctx, q, decay, radii))
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

// Whoever works on radii says how far it has come, and no ε is none, here and elsewhere.
func TestRadiiReportAndRefuse(t *testing.T) {
	ctx := context.Background()
	q := radiiQuery(t, [][2]int{{0, 1}, {1, 2}, {2, 3}}, []float64{11, 12, 1, 10})
	var greedy, all []int64
	hear := func(to *[]int64, total int64) context.Context {
		return parallel.WithProgress(ctx, func(done, of int64, _ string) {
			if *to = append(*to, done); of != total {
				t.Errorf("%d of %d, want of %d", done, of, total)
			}
		})
	}
	out := must(optimize.GreedyRadii(hear(&greedy, 0), q, epsilon(t, 0.4), optimize.Mean, nil))
	must(optimize.ExhaustiveRadii(hear(&all, 192), q, epsilon(t, 0.4), optimize.Mean, nil))
	if len(greedy) != len(out.Steps)+1 || greedy[len(greedy)-1] != int64(len(out.Steps)) || len(all) != 192 || all[191] != 191 {
		t.Errorf("reports %v and %v", greedy, all)
	}
	none := evidence.Epsilon{}
	for what, err := range map[string]error{
		"greedy": second(optimize.GreedyRadii(ctx, q, none, optimize.Mean, nil)), "exhaustive": second(optimize.ExhaustiveRadii(ctx, q, none, optimize.Mean, nil)),
		"tight": second(optimize.NewTight(ctx, q, none)), "constants": second(optimize.TightConstants(ctx, q.Space(), none)),
		"optimal": second(optimize.NewOptimal(ctx, q, none, optimize.Options{})), "noise": second(xor.NewOptimalNoise(ctx, 1, 1, none, xor.FlipBits(1))),
		"calibrated": second(optimize.Calibrate(ctx, purest(q), none)),
	} {
		if !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), "= 0, want a positive finite number") {
			t.Errorf("%s at ε = 0: %v", what, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }
