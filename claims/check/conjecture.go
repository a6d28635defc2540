package check

import (
	"context"
	"iter"
	"math/rand/v2"

	"dpworkbench/internal/parameter"
)

// Conjecture is a statement from outside the ledger, quantified over instances of
// type I and checked as the ledger's are.
type Conjecture[I any] struct {
	Family  string                  // what Each covers, in words
	Each    iter.Seq[I]             // a bounded family, small instances first; nil for none
	Draw    func(rng *rand.Rand) I  // a random instance; nil for none
	Holds   func(i I) (bool, error) // whether the statement holds at i, decided exactly or by enclosures
	Simpler func(i I) iter.Seq[I]   // instances simpler than i, simplest first; nil for none
	Witness func(i I) *Witness      // describes a counterexample
}

// Check visits the family, then run.Budget random instances, and makes the first
// counterexample as simple as it can. It returns an error wrapping
// evidence.ErrParameter where there is nothing to visit or nothing to ask.
func (c Conjecture[I]) Check(ctx context.Context, run Run) (Outcome, error) {
	switch {
	case run.Budget < 0:
		return Outcome{}, parameter.Errorf("budget = %d instances, want at least 0", run.Budget)
	case c.Holds == nil || c.Witness == nil:
		return Outcome{}, parameter.Errorf("a conjecture needs Holds and Witness")
	case c.Each == nil && c.Draw == nil:
		return Outcome{}, parameter.Errorf("a conjecture needs a family of instances or a way to draw them")
	}
	return Statement[I]{
		Family: c.Family, Each: c.Each, Draw: c.Draw, Holds: c.Holds, Simpler: c.Simpler, Witness: c.Witness,
	}.Check(ctx, &run)
}
