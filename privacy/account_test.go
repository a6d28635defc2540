package privacy_test

import (
	"fmt"
	"math"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/cases"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/privacy"
	"dpworkbench/query"

	"pgregory.net/rapid"
)

// For families over different universes, the lower end is the largest value of one part alone. The upper end is at
// least the value for both parts together.
func TestComposeOfUnrelatedUniverses(t *testing.T) {
	few(t, 12, func(t *rapid.T) {
		a, b := tables(t, 2, "a"), tables(t, 2, "b")
		parts := []*privacy.DominatingPairs{family(t, "s", a, false), family(t, "o", b, false)}
		both := compose(t, []int{1, 1}, parts...)
		if !both.IsBound() || compose(t, []int{1}, parts[0]).IsBound() {
			t.Fatal("IsBound is wrong")
		}
		e := logOf(t, big.NewRat(int64(rapid.IntRange(6, 20).Draw(t, "w")), 6))
		for name, of := range map[string]func(a *privacy.Account) (evidence.Number, error){
			"δ":      func(a *privacy.Account) (evidence.Number, error) { return a.Delta(ctx, e) },
			"ε":      func(a *privacy.Account) (evidence.Number, error) { return a.Epsilon(ctx, evidencetest.Delta(0.05)) },
			"pure ε": func(a *privacy.Account) (evidence.Number, error) { return a.Epsilon(ctx, evidence.Delta{}) },
			"D":      func(a *privacy.Account) (evidence.Number, error) { return a.Renyi(ctx, big.NewRat(2, 1)) },
			"μ":      func(a *privacy.Account) (evidence.Number, error) { return a.GDP(ctx) },
			"∞":      func(a *privacy.Account) (evidence.Number, error) { return a.InfinityMass(ctx) },
		} {
			lo, hi := ask2(t)(of(both)).Bounds()
			want := 0.0
			for _, f := range parts {
				l, h := ask2(t)(of(compose(t, []int{1}, f))).Bounds()
				want = max(want, l)
				if hi < h*(1-1e-12) && !math.IsInf(h, 1) {
					t.Fatalf("%s is at most %g, below %g, the value of one part", name, hi, h)
				}
			}
			if lo > hi || math.Abs(lo-min(want, hi)) > 1e-12*want && lo != want {
				t.Fatalf("%s is in [%g, %g], want a lower end of %g from the parts", name, lo, hi, want)
			}
		}
	})
}

// The worst pair and its outputs match an exhaustive search, for the largest loss and for the δ of a given ε.
func TestWorstMatchesSearch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := tables(t, rapid.IntRange(1, 4).Draw(t, "pairs"), "a")
		f := family(t, "s", all, false)
		f.Datasets = func(i int) (x, y any) { return i, fmt.Sprint("neighbor of ", i) }
		f.Output = func(tag int) any { return tag }
		account := privacy.New(f)
		pair := func(i int) table {
			if i%2 == 1 {
				return all[i/2].reverse()
			}
			return all[i/2]
		}
		w := big.NewRat(int64(rapid.IntRange(7, 30).Draw(t, "w")), 6)
		e := logOf(t, w)
		for _, eps := range []*evidence.Epsilon{nil, &e} {
			got := must.Be(account.Worst(ctx, eps))
			i := got.X.(int)
			if got.Y != fmt.Sprint("neighbor of ", i) {
				t.Fatalf("the neighbor is %v", got.Y)
			}
			of := pair(i)
			top, infinite := func(a table) (*big.Rat, bool) {
				r, infinite := a.ratios()
				if len(r) == 0 {
					return new(big.Rat), infinite
				}
				return r[len(r)-1], infinite
			}(of)
			want := map[int]bool{}
			for j := range of.p {
				ratio, alone := new(big.Rat), of.q[j].Sign() == 0 && of.p[j].Sign() > 0
				if of.q[j].Sign() > 0 {
					ratio.Quo(of.p[j], of.q[j])
				}
				switch {
				case alone, eps == nil && !infinite && of.p[j].Sign() > 0 && ratio.Cmp(top) == 0, eps != nil && ratio.Cmp(w) > 0:
					want[j] = true
				}
			}
			if eps == nil {
				for k := range 2 * len(all) {
					r, ends := pair(k).ratios()
					if ends && !infinite || !infinite && len(r) > 0 && r[len(r)-1].Cmp(top) > 0 && top.Cmp(big.NewRat(1, 1)) >= 0 {
						t.Fatalf("pair %d has a larger loss than pair %d, the answer", k, i)
					}
				}
			} else if d := got.Loss.(evidence.Exact).Value; d.Cmp(worst(all, func(a table) *big.Rat { return a.delta(w) })) != 0 || d.Cmp(of.delta(w)) != 0 {
				t.Fatalf("δ is %v, of the pair %v", d, of.delta(w))
			}
			// In these tables, outputs that only one law can give have no tags.
			named := map[int]bool{}
			for _, o := range got.Outputs {
				named[o.(int)] = true
			}
			for j := range of.p {
				if of.q[j].Sign() == 0 || of.p[j].Sign() == 0 {
					delete(want, j)
				}
			}
			if eps == nil && infinite {
				continue
			}
			if !reflect.DeepEqual(named, want) {
				t.Fatalf("outputs %v, want %v", got.Outputs, want)
			}
		}
	})
}

