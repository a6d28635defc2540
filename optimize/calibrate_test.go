package optimize_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/optimize"
	"dpworkbench/query"
)

func purestFamily(q *query.Query) func(evidence.Epsilon) (mechanism.Mechanism, error) {
	return func(e evidence.Epsilon) (mechanism.Mechanism, error) {
		return layers.NewPurest(context.Background(), q, e)
	}
}

// The calibrated mechanism is private at ε and not at ε − 2e-9. The search compares certified values of the smallest ε.
func TestCalibrate(t *testing.T) {
	ctx := context.Background()
	q := graphs(t, 5, "triangle")
	families := map[string]func(evidence.Epsilon) (mechanism.Mechanism, error){
		"purest": purestFamily(q),
		"geometric": func(e evidence.Epsilon) (mechanism.Mechanism, error) {
			return mechanism.NewGeometric(ctx, q, e)
		},
	}
	for name, family := range families {
		for _, eps := range []float64{1e-4, 0.3, 1, 2.5, 20} {
			m, err := optimize.Calibrate(ctx, family, evidencetest.Epsilon(eps))
			if err != nil {
				t.Errorf("%s to %g: %v", name, eps, err)
				continue
			}
			loss, err := mechanism.Privacy(m).Epsilon(ctx, evidence.Delta{})
			if err != nil {
				t.Fatal(err)
			}
			if _, hi := loss.Bounds(); !(hi <= eps && hi >= eps-1e-9) {
				t.Errorf("%s to %g: smallest ε up to %.12g", name, eps, hi)
			}
		}
	}
}

func TestCalibrateRefuses(t *testing.T) {
	ctx := context.Background()
	q := graphs(t, 4, "triangle")
	if _, err := optimize.Calibrate(ctx, purestFamily(q), evidence.Epsilon{}); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("eps = 0 gives %v, want ErrParameter", err)
	}
	// A family without loss cannot be calibrated, nor a family whose loss jumps over ε.
	flat := func(e evidence.Epsilon) (mechanism.Mechanism, error) {
		return purestFamily(graphs(t, 1, "triangle"))(e)
	}
	if _, err := optimize.Calibrate(ctx, flat, evidencetest.Epsilon(1)); !errors.Is(err, optimize.ErrNotReached) {
		t.Errorf("a family without loss gives %v, want ErrNotReached", err)
	}
	jump := func(e evidence.Epsilon) (mechanism.Mechanism, error) {
		if e.Value() < 0.7 {
			return purestFamily(q)(evidencetest.Epsilon(0.1))
		}
		return purestFamily(q)(evidencetest.Epsilon(3))
	}
	if _, err := optimize.Calibrate(ctx, jump, evidencetest.Epsilon(1)); !errors.Is(err, optimize.ErrNotReached) {
		t.Errorf("a family that jumps gives %v, want ErrNotReached", err)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := optimize.Calibrate(cancelled, purestFamily(q), evidencetest.Epsilon(1)); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled context gives %v", err)
	}
}

