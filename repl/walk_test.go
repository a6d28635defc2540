package repl

import (
	"cmp"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

// A walk counts the numbers that examples make: each obeys the rules of its kind and knows the call that made it.
type walk struct {
	checked int
	kinds   map[evidence.Kind]int
	from    map[string]bool // attributes and built-ins that gave evidence
}

// see checks what a call of an example gives.
func (w *walk) see(t *testing.T, name string, c *script.Call, v starlark.Value) {
	if !c.Fits(v) {
		t.Errorf("example of %s: %s gives a %s, which is not declared", name, c.Name, v.Type())
	}
	for _, n := range numbersOf(v) {
		w.checked++
		w.kinds[n.Kind()]++
		w.from[c.Name] = true
		if what := cmp.Or(evidencetest.Fault(n), evidencetest.Sourceless(n)); what != "" {
			t.Errorf("example of %s: %s gives %v: %s", name, c.Name, n, what)
		}
	}
}

// attributes asks for every attribute of every value that comes out of an example; see checks them.
func (w *walk) attributes(t *testing.T, name string, s *Session, last starlark.Value) {
	values := []starlark.Value{last}
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
}

// Every parameter and result of the vocabulary is declared.
func TestDeclarations(t *testing.T) {
	for _, fault := range NewSession().Vet() {
		t.Error(fault)
	}
}
