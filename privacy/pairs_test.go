package privacy_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/ctxtest"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/privacy"
	"dpworkbench/query"

	"pgregory.net/rapid"
)

// height returns the power of the most powerful test with false-positive rate at (Neyman and Pearson). The test rejects
// outputs by decreasing P/Q, and the last one with a probability.
func (a table) height(at *big.Rat) *big.Rat {
	left, out := new(big.Rat).Set(at), new(big.Rat)
	taken := make([]bool, len(a.p))
	for range a.p {
		best := -1
		for i := range a.p {
			if !taken[i] && (best < 0 || new(big.Rat).Mul(a.p[i], a.q[best]).Cmp(new(big.Rat).Mul(a.p[best], a.q[i])) > 0) {
				best = i
			}
		}
		taken[best] = true
		share := big.NewRat(1, 1)
		if a.q[best].Cmp(left) > 0 {
			share.Quo(left, a.q[best])
		}
		out.Add(out, new(big.Rat).Mul(share, a.p[best]))
		left.Sub(left, new(big.Rat).Mul(share, a.q[best]))
	}
	return out
}

// The corners lie on the trade-off function of all pairs, the convex dual of δ(t): 1 − δ(t) − tα is at most β for all
// t, and equals β for one t. If masses are hidden, the corners enclose the dual.
func TestTradeoffIsDualOfDelta(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hidden := rapid.Bool().Draw(t, "hidden")
		pairs := tables(t, rapid.IntRange(1, 4).Draw(t, "pairs"), "a")
		k := rapid.IntRange(1, 2).Draw(t, "k")
		if hidden {
			k = 1 // more uses are computed on grids
		}
		all := make([]table, len(pairs))
		for i := range all {
			all[i] = pairs[i].power(k)
		}
		f := must.Be(compose(t, []int{k}, family(t, "s", pairs, hidden)).Tradeoff(ctx))
		// β(α) = max_t 1 − δ(t) − tα. The maximum is at a ratio of some table, or at the slope between two corners.
		ts := []*big.Rat{new(big.Rat)}
		value := func(c privacy.Corner) (alpha, lo, hi *big.Rat) {
			if e, ok := c.Beta.(evidence.Exact); ok {
				return c.Alpha.(evidence.Exact).Value, e.Value, e.Value
			}
			a, _ := c.Alpha.Bounds()
			l, h := c.Beta.Bounds()
			return rat(a), rat(l), rat(h)
		}
		for i, c := range f.Corners[1:] {
			a1, b1, _ := value(f.Corners[i])
			a2, b2, _ := value(c)
			if a1.Cmp(a2) < 0 {
				ts = append(ts, new(big.Rat).Quo(new(big.Rat).Sub(b1, b2), new(big.Rat).Sub(a2, a1)))
			}
		}
		for _, a := range all {
			for _, b := range []table{a, a.reverse()} {
				r, _ := b.ratios()
				ts = append(ts, r...)
			}
		}
		for _, c := range f.Corners {
			if b, ok := c.Beta.(evidence.Certified); ok && b.Side != evidence.Down {
				t.Fatalf("β(%v) has the rounding side %v", c.Alpha, b.Side)
			}
			alpha, lo, hi := value(c)
			most := new(big.Rat)
			for _, w := range ts {
				d := worst(all, func(a table) *big.Rat { return a.delta(w) })
				d.Add(d, new(big.Rat).Mul(w, alpha))
				if v := d.Sub(big.NewRat(1, 1), d); v.Cmp(most) > 0 {
					most = v
				}
			}
			if f.Exact == hidden || most.Cmp(hi) > 0 || !hidden && most.Cmp(lo) < 0 {
				t.Fatalf("β(%v) is %v, want the dual's %v", c.Alpha, c.Beta, most)
			}
			if least := new(big.Rat).Sub(big.NewRat(1, 1), worst(all, func(a table) *big.Rat { return a.height(alpha) })); least.Cmp(lo) < 0 {
				t.Fatalf("β(%v) is %v, above the best test's %v", c.Alpha, c.Beta, least)
			}
		}
	})
}

