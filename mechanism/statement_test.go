package mechanism_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/looks"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

// Witnesses of the smallest ε and of δ are neighbors that attain them, in rational numbers, also with zero
// probabilities.
func TestWitnessAttainsMaximum(t *testing.T) {
	ctx, rng := context.Background(), rand.New(rand.NewPCG(41, 1))
	infinite, none := 0, 0
	for trial := range 60 {
		q := pathQuery(t, 2+rng.IntN(3))
		rows := make([][]*big.Rat, q.Size())
		for x := range rows {
			total, weights := int64(0), make([]int64, q.Size())
			for r := range weights {
				if weights[r] = 1 + rng.Int64N(6); trial%3 == 0 {
					weights[r] = rng.Int64N(4)
				}
				if trial%10 == 1 {
					weights[r] = 1
				}
				total += weights[r]
			}
			if total == 0 {
				weights[0], total = 1, 1
			}
			for _, w := range weights {
				rows[x] = append(rows[x], big.NewRat(w, total))
			}
		}
		m := must.For(mechanism.NewFinite(ctx, q, rows, nil))(t)
		impossible := false
		for x := range rows {
			for _, y := range q.Space().Neighbors(x) {
				for r := range rows[x] {
					impossible = impossible || rows[x][r].Sign() > 0 && rows[y][r].Sign() == 0
				}
			}
		}
		w, ok, err := (&mechanism.EpsilonStatement{Of: m}).Witness(ctx)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case impossible:
			if infinite++; !ok || rows[w.X][w.R].Sign() == 0 || rows[w.Y][w.R].Sign() != 0 {
				t.Errorf("%v: an infinite loss is shown by %+v, %t", rows, w, ok)
			}
		default:
			if largestRatio(q, rows).Cmp(big.NewRat(1, 1)) == 0 {
				none++
			}
			if got := new(big.Rat).Quo(rows[w.X][w.R], rows[w.Y][w.R]); !ok || got.Cmp(largestRatio(q, rows)) != 0 {
				t.Errorf("%v: %+v shows ln %v, want %v", rows, w, got, largestRatio(q, rows))
			}
		}
		if ok && !slices.Contains(q.Space().Neighbors(w.X), int32(w.Y)) {
			t.Errorf("%+v are no neighbors", w)
		}
		for _, e := range []struct {
			at evidence.Epsilon
			w  *big.Rat
		}{{evidence.Epsilon{}, big.NewRat(1, 1)}, {ln(t, 3, 2), big.NewRat(3, 2)}, {ln(t, 9, 1), big.NewRat(9, 1)}} {
			w, ok, err := (&mechanism.DeltaStatement{Of: m, At: e.at}).Witness(ctx)
			if err != nil || !ok || !slices.Contains(q.Space().Neighbors(w.X), int32(w.Y)) {
				t.Fatal(w, ok, err)
			}
			got := new(big.Rat)
			for r, p := range rows[w.X] {
				if gap := new(big.Rat).Sub(p, new(big.Rat).Mul(e.w, rows[w.Y][r])); gap.Sign() > 0 {
					got.Add(got, gap)
				}
			}
			if got.Cmp(hockeyStick(q, rows, e.w)) != 0 {
				t.Errorf("%v: %+v shows δ = %v at ln %v, want %v", rows, w, got, e.w, hockeyStick(q, rows, e.w))
			}
		}
		at0, _, err0 := (&mechanism.DeltaStatement{Of: m}).Witness(ctx)
		at1, _, err1 := (&mechanism.DeltaStatement{Of: m, At: eps(t, .25)}).Witness(ctx)
		s := &mechanism.EpsilonAtStatement{Of: m, Delta: evidencetest.Delta(.1)}
		if w, _, err := s.Witness(ctx, 0); w != at0 || errors.Join(err, err0) != nil {
			t.Errorf("at ε = 0: %+v, %v, want %+v", w, err, at0)
		}
		if w, _, err := s.Witness(ctx, .25); w != at1 || errors.Join(err, err1) != nil {
			t.Errorf("at ε = ¼: %+v, %v, want %+v", w, err, at1)
		}
		infinite := func(x, y int) *big.Rat { // the mass of infinite losses
			sum := new(big.Rat)
			for r, p := range rows[x] {
				if rows[y][r].Sign() == 0 {
					sum.Add(sum, p)
				}
			}
			return sum
		}
		most := new(big.Rat)
		for x := range rows {
			for _, y := range q.Space().Neighbors(x) {
				if mass := infinite(x, int(y)); mass.Cmp(most) > 0 {
					most = mass
				}
			}
		}
		if w, ok, err := s.Witness(ctx, math.Inf(1)); err != nil || !ok || infinite(w.X, w.Y).Cmp(most) != 0 {
			t.Errorf("%v at an infinite ε: %+v, %v, want infinite losses of mass %v", rows, w, err, most)
		}
		for name, ask := range map[string]func(context.Context) (mechanism.Witness, bool, error){
			"ε": (&mechanism.EpsilonStatement{Of: m}).Witness, "δ": (&mechanism.DeltaStatement{Of: m, At: ln(t, 3, 2)}).Witness,
		} {
			whole, _, err := ask(ctx)
			if err != nil {
				t.Fatal(err)
			}
			for _, ends := range []func(context.Context, int) *looks.Ending{looks.After, looks.Blink} {
				for n := range 6 {
					c := ends(ctx, n)
					if w, ok, err := ask(c); (c.Late() > 0 || !ok) && !errors.Is(err, context.Canceled) && w != whole || err != nil && (ok || w != mechanism.Witness{}) {
						t.Errorf("the witness of %s, ended at look %d: %+v, %t, %v", name, n, w, ok, err)
					}
				}
			}
		}
	}
	if infinite < 5 || none < 3 {
		t.Errorf("%d infinite losses, %d without any", infinite, none)
	}
}

