package ehmc_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"dpworkbench/ehmc"
	"dpworkbench/evidence"
	"dpworkbench/internal/looks"
	"dpworkbench/internal/memory"
	"dpworkbench/internal/must"
)

// Every sampler moves from a seed as it always did, and counts what it met: a chain
// can be run again. Printed by this test.
func TestStreams(t *testing.T) {
	q := randomLaw(t, 9, .7, false, rand.NewPCG(22, 32))
	start := []bool{true, false, true, true, false, false, true, false, true}
	for _, c := range []struct {
		name string
		make func(src rand.Source) (ehmc.Sampler, error)
		want string
	}{
		{"gaussian", func(src rand.Source) (ehmc.Sampler, error) {
			return ehmc.NewGaussian(q, start, ehmc.GaussianOptions{Turns: 1}, src)
		}, "064ea10e 662 128 19ca"},
		{"gaussian, two turns", func(src rand.Source) (ehmc.Sampler, error) {
			return ehmc.NewGaussian(q, start, ehmc.GaussianOptions{Turns: 2}, src)
		}, "e8e29006 1112 192 19ca"},
		{"gibbs", func(src rand.Source) (ehmc.Sampler, error) { return ehmc.NewGibbs(q, start, src) }, "fb5c692e 450 78 a056"},
		{"printed", func(src rand.Source) (ehmc.Sampler, error) { return ehmc.NewPublished(q, .4, src) }, "21cfbbfe 450 219 f3c3"},
	} {
		src := rand.NewPCG(22, 33)
		chain := must.Be(c.make(src))
		h, tries, crosses := fnv.New32a(), 0, 0
		for step := range 50 {
			var info ehmc.Info
			if step%2 == 0 {
				info = chain.Step()
			} else {
				info = must.Be(ehmc.StepUntil(context.Background(), chain))
			}
			tries, crosses = tries+info.Tries, crosses+info.Crosses
			fmt.Fprint(h, chain.State().Bits)
		}
		if got := fmt.Sprintf("%08x %d %d %04x", h.Sum32(), tries, crosses, src.Uint64()>>48); got != c.want {
			t.Errorf("%s gives %q, want %q", c.name, got, c.want)
		}
	}
	attractive := randomLaw(t, 9, .2, true, rand.NewPCG(22, 34))
	p, src := must.Be(ehmc.NewPerfect(context.Background(), attractive)), rand.NewPCG(22, 35)
	h, all := fnv.New32a(), 0
	for range 20 {
		bits, sweeps, err := p.Sample(context.Background(), 1<<12, src)
		if err != nil {
			t.Fatal(err)
		}
		all += sweeps
		fmt.Fprint(h, bits)
	}
	if got, want := fmt.Sprintf("%08x %d %04x", h.Sum32(), all, src.Uint64()>>48), "c406bee2 56 3f98"; got != want {
		t.Errorf("perfect draws give %q, want %q", got, want)
	}
}

// A chain that is told to stop, before any step of it, says so, and has made the steps
// before.
func TestRunStops(t *testing.T) {
	q := randomLaw(t, 4, 1, false, rand.NewPCG(1, 1))
	start := make([]bool, 4)
	for name, chain := range map[string]ehmc.Sampler{
		"gibbs":     must.Be(ehmc.NewGibbs(q, start, rand.NewPCG(1, 1))),
		"gaussian":  must.Be(ehmc.NewGaussian(q, start, ehmc.GaussianOptions{Turns: 1}, rand.NewPCG(1, 1))),
		"published": must.Be(ehmc.NewPublished(q, 1, rand.NewPCG(1, 1))),
		"counting":  &counting{state: must.Be(ehmc.NewRandomState(q, rand.NewPCG(1, 1)))},
	} {
		for left := range 9 { // 3 to burn, twice 3 to thin
			ctx := looks.After(context.Background(), left)
			visits := 0
			err := ehmc.Run(ctx, chain, 3, 2, 3, func(*ehmc.State) error { visits++; return nil })
			if !errors.Is(err, context.Canceled) || visits != max(0, left-3)/3 {
				t.Errorf("%s: %v and %d visits where it is over after %d steps", name, err, visits, left)
			}
			if info, err := ehmc.StepUntil(looks.After(context.Background(), 0), chain); !errors.Is(err, context.Canceled) || info.Crosses != 0 {
				t.Errorf("%s: a step gives %v, %v where it is over", name, info, err)
			}
		}
		ctx := looks.After(context.Background(), 9)
		if err := ehmc.Run(ctx, chain, 3, 2, 3, func(*ehmc.State) error { return nil }); err != nil || ctx.Looks() != 9 {
			t.Errorf("%s: %v after %d looks, want 9", name, err, ctx.Looks())
		}
	}
	for left := range 4 {
		if _, err := ehmc.NewPerfect(looks.After(context.Background(), left), q4()); !errors.Is(err, context.Canceled) {
			t.Errorf("perfect sampling that is over after %d looks gives %v", left, err)
		}
	}
	p := must.Be(ehmc.NewPerfect(context.Background(), q4()))
	_, sweeps, err := p.Sample(context.Background(), 1<<10, rand.NewPCG(3, 3))
	if err != nil {
		t.Fatal(err)
	}
	for left := range sweeps {
		bits, made, err := p.Sample(looks.After(context.Background(), left), 1<<10, rand.NewPCG(3, 3))
		if !errors.Is(err, context.Canceled) || made != left || bits != nil {
			t.Errorf("%v after %d sweeps of %d", err, made, left)
		}
	}
}

