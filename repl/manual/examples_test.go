package manual_test

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

	"dpworkbench/evidence"
	"dpworkbench/internal/cases"
	"dpworkbench/repl"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

// failing lists the examples that end in an error: exit, fail, and save with no inputs.
var failing = []string{"exit", "fail", "save"}

// unsteady lists the examples whose output depends on time or on the available data. The ledger's output has its own
// tests.
var unsteady = []string{"timeit", "data", "dataset", "claims"}

// slow lists the examples and types with attributes that take seconds. They run only with all cases.
var slow = []string{"calibrate", "type training", "r1smg", "laplace_rival", "type laplace rival.epsilon_at", "type laplace rival.delta_at", "bernoulli_uniform", "dp_sgd",
	"type jl rival.epsilon_at", "type r1smg.epsilon_at", "type r1smg.delta_at"}

var update = flag.Bool("update", false, "write testdata/examples.txt anew")

// Every name of the vocabulary has help with an example. Each example prints its golden output, and its values have the
// declared types.
func TestExamples(t *testing.T) {
	golden, err := filepath.Abs("../testdata/examples.txt")
	if err != nil {
		t.Fatal(err)
	}
	want := outputs(t)
	t.Chdir(t.TempDir())
	var renewed strings.Builder
	w := &walk{kinds: map[evidence.Kind]int{}, from: map[string]bool{}, written: map[string]bool{}, asked: map[string]int{}}
	docs := repl.NewSession().Manual()
	for _, name := range slices.Sorted(maps.Keys(docs)) {
		d := docs[name]
		switch {
		case d == nil:
			t.Errorf("%s has no help", name)
			continue
		case d.Help == "" || d.Example == "":
			t.Errorf("%s has help %q and example %q, want both", name, d.Help, d.Example)
			continue
		case slices.Contains(slow, name) && !*update && !cases.All():
			delete(want, name)
			continue
		}
		s := repl.NewSession()
		var printed strings.Builder
		s.Stdout, s.Stderr = &printed, io.Discard
		s.Seen = func(c *script.Call, v starlark.Value) { w.see(t, name, c, v) }
		v, err := s.Exec(t.Context(), "example", d.Example)
		if wantErr := slices.Contains(failing, name); (err != nil) != wantErr {
			t.Errorf("the example of %s: %v", name, err)
		}
		text := s.Show(v)
		if err != nil {
			text = err.Error()
		}
		if text = printed.String() + text + "\n"; slices.Contains(unsteady, name) {
			text = ""
		} else {
			fmt.Fprintf(&renewed, "== %s\n%s", name, text)
		}
		if !*update && strings.TrimRight(text, "\n") != strings.TrimRight(want[name], "\n") {
			t.Errorf("the example of %s prints\n%s\nwant\n%s\nif this is right, run go test ./repl/manual -run Examples -update", name, text, want[name])
		}
		delete(want, name)
		if err == nil && name != "claims" && name != "type claim" {
			s.Stdout = io.Discard
			w.attributes(t, name, s, v)
		}
		s.Close()
	}
	t.Logf("%d numbers of %d kinds from %d built-ins and attributes: %v", w.checked, len(w.kinds), len(w.from), w.kinds)
	if w.checked < 700 || len(w.kinds) != 4 || len(w.from) < 80 {
		t.Errorf("%d numbers of %d kinds from %d names: want all", w.checked, len(w.kinds), len(w.from))
	}
	if *update {
		if err := os.WriteFile(golden, []byte(renewed.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if len(want) > 0 {
		t.Errorf("../testdata/examples.txt has %d entries without an example", len(want))
	}
}

// Help finds every entry by its name.
func TestHelpByName(t *testing.T) {
	s := repl.NewSession()
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
	s := repl.NewSession()
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
	_, err := repl.NewSession().Exec(context.Background(), "x", "def f(): exit(4)\nf()")
	var exit *script.Exit
	if !errors.As(err, &exit) || exit.Status != 4 {
		t.Errorf("exit(4) gives %v", err)
	}
}
