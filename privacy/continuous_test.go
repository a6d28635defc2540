package privacy_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/gaussian"
	"dpworkbench/internal/cases"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/privacy"
	"dpworkbench/query"
)

// normalPair returns unit Gaussian noise with means μ apart, given by its distribution functions and its loss μx − μ²/2
// at x.
func normalPair(mu float64) privacy.Continuous {
	at := func(mean float64) func(x float64) interval.Interval {
		return func(x float64) interval.Interval { return gaussian.Tail(interval.Float(mean).Sub(interval.Float(x))) }
	}
	return privacy.Continuous{P: at(mu), Q: at(0), From: -12, To: 12 + mu, Loss: privacy.Monotone(func(x float64) interval.Interval {
		m := interval.Float(mu)
		if math.IsInf(x, 0) {
			return interval.Float(x)
		}
		return m.Mul(interval.Float(x)).Sub(m.Mul(m).Quo(interval.Int(2)))
	})}
}

// accountOf returns the account of the given number of uses of c.
func accountOf(t testing.TB, c privacy.Continuous, uses int) *privacy.Account {
	t.Helper()
	return must.Be(privacy.New(must.Be(c.DominatingPairs(context.Background(), "own noise", "its functions"))).Compose(uses))
}

// For normal laws, answers enclose the closed form and are narrow, for one use and for a thousand.
func TestContinuousEnclosesNormalNoise(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	type use struct {
		mu    float64
		uses  int
		width float64
	}
	for _, c := range cases.Of([]use{{0.3, 2, 1e-5}}, []use{{1, 1, 2.5e-4}, {0.3, 7, 1e-5}}) {
		pair := normalPair(c.mu)
		pair.Cells = cases.Of(256, 0)
		own := must.Be(accountOf(t, pair, c.uses).Within(c.width * cases.Of(16, .25)))
		closed := must.Be(privacy.New(privacy.NormalPairs("normal", "", interval.Float(c.mu))).Compose(c.uses))
		for what, of := range map[string]func(a *privacy.Account) (evidence.Number, error){
			"ε at 1e-6": func(a *privacy.Account) (evidence.Number, error) { return a.Epsilon(ctx, evidencetest.Delta(1e-6)) },
			"δ at 1": func(a *privacy.Account) (evidence.Number, error) {
				return a.Delta(ctx, must.Be(evidence.NewEpsilon("eps", 1)))
			},
		} {
			lo, hi := must.Be(of(own)).Bounds()
			l, h := must.Be(of(closed)).Bounds()
			if lo > h || hi < l || hi-lo > c.width*cases.Of(512.0, 1)*hi {
				t.Errorf("μ = %v, %d uses: %s in [%v, %v], want [%v, %v]", c.mu, c.uses, what, lo, hi, l, h)
			}
		}
	}
}

// oneSided returns exponential noise of scale 1 shifted by 1/2. Its loss is −1/2, or infinite for outputs below 1/2.
func oneSided(cells int) privacy.Continuous {
	from := func(start float64) func(x float64) interval.Interval {
		return func(x float64) interval.Interval {
			return interval.Max(interval.Float(math.Min(start-x, 0)).Expm1().Neg(), interval.Int(0))
		}
	}
	return privacy.Continuous{P: from(0), Q: from(0.5), From: 0, To: 32, Cells: cells, Loss: func(a, b float64) interval.Interval {
		switch half := interval.Float(-0.5); {
		case b <= 0.5:
			return interval.Float(math.Inf(1))
		case a >= 0.5:
			return half
		default:
			return interval.Hull(half, interval.Float(math.Inf(1)))
		}
	}}
}

// Outputs outside [From, To] count as infinite losses in the upper pairs only. Lower ends must not count them.
func TestContinuousWithinTightEnds(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	pair := normalPair(1)
	pair.From, pair.To, pair.Cells = -3, 3, 200
	own := accountOf(t, pair, 3)
	closed := must.Be(privacy.New(privacy.NormalPairs("normal", "", interval.Float(1))).Compose(3))
	check := func(what string, at float64, of func(a *privacy.Account) (evidence.Number, error)) {
		lo, hi := must.Be(of(own)).Bounds()
		if l, h := must.Be(of(closed)).Bounds(); lo > h || hi < l || lo < l/2 {
			t.Errorf("%s(%v) in [%v, %v], want [%v, %v]", what, at, lo, hi, l, h)
		}
	}
	for _, at := range cases.Of([]float64{5, 7.6}, []float64{1, 5, 7.4, 7.6, 7.8}) { // the largest finite loss of a cell is 2.5
		check("δ", at, func(a *privacy.Account) (evidence.Number, error) {
			return a.Delta(ctx, must.Be(evidence.NewEpsilon("eps", at)))
		})
	}
	for _, at := range cases.Of([]float64{.1, 1e-3}, []float64{.1, 1e-2, 1e-3, 1e-4}) { // the upper pairs have the infinity mass .0188
		check("ε", at, func(a *privacy.Account) (evidence.Number, error) { return a.Epsilon(ctx, evidencetest.Delta(at)) })
	}
}

