package repl

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/decimal"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

func ratio(a, b int64) *big.Rat { return big.NewRat(a, b) }

// evaluate returns what print shows for an expression over the samples, or the
// error.
func evaluate(t *testing.T, expression string) string {
	t.Helper()
	s := NewSession()
	for name, n := range samples() {
		s.Set(name, script.Known(n))
	}
	for name, text := range map[string]string{"large": "9007199254740992", "larger": "9007199254740993", "below": "2.99999999999999999999", "tiny": "1e-400"} {
		q, _ := decimal.Rational(text)
		s.Set(name, script.Known(evidence.Exact{Value: q}))
	}
	v, err := s.Exec(context.Background(), "test", "str("+expression+")")
	if err != nil {
		return "error: " + err.(*script.ScriptError).Msg
	}
	return s.Show(v)[1 : len(s.Show(v))-1]
}

// A bound from below prints no digit above itself.
func TestFormatDown(t *testing.T) {
	for v, want := range map[float64]string{1.3766053: "1.3766", 0.99999999: "0.999999", 1: "1.0", 0: "0.0", 123456789: "1.23456e+08", 9.7516649e-05: "9.75166e-05", 2.5: "2.5"} {
		if got := evidence.FormatDown(v, 6); got != want {
			t.Errorf("evidence.FormatDown(%v) = %s, want %s", v, got, want)
		}
	}
}

// What is known to no digit prints its ends.
func TestWideEnclosures(t *testing.T) {
	wide := evidence.Certified{Lo: 1.91234, Hi: 3.24321}
	narrow := evidence.Certified{Lo: 1.91234, Hi: 1.91236}
	loss := evidence.Certified{Lo: 0, Hi: 0x1p-30, Side: evidence.Up}
	for _, c := range []struct{ got, want string }{
		{evidence.FormatInterval(wide, 6), "in [1.912, 3.244]"},
		{evidence.FormatInterval(narrow, 6), "1.912"},
		{evidence.Brief(wide), "in [1.912, 3.244] (certified)"},
		{evidence.Brief(narrow), "1.912 (certified)"},
		{cellText(script.Known(wide), 6), "[1.912, 3.244]"},
		{cellText(script.Known(narrow), 6), "1.912"},
		{cellText(script.Known(loss), 6), "9.31323e-10"},
		{evidence.FormatInterval(evidence.Certified{Lo: -0.5, Hi: 0}, 6), "in [-0.5, 0.0]"},
	} {
		if c.got != c.want {
			t.Errorf("got %s, want %s", c.got, c.want)
		}
	}
	for v, want := range map[float64]string{1.3766053: "1.3767", 0.99999999: "1.0", 0: "0.0", -2.00009: "-2.0"} {
		if got := evidence.FormatUp(v, 5); got != want {
			t.Errorf("evidence.FormatUp(%v) = %s, want %s", v, got, want)
		}
	}
}

