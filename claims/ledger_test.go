package claims_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"dpworkbench/claims"
	"dpworkbench/claims/check"
	"dpworkbench/evidence"
)

// Find accepts an id, or one with its equation's number. For an unknown id the error lists at most eight ids that
// contain it and counts the rest, or lists the ids of its paper, or names the nearest id.
func TestFind(t *testing.T) {
	for id, want := range map[string]string{"xor.theorem1": "xor.theorem1", "signrp.(10)": "signrp.equation10", "signrp.equation16": "signrp.equation16"} {
		if c, err := claims.Find(id); err != nil || c.ID != want {
			t.Errorf("%s: %s, %v, want %s", id, c.ID, err, want)
		}
	}
	var ids []string
	for _, c := range append(claims.All(), claims.Field()...) {
		ids = append(ids, c.ID)
	}
	contain := func(part string) []string {
		return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !strings.Contains(id, part) })
	}
	many, two := contain("theorem"), contain("theorem8")
	if len(many) < 9 || len(two) < 1 || len(two) > 8 {
		t.Fatalf("%d ids and %d", len(many), len(two))
	}
	for id, want := range map[string]string{
		"theorem":       fmt.Sprintf(`id = "theorem", want one claim: %s, … (%d more)`, strings.Join(many[:8], ", "), len(many)-8),
		"theorem8":      `id = "theorem8", want one claim: ` + strings.Join(two, ", "),
		"xor.theorem11": `id = "xor.theorem11" is no claim`,
		"":              `id = "" is no claim`,
	} {
		if _, err := claims.Find(id); !errors.Is(err, evidence.ErrParameter) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", id, err, want)
		}
	}
	_, err := claims.Find("signrp.qqqqqqqqqq")
	if err == nil || !strings.Contains(err.Error(), `is not a claim; the claims of signrp, without the prefix "signrp.", are equation10, `) || strings.Contains(err.Error(), "xor.") || strings.Contains(err.Error(), "lemma4.2") {
		t.Errorf("an id of a paper without a similar one: %v", err)
	}
	if _, err = claims.Find("nobody.qqqqqqqqqq"); err == nil || strings.Contains(err.Error(), "there are") {
		t.Errorf("an id of an unknown paper: %v", err)
	}
	// With eight matching ids the error lists all, with nine it omits one.
	for n, more := range map[int]bool{8: false, 9: true} {
		part := exactly(n, ids)
		if _, err := claims.Find(part); err == nil || strings.Contains(err.Error(), "more)") != more {
			t.Errorf("%s, in %d ids: %v", part, n, err)
		}
	}
}

// exactly returns a proper substring that occurs in exactly n ids.
func exactly(n int, ids []string) string {
	for _, id := range ids {
		for from := range id {
			for to := from + 1; to <= len(id); to++ {
				part := id[from:to]
				if holders := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !strings.Contains(id, part) }); len(holders) == n && !slices.Contains(ids, part) {
					return part
				}
			}
		}
	}
	return ""
}

// Claims are ordered by paper and place, with numbers compared as numbers.
func TestOrder(t *testing.T) {
	place := map[string]int{}
	last := -1
	var papers []string
	for _, p := range claims.Papers() {
		papers = append(papers, p.Name)
	}
	for i, c := range claims.All() {
		place[c.ID] = i
		at := slices.Index(papers, c.Paper)
		if at < last {
			t.Errorf("%s of %s comes after a claim of a later paper", c.ID, c.Paper)
		}
		last = at
	}
	for _, pair := range [][2]string{{"mvg.theorem2", "mvg.theorem9"}, {"mvg.lemma2", "mvg.lemma10"}, {"xor.lemma1", "xor.theorem1"}, {"signrp.equation10", "signrp.equation16"}} {
		if place[pair[0]] >= place[pair[1]] {
			t.Errorf("%s comes after %s", pair[0], pair[1])
		}
	}
}

// A selection is a paper, by key or name, or a list of ids, each once and in order. Contradictory selections are
// rejected.
func TestSelections(t *testing.T) {
	all, err := claims.Select("", nil)
	if err != nil || len(all) != len(claims.All()) {
		t.Errorf("Select without arguments gives %d claims, %v", len(all), err)
	}
	if some, err := claims.Select("", []string{}); err != nil || len(some) != 0 {
		t.Errorf("an empty list of ids gives %d claims, %v", len(some), err)
	}
	some, err := claims.Select("mvg", []string{"mvg.theorem2", "mvg.lemma2", "mvg.theorem2"})
	if err != nil || len(some) != 2 || some[0].ID != "mvg.theorem2" || some[1].ID != "mvg.lemma2" {
		t.Errorf("two ids, one twice: %v, %v", some, err)
	}
	for _, c := range []struct {
		paper string
		ids   []string
		want  string
	}{
		{"rox", nil, `paper = "rox", want one of analytic, mvg, r1smg, xor, signrp`},
		{"mvg", []string{"xor.theorem1"}, `id = "xor.theorem1" is no claim of the paper "mvg"`},
		{"", []string{"xor.theorem1", "nonsense"}, `id = "nonsense" is no claim`},
	} {
		if _, err := claims.Select(c.paper, c.ids); !errors.Is(err, evidence.ErrParameter) || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q of %v: %v, want %s", c.ids, c.paper, err, c.want)
		}
	}
}

