package lp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/internal/parallel"
	"dpworkbench/internal/parameter"
)

// Options bounds the work of Solve. The zero value asks for the default.
type Options struct {
	// Width is the relative width (Hi − Lo)/|Hi| that the solution must have: 0 means
	// DefaultWidth.
	Width float64
	// Aim is the relative width at which the steps end: 0 means defaultAim.
	Aim float64
	// Iterations bounds the steps: 0 means 200.
	Iterations int
	// Interior may hold weights of a point that satisfies every pair and stays
	// below every bound. Where the level is not free, the answer is mixed with as
	// little of it as the bounds ask for.
	Interior []float64
	// Outer, where set, is the context that a user ends, and Solve's only one with a
	// limit on time, past which what was found is certified however long that takes.
	Outer context.Context
	// Unit is what a unit of the objective stands for in reports of progress: 0 means 1.
	Unit float64
}

// orDefaults fills in what is 0, for a program of so many variables.
func (o Options) orDefaults(variables int) Options {
	o.Width = cmp.Or(o.Width, DefaultWidth(variables))
	o.Aim = cmp.Or(o.Aim, min(defaultAim, o.Width))
	o.Iterations = cmp.Or(o.Iterations, 200)
	return o
}

// DefaultWidth is 1e-6 up to 1,000 variables and 1e-5 beyond.
func DefaultWidth(variables int) float64 {
	if variables > 1000 {
		return 1e-5
	}
	return 1e-6
}

// defaultAim is the relative width that Solve aims at: further steps cost
// little once it is near.
const defaultAim = 1e-9

// Solve returns a certified solution. Its error wraps
//
//   - ErrProgram where the program is not well formed;
//   - ErrPrecision where the width asked for was not reached: the solution is
//     certified and the best found;
//   - ctx's error where ctx ended: likewise, unless certifying takes so long that
//     there is no solution.
func Solve(ctx context.Context, p *Program, o Options) (*Solution, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	if x, ok, err := p.unspent(ctx, o); ok {
		return x, err
	}
	o = o.orDefaults(p.Size())
	c := p.merge()
	if order := c.equations(); order > maxOrder {
		return nil, fmt.Errorf("%w: %d %s are left after merging, want at most %d", ErrProgram, order, c.equated(), maxOrder)
	}
	s := newSolver(c)
	best := newBest(s)
	err := s.run(ctx, o, best)
	x := &Solution{Cells: len(c.row), Iterations: best.iterations}
	x.P, x.Z, x.V = c.lift(best.p, best.z, best.v)
	outer := ctx
	if o.Outer != nil {
		outer = o.Outer
	}
	late, cancel := afterwards(outer)
	defer cancel()
	if failure := p.certify(late, x, o.Interior); failure != nil {
		return nil, failure
	}
	if err == nil && !x.narrow(o.Width) {
		err = fmt.Errorf("%w of %g: the optimum lies in [%v, %v] after %d steps", ErrPrecision, o.Width, x.Lo, x.Hi, x.Iterations)
	}
	return x, err
}

// narrow reports whether the ends are as near as a relative width asks for.
func (x *Solution) narrow(width float64) bool {
	return !math.IsInf(x.Hi, 1) && x.Hi-x.Lo <= width*math.Abs(x.Hi)
}

// littleDelta bounds the budgets that are first tried without.
const littleDelta = 1e-9

// unspent solves a program of little budgets without them: its points are feasible, and
// its prices give a bound that is less by the budgets' charge. It reports false
// where that does not reach the width asked for, and more can be done.
func (p *Program) unspent(ctx context.Context, o Options) (*Solution, bool, error) {
	if p.Delta == nil || p.Delta.Cmp(ratOf(littleDelta)) >= 0 {
		return nil, false, nil
	}
	without := *p
	without.Delta, without.Budget, without.Budgets = nil, nil, 0
	x, err := Solve(ctx, &without, o)
	if x != nil {
		x.Lo = p.lowerEnd(x.Z, x.V)
		if x.narrow(cmp.Or(o.Width, DefaultWidth(p.Size()))) {
			return x, true, err
		}
	}
	ended := ctx.Err()
	return x, ended != nil, ended // of a width that the budgets' charge has spoiled
}

