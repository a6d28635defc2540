package query_test

import (
	"errors"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/query"
)

// Losses without a common unit are rounded to float64 multiples of a power of two. Rational keeps them exact.
func TestWithLossRounds(t *testing.T) {
	space := must.For(query.NewPathSpace(2, [][2]int{{0, 1}}))(t)
	q := must.For(query.New("q", space, []query.Value{query.Name("a"), query.Name("b")}, nil, query.ValueMetric{Discrete: true}))(t)
	for _, largest := range []*big.Rat{big.NewRat(22, 7), big.NewRat(1, 3), big.NewRat(1<<40, 3)} {
		tiny := new(big.Rat).SetFrac64(1, 1<<62+3)
		loss := [][]*big.Rat{{new(big.Rat), largest}, {tiny, new(big.Rat).Quo(largest, big.NewRat(1<<61+1, 1))}}
		m := must.For(q.WithLoss("loss", loss))(t).Metric()
		unit := m.Unit()
		if unit.Cmp(largest) > 0 || new(big.Rat).Add(unit, unit).Cmp(largest) <= 0 || unit.Num().BitLen() != 1 && unit.Denom().BitLen() != 1 {
			t.Errorf("largest %v: unit %v", largest, unit)
		}
		for i, row := range loss {
			for j, v := range row {
				if want, _ := new(big.Rat).Quo(v, unit).Float64(); m.Steps(i, j) != want || m.Rational(i, j).Cmp(v) != 0 {
					t.Errorf("loss[%d][%d] = %v is %v steps of %v, want %v", i, j, v, m.Steps(i, j), unit, want)
				}
			}
		}
	}
}

func TestWithLoss(t *testing.T) {
	a, _ := twoCounts(t)
	size := len(a.Range())
	loss := make([][]*big.Rat, size)
	for i := range loss {
		loss[i] = make([]*big.Rat, size)
		for j := range loss[i] {
			loss[i][j] = must.For(query.SquaredError(a, i, j))(t)
		}
	}
	loss[0][1] = big.NewRat(7, 3) // a loss need not be symmetric
	q := must.For(a.WithLoss("lossy", loss))(t)
	for i := range loss {
		for j := range loss {
			if q.Metric().Rational(i, j).Cmp(loss[i][j]) != 0 {
				t.Fatalf("loss[%d][%d] is %v", i, j, q.Metric().Rational(i, j))
			}
		}
	}
	if q.CheckMetric("x") == nil || a.CheckMetric("x") != nil {
		t.Error("CheckMetric accepts a loss, or rejects a metric")
	}
	loss[1][1] = big.NewRat(-1, 1)
	if _, err := a.WithLoss("negative", loss); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("a negative loss: %v", err)
	}
	if _, err := a.WithLoss("short", loss[1:]); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("a matrix too short: %v", err)
	}
}
