package continuous_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"dpworkbench/continuous"
	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
)

// Invalid ends, radii, decays, columns and other parameters give an error.
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

// Every error wraps the right sentinel and comes without a result.
func TestRefusals(t *testing.T) {
	ctx, one := t.Context(), evidencetest.Epsilon(1)
	points := queryOf(t, "1", "1", "3", "3")
	far := queryOf(t, "1", "1", "70000", "70000")
	line := queryOf(t, "1", "2")
	geometric := must.For(continuous.NewGeometric(far, one))(t)
	plane := must.For(continuous.NewKNormPlane([]continuous.Point{{fractionOf(t, "1"), fractionOf(t, "0")}, {fractionOf(t, "0"), fractionOf(t, "1")}}, one))(t)
	for name, f := range map[string]func() (bool, error){
		"no layer": func() (bool, error) {
			gap, found, err := plane.FindLatticeGap(ctx, 0, 1)
			return gap.Layer == 0 && gap.Norm == nil && !found, err
		},
		"no lattice": func() (bool, error) {
			gap, found, err := plane.FindLatticeGap(ctx, 1, 0)
			return gap.Layer == 0 && gap.Norm == nil && !found, err
		},
		"negative layers": func() (bool, error) {
			v, err := must.For(continuous.NewPurest(ctx, points, one))(t).Layers(ctx, -1)
			return v == nil, err
		},
		"negative geometric layers": func() (bool, error) {
			v, err := must.For(continuous.NewGeometric(points, one))(t).Layers(ctx, -1)
			return v == nil, err
		},
		"many geometric points": func() (bool, error) {
			v, err := geometric.Layers(ctx, 20)
			return v == nil, err
		},
		"negative Laplace layers": func() (bool, error) {
			v, err := must.For(continuous.NewLaplace(points, one))(t).Layers(ctx, -1)
			return v == nil, err
		},
		"losses of many steps": func() (bool, error) {
			f, err := geometric.Pairs(ctx)
			return f == nil, err
		},
		"a large ε on the plane": func() (bool, error) {
			m, err := continuous.NewKNormPlane([]continuous.Point{{fractionOf(t, "1"), fractionOf(t, "0")}, {fractionOf(t, "0"), fractionOf(t, "1")}}, evidencetest.Epsilon(701))
			return m == nil, err
		},
		"a large ε on the line": func() (bool, error) {
			m, err := continuous.NewKNormLine([]*big.Rat{big.NewRat(1, 1)}, evidencetest.Epsilon(701))
			return m == nil, err
		},
		"a radius in a grid": func() (bool, error) {
			v, err := continuous.Grid(ctx, line, []*big.Rat{big.NewRat(1, 1), big.NewRat(-1, 1)}, []evidence.Epsilon{one})
			return v == nil && strings.Contains(err.Error(), "radii[1]: "), err
		},
	} {
		if nothing, err := f(); !errors.Is(err, evidence.ErrParameter) || !nothing {
			t.Errorf("%s: error %v, no result %v", name, err, nothing)
		}
	}
	ended, end := context.WithCancel(ctx)
	end()
	f, err := must.For(continuous.NewPurest(ctx, queryOf(t, "0", "1/10", "3/10", "11/30"), one))(t).Pairs(ended)
	if f != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("pairs after the context has ended: %v, error %v", f, err)
	}
}

// If ε is below the decay by less than enclosures resolve, δ is still positive. For Laplace noise it is 1 − √(1 −
// 10⁻¹⁰⁰/3), and for the other mechanisms at least a fraction of this number.
func TestDeltaJustBelowTheDecay(t *testing.T) {
	q := queryOf(t, "1", "1", "3", "3")
	three := big.NewRat(3, 1)
	little := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(10), big.NewInt(100), nil))
	top := must.For(evidence.LogEpsilon("eps", three))(t)
	below, above := must.For(evidence.LogEpsilon("eps", new(big.Rat).Sub(three, little)))(t), must.For(evidence.LogEpsilon("eps", new(big.Rat).Add(three, little)))(t)
	for _, m := range []continuous.Mechanism{
		must.For(continuous.NewLaplace(q, top))(t), must.For(continuous.NewGeometric(q, top))(t), must.For(continuous.NewStaircase(q, top, big.NewRat(1, 3)))(t), must.For(continuous.NewPurest(t.Context(), q, top))(t),
	} {
		for eps, least := range map[evidence.Epsilon]float64{below: 1e-102, top: 0, above: 0} {
			lo, hi := must.For(m.Privacy().Delta(t.Context(), eps))(t).Bounds()
			if !(hi >= least && lo <= 1e-100 && hi <= 1e-60) || eps == top && hi != 0 {
				t.Errorf("%s: δ from %v to %v, want %v at least", m.Name(), lo, hi, least)
			}
		}
	}
}

