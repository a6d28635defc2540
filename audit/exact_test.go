package audit

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
)

// Of two pairs whose losses round to the same float64, the audit finds the larger loss, and its δ at the claim, in
// either order of the pairs.
func TestAuditComparesLossesExactly(t *testing.T) {
	tiny := mustRat("1e-22")
	for _, delta := range []string{"0", "1/8"} {
		for _, order := range [][2]int64{{0, 1}, {1, 0}} {
			table := new(Table)
			add := func(name string, a *big.Rat) {
				for output, p := range map[string]*big.Rat{"a": a, "b": new(big.Rat).Sub(one, a)} {
					if err := table.Add(name, output, p); err != nil {
						t.Fatal(err)
					}
				}
			}
			q := func(k int64) *big.Rat {
				return new(big.Rat).Sub(big.NewRat(1, 4), new(big.Rat).Mul(big.NewRat(k, 1), tiny))
			}
			add("x", big.NewRat(3, 4))
			add("y", q(order[0]))
			add("z", q(order[1]))
			claim := must.Be(evidence.LogEpsilon("eps", big.NewRat(2, 1)))
			r := must.Be(table.Audit(context.Background(), []Pair{{"x", "y"}, {"x", "z"}}, Claim{Epsilon: claim, Delta: evidencetest.RationalDelta(mustRat(delta))}))
			want := new(big.Rat).Sub(big.NewRat(3, 4), mustRat(delta))
			want.Quo(want, q(1))
			if got := r.Epsilon.(evidence.ExactLog).Argument; got.Cmp(want) != 0 {
				t.Errorf("δ = %s, order %v: e^ε = %v, want %v", delta, order, got, want)
			}
			excess := new(big.Rat).Sub(big.NewRat(3, 4), new(big.Rat).Mul(big.NewRat(2, 1), q(1)))
			if got := r.Delta.(evidence.Exact).Value; got.Cmp(excess) != 0 {
				t.Errorf("order %v: δ = %v, want %v", order, got, excess)
			}
		}
	}
}

// Of two pairs whose δ differ by less than float64 error, the audit finds the larger δ, in either order of the pairs.
func TestAuditComparesDeltaExactly(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 8))
	claim := Claim{Epsilon: must.Be(evidence.LogEpsilon("eps", big.NewRat(2, 1)))}
	for trial := range 40 {
		table := new(Table)
		// add gives a dataset the mass on nine outputs of similar probability, and the rest on a tenth. With mass 3/5 or
		// slightly more, and 1/20 at the neighbor, δ at ln 2 is the mass minus 1/10.
		add := func(name string, mass *big.Rat) {
			whole, parts := int64(0), make([]int64, 9)
			for i := range parts {
				parts[i] = 900 + rng.Int64N(100)
				whole += parts[i]
			}
			for i, v := range parts {
				if err := table.Add(name, fmt.Sprint(i), new(big.Rat).Mul(mass, big.NewRat(v, whole))); err != nil {
					t.Fatal(err)
				}
			}
			if err := table.Add(name, "rest", new(big.Rat).Sub(one, mass)); err != nil {
				t.Fatal(err)
			}
		}
		more := new(big.Rat).Add(big.NewRat(3, 5), mustRat("1e-22"))
		add("a", more)
		add("b", big.NewRat(1, 20))
		add("c", big.NewRat(3, 5))
		add("d", big.NewRat(1, 20))
		for _, pairs := range [][]Pair{{{"a", "b"}, {"c", "d"}}, {{"c", "d"}, {"a", "b"}}} {
			r := must.Be(table.Audit(t.Context(), pairs, claim))
			if got, want := r.Delta.(evidence.Exact).Value, new(big.Rat).Sub(more, big.NewRat(1, 10)); got.Cmp(want) != 0 {
				t.Errorf("trial %d, %v: δ = %s, want %s", trial, pairs, got.FloatString(25), want.FloatString(25))
			}
		}
	}
}

// ParseNumber trims spaces. Numerals with exponents up to 2²⁰ are compared by value.
func TestNumberLimits(t *testing.T) {
	for text, want := range map[string]struct {
		p       string
		rounded bool
	}{" 0.5 ": {"1/2", false}, "\t1/3\n": {"1/3", false}, "0.123456789012": {"30864197253/250000000000", false}, "0.1234567890123": {"1234567890123/10000000000000", true}, "0.1234567890120": {"30864197253/250000000000", false}, "1234567890123/9999999999999": {"1234567890123/9999999999999", false}, "0.0001234567890123e1": {"1234567890123/1000000000000000", true}, "00001e-5": {"1/100000", false}, "+1e-1": {"1/10", false}} {
		p, rounded, err := ParseNumber(text)
		if err != nil || p.Cmp(mustRat(want.p)) != 0 || rounded != want.rounded {
			t.Errorf("%q parses as %v, rounded %t, %v", text, p, rounded, err)
		}
	}
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

// The loss and δ of a table are upper bounds. The loss is infinite if an event has probability 0 under one law only.
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
	for _, eps := range []evidence.Epsilon{must.Be(evidence.NewEpsilon("eps", 0.5)), must.Be(evidence.LogEpsilon("eps", two))} {
		var table Table
		for _, p := range []*big.Rat{big.NewRat(3, 4), big.NewRat(1, 4)} {
			name := p.String()
			if err := cmp.Or(table.Add(name, "a", p), table.Add(name, "b", new(big.Rat).Sub(one, p))); err != nil {
				t.Fatal(err)
			}
		}
		r := must.Be(table.Audit(t.Context(), nil, Claim{Epsilon: eps}))
		want := 0.75 - math.Exp(eps.Value())/4
		if lo, hi := r.Delta.Bounds(); evidence.SideOf(r.Delta) != evidence.Up || r.Delta.Float() != hi || math.Abs(lo-want) > 1e-15 || math.Abs(hi-want) > 1e-15 {
			t.Errorf("δ(%v) = %v on side %v, want %v", eps, r.Delta, evidence.SideOf(r.Delta), want)
		}
	}
}
