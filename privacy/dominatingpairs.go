package privacy

import (
	"context"
	"sync"

	"dpworkbench/query"
)

// DominatingPairs is the ordered pairs of laws that a mechanism gives its neighboring
// datasets, one pair for each two of them.
type DominatingPairs struct {
	// Name says whose pairs they are.
	Name string
	// Universe counts them; nil for pairs that no other family shares.
	Universe Universe
	// Size is how many ordered pairs there are.
	Size int
	// Pair returns pair i.
	Pair func(ctx context.Context, i int) (Pair, error)
	// Key returns a text that just pairs of the same laws share, as far as is known; nil
	// knows of none.
	Key func(i int) string
	// Screen returns pair i in float64; nil takes it from the pair itself.
	Screen func(i int) *Screen
	// Datasets returns the two datasets of a pair, and Output the output of a tag; nil where they
	// have no names.
	Datasets func(i int) (x, y any)
	Output   func(tag int) any
	// Source is where the pairs come from, as evidence names it.
	Source string
	// Profile, where set, answers for a single use faster than all pairs would.
	Profile Profile
	// Relation says which datasets are neighbors; where they add or remove a record, Removes says whether the first one of a pair has
	// it, nil where both laws of a pair are those of either.
	Relation query.Relation
	Removes  func(i int) bool
	// TranslationInvariant says that every two neighbors have pair 0.
	TranslationInvariant bool
	// Bound says that the pairs are an upper bound of what is asked: some pair of every
	// two datasets is at most as private as one of them, and it may be more private.
	Bound bool
	// LowerBound, where set, is a family that has at most what these pairs tell, which dominate those that are meant: as many pairs, for the
	// same datasets.
	LowerBound *DominatingPairs
	// ClaimedBy is what promises the pairs where no laws are known, a theorem, and makes whatever is said of them claimed; "" elsewhere. Curve
	// answers for itself.
	ClaimedBy string
	// Mechanism is the mechanism whose pairs they are, as statements name it; nil where nothing is to say so.
	Mechanism any

	concentrated *Concentrated // where Rényi divergences alone are known

	guard         sync.Mutex
	cachedClasses *pairClasses // nil until needed
}

// PairAndReverse returns the family of one pair and its reverse.
func PairAndReverse(name, source string, p Pair) *DominatingPairs {
	return &DominatingPairs{Name: name, Size: 2, Source: source, Pair: func(_ context.Context, i int) (Pair, error) {
		if i == 1 {
			return p.Reverse(), nil
		}
		return p, nil
	}}
}
