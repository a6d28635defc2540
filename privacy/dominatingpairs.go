package privacy

import (
	"context"
	"sync"

	"dpworkbench/query"
)

// DominatingPairs is the set of pairs of output laws of a mechanism, one for each ordered pair of neighboring datasets.
type DominatingPairs struct {
	// Name names the mechanism.
	Name string
	// Universe identifies the datasets of each pair; nil if no other family shares them.
	Universe Universe
	// Size is the number of ordered pairs.
	Size int
	// Pair returns pair i.
	Pair func(ctx context.Context, i int) (Pair, error)
	// Key returns a string that identifies the laws of pair i: pairs with equal keys have equal laws. Nil means that no
	// two pairs are known to be equal.
	Key func(i int) string
	// Screen returns the screen of pair i. If it is nil, screens are computed from the pairs.
	Screen func(i int) *Screen
	// Datasets returns the two datasets of a pair, and Output returns the output of a tag. Each function is nil if its
	// values have no names.
	Datasets func(i int) (x, y any)
	Output   func(tag int) any
	// Source is the source of the pairs, as in evidence.Provenance.
	Source string
	// Profile, if not nil, answers for a single use faster than the pairs.
	Profile Profile
	// Relation is the neighbor relation. If it is add/remove, Removes reports whether the first dataset of a pair has
	// the extra record. Removes is nil if both directions have the same laws.
	Relation query.Relation
	Removes  func(i int) bool
	// TranslationInvariant means that pair 0 is the pair of any two neighbors.
	TranslationInvariant bool
	// SensitivityOnly says that only the sensitivity of the query is known. The pair is the one of the largest change
	// and equals its reverse, so any two neighbors of any other universe may have it.
	SensitivityOnly bool
	// Bound means that the pairs are only an upper bound on the privacy loss.
	Bound bool
	// LowerBound, if not nil, is a lower bound on the privacy loss, with the same number of pairs for the same datasets.
	LowerBound *DominatingPairs
	// ClaimedBy is the theorem behind the pairs if the laws are unknown, and "" if they are known. With it, all answers
	// are claimed, except the answers of Profile.
	ClaimedBy string
	// Mechanism is the mechanism to which statements refer; nil for none.
	Mechanism any

	concentrated *Concentrated // set if only Rényi divergences are known

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
