package mechanism_test

import (
	"context"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/looks"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

// hockeyStick is δ at w = e^ε, and largestRatio e^{smallest ε}, by their definitions.
func hockeyStick(q *query.Query, rows [][]*big.Rat, w *big.Rat) *big.Rat {
	best := new(big.Rat)
	for x := range rows {
		for _, y := range q.Space().Neighbors(x) {
			sum := new(big.Rat)
			for r, p := range rows[x] {
				if gap := new(big.Rat).Sub(p, new(big.Rat).Mul(w, rows[y][r])); gap.Sign() > 0 {
					sum.Add(sum, gap)
				}
			}
			if sum.Cmp(best) > 0 {
				best = sum
			}
		}
	}
	return best
}

func largestRatio(q *query.Query, rows [][]*big.Rat) *big.Rat {
	best := big.NewRat(1, 1)
	for x := range rows {
		for _, y := range q.Space().Neighbors(x) {
			for r, p := range rows[x] {
				if v := new(big.Rat).Quo(p, rows[y][r]); v.Cmp(best) > 0 {
					best = v
				}
			}
		}
	}
	return best
}

// A profile of rational laws at an ε whose e^ε is rational is a rational number, 0
// from the smallest ε on.
func TestDeltaIsExact(t *testing.T) {
	ctx := context.Background()
	q := pathQuery(t, 3)
	rat := func(num, den int64) *big.Rat { return big.NewRat(num, den) }
	for _, c := range []struct {
		rows     [][]*big.Rat
		num, den int64
		want     string
	}{
		{[][]*big.Rat{{rat(1, 2), rat(1, 4), rat(1, 4)}, {rat(1, 3), rat(1, 3), rat(1, 3)}, {rat(1, 4), rat(1, 4), rat(1, 2)}}, 4, 3, "1/18"},
		{[][]*big.Rat{{rat(7, 8), rat(1, 8), rat(0, 1)}, {rat(1, 8), rat(7, 8), rat(0, 1)}, {rat(1, 8), rat(7, 8), rat(0, 1)}}, 7, 1, "0"},
		{[][]*big.Rat{{rat(7, 8), rat(1, 8), rat(0, 1)}, {rat(1, 8), rat(7, 8), rat(0, 1)}, {rat(1, 8), rat(7, 8), rat(0, 1)}}, 13, 2, "1/16"},
	} {
		m, err := mechanism.NewFinite(ctx, q, c.rows, nil)
		if err != nil {
			t.Fatal(err)
		}
		d, err := mechanism.Privacy(m).Delta(ctx, ln(t, c.num, c.den))
		if e, ok := d.(evidence.Exact); err != nil || !ok || e.Value.RatString() != c.want {
			t.Errorf("δ(ln(%d/%d)) = %v, %v, want %s", c.num, c.den, d, err, c.want)
		}
	}
	rng := rand.New(rand.NewPCG(29, 5))
	for range 100 {
		rows := make([][]*big.Rat, 3)
		for x := range rows {
			w, sum := make([]int64, 3), int64(0)
			for r := range w {
				w[r] = 1 + rng.Int64N(5)
				sum += w[r]
			}
			for _, v := range w {
				rows[x] = append(rows[x], big.NewRat(v, sum))
			}
		}
		m, err := mechanism.NewFinite(ctx, q, rows, nil)
		if err != nil {
			t.Fatal(err)
		}
		smallest := largestRatio(q, rows)
		ratios := []*big.Rat{big.NewRat(1, 1), smallest, big.NewRat(2+rng.Int64N(9), 2)}
		for i, w := range ratios {
			at, want := evidence.Epsilon{}, hockeyStick(q, rows, w)
			if w.Cmp(big.NewRat(1, 1)) > 0 {
				if at, err = evidence.LogEpsilon("eps", w); err != nil {
					t.Fatal(err)
				}
			}
			d, err := mechanism.Privacy(m).Delta(ctx, at)
			if e, ok := d.(evidence.Exact); err != nil || !ok || e.Value.Cmp(want) != 0 || i == 1 && want.Sign() != 0 {
				t.Errorf("%v: δ(ln %v) = %v, %v, want %v", rows, w, d, err, want)
			}
		}
	}
}

// Ties between probabilities that no enclosure tells apart are decided: levels with
// different normalisers, noise moved to a range, at rational and at other units.
func TestOrderDecidesTies(t *testing.T) {
	ctx := context.Background()
	q := pathQuery(t, 3)
	levels, err := mechanism.NewLayerTable(ctx, q, []int32{0, 0, 1, 2, 2, 3, 0, 1, 1}) // the first two are one law
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
				t.Errorf("unit %v: %v against %v, %d steps down: %d, %v, want %d", e, c.p, c.q, c.i, got, err, c.want)
			}
		}
		for _, name := range []string{"laplace", "geometric"} {
			m := build(t, name, q, e)
			// The far end falls by e^{−ε} a step, from wherever it is seen.
			if got, err := mechanism.CompareProbabilities(m, outcome{X: 0, R: 2}, outcome{X: 1, R: 2}, 1, e); err != nil || got != 0 {
				t.Errorf("%s at %v: %d, %v, want equal", name, e, got, err)
			}
			if d, err := mechanism.Privacy(m).Delta(ctx, e); err != nil || d.Float() != 0 {
				t.Errorf("%s at %v: δ(ε) = %v, %v, want 0", name, e, d, err)
			}
		}
	}
}

// A loss is at most an ε, or more, however near they are, and left open where 256 bits do not tell.
func TestLossesAtMost(t *testing.T) {
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
		t.Errorf("ln 3 at most the middle of its enclosure is %v", got)
	}
}

