package claims

import (
	"context"
	"fmt"
	"iter"
	"math/big"
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

	// applies says whether the statement says something of i: whether its hypotheses
	// hold and its conclusion could fail, so that i counts. Where that is known on the
	// way, holds adds to *met instead. Both nil: every instance counts. least is the
	// fewest that a confirmation takes.
	applies func(i I) bool
	met     *int
	least   int
}

// visits counts the instances that a search visits and those among them that count.
type visits struct{ visited, counted int }

func (v visits) less(o visits) visits { return visits{v.visited - o.visited, v.counted - o.counted} }

// of writes how many count, and of how many where others were visited too.
func (v visits) of() string {
	if v.visited == v.counted {
		return fmt.Sprint(v.counted)
	}
	return fmt.Sprintf("%d of %d", v.counted, v.visited)
}

// check visits the family, then run.Budget random instances, and stops at the
// first counterexample, which it makes as simple as it can. Its outcome counts only
// instances that the statement could fail at.
func (s statement[I]) check(ctx context.Context, run *Run) (Outcome, error) {
	var seen visits
	visit := func(i I) (bool, error) {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		before := 0
		if s.met != nil {
			before = *s.met
		}
		ok, err := s.holds(i)
		seen.visited++
		if s.met != nil && *s.met > before || s.met == nil && (s.applies == nil || s.applies(i)) {
			seen.counted++
		}
		return ok, err
	}
	if s.each != nil {
		for i := range s.each {
			ok, err := visit(i)
			if err != nil {
				return Outcome{}, err
			}
			if !ok {
				return s.refute(ctx, i, seen)
			}
		}
	}
	family := seen
	if s.draw != nil {
		rng := rand.New(rand.NewPCG(run.Seed, 0))
		for range run.Budget {
			i := s.draw(rng)
			ok, err := visit(i)
			if err != nil {
				return Outcome{}, err
			}
			if !ok {
				return s.refute(ctx, i, seen)
			}
		}
	}
	out := Outcome{Verdict: evidence.Confirmed, Instances: seen.counted, Scope: s.scope(family, seen.less(family))}
	if seen.counted < max(1, s.least) {
		out.Verdict = evidence.Undecided // too few instances say anything
	}
	out.Evidence = s.vacuous(seen)
	return out, nil
}

// scope says what was visited, the family and at random, and how many instances it
// takes where not all count.
func (s statement[I]) scope(family, drawn visits) string {
	text := fmt.Sprintf("%d instances", family.counted+drawn.counted)
	switch {
	case family.visited > 0 && drawn.visited == 0 && family.visited == family.counted && s.met == nil:
		return "exhaustive: " + s.family
	case family.visited > 0 && drawn.visited == 0:
		text += fmt.Sprintf(": %s exhaustive over %s", family.of(), s.family)
	case family.visited > 0:
		text += fmt.Sprintf(": %s exhaustive over %s, %s at random", family.of(), s.family, drawn.of())
	}
	if s.least > 1 {
		text += fmt.Sprintf("; at least %d asked for", s.least)
	}
	return text
}

// vacuous reports how many instances were visited at which the statement says
// nothing, where there are any.
func (s statement[I]) vacuous(seen visits) []Item {
	if seen.visited == seen.counted {
		return nil
	}
	return []Item{{"instances passed over, at which the statement says nothing", evidence.Exact{Value: big.NewRat(int64(seen.visited-seen.counted), 1), Source: "counted"}}}
}

// refute simplifies a counterexample greedily and reports it.
func (s statement[I]) refute(ctx context.Context, i I, seen visits) (Outcome, error) {
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
		Verdict: evidence.Refuted, Instances: seen.counted,
		Scope:   fmt.Sprintf("%d instances", seen.counted),
		Witness: s.witness(i),
	}
	if s.measure != nil {
		out.Evidence = s.measure(i)
	}
	out.Evidence = append(out.Evidence, s.vacuous(seen)...)
	return out, nil
}
