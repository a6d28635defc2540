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
)

// Tables, levels, columns and parameters that fit nothing are errors.
func TestBadInput(t *testing.T) {
	ctx := context.Background()
	q, one := randomQuery(t, rand.New(rand.NewPCG(15, 16)), 1), eps(t, 1)
	n, size := q.Size(), len(q.Range())
	half := big.NewRat(1, 2)
	levels := make([]int32, n*size)
	rationals := make([][]*big.Rat, n)
	for x := range rationals {
		rationals[x] = make([]*big.Rat, size)
	}
	heading := mechanism.Info{Name: "table", Query: q}
	for name, f := range map[string]func() error{
		"finite":        func() error { _, err := mechanism.NewFinite(ctx, q, rationals, nil); return err },
		"no rows":       func() error { _, err := mechanism.NewFinite(ctx, q, nil, nil); return err },
		"rational":      func() error { _, err := mechanism.NewRationalTable(heading, rationals, nil); return err },
		"enclosed":      func() error { _, err := mechanism.NewEnclosedTable(heading, nil, nil, nil); return err },
		"class":         func() error { _, err := mechanism.NewEnclosedTable(heading, nil, nil, make([]int32, n)); return err },
		"short levels":  func() error { _, err := mechanism.NewLayerTable(ctx, q, levels[1:]); return err },
		"deep levels":   func() error { levels[0] = math.MaxInt32; _, err := mechanism.NewLayerTable(ctx, q, levels); return err },
		"low levels":    func() error { levels[0] = -2; _, err := mechanism.NewLayerTable(ctx, q, levels); return err },
		"rho":           func() error { _, err := mechanism.NewInverseSensitivity(ctx, q, one, big.NewRat(-1, 1)); return err },
		"no eps":        func() error { _, err := mechanism.NewLadder(ctx, q, evidence.Epsilon{}); return err },
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
