package check_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
)

// The full text of a claim includes its hypotheses and its correction, if it has them.
func ExampleClaim_String() {
	c := check.Claim{ID: "a.lemma1", Paper: "A paper", Place: "Lemma 1", Statement: "all are even", Recorded: evidence.Refuted}
	fmt.Println(c)
	c.Hypotheses, c.Corrected = "whole numbers", "some are even"
	fmt.Println(c)
	// Output:
	// a.lemma1 (A paper, Lemma 1): all are even
	//   recorded verdict: refuted
	// a.lemma1 (A paper, Lemma 1): all are even
	//   hypotheses: whole numbers
	//   recorded verdict: refuted
	//   corrected: some are even
}

// Check returns the checked statement. It uses the claim's remark if the checker returns none.
func TestClaimCheck(t *testing.T) {
	for _, c := range []struct{ own, recorded, want string }{{"", "loose", "loose"}, {"reversed", "loose", "reversed"}, {"", "", ""}} {
		claim := check.Claim{ID: "a.b.c", Statement: "s", Remark: c.recorded, Place: "Lemma 1", Covers: []string{}, Checker: func(context.Context, check.Run) (check.Outcome, error) {
			return check.Outcome{Remark: c.own, Instances: 3}, nil
		}}
		out, err := claim.Check(t.Context(), check.Run{})
		if want := (check.Outcome{Claim: "a.b.c", Statement: "s", Remark: c.want, Instances: 3}); err != nil || !reflect.DeepEqual(out, want) {
			t.Errorf("%+v: %+v, %v", c, out, err)
		}
		if claim.Key() != "a" || len(claim.Covered()) != 0 {
			t.Errorf("key %q, covers %v: want a and none", claim.Key(), claim.Covered())
		}
	}
	if got, want := check.Named("a", "1", "b", "2"), []check.Field{{Name: "a", Value: "1"}, {Name: "b", Value: "2"}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// A negative budget and an incomplete statement are rejected by name. An ε that is not positive ends the
// check.
func TestRefusals(t *testing.T) {
	good := numbers(100, -1)
	noHolds, nothing := good, good
	noHolds.Holds = nil
	nothing.Each, nothing.Draw = nil, nil
	claim := func(s check.Statement[int]) check.Checker { return check.Claim{Checker: s.Check}.Check }
	for _, c := range []struct {
		checker check.Checker
		budget  int
		want    string
	}{
		{good.Check, -1, "budget = -1 instances, want at least 0"},
		{claim(good), -2, "budget = -2 instances, want at least 0"},
		{noHolds.Check, 0, "a statement needs Holds or Decide"},
		{nothing.Check, 0, "a statement needs a family of instances or a way to draw them"},
	} {
		if _, err := c.checker(t.Context(), check.Run{Budget: c.budget}); !errors.Is(err, evidence.ErrParameter) || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	for _, eps := range []float64{0, -1} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("ε = %v is accepted", eps)
				}
			}()
			check.BudgetOf(eps)
		}()
	}
	if e := check.BudgetOf(0.5); e.Value() != 0.5 {
		t.Errorf("ε = %v, want 0.5", e)
	}
}

// The surveyor receives each random instance before it is visited, and after each visit whether the statement
// holds and whether the instance counts. Finally it receives all instances of the family.
func TestSurveyor(t *testing.T) {
	for bound, want := range map[int]string{
		100: "holds counts, holds, holds counts, holds, holds counts, holds, holds counts, holds, holds counts, holds; 2 drawn; 0 1 2 3 4 5 6 7 8 9; 10",
		3:   "holds counts, holds, holds counts, fails; 0 drawn; 0 1 2 3 4 5 6 7 8 9; 10",
	} {
		s := numbers(bound, -1)
		var decided []string
		var family string
		drawn, size, last := 0, 0, ""
		ctx := check.Surveying(t.Context(), check.Surveyor{
			Decided: func(holds, counts bool) {
				if drawn > 0 {
					return
				}
				decided = append(decided, map[bool]string{true: "holds", false: "fails"}[holds]+map[bool]string{true: " counts", false: ""}[counts])
			},
			Drawn:  func(i any) { drawn++; last = fmt.Sprint(i) },
			Family: func(i any) { family += fmt.Sprint(i, " ") },
			Survey: func(s check.Survey) { size = s.Size },
		})
		if _, err := s.Check(ctx, check.Run{Budget: 2, Seed: 4}); err != nil {
			t.Fatal(err)
		}
		text := ""
		for i, d := range decided {
			if i > 0 {
				text += ", "
			}
			text += d
		}
		if got := fmt.Sprintf("%s; %d drawn; %s; %d", text, drawn, family[:len(family)-1], size); got != want || drawn > 0 && len(last) != 2 {
			t.Errorf("below %d: %s, last %q\nwant %s", bound, got, last, want)
		}
	}
}