// Sampled points of a profile lie between its ends and carry its upper values. They stop where δ falls to the
// requested limit.
func TestProfilePoints(t *testing.T) {
	for name, c := range map[string]struct {
		of   table
		far  float64
		last float64
	}{
		"response":    {table{normalized([]int{3, 1}), normalized([]int{1, 3})}, math.Log(3), 1.1e-6},
		"lost":        {table{normalized([]int{3, 1, 0}), normalized([]int{1, 2, 1})}, 0, 0.25 + 1e-6},
		"no loss":     {table{normalized([]int{1, 1}), normalized([]int{1, 1})}, 1, 0},
		"hardly any":  {table{normalized([]int{10_000_000, 10_000_001}), normalized([]int{10_000_001, 10_000_000})}, 1.05 * math.Log1p(1e-7), 0},
		"lost always": {table{normalized([]int{1, 0}), normalized([]int{0, 1})}, 1, 1},
	} {
		a := privacy.New(family(t, "s", []table{c.of}, false))
		eps, delta, err := a.ProfilePoints(ctx, 9)
		if err != nil || len(eps) != 9 || len(delta) != 9 || eps[0] != 0 {
			t.Fatalf("%s: %v, %v, %v", name, eps, delta, err)
		}
		for i, e := range eps {
			want := worst([]table{c.of}, func(a table) *big.Rat { return a.delta(exp(rat(e))) })
			if v, _ := want.Float64(); math.Abs(delta[i]-v) > 1e-14 || math.Abs(e-eps[8]*float64(i)/8) > 1e-15 {
				t.Errorf("%s: δ(%g) is %g, want %g", name, e, delta[i], v)
			}
		}
		if c.far > 0 && math.Abs(eps[8]-c.far) > 1e-5*c.far || delta[8] > c.last {
			t.Errorf("%s: the last point is δ(%g) = %g, want δ(%g) ≤ %g", name, eps[8], delta[8], c.far, c.last)
		}
	}
	a := privacy.New(family(t, "s", []table{{normalized([]int{3, 1}), normalized([]int{1, 3})}}, false))
	for _, n := range []int{-1, 0, 1, 4097} {
		if _, _, err := a.ProfilePoints(ctx, n); !isParameter(err) {
			t.Errorf("%d points: %v", n, err)
		}
	}
	for _, end := range []float64{0, -1, math.Inf(1), math.NaN()} {
		if _, _, err := a.ProfilePointsTo(ctx, end, 2); !isParameter(err) {
			t.Errorf("points up to %g: %v", end, err)
		}
	}
}

// steep draws a law of n outputs, some with mass zero and some with mass close to zero.
func steep(t *rapid.T, n int, label string) []*big.Rat {
	sum := new(big.Rat)
	out := make([]*big.Rat, n)
	for i := range out {
		out[i], _ = new(big.Rat).SetString(rapid.SampledFrom([]string{"0", "0", "1", "1", "2/3", "1e-12", "1e-300", "1e-400"}).Draw(t, label))
		sum.Add(sum, out[i])
	}
	if sum.Sign() == 0 {
		out[rapid.IntRange(0, n-1).Draw(t, label+" sure")], sum = big.NewRat(1, 1), big.NewRat(1, 1)
	}
	for _, v := range out {
		v.Quo(v, sum)
	}
	return out
}