// q4 is an attractive chain of four bits.
func q4() *ehmc.Dense {
	return must.Be(ehmc.NewDense([][]float64{{-1, .9, 0, 0}, {.9, -1, .9, 0}, {0, .9, -1, .9}, {0, 0, .9, -1}}))
}

// Short chains, worked in rationals by another program: an odd one loses its middle,
// the sum of correlations ends where a pair is not positive, and never rises.
func TestDiagnoseShortChains(t *testing.T) {
	for _, c := range []struct {
		chains               [][]float64
		mean, tau, size, hat float64
	}{
		{[][]float64{{1, 2, 3, 5}}, 2.75, 2.0, 2.0, 1.7320508075688772},
		{[][]float64{{1, 2, 3, 5}, {2, 2, 4, 1}}, 2.5, 0.7966397701969122, 10.042180040826448, 1.0801234497346435},
		{[][]float64{{0, 1, 2, 3, 10, 12, 13, 14}}, 6.875, 6.730392156862745, 1.188638018936635, 5.095452518043551},
		{[][]float64{{0, 1, 2, 10, 12, 13}}, 6.333333333333333, 2.9415708812260535, 2.039726473461413, 5.89915248150105},
		{[][]float64{{0, 1, 0, 1, 2, 30, 31, 30, 31, 33}}, 15.9, 6.984766907419567, 1.4316870029517381, 20.380471936725026},
		{[][]float64{{1, 5, 1, 6, 2, 7, 9}, {3, 1, 4, 1, 5, 9, 2}}, 4.083333333333333, 0.744921859773347, 16.109072169866472, 1.0406982029961502},
		{[][]float64{{0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 1, 1, 0, 0, 1, 2, 3, 4, 3, 2}}, 1.65, 2.6056808688387636, 7.6755370310997115, 0.9504715810665221},
		{[][]float64{{0, 1, 3, 2, 4, 6, 5, 7, 7, 6, 8, 9, 8, 10, 12, 11, 12, 14, 13, 15, 15, 16, 14, 13}, {4, 4, 5, 5, 6, 7, 9, 8, 7, 6, 7, 8, 6, 5, 4, 4, 3, 2, 1, 1, 2, 3, 2, 1}}, 6.6875, 18.16295183237332, 2.64274223942199, 2.2},
		{[][]float64{{1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1}, {1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1}}, 0.0, 0.6160483210529383, 51.94397729273281, 0.9354143466934853},
		{[][]float64{{5, 1, 4, 4, 3, 0, 2, 6, 6, 7, 1, 2, 0, 1, 9, 9, 8, 9, 7, 5, 6, 4, 4, 5, 0, 1, 1, 0, 2, 2, 3, 7}}, 3.875, 1.8548717948717948, 17.25186618744816, 0.9701132362356938},
	} {
		d, err := ehmc.Diagnose(c.chains)
		if err != nil {
			t.Fatal(err)
		}
		for i, pair := range [4][2]float64{{d.Mean, c.mean}, {d.Tau, c.tau}, {d.EffectiveSize, c.size}, {d.RHat, c.hat}} {
			if math.Abs(pair[0]-pair[1]) > 1e-12*(1+math.Abs(pair[1])) {
				t.Errorf("%v: %+v, number %d is to be %v", c.chains, d, i, pair[1])
			}
		}
	}
}

