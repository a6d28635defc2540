package repl

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

// probes are the declarations of a parameter x, by what the table below calls them.
var probes = map[string]string{
	"float": "number", "finite": "finite", "unit": "number[0..1]", "positive": "positive", "int": "int[1..10]", "count": "int[0..]", "bool": "bool",
	"choice": `"closed"|"gibbs"`, "epsilon": "epsilon", "rational": "rational", "rationals": "rationals", "floats": "numbers", "ints": "ints",
	"strings": "strings", "rows": "rows", "matrix": "matrix", "pairs": "pairs", "seed": "value", "class": "table", "call": "function",
	"union": `number|numbers|"all"`, "upper": "upper[0..1]", "level": "level", "design": "choice",
}

// probe is a built-in that says what it is given.
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

func TestArguments(t *testing.T) {
	for _, c := range []struct{ call, want string }{
		{`probe("float", 1)`, "1"},
		{`probe("float", 0.5)`, "0.5"},
		{`probe("upper", "1/3")`, "0.33333333333333337"},
		{`probe("upper", "1/1000")`, "0.001"},
		{`probe("upper", "3/2")`, `error: probe: x = "3/2", want a number in [0, 1]`},
		{`probe("level", "1/3")`, "0.3333333333333333"},
		{`probe("level", "1")`, `error: probe: x = "1", want 0 < x < 1`},
		{`probe("design", third)`, "0.3333333333333333"},
		{`probe("design", "-7/2")`, "-3.5"},
		{`probe("float", ln(3))`, "error: probe: x = 1.09861228866811 (exact), want a number that a float64 can hold: .value is 1.0986122886681098"},
		{`probe("float", ln(3).value)`, "1.0986122886681098"},
		{`probe("float", third)`, "error: probe: x = 0.333333333333333 (exact), want a number that a float64 can hold: .value is 0.3333333333333333"},
		{`probe("float", tenth)`, "0.1"},
		{`probe("float", 9007199254740993)`, "error: probe: x = 9007199254740993, want a number that a float64 can hold: 9007199254740992 is the nearest"},
		{`probe("float", 9007199254740992)`, "9.007199254740992e+15"},
		{`probe("float", (1 << 500) * (1 << 500) * (1 << 500))`, "error: probe: x = 350746621104340387476275879602808579935240158803308288240…, want a number"},
		{`probe("float", certified)`, "error: probe: x = 1.2345679 (certified), want a number: this one is known between two bounds, write .value, .lo or .hi"},
		{`probe("float", estimated)`, "error: probe: x = 0.5 (estimated), want a number: this one is known between two bounds, write .value, .lo or .hi"},
		{`probe("float", loss)`, "error: probe: x = in [1.0, 2.0] (certified), want a number: this one is known between two bounds, write .value, .lo or .hi"},
		{`probe("float", claimed)`, "0.25"},
		{`probe("float", float("inf"))`, "+Inf"},
		{`probe("float", float("nan"))`, "error: probe: x = nan, want a number"},
		{`probe("float", "1")`, `error: probe: x = "1", want a number`},
		{`probe("finite", float("inf"))`, "error: probe: x = +inf, want a finite number"},
		{`probe("unit", 1)`, "1"},
		{`probe("unit", 1.5)`, "error: probe: x = 1.5, want a number in [0, 1]"},
		{`probe("positive", 0)`, "error: probe: x = 0, want a positive finite number"},
		{`probe("int", 3.0)`, "3"},
		{`probe("int", 3.5)`, "error: probe: x = 3.5, want a whole number from 1 to 10"},
		{`probe("int", 11)`, "error: probe: x = 11, want a whole number from 1 to 10"},
		{`probe("int", 1 << 70)`, "error: probe: x = 1180591620717411303424, want a whole number from 1 to 10"},
		{`probe("count", -1)`, "error: probe: x = -1, want a whole number, at least 0"},
		{`probe("bool", 1)`, "true"},
		{`probe("bool", "yes")`, `error: probe: x = "yes", want True or False`},
		{`probe("choice", "gibbs")`, "gibbs"},
		{`probe("choice", "gibs")`, `error: probe: x = "gibs", want "closed" or "gibbs" (did you mean gibbs?)`},
		{`probe("epsilon", 1)`, "1 false"},
		{`probe("epsilon", ln(3))`, "ln(3) true"},
		{`probe("epsilon", ln(9) / 2)`, "ln(3) true"},
		{`probe("epsilon", ln(3) / 2)`, "ln(3)·1/2 true"},
		{`probe("epsilon", logarithm)`, "ln(7/2) true"},
		{`probe("epsilon", claimed)`, "0.25 false"},
		{`probe("epsilon", loss)`, "2 false"},
		{`probe("epsilon", loss.hi)`, "2 false"},
		{`probe("epsilon", 9007199254740993)`, "9007199254740993 false"},
		{`probe("epsilon", "1/3")`, "1/3 false"},
		{`probe("epsilon", third)`, "1/3 false"},
		{`probe("epsilon", "0.1")`, "0.1 false"},
		{`probe("epsilon", certified)`, "error: probe: x = 1.2345679 (certified), want a positive finite number or ln(…): this one is known between two bounds, write .value, .lo or .hi"},
		{`probe("epsilon", estimated)`, "error: probe: x = 0.5 (estimated), want a positive finite number or ln(…): this one is known between two bounds, write .value, .lo or .hi"},
		{`probe("epsilon", "1/0")`, `error: probe: x = "1/0", want a positive finite number or ln(…)`},
		{`probe("epsilon", "1e-400")`, "error: probe: x = 1e-400, want a number from 5e-324 to 1.7e308"},
		{`probe("epsilon", 0)`, "error: probe: x = 0, want a positive finite number"},
		{`probe("epsilon", [])`, "error: probe: x = [], want a positive finite number or ln(…)"},
		{`probe("rational", "7/2")`, "7/2"},
		{`probe("rational", 0.1)`, "1/10"},
		{`probe("rational", 3)`, "3"},
		{`probe("rational", third)`, "1/3"},
		{`probe("rational", 9007199254740993)`, "9007199254740993"},
		{`probe("rational", "0.12345678901234567890")`, "1234567890123456789/10000000000000000000"},
		{`probe("rational", "010/3")`, "10/3"},
		{`probe("rational", "0x10")`, `error: probe: x = "0x10", want a finite number or a fraction like "7/2"`},
		{`probe("rational", certified)`, `error: probe: x = 1.2345679 (certified), want a finite number or a fraction like "7/2": this one is known between two bounds, write .value, .lo or .hi`},
		{`probe("rational", claimed)`, `error: probe: x = 0.25 (claimed), want a finite number or a fraction like "7/2": this one is claimed, write .value`},
		{`probe("rational", ln(3))`, `error: probe: x = 1.09861228866811 (exact), want a finite number or a fraction like "7/2": this one is irrational`},
		{`probe("rational", "1e999999999")`, `error: probe: x = "1e999999999", want a finite number or a fraction like "7/2"`},
		{`probe("rational", float("inf"))`, `error: probe: x = +inf, want a finite number or a fraction like "7/2"`},
		{`probe("floats", (1, 2.5, claimed))`, "[1 2.5 0.25]"},
		{`probe("floats", (1, third))`, "error: probe: x[1] = 0.333333333333333 (exact), want a number that a float64 can hold: .value is 0.3333333333333333"},
		{`probe("rationals", (1, 0.1, "1/3", third))`, "[1 1/10 1/3 1/3]"},
		{`probe("rationals", [1, certified])`, `error: probe: x[1] = 1.2345679 (certified), want a finite number or a fraction like "7/2": this one is known between two bounds, write .value, .lo or .hi`},
		{`probe("int", third)`, "error: probe: x = 0.333333333333333 (exact), want a whole number from 1 to 10"},
		{`probe("int", certified)`, "error: probe: x = 1.2345679 (certified), want a whole number from 1 to 10: this one is known between two bounds, write .value, .lo or .hi"},
		{`probe("floats", range(3))`, "[0 1 2]"},
		{`probe("floats", [1, "a"])`, `error: probe: x[1] = "a", want a number`},
		{`probe("floats", 3)`, "error: probe: x = 3, want a list"},
		{`probe("ints", [1, 2.0])`, "[1 2]"},
		{`probe("ints", [1.5])`, "error: probe: x[0] = 1.5, want a whole number"},
		{`probe("strings", ["a"])`, "[a]"},
		{`probe("rows", [[1], []])`, "[[1] []]"},
		{`probe("rows", matrix([[1, 2]]))`, "[[1 2]]"},
		{`probe("matrix", [[1, 2], (3, 4)])`, "[[1 2] [3 4]]"},
		{`probe("matrix", [[1, 2], [3]])`, "error: probe: x[1] has 1 entries, want 2 like the rows before"},
		{`probe("matrix", [])`, "error: probe: x = [], want a matrix with at least one row and one column"},
		{`probe("pairs", [(0, 1), [2, 3]])`, "[[0 1] [2 3]]"},
		{`probe("pairs", [(0, 1, 2)])`, "error: probe: x[0] = (0, 1, 2), want a pair of whole numbers"},
		{`probe("seed", 0)`, "5"},
		{`probe("seed", 0, seed=7)`, "7"},
		{`probe("seed", 0, seed=-1)`, "error: probe: seed = -1, want a whole number from 0 to 2^64-1"},
		{`probe("class", table([[1]]))`, "true"},
		{`probe("class", 1)`, "error: probe: x = 1, want a table"},
		{`probe("call", lambda i: i + 1)`, "21"},
		{`probe("call", lambda: 1)`, "error: function lambda accepts no arguments (1 given)"},
		{`probe("call", lambda i: i + "a")`, "error: unknown binary op: int + string"},
		{`probe("call", 1)`, "error: probe: x = 1, want a function"},
		{`probe("union", 2)`, "2"},
		{`probe("union", (1, 2))`, "[1 2]"},
		{`probe("union", "all")`, "all"},
		{`probe("union", [1, "a"])`, `error: probe: x[1] = "a", want a number`},
		{`probe("union", "al")`, `error: probe: x = "al", want a number or a list or "all" (did you mean all?)`},
		{`probe("panic", 1)`, "error: probe: internal error: oops"},
		{`str(probe("nothing", 1))`, "None"},
		{`probe(x=1, kind="float")`, "1"},
		{`probe("float")`, "error: probe needs x; it is probe(kind, x, seed=0)"},
		{`probe("float", 1, kind="int")`, `error: probe got two values for kind: the 1st positional argument, "float", took its place; it is probe(kind, x, seed=0)`},
		{`probe("float", "a" * 99, x=1)`, `error: probe got two values for x: the 2nd positional argument, "` + strings.Repeat("a", 56) + `…, took its place; it is probe(kind, x, seed=0)`},
		{`probe("float", 1, None, seed=2)`, "error: probe got two values for seed: the 3rd positional argument, None, took its place; it is probe(kind, x, seed=0)"},
		{`probe("float", 1, sed=2)`, "error: probe has no parameter sed (did you mean seed?); it is probe(kind, x, seed=0)"},
		{`probe(1, 2, 3, 4)`, "error: probe takes 2 to 3 arguments, got 4 arguments; it is probe(kind, x, seed=0)"},
	} {
		s := NewSession()
		s.Seed = 5
		kind := "float"
		if m := regexp.MustCompile(`probe\("(\w+)"`).FindStringSubmatch(c.call); m != nil {
			kind = m[1]
		}
		s.Set("probe", probe(s.Session, kind))
		for name, n := range samples() {
			s.Set(name, script.Known(n))
		}
		v, err := s.Exec(context.Background(), "test", c.call)
		got := ""
		if err != nil {
			got = "error: " + err.(*script.ScriptError).Msg
		} else {
			got = string(v.(starlark.String))
		}
		if got != c.want {
			t.Errorf("%s\n gives %s\n want  %s", c.call, got, c.want)
		}
	}
}

// samples are numbers of every kind.
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

// Nothing is certified between ends that are no numbers.
func TestNoNumberIsNotCertified(t *testing.T) {
	s := NewSession()
	s.Set("lost", script.NewFunction(s.Session, script.Func("lost() -> evidence", "", "", func(*script.Call) (any, error) {
		return evidence.Certified{Lo: math.NaN(), Hi: math.Inf(1)}, nil
	})))
	if _, err := s.Exec(context.Background(), "test", "lost()"); err == nil || !strings.Contains(err.Error(), "too large or too small for float64") {
		t.Errorf("an enclosure between NaN and infinity gives %v", err)
	}
}
