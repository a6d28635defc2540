package repl_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dpworkbench/repl"
	"dpworkbench/script"
)

func TestMessages(t *testing.T) {
	for source, want := range map[string]string{
		`account({"class_name": "GaussianDpEvent"})`: "account: GaussianDpEvent has no noise_multiplier, want the fields noise_multiplier",
		"t = (1, 2)\nt.x":                "tuple has no .x field or method (its elements are t[0], t[1]; a, b = t takes it apart)",
		"assert 1 < 2":                   `(a script checks by: if not condition: fail("message"))`,
		"print 3":                        "a:1:8: got int literal, want newline (print is called: print(x))",
		"x = 1\ny = f'{x}'":              `a:2:11: got string literal, want newline (there are no f-strings: write "%s" % x)`,
		"print(undefined_thing)":         "a:1:7: undefined: undefined_thing",
		"help(mechanism)":                "a:1:6: undefined: mechanism (it is a type: help(\"mechanism\") says what one has)",
		"def f(): return mechanism\nf()": "a:1:17: undefined: mechanism (it is a type: help(\"mechanism\") says what one has)",
		"x = xor_allocation(2, 1, 1, 0.3, 1).smallest_epsilon.hi": "method has no .hi field or method (a method is called first, with brackets: x.name())",
		"x = purst(1)":                                  "a:1:5: undefined: purst (did you mean purest?)",
		"value = 1\nprint(vlaue)":                       "a:2:7: undefined: vlaue (did you mean value?)",
		"def f():\n    return y\ny = 1\nf()":            "",
		"print(later)\nlater = 1":                       "a:1:7: undefined: later",
		"later += 1":                                    "a:1:1: undefined: later",
		"def f(): return later\nf()\nlater = 1":         "a:1:17: undefined: later",
		"def f(): return nowhere":                       "a:1:17: undefined: nowhere",
		`purest(graphs(3).count("edge"), float("nan"))`: "a:1:7: purest: decay = nan, want a positive finite number",
		`gaussian_sigma(1, 0.1, s2=float("inf"))`:       `a:1:15: gaussian_sigma: s2 = +inf, want a positive finite number`,
		`m = purest(graphs(3).count("edge"), 1)
compare(m, m).mean_ratio`: "a:2:14: comparison has no .mean_ratio: there is .mean, .ratio_to_optimum, .ratios",
		"[1].apend(2)":                        "a:1:4: list has no .apend field or method (did you mean .append?)",
		"x = 2 ** 3":                          "a:1:9: got '**', want newline (a power is math.pow(x, y))",
		"0 < 1 < 2":                           "a:1:8: < does not associate with < (use parens) (comparisons do not chain: write a < b and b < c)",
		"'%.3f' % 1.5":                        `a:1:8: unknown conversion %. (digits are asked for with fmt: "%s" % fmt(x, 4))`,
		"m = krr(3, 1)\ntable([[1, m.prob]])": "table: rows[0][1] = <method mechanism.prob(x, evidence=False), call it: m.prob(x)>, want a value, which a call of it gives",
		"import math":                         `a:1:1: got import, want primary expression (nothing is imported: math and json are there, and load("lib.star", "f") loads a script)`,
		"x = 1\n  y = 2":                      "a:2:3: got indent, want primary expression",
		"f(1":                                 "a:1:4: got end of file, want ')'",
		"return 1":                            "a:1:1: return statement not within a function",
		"x = [1][3]":                          "a:1:8: list index 3 out of range [-1:0]",
		"{1: 2}[3]":                           "a:1:7: key 3 not in dict",
		"fail('no', 'data')":                  "a:1:5: fail: no data",
		"exit(1, 2)":                          "a:1:5: exit takes 0 to 1 arguments, got 2 arguments; it is exit(status=0)",
		"graphs(0)":                           "graphs: n = 0, want 1 to 10",
		"purest(graphs(3).count('triangle'), -1)":                  "a:1:7: purest: decay = -1, want a positive finite number",
		"ladder(linear_query([1]), 1)":                             "want a query on a finite universe",
		"line_plot([1, 2, 3], [4, 5, 9])":                          "line_plot takes 1 argument without a name, got 2 arguments: the first is series, and x=… is given by its name",
		"line_plot([1], xlim=(2, 1))":                              "xlim = (2, 1), want two finite numbers, the smaller one first",
		"line_plot([1], ylim=3)":                                   "ylim = 3, want a pair (lo, hi)",
		"line_plot([1, 2], log=True, ylim=(0, 1))":                 "ylim = (0, 1), want positive numbers on a logarithmic axis",
		"line_plot([1], size=(1, 2))":                              "size = (1, 2), want a pair (width, height) in inches, each from 1.5 to 100",
		"line_plot([0, -1], log=True)":                             "y[1] = -1, want a positive number on a logarithmic axis",
		"line_plot([0, 0], log=True)":                              "no point has two positive numbers",
		"heatmap([[1]], size=(3, 500))":                            "size = (3, 500), want a pair",
		"compare(purest(linear_query([1]), 1), 2)":                 "mechanisms[1] = 2, want a mechanism on a finite query, a linear query or records",
		"optimize_alpha(5, 3, 1, 99)":                              "sensitivity = 99 bits, want 1 to 15: f(D) is 5 × 3",
		"xor_allocation(1000000, 1000000, 1, 1, 1).sample(seed=1)": "k = 1 of 1000000 × 1000000 bits are 1e+12 numbers",
		"xor_allocation(1000000, 1000000, 1, 1, 1).theta":          "theta has 1000000 x 1000000 entries",
		"xor_allocation(1000000, 1000000, 1, 1, 1).ones_law()":     "ones_law of 1000000000000 bits, want at most 36",
		"purest(3, 1)":                       "a:1:7: purest: q = 3, want a linear_query or a query on a finite universe",
		"u = graphs(3)\nu.count('triangel')": "triangel",
		"finite_mechanism(finite_query([0, 1], edges=[(0, 1)]), [[0.5, 0.5], [0.5, 0.4]])":    "finite_mechanism: table[1] sums to 0.9, want 1",
		"finite_mechanism(finite_query([0, 1], edges=[(0, 1)]), [[0.5, 0.5], [1.5, '-1/2']])": "finite_mechanism: table[1][1] = -0.5, want a probability",
		"finite_mechanism(finite_query([0, 1], edges=[(0, 1)]), [[0.5, 0.5]])":                "finite_mechanism: table has 1 rows, want 2, one per dataset",
		"finite_mechanism(finite_query([0, 1], edges=[(0, 1)]), [[1], [0.5, 'half']])":        `finite_mechanism: table[1][1] = "half", want a finite number or a fraction like "7/2"`,
	} {
		_, err := repl.NewSession().ExecScript(t.Context(), "a", source)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != want && (want == "" || !strings.Contains(got, want)) {
			t.Errorf("%s\n gives %s\n want  %s", source, got, want)
		}
	}
}

