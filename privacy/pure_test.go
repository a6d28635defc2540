package privacy_test

import (
	"context"
	"dpworkbench/internal/must"
	"errors"
	"math"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/privacy"
)

func at(t *testing.T, v float64) evidence.Epsilon {
	t.Helper()
	if v == 0 {
		return evidence.Epsilon{}
	}
	e := must.For(evidence.NewEpsilon("eps", v))(t)
	return e
}

// Randomized response attains the bound, and an event of two probabilities never
// passes it.
func TestPureDelta(t *testing.T) {
	for _, top := range []float64{1e-300, 1e-9, 0.1, 1, 5, 40, 700, 1e5} {
		pure := evidence.Certified{Lo: 0, Hi: top, Side: evidence.Up}
		for _, share := range []float64{0, 1e-9, 0.3, 0.999999, 1, 1.5} {
			eps := share * top
			got := privacy.PureDelta(pure, at(t, eps), "")
			want := math.Max(0, -math.Expm1(eps-top)/(1+math.Exp(-top)))
			if !(got.Lo == 0 && got.Hi >= want*(1-1e-15) && got.Hi <= want*(1+1e-14)+5e-324) {
				t.Errorf("ε₀ = %g, ε = %g: δ ≤ %g, want %g", top, eps, got.Hi, want)
			}
		}
	}
	ln3 := must.For(evidence.LogEpsilon("eps", big.NewRat(3, 1)))(t)
	if got := privacy.PureDelta(ln3.Number(), ln3, ""); got.Hi > 1e-15 {
		t.Errorf("at ε₀ itself δ ≤ %g", got.Hi)
	}
	if got := privacy.PureDelta(evidence.Claimed{Value: math.Inf(1)}, ln3, ""); got.Hi != 1 {
		t.Errorf("of no ε₀ δ ≤ %g, want 1", got.Hi)
	}
}

// step is a profile known to within a band.
func profile(f func(eps float64) float64, band float64) func(context.Context, evidence.Epsilon) (evidence.Number, error) {
	return func(_ context.Context, e evidence.Epsilon) (evidence.Number, error) {
		v := f(e.Value())
		return evidence.Certified{Lo: math.Max(0, v-band), Hi: v + band, Side: evidence.Up}, nil
	}
}

func TestEpsilonAt(t *testing.T) {
	ctx := context.Background()
	falling := func(eps float64) float64 { return math.Exp(-eps) / 2 }
	for _, c := range []struct {
		delta, pure, band float64
	}{
		{0.1, math.Inf(1), 0}, {0.1, math.Inf(1), 1e-6}, {1e-5, math.Inf(1), 1e-8}, {0.5, math.Inf(1), 0}, {0.4, 3, 0}, {0.9, 3, 0},
	} {
		e := must.For(privacy.EpsilonAt(ctx, privacy.Inversion{Delta: evidencetest.Delta(c.delta), Pure: evidence.FromFloat(c.pure), Width: 1e-9, At: profile(falling, c.band)}))(t)
		lo, hi := e.Bounds()
		want := math.Max(0, -math.Log(2*c.delta))
		width := 1e-8*(1+hi) + 4*c.band/c.delta
		if !(lo <= want && want <= hi) || hi-lo > width {
			t.Errorf("δ = %g: ε in [%g, %g], want %g within %g", c.delta, lo, hi, want, width)
		}
	}
	// A profile that stays above δ has no ε.
	in := privacy.Inversion{Delta: evidencetest.Delta(0.1), Width: 1e-9, At: profile(func(float64) float64 { return 0.5 }, 0)}
	if e, err := privacy.EpsilonAt(ctx, in); err != nil || e.Lo < 1e200 || !math.IsInf(e.Hi, 1) {
		t.Errorf("constant profile: ε is %v, %v", e, err)
	}
	stop := errors.New("stop")
	in.At = func(context.Context, evidence.Epsilon) (evidence.Number, error) { return nil, stop }
	if _, err := privacy.EpsilonAt(ctx, in); !errors.Is(err, stop) {
		t.Errorf("error of the profile: %v", err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	in.At = profile(falling, 0)
	if _, err := privacy.EpsilonAt(ended, in); !errors.Is(err, context.Canceled) {
		t.Errorf("ended context: %v", err)
	}
	in.Delta = evidence.Delta{}
	if _, err := privacy.EpsilonAt(ctx, in); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("δ = 0: %v", err)
	}
}