// What is no chain, no law and no count is refused, by what is wrong with it.
func TestRefusalsSayWhy(t *testing.T) {
	half := []float64{.5, .5}
	law := q4()
	for _, c := range []struct {
		want string
		err  error
	}{
		{"chains too short", second(ehmc.Diagnose(nil))},
		{"chains too short", second(ehmc.Diagnose([][]float64{{1, 2, 3}}))},
		{"chain 1 has 5 steps, want 4", second(ehmc.Diagnose([][]float64{{1, 2, 3, 4}, {1, 2, 3, 4, 5}}))},
		{"3 counts for 2 states", second(ehmc.TotalVariation(half, []int{1, 2, 3}, .1))},
		{"alpha", second(ehmc.TotalVariation(half, []int{1, 2}, 1))},
		{"counts[1]", second(ehmc.TotalVariation(half, []int{1, -1}, .1))},
		{"counts[1]", second(ehmc.TotalVariation(half, []int{math.MaxInt, 1}, .1))},
		{"p[0]", second(ehmc.TotalVariation([]float64{-.5, 1.5}, []int{1, 1}, .1))},
		{"p[1]", second(ehmc.TotalVariation([]float64{.5, math.NaN()}, []int{1, 1}, .1))},
		{"p sums to 0.75", second(ehmc.TotalVariation([]float64{.5, .25}, []int{1, 1}, .1))},
		{"p sums to 1.00000001", second(ehmc.TotalVariation([]float64{.5, .50000001}, []int{1, 1}, .1))},
		{"no draws", second(ehmc.TotalVariation(half, []int{0, 0}, .1))},
		{"tv", second(ehmc.DeltaOf(evidence.Epsilon{}, -.1))},
		{"Π is empty", second(ehmc.NewDense(nil))},
		{"Π[0] has 2 entries, want 1", second(ehmc.NewDense([][]float64{{1, 2}}))},
		{"Π[0][0] = +Inf", second(ehmc.NewDense([][]float64{{math.Inf(1)}}))},
		{"Π[0][0] = -Inf", second(ehmc.NewDense([][]float64{{math.Inf(-1)}}))},
		{"Π[0][0] = NaN", second(ehmc.NewDense([][]float64{{math.NaN()}}))},
		{"Π[1][0] = 3 and Π[0][1] = 2", second(ehmc.NewDense([][]float64{{1, 2}, {3, 1}}))},
		{"3 bits, want 4", second(ehmc.Exponent(law, make([]bool, 3)))},
		{"turns", second(ehmc.NewGaussian(law, make([]bool, 4), ehmc.GaussianOptions{Turns: 0}, rand.NewPCG(1, 1)))},
		{"5 bits to start from, want 4", second(ehmc.NewGaussian(law, make([]bool, 5), ehmc.GaussianOptions{Turns: 1}, rand.NewPCG(1, 1)))},
		{"3 bits to start from, want 4", second(ehmc.NewGibbs(law, make([]bool, 3), rand.NewPCG(1, 1)))},
		{"time", second(ehmc.NewPublished(law, math.NaN(), rand.NewPCG(1, 1)))},
		{"time", second(ehmc.NewPublished(law, math.Inf(-1), rand.NewPCG(1, 1)))},
		{"a table of 21 bits", second(ehmc.Probabilities(endless(21)))},
		{"leave the range", second(ehmc.Probabilities(must.Be(ehmc.NewDense([][]float64{{1e308, 1e308}, {1e308, 1e308}}))))},
		{"33 bits has no number", second(ehmc.Index(make([]bool, 33)))},
		{"a cycle", second(ehmc.NewPerfect(context.Background(), must.Be(ehmc.NewDense([][]float64{{0, -1, -1}, {-1, 0, -1}, {-1, -1, 0}}))))},
	} {
		if !errors.Is(c.err, evidence.ErrParameter) || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%v, want %q", c.err, c.want)
		}
	}
	previous := memory.SetLimit(1 << 30)
	defer memory.SetLimit(previous)
	for what, err := range map[string]error{
		"a state":         second(ehmc.NewRandomState(endless(1<<50), rand.NewPCG(1, 1))),
		"perfect draws":   second(ehmc.NewPerfect(context.Background(), endless(1<<50))),
		"a printed state": second(ehmc.NewPublished(endless(1<<50), 1, rand.NewPCG(1, 1))),
	} {
		if !errors.Is(err, memory.Err) || !strings.Contains(err.Error(), "1125899906842624 bits") {
			t.Errorf("%s of 2⁵⁰ bits gives %v", what, err)
		}
	}
	all := make([]bool, 32)
	for k := range all {
		all[k] = true
	}
	if s, err := ehmc.Index(all); s != math.MaxUint32 || err != nil {
		t.Errorf("32 ones are number %d, %v", s, err)
	}
	if p, err := ehmc.TotalVariation(half, []int{1, 0}, .5); err != nil || p.Sampler.Lo != 0 || p.Sampler.Hi != 1 {
		t.Errorf("one draw: %+v, %v", p, err)
	}
	if p := must.Be(ehmc.Probabilities(must.Be(ehmc.NewDense([][]float64{{-1e308, 0}, {0, 800}})))); p[0] != 0 || p[2] != 1 {
		t.Errorf("a law of one state is %v", p)
	}
}

// endless is a law of so many bits that its states do not fit.
type endless int

func (e endless) Dim() int                       { return int(e) }
func (e endless) Diagonal(int) float64           { return 0 }
func (e endless) AddRow(int, float64, []float64) {}

// The exponent of a state counts every coupling twice and every bit once.
func TestExponentCountsPairsTwice(t *testing.T) {
	q := must.Be(ehmc.NewDense([][]float64{{1, 10, 100}, {10, 3, 1000}, {100, 1000, 5}}))
	for s, want := range []float64{0, 1, 3, 24, 5, 206, 2008, 2229} {
		if got := must.Be(ehmc.Exponent(q, []bool{s&1 > 0, s&2 > 0, s&4 > 0})); got != want {
			t.Errorf("state %03b has the exponent %v, want %v", s, got, want)
		}
	}
}
