package privacy

import (
	"container/heap"
	"context"
	"math"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
)

// What is known between ends far apart, or to few bits, counts as whatever it may be.

// fewBits returns a law of whole masses.
func fewBits(base interval.Interval, step float64, first int64, prec uint, masses ...int64) *lossPMF {
	l := &lossPMF{grid: grid{step: interval.Float(step)}, base: base, first: first, prec: prec, infinityMass: new(big.Int)}
	for _, m := range masses {
		l.mass = append(l.mass, big.NewInt(m))
	}
	return l
}

// response is a pair of two losses of ±ln 3, known by enclosures, and an infinite one.
func response(infinityMass evidence.RatOrInterval) *DiscretePair {
	unit := must.Be(evidence.LogEpsilon("unit", big.NewRat(3, 1)))
	return NewDiscretePair([]Atom{{P: amount(0.25, 0.25), Q: amount(0.75, 0.75), Steps: -1, Offset: interval.Int(0)}, {P: amount(0.75, 0.75), Q: amount(0.25, 0.25), Steps: 1, Offset: interval.Int(0)}},
		infinityMass, zero, unit, Hooks{})
}

// normalTail is where the normal tail is p.
func normalTail(p float64) float64 { return math.Sqrt2 * math.Erfcinv(2*p) }

// What the buckets of few bits give at most δ from on is enclosed, whichever number their tails were rounded from.
func TestSolvingFewBits(t *testing.T) {
	for _, step := range []float64{math.Ln2, 0.3, 1.1} {
		for _, masses := range [][]int64{{100, 3}, {40, 1, 0, 7}, {3, 200, 5, 2}, {1, 1, 1, 1, 1}} {
			s := newTailSums(fewBits(interval.Int(0), step, 1, 8, masses...))
			for tenths := int64(1); tenths < 2560; tenths += 1 + tenths/8 {
				delta := big.NewRat(tenths, 2560)
				lo, hi := s.invertFinite(delta).Bounds()
				want, v := 0.0, float64(tenths)/2560
				for j := range masses { // all of δ's pieces
					a, c := 0.0, 0.0
					for i, m := range masses[j:] {
						a, c = a+float64(m)/256, c+float64(m)/256*math.Exp(-step*float64(i))
					}
					if a > v {
						want = max(want, step*float64(j+1)+math.Log((a-v)/c))
					}
				}
				if lo > want+1e-12 || hi < want-1e-12 || hi > want+2 {
					t.Errorf("rungs of %v, %g apart, give at most %v from [%g, %g] on, want %g", masses, step, delta, lo, hi, want)
				}
			}
		}
	}
}

// μ of masses that are no law's is no number, and said to be infinite, not less than any.
func TestRoughMuOfNoLaw(t *testing.T) {
	if got := (&Screen{Loss: []float64{-1, 1}, P: []float64{2, 3}}).gdp(); !math.IsInf(got, 1) {
		t.Errorf("%g", got)
	}
}

// What is looked for is so small a δ that bits are enough at once: a thousandth of what Chernoff's bound says, 2e-9 at most.
func TestHintsOfSmallDeltas(t *testing.T) {
	p := newComposition(0, []factor{{Normal(interval.Float(0.25)), 1}, {wideLoss(0.5, 0.5), 3}}) // δ = that of the normal pair at ε − 3/2
	for _, at := range []float64{0.1, 3, 4, 6} {
		got := p.deltaHint(must.Be(evidence.NewEpsilon("eps", at)))
		bound := 1.0
		if at > 1.5 {
			bound = math.Exp(-(at - 1.5 - 1./32) * (at - 1.5 - 1./32) * 8) // e^{−(ε − 3/2 − μ²/2)²/2μ²}
		}
		if got > -20 || got > math.Log(bound)-7 || got < min(math.Log(bound)-16, -20) {
			t.Errorf("ε = %g: a hint of e^%g, with δ at most %g", at, got, bound)
		}
	}
}

