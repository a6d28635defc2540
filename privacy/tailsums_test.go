package privacy

import (
	"context"
	"math"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/cases"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
)

// Where a number is enclosed, whichever it is counts: a rounding turned round, or one end taken for the other, is
// seen where the two are far apart, or where an enclosure is compared with itself.

// A loss that is known no better than a jump of Laplace laws may lie above it, and the jump's chance is open; so it
// is of losses that reach beyond a jump.
func TestTailsAtJumps(t *testing.T) {
	e := must.Be(evidence.LogEpsilon("eps", big.NewRat(3, 1)))
	p, top := Laplace(e).(*closedForm), e.Enclosure()
	tails := func(l float64) (p, q float64) { // P and Q of {loss ≥ l}
		switch {
		case l > math.Log(3):
			return 0, 0
		case l <= -math.Log(3):
			return 1, 1
		}
		return 1 - math.Exp((l-math.Log(3))/2)/2, math.Exp(-(l+math.Log(3))/2) / 2
	}
	const over = 1e-12
	at := math.Log(3)
	for name, c := range map[string]struct {
		l     interval.Interval
		holds []float64
	}{
		"the upper jump itself":   {top, []float64{at - over, at + over}},
		"the lower jump itself":   {top.Neg(), []float64{-at - over, -at + over}},
		"about the upper jump":    {interval.Between(0, 2), []float64{0, 1, 2}},
		"about the lower jump":    {interval.Between(-2, 0), []float64{-2, -1, 0}},
		"about both":              {interval.Between(-2, 2), []float64{-2, -1, 0, 1, 2}},
		"between":                 {interval.Between(-1, 1), []float64{-1, 0, 1}},
		"from the lower jump up":  {interval.Hull(top.Neg(), interval.Int(0)), []float64{-at - over, -at + over, 0}},
		"up to the upper jump":    {interval.Hull(interval.Int(0), top), []float64{0, at - over, at + over}},
		"beyond the upper jump":   {interval.Between(1.25, 2), []float64{1.25, 2}},
		"beyond the lower jump":   {interval.Between(-2, -1.25), []float64{-2, -1.25}},
		"from the upper jump on":  {interval.Hull(top, interval.Int(2)), []float64{at - over, at + over, 2}},
		"as far as the lower one": {interval.Hull(interval.Int(-2), top.Neg()), []float64{-2, -at - over, -at + over}},
	} {
		x, y := p.tails(c.l)
		for _, l := range c.holds {
			wantP, wantQ := tails(l)
			for which, v := range map[string][2]float64{"P": {wantP, 0}, "Q": {wantQ, 1}} {
				lo, hi := []interval.Interval{x, y}[int(v[1])].Bounds()
				if lo > v[0]+over || hi < v[0]-over {
					t.Errorf("%s: %s of losses from %g on is %g, not in [%g, %g]", name, which, l, v[0], lo, hi)
				}
			}
		}
	}
	for _, l := range []float64{1.25, -1.25} { // and surely beyond a jump nothing is open
		x, y := p.tails(interval.Float(l))
		wantP, wantQ := tails(l)
		if lo, hi := interval.Hull(x, y).Bounds(); lo != wantP || hi != wantQ {
			t.Errorf("chances of losses from %g on are in [%g, %g]", l, lo, hi)
		}
	}
}

// The error that is said of losses of laws in float64 is no less than what it is, however small their chances, and a
// few roundings of 1 and of the longer logarithm.
func TestRoughLawsKnowTheirError(t *testing.T) {
	third := big.NewRat(1, 3)
	small := func(bits uint) *big.Rat {
		return new(big.Rat).Mul(third, new(big.Rat).SetFrac(one.Num(), new(big.Int).Lsh(one.Num(), bits)))
	}
	for _, c := range [][2]*big.Rat{{small(100003), third}, {third, small(100003)}, {small(70001), small(90007)}, {third, big.NewRat(2, 3)}} {
		r := NewScreen([]*big.Rat{c[0]}, []*big.Rat{c[1]})
		p, q := interval.Rat(c[0]).Log(), interval.Rat(c[1]).Log()
		off := p.Sub(q).Sub(interval.Float(r.Loss[0])).Mid()
		if longest := max(-p.Mid(), -q.Mid()); math.Abs(off) > r.Error || r.Error > 4*0x1p-52*(1+longest)*(1+1e-9) {
			t.Errorf("a loss of %g is off by %g, and said to be by at most %g", r.Loss[0], off, r.Error)
		}
	}
}

