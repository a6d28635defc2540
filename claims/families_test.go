package claims_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dpworkbench/claims/check"
)

var update = flag.Bool("update", false, "write the table of families anew")

// families is the table of the families of all statements, testdata/families.tsv: the
// instances of each, at how many of them and of the random ones it could fail at
// least, and its words.
type families struct {
	recorded map[string]family
	table    strings.Builder
	surveyed *int // how many statements the claim at hand has had
}

type family struct {
	size, bites, drawn int
	words              string
}

var familyTable = filepath.Join("testdata", "families.tsv")

func readFamilies(t *testing.T) *families {
	t.Helper()
	f := &families{recorded: make(map[string]family)}
	content, err := os.ReadFile(familyTable)
	if err != nil && !*update {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(content)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(fields) != 5 {
			t.Fatalf("%s: a line %q", familyTable, line)
		}
		var of family
		if _, err := fmt.Sscan(strings.Join(fields[1:4], " "), &of.size, &of.bites, &of.drawn); err != nil {
			t.Fatal(err)
		}
		of.words = fields[4]
		f.recorded[fields[0]] = of
	}
	return f
}

// surveying returns a context under which the check of a claim is held against the
// table: each statement has the family that is recorded, as many instances in the same
// words, and could fail at no fewer of those that are visited. None is empty where it is
// said to cover something, and none holds where nothing could have failed.
func (f *families) surveying(t *testing.T, c check.Claim) context.Context {
	part := 0
	f.surveyed = &part
	return check.Surveying(context.Background(), func(s check.Survey) {
		part++
		key := fmt.Sprintf("%s/%d", c.ID, part)
		want, ok := f.recorded[key]
		bites, drawn := s.Bites, s.DrawnBites*3/4 // other draws bite elsewhere
		if s.Refuted {
			bites, drawn = min(bites, 1), 0 // the sooner the better
		}
		fmt.Fprintf(&f.table, "%s\t%d\t%d\t%d\t%s\n", key, s.Size, bites, drawn, s.Family)
		for _, what := range faults(s, want, ok) {
			t.Errorf("%s: %s", key, what)
		}
		if size, ok := counted[key]; ok && s.Size != size {
			t.Errorf("%s: %d instances of %q, which are %d", key, s.Size, s.Family, size)
		}
		delete(f.recorded, key)
	})
}

// faults are what is wrong with a family: by itself, and against what is recorded of it, if anything is.
func faults(s check.Survey, want family, recorded bool) (out []string) {
	add := func(format string, a ...any) { out = append(out, fmt.Sprintf(format, a...)) }
	switch {
	case (s.Family != "") != (s.Size > 0):
		add("a family of %d instances is called %q", s.Size, s.Family)
	case s.Size > 0 && s.Bites == 0, s.Drawn > 0 && s.DrawnBites == 0:
		add("of %d instances of the family and %d at random, %d and %d could fail", s.Size, s.Drawn, s.Bites, s.DrawnBites)
	}
	switch {
	case *update:
	case !recorded:
		add("not in %s: go test ./claims -run TestVerdicts -update", familyTable)
	case s.Size != want.size || s.Family != want.words:
		add("%d instances of %q, recorded are %d of %q", s.Size, s.Family, want.size, want.words)
	case s.Bites < want.bites || s.DrawnBites < want.drawn:
		add("could fail at %d instances of its family and %d at random, want at least %d and %d", s.Bites, s.DrawnBites, want.bites, want.drawn)
	}
	return out
}

// A family that is hollow, or is not as recorded, is found.
func TestHollowFamilies(t *testing.T) {
	good, want := check.Survey{Family: "pairs", Size: 6, Bites: 4, Drawn: 9, DrawnBites: 5}, family{6, 4, 5, "pairs"}
	if out := faults(good, want, true); out != nil {
		t.Errorf("a good family: %v", out)
	}
	for name, change := range map[string]func(s *check.Survey, w *family) bool{
		"no instance":           func(s *check.Survey, w *family) bool { s.Size, w.size = 0, 0; return true },
		"no words":              func(s *check.Survey, w *family) bool { s.Family, w.words = "", ""; return true },
		"none could fail":       func(s *check.Survey, w *family) bool { s.Bites, w.bites = 0, 0; return true },
		"none drawn could fail": func(s *check.Survey, w *family) bool { s.DrawnBites, w.drawn = 0, 0; return true },
		"not recorded":          func(s *check.Survey, w *family) bool { return false },
		"another size":          func(s *check.Survey, w *family) bool { s.Size = 7; return true },
		"other words":           func(s *check.Survey, w *family) bool { s.Family = "triples"; return true },
		"fewer that could fail": func(s *check.Survey, w *family) bool { s.Bites = 3; return true },
		"fewer drawn":           func(s *check.Survey, w *family) bool { s.DrawnBites = 4; return true },
	} {
		s, w := good, want
		if recorded := change(&s, &w); len(faults(s, w, recorded)) != 1 {
			t.Errorf("%s: %v", name, faults(s, w, recorded))
		}
	}
}

