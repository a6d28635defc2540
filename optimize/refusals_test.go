package optimize_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"testing"
	"testing/synctest"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/ctxtest"
	"dpworkbench/internal/must"
	"dpworkbench/internal/parallel"
	"dpworkbench/interval"
	"dpworkbench/layers"
	"dpworkbench/optimize"
)

// decimals returns the rationals that equal the shortest decimals of the float64s v.
func decimals(v ...float64) []*big.Rat {
	out := make([]*big.Rat, len(v))
	for i, x := range v {
		out[i] = interval.Decimal(x)
	}
	return out
}

func TestBadInput(t *testing.T) {
	ctx := context.Background()
	q := counts(t, 2)
	purest, err := layers.NewPurest(ctx, counts(t, 3), evidencetest.Epsilon(1))
	if err != nil {
		t.Fatal(err)
	}
	same, err := layers.NewPurest(ctx, q, evidencetest.Epsilon(0.5))
	if err != nil {
		t.Fatal(err)
	}
	if m, err := optimize.NewOptimal(ctx, q, evidencetest.LogEpsilon(3, 1), optimize.Options{Objective: optimize.Pareto, Than: same, Rational: optimize.Required}); m != nil || !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("an exact Pareto optimum: %v, %v, want ErrParameter", m, err)
	}
	for name, o := range map[string]optimize.Options{
		"length":        {Prior: decimals(0.5, 0.5)},
		"negative":      {Prior: decimals(1.5, -0.5, 0)},
		"sum":           {Prior: decimals(0.5, 0.5, 0.5)},
		"missing":       {Prior: []*big.Rat{nil, big.NewRat(1, 2), big.NewRat(1, 2)}},
		"objective":     {Objective: "median"},
		"worst prior":   {Objective: optimize.Worst, Prior: decimals(0.2, 0.3, 0.5)},
		"pareto alone":  {Objective: optimize.Pareto},
		"than alone":    {Than: purest},
		"than's domain": {Objective: optimize.Pareto, Than: purest},
		"irrational":    {Rational: optimize.Required},
	} {
		if _, err := optimize.NewOptimal(ctx, q, evidencetest.Epsilon(1), o); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%s: %v, want ErrParameter", name, err)
		}
	}
	for _, e := range []float64{1e-12, 1e-300, 200} {
		if _, err := optimize.NewOptimal(ctx, q, evidencetest.Epsilon(e), optimize.Options{}); !errors.Is(err, optimize.ErrPrecision) || !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("ε = %g: %v, want ErrPrecision", e, err)
		}
	}
	m := solve(t, q, evidencetest.Epsilon(1e-6), optimize.Options{})
	if lo, hi := bounds(m.Optimum()); lo > 2./3 || hi < 2./3 || hi-lo > 1e-6 {
		t.Errorf("ε = 1e-6: [%v, %v], want 2/3, the cost of the constant answer 1", lo, hi)
	}
}

// An interrupted solve returns its certified interval so far.
func TestInterrupted(t *testing.T) { synctest.Test(t, checkInterrupted) } // synctest, so that certification takes no time

