package manual_test

import (
	"cmp"
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"dpworkbench/display"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/cases"
	"dpworkbench/repl"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

// long lists the notebooks whose quick runs take more than a few seconds. .ci/run runs them alone.
var long = []string{"ledger", "study_radii", "signrp", "study_mvg", "composition", "records", "optimum", "signrp_features",
	"tour", "mvg_tables", "xor_graphs", "ladder", "staircase", "programs", "mvg_examples"}

// Every number of a notebook run with quick=1 obeys the rules of its kind, and the output matches notebooks/quick. The
// long notebooks run only with all cases.
func TestNotebooksGiveEvidence(t *testing.T) {
	scripts, err := filepath.Glob("../../notebooks/*.star")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("no notebooks: %v", err)
	}
	var all atomic.Int64
	t.Cleanup(func() {
		if checked := all.Load(); checked < 1000 {
			t.Errorf("%d numbers checked, want a thousand", checked)
		}
	})
	for _, script := range scripts {
		name := filepath.Base(script[:len(script)-len(".star")])
		if slices.Contains(long, name) && !cases.All() {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all.Add(int64(runNotebook(t, script)))
		})
	}
}

// absent matches a notebook's message for missing data.
var absent = regexp.MustCompile(`absent|left out: the data set|data set not at hand`)

// runNotebook runs a notebook, checks its numbers and output, and returns how many numbers it has checked.
func runNotebook(t *testing.T, path string) (checked int) {
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s := repl.NewSession()
	defer s.Close()
	var printed strings.Builder
	s.Terminal = display.DetectCaps(func(string) (string, bool) { return "", false }, false)
	s.Stdout, s.Stderr = &printed, io.Discard
	if dir := os.Getenv("WORKBENCH_DATA"); dir != "" {
		s.DataDirs = []string{dir}
	}
	s.SetArg("quick", "1")
	s.SetArg("out", t.TempDir())
	s.Seen = func(c *script.Call, v starlark.Value) {
		for _, n := range numbersOf(v) {
			checked++
			if what := cmp.Or(evidencetest.Fault(n), evidencetest.Sourceless(n)); what != "" {
				t.Errorf("%s: %s gives %v: %s", path, c.Name, n, what)
			}
		}
	}
	if _, err := s.ExecScript(context.Background(), path, string(source)); err != nil {
		t.Errorf("%s: %v", path, err)
	}
	name := strings.TrimSuffix(filepath.Base(path), ".star")
	if want, err := os.ReadFile("../../notebooks/quick/" + name + ".txt"); err != nil {
		t.Error(err)
	} else if absent.MatchString(printed.String()) {
		t.Logf("%s is not compared: its data is missing", name)
	} else if printed.String() != string(want) {
		t.Errorf("the output of %s has changed: bash .ci/quick %[1]s.star shows the difference", name)
	}
	return checked
}
