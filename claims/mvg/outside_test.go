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
	"dpworkbench/internal/looks"
	"dpworkbench/interval"
	"dpworkbench/mvg"
	"dpworkbench/reproductions/matrices"

	"gonum.org/v1/gonum/mat"
)

// A rule that has no answer ends the check with its error, wherever it is asked: at once, or the
// second time, to compare.
func TestRulesWithoutAnswer(t *testing.T) {
	ctx := t.Context()
	none := func(rankOneCase) (float64, error) { return 0, checktest.ErrNoAnswer }
	weights := func(err ...error) func(context.Context, directionCase, []float64) ([]float64, error) {
		asked := 0
		return func(context.Context, directionCase, []float64) ([]float64, error) {
			if asked++; err[asked-1] != nil {
				return nil, err[asked-1]
			}
			return []float64{1}, nil
		}
	}
	direction := directionCase{set: "box", percent: []int{75, 25}, widths: []float64{1, 1}, eps: 1, delta: 1e-5}
	point := rankOneCase{3, 1, 0.3}
	for name, err := range map[string]error{
		"a variance":           checktest.Held(rankOne(ctx, 3, none), point),
		"the first variances":  checktest.Held(lessNoise(ctx, weights(checktest.ErrNoAnswer, nil), "box"), direction),
		"the second variances": checktest.Held(lessNoise(ctx, weights(nil, checktest.ErrNoAnswer), "box"), direction),
		"a solution":           checktest.Held(maximal(func([]float64, float64) ([]float64, error) { return nil, checktest.ErrNoAnswer }), spectrumCase{[]int64{1, 2}, 1}),
		"a design":             checktest.Held(bestDesign(normalSignals, func(twoSignals) ([2]float64, error) { return [2]float64{}, checktest.ErrNoAnswer }), twoSignals{variance: [2]int64{1, 4}, budget: 1}),
		"a variance in dimension 3": func() error {
			_, err := smallRankOne(none)(ctx, check.Run{})
			return err
		}(),
		"a bound": func() error {
			_, err := sufficient(mvg.Theorem2, func(mvgCase) (interval.Interval, error) { return interval.Interval{}, checktest.ErrNoAnswer })(ctx, check.Run{})
			return err
		}(),
	} {
		if !errors.Is(err, checktest.ErrNoAnswer) {
			t.Errorf("%s without an answer: %v", name, err)
		}
	}
	if rankOne(ctx, 3, none).Measure(point) != nil {
		t.Error("evidence where there is no variance")
	}
}

// An instance that a statement's mechanisms refuse is refused by the statement, not decided.
func TestInstancesOutside(t *testing.T) {
	ctx := t.Context()
	for name, err := range map[string]error{
		"dimension 2":               checktest.Held(rankOne(ctx, 3, publishedVariance), rankOneCase{2, 1, 0.1}),
		"δ of 2":                    checktest.Held(rankOne(ctx, 3, publishedVariance), rankOneCase{3, 1, 2}),
		"noise of variance −1":      checktest.Held(rankOne(ctx, 3, func(rankOneCase) (float64, error) { return -1, nil }), rankOneCase{3, 1, 0.1}),
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
		"shares beyond 1":           func() error { _, err := componentGap(ctx, check.BudgetOf(1), "Gaussian", 2, 1); return err }(),
		"experiments that are none": func() error { _, err := experimentNoise(ctx, "Experiment IV"); return err }(),
		"Theorem 3 for one mode": func() error {
			_, err := publishedRun{mvg.Theorem3, mvg.Unimodal, 4, 4, 1, 1, 4}.noise(ctx, "")
			return err
		}(),
		"a gap between means": func() error {
			_, err := noisyComponent(func(context.Context, evidence.Epsilon, string, float64, uint64) (evidence.Estimated, error) {
				return evidence.Estimated{}, checktest.ErrNoAnswer
			})(ctx, check.Run{})
			return err
		}(),
		"an optimum that is not known": func() error {
			_, err := vouchedFor(&mvg.Waterfilling{Precisions: []float64{1, 2}, Value: evidence.Certified{Lo: 1, Hi: 1 + 2*informationError}})
			return err
		}(),
	} {
		if err == nil {
			t.Errorf("%s: decided", name)
		}
	}
	if n := inverseNorm(mat.NewSymDense(2, []float64{4, 0, 0, 2})); math.Abs(n-math.Sqrt(1./16+1./4)) > 1e-15 {
		t.Errorf("‖σ(diag(4, 2)⁻¹)‖ = %v", n)
	}
}

