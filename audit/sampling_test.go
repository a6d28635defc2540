package audit_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"dpworkbench/audit"
	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/ctxtest"
	"dpworkbench/internal/must"

	"gonum.org/v1/gonum/mathext"
)

func ExampleSamples_Audit() {
	var s audit.Samples
	for dataset, yes := range map[string]int64{"x": 7500, "y": 2500} {
		_ = s.Add(dataset, "yes", yes)
		_ = s.Add(dataset, "no", 10000-yes)
	}
	eps, _ := evidence.NewEpsilon("eps", 0.8)
	r, err := s.Audit(context.Background(), []audit.Pair{{"x", "y"}}, audit.Claim{Epsilon: eps},
		audit.Sampling{Events: [][]string{{"yes"}}}, rand.NewPCG(0, 0))
	if err != nil {
		panic(err)
	}
	lo, _ := r.Epsilon.Bounds()
	fmt.Printf("%s: epsilon is at least %.3f (ln 3 = 1.099)\n%s\n", r.Verdict, lo, r.Witness.Script)
	// Output:
	// refuted: epsilon is at least 1.018 (ln 3 = 1.099)
	// audit({"x": {"E": 7500, "not E": 2500}, "y": {"E": 2500, "not E": 7500}}, [("x", "y")], 0.8, events=["E"])
}

// implementation draws one output at the value v.
type implementation func(v int, r *rand.Rand) string

func (f implementation) samples(t testing.TB, values []int, n int, r *rand.Rand) *audit.Samples {
	var s audit.Samples
	for _, v := range values {
		name := fmt.Sprint(v)
		for range n {
			if err := s.Add(name, f(v, r), 1); err != nil {
				t.Fatal(err)
			}
		}
	}
	return &s
}

// response returns randomized response on one bit with exactly ε: it keeps the bit with probability e^ε/(1 + e^ε).
func response(eps float64) implementation {
	keep := math.Exp(eps) / (1 + math.Exp(eps))
	return func(v int, r *rand.Rand) string {
		if r.Float64() < keep {
			return fmt.Sprint(v & 1)
		}
		return fmt.Sprint(1 - v&1)
	}
}

// twoSided draws the difference of two geometric variables of ratio e^{−ε}.
func twoSided(eps float64, r *rand.Rand) int {
	draw := func() int { return int(r.ExpFloat64() / eps) }
	a, b := draw(), draw()
	return a - b
}

func geometric(eps float64) implementation {
	return func(v int, r *rand.Rand) string { return fmt.Sprint(v + twoSided(eps, r)) }
}

// laplace adds continuous noise, and may round the sum to an integer.
func laplace(scale float64, rounded bool) implementation {
	return func(v int, r *rand.Rand) string {
		a, b := r.ExpFloat64(), r.ExpFloat64()
		x := float64(v) + scale*(a-b)
		if rounded {
			x = math.Round(x)
		}
		return fmt.Sprint(x)
	}
}

// An implementation with exactly the claimed ε is refuted no more often than stated. Of 500 audits at level 0.05, more
// than 50 refutations have probability at most 8e-7, even if each has probability 0.05.
func TestFalsePositiveRate(t *testing.T) {
	const runs, most, confidence = 500, 50, 0.95
	for name, c := range map[string]struct {
		f   implementation
		eps float64
		how audit.Sampling
	}{
		"response, chosen events": {response(1), 1, audit.Sampling{}},
		"response, fixed events":  {response(1), 1, audit.Sampling{Events: [][]string{{"0"}, {"1"}}}},
		"geometric":               {geometric(0.5), 0.5, audit.Sampling{}},
		"laplace in bins":         {laplace(2, false), 0.5, audit.Sampling{Bins: 8}},
		"pairs with features": {func(v int, r *rand.Rand) string {
			return fmt.Sprintf("(%d, %d.5)", v+twoSided(0.5, r), twoSided(1, r))
		}, 0.5, audit.Sampling{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.how.Confidence = confidence
			refuted := 0
			for i := range runs {
				r := rand.New(rand.NewPCG(7, uint64(i)))
				s := c.f.samples(t, []int{0, 1}, 400, r)
				got := must.Be(s.Audit(context.Background(), nil, floatClaim(c.eps, "0"), c.how, rand.NewPCG(8, uint64(i))))
				if got.Verdict == evidence.Refuted {
					refuted++
				}
				if got.Verdict == evidence.Confirmed {
					t.Fatal("samples confirmed a claim")
				}
			}
			t.Logf("%d of %d refuted", refuted, runs)
			if refuted > most {
				t.Errorf("%d of %d audits refute a true claim, want at most %d at level %g", refuted, runs, most, 1-confidence)
			}
		})
	}
}