// deltaAround encloses Σ (p − e^ε q)⁺.
func (a table) deltaAround(eps interval.Interval) interval.Interval {
	sum := interval.Int(0)
	for i := range a.p {
		gap := interval.Rat(a.p[i]).Sub(eps.Exp().Mul(interval.Rat(a.q[i])))
		sum = sum.Add(interval.Max(gap, interval.Int(0)))
	}
	return sum
}

// If some outputs have zero or nearly zero mass at one neighbor, every answer matches the sum over all outputs of all
// uses, and is narrow.
func TestAccountOfTinyMasses(t *testing.T) {
	few(t, cases.Of(3, 12), func(t *rapid.T) {
		n, times := rapid.IntRange(1, 3).Draw(t, "outputs"), rapid.IntRange(1, 3).Draw(t, "times")
		one := table{steep(t, n, "p"), steep(t, n, "q")}
		hidden := rapid.Bool().Draw(t, "hidden")
		f := family(t, "s", []table{one}, hidden)
		f.Relation, f.Removes = query.AddRemove, func(i int) bool { return i == 0 }
		account := compose(t, []int{times}, f)
		all := []table{one.power(times)}
		switch rapid.SampledFrom([]string{"as it is", "adaptive", "subsampled"}).Draw(t, "how") {
		case "subsampled":
			rate := big.NewRat(1, 3)
			sub, err := privacy.Subsample(ctx, privacy.New(f), rate, privacy.Poisson)
			account, err = privacy.Compose(ctx, []*privacy.Account{ask(t, sub, err)}, []int{times})
			ask(t, account, err)
			mixed := table{nil, one.q}
			for i, q := range one.q {
				gap := new(big.Rat).Sub(one.p[i], q)
				mixed.p = append(mixed.p, gap.Mul(gap, rate).Add(gap, q))
			}
			all = []table{mixed.power(times)}
		case "adaptive":
			over, err := account.Adaptive(ctx)
			account = ask(t, over, err)
			all = []table{dominatingOf(one).power(times)}
		}
		truth := func(eps float64) interval.Interval {
			at := interval.Float(eps)
			return interval.Max(all[0].deltaAround(at), all[0].reverse().deltaAround(at))
		}
		for _, v := range cases.Of([]float64{0, 0.5, 1500}, []float64{0, 1e-12, 0.5, 690, 1500, 5000}) {
			var eps evidence.Epsilon
			if v > 0 {
				eps, _ = evidence.NewEpsilon("eps", v)
			}
			d, err := account.Delta(ctx, eps)
			lo, hi := ask(t, d, err).Bounds()
			least, most := truth(v).Bounds()
			if lo > most || hi < least || hi-lo > 1e-12*hi+1e-60 {
				t.Fatalf("δ(%g) of %s is in [%v, %v], want [%v, %v]", v, account.Name(), lo, hi, least, most)
			}
		}
		for _, delta := range cases.Of([]float64{1e-12, 0.3}, []float64{1e-12, 1e-6, 0.3, 0.9}) {
			e, err := account.Epsilon(ctx, evidencetest.Delta(delta))
			lo, hi := ask(t, e, err).Bounds()
			target := interval.Rat(interval.Decimal(delta))
			least, most := truth(min(hi, 1e6)), truth(min(lo, 1e6)) // 1e6 exceeds every loss
			switch {
			case !math.IsInf(lo, 1) && (target.Less(least) || hi-lo > 1e-9*max(hi, 1)), lo > 0 && most.Less(target):
				t.Fatalf("ε(%g) of %s is in [%v, %v], where δ is %v and %v", delta, account.Name(), lo, hi, most, least)
			}
		}
		both := []table{all[0], all[0].reverse()}
		moment, infinite := worst(all, table.secondMoment), false
		for _, b := range both {
			_, lost := b.ratios()
			infinite = infinite || lost
		}
		r, err := account.Renyi(ctx, big.NewRat(2, 1))
		if lo, hi := ask(t, r, err).Bounds(); infinite != math.IsInf(lo, 1) {
			t.Fatalf("the Rényi divergence of %s is in [%v, %v], infinite %t", account.Name(), lo, hi, infinite)
		} else if least, most := interval.RationalLog(moment).Bounds(); !infinite && (lo > most || hi < least || hi-lo > 1e-12*hi+1e-60) {
			t.Fatalf("the Rényi divergence of %s is in [%v, %v], want %v", account.Name(), lo, hi, most)
		}
		curve, err := account.Tradeoff(ctx)
		over := dominatingOf(all[0])
		for _, c := range ask(t, curve, err).Corners {
			lo, hi := c.Beta.Bounds()
			alpha := c.Alpha.(evidence.Exact).Value
			if least, most := interval.Rat(over.beta(alpha)).Bounds(); lo > most || hi < least || alpha.Sign() > 0 && hi-lo > map[bool]float64{false: 1e-12, true: 1e-2}[hidden] { // wider if the masses are hidden and grids are used; values below the float64 range round to 0
				t.Fatalf("β(%v) of %s is in [%v, %v], want %v", alpha, account.Name(), lo, hi, most)
			}
		}
	})
}

