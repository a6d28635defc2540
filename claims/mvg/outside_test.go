package mvg

import (
	"context"
	"errors"
	"math"
	"testing"

	"dpworkbench/claims/check"
	"dpworkbench/claims/check/checktest"
	"dpworkbench/evidence"
	"dpworkbench/gaussian"
	"dpworkbench/internal/ctxtest"
	"dpworkbench/interval"
	"dpworkbench/mvg"
	"dpworkbench/reproductions/matrices"

	"gonum.org/v1/gonum/mat"
)

// If a mechanism rejects an instance, the statement returns an error and decides nothing.
func TestRejectedInstancesAreErrors(t *testing.T) {
	ctx := t.Context()
	for name, err := range map[string]error{
		"dimension 2":               checktest.Held(rankOne(ctx, 3, publishedVariance), rankOneCase{2, 1, 0.1}),
		"δ of 2":                    checktest.Held(rankOne(ctx, 3, publishedVariance), rankOneCase{3, 1, 2}),
		"noise of variance −1":      checktest.Held(rankOne(ctx, 3, func(rankOneCase) float64 { return -1 }), rankOneCase{3, 1, 0.1}),
		"no rows":                   checktest.Held(projection(matrices.Raised, 1), projectionCase{0, 1, 0.1}),
		"a δ of 1 for a projection": checktest.Held(projection(matrices.Raised, 1), projectionCase{3, 1, 1}),
		"no width":                  checktest.Held(projection(matrices.Raised, 0), projectionCase{3, 1, 0.1}),
		"a net beyond memory":       checktest.Held(netLoss(matrices.Max, 1), netCase{[]float64{1, 1, 1, 1, 1, 1, 1, 1}, 1, 9, 1}),
		"no levels":                 checktest.Held(netLoss(matrices.Max, 1), netCase{[]float64{1}, 1, 0, 1}),
		"s₂ of 3γ":                  checktest.Held(precisionBudget(mvg.Unimodal, mvg.Theorem2, theorem5), mvgCase{2, 2, 3, 1, 0.1}),
		"s₂ of 3γ for an algorithm": checktest.Held(allocates(mvg.Unimodal, mvg.Theorem2, inverseRoot), mvgCase{2, 2, 3, 1, 0.1}),
		"variances of −1":           checktest.Held(allocates(mvg.Unimodal, mvg.Theorem2, func(float64) float64 { return -1 }), mvgCase{2, 2, 1, 1, 0.1}),
		"directions at ε = 0":       checktest.Held(lessNoise(ctx, tightVariances), directionCase{set: "box", percent: []int{75, 25}, widths: []float64{1, 1}, delta: 1e-5}),
		"directions at δ = 2":       checktest.Held(lessNoise(ctx, tightVariances), directionCase{set: "box", percent: []int{75, 25}, widths: []float64{1, 1}, eps: 1, delta: 2}),
		"a box of no width":         checktest.Held(lessNoise(ctx, tightVariances), directionCase{set: boxSet, percent: []int{75, 25}, widths: []float64{0, 1}, eps: 1, delta: 1e-5}),
		"no budget":                 checktest.Held(relaxation(notAbove, squaredBudget), spectrumCase{[]int64{1, 2}, 0}),
		"no budget for squares":     checktest.Held(relaxation(notAbove, func(float64) float64 { return 0 }), spectrumCase{[]int64{1, 2}, 1}),
		"no budget for Problem 1":   checktest.Held(maximal(oneColumn), spectrumCase{[]int64{1, 2}, 0}),
		"signals of no variance":    checktest.Held(bestDesign(normalSignals, twoSignals.largestRatio), twoSignals{variance: [2]int64{-1, 1}, budget: 1}),
		"a record of norm 2":        checktest.Held(componentLoss(1), componentCase{[][2]int{{8, 0}}, [2]int{4, 0}, 1}),
		"a replacement of norm 2":   checktest.Held(componentLoss(1), componentCase{[][2]int{{4, 0}}, [2]int{8, 0}, 1}),
		"an allocation at δ = 1":    checktest.Held(allocates(mvg.Unimodal, mvg.Theorem2, inverseRoot), mvgCase{2, 2, 1, 1, 1}),
		"squares beyond int64":      checktest.Held(traceMagnitude(func(s []sigmaSpan) sigmaSpan { return addSpans(s) }), intMatrix{{1 << 32}}),
		"squares of A beyond int64": checktest.Held(traceBound(func(n int) int { return n }), matrixPair{intMatrix{{1 << 32}}, intMatrix{{1}}}),
		"squares of B beyond int64": checktest.Held(traceBound(func(n int) int { return n }), matrixPair{intMatrix{{1}}, intMatrix{{1 << 32}}}),
		"shares beyond 1":           check.Try(func() { check.Must(componentGap(ctx, check.BudgetOf(1), "Gaussian", 2, 1)) }),
		"experiments that are none": check.Try(func() { experimentNoise(ctx, "Experiment IV") }),
		"Theorem 3 for one mode":    check.Try(func() { publishedRun{mvg.Theorem3, mvg.Unimodal, 4, 4, 1, 1, 4}.noise(ctx, "") }),
		"an optimum that is not known": check.Try(func() {
			vouchedFor(&mvg.Waterfilling{Precisions: []float64{1, 2}, Value: evidence.Certified{Lo: 1, Hi: 1 + 2*informationError}})
		}),
	} {
		if err == nil {
			t.Errorf("%s: decided, want an error", name)
		}
	}
	if n := inverseNorm(mat.NewSymDense(2, []float64{4, 0, 0, 2})); math.Abs(n-math.Sqrt(1./16+1./4)) > 1e-15 {
		t.Errorf("‖σ(diag(4, 2)⁻¹)‖ = %v", n)
	}
}

