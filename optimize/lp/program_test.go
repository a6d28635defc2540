package lp_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"dpworkbench/interval"
	"dpworkbench/optimize/lp"
)

func TestBadPrograms(t *testing.T) {
	good := func() *lp.Program {
		p, _ := lp.Line(2).Program(lp.Exp(1))
		return p
	}
	if _, err := lp.Solve(context.Background(), good(), lp.Options{}); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(p *lp.Program){
		"no rows":              func(p *lp.Program) { p.Rows = 0 },
		"row without variable": func(p *lp.Program) { p.Rows, p.Weight = 4, append(p.Weight, 1) }, // infeasible
		"row out of range":     func(p *lp.Program) { p.Row[0] = 3 },
		"short losses":         func(p *lp.Program) { p.Loss = p.Loss[1:] },
		"short weights":        func(p *lp.Program) { p.Weight = p.Weight[1:] },
		"negative weight":      func(p *lp.Program) { p.Weight[0] = -1 }, // would reward distortion
		"NaN weight":           func(p *lp.Program) { p.Weight[0] = math.NaN() },
		"infinite loss":        func(p *lp.Program) { p.Loss[3] = math.Inf(-1) }, // unbounded
		"level alone":          func(p *lp.Program) { p.Level = true },           // unbounded
		"short bounds":         func(p *lp.Program) { p.Bound = []interval.Interval{interval.Int(1)} },
		"loop":                 func(p *lp.Program) { p.Pairs[0] = [2]int32{1, 1} },
		"pair out of range":    func(p *lp.Program) { p.Pairs[0] = [2]int32{1, 99} },
		"uneven rows":          func(p *lp.Program) { p.Row[8] = 0 },
	} {
		p := good()
		spoil(p)
		if x, err := lp.Solve(context.Background(), p, lp.Options{}); !errors.Is(err, lp.ErrProgram) || x != nil {
			t.Errorf("%s: %v, %v, want ErrProgram", name, x, err)
		}
	}
	for _, w := range []interval.Interval{interval.Int(1), interval.Float(0.5), interval.Float(1 + 1e-12), interval.Float(1e70)} {
		p := good()
		p.Ratio = w
		if x, err := lp.Solve(context.Background(), p, lp.Options{}); !errors.Is(err, lp.ErrPrecision) || x != nil {
			t.Errorf("w = %v: %v, %v, want ErrPrecision", w, x, err)
		}
	}
	// A width that the arithmetic cannot reach is an error, returned with the answer.
	x, err := lp.Solve(context.Background(), good(), lp.Options{Width: 1e-17})
	if !errors.Is(err, lp.ErrPrecision) || x == nil || !(x.Hi-x.Lo < 1e-13*x.Hi) {
		t.Errorf("width 1e-17: %+v, %v", x, err)
	}
}
