package mechanism_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"slices"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/mechanism"
)

// Ratios of distortions are narrow in units of a large decay: two values, one of them
// twice as far, differ by ln 2.
func TestLogRatioInUnits(t *testing.T) {
	ctx := context.Background()
	q := pathQuery(t, 3)
	levels := func(table ...int32) *mechanism.LayerTable {
		l, err := mechanism.NewLayerTable(ctx, q, table)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	near, far := levels(0, 1, 9, 1, 0, 1, 9, 1, 0), levels(0, 9, 1, 1, 0, 1, 1, 9, 0)
	for _, u := range []float64{50, 1e9, 1e150, 1e308} {
		a := mechanism.NewLayered("near", near, eps(t, u), evidence.Claimed{Value: 1})
		b := mechanism.NewLayered("far", far, eps(t, u), evidence.Claimed{Value: 1})
		for i, c := range []struct {
			a, b mechanism.Mechanism
			want float64
		}{{a, b, -math.Ln2}, {b, a, math.Ln2}, {a, a, 0}} {
			if lo, hi := mechanism.LogRatio(c.a, c.b, 0).Bounds(); !(lo <= c.want+1e-15 && hi >= c.want-1e-15 && hi-lo < 1e-12) {
				t.Errorf("unit %g, case %d: ln of the ratio in [%v, %v], want %v", u, i, lo, hi, c.want)
			}
		}
		doubled := mechanism.NewLayered("doubled", near, eps(t, u).Times(2), evidence.Claimed{Value: 1})
		if lo, hi := mechanism.LogRatio(doubled, a, 0).Bounds(); !(lo <= -u*(1-1e-15) && hi >= -u*(1+1e-15) && hi-lo <= 1e-12*u) {
			t.Errorf("unit %g: twice the decay changes ln P by [%v, %v]", u, lo, hi)
		}
		// Noise of scale 1/2u moves 1 by (e^−u + e^−3u)/2 in the mean.
		noise := build(t, "laplace", q, eps(t, u).Times(2))
		if lo, hi := mechanism.LogRatio(noise, a, 0).Bounds(); !(lo <= -math.Ln2+1e-15 && hi >= -math.Ln2-1e-15 && hi-lo < 1e-12) {
			t.Errorf("unit %g: ln of the distortion by noise in [%v, %v] beside that by levels, want −ln 2", u, lo, hi)
		}
		// e^−u is no float64, and a distortion above 0 is never taken for one.
		if u > 1000 {
			for _, c := range []struct {
				a, b mechanism.Mechanism
				want float64
			}{{doubled, a, math.SmallestNonzeroFloat64}, {a, doubled, math.Inf(1)}, {a, a, 1}} {
				if got, err := mechanism.Compare(ctx, c.a, c.b); err != nil || !slices.Equal(got.Ratios, []float64{c.want, c.want, c.want}) {
					t.Errorf("unit %g: %s in units of %s is %v, %v, want %v", u, c.a.Name(), c.b.Name(), got.Ratios, err, c.want)
				}
			}
		}
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