// δ(t) of the dominating pair is the largest δ(t) of all pairs at every t, also below 1. Adaptive composition has the
// privacy of uses of this pair.
func TestDominatingPair(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := tables(t, rapid.IntRange(1, 5).Draw(t, "pairs"), "a")
		one := must.Be(compose(t, []int{1}, family(t, "s", all, false)).Adaptive(ctx))
		for _, w := range []*big.Rat{big.NewRat(1, 1), big.NewRat(int64(rapid.IntRange(7, 50).Draw(t, "w")), 6)} {
			d, err := one.Delta(ctx, logOf(t, w))
			want := worst(all, func(a table) *big.Rat { return a.delta(w) })
			if e, ok := ask(t, d, err).(evidence.Exact); !ok || e.Value.Cmp(want) != 0 {
				t.Fatalf("δ at e^ε = %v is %v, want %v", w, d, want)
			}
		}
		// The expected δ of two uses comes from the profile alone. The corners of the trade-off function, which is dual
		// to δ(t), give the atoms of one use.
		f := must.Be(one.Tradeoff(ctx))
		var pair table
		pair.p = append(pair.p, new(big.Rat).Sub(big.NewRat(1, 1), f.Corners[0].Beta.(evidence.Exact).Value))
		pair.q = append(pair.q, new(big.Rat))
		for i, c := range f.Corners[1:] {
			b := f.Corners[i]
			pair.p = append(pair.p, new(big.Rat).Sub(b.Beta.(evidence.Exact).Value, c.Beta.(evidence.Exact).Value))
			pair.q = append(pair.q, new(big.Rat).Sub(c.Alpha.(evidence.Exact).Value, b.Alpha.(evidence.Exact).Value))
		}
		last := f.Corners[len(f.Corners)-1].Alpha.(evidence.Exact).Value
		pair.p, pair.q = append(pair.p, new(big.Rat)), append(pair.q, new(big.Rat).Sub(big.NewRat(1, 1), last))
		for _, w := range []*big.Rat{new(big.Rat), big.NewRat(1, 7), big.NewRat(1, 2), big.NewRat(5, 6), big.NewRat(8, 5)} { // t < 1 too
			if got, want := pair.delta(w), worst(all, func(a table) *big.Rat { return a.delta(w) }); got.Cmp(want) != 0 {
				t.Fatalf("δ at t = %v is %v, want %v", w, got, want)
			}
		}
		two := must.Be(compose(t, []int{2}, family(t, "s", all, false)).Adaptive(ctx))
		w := big.NewRat(3, 2)
		d, err := two.Delta(ctx, logOf(t, w))
		if e, ok := ask(t, d, err).(evidence.Exact); !ok || e.Value.Cmp(pair.power(2).delta(w)) != 0 {
			t.Fatalf("δ of two uses is %v, want %v", d, pair.power(2).delta(w))
		}
	})
}

// Screening does not discard the worst of two dozen pairs, most of which have nearly the same laws.
func TestScreensKeepTheWorst(t *testing.T) {
	few(t, 3, func(t *rapid.T) {
		n := rapid.IntRange(2, 3).Draw(t, "outputs")
		base := rapid.SliceOfN(rapid.IntRange(1, 1000), n, n).Draw(t, "base")
		all := make([]table, 12)
		for i := range all {
			near := func(label string) []*big.Rat {
				w := make([]int, n)
				for k := range w {
					w[k] = base[(k+i%2)%n] + rapid.IntRange(0, 2).Draw(t, label)
				}
				return normalized(w)
			}
			all[i] = table{near("p"), near("q")}
		}
		account := compose(t, []int{1}, family(t, "s", all, false))
		two := compose(t, []int{2}, family(t, "s", all, false))
		w := big.NewRat(int64(rapid.IntRange(6, 9).Draw(t, "w")), 6)
		for k, a := range []*privacy.Account{account, two} {
			d, err := a.Delta(ctx, logOf(t, w))
			want := worst(all, func(a table) *big.Rat { return a.power(k + 1).delta(w) })
			if e, ok := ask(t, d, err).(evidence.Exact); !ok || e.Value.Cmp(want) != 0 {
				t.Fatalf("δ of %d uses is %v, want %v", k+1, d, want)
			}
		}
		most := func(of func(a *privacy.Account) (evidence.Number, error)) (lo, hi float64) {
			for _, a := range all {
				l, h := ask2(t)(of(compose(t, []int{1}, family(t, "s", []table{a}, false)))).Bounds()
				lo, hi = max(lo, l), max(hi, h)
			}
			return lo, hi
		}
		for name, of := range map[string]func(a *privacy.Account) (evidence.Number, error){
			"μ": func(a *privacy.Account) (evidence.Number, error) { return a.GDP(ctx) },
			"ρ": func(a *privacy.Account) (evidence.Number, error) { return a.ZCDP(ctx) },
			"D": func(a *privacy.Account) (evidence.Number, error) { return a.Renyi(ctx, big.NewRat(5, 2)) },
		} {
			lo, hi := most(of)
			if l, h := ask2(t)(of(account)).Bounds(); l > hi || h < lo {
				t.Fatalf("%s is in [%g, %g], want that of all pairs, in [%g, %g]", name, l, h, lo, hi)
			}
		}
	})
}

