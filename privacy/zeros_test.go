package privacy_test

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/interval"
	"dpworkbench/privacy"
	"dpworkbench/query"

	"pgregory.net/rapid"
)

// steep draws a law of n outputs, some without mass and some with next to none.
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

// Answers about laws with outputs of no mass, or next to none, under one of two neighbors are those of all outputs of all uses, and narrow.
func TestMassesNextToNothing(t *testing.T) {
	few(t, 12, func(t *rapid.T) {
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
		for _, v := range []float64{0, 1e-12, 0.5, 690, 1500, 5000} {
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
		for _, delta := range []float64{1e-12, 1e-6, 0.3, 0.9} {
			e, err := account.Epsilon(ctx, evidencetest.Delta(delta))
			lo, hi := ask(t, e, err).Bounds()
			target := interval.Rat(interval.Decimal(delta))
			least, most := truth(min(hi, 1e6)), truth(min(lo, 1e6)) // beyond all losses
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
			if least, most := interval.Rat(over.beta(alpha)).Bounds(); lo > most || hi < least || alpha.Sign() > 0 && hi-lo > map[bool]float64{false: 1e-12, true: 1e-2}[hidden] { // of grids where masses are hidden; what is below float64 is rounded to 0
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

// dominatingOf returns the tight dominating pair of a table and its reverse: the steps of the least concave function above what
// events, those of the largest losses of either, have of the two laws. From each corner the steepest line leads to the next.
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
		slices.SortFunc(order, func(i, j int) int { // by falling p/q
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

// beta returns what the trade-off function of a dominating pair is at alpha.
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