// If the family or the loss of a member returns an error, Calibrate returns that error.
func TestCalibrateReturnsFamilyError(t *testing.T) {
	q, broken := counts(t, 3), errors.New("broken")
	for _, eps := range []float64{0.01, 30} {
		for at := 0; ; at++ {
			calls := 0
			m, err := optimize.Calibrate(context.Background(), func(e evidence.Epsilon) (mechanism.Mechanism, error) {
				if calls++; calls > at {
					return nil, broken
				}
				return purestFamily(q)(e)
			}, evidencetest.Epsilon(eps))
			if err == nil {
				loss := must.For(mechanism.Privacy(m).Epsilon(context.Background(), evidence.Delta{}))(t)
				if _, hi := bounds(loss); calls > at || !(hi <= eps && hi >= eps-1e-9) {
					t.Errorf("ε = %g: %d members, smallest ε up to %v", eps, calls, hi)
				}
				break
			}
			if !errors.Is(err, broken) || m != nil || at > 300 {
				t.Fatalf("ε = %g, broken at member %d: %v, %v", eps, at, m, err)
			}
		}
	}
	// For families whose smallest ε is known, a member is found whenever one exists.
	lost, err := query.NewPathSpace(2, [][2]int{{0, 1}})
	if err != nil {
		t.Fatal(err)
	}
	two, err := query.NewNumeric("f", lost, []float64{0, 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		family func(e float64) float64 // the ε of the member
		eps    float64
		want   error
	}{
		"never enough":     {func(float64) float64 { return 0.1 }, 1, optimize.ErrNotReached},
		"too much":         {func(float64) float64 { return 3 }, 1, optimize.ErrNotReached},
		"a jump up":        {func(e float64) float64 { return map[bool]float64{true: 0.1, false: 3}[e < 7] }, 1, optimize.ErrNotReached},
		"a jump down":      {func(e float64) float64 { return map[bool]float64{true: 0.1, false: 3}[e < 0.01] }, 1, optimize.ErrNotReached},
		"ten times ε":      {func(e float64) float64 { return 10 * e }, 1, nil},
		"a hundredth of ε": {func(e float64) float64 { return e / 100 }, 1, nil},
		"the square":       {func(e float64) float64 { return e * e }, 2, nil},
		"the square root":  {math.Sqrt, 0.01, nil},
	} {
		m, err := optimize.Calibrate(context.Background(), func(e evidence.Epsilon) (mechanism.Mechanism, error) {
			return mechanism.NewGeometric(context.Background(), two, evidencetest.Epsilon(c.family(e.Value())))
		}, evidencetest.Epsilon(c.eps))
		if !errors.Is(err, c.want) || err != nil && m != nil {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
		if err != nil {
			continue
		}
		loss, err := mechanism.Privacy(m).Epsilon(context.Background(), evidence.Delta{})
		if err != nil {
			t.Fatal(err)
		}
		if _, hi := bounds(loss); !(hi <= c.eps && hi >= c.eps-1e-9) {
			t.Errorf("%s: smallest ε up to %v, want %v", name, hi, c.eps)
		}
	}
}

// constantCurve is a privacy curve with a constant smallest ε.
type constantCurve float64

func (s constantCurve) Epsilon(context.Context, evidence.Delta) (evidence.Number, error) {
	return evidence.Certified{Lo: float64(s), Hi: float64(s), Side: evidence.Up}, nil
}

func (s constantCurve) Delta(context.Context, evidence.Epsilon) (evidence.Number, error) {
	return nil, errors.New("not asked for")
}

// A member is found although the smallest ε of larger parameters is close to the largest float64, whose products
// overflow.
func TestCalibrateBelowHugeLosses(t *testing.T) {
	for _, far := range []float64{1e300, 1e306, math.MaxFloat64} {
		family := func(e evidence.Epsilon) (float64, error) {
			if e.Value() > 510 {
				return far, nil
			}
			return e.Value() / 100, nil
		}
		v, at, err := optimize.CalibrateCurve(t.Context(), family, func(v float64) (evidence.Number, error) {
			return constantCurve(v).Epsilon(t.Context(), evidence.Delta{})
		}, evidencetest.Epsilon(5))
		if err != nil || !(v <= 5 && v >= 5-1e-9) || v != at.Value()/100 {
			t.Errorf("losses of %v above 500: parameter %v has smallest ε %v, error %v, want 5 at 500", far, at, v, err)
		}
	}
}

// The returned member is private, and no nearby member is private with less noise. The families increase or decrease,
// end or jump.
func TestCalibrateMonotone(t *testing.T) {
	for name, c := range map[string]struct {
		epsilon func(s float64) float64
		want    float64
		width   float64 // of the enclosure, relative
	}{
		"falls":    {func(s float64) float64 { return 5 / s }, 5, 0},
		"rises":    {func(s float64) float64 { return 3 * s * s }, math.Sqrt(1.0 / 3), 0},
		"far":      {func(s float64) float64 { return 1e-30 * s }, 1e30, 0},
		"near 0":   {func(s float64) float64 { return 1e-9 / s / s }, math.Sqrt(1e-9), 0},
		"jumps":    {func(s float64) float64 { return math.Ceil(10/s) / 2 }, 5, 0},
		"infinite": {func(s float64) float64 { return 1 / max(0, s-7) }, 8, 0},
		"nothing":  {func(s float64) float64 { return max(0, 9-100*s) }, 0.08, 0},
		"wide":     {func(s float64) float64 { return 5 / s }, 5, 1e-5},
	} {
		tried := 0
		s, err := optimize.CalibrateMonotone(t.Context(), func(s float64) (float64, error) { tried++; return s, nil },
			func(s float64) (lo, hi float64, err error) { return c.epsilon(s) * (1 - c.width), c.epsilon(s), nil }, evidencetest.Epsilon(1))
		if err != nil || math.Abs(s/c.want-1) > max(1e-9, c.width) || !(c.epsilon(s) <= 1) || tried > 200 {
			t.Errorf("%s: %v, %v after %d, want %v", name, s, err, tried, c.want)
		}
	}
}

func TestCalibrateMonotoneRefuses(t *testing.T) {
	same := func(s float64) (float64, error) { return s, nil }
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		family  func(s float64) (float64, error)
		epsilon func(s float64) (lo, hi float64, err error)
		want    error
	}{
		"constant":    {same, func(float64) (lo, hi float64, err error) { return 2, 2, nil }, optimize.ErrNotReached},
		"always less": {same, func(s float64) (lo, hi float64, err error) { return 0, 1 - 1/(1+s), nil }, optimize.ErrNotReached},
		"always more": {same, func(s float64) (lo, hi float64, err error) { return 1, 1 + s, nil }, optimize.ErrNotReached},
		"one end":     {same, func(s float64) (lo, hi float64, err error) { return 0, s, nil }, optimize.ErrNotReached},
		"family":      {func(float64) (float64, error) { return 0, broken }, nil, broken},
		"epsilon":     {same, func(s float64) (lo, hi float64, err error) { return 0, 0, broken }, broken},
	} {
		if _, err := optimize.CalibrateMonotone(t.Context(), c.family, c.epsilon, evidencetest.Epsilon(1)); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := optimize.CalibrateMonotone(ended, same, nil, evidencetest.Epsilon(1)); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled context gives %v", err)
	}
	if _, err := optimize.CalibrateMonotone(t.Context(), same, nil, evidence.Epsilon{}); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("eps = 0 gives %v", err)
	}
}
