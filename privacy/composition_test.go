package privacy_test

import (
	"context"
	"math"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/privacy"

	"pgregory.net/rapid"
)

var ctx = context.Background()

// uses draws two mechanisms over the same pairs of datasets, with at most four uses in total. It returns their account
// and the tables of all outputs.
func uses(t *rapid.T, hidden bool) (*privacy.Account, []table) {
	pairs := rapid.IntRange(1, 3).Draw(t, "pairs")
	a, b := tables(t, pairs, "a"), tables(t, pairs, "b")
	times := []int{rapid.IntRange(1, 4).Draw(t, "times a"), 0}
	times[1] = rapid.IntRange(0, 4-times[0]).Draw(t, "times b")
	all := make([]table, pairs)
	for i := range all {
		all[i] = a[i].power(times[0]).times(b[i].power(times[1]))
	}
	if times[1] == 0 {
		return compose(t, times[:1], family(t, "s", a, hidden)), all
	}
	return compose(t, times, family(t, "s", a, hidden), family(t, "s", b, hidden)), all
}

// Every answer about a composition of rational laws matches the enumeration of all outputs, and is exact where it can
// be.
func TestCompositionMatchesEnumeration(t *testing.T) {
	t.Parallel()
	tried := 0
	rapid.Check(t, func(t *rapid.T) {
		account, all := uses(t, false)
		truth := func(w *big.Rat) *big.Rat { return worst(all, func(a table) *big.Rat { return a.delta(w) }) }
		exactly := func(what string, n evidence.Number, want *big.Rat) {
			if e, ok := n.(evidence.Exact); !ok || e.Value.Cmp(want) != 0 {
				t.Fatalf("%s of %s is %v, want exactly %v", what, account.Name(), n, want)
			}
		}
		w := big.NewRat(int64(rapid.IntRange(6, 40).Draw(t, "w")), 6)
		d, err := account.Delta(ctx, logOf(t, w))
		exactly("δ", ask(t, d, err), truth(w))

		infinityMass := worst(all, func(a table) *big.Rat {
			sum := new(big.Rat)
			for i := range a.p {
				if a.q[i].Sign() == 0 {
					sum.Add(sum, a.p[i])
				}
			}
			return sum
		})
		lost, err := account.InfinityMass(ctx)
		exactly("infinite loss", ask(t, lost, err), infinityMass)

		top := worst(all, func(a table) *big.Rat { r, _ := a.ratios(); return append(r, big.NewRat(0, 1))[max(len(r)-1, 0)] })
		pure, err := account.Epsilon(ctx, evidence.Delta{})
		if lo, _ := ask(t, pure, err).Bounds(); infinityMass.Sign() > 0 && lo < 1e300 {
			t.Fatalf("smallest ε is %v with an infinite loss", pure)
		} else if e, ok := pure.(evidence.ExactLog); infinityMass.Sign() == 0 && (!ok || e.Argument.Cmp(top) != 0) {
			t.Fatalf("smallest ε is %v, want ln %v", pure, top)
		}
		if infinityMass.Sign() == 0 {
			d, err := account.Delta(ctx, logOf(t, top))
			exactly("δ at the smallest ε", ask(t, d, err), new(big.Rat))
		}

		if tried++; tried > 6 { // grids are slow
			return
		}
		delta := rapid.SampledFrom([]float64{1e-30, 1e-6, 0.01, 0.1, 0.3, 0.5, 0.9}).Draw(t, "delta")
		e, err := account.Epsilon(ctx, evidencetest.Delta(delta))
		if !proves(delta, ask(t, e, err), truth) {
			t.Fatalf("ε(%g) = %v is wrong", delta, e)
		}
		if lo, hi := e.Bounds(); infinityMass.Sign() == 0 && !(hi-lo <= 1e-4*(1+hi)) {
			t.Fatalf("ε(%g) = %v is too wide", delta, e)
		}
	})
}

// renyi returns Σ p^α q^{1−α} for α = n/4, computed by roots. The second result is false if the sum is infinite.
func (a table) renyi(n int) (*big.Rat, bool) {
	sum := new(big.Float).SetPrec(digits)
	for i := range a.p {
		if a.p[i].Sign() == 0 {
			continue
		}
		if a.q[i].Sign() == 0 {
			return nil, false
		}
		term := new(big.Float).SetPrec(digits).SetInt64(1) // (pⁿ q^{4−n})^{1/4}
		p, q := new(big.Float).SetPrec(digits).SetRat(a.p[i]), new(big.Float).SetPrec(digits).SetRat(a.q[i])
		for range n {
			term.Mul(term, p)
		}
		for k := range max(n-4, 4-n) {
			if _ = k; n > 4 {
				term.Quo(term, q)
			} else {
				term.Mul(term, q)
			}
		}
		sum.Add(sum, term.Sqrt(term.Sqrt(term)))
	}
	out, _ := sum.Rat(nil)
	return out, true
}

func TestRenyiOfTables(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		account, all := uses(t, rapid.Bool().Draw(t, "hidden"))
		n := rapid.SampledFrom([]int{5, 6, 7, 8, 9, 12, 30}).Draw(t, "4α")
		d := must.Be(account.Renyi(ctx, big.NewRat(int64(n), 4)))
		most := new(big.Rat)
		for _, a := range all {
			for _, b := range []table{a, a.reverse()} {
				sum, finite := b.renyi(n)
				if !finite {
					if lo, hi := d.Bounds(); !math.IsInf(hi, 1) || lo < 1e300 {
						t.Fatalf("D is %v, want infinite", d)
					}
					return
				}
				if sum.Cmp(most) > 0 {
					most = sum
				}
			}
		}
		lo, hi := d.Bounds()
		if most.Cmp(big.NewRat(1, 1)) <= 0 && lo == 0 && hi < 1e-60 {
			return
		}
		s := big.NewRat(int64(n-4), 4)
		least, _ := around(exp(new(big.Rat).Mul(s, rat(lo))))
		_, up := around(exp(new(big.Rat).Mul(s, rat(hi))))
		if least.Cmp(most) > 0 || up.Cmp(most) < 0 || hi-lo > 1e-12*(1+hi) {
			t.Fatalf("D of order %d/4 = %v is wrong", n, d)
		}
		if e, ok := d.(evidence.ExactLog); n == 8 && ok && e.Argument.Cmp(all[0].second(all)) != 0 {
			t.Fatalf("D of order 2 is %v", d)
		}
	})
}

// second returns the largest Σ p²/q of all tables.
func (table) second(all []table) *big.Rat {
	return worst(all, func(a table) *big.Rat {
		sum := new(big.Rat)
		for i := range a.p {
			if a.p[i].Sign() > 0 {
				sum.Add(sum, new(big.Rat).Quo(new(big.Rat).Mul(a.p[i], a.p[i]), a.q[i]))
			}
		}
		return sum
	})
}
