package manual_test

import (
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

// numbersOf returns the numbers with evidence in a value, also in lists, pairs and dicts of any depth.
func numbersOf(v starlark.Value) (out []evidence.Number) {
	switch v := v.(type) {
	case *script.Evidence:
		return []evidence.Number{v.Number()}
	case starlark.IterableMapping:
		for _, item := range v.Items() {
			out = append(out, numbersOf(item)...)
		}
	case starlark.Sequence:
		it := v.Iterate()
		defer it.Done()
		for x := starlark.Value(nil); it.Next(&x); {
			out = append(out, numbersOf(x)...)
		}
	}
	return out
}

// misprinted returns the numbers of a text that lie outside their own printed bounds by more than the shown digits
// allow, and how many numbers with bounds it has checked.
func misprinted(text string) (checked int, faults []string) {
	for _, n := range printed.FindAllStringSubmatch(strings.Join(strings.Fields(text), " "), -1) {
		in, found := strings.CutPrefix(n[3], "in [")
		if !found {
			continue
		}
		checked++
		lo, hi, _ := strings.Cut(strings.TrimSuffix(in, "]"), ", ")
		l, errLo := end(strings.TrimPrefix(lo, "-inf"))
		h, errHi := end(hi)
		v, err := number(n[1])
		if err != nil || errHi != nil || errLo != nil && lo != "-inf" {
			faults = append(faults, n[0])
			continue
		}
		unit := new(big.Rat)
		if v != nil {
			unit.Mul(lastDigit(n[1]), big.NewRat(2, 1))
		}
		sum := func(q, by *big.Rat) *big.Rat {
			if q == nil {
				return nil
			}
			return new(big.Rat).Add(q, by)
		}
		if lo != "-inf" && (!below(l, h) || !below(l, sum(v, unit))) || !below(sum(v, new(big.Rat).Neg(unit)), h) {
			faults = append(faults, n[0])
		}
	}
	return checked, faults
}

func TestMisprinted(t *testing.T) {
	for text, want := range map[string]bool{
		"0.5 (certified: in [0.4, 0.6])": false,
		// The value may be 0.65 before rounding, but a unit of the last digit is allowed.
		"0.7 (certified: in [0.4, 0.6])":                                                     false,
		"0.71 (certified: in [0.4, 0.6])":                                                    true,
		"0.3 (certified: in [0.45, 0.6])":                                                    true,
		"0.5 (certified: in [0.6, 0.4])":                                                     true,
		"inf (certified: in [1.5, inf])":                                                     false,
		"inf (certified: in [1.5, 2.0])":                                                     true,
		"1.5 (estimated: in [1.0, 1.25] with confidence 0.9, 10 draws)":                      true,
		"1.24985667155644 (certified: in [1.2498566715564405, 1.2498566715564408]), and so":  false,
		"1.24985667155640 (certified: in [1.2498566715564405,\n  1.2498566715564408]), more": true,
	} {
		if checked, faults := misprinted(text); checked != 1 || (len(faults) > 0) != want {
			t.Errorf("%s: %d checked, %v", text, checked, faults)
		}
	}
}

// notebookTexts returns the outputs of the notebooks (full and quick runs), and the pages of the claims and of the
// guide.
func notebookTexts(t *testing.T) (out []string) {
	t.Helper()
	for _, pattern := range []string{"../../notebooks/*.txt", "../../notebooks/quick/*.txt", "../../docs/claims.md", "../../docs/guide/*.md"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: no file, %v", pattern, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, string(text))
		}
	}
	return out
}

// Every number that the manual's examples and the committed notebooks print is within its own bounds.
func TestPrintedNumbersLieWithinTheirEnds(t *testing.T) {
	checked := 0
	for name, text := range outputs(t) {
		n, faults := misprinted(text)
		checked += n
		for _, f := range faults {
			t.Errorf("%s prints %s", name, f)
		}
	}
	for _, text := range notebookTexts(t) {
		n, faults := misprinted(text)
		checked += n
		for _, f := range faults {
			t.Errorf("a notebook prints %s", f)
		}
	}
	if checked < 300 {
		t.Errorf("only %d numbers with ends are printed", checked)
	}
	t.Logf("%d numbers", checked)
}
