package mechanism_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
	"dpworkbench/privacy"
	"dpworkbench/query"
)

// expect fails unless the ends are the two numbers within so much.
func expect(t *testing.T, what string, n evidence.Number, err error, lo, hi, within float64) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if a, b := n.Bounds(); !(a == lo || math.Abs(a-lo) <= within) || !(b == hi || math.Abs(b-hi) <= within) {
		t.Errorf("%s in [%v, %v], want [%v, %v]", what, a, b, lo, hi)
	}
}

// Whatever an enclosure leaves open stays within the error that is stated: of a
// logarithm, of a loss, of a profile.
func TestWideEnclosures(t *testing.T) {
	ctx := context.Background()
	q := pathQuery(t, 2)
	of := func(lo, hi float64) interval.Interval { return interval.Between(lo, hi) }
	zero := interval.Int(0)
	deep := interval.Between(-1000, -900)
	logs := func(row, r int) interval.Interval { return deep }
	for _, c := range []struct {
		rows [][]interval.Interval
		logs mechanism.LogProbs
		log  [2]float64 // of the first probability
		most float64    // of LogError
	}{
		{[][]interval.Interval{{of(0.2, 0.6), of(0.4, 0.8)}, {of(0.3, 0.3), of(0.7, 0.7)}}, nil, [2]float64{math.Log(0.2), math.Log(0.6)}, 4.01},
		{[][]interval.Interval{{of(1e-9, 1), of(0.5, 1)}, {of(0.3, 0.3), of(0.7, 0.7)}}, nil, [2]float64{math.Log(1e-9), 0}, 2.01e9},
		{[][]interval.Interval{{of(0, 1e-300), of(0.5, 1)}, {of(0.3, 0.3), of(0.7, 0.7)}}, logs, [2]float64{-1000, -900}, 100.01},
		{[][]interval.Interval{{of(0, 0.5), of(0.5, 1)}, {of(0.3, 0.3), of(0.7, 0.7)}}, logs, [2]float64{-1000, -900}, 100.01},
		{[][]interval.Interval{{of(1e-300, 1e-299), of(0.5, 1)}, {of(0.3, 0.3), of(0.7, 0.7)}}, nil, [2]float64{math.Log(1e-300), math.Log(1e-299)}, 3},
	} {
		m, err := mechanism.NewEnclosedTable(mechanism.Info{Name: "wide", Query: q, Claimed: evidence.Claimed{Value: 1}}, c.rows, c.logs, nil)
		if err != nil {
			t.Fatal(err)
		}
		miss := 0.0
		for _, end := range c.log {
			miss = max(miss, math.Abs(m.LogProb(0, 0)-end))
		}
		if !(miss <= m.LogError()*(1+1e-12)) || !(m.LogError() <= c.most) {
			t.Errorf("ln p = %v ± %v, want it to hold %v within %v", m.LogProb(0, 0), m.LogError(), c.log, c.most)
		}
		if got, middle := m.LogProb(0, 0), (c.log[0]+c.log[1])/2; c.most > 100 && c.logs != nil && got != middle {
			t.Errorf("ln p = %v of %v, want their middle", got, c.log)
		}
		loss, err := mechanism.Privacy(m).Epsilon(ctx, 0)
		if err != nil {
			t.Fatal(err)
		}
		lo, hi := loss.Bounds()
		if least, most := math.Log(0.3)-c.log[1], math.Log(0.3)-c.log[0]; lo > max(least, 0)+1e-12 || hi < most-1e-12 || loss.Float() != hi {
			t.Errorf("smallest ε in [%v, %v], want it to hold [%v, %v]", lo, hi, least, most)
		}
	}
	// One probability is 0, of the other just the ends are known.
	m, err := mechanism.NewEnclosedTable(mechanism.Info{Name: "wide", Query: q}, [][]interval.Interval{{of(0.2, 0.6), of(0.4, 0.8)}, {zero, of(1, 1)}}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	d, err := mechanism.Privacy(m).Delta(ctx, eps(t, 3))
	expect(t, "δ(3)", d, err, 0.2, 0.6, 1e-12)
	loss, err := mechanism.Privacy(m).Epsilon(ctx, 0)
	expect(t, "smallest ε", loss, err, math.Inf(1), math.Inf(1), 0)
}

// Where one of two neighbors alone can output a value no ε will do, and δ is what the
// value weighs: for levels and for tables, whichever neighbor comes first.
func TestInfiniteLosses(t *testing.T) {
	ctx := context.Background()
	q := pathQuery(t, 2)
	half := big.NewRat(1, 2)
	for _, swap := range []bool{false, true} {
		table := []int32{0, 0, 0, query.Unreached}
		rows := [][]*big.Rat{{half, half}, {big.NewRat(1, 1), new(big.Rat)}}
		if swap {
			table = []int32{0, query.Unreached, 0, 0}
			slices.Reverse(rows)
		}
		levels, err := mechanism.NewLayerTable(ctx, q, table)
		if err != nil {
			t.Fatal(err)
		}
		finite, err := mechanism.NewFinite(ctx, q, rows, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range []mechanism.Mechanism{mechanism.NewLayered("levels", levels, eps(t, 1), evidence.Claimed{Value: 1}), finite} {
			loss, err := mechanism.Privacy(m).Epsilon(ctx, 0)
			expect(t, m.Name()+": smallest ε", loss, err, math.Inf(1), math.Inf(1), 0)
			for _, e := range []float64{1, 50} {
				d, err := mechanism.Privacy(m).Delta(ctx, eps(t, e))
				expect(t, m.Name()+": δ", d, err, 0.5, 0.5, 1e-15)
			}
			loss, err = mechanism.Privacy(m).Epsilon(ctx, 0.4) // less than an infinite loss has
			expect(t, m.Name()+": ε(0.4)", loss, err, math.Inf(1), math.Inf(1), 0)
		}
	}
}

// Two uses at an output of chance 1/2 and 10^−300: ε(δ) is ln((1/4 − δ)·10^600), whichever neighbor is the first.
func TestLossOfNextToNothing(t *testing.T) {
	ctx, half := t.Context(), big.NewRat(1, 2)
	tiny := interval.RationalPower(big.NewRat(1, 10), big.NewInt(300))
	rows := [][]*big.Rat{{half, half}, {tiny, new(big.Rat).Sub(big.NewRat(1, 1), tiny)}}
	for range 2 {
		slices.Reverse(rows)
		m := must.For(mechanism.NewFinite(ctx, pathQuery(t, 2), rows, nil))(t)
		account := must.For(privacy.Compose(ctx, []*privacy.Account{privacy.New(mechanism.Pairs(m))}, []int{2}))(t)
		for _, a := range []*privacy.Account{account, must.For(account.Adaptive(ctx))(t)} {
			e, err := a.Epsilon(ctx, 1e-6)
			want := math.Log(0.25-1e-6) + 600*math.Ln10
			expect(t, a.Name(), e, err, want, want, 1e-11*want)
		}
	}
}

// A profile is compared with losses in units of a large ε: Laplace noise moved to two
// values loses ln(2e^{ε/2} − 1), and δ(ε/2) = (1 − e^{−ε/2})/2, whatever ε is.
func TestProfileInUnits(t *testing.T) {
	ctx := context.Background()
	for _, v := range []float64{1e-3, 1, 50, 1e9, 1e150, 1e308} {
		e := eps(t, v)
		d, err := mechanism.Privacy(build(t, "laplace", pathQuery(t, 2), e)).Delta(ctx, e.Ratio(1, 2))
		want := -math.Expm1(-v/2) / 2
		expect(t, fmt.Sprintf("δ(%g/2)", v), d, err, want, want, 1e-15)
	}
}

// A loss is at most ε, more, or beyond what ends tell, ε being no float64.
func TestAtMost(t *testing.T) {
	for _, e := range []evidence.Epsilon{ln(t, 3, 1), ln(t, 5, 2).Ratio(1, 3)} {
		least, most := e.Enclosure().Bounds()
		if least == most {
			t.Fatal("ε is a float64")
		}
		for _, c := range []struct {
			lo, hi float64
			want   evidence.Verdict
		}{
			{least, least, evidence.Confirmed}, {0, least, evidence.Confirmed}, {most, most, evidence.Undecided},
			{least, most, evidence.Undecided}, {0, 9, evidence.Undecided}, {math.Nextafter(most, 9), 9, evidence.Refuted},
			{math.Inf(1), math.Inf(1), evidence.Refuted},
		} {
			if got := mechanism.AtMost(evidence.Certified{Lo: c.lo, Hi: c.hi, Side: evidence.Up}, e); got != c.want {
				t.Errorf("a loss in [%v, %v] at most %v: %s, want %s", c.lo, c.hi, e, got, c.want)
			}
		}
	}
	three := ln(t, 3, 1)
	for _, c := range []struct {
		num, den int64
		want     evidence.Verdict
	}{{3, 1, evidence.Confirmed}, {2999999999999999999, 1000000000000000000, evidence.Confirmed}, {3000000000000000001, 1000000000000000000, evidence.Refuted}, {1, 1, evidence.Confirmed}} {
		if got := mechanism.AtMost(evidence.ExactLog{Argument: big.NewRat(c.num, c.den)}, three); got != c.want {
			t.Errorf("ln(%d/%d) at most ln 3: %s, want %s", c.num, c.den, got, c.want)
		}
	}
	// ln(1 + 10⁻²⁰) against the float64 10⁻²⁰, which is no logarithm of a rational.
	above := new(big.Rat).Add(big.NewRat(1, 1), new(big.Rat).SetFloat64(1e-20))
	if got := mechanism.AtMost(evidence.ExactLog{Argument: above}, eps(t, 1e-20)); got != evidence.Confirmed {
		t.Errorf("ln(1 + x) at most x: %s", got)
	}
	if got := mechanism.AtMost(evidence.ExactLog{Argument: above}, eps(t, math.Nextafter(1e-20, 0))); got != evidence.Refuted {
		t.Errorf("ln(1 + x) at most a little less than x: %s", got)
	}
}
