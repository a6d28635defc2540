package ehmc_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"dpworkbench/ehmc"
	"dpworkbench/evidence"
	"dpworkbench/internal/memory"
	"dpworkbench/internal/must"
)

// The error for an invalid chain, law or count names the fault.
func TestRefusalsNameTheReason(t *testing.T) {
	half := []float64{.5, .5}
	law := chainOfFour()
	for _, c := range []struct {
		want string
		err  error
	}{
		{"chains too short", second(ehmc.Diagnose(nil))},
		{"chains too short", second(ehmc.Diagnose([][]float64{{1, 2, 3}}))},
		{"chain 1 has 5 steps, want 4", second(ehmc.Diagnose([][]float64{{1, 2, 3, 4}, {1, 2, 3, 4, 5}}))},
		{"3 counts for 2 states, want one for each", second(ehmc.TotalVariation(half, []int{1, 2, 3}, .1))},
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
		{"overflow float64", second(ehmc.Probabilities(must.Be(ehmc.NewDense([][]float64{{1e308, 1e308}, {1e308, 1e308}}))))},
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
		"a state":                            second(ehmc.NewRandomState(endless(1<<50), rand.NewPCG(1, 1))),
		"perfect draws":                      second(ehmc.NewPerfect(context.Background(), endless(1<<50))),
		"a chain of the published algorithm": second(ehmc.NewPublished(endless(1<<50), 1, rand.NewPCG(1, 1))),
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
		t.Errorf("the index of 32 ones is %d, error %v", s, err)
	}
	if p, err := ehmc.TotalVariation(half, []int{1, 0}, .5); err != nil || p.Sampler.Lo != 0 || p.Sampler.Hi != 1 {
		t.Errorf("one draw: %+v, %v", p, err)
	}
	if p := must.Be(ehmc.Probabilities(must.Be(ehmc.NewDense([][]float64{{-1e308, 0}, {0, 800}})))); p[0] != 0 || p[2] != 1 {
		t.Errorf("a law with one possible state is %v", p)
	}
}

// endless is a law with so many bits that its states do not fit in memory.
type endless int

func (e endless) Dim() int { return int(e) }

func (e endless) Diagonal(int) float64 { return 0 }

func (e endless) AddRow(int, float64, []float64) {}

// Unsuitable arguments give an error or the documented result, never a panic.
func TestUnsuitableArguments(t *testing.T) {
	law := must.Be(ehmc.NewDense([][]float64{{1, .5}, {.5, 0}}))
	for what, err := range map[string]error{
		"the exponent of three bits": second(ehmc.Exponent(law, make([]bool, 3))),
		"the index of 33 bits":       second(ehmc.Index(make([]bool, 33))),
		"an infinite travel time":    second(ehmc.NewPublished(law, math.Inf(1), rand.NewPCG(1, 1))),
		"a distance above 1":         second(ehmc.DeltaOf(evidence.Epsilon{}, 1.5)),
		"a distance of NaN":          second(ehmc.DeltaOf(evidence.Epsilon{}, math.NaN())),
	} {
		if !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%s: %v", what, err)
		}
	}
	state := must.Be(ehmc.NewRandomState(law, rand.NewPCG(1, 1)))
	row := []float64{7}
	law.AddRow(0, 1, row)
	law.AddRow(2, 1, make([]float64, 2))
	if state.Logit(2) != 0 || state.Logit(-1) != 0 || law.Diagonal(2) != 0 || law.Diagonal(-1) != 0 || row[0] != 7 {
		t.Error("an index outside the law has a logit, a diagonal or a row")
	}
}

func second[T any](_ T, err error) error { return err }
