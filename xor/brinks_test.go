package xor

import (
	"context"
	"errors"
	"math"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/looks"
	"dpworkbench/internal/must"
	"dpworkbench/privacy"
)

// What may still be asked for is begun, and what is one more is refused: the work is told at
// once that it is over, and says so.
func TestBrinksOfWork(t *testing.T) {
	over := func() context.Context { return looks.After(t.Context(), 0) }
	for what, c := range map[string]struct{ within, beyond error }{
		"states":          {second(path(36).Enumerate(over())), second(path(37).Enumerate(over()))},
		"a normaliser":    {second(path(36).LogNormalizer(looks.After(t.Context(), 40))), second(path(37).LogNormalizer(looks.After(t.Context(), 40)))},
		"moments":         {second(path(36).Moments(looks.After(t.Context(), 40))), second(path(37).Moments(looks.After(t.Context(), 40)))},
		"marginals":       {second(must.Be(NewUniform(1<<20, 1, 1, 0)).Moments(over())), second(must.Be(NewUniform(1<<20+1, 1, 1, 0)).Moments(over()))},
		"terms of a sum":  {second(must.Be(NewColumns(1<<24, 1, 1, 0)).ColumnOnes(over())), second(must.Be(NewColumns(1<<24+1, 1, 1, 0)).ColumnOnes(over()))},
		"a listed part":   {third(path(20).Noise(looks.After(t.Context(), 20), 1, Enumerated, nil)), third(path(21).Noise(looks.After(t.Context(), 22), 1, Enumerated, nil))},
		"draws of 4 GiB":  {third(must.Be(NewUniform(1, 1, 1, 0)).Noise(over(), 1<<29, Closed, nil)), third(must.Be(NewUniform(1, 1, 1, 0)).Noise(over(), 1<<29+1, Closed, nil))},
		"one draw at all": {third(must.Be(NewUniform(1, 1, 1, 0)).Noise(over(), 1, Closed, nil)), third(must.Be(NewUniform(1, 1, 1, 0)).Noise(over(), 0, Closed, nil))},
	} {
		if !errors.Is(c.within, context.Canceled) || !errors.Is(c.beyond, evidence.ErrParameter) {
			t.Errorf("%s: %v, and one more: %v", what, c.within, c.beyond)
		}
	}
	sixteen := must.Be(NewUniform(16, 1, .1, 0))
	if _, err := sixteen.Distance([]*Bits{newBits(16, 1)}, .1); err != nil {
		t.Errorf("a distance of 16 bits: %v", err)
	}
	for bits, known := range map[int]bool{16: true, 17: false} {
		curve := must.Be(path(bits).Under(FlipBits(1), LossOptions{}))
		if (curve.states != nil) != known {
			t.Errorf("the states of %d bits are visited: %t", bits, !known)
		}
		if f := must.Be(path(bits).PairsUnder(FlipBits(1))); f.Bound == known {
			t.Errorf("pairs of %d bits: bound %t", bits, f.Bound)
		}
	}
}

func third[S, T any](_ S, _ T, err error) error { return err }

// Patterns and states are laid out as far as is said, and no further.
func TestBrinksOfPairs(t *testing.T) {
	columns := func(n int, theta, lambda float64) *Columns { return must.Be(NewColumns(n, 1, theta, lambda)) }
	lays := func(groups []group, blocks ...block) bool {
		s := &patterns{groups: groups}
		for _, b := range blocks {
			s.list = append(s.list, pattern{b})
		}
		return s.fill(&privacy.DominatingPairs{})
	}
	long, longer := group{columns(510, .1, 1e-6), 1}, group{columns(511, .1, 1e-6), 1}
	below := math.Nextafter(1e6, 0)
	for what, c := range map[string]struct{ within, beyond bool }{
		// 256 numbers of ones among the flipped bits and 256 among the others are 2¹⁶ states.
		"states of a column":   {lays([]group{long}, block{0, 255, 1}), lays([]group{longer}, block{0, 255, 1})},
		"states of all":        {lays([]group{long, long}, block{0, 255, 1}, block{1, 255, 1}, block{0, 255, 2}), lays([]group{long, long}, block{0, 255, 1}, block{1, 255, 1}, block{0, 1, 1})},
		"exponents of bits":    {lays([]group{{columns(1, below, 0), 1}}, block{0, 1, 1}), lays([]group{{columns(1, 1e6, 0), 1}}, block{0, 1, 1})},
		"exponents of pairs":   {lays([]group{{columns(2, -below/4, below/8), 1}}, block{0, 1, 1}), lays([]group{{columns(2, -1e6/4, 1e6/8), 1}}, block{0, 1, 1})},
		"what a reading moves": {lays([]group{{&Columns{n: 1, p: 1, theta: 1, offTheta: 0x1p-31}, 1}}, block{0, 1, 1}), lays([]group{{&Columns{n: 1, p: 1, theta: 1, offTheta: 0x1p-29}, 1}}, block{0, 1, 1})},
	} {
		if !c.within || c.beyond {
			t.Errorf("%s: laid out %t, and beyond %t", what, c.within, c.beyond)
		}
	}
	// Two columns of 90 bits have C(92, 2) patterns of some bits or none in each.
	var all []*Bits
	for a := range 91 {
		for b := range a + 1 {
			m := newBits(90, 2)
			for i := range a {
				m.Set(i, 0, true)
			}
			for i := range b {
				m.Set(89-i, 1, true)
			}
			all = append(all, m)
		}
	}
	c := must.Be(NewColumns(90, 2, .1, 1e-6))
	for many, want := range map[int]bool{mostPatterns: true, mostPatterns + 1: false} {
		if s, ok := c.patterns(FlipPatterns(append(all[:many:many], all[0], all[7])...)); ok != want || len(s.list) != many {
			t.Errorf("%d patterns: %d, %t", many, len(s.list), ok)
		}
	}
	for name, err := range map[string]error{
		"columns": second(must.Be(NewUniform(2, 2, 1, .1)).PairsUnder(Neighbors{})), "blocks": second(path(3).PairsUnder(FlipBits(0))), "a table": second(must.Be(NewWeightedNoiseLaw(1, 1, []float64{1, 2})).PairsUnder(FlipBits(0))),
	} {
		if !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("pairs of %s and neighbors that do not suit: %v", name, err)
		}
	}
	far := must.Be(must.Be(NewBernoulli([][]float64{{0x1.1p60, 1}, {1, 1}}, nil, 1)).Under(FlipBits(1), LossOptions{}))
	if d, err := far.Delta(t.Context(), must.Be(evidence.NewEpsilon("eps", 1))); d != nil || !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("δ of exponents beyond 2⁶⁰: %v, %v", d, err)
	}
	for span, want := range map[float64]bool{below: true, 1e6: false} {
		b := must.Be(NewBernoulli([][]float64{{span / 2, 0}, {0, -span / 2}}, nil, 1))
		if got := b.allStates(); (got != nil) != want {
			t.Errorf("exponents over %v nats are visited: %t", span, got != nil)
		}
	}
	for units, want := range map[float64]bool{0x1p20: true, 0x1p24: false} {
		if got := path(3).read(reading{units: units}).allStates(); (got != nil) != want {
			t.Errorf("exponents off by %v units are visited: %t", units, got != nil)
		}
	}
}