// A number that equals its bound to the computed digits is undecided. The cases are the check of a privacy condition,
// of a tail bound, and of a true δ that is computed with two tolerances.
func TestEqualityIsUndecided(t *testing.T) {
	ctx := t.Context()
	exact := func(c mvgCase) interval.Interval {
		mu := interval.Float(check.Must(gaussian.FastMu(check.BudgetOf(c.eps), check.DeltaOf(c.delta))))
		return mu.Quo(interval.Float(c.s2)).Pow(2)
	}
	if _, err := sufficient(mvg.Theorem2, exact)(ctx, check.Run{}); err == nil {
		t.Error("a bound equal to μ² is decided")
	}
	if _, err := tailBound(func(chiCase) interval.Interval { return interval.Between(1e-9, 1e9) })(ctx, check.Run{}); err == nil {
		t.Error("a bound in a wide interval is decided")
	}
	const v = 1.0
	point := rankOneCase{3, 1, 0}
	lo, hi := point.realDelta(ctx, v, 0.25).Bounds()
	same := rankOne(ctx, 3, func(rankOneCase) float64 { return v })
	lo, hi = point.realDelta(ctx, v, (hi-lo)/100).Bounds()
	for delta, open := range map[float64]bool{hi: false, (lo + hi) / 2: true} {
		point.delta = delta
		if holds, err := checktest.Holds(same, point); holds == open || (err != nil) != open {
			t.Errorf("δ = %v, true δ in [%v, %v]: %v, %v", delta, lo, hi, holds, err)
		}
	}
}

// A statement holds if every value of an enclosure satisfies it. It is refuted only if no value does.
func TestWideEnclosures(t *testing.T) {
	narrow := interval.Int(1)
	for name, by := range map[string]interval.Interval{"below": interval.Between(0.9, 1), "above": interval.Between(1, 1.1), "on both sides": interval.Between(0.9, 1.1), "nowhere": narrow} {
		want := by.CmpLo(narrow) == 0 && by.CmpHi(narrow) == 0
		budget := precisionBudget(mvg.Unimodal, mvg.Theorem2, func(phi interval.Interval, n int) interval.Interval { return theorem5(phi, n).Mul(by) })
		if got, err := checktest.Holds(budget, mvgCase{2, 2, 1, 1, 0.1}); got != want || err != nil {
			t.Errorf("a budget widened %s: %v, %v, want %v", name, got, err, want)
		}
		root := largestRoot(func(c rootCase) interval.Interval { return positiveRoot(c).Mul(by) })
		if got, err := checktest.Holds(root, rootCase{1, 2, 3}); got != want || err != nil {
			t.Errorf("a root widened %s: %v, %v, want %v", name, got, err, want)
		}
	}
	// With twenty records the enclosure of the loss is wider than the rounding error of share. The statement must not
	// hold for a share between the ends.
	c := componentCase{[][2]int{{2, 3}}, [2]int{0, 4}, 1}
	for range 19 {
		c.x = append(c.x, [2]int{4, 0})
	}
	lo, hi := componentLoss(1).Measure(c)[0].Number.Bounds()
	if !(lo < hi*(1-1e-13)) {
		t.Fatalf("the ends of the largest loss [%v, %v] are too close for the test", lo, hi)
	}
	for share, want := range map[float64]bool{lo * (1 - 1e-13): false, (lo + hi) / 2: false, hi * (1 + 1e-13): true} {
		if got, err := checktest.Holds(componentLoss(share/(1+1e-9)), c); got != want || err != nil {
			t.Errorf("loss in [%v, %v] is at most %v: %v, %v", lo, hi, share, got, err)
		}
	}
	// Each singular value is enclosed to within 1e-9 of 1 + σ₁. A trace that equals the product of two such values must
	// not be refuted.
	for _, c := range []matrixPair{{intMatrix{{1000000}}, intMatrix{{1}}}, {intMatrix{{1}}, intMatrix{{1000000}}}} {
		if got, err := checktest.Holds(traceBound(func(r int) int { return r }), c); !got || err != nil {
			t.Errorf("tr(ABᵀ) = σ(A)σ(B) of %v: %v, %v", c, got, err)
		}
	}
	if p := vouchedFor(&mvg.Waterfilling{Precisions: []float64{1, 2}, Value: evidence.Certified{Lo: 1, Hi: 1 + informationError/2}}); p != [2]float64{1, 2} {
		t.Errorf("a certified optimum: %v", p)
	}
}

