package mechanism_test

import (
	"context"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
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
	levels, err := mechanism.NewLevels(ctx, q, []int32{0, 0, 1, 2, 2, 3, 0, 1, 1}) // the first two are one law
	if err != nil {
		t.Fatal(err)
	}
	type outcome = mechanism.Outcome
	for _, e := range []evidence.Epsilon{eps(t, 0.3), eps(t, 1e-200), eps(t, 1e150), ln(t, 3, 1), ln(t, 5, 2).Ratio(1, 3)} {
		m := mechanism.NewLeveled("levels", levels, e, evidence.Claimed{Value: 1})
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
			if got, err := mechanism.Order(m, c.p, c.q, c.i, e); err != nil || got != c.want {
				t.Errorf("unit %v: %v against %v, %d steps down: %d, %v, want %d", e, c.p, c.q, c.i, got, err, c.want)
			}
		}
		for _, name := range []string{"laplace", "geometric"} {
			m := build(t, name, q, e)
			// The far end falls by e^{−ε} a step, from wherever it is seen.
			if got, err := mechanism.Order(m, outcome{X: 0, R: 2}, outcome{X: 1, R: 2}, 1, e); err != nil || got != 0 {
				t.Errorf("%s at %v: %d, %v, want equal", name, e, got, err)
			}
			if d, err := mechanism.Privacy(m).Delta(ctx, e); err != nil || d.Float() != 0 {
				t.Errorf("%s at %v: δ(ε) = %v, %v, want 0", name, e, d, err)
			}
		}
	}
}
