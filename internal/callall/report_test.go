package callall_test

import (
	"fmt"
	"maps"
	"math/big"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/interval"

	"gonum.org/v1/gonum/mat"
)

func (c *caller) fail(what, how string) {
	if _, ok := c.failures[what]; !ok {
		c.failures[what] = how
	}
}

func (c *caller) note(what, how string) {
	if _, ok := c.notes[what]; !ok {
		c.notes[what] = how
	}
}

// report fails the test for each failure, logs the totals, and writes all findings to the file of listKey.
func (c *caller) report(t *testing.T) {
	total, answered := 0, 0
	var list strings.Builder
	for _, f := range c.all {
		total += f.calls
		if f.answered > 0 {
			answered++
		}
		if f.pending() {
			c.fail("never called: "+f.name, "no value of "+f.missing)
		}
		if f.answered == 0 && f.calls > 0 {
			c.note("never answered: "+f.name, fmt.Sprint(f.calls, " calls"))
		}
		if f.longest > time.Second {
			c.note("slow: "+f.name, f.longest.String())
		}
	}
	c.stale()
	t.Logf("%d calls of %d functions and methods, of which %d answered; interrupted at %d places", total, len(c.all), answered, len(c.polled))
	for _, what := range slices.Sorted(maps.Keys(c.failures)) {
		t.Errorf("%s\n\t%s", what, c.failures[what])
		fmt.Fprintf(&list, "FAIL %s\n\t%s\n", what, c.failures[what])
	}
	for _, what := range slices.Sorted(maps.Keys(c.notes)) {
		fmt.Fprintf(&list, "note %s\n\t%s\n", what, c.notes[what])
	}
	if name := os.Getenv(listKey); name != "" {
		if err := os.WriteFile(name, []byte(list.String()), 0o600); err != nil {
			t.Error(err)
		}
	}
}

// stale fails if a list of known offenders is out of date: a function no longer exists, or its panic is documented.
func (c *caller) stale() {
	exists := map[string]*callee{}
	for _, f := range c.all {
		exists[f.name] = f
	}
	for _, list := range []map[string]string{offenders, doubtful, partial, stopsLater, large, skipped, uncalled} {
		for name := range list {
			if exists[name] == nil {
				c.fail("known, but gone: "+name, "take it off the list")
			}
		}
	}
	for name := range offenders {
		if f := exists[name]; f != nil && f.may {
			c.fail("known, and documented now: "+name, "take it off the list")
		}
	}
}

var numberType = reflect.TypeFor[evidence.Number]()

// badEvidence describes an invalid number in v, or returns "".
func badEvidence(v reflect.Value, depth int) string {
	if depth > 4 || !v.IsValid() || !v.CanInterface() {
		return ""
	}
	if (v.Kind() == reflect.Interface || v.Kind() == reflect.Pointer) && v.IsNil() {
		return ""
	}
	if v.Type().Implements(numberType) && v.Kind() != reflect.Pointer {
		n := v.Interface().(evidence.Number)
		if what := evidencetest.Fault(n); what != "" {
			return fmt.Sprintf("%T: %s", n, what)
		}
		return ""
	}
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		return badEvidence(v.Elem(), depth+1)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				if bad := badEvidence(v.Field(i), depth+1); bad != "" {
					return v.Type().Field(i).Name + ": " + bad
				}
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range min(v.Len(), 8) {
			if bad := badEvidence(v.Index(i), depth+1); bad != "" {
				return bad
			}
		}
	}
	return ""
}

// describe formats arguments briefly.
func describe(args []reflect.Value) string {
	texts := make([]string, len(args))
	for i, a := range args {
		texts[i] = spell(a, 0)
	}
	return "(" + strings.Join(texts, ", ") + ")"
}

func spell(v reflect.Value, depth int) string {
	if !v.IsValid() {
		return "nil"
	}
	t := v.Type()
	switch {
	case t.Implements(contextType):
		return "ctx"
	case t.Implements(sourceType):
		return "src"
	}
	if v.CanInterface() {
		switch x := v.Interface().(type) {
		case interval.Interval:
			if x == (interval.Interval{}) {
				return "Interval{}"
			}
			lo, hi := x.Bounds()
			return fmt.Sprintf("Interval[%g %g]", lo, hi)
		case evidence.Epsilon:
			return fmt.Sprint("ε=", x.Value())
		case *big.Rat:
			return short(x)
		case *big.Int:
			return short(x)
		case *big.Float:
			return short(x.Text('p', 10))
		case *mat.Dense:
			return fmt.Sprintf("%v", x.RawMatrix())
		case *mat.SymDense:
			return fmt.Sprintf("sym%v", x.RawSymmetric().Data)
		}
	}
	switch v.Kind() {
	case reflect.Func:
		return "func"
	case reflect.String:
		return fmt.Sprintf("%q", short(v.String()))
	case reflect.Interface, reflect.Pointer:
		if v.IsNil() {
			return "nil"
		}
		return spell(v.Elem(), depth)
	case reflect.Struct:
		if depth > 2 {
			return t.Name() + "{…}"
		}
		var parts []string
		for i := range v.NumField() {
			if f := t.Field(i); f.IsExported() {
				parts = append(parts, f.Name+":"+spell(v.Field(i), depth+1))
			} else if s, ok := plain(v.Field(i)); ok {
				parts = append(parts, f.Name+":"+s)
			}
		}
		return t.Name() + "{" + strings.Join(parts, " ") + "}"
	case reflect.Slice, reflect.Array:
		var parts []string
		for i := range min(v.Len(), 6) {
			parts = append(parts, spell(v.Index(i), depth+1))
		}
		if v.Len() > 6 {
			parts = append(parts, fmt.Sprint("… ", v.Len()))
		}
		return "[" + strings.Join(parts, " ") + "]"
	case reflect.Map:
		var parts []string
		for _, k := range v.MapKeys() {
			parts = append(parts, spell(k, depth+1)+":"+spell(v.MapIndex(k), depth+1))
		}
		return short("{" + strings.Join(parts, " ") + "}")
	}
	s, _ := plain(v)
	return s
}

// plain formats numbers and texts, also in unexported fields.
func plain(v reflect.Value) (string, bool) {
	switch v.Kind() {
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Float32, reflect.Float64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return fmt.Sprint(v), true
	case reflect.String:
		return fmt.Sprintf("%q", short(v.String())), true
	}
	return "", false
}

func short(v any) string {
	s := fmt.Sprint(v)
	if len(s) <= 80 {
		return s
	}
	for i := 70; ; i++ {
		if utf8.RuneStart(s[i]) {
			return s[:i] + "…"
		}
	}
}