// A result is as recorded if its verdict is, and if any corrected statement is confirmed.
func TestAsRecorded(t *testing.T) {
	confirmed, undecided := &check.Outcome{Verdict: evidence.Confirmed}, &check.Outcome{Verdict: evidence.Undecided}
	for _, c := range []struct {
		verdict   evidence.Verdict
		corrected *check.Outcome
		want      bool
	}{{evidence.Refuted, nil, true}, {evidence.Refuted, confirmed, true}, {evidence.Refuted, undecided, false}, {evidence.Confirmed, nil, false}, {evidence.Confirmed, confirmed, false}} {
		r := claims.Result{Claim: check.Claim{Recorded: evidence.Refuted}, Outcome: check.Outcome{Verdict: c.verdict, Corrected: c.corrected}}
		if r.AsRecorded() != c.want {
			t.Errorf("%s, corrected %v: %v", c.verdict, c.corrected, r.AsRecorded())
		}
	}
}

// Results come in order, each with its claim, run and outcome. An error ends them and is returned.
func TestCheckAll(t *testing.T) {
	failed := errors.New("failed")
	of := func(id string, err error) check.Claim {
		return check.Claim{ID: id, Checker: func(_ context.Context, r check.Run) (check.Outcome, error) {
			return check.Outcome{Instances: r.Budget}, err
		}}
	}
	var seen []string
	err := claims.CheckAll(t.Context(), []check.Claim{of("a", nil), of("b", nil), of("c", failed), of("d", nil)}, check.Run{Budget: 7, Seed: 3}, func(r claims.Result) {
		seen = append(seen, fmt.Sprintf("%s %v %s %d", r.Claim.ID, r.Run, r.Outcome.Claim, r.Outcome.Instances))
	})
	if want := []string{"a {7 3} a 7", "b {7 3} b 7"}; !errors.Is(err, failed) || !slices.Equal(seen, want) {
		t.Errorf("%q, %v", seen, err)
	}
	if err := claims.CheckAll(t.Context(), []check.Claim{of("a", nil)}, check.Run{}, func(claims.Result) {}); err != nil {
		t.Error(err)
	}
}

// Downstream finds direct and indirect dependents, in any order, without the claim itself. Words are the claim's own
// and theirs, sorted and unique.
func TestDownstream(t *testing.T) {
	of := func(id, word string, on ...string) check.Claim {
		return check.Claim{ID: id, Entry: check.Entry{RestsOn: on, Serves: []string{word, "z"}}}
	}
	all := []check.Claim{of("far", "a", "middle"), of("base", "c"), of("middle", "b", "base"), of("beside", "d", "other"), of("other", "e")}
	if got := claims.Downstream(all, "base"); !slices.Equal(got, []string{"far", "middle"}) {
		t.Errorf("the dependents of base are %v", got)
	}
	if got := claims.Downstream(all, "far"); got != nil {
		t.Errorf("the dependents of far are %v", got)
	}
	if got := claims.Words(all, "base"); !slices.Equal(got, []string{"a", "b", "c", "z"}) {
		t.Errorf("the words %v", got)
	}
	if got := claims.Words(all, "beside"); !slices.Equal(got, []string{"d", "z"}) {
		t.Errorf("the words %v", got)
	}
}

// A cycle is found from any start, without the path that leads to it. Two paths to one claim are not a cycle.
func TestCycles(t *testing.T) {
	of := func(id string, on ...string) check.Claim {
		return check.Claim{ID: id, Entry: check.Entry{RestsOn: on}}
	}
	if got := cycleAmong([]check.Claim{of("start", "a"), of("a", "b"), of("b", "c"), of("c", "a"), of("d", "c")}); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("the cycle is %v, want a, b, c", got)
	}
	if got := cycleAmong([]check.Claim{of("top", "left", "right"), of("left", "base"), of("right", "base"), of("base")}); got != nil {
		t.Errorf("a diamond gives the cycle %v", got)
	}
	if got := cycleAmong([]check.Claim{of("a", "a")}); !slices.Equal(got, []string{"a"}) {
		t.Errorf("a claim that depends on itself gives the cycle %v", got)
	}
}
