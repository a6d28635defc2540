package optimize_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/optimize"
	"dpworkbench/query"
)

// RatioToOptimum handles mechanisms without a finite ε, constant answers, and a smallest ε that is too small or too
// uncertain to solve for.
func TestRatioToOptimumEdgeCases(t *testing.T) {
	ctx := context.Background()
	space, err := query.NewPathSpace(5, [][2]int{{0, 1}, {1, 2}, {3, 4}}) // two components
	if err != nil {
		t.Fatal(err)
	}
	q, err := query.NewNumeric("f", space, []float64{0, 1, 5, 2, 3}, nil)
	if err != nil {
		t.Fatal(err)
	}
	table := func(q *query.Query, rows ...[]float64) mechanism.Mechanism {
		m := must.For(mechanism.NewTable(mechanism.Info{Name: "table", Query: q, Claimed: evidence.Claimed{}}, rows, nil))(t)
		return m
	}
	e := func(r int) []float64 { row := make([]float64, 5); row[r] = 1; return row }
	// The answers 0 and 2 cost 6 and 1 in the two components. The best, 1 and 2 or 3, cost 5 and 1.
	constant := table(q, e(0), e(0), e(0), e(2), e(2))
	leaky := table(q, []float64{1, 1, 0, 0, 0}, e(1), e(4), e(2), e(3))
	f := table(q, e(0), e(1), e(4), e(2), e(3))
	for name, c := range map[string]struct {
		m      mechanism.Mechanism
		lo, hi float64
	}{"constant": {constant, 7. / 6, 7. / 6}, "leaky": {leaky, math.Inf(1), math.Inf(1)}, "f": {f, 1, 1}} {
		got := must.For(optimize.RatioToOptimum(ctx, c.m))(t)
		if lo, hi := bounds(got); !(lo == c.lo || math.Abs(lo-c.lo) < 1e-15) || !(hi == c.hi || math.Abs(hi-c.hi) < 1e-15) {
			t.Errorf("%s: [%v, %v], want [%v, %v]", name, lo, hi, c.lo, c.hi)
		}
	}
	// A distortion that underflows is positive. The optimum is 0 because one value identifies the dataset.
	pair, tiny := counts(t, 1), new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 1200))
	rows := [][]*big.Rat{{big.NewRat(1, 1), new(big.Rat)}, {tiny, new(big.Rat).Sub(big.NewRat(1, 1), tiny)}}
	if got, err := optimize.RatioToOptimum(ctx, must.Be(mechanism.NewFinite(ctx, pair, rows, nil))); err != nil {
		t.Error(err)
	} else if lo, hi := bounds(got); !math.IsInf(lo, 1) || !math.IsInf(hi, 1) {
		t.Errorf("2⁻¹²⁰¹ over 0: [%v, %v], want +Inf", lo, hi)
	}
	line := counts(t, 2)
	for _, decay := range []float64{1e-12, 200} {
		m := must.For(layers.NewPurest(ctx, line, evidencetest.Epsilon(decay)))(t)
		if got, err := optimize.RatioToOptimum(ctx, m); !errors.Is(err, optimize.ErrPrecision) {
			t.Errorf("decay %g: %v, %v, want ErrPrecision", decay, got, err)
		}
	}
	wide := interval.Between(0.2, 0.4)
	m, err := mechanism.NewEnclosedTable(mechanism.Info{Name: "wide", Query: line}, [][]interval.Interval{{wide, wide, wide}, {wide, wide, wide}, {wide, wide, wide}}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := optimize.RatioToOptimum(ctx, m); !errors.Is(err, optimize.ErrPrecision) || !strings.Contains(err.Error(), "in [0, 0.69") {
		t.Errorf("a smallest ε from 0 to ln 2: %v, %v, want ErrPrecision", got, err)
	}
	// With a rational law the ratio is rational. A decimal decay near it gives nearly the same ratio.
	exact, err := layers.NewPurest(ctx, line, evidencetest.LogEpsilon(3, 1))
	if err != nil {
		t.Fatal(err)
	}
	loss, err := mechanism.Privacy(exact).Epsilon(ctx, evidence.Delta{})
	if err != nil {
		t.Fatal(err)
	}
	best, err := evidence.LogEpsilon("eps", loss.(evidence.ExactLog).Argument)
	if err != nil {
		t.Fatal(err)
	}
	mean, err := mechanism.ExpectedDistortion(ctx, exact, nil)
	if err != nil {
		t.Fatal(err)
	}
	optimum := solve(t, line, best, optimize.Options{Rational: optimize.Required})
	want, _ := new(big.Rat).Quo(mean.(evidence.Exact).Value, optimum.Optimum().(evidence.Exact).Value).Float64()
	for _, decay := range []evidence.Epsilon{evidencetest.LogEpsilon(3, 1), evidencetest.Epsilon(math.Log(3))} {
		m, err := layers.NewPurest(ctx, line, decay)
		if err != nil {
			t.Fatal(err)
		}
		got, err := optimize.RatioToOptimum(ctx, m)
		if err != nil {
			t.Fatal(err)
		}
		if lo, hi := bounds(got); !(lo <= want*(1+1e-14) && hi >= want*(1-1e-14) && hi-lo < 1e-5) || lo < 1 {
			t.Errorf("decay %v: [%v, %v], want %v", decay, lo, hi, want)
		}
	}
}

// The bounds of a ratio enclose the quotients of the bounds. The law is known to seven digits, so its distortion is
// divided by the optima at both bounds of its smallest ε.
func TestRatioOfIntervalLaw(t *testing.T) {
	ctx := context.Background()
	q := counts(t, 2)
	const off = 3e-8
	p := func(at float64) interval.Interval { return interval.Between(at-off, at+off) }
	m := must.Be(mechanism.NewEnclosedTable(mechanism.Info{Name: "wide", Query: q},
		[][]interval.Interval{{p(0.5), p(0.3), p(0.2)}, {p(0.25), p(0.5), p(0.25)}, {p(0.2), p(0.3), p(0.5)}}, nil, nil))
	lo, hi := bounds(must.Be(mechanism.ExpectedDistortion(ctx, m, nil)))
	from, to := bounds(must.Be(mechanism.Privacy(m).Epsilon(ctx, evidence.Delta{})))
	narrow := optimize.Options{Width: 1e-9}
	most, _ := bounds(solve(t, q, evidencetest.Epsilon(from), narrow).Optimum())
	_, least := bounds(solve(t, q, evidencetest.Epsilon(to), narrow).Optimum())
	if hi-lo < off || to-from < off || most-least < off {
		t.Fatalf("distortion in [%v, %v], smallest ε in [%v, %v], optimum in [%v, %v], want wide intervals", lo, hi, from, to, least, most)
	}
	got, end := bounds(must.Be(optimize.RatioToOptimum(ctx, m)))
	if got > lo/most || end < hi/least || end-got > 1e-5 {
		t.Errorf("ratio in [%v, %v], want [%v, %v]", got, end, lo/most, hi/least)
	}
}
