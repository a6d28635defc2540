package lp_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"strings"
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

// The error of an invalid program names the fault. Programs at the limits of the valid range are accepted.
func TestProgramErrorsAndLimits(t *testing.T) {
	for want, spoil := range map[string]func(p *lp.Program){
		"0 rows of 9 variables":                  func(p *lp.Program) { p.Rows = 0 },
		"10 rows of 9 variables":                 func(p *lp.Program) { p.Rows = 10 },
		"8 losses for 9 variables":               func(p *lp.Program) { p.Loss = p.Loss[1:] },
		"2 weights for 3 rows":                   func(p *lp.Program) { p.Weight = p.Weight[1:] },
		"3 weights for 3 rows":                   func(p *lp.Program) { p.ExactWeight = []*big.Rat{new(big.Rat)} },
		"1 bounds for 3 rows":                    func(p *lp.Program) { p.Bound = []interval.Interval{interval.Int(1)} },
		"a free level":                           func(p *lp.Program) { p.Level = true }, // unbounded
		"variable 0 in row 3 of 3":               func(p *lp.Program) { p.Row[0] = 3 },
		"variable 0 in row -1 of 3":              func(p *lp.Program) { p.Row[0] = -1 },
		"loss[3] = NaN":                          func(p *lp.Program) { p.Loss[3] = math.NaN() },
		"loss[3] = +Inf":                         func(p *lp.Program) { p.Loss[3] = math.Inf(1) },
		"loss[3] = -Inf":                         func(p *lp.Program) { p.Loss[3] = math.Inf(-1) }, // unbounded
		"row 0 has no variable":                  func(p *lp.Program) { p.Row[0], p.Row[1], p.Row[2] = 1, 1, 1 },
		"row 3 has no variable":                  func(p *lp.Program) { p.Rows, p.Weight = 4, append(p.Weight, 1) }, // infeasible
		"weight[1] = -1":                         func(p *lp.Program) { p.Weight[1] = -1 },                          // would reward distortion
		"weight[0] = NaN":                        func(p *lp.Program) { p.Weight[0] = math.NaN() },
		"weight[1] = +Inf":                       func(p *lp.Program) { p.Weight[1] = math.Inf(1) },
		"pair 0 joins variables -1 and":          func(p *lp.Program) { p.Pairs[0][0] = -1 },
		"pair 0 joins variables 1 and -":         func(p *lp.Program) { p.Pairs[0] = [2]int32{1, -1} },
		"joins variables 9 and 1 of 9":           func(p *lp.Program) { p.Pairs[0] = [2]int32{9, 1} },
		"joins variables 1 and 9 of 9":           func(p *lp.Program) { p.Pairs[0] = [2]int32{1, 9} },
		"joins variables 4 and 4 of 9":           func(p *lp.Program) { p.Pairs[0] = [2]int32{4, 4} },
		"pair 0 joins rows of 4 and 3 variables": func(p *lp.Program) { p.Row[8] = 0 },
		"e^ε − 1 = 0":                            func(p *lp.Program) { p.Ratio = interval.Int(1) },
	} {
		p, _ := lp.Line(2).Program(lp.Exp(1))
		spoil(p)
		x, err := lp.Solve(t.Context(), p, lp.Options{})
		y, exact := lp.SolveExact(t.Context(), p, big.NewRat(3, 1), 10)
		if x != nil || y != nil || err == nil || exact == nil || !strings.Contains(err.Error(), want) || exact.Error() != err.Error() || errors.Is(err, lp.ErrProgram) == (want == "e^ε − 1 = 0") {
			t.Errorf("%v and %v, want %s", err, exact, want)
		}
	}
	for _, w := range []float64{1 + 2e-9, 1e60} {
		p, _ := lp.Line(2).Program(interval.Float(w))
		if x, err := lp.Solve(t.Context(), p, lp.Options{}); x == nil {
			t.Errorf("w = %v: %v", w, err)
		}
	}
	p, _ := lp.Line(2).Program(lp.Exp(1))
	p.Bound = []interval.Interval{interval.Int(0), interval.Float(0.5), interval.Int(0)}
	if x, err := lp.SolveExact(t.Context(), p, big.NewRat(3, 1), 10); x != nil || !errors.Is(err, lp.ErrProgram) || !strings.Contains(err.Error(), "bound 1 is [0.5, 0.5], want 0") {
		t.Errorf("a bound other than 0: %v, error %v", x, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	good, _ := lp.Line(2).Program(lp.Exp(1))
	if x, err := lp.SolveExact(ended, good, big.NewRat(3, 1), 10); x != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled context: %v, error %v", x, err)
	}
	if x, err := lp.SolveExact(t.Context(), good, big.NewRat(3, 1), 0); x != nil || !errors.Is(err, lp.ErrUnidentified) {
		t.Errorf("no attempt: %v, error %v", x, err)
	}
}

// A program that is too large after merging is refused with that reason.
func TestTooManyRows(t *testing.T) {
	p := &lp.Program{Rows: 5001, Ratio: interval.Int(2)}
	for i := range p.Rows {
		p.Row = append(p.Row, int32(i), int32(i))
		p.Loss = append(p.Loss, 1, float64(2+i))
		p.Weight = append(p.Weight, float64(i))
	}
	x, err := lp.Solve(t.Context(), p, lp.Options{})
	if x != nil || !errors.Is(err, lp.ErrProgram) || !strings.Contains(err.Error(), "5001 rows and bounds are left after merging, want at most 5000") {
		t.Errorf("solution %v, error %v", x, err)
	}
}

// The error names the default width if it is not reached. If a bound is exceeded, the upper bound is infinite.
func TestWidthsNotReached(t *testing.T) {
	small, _ := lp.Line(6).Program(lp.Exp(0.8))
	large, _ := lp.Line(35).Program(lp.Exp(0.8))
	bounded, _ := lp.Line(1).Program(interval.Int(2))
	bounded.Bound = []interval.Interval{interval.Float(0.1), interval.Float(0.1)} // infeasible
	for want, p := range map[string]*lp.Program{" (1e-06): ": small, " (1e-05): ": large, "+Inf]": bounded} {
		x, err := lp.Solve(t.Context(), p, lp.Options{Iterations: 1})
		if x == nil || !errors.Is(err, lp.ErrPrecision) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	one := &lp.Program{Rows: 1, Row: []int32{0, 0}, Loss: []float64{2, 3}, Weight: []float64{1}, Ratio: interval.Int(2), Pairs: [][2]int32{{0, 1}}}
	if x, err := lp.Solve(t.Context(), one, lp.Options{}); err != nil || math.Abs(x.Hi-7.0/3) > 1e-5 {
		t.Errorf("one row: %+v, %v, want 7/3", x, err)
	}
}