// Where there is no evidence and no script of an instance, none is made up.
func TestNothingOfInstancesOutside(t *testing.T) {
	if w := projection(matrices.Raised, 0).Witness(projectionCase{3, 1, 0.1}); w != nil {
		t.Errorf("a witness of no projection: %v", w)
	}
	if items := componentLoss(1).Measure(componentCase{[][2]int{{8, 0}}, [2]int{4, 0}, 1}); items != nil {
		t.Errorf("evidence of no law: %v", items)
	}
	if items, err := (twoSignals{variance: [2]int64{-1, 1}, budget: 1}).items(""); err == nil || items != nil {
		t.Errorf("evidence of no design: %v, %v", items, err)
	}
}

// What is as large as the bound, to the digits at hand, is not decided: neither by a check of a
// condition, nor by one of a tail, nor by the real δ of a variance, which is asked for twice.
func TestOpenComparisons(t *testing.T) {
	ctx := t.Context()
	exact := func(c mvgCase) (interval.Interval, error) {
		mu := interval.Float(check.Must(gaussian.FastMu(check.BudgetOf(c.eps), c.delta)))
		return mu.Quo(interval.Float(c.s2)).Pow(2), nil
	}
	if _, err := sufficient(mvg.Theorem2, exact)(ctx, check.Run{}); err == nil {
		t.Error("a bound that is μ² itself is decided")
	}
	if _, err := tailBound(func(chiCase) interval.Interval { return interval.Between(1e-9, 1e9) })(ctx, check.Run{}); err == nil {
		t.Error("a bound anywhere is decided")
	}
	const v = 1.0
	point := rankOneCase{3, 1, 0}
	lo, hi := check.Must(point.realDelta(ctx, v, 0.25)).Bounds()
	asked := 0
	point.delta = (lo + hi) / 2
	second := rankOne(ctx, 3, func(rankOneCase) (float64, error) {
		if asked++; asked == 2 {
			return 0, checktest.ErrNoAnswer
		}
		return v, nil
	})
	if err := checktest.Held(second, point); !errors.Is(err, checktest.ErrNoAnswer) {
		t.Errorf("the variance asked for again: %v", err)
	}
	same := rankOne(ctx, 3, func(rankOneCase) (float64, error) { return v, nil })
	lo, hi = check.Must(point.realDelta(ctx, v, (hi-lo)/100)).Bounds()
	for delta, open := range map[float64]bool{hi: false, (lo + hi) / 2: true} {
		point.delta = delta
		if holds, err := same.Holds(point); holds == open || (err != nil) != open {
			t.Errorf("δ = %v, really in [%v, %v]: %v, %v", delta, lo, hi, holds, err)
		}
	}
}