func ask2(t interface{ Fatal(...any) }) func(n evidence.Number, err error) evidence.Number {
	return func(n evidence.Number, err error) evidence.Number { return ask(t, n, err) }
}

// Screening keeps pairs that float64 cannot represent: pairs with infinite losses only, with probabilities and δ below
// 2^−1074, or with losses above 745.
func TestScreensKeepPairsBeyondFloat64(t *testing.T) {
	tiny := func(bits uint) *big.Rat {
		return new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), bits))
	}
	rest := func(q *big.Rat) *big.Rat { return new(big.Rat).Sub(big.NewRat(1, 1), q) }
	two := func(p, q *big.Rat) table { return table{[]*big.Rat{p, rest(p)}, []*big.Rat{q, rest(q)}} }
	for name, all := range map[string][]table{
		"disjoint":   {two(big.NewRat(1, 2), big.NewRat(1, 3)), two(big.NewRat(1, 1), new(big.Rat))},
		"rare":       {two(tiny(1300), tiny(1400)), two(tiny(1200), tiny(1400)), two(tiny(1250), tiny(1400))},
		"far":        {two(big.NewRat(3, 10), tiny(1080)), two(big.NewRat(1, 5), tiny(1150)), two(big.NewRat(1, 7), tiny(1050))},
		"far and no": {two(big.NewRat(1, 5), tiny(1150)), two(big.NewRat(3, 10), tiny(1080)), two(tiny(2000), tiny(2001))},
	} {
		account := compose(t, []int{1}, family(t, "s", all, false))
		chosen := must.For(account.Adaptive(ctx))(t)
		for _, w := range []*big.Rat{big.NewRat(3, 2), new(big.Rat).Inv(tiny(20)), new(big.Rat).Inv(tiny(1100))} {
			want := worst(all, func(a table) *big.Rat { return a.delta(w) })
			for _, a := range []*privacy.Account{account, chosen} {
				d, err := a.Delta(ctx, logOf(t, w))
				if e, ok := ask(t, d, err).(evidence.Exact); !ok || e.Value.Cmp(want) != 0 {
					t.Errorf("%s: δ of %s is %v, want %s", name, a.Name(), d, want.FloatString(3))
				}
			}
		}
		lo, hi := 0.0, 0.0
		for _, a := range all {
			l, h := ask2(t)(compose(t, []int{1}, family(t, "s", []table{a}, false)).Renyi(ctx, big.NewRat(3, 1))).Bounds()
			lo, hi = max(lo, l), max(hi, h)
		}
		if l, h := ask2(t)(account.Renyi(ctx, big.NewRat(3, 1))).Bounds(); l > hi || h < lo {
			t.Errorf("%s: D is in [%g, %g], want that of all pairs, in [%g, %g]", name, l, h, lo, hi)
		}
	}
	// These losses are close to each other and far from 0.
	near := table{[]*big.Rat{big.NewRat(1, 2), big.NewRat(1, 2), new(big.Rat)}, []*big.Rat{big.NewRat(1, 4), new(big.Rat).Sub(big.NewRat(1, 4), tiny(70)), new(big.Rat).Add(big.NewRat(1, 2), tiny(70))}}
	e, err := compose(t, []int{2}, family(t, "s", []table{near}, true)).Epsilon(ctx, evidencetest.Delta(0.7))
	if !proves(0.7, ask(t, e, err), func(w *big.Rat) *big.Rat {
		return worst([]table{near.power(2)}, func(a table) *big.Rat { return a.delta(w) })
	}) {
		t.Errorf("ε of losses near ln 2 is %v", e)
	}
}

