package mechanism_test

import (
	"context"
	"errors"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

// Noise is of numbers, geometric noise of whole ones; what does not depend on the
// dataset is released as it is.
func TestNoiseOfWhat(t *testing.T) {
	ctx := context.Background()
	space := pathQuery(t, 2).Space()
	names, err := query.New("f", space, []query.Value{query.Name("a"), query.Name("b")}, nil, query.ValueMetric{Discrete: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := mechanism.NewLaplace(ctx, names, eps(t, 1)); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("Laplace noise of names: %v", err)
	}
	halves, err := query.NewNumeric("f", space, []float64{0.5, 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := mechanism.NewGeometric(ctx, halves, eps(t, 1)); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("geometric noise of halves: %v", err)
	}
	same, err := query.NewNumeric("f", space, []float64{1, 1}, []float64{0, 1, 2})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"laplace", "geometric", "exponential"} {
		if p := build(t, name, same, eps(t, 1)).Enclose(0, 1).Mid(); p != 1 {
			t.Errorf("%s: a constant is released with probability %v", name, p)
		}
		zero := evidence.Epsilon{}
		for what, f := range map[string]func() error{
			"laplace":     func() error { _, err := mechanism.NewLaplace(ctx, same, zero); return err },
			"geometric":   func() error { _, err := mechanism.NewGeometric(ctx, same, zero); return err },
			"exponential": func() error { _, err := mechanism.NewExponential(ctx, same, zero); return err },
			"ladder":      func() error { _, err := mechanism.NewLadder(ctx, same, zero); return err },
			"inverse":     func() error { _, err := mechanism.NewInverseSensitivity(ctx, same, zero, nil); return err },
		} {
			if err := f(); !errors.Is(err, evidence.ErrParameter) {
				t.Errorf("%s at ε = 0: %v", what, err)
			}
		}
	}
}
