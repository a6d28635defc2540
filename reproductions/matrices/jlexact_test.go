package matrices

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/ctxtest"
	"dpworkbench/internal/must"
	"dpworkbench/mvg"
	"dpworkbench/query"

	"gonum.org/v1/gonum/mat"
)

var errAsked = errors.New("the function fails")

// failing returns 1/w, and an error at its n-th call.
func failing(n int) func(w float64) (float64, error) {
	return func(w float64) (float64, error) {
		if n--; n == 0 {
			return 0, errAsked
		}
		return 1 / w, nil
	}
}

// solve finds w = 1/δ for the function 1/w from both sides, near and far. The value is at most δ and within 1e-4 of it.
func TestSolve(t *testing.T) {
	for _, start := range []float64{1e-12, 0.3, 1, 2.9, 3, 3.1, 7, 1e15, 1.0 / 3} {
		for _, delta := range []float64{1.0 / 3, 1e-9, 0.999, 7} {
			asked := 0
			w, err := solve(t.Context(), delta, start, func(w float64) (float64, error) { asked++; return 1 / w, nil })
			if err != nil || 1/w > delta || 1/w < delta*(1-1e-4) {
				t.Errorf("start %v, δ = %v: w = %v with value %v, error %v", start, delta, w, 1/w, err)
			}
			if asked > 45 {
				t.Errorf("start %v, δ = %v: %d evaluations", start, delta, asked)
			}
		}
	}
	// It stops at the first value that is close enough.
	var values []float64
	if _, err := solve(t.Context(), 1e-3, 1, func(w float64) (float64, error) { values = append(values, 1/w); return 1 / w, nil }); err != nil {
		t.Error(err)
	}
	for k, v := range values {
		if (v <= 1e-3 && v >= 1e-3*(1-1e-4)) != (k == len(values)-1) {
			t.Errorf("evaluation %d of %d has the value %v", k, len(values), v)
		}
	}
	// If the function jumps over δ, the result is the point just after the jump, to 1e-5.
	for _, start := range []float64{0.01, 1, 5, 300} {
		w, err := solve(t.Context(), 0.5, start, func(w float64) (float64, error) {
			if w < 5 {
				return 1, nil
			}
			return 0.25, nil
		})
		if err != nil || w < 5 || w > 5*(1+1e-5) {
			t.Errorf("start %v, jump at 5: %v, error %v", start, w, err)
		}
	}
	// The factor of the search is squared at each step: 2, 4, 16, …
	var asked []float64
	_, _ = solve(t.Context(), 1e-3, 1, func(w float64) (float64, error) { asked = append(asked, w); return 1 / w, nil })
	for k, want := range []float64{1, 2, 8, 128, 32768, 2048} { // 1·2·4·16·256, and then the geometric mean of 128 and 32768
		if k >= len(asked) || math.Abs(asked[k]/want-1) > 1e-12 {
			t.Errorf("evaluated at %v, want %v in turn", asked, want)
			break
		}
	}
	asked = nil
	_, _ = solve(t.Context(), 1e3, 1, func(w float64) (float64, error) { asked = append(asked, w); return 1 / w, nil })
	for k, want := range []float64{1, 1. / 2, 1. / 8, 1. / 128, 1. / 32768} {
		if k >= len(asked) || math.Abs(asked[k]/want-1) > 1e-12 {
			t.Errorf("evaluated at %v, want %v in turn", asked, want)
			break
		}
	}
	for start, f := range map[float64]float64{1: 1, 2: 0, 3e80: 1} { // the function never reaches δ
		if _, err := solve(t.Context(), 0.5, start, func(float64) (float64, error) { return f, nil }); !errors.Is(err, ErrUnreached) || err.Error() != "the requested privacy cannot be certified: delta = 0.5" {
			t.Errorf("start %v, constant %v: error %v", start, f, err)
		}
	}
	for n := 1; n <= 12; n++ {
		if w, err := solve(t.Context(), 1e-3, 1, failing(n)); !errors.Is(err, errAsked) || w != 0 {
			t.Errorf("failing at call %d: %v, %v", n, w, err)
		}
	}
	places := ctxtest.EachPoll(t, 2, func(ctx context.Context) error {
		w, err := solve(ctx, 1e-3, 1, failing(0))
		if err != nil && w != 0 {
			t.Errorf("%v is returned with an error", w)
		}
		return err
	})
	if places != 2 {
		t.Errorf("%d places poll, want 2", places)
	}
}

