package audit

import (
	"context"
	"math/big"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/privacy"
)

// namedPairs is the universe of the ordered pairs of datasets, by their names. Tables with the same names share it.
type namedPairs struct{ keys []string }

// Same implements privacy.Universe.
func (s namedPairs) Same(o privacy.Universe) bool {
	t, ok := o.(namedPairs)
	return ok && slices.Equal(s.keys, t.keys)
}

// Pairs returns the exact ordered pairs of laws of the table's neighbors; nil means all pairs of datasets. Tables with
// the same dataset names in the same order have the same universe of pairs, so that they can be composed. The profile
// of the pairs is that of a single use. Later additions to the table have no effect.
//
// It returns an error wrapping ErrParameter if the table is not a table of laws, a neighbor is unknown, or
// probabilities are rounded: compositions of laws known only up to a relative error are not supported.
func (t *Table) Pairs(neighbors []Pair) (*privacy.DominatingPairs, error) {
	pairs, u, err := t.ready(context.Background(), neighbors)
	if err != nil {
		return nil, err
	}
	if u.Sign() > 0 {
		relative, _ := u.Float64()
		return nil, parameter.Errorf("privacy loss distributions need exact probabilities that sum to 1, such as fractions; those of the table have a relative error of up to %g", relative)
	}
	s := &Table{Rounding: t.Rounding, datasets: t.datasets.clone(), outputs: t.outputs.clone(), sorted: true}
	for _, law := range t.laws {
		s.laws = append(s.laws, slices.Clone(law))
	}
	var scope namedPairs
	for _, p := range pairs {
		scope.keys = append(scope.keys, s.datasets.key(p[0]), s.datasets.key(p[1]))
	}
	at := func(i int) (x, y int) {
		p := pairs[i/2]
		return p[i%2], p[1-i%2]
	}
	f := &privacy.DominatingPairs{
		Name: "table", Universe: scope, Size: 2 * len(pairs), Source: "laws of the table", Profile: s.Privacy(slices.Clone(neighbors)),
		Datasets: func(i int) (x, y any) {
			a, b := at(i)
			return s.datasets.labels[a], s.datasets.labels[b]
		},
		Output: func(tag int) any { return s.outputs.labels[tag] },
	}
	f.Pair = func(_ context.Context, i int) (privacy.Pair, error) {
		x, y := at(i)
		return s.pair(x, y), nil
	}
	f.Screen = func(i int) *privacy.Screen {
		var p, q []*big.Rat
		x, y := at(i)
		for _, c := range s.join(x, y, nil) {
			if c.q == nil {
				c.q = new(big.Rat)
			}
			p, q = append(p, c.p), append(q, c.q)
		}
		return privacy.NewScreen(p, q)
	}
	return f, nil
}

// pair returns the laws of two datasets.
func (t *Table) pair(x, y int) privacy.Pair {
	var atoms []privacy.Atom
	sure, never := new(big.Rat), new(big.Rat)
	var tags []int
	for _, c := range t.join(x, y, nil) {
		if c.q == nil {
			sure.Add(sure, c.p)
			tags = append(tags, c.output)
		} else {
			atoms = append(atoms, privacy.RationalAtom(c.p, c.q, c.output))
		}
	}
	for _, c := range t.join(y, x, nil) {
		if c.q == nil {
			never.Add(never, c.p)
		}
	}
	return privacy.NewDiscretePair(atoms, evidence.ExactRat(sure), evidence.ExactRat(never), evidence.Epsilon{}, privacy.Hooks{}).WithInfinityTags(tags)
}