// Where δ is smaller than anything that is told apart ε is the largest loss, no more.
func TestEpsilonEndsAtTheLargestLoss(t *testing.T) {
	t.Parallel()
	p := newComposition(0, []factor{{lawsOf(t, 4, []int64{1, 3}, []int64{2, 2}), 2}, {lawsOf(t, 5, []int64{4, 1}, []int64{2, 3}), 1}})
	e := must.For(p.epsilon(t.Context(), new(big.Rat).SetFrac(one.Num(), new(big.Int).Lsh(one.Num(), 4000)), math.Inf(-1)))(t)
	if lo, hi := e.Enclosure.Bounds(); hi < math.Log(4.5)-1e-15 || hi > math.Log(4.5)+1e-15 || lo > hi || lo < 0 {
		t.Errorf("ε is in [%g, %g], the largest loss %g", lo, hi, math.Log(4.5))
	}
}

// The adaptive answer of a pair whose masses are open holds δ of whatever they are, of one use and of two.
func TestAdaptiveOfOpenLaws(t *testing.T) {
	var pmfs []outputs
	for _, p := range []float64{0.5, 0.5625, 0.625} {
		for _, q := range []float64{0.125, 0.1875, 0.25} {
			pmfs = append(pmfs, outputs{[]float64{p, 1 - p}, []float64{q, 1 - q}})
		}
	}
	pair := NewDiscretePair([]Atom{{P: amount(0.5, 0.625), Q: amount(0.125, 0.25), Offset: interval.Between(math.Log(2)-1e-9, math.Log(5)+1e-9)},
		{P: amount(0.375, 0.5), Q: amount(0.75, 0.875), Offset: interval.Between(math.Log(3./7)-1e-9, math.Log(2./3)+1e-9)}}, zero, zero, evidence.Epsilon{}, Hooks{})
	f := &DominatingPairs{Name: "open", Size: 2, Universe: counted("s"), Pair: func(_ context.Context, i int) (Pair, error) { return []Pair{pair, pair.Reverse()}[i], nil }}
	for _, k := range []int{1, 2} {
		adaptive := must.For(must.For(Compose(t.Context(), []*Account{New(f)}, []int{k}))(t).Adaptive(t.Context()))(t)
		for _, w := range []int64{5, 8} {
			lo, hi := must.For(adaptive.Delta(t.Context(), must.Be(evidence.LogEpsilon("eps", big.NewRat(w, 4)))))(t).Bounds()
			for _, one := range pmfs {
				all := one
				for range k - 1 {
					all = all.times(one)
				}
				want := max(all.delta(math.Log(float64(w)/4)), outputs{all.q, all.p}.delta(math.Log(float64(w)/4)))
				if k == 1 && lo > want+1e-12 || hi < want-1e-12 { // two uses chosen by an adversary cost more than two of either
					t.Errorf("%d uses of %v: δ(ln %d/4) is %g, not in [%g, %g]", k, one, w, want, lo, hi)
				}
			}
		}
	}
}

// What is used in place of a pair, dominating it by roundings, shows no more privacy loss than the pair has: alone,
// sampled, composed, and told once more. The loss of Laplace noise has an end, that of its rounded pair has none.
func TestRoundedPairsShowNoLoss(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	eps := must.For(evidence.NewEpsilon("eps", 1))(t)
	laplace := New(PairAndReverse("laplace", "test", Laplace(eps)))
	adaptive := must.For(laplace.Adaptive(ctx))(t)
	for name, c := range map[string]struct {
		of   func() (*Account, error)
		most float64 // ε at δ = 0 of the pair itself
		slow bool
	}{
		"adaptive":                    {func() (*Account, error) { return adaptive, nil }, 1, false},
		"adaptive once more":          {func() (*Account, error) { return adaptive.Adaptive(ctx) }, 1, true},
		"two uses":                    {func() (*Account, error) { return Compose(ctx, []*Account{adaptive}, []int{2}) }, 2, true},
		"sampled":                     {func() (*Account, error) { return Subsample(ctx, adaptive, big.NewRat(2, 5), Poisson) }, 1, true},
		"sampled without replacement": {func() (*Account, error) { return Subsample(ctx, adaptive, big.NewRat(2, 5), WithoutReplacement) }, 1, true},
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
				most *= 1.25 // 2 Φ⁻¹(e^ε/(1 + e^ε)) of every pair with ε = 1, and less of more
			}
			if lo, hi := n.Bounds(); !(lo <= most) || !(hi > 0) {
				t.Errorf("%s: %s in [%g, %g], but at most %g of the pair itself", name, what, lo, hi, most)
			}
		}
	}
}
