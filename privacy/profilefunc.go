package privacy

import (
	"context"

	"dpworkbench/evidence"
)

// ProfileFunc is a Profile given by functions: the smallest ε, and optionally δ(ε), which bisection inverts.
type ProfileFunc struct {
	// Pure returns the smallest ε of pure differential privacy, and +Inf if there is none.
	Pure func(ctx context.Context) (evidence.Number, error)
	// At returns δ(ε). If At is nil, δ(ε) is PureDelta at the result of Pure.
	At func(ctx context.Context, eps evidence.Epsilon) (evidence.Number, error)
	// Source is the source of the numbers.
	Source string
}

// inversionWidth is the relative width to which profiles are inverted.
const inversionWidth = 1e-12

// Delta implements Profile.
func (p ProfileFunc) Delta(ctx context.Context, eps evidence.Epsilon) (evidence.Number, error) {
	if p.At != nil {
		return p.At(ctx, eps)
	}
	pure, err := p.Pure(ctx)
	if err != nil {
		return nil, err
	}
	return PureDelta(pure, eps, p.Source), nil
}

// Epsilon implements Profile.
func (p ProfileFunc) Epsilon(ctx context.Context, delta evidence.Delta) (evidence.Number, error) {
	pure, err := evidence.AsNumber(p.Pure(ctx))
	if delta.IsZero() || err != nil {
		return pure, err
	}
	return evidence.AsNumber(EpsilonAt(ctx, Inversion{Delta: delta, Pure: pure, Width: inversionWidth, Source: p.Source, At: p.Delta}))
}