// write renews the table, or finds what no claim has.
func (f *families) write(t *testing.T) {
	if flag.Lookup("test.run").Value.String() != "" && strings.Contains(flag.Lookup("test.run").Value.String(), "/") {
		return // some claims alone
	}
	if *update {
		if err := os.WriteFile(familyTable, []byte(f.table.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for key := range f.recorded {
		t.Errorf("%s is in %s, but no claim's", key, familyTable)
	}
}

// counted are the sizes of families as their words have them: products of the axes, and
// combinations.
var counted = map[string]int{
	"analytic.definition3.laplace/1":     9 * 9 * 9,
	"analytic.definition3.exponential/1": 3 * 3 * 3 * 3 * 3 * 3,
	"analytic.definition6/1":             4 * 3 * 9 * 9 * 9,
	"analytic.definition20.printed/1":    8 * 7 * 6 / 6, // a < b < c of 8
	"analytic.figure1/1":                 46,
	"analytic.figure2/1":                 5 * 6,
	"analytic.proposition1/1":            81 * 82 / 2, // unordered pairs
	"analytic.proposition2/1":            7 * 7 * 7,
	"analytic.staircase/1":               5 * (11 + 1),
	"mvg.algorithm1/1":                   3 * 3 * 4 * 4 * 4,
	"mvg.algorithm2/1":                   3 * 4 * 4 * 4,
	"mvg.example1/1":                     9 + 9*9 + 9*9*9 + 9*9*9*9,
	"mvg.example2/1":                     12,
	"mvg.lemma2/1":                       3 + 2*9 + 81 + 2*729,
	"mvg.lemma3/1":                       81 * 81,
	"mvg.lemma5/1":                       5 + 5*5*5*5 + 512,
	"mvg.lemma6/1":                       (2 + 12) * (2 + 12),
	"mvg.lemma10.gaussian/1":             2*2 + 12*12,                        // both of one order
	"mvg.problem1/1":                     (5 + 15 + 35) * 3,                  // multisets
	"mvg.problem2.privacy/1":             (3 + 3*3 + 3*3*3) * (3 + 3*3 + 27), // of both modes
	"mvg.section7.proportional/1":        10 * 12,
	"mvg.theorem4.proof/1":               6 * 6 * 6,
	"mvg.theorem7.kronecker/1":           19 * 19 * 3, // multisets: 3 + 6 + 10
	"mvg.theorem8/1":                     5 * 24 * 4,
	"mvg.theorem9/2":                     3 * 3 * 5,
	"xor.algorithm1.entries/1":           4 * (1 + 2 + 3) * 3 * 5,
	"xor.algorithm1.eigenvalues/1":       5 + 15 + 35 + 70, // multisets
	"xor.algorithm1.privacy/1":           4 * (2 + 3 + 4) * 5,
	"xor.algorithm3/1":                   2 + 16 + 512,
	"xor.figure1/1":                      3 * 24,
	"xor.figure1/2":                      2 * 3 * 3 * 10,
	"xor.figure3.limit/1":                2 + 8 + 64,
	"xor.figure3/2":                      (2 + 8 + 64) * 4,
	"xor.figure5.contrast/1":             5 * (1 + 2 + 3) * 3 * 5,
	"signrp.equation10/1":                10 * 4,
	"signrp.lemma4.2/1":                  4 * 5,
	"signrp.lemmaE1/1":                   4 * 7,
	"signrp.lemmaE1.printed/1":           3 * 3,
	"signrp.proposition4.4/1":            2 * 3 * 16 * 3,
	"signrp.rr/1":                        3 * 6 * 3,
	"signrp.rr/2":                        3 * 31,
	"signrp.theorem2.1/1":                15 * 15 * 3, // weights that are not both 0
	"signrp.theorem3.1/1":                6 * 5,
	"signrp.theorem3.2/1":                4 * 4,
	"signrp.theorem4.5/1":                13 * 10,
}
