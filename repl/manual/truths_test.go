package manual_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// printed matches numbers with evidence in an example's output, and plain matches all others.
var (
	printed = regexp.MustCompile(`([-+0-9.e]+|inf) \((exact|certified|claimed|estimated)(?:: (in \[[^\]]*\]|ln\([^)]*\)|[^)]*))?[^)]*\)`)
	plain   = regexp.MustCompile(`-?\d+(?:\.\d+)?(?:e[-+]?\d+)?`)
)

// outputs returns the outputs of the manual's examples by name.
func outputs(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("../testdata/examples.txt")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, part := range strings.Split("\n"+string(text), "\n== ")[1:] {
		name, body, _ := strings.Cut(part, "\n")
		out[name] = body
	}
	return out
}

// A truth is a line of testdata/truths.txt: the true value of some of an example's numbers. testdata/truths.py
// explains the field which.
type truth struct{ name, which, want string }

func truths(t *testing.T) (all []truth) {
	t.Helper()
	text, err := os.ReadFile("../testdata/truths.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		part := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(part) != 3 {
			t.Fatalf("%q is not a truth", line)
		}
		all = append(all, truth{part[0], part[1], part[2]})
	}
	return all
}

// number parses a number exactly. It returns nil for "inf".
func number(text string) (*big.Rat, error) {
	if text == "inf" {
		return nil, nil
	}
	q, ok := new(big.Rat).SetString(text)
	if !ok {
		return nil, fmt.Errorf("%q is not a number", text)
	}
	return q, nil
}

// end parses a printed bound as the float64 nearest to it, because bounds are printed so that they can be read back
// exactly. It returns nil for an infinite one.
func end(text string) (*big.Rat, error) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(v, 0) {
		return nil, err
	}
	return new(big.Rat).SetFloat64(v), nil
}

// below reports whether a ≤ b. Nil stands for +∞.
func below(a, b *big.Rat) bool { return b == nil || a != nil && a.Cmp(b) <= 0 }

// off returns the relative error of a number, or the absolute error if the truth is 0.
func off(got, truth *big.Rat) float64 {
	if got == nil || truth == nil {
		if got == truth {
			return 0
		}
		return math.Inf(1)
	}
	gap := new(big.Rat).Sub(got, truth)
	if truth.Sign() != 0 {
		gap.Quo(gap, truth)
	}
	f, _ := gap.Abs(gap).Float64()
	return f
}

// lastDigit returns half a unit of the last digit shown. Values are rounded to nearest, so they err by at most that.
// Values rounded to the safe side err by less than a whole unit.
func lastDigit(shown string) *big.Rat {
	digits, exponent, _ := strings.Cut(shown, "e")
	_, after, _ := strings.Cut(digits, ".")
	power, _ := strconv.Atoi(exponent)
	power -= len(after)
	q, _ := new(big.Rat).SetString(fmt.Sprintf("0.5000001e%d", power))
	return q
}

// An example is its parsed output: numbers with evidence, and the positions of all other numbers.
type example struct {
	text     string
	evidence [][]string
	all      []string
	loose    []int // positions of the numbers without evidence
	told     map[string]bool
}

func newExample(text string) *example {
	text = strings.Join(strings.Fields(text), " ")
	e := &example{text: text, evidence: printed.FindAllStringSubmatch(text, -1), told: map[string]bool{}}
	spans := printed.FindAllStringIndex(text, -1)
	for i, at := range plain.FindAllStringIndex(text, -1) {
		e.all = append(e.all, text[at[0]:at[1]])
		if !slices.ContainsFunc(spans, func(s []int) bool { return s[0] <= at[0] && at[1] <= s[1] }) {
			e.loose = append(e.loose, i)
		}
	}
	return e
}

// withoutTruth lists the numbers of the example for which no truth was checked.
func (e *example) withoutTruth() (out []string) {
	if e.told["="] {
		return nil
	}
	for i, n := range e.evidence {
		if !e.told[strconv.Itoa(i)] {
			out = append(out, fmt.Sprintf("%d: %s", i, n[0]))
		}
	}
	for _, i := range e.loose {
		if !e.told["*"] && !e.told[fmt.Sprintf("~%d", i)] {
			out = append(out, fmt.Sprintf("~%d: %s", i, e.all[i]))
		}
	}
	return out
}

// holds returns an error if the example violates a truth.
func (e *example) holds(which, want string) error {
	bare := strings.TrimRight(which, "^?%~")
	switch which {
	case "=":
		e.told["="] = true
		var text string
		if err := json.Unmarshal([]byte(want), &text); err != nil {
			return err
		}
		if text = strings.Join(strings.Fields(text), " "); text != e.text {
			return fmt.Errorf("%q, want %q", e.text, text)
		}
		return nil
	case "*", "%", "of":
		e.told["*"] = true
		return e.numbers(which, strings.Fields(want))
	}
	e.told[bare] = true
	at, err := strconv.Atoi(strings.TrimPrefix(bare, "~"))
	if err != nil {
		return err
	}
	if strings.HasPrefix(bare, "~") {
		if at >= len(e.all) {
			return fmt.Errorf("%d numbers, no number %d", len(e.all), at)
		}
		return near(e.all[at], want, which[len(bare):])
	}
	if at >= len(e.evidence) {
		return fmt.Errorf("%d numbers with evidence, no number %d", len(e.evidence), at)
	}
	return evident(e.evidence[at], which[len(bare):], want)
}