func TestEvidence(t *testing.T) {
	for _, c := range []struct{ expression, want string }{
		// How it prints: the digits that the evidence supports, and its kind.
		{"claimed", "0.25 (claimed)"},
		{"third", "0.333333333333333 (exact: 1/3)"},
		{"logarithm", "1.25276296849537 (exact: ln(7/2))"},
		{"certified", "1.2345679 (certified: in [1.2345678900999998, 1.2345678999000001])"},
		{"loss", "2.0 (certified: in [1.0, 2.0])"},
		{"estimated", "0.5 (estimated: in [0.489999, 0.510001] with confidence 0.99, 1000 draws)"},
		// Attributes.
		{"[claimed.kind, third.kind, logarithm.kind, certified.kind, estimated.kind]", "[\\\"claimed\\\", \\\"exact\\\", \\\"exact\\\", \\\"certified\\\", \\\"estimated\\\"]"},
		{"[claimed.lo, claimed.hi, claimed.rational, claimed.confidence, claimed.draws]", "[0.25, 0.25, None, None, None]"},
		{"third.rational", "1/3"},
		{"third.lo < 1/3 or third.lo == 1/3", "True"},
		{"third.cases", "12"},
		{"logarithm.rational", "ln(7/2)"},
		{"loss.value", "2.0"},
		{"certified.value", "1.234567895"},
		{"[estimated.confidence, estimated.draws]", "[0.99, 1000]"},
		{"claimed.source", "Theorem 1"},
		{"claimed.sourc", "error: evidence has no .sourc (did you mean .source?)"},
		// Arithmetic gives floats.
		{"claimed + 1", "1.25 (claimed)"},
		{"1 - claimed", "0.75 (claimed)"},
		{"2 * claimed", "0.5 (claimed)"},
		{"1 / claimed", "error: division by a claimed number: it is a bound on one side, so the quotient is no bound; use .value for the quotient of the printed numbers"},
		{"claimed / 2", "0.125 (claimed)"},
		{"third + claimed", "0.583333333333333 (claimed)"},
		{"claimed // 0.1", "2.0"},
		{"-claimed", "-0.25 (claimed)"},
		{"+claimed", "0.25 (claimed)"},
		{"type(2 * logarithm)", "evidence"},
		{"type(certified - certified)", "evidence"},
		{"claimed + 'a'", "error: unknown binary op: evidence + string"},
		{"claimed + None", "error: unknown binary op: evidence + NoneType"},
		{"claimed / 0", "error: division by 0, want a number that is certainly not 0"},
		{"'%s' % claimed", "0.25 (claimed)"},
		// Order and equality, as far as they are known (see the tests of script).
		{"claimed < third", "True"},
		{"claimed == claimed", "True"},
		{"claimed != third", "True"},
		{"sorted([third, claimed]) == [claimed, third]", "True"},
		{"[claimed < 2, 0.5 >= claimed, claimed == 0.25, 1 != claimed, loss <= 2, loss < 0.5]", "[True, True, True, True, True, False]"},
		{"loss < 1.5", "error: evidence < float is not decided: one is in [1.0, 2.0], the other 1.5 (write e.value where the number is meant)"},
		{"1 == estimated", "error: int == evidence is not decided: an estimate cannot be ordered (in [0.48999999999999999, 0.51000000000000001]) (write e.value where the number is meant)"},
		{"claimed == None", "False"},
		{"claimed == 'a'", "False"},
		{"claimed and True", "True"},
		{"{claimed: 1}[claimed]", "1"},
		// Exact logarithms stay exact where they can.
		{"ln(3).rational", "ln(3)"},
		{"ln('27/8').rational", "ln(27/8)"},
		{"ln(0.5 + 1)", "0.405465108108165 (exact: ln(3/2))"},
		{"(2 * ln(3)).rational", "ln(9)"},
		{"(ln(3) * 2).rational", "ln(9)"},
		{"(ln(9) / 2).rational", "ln(3)"},
		{"(ln(2) + ln(3)).rational", "ln(6)"},
		{"(ln(3) / 2).rational", "ln(3)·1/2"},
		{"type(ln(3) * 1.5)", "evidence"},
		{"type(ln(3) - ln(2))", "evidence"},
		{"type(-ln(3))", "evidence"},
		{"type(0 * ln(3))", "evidence"},
		{"ln(3) + ln(2) == ln(6)", "True"},
		{"ln(3) < logarithm", "True"},
		{"ln(1)", "error: ln: x = ln(1), want the logarithm of a number above 1"},
		{"ln(third)", "-1.09861228866811 (exact: ln(1/3))"},
		// Functions that accept it.
		{"float(claimed)", "0.25"},
		{"math.exp(ln(3)) - 3 < 1e-15", "True"},
		{"math.log(claimed, 2)", "-2.0"},
		{"math.floor(logarithm)", "1"},
		{"min(claimed, 1)", "0.25 (claimed)"},
		{"max([claimed, 1, third])", "1"},
		{"max(claimed, third, key=lambda e: -e.value)", "0.25 (claimed)"},
		{"min([])", "error: min: the list is empty, want at least one number"},
		{"sum([claimed, 1])", "1.25 (claimed)"},
		{"sum([[1], [2]], [])", "[1, 2]"},
		{"sum([1, 2])", "3"},
		{"sum([1, 'a'])", "error: sum: items[1] = \"a\": unknown binary op: int + string"},
		{"round(logarithm)", "1"},
		{"[round(0.5), round(1.5), round(-2.5), round(2.675, 2), round(1234.5, -2)]", "[0, 2, -2, 2.67, 1200.0]"},
		{"round(logarithm, 2)", "1.25"},
		{"fmt(logarithm, 3)", "1.25"},
		{"fmt([1.23456, (2.5, ln(3))], 2)", "[\\\"1.2\\\", (\\\"2.5\\\", \\\"1.1\\\")]"},
		// Exact evidence counts without rounding: the float64s of these are equal.
		{"[large < larger, large == larger, large != larger, larger <= large, larger > large]", "[True, False, True, False, True]"},
		{"[max(large, larger).rational, max(larger, large).rational, min(larger, large).rational, min([large, larger]).rational]", "[\\\"9007199254740993\\\", \\\"9007199254740993\\\", \\\"9007199254740992\\\", \\\"9007199254740992\\\"]"},
		{"[e.rational for e in sorted([larger, large, third])]", "[\\\"1/3\\\", \\\"9007199254740992\\\", \\\"9007199254740993\\\"]"},
		{"[larger in [large], larger in [large, larger], larger in {large: 1}, [large] == [larger], (third, large) < (third, larger)]", "[False, True, False, False, True]"},
		{"max(larger, 9007199254740994)", "9007199254740994"},
		{"max(larger, 9007199254740992).rational", "9007199254740993"},
		{"min(third, 1/3)", "0.3333333333333333"}, // the float64 is below 1/3
		{"max(third, 1/3)", "0.333333333333333 (exact: 1/3)"},
		{"max([large, larger], key=lambda e: e).rational", "9007199254740993"},
		{"[ln(3) == ln(9) / 2, ln(3) < ln('3.00000000000000000000000001'), ln(3) in [ln(9) / 2]]", "[True, True, True]"},
		{"[int(larger), round(larger), math.floor(larger), math.ceil(larger)]", "[9007199254740993, 9007199254740993, 9007199254740993, 9007199254740993]"},
		{"[int(third), round(third), math.floor(third), math.ceil(third), math.ceil(below), math.floor(below), round(below), int(below)]", "[0, 0, 0, 1, 3, 2, 3, 2]"},
		{"[bool(tiny), bool(tiny == tiny), not tiny]", "[True, True, False]"},
		{"abs(claimed)", "0.25 (claimed)"},
		{"int(logarithm)", "1"},
		{"[float(), float('1e3'), float(True), int(), int('12'), int('ff', base=16)]", "[0.0, 1000.0, 1.0, 0, 12, 255]"},
		{"float('x')", "error: float: invalid float literal: x"},
	} {
		got := evaluate(t, c.expression)
		if got != c.want {
			t.Errorf("%s\n gives %s\n want  %s", c.expression, got, c.want)
		}
	}
}

