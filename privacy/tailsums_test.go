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

// With intervals as parameters, a bound rounded the wrong way or taken from the wrong end is visible: the ends lie far
// apart.

// The stated error of a float64 loss covers the actual error, even for tiny probabilities. It is at most a few
// roundings of 1 and of the longer logarithm.
func TestScreenErrorCoversLosses(t *testing.T) {
	third := big.NewRat(1, 3)
	small := func(bits uint) *big.Rat {
		return new(big.Rat).Mul(third, new(big.Rat).SetFrac(one.Num(), new(big.Int).Lsh(one.Num(), bits)))
	}
	for _, c := range [][2]*big.Rat{{small(100003), third}, {third, small(100003)}, {small(70001), small(90007)}, {third, big.NewRat(2, 3)}} {
		r := NewScreen([]*big.Rat{c[0]}, []*big.Rat{c[1]})
		p, q := interval.Rat(c[0]).Log(), interval.Rat(c[1]).Log()
		off := p.Sub(q).Sub(interval.Float(r.Loss[0])).Mid()
		if longest := max(-p.Mid(), -q.Mid()); math.Abs(off) > r.Error || r.Error > 4*0x1p-52*(1+longest)*(1+1e-9) {
			t.Errorf("a loss of %g is off by %g, but its stated error is %g", r.Loss[0], off, r.Error)
		}
	}
}

// If δ is smaller than every positive mass of the pair, ε is the largest loss.
func TestEpsilonEndsAtTheLargestLoss(t *testing.T) {
	t.Parallel()
	p := newComposition(0, []factor{{lawsOf(t, 4, []int64{1, 3}, []int64{2, 2}), 2}, {lawsOf(t, 5, []int64{4, 1}, []int64{2, 3}), 1}})
	e := must.For(p.epsilon(t.Context(), new(big.Rat).SetFrac(one.Num(), new(big.Int).Lsh(one.Num(), 4000)), math.Inf(-1)))(t)
	if lo, hi := e.Enclosure.Bounds(); hi < math.Log(4.5)-1e-15 || hi > math.Log(4.5)+1e-15 || lo > hi || lo < 0 {
		t.Errorf("ε is in [%g, %g], the largest loss %g", lo, hi, math.Log(4.5))
	}
}

// The adaptive answer for interval masses encloses δ for all masses in the intervals, for one use and for two.
func TestAdaptiveOfIntervalMasses(t *testing.T) {
	var pmfs []outputs
	for _, p := range []float64{0.5, 0.5625, 0.625} {
		for _, q := range []float64{0.125, 0.1875, 0.25} {
			pmfs = append(pmfs, outputs{[]float64{p, 1 - p}, []float64{q, 1 - q}})
		}
	}
	pair := NewDiscretePair([]Atom{{P: amount(0.5, 0.625), Q: amount(0.125, 0.25), Offset: interval.Between(math.Log(2)-1e-9, math.Log(5)+1e-9)},
		{P: amount(0.375, 0.5), Q: amount(0.75, 0.875), Offset: interval.Between(math.Log(3./7)-1e-9, math.Log(2./3)+1e-9)}}, zero, zero, evidence.Epsilon{}, Hooks{})
	f := &DominatingPairs{Name: "open", Size: 2, Universe: namedUniverse("s"), Pair: func(_ context.Context, i int) (Pair, error) { return []Pair{pair, pair.Reverse()}[i], nil }}
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
				if k == 1 && lo > want+1e-12 || hi < want-1e-12 { // two adaptive uses may cost more than two uses of any one pair
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

// At the jumps of Laplace noise, the tails enclose those of every loss in the interval. Beyond the jumps they are
// exact.
func TestLaplaceTailsAtJumps(t *testing.T) {
	e := must.Be(evidence.LogEpsilon("eps", big.NewRat(3, 1)))
	p, top, at := Laplace(e).(*closedForm), e.Enclosure(), math.Log(3)
	tails := func(l float64) (p, q float64) {
		switch {
		case l > at:
			return 0, 0
		case l <= -at:
			return 1, 1
		}
		return 1 - math.Exp((l-at)/2)/2, math.Exp(-(l+at)/2) / 2
	}
	const off = 1e-12
	for _, c := range []struct {
		l     interval.Interval
		holds []float64
	}{
		{top, []float64{at - off, at + off}}, {top.Upper(), []float64{at - off, at + off}}, {top.Neg(), []float64{-at - off, -at + off}}, {top.Neg().Upper(), []float64{-at - off, -at + off}},
		{interval.Between(-2, 2), []float64{-2, -1, 0, 1, 2}}, {interval.Between(0, 2), []float64{0, 1, 2}}, {interval.Between(-2, 0), []float64{-2, -1, 0}}, {interval.Between(-1, 1), []float64{-1, 0, 1}},
		{interval.Float(1.25), []float64{1.25}}, {interval.Float(-1.25), []float64{-1.25}},
	} {
		x, y := p.tails(c.l)
		for _, l := range c.holds {
			a, b := tails(l)
			for i, v := range []interval.Interval{x, y} {
				want := []float64{a, b}[i]
				if lo, hi := v.Bounds(); lo > want+off || hi < want-off || math.Abs(l) == 1.25 && lo != hi {
					t.Errorf("tails at %v: %v does not contain %g, the tail at %g", c.l, v, want, l)
				}
			}
		}
	}
}
