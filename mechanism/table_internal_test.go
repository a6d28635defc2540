package mechanism

import (
	"context"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/query"
)

// The loss of a rational table has a relative accuracy of 250 bits, however near to 0.
func TestLossOfRationalTables(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	space := must.For(query.NewPathSpace(3, [][2]int{{0, 1}, {1, 2}}))(t)
	q := must.For(query.NewNumeric("f", space, []float64{0, 1, 2}, nil))(t)
	for range 20 {
		rows := make([][]*big.Rat, 3)
		for x := range rows {
			a, b := 1+rng.Int64N(1<<40), 1+rng.Int64N(1<<40)
			rows[x] = []*big.Rat{big.NewRat(a, 3<<40), big.NewRat(b, 3<<40), big.NewRat(3<<40-a-b, 3<<40)}
		}
		m := must.For(NewFinite(context.Background(), q, rows, nil))(t)
		for x := range rows {
			for y := range rows {
				for r := range rows[x] {
					got := m.loss(x, y, r)
					want := interval.Rat(new(big.Rat).Quo(rows[x][r], rows[y][r])).Log()
					if got.Less(want) || want.Less(got) {
						t.Errorf("ln %v/%v is %v, want %v", rows[x][r], rows[y][r], got, want)
					}
				}
			}
		}
	}
}
