package repl_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"dpworkbench/repl"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

// withEvidence maps each function that returns a list or dict to a call of it. The test adds evidence=True to the call
// to get enclosures. If law is set, the result is a distribution with sum 1.
var withEvidence = map[string]struct {
	call string
	law  bool
}{
	"mechanism.prob":              {`purest(q, 1).prob(10)`, true},
	"mechanism.distortions":       {`purest(q, ln(3)).distortions()`, false},
	"noise_mechanism.distortions": {`smooth_sensitivity(q, 1).distortions()`, false},
	"record_mechanism.prob":       {`purest(records(["a", "b", "b"], categories=["a", "b", "c"]).mode(), 1).prob()`, true},
	"linear_query.distortions":    {`line.distortions([0, 10, 20], [3, ln(4)])`, false},
	"line_mechanism.curve":        {`delta_neighborhood(line, 2, 1).curve([0.5, ln(2)])`, false},
	"tight_constants":             {`tight_constants(q, 0.5)`, false},
	"bernoulli.marginals":         {`b.marginals()`, false},
	"bernoulli.pair_moments":      {`b.pair_moments()`, false},
	"bernoulli.ones_law":          {`b.ones_law()`, true},
	"noise law.prob":              {`optimal_xor(2, 2, 1).prob()`, true},
}

// With evidence=True, every function that offers evidence returns an enclosure of each number that it returns without.
func TestEvidenceOfLists(t *testing.T) {
	s := repl.NewSession()
	defer s.Close()
	exec := func(source string) starlark.Value {
		v, err := s.Exec(t.Context(), "lists", source)
		if err != nil {
			t.Fatalf("%s: %v", source, err)
		}
		return v
	}
	exec(`q = graphs(4).count("triangle")
line = linear_query([(0, 1), (20, 21)])
b = bernoulli([[0.5, 0.2], [0.2, -1]], {(0, 1): [[0.3, 0], [0, 0.1]]}, 2)`)
	for name, d := range s.Manual() {
		name = strings.TrimPrefix(name, "type ")
		c, known := withEvidence[name]
		switch offers := d != nil && strings.Contains(d.Help, "evidence=True") && name != "mechanism.constants"; {
		case offers != known:
			t.Errorf("%s offers evidence: %t, in the table: %t", name, offers, known)
			continue
		case !known:
			continue
		}
		open := strings.TrimSuffix(c.call, ")")
		if !strings.HasSuffix(open, "(") {
			open += ", "
		}
		with := open + "evidence=True)"
		floats, numbers := flatten(exec(c.call)), flatten(exec(with))
		if len(floats) == 0 || len(floats) != len(numbers) {
			t.Fatalf("%s has %d numbers, and %d with evidence", name, len(floats), len(numbers))
		}
		for i, v := range numbers {
			f, _ := starlark.AsFloat(floats[i])
			e, ok := v.(*script.Evidence)
			if !ok {
				t.Fatalf("%s returns %v", with, v)
			}
			if lo, hi := e.Number().Bounds(); !(lo-1e-12*math.Abs(f) <= f && f <= hi+1e-12*math.Abs(f) && hi-lo <= 1e-11*math.Abs(f)) {
				t.Errorf("%s: %v beside %v", with, e, f)
			}
		}
		if c.law {
			if lo, hi := flatten(exec("x = " + with + "\nsum(x.values() if type(x) == 'dict' else x)"))[0].(*script.Evidence).Number().Bounds(); !(lo <= 1 && 1 <= hi && hi-lo < 1e-12) {
				t.Errorf("%s sums to [%v, %v], want 1", with, lo, hi)
			}
		}
	}
	if got := evaluate(t, `sum([c * math.pow(ln(3) / ln(27), abs(k - 1)) for k, c in enumerate(tight_constants(finite_query([0, 1, 2], edges=[(0, 1), (1, 2)]), ln(3), evidence=True))])`); !strings.HasPrefix(got, "1.0 (exact: 1)") {
		t.Errorf("the weighted constants of dataset 1 sum to %s", got)
	}
}

// flatten returns the numbers of a nested value in order.
func flatten(v starlark.Value) (out []starlark.Value) {
	items, ok := script.Elements(v)
	if d, is := v.(*starlark.Dict); is {
		items = nil
		for _, item := range d.Items() {
			items = append(items, item[1])
		}
	} else if !ok {
		return []starlark.Value{v}
	}
	for _, x := range items {
		out = append(out, flatten(x)...)
	}
	return out
}

// evaluate returns what print shows for an expression over the samples, or the error.
func evaluate(t *testing.T, expression string) string {
	t.Helper()
	s := repl.NewSession()
	for name, n := range samples() {
		s.Set(name, script.Known(n))
	}
	v, err := s.Exec(context.Background(), "test", "str("+expression+")")
	if err != nil {
		return "error: " + err.(*script.ScriptError).Msg
	}
	return s.Show(v)[1 : len(s.Show(v))-1]
}
