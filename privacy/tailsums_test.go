package privacy

import (
	"context"
	"math"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/gaussian"
	"dpworkbench/internal/cases"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
)

// Where a number is enclosed, whichever it is counts: a rounding turned round, or one end taken for the other, is seen where the two are far apart, or
// where an enclosure is compared with itself.

// A loss that is known no better than a jump of Laplace laws may lie above it, and the jump's chance is open; so it is of losses that reach beyond a jump.
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

// The error that is said of losses of laws in float64 is no less than what it is, however small their chances, and a few roundings of 1 and of the longer logarithm.
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

// The μ of a pair that float64s do not hold to their digits, or that a moment alone is known of, is not bounded.
func TestRoughMuIsOpen(t *testing.T) {
	moment := func(float64) float64 { return 1 }
	for name, r := range map[string]*Screen{
		"a moment":      {logMomentFunc: moment},
		"small under P": {Loss: []float64{1, -1}, P: []float64{minScreenMass, 1}},
		"small under Q": {Loss: []float64{700, -1e-9}, P: []float64{1e-5, 1}},
	} {
		if got := r.gdp(); !math.IsInf(got, 1) {
			t.Errorf("%s: μ is at most %g, want infinity", name, got)
		}
	}
	if got := (&candidate{screens: []*Screen{{InfinityMass: 0.5, Loss: []float64{0}, P: []float64{0.5}}}, times: []int{1}}).gdpBound(); !math.IsInf(got, 1) {
		t.Errorf("with infinite losses μ is at most %g", got)
	}
}

