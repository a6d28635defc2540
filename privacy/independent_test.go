package privacy_test

import (
	"context"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/privacy"
)

// outer returns the joint law of two independent outputs.
func outer(a, b []*big.Rat) []*big.Rat {
	var out []*big.Rat
	for _, x := range a {
		for _, y := range b {
			out = append(out, new(big.Rat).Mul(x, y))
		}
	}
	return out
}

func rats(den int64, nums ...int64) []*big.Rat {
	var out []*big.Rat
	for _, n := range nums {
		out = append(out, big.NewRat(n, den))
	}
	return out
}

func twoLaws(t *testing.T, p, q []*big.Rat) *privacy.DiscretePair {
	t.Helper()
	l := must.For(privacy.NewRationalPair(p, q))(t)
	return l
}

// Independent equals the pair of product laws: alone and composed, nested and reversed.
func TestIndependentIsProductLaw(t *testing.T) {
	ctx := context.Background()
	type laws [2][]*big.Rat
	first, second := laws{rats(10, 1, 3, 6), rats(10, 5, 3, 2)}, laws{rats(8, 4, 3, 1, 0), rats(8, 1, 3, 2, 2)}
	for _, reverse := range []bool{false, true} {
		inner := privacy.Independent([]privacy.Pair{twoLaws(t, first[0], first[1])}, []int{2})
		pair := privacy.Independent([]privacy.Pair{inner, twoLaws(t, second[0], second[1])}, []int{1, 1})
		p, q := outer(outer(first[0], first[0]), second[0]), outer(outer(first[1], first[1]), second[1])
		if reverse {
			pair, p, q = pair.Reverse(), q, p
		}
		whole := twoLaws(t, p, q)
		for _, e := range []evidence.Epsilon{{}, must.Be(evidence.LogEpsilon("eps", big.NewRat(3, 2))), must.Be(evidence.LogEpsilon("eps", big.NewRat(30, 1)))} {
			got := must.For(pair.Delta(ctx, e))(t)
			want, _ := whole.Delta(ctx, e)
			if got.Rational == nil || got.Rational.Cmp(want.Rational) != 0 {
				t.Errorf("reverse %v: δ(%v) = %v, want %v", reverse, e, got.Rational, want.Rational)
			}
			a := account(pair)
			b := account(whole)
			for k := 1; k <= 3; k++ {
				x, y := composed(t, a, k), composed(t, b, k)
				d1, _ := x.Delta(ctx, e)
				d2, _ := y.Delta(ctx, e)
				if r := evidence.Rational(d1); r == "" || r != evidence.Rational(d2) {
					t.Errorf("reverse %v, %d uses: δ(%v) = %v, want %v", reverse, k, e, d1, d2)
				}
			}
		}
		meet := func(what string, a, b interval.Interval) {
			t.Helper()
			if a.Less(b) || b.Less(a) {
				t.Errorf("reverse %v: %s is %v, want %v", reverse, what, a, b)
			}
		}
		meet("mean", pair.Mean(), whole.Mean())
		meet("log-moment", pair.LogMoment(interval.Float(1.5)), whole.LogMoment(interval.Float(1.5)))
		lo, hi := pair.LossRange().Bounds()
		if l, h := whole.LossRange().Bounds(); !(l >= lo-1e-12 && h <= hi+1e-12) {
			t.Errorf("losses in [%v, %v], want [%v, %v]", lo, hi, l, h)
		}
		if pair.VarianceBound().Less(interval.Int(0)) || pair.InfinityMass().Rational.Cmp(whole.InfinityMass().Rational) != 0 {
			t.Errorf("the infinity mass is %v, want %v", pair.InfinityMass().Rational, whole.InfinityMass().Rational)
		}
		for what, ask := range map[string]func(a *privacy.Account) (evidence.Number, error){
			"ε(1/10)": func(a *privacy.Account) (evidence.Number, error) { return a.Epsilon(ctx, evidencetest.Delta(0.3)) },
			"gdp":     func(a *privacy.Account) (evidence.Number, error) { return a.GDP(ctx) },
			"D_2":     func(a *privacy.Account) (evidence.Number, error) { return a.Renyi(ctx, big.NewRat(2, 1)) },
		} {
			x, err1 := ask(account(pair))
			y, err2 := ask(account(whole))
			if err1 != nil || err2 != nil {
				t.Fatal(err1, err2)
			}
			meet(what, evidence.Enclosure(x), evidence.Enclosure(y))
		}
	}
}

func account(p privacy.Pair) *privacy.Account {
	return privacy.New(privacy.PairAndReverse("pair", "test", p))
}

func composed(t *testing.T, a *privacy.Account, k int) *privacy.Account {
	t.Helper()
	out := must.For(privacy.Compose(context.Background(), []*privacy.Account{a}, []int{k}))(t)
	return out
}
