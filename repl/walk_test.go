package repl

import (
	"context"
	"io"
	"math"
	"math/big"
	"slices"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

// fault says what is wrong with a number, by rules that hold for all evidence; ""
// for nothing. It shares no code with evidence.Check.
func fault(n evidence.Number) string {
	v := n.Float()
	lo, hi := n.Bounds()
	if math.IsNaN(v) || math.IsNaN(lo) || math.IsNaN(hi) {
		return "NaN"
	}
	if !(lo <= v && v <= hi) {
		return "the value lies outside its ends"
	}
	switch n := n.(type) {
	case evidence.Claimed:
		if n.Source == "" {
			return "a claim without a source"
		}
	case evidence.Exact:
		if n.Value == nil {
			return "exact without a rational"
		}
		if near, _ := n.Value.Float64(); near != v {
			return "the value is not the float64 nearest to the rational"
		}
		if l, h := new(big.Rat).SetFloat64(lo), new(big.Rat).SetFloat64(hi); l != nil && l.Cmp(n.Value) > 0 || h != nil && h.Cmp(n.Value) < 0 {
			return "the ends do not enclose the rational"
		}
	case evidence.ExactLog:
		if n.Argument == nil || n.Argument.Sign() <= 0 {
			return "exact without the argument of a logarithm"
		}
		arg, _ := n.Argument.Float64()
		if want := math.Log(arg); !math.IsInf(want, 0) && math.Abs(v-want) > 1e-12*(1+math.Abs(want)) {
			return "not the logarithm of the argument"
		}
	case evidence.Certified:
		if n.Lo != lo || n.Hi != hi {
			return "ends that enclose nothing"
		}
		if n.Loss && v != hi {
			return "a loss whose value is not its upper end"
		}
		if n.Method == "" && n.Source == "" {
			return "certified without a method"
		}
	case evidence.Estimated:
		if !(n.Confidence > 0 && n.Confidence < 1) {
			return "an estimate of confidence 1"
		}
	}
	return ""
}

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
			e, ok := v.(*script.Evidence)
			if !ok {
				return
			}
			n := e.Number()
			checked++
			kinds[n.Kind()]++
			from[c.Name] = true
			if what := fault(n); what != "" {
				t.Errorf("example of %s: %s gives %v: %s", name, c.Name, n, what)
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