// secondMoment returns Σ p²/q over the finite losses.
func (a table) secondMoment() *big.Rat {
	sum := new(big.Rat)
	for i, p := range a.p {
		if a.q[i].Sign() > 0 {
			sum.Add(sum, new(big.Rat).Quo(new(big.Rat).Mul(p, p), a.q[i]))
		}
	}
	return sum
}

// dominatingOf returns the tight dominating pair of a and its reverse: the concave hull of the ROC points of both. The
// points are the events of the largest losses, and the steepest line leads from each corner to the next.
func dominatingOf(a table) table {
	type event struct{ q, p *big.Rat }
	events := []event{{new(big.Rat), new(big.Rat)}, {big.NewRat(1, 1), big.NewRat(1, 1)}}
	for _, b := range []table{a, a.reverse()} {
		var order []int
		for i := range b.p {
			if b.p[i].Sign()+b.q[i].Sign() > 0 {
				order = append(order, i)
			}
		}
		slices.SortFunc(order, func(i, j int) int { // in descending order of p/q
			return new(big.Rat).Mul(b.p[j], b.q[i]).Cmp(new(big.Rat).Mul(b.p[i], b.q[j]))
		})
		at := event{new(big.Rat), new(big.Rat)}
		for _, i := range order {
			at = event{new(big.Rat).Add(at.q, b.q[i]), new(big.Rat).Add(at.p, b.p[i])}
			events = append(events, at)
		}
	}
	at := events[0]
	for _, e := range events {
		if e.q.Sign() == 0 && e.p.Cmp(at.p) > 0 {
			at = e
		}
	}
	out := table{[]*big.Rat{at.p}, []*big.Rat{new(big.Rat)}}
	for at.p.Cmp(big.NewRat(1, 1)) < 0 {
		var dp, dq *big.Rat
		for _, e := range events {
			p, q := new(big.Rat).Sub(e.p, at.p), new(big.Rat).Sub(e.q, at.q)
			if q.Sign() <= 0 || p.Sign() <= 0 {
				continue
			}
			if dp == nil || new(big.Rat).Mul(p, dq).Cmp(new(big.Rat).Mul(dp, q)) > 0 {
				dp, dq = p, q
			}
		}
		at = event{new(big.Rat).Add(at.q, dq), new(big.Rat).Add(at.p, dp)}
		out.p, out.q = append(out.p, dp), append(out.q, dq)
	}
	out.p, out.q = append(out.p, new(big.Rat)), append(out.q, new(big.Rat).Sub(big.NewRat(1, 1), at.q))
	return out
}