// A law of 2²² states of all patterns is visited, and of one pattern more it is a bound.
func TestBrinkOfStates(t *testing.T) {
	listed := func(many int) Neighbors {
		var all []*Bits
		for s := 1; s <= many; s++ {
			m := newBits(14, 1)
			for k := range 14 {
				m.Set(k, 0, s>>k&1 == 1)
			}
			all = append(all, m)
		}
		return FlipPatterns(all...)
	}
	table := must.Be(NewWeightedNoiseLaw(14, 1, append(make([]float64, 1<<14-1), 1)))
	for many, bound := range map[int]bool{256: false, 257: true} {
		dense := path(14)
		dense.n, dense.p = 1, 14
		nb := listed(many)
		if f := must.Be(table.PairsUnder(nb)); f.Bound != bound || !f.Universe.Same(scopeOf(table, nb)) {
			t.Errorf("a table and %d patterns: bound %t, scope %v", many, f.Bound, f.Universe)
		}
		for k, m := range nb.patterns {
			nb.patterns[k] = m.Transpose()
		}
		if f := must.Be(dense.PairsUnder(nb)); f.Bound != bound || !f.Universe.Same(scopeOf(dense, nb)) {
			t.Errorf("a law and %d patterns: bound %t, scope %v", many, f.Bound, f.Universe)
		}
	}
}

// Where a law leaves nothing to spend a budget on, or would have to be scaled beyond what is
// allowed, there is no best share.
func TestSharesOfNothing(t *testing.T) {
	eps := func(v float64) evidence.Epsilon { return must.Be(evidence.NewEpsilon("eps", v)) }
	if _, err := (AlphaProblem{N: 1, P: 2, Epsilon: eps(1), Sensitivity: 1, Privacy: ExactPrivacy}).lawAt(0); !errors.Is(err, evidence.ErrParameter) || err.Error() != "alpha = 0 leaves nothing to spend the budget on" {
		t.Errorf("no share of one object: %v", err)
	}
	q := AlphaProblem{N: 1, P: 4, Epsilon: eps(0x1.8p59), Sensitivity: 1, Privacy: ExactPrivacy} // Θ = ε/2, which alone costs half
	if b, err := OptimizeAlpha(t.Context(), q); b != nil || !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("a budget of %v: %v, %v", q.Epsilon, b, err)
	}
	q.Epsilon = eps(0x1p59)
	if _, err := OptimizeAlpha(t.Context(), q); err != nil {
		t.Errorf("a budget of %v: %v", q.Epsilon, err)
	}
	// Of two objects Θ = αε goes up to 2⁵⁸ and Λ = (1 − α)ε up to 2⁵⁷: α is at least .583
	// and at most .833.
	q = AlphaProblem{N: 2, P: 1, Epsilon: eps(1.2 * 0x1p58), Sensitivity: 1, Privacy: ClaimedPrivacy}
	if a, err := OptimizeAlpha(t.Context(), q); err != nil || a.Alpha < .583 || a.Alpha > .8334 {
		t.Errorf("a budget of %v: %+v, %v", q.Epsilon, a, err)
	}
}

// Durations are spelled out in the largest unit of which there are two or more.
func TestSpans(t *testing.T) {
	for seconds, want := range map[float64]string{
		119.5: "120 s", 120: "0.0333 hours", 120.5: "0.0335 hours", 2*86400 - 1: "48 hours", 2 * 86400: "2 days", 2*86400 + 43200: "2.5 days",
		2*365.25*86400 - 1: "730 days", 2 * 365.25 * 86400: "2 years", 2.01 * 365.25 * 86400: "2.01 years",
	} {
		if got := span(seconds); got != want {
			t.Errorf("%v seconds are %s, want %s", seconds, got, want)
		}
	}
}