// Randomized response has μ = 2Φ⁻¹(e^ε/(1 + e^ε)), a ρ that a scan finds, and δ of k uses by the binomial sum of
// Kairouz, Oh and Viswanath. Uses with different ε match the sum over all subsets (Murtagh and Vadhan).
func TestApproxDPMatchesClosedForms(t *testing.T) {
	ln3 := logOf(t, big.NewRat(3, 1))
	none := new(big.Rat)
	response := must.For(privacy.ApproxDP(ln3, none))(t)
	mu := 2 * math.Sqrt2 * math.Erfinv(0.5)
	holds(t, "μ", ask2(t)(privacy.New(response).GDP(ctx)), nil, mu, 1e-14, 1e-13)
	for _, k := range []int{1, 2, 5} { // δ' = 1 − (1 − δ)^k + (1 − δ)^k Σ (p − wq)⁺ over the number of heads
		lost := big.NewRat(int64(k-1), 10)
		part := must.For(privacy.ApproxDP(ln3, lost))(t)
		for _, w := range []int64{1, 3, 4, 27, 300} {
			sum := new(big.Rat)
			whole := new(big.Int).Exp(big.NewInt(4), big.NewInt(int64(k)), nil)
			for heads := range k + 1 {
				ways := new(big.Int).Binomial(int64(k), int64(heads))
				p := new(big.Int).Exp(big.NewInt(3), big.NewInt(int64(heads)), nil)
				q := new(big.Int).Exp(big.NewInt(3), big.NewInt(int64(k-heads)), nil)
				if gap := p.Sub(p, q.Mul(q, big.NewInt(w))); gap.Sign() > 0 {
					sum.Add(sum, new(big.Rat).SetFrac(gap.Mul(gap, ways), whole))
				}
			}
			kept := interval.RationalPower(new(big.Rat).Sub(big.NewRat(1, 1), lost), big.NewInt(int64(k)))
			want := new(big.Rat).Sub(big.NewRat(1, 1), kept)
			want.Add(want, kept.Mul(kept, sum))
			d := ask2(t)(compose(t, []int{k}, part).Delta(ctx, logOf(t, big.NewRat(w, 1))))
			if e, ok := d.(evidence.Exact); !ok || e.Value.Cmp(want) != 0 {
				t.Errorf("%d times at %d: %v, want %v", k, w, d, want)
			}
		}
	}
	var parts []*privacy.DominatingPairs
	var times []int
	all := table{}.power(0)
	for i := range 12 {
		b := big.NewRat(int64(20+i), int64(19))
		if i == 11 {
			b = big.NewRat(3, 1)
		}
		part := must.For(privacy.ApproxDP(logOf(t, b), none))(t)
		high := new(big.Rat).Quo(b, new(big.Rat).Add(b, big.NewRat(1, 1)))
		low := new(big.Rat).Sub(big.NewRat(1, 1), high)
		all = all.times(table{[]*big.Rat{high, low}, []*big.Rat{low, high}})
		parts, times = append(parts, part), append(times, 1)
	}
	w := big.NewRat(5, 2)
	d := ask2(t)(compose(t, times, parts...).Delta(ctx, logOf(t, w)))
	if e, ok := d.(evidence.Exact); !ok || e.Value.Cmp(all.delta(w)) != 0 {
		t.Errorf("12 parts: %v, want %v", d, all.delta(w).FloatString(20))
	}
	for _, c := range []struct {
		eps   evidence.Epsilon
		delta int64
		want  string
	}{{evidence.Epsilon{}, 0, "0"}, {ln3, 1, "1"}, {evidence.Epsilon{}, 1, "1"}} {
		f := must.For(privacy.ApproxDP(c.eps, big.NewRat(c.delta, 1)))(t)
		for _, a := range []*privacy.Account{privacy.New(f), compose(t, []int{3}, f)} {
			if d := ask2(t)(a.Delta(ctx, ln3)).(evidence.Exact); d.Value.RatString() != c.want {
				t.Errorf("%s: δ is %v, want %s", a.Name(), d, c.want)
			}
		}
	}
	tenth, _ := evidence.NewEpsilon("eps", 0.1)
	f, err := privacy.ApproxDP(tenth, none)
	if d := ask2(t)(compose(t, []int{1}, ask(t, f, err)).Delta(ctx, tenth)).(evidence.Exact); d.Value.Sign() != 0 {
		t.Errorf("δ at ε itself is %v", d)
	}
}