// beta returns the trade-off function of a dominating pair at alpha.
func (a table) beta(alpha *big.Rat) *big.Rat {
	left, beta := new(big.Rat).Set(alpha), big.NewRat(1, 1)
	for i, q := range a.q {
		share := new(big.Rat).Set(a.p[i])
		if q.Cmp(left) > 0 {
			share.Mul(share, left).Quo(share, q)
		}
		beta.Sub(beta, share)
		if left.Sub(left, q).Sign() < 0 {
			left = new(big.Rat)
		}
	}
	return beta
}

// Answers on pairs that are only claimed are claims, even if the pairs are known exactly.
func TestAnswersOnClaimedPairsAreClaims(t *testing.T) {
	f := must.For(privacy.ApproxDP(logOf(t, big.NewRat(2, 1)), new(big.Rat)))(t)
	f.ClaimedBy = "Theorem 1"
	for uses := range 2 {
		a := must.For(privacy.New(f).Compose(uses + 1))(t)
		for name, ask := range map[string]func() (evidence.Number, error){
			"ε":             func() (evidence.Number, error) { return a.Epsilon(ctx, evidence.Delta{}) },
			"ε at δ":        func() (evidence.Number, error) { return a.Epsilon(ctx, evidencetest.Delta(1e-3)) },
			"δ":             func() (evidence.Number, error) { return a.Delta(ctx, evidencetest.Epsilon(.5)) },
			"μ":             func() (evidence.Number, error) { return a.GDP(ctx) },
			"KL":            func() (evidence.Number, error) { return a.KL(ctx) },
			"Rényi":         func() (evidence.Number, error) { return a.Renyi(ctx, big.NewRat(2, 1)) },
			"ρ":             func() (evidence.Number, error) { return a.ZCDP(ctx) },
			"infinity mass": func() (evidence.Number, error) { return a.InfinityMass(ctx) },
		} {
			if n := must.For(ask())(t); n.Kind() != evidence.KindClaimed || !strings.Contains(n.Citation().Source, "Theorem 1") {
				t.Errorf("%d uses: %s is %v by %q, want a claim by Theorem 1", uses+1, name, n, n.Citation().Source)
			}
		}
	}
}

// The Rényi divergence of order 2 is exact if all pairs that can be the worst are rational. Otherwise it is an
// enclosure.
func TestRenyiOrderTwoIsExact(t *testing.T) {
	a := privacy.New(privacy.PairAndReverse("pair", "test", twoLaws(t, rats(20, 12, 6, 2), rats(20, 4, 6, 10))))
	for alpha, exact := range map[*big.Rat]bool{big.NewRat(2, 1): true, big.NewRat(3, 1): false, big.NewRat(3, 2): false} {
		n := must.For(a.Renyi(t.Context(), alpha))(t)
		if _, ok := n.(evidence.ExactLog); ok != exact {
			t.Errorf("α = %v: %T", alpha, n)
		}
	}
	for _, alpha := range []*big.Rat{big.NewRat(1, 1), big.NewRat(-3, 1), big.NewRat(99, 100)} {
		if _, err := a.Renyi(t.Context(), alpha); err == nil || err.Error() != "alpha = "+alpha.RatString()+", want a number above 1" {
			t.Errorf("α = %v: %v", alpha, err)
		}
	}
}

// The adaptive answer for interval masses encloses δ for all masses in the intervals, for one use and for two.
func TestAdaptiveOfIntervalMasses(t *testing.T) {
	var pmfs []table
	for p := int64(8); p <= 10; p++ {
		for q := int64(2); q <= 4; q++ {
			pmfs = append(pmfs, table{rats(16, p, 16-p), rats(16, q, 16-q)})
		}
	}
	up, down := interval.Between(math.Log(2)-1e-9, math.Log(5)+1e-9), interval.Between(math.Log(3./7)-1e-9, math.Log(2./3)+1e-9)
	atoms := []privacy.Atom{{P: between(0.5, 0.625), Q: between(0.125, 0.25), Offset: up}, {P: between(0.375, 0.5), Q: between(0.75, 0.875), Offset: down}}
	pair := privacy.NewDiscretePair(atoms, noMass, noMass, evidence.Epsilon{}, privacy.Hooks{})
	f := pairsOf("open", pair, pair.Reverse())
	f.Universe = scope("s")
	for _, k := range []int{1, 2} {
		adaptive := must.For(composed(t, privacy.New(f), k).Adaptive(t.Context()))(t)
		for _, w := range []int64{5, 8} {
			lo, hi := must.For(adaptive.Delta(t.Context(), must.Be(evidence.LogEpsilon("eps", big.NewRat(w, 4)))))(t).Bounds()
			for _, one := range pmfs {
				all := one.power(k)
				want, _ := worst([]table{all}, func(a table) *big.Rat { return a.delta(big.NewRat(w, 4)) }).Float64()
				if k == 1 && lo > want+1e-12 || hi < want-1e-12 { // δ of adaptive uses may exceed that of any one pair
					t.Errorf("%d uses of %v: δ(ln %d/4) is %g, not in [%g, %g]", k, one, w, want, lo, hi)
				}
			}
		}
	}
}