// Broken implementations that claim ε = 1 are refuted with 100,000 draws per dataset, by a lower bound below their
// true ε.
func TestBrokenImplementationsAreRefuted(t *testing.T) {
	for name, c := range map[string]struct {
		f    implementation
		how  audit.Sampling
		true float64
	}{
		"Laplace with half the scale, rounded":  {laplace(0.5, true), audit.Sampling{}, 2},
		"Laplace of the right scale in float64": {laplace(1, false), audit.Sampling{}, math.Inf(1)}, // adding 1 rounds the noise
		"numbers on a grid of half the scale": {func(v int, r *rand.Rand) string {
			return fmt.Sprint(float64(v) + math.Round(0x1p20*0.5*(r.ExpFloat64()-r.ExpFloat64()))*0x1p-20)
		}, audit.Sampling{}, 2},
		"Laplace with half the scale, bins": {laplace(0.5, false), audit.Sampling{Bins: 20}, 2},
		"geometric with ratio e^{-1.25}":    {geometric(1.25), audit.Sampling{}, 1.25},
		"even noise": {func(v int, r *rand.Rand) string {
			return fmt.Sprint(v + 2*twoSided(1, r))
		}, audit.Sampling{}, math.Inf(1)},
		"a float grid that leaks the input": {func(v int, r *rand.Rand) string { // 1 + noise/10 has less precision than noise/10
			return fmt.Sprint(float64(v) + float64(twoSided(0.1, r))*0.1)
		}, audit.Sampling{}, math.Inf(1)},
		"a leak in one output of 500": {func(v int, r *rand.Rand) string {
			if v == 1 && r.IntN(500) == 0 {
				return "leak"
			}
			return fmt.Sprint(twoSided(0.5, r))
		}, audit.Sampling{}, math.Inf(1)},
		"response with fixed events": {response(1.1), audit.Sampling{Events: [][]string{{"0"}, {"1"}}}, 1.1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := c.f.samples(t, []int{0, 1}, 100_000, rand.New(rand.NewPCG(11, 12)))
			r := must.Be(s.Audit(context.Background(), nil, floatClaim(1, "0"), c.how, rand.NewPCG(13, 14)))
			lo, _ := r.Epsilon.Bounds()
			if r.Verdict != evidence.Refuted || lo > c.true {
				t.Errorf("%s with ε at least %v, want refuted and at most %v", r.Verdict, lo, c.true)
			}
			if r.Witness == nil || r.Witness.Event.String() == "{}" {
				t.Error("no witness")
			}
			t.Logf("ε ≥ %.4f by %v of %s against %s; δ ≥ %.4g", lo, r.Witness.Event, r.Witness.First, r.Witness.Second, r.Delta.Float())
		})
	}
}

