package privacy_test

import (
	"context"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/privacy"

	"pgregory.net/rapid"
)

// answerOf returns the statement of a number.
func answerOf(n evidence.Number) evidence.Statement {
	switch n := n.(type) {
	case evidence.Exact:
		return n.Statement
	case evidence.ExactLog:
		return n.Statement
	case evidence.Certified:
		return n.Statement
	}
	return nil
}

// The statement names a pair of neighbors that attains the number. Every pair that it lists with a Rényi order is
// certainly below the number. It lists no maximizer, and all pairs far below the number.
func TestComposedStatements(t *testing.T) {
	tried := 0
	rapid.Check(t, func(t *rapid.T) {
		tried++
		all := tables(t, rapid.IntRange(1, 4).Draw(t, "pairs"), "a")
		k := rapid.IntRange(1, 3).Draw(t, "k")
		f := family(t, "s", all, false)
		f.Mechanism = "tables"
		a := compose(t, []int{k}, f)
		delta := func(i int, w *big.Rat) *big.Rat { // of pair i
			of := all[i/2]
			if i%2 == 1 {
				of = of.reverse()
			}
			return of.power(k).delta(w)
		}
		argmax := func(of func(i int) *big.Rat) (first int) {
			for i := range 2 * len(all) {
				if of(i).Cmp(of(first)) > 0 {
					first = i
				}
			}
			return first
		}
		w := big.NewRat(int64(rapid.IntRange(7, 40).Draw(t, "w")), 6)
		e := logOf(t, w)
		d, err := a.Delta(ctx, e)
		s, ok := answerOf(ask(t, d, err)).(*privacy.CompositionStatement)
		if !ok || s.At == nil || s.Delta != nil || len(s.Uses()) != 1 || s.Uses()[0].Times != k || !strings.HasPrefix(s.Says(), "δ at ε = ") || !strings.Contains(s.Says(), "tables") {
			t.Fatalf("δ has the statement %v", s)
		}
		if i, found, err := s.Witness(ctx, e, false); err != nil || !found || delta(i, w).Cmp(delta(argmax(func(i int) *big.Rat { return delta(i, w) }), w)) != 0 {
			t.Fatalf("pair %d is named as the maximizer of δ: %t, %v", i, found, err)
		}
		huge := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), 4000))
		if i, found, err := s.Witness(ctx, e, true); err != nil || !found || delta(i, huge).Cmp(delta(argmax(func(i int) *big.Rat { return delta(i, huge) }), huge)) != 0 {
			t.Fatalf("pair %d is named as the one with the largest infinity mass: %t, %v", i, found, err)
		}
		most := rapid.Float64Range(0.001, 1).Draw(t, "most")
		orders := must.Be(s.RenyiOrders(ctx, e, most))
		for i := range 2 * len(all) {
			at := slices.IndexFunc(orders, func(o privacy.RenyiOrder) bool { return o.Pair == i })
			got, _ := delta(i, w).Float64()
			if at >= 0 && got >= most {
				t.Fatalf("δ of pair %d is %g, but its order %v bounds it below %g", i, got, orders[at].S, most)
			}
			// If all finite losses are far below ε, the bound decreases to the infinity mass as the order grows.
			infinityMass, _ := delta(i, huge).Float64()
			if ratios, _ := all[i/2].power(k).ratios(); at < 0 && i%2 == 0 && infinityMass < most/2 && (len(ratios) == 0 || ratios[len(ratios)-1].Cmp(new(big.Rat).Quo(w, big.NewRat(2, 1))) < 0) {
				t.Fatalf("no order bounds δ of pair %d below %g, but it is %g", i, most, got)
			}
		}
		for _, delta := range []float64{0, 0.125} {
			if delta > 0 && tried > 8 { // grids are slow
				continue
			}
			n, err := a.Epsilon(ctx, evidencetest.Delta(delta))
			s, ok := answerOf(ask(t, n, err)).(*privacy.CompositionStatement)
			if !ok || s.At != nil || s.Delta.Cmp(rat(delta)) != 0 {
				t.Fatalf("ε at δ = %g has the statement %v", delta, s)
			}
			says := map[float64]string{0: "the smallest ε of ", 0.125: "ε at δ = 0.125 of "}[delta]
			if !strings.HasPrefix(s.Says(), says) {
				t.Fatalf("ε at δ = %g is %q", delta, s.Says())
			}
			if _, top := n.Bounds(); delta == 0 && !math.IsInf(top, 1) {
				i, found, err := s.Witness(ctx, evidence.Epsilon{}, false)
				one := all[i/2]
				if i%2 == 1 {
					one = one.reverse()
				}
				ratios, _ := one.power(k).ratios()
				if v, _ := ratios[len(ratios)-1].Float64(); err != nil || !found || math.Abs(math.Log(v)-top) > 1e-9 && top > 0 {
					t.Fatalf("pair %d is named as the one with the loss %g: %t, %v", i, top, found, err)
				}
			}
		}
	})
	// Bounds, and families without a mechanism's name, have no statement.
	one := []table{{[]*big.Rat{big.NewRat(1, 2), big.NewRat(1, 2)}, []*big.Rat{big.NewRat(1, 3), big.NewRat(2, 3)}}}
	named := family(t, "s", one, false)
	named.Mechanism = "tables"
	for name, f := range map[string]*privacy.DominatingPairs{"nameless": family(t, "s", one, false), "bound": {Name: "b", Universe: scope("s"), Size: 2, Pair: named.Pair, Mechanism: "b", Bound: true}} {
		n, err := compose(t, []int{1, 2}, named, f).Delta(context.Background(), logOf(t, big.NewRat(5, 4)))
		if s := answerOf(ask(t, n, err)); s != nil {
			t.Errorf("%s: %v", name, s.Says())
		}
	}
}
