package privacy

import (
	"context"
	"math"
	"math/big"
	"slices"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
)

// These tests check that each end of an answer follows from the right ends of interval parameters.

func amount(lo, hi float64) evidence.RatOrInterval {
	return evidence.RatOrInterval{Enclosure: interval.Between(lo, hi)}
}

// wideLoss returns a pair with one loss, known only to lie in [lo, hi].
func wideLoss(lo, hi float64) *DiscretePair {
	return NewDiscretePair([]Atom{{P: amount(1, 1), Q: amount(1, 1), Offset: interval.Between(lo, hi)}}, zero, zero, evidence.Epsilon{}, Hooks{})
}

// ε counts as at least the largest loss only if it is at least the upper end of that loss.
func TestEpsilonAboveIntervalLosses(t *testing.T) {
	p := &composition{factors: []factor{{wideLoss(0.25, 0.5), 2}, {wideLoss(0.5, 1), 1}}}
	loss, ratio := p.maxFiniteLoss()
	if lo, hi := loss.Bounds(); lo != 1 || hi != 2 || ratio != nil {
		t.Errorf("the largest loss is %v, and its exponential %v", loss, ratio)
	}
	for at, above := range map[float64]bool{0.9: false, 1.5: false, 1.999: false, 2: true, 2.5: true} {
		if got := p.atLeastMaxLoss(must.Be(evidence.NewEpsilon("eps", at))); got != above {
			t.Errorf("ε = %g: above all losses is %t", at, got)
		}
	}
	lo, hi := p.maxLoss().Enclosure.Bounds()
	if hi != 2 || lo != 1 {
		t.Errorf("the largest loss is in [%g, %g]", lo, hi)
	}
	// For rational ratios the comparison is exact.
	q := &composition{factors: []factor{{lawsOf(t, 4, []int64{1, 3}, []int64{2, 2}), 2}, {lawsOf(t, 5, []int64{4, 1}, []int64{2, 3}), 1}}}
	if loss, ratio := q.maxFiniteLoss(); ratio == nil || ratio.Cmp(big.NewRat(9, 2)) != 0 || math.Abs(loss.Mid()-math.Log(4.5)) > 1e-15 {
		t.Errorf("the largest loss is %v, and its exponential %v", loss, ratio)
	}
	for w, above := range map[*big.Rat]bool{big.NewRat(9, 2): true, big.NewRat(449, 100): false, big.NewRat(451, 100): true} {
		if q.atLeastMaxLoss(must.Be(evidence.LogEpsilon("eps", w))) != above {
			t.Errorf("ε = ln %v: above all losses is %t", w, !above)
		}
	}
	below := &composition{factors: []factor{{wideLoss(-0.5, -0.25), 2}}} // a negative largest loss counts as 0
	if lo, hi := below.maxLoss().Enclosure.Bounds(); lo != 0 || hi != 0 {
		t.Errorf("the largest loss is in [%g, %g], want 0", lo, hi)
	}
	maybe := NewDiscretePair([]Atom{{P: amount(0.9, 1), Q: amount(1, 1), Offset: interval.Between(0.25, 0.5)}}, amount(0, 0.1), zero, evidence.Epsilon{}, Hooks{})
	lo, hi = (&composition{factors: []factor{{maybe, 1}}}).maxLoss().Enclosure.Bounds()
	if lo > 0.5 || lo < 0.25 || !math.IsInf(hi, 1) {
		t.Errorf("with a possibly infinite loss, the largest is in [%g, %g], want no upper end", lo, hi)
	}
}