func TestSamplingErrors(t *testing.T) {
	full := response(1).samples(t, []int{0, 1}, 10, rand.New(rand.NewPCG(1, 1)))
	var none audit.Samples
	missing := response(1).samples(t, []int{0, 1}, 10, rand.New(rand.NewPCG(1, 1)))
	missing.Declare("2")
	for _, c := range []struct {
		s     *audit.Samples
		how   audit.Sampling
		delta string
		want  string
	}{
		{&none, audit.Sampling{}, "0", "table_or_samples is empty"},
		{missing, audit.Sampling{}, "0", `dataset "2" has no samples`},
		{full, audit.Sampling{Confidence: 1}, "0", "confidence = 1"},
		{full, audit.Sampling{Confidence: math.NaN()}, "0", "confidence = NaN"},
		{full, audit.Sampling{Bins: 1}, "0", "bins = 1"},
		{full, audit.Sampling{Edges: []float64{1, 1}}, "0", "bins[1] = 1"},
		{full, audit.Sampling{Edges: []float64{math.Inf(1)}}, "0", "bins[0]"},
		{full, audit.Sampling{Events: [][]string{}}, "0", "events is empty"},
		{full, audit.Sampling{Bins: 2, Events: [][]string{{"0"}}}, "0", "bins = 2 with events"},
	} {
		_, err := c.s.Audit(context.Background(), nil, floatClaim(1, c.delta), c.how, rand.NewPCG(1, 1))
		if !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	for want, err := range map[string]error{
		"eps = 0":                second(full.Audit(t.Context(), nil, audit.Claim{}, audit.Sampling{}, rand.NewPCG(1, 1))),
		`names dataset "absent"`: second(full.Audit(t.Context(), []audit.Pair{{"0", "absent"}}, floatClaim(1, "0"), audit.Sampling{}, rand.NewPCG(1, 1))),
	} {
		if !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if err := full.Add("0", "1", -1); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("a negative count: %v", err)
	}
	if err := full.Add("0", "1", 1<<50); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("2^50 draws: %v", err)
	}
	one := response(1).samples(t, []int{0, 1}, 1, rand.New(rand.NewPCG(1, 1)))
	if r := must.Be(one.Audit(context.Background(), nil, floatClaim(1, "0"), audit.Sampling{}, rand.NewPCG(1, 1))); r.Verdict != evidence.Undecided || r.Epsilon.Float() != 0 {
		t.Errorf("one draw each: %s, %v", r.Verdict, r.Epsilon)
	}
}

func TestHugeCounts(t *testing.T) {
	var s audit.Samples
	for x, p := range map[string]int64{"x": 3e8, "y": 1e8} {
		must.Be(0, s.Add(x, "a", p))
		must.Be(0, s.Add(x, "b", 4e8-p))
	}
	r := must.Be(s.Audit(context.Background(), nil, floatClaim(1.09, "0"), audit.Sampling{}, rand.NewPCG(1, 1)))
	if lo, _ := r.Epsilon.Bounds(); r.Verdict != evidence.Refuted || lo > math.Log(3) || lo < math.Log(3)-1e-3 {
		t.Errorf("%s with ε at least %v, want a little below ln 3", r.Verdict, lo)
	}
}

func second[T any](_ T, err error) error { return err }

// drawsOf returns samples of numbers and words whose law depends on the dataset x, y or z.
func drawsOf(rng *rand.Rand, n int) *audit.Samples {
	s := new(audit.Samples)
	for x, name := range []string{"x", "y", "z"} {
		for range n {
			v := rng.NormFloat64() + .9*float64(x)
			output := fmt.Sprint(math.Round(4*v) / 4)
			if v > 2 {
				output = []string{"high", "higher", "very high"}[rng.IntN(1+x)]
			}
			if err := s.Add(name, output, 1); err != nil {
				panic(err)
			}
		}
	}
	return s
}

// failing is a reader that fails after its text.
type failing struct{ text *strings.Reader }

var errBroken = errors.New("the disk is broken")