// Of what is enclosed every value has to do: a statement holds by the end that is against it, whichever
// side is wide, and by the other end nothing is refuted.
func TestWideEnclosures(t *testing.T) {
	narrow := interval.Int(1)
	for name, by := range map[string]interval.Interval{"below": interval.Between(0.9, 1), "above": interval.Between(1, 1.1), "on both sides": interval.Between(0.9, 1.1), "nowhere": narrow} {
		want := by.CmpLo(narrow) == 0 && by.CmpHi(narrow) == 0
		budget := precisionBudget(mvg.Unimodal, mvg.Theorem2, func(phi interval.Interval, n int) interval.Interval { return theorem5(phi, n).Mul(by) })
		if got, err := budget.Holds(mvgCase{2, 2, 1, 1, 0.1}); got != want || err != nil {
			t.Errorf("a budget that is wide %s: %v, %v, want %v", name, got, err, want)
		}
		root := largestRoot(func(c rootCase) interval.Interval { return positiveRoot(c).Mul(by) })
		if got, err := root.Holds(rootCase{1, 2, 3}); got != want || err != nil {
			t.Errorf("a root that is wide %s: %v, %v, want %v", name, got, err, want)
		}
	}
	for _, c := range []struct {
		lo, hi   float64
		is, open bool
	}{{1, 2, true, false}, {0, 1, true, false}, {0, 0, true, false}, {-1, 1, false, true}, {-1, 0, false, true}, {-2, -1, false, false}} {
		if is, err := atLeastZero(interval.Between(c.lo, c.hi)); is != c.is || (err != nil) != c.open {
			t.Errorf("[%v, %v] is at least 0: %v, %v", c.lo, c.hi, is, err)
		}
	}
	// Twenty records: a loss whose ends are more than the rounding of a share apart, which a share between them does not bound.
	c := componentCase{[][2]int{{2, 3}}, [2]int{0, 4}, 1}
	for range 19 {
		c.x = append(c.x, [2]int{4, 0})
	}
	lo, hi := componentLoss(1).Measure(c)[0].Number.Bounds()
	if !(lo < hi*(1-1e-13)) {
		t.Fatalf("the largest loss in [%v, %v], which tells no ends apart", lo, hi)
	}
	for share, want := range map[float64]bool{lo * (1 - 1e-13): false, (lo + hi) / 2: false, hi * (1 + 1e-13): true} {
		if got, err := componentLoss(share / (1 + 1e-9)).Holds(c); got != want || err != nil {
			t.Errorf("a loss in [%v, %v] is at most %v: %v, %v", lo, hi, share, got, err)
		}
	}
	// Both singular values are known to 1e-9 of 1 + σ₁, of which each may be on its upper side.
	for _, c := range []matrixPair{{intMatrix{{1000000}}, intMatrix{{1}}}, {intMatrix{{1}}, intMatrix{{1000000}}}} {
		if got, err := traceBound(func(r int) int { return r }).Holds(c); !got || err != nil {
			t.Errorf("tr(ABᵀ) = σ(A)σ(B) of %v: %v, %v", c, got, err)
		}
	}
	if p, err := vouchedFor(&mvg.Waterfilling{Precisions: []float64{1, 2}, Value: evidence.Certified{Lo: 1, Hi: 1 + informationError/2}}); p != [2]float64{1, 2} || err != nil {
		t.Errorf("an optimum that is known: %v, %v", p, err)
	}
}

// One share τ whose gap may be nothing is enough for a ranking to stand; it falls where every gap lies above 0.
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

// What looks at its context is ended by it at every look, and gives nothing then.
func TestEndedEvidence(t *testing.T) {
	for name, of := range map[string]func(ctx context.Context) (bool, error){
		"noise of an experiment": func(ctx context.Context) (bool, error) {
			items, err := experimentNoise(ctx, "II")
			return items == nil, err
		},
		"a component's gap": func(ctx context.Context) (bool, error) {
			gap, err := componentGap(ctx, check.BudgetOf(1), "Laplace", 0.75, 1)
			return gap == evidence.Estimated{}, err
		},
		"the real δ": func(ctx context.Context) (bool, error) {
			_, err := rankOne(ctx, 3, publishedVariance).Holds(rankOneCase{3, 1, 0.1})
			return true, err
		},
		"the real δ, once more": func(ctx context.Context) (bool, error) {
			point := rankOneCase{3, 1, 0}
			lo, hi := check.Must(point.realDelta(t.Context(), 1, 0.25)).Bounds()
			point.delta = lo + (hi-lo)/8
			_, err := rankOne(ctx, 3, func(rankOneCase) (float64, error) { return 1, nil }).Holds(point)
			return true, err
		},
		"the real δ in dimension 3": func(ctx context.Context) (bool, error) {
			_, err := smallRankOne(publishedVariance)(ctx, check.Run{})
			return true, err
		},
	} {
		full := looks.After(t.Context(), math.MaxInt)
		if _, err := of(full); err != nil || full.Looks() == 0 {
			t.Errorf("%s: %d looks, %v", name, full.Looks(), err)
		}
		for _, n := range []int{0, full.Looks() / 2} {
			if none, err := of(looks.After(t.Context(), n)); !none || !errors.Is(err, context.Canceled) {
				t.Errorf("%s, ended at look %d of %d: %v", name, n+1, full.Looks(), err)
			}
		}
	}
}

// Where the L2 sensitivity alone is known, or a record is added to a Gram matrix, no precisions bring a direction
// less noise than uniform ones: the largest decides. Within a box they do.
func TestDirectionsOfEverySet(t *testing.T) {
	for set, want := range map[sensitivitySet]bool{ballSet: false, gramSet: false, boxSet: true} {
		s := lessNoise(t.Context(), tightVariances, set)
		for c := range s.Each {
			if got, err := s.Holds(c); got != want || err != nil {
				t.Errorf("%+v: %v, %v, want %v", c, got, err, want)
			}
		}
	}
}
