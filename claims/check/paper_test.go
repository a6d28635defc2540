package check_test

import (
	"context"
	"strings"
	"testing"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"

	"github.com/google/go-cmp/cmp"
)

const paperFile = `Paper: A paper
Key: a
Citation: B. Author, A Title

Claim: a.one
Place: Theorem 1
Covers: Theorem 1, Lemma 2
Words: all are
  even
At: (1)
Statement: all are even
Recorded: refuted
Severity: false as stated and unsafe
Readings: most
Cause: a.odd
Replace: all
By: some
Proof: our proof
Proof-At: a.md#one
Rests-On: a.two
Serves: f, g
Telling: n: 2: two
Telling: m: 3
Script: print(2, 3, False)

Claim: a.two
Place: Section 1
Covers: none
Beyond: yes
Inferred: yes
Statement: most are even
Recorded: undecided
Study: run a.star
Proof: no proof known here

Cause: a.odd
Title: one is odd
Text: 3 is.
`

// ReadPaper reads the claims and causes with all their fields.
func TestReadPaper(t *testing.T) {
	got, err := check.ReadPaper(paperFile)
	if err != nil {
		t.Fatal(err)
	}
	want := &check.Paper{
		Key: "a", Name: "A paper", Citation: "B. Author, A Title",
		Claims: []check.Claim{
			{ID: "a.one", Paper: "A paper", Place: "Theorem 1", Covers: []string{"Theorem 1", "Lemma 2"}, Statement: "all are even", Recorded: evidence.Refuted, Entry: check.Entry{
				Quote: check.Quote{Words: "all are even", At: "(1)"}, Severity: check.Unsafe, Readings: "most", Cause: "a.odd", Erratum: check.Erratum{Replace: "all", By: "some"},
				Proof: check.Proof{Kind: check.Ours, At: "a.md#one"}, RestsOn: []string{"a.two"}, Serves: []string{"f", "g"},
				Telling: &check.Witness{Fields: check.Named("n", "2: two", "m", "3"), Script: "print(2, 3, False)"},
			}},
			{ID: "a.two", Paper: "A paper", Place: "Section 1", Covers: []string{}, Beyond: true, Inferred: true, Statement: "most are even", Recorded: evidence.Undecided, Entry: check.Entry{Study: "run a.star", Proof: check.Proof{Kind: check.None}}},
		},
		Causes: []check.Cause{{ID: "a.odd", Paper: "A paper", Title: "one is odd", Text: "3 is."}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// An error in a file names the block and the field.
func TestPapersWithErrors(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"Key: a\n", "", "Paper A paper: the field Key is missing"},
		{"Statement: all are even\n", "", "Claim a.one: the field Statement is missing"},
		{"Recorded: refuted\n", "", "Claim a.one: the field Recorded is missing"},
		{"Proof: our proof\n", "", "Claim a.one: the field Proof is missing"},
		{"Title: one is odd\n", "", "Cause a.odd: the field Title is missing"},
		{"Severity:", "Severe:", "Claim a.one: no field is named Severe; the fields are At, "},
		{"At: (1)\n", "At: (1)\nAt: (2)\n", "Claim a.one: the field At is given 2 times, want once"},
		{"At: (1)\n", "At:\n", "Claim a.one: the field At is empty"},
		{"Recorded: refuted", "Recorded: false", `Claim a.one: Recorded = "false", want one of confirmed; refuted; undecided`},
		{"false as stated and unsafe", "bad", `Claim a.one: Severity = "bad", want one of false as stated and unsafe; `},
		{"our proof", "a proof", `Claim a.one: Proof = "a proof", want one of `},
		{"Inferred: yes", "Inferred: no", `Claim a.two: Inferred = "no", want one of yes`},
		{"Beyond: yes", "Beyond: no", `Claim a.two: Beyond = "no", want one of yes`},
		{"Claim: a.one", "a.one", `after 0 claims of "A paper": `},
	} {
		broken := strings.Replace(paperFile, c.old, c.new, 1)
		if _, err := check.ReadPaper(broken); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q for %q: %v, want %s", c.new, c.old, err, c.want)
		}
	}
}

// Every claim gets its check. Claims without a check, checks without a claim, and duplicates are rejected by name.
func TestChecked(t *testing.T) {
	of := func(scope string) check.Checker {
		return func(context.Context, check.Run) (check.Outcome, error) { return check.Outcome{Scope: scope}, nil }
	}
	p := check.Must(check.ReadPaper(paperFile))
	got, err := p.Checked(check.Checks{"a.two": of("2")}, check.Checks{"a.one": of("1")})
	if err != nil || len(got) != 2 {
		t.Fatal(len(got), err)
	}
	for i, want := range []string{"1", "2"} {
		if out, err := got[i].Check(t.Context(), check.Run{}); err != nil || out.Scope != want {
			t.Errorf("%s has the check of %s, %v", got[i].ID, out.Scope, err)
		}
	}
	twice := *p
	twice.Claims = append(twice.Claims, p.Claims[0])
	for want, refused := range map[string]func() ([]check.Claim, error){
		"a: the claim a.two has no check": func() ([]check.Claim, error) { return p.Checked(check.Checks{"a.one": of("")}) },
		"a: the check a.six has no claim": func() ([]check.Claim, error) {
			return p.Checked(check.Checks{"a.one": of(""), "a.two": of(""), "a.six": of("")})
		},
		"a: the claim a.one has two checks": func() ([]check.Claim, error) {
			return p.Checked(check.Checks{"a.one": of("")}, check.Checks{"a.one": of(""), "a.two": of("")})
		},
		"a: the claim a.one has no check, or is listed twice": func() ([]check.Claim, error) { return twice.Checked(check.Checks{"a.one": of(""), "a.two": of("")}) },
	} {
		if _, err := refused(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