// On a lattice, ε − loss is computed exactly in lattice units, even if the interval losses are wide, for ε at the loss
// and close to it.
func TestEpsilonMinusLossOnALattice(t *testing.T) {
	unit := must.Be(evidence.LogEpsilon("unit", big.NewRat(1<<20, 1<<20-1)))
	const steps = 1 << 30
	l := NewDiscretePair([]Atom{{P: amount(0.25, 0.5), Q: amount(0.1, 0.5), Steps: steps, Offset: interval.Int(0)}, {P: amount(0.25, 0.5), Q: amount(0.1, 0.5), Steps: steps - 1, Offset: interval.Float(0x1p-30)}}, zero, zero, unit, Hooks{})
	for _, c := range []struct {
		eps  evidence.Epsilon
		atom int
		want float64 // ε − loss in units
		rest float64
	}{{unit.Times(steps), 1, 0, 0}, {unit.Times(steps + 3), 1, 3, 0}, {unit.Times(steps - 2), 1, -2, 0}, {unit.Times(steps), 0, 1, -0x1p-30}, {evidence.Epsilon{}, 1, -steps, 0}} {
		got := l.epsilonMinusLoss(l.atoms[c.atom], c.eps)
		want := c.want*unit.Value() + c.rest
		if lo, hi := got.Bounds(); lo > want+1e-12*math.Abs(want) || hi < want-1e-12*math.Abs(want) || hi-lo > 1e-12*math.Abs(want) {
			t.Errorf("ε − loss is %v, want %g", got, want)
		}
	}
	// A difference of a few large units is exact, too, in both directions.
	large := must.Be(evidence.LogEpsilon("unit", big.NewRat(2, 1))).Times(1 << 62).Times(1 << 62)
	far := NewDiscretePair([]Atom{{P: amount(0.25, 0.5), Q: amount(0.1, 0.5), Steps: 1 << 40, Offset: interval.Int(0)}}, zero, zero, large, Hooks{})
	for _, k := range []int64{-3, -1, 1, 3} {
		got := far.epsilonMinusLoss(far.atoms[0], large.Times(1<<40+k))
		if want := large.Enclosure().Mul(interval.Int(k)); got.Less(want) || want.Less(got) || !got.Upper().Sub(got.Lower()).Less(interval.Float(0x1p-120)) {
			t.Errorf("ε − loss is %v, want %v", got, want)
		}
	}
	lo, hi := l.LossRange().Bounds()
	if want := steps * unit.Value(); math.Abs(hi-want) > 1e-9 || math.Abs(hi-lo-unit.Value()+0x1p-30) > 1e-12 {
		t.Errorf("losses in [%g, %g]", lo, hi)
	}
	lat := l.lattice()
	if lat.minIndex != steps-1 || lat.maxIndex != steps || lat.unit != unit {
		t.Errorf("%+v", lat)
	}
	if lo, hi := lat.offset.Bounds(); lo != 0 || hi != 0x1p-30 {
		t.Errorf("offset in [%g, %g]", lo, hi)
	}
}

// With interval masses, ε lies between the values for the smallest and the largest masses. It is infinite only if the
// infinity mass certainly exceeds δ.
func TestEpsilonOfIntervalMasses(t *testing.T) {
	for i, c := range []struct {
		p, q, lost    [2]float64
		delta, lo, hi float64
	}{
		{[2]float64{0.4, 0.5}, [2]float64{0.125, 0.25}, [2]float64{}, 0.1, math.Log(0.3 / 0.25), math.Log(0.4 / 0.125)},
		{[2]float64{0.4, 0.5}, [2]float64{0.125, 0.25}, [2]float64{}, 0.25, 0, math.Log(0.25 / 0.125)},
		{[2]float64{0.4, 0.5}, [2]float64{0.0078125, 0.015625}, [2]float64{}, 0.45, 0, math.Log(0.05 / 0.0078125)}, // for the smallest P the mass is below δ
		{[2]float64{0.4, 0.5}, [2]float64{0.0078125, 0.015625}, [2]float64{}, 0.5, 0, 0},
		{[2]float64{0.25, 0.25}, [2]float64{0.125, 0.125}, [2]float64{0.25, 0.5}, 0.125, math.Inf(1), math.Inf(1)},
		{[2]float64{0.25, 0.25}, [2]float64{0.125, 0.125}, [2]float64{0, 0.0625}, 0.125, 0, math.Log(0.1875 / 0.125)},
	} {
		l := NewDiscretePair([]Atom{{P: amount(c.p[0], c.p[1]), Q: amount(c.q[0], c.q[1]), Offset: interval.Between(-5, 5)}}, amount(c.lost[0], c.lost[1]), zero, evidence.Epsilon{}, Hooks{})
		e := l.epsilon(interval.Float(c.delta))
		if lo, hi := e.Bounds(); e != infinite && (math.IsInf(c.lo, 1) || math.Abs(lo-c.lo) > 1e-15 || math.Abs(hi-c.hi) > 1e-15) || e == infinite && !math.IsInf(c.lo, 1) {
			t.Errorf("case %d: [%g, %g], want [%g, %g]", i, lo, hi, c.lo, c.hi)
		}
	}
	for _, c := range [][2]float64{{-1, 1}, {0.5, 0.5}, {-30, -20}, {1e-12, 40}} { // ln(γe^l + 1 − γ) increases in l
		lo, hi := mixedLoss(interval.Between(c[0], c[1]), big.NewRat(1, 4)).Bounds()
		a, b := math.Log1p(0.25*math.Expm1(c[0])), math.Log1p(0.25*math.Expm1(c[1]))
		if math.Abs(lo-a) > 1e-15*(1+math.Abs(a)) || math.Abs(hi-b) > 1e-15*(1+math.Abs(b)) {
			t.Errorf("losses in %v become [%g, %g], want [%g, %g]", c, lo, hi, a, b)
		}
	}
}