// The bound by a chord that is known between two lines holds what either has, where it is largest at a root that may lie in the cell or beside it.
func TestChordsOfOpenMoments(t *testing.T) {
	at := func(x, k interval.Interval) interval.Interval { return k.Quo(x.Mul(interval.Int(1).Add(x))) }
	for _, c := range []struct{ from, to, root float64 }{{1, 2, 1.5}, {1, 2, 1.98}, {1, 2, 1.02}, {2, 4, 3}, {2, 4, 3.9}, {0.25, 0.5, 0.3}} {
		a := -c.root * c.root / (2*c.root + 1) // a + x has its largest share of x + x² at the root
		for _, width := range []float64{0, 0.01, 0.03} {
			cell := &ratioCell{from: c.from, to: c.to, kf: interval.Between(a+c.from-width, a+c.from+width), kt: interval.Between(a+c.to-width, a+c.to+width)}
			_, hi := cell.chord(at).Bounds()
			most := 0.0
			for _, f := range []float64{-width, width} {
				for _, g := range []float64{-width, width} {
					for k := range 2001 {
						x := c.from + (c.to-c.from)*float64(k)/2000
						share := (x - c.from) / (c.to - c.from)
						most = max(most, ((a+c.from+f)*(1-share)+(a+c.to+g)*share)/x/(1+x))
					}
				}
			}
			if hi < most*(1-1e-12) || width == 0 && hi > most*(1+1e-6) {
				t.Errorf("from %g to %g, known to %g: at most %g, and a line has %g", c.from, c.to, width, hi, most)
			}
		}
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

// An ε that is enclosed as a loss is may be below it, and is not above all losses for certain.
func TestAboveALossOfItsOwn(t *testing.T) {
	third := must.Be(evidence.RationalEpsilon("eps", big.NewRat(1, 3))) // no binary fraction
	own := NewDiscretePair([]Atom{{P: amount(1, 1), Q: amount(1, 1), Offset: third.Enclosure()}}, zero, zero, evidence.Epsilon{}, Hooks{})
	for off, above := range map[int64]bool{0: false, -1: false, 1: true} {
		at := must.Be(evidence.RationalEpsilon("eps", big.NewRat(1000+off, 3000)))
		if got := (&composition{factors: []factor{{own, 1}}}).atLeastMaxLoss(at); got != above {
			t.Errorf("ε = %v is above a loss of 1/3 for certain: %t", at, got)
		}
	}
}

// Beyond the buckets that tell, events ask for what the largest loss allows at most: with the most that either law may have there.
func TestEdgesOfOpenTails(t *testing.T) {
	const prec, far = 60, 10.0
	l := rungsOf(0, -7, prec, 0, 1<<(prec-1), 1<<(prec-1)) // losses 0 and 1/128, half each
	quantile := func(p interval.Interval) interval.Interval { return gaussian.Quantile(p) }
	edge := func(p interval.Interval) interval.Interval {
		return quantile(p.Mul(interval.Float(-far).Exp())).Sub(quantile(p))
	}
	for _, off := range []float64{-0.25, 0, 0.25} { // of what Q has of the upper bucket
		s := newTailSums(l)
		c := big.NewInt(int64((1 + off) * (1 << (prec - 1))))
		lo, hi := c, s.tails[1].cHi
		if off > 0 {
			lo, hi = s.tails[1].cLo, c
		}
		s.tails[1].cLo, s.tails[1].cHi = lo, hi
		rest := interval.Int(1).Sub(interval.Rat(big.NewRat(1, 128)).Neg().Exp().Mul(fromFixed(lo, prec)))
		_, bound := s.gdp(far)
		if want := interval.Max(edge(rest), edge(interval.Rat(big.NewRat(1, 2)))); bound.Less(want) || math.Abs(bound.Mid()-want.Mid()) > 1e-9 {
			t.Errorf("off by %g: μ is at most %v, want %v", off, bound, want)
		}
	}
	// What was cut off may belong to the last event, to the last digit: 2⁻³⁰ of it here.
	l = rungsOf(0, -7, prec, 0, 1<<(prec-1), 1<<(prec-1)-1<<28)
	s := newTailSums(l)
	if _, bound := s.gdp(far); bound.Less(edge(interval.Rat(big.NewRat(1, 2)))) {
		t.Errorf("μ is at most %v, and %v with what was cut off", bound, edge(interval.Rat(big.NewRat(1, 2))))
	}
}

// Where outputs of Q alone may be, no bound of μ is told, though those of P tell no infinite loss.
func TestOpenOutputsOfQ(t *testing.T) {
	half := evidence.ExactRat(big.NewRat(1, 2))
	maybe := NewDiscretePair([]Atom{{P: half, Q: evidence.ExactRat(big.NewRat(1, 4)), Offset: interval.Int(2).Log()}, {P: half, Q: amount(0.65, 0.75), Offset: interval.Between(math.Log(0.5/0.75)-1e-9, math.Log(0.5/0.65)+1e-9)}},
		zero, amount(0, 0.1), evidence.Epsilon{}, Hooks{})
	got := must.For(newComposition(0, []factor{{maybe, 1}, {lawsOf(t, 4, []int64{1, 3}, []int64{2, 2}), 2}}).gdp(t.Context()))(t)
	if lo, hi := got.Bounds(); lo > 2 || !math.IsInf(hi, 1) {
		t.Errorf("μ is in [%g, %g], want no upper end", lo, hi)
	}
}

// The window of a normal pair whose μ is open is that of every μ.
func TestWindowsOfOpenMu(t *testing.T) {
	for _, bits := range []uint{10, 60, 200} {
		lo, hi := Normal(interval.Between(1, 1.5)).truncatedRange(bits)
		for _, mu := range []float64{1, 1.25, 1.5} {
			width := math.Sqrt(2*math.Ln2*float64(bits)) * mu
			if from, to := mu*mu/2-width, mu*mu/2+width; lo > from || hi < to {
				t.Errorf("to %d bits losses go from %g to %g, with μ = %g from %g to %g", bits, lo, hi, mu, from, to)
			}
		}
	}
}

// What is used in place of a pair, dominating it by roundings, shows no more privacy loss than the pair has: alone, sampled,
// composed, and told once more. The loss of Laplace noise has an end, that of its rounded pair has none.
func TestRoundedPairsShowNoLoss(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	eps := must.For(evidence.NewEpsilon("eps", 1))(t)
	laplace := New(PairAndReverse("laplace", "test", Laplace(eps)))
	adaptive := must.For(laplace.Adaptive(ctx))(t)
	twice := must.For(Compose(ctx, []*Account{adaptive}, []int{2}))(t)
	again := must.For(adaptive.Adaptive(ctx))(t)
	for name, c := range map[string]struct {
		of   *Account
		most float64 // ε at δ = 0 of the pair itself
		slow bool
	}{
		"adaptive": {adaptive, 1, false}, "adaptive once more": {again, 1, true}, "two uses": {twice, 2, true},
		"sampled":                     {must.For(Subsample(ctx, adaptive, big.NewRat(2, 5), Poisson))(t), 1, false},
		"sampled without replacement": {must.For(Subsample(ctx, adaptive, big.NewRat(2, 5), WithoutReplacement))(t), 1, true},
	} {
		if c.slow && !cases.All() {
			continue
		}
		pure := must.For(c.of.Epsilon(ctx, evidence.Delta{}))(t)
		mu := must.For(c.of.GDP(ctx))(t)
		divergence := must.For(c.of.ZCDP(ctx))(t)
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
