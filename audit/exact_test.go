package audit_test

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/audit"
	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
)

// Of two pairs whose losses round to the same float64, the audit finds the larger loss, and its δ at the claim, in
// either order of the pairs.
func TestAuditComparesLossesExactly(t *testing.T) {
	tiny := rat("1e-22")
	for _, delta := range []string{"0", "1/8"} {
		for _, order := range [][2]int64{{0, 1}, {1, 0}} {
			table := new(audit.Table)
			add := func(name string, a *big.Rat) {
				for output, p := range map[string]*big.Rat{"a": a, "b": new(big.Rat).Sub(rat("1"), a)} {
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
			r := must.Be(table.Audit(context.Background(), []audit.Pair{{"x", "y"}, {"x", "z"}}, audit.Claim{Epsilon: claim, Delta: evidencetest.RationalDelta(rat(delta))}))
			want := new(big.Rat).Sub(big.NewRat(3, 4), rat(delta))
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
	claim := audit.Claim{Epsilon: must.Be(evidence.LogEpsilon("eps", big.NewRat(2, 1)))}
	for trial := range 40 {
		table := new(audit.Table)
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
			if err := table.Add(name, "rest", new(big.Rat).Sub(rat("1"), mass)); err != nil {
				t.Fatal(err)
			}
		}
		more := new(big.Rat).Add(big.NewRat(3, 5), rat("1e-22"))
		add("a", more)
		add("b", big.NewRat(1, 20))
		add("c", big.NewRat(3, 5))
		add("d", big.NewRat(1, 20))
		for _, pairs := range [][]audit.Pair{{{"a", "b"}, {"c", "d"}}, {{"c", "d"}, {"a", "b"}}} {
			r := must.Be(table.Audit(t.Context(), pairs, claim))
			if got, want := r.Delta.(evidence.Exact).Value, new(big.Rat).Sub(more, big.NewRat(1, 10)); got.Cmp(want) != 0 {
				t.Errorf("trial %d, %v: δ = %s, want %s", trial, pairs, got.FloatString(25), want.FloatString(25))
			}
		}
	}
}

// δ of a table is an upper bound.
func TestDeltaOfTable(t *testing.T) {
	for _, eps := range []evidence.Epsilon{must.Be(evidence.NewEpsilon("eps", 0.5)), must.Be(evidence.LogEpsilon("eps", rat("2")))} {
		var table audit.Table
		for _, p := range []*big.Rat{big.NewRat(3, 4), big.NewRat(1, 4)} {
			name := p.String()
			if err := cmp.Or(table.Add(name, "a", p), table.Add(name, "b", new(big.Rat).Sub(rat("1"), p))); err != nil {
				t.Fatal(err)
			}
		}
		r := must.Be(table.Audit(t.Context(), nil, audit.Claim{Epsilon: eps}))
		want := 0.75 - math.Exp(eps.Value())/4
		if lo, hi := r.Delta.Bounds(); evidence.SideOf(r.Delta) != evidence.Up || r.Delta.Float() != hi || math.Abs(lo-want) > 1e-15 || math.Abs(hi-want) > 1e-15 {
			t.Errorf("δ(%v) = %v on side %v, want %v", eps, r.Delta, evidence.SideOf(r.Delta), want)
		}
	}
}
