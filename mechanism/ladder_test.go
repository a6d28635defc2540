package mechanism_test

import (
	"errors"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

// The Ladder mechanism has rungs up to MaxLayer and rejects farther values.
func TestLadderUpToMaxLayer(t *testing.T) {
	for _, over := range []float64{0, 1} { // with neighbors at distance 1, distance d is on rung d
		q := must.For(query.NewNumeric("far", pathQuery(t, 2).Space(), []float64{0, 1}, []float64{0, 1, query.MaxLayer + over}))(t)
		m, err := mechanism.NewLadder(t.Context(), q, eps(t, 1))
		if over > 0 {
			if !errors.Is(err, evidence.ErrParameter) {
				t.Errorf("%d rungs, want an error: %v", query.MaxLayer+1, err)
			}
			continue
		}
		if err != nil || m.Layer(0, 2) != query.MaxLayer || m.Layer(1, 2) != query.MaxLayer-1 {
			t.Errorf("%d rungs: %v", query.MaxLayer, err)
		}
	}
}

// Rungs at rational distances match their definition.
func TestLadderOfRationalDistances(t *testing.T) {
	rng := rand.New(rand.NewPCG(79, 1))
	high := 0
	for range 30 {
		n := 4 + rng.IntN(4)
		q, points := fractionQuery(t, rng, n)
		apart := func(x, y int) *big.Rat { d := new(big.Rat).Sub(points[x], points[y]); return d.Abs(d) }
		local := make([]*big.Rat, n)
		for x := range n {
			local[x] = new(big.Rat)
			for y := range n {
				if d := apart(x, y); q.Space().Distance(x, y) == 1 && d.Cmp(local[x]) > 0 {
					local[x] = d
				}
			}
		}
		m := must.For(mechanism.NewLadder(t.Context(), q, eps(t, 1)))(t)
		for x := range n {
			for y := range n {
				want, sum := 0, new(big.Rat)
				for ; sum.Cmp(apart(x, y)) < 0; want++ {
					step := new(big.Rat)
					for z := range n {
						if q.Space().Distance(x, z) <= float64(want) && local[z].Cmp(step) > 0 {
							step = local[z]
						}
					}
					sum.Add(sum, step)
				}
				if got := m.Layer(x, q.ValueIndex(y)); got != want {
					t.Errorf("values %v: from dataset %d the value of %d is on rung %d, want %d", points, x, y, got, want)
				}
				high = max(high, want)
			}
		}
	}
	if high < 4 {
		t.Errorf("no rung is above %d", high)
	}
}