// An audit stops at each poll of its context, and polls the expected number of times. It returns the error of its
// reader.
func TestAuditsStop(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 63))
	s, table, rounded := drawsOf(rng, 60), new(audit.Table), new(audit.Table)
	for x, name := range []string{"x", "y", "z"} {
		for i, p := range []int64{1 + int64(x), 3 - int64(x), 4} {
			output, mass := string(rune('a'+i)), big.NewRat(p, 8)
			if err := errors.Join(table.Add(name, output, mass), rounded.AddRounded(name, output, mass)); err != nil {
				t.Fatal(err)
			}
		}
	}
	wide, csvRows := new(audit.Table), &strings.Builder{}
	csvRows.WriteString("dataset,output\n")
	for i := range 5000 {
		for _, name := range []string{"x", "y"} {
			if err := wide.Add(name, fmt.Sprint(i), big.NewRat(1, 5000)); err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(csvRows, "%s,%d\n", name, i)
		}
	}
	claim := audit.Claim{Epsilon: must.Be(evidence.NewEpsilon("eps", 1)), Delta: evidencetest.RationalDelta(big.NewRat(1, 8))}
	ln2 := must.Be(evidence.LogEpsilon("eps", big.NewRat(3, 2)))
	for _, c := range []struct {
		what  string
		polls int
		do    func(ctx context.Context) error
	}{
		{"an audit of a table", 8, func(ctx context.Context) error { _, err := table.Audit(ctx, nil, claim); return err }},
		{"an audit of a rounded table", 11, func(ctx context.Context) error { _, err := rounded.Audit(ctx, nil, claim); return err }},
		{"an audit of a wide table", 16, func(ctx context.Context) error { _, err := wide.Audit(ctx, nil, claim); return err }},
		{"δ of a table", 5, func(ctx context.Context) error { _, err := table.Privacy(nil).Delta(ctx, ln2); return err }},
		{"δ of a rounded table", 5, func(ctx context.Context) error { _, err := rounded.Privacy(nil).Delta(ctx, ln2); return err }},
		{"ε of a table", 3, func(ctx context.Context) error {
			_, err := table.Privacy(nil).Epsilon(ctx, evidencetest.Delta(.1))
			return err
		}},
		{"an audit of samples", 7, func(ctx context.Context) error {
			_, err := s.Audit(ctx, nil, claim, audit.Sampling{}, rand.NewPCG(1, 1))
			return err
		}},
		{"an audit of events", 1, func(ctx context.Context) error {
			_, err := s.Audit(ctx, nil, claim, audit.Sampling{Events: [][]string{{"1"}}}, rand.NewPCG(1, 1))
			return err
		}},
		{"a plan", 13, func(ctx context.Context) error {
			_, err := audit.Plan{P: .5, Q: .1, Claim: claim, Power: .9}.Draws(ctx)
			return err
		}},
		{"a file of rows", 10, func(ctx context.Context) error {
			_, err := audit.ReadCSV(ctx, strings.NewReader(csvRows.String()))
			return err
		}},
	} {
		ctx := ctxtest.CancelAfter(context.Background(), math.MaxInt)
		if err := c.do(ctx); err != nil {
			t.Fatal(c.what, err)
		}
		ctxtest.EachPoll(t, 1, c.do)
		all := ctx.Polls()
		if all != c.polls {
			t.Errorf("%s polls %d times, want %d", c.what, all, c.polls)
		}
		for left := range all {
			if err := c.do(ctxtest.CancelAfter(context.Background(), left)); !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v cancelled after %d polls of %d", c.what, err, left, all)
			}
		}
	}
	for _, text := range []string{"", "dataset,output\n", "dataset,output\nx,1\n", "dataset,output\nx,1"} {
		if _, err := audit.ReadCSV(context.Background(), failing{strings.NewReader(text)}); !errors.Is(err, errBroken) {
			t.Errorf("%q, then an error: %v", text, err)
		}
	}
}

// lower returns the Clopper–Pearson lower bound after c successes in n.
func lower(c, n int64, level float64) float64 {
	if c == 0 {
		return 0
	}
	return mathext.InvRegIncBeta(float64(c), float64(n-c+1), level)
}

