package mechanism_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
)

// CompareProbabilities decides equality where enclosures cannot, for layered mechanisms and rounded noise at rational
// and other decays.
func TestCompareProbabilitiesDecidesTies(t *testing.T) {
	ctx := context.Background()
	q := pathQuery(t, 3)
	levels, err := mechanism.NewLayerTable(ctx, q, []int32{0, 0, 1, 2, 2, 3, 0, 1, 1}) // values 0 and 1 have the same law
	if err != nil {
		t.Fatal(err)
	}
	type outcome = mechanism.Outcome
	for _, e := range []evidence.Epsilon{eps(t, 0.3), eps(t, 1e-200), eps(t, 1e150), ln(t, 3, 1), ln(t, 5, 2).Ratio(1, 3)} {
		m := mechanism.NewLayered("levels", levels, e, evidence.Claimed{Value: 1})
		for _, c := range []struct {
			p, q outcome
			i    int
			want int
		}{
			{outcome{X: 0, R: 0}, outcome{X: 1, R: 1}, 0, 0},
			{outcome{X: 0, R: 2}, outcome{X: 1, R: 0}, 1, 0},
			{outcome{X: 1, R: 2}, outcome{X: 0, R: 0}, 1, 0},
			{outcome{X: 0, R: 0}, outcome{X: 2, R: 0}, 0, -1}, // 1/(2 + z) against 1/(1 + 2z)
			{outcome{X: 2, R: 1}, outcome{X: 0, R: 2}, 0, 1},
		} {
			if got, err := mechanism.CompareProbabilities(m, c.p, c.q, c.i, e); err != nil || got != c.want {
				t.Errorf("decay %v: %v against %v, %d steps down: %d, %v, want %d", e, c.p, c.q, c.i, got, err, c.want)
			}
		}
		for _, name := range []string{"laplace", "geometric"} {
			m := build(t, name, q, e)
			// The probability of the last value falls by e^{−ε} per step.
			if got, err := mechanism.CompareProbabilities(m, outcome{X: 0, R: 2}, outcome{X: 1, R: 2}, 1, e); err != nil || got != 0 {
				t.Errorf("%s at %v: %d, %v, want equal", name, e, got, err)
			}
			if d, err := mechanism.Privacy(m).Delta(ctx, e); err != nil || d.Float() != 0 {
				t.Errorf("%s at %v: δ(ε) = %v, %v, want 0", name, e, d, err)
			}
		}
	}
}

// CompareProbabilities is undecided if the probabilities are known only by overlapping enclosures.
func TestCompareProbabilitiesIsUndecided(t *testing.T) {
	row := []interval.Interval{interval.Between(.25, .5), interval.Between(.5, .75)}
	m := must.For(mechanism.NewEnclosedTable(mechanism.Info{Name: "wide", Query: pathQuery(t, 2)}, [][]interval.Interval{row, row}, nil, nil))(t)
	if sign, err := mechanism.CompareProbabilities(m, mechanism.Outcome{X: 0, R: 0}, mechanism.Outcome{X: 1, R: 0}, 0, evidence.Epsilon{}); sign != 0 || !errors.Is(err, mechanism.ErrUndecided) {
		t.Errorf("overlapping enclosures: %d, %v, want ErrUndecided", sign, err)
	}
	if sign, err := mechanism.CompareProbabilities(m, mechanism.Outcome{X: 0, R: 1}, mechanism.Outcome{X: 1, R: 0}, 1, eps(t, 1)); sign != 1 || err != nil {
		t.Errorf("%d, %v, want 1: even the least p is above e^-1 times the largest q", sign, err)
	}
}

// AtMost decides whether ln 3 ≤ ε down to differences of 2⁻²²⁰. It is undecided if ε is the midpoint of the 256-bit
// enclosure of ln 3.
func TestAtMostNearEquality(t *testing.T) {
	near, _ := interval.Int(3).Log().MidFloat(2000).Rat(nil)
	beside := func(num int64, bits uint) evidence.Epsilon {
		by := new(big.Rat).SetFrac(big.NewInt(num), new(big.Int).Lsh(big.NewInt(1), bits))
		return must.For(evidence.RationalEpsilon("eps", by.Add(by, near)))(t)
	}
	for i, c := range []struct {
		eps  evidence.Epsilon
		want evidence.Verdict
	}{
		{ln(t, 3, 1), evidence.Confirmed}, {ln(t, 9, 1).Ratio(1, 2), evidence.Confirmed},
		{ln(t, 3_000_000_001, 1_000_000_000), evidence.Confirmed}, {ln(t, 2_999_999_999, 1_000_000_000), evidence.Refuted},
		{ln(t, 2, 1).Ratio(19, 12), evidence.Refuted}, {ln(t, 2, 1).Ratio(8, 5), evidence.Confirmed}, // 2¹⁹ < 3¹² and 3⁵ < 2⁸
		{beside(1, 20), evidence.Confirmed}, {beside(-1, 20), evidence.Refuted},
		{beside(1, 120), evidence.Confirmed}, {beside(-1, 120), evidence.Refuted},
		{beside(1, 220), evidence.Confirmed}, {beside(-1, 220), evidence.Refuted},
	} {
		if got := mechanism.AtMost(evidence.ExactLog{Argument: big.NewRat(3, 1)}, c.eps); got != c.want {
			t.Errorf("case %d: ln 3 at most %v is %v, want %v", i, c.eps, got, c.want)
		}
	}
	if got := mechanism.AtMost(evidence.ExactLog{Argument: big.NewRat(3, 1)}, must.For(evidence.RationalEpsilon("eps", near))(t)); got != evidence.Undecided {
		t.Errorf("ln 3 at most the midpoint of its enclosure is %v", got)
	}
}

// AtMost answers Confirmed, Refuted or Undecided at an ε that is not a float64.
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
	// Compare ln(1 + x), x the float64 nearest to 10⁻²⁰, with x, whose exponential is not rational.
	above := new(big.Rat).Add(big.NewRat(1, 1), new(big.Rat).SetFloat64(1e-20))
	if got := mechanism.AtMost(evidence.ExactLog{Argument: above}, eps(t, 1e-20)); got != evidence.Confirmed {
		t.Errorf("ln(1 + x) at most x: %s", got)
	}
	if got := mechanism.AtMost(evidence.ExactLog{Argument: above}, eps(t, math.Nextafter(1e-20, 0))); got != evidence.Refuted {
		t.Errorf("ln(1 + x) at most the float64 below x: %s", got)
	}
}
