package certificate_test

import (
	"dpworkbench/internal/must"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write testdata/coq.txt anew")

// The files for Coq are those of testdata/coq.txt, to the letter. TestCoq has Coq prove them
// where it is installed, and `.ci/full` all of them; this test sees to it elsewhere that what is
// written is what was proved.
func TestCoqTexts(t *testing.T) {
	path := filepath.Join("testdata", "coq.txt")
	var all strings.Builder
	write := func(name, text string) { fmt.Fprintf(&all, "(* == %s == *)\n%s", name, text) }
	for _, c := range coqTheorems(t) {
		if strings.Contains(c.name, "G5 at 3") || c.name == "worst G5" {
			continue // these take longest, and are of the same kinds as on four nodes
		}
		text := c.text(t)
		states(t, text, "Theorem statement : "+c.theorem)
		write(c.name, text)
	}
	for _, c := range coqClaims(t) {
		write(c.name, c.text(t))
	}
	if *update {
		if err := os.WriteFile(path, []byte(all.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	recorded := must.For(os.ReadFile(path))(t)
	got, want := strings.Split(all.String(), "\n"), strings.Split(string(recorded), "\n")
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Fatalf("line %d of %s is another: have Coq prove it (WORKBENCH_FULL=1), then go test ./certificate -run CoqTexts -update", i+1, path)
		}
	}
}
