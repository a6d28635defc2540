package mechanism_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
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
		logs mechanism.Logs
		log  [2]float64 // of the first probability
		most float64    // of LogError
	}{
		{[][]interval.Interval{{of(0.2, 0.6), of(0.4, 0.8)}, {of(0.3, 0.3), of(0.7, 0.7)}}, nil, [2]float64{math.Log(0.2), math.Log(0.6)}, 4.01},
		{[][]interval.Interval{{of(1e-9, 1), of(0.5, 1)}, {of(0.3, 0.3), of(0.7, 0.7)}}, nil, [2]float64{math.Log(1e-9), 0}, 2.01e9},
		{[][]interval.Interval{{of(0, 1e-300), of(0.5, 1)}, {of(0.3, 0.3), of(0.7, 0.7)}}, logs, [2]float64{-1000, -900}, 100.01},
		{[][]interval.Interval{{of(1e-300, 1e-299), of(0.5, 1)}, {of(0.3, 0.3), of(0.7, 0.7)}}, nil, [2]float64{math.Log(1e-300), math.Log(1e-299)}, 3},
	} {
		m, err := mechanism.NewEnclosedTable(mechanism.Heading{Name: "wide", Query: q, Claimed: evidence.Claimed{Value: 1}}, c.rows, c.logs, nil)
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
	m, err := mechanism.NewEnclosedTable(mechanism.Heading{Name: "wide", Query: q}, [][]interval.Interval{{of(0.2, 0.6), of(0.4, 0.8)}, {zero, of(1, 1)}}, nil, nil)
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
		levels, err := mechanism.NewLevels(ctx, q, table)
		if err != nil {
			t.Fatal(err)
		}
		finite, err := mechanism.NewFinite(ctx, q, rows, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range []mechanism.Mechanism{mechanism.NewLeveled("levels", levels, eps(t, 1), evidence.Claimed{Value: 1}), finite} {
			loss, err := mechanism.Privacy(m).Epsilon(ctx, 0)
			expect(t, m.Name()+": smallest ε", loss, err, math.Inf(1), math.Inf(1), 0)
			for _, e := range []float64{1, 50} {
				d, err := mechanism.Privacy(m).Delta(ctx, eps(t, e))
				expect(t, m.Name()+": δ", d, err, 0.5, 0.5, 1e-15)
			}
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

// Ratios of distortions are narrow in units of a large decay: two values, one of them
// twice as far, differ by ln 2.
func TestLogRatioInUnits(t *testing.T) {
	ctx := context.Background()
	q := pathQuery(t, 3)
	levels := func(table ...int32) *mechanism.Levels {
		l, err := mechanism.NewLevels(ctx, q, table)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	near, far := levels(0, 1, 9, 1, 0, 1, 9, 1, 0), levels(0, 9, 1, 1, 0, 1, 1, 9, 0)
	for _, u := range []float64{50, 1e9, 1e150, 1e308} {
		a := mechanism.NewLeveled("near", near, eps(t, u), evidence.Claimed{Value: 1})
		b := mechanism.NewLeveled("far", far, eps(t, u), evidence.Claimed{Value: 1})
		for i, c := range []struct {
			a, b mechanism.Mechanism
			want float64
		}{{a, b, -math.Ln2}, {b, a, math.Ln2}, {a, a, 0}} {
			if lo, hi := mechanism.LogRatio(c.a, c.b, 0).Bounds(); !(lo <= c.want+1e-15 && hi >= c.want-1e-15 && hi-lo < 1e-12) {
				t.Errorf("unit %g, case %d: ln of the ratio in [%v, %v], want %v", u, i, lo, hi, c.want)
			}
		}
		doubled := mechanism.NewLeveled("doubled", near, eps(t, u).Times(2), evidence.Claimed{Value: 1})
		if lo, hi := mechanism.LogRatio(doubled, a, 0).Bounds(); !(lo <= -u*(1-1e-15) && hi >= -u*(1+1e-15) && hi-lo <= 1e-12*u) {
			t.Errorf("unit %g: twice the decay changes ln P by [%v, %v]", u, lo, hi)
		}
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
			if got := mechanism.AtMost(evidence.Certified{Lo: c.lo, Hi: c.hi, Loss: true}, e); got != c.want {
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

// Ratios of distortions that are 0, 2, 1/2 and 1, with what they come to together.
func TestCompare(t *testing.T) {
	ctx := context.Background()
	q := pathQuery(t, 4)
	of := func(missing ...[2]int64) mechanism.Mechanism { // the probability of the next value
		rows := make([][]*big.Rat, 4)
		for x, p := range missing {
			rows[x] = []*big.Rat{new(big.Rat), new(big.Rat), new(big.Rat), new(big.Rat)}
			rows[x][x] = big.NewRat(p[1]-p[0], p[1])
			rows[x][(x+1)%4] = big.NewRat(p[0], p[1])
		}
		m, err := mechanism.NewFinite(ctx, q, rows, evidence.Claimed{Value: 1})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	a, b := of([2]int64{0, 1}, [2]int64{1, 4}, [2]int64{1, 2}, [2]int64{1, 8}), of([2]int64{0, 1}, [2]int64{1, 2}, [2]int64{1, 4}, [2]int64{1, 8})
	got, err := mechanism.Compare(ctx, a, b)
	if err != nil || !slices.Equal(got.Ratios, []float64{1, 0.5, 2, 1}) || got.Better != 0.25 || got.Mean != 1.125 || got.Min != 0.5 || got.Max != 2 {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err = mechanism.Compare(ctx, of([2]int64{1, 2}, [2]int64{0, 1}, [2]int64{1, 4}, [2]int64{1, 8}), b); err != nil || !slices.Equal(got.Ratios, []float64{math.Inf(1), 0, 1, 1}) || got.Better != 0.25 || got.Min != 0 || !math.IsInf(got.Max, 1) {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := mechanism.Compare(ctx, a, build(t, "ladder", pathQuery(t, 3), eps(t, 1))); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("another universe: %v", err)
	}
}

// A seed gives the same releases for good.
func TestReleaseOfASeed(t *testing.T) {
	m := build(t, "ladder", pathQuery(t, 6), eps(t, 1))
	got, err := mechanism.Sample(m, 2, 12, rand.NewPCG(9, 10))
	if want := []int{2, 5, 1, 1, 4, 3, 1, 0, 3, 3, 4, 4}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
	for _, n := range []int{-1, 1<<28 + 1} {
		if mechanism.CheckDraws(n) == nil {
			t.Errorf("%d draws pass", n)
		}
	}
	for _, n := range []int{0, 1 << 28} {
		if err := mechanism.CheckDraws(n); err != nil {
			t.Errorf("%d draws: %v", n, err)
		}
	}
	for _, x := range []int{-1, 6} {
		if _, err := mechanism.Law(m, x); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("the law of dataset %d: %v", x, err)
		}
	}
	if _, err := mechanism.PriorWeights(1<<28+1, nil); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("a prior over 2²⁸ + 1 datasets: %v", err)
	}
}

// Levels far beyond those that are counted in buckets or whose powers are kept have
// the law, the distortion and the privacy that they say, exact where e^{−unit} is.
func TestDeepLevels(t *testing.T) {
	ctx := context.Background()
	q := pathQuery(t, 3)
	table := [][]int32{{0, 4095, 4097}, {4096, 4095, 4096}, {9000, 9000, 5000}}
	levels, err := mechanism.NewLevels(ctx, q, slices.Concat(table...))
	if err != nil {
		t.Fatal(err)
	}
	m := mechanism.NewLeveled("levels", levels, eps(t, 1e-3), evidence.Claimed{Value: 9})
	followsLaw(t, "deep levels", m, decimalLaw(t, table, 1e-3), []evidence.Epsilon{eps(t, 0.2)})
	for x, want := range [][]mechanism.Layer{
		{{Level: 0, Values: []int{0}}, {Level: 4095, Values: []int{1}}, {Level: 4097, Values: []int{2}}},
		{{Level: 4095, Values: []int{1}}, {Level: 4096, Values: []int{0, 2}}},
		{{Level: 5000, Values: []int{2}}, {Level: 9000, Values: []int{0, 1}}},
	} {
		got := m.Occupied(x)
		if !slices.EqualFunc(got, want, func(a, b mechanism.Layer) bool { return a.Level == b.Level && slices.Equal(a.Values, b.Values) }) {
			t.Errorf("dataset %d has layers %v, want %v", x, got, want)
		}
		if last := want[len(want)-1].Level; m.Deepest(x) != last || len(m.Layers(x)) != last+1 {
			t.Errorf("dataset %d ends at layer %d, lists %d, want %d", x, m.Deepest(x), len(m.Layers(x)), last)
		}
	}
}

// Levels at a rational e^{−unit} have rational laws: distortion, smallest ε and
// profile are those of the definitions, with what all of them count.
func TestRationalLevels(t *testing.T) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(31, 7))
	z := big.NewRat(2, 5)
	for range 40 {
		n := 2 + rng.IntN(3)
		q := pathQuery(t, n)
		table := make([]int32, n*n)
		for i := range table {
			table[i] = int32(rng.IntN(5))
		}
		levels, err := mechanism.NewLevels(ctx, q, table)
		if err != nil {
			t.Fatal(err)
		}
		m := mechanism.NewLeveled("levels", levels, ln(t, 5, 2), evidence.Claimed{Value: 9})
		rows := make([][]*big.Rat, n)
		worst, mean := new(big.Rat), new(big.Rat)
		for x := range rows {
			sum, distortion := new(big.Rat), new(big.Rat)
			for r := range n {
				w := interval.RationalPower(z, big.NewInt(int64(table[x*n+r])))
				rows[x] = append(rows[x], w)
				sum.Add(sum, w)
			}
			for r, w := range rows[x] {
				w.Quo(w, sum)
				if p, ok := m.Rational(x, r); !ok || p.Cmp(w) != 0 {
					t.Fatalf("levels %v: p^%d(%d) = %v, want %v", table, x, r, p, w)
				}
				distortion.Add(distortion, new(big.Rat).Mul(w, big.NewRat(int64(max(r-x, x-r)), 1)))
			}
			if got, ok := mechanism.Distortion(m, x).(evidence.Exact); !ok || got.Value.Cmp(distortion) != 0 || got.Cases != uint64(n) {
				t.Errorf("levels %v: distortion at %d is %v, want %v", table, x, got, distortion)
			}
			if distortion.Cmp(worst) > 0 {
				worst = distortion
			}
			mean.Add(mean, new(big.Rat).Quo(distortion, big.NewRat(int64(n), 1)))
		}
		if got, err := mechanism.WorstDistortion(ctx, m); err != nil || got.(evidence.Exact).Value.Cmp(worst) != 0 || got.(evidence.Exact).Cases != uint64(n) {
			t.Errorf("levels %v: worst distortion %v, %v, want %v", table, got, err, worst)
		}
		if got, err := mechanism.ExpectedDistortion(ctx, m, nil); err != nil || got.(evidence.Exact).Value.Cmp(mean) != 0 || got.(evidence.Exact).Cases != uint64(n) {
			t.Errorf("levels %v: mean distortion %v, %v, want %v", table, got, err, mean)
		}
		cases := uint64(2 * (n - 1) * n)
		loss, err := mechanism.Privacy(m).Epsilon(ctx, 0)
		if got, ok := loss.(evidence.ExactLog); err != nil || !ok || got.Argument.Cmp(largestRatio(q, rows)) != 0 || got.Cases != cases {
			t.Errorf("levels %v: smallest ε %v, %v, want ln(%v) of %d cases", table, loss, err, largestRatio(q, rows), cases)
		}
		for _, w := range []*big.Rat{big.NewRat(1, 1), big.NewRat(4, 3), big.NewRat(7, 1)} {
			at := evidence.Epsilon{}
			if !w.IsInt() || w.Num().Int64() > 1 {
				if at, err = evidence.LogEpsilon("eps", w); err != nil {
					t.Fatal(err)
				}
			}
			d, err := mechanism.Privacy(m).Delta(ctx, at)
			if got, ok := d.(evidence.Exact); err != nil || !ok || got.Value.Cmp(hockeyStick(q, rows, w)) != 0 || got.Cases != cases {
				t.Errorf("levels %v: δ(ln %v) = %v, %v, want %v", table, w, d, err, hockeyStick(q, rows, w))
			}
		}
	}
}

// Noise is of numbers, geometric noise of whole ones; what does not depend on the
// dataset is released as it is.
func TestNoiseOfWhat(t *testing.T) {
	ctx := context.Background()
	space := pathQuery(t, 2).Space()
	names, err := query.New("f", space, []query.Value{query.Name("a"), query.Name("b")}, nil, query.ValueMetric{Discrete: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := mechanism.NewLaplace(ctx, names, eps(t, 1)); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("Laplace noise of names: %v", err)
	}
	halves, err := query.NewNumeric("f", space, []float64{0.5, 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := mechanism.NewGeometric(ctx, halves, eps(t, 1)); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("geometric noise of halves: %v", err)
	}
	same, err := query.NewNumeric("f", space, []float64{1, 1}, []float64{0, 1, 2})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"laplace", "geometric", "exponential"} {
		if p := build(t, name, same, eps(t, 1)).Enclose(0, 1).Mid(); p != 1 {
			t.Errorf("%s: a constant is released with probability %v", name, p)
		}
		zero := evidence.Epsilon{}
		for what, f := range map[string]func() error{
			"laplace":     func() error { _, err := mechanism.NewLaplace(ctx, same, zero); return err },
			"geometric":   func() error { _, err := mechanism.NewGeometric(ctx, same, zero); return err },
			"exponential": func() error { _, err := mechanism.NewExponential(ctx, same, zero); return err },
			"ladder":      func() error { _, err := mechanism.NewLadder(ctx, same, zero); return err },
			"inverse":     func() error { _, err := mechanism.NewInverseSensitivity(ctx, same, zero, nil); return err },
		} {
			if err := f(); !errors.Is(err, evidence.ErrParameter) {
				t.Errorf("%s at ε = 0: %v", what, err)
			}
		}
	}
}

// Sums of exponentials are what they are by their terms: signs, zeros that no
// enclosure tells, and enclosures narrow relative to what cancellation leaves.
func TestExpSums(t *testing.T) {
	term := func(c, t, of int64) mechanism.ExpSum { return mechanism.ExpTerm(big.NewRat(c, 1), big.NewRat(t, of)) }
	gap := term(1, 0, 1).Sub(term(1, 1, 1)) // 1 − e^{−ε}
	cube := gap.Mul(gap).Mul(gap)
	for _, v := range []float64{1e-300, 1e-200, 1e-30, 1e-12, 1e-3, 0.4, 1, 2.5, 40, 300} {
		e := eps(t, v)
		want := e.Enclosure().Neg().Expm1().Neg()
		for what, c := range map[string]struct {
			sum  mechanism.ExpSum
			want interval.Interval
		}{
			"1 − z":         {gap, want},
			"(1 − z)³":      {cube, want.Pow(3)},
			"−z²(1 − z)³":   {cube.Shift(big.NewRat(2, 1)).Neg(), want.Pow(3).Mul(e.Enclosure().Mul(interval.Int(-2)).Exp()).Neg()},
			"3 − 3√z + z⁴⁰": {term(3, 0, 1).Add(term(-3, 1, 2)).Add(term(1, 40, 1)), e.Enclosure().Quo(interval.Int(-2)).Expm1().Mul(interval.Int(-3)).Add(e.Enclosure().Mul(interval.Int(-40)).Exp())},
		} {
			got := c.sum.Enclose(e)
			width := got.Upper().Sub(got.Lower())
			size := interval.Max(c.want, c.want.Neg()).Mul(interval.Float(0x1p-60))
			if off := got.Sub(c.want); off.Upper().Less(interval.Int(0)) || interval.Int(0).Less(off.Lower()) || size.Less(width) {
				t.Errorf("ε = %g: %s = %v, want %v", v, what, got, c.want)
			}
			sign, _ := c.want.Sign()
			if s, err := c.sum.Sign(e); err != nil || s != sign {
				t.Errorf("ε = %g: the sign of %s is %d, %v, want %d", v, what, s, err, sign)
			}
			if sign > 0 {
				if log := c.sum.EncloseLog(e).Sub(c.want.Log()); log.Upper().Less(interval.Int(0)) || interval.Int(0).Less(log.Lower()) || interval.Float(1e-15).Less(log.Upper().Sub(log.Lower())) {
					t.Errorf("ε = %g: ln %s is off by %v", v, what, log)
				}
			}
		}
	}
	for what, c := range map[string]struct {
		sum  mechanism.ExpSum
		e    evidence.Epsilon
		want int
	}{
		"nothing":           {mechanism.ExpSum{}, eps(t, 1), 0},
		"a term of 0":       {mechanism.ExpTerm(new(big.Rat), big.NewRat(1, 1)), eps(t, 1), 0},
		"s − s":             {cube.Sub(cube), eps(t, 1), 0},
		"1 − 3√z at 1/9":    {term(1, 0, 1).Sub(term(3, 1, 2)), ln(t, 9, 1), 0},
		"1 − 3√z":           {term(1, 0, 1).Sub(term(3, 1, 2)), eps(t, math.Log(9)), 1}, // which is rounded up
		"2 − 3√z at 1/9":    {term(2, 0, 1).Sub(term(3, 1, 2)), ln(t, 9, 1), 1},
		"√z − 2z at 1/4":    {term(1, 1, 2).Sub(term(2, 1, 1)), ln(t, 4, 1), 0},
		"√z − 2z at 1/3":    {term(1, 1, 2).Sub(term(2, 1, 1)), ln(t, 3, 1), -1},
		"z − √z/2 at 1/4²":  {term(2, 1, 2).Sub(term(1, 1, 4)), ln(t, 16, 1), 0},
		"1 − 2∛z at 8":      {term(1, 0, 1).Sub(term(2, 1, 3)), ln(t, 8, 1), 0},
		"1 − 2∛z at 8 ± 10": {term(1, 0, 1).Sub(mechanism.ExpTerm(big.NewRat(2_000_000_001, 1_000_000_000), big.NewRat(1, 3))), ln(t, 8, 1), -1},
	} {
		if got, err := c.sum.Sign(c.e); err != nil || got != c.want {
			t.Errorf("the sign of %s is %d, %v, want %d", what, got, err, c.want)
		}
		if lo, hi := c.sum.Enclose(c.e).Bounds(); lo > 0 && c.want <= 0 || hi < 0 && c.want >= 0 {
			t.Errorf("%s in [%v, %v], of sign %d", what, lo, hi, c.want)
		}
	}
	if lo, hi := (mechanism.ExpSum{}).EncloseLog(eps(t, 1)).Bounds(); !math.IsInf(lo, -1) || !math.IsInf(hi, 1) {
		t.Errorf("ln 0 in [%v, %v]", lo, hi)
	}
}
