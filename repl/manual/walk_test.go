package manual_test

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/cases"
	"dpworkbench/repl"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

// A walk counts the numbers that examples produce. Each must obey the rules of its kind and know the call that made
// it.
type walk struct {
	checked int
	kinds   map[evidence.Kind]int
	from    map[string]bool // names of the attributes and built-ins that returned evidence
	written map[string]bool // attributes and methods that were evaluated with and without brackets
	asked   map[string]int  // number of values seen, by type and attribute names
}

// see checks the result of a call in an example.
func (w *walk) see(t *testing.T, name string, c *script.Call, v starlark.Value) {
	if !c.Fits(v) {
		t.Errorf("example of %s: %s returns a %s, which is not declared", name, c.Name, v.Type())
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

// attributes reads every attribute of the values that an example produces, and see checks the results. It reads the
// first value of each type, or all values if all cases are run.
func (w *walk) attributes(t *testing.T, name string, s *repl.Session, last starlark.Value) {
	s.Set("it", last)
	for _, g := range s.Defined() {
		v := s.Get(g)
		o, ok := v.(script.Inspectable)
		if !ok {
			continue
		}
		if e, ok := v.(*script.Evidence); ok {
			if e.Number().Citation().Call == "" && e.Number().Kind() != evidence.KindClaimed {
				t.Errorf("example of %s: %v lacks the call that made it", name, e)
			}
			continue
		}
		kind := fmt.Sprint(v.Type(), o.AttrNames())
		if w.asked[kind]++; w.asked[kind] > 1 && !cases.All() {
			continue
		}
		for _, attribute := range o.AttrNames() {
			x, err := o.Attr(attribute)
			if err != nil {
				t.Errorf("example of %s: .%s of %v: %v", name, attribute, v, err)
			} else if key := o.Type() + "." + attribute; !w.written[key] {
				w.written[key] = true
				brackets(t, s, g+"."+attribute, x)
			}
		}
	}
}

// brackets evaluates an attribute or method with and without brackets. The two results agree if it takes no arguments.
// Otherwise adding a number to the method gives an error that explains the call.
func brackets(t *testing.T, s *repl.Session, source string, x starlark.Value) {
	shown := func(source string) string {
		v, err := s.Exec(t.Context(), "brackets", source)
		if failed := new(script.ScriptError); errors.As(err, &failed) {
			return failed.Msg
		}
		return s.Show(v)
	}
	if f, ok := x.(*script.Function); ok && f.Arguments() > 0 {
		if got := shown(source + " + 1"); !strings.Contains(got, "(call it: "+source+"(") {
			t.Errorf("%s + 1 gives %s", source, got)
		}
		return
	}
	shown(source) // a privacy account caches what it has computed, so its first answers are the widest
	if without, with := shown(source), shown(source+"()"); without != with || strings.Contains(with, "method") {
		t.Errorf("%s is %s, but %s() is %s", source, without, source, with)
	}
}

// Every parameter and result of the vocabulary is declared.
func TestDeclarations(t *testing.T) {
	for _, fault := range repl.NewSession().Vet() {
		t.Error(fault)
	}
}