// For enclosures the witness has the largest lower end.
func TestWitnessIsCertain(t *testing.T) {
	at := func(v float64) interval.Interval { return interval.Float(v) }
	rows := [][]interval.Interval{{interval.Between(.3, .95), interval.Between(.05, .7), at(0)}, {at(.5), at(.5), at(0)}, {at(.75), at(.25), at(0)}}
	m := must.For(mechanism.NewEnclosedTable(mechanism.Info{Name: "wide", Query: pathQuery(t, 3)}, rows, nil, nil))(t)
	// From the second to the first ln 5/7 to ln 10, from the second to the third ln 2.
	if w, ok, err := (&mechanism.EpsilonStatement{Of: m}).Witness(t.Context()); err != nil || !ok || w != (mechanism.Witness{X: 1, Y: 2, R: 1}) {
		t.Errorf("the largest loss for certain: %+v, %t, %v", w, ok, err)
	}
	// Between the first two they differ by 0 to 0.45, between the last two by 1/4.
	if w, ok, err := (&mechanism.DeltaStatement{Of: m}).Witness(t.Context()); err != nil || !ok || w.X+w.Y != 3 || w.X == 0 || w.Y == 0 {
		t.Errorf("the largest δ for certain: %+v, %t, %v", w, ok, err)
	}
	// Between the first two no value loses ln 3/2: their δ is 0, and from the second to the third 0.3 at least.
	even := []interval.Interval{interval.Between(.45, .55), interval.Between(.45, .55), at(0)}
	rows = [][]interval.Interval{even, even, {interval.Between(.9, .95), interval.Between(.05, .1), at(0)}}
	m = must.For(mechanism.NewEnclosedTable(mechanism.Info{Name: "wide", Query: pathQuery(t, 3)}, rows, nil, nil))(t)
	if w, ok, err := (&mechanism.DeltaStatement{Of: m, At: ln(t, 3, 2)}).Witness(t.Context()); err != nil || !ok || w.X != 1 || w.Y != 2 {
		t.Errorf("the largest δ beside one of 0: %+v, %t, %v", w, ok, err)
	}
}