// Fixed events are tested by Clopper–Pearson bounds, in both directions of each pair, at a level split over all
// tests. The results are recomputed from random counts. Some show no loss, with ε or δ far above the data.
func TestFixedEventsMatchCounts(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 4))
	outputs, datasets := []string{"a", "b", "c"}, []string{"x", "y", "z"}
	refuted, nothing := 0, 0
	for range 60 {
		s, count := new(audit.Samples), map[string]map[string]int64{}
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
		claim := audit.Claim{Epsilon: must.Be(evidence.NewEpsilon("eps", eps)), Delta: evidencetest.RationalDelta(delta)}
		r := must.Be(s.Audit(context.Background(), nil, claim, audit.Sampling{Confidence: confidence, Events: events}, rand.NewPCG(1, 1)))
		level := (1 - confidence) / float64(2*len(events)*6) // 3 pairs, 2 directions
		ratio, excess := 0.0, 0.0
		for _, x := range datasets {
			for _, y := range datasets {
				for _, event := range events {
					p, q := int64(0), int64(0)
					for _, o := range event {
						p, q = p+count[x][o], q+count[y][o]
					}
					if low, high := lower(p, totals[x], level), 1-lower(totals[y]-q, totals[y], level); x != y {
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

// If the bounds give a ratio of exactly 1, the audit names no event. With a slightly smaller δ it names one.
func TestRatioOfOneHasNoWitness(t *testing.T) {
	s := new(audit.Samples)
	for x, n := range map[string]int64{"x": 80, "y": 10} {
		for output, k := range map[string]int64{"a": n, "b": 100 - n} {
			if err := s.Add(x, output, k); err != nil {
				t.Fatal(err)
			}
		}
	}
	const confidence = .75
	at := func(delta *big.Rat) (*audit.Result, error) {
		return s.Audit(t.Context(), []audit.Pair{{"x", "y"}}, audit.Claim{Epsilon: must.Be(evidence.NewEpsilon("eps", 1)), Delta: evidencetest.RationalDelta(delta)}, audit.Sampling{Confidence: confidence, Events: [][]string{{"a"}}}, rand.NewPCG(1, 1))
	}
	w := must.For(at(new(big.Rat)))(t).Witness
	gap := new(big.Rat).SetFloat64(w.P.(evidence.Estimated).Lo)
	gap.Sub(gap, new(big.Rat).SetFloat64(w.Q.(evidence.Estimated).Hi))
	for by, shows := range map[int64]bool{-1: true, 0: false, 1: false} {
		r, err := at(new(big.Rat).Add(gap, new(big.Rat).SetFrac(big.NewInt(by), new(big.Int).Lsh(big.NewInt(1), 200))))
		if err != nil || (r.Witness != nil) != shows || r.Epsilon.Float() > 1e-50 || r.Verdict != evidence.Undecided {
			t.Errorf("δ off by %d·2⁻²⁰⁰: %+v, %v", by, r, err)
		}
	}
}

// The choices and results of a seeded audit never change.
func TestSeededAuditsAreStable(t *testing.T) {
	s := drawsOf(rand.New(rand.NewPCG(22, 61)), 700)
	for _, c := range []struct {
		name, delta string
		pairs       []audit.Pair
		how         audit.Sampling
		want        string
	}{
		{"plain", "0", nil, audit.Sampling{}, "refuted ε ≥ 1.293473592 δ ≥ 0.431738208 44ad0346 a14c"},
		{"at a δ", "1/8", nil, audit.Sampling{}, "refuted ε ≥ 0.808124079 δ ≥ 0.431738208 9ec5dff9 a14c"},
		{"a pair", "1/100", []audit.Pair{{"y", "z"}}, audit.Sampling{Confidence: .9}, "refuted ε ≥ 0.771514287 δ ≥ 0.170282232 127b9f98 a14c"},
		{"bins", "0", nil, audit.Sampling{Bins: 5}, "refuted ε ≥ 1.516366738 δ ≥ 0.407723955 59ef62a2 a14c"},
		{"edges", "1/50", nil, audit.Sampling{Edges: []float64{-1, 0, .5, 1.25}}, "refuted ε ≥ 1.137618057 δ ≥ 0.418837791 9f3c2dfb 4dc1"},
		{"no edges", "0", nil, audit.Sampling{Edges: []float64{}}, "refuted ε ≥ 1.855475263 δ ≥ 0.270556014 8e12c230 16a1"},
		{"events", "1/50", nil, audit.Sampling{Events: [][]string{{"high"}, {"-1", "-1.00", "never"}, {"higher", "0.25"}}}, "refuted ε ≥ 0.541474681 δ ≥ 0.049663173 ba8e0060 2d20"},
	} {
		claim := audit.Claim{Epsilon: must.Be(evidence.NewEpsilon("eps", .1)), Delta: evidencetest.RationalDelta(rat(c.delta))}
		src := rand.NewPCG(22, 62)
		r := must.Be(s.Audit(context.Background(), c.pairs, claim, c.how, src))
		h := fnv.New32a()
		fmt.Fprint(h, r)
		if got := fmt.Sprintf("%s ε ≥ %.9f δ ≥ %.9f %08x %04x", r.Verdict, r.Epsilon.Float(), r.Delta.Float(), h.Sum32(), src.Uint64()>>48); got != c.want {
			t.Errorf("%s: %q, want %q\n%v", c.name, got, c.want, r)
		}
	}
}

func (f failing) Read(p []byte) (int, error) {
	if f.text.Len() > 0 {
		return f.text.Read(p)
	}
	return 0, errBroken
}
