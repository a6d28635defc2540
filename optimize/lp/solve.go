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

// Options limit the work of Solve. Zero fields take the defaults.
type Options struct {
	// Width is the required relative width (Hi − Lo)/|Hi|: 0 means DefaultWidth.
	Width float64
	// Aim is the relative width at which iteration stops: 0 means defaultAim.
	Aim float64
	// Iterations bounds the number of steps: 0 means 200.
	Iterations int
	// Interior may hold weights of a point that satisfies every pair and is strictly below every bound. If the
	// level is not free, the solution is mixed with as little of it as the bounds require.
	Interior []float64
	// Outer, if set, is the context that a user cancels. Solve's own context then only has a time limit, after
	// which the result is certified without limit.
	Outer context.Context
	// Unit is the value of one unit of the objective in progress reports: 0 means 1.
	Unit float64
	// Bracketed, if set, is told each bracket that is certified before the last step.
	Bracketed func(Stopped)
}

// orDefaults replaces zero fields by their defaults for a program with that many variables.
func (o Options) orDefaults(variables int) Options {
	o.Width = cmp.Or(o.Width, DefaultWidth(variables))
	o.Aim = cmp.Or(o.Aim, min(defaultAim, o.Width))
	o.Iterations = cmp.Or(o.Iterations, 200)
	return o
}

// DefaultWidth returns 1e-6 up to 1,000 variables and 1e-5 beyond.
func DefaultWidth(variables int) float64 {
	if variables > 1000 {
		return 1e-5
	}
	return 1e-6
}

// quickly bounds the number of variables up to which every point is certified well within the time allowed after an
// interrupt, at about 5 µs per variable. Larger programs keep a bracket, and certify nothing before the first step.
const quickly = 10_000

// defaultAim is the relative width at which Solve stops: further steps are cheap once it is near.
const defaultAim = 1e-9

// Solve returns a certified solution. Its error wraps
//
//   - ErrProgram if the program is not well formed;
//   - ErrPrecision if the required width was not reached; the solution is certified and the best found;
//   - ctx's error if ctx ended; the solution is again certified and the best found. If certifying it takes too long,
//     there is no solution, only a [*Stopped] with the last bracket that was certified. Programs of more than 10,000
//     variables certify a bracket after 1, 2, 4, 8, … steps.
func Solve(ctx context.Context, p *Program, o Options) (*Solution, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	if x, ok, err := p.unspent(ctx, o); ok {
		return x, err
	}
	o = o.orDefaults(p.Size())
	outer := ctx
	if o.Outer != nil {
		outer = o.Outer
	}
	// early returns the error of an interrupt before the first step, where certifying a point is not worth its time.
	early := func() error {
		if p.Size() > quickly && outer.Err() != nil {
			return &Stopped{Hi: math.Inf(1), Cause: outer.Err()}
		}
		return nil
	}
	if err := early(); err != nil {
		return nil, err
	}
	c := p.merge()
	if order := c.equations(); order > maxOrder {
		return nil, fmt.Errorf("%w: %d %s are left after merging, want at most %d", ErrProgram, order, c.equated(), maxOrder)
	}
	s := newSolver(c)
	best := newBest(s)
	certified := func(ctx context.Context) (*Solution, error) {
		x := &Solution{Cells: len(c.row), Iterations: best.iterations}
		x.P, x.Z, x.V = c.lift(best.p, best.z, best.v)
		return x, p.certify(ctx, x, o.Interior)
	}
	known := &Stopped{Lo: math.Inf(-1), Hi: math.Inf(1)}
	err := s.run(ctx, o, best, func() {
		known.Steps = best.iterations
		if n := best.iterations; p.Size() <= quickly || n&(n-1) != 0 {
			return // certified after an interrupt (small programs), or at the next power of two of steps
		}
		if x, err := certified(ctx); err == nil {
			known.Lo, known.Hi = max(known.Lo, x.Lo), min(known.Hi, x.Hi)
			if o.Bracketed != nil {
				o.Bracketed(Stopped{known.Lo, known.Hi, known.Steps, context.Canceled})
			}
		}
	})
	if ended := early(); ended != nil && best.iterations == 0 {
		return nil, ended
	}
	late, cancel := afterwards(outer)
	defer cancel()
	x, failure := certified(late)
	if failure != nil {
		if known.Cause = ctx.Err(); known.Cause != nil {
			failure = known
		}
		return nil, failure
	}
	if err == nil && !x.narrow(o.Width) {
		err = fmt.Errorf("%w (%g): the optimum lies in [%v, %v] after %d steps", ErrPrecision, o.Width, x.Lo, x.Hi, x.Iterations)
	}
	return x, err
}