// near checks that a number matches the truth: to the last float64 digits, with "%" to the digits shown, and with "?"
// to the tolerance of a difference or a search. The truth "a..b" is a range.
func near(shown, want, how string) error {
	got, err := number(shown)
	if err != nil {
		return err
	}
	lo, hi, between := strings.Cut(want, "..")
	if !between {
		hi = lo
	}
	l, err := number(lo)
	if err != nil {
		return err
	}
	h, err := number(hi)
	if err != nil {
		return err
	}
	right := false
	switch {
	case between:
		right = below(l, got) && below(got, h)
	case how == "%":
		right = got != nil && new(big.Rat).Abs(new(big.Rat).Sub(got, l)).Cmp(new(big.Rat).Add(lastDigit(shown), lastDigit(shown))) <= 0
	default:
		right = off(got, l) <= map[string]float64{"": 4e-15, "?": 1e-9}[how]
	}
	if !right {
		return fmt.Errorf("%s, want %s", shown, want)
	}
	return nil
}

// numbers checks that the numbers without evidence equal the wanted ones in order or, if which is "of", that each is
// among them.
func (e *example) numbers(which string, want []string) error {
	if which != "of" && len(want) != len(e.loose) {
		return fmt.Errorf("%d numbers without evidence, want %d", len(e.loose), len(want))
	}
	for k, i := range e.loose {
		switch which {
		case "of":
			if !slices.ContainsFunc(want, func(w string) bool { return near(e.all[i], w, "") == nil }) {
				return fmt.Errorf("%s, which is not among %s", e.all[i], want)
			}
		default:
			if err := near(e.all[i], want[k], strings.Trim(which, "*")); err != nil {
				return err
			}
		}
	}
	return nil
}

// evident checks a number with evidence against the truth, by its kind. The argument how is "" or one of "^" for a
// bound, "?" for ends that may be wide, and "~" for rounded parameters.
func evident(shown []string, how, want string) error {
	value, kind, more := shown[1], shown[2], shown[3]
	if kind == "exact" && how == "?" { // a search found this fraction: it is only near the truth
		return near(value, want, how)
	}
	if kind == "exact" && strings.HasPrefix(more, "ln(") || strings.HasPrefix(want, "ln(") {
		if more != want {
			return fmt.Errorf("%s, want %s", shown[0], want)
		}
		return nil
	}
	q, err := number(want)
	if err != nil {
		return err
	}
	switch kind {
	case "exact":
		if more == "" {
			more = value
		}
		got, err := number(more)
		if err != nil {
			return err
		}
		if off(got, q) != 0 {
			return fmt.Errorf("%s, want %s", more, want)
		}
	case "certified", "estimated":
		lo, hi := value, value
		if in, found := strings.CutPrefix(more, "in ["); found {
			lo, hi, _ = strings.Cut(strings.TrimSuffix(in, "]"), ", ")
		}
		l, err := end(lo)
		if err != nil {
			return err
		}
		h, err := end(hi)
		switch {
		case err != nil:
			return err
		case how == "~":
			if off(l, q) > 1e-12 || off(h, q) > 1e-12 {
				return fmt.Errorf("[%s, %s], want about %s", lo, hi, want)
			}
		case !below(l, q) || !below(q, h):
			return fmt.Errorf("[%s, %s], want %s", lo, hi, want)
		case how == "^" && (off(h, q) > 1e-9 || hi == lo && l.Cmp(h) != 0), how == "" && kind == "certified" && off(l, h) > 1e-6:
			return fmt.Errorf("[%s, %s] is too wide for %s", lo, hi, want)
		}
	default:
		got, err := number(value)
		if err != nil {
			return err
		}
		if off(got, q) > 1e-14 {
			return fmt.Errorf("%s, want %s", value, want)
		}
	}
	return nil
}

// The numbers in the output of the manual's examples are true. testdata/truths.py computes rationals and 45 digits from
// the definitions, and shares no code with the workbench. Exact numbers equal the truth, certified ones enclose it
// narrowly, and others agree up to rounding. Every number has a true value, or a reason for having none.
func TestExamplesAreTrue(t *testing.T) {
	all := map[string]*example{}
	for name, text := range outputs(t) {
		all[name] = newExample(text)
	}
	reasons, checked := map[string]string{}, 0
	for _, line := range truths(t) {
		e := all[line.name]
		switch {
		case e == nil:
			t.Errorf("../testdata/truths.txt has a truth for %s, which is not an example", line.name)
		case line.which == "-":
			reasons[line.name] = line.want
		default:
			checked++
			if err := e.holds(line.which, line.want); err != nil {
				t.Errorf("%s prints %v (truth %s)", line.name, err, line.which)
			}
		}
	}
	for name, e := range all {
		left := e.withoutTruth()
		switch {
		case len(left) > 0 && reasons[name] == "":
			t.Errorf("the example of %s prints numbers without a known truth: %s\n\tstate it in a file of repl/testdata/truths/ (truths.py explains how), or none(reason, %q); then python3 truths.py > truths.txt",
				name, strings.Join(left, "; "), name)
		case len(left) == 0 && reasons[name] != "":
			t.Errorf("the example of %s has a truth for every number, but also a reason for having none", name)
		}
	}
	t.Logf("%d truths of %d examples hold, %d examples have a reason for lacking one", checked, len(all), len(reasons))
}
