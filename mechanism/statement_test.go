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
	"dpworkbench/internal/ctxtest"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
)

// The witnesses of the smallest ε and of δ are neighbors that attain them, in rational arithmetic, also with zero
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
				t.Errorf("%v: witness of an infinite loss %+v, %t", rows, w, ok)
			}
		default:
			if largestRatio(q, rows).Cmp(big.NewRat(1, 1)) == 0 {
				none++
			}
			if got := new(big.Rat).Quo(rows[w.X][w.R], rows[w.Y][w.R]); !ok || got.Cmp(largestRatio(q, rows)) != 0 {
				t.Errorf("%v: witness %+v has loss ln %v, want %v", rows, w, got, largestRatio(q, rows))
			}
		}
		if ok && !slices.Contains(q.Space().Neighbors(w.X), int32(w.Y)) {
			t.Errorf("%+v are not neighbors", w)
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
				t.Errorf("%v: witness %+v has δ = %v at ln %v, want %v", rows, w, got, e.w, hockeyStick(q, rows, e.w))
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
		infinite := func(x, y int) *big.Rat { // the infinity mass
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
			t.Errorf("%v at an infinite ε: %+v, %v, want infinity mass %v", rows, w, err, most)
		}
		for name, ask := range map[string]func(context.Context) (mechanism.Witness, bool, error){
			"ε": (&mechanism.EpsilonStatement{Of: m}).Witness, "δ": (&mechanism.DeltaStatement{Of: m, At: ln(t, 3, 2)}).Witness,
		} {
			whole, _, err := ask(ctx)
			if err != nil {
				t.Fatal(err)
			}
			for _, ends := range []func(context.Context, int) *ctxtest.Context{ctxtest.CancelAfter, ctxtest.CancelOnce} {
				for n := range 6 {
					c := ends(ctx, n)
					if w, ok, err := ask(c); (c.LatePolls() > 0 || !ok) && !errors.Is(err, context.Canceled) && w != whole || err != nil && (ok || w != mechanism.Witness{}) {
						t.Errorf("the witness of %s, cancelled at poll %d: %+v, %t, %v", name, n, w, ok, err)
					}
				}
			}
		}
	}
	if infinite < 5 || none < 3 {
		t.Errorf("too few cases: %d with infinite losses, %d with no loss", infinite, none)
	}
}

// With enclosures, the witness has the largest certain loss: the largest lower bound.
func TestWitnessOfEnclosures(t *testing.T) {
	at := func(v float64) interval.Interval { return interval.Float(v) }
	rows := [][]interval.Interval{{interval.Between(.3, .95), interval.Between(.05, .7), at(0)}, {at(.5), at(.5), at(0)}, {at(.75), at(.25), at(0)}}
	m := must.For(mechanism.NewEnclosedTable(mechanism.Info{Name: "wide", Query: pathQuery(t, 3)}, rows, nil, nil))(t)
	// The loss from dataset 1 to 0 is between ln 5/7 and ln 10; from 1 to 2 it is ln 2.
	if w, ok, err := (&mechanism.EpsilonStatement{Of: m}).Witness(t.Context()); err != nil || !ok || w != (mechanism.Witness{X: 1, Y: 2, R: 1}) {
		t.Errorf("the largest certain loss: %+v, %t, %v", w, ok, err)
	}
	// δ between datasets 0 and 1 is between 0 and 0.45; between 1 and 2 it is 1/4.
	if w, ok, err := (&mechanism.DeltaStatement{Of: m}).Witness(t.Context()); err != nil || !ok || w.X+w.Y != 3 || w.X == 0 || w.Y == 0 {
		t.Errorf("the largest certain δ: %+v, %t, %v", w, ok, err)
	}
	// No output of datasets 0 and 1 has a certain loss of ln 3/2, so their certain δ is 0; from 1 to 2 it is at least
	// 0.3.
	even := []interval.Interval{interval.Between(.45, .55), interval.Between(.45, .55), at(0)}
	rows = [][]interval.Interval{even, even, {interval.Between(.9, .95), interval.Between(.05, .1), at(0)}}
	m = must.For(mechanism.NewEnclosedTable(mechanism.Info{Name: "wide", Query: pathQuery(t, 3)}, rows, nil, nil))(t)
	if w, ok, err := (&mechanism.DeltaStatement{Of: m, At: ln(t, 3, 2)}).Witness(t.Context()); err != nil || !ok || w.X != 1 || w.Y != 2 {
		t.Errorf("the largest δ with a pair of δ = 0: %+v, %t, %v", w, ok, err)
	}
}
