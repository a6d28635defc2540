package continuous_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"testing"

	"dpworkbench/continuous"
	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
)

// Invalid ends, radii, decays, columns and parameters are errors.
func TestBadInput(t *testing.T) {
	ctx, one, half := context.Background(), evidencetest.Epsilon(1), big.NewRat(1, 2)
	unit, wide := queryOf(t, "0", "1"), queryOf(t, "1", "2")
	for name, f := range map[string]func() error{
		"end":       func() error { _, err := continuous.NewLinear([][2]*big.Rat{{half, nil}}); return err },
		"no radius": func() error { _, err := continuous.NewDeltaNeighborhood(ctx, unit, one, nil); return err },
		"below 0":   func() error { _, err := continuous.NewSequence(ctx, unit, big.NewRat(-1, 2)); return err },
		"grid": func() error {
			_, err := continuous.Grid(ctx, unit, []*big.Rat{nil}, []evidence.Epsilon{one})
			return err
		},
		"grid's decay": func() error {
			_, err := continuous.Grid(ctx, unit, []*big.Rat{new(big.Rat)}, []evidence.Epsilon{{}})
			return err
		},
		"largest": func() error { _, err := continuous.BestRadii(ctx, unit, []evidence.Epsilon{one}, nil, 3); return err },
		"steps": func() error {
			_, err := continuous.BestRadii(ctx, unit, []evidence.Epsilon{one}, big.NewRat(1, 1), math.MaxInt)
			return err
		},
		"large eps":        func() error { _, err := continuous.NewLaplace(wide, evidencetest.Epsilon(701)); return err },
		"no lattice":       func() error { _, err := continuous.NewGeometric(wide, one); return err },
		"gamma":            func() error { _, err := continuous.NewStaircase(wide, one, big.NewRat(1, 1)); return err },
		"cost":             func() error { _, err := continuous.NewOptimalStaircase(wide, one, "cube"); return err },
		"entry":            func() error { _, err := continuous.NewKNormLine([]*big.Rat{half, nil}, one); return err },
		"no entries":       func() error { _, err := continuous.NewKNormLine(nil, one); return err },
		"coordinate":       func() error { _, err := continuous.NewKNormPlane([]continuous.Point{{half, nil}}, one); return err },
		"first coordinate": func() error { _, err := continuous.NewKNormPlane([]continuous.Point{{nil, half}}, one); return err },
		"no columns":       func() error { _, err := continuous.NewKNormPlane(nil, one); return err },
	} {
		if err := f(); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%s: %v, want ErrParameter", name, err)
		}
	}
	l := must.For(continuous.NewSequence(ctx, unit, new(big.Rat)))(t)
	if w := l.Weight(-1); w.Sign() != 0 {
		t.Errorf("layer −1 weighs %v, want 0", w)
	}
	for _, v := range []evidence.Number{l.Distortion(evidence.Epsilon{}), l.Normalizer(evidence.Epsilon{})} {
		if lo, _ := v.Bounds(); !math.IsInf(lo, 1) {
			t.Errorf("%v at decay 0, want inf", v)
		}
	}
}
