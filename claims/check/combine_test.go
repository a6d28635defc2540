package check_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
)

var errSeen = errors.New("no answer")

// numbers is a statement about the family 0 … 9 and random numbers in 10 … 19. It holds for numbers below
// bound, is vacuous at odd ones, and returns an error at the number wrong.
func numbers(bound, wrong int) check.Statement[int] {
	return check.Statement[int]{
		Family: "0 … 9", Each: slices.Values([]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}),
		Draw: func(rng *rand.Rand) int { return 10 + rng.IntN(10) },
		Holds: func(n int) bool {
			if n == wrong {
				return check.Must(true, errSeen)
			}
			return n < bound
		},
		Applies: func(n int) bool { return n%2 == 0 },
		Witness: func(n int) *check.Witness {
			return &check.Witness{Fields: check.Named("n", fmt.Sprint(n)), Script: fmt.Sprintf("print(%d < %d)", n, bound)}
		},
		Measure: func(n int) []check.Item {
			return []check.Item{{Label: "n", Number: evidence.Exact{Value: big.NewRat(int64(n), 1)}}}
		},
	}
}

// The text of an outcome counts the instances at which the statement could fail, for every kind of check.
func TestOutcomes(t *testing.T) {
	family := func(change func(s *check.Statement[int])) check.Checker {
		s := numbers(100, -1)
		s.Draw = nil
		change(&s)
		return s.Check
	}
	for name, c := range map[string]struct {
		checker check.Checker
		want    string
	}{
		"drawn too":        {numbers(100, -1).Check, "confirmed (9 instances: 5 of 10 over 0 … 9, 4 of 6 at random)\n  instances passed over, at which the statement says nothing: 7 (exact)"},
		"the family alone": {family(func(*check.Statement[int]) {}), "confirmed (5 of 10 instances over 0 … 9)\n  instances passed over, at which the statement says nothing: 5 (exact)"},
		"all count":        {family(func(s *check.Statement[int]) { s.Applies = nil }), "confirmed (10 instances over 0 … 9)"},
		"all there is":     {family(func(s *check.Statement[int]) { s.Applies, s.Whole = nil, true }), "confirmed (exhaustive: 0 … 9)"},
		"some of all":      {family(func(s *check.Statement[int]) { s.Whole = true }), "confirmed (exhaustive: 5 of 10 of 0 … 9)\n  instances passed over, at which the statement says nothing: 5 (exact)"},
		"none counts":      {family(func(s *check.Statement[int]) { s.Applies = func(int) bool { return false } }), "undecided (0 of 10 instances over 0 … 9)\n  instances passed over, at which the statement says nothing: 10 (exact)"},
		"as many as asked": {family(func(s *check.Statement[int]) { s.Least = 5 }), "confirmed (5 of 10 instances over 0 … 9; at least 5 asked for)\n  instances passed over, at which the statement says nothing: 5 (exact)"},
		"fewer than asked": {family(func(s *check.Statement[int]) { s.Least = 6 }), "undecided (5 of 10 instances over 0 … 9; at least 6 asked for)\n  instances passed over, at which the statement says nothing: 5 (exact)"},
		"met on the way": {family(func(s *check.Statement[int]) {
			holds := s.Holds
			s.Holds, s.Decide = nil, func(n int) (bool, bool) { return holds(n), n > 6 }
		}), "confirmed (3 of 10 instances over 0 … 9)\n  instances passed over, at which the statement says nothing: 7 (exact)"},
		"refuted at once":      {numbers(0, -1).Check, "refuted (at the first instance)\n  n: 0\n  replay: print(0 < 0)\n  n: 0 (exact)"},
		"refuted in the midst": {numbers(4, -1).Check, "refuted (at instance 3 of the search)\n  n: 4\n  replay: print(4 < 4)\n  n: 4 (exact)\n  instances passed over, at which the statement says nothing: 2 (exact)"},
		"without a witness": {family(func(s *check.Statement[int]) {
			*s = numbers(0, -1)
			s.Witness, s.Measure = nil, nil
		}), "refuted (at the first instance)\n  instance: 0"},
		"made simpler": {family(func(s *check.Statement[int]) {
			*s = numbers(4, -1)
			s.Each, s.Family = nil, ""
			s.Applies = nil
			s.Simpler = func(n int) iter.Seq[int] { return slices.Values([]int{n - 3, n - 1}) }
		}), "refuted (at the first instance)\n  n: 4\n  replay: print(4 < 4)\n  n: 4 (exact)"},
		"surveyed":           {check.Surveyed(numbers(4, -1)), "refuted (at instance 3 of the search)\n  n: 4\n  replay: print(4 < 4)\n  n: 4 (exact)\n  instances passed over, at which the statement says nothing: 2 (exact)\n  failures among the 10 instances of the family: 0 … 9: 6 (exact)"},
		"corrected":          {check.WithCorrection(numbers(0, -1).Check, family(func(s *check.Statement[int]) { s.Applies = nil })), "refuted (at the first instance)\n  n: 0\n  replay: print(0 < 0)\n  n: 0 (exact)\n  corrected statement: confirmed (10 instances over 0 … 9)"},
		"parts":              {check.InTurn(family(func(s *check.Statement[int]) { s.Applies = nil }), family(func(s *check.Statement[int]) { s.Applies = nil; s.Family = "digits" })), "confirmed (10 instances over 0 … 9; 10 instances over digits)"},
		"like parts":         {check.InTurn(family(func(s *check.Statement[int]) { s.Applies = nil }), family(func(s *check.Statement[int]) { s.Applies = nil })), "confirmed (10 instances over 0 … 9, for each part)"},
		"a part fails":       {check.InTurn(family(func(s *check.Statement[int]) { s.Applies = nil }), numbers(0, -1).Check), "refuted (at instance 11 of the search)\n  n: 0\n  replay: print(0 < 0)\n  n: 0 (exact)"},
		"an exception":       {check.WithException(family(func(s *check.Statement[int]) { s.Applies = nil }), numbers(4, -1).Check), "confirmed (10 instances over 0 … 9)\n  instances until the exception n = 4: 3 (exact)\n  n: 4 (exact)\n  instances passed over, at which the statement says nothing: 2 (exact)"},
		"without exception":  {check.WithException(family(func(s *check.Statement[int]) { s.Applies = nil }), numbers(100, -1).Check), "undecided (10 instances over 0 … 9)"},
		"nothing to except":  {check.WithException(numbers(0, -1).Check, numbers(4, -1).Check), "refuted (at the first instance)\n  n: 0\n  replay: print(0 < 0)\n  n: 0 (exact)"},
		"evidence alongside": {check.Alongside(family(func(s *check.Statement[int]) { s.Applies = nil }), check.Item{Label: "a third", Number: evidence.Exact{Value: big.NewRat(1, 3)}}), "confirmed (10 instances over 0 … 9)\n  a third: 0.333333333333333 (exact: 1/3)"},
	} {
		out, err := c.checker(t.Context(), check.Run{Budget: 6, Seed: 4})
		if err != nil || out.String() != c.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, err, out.String(), c.want)
		}
	}
}