// leastParameter uses an approximate function. A proportional error is corrected. If the approximation does not help,
// it takes steps of 1 %.
func TestLeastParameter(t *testing.T) {
	exact := func(w float64) (float64, error) { return 1 / w, nil }
	for what, rough := range map[string]func(w float64) (float64, error){
		"half":  func(w float64) (float64, error) { return 0.5 / w, nil },
		"twice": func(w float64) (float64, error) { return 2 / w, nil },
		"equal": exact,
	} {
		asked := 0
		w, err := leastParameter(t.Context(), 1e-3, 1, rough, func(w float64) (float64, error) { asked++; return exact(w) })
		if err != nil || 1/w > 1e-3 || 1/w < 0.98e-3 || asked > 3 {
			t.Errorf("%s: %v with value %v after %d evaluations, error %v", what, w, 1/w, asked, err)
		}
	}
	// If the function jumps over δ, the result is after the jump.
	leap := func(w float64) (float64, error) {
		if w < 5 {
			return 2e-3, nil
		}
		return 0.5e-3, nil
	}
	w, err := leastParameter(t.Context(), 1e-3, 1, exact, leap)
	if err != nil || w < 5 {
		t.Errorf("a jump: %v, %v", w, err)
	}
	stuck := func(w float64) (float64, error) { // an approximation that is wrong above 1
		if w < 1 {
			return 1, nil
		}
		return 0, nil
	}
	w, err = leastParameter(t.Context(), 1.0/1.5, 0.5, stuck, exact)
	if err != nil || 1/w > 1/1.5 || w > 1.5*1.01 {
		t.Errorf("by steps: %v with value %v, error %v; want just above 1.5", w, 1/w, err)
	}
	calls := 0
	if w, err = leastParameter(t.Context(), 0.5, 0.5, stuck, func(w float64) (float64, error) { calls++; return exact(w) }); !errors.Is(err, ErrUnreached) || w != 0 || calls != 72 || err.Error() != "the requested privacy cannot be certified: delta = 0.5" {
		t.Errorf("out of steps: %v, %v after %d evaluations, want 8 + 64", w, err, calls) // 1.01^64 < 1.9
	}
	if w, err = leastParameter(t.Context(), 1e-3, 1, failing(3), exact); !errors.Is(err, errAsked) || w != 0 {
		t.Errorf("a failing approximation: %v, %v", w, err)
	}
	if w, err = leastParameter(t.Context(), 1e-3, 1, exact, failing(1)); !errors.Is(err, errAsked) || w != 0 {
		t.Errorf("a failing function: %v, %v", w, err)
	}
	if _, err = leastParameter(t.Context(), 0.5, 0.5, stuck, failing(12)); !errors.Is(err, errAsked) {
		t.Errorf("a function that fails during the steps: %v", err)
	}
	calls = 0 // an error stops the search, also at a value that is no solution
	once := func(float64) (float64, error) {
		if calls++; calls == 12 {
			return 1, errAsked
		}
		return 1, nil
	}
	if _, err = leastParameter(t.Context(), 0.5, 0.5, stuck, once); !errors.Is(err, errAsked) || calls != 12 {
		t.Errorf("a function that fails once during the steps: %v after %d evaluations", err, calls)
	}
}

// The largest η with bound δ is above ε, also if δ is near 1. The bound exceeds δ just above η.
func TestRangedParameter(t *testing.T) {
	for _, c := range [][2]float64{{0.5, 1e-3}, {0.5, 0.25}, {3, 1e-9}, {0.01, 0.9}, {0.25, 0.999999}, {20, 0.5}} {
		eps := epsilon(t, c[0])
		eta := must.For(rangedParameter(eps, evidencetest.Delta(c[1])))(t)
		bound := func(v float64) float64 { // (1 − e^{(ε−η)/2})²/(1 − e^{−η})
			root := math.Expm1((c[0] - v) / 2)
			return root * root / -math.Expm1(-v)
		}
		v := eta.Value()
		if d := bound(v); v <= c[0] || d > c[1]*(1+1e-13) || bound(v*(1+1e-9)+1e-12) <= c[1] {
			t.Errorf("ε = %v, δ = %v: η = %v with δ = %v", c[0], c[1], v, d)
		}
	}
}