func checkInterrupted(t *testing.T) {
	q := graphs(t, 5, "triangle")
	than, err := layers.NewPurest(context.Background(), q, evidencetest.Epsilon(0.5))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	last := math.Inf(1)
	m, err := optimize.NewOptimal(parallel.WithProgress(ctx, func(step, _ int64, what string) {
		var lo, hi float64
		if _, err := fmt.Sscanf(what, "between %g and %g", &lo, &hi); err != nil {
			t.Errorf("step %d reports %q: %v", step, what, err)
		}
		if hi > 10 { // the search for an interior point is over; its objective is about −1
			last = hi
			if step == 3 {
				cancel()
			}
		}
	}), q, evidencetest.Epsilon(1), optimize.Options{Objective: optimize.Pareto, Than: than})
	cancel()
	if stopped := new(optimize.Stopped); !errors.As(err, &stopped) || m == nil || stopped.Hi > last*1.01 || stopped.Lo > 29.27 {
		t.Errorf("Pareto stopped at 3: %v, the last reported value was %v", err, last)
	}

	for _, objective := range []optimize.Objective{optimize.Mean, optimize.Worst} {
		whole := solve(t, q, evidencetest.Epsilon(1), optimize.Options{Objective: objective})
		truth := whole.Optimum().Float()
		most := math.Inf(1) // the least objective of a constant answer
		for r := range q.Range() {
			sum, worst := 0.0, 0.0
			for x := range q.Size() {
				d := q.Metric().Steps(q.ValueIndex(x), r)
				sum, worst = sum+d/float64(q.Size()), max(worst, d)
			}
			most = min(most, map[optimize.Objective]float64{optimize.Mean: sum, optimize.Worst: worst}[objective])
		}
		for stop := range 6 {
			ctx, cancel := context.WithCancel(parallel.WithPartial(context.Background()))
			if stop == 0 {
				cancel()
			}
			m, err := optimize.NewOptimal(parallel.WithProgress(ctx, func(step, _ int64, _ string) {
				if int(step) == stop {
					cancel()
				}
			}), q, evidencetest.Epsilon(1), optimize.Options{Objective: objective})
			cancel()
			if stop == 0 {
				if !errors.Is(err, context.Canceled) {
					t.Errorf("cancelled before the start: %v", err)
				}
				continue
			}
			var stopped *optimize.Stopped
			if !errors.As(err, &stopped) || !errors.Is(err, context.Canceled) || m == nil {
				t.Fatalf("stopped at %d: %v", stop, err)
			}
			lo, hi := bounds(m.Optimum())
			if stopped.Lo != lo || stopped.Hi > hi || stopped.Hi > most+1e-12 || stopped.Steps != stop || !(lo <= truth && truth <= hi) {
				t.Errorf("stopped at %d: [%v, %v] after %d steps, optimum %v", stop, lo, hi, stopped.Steps, truth)
			}
			checkMechanism(t, m, 1)
			if err := parallel.Partial(ctx); !errors.As(err, &stopped) || stopped.Lo != 0 || math.Abs(stopped.Hi-most) > 1e-12 {
				t.Errorf("before the first step: %v", err)
			}
		}
	}
}

// An interrupted search returns an enclosure of the optimum, also before the first step, when a constant answer is the
// upper bound. For values 0, 1, 2, 3 on a path the constants 1 and 2 cost 1 on average and 2 at worst.
func TestInterruptedOptimumIsEnclosed(t *testing.T) {
	eps := evidencetest.Epsilon(1)
	for _, c := range []struct {
		options optimize.Options
		answer  float64 // least objective of a constant answer
	}{
		{optimize.Options{Rational: optimize.Never}, 1},
		{optimize.Options{Rational: optimize.Never, Objective: optimize.Worst}, 2},
		{optimize.Options{Rational: optimize.Never, Prior: []*big.Rat{big.NewRat(7, 10), big.NewRat(1, 10), big.NewRat(1, 10), big.NewRat(1, 10)}}, 0.6},
	} {
		q := counts(t, 3)
		lo, hi := must.For(optimize.NewOptimal(t.Context(), q, eps, c.options))(t).Optimum().Bounds()
		steps, at := 0, 0
		for ; ; at++ {
			m, err := optimize.NewOptimal(ctxtest.CancelAfter(t.Context(), at), q, eps, c.options)
			if err == nil {
				break
			}
			stopped := new(optimize.Stopped)
			if !errors.As(err, &stopped) || !errors.Is(err, context.Canceled) || stopped.Lo > hi || stopped.Hi < lo {
				t.Fatalf("%v at poll %d, want an interval around [%v, %v]", err, at, lo, hi)
			}
			if m == nil && (stopped.Lo != 0 || math.Abs(stopped.Hi-c.answer) > 1e-15 || stopped.Hi < c.answer) {
				t.Errorf("%v at poll %d, want [0, %v]", err, at, c.answer)
			}
			steps = max(steps, stopped.Steps)
		}
		if at < 10 || steps < 3 {
			t.Errorf("only %d polls and %d steps before the end", at, steps)
		}
	}
}

// A program of more than 10,000 variables reports each bracket that it certifies.
func TestBracketsReported(t *testing.T) {
	ctx := parallel.WithPartial(t.Context())
	m := must.For(optimize.NewOptimal(ctx, counts(t, 100), evidencetest.Epsilon(1), optimize.Options{}))(t)
	lo, hi := m.Optimum().Bounds()
	if known := new(optimize.Stopped); !errors.As(parallel.Partial(ctx), &known) || known.Lo > hi || known.Hi < lo || known.Lo == 0 ||
		known.Steps < 8 || known.Steps&(known.Steps-1) != 0 {
		t.Errorf("%v of an optimum in [%v, %v]", parallel.Partial(ctx), lo, hi)
	}
}
