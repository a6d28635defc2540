package mechanism_test

import (
	"context"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

// hockeyStick returns δ at w = e^ε by definition.
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

// largestRatio returns e^ε at the smallest ε by definition.
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

// For rational laws, δ(ε) is rational if e^ε is rational, and δ is 0 from the smallest ε on.
func TestDeltaOfRationalLaws(t *testing.T) {
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
		m := must.For(mechanism.NewFinite(ctx, q, c.rows, nil))(t)
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
		m := must.For(mechanism.NewFinite(ctx, q, rows, nil))(t)
		smallest := largestRatio(q, rows)
		ratios := []*big.Rat{big.NewRat(1, 1), smallest, big.NewRat(2+rng.Int64N(9), 2)}
		for i, w := range ratios {
			at, want := evidence.Epsilon{}, hockeyStick(q, rows, w)
			if w.Cmp(big.NewRat(1, 1)) > 0 {
				at = must.For(evidence.LogEpsilon("eps", w))(t)
			}
			d, err := mechanism.Privacy(m).Delta(ctx, at)
			if e, ok := d.(evidence.Exact); err != nil || !ok || e.Value.Cmp(want) != 0 || i == 1 && want.Sign() != 0 {
				t.Errorf("%v: δ(ln %v) = %v, %v, want %v", rows, w, d, err, want)
			}
		}
	}
}

// With a million values, δ is computed in float64 with an error bound. One dataset outputs even values three times as
// often as odd values, and its neighbor does the reverse.
func TestDeltaOfMillionValues(t *testing.T) {
	ctx := context.Background()
	const n = 1<<20 + 2
	space := pathQuery(t, 2).Space()
	values := make([]query.Value, n)
	for r := range values {
		values[r] = query.Number(r)
	}
	q := must.For(query.New("f", space, values[:2], values, query.ValueMetric{Discrete: true}))(t)
	often, seldom := interval.Int(3).Quo(interval.Int(2*n)), interval.Int(1).Quo(interval.Int(2*n))
	rows := [][]interval.Interval{make([]interval.Interval, n), make([]interval.Interval, n)}
	for r := range n {
		rows[r%2][r], rows[1-r%2][r] = often, seldom
	}
	m := must.For(mechanism.NewEnclosedTable(mechanism.Info{Name: "even and odd", Query: q}, rows, nil, nil))(t)
	d := must.For(mechanism.Privacy(m).Delta(ctx, ln(t, 2, 1)))(t)
	if lo, hi := d.Bounds(); lo > 0.25 || hi < 0.25 || hi-lo > 1e-7 || d.Float() != hi {
		t.Errorf("δ(ln 2) = %v in [%v, %v], want 1/4", d.Float(), lo, hi)
	}
}
