package check

import (
	"context"
	"fmt"
	"math/big"
	"strings"

	"dpworkbench/evidence"
)

// Checker judges a statement, mostly by visiting instances, and returns the outcome.
type Checker func(ctx context.Context, run Run) (Outcome, error)

// WithCorrection runs a check and the check of the corrected statement.
//
//go:noinline
func WithCorrection(published, corrected Checker) Checker {
	return func(ctx context.Context, run Run) (Outcome, error) {
		out, err := published(ctx, run)
		if err != nil {
			return Outcome{}, err
		}
		fixed, err := corrected(ctx, run)
		if err != nil {
			return Outcome{}, err
		}
		out.Corrected = &fixed
		return out, nil
	}
}

// InTurn checks the parts of a statement in order and stops at the first that is not confirmed, whose verdict
// it returns. It adds up the instances of the parts that it checked.
func InTurn(parts ...Checker) Checker {
	return func(ctx context.Context, run Run) (Outcome, error) {
		var all Outcome
		for i, part := range parts {
			out, err := part(ctx, run)
			if err != nil {
				return Outcome{}, err
			}
			out.Instances += all.Instances
			out.Visited.Family += all.Visited.Family
			out.Visited.Drawn += all.Visited.Drawn
			out.Visited.Whole = out.Visited.Whole && (i == 0 || all.Visited.Whole)
			if i > 0 && out.Verdict == evidence.Confirmed {
				if out.Scope == all.Scope {
					out.Scope += ", for each part"
				} else {
					out.Scope = all.Scope + "; " + out.Scope
				}
				if out.Range != all.Range {
					out.Range = all.Range + "; " + out.Range
				}
				out.Evidence = append(all.Evidence, out.Evidence...)
			}
			if all = out; out.Verdict != evidence.Confirmed {
				break
			}
		}
		return all, nil
	}
}

// WithException checks a statement of the form "this holds, but the stronger statement does not". It is
// confirmed if holds is confirmed and stronger is refuted. The evidence then gives the exception to the
// stronger statement and the number of instances visited until it. If holds is confirmed and stronger is not
// refuted, the verdict is undecided.
func WithException(holds, stronger Checker) Checker {
	return func(ctx context.Context, run Run) (Outcome, error) {
		out, err := holds(ctx, run)
		if err != nil || out.Verdict != evidence.Confirmed {
			return out, err
		}
		exception, err := stronger(ctx, run)
		if err != nil {
			return Outcome{}, err
		}
		if exception.Verdict != evidence.Refuted {
			out.Verdict = evidence.Undecided
			return out, nil
		}
		var at []string
		for _, f := range exception.Witness.Fields {
			at = append(at, f.Name+" = "+f.Value)
		}
		out.Evidence = append(out.Evidence, Item{
			"instances until the exception " + strings.Join(at, ", "),
			evidence.Exact{Value: big.NewRat(int64(exception.Instances), 1), Provenance: evidence.From("counted")},
		})
		out.Evidence = append(out.Evidence, exception.Evidence...)
		return out, nil
	}
}

// TakenFor checks a statement that is often read as a stronger one. It is confirmed if holds is confirmed and
// taken, the stronger reading, is refuted. The smallest counterexample to taken becomes the outcome's
// Exception. If taken is not refuted, the verdict is undecided. holds may be nil for a statement that claims
// nothing that could fail, such as an estimate.
func TakenFor(holds, taken Checker) Checker {
	return func(ctx context.Context, run Run) (Outcome, error) {
		more, err := taken(ctx, run)
		if err != nil {
			return Outcome{}, err
		}
		out := Outcome{Verdict: evidence.Confirmed, Scope: more.Scope, Instances: more.Instances, Visited: more.Visited}
		if holds != nil {
			if out, err = holds(ctx, run); err != nil || out.Verdict != evidence.Confirmed {
				return out, err
			}
		}
		if more.Verdict != evidence.Refuted {
			out.Verdict = evidence.Undecided
			return out, nil
		}
		out.Range += "; stronger reading: " + more.Range
		out.Exception, out.Evidence = more.Witness, append(out.Evidence, more.Evidence...)
		out.Range = strings.TrimPrefix(out.Range, "; stronger reading: ")
		return out, nil
	}
}

// Loose runs a check and adds evidence of how loose the statement is.
//
//go:noinline
func Loose(check Checker, items func(context.Context) []Item) Checker {
	return func(ctx context.Context, run Run) (Outcome, error) {
		out, err := check(ctx, run)
		if err != nil {
			return Outcome{}, err
		}
		out.Evidence = append(out.Evidence, items(ctx)...)
		return out, nil
	}
}

// Surveyed runs a check and, if it refutes, reports at how many instances of the bounded family the statement
// fails.
func Surveyed[I any](s Statement[I]) Checker { return untyped(&s).surveyed }

func (s *search) surveyed(ctx context.Context, run Run) (Outcome, error) {
	out, err := s.check(ctx, run)
	if err != nil || out.Verdict != evidence.Refuted || s.each == nil {
		return out, err
	}
	failures, total := int64(0), uint64(0)
	for i := range s.each {
		if err := ctx.Err(); err != nil {
			return Outcome{}, err
		}
		total++
		if holds, _ := s.decide(i); !holds {
			failures++
		}
	}
	out.Range = fmt.Sprintf("%s: fails at %d of %d instances", s.family, failures, total)
	out.Evidence = append(out.Evidence, Item{
		fmt.Sprintf("failures among the %d instances of the family: %s", total, s.family),
		evidence.Exact{Value: big.NewRat(failures, 1), Cases: total, Provenance: evidence.From("counted")},
	})
	return out, nil
}

// RatioRange records the smallest and the largest ratio in a check.
type RatioRange struct {
	least, greatest evidence.Certified
	seen            bool
}

func (r *RatioRange) See(ratio evidence.Certified) {
	if !r.seen || ratio.Lo < r.least.Lo {
		r.least = ratio
	}
	if !r.seen || ratio.Hi > r.greatest.Hi {
		r.greatest = ratio
	}
	r.seen = true
}

// Measuring runs the check that build returns and adds the smallest and the largest ratio that the check
// recorded to its evidence. The ratios show how loose a bound is over the visited instances.
func Measuring(what string, build func(*RatioRange) Checker) Checker {
	return func(ctx context.Context, run Run) (Outcome, error) {
		var r RatioRange
		out, err := build(&r)(ctx, run)
		if err == nil && r.seen {
			out.Evidence = append(out.Evidence, Item{what + ", least visited", r.least}, Item{what + ", greatest visited", r.greatest})
		}
		return out, err
	}
}

// Alongside runs a check and adds items to its evidence, whatever the verdict.
func Alongside(check Checker, items ...Item) Checker {
	return Loose(check, func(context.Context) []Item { return items })
}