// maxOverPairs caps the upper end of interval answers by screens. It evaluates pairs in order of falling screens while
// they can exceed the lower end, and returns the possible maximizers, most likely first.
func TestMaxOverPairsOfIntervals(t *testing.T) {
	for i, c := range []struct {
		pairs  [][2]float64
		rough  []float64 // upper bounds that the screens give
		lo, hi float64
		near   []int
	}{
		{[][2]float64{{1, 2}}, []float64{3}, 1, 2, []int{0}},
		{[][2]float64{{1, 2}}, []float64{1.5}, 1, 1.5, []int{0}},
		{[][2]float64{{1, 2}, {1.2, 1.4}}, []float64{2, 1.4}, 1.2, 2, []int{0, 1}},
		{[][2]float64{{1.2, 1.4}, {1, 2}}, []float64{1.4, 2}, 1.2, 2, []int{1, 0}},
		{[][2]float64{{1, 2}, {0.5, 0.9}}, []float64{2, 1.1}, 1, 2, []int{0}},
		{[][2]float64{{1, 2}, {1.5, 1.7}, {1.6, 1.65}}, []float64{2, 1.9, 1.8}, 1.6, 2, []int{2, 1, 0}},
	} {
		f := &DominatingPairs{Name: "open", Size: len(c.pairs), Pair: func(_ context.Context, i int) (Pair, error) { return wideLoss(c.pairs[i][0], c.pairs[i][1]), nil },
			Screen: func(i int) *Screen { return &Screen{Loss: []float64{c.rough[i]}, P: []float64{1}} }}
		d, found, err := New(f).maxOverPairs(t.Context(), (*candidate).maxLoss, func(p *composition, _ float64) (evidence.RatOrInterval, error) { return p.maxLoss(), nil })
		var near []int
		for _, p := range found {
			near = append(near, p.index)
		}
		if lo, hi := d.Enclosure.Bounds(); err != nil || math.Abs(lo-c.lo) > 1e-12 || math.Abs(hi-c.hi) > 1e-12 || !slices.Equal(near, c.near) {
			t.Errorf("case %d: [%g, %g] at pairs %v, want [%g, %g] at pairs %v: %v", i, lo, hi, near, c.lo, c.hi, c.near, err)
		}
	}
}

// The pessimistic pair of a cell keeps the masses of the cell, even if the loss may be unbounded, and the losses of its
// atoms match their masses.
func TestPessimisticCells(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct{ p, q, lo, hi, lost, alone float64 }{ // lost and alone are the masses of P and of Q with infinite losses
		{0.5, 0.25, 0.25, 1, 0, 0}, {0.5, 0.25, 0.25, inf, 0.5 - 0.25*math.Exp(0.25), 0}, {0.25, 0.5, -inf, -0.25, 0, 0.5 - 0.25*math.Exp(0.25)}, {0.5, 0.25, -inf, inf, 0.5, 0.25},
		{0.5, 0, inf, inf, 0.5, 0}, {0, 0.5, -inf, -inf, 0, 0.5}, {0.5, 0.5, 0, 0, 0, 0}, {0.25, 0.5, -1, 0.5, 0, 0},
		{0.5, 0.25, math.MaxFloat64, inf, 0.5, 0.25}, {0.5, 0.25, -inf, -math.MaxFloat64, 0.5, 0.25},
	} {
		cell := outputCell{p: interval.Float(c.p), q: interval.Float(c.q), loss: interval.Between(c.lo, c.hi)}
		l := pessimisticPair([]outputCell{cell})
		p, q := l.infinityMass.Enclosure.Mid(), l.qOnlyMass.Enclosure.Mid()
		if math.Abs(p-c.lost) > 1e-15 || math.Abs(q-c.alone) > 1e-15 {
			t.Errorf("%+v: infinite masses %g of P and %g of Q", c, p, q)
		}
		for _, a := range l.atoms {
			x, y := a.P.Enclosure.Mid(), a.Q.Enclosure.Mid()
			if p, q = p+x, q+y; math.Abs(x-y*math.Exp(a.Offset.Mid())) > 1e-15 || a.Offset.Mid() < c.lo || a.Offset.Mid() > c.hi {
				t.Errorf("%+v: the atom with masses %g and %g has the loss %g", c, x, y, a.Offset.Mid())
			}
		}
		if math.Abs(p-c.p) > 1e-15 || math.Abs(q-c.q) > 1e-15 {
			t.Errorf("%+v: the masses sum to %g and %g", c, p, q)
		}
	}
}
