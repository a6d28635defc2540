package privacy_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/privacy"

	"pgregory.net/rapid"
)

// below is the largest float64 that is at most 1/10.
var below = math.Nextafter(0.1, 0)

// band is a profile that exceeds δ = 0.1 for ε below from, is at most δ for ε ≥ to, and is not known to do either
// between them. It counts its evaluations.
type band struct {
	from, to float64
	asked    map[float64]int
	calls    int
	each     func(call int) error
}

func (b *band) at(_ context.Context, eps evidence.Epsilon) (evidence.Number, error) {
	if b.asked == nil {
		b.asked = map[float64]int{}
	}
	v := eps.Value()
	b.asked[v]++
	b.calls++
	if b.each != nil {
		if err := b.each(b.calls); err != nil {
			return nil, err
		}
	}
	switch {
	case v < b.from:
		return evidence.Certified{Lo: 0.1, Hi: 1, Side: evidence.Up}, nil
	case v < b.to:
		return evidence.Certified{Lo: below, Hi: 0.2, Side: evidence.Up}, nil
	}
	return evidence.Certified{Lo: 0, Hi: below, Side: evidence.Up}, nil
}

func (b *band) inversion(pure, width float64) privacy.Inversion {
	in := privacy.Inversion{Delta: evidencetest.Delta(0.1), Pure: evidence.FromFloat(pure), Width: width, Source: "a band", At: b.at}
	if math.IsInf(pure, 1) {
		in.Pure = nil // as unknown
	}
	return in
}

// The answer contains the interval where the profile is not known to be above or below δ, and is wider by at most
// width. No ε is evaluated twice.
func TestEpsilonAtOfUncertainProfile(t *testing.T) {
	check := func(t rapid.TB, from, to, pure, width float64) {
		b := &band{from: from, to: to}
		got, err := privacy.EpsilonAt(context.Background(), b.inversion(pure, width))
		top := min(to, pure)
		slack := width*(1+top)*(1+1e-9) + 4e-16*top
		if err != nil || !(got.Lo <= from && got.Hi >= top && got.Hi <= pure) || from-got.Lo > width*(1+from)*(1+1e-9)+4e-16*from || got.Hi-top > slack {
			t.Errorf("unknown from %g to %g: ε in [%v, %v], %v", from, to, got.Lo, got.Hi, err)
		}
		if got.Side != evidence.Up || got.Source != "a band" || got.Method == "" {
			t.Errorf("%+v is not rounded up, or lacks its source", got)
		}
		for eps, times := range b.asked {
			if times > 1 {
				t.Errorf("unknown from %g to %g: evaluated %d times at ε = %g", from, to, times, eps)
			}
		}
	}
	inf := math.Inf(1)
	for _, c := range []struct{ from, to, pure, width float64 }{
		{0, 0, inf, 1e-9}, {0, 0, 5, 1e-9}, {0, 5, inf, 1e-9}, {0, 5, 7, 1e-9}, {3, 5, inf, 1e-9}, {3, 5, 4, 1e-9},
		{3, 3, inf, 0}, {0.3, 0.4, 1, 0}, {1e-3, 1e-3, 1, 1e-12}, {1, 1, inf, 1e-9}, {1e299, 1e299, inf, 1e-9},
		{3, inf, 1e300, 1e-9}, {3, 5, 1e300, 1e-9}, {3, 5, 2e300, 1e-9}, {0, inf, 0, 1e-9},
	} {
		check(t, c.from, c.to, c.pure, c.width)
	}
	rapid.Check(t, func(t *rapid.T) {
		from := math.Pow(10, rapid.Float64Range(-12, 12).Draw(t, "log from"))
		to := from * (1 + math.Pow(10, rapid.Float64Range(-15, 3).Draw(t, "log band")))
		pure := rapid.SampledFrom([]float64{inf, 1e300, 2 * to, (from + to) / 2}).Draw(t, "pure")
		check(t, from, to, pure, rapid.SampledFrom([]float64{0, 1e-12, 1e-3}).Draw(t, "width"))
	})
}