func TestBadParameters(t *testing.T) {
	f := must.For(privacy.ApproxDP(logOf(t, big.NewRat(3, 1)), new(big.Rat)))(t)
	a := privacy.New(f)
	for name, do := range map[string]func() error{
		"α = 1":       func() error { _, err := a.Renyi(ctx, big.NewRat(1, 1)); return err },
		"α = 1/2":     func() error { _, err := a.Renyi(ctx, big.NewRat(1, 2)); return err },
		"known δ > 1": func() error { _, err := privacy.ApproxDP(evidence.Epsilon{}, big.NewRat(3, 2)); return err },
		"known δ < 0": func() error { _, err := privacy.ApproxDP(evidence.Epsilon{}, big.NewRat(-1, 2)); return err },
		"no part":     func() error { _, err := privacy.Compose(ctx, nil, nil); return err },
		"relation": func() error {
			_, err := privacy.New(family(t, "s", []table{{normalized([]int{1, 2}), normalized([]int{2, 1})}}, false)).Under(query.Replace)
			return err
		},
		"ρ < 0": func() error {
			_, err := privacy.ConcentratedPairs(privacy.Concentrated{Xi: new(big.Rat), Rho: big.NewRat(-1, 2)})
			return err
		},
		"noise of 0": func() error {
			given := &privacy.DPSGD{NoiseMultiplier: new(big.Rat), Steps: 1, Sampling: privacy.Poisson}
			_, _, err := privacy.CalibrateDPSGD(ctx, given, privacy.SGDRate, evidencetest.Epsilon(0.5), evidencetest.Delta(1e-6))
			return err
		},
		"no number":  func() error { _, err := privacy.Compose(ctx, []*privacy.Account{a}, nil); return err },
		"k = 0":      func() error { _, err := privacy.Compose(ctx, []*privacy.Account{a}, []int{0}); return err },
		"k = 2⁶²":    func() error { _, err := privacy.Compose(ctx, []*privacy.Account{a}, []int{1 << 62}); return err },
		"many parts": func() error { _, err := privacy.Compose(ctx, []*privacy.Account{a, a}, []int{1 << 30, 1}); return err },
		"k of k": func() error {
			_, err := privacy.Compose(ctx, []*privacy.Account{compose(t, []int{1 << 29}, f)}, []int{4})
			return err
		},
		"lengths": func() error { _, err := privacy.NewRationalPair([]*big.Rat{big.NewRat(1, 1)}, nil); return err },
		"no law":  func() error { h := []*big.Rat{big.NewRat(1, 2)}; _, err := privacy.NewRationalPair(h, h); return err },
		"negative": func() error {
			h := []*big.Rat{big.NewRat(-1, 2), big.NewRat(3, 2)}
			_, err := privacy.NewRationalPair(h, h)
			return err
		},
		"nothing": func() error { h := []*big.Rat{nil}; _, err := privacy.NewRationalPair(h, h); return err },
	} {
		if err := do(); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// claimedPairs returns the pairs of a mechanism for which only ρ = 1/8 is claimed.
func claimedPairs(t interface{ Fatal(...any) }) *privacy.DominatingPairs {
	f, err := privacy.ConcentratedPairs(privacy.Concentrated{Xi: new(big.Rat), Rho: big.NewRat(1, 8)})
	f = ask(t, f, err)
	f.TranslationInvariant = true
	return f
}

// questions returns a call of every method by which an account answers a question.
func questions(t *testing.T) map[string]func(ctx context.Context, a *privacy.Account) error {
	ln2, half := logOf(t, big.NewRat(2, 1)), evidencetest.Epsilon(0.5)
	return map[string]func(ctx context.Context, a *privacy.Account) error{
		"δ":        func(ctx context.Context, a *privacy.Account) error { _, err := a.Delta(ctx, ln2); return err },
		"δ at 1/2": func(ctx context.Context, a *privacy.Account) error { _, err := a.Delta(ctx, half); return err },
		"ε": func(ctx context.Context, a *privacy.Account) error {
			_, err := a.Epsilon(ctx, evidence.Delta{})
			return err
		},
		"ε at δ": func(ctx context.Context, a *privacy.Account) error {
			_, err := a.Epsilon(ctx, evidencetest.Delta(1e-3))
			return err
		},
		"D": func(ctx context.Context, a *privacy.Account) error {
			_, err := a.Renyi(ctx, big.NewRat(2, 1))
			return err
		},
		"ρ":        func(ctx context.Context, a *privacy.Account) error { _, err := a.ZCDP(ctx); return err },
		"KL":       func(ctx context.Context, a *privacy.Account) error { _, err := a.KL(ctx); return err },
		"points":   func(ctx context.Context, a *privacy.Account) error { _, _, err := a.ProfilePoints(ctx, 3); return err },
		"μ":        func(ctx context.Context, a *privacy.Account) error { _, err := a.GDP(ctx); return err },
		"tradeoff": func(ctx context.Context, a *privacy.Account) error { _, err := a.Tradeoff(ctx); return err },
		"adaptive": func(ctx context.Context, a *privacy.Account) error { _, err := a.Adaptive(ctx); return err },
		"infinite": func(ctx context.Context, a *privacy.Account) error { _, err := a.InfinityMass(ctx); return err },
		"worst":    func(ctx context.Context, a *privacy.Account) error { _, err := a.Worst(ctx, nil); return err },
		"worst at": func(ctx context.Context, a *privacy.Account) error { _, err := a.Worst(ctx, &half); return err },
	}
}

// Accounts of every kind return their context's error, at whichever poll the context ends. Some closed forms do not
// poll.
func TestAccountsStopAtEveryPoll(t *testing.T) {
	t.Parallel()
	few := []table{{normalized([]int{1, 2, 3}), normalized([]int{3, 2, 1})}}
	made := func(ctx context.Context, times []int, parts ...*privacy.DominatingPairs) (*privacy.Account, error) {
		var accounts []*privacy.Account
		for _, f := range parts {
			accounts = append(accounts, privacy.New(f))
		}
		return privacy.Compose(ctx, accounts, times)
	}
	places := 0
	for kind, make := range map[string]func(ctx context.Context) (*privacy.Account, error){
		"a lattice": func(ctx context.Context) (*privacy.Account, error) {
			f, err := privacy.ApproxDP(evidencetest.Epsilon(0.5), new(big.Rat))
			return made(ctx, []int{3}, ask(t, f, err))
		},
		"hidden tables": func(ctx context.Context) (*privacy.Account, error) {
			return made(ctx, []int{1}, family(t, "s", few, true))
		},
		"unlike datasets": func(ctx context.Context) (*privacy.Account, error) {
			return made(ctx, []int{1, 1}, family(t, "s", few, false), family(t, "o", few, false))
		},
		"discrete Gaussian": func(ctx context.Context) (*privacy.Account, error) {
			return made(ctx, []int{2}, discreteGaussian(t, big.NewRat(9, 4), 1))
		},
		"drawn records": func(ctx context.Context) (*privacy.Account, error) {
			return privacy.Subsample(ctx, privacy.New(discreteGaussian(t, big.NewRat(9, 4), 1)), big.NewRat(1, 8), privacy.Poisson)
		},
		"two steps": func(ctx context.Context) (*privacy.Account, error) {
			f := family(t, "s", few, true)
			f.Relation = query.AddRemove
			return privacy.New(f).Under(query.Replace)
		},
		"claimed": func(ctx context.Context) (*privacy.Account, error) {
			return made(ctx, []int{1, 1}, family(t, "s", few, false), claimedPairs(t))
		},
		"drawn uses": func(ctx context.Context) (*privacy.Account, error) {
			f := family(t, "s", few, true)
			f.Relation = query.Replace
			a, err := made(ctx, []int{2}, f)
			if err != nil {
				return nil, err
			}
			return privacy.Subsample(ctx, a, big.NewRat(1, 8), privacy.WithoutReplacement)
		},
		"normal": func(ctx context.Context) (*privacy.Account, error) {
			return made(ctx, []int{2}, privacy.NormalPairs("normal", "test", interval.Int(1)))
		},
	} {
		for name, do := range questions(t) {
			t.Run(kind+"/"+name, func(t *testing.T) {
				places += ctxtest.EachPoll(t, 0, func(ctx context.Context) error {
					a, err := make(ctx)
					if err != nil {
						return err
					}
					return do(ctx, a)
				})
			})
		}
	}
	if places < 150 {
		t.Errorf("only %d polls in total", places)
	}
}

// δ, ε and Rényi divergences of randomized response enclose sums over its outputs that are known to 40 digits, so
// bounds rounded the wrong way fail.
func TestRandomizedResponseEnclosesDigits(t *testing.T) {
	tiny := 0x1p-10
	for _, c := range []struct {
		eps                 float64
		uses                int
		at                  float64
		delta, least, renyi string // δ(at), ε(2⁻¹⁰) and the divergence of order 5/2 by mpmath with 50 digits
	}{
		{0.5, 3, 0.25, "0.2691486989775300056453748808009510207965", "1.495942599733290905065832141085361824646", "0.8057020537257316311414589025542673633575"},
		{0.5, 3, 0.75, "0.1272521894786242365000690821012461632075", "1.495942599733290905065832141085361824646", "0.8057020537257316311414589025542673633575"},
		{1, 4, 1.5, "0.4275678256150635071255933175983986530548", "3.996575203228644211913752528211333323149", "3.213035307732231750149300862186395314258"},
		{0.25, 9, 0.5, "0.1465251996023882174691524770756823793244", "2.058695568414740540998632872994855283067", "0.6739336058362756310469561798572261989506"},
		{2, 2, 1, "0.7371785110495478456348212346380850089673", "3.998740431485353421531200430729029477879", "3.831209860439897696517129471330304583346"},
	} {
		f, err := privacy.ApproxDP(evidencetest.Epsilon(c.eps), new(big.Rat))
		a := compose(t, []int{c.uses}, ask(t, f, err))
		for want, n := range map[string]evidence.Number{
			c.delta: ask2(t)(a.Delta(ctx, evidencetest.Epsilon(c.at))), c.least: ask2(t)(a.Epsilon(ctx, evidencetest.Delta(tiny))), c.renyi: ask2(t)(a.Renyi(ctx, big.NewRat(5, 2))),
		} {
			lo, hi := n.Bounds()
			exact, _ := new(big.Rat).SetString(want)
			if rat(lo).Cmp(exact) > 0 || rat(hi).Cmp(exact) < 0 || hi-lo > 1e-11*hi {
				t.Errorf("%d uses at %g: [%v, %v], want %s", c.uses, c.eps, lo, hi, want)
			}
		}
	}
}

// For many pairs the corners come from tangents and events. The polygon of lower ends lies below every test of every
// pair. No upper end lies below the convex function dual to the largest δ(t). The computation stops with its context.
func TestTradeoffOfManyPairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 5))
	var pairs []table
	for range 70 {
		p, q := make([]int, 3), make([]int, 3)
		for i := range p {
			p[i], q[i] = 1+rng.IntN(9), 1+rng.IntN(9)
		}
		pairs = append(pairs, table{normalized(p), normalized(q)})
	}
	type floats struct{ p, q []float64 } // sorted by increasing ratio
	var both []floats
	for _, a := range pairs {
		a = a.power(2)
		for _, b := range []table{a, a.reverse()} {
			p, q := b.floats()
			both = append(both, floats{p, q})
		}
	}
	f := must.For(compose(t, []int{2}, family(t, "s", pairs, false)).Tradeoff(ctx))(t)
	dual := make([]float64, 400) // δ(t) at t = k/40
	for k := range dual {
		for _, b := range both {
			d := 0.0
			for i := range b.p {
				d += math.Max(0, b.p[i]-float64(k)/40*b.q[i])
			}
			dual[k] = math.Max(dual[k], d)
		}
	}
	if f.Exact || len(f.Corners) < 8 {
		t.Fatalf("%d corners, exact %t", len(f.Corners), f.Exact)
	}
	for _, c := range f.Corners {
		alpha, _ := c.Alpha.Bounds()
		lo, hi := c.Beta.Bounds()
		least := 1.0 // least false-negative rate of all tests with false-positive rate at most alpha
		for _, b := range both {
			left, found := alpha, 0.0
			for i := len(b.p) - 1; i >= 0; i-- {
				share := math.Min(1, left/b.q[i])
				found, left = found+share*b.p[i], left-share*b.q[i]
			}
			least = math.Min(least, 1-found)
		}
		convex := 0.0
		for k, d := range dual {
			convex = math.Max(convex, 1-d-float64(k)/40*alpha)
		}
		if lo > least+1e-12 || hi < convex-1e-12 || lo < convex-0.01 || hi-lo > 0.03 {
			t.Errorf("β(%g) in [%g, %g], want at most %g by the best test and at least %g by the dual",
				alpha, lo, hi, least, convex)
		}
	}
	ctxtest.EachPoll(t, 8, func(ctx context.Context) error {
		_, err := compose(t, []int{2}, family(t, "s", pairs, false)).Tradeoff(ctx)
		return err
	})
}

