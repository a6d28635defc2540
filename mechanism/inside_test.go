package mechanism

import (
	"context"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/interval"
	"dpworkbench/query"
)

// A rung is counted up to the last layer there may be, and the next one stands for all beyond.
func TestRungsUpToTheLastLayer(t *testing.T) {
	values := []*big.Rat{new(big.Rat), big.NewRat(1, 3), big.NewRat(1, 1)}
	for _, c := range []struct {
		growth []query.SensitivityStep
		d      *big.Rat
		want   int32
	}{
		{[]query.SensitivityStep{{From: 0, Value: 2}}, big.NewRat(query.MaxLayer, 1), query.MaxLayer}, {[]query.SensitivityStep{{From: 0, Value: 2}}, big.NewRat(query.MaxLayer+1, 1), query.MaxLayer + 1},
		{[]query.SensitivityStep{{From: 5, Value: 1}}, big.NewRat(query.MaxLayer-5, 3), query.MaxLayer}, {[]query.SensitivityStep{{From: 5, Value: 1}}, big.NewRat(query.MaxLayer-4, 3), query.MaxLayer + 1},
		{[]query.SensitivityStep{{From: 0, Value: 2}}, big.NewRat(1<<31+7, 1), query.MaxLayer + 1}, {[]query.SensitivityStep{{From: 0, Value: 2}}, big.NewRat(1<<32+7, 1), query.MaxLayer + 1}, {[]query.SensitivityStep{{From: 0, Value: 2}}, new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), 80)), query.MaxLayer + 1},
		{[]query.SensitivityStep{{From: 0, Value: 2}}, big.NewRat(7, 2), 4}, {[]query.SensitivityStep{{From: 0, Value: 1}, {From: 2, Value: 2}}, big.NewRat(2, 3), 2}, {[]query.SensitivityStep{{From: 0, Value: 1}, {From: 2, Value: 2}}, big.NewRat(3, 4), 3},
		{[]query.SensitivityStep{{From: 0, Value: 0}}, big.NewRat(1, 2), query.Unreached}, {[]query.SensitivityStep{{From: 0, Value: 0}, {From: 9, Value: 2}}, big.NewRat(1, 2), 10}, {[]query.SensitivityStep{{From: 0, Value: 0}}, new(big.Rat), 0},
	} {
		if got := rationalRung(c.growth, values, c.d); got != c.want {
			t.Errorf("%v: distance %v is on rung %d, want %d", c.growth, c.d, got, c.want)
		}
	}
}

// The loss of a value of a rational table is the logarithm of the two probabilities' quotient,
// to 250 bits of itself however near to 0.
func TestLossesOfRationalTables(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	space, err := query.NewPathSpace(3, [][2]int{{0, 1}, {1, 2}})
	if err != nil {
		t.Fatal(err)
	}
	q, err := query.NewNumeric("f", space, []float64{0, 1, 2}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		rows := make([][]*big.Rat, 3)
		for x := range rows {
			a, b := 1+rng.Int64N(1<<40), 1+rng.Int64N(1<<40)
			rows[x] = []*big.Rat{big.NewRat(a, 3<<40), big.NewRat(b, 3<<40), big.NewRat(3<<40-a-b, 3<<40)}
		}
		m, err := NewFinite(context.Background(), q, rows, nil)
		if err != nil {
			t.Fatal(err)
		}
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

// Each ordered pair of classes that neighbors have is visited once, however many neighbors have it.
func TestClassPairsAreVisitedOnce(t *testing.T) {
	space, err := query.NewPathSpace(6, [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}})
	if err != nil {
		t.Fatal(err)
	}
	q, err := query.NewNumeric("f", space, []float64{0, 1, 0, 1, 1, 2}, nil)
	if err != nil {
		t.Fatal(err)
	}
	eps, err := evidence.NewEpsilon("eps", 1)
	if err != nil {
		t.Fatal(err)
	}
	m, err := NewGeometric(context.Background(), q, eps) // a class for each of three values
	if err != nil {
		t.Fatal(err)
	}
	visits := map[[2]int]int{}
	if err := classPairs(context.Background(), m, func(x, y int) error { visits[[2]int{m.Class(x), m.Class(y)}]++; return nil }); err != nil {
		t.Fatal(err)
	}
	for pair, n := range visits {
		if n != 1 || pair[0] == pair[1] {
			t.Errorf("classes %v are visited %d times", pair, n)
		}
	}
	if len(visits) != 4 {
		t.Errorf("%d pairs of classes, want 4", len(visits))
	}
}
