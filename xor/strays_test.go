package xor

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"dpworkbench/ehmc"
	"dpworkbench/evidence"
	"dpworkbench/internal/looks"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
)

// Whatever sum is asked for of a context that has ended, the error is that: also where another part has been summed,
// a closed form needs no work, or weights are summed once more.
func TestNothingIsSummedAfterTheEnd(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // looks are counted
	ended := func() context.Context { return looks.After(t.Context(), 0) }
	twice := func() *Bernoulli { // two parts, and the second is as the first
		return must.Be(NewBernoulli([][]float64{{.1, .3, 0, 0}, {.3, .2, 0, 0}, {0, 0, .1, .3}, {0, 0, .3, .2}}, nil, 1))
	}
	whole := looks.After(t.Context(), math.MaxInt)
	must.Be(twice().solve(whole))
	columns := must.Be(NewUniform(3, 2, .5, .1))
	dense := ragged(rand.New(rand.NewPCG(2, 2)), 2, 2, .5)
	eps := must.Be(evidence.NewEpsilon("eps", .1))
	law := must.Be(dense.Under(FlipBits(1), LossOptions{}))
	must.Be(law.Delta(t.Context(), eps))
	fails := func(after int) *inversion {
		return &inversion{upTo: make(ehmc.Thresholds, 2), weights: func(_ context.Context, _ uint, visit func(long) bool) error {
			if after--; after < 0 {
				return context.Canceled
			}
			visit(longOne(200))
			return nil
		}}
	}
	for what, err := range map[string]error{
		"the loss of columns":        second(must.Be(columns.Under(FlipBits(1), LossOptions{})).Loss(ended())),
		"the smallest ε of columns":  second(must.Be(columns.Under(FlipBits(1), LossOptions{})).Epsilon(ended(), 0)),
		"the smallest ε of states":   second(must.Be(dense.Under(FlipBits(1), LossOptions{})).Epsilon(ended(), 0)),
		"the sums of columns":        second(columns.cols.solve(ended())),
		"the weights of a column":    must.Be(NewColumns(5000, 1, .1, 1e-6)).eachLong(ended(), 128, func(long) bool { return true }),
		"the δ of states":            third(law.visited.Load().delta(ended(), eps)),
		"a part like another":        second(twice().solve(looks.After(t.Context(), whole.Looks()-1))),
		"the parts of a law":         second(dense.components(ended())),
		"the first sum of a number":  third(fails(0).at(t.Context(), new(big.Int), 64)),
		"the second sum of a number": third(fails(1).at(t.Context(), new(big.Int), 64)),
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// Shapes that no law has are refused where a budget is divided, with the shape.
func TestBudgetsOfShapesBeyondAll(t *testing.T) {
	eps := must.Be(evidence.NewEpsilon("eps", 2))
	for _, shape := range [][2]int{{1 << 31, 1}, {1, 1 << 31}, {1 << 32, 1 << 32}} {
		u := Budget{shape[0], shape[1], eps, .5, 2}
		for what, err := range map[string]error{
			"allocated": second(Allocate(u)), "divided": second(Divide(u, 1, 1)),
			"optimised": second(OptimizeAlpha(t.Context(), AlphaProblem{N: u.N, P: u.P, Epsilon: eps, Sensitivity: 2, Privacy: ClaimedPrivacy})),
		} {
			if !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), "want at most 2³¹ − 1 either way") {
				t.Errorf("%v %s: %v", shape, what, err)
			}
		}
	}
}

// Where weights are known to no factor at all, ln(1 + a) still is at most ln a and what the parameters may move the whole by.
func TestLogOnePlusOfWhatIsNotKnown(t *testing.T) {
	for _, e := range []int64{-50, -3, 0, 1} {
		lo, hi := logOnePlus(wide{.5, e}, 1e-15, 800, 800)
		if most := math.Log1p(math.Ldexp(.5, int(e))) + 801; lo != 0 || !(hi >= math.Log(math.Ldexp(.5, int(e)))+800) || !(hi <= most) {
			t.Errorf("2^%d: [%v, %v], want at most %v", e-1, lo, hi, most)
		}
	}
}

// Losses are one where both their ends are: of one lower end, or of one upper end, they are two.
func TestLossesAreOneByBothEnds(t *testing.T) {
	third := interval.Rat(big.NewRat(1, 3))
	for _, other := range [][2]float64{{1, 2}, {1, 3}, {0, 2}} {
		atoms := []atom{{p: third, q: third, loss: interval.Between(1, 2)}, {p: third, q: third, loss: interval.Between(other[0], other[1]), tag: 1}}
		want := 2
		if other == [2]float64{1, 2} {
			want = 1
		}
		if got := len(lossesOf(atoms, lattice{}).Atoms()); got != want {
			t.Errorf("[1, 2] and %v are %d losses, want %d", other, got, want)
		}
	}
}
