package privacy

import (
	"context"

	"dpworkbench/evidence"
)

// ProfileFunc is the curve of a mechanism whose smallest ε is known, and perhaps its
// δ(ε), which is inverted for ε(δ) by bisection.
type ProfileFunc struct {
	// Pure returns the smallest ε of pure differential privacy, +Inf where there is
	// none.
	Pure func(ctx context.Context) (evidence.Number, error)
	// At returns δ(ε); nil leaves what Pure says of it, see PureDelta.
	At func(ctx context.Context, eps evidence.Epsilon) (evidence.Number, error)
	// Source is where the numbers come from.
	Source string
}

// inversionWidth is the relative width to which profiles are inverted.
const inversionWidth = 1e-12

// Delta implements Curve.
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

// Epsilon implements Curve.
func (p ProfileFunc) Epsilon(ctx context.Context, delta evidence.Delta) (evidence.Number, error) {
	pure, err := p.Pure(ctx)
	if delta.IsZero() || err != nil {
		return pure, err
	}
	e, err := EpsilonAt(ctx, Inversion{Delta: delta, Pure: pure, Width: inversionWidth, Source: p.Source, At: p.Delta})
	if err != nil {
		return nil, err
	}
	return e, nil
}
