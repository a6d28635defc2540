package privacy

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
)

// onUnit returns a pair with two losses, both integer multiples of unit.
func onUnit(unit evidence.Epsilon, from, to int64) *DiscretePair {
	half := amount(0.5, 0.5)
	return NewDiscretePair([]Atom{{P: half, Q: half, Steps: from, Offset: interval.Int(0)}, {P: half, Q: half, Steps: to, Offset: interval.Int(0)}}, zero, zero, unit, Hooks{})
}

// Lattices whose units are commensurable share one finer lattice, if it has few enough steps. A pair with a single
// loss fits on any lattice.
func TestCommonLattice(t *testing.T) {
	ln2 := must.Be(evidence.LogEpsilon("unit", big.NewRat(2, 1)))
	ln3 := must.Be(evidence.LogEpsilon("unit", big.NewRat(3, 1)))
	half := must.Be(evidence.NewEpsilon("unit", 0.5)) // a float64 unit
	single := wideLoss(0.25, 0.25)
	grids := func(factors ...factor) []grid { return (&composition{factors: factors}).commonLattice(52) }
	for name, c := range map[string]struct {
		factors []factor
		shares  []int64
		step    float64
	}{
		"one":                   {[]factor{{onUnit(ln2, -1, 1), 3}}, []int64{1}, math.Ln2},
		"two of one":            {[]factor{{onUnit(ln2, -1, 1), 3}, {onUnit(ln2, 0, 5), 1}}, []int64{1, 1}, math.Ln2},
		"halves and thirds":     {[]factor{{onUnit(ln2.Ratio(1, 2), -1, 1), 3}, {onUnit(ln2.Ratio(1, 3), -1, 1), 1}}, []int64{3, 2}, math.Ln2 / 6},
		"with a single loss":    {[]factor{{single, 2}, {onUnit(ln2, -1, 1), 3}}, []int64{0, 1}, math.Ln2},
		"single losses":         {[]factor{{single, 2}, {single, 1}}, []int64{0, 0}, 1},
		"no measure":            {[]factor{{onUnit(ln2, -1, 1), 3}, {onUnit(ln3, -1, 1), 1}}, nil, 0},
		"no lattice":            {[]factor{{onUnit(ln2, -1, 1), 3}, {Normal(interval.Int(1)), 1}}, nil, 0},
		"as wide as may be":     {[]factor{{onUnit(half, 0, maxLatticeBuckets), 1}}, []int64{1}, 0.5},
		"too wide":              {[]factor{{onUnit(half, 0, maxLatticeBuckets+1), 1}}, nil, 0},
		"too wide together":     {[]factor{{onUnit(ln2, 0, maxLatticeBuckets), 1}, {onUnit(ln2, 0, 4*maxLatticeBuckets/5), 1}}, nil, 0},
		"as fine as may be":     {[]factor{{onUnit(half, 0, 0), 1}, {onUnit(half.Ratio(1, maxLatticeBuckets), 0, 1), 1}}, []int64{maxLatticeBuckets, 1}, 0.5 / maxLatticeBuckets},
		"too fine":              {[]factor{{onUnit(half, 0, 0), 1}, {onUnit(half.Ratio(1, maxLatticeBuckets+1), 0, 1), 1}}, nil, 0},
		"as far as may be":      {[]factor{{onUnit(ln2, 1<<59, 1<<59), 2}}, []int64{1}, math.Ln2},
		"too far together":      {[]factor{{onUnit(ln2, 1<<59, 1<<59+1), 1}, {onUnit(ln2, -1<<59, -1<<59), 2}}, nil, 0},
		"too far in fine steps": {[]factor{{onUnit(ln2, 1<<58, 1<<58), 1}, {onUnit(ln2.Ratio(1, 9), 0, 1), 1}}, nil, 0},
		"too wide for int64":    {[]factor{{onUnit(ln2, -1<<62, 1<<62), 1}}, nil, 0},
		"of all numbers":        {[]factor{{onUnit(ln2, math.MinInt64, math.MaxInt64), 1}}, nil, 0},
		"a span in fine steps":  {[]factor{{onUnit(ln2, 0, 3), 1}, {onUnit(ln2.Ratio(1, maxLatticeBuckets/2), 0, 1), 1}}, nil, 0},
	} {
		got := grids(c.factors...)
		if len(got) != len(c.shares) {
			t.Errorf("%s: %d grids, want %d", name, len(got), len(c.shares))
			continue
		}
		for i, g := range got {
			if g.stepsPerUnit.Int64() != c.shares[i] || math.Abs(g.step.Mid()-c.step) > 1e-15*c.step {
				t.Errorf("%s: part %d has the step %v, and %v steps per unit, want %g and %d", name, i, g.step, g.stepsPerUnit, c.step, c.shares[i])
			}
		}
	}
	// The losses of one use become buckets of the common lattice.
	l := onUnit(ln2.Ratio(1, 2), -2, 1)
	g := grids(factor{l, 2}, factor{onUnit(ln2.Ratio(1, 3), 0, 1), 1})[0]
	law := must.For(l.discretize(t.Context(), g, 60))(t)
	if law.first != -6 || len(law.mass) != 10 || law.mass[0].Cmp(law.mass[9]) != 0 || law.mass[0].BitLen() != 60 || law.lossAt(0).Mid() != -math.Ln2 {
		t.Errorf("%d buckets from index %d on, the first at loss %v with mass %v",
			len(law.mass), law.first, law.lossAt(0), law.mass[0])
	}
}