// Pairs with infinite losses are evaluated first, whatever the screens of their finite losses are.
func TestPairsWithInfiniteLossesComeFirst(t *testing.T) {
	strong, leaks := twoLaws(t, rats(1000, 999, 1), rats(1000, 1, 999)), twoLaws(t, rats(1000, 1, 999), rats(1000, 0, 1000))
	a := privacy.New(pairsOf("two", strong, leaks))
	for what, ask := range map[string]func() (evidence.Number, error){
		"the smallest ε": func() (evidence.Number, error) { return a.Epsilon(t.Context(), evidence.Delta{}) },
		"ε":              func() (evidence.Number, error) { return a.Epsilon(t.Context(), evidencetest.Delta(1e-4)) },
		"D":              func() (evidence.Number, error) { return a.Renyi(t.Context(), big.NewRat(3, 1)) },
		"KL":             func() (evidence.Number, error) { return a.KL(t.Context()) },
		"ρ":              func() (evidence.Number, error) { return a.ZCDP(t.Context()) },
		"μ":              func() (evidence.Number, error) { return a.GDP(t.Context()) },
	} {
		if lo, hi := must.For(ask())(t).Bounds(); lo < 1e300 || !math.IsInf(hi, 1) {
			t.Errorf("%s is in [%g, %g], want infinity", what, lo, hi)
		}
	}
	if n := must.For(a.InfinityMass(t.Context()))(t); n.(evidence.Exact).Value.Cmp(big.NewRat(1, 1000)) != 0 {
		t.Errorf("the infinity mass is %v, want 1/1000", n)
	}
	none := must.For(privacy.New(privacy.PairAndReverse("one", "", strong)).InfinityMass(t.Context()))(t)
	if e, ok := none.(evidence.Exact); !ok || e.Value.Sign() != 0 {
		t.Errorf("without infinite losses the infinity mass is %v", none)
	}
}

