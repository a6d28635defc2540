package audit_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"dpworkbench/audit"
	"dpworkbench/evidence"
	"dpworkbench/internal/must"
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

// response is randomized response on one bit with exactly ε: it keeps the bit with probability e^ε/(1 + e^ε).
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

// An implementation with exactly the claimed ε is refuted no more often than stated. Of 500 audits at level 0.05,
// more than 50 refutations have probability 8e-7 even if the level is used up.
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
