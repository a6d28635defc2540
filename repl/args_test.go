package repl_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/repl"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

// probes maps each kind in testdata/scripts.txt to the declaration of probe's parameter x.
var probes = map[string]string{
	"float": "number", "finite": "finite", "unit": "number[0..1]", "positive": "positive", "int": "int[1..10]", "count": "int[0..]", "bool": "bool",
	"choice": `"closed"|"gibbs"`, "epsilon": "epsilon", "rational": "rational", "rationals": "rationals", "floats": "numbers", "ints": "ints",
	"strings": "strings", "rows": "rows", "matrix": "matrix", "pairs": "pairs", "seed": "value", "class": "table", "call": "function",
	"union": `number|numbers|"all"`, "upper": "upper[0..1]", "level": "level", "design": "choice", "panic": "value", "nothing": "value",
}

// probe returns a built-in that returns its argument x as text.
func probe(s *script.Session, kind string) *script.Function {
	declared := probes[kind]
	if declared == "" {
		declared = "value"
	}
	return script.NewFunction(s, script.Func("probe(kind: value, x: "+declared+", seed: seed=0) -> string?", "", "", func(c *script.Call) (any, error) {
		switch kind {
		case "panic":
			panic("oops")
		case "nothing":
			return nil, nil
		case "seed":
			return fmt.Sprint(c.Seed("seed")), nil
		case "class":
			return fmt.Sprint(c.Arg("x") != nil), nil
		case "call":
			v, err := c.Callable("x")(starlark.MakeInt(20))
			return fmt.Sprint(v), err
		}
		switch x := c.Arg("x").(type) {
		case evidence.Epsilon:
			return fmt.Sprint(x, x.IsExact()), nil
		case *big.Rat:
			return x.RatString(), nil
		case []*big.Rat:
			var out []string
			for _, q := range x {
				out = append(out, q.RatString())
			}
			return fmt.Sprint(out), nil
		default:
			return fmt.Sprint(x), nil
		}
	}))
}

// samples returns one number of each kind.
func samples() map[string]evidence.Number {
	return map[string]evidence.Number{
		"claimed":   evidence.Claimed{Value: 0.25, Provenance: evidence.From("Theorem 1")},
		"third":     evidence.Exact{Value: ratio(1, 3), Cases: 12, Provenance: evidence.From("enumeration")},
		"tenth":     evidence.Exact{Value: ratio(1, 10)},
		"logarithm": evidence.ExactLog{Argument: ratio(7, 2)},
		"certified": evidence.Certified{Lo: 1.2345678901, Hi: 1.2345678999, Provenance: evidence.From("sum")},
		"loss":      evidence.Certified{Lo: 1, Hi: 2, Side: evidence.Up},
		"estimated": evidence.Estimated{Value: 0.5, Lo: 0.49, Hi: 0.51, Confidence: 0.99, Draws: 1000},
	}
}

// An enclosure with NaN as an end is an error, not a certified number.
func TestNaNIsNotCertified(t *testing.T) {
	s := repl.NewSession()
	s.Set("lost", script.NewFunction(s.Session, script.Func("lost() -> evidence", "", "", func(*script.Call) (any, error) {
		return evidence.Certified{Lo: math.NaN(), Hi: math.Inf(1)}, nil
	})))
	if _, err := s.Exec(context.Background(), "test", "lost()"); err == nil || !strings.Contains(err.Error(), "too large or too small for float64") {
		t.Errorf("an enclosure between NaN and infinity gives %v", err)
	}
}