// If the context ends while pairs are being listed, the next call lists all of them.
func TestListingRestartsAfterCancel(t *testing.T) {
	weak, strong := twoLaws(t, rats(10, 4, 6), rats(10, 5, 5)), twoLaws(t, rats(10, 1, 9), rats(10, 4, 6))
	for _, n := range []int{0, 1, 899, 900, 901, 902, 903, 904, 905} { // 900 polls compute the keys, and 4 the list
		for _, at := range []int{0, 300, 600, 899} { // index of the worst pair
			pairs := slices.Repeat([]privacy.Pair{weak}, 900)
			pairs[at] = strong
			f := pairsOf("many", pairs...)
			f.Key = strconv.Itoa
			a := privacy.New(f)
			_, _ = a.Delta(ctxtest.CancelAfter(t.Context(), n), evidence.Epsilon{})
			if d, err := a.Delta(t.Context(), evidence.Epsilon{}); err != nil || d.Float() != 0.3 {
				t.Errorf("after %d polls: δ(0) is %v with the worst pair at %d, want 3/10, %v", n, d, at, err)
			}
		}
	}
}

// The stated error of a float64 loss covers the actual error, even for tiny probabilities. It is at most a few rounding
// units times 1 plus the size of the larger logarithm.
func TestScreenErrorCoversLosses(t *testing.T) {
	third := big.NewRat(1, 3)
	small := func(bits uint) *big.Rat {
		return new(big.Rat).Mul(third, new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), bits)))
	}
	for _, c := range [][2]*big.Rat{{small(100003), third}, {third, small(100003)}, {small(70001), small(90007)}, {third, big.NewRat(2, 3)}} {
		r := privacy.NewScreen([]*big.Rat{c[0]}, []*big.Rat{c[1]})
		p, q := interval.Rat(c[0]).Log(), interval.Rat(c[1]).Log()
		off := p.Sub(q).Sub(interval.Float(r.Loss[0])).Mid()
		if longest := max(-p.Mid(), -q.Mid()); math.Abs(off) > r.Error || r.Error > 4*0x1p-52*(1+longest)*(1+1e-9) {
			t.Errorf("a loss of %g is off by %g, but its stated error is %g", r.Loss[0], off, r.Error)
		}
	}
}