// The infinity mass of a composition is 1 minus the product of the finite masses. It is exact as long as the rationals
// are short.
func TestCompositionInfinityMass(t *testing.T) {
	fifth := lawsOf(t, 5, []int64{1, 4}, []int64{0, 5})
	third := lawsOf(t, 3, []int64{1, 2}, []int64{0, 3})
	for times, want := range map[[2]int]*big.Rat{{1, 0}: big.NewRat(1, 5), {2, 0}: big.NewRat(9, 25), {1, 1}: big.NewRat(7, 15), {2, 2}: big.NewRat(161, 225)} {
		p := &composition{factors: []factor{{fifth, times[0]}}}
		if times[1] > 0 {
			p.factors = append(p.factors, factor{third, times[1]})
		}
		p.factors = append(p.factors, factor{Normal(interval.Int(1)), 5})
		if got := p.infinityMass().Rational; got == nil || got.Cmp(want) != 0 {
			t.Errorf("%v uses: %v, want %v", times, got, want)
		}
	}
	// A factor takes 3 bits for each use, so 2^16 bits are reached after 21845 uses.
	for times, exact := range map[int]bool{maxExactBits / 3: true, maxExactBits/3 + 1: false} {
		got := (&composition{factors: []factor{{fifth, times}}}).infinityMass()
		lo, hi := got.Enclosure.Bounds()
		if (got.Rational != nil) != exact || hi < 1 || lo < 1-1e-15 {
			t.Errorf("%d uses: [%g, %g], exact: %t", times, lo, hi, got.Rational != nil)
		}
	}
	// The largest number of uses overflows no product, and uses without infinite losses keep an exact mass of 0.
	got := (&composition{factors: []factor{{fifth, math.MaxInt}}}).infinityMass()
	if got.Rational != nil || !certain(got) {
		t.Errorf("%d uses: %v", math.MaxInt, got)
	}
	got = (&composition{factors: []factor{{Normal(interval.Int(1)), math.MaxInt}}}).infinityMass()
	if got.Rational == nil || got.Rational.Sign() != 0 {
		t.Errorf("%d normal uses: %v, want 0", math.MaxInt, got)
	}
	intervalPair := NewDiscretePair([]Atom{{P: amount(0.75, 0.875), Q: amount(1, 1), Offset: interval.Float(-0.1)}}, amount(0.125, 0.25), zero, evidence.Epsilon{}, Hooks{})
	lo, hi := (&composition{factors: []factor{{intervalPair, 2}, {fifth, 1}}}).infinityMass().Enclosure.Bounds()
	if math.Abs(lo-(1-0.875*0.875*0.8)) > 1e-15 || math.Abs(hi-(1-0.75*0.75*0.8)) > 1e-15 {
		t.Errorf("the infinity mass of intervals is in [%g, %g]", lo, hi)
	}
	if got := (&composition{factors: []factor{{intervalPair, 2}, {fifth, 3}}}).uses(); got != 5 {
		t.Errorf("%g uses, want 5", got)
	}
}