// A rounded pair has at least the privacy loss of the pair that it replaces: alone, sampled, composed, and composed
// twice. Laplace noise has a bounded loss, and its rounded pair does not.
func TestRoundedPairsAreUpperBounds(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	eps := must.For(evidence.NewEpsilon("eps", 1))(t)
	laplace := privacy.New(privacy.PairAndReverse("laplace", "test", privacy.Laplace(eps)))
	adaptive := must.For(laplace.Adaptive(ctx))(t)
	for name, c := range map[string]struct {
		of   func() (*privacy.Account, error)
		most float64 // ε at δ = 0 of the pair itself
		slow bool
	}{
		"adaptive":           {func() (*privacy.Account, error) { return adaptive, nil }, 1, false},
		"adaptive once more": {func() (*privacy.Account, error) { return adaptive.Adaptive(ctx) }, 1, true},
		"two uses":           {func() (*privacy.Account, error) { return adaptive.Compose(2) }, 2, true},
		"sampled": {func() (*privacy.Account, error) {
			return privacy.Subsample(ctx, adaptive, big.NewRat(2, 5), privacy.Poisson)
		}, 1, true},
		"sampled without replacement": {func() (*privacy.Account, error) {
			return privacy.Subsample(ctx, adaptive, big.NewRat(2, 5), privacy.WithoutReplacement)
		}, 1, true},
	} {
		if c.slow && !cases.All() {
			continue
		}
		of := must.For(c.of())(t)
		pure := must.For(of.Epsilon(ctx, evidence.Delta{}))(t)
		mu := must.For(of.GDP(ctx))(t)
		divergence := must.For(of.ZCDP(ctx))(t)
		for what, n := range map[string]evidence.Number{"ε": pure, "μ": mu, "ρ": divergence} {
			if fault := evidencetest.Fault(n); fault != "" {
				t.Errorf("%s: %s = %v has %s", name, what, n, fault)
			}
			most := c.most * (1 + 1e-12)
			if what == "μ" {
				most *= 1.25 // every pair with ε = 1 is μ-GDP for μ = 2 Φ⁻¹(e^ε/(1 + e^ε)) < 1.25, and μ/ε decreases with ε
			}
			if lo, hi := n.Bounds(); !(lo <= most) || !(hi > 0) {
				t.Errorf("%s: %s in [%g, %g], but at most %g of the pair itself", name, what, lo, hi, most)
			}
		}
	}
}

// If δ is smaller than every positive mass of the pair, ε is the largest loss.
func TestEpsilonEndsAtTheLargestLoss(t *testing.T) {
	t.Parallel()
	parts := []*privacy.Account{alone(twoLaws(t, rats(4, 1, 3), rats(4, 2, 2))), alone(twoLaws(t, rats(5, 4, 1), rats(5, 2, 3)))}
	a := must.For(privacy.Compose(t.Context(), parts, []int{2, 1}))(t)
	tiny := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 4000))
	e := must.For(a.Epsilon(t.Context(), evidencetest.RationalDelta(tiny)))(t)
	if lo, hi := e.Bounds(); hi < math.Log(4.5)-1e-15 || hi > math.Log(4.5)+1e-15 || lo > hi || lo < 0 {
		t.Errorf("ε is in [%g, %g], the largest loss %g", lo, hi, math.Log(4.5))
	}
}
