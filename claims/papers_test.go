package claims_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"dpworkbench/claims"
	"dpworkbench/claims/check"
)

func TestPapers(t *testing.T) {
	for _, c := range claims.All() {
		if !slices.ContainsFunc(claims.Papers(), func(p claims.Paper) bool { return p.Key == c.Key() && p.Name == c.Paper }) {
			t.Errorf("%s: no paper has the key %q and the name %q", c.ID, c.Key(), c.Paper)
		}
	}
}

// README and CITATION.cff name the four papers as the ledger does.
func TestPapersAreCited(t *testing.T) {
	for _, file := range []string{"../README.md", "../CITATION.cff"} {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Join(strings.Fields(string(data)), " ")
		for _, p := range claims.Papers() {
			_, title, _ := strings.Cut(p.Citation, ", ")
			for strings.Contains(title, " and ") && !strings.HasPrefix(title, "Diff") { // skip the authors
				_, title, _ = strings.Cut(title, ", ")
			}
			title, _, _ = strings.Cut(title, ", 20")
			if p.Key != "r1smg" && (title == "" || !strings.Contains(text, title)) {
				t.Errorf("%s does not name %q", file, title)
			}
		}
	}
}

func TestSelect(t *testing.T) {
	for _, name := range []string{"xor", "XOR"} {
		got, err := claims.Select(name, nil)
		if err != nil || len(got) == 0 || slices.ContainsFunc(got, func(c check.Claim) bool { return c.Key() != "xor" }) {
			t.Errorf("claims.Select(%q) gives %d claims, %v", name, len(got), err)
		}
	}
	if got, err := claims.Select("", []string{"xor.theorem1", "analytic.lemma1", "xor.theorem1"}); err != nil || len(got) != 2 {
		t.Errorf("two ids, one repeated: %d claims, %v", len(got), err)
	}
	if _, err := claims.Select("rox", nil); err == nil {
		t.Error("an unknown paper gives no error")
	}
	if _, err := claims.Select("mvg", []string{"xor.theorem1"}); err == nil {
		t.Error("an id of another paper gives no error")
	}
}
