package check

import (
	"context"
	"fmt"
	"iter"
	"math/big"
	"math/rand/v2"

	"dpworkbench/evidence"
	"dpworkbench/internal/draw"
	"dpworkbench/internal/parallel"
	"dpworkbench/internal/parameter"
)

// Statement is a statement of the form "for every instance i of type I, Holds(i)".
type Statement[I any] struct {
	Family  string                 // what Each covers, in words; "" if Each is nil
	Each    iter.Seq[I]            // a bounded family, small instances first; nil for none
	Whole   bool                   // the stated range is finite, and Each covers it
	Size    int                    // the number of instances in Each, counted independently; 0 if the tests count them
	Draw    func(rng *rand.Rand) I // returns a random instance; nil for none
	Holds   func(i I) bool         // whether the statement holds at i; calls [Refuse] if undecided
	Simpler func(i I) iter.Seq[I]  // instances simpler than i, simplest first; nil for none
	Witness func(i I) *Witness     // describes a counterexample; nil formats the instance as Go prints it
	Measure func(i I) []Item       // evidence at a counterexample; nil for none

	// Applies reports whether the statement is non-vacuous at i: its hypotheses hold and its conclusion could
	// fail. Only such instances count. If Applies is nil, every instance counts. Decide replaces Holds and
	// Applies if one computation gives both. A confirmation needs at least Least instances that count, and at
	// least one.
	Applies func(i I) bool
	Decide  func(i I) (holds, counts bool)
	Least   int
}

// search is a [Statement] whose instances have type any, so that the compiler generates the code below only
// once.
type search struct {
	family      string
	each        iter.Seq[any]
	whole       bool
	size, least int
	draw        func(rng *rand.Rand) any
	decide      func(i any) (holds, counts bool)
	simpler     func(i any) iter.Seq[any]
	witness     func(i any) *Witness
	measure     func(i any) []Item
}

// untyped converts a statement to a search. It is not inlined, because the compiler would generate its
// closures again at every call.
func untyped[I any](s *Statement[I]) *search {
	out := &search{family: s.Family, whole: s.Whole, size: s.Size, least: s.Least}
	if s.Each != nil {
		out.each = Untyped(s.Each)
	}
	if s.Draw != nil {
		out.draw = func(rng *rand.Rand) any { return s.Draw(rng) }
	}
	if s.Decide != nil {
		out.decide = func(i any) (holds, counts bool) { return s.Decide(i.(I)) }
	} else if s.Holds != nil {
		out.decide = func(i any) (holds, counts bool) {
			holds = s.Holds(i.(I))
			return holds, s.Applies == nil || s.Applies(i.(I))
		}
	}
	if s.Simpler != nil {
		out.simpler = func(i any) iter.Seq[any] { return Untyped(s.Simpler(i.(I))) }
	}
	if s.Witness != nil {
		out.witness = func(i any) *Witness { return s.Witness(i.(I)) }
	}
	if s.Measure != nil {
		out.measure = func(i any) []Item { return s.Measure(i.(I)) }
	}
	return out
}

// Survey records what a check visited for one statement.
type Survey struct {
	Family          string // what the family covers, in words
	Size            int    // number of the family's instances, including those after a counterexample
	Stated          int    // Size of the [Statement]; 0 if it states none
	NonVacuous      int    // number of visited instances of the family at which the statement could fail
	Drawn           int    // number of visited random instances
	DrawnNonVacuous int    // number of visited random instances at which the statement could fail
	Refuted         bool   // whether a counterexample ended the search early
}

// Surveyor has callbacks for what checks visit. Only Survey must be set.
type Surveyor struct {
	Decided func(holds, counts bool) // called after each visit
	Drawn   func(instance any)       // called for each random instance before its visit
	Family  func(instance any)       // called for each instance of the family, after the search
	Survey  func(Survey)             // called last for each checked statement
}

type surveyor struct{}

// Surveying returns a context in which every checked statement reports what it visited, in order.
func Surveying(ctx context.Context, s Surveyor) context.Context {
	return context.WithValue(ctx, surveyor{}, s)
}

// tell sends the survey to the surveyor, if there is one.
func (s *search) tell(ctx context.Context, family, drawn visits, refuted bool) {
	to, ok := ctx.Value(surveyor{}).(Surveyor)
	if !ok {
		return
	}
	survey := Survey{
		Family: s.family, Stated: s.size, NonVacuous: family.counted,
		Drawn: drawn.visited, DrawnNonVacuous: drawn.counted, Refuted: refuted,
	}
	if s.each != nil {
		for i := range s.each {
			survey.Size++
			if to.Family != nil {
				to.Family(i)
			}
		}
	}
	to.Survey(survey)
}

// visits counts the instances that a search visits and those among them that count.
type visits struct{ visited, counted int }

func (v visits) less(o visits) visits { return visits{v.visited - o.visited, v.counted - o.counted} }

// of formats the number of instances that count, followed by the number visited if some do not count.
func (v visits) of() string {
	if v.visited == v.counted {
		return fmt.Sprint(v.counted)
	}
	return fmt.Sprintf("%d of %d", v.counted, v.visited)
}