// The δ of a loss range agrees with the formula to 30 digits, rounded up by one ulp. It is 0 if ε ≥ η.
func TestRangedDeltaRoundsUp(t *testing.T) {
	for _, c := range []struct {
		eta, eps float64
		want     string
	}{
		{1, 0.5, "0.0774046863156908115019785380841"},
		{3, 0.25, "0.587498497456077698223840777549"},
		{0.25, 0.125, "0.0165948912867480297244617331689"},
	} {
		curve := must.For(NewPPCA(epsilon(t, c.eta), 1, false))(t).Privacy()
		d := must.For(curve.Delta(t.Context(), epsilon(t, c.eps)))(t).(evidence.Certified)
		if d.Lo != 0 || d.Side != evidence.Up || d.Method != "upper bound by the range of the loss" || d.Source != rangedSource {
			t.Errorf("η = %v, ε = %v: %+v", c.eta, c.eps, d)
		}
		checkDecimal(t, "the bound", math.Nextafter(d.Hi, 0), d.Hi, c.want, 1)
	}
	for _, eps := range []float64{1, 1.5} {
		if lo, hi := rangedDelta(epsilon(t, 1).Enclosure(), epsilon(t, eps).Enclosure()).Bounds(); lo != 0 || hi != 0 {
			t.Errorf("η = 1 at ε = %v: [%v, %v]", eps, lo, hi)
		}
	}
}

// Each (ε, δ)-mechanism stops at each poll of its context and returns no result with the error.
func TestExactMechanismsStop(t *testing.T) {
	eps := epsilon(t, 1)
	gram := must.For(mvg.NewGram(2, 1, query.Replace, 1))(t)
	ctxtest.EachPoll(t, 2, func(ctx context.Context) error {
		l, err := TightLaplace(ctx, gram, eps, evidencetest.Delta(0.125))
		if err != nil && l != nil {
			t.Error("a mechanism is returned with an error")
		}
		return err
	})
	laplace := must.For(NewLaplace(box(t, 2, 1, 2), 3))(t)
	tall := must.For(NewLaplace(box(t, 2, slices.Repeat([]float64{1, 2}, 30)...), 100))(t) // more elements than the closed form accepts
	for what, do := range map[string]func(ctx context.Context) error{
		"a box": func(ctx context.Context) error {
			return second(TightLaplace(ctx, box(t, 2, 1, 2), eps, evidencetest.Delta(0.125)))
		},
		"δ of a box": func(ctx context.Context) error { return second(tall.Privacy().Delta(ctx, eps)) },
		"ε of a box": func(ctx context.Context) error {
			return second(laplace.Privacy().Epsilon(ctx, evidencetest.Delta(0.125)))
		},
		"a raised spectrum": func(ctx context.Context) error {
			return second(ExactJL(ctx, Raised, 2, 1, eps, evidencetest.Delta(0.25)))
		},
		"a threshold": func(ctx context.Context) error {
			return second(ExactJL(ctx, Threshold, 2, 1, eps, evidencetest.Delta(0.25)))
		},
		"ε of a spectrum": func(ctx context.Context) error {
			return second(JL{Form: Raised, Rows: 1, Width: 4, Move: 1}.Privacy().Epsilon(ctx, evidencetest.Delta(0.25)))
		},
	} {
		for _, n := range []int{0, 1, 2, 3, 5, 8} {
			if err := do(ctxtest.CancelAfter(t.Context(), n)); !errors.Is(err, context.Canceled) {
				t.Errorf("%s, cancelled after %d polls: %v", what, n, err)
			}
		}
	}
	ctxtest.EachPoll(t, 3, func(ctx context.Context) error {
		j, err := ExactJL(ctx, Raised, 1, 1, eps, evidencetest.Delta(0.25))
		if err != nil && j != (JL{}) {
			t.Errorf("%v is returned with an error", j)
		}
		return err
	})
	law := bingham(t, 100, 0)
	p := must.For(NewPPCA(epsilon(t, 4), 1, false))(t)
	x := mat.NewDense(2, 60, nil)
	for k := range 60 {
		x.Set(0, k, 1)
	}
	ctxtest.EachPoll(t, 1, func(ctx context.Context) error { _, err := law.LogConstant(ctx); return err })
	ctxtest.EachPoll(t, 1, func(ctx context.Context) error { _, err := law.Moment(ctx); return err })
	ctxtest.EachPoll(t, 1, func(ctx context.Context) error { _, err := law.Acceptance(ctx); return err })
	ctxtest.EachPoll(t, 2, func(ctx context.Context) error { _, err := p.Witness(ctx, 2, 60); return err })
	ctxtest.EachPoll(t, 1, func(ctx context.Context) error { _, err := p.Captured(ctx, x); return err })
	n := must.For(NewNet([]float64{1}, 2, 3, Max, eps))(t)
	ctxtest.EachPoll(t, 2, func(ctx context.Context) error { _, err := n.Mechanism(ctx); return err })
}
