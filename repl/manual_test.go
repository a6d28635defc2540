package repl

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dpworkbench/script"
)

// failing are the examples that end in an error: leaving, failing, and saving
// where nothing was entered.
var failing = []string{"exit", "fail", "save"}

// unsteady are the examples whose output is not the same everywhere, for it tells time
// or what data is there, and that of the ledger, which has tests of its own.
var unsteady = []string{"timeit", "data", "dataset", "claims"}

// examples runs every example of the manual, and returns what each prints and its
// last value.
func examples(t *testing.T) string {
	docs := NewSession().Manual()
	var out strings.Builder
	for _, name := range slices.Sorted(maps.Keys(docs)) {
		d := docs[name]
		switch {
		case d == nil:
			t.Errorf("%s has no help", name)
			continue
		case d.Help == "" || d.Example == "":
			t.Errorf("%s has help %q and example %q, want both", name, d.Help, d.Example)
			continue
		}
		s := NewSession()
		var printed strings.Builder
		s.Stdout, s.Stderr = &printed, io.Discard
		v, err := s.Exec(t.Context(), "example", d.Example)
		if wantErr := slices.Contains(failing, name); (err != nil) != wantErr {
			t.Errorf("the example of %s: %v", name, err)
		}
		text := s.Show(v)
		if err != nil {
			text = err.Error()
		}
		if !slices.Contains(unsteady, name) {
			fmt.Fprintf(&out, "== %s\n%s%s\n", name, printed.String(), text)
		}
		s.Close()
	}
	return out.String()
}

var update = flag.Bool("update", false, "write testdata/examples.txt anew")

// Every name has help with an example, and each example prints what it is known to.
func TestExamples(t *testing.T) {
	golden, err := filepath.Abs("testdata/examples.txt")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	got := examples(t)
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	before := strings.Split(string(want), "\n== ")
	for i, now := range strings.Split(got, "\n== ") {
		if i >= len(before) || now != before[i] {
			t.Fatalf("an example prints\n%s\nnot\n%s\nwhere this is right, go test ./repl -run Examples -update", now, before[min(i, len(before)-1)])
		}
	}
}

// Help finds every entry by its name.
func TestHelpByName(t *testing.T) {
	s := NewSession()
	for name, d := range s.Manual() {
		if name = strings.TrimPrefix(name, "type "); d == nil || strings.Contains(name, " ") {
			continue
		}
		if got := s.Help(name); !strings.Contains(strings.Join(strings.Fields(got), " "), strings.Join(strings.Fields(d.Help), " ")) && s.Get(name) == nil {
			t.Errorf("help(%q) is %s", name, got)
		}
	}
	for _, name := range []string{"ln", "math.exp", "math", "list.append", "evidence.kind", "None", "args"} {
		if strings.HasPrefix(s.Help(name), "There is no help") {
			t.Errorf("help(%q) finds nothing", name)
		}
	}
}

func TestHelpFitsTheTerminal(t *testing.T) {
	s := NewSession()
	texts := []string{s.Help("")}
	for name := range s.Manual() {
		texts = append(texts, s.Help(strings.TrimPrefix(name, "type ")))
	}
	for _, text := range texts {
		for line := range strings.Lines(text) {
			if n := len([]rune(strings.TrimRight(line, "\n"))); n > 80 && !strings.Contains(line, "print(") && !strings.Contains(line, "=") {
				t.Errorf("%d columns: %s", n, line)
			}
		}
	}
}

func TestExitReachesTheCaller(t *testing.T) {
	_, err := NewSession().Exec(context.Background(), "x", "def f(): exit(4)\nf()")
	var exit *script.Exit
	if !errors.As(err, &exit) || exit.Status != 4 {
		t.Errorf("exit(4) gives %v", err)
	}
}