// narrow reports whether the relative width is at most width.
func (x *Solution) narrow(width float64) bool {
	return !math.IsInf(x.Hi, 1) && x.Hi-x.Lo <= width*math.Abs(x.Hi)
}

// littleDelta is the largest Delta for which the program without budgets is tried first.
const littleDelta = 1e-9

// unspent solves a program with small budgets without them. The points that it finds are feasible, and their prices
// give a bound that is lower by the budgets' charge. ok is false if this bound does not reach the required width and
// the search can go on.
func (p *Program) unspent(ctx context.Context, o Options) (*Solution, bool, error) {
	if p.Delta == nil || p.Delta.Cmp(ratOf(littleDelta)) >= 0 {
		return nil, false, nil
	}
	without := *p
	without.Delta, without.Budget, without.Budgets = nil, nil, 0
	o.Bracketed = nil // budgets may lower the optimum
	x, err := Solve(ctx, &without, o)
	if x != nil {
		x.Lo = p.lowerEnd(x.Z, x.V)
		if x.narrow(cmp.Or(o.Width, DefaultWidth(p.Size()))) {
			return x, true, err
		}
	}
	ended := ctx.Err()
	if x == nil && ended != nil {
		if known := new(Stopped); errors.As(err, &known) {
			known.Lo = math.Inf(-1) // budgets may lower the optimum
		}
		return nil, true, err
	}
	return x, ended != nil, ended // the charge of the budgets left too wide an interval
}

// best holds the primal point of least value and the prices of largest bound.
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

// update stores the improvements of the solver's point, and returns the factor by which the gap shrank.
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

// patience is the number of steps allowed without reducing the gap by a tenth. Once the relative gap is below
// settled, fewer are allowed.
const (
	patience = 25
	settled  = 1e-5
)

// run iterates until the gap is as narrow as Aim, the point stops moving, or ctx ends. It calls stepped after each
// step.
func (s *solver) run(ctx context.Context, o Options, b *best, stepped func()) error {
	stalled := 0
	for b.iterations < o.Iterations {
		if b.value-b.bound <= o.Aim*math.Abs(b.value) {
			return nil
		}
		if moved, err := s.advance(ctx); err != nil || !moved {
			return err
		}
		b.iterations++
		factor := b.update(s)
		stepped()
		if factor < 0.9 {
			stalled = 0
		} else if stalled++; stalled > patience || stalled > patience/5 && b.value-b.bound < settled*math.Abs(b.value) {
			return nil
		}
		unit, low := cmp.Or(o.Unit, 1), b.bound
		if s.bound == nil && slices.Min(s.loss) >= 0 {
			low = max(low, 0) // losses are nonnegative
		}
		parallel.Report(ctx, int64(b.iterations), 0, "between %s and %s", evidence.FormatDown(unit*low, 6), evidence.FormatUp(unit*b.value, 6))
	}
	return nil
}

// advance takes a step, and reports whether the point moved. At the limit of float64 it does not.
func (s *solver) advance(ctx context.Context) (moved bool, err error) {
	if err := s.assemble(ctx); errors.Is(err, ErrPrecision) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	return s.iterate(), nil
}

// Stopped is the error of a solve whose context ended; the optimum lies between Lo and Hi, which is +Inf if unknown.
type Stopped struct {
	Lo, Hi float64
	Steps  int
	Cause  error
}

// Error implements error.
func (s *Stopped) Error() string { return fmt.Sprintf("stopped %s: %v", s.Partial(), s.Cause) }

// Partial formats the known bounds, without the cause.
func (s *Stopped) Partial() string {
	if math.IsInf(s.Hi, 1) {
		return s.steps()
	}
	return fmt.Sprintf("%s: the optimum lies in %s", s.steps(), evidence.FormatBounds(s.Lo, s.Hi, 10))
}

func (s *Stopped) steps() string {
	switch s.Steps {
	case 0:
		return "before the first step"
	case 1:
		return "after 1 step"
	}
	return fmt.Sprintf("after %d steps", s.Steps)
}

// Unwrap returns the context's error.
func (s *Stopped) Unwrap() error { return s.Cause }

// Explain adds to a solver's error the requested privacy (spent), what is known of the optimum (nil: nothing), and
// the number of steps.
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
