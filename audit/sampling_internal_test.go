package audit

import (
	"context"
	"errors"
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

// The level of each event of the chooser is alpha divided by a number slightly above that of all events compared: half
// lines from both sides, single outputs and outputs with the largest ratios, in both directions.
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
