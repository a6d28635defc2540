package xor

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/memory"
	"dpworkbench/internal/must"
	"dpworkbench/privacy"
)

// Patterns and states are listed up to the documented limits, and not above.
func TestLimitsOfPairs(t *testing.T) {
	columns := func(n int, theta, lambda float64) *Columns { return must.Be(NewColumns(n, 1, theta, lambda)) }
	lays := func(law *Columns, blocks ...block) bool {
		s := &patterns{law: law}
		for _, b := range blocks {
			s.list = append(s.list, pattern{b})
		}
		return s.fill(&privacy.DominatingPairs{})
	}
	long, longer := columns(510, .1, 1e-6), columns(511, .1, 1e-6)
	below := math.Nextafter(1e6, 0)
	for what, c := range map[string]struct{ within, beyond bool }{
		// 256 numbers of ones among the flipped bits, times 256 among the others, are 2¹⁶ states.
		"states of a column":    {lays(long, block{255, 1}), lays(longer, block{255, 1})},
		"states of all":         {lays(long, block{255, 1}, block{254, 1}), lays(long, block{255, 1}, block{254, 1}, block{1, 1})},
		"exponents of bits":     {lays(columns(1, below, 0), block{1, 1}), lays(columns(1, 1e6, 0), block{1, 1})},
		"exponents of pairs":    {lays(columns(2, -below/4, below/8), block{1, 1}), lays(columns(2, -1e6/4, 1e6/8), block{1, 1})},
		"rounding of a reading": {lays(&Columns{n: 1, p: 1, theta: 1, offTheta: 0x1p-31}, block{1, 1}), lays(&Columns{n: 1, p: 1, theta: 1, offTheta: 0x1p-29}, block{1, 1})},
	} {
		if !c.within || c.beyond {
			t.Errorf("%s: listed at the limit: %t, above it: %t", what, c.within, c.beyond)
		}
	}
	// Up to the order of the columns, two columns of 90 bits have C(92, 2) patterns, which are pairs of numbers of
	// flipped bits.
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
			t.Errorf("pairs of %s with unsuitable neighbors: error %v", name, err)
		}
	}
	far := must.Be(must.Be(NewBernoulli([][]float64{{0x1.1p60, 1}, {1, 1}}, nil, 1)).Under(FlipBits(1), LossOptions{}))
	if d, err := far.Delta(t.Context(), must.Be(evidence.NewEpsilon("eps", 1))); d != nil || !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("δ of exponents beyond 2⁶⁰: %v, %v", d, err)
	}
	for span, want := range map[float64]bool{below: true, 1e6: false} {
		b := must.Be(NewBernoulli([][]float64{{span / 2, 0}, {0, -span / 2}}, nil, 1))
		if got := b.allStates(); (got != nil) != want {
			t.Errorf("states with exponents up to %v are listed: %t", span, got != nil)
		}
	}
	for units, want := range map[float64]bool{0x1p20: true, 0x1p24: false} {
		if got := path(3).read(reading{units: units}).allStates(); (got != nil) != want {
			t.Errorf("states with exponents off by %v units are listed: %t", units, got != nil)
		}
	}
}

// The states of a law are listed up to 2²² states over all patterns. With one more pattern the result is a bound.
func TestLimitOfStates(t *testing.T) {
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
		if f := must.Be(table.PairsUnder(nb)); f.Bound != bound || !f.Universe.Same(universeOf(table, nb)) {
			t.Errorf("a table and %d patterns: bound %t, scope %v", many, f.Bound, f.Universe)
		}
		for k, m := range nb.patterns {
			nb.patterns[k] = m.Transpose()
		}
		if f := must.Be(dense.PairsUnder(nb)); f.Bound != bound || !f.Universe.Same(universeOf(dense, nb)) {
			t.Errorf("a law and %d patterns: bound %t, scope %v", many, f.Bound, f.Universe)
		}
	}
}

// span prints a duration in the largest unit of which it has at least two.
func TestSpan(t *testing.T) {
	for seconds, want := range map[float64]string{
		119.5: "120 s", 120: "0.0333 hours", 120.5: "0.0335 hours", 2*86400 - 1: "48 hours", 2 * 86400: "2 days", 2*86400 + 43200: "2.5 days",
		2*365.25*86400 - 1: "730 days", 2 * 365.25 * 86400: "2 years", 2.01 * 365.25 * 86400: "2.01 years",
	} {
		if got := span(seconds); got != want {
			t.Errorf("%v seconds are %s, want %s", seconds, got, want)
		}
	}
}

// The bounds of ErrorRate are the bounds of the mean, divided and rounded outward.
func TestErrorRateDividesOutward(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 81))
	b := dyadicLaw(rng, 2, 2, 1, 1)
	if b.cols != nil {
		t.Fatal("the law has a closed form, want one by blocks")
	}
	for range 200 {
		v := 1e-3 * rng.Float64()
		b.answers.Store(&answer{ones: evidence.Certified{Lo: v, Hi: v}, zeros: evidence.Certified{Lo: v, Hi: v}})
		for _, ones := range []int{0, 1, 3, 7, 1<<53 + 1, 1<<62 + 1} {
			d := big.NewRat(int64(ones), 1)
			if ones == 0 {
				d.SetInt64(4)
			}
			want := new(big.Rat).Quo(rat(v), d)
			got := must.Be(b.ErrorRate(context.Background(), ones, Variant(ones%2 == 0)))
			checkBounds(t, "a rate", got.Lo, got.Hi, want, want, 8)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// Sizes just beyond a fixed bound are rejected. Sizes just within it are rejected only if memory is short.
func TestTooLargeForAnyMemory(t *testing.T) {
	previous := memory.SetLimit(1 << 20)
	defer memory.SetLimit(previous)
	coupled := func(objects int) *Bernoulli { // law of this many associated objects with 2¹⁴ features
		return &Bernoulli{n: math.MaxInt32, p: 1 << 14, theta: []float64{1}, coupled: make([]int, objects)}
	}
	for what, c := range map[string]struct {
		within, beyond error
		says           string
	}{
		"a matrix of 2⁴⁰ bytes":     {second(NewBits(1<<37, 64)), second(NewBits(1<<37+64, 64)), "137438953536 × 64 bits take 1.1e+03 GB, want at most 1.1e+03 GB"},
		"its transpose":             {second(NewBits(64, 1<<37)), second(NewBits(64, 1<<37+64)), "64 × 137438953536 bits take 1.1e+03 GB"},
		"Π of order 2¹⁶":            {second(must.Be(NewUniform(1<<16, 1, 1, 0)).Pi()), second(must.Be(NewUniform(1<<16+1, 1, 1, 0)).Pi()), "Π has order 65537, want at most 65536"},
		"2²⁸ bits that are coupled": {second(coupled(1 << 14).components(t.Context())), second(coupled(1<<14 + 1).components(t.Context())), "16385 associated objects of 16384 bits, want at most 268435456 bits"},
	} {
		if !errors.Is(c.within, memory.Err) || errors.Is(c.within, evidence.ErrParameter) {
			t.Errorf("%s: %v", what, c.within)
		}
		if !errors.Is(c.beyond, evidence.ErrParameter) || errors.Is(c.beyond, memory.Err) || !strings.Contains(c.beyond.Error(), c.says) {
			t.Errorf("beyond %s: %v, want %q", what, c.beyond, c.says)
		}
	}
}
