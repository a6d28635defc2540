package audit

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/ctxtest"
	"dpworkbench/internal/must"
)

// Fixed events are tested by Clopper–Pearson bounds, in both directions of each pair, at a level split over all
// tests. The results are recomputed from random counts. Some show no loss, with ε or δ far above the data.
func TestFixedEventsMatchCounts(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 4))
	outputs, datasets := []string{"a", "b", "c"}, []string{"x", "y", "z"}
	refuted, nothing := 0, 0
	for range 60 {
		s, count := new(Samples), map[string]map[string]int64{}
		totals := map[string]int64{}
		alike := rng.IntN(3) == 0
		for _, x := range datasets {
			count[x] = map[string]int64{}
			for _, o := range outputs {
				n := rng.Int64N(4) * rng.Int64N(20)
				if alike {
					n = 11
				}
				if o == "c" {
					n++
				}
				count[x][o], totals[x] = n, totals[x]+n
				if err := s.Add(x, o, n); err != nil {
					t.Fatal(err)
				}
			}
		}
		events := [][]string{{"a"}, {"b", "a"}, {"c", "never"}}[:1+rng.IntN(3)]
		eps := []float64{1e-3, .2, 3, 1 << 21}[rng.IntN(4)]
		delta := big.NewRat(rng.Int64N(4), 4)
		confidence := []float64{.5, .9, .999}[rng.IntN(3)]
		d, _ := delta.Float64()
		claim := Claim{Epsilon: must.Be(evidence.NewEpsilon("eps", eps)), Delta: evidencetest.RationalDelta(delta)}
		r := must.Be(s.Audit(context.Background(), nil, claim, Sampling{Confidence: confidence, Events: events}, rand.NewPCG(1, 1)))
		level := (1 - confidence) / float64(2*len(events)*6) // 3 pairs, 2 directions
		ratio, excess := 0.0, 0.0
		for _, x := range datasets {
			for _, y := range datasets {
				for _, event := range events {
					p, q := int64(0), int64(0)
					for _, o := range event {
						p, q = p+count[x][o], q+count[y][o]
					}
					if low, high := binomialLower(p, totals[x], level), binomialUpper(q, totals[y], level); x != y {
						ratio, excess = max(ratio, (low-d)/high), max(excess, low-math.Exp(eps)*high)
					}
				}
			}
		}
		want := max(0, math.Log(ratio))
		verdict := evidence.Undecided
		if want > eps {
			verdict = evidence.Refuted
			refuted++
		}
		if want == 0 {
			nothing++
		}
		lo, hi := r.Epsilon.Bounds()
		least, most := r.Delta.Bounds()
		if math.Abs(lo-want) > 1e-9 || math.Abs(least-excess) > 1e-9 || !math.IsInf(hi, 1) || most != 1 || r.Verdict != verdict || (r.Witness == nil) != (want == 0) {
			t.Errorf("%v of %v at ε = %g, δ = %g: %s, ε ≥ %v and δ ≥ %v, want %s, %v and %v", events, count, eps, d, r.Verdict, lo, least, verdict, want, excess)
		}
		drawn := int(totals["x"] + totals["y"] + totals["z"])
		if e, ok := r.Epsilon.(evidence.Estimated); !ok || e.Draws != drawn || math.Abs(e.Confidence-confidence) > 1e-15 || e.Value != lo {
			t.Errorf("ε is %+v, want a bound from %d draws at confidence %g", r.Epsilon, drawn, confidence)
		}
		if w := r.Witness; w != nil {
			p, q := r.Witness.P.(evidence.Estimated), r.Witness.Q.(evidence.Estimated)
			if math.Abs(math.Log((p.Lo-d)/q.Hi)-lo) > 1e-12 || p.Hi != 1 || q.Lo != 0 || int64(p.Draws) != totals[w.First] || int64(q.Draws) != totals[w.Second] {
				t.Errorf("the witness %+v does not give ε ≥ %v", w, lo)
			}
			seen := func(x string) (n int64) {
				for _, o := range w.Event.Outputs {
					n += count[x][o]
				}
				return n
			}
			if f := float64(seen(w.First)) / float64(totals[w.First]); p.Value != f {
				t.Errorf("%v has frequency %v at %s, not %v", w.Event, f, w.First, p.Value)
			}
			if f := float64(seen(w.Second)) / float64(totals[w.Second]); q.Value != f {
				t.Errorf("%v has frequency %v at %s, not %v", w.Event, f, w.Second, q.Value)
			}
		}
	}
	if refuted < 5 || nothing < 5 {
		t.Errorf("too few cases: %d audits refute, %d have no witness", refuted, nothing)
	}
}