// A composition whose number of parts overflows keeps them nested, and its bounds hold for all parts.
func TestNestedPartsDoNotOverflow(t *testing.T) {
	n := Normal(interval.Float(0x1p-40))
	listed := lawsOf(t, 4, []int64{1, 3}, []int64{3, 1})
	parts := Independent([]Pair{n, listed}, []int{1, math.MaxInt / 2})
	p := newComposition(0, []factor{{parts, 3}})
	if got, want := p.uses(), 3.0; got != want {
		t.Errorf("%g uses, want the nested pair %g times", got, want)
	}
	one := newComposition(0, []factor{{parts, 1}})
	k, whole := one.logMoment(interval.Int(1)), p.logMoment(interval.Int(1))
	if lo, hi := whole.Quo(k).Bounds(); lo > 3 || hi < 3 || !(hi-lo < 1e-12) {
		t.Errorf("the log-moment of 3 uses is [%g, %g] times that of one", lo, hi)
	}
	if r := p.secondMoment(); r != nil {
		t.Errorf("the second moment is %v, want none: its bits overflow", r)
	}
	if _, ratio := one.maxFiniteLoss(); ratio != nil {
		t.Errorf("e to the largest loss is %v, want none: its bits overflow", ratio)
	}
}

// Normal pairs merge into one, whose distance is the root of the sum of squares. A single pair is unchanged. Nested
// compositions are flattened.
func TestCompositionMergesNormalPairs(t *testing.T) {
	n, m := Normal(interval.Float(0.75)), Normal(interval.Float(0.5))
	l := lawsOf(t, 4, []int64{1, 3}, []int64{2, 2})
	p := newComposition(7, []factor{{n, 1}, {l, 2}, {m, 4}})
	if len(p.factors) != 2 || p.index != 7 || p.factors[0] != (factor{l, 2}) || p.factors[1].times != 1 || math.Abs(p.factors[1].pair.(*closedForm).normalMu.Mid()-1.25) > 1e-15 {
		t.Errorf("%v", p.factors)
	}
	for _, factors := range [][]factor{{{n, 1}, {l, 2}}, {{l, 1}}, {{n, 1}}} {
		if p := newComposition(0, factors); !slices.Equal(p.factors, factors) {
			t.Errorf("%v becomes %v", factors, p.factors)
		}
	}
	inner := Independent([]Pair{n, l}, []int{2, 3})
	if p := newComposition(0, []factor{{inner, 2}}); len(p.factors) != 2 || p.factors[0] != (factor{l, 6}) || math.Abs(p.factors[1].pair.(*closedForm).normalMu.Mid()-1.5) > 1e-15 {
		t.Errorf("%v", p.factors)
	}
	for i, c := range []struct {
		factors []factor
		alone   bool
	}{{[]factor{{l, 1}}, true}, {[]factor{{l, 2}}, false}, {[]factor{{l, 1}, {n, 1}}, false}, {nil, false}} {
		if got := (&composition{factors: c.factors}).single(); (got != nil) != c.alone {
			t.Errorf("case %d: single returns a pair: %t", i, got != nil)
		}
	}
	same := Independent([]Pair{nil, l, n}, []int{1, 0, -1})
	if d := must.For(same.Delta(t.Context(), evidence.Epsilon{}))(t); d.Rational == nil || d.Rational.Sign() != 0 {
		t.Errorf("no parts have δ(0) = %v", d)
	}
	if Independent([]Pair{l, n}, []int{1}) != Pair(l) || Independent([]Pair{inner}, []int{1}) == Pair(nil) {
		t.Error("Independent of one part used once is not that part")
	}
}
