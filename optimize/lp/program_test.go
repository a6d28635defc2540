package lp

import (
	"context"
	"errors"
	"math"
	"testing"

	"dpworkbench/interval"
)

func TestBadPrograms(t *testing.T) {
	good := func() *Program {
		p, _ := line(2).program(exp(1))
		return p
	}
	if _, err := Solve(context.Background(), good(), Options{}); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(p *Program){
		"no rows":              func(p *Program) { p.Rows = 0 },
		"row without variable": func(p *Program) { p.Rows, p.Weight = 4, append(p.Weight, 1) }, // infeasible
		"row out of range":     func(p *Program) { p.Row[0] = 3 },
		"short losses":         func(p *Program) { p.Loss = p.Loss[1:] },
		"short weights":        func(p *Program) { p.Weight = p.Weight[1:] },
		"negative weight":      func(p *Program) { p.Weight[0] = -1 }, // would reward distortion
		"NaN weight":           func(p *Program) { p.Weight[0] = math.NaN() },
		"infinite loss":        func(p *Program) { p.Loss[3] = math.Inf(-1) }, // unbounded
		"level alone":          func(p *Program) { p.Level = true },           // unbounded
		"short bounds":         func(p *Program) { p.Bound = []interval.Interval{interval.Int(1)} },
		"loop":                 func(p *Program) { p.Pairs[0] = [2]int32{1, 1} },
		"pair out of range":    func(p *Program) { p.Pairs[0] = [2]int32{1, 99} },
		"uneven rows":          func(p *Program) { p.Row[8] = 0 },
	} {
		p := good()
		spoil(p)
		if x, err := Solve(context.Background(), p, Options{}); !errors.Is(err, ErrProgram) || x != nil {
			t.Errorf("%s: %v, %v, want ErrProgram", name, x, err)
		}
	}
	for _, w := range []interval.Interval{interval.Int(1), interval.Float(0.5), interval.Float(1 + 1e-12), interval.Float(1e70)} {
		p := good()
		p.Ratio = w
		if x, err := Solve(context.Background(), p, Options{}); !errors.Is(err, ErrPrecision) || x != nil {
			t.Errorf("w = %v: %v, %v, want ErrPrecision", w, x, err)
		}
	}
	// A width that the arithmetic cannot reach is an error, returned with the answer.
	x, err := Solve(context.Background(), good(), Options{Width: 1e-17})
	if !errors.Is(err, ErrPrecision) || x == nil || !(x.Hi-x.Lo < 1e-13*x.Hi) {
		t.Errorf("width 1e-17: %+v, %v", x, err)
	}
}
