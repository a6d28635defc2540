package repl

import (
	"math/big"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// printed are the numbers of an example's output: those with evidence, and all others in their order.
var (
	printed = regexp.MustCompile(`([-+0-9.e]+|inf) \((exact|certified|claimed)(?:: (in \[[^\]]*\]|ln\([^)]*\)|[^)]*))?\)`)
	plain   = regexp.MustCompile(`-?\d+(?:\.\d+)?(?:e[-+]?\d+)?`)
)

// outputs are what the examples of the manual print, by name.
func outputs(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("testdata/examples.txt")
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

func ratOf(t *testing.T, text string) *big.Rat {
	t.Helper()
	q, ok := new(big.Rat).SetString(text)
	if !ok {
		t.Fatalf("%q is no number", text)
	}
	return q
}

// floatOf returns the float64 that a text stands for: ends are printed so that they are read back.
func floatOf(t *testing.T, text string) *big.Rat {
	t.Helper()
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return new(big.Rat).SetFloat64(v)
}

// off returns how far a number that is not 0 is from the truth, in parts of it.
func off(got, truth *big.Rat) float64 {
	gap := new(big.Rat).Sub(got, truth)
	if truth.Sign() != 0 {
		gap.Quo(gap, truth)
	}
	f, _ := gap.Abs(gap).Float64()
	return f
}

// What the manual's examples print is true: testdata/truths.py has rationals and 45 digits of it from the definitions, by routes that share no code
// with the workbench. Exact numbers are equal, certified ones enclose the truth and are narrow, others are within rounding.
func TestExamplesAreTrue(t *testing.T) {
	text, err := os.ReadFile("testdata/truths.txt")
	if err != nil {
		t.Fatal(err)
	}
	shown := outputs(t)
	checked, exact, certified := 0, 0, 0
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		part := strings.Split(line, "\t")
		if len(part) != 3 {
			t.Fatalf("%q is no truth", line)
		}
		name, want := part[0], part[2]
		at, err := strconv.Atoi(strings.TrimPrefix(part[1], "~"))
		if err != nil {
			t.Fatal(err)
		}
		checked++
		if strings.HasPrefix(part[1], "~") {
			all := plain.FindAllString(shown[name], -1)
			if at >= len(all) {
				t.Errorf("%s prints %d numbers, no number %d", name, len(all), at)
			} else if off(ratOf(t, all[at]), ratOf(t, want)) > 4e-15 {
				t.Errorf("%s prints %s, true is %s", name, all[at], want)
			}
			continue
		}
		all := printed.FindAllStringSubmatch(shown[name], -1)
		if at >= len(all) {
			t.Errorf("%s prints %d numbers with evidence, no number %d", name, len(all), at)
			continue
		}
		value, kind, more := all[at][1], all[at][2], all[at][3]
		switch {
		case kind == "exact" && strings.HasPrefix(more, "ln("):
			exact++
			if more != want {
				t.Errorf("%s prints %s, true is %s", name, more, want)
			}
		case kind == "exact":
			exact++
			if more == "" {
				more = value
			}
			if strings.HasPrefix(want, "ln(") || ratOf(t, more).Cmp(ratOf(t, want)) != 0 {
				t.Errorf("%s prints %s, true is %s", name, more, want)
			}
		case kind == "certified":
			certified++
			lo, hi := value, value
			if more != "" {
				lo, hi, _ = strings.Cut(strings.Trim(strings.TrimPrefix(more, "in "), "[]"), ", ")
			}
			l, h, truth := floatOf(t, lo), floatOf(t, hi), ratOf(t, want)
			if l.Cmp(truth) > 0 || truth.Cmp(h) > 0 {
				t.Errorf("%s prints [%s, %s], true is %s", name, lo, hi, want)
			}
			if off(l, h) > 1e-6 {
				t.Errorf("%s prints [%s, %s]: wide", name, lo, hi)
			}
		default:
			if off(ratOf(t, value), ratOf(t, want)) > 1e-14 {
				t.Errorf("%s prints %s, true is %s", name, value, want)
			}
		}
	}
	if checked < 180 || exact < 30 || certified < 80 {
		t.Errorf("%d numbers are checked, %d of them exact and %d certified", checked, exact, certified)
	}
	t.Logf("%d numbers are checked, %d of them exact and %d certified", checked, exact, certified)
}