// Witnesses attain the maximum for any float64 logarithms within the stated error, among thousands of ties and
// differences in the 400th bit.
func TestWitnessWithInaccurateLogarithms(t *testing.T) {
	ctx, rng := context.Background(), rand.New(rand.NewPCG(28, 12))
	check := func(m mechanism.Mechanism, rows [][]*big.Rat, profile bool) {
		t.Helper()
		q := m.Query()
		w, ok, err := (&mechanism.EpsilonStatement{Of: m}).Witness(ctx)
		if err != nil || !ok || new(big.Rat).Quo(rows[w.X][w.R], rows[w.Y][w.R]).Cmp(largestRatio(q, rows)) != 0 {
			t.Errorf("%+v, %t, %v shows another loss than the largest", w, ok, err)
		}
		if !profile {
			return
		}
		for _, v := range []struct {
			at evidence.Epsilon
			w  *big.Rat
		}{{evidence.Epsilon{}, big.NewRat(1, 1)}, {ln(t, 3, 2), big.NewRat(3, 2)}} {
			w, ok, err := (&mechanism.DeltaStatement{Of: m, At: v.at}).Witness(ctx)
			if err != nil || !ok {
				t.Fatal(w, ok, err)
			}
			got := new(big.Rat)
			for r, p := range rows[w.X] {
				if gap := new(big.Rat).Sub(p, new(big.Rat).Mul(v.w, rows[w.Y][r])); gap.Sign() > 0 {
					got.Add(got, gap)
				}
			}
			if want := hockeyStick(q, rows, v.w); got.Cmp(want) != 0 {
				t.Errorf("%+v shows δ = %v, the largest is %v", w, got, want)
			}
		}
	}
	for trial := range 16 {
		n := []int{4, 9, 16, 64}[trial%4]
		rows := make([][]*big.Rat, n)
		for x := range rows {
			w, sum := make([]int64, n), int64(0)
			for v := range w {
				w[v] = 1000 + rng.Int64N(80)
				if x >= n-5 { // where the largest losses are, near each other and behind all others
					w[v] += 1000 * int64((x+v)%2)
				}
				sum += w[v]
			}
			for _, v := range w {
				rows[x] = append(rows[x], big.NewRat(v, sum))
			}
		}
		m := must.For(mechanism.NewFinite(ctx, pathQuery(t, n), rows, evidence.Claimed{}))(t)
		check(rough{m, 0.02, rng.Uint64()}, rows, n < 10)
	}
	tiny := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 400))
	law := func(p *big.Rat) []*big.Rat { return []*big.Rat{p, new(big.Rat).Sub(big.NewRat(1, 1), p)} }
	two := must.For(query.NewNumeric("two values", pathQuery(t, 3).Space(), []float64{0, 1, 0}, nil))(t)
	for _, sign := range []int64{-1, 1} {
		more := new(big.Rat).Add(big.NewRat(1, 2), new(big.Rat).Mul(tiny, big.NewRat(sign, 1)))
		rows := [][]*big.Rat{law(big.NewRat(1, 2)), law(big.NewRat(1, 8)), law(more)}
		check(must.For(mechanism.NewFinite(ctx, two, rows, nil))(t), rows, false)
		rows = [][]*big.Rat{law(big.NewRat(1, 2)), law(big.NewRat(1, 4)), law(more)}
		w, _, err := (&mechanism.DeltaStatement{Of: must.For(mechanism.NewFinite(ctx, two, rows, nil))(t)}).Witness(ctx)
		if largest := int(1 + sign); err != nil || w.X != largest && w.Y != largest {
			t.Errorf("the largest δ by 2⁻⁴⁰⁰: %+v, %v", w, err)
		}
	}
}

// Numbers carry their statement, about the mechanism or a rebuilt one.
func TestNumbersCarryStatements(t *testing.T) {
	ctx, q := t.Context(), pathQuery(t, 3)
	third := big.NewRat(1, 3)
	row := []*big.Rat{third, third, third}
	for _, c := range []struct {
		m      mechanism.Mechanism
		remade bool
	}{
		{build(t, "ladder", q, eps(t, .7)), true}, {build(t, "laplace", q, ln(t, 2, 1)), true},
		{must.For(mechanism.NewFinite(ctx, q, [][]*big.Rat{row, row, row}, nil))(t), false},
		{mechanism.NewLayered("layers", must.For(mechanism.NewLayerTable(ctx, q, []int32{0, 1, 2, 1, 0, 1, 2, 1, 0}))(t), eps(t, 1), evidence.Claimed{}), false},
	} {
		name := c.m.Name()
		for want, n := range map[string]evidence.Number{
			"the smallest ε of " + name:                            must.For(mechanism.Privacy(c.m).Epsilon(ctx, evidence.Delta{}))(t),
			"δ at ε = 0.5 of " + name:                              must.For(mechanism.Privacy(c.m).Delta(ctx, eps(t, .5)))(t),
			"ε at δ = 0.001 of " + name:                            must.For(mechanism.Privacy(c.m).Epsilon(ctx, evidencetest.Delta(1e-3)))(t),
			"the expected distortion of " + name:                   must.For(mechanism.ExpectedDistortion(ctx, c.m, nil))(t),
			"the expected distortion of " + name + " at dataset 2": mechanism.Distortion(c.m, 2),
		} {
			s := n.Citation().Statement
			if s == nil || s.Says() != want {
				t.Fatalf("%v says %v, want %q", n, s, want)
			}
			again, remade := s.(*mechanism.RebuiltStatement)
			if remade != c.remade {
				t.Errorf("%s: made again %t, want %t", want, remade, c.remade)
			} else if remade {
				if s = must.For(again.Statement(ctx))(t); s.Says() != want {
					t.Errorf("%s, made again, says %s", want, s.Says())
				}
			}
			switch s := s.(type) {
			case *mechanism.EpsilonStatement:
				if got := must.For(mechanism.Privacy(s.Of).Epsilon(ctx, evidence.Delta{}))(t); got.Float() != n.Float() || s.Of.Name() != name {
					t.Errorf("%s is %v, and %v of what it states", want, n, got)
				}
			case *mechanism.DistortionStatement:
				if got := mechanism.Distortion(s.Of, s.Dataset); s.Prior == nil && got.Float() != n.Float() {
					t.Errorf("%s is %v, and %v of what it states", want, n, got)
				}
			}
		}
	}
}