// A plan asks for enough draws to refute, and for at most a thousandth more than needed.
func TestPlanDrawsAreNearlyMinimal(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 6))
	for range 12 {
		plan := Plan{P: .3 + .6*rng.Float64(), Q: .01 + .05*rng.Float64(), Power: .1 + .8*rng.Float64(), Confidence: .5 + .49*rng.Float64(), Tests: rng.IntN(4),
			Claim: Claim{Epsilon: must.Be(evidence.NewEpsilon("eps", .5+rng.Float64())), Delta: evidencetest.RationalDelta(big.NewRat(rng.Int64N(3), 50))}}
		n := must.Be(plan.Draws(context.Background()))
		tests, parts := int64(plan.Tests), int64(1)
		if tests == 0 {
			tests, parts = 2, 2
		}
		level, tail := (1-plan.Confidence)/float64(2*tests), (1-plan.Power)/2
		refutes := func(n int64) bool { // with P below its low quantile and Q above its high quantile
			low := binomialLower(lowCount(n, plan.P, tail), n, level)
			high := binomialUpper(highCount(n, plan.Q, tail), n, level)
			return (low-plan.Claim.Delta.Value())/high > math.Exp(plan.Claim.Epsilon.Value())
		}
		n /= parts
		if !refutes(n) {
			t.Errorf("%+v: %d draws do not refute", plan, n)
		}
		if fewer := n - 1 - n/1000; fewer > 0 && !slices.ContainsFunc([]int64{fewer, fewer + n/2000, n - 1}, func(m int64) bool { return !refutes(m) }) {
			t.Errorf("%+v: %d draws refute, asked for %d", plan, fewer, n)
		}
	}
}

// If the bounds give a ratio of exactly 1, the audit names no event. With a slightly smaller δ it names one.
func TestRatioOfOneHasNoWitness(t *testing.T) {
	s := new(Samples)
	for x, n := range map[string]int64{"x": 80, "y": 10} {
		for output, k := range map[string]int64{"a": n, "b": 100 - n} {
			if err := s.Add(x, output, k); err != nil {
				t.Fatal(err)
			}
		}
	}
	const confidence = .75
	level := (1 - confidence) / 4 * (1 - 0x1p-50) // two tests with two bounds each
	gap := new(big.Rat).SetFloat64(binomialLower(80, 100, level))
	gap.Sub(gap, new(big.Rat).SetFloat64(binomialUpper(10, 100, level)))
	for by, shows := range map[int64]bool{-1: true, 0: false, 1: false} {
		delta := new(big.Rat).Add(gap, new(big.Rat).SetFrac(big.NewInt(by), new(big.Int).Lsh(big.NewInt(1), 200)))
		r, err := s.Audit(t.Context(), []Pair{{"x", "y"}}, Claim{Epsilon: must.Be(evidence.NewEpsilon("eps", 1)), Delta: evidencetest.RationalDelta(delta)}, Sampling{Confidence: confidence, Events: [][]string{{"a"}}}, rand.NewPCG(1, 1))
		if err != nil || (r.Witness != nil) != shows || r.Epsilon.Float() > 1e-50 || r.Verdict != evidence.Undecided {
			t.Errorf("δ off by %d·2⁻²⁰⁰: %+v, %v", by, r, err)
		}
	}
}