// Whatever prints evidence keeps to its safe side, in files, too.
func TestPrintersKeepTheSafeSide(t *testing.T) {
	t.Chdir(t.TempDir())
	rng := rand.New(rand.NewPCG(17, 18))
	for range 30 {
		var rows []starlark.Value
		var known []evidence.Certified
		for range 40 {
			known = append(known, evidencetest.Random(rng))
			rows = append(rows, starlark.NewList([]starlark.Value{script.Known(known[len(known)-1])}))
		}
		s := NewSession()
		s.Set("rows", starlark.NewList(rows))
		digits := 1 + rng.IntN(17)
		texts := exec1(t, s, fmt.Sprintf(`t = table(rows, digits=%[1]d)
for end in ["csv", "md", "html", "json"]:
    t.save("t." + end, digits=%[1]d)
t.save("whole.csv")
[[fmt(r[0], %[1]d), str(r[0]), r[0].cite(), r[0].cite("latex")] for r in rows]`, digits)).(*starlark.List)
		printed := make(map[string][]string)
		for name, cell := range map[string]string{"t.csv": `(?m)^"?([^"\n]+)"?$`, "whole.csv": `(?m)^(.+)$`, "t.md": `(?m)^\| (.*\d.*|-?inf) \|$`, "t.html": `<td[^>]*>([^<]*)</td>`, "t.json": `\[([^\[\]]+|\[[^\[\]]+\])\]`} {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range regexp.MustCompile(cell).FindAllStringSubmatch(string(text), -1) {
				cell := strings.ReplaceAll(m[1], `\`, "")
				if name == "t.json" { // its numbers are floats: here all their digits
					cell = regexp.MustCompile(`-?\d[-+.e\d]*`).ReplaceAllStringFunc(cell, func(text string) string { return evidence.FormatFloat(script.Parsed(text), 767) })
				}
				printed[name] = append(printed[name], cell)
			}
		}
		for i, c := range known {
			row := texts.Index(i).(*starlark.List)
			for j, name := range []string{"fmt", "str", "cite", "latex"} {
				text, _ := starlark.AsString(row.Index(j))
				printed[name] = append(printed[name], strings.NewReplacer(" \\times 10^{", "e", "}", "", `\infty`, "inf").Replace(text))
			}
			for name, all := range printed {
				if len(all) <= i {
					t.Fatalf("%s has %d of %d numbers", name, len(all), len(known))
				}
				if c.Side == evidence.Neither && (name == "whole.csv" || name == "t.json" && !strings.HasPrefix(all[i], "[")) {
					continue // the midpoint, whole, and floats, which have more zeros than digits were asked for
				}
				if wrong := evidencetest.Misprint(c, all[i]); wrong != "" {
					t.Fatalf("%s to %d digits: %s", name, digits, wrong)
				}
			}
		}
	}
}