// Probabilities that are known to be one number, as the logarithm of 1 is, are equal without
// being rational.
func TestOrderOfCertainties(t *testing.T) {
	q := pathQuery(t, 2)
	one, none := interval.Int(1), interval.Int(0)
	m := must.For(mechanism.NewEnclosedTable(mechanism.Info{Query: q}, [][]interval.Interval{{one, none}, {one, none}}, nil, nil))(t)
	if got, err := mechanism.CompareProbabilities(m, mechanism.Outcome{X: 0}, mechanism.Outcome{X: 1}, 0, eps(t, 1)); err != nil || got != 0 {
		t.Errorf("1 against 1: %d, %v", got, err)
	}
	if got, err := mechanism.CompareProbabilities(m, mechanism.Outcome{X: 0}, mechanism.Outcome{X: 1}, 1, eps(t, 1)); err != nil || got != 1 {
		t.Errorf("1 against 1/e: %d, %v", got, err)
	}
}

// Laws of 65536 levels each are known to be equal by their powers, where no enclosure tells.
func TestOrderOfManyLevels(t *testing.T) {
	const n = 1 << 16
	values, table := make([]query.Value, n), make([]int32, 2*n)
	for r := range values {
		values[r], table[r], table[n+r] = query.Number(r), int32(r), int32(n-1-r)
	}
	q := must.For(query.New("f", pathQuery(t, 2).Space(), values[:2], values, query.ValueMetric{Discrete: true}))(t)
	m := mechanism.NewLayered("levels", must.For(mechanism.NewLayerTable(t.Context(), q, table))(t), eps(t, 1e150), evidence.Claimed{})
	for _, c := range []struct{ r, s, i, want int }{{9, n - 8, 2, 0}, {9, n - 8, 3, 1}, {9, n - 8, 1, -1}} {
		if got, err := mechanism.CompareProbabilities(m, mechanism.Outcome{X: 0, R: c.r}, mechanism.Outcome{X: 1, R: c.s}, c.i, m.Decay()); err != nil || got != c.want {
			t.Errorf("level %d against level %d, %d steps down: %d, %v, want %d", c.r, n-1-c.s, c.i, got, err, c.want)
		}
	}
}

// Beside an ε of 90 digits what an ε lacks of it is seen: noise at 2³⁰⁰ has δ = 1 − e^−c at 2³⁰⁰ − c.
func TestProfilesOfHugeUnits(t *testing.T) {
	unit := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), 300))
	m := build(t, "geometric", pathQuery(t, 2), must.For(evidence.RationalEpsilon("eps", unit))(t))
	for _, c := range []*big.Rat{big.NewRat(1, 3), big.NewRat(1, 1), big.NewRat(7, 2), big.NewRat(0, 1), big.NewRat(-1, 1)} {
		at := must.For(evidence.RationalEpsilon("eps", new(big.Rat).Sub(unit, c)))(t)
		want := interval.Rat(c).Neg().Expm1().Neg()
		if c.Sign() < 0 {
			want = interval.Int(0)
		}
		lo, hi := must.For(mechanism.Privacy(m).Delta(t.Context(), at))(t).Bounds()
		if from, to := want.Bounds(); lo > to || hi < from || hi-lo > 1e-15*to {
			t.Errorf("δ(2³⁰⁰ − %v) in [%v, %v], want %v", c, lo, hi, want)
		}
	}
}

// No δ is above 1, whatever wide enclosures sum to.
func TestDeltaIsAtMostOne(t *testing.T) {
	none := interval.Int(0)
	m := must.For(mechanism.NewEnclosedTable(mechanism.Info{Query: pathQuery(t, 3)}, [][]interval.Interval{
		{interval.Between(.5, .75), interval.Between(.25, .5), none}, {none, none, interval.Int(1)}, {none, none, interval.Int(1)},
	}, nil, nil))(t)
	for _, at := range []evidence.Epsilon{{}, ln(t, 2, 1), eps(t, 30)} {
		if lo, hi := must.For(mechanism.Privacy(m).Delta(t.Context(), at))(t).Bounds(); lo > 1 || hi != 1 {
			t.Errorf("δ(%v) of laws apart in [%v, %v]", at, lo, hi)
		}
	}
}

// Laws around a circle differ in where they stand alone: δ is that of two of them, exactly, and
// an end is seen while pairs are told apart.
func TestProfilesAroundACircle(t *testing.T) {
	ctx := t.Context()
	const n = 1026 // with over 2²¹ terms, were pairs summed one by one
	edges, values, table := [][2]int{}, make([]query.Value, n), make([]int32, n*n)
	for x := range n {
		edges, values[x] = append(edges, [2]int{x, (x + 1) % n}), query.Number(x)
		for r := range n {
			away := max(x-r, r-x)
			table[x*n+r] = int32(min(away, n-away))
		}
	}
	space := must.For(query.NewPathSpace(n, edges))(t)
	q := must.For(query.New("circle", space, values, nil, query.ValueMetric{Discrete: true}))(t)
	m := mechanism.NewLayered("circle", must.For(mechanism.NewLayerTable(ctx, q, table))(t), ln(t, 2, 1), evidence.Claimed{})
	// The half of the circle that is nearer to x: Σ_{k < n/2} (2⁻ᵏ − 2⁻ᵏ⁻¹) of 3 − 3·2^(−n/2).
	want := big.NewRat(1, 3)
	seen := looks.After(ctx, 1<<20)
	d := must.For(mechanism.Privacy(m).Delta(seen, evidence.Epsilon{}))(t)
	if e, ok := d.(evidence.Exact); !ok || e.Value.Cmp(want) != 0 {
		t.Errorf("δ(0) = %v, want %v", d, want)
	}
	if least := n + 2*n/100; seen.Looks() < least {
		t.Errorf("%d looks at whether it has ended, want at least %d", seen.Looks(), least)
	}
}