// A ranking is confirmed if the gap may be zero or less at one share τ. It is refuted if every gap is above 0.
func TestGapsOfShares(t *testing.T) {
	across, above, below := evidence.Estimated{Lo: -1, Hi: 1}, evidence.Estimated{Lo: 1, Hi: 2}, evidence.Estimated{Lo: -2, Hi: -1}
	for _, c := range []struct {
		first, rest evidence.Estimated
		want        evidence.Verdict
	}{{across, above, evidence.Confirmed}, {below, above, evidence.Confirmed}, {above, across, evidence.Confirmed}, {above, above, evidence.Refuted}} {
		out, err := noisyComponent(func(_ context.Context, _ evidence.Epsilon, _ string, tau float64, _ uint64) (evidence.Estimated, error) {
			if tau == shareGrid[0] {
				return c.first, nil
			}
			return c.rest, nil
		})(t.Context(), check.Run{})
		if err != nil || out.Verdict != c.want {
			t.Errorf("%v at the first share and %v at others: %v, %v, want %v", c.first, c.rest, out.Verdict, err, c.want)
		}
	}
}

// Every function returns context.Canceled if its context is cancelled at its first poll or halfway.
func TestEvidenceStops(t *testing.T) {
	for name, of := range map[string]func(ctx context.Context) error{
		"noise of an experiment": func(ctx context.Context) error { return check.Try(func() { experimentNoise(ctx, "II") }) },
		"a component's gap": func(ctx context.Context) error {
			return check.Try(func() { check.Must(componentGap(ctx, check.BudgetOf(1), "Laplace", 0.75, 1)) })
		},
		"the real δ": func(ctx context.Context) error {
			return checktest.Held(rankOne(ctx, 3, publishedVariance), rankOneCase{3, 1, 0.1})
		},
		"the real δ, once more": func(ctx context.Context) error {
			point := rankOneCase{3, 1, 0}
			lo, hi := point.realDelta(t.Context(), 1, 0.25).Bounds()
			point.delta = lo + (hi-lo)/8
			return checktest.Held(rankOne(ctx, 3, func(rankOneCase) float64 { return 1 }), point)
		},
		"the real δ in dimension 3": func(ctx context.Context) error {
			_, err := smallRankOne(publishedVariance)(ctx, check.Run{})
			return err
		},
	} {
		full := ctxtest.CancelAfter(t.Context(), math.MaxInt)
		if err := of(full); err != nil || full.Polls() == 0 {
			t.Errorf("%s: %d polls, %v", name, full.Polls(), err)
		}
		for _, n := range []int{0, full.Polls() / 2} {
			if err := of(ctxtest.CancelAfter(t.Context(), n)); !errors.Is(err, context.Canceled) {
				t.Errorf("%s, cancelled at poll %d of %d: %v", name, n+1, full.Polls(), err)
			}
		}
	}
}

// If only the L2 sensitivity is known, or a record is added to a Gram matrix, no precisions give a direction less noise
// than uniform ones, since the largest precision decides. For a box some precisions do.
func TestDirectionsOfEverySet(t *testing.T) {
	for set, want := range map[sensitivitySet]bool{ballSet: false, gramSet: false, boxSet: true} {
		s := lessNoise(t.Context(), tightVariances, set)
		for c := range s.Each {
			if got, err := checktest.Holds(s, c); got != want || err != nil {
				t.Errorf("%+v: %v, %v, want %v", c, got, err, want)
			}
		}
	}
}