// An invalid decay is rejected before the layers are built. An invalid number of draws is rejected before any draw.
func TestBadInputIsRejectedFirst(t *testing.T) {
	over, end := context.WithCancel(context.Background())
	end()
	q := queryOf(t, "0", "1")
	for _, e := range []float64{701, 1e300} {
		for what, err := range map[string]error{
			"purest":  func() error { _, err := continuous.NewPurest(over, q, evidencetest.Epsilon(e)); return err }(),
			"layered": func() error { _, err := continuous.NewLayered(nil, evidencetest.Epsilon(e)); return err }(),
			"geometric": func() error {
				_, err := continuous.NewGeometric(queryOf(t, "1", "1"), evidencetest.Epsilon(e))
				return err
			}(),
			"staircase": func() error {
				_, err := continuous.NewOptimalStaircase(q, evidencetest.Epsilon(e), continuous.CostAbs)
				return err
			}(),
			"given γ": func() error {
				_, err := continuous.NewStaircase(q, evidencetest.Epsilon(e), big.NewRat(1, 2))
				return err
			}(),
			"norm": func() error {
				_, err := continuous.NewKNormLine([]*big.Rat{big.NewRat(1, 1)}, evidencetest.Epsilon(e))
				return err
			}(),
			"plane": func() error {
				_, err := continuous.NewKNormPlane([]continuous.Point{{fractionOf(t, "1"), fractionOf(t, "0")}}, evidencetest.Epsilon(e))
				return err
			}(),
		} {
			if !errors.Is(err, evidence.ErrParameter) {
				t.Errorf("%s at ε = %g: %v", what, e, err)
			}
		}
	}
	if _, err := continuous.NewLaplace(q, evidencetest.Epsilon(700)); err != nil {
		t.Errorf("ε = 700: %v", err)
	}
	drawn := false
	if _, err := continuous.Draw(context.Background(), -1, rand.NewPCG(1, 1), func(int, rand.Source) ([]float64, error) { drawn = true; return nil, nil }); !errors.Is(err, evidence.ErrParameter) || drawn {
		t.Errorf("−1 draws: %v", err)
	}
	broken := errors.New("broken")
	if _, err := continuous.Draw(context.Background(), 3, rand.NewPCG(1, 1), func(int, rand.Source) ([]float64, error) { return nil, broken }); !errors.Is(err, broken) {
		t.Errorf("draws that break: %v", err)
	}
	for what, err := range map[string]error{
		"2³² steps": func() error {
			_, err := continuous.NewGeometric(queryOf(t, "1", "1", "4294967297", "4294967297"), evidencetest.Epsilon(1))
			return err
		}(),
		"swapped ends": func() error {
			_, err := continuous.NewLinear([][2]*big.Rat{{fractionOf(t, "2"), fractionOf(t, "1")}})
			return err
		}(),
		"{0}": func() error {
			_, err := continuous.NewLinear([][2]*big.Rat{{fractionOf(t, "0"), fractionOf(t, "0")}})
			return err
		}(),
		"nothing": func() error { _, err := continuous.NewLinear(nil); return err }(),
		"a huge radius": func() error {
			_, err := continuous.NewSequence(context.Background(), q, fractionOf(t, "1e13"))
			return err
		}(),
		"largest 0": func() error {
			_, err := continuous.BestRadii(context.Background(), q, []evidence.Epsilon{evidencetest.Epsilon(1)}, new(big.Rat), 3)
			return err
		}(),
		"no steps": func() error {
			_, err := continuous.BestRadii(context.Background(), q, []evidence.Epsilon{evidencetest.Epsilon(1)}, fractionOf(t, "1"), 0)
			return err
		}(),
	} {
		if !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
