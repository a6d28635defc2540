package claims

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"

	"dpworkbench/evidence"
)

// statement is a claim quantified over instances of type I.
type statement[I any] struct {
	family  string                  // what enumerate covers, "" where it covers nothing
	each    iter.Seq[I]             // the bounded family, small instances first; nil for none
	draw    func(rng *rand.Rand) I  // a random instance; nil where the family is all there is
	holds   func(i I) (bool, error) // exact, or decided by enclosures
	simpler func(i I) iter.Seq[I]   // instances simpler than i, simplest first; nil for none
	witness func(i I) *Witness      // describes a counterexample
	measure func(i I) []Item        // evidence at a counterexample; nil for none
}

// check visits the family, then run.Budget random instances, and stops at the
// first counterexample, which it makes as simple as it can.
func (s statement[I]) check(ctx context.Context, run *Run) (Outcome, error) {
	visited := 0
	visit := func(i I) (bool, error) {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		visited++
		return s.holds(i)
	}
	if s.each != nil {
		for i := range s.each {
			ok, err := visit(i)
			if err != nil {
				return Outcome{}, err
			}
			if !ok {
				return s.refute(ctx, i, visited)
			}
		}
	}
	family := visited
	if s.draw != nil {
		rng := rand.New(rand.NewPCG(run.Seed, 0))
		for range run.Budget {
			i := s.draw(rng)
			ok, err := visit(i)
			if err != nil {
				return Outcome{}, err
			}
			if !ok {
				return s.refute(ctx, i, visited)
			}
		}
	}
	out := Outcome{Verdict: evidence.Confirmed, Instances: visited, Scope: fmt.Sprintf("%d instances", visited)}
	switch {
	case visited == 0:
		out.Verdict = evidence.Undecided
	case family > 0 && family == visited:
		out.Scope = "exhaustive: " + s.family
	case family > 0:
		out.Scope = fmt.Sprintf("%d instances: %d exhaustive over %s, %d at random", visited, family, s.family, visited-family)
	}
	return out, nil
}

// refute simplifies a counterexample greedily and reports it.
func (s statement[I]) refute(ctx context.Context, i I, visited int) (Outcome, error) {
	const most = 10_000 // simplifications tried
	tried := 0
	for improved := s.simpler != nil; improved; {
		improved = false
		for j := range s.simpler(i) {
			if tried++; tried > most || ctx.Err() != nil {
				break
			}
			ok, err := s.holds(j)
			if err != nil {
				return Outcome{}, err
			}
			if !ok {
				i, improved = j, true
				break
			}
		}
	}
	out := Outcome{
		Verdict: evidence.Refuted, Instances: visited,
		Scope:   fmt.Sprintf("%d instances", visited),
		Witness: s.witness(i),
	}
	if s.measure != nil {
		out.Evidence = s.measure(i)
	}
	return out, nil
}