// A checker returns the error of any of its parts, and its context's error. Incomplete statements are
// rejected.
func TestChecksFail(t *testing.T) {
	good, bad, late := numbers(100, -1).Check, numbers(100, 5).Check, numbers(100, 12)
	late.Draw = func(*rand.Rand) int { return 12 }
	simpler := numbers(4, 3)
	simpler.Each = slices.Values([]int{8})
	simpler.Simpler = func(int) iter.Seq[int] { return slices.Values([]int{3}) }
	survey := numbers(4, 5)
	for name, c := range map[string]check.Checker{
		"the family": bad, "a random instance": late.Check, "a simpler instance": simpler.Check, "a survey": check.Surveyed(survey), "a survey's check": check.Surveyed(numbers(100, 5)),
		"the published": check.WithCorrection(bad, good), "the corrected": check.WithCorrection(good, bad), "the first part": check.InTurn(bad, good), "the second part": check.InTurn(good, bad),
		"what holds": check.WithException(bad, numbers(4, -1).Check), "what does not": check.WithException(good, bad), "a loose check": check.Loose(bad, nil),
		"its evidence": check.Loose(good, func(context.Context) []check.Item { return check.Must([]check.Item(nil), errSeen) }),
		"a measure":    check.Measuring("x", func(*check.RatioRange) check.Checker { return bad }),
	} {
		if _, err := (check.Claim{Checker: c}).Check(t.Context(), check.Run{Budget: 6}); !errors.Is(err, errSeen) {
			t.Errorf("%s: %v, want an error", name, err)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	drawn := numbers(100, -1)
	drawn.Each = nil
	for name, c := range map[string]check.Checker{"the family": good, "the random ones": drawn.Check} {
		if _, err := c(ended, check.Run{Budget: 1}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s visited without a context: %v", name, err)
		}
	}
	claim := check.Claim{ID: "paper.lemma1", Paper: "Paper", Place: "Lemma 1", Remark: "loose", Checker: bad}
	if _, err := claim.Check(t.Context(), check.Run{}); !errors.Is(err, errSeen) || !strings.HasPrefix(err.Error(), "paper.lemma1: ") {
		t.Errorf("a claim's error: %v", err)
	}
	if _, err := claim.Check(t.Context(), check.Run{Budget: -1}); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("a negative budget: %v", err)
	}
	claim.Checker = good
	if out, err := claim.Check(t.Context(), check.Run{}); err != nil || out.Remark != "loose" || claim.Key() != "paper" || !slices.Equal(claim.Covered(), []string{"Lemma 1"}) {
		t.Errorf("a claim: %+v, %v, %s, %v", out, err, claim.Key(), claim.Covered())
	}
	no := numbers(1, -1)
	no.Each, no.Draw = nil, nil
	for name, change := range map[string]func(s *check.Statement[int]){
		"no question": func(s *check.Statement[int]) { s.Holds = nil }, "no instances": func(s *check.Statement[int]) { s.Each, s.Draw = nil, nil },
	} {
		s := numbers(1, -1)
		change(&s)
		if _, err := s.Check(t.Context(), check.Run{}); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := numbers(1, -1).Check(t.Context(), check.Run{Budget: -1}); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("a negative budget: %v", err)
	}
}

// A range of ratios contains all observed ratios.
func TestRatioRange(t *testing.T) {
	c := check.Measuring("ratio", func(r *check.RatioRange) check.Checker {
		for _, ends := range [][2]float64{{2, 3}, {1, 9}, {8, 8.5}, {1.5, 2}} { // one ratio has both the smallest lower and the largest upper end
			r.See(evidence.Certified{Lo: ends[0], Hi: ends[1]})
		}
		return numbers(100, -1).Check
	})
	out, err := c(t.Context(), check.Run{})
	if err != nil || len(out.Evidence) != 3 {
		t.Fatal(out, err)
	}
	least, greatest := out.Evidence[1], out.Evidence[2]
	if least.Label != "ratio, least visited" || least.Number != (evidence.Certified{Lo: 1, Hi: 9}) || greatest.Label != "ratio, greatest visited" || greatest.Number != (evidence.Certified{Lo: 1, Hi: 9}) {
		t.Errorf("%+v, %+v", least, greatest)
	}
}

// Surveys report instances in the order of their visits.
func TestSurveying(t *testing.T) {
	var told []check.Survey
	ctx := check.Surveying(t.Context(), check.Surveyor{Survey: func(s check.Survey) { told = append(told, s) }})
	for _, bound := range []int{100, 4, 12} {
		if _, err := numbers(bound, -1).Check(ctx, check.Run{Budget: 6, Seed: 4}); err != nil {
			t.Fatal(err)
		}
	}
	if len(told) != 3 || told[0] != (check.Survey{Family: "0 … 9", Size: 10, NonVacuous: 5, Drawn: 6, DrawnNonVacuous: 4}) ||
		told[1] != (check.Survey{Family: "0 … 9", Size: 10, NonVacuous: 3, Refuted: true}) || told[2].NonVacuous != 5 || !told[2].Refuted || told[2].Drawn == 0 {
		t.Errorf("%+v", told)
	}
}

func TestLiterals(t *testing.T) {
	for got, want := range map[string]string{
		check.List([]int{1, 2}): "[1, 2]", check.Lists([][]int{{1}, {}}): "[[1], []]", check.Pairs([][2]int{{0, 1}, {2, 3}}): "[(0, 1), (2, 3)]",
		check.Quoted([]string{"a", "b"}): `"a", "b"`, check.Halves([][]int{{1, -2}, {3}}): "[[0.5, -1], [1.5]]", fmt.Sprint(check.Counting(3)): "[0 1 2]",
		check.Ratio(6, -4).String(): "-3/2", fmt.Sprint(check.Abs(-3), check.Abs(3), check.Abs(0)): "3 3 0",
		check.Power(check.Ratio(2, 3), 3).String(): "8/27", check.Power(check.Ratio(2, 3), -1).String(): "3/2", fmt.Sprint(check.Digits(11, 3, 4)): "[2 0 1 0]",
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if got := fmt.Sprint(slices.Collect(check.Map(slices.Values([]int{1, 2}), func(n int) int { return n * n }))); got != "[1 4]" {
		t.Error(got)
	}
}
