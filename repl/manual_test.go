package repl

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
)

// allDocs returns every entry of the manual by name.
func allDocs(s *Session) map[string]*doc {
	docs := make(map[string]*doc)
	for name, v := range s.base {
		docs[name] = s.docOf(v)
		if m, ok := v.(*starlarkstruct.Module); ok {
			for member := range m.Members {
				docs[name+"."+member] = s.memberDoc(m, member)
			}
		}
	}
	for _, v := range []starlark.HasAttrs{starlark.NewList(nil), starlark.NewDict(0), starlark.NewSet(0), starlark.String(""), starlark.Bytes("")} {
		for _, name := range v.AttrNames() {
			docs[v.(starlark.Value).Type()+"."+name] = s.memberDoc(v, name)
		}
	}
	for _, t := range types() {
		entries := t.entries()
		for _, d := range entries {
			docs["type "+d.name] = d
		}
	}
	return docs
}

// failing are the examples that end in an error: leaving, failing, and saving
// where nothing was entered.
var failing = []string{"exit", "fail", "save"}

func TestManualIsComplete(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, d := range allDocs(NewSession()) {
		switch {
		case d == nil:
			t.Errorf("%s has no help", name)
			continue
		case d.help == "" || d.example == "":
			t.Errorf("%s has help %q and example %q, want both", name, d.help, d.example)
			continue
		}
		s := NewSession()
		s.Stdout, s.Stderr = io.Discard, io.Discard
		v, err := s.Exec(context.Background(), "example of "+name, d.example)
		if wantErr := slices.Contains(failing, name); (err != nil) != wantErr {
			t.Errorf("the example of %s: %v", name, err)
		}
		if err == nil {
			s.Show(v)
		}
	}
}

// Every attribute in a type's table is one that its values know, and help
// finds it by name.
func TestHelpByName(t *testing.T) {
	s := NewSession()
	for _, m := range types() {
		for _, d := range m.entries()[1:] {
			if got := s.lookupDoc(d.name); got == nil || got.help != d.help {
				t.Errorf("help(%q) finds %v", d.name, got)
			}
		}
	}
	for _, name := range []string{"ln", "math.exp", "math", "list.append", "evidence.kind", "None", "args"} {
		if s.lookupDoc(name) == nil {
			t.Errorf("help(%q) finds nothing", name)
		}
	}
}

func TestHelpFitsTheTerminal(t *testing.T) {
	s := NewSession()
	texts := []string{s.overview()}
	for _, v := range s.base {
		texts = append(texts, s.helpOn(v))
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
	var exit *Exit
	if !errors.As(err, &exit) || exit.Status != 4 {
		t.Errorf("exit(4) gives %v", err)
	}
}