// If an evaluation fails or its context ends, the search returns that error and evaluates nothing more.
func TestEpsilonAtStops(t *testing.T) {
	stop := errors.New("stop")
	for _, c := range []struct{ from, to, pure float64 }{
		{3, 5, math.Inf(1)}, {3, 5, 10}, {0, 5, 10}, {0, 0, math.Inf(1)}, {math.Inf(1), math.Inf(1), math.Inf(1)}, {3, math.Inf(1), math.Inf(1)},
	} {
		whole := &band{from: c.from, to: c.to}
		must.For(privacy.EpsilonAt(t.Context(), whole.inversion(c.pure, 1e-3)))(t)
		for n := 1; n <= whole.calls; n++ {
			failing := &band{from: c.from, to: c.to, each: func(call int) error {
				if call == n {
					return stop
				}
				return nil
			}}
			got, err := privacy.EpsilonAt(t.Context(), failing.inversion(c.pure, 1e-3))
			if !errors.Is(err, stop) || got != (evidence.Certified{}) || failing.calls != n {
				t.Errorf("%v: evaluation %d fails: %v, %v after %d evaluations", c, n, got, err, failing.calls)
			}
			if n == whole.calls {
				continue // the search ends before that evaluation
			}
			ctx, cancel := context.WithCancel(t.Context())
			ended := &band{from: c.from, to: c.to, each: func(call int) error {
				if call == n {
					cancel()
				}
				return nil
			}}
			if _, err := privacy.EpsilonAt(ctx, ended.inversion(c.pure, 1e-3)); !errors.Is(err, context.Canceled) || ended.calls != n {
				t.Errorf("%v: context ended at evaluation %d: %v after %d evaluations", c, n, err, ended.calls)
			}
		}
	}
}

// pure returns a Pure function that returns n.
func pure(n evidence.Number) func(context.Context) (evidence.Number, error) {
	return func(context.Context) (evidence.Number, error) { return n, nil }
}

// A profile computes δ(ε) from At or bounds it by the smallest ε. It computes the smallest ε from Pure or by inverting
// δ(ε).
func TestProfile(t *testing.T) {
	ctx := t.Context()
	two := evidence.Certified{Lo: 2, Hi: 2, Side: evidence.Up, Provenance: evidence.From("two")}
	halving := profile(func(eps float64) float64 { return math.Exp2(-eps) / 2 }, 0)
	known := privacy.ProfileFunc{Pure: pure(two), At: halving, Source: "halving"}
	alone := privacy.ProfileFunc{Pure: pure(two), Source: "randomized response"}
	for _, c := range []struct {
		p          privacy.ProfileFunc
		eps, delta float64
	}{
		{known, 0, 0.5}, {known, 1, 0.25},
		{alone, 0, math.Tanh(1)}, {alone, 1, (math.Exp(2) - math.E) / (math.Exp(2) + 1)}, {alone, 2, 0}, {alone, 3, 0},
	} {
		d := must.For(c.p.Delta(ctx, evidencetest.Epsilon(c.eps)))(t)
		if _, hi := d.Bounds(); !(hi >= c.delta*(1-1e-15) && hi <= c.delta*(1+1e-14)+1e-300) {
			t.Errorf("%s: δ(%g) = %v, want %g", c.p.Source, c.eps, d, c.delta)
		}
		if c.eps >= 2 {
			continue
		}
		e := must.For(c.p.Epsilon(ctx, evidencetest.Delta(c.delta)))(t)
		if _, hi := e.Bounds(); math.Abs(hi-c.eps) > 4e-12 {
			t.Errorf("%s: ε(%g) = %v, want %g", c.p.Source, c.delta, e, c.eps)
		}
		if got, ok := e.(evidence.Certified); !ok || got.Source != c.p.Source || got.Side != evidence.Up {
			t.Errorf("%s: ε(%g) = %#v", c.p.Source, c.delta, e)
		}
	}
	if e, err := known.Epsilon(ctx, evidence.Delta{}); err != nil || e != evidence.Number(two) {
		t.Errorf("ε(0) = %v, %v, want the smallest ε", e, err)
	}
	if e, err := known.Epsilon(ctx, evidencetest.Delta(0.1)); err != nil || math.Abs(e.Float()-2) > 1e-11 {
		t.Errorf("ε(0.1) = %v, %v, want the smallest ε 2: it is below log₂ 5", e, err)
	}
}
