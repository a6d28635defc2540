package matrices

import (
	"context"
	"errors"
	"math"
	"testing"

	"dpworkbench/internal/ctxtest"
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

// For the function 1/w, solve finds w = 1/δ from starts below and above it, near and far. The value is at most δ and
// within 1e-4 of it.
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
	// solve stops at the first value that is close enough.
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

// leastParameter finds the solution although the approximate function is wrong by a factor. If the approximation does
// not help, the search takes steps of 1 %.
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
	calls = 0 // an error stops the search, also if it comes at the solution
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