// Outputs that only one law can give have infinite losses, whether or not they end at a cell boundary.
func TestContinuousWithOneSidedOutputs(t *testing.T) {
	ctx := context.Background()
	infinityMass := 1 - math.Exp(-1.5)
	one := must.Be(evidence.NewEpsilon("eps", 1))
	for _, cells := range []int{7, 100, 1000} {
		lo, hi := must.Be(accountOf(t, oneSided(cells), 3).Delta(ctx, one)).Bounds()
		if lo > infinityMass || hi < infinityMass || cells == 1000 && hi-lo > 1e-6 {
			t.Errorf("%d cells: δ in [%v, %v], want %v", cells, lo, hi, infinityMass)
		}
	}
}

// Results narrow as the stated error of the float64 functions falls.
func TestContinuousWithErrors(t *testing.T) {
	ctx := context.Background()
	law := func(center float64) func(x float64) float64 {
		return func(x float64) float64 {
			if x < center {
				return math.Exp(x-center) / 2
			}
			return 1 - math.Exp(center-x)/2
		}
	}
	loss := privacy.Monotone(privacy.WithError(func(x float64) float64 { return math.Max(-1, math.Min(1, 2*x-1)) }, 1e-15)) // the loss is |x| − |x − 1|
	exact := 1 - math.Exp(-0.25)                                                                                            // δ at 1/2
	half := must.Be(evidence.NewEpsilon("eps", 0.5))
	last := 1.0
	for _, err := range []float64{1e-3, 1e-6, 1e-12} {
		c := privacy.Continuous{P: privacy.WithError(law(1), err), Q: privacy.WithError(law(0), err), Loss: loss, From: -20, To: 21, Cells: 512}
		lo, hi := must.Be(accountOf(t, c, 1).Delta(ctx, half)).Bounds()
		if lo > exact || hi < exact || hi-lo >= last && last < 1 {
			t.Errorf("stated error %g: δ in [%v, %v], want %v", err, lo, hi, exact)
		}
		last = hi - lo
	}
	if last > 1e-4 {
		t.Errorf("width %v at a stated error of 1e-12", last)
	}
}

// Functions known to float64 precision give narrow results. Neither direction gains infinite losses, with or without
// sampling. The results of a thousand uses are as narrow as the cells allow.
func TestContinuousOfRoundedFunctions(t *testing.T) {
	ctx := context.Background()
	c := normalPair(.05)
	c.From, c.To, c.Cells, c.Relation = -40, 40, 1024, query.AddRemove
	for _, f := range []*func(x float64) interval.Interval{&c.P, &c.Q} {
		exact := *f
		*f = func(x float64) interval.Interval {
			v := exact(x)
			return v.Add(interval.Min(v, interval.Int(1).Sub(v)).Mul(interval.Between(-1e-15, 1e-15)))
		}
	}
	f := must.Be(c.DominatingPairs(ctx, "own noise", "its functions"))
	drawn := must.Be(privacy.Subsample(ctx, privacy.New(f), big.NewRat(1, 10), privacy.Poisson))
	for _, of := range []*privacy.DominatingPairs{f, must.Be(drawn.Pairs(ctx))} {
		for i := range of.Size {
			if _, hi := must.Be(of.Pair(ctx, i)).InfinityMass().Enclosure.Bounds(); hi > 1e-70 {
				t.Errorf("%s: direction %d has an infinity mass of up to %g", of.Name, i, hi)
			}
		}
	}
	lo, hi := must.Be(must.Be(privacy.New(f).Compose(1000)).Epsilon(ctx, evidencetest.Delta(1e-6))).Bounds()
	const want = 8.30622504995
	if !(lo <= want && want <= hi && hi-lo < 2e-3*want) {
		t.Errorf("ε in [%v, %v], want %v", lo, hi, want)
	}
}

// The error for an invalid pair of laws names the fault.
func TestContinuousRefusals(t *testing.T) {
	ctx := context.Background()
	swapped, tooWide, nan := normalPair(1), normalPair(1), normalPair(1)
	swapped.P, swapped.Q = swapped.Q, swapped.P
	tooWide.P = privacy.WithError(func(float64) float64 { return 3 }, 0.5)
	nan.Loss = func(a, b float64) interval.Interval { return interval.Whole().Sub(interval.Whole()) }
	for want, c := range map[string]privacy.Continuous{
		"contradict a loss": swapped, "P(": tooWide, "one of the functions P, Q and Loss is nil": {From: 0, To: 1},
		"From = 1 and To = 0": {P: tooWide.P, Q: tooWide.Q, Loss: tooWide.Loss, From: 1}, "Cells = -1": {P: tooWide.P, Q: tooWide.Q, Loss: tooWide.Loss, To: 1, Cells: -1},
	} {
		if _, err := c.DominatingPairs(ctx, "own", ""); !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
	ended, end := context.WithCancel(ctx)
	end()
	if _, err := normalPair(1).DominatingPairs(ended, "own", ""); !errors.Is(err, context.Canceled) {
		t.Errorf("an ended context gives %v", err)
	}
}

// User-defined noise given by its distribution functions and its loss, used a thousand times. It is Gaussian noise
// with σ 20 times the sensitivity, but the accountant does not know that.
func ExampleContinuous() {
	ctx := context.Background()
	noise := normalPair(0.05)
	noise.Cells = 512
	pairs := must.Be(noise.DominatingPairs(ctx, "own noise", "its functions"))
	many := must.Be(privacy.New(pairs).Compose(1000))
	lo, hi := must.Be(many.Epsilon(ctx, evidencetest.Delta(1e-6))).Bounds()
	fmt.Printf("between %.4f and %.4f\n", lo, hi)
	// Output: between 8.3061 and 8.3063
}
