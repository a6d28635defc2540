package audit

import (
	"context"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/privacy"
)

// Privacy returns the table's privacy profile over the neighbors; nil means all pairs. It is exact if the probabilities
// and e^ε are rational. Otherwise its enclosures hold for every law within the relative error Rounding. The profile
// also reflects later additions to the table.
//
// The methods of the profile return errors wrapping ErrParameter if the table is not a table of laws or a neighbor is
// unknown.
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
