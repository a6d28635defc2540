package checktest

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/cases"
)

var update = flag.Bool("update", false, "write testdata/families.tsv and testdata/outcomes.txt anew")

// Ledger holds the test expectations for the claims of a folder.
type Ledger struct {
	Claims []check.Claim
	// Sizes counts the instances of families independently of their grids, from their descriptions. Keys are
	// descriptions, or statements ("mvg.theorem9/2", the second that its check visits) if several families have one
	// description.
	Sizes map[string]int
	// Repeated gives the number of repeated instances in a statement's family, if the family yields some
	// instances more than once.
	Repeated map[string]int
	Panels   map[string]Panel // by id, the claims whose checks search no instances
}

var outcomeTable = filepath.Join("testdata", "outcomes.txt")

// Run checks every eighth claim from one seed, or every claim from five seeds if the tests run all their cases. .ci/run
// checks the other claims against the generated pages. A claim's outcome must be as recorded and reproducible, and a
// refutation must have a witness that a script can show. Each statement's family must match testdata/families.tsv, and
// from the first seed the outcome must equal the one in testdata/outcomes.txt.
func (l Ledger) Run(t *testing.T) {
	seeds := cases.Of(uint64(1), 5)
	families, outcomes := readFamilies(t, l), readOutcomes(t)
	var renewed strings.Builder
	ran := make(map[string]int) // number of statements that a check visited, by claim
	for i, c := range l.Claims {
		if !*update && !cases.Every(8, i) {
			continue
		}
		t.Run(c.ID, func(t *testing.T) {
			for seed := range seeds {
				to, of := families.surveyor(t, c.ID, seed)
				out, err := c.Check(check.Surveying(t.Context(), to), check.Run{Budget: check.DefaultBudget, Seed: seed})
				if err != nil {
					t.Fatal(err)
				}
				for _, what := range against(c, out) {
					t.Errorf("seed %d: %s", seed, what)
				}
				if of.statements == 0 {
					l.Panels[c.ID].hold(t, c.ID, out)
				}
				if seed == 0 {
					ran[c.ID] = of.statements
					fmt.Fprintf(&renewed, "== %s\n%s\n", c.ID, out.String())
					if want := outcomes[c.ID]; !*update && out.String() != want {
						t.Errorf("the outcome is\n%s\nrecorded is\n%s", out.String(), want)
					}
				}
				t.Logf("seed %d: %s after %d instances (%s)", seed, out.Verdict, out.Instances, out.Scope)
			}
		})
	}
	switch {
	case *update:
		renew(t, familyTable, families.table.String())
		renew(t, outcomeTable, renewed.String())
	case len(ran) == len(l.Claims): // all claims were checked
		for key := range families.recorded {
			id, part, _ := strings.Cut(key, "/")
			if n, err := strconv.Atoi(part); err != nil || n > ran[id] {
				t.Errorf("%s is in %s, but belongs to no claim", key, familyTable)
			}
		}
		for id := range outcomes {
			if _, ok := ran[id]; !ok {
				t.Errorf("%s is in %s, but is not a claim", id, outcomeTable)
			}
		}
	}
}

// against lists the differences between an outcome and its claim.
func against(c check.Claim, out check.Outcome) (wrong []string) {
	add := func(format string, a ...any) { wrong = append(wrong, fmt.Sprintf(format, a...)) }
	if out.Verdict != c.Recorded {
		add("%s, recorded %s", out.Verdict, c.Recorded)
	}
	if out.Remark != c.Remark {
		add("remark %q, recorded %q", out.Remark, c.Remark)
	}
	if (out.Verdict == evidence.Refuted) != (out.Witness != nil && out.Witness.Script != "") {
		add("%s with witness %v", out.Verdict, out.Witness)
	}
	if (c.Corrected != "") != (out.Corrected != nil) {
		add("corrected statement %q, its outcome %v", c.Corrected, out.Corrected)
	}
	for o := &out; o != nil; o = o.Corrected {
		for _, i := range o.Evidence {
			if what := cmp.Or(evidencetest.Fault(i.Number), evidencetest.Sourceless(i.Number)); what != "" {
				add("%s is %v: %s", i.Label, i.Number, what)
			}
		}
	}
	if out.Corrected != nil && out.Corrected.Verdict != evidence.Confirmed {
		add("corrected statement %s at %v", out.Corrected.Verdict, out.Corrected.Witness)
	}
	if out.Instances == 0 {
		add("no instance could fail")
	}
	return wrong
}

// readOutcomes returns the recorded outcomes by claim.
func readOutcomes(t *testing.T) map[string]string {
	t.Helper()
	content, err := os.ReadFile(outcomeTable)
	if err != nil && !*update {
		t.Fatal(err)
	}
	out := make(map[string]string)
	for _, part := range bytes.Split(append([]byte("\n"), content...), []byte("\n== "))[1:] {
		id, text, _ := strings.Cut(string(part), "\n")
		out[id] = strings.TrimSuffix(text, "\n")
	}
	return out
}

func renew(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Panel describes the evidence of a claim whose check only reports numbers: Head items, then Each items for
// every instance of Family.
type Panel struct {
	Head, Each int
	Family     []string // names of the instances; the label of an instance's item contains every word of its name
	NonVacuous int      // least number of instances whose evidence could contradict the claim
	// Check compares the items of one instance with an independent computation, and reports whether they could
	// contradict the claim there.
	Check func(t *testing.T, instance string, items []check.Item) bool
}

// hold reports an error if an outcome does not meet the panel's expectations.
func (p Panel) hold(t *testing.T, id string, out check.Outcome) {
	t.Helper()
	if p.NonVacuous <= 0 {
		t.Errorf("no count of the instances at which %s could fail", id)
		return
	}
	if out.Instances != len(p.Family) || len(out.Evidence) != p.Head+p.Each*len(p.Family) {
		t.Errorf("%d instances and %d items, want %d and %d", out.Instances, len(out.Evidence), len(p.Family), p.Head+p.Each*len(p.Family))
		return
	}
	nonVacuous := 0
	for i, instance := range p.Family {
		items := out.Evidence[p.Head+i*p.Each:][:p.Each]
		for _, item := range items {
			if slices.ContainsFunc(strings.Fields(instance), func(word string) bool { return !strings.Contains(item.Label, word) }) {
				t.Errorf("%q is evidence of %s", item.Label, instance)
			}
		}
		if p.Check(t, instance, items) {
			nonVacuous++
		}
	}
	if nonVacuous < p.NonVacuous {
		t.Errorf("could contradict the claim at %d instances, want at least %d", nonVacuous, p.NonVacuous)
	}
}