// InTurn adds up the instances of all parts. Its outcome is exhaustive only if each part is.
func TestCombinedVisits(t *testing.T) {
	of := func(v check.Visited, instances int) check.Checker {
		return func(context.Context, check.Run) (check.Outcome, error) {
			return check.Outcome{Verdict: evidence.Confirmed, Visited: v, Instances: instances}, nil
		}
	}
	for _, c := range []struct {
		a, b, want check.Visited
	}{
		{check.Visited{Family: 2, Drawn: 3, Whole: true}, check.Visited{Family: 5, Drawn: 7, Whole: true}, check.Visited{Family: 7, Drawn: 10, Whole: true}},
		{check.Visited{Family: 2, Whole: false}, check.Visited{Family: 5, Whole: true}, check.Visited{Family: 7}},
		{check.Visited{Family: 2, Whole: true}, check.Visited{Family: 5, Whole: false}, check.Visited{Family: 7}},
	} {
		out, err := check.InTurn(of(c.a, 11), of(c.b, 13))(t.Context(), check.Run{})
		if err != nil || out.Visited != c.want || out.Instances != 24 {
			t.Errorf("%v and %v: %v with %d instances, %v, want %v with 24", c.a, c.b, out.Visited, out.Instances, err, c.want)
		}
	}
	if out, err := check.InTurn(of(check.Visited{Whole: true}, 1))(t.Context(), check.Run{}); err != nil || !out.Visited.Whole {
		t.Errorf("one part that is whole: %+v, %v", out, err)
	}
}

// A refuted outcome counts the instances up to and including the counterexample. If a statement has no
// family, Surveyed adds no count of failures to its outcome.
func TestVisitedToRefutation(t *testing.T) {
	for _, whole := range []bool{false, true} {
		s := numbers(12, -1)
		s.Draw, s.Whole = func() func(rng *rand.Rand) int { n := 9; return func(*rand.Rand) int { n++; return n } }(), whole
		out, err := s.Check(t.Context(), check.Run{Budget: 9})
		if want := (check.Visited{Family: 5, Drawn: 2, Whole: whole}); err != nil || out.Visited != want || out.Instances != 7 || out.Witness.Fields[0].Value != "12" {
			t.Errorf("%+v, %v, want %v visited and 7 instances to 12", out, err, want)
		}
	}
	s := numbers(0, -1)
	s.Each, s.Family = nil, ""
	out, err := check.Surveyed(s)(t.Context(), check.Run{Budget: 1})
	if err != nil || out.Verdict != evidence.Refuted || slices.ContainsFunc(out.Evidence, func(i check.Item) bool { return i.Label != "n" && i.Label[:9] != "instances" }) {
		t.Errorf("a survey without a family: %+v, %v", out, err)
	}
}

// A cancelled survey returns the context's error. A cancelled simplification keeps the simplest
// counterexample so far.
func TestInterrupted(t *testing.T) {
	ended := func(after int, s check.Statement[int]) (context.Context, check.Statement[int]) {
		ctx, cancel := context.WithCancel(t.Context())
		holds, asked := s.Holds, 0
		s.Holds = func(n int) bool {
			if asked++; asked == after {
				cancel()
			}
			return holds(n)
		}
		return ctx, s
	}
	ctx, s := ended(7, numbers(4, -1)) // five visits up to the counterexample 4, then from 0 again
	if _, err := check.Surveyed(s)(ctx, check.Run{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a survey ignores its ended context: %v", err)
	}
	down := numbers(4, -1)
	down.Each = slices.Values([]int{9})
	down.Simpler = func(n int) iter.Seq[int] { return slices.Values([]int{n - 1}) }
	ctx, s = ended(3, down) // 9, 8, 7
	if out, err := s.Check(ctx, check.Run{}); err != nil || out.Witness.Fields[0].Value != "7" {
		t.Errorf("simplified to %v, %v, want 7", out.Witness, err)
	}
}

// At most ten thousand simplifications are tried.
func TestMostSimplifications(t *testing.T) {
	for after, want := range map[int]string{10_000: "5", 10_001: "9"} {
		s := numbers(4, -1)
		s.Each = slices.Values([]int{9})
		s.Simpler = func(n int) iter.Seq[int] {
			return func(yield func(int) bool) {
				for k := 1; n == 9 && k <= after; k++ {
					if !yield(map[bool]int{false: 0, true: 5}[k == after]) {
						return
					}
				}
			}
		}
		if out, err := s.Check(t.Context(), check.Run{}); err != nil || out.Witness.Fields[0].Value != want {
			t.Errorf("a simpler witness at attempt %d: %v, %v, want %s", after, out.Witness, err, want)
		}
	}
}

// Measuring adds no evidence to a check that returns an error.
func TestMeasuringFails(t *testing.T) {
	out, err := check.Measuring("x", func(r *check.RatioRange) check.Checker {
		r.See(evidence.Certified{Lo: 1, Hi: 2})
		return numbers(100, 5).Check
	})(t.Context(), check.Run{})
	if !errors.Is(err, errSeen) || out.Evidence != nil {
		t.Errorf("%+v, %v", out, err)
	}
	if out, err = check.Measuring("x", func(*check.RatioRange) check.Checker { return numbers(100, -1).Check })(t.Context(), check.Run{}); err != nil || len(out.Evidence) != 1 {
		t.Errorf("no instance: %+v, %v", out, err)
	}
}
