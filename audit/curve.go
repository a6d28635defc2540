package audit

import (
	"context"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/privacy"
)

// Privacy returns the table as a curve over the neighbors, nil meaning all pairs:
// of its laws, exact where their probabilities and e^ε are, or else enclosures that
// hold for every law within the relative error Rounding. What is added to the table later counts.
//
// The curve's errors wrap ErrParameter, too, where the table is no table of laws
// and where a neighbor is unknown.
func (t *Table) Privacy(neighbors []Pair) privacy.Profile { return curve{t, slices.Clone(neighbors)} }

type curve struct {
	table     *Table
	neighbors []Pair
}

// Delta implements privacy.Profile.
func (c curve) Delta(ctx context.Context, eps evidence.Epsilon) (evidence.Number, error) {
	pairs, u, err := c.table.ready(ctx, c.neighbors)
	if err != nil {
		return nil, err
	}
	return c.table.delta(ctx, pairs, eps, u)
}

// Epsilon implements privacy.Profile.
func (c curve) Epsilon(ctx context.Context, delta evidence.Delta) (evidence.Number, error) {
	pairs, u, err := c.table.ready(ctx, c.neighbors)
	if err != nil {
		return nil, err
	}
	_, low, high, err := c.table.largest(ctx, pairs, delta.Rat(), u)
	if err != nil {
		return nil, err
	}
	return epsilonEvidence(low, high, u, c.table.cases(pairs)), nil
}