// Chances near 0 and near 1 are known alike by what they leave, however near.
func TestMuOfTinyMasses(t *testing.T) {
	tiny := func(bits uint) *big.Rat { return new(big.Rat).SetFrac(one.Num(), new(big.Int).Lsh(one.Num(), bits)) }
	far := func(bits float64) float64 { // where ln of the tail, −x²/2 − ln x√2π + ln(1 − x⁻² + 3x⁻⁴ − 15x⁻⁶ + 105x⁻⁸), is −bits·ln 2
		x := math.Sqrt(2 * bits * math.Ln2)
		for range 60 {
			r := 1 - 1/x/x + 3/math.Pow(x, 4) - 15/math.Pow(x, 6) + 105/math.Pow(x, 8)
			x = math.Sqrt(2 * (bits*math.Ln2 - math.Log(x*math.Sqrt(2*math.Pi)) + math.Log(r)))
		}
		return x
	}
	half := big.NewRat(1, 2)
	for _, c := range []struct {
		p, q *big.Rat // of the output with the smaller or the larger loss
		want float64
	}{{tiny(500), tiny(400), far(500) - far(400)}, {tiny(500), half, far(500)}, {tiny(400), tiny(500), far(500) - far(400)}, {half, tiny(500), far(500)}} {
		rest := func(v *big.Rat) *big.Rat { return new(big.Rat).Sub(one, v) }
		l := must.For(NewRationalPair([]*big.Rat{c.p, rest(c.p)}, []*big.Rat{c.q, rest(c.q)}))(t)
		if lo, hi := l.gdp().Bounds(); math.Abs(lo-c.want) > 1e-9 || math.Abs(hi-c.want) > 1e-9 {
			t.Errorf("an output of %.3g bits and one of %.3g: μ in [%g, %g], want %g", float64(c.p.Denom().BitLen()), float64(c.q.Denom().BitLen()), lo, hi, c.want)
		} else if rough := l.screen().gdp(); rough < hi || rough > hi*(1+1e-8)+1e-8 {
			t.Errorf("μ is at most %.17g in float64, and %.17g", rough, hi)
		}
	}
}

// μ of uses of which one may have an infinite loss, however rare, may be infinite.
func TestMuOfRareInfiniteLosses(t *testing.T) {
	lo, hi := must.For(newComposition(0, []factor{{response(amount(0, 0x1p-300)), 2}}).gdp(t.Context()))(t).Bounds()
	// Two of three that agree: z(1/16) − z(9/16), or less.
	if want := normalTail(1./16) - normalTail(9./16); lo > want+1e-12 || lo < want-1e-6 || !math.IsInf(hi, 1) {
		t.Errorf("μ in [%g, %g], want from %g on", lo, hi, want)
	}
}

// More bits are tried while an answer narrows or falls much, and the last that was better is the answer.
func TestRefining(t *testing.T) {
	for name, c := range map[string]struct {
		answers [][2]float64
		asked   int
		best    int
	}{
		"narrow at once":     {[][2]float64{{1, 1}, {2, 2}}, 1, 0},
		"then narrow":        {[][2]float64{{0.5, 1}, {0.75, 0.75}, {2, 2}}, 2, 1},
		"wider and higher":   {[][2]float64{{0.9, 1}, {0.8, 1.1}, {2, 2}}, 2, 0},
		"wider, but lower":   {[][2]float64{{0.5, 1}, {0.2, 0.8}, {2, 2}}, 2, 1},
		"as wide and higher": {[][2]float64{{0.5, 1}, {0.75, 1.5}, {2, 2}}, 2, 0},
		"as wide and lower":  {[][2]float64{{0.5, 1}, {0.25, 0.5}, {2, 2}}, 2, 1},
		"just narrow enough": {[][2]float64{{0, 1}, {3, 4}, {5, 5}}, 3, 2},
		"falls just enough":  {[][2]float64{{0, 1}, {0, 0.24}, {0.05, 0.05}, {2, 2}}, 3, 2},
		"falls much":         {[][2]float64{{0, 1}, {0, 0.1}, {0.05, 0.05}, {2, 2}}, 3, 2},
		"falls little":       {[][2]float64{{0, 1}, {0, 0.9}, {2, 2}}, 2, 1},
		"falls little more":  {[][2]float64{{0.5, 1}, {0.2, 0.3}, {2, 2}}, 2, 1},
	} {
		p := newComposition(0, []factor{{response(zero), 2}})
		answers := 0
		got := must.For(p.refine(t.Context(), -1, func(*tailSums) interval.Interval {
			answers++
			return interval.Between(c.answers[answers-1][0], c.answers[answers-1][1])
		}))(t)
		lo, hi := got.Enclosure.Bounds()
		if want := c.answers[c.best]; answers != c.asked || lo != want[0] || hi != want[1] {
			t.Errorf("%s: asked %d times, [%g, %g], want %d and %v", name, answers, lo, hi, c.asked, want)
		}
	}
}