// best keeps the primal point of least value and the prices of largest bound.
type best struct {
	p, z, v      []float64
	value, bound float64
	iterations   int
}

func newBest(s *solver) *best {
	b := &best{value: math.Inf(1), bound: math.Inf(-1)}
	b.update(s)
	return b
}

// update takes over what the solver's point improves, and reports by what
// factor the gap shrank.
func (b *best) update(s *solver) (factor float64) {
	before := b.value - b.bound
	value, bound := s.gap()
	if value < b.value {
		b.value, b.p = value, append(b.p[:0], s.p...)
	}
	if bound > b.bound {
		b.bound = bound
		b.z = append(b.z[:0], s.z...)
		if s.v != nil {
			b.v = append(b.v[:0], s.v...)
		}
	}
	return (b.value - b.bound) / before
}

// patience is the number of steps that may pass without a tenth off the gap;
// once the gap is below settled, relative to the value, far fewer may.
const (
	patience = 25
	settled  = 1e-5
)

// run iterates until the gap is as narrow as aimed at, nothing moves,
// or ctx ends.
func (s *solver) run(ctx context.Context, o Options, b *best) error {
	stalled := 0
	for b.iterations < o.Iterations {
		if b.value-b.bound <= o.Aim*math.Abs(b.value) {
			return nil
		}
		if moved, err := s.advance(ctx); err != nil || !moved {
			return err
		}
		b.iterations++
		if b.update(s) < 0.9 {
			stalled = 0
		} else if stalled++; stalled > patience || stalled > patience/5 && b.value-b.bound < settled*math.Abs(b.value) {
			return nil
		}
		unit, low := cmp.Or(o.Unit, 1), b.bound
		if s.bound == nil && slices.Min(s.loss) >= 0 {
			low = max(low, 0) // no mechanism loses less than nothing
		}
		parallel.Report(ctx, int64(b.iterations), 0, "between %s and %s", evidence.FormatDown(unit*low, 6), evidence.FormatUp(unit*b.value, 6))
	}
	return nil
}

// advance takes a step, and reports whether the point moved: where float64 tells no more, it does not.
func (s *solver) advance(ctx context.Context) (moved bool, err error) {
	if err := s.assemble(ctx); errors.Is(err, ErrPrecision) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	return s.iterate(), nil
}

// Stopped is the error of a solve that its context ended: the optimum is known
// to lie between Lo and Hi.
type Stopped struct {
	Lo, Hi float64
	Steps  int
	Cause  error
}

// Error implements error.
func (s *Stopped) Error() string { return fmt.Sprintf("stopped %s: %v", s.Partial(), s.Cause) }

// Partial says what is known, without the cause.
func (s *Stopped) Partial() string {
	return fmt.Sprintf("after %s: the optimum lies in %s", s.steps(), evidence.FormatBounds(s.Lo, s.Hi, 10))
}

func (s *Stopped) steps() string {
	if s.Steps == 1 {
		return "1 step"
	}
	return fmt.Sprintf("%d steps", s.Steps)
}

// Unwrap returns the context's error.
func (s *Stopped) Unwrap() error { return s.Cause }

// Explain says for whom Solve failed: spent is the privacy that was asked for, optimum, nil where there is none, what
// is known of the value after so many steps.
func Explain(err error, optimum evidence.Number, steps int, spent string) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ErrProgram):
		return parameter.Errorf("%w", err)
	case errors.Is(err, ErrPrecision) && optimum == nil:
		return parameter.Errorf("%s: %w", spent, err)
	case errors.Is(err, ErrPrecision):
		lo, hi := optimum.Bounds()
		return fmt.Errorf("%w: %s: the optimum lies in %s", ErrPrecision, spent, evidence.FormatBounds(lo, hi, 10))
	case optimum != nil:
		lo, hi := optimum.Bounds()
		return &Stopped{Lo: lo, Hi: hi, Steps: steps, Cause: err}
	}
	return err
}
