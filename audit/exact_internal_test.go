package audit

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"dpworkbench/evidence"
)

// Numerals with exponents up to 2²⁰ are compared by value.
func TestNumberLimits(t *testing.T) {
	for text, ok := range map[string]bool{"1e1048576": true, "1e1048577": false, "1e-1048576": true, "1e-1048577": false, "01": false, "0": true, "-0": true, "0.": false, ".5": false, "1e": false, "1E5": true, "-": false, "1x": false, "1.50": true} {
		if n, got := parseNumeral(text); got != ok {
			t.Errorf("%q parses as numeral %v, %t", text, n, got)
		}
	}
	order := []string{"-1e9", "-20", "-2.5", "-2", "-0.01", "0", "1e-9", "0.1", "0.12", "1", "1.5", "2", "10", "1e1048576"}
	for i, a := range order {
		for j, b := range order {
			x, _ := parseNumeral(a)
			y, _ := parseNumeral(b)
			if got := x.compare(y); (got < 0) != (i < j) || (got > 0) != (i > j) {
				t.Errorf("%s against %s: %d", a, b, got)
			}
		}
	}
	var s names
	for i, text := range []string{"1", "word", "-0.5", "1e1048577"} {
		if got := s.id(text); got != i {
			t.Errorf("%q has id %d", text, got)
		}
	}
	for text, want := range map[string]int{"1.0": 0, "10e-1": 0, "word": 1, "-5e-1": 2, "1e1048577": 3, "10e1048576": -1, "0.5": -1, "Word": -1} {
		if got, ok := s.find(text); ok != (want >= 0) || ok && got != want {
			t.Errorf("%q is found as %d, %t", text, got, ok)
		}
	}
	if got := fmt.Sprint(count(1, "pair"), count(2, "pair"), count(0, "pair"), some([]string{"1", "2", "3", "4", "5", "6", "7", "8"}), some([]string{"1", "2", "3", "4", "5", "6", "7", "8", "9"})); got != "1 pair2 pairs0 pairs1, 2, 3, 4, 5, 6, 7, 81, 2, 3, 4, 5, 6, 7, 8, … (9 in all)" {
		t.Error(got)
	}
}

// The loss of a table is an upper bound. The loss is infinite if an event has probability 0 under one law only.
func TestEvidenceOfTables(t *testing.T) {
	two, three, u := big.NewRat(2, 1), big.NewRat(3, 1), big.NewRat(1, 1000)
	for name, c := range map[string]struct {
		low, high, u *big.Rat
		lo, hi       float64
	}{
		"infinite": {nil, nil, new(big.Rat), math.Inf(1), math.Inf(1)}, "infinite, rounded": {nil, nil, u, math.Inf(1), math.Inf(1)},
		"exact": {two, two, new(big.Rat), math.Ln2, math.Ln2}, "rounded": {two, three, u, math.Ln2, math.Log(3)},
		"possibly infinite": {two, nil, u, math.Ln2, math.Inf(1)},
	} {
		n := epsilonEvidence(c.low, c.high, c.u, 4)
		if lo, hi := n.Bounds(); evidence.SideOf(n) != evidence.Up || n.Kind() != evidence.KindExact && n.Float() != hi || lo > c.lo || hi < c.hi || lo < c.lo-1e-15 || hi > c.hi+1e-15 {
			t.Errorf("%s: %v in [%v, %v] on side %v", name, n, lo, hi, evidence.SideOf(n))
		}
	}
}