// Check visits the family, then run.Budget random instances if Draw is set. It stops at the first
// counterexample, which it simplifies. The outcome counts only non-vacuous instances. It returns an error
// wrapping evidence.ErrParameter if the budget is negative, if neither Holds nor Decide is set, or if neither
// Each nor Draw is.
func (s Statement[I]) Check(ctx context.Context, run Run) (Outcome, error) {
	return untyped(&s).check(ctx, run)
}

func (s *search) check(ctx context.Context, run Run) (out Outcome, err error) {
	defer refused(&err)
	switch {
	case run.Budget < 0:
		return Outcome{}, parameter.Errorf("budget = %d instances, want at least 0", run.Budget)
	case s.decide == nil:
		return Outcome{}, parameter.Errorf("a statement needs Holds or Decide")
	case s.each == nil && s.draw == nil:
		return Outcome{}, parameter.Errorf("a statement needs a family of instances or a way to draw them")
	}
	var seen visits
	to, _ := ctx.Value(surveyor{}).(Surveyor)
	total := s.size // 0 if unknown
	visit := func(i any) (bool, error) {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		ok, counts := s.decide(i)
		seen.visited++
		if seen.visited > total {
			total = 0
		}
		parallel.Report(ctx, int64(seen.visited), int64(total), "instances")
		if counts {
			seen.counted++
		}
		if to.Decided != nil {
			to.Decided(ok, counts)
		}
		return ok, nil
	}
	if s.each != nil {
		for i := range s.each {
			ok, err := visit(i)
			if err != nil {
				return Outcome{}, err
			}
			if !ok {
				s.tell(ctx, seen, visits{}, true)
				return s.refute(ctx, i, seen, visits{}), nil
			}
		}
	}
	family := seen
	if s.draw != nil {
		total = family.visited + run.Budget
		rng := rand.New(draw.Source(run.Seed, 0))
		for range run.Budget {
			i := s.draw(rng)
			if to.Drawn != nil {
				to.Drawn(i)
			}
			ok, err := visit(i)
			if err != nil {
				return Outcome{}, err
			}
			if !ok {
				s.tell(ctx, family, seen.less(family), true)
				return s.refute(ctx, i, family, seen.less(family)), nil
			}
		}
	}
	s.tell(ctx, family, seen.less(family), false)
	out = Outcome{Verdict: evidence.Confirmed, Instances: seen.counted, Scope: s.scope(family, seen.less(family)), Range: s.family, Visited: Visited{family.counted, seen.less(family).counted, s.whole}}
	if seen.counted < max(1, s.least) {
		out.Verdict = evidence.Undecided // too few non-vacuous instances
	}
	out.Evidence = s.vacuous(seen)
	return out, nil
}

// scope describes the visited family and the random instances. It says how many count if not all do.
func (s *search) scope(family, drawn visits) string {
	text := fmt.Sprintf("%d instances", family.counted+drawn.counted)
	switch {
	case s.whole && drawn.visited == 0:
		text = "exhaustive: "
		if family.visited > family.counted {
			text += family.of() + " of "
		}
		return text + s.family
	case family.visited > 0 && drawn.visited == 0:
		text = fmt.Sprintf("%s instances over %s", family.of(), s.family)
	case family.visited > 0:
		text += fmt.Sprintf(": %s over %s, %s at random", family.of(), s.family, drawn.of())
	}
	if s.least > 1 {
		text += fmt.Sprintf("; at least %d asked for", s.least)
	}
	return text
}

// vacuous returns an item with the number of visited instances at which the statement is vacuous, or none if
// there are none.
func (s *search) vacuous(seen visits) []Item {
	if seen.visited == seen.counted {
		return nil
	}
	return []Item{{"instances passed over, at which the statement says nothing", evidence.Exact{Value: big.NewRat(int64(seen.visited-seen.counted), 1), Provenance: evidence.From("counted")}}}
}

// refute simplifies the counterexample i greedily and returns the refuted outcome.
func (s *search) refute(ctx context.Context, i any, family, drawn visits) Outcome {
	seen := visits{family.visited + drawn.visited, family.counted + drawn.counted}
	const most = 10_000 // largest number of simplifications tried
	tried := 0
	for improved := s.simpler != nil; improved; {
		improved = false
		for j := range s.simpler(i) {
			if tried++; tried > most || ctx.Err() != nil {
				break
			}
			if holds, _ := s.decide(j); !holds {
				i, improved = j, true
				break
			}
		}
	}
	out := Outcome{
		Verdict: evidence.Refuted, Instances: seen.counted,
		Scope:   fmt.Sprintf("%d instances", seen.counted),
		Range:   s.family,
		Visited: Visited{family.counted, drawn.counted, s.whole},
		Witness: &Witness{Fields: Named("instance", fmt.Sprintf("%+v", i))},
	}
	if s.witness != nil {
		out.Witness = s.witness(i)
	}
	if s.measure != nil {
		out.Evidence = s.measure(i)
	}
	out.Evidence = append(out.Evidence, s.vacuous(seen)...)
	return out
}
