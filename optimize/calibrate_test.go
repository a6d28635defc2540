package optimize_test

import (
	"context"
	"errors"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/optimize"
	"dpworkbench/query"
)

func triangles(t *testing.T, n int) *query.Query {
	t.Helper()
	g, err := query.NewGraphs(context.Background(), n)
	if err != nil {
		t.Fatal(err)
	}
	q, err := g.Count("triangle")
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func purest(q *query.Query) func(evidence.Epsilon) (mechanism.Mechanism, error) {
	return func(e evidence.Epsilon) (mechanism.Mechanism, error) {
		return layers.NewPurest(context.Background(), q, e)
	}
}

// The calibrated mechanism is private at ε, and not at ε − 2e-9; every step is
// the certified smallest ε.
func TestCalibrate(t *testing.T) {
	ctx := context.Background()
	q := triangles(t, 5)
	families := map[string]func(evidence.Epsilon) (mechanism.Mechanism, error){
		"purest": purest(q),
		"geometric": func(e evidence.Epsilon) (mechanism.Mechanism, error) {
			return mechanism.NewGeometric(ctx, q, e)
		},
	}
	for name, family := range families {
		for _, eps := range []float64{1e-4, 0.3, 1, 2.5, 20} {
			m, err := optimize.Calibrate(ctx, family, epsilon(t, eps))
			if err != nil {
				t.Errorf("%s to %g: %v", name, eps, err)
				continue
			}
			loss, err := mechanism.Privacy(m).Epsilon(ctx, 0)
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
	q := triangles(t, 4)
	if _, err := optimize.Calibrate(ctx, purest(q), evidence.Epsilon{}); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("eps = 0 gives %v, want ErrParameter", err)
	}
	// A family that never leaks cannot be calibrated, nor one that jumps.
	flat := func(e evidence.Epsilon) (mechanism.Mechanism, error) { return purest(triangles(t, 1))(e) }
	if _, err := optimize.Calibrate(ctx, flat, epsilon(t, 1)); !errors.Is(err, optimize.ErrNotReached) {
		t.Errorf("a family without loss gives %v, want ErrNotReached", err)
	}
	jump := func(e evidence.Epsilon) (mechanism.Mechanism, error) {
		if e.Value() < 0.7 {
			return purest(q)(epsilon(t, 0.1))
		}
		return purest(q)(epsilon(t, 3))
	}
	if _, err := optimize.Calibrate(ctx, jump, epsilon(t, 1)); !errors.Is(err, optimize.ErrNotReached) {
		t.Errorf("a family that jumps gives %v, want ErrNotReached", err)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := optimize.Calibrate(cancelled, purest(q), epsilon(t, 1)); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled context gives %v", err)
	}
}
