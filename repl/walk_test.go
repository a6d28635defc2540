package repl

import (
	"cmp"
	"context"
	"io"
	"slices"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

// Every number that the examples of the manual make, and every attribute of every
// value that comes out of them, obeys the rules of its kind and knows the call
// that made it.
func TestAllEvidenceIsWhatItSays(t *testing.T) {
	t.Chdir(t.TempDir())
	checked, kinds := 0, make(map[evidence.Kind]int)
	from := make(map[string]bool) // attributes and built-ins that gave evidence
	for name, d := range NewSession().Manual() {
		if d == nil || slices.Contains(failing, name) || name == "claims" || name == "type claim" {
			continue
		}
		s := NewSession()
		s.Stdout, s.Stderr = io.Discard, io.Discard
		s.Seen = func(c *script.Call, v starlark.Value) {
			if !c.Fits(v) {
				t.Errorf("example of %s: %s gives a %s, which is not declared", name, c.Name, v.Type())
			}
			for _, n := range numbersOf(v) {
				checked++
				kinds[n.Kind()]++
				from[c.Name] = true
				if what := cmp.Or(evidencetest.Fault(n), evidencetest.Sourceless(n)); what != "" {
					t.Errorf("example of %s: %s gives %v: %s", name, c.Name, n, what)
				}
			}
		}
		v, err := s.Exec(context.Background(), "example of "+name, d.Example)
		if err != nil {
			t.Errorf("example of %s: %v", name, err)
			continue
		}
		values := []starlark.Value{v}
		for _, g := range s.Defined() {
			if v := s.Get(g); v != nil {
				values = append(values, v)
			}
		}
		for _, v := range values {
			o, ok := v.(script.Inspectable)
			if !ok {
				continue
			}
			if e, ok := v.(*script.Evidence); ok {
				if e.Number().Citation().Call == "" && e.Number().Kind() != evidence.KindClaimed {
					t.Errorf("example of %s: %v does not know what made it", name, e)
				}
				continue
			}
			for _, attribute := range o.AttrNames() {
				if _, err := o.Attr(attribute); err != nil {
					t.Errorf("example of %s: .%s of %v: %v", name, attribute, v, err)
				}
			}
		}
		s.Close()
	}
	t.Logf("%d numbers of %d kinds from %d built-ins and attributes: %v", checked, len(kinds), len(from), kinds)
	if checked < 700 || len(kinds) != 4 || len(from) < 80 {
		t.Errorf("%d numbers of %d kinds from %d names: want all", checked, len(kinds), len(from))
	}
}

// Every parameter and result of the vocabulary is declared.
func TestDeclarations(t *testing.T) {
	for _, fault := range NewSession().Vet() {
		t.Error(fault)
	}
}
