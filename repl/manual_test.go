package repl

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"dpworkbench/script"
)

// failing are the examples that end in an error: leaving, failing, and saving
// where nothing was entered.
var failing = []string{"exit", "fail", "save"}

func TestManualIsComplete(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, d := range NewSession().Manual() {
		switch {
		case d == nil:
			t.Errorf("%s has no help", name)
			continue
		case d.Help == "" || d.Example == "":
			t.Errorf("%s has help %q and example %q, want both", name, d.Help, d.Example)
			continue
		}
		s := NewSession()
		s.Stdout, s.Stderr = io.Discard, io.Discard
		v, err := s.Exec(context.Background(), "example of "+name, d.Example)
		if wantErr := slices.Contains(failing, name); (err != nil) != wantErr {
			t.Errorf("the example of %s: %v", name, err)
		}
		if err == nil {
			s.Show(v)
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