// The chooser's level is split over all events that it compares, and few more: half lines from both sides, single
// outputs and outputs with the largest ratios, in both directions.
func TestChooserLevelCountsEvents(t *testing.T) {
	for _, n := range []int{1, 5, 40} {
		d := &drawn{labels: make([]string, n), values: make([]numeral, n), tallies: make([][]tally, 3)}
		for x := range d.tallies {
			for i := range n {
				d.tallies[x] = append(d.tallies[x], tally{output: i, order: 1, score: 1, confirm: 2})
			}
		}
		for pairs := 1; pairs <= 3; pairs++ {
			const alpha = 1e-3
			c := newChooser(d, 1, pairs, 0, 2, alpha)
			events := alpha / (math.Erfc(c.z/math.Sqrt2) / 2)
			if least := float64(2 * pairs * 4 * n); events < least*(1-1e-6) || events > (least+float64(8*pairs))*(1+1e-6) {
				t.Errorf("%d outputs, %d pairs: the level is split over %v events, want %v or a little more", n, pairs, events, least)
			}
		}
	}
}

// Splitting many draws stops at each poll of the context.
func TestSplitStops(t *testing.T) {
	s := new(Samples)
	for _, x := range []string{"x", "y"} {
		if err := s.Add(x, "a", 3<<22); err != nil { // three polls for a half, and two for a quarter
			t.Fatal(err)
		}
	}
	split := func(ctx context.Context) error { return s.layOut().split(ctx, []string{"x", "y"}, rand.NewPCG(1, 1)) }
	whole := ctxtest.CancelAfter(context.Background(), math.MaxInt)
	if err := split(whole); err != nil || whole.Polls() != 2*(1+3+2) {
		t.Errorf("%d polls, %v, want 12", whole.Polls(), err)
	}
	for n := range whole.Polls() {
		if err := split(ctxtest.CancelOnce(context.Background(), n)); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled at poll %d: %v", n, err)
		}
	}
}

// The choices and results of a seeded audit never change.
func TestSeededAuditsAreStable(t *testing.T) {
	s := drawsOf(rand.New(rand.NewPCG(22, 61)), 700)
	for _, c := range []struct {
		name, delta string
		pairs       []Pair
		how         Sampling
		want        string
	}{
		{"plain", "0", nil, Sampling{}, "refuted ε ≥ 1.293473592 δ ≥ 0.431738208 44ad0346 a14c"},
		{"at a δ", "1/8", nil, Sampling{}, "refuted ε ≥ 0.808124079 δ ≥ 0.431738208 9ec5dff9 a14c"},
		{"a pair", "1/100", []Pair{{"y", "z"}}, Sampling{Confidence: .9}, "refuted ε ≥ 0.771514287 δ ≥ 0.170282232 127b9f98 a14c"},
		{"bins", "0", nil, Sampling{Bins: 5}, "refuted ε ≥ 1.516366738 δ ≥ 0.407723955 59ef62a2 a14c"},
		{"edges", "1/50", nil, Sampling{Edges: []float64{-1, 0, .5, 1.25}}, "refuted ε ≥ 1.137618057 δ ≥ 0.418837791 9f3c2dfb 4dc1"},
		{"no edges", "0", nil, Sampling{Edges: []float64{}}, "refuted ε ≥ 1.855475263 δ ≥ 0.270556014 8e12c230 16a1"},
		{"events", "1/50", nil, Sampling{Events: [][]string{{"high"}, {"-1", "-1.00", "never"}, {"higher", "0.25"}}}, "refuted ε ≥ 0.541474681 δ ≥ 0.049663173 ba8e0060 2d20"},
	} {
		claim := Claim{Epsilon: must.Be(evidence.NewEpsilon("eps", .1)), Delta: evidencetest.RationalDelta(mustRat(c.delta))}
		src := rand.NewPCG(22, 62)
		r := must.Be(s.Audit(context.Background(), c.pairs, claim, c.how, src))
		h := fnv.New32a()
		fmt.Fprint(h, r)
		if got := fmt.Sprintf("%s ε ≥ %.9f δ ≥ %.9f %08x %04x", r.Verdict, r.Epsilon.Float(), r.Delta.Float(), h.Sum32(), src.Uint64()>>48); got != c.want {
			t.Errorf("%s: %q, want %q\n%v", c.name, got, c.want, r)
		}
	}
}
