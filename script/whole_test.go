package script_test

import (
	"fmt"
	"strings"
	"testing"
)

// An exact integer is accepted as an int, and evidence as its value in formats and matrices. Counts reject other
// evidence.
func TestEvidenceAsPlainNumber(t *testing.T) {
	s := languageSession()
	shownBy(s, "a = [5, 6, 7, 8]\npair = (two, third)")
	for source, want := range map[string]string{
		"a[two], a[-two], a[:two], a[two:], a[::two], 'abc'[two], (1, 2, 3)[two]": `(7, 7, [5, 6], [7, 8], [5, 7], "c", 3)`,
		"b = [1, 2, 3]; b[two] = 9; b":                                            "[1, 2, 9]",
		"list(range(two)), list(range(0, 4, two))":                                "([0, 1], [0, 2])",
		"[0] * two, two * 'ab', {2: 'b'}[two]":                                    `([0, 0], "abab", "b")`,
		"'%d %x %s' % (two, two, two)":                                            `"2 2 2.0 (exact: 2)"`,
		"'%g %e %f' % (certified, third, two)":                                    `"1.234567895 3.333333e-01 2.000000"`,
		"'%d %g' % pair, pair":                                                    `("2 0.3333333333333333", (2.0 (exact: 2), 0.333333333333333 (exact: 1/3)))`,
		"int(third + two), float(loss), round(third)":                             "(2, 2.0, 0)",
		"matrix([[certified, third], [two, claimed]]).rows == [[certified.value, third.value], [2, 0.25]]": "True",
		"matrix([['a', 'b'], [estimated, 'inf']])[0]":                                                      "[0.5, +inf]",
		"matrix([[(1, 2), two]])": "error: matrix: rows[0][0] = (1, 2), want a number",
		"a[third]":                "error: list index: got evidence, want int",
		"a[:loss]":                "error: invalid end index: got evidence, want int",
		"range(certified)":        "error: 1.2345679 (certified: in [1.2345678900999998, 1.2345678999000001]), want a whole number: int(e.value) is one",
		"'%d' % certified":        "error: %d: 1.2345679 (certified: in [1.2345678900999998, 1.2345678999000001]), want a whole number: int(e.value) is one",
		"[0] * estimated":         "error: 0.5 (estimated: in [0.489999, 0.510001] with confidence 0.99, 1000 draws), want a whole number: int(e.value) is one",
		"{certified: 'no'}":       "error: unhashable: certified evidence may equal several numbers; use its .value",
	} {
		if got := shownBy(s, source); got != want {
			t.Errorf("%s gives %s, want %s", source, got, want)
		}
	}
}

// Every operation on evidence gives evidence of the weakest kind among its operands, or an error with the reason.
func TestOperationsKeepEvidence(t *testing.T) {
	s := languageSession()
	shownBy(s, "log = ln(3)")
	kinds := map[string]int{"claimed": 0, "estimated": 1, "certified": 2, "loss": 2, "point": 2, "third": 3, "two": 3, "log": 3, "2": 4, "0.5": 4}
	want := []string{"claimed", "estimated", "certified", "exact or certified"}
	check := func(source string, kind int) {
		got := shownBy(s, "type("+source+"), ("+source+").kind")
		if _, refused, _ := strings.Cut(got, "claimed number"); kind == 0 && refused != "" {
			return
		}
		if fields := strings.Split(got, `"`); len(fields) != 5 || fields[1] != "evidence" || !strings.Contains(want[kind], fields[3]) {
			t.Errorf("%s gives %s, want %s", source, got, want[kind])
		}
	}
	for x, k := range kinds {
		if k == 4 {
			continue
		}
		for y, l := range kinds {
			for _, form := range []string{"%s + %s", "%s - %s", "%s * %s", "%s / %s", "sum([%s, %s])"} {
				check(fmt.Sprintf(form, x, y), min(k, l))
				check(fmt.Sprintf(form, y, x), min(k, l))
			}
		}
		for _, form := range []string{"-%s", "abs(%s)", "ln(%s)", "math.exp(%s)", "math.log(%s)", "math.sqrt(%s)", "math.pow(%s, 3)", "max([%s])", "min(%s, 1000)"} {
			check(fmt.Sprintf(form, x), k)
		}
	}
}