// At the prompt a function may use names that come later.
func TestPromptIsLenientInsideFunctions(t *testing.T) {
	if _, err := run(t, "def f(): return nowhere"); err != nil {
		t.Error(err)
	}
	if _, err := run(t, "nowhere"); err == nil {
		t.Error("an undefined name at top level passed")
	}
}

func TestBacktrace(t *testing.T) {
	_, err := repl.NewSession().ExecScript(t.Context(), "dir/a.star", `def inner(x):
    return ln(x)

def outer(xs):
    return [inner(x) for x in xs]

print(max([1, 2], key=lambda i: outer([3, i - 1])))
`)
	var script *script.ScriptError
	if !errors.As(err, &script) {
		t.Fatal(err)
	}
	const want = `dir/a.star:7:10:
    print(max([1, 2], key=lambda i: outer([3, i - 1])))
dir/a.star:7:38: in lambda
    print(max([1, 2], key=lambda i: outer([3, i - 1])))
dir/a.star:5:18: in outer
    return [inner(x) for x in xs]
dir/a.star:2:14: in inner
    return ln(x)
error: ln: x = ln(0), want the logarithm of a number above 1
`
	if got := script.Backtrace(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "lib/a.star", "load(\"b.star\", \"two\")\nx = 1\ndef f(): return x + two()\ndef bump():\n    pass\n_hidden = 3")
	write(t, dir, "lib/b.star", "def two(): return 2")
	write(t, dir, "lib/loop.star", "load(\"loop.star\", \"f\")")
	write(t, dir, "lib/bad.star", "def g():\n    return [][1]\ng()")
	write(t, dir, "lib/syntax.star", "x = (")
	for source, want := range map[string]string{
		"load(\"lib/a.star\", \"f\", g=\"f\")\nx = 50\nprint(f(), g())": "3 3\n", // the library keeps its own names
		"load(\"lib/a.star\", \"fun\")":                                 "load: {DIR}/lib/a.star defines no fun",
		"load(\"lib/a.star\", \"ln\")":                                  "load: {DIR}/lib/a.star defines no ln",
		"load(\"lib/loop.star\", \"f\")":                                "load: {DIR}/lib/loop.star loads itself",
		"load(\"lib/none.star\", \"f\")":                                "no such file",
		"load(\"lib/bad.star\", \"g\")":                                 "{DIR}/lib/bad.star:2:14: index 1 out of range",
		"load(\"lib/syntax.star\", \"x\")":                              "{DIR}/lib/syntax.star:1:6: got end of file",
		"if True:\n    load(\"lib/a.star\", \"f\")":                     "load statement within a conditional",
	} {
		s := repl.NewSession()
		var out strings.Builder
		s.Stdout = &out
		_, err := s.ExecScript(t.Context(), filepath.Join(dir, "main.star"), source)
		got := out.String()
		if err != nil {
			got = err.Error()
		}
		if want = strings.ReplaceAll(want, "{DIR}", dir); !strings.Contains(got, want) {
			t.Errorf("%s\n gives %s\n want  %s", source, got, want)
		}
	}
}

// Where an argument may be of several kinds, the error is that of the kind which read
// furthest.
func TestErrorsOfSeveralKinds(t *testing.T) {
	for u, want := range map[string]string{
		`[0.5, "x", 1]`:                    `u[1] = "x", want a number`,
		`[0.5, [1], 1]`:                    `u[1] = [1], want a number`,
		`[[0.5, 0.5, 0.5], [0.1, 0.2]]`:    "u[1] has 2 entries, want 3 like the rows before",
		`[[0.5, 0.5, 0.5], [0.1, "x", 1]]`: `u[1][1] = "x", want a number`,
		`[[0.5, 0.5, 0.5], 3]`:             "u[1] = 3, want a list of numbers",
		`"abc"`:                            `u = "abc", want a list`,
	} {
		if _, err := run(t, "projection(3, 2).apply("+u+")"); err == nil || !strings.HasSuffix(err.Error(), "apply: "+want) {
			t.Errorf("%s fails with %v, want %q", u, err, want)
		}
	}
}
