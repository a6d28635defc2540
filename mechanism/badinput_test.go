package mechanism_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

// Tables, levels, columns and parameters that fit nothing are errors.
func TestBadInput(t *testing.T) {
	ctx := context.Background()
	q, one := randomQuery(t, rand.New(rand.NewPCG(15, 16)), 1), eps(t, 1)
	n, size := q.Size(), len(q.Range())
	lq, err := query.NewLinear([][2]*big.Rat{{big.NewRat(1, 1), big.NewRat(2, 1)}})
	if err != nil {
		t.Fatal(err)
	}
	half := big.NewRat(1, 2)
	levels := make([]int32, n*size)
	rationals := make([][]*big.Rat, n)
	for x := range rationals {
		rationals[x] = make([]*big.Rat, size)
	}
	heading := mechanism.Heading{Name: "table", Query: q}
	for name, f := range map[string]func() error{
		"finite":        func() error { _, err := mechanism.NewFinite(ctx, q, rationals, nil); return err },
		"no rows":       func() error { _, err := mechanism.NewFinite(ctx, q, nil, nil); return err },
		"rational":      func() error { _, err := mechanism.NewRationalTable(heading, rationals, nil); return err },
		"enclosed":      func() error { _, err := mechanism.NewEnclosedTable(heading, nil, nil, nil); return err },
		"class":         func() error { _, err := mechanism.NewEnclosedTable(heading, nil, nil, make([]int32, n)); return err },
		"short levels":  func() error { _, err := mechanism.NewLevels(ctx, q, levels[1:]); return err },
		"deep levels":   func() error { levels[0] = math.MaxInt32; _, err := mechanism.NewLevels(ctx, q, levels); return err },
		"low levels":    func() error { levels[0] = -2; _, err := mechanism.NewLevels(ctx, q, levels); return err },
		"rho":           func() error { _, err := mechanism.NewInverseSensitivity(ctx, q, one, big.NewRat(-1, 1)); return err },
		"no eps":        func() error { _, err := mechanism.NewLadder(ctx, q, evidence.Epsilon{}); return err },
		"large eps":     func() error { _, err := mechanism.NewLaplaceLine(lq, eps(t, 701)); return err },
		"no lattice":    func() error { _, err := mechanism.NewGeometricLine(lq, one); return err },
		"gamma":         func() error { _, err := mechanism.NewStaircase(lq, one, big.NewRat(1, 1)); return err },
		"cost":          func() error { _, err := mechanism.NewOptimalStaircase(lq, one, "cube"); return err },
		"entry":         func() error { _, err := mechanism.NewKNormLine([]*big.Rat{half, nil}, one); return err },
		"no entries":    func() error { _, err := mechanism.NewKNormLine(nil, one); return err },
		"coordinate":    func() error { _, err := mechanism.NewKNormPlane([]mechanism.Point{{half, nil}}, one); return err },
		"no columns":    func() error { _, err := mechanism.NewKNormPlane(nil, one); return err },
		"prior of none": func() error { _, err := mechanism.PriorWeights(0, nil); return err },
		"prior":         func() error { _, err := mechanism.PriorWeights(2, []*big.Rat{half, nil}); return err },
	} {
		if err := f(); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%s: %v, want ErrParameter", name, err)
		}
	}
	m := build(t, "ladder", q, one)
	for _, delta := range []float64{-1, 1, 2, math.NaN(), math.Inf(1)} {
		if _, err := mechanism.Privacy(m).Epsilon(ctx, delta); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("ε at δ = %g: %v, want ErrParameter", delta, err)
		}
	}
}