// Tangents of pairs with infinite losses go as far as such losses are all that is left of δ.
func TestTangentsOfInfiniteLosses(t *testing.T) {
	a := New(PairAndReverse("pair", "test", lawsOf(t, 8, []int64{1, 5, 2}, []int64{0, 2, 6})))
	over, _, err := a.tangents(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if p, _ := over[0].p.Float64(); over[0].q.Sign() != 0 || math.Abs(p-0.125) > 1e-15 {
		t.Errorf("events that Q never has have %g under P, want 1/8", p)
	}
}

// The cell whose ratio may be largest comes first, however wide it is known.
func TestCellsComeByUpperEnds(t *testing.T) {
	s := &ratioSearch{}
	for _, b := range [][2]float64{{1, 2}, {0, 5}, {0.5, 3}, {1.5, 1.75}, {-1, 4}} {
		heap.Push(s, &ratioCell{bound: interval.Between(b[0], b[1])})
	}
	for _, want := range []float64{5, 4, 3, 2, 1.75} {
		if _, hi := heap.Pop(s).(*ratioCell).bound.Bounds(); hi != want {
			t.Errorf("a cell of at most %g comes, want %g", hi, want)
		}
	}
}

// Of two bounds of a ratio that are known between ends the one counts that is surely at most the other, and of a chord the line above all that it may be.
func TestOpenRatiosOfCells(t *testing.T) {
	of := func(lo, hi float64) interval.Interval { return interval.Between(lo, hi) }
	for i, c := range []struct {
		from, to     float64
		kf, kt, mean interval.Interval
		want         float64
	}{
		{0, 1, interval.Int(0), of(0, 5), of(1, 1), 1},          // mean and curvature
		{0, 1, interval.Int(0), of(0.5, 0.75), of(-2, 1), 0.75}, // the chord
		{0.5, 1, of(0, 3), of(0, 6), of(1, 1), 1.25 / 1.5},
		// Between lines above and below 0 at 0: (x − 0.02)/(x + x²) is largest at 0.02 + √(0.0204).
		{0.1, 1, of(0.03, 0.08), of(0.7, 0.98), of(9, 9), (math.Sqrt(0.0204)) / (0.02 + math.Sqrt(0.0204)) / (1.02 + math.Sqrt(0.0204))},
		// Lines whose largest value lies before or after the cell.
		{0.25, 1, of(0.1, 0.23), of(0.7, 0.98), of(9, 9), 0.23 / 0.25 / 1.25},
		{0.05, 0.1, of(0.01, 0.03), of(0.02, 0.08), of(9, 9), 0.08 / 0.1 / 1.1},
		{0.25, 1, of(0.1, 0.5), of(0.7, 0.75), of(9, 9), 0.5 / 0.25 / 1.25}, // above 0 at 0
	} {
		cell := &ratioCell{from: c.from, to: c.to, kf: c.kf, kt: c.kt, mean: c.mean, curve: interval.Int(1)}
		if _, hi := cell.most().Bounds(); math.Abs(hi-c.want) > 1e-12 {
			t.Errorf("case %d: at most %.15g, want %.15g", i, hi, c.want)
		}
	}
}

// A search for the largest ratio goes on where it still gains, however many pairs share it.
func TestRatiosOfManyPairs(t *testing.T) {
	l := lawsOf(t, 1000, []int64{1, 999}, []int64{100, 900}).Reverse()
	f := &DominatingPairs{Name: "many", Size: 24, Source: "test", Pair: func(context.Context, int) (Pair, error) { return l, nil }}
	lo, hi := must.For(New(f).ZCDP(t.Context()))(t).Bounds()
	if hi-lo > 1e-11*hi || !(lo > 0) {
		t.Errorf("ρ in [%.15g, %.15g]", lo, hi)
	}
}

// Masses in float64 are what they may be at most, and off by the share that they may lack, all where they may be 0.
func TestRoughMassesOfOpenOnes(t *testing.T) {
	for _, c := range []struct{ lo, hi, off float64 }{{0.25, 0.5, 0.5}, {0, 0.5, 1}, {0.375, 0.5, 0.25}, {0.5, 0.5, 0x1p-50}} {
		l := NewDiscretePair([]Atom{{P: amount(c.lo, c.hi), Q: amount(0.5, 0.5), Offset: interval.Int(0)}}, zero, zero, evidence.Epsilon{}, Hooks{})
		r := l.screen()
		if len(r.P) != 1 || r.P[0] != c.hi || r.Error != c.off {
			t.Errorf("a mass in [%g, %g] is %+v", c.lo, c.hi, r)
		}
		if got := r.logMoment(2); got < math.Log(c.hi) {
			t.Errorf("a mass in [%g, %g]: a log-moment of %g", c.lo, c.hi, got)
		}
	}
}

// μ of few bits holds what any law asks for that they were rounded from, and of buckets whose place is open what those of any place ask for.
func TestMuOfFewBits(t *testing.T) {
	const prec = 36
	for i, c := range []struct {
		base   [2]float64
		step   float64
		first  int64
		shares []float64 // of P
	}{
		{[2]float64{0.2, 0.2}, 0.3, -2, []float64{0.25, 0.25, 0.25, 0.25}},
		{[2]float64{0.1, 0.1}, 0.7, -1, []float64{0.5, 0.3, 0.2}},
		{[2]float64{0.05, 0.05}, 1.3, -1, []float64{0.45, 0.3, 0.25}},
		{[2]float64{0, 0.01}, 0.7, -1, []float64{0.5, 0.3, 0.2}},
		{[2]float64{-0.05, 0.05}, 0.74, -3, []float64{0.09, 0, 0, 0.65, 0, 0, 0.14, 0.12}},
		{[2]float64{-0.05, 0.05}, 0.74, -3, []float64{0.05, 0, 0, 0.75, 0, 0, 0.08, 0.12}},
	} {
		var masses []int64
		left, far := int64(1)<<prec, 0.0
		for j, v := range c.shares {
			m := int64(v * (1 << prec))
			if j == len(c.shares)-1 {
				m = left
			}
			masses, left = append(masses, m), left-m
			far = max(far, math.Abs(c.step*float64(c.first+int64(j)))+1)
		}
		reached, bound := newTailSums(fewBits(interval.Between(c.base[0], c.base[1]), c.step, c.first, prec, masses...)).gdp(far)
		lo, _ := reached.Bounds()
		_, hi := bound.Bounds()
		for _, base := range c.base {
			want, p, q := 0.0, 0.0, 0.0
			for j := len(masses) - 1; j > 0; j-- {
				m := math.Ldexp(float64(masses[j]), -prec)
				p, q = p+m, q+m*math.Exp(-base-c.step*float64(c.first+int64(j)))
				want = max(want, normalTail(q)-normalTail(p))
			}
			if lo > want+1e-14 || hi < want-1e-14 {
				t.Errorf("case %d: μ of rungs from %g is %.15g, not in [%.15g, %.15g]", i, base, want, lo, hi)
			}
		}
	}
}
