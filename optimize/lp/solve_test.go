package lp

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"dpworkbench/internal/cases"
	"dpworkbench/internal/ctxtest"
	"dpworkbench/internal/must"
	"dpworkbench/internal/parallel"
	"dpworkbench/interval"
)

// Every function returns the error of its context at each poll.
func TestEverythingStops(t *testing.T) {
	p, _ := Line(4).Program(Exp(0.8))
	q, _ := Line(4).Program(Exp(0.8))
	q.Worst()
	x := must.For(Solve(t.Context(), p, Options{}))(t)
	bounded, _ := Line(1).Program(interval.Int(100))
	bounded.Bound = []interval.Interval{interval.Float(0.3), interval.Float(0.2)}
	matrix := [][]*big.Rat{{big.NewRat(2, 1), big.NewRat(1, 3)}, {big.NewRat(1, 5), big.NewRat(3, 1)}}
	right := []*big.Rat{big.NewRat(1, 1), big.NewRat(2, 1)}
	found := func(ok bool) error {
		if !ok {
			return context.Canceled
		}
		return nil
	}
	for what, c := range map[string]struct {
		least int
		do    func(ctx context.Context) error
	}{
		"square system": {3, func(ctx context.Context) error { return found(SolveSquare(ctx, matrix, right) != nil) }},
		"rational system": {3, func(ctx context.Context) error {
			return found(solveRational(ctx, matrix, right, []float64{1, 1}) != nil)
		}},
		"certificate": {2, func(ctx context.Context) error {
			y := *x
			return p.certify(ctx, &y, nil)
		}},
		"mixed certificate": {4, func(ctx context.Context) error {
			y := &Solution{P: []float64{0.69, 0.31, 0.21, 0.79}, Z: make([]float64, 2*len(bounded.Pairs)), V: []float64{0, 0}}
			return bounded.certify(ctx, y, []float64{0.9, 0.1, 0.1, 0.9})
		}},
		"no interior": {2, func(ctx context.Context) error {
			y := &Solution{P: []float64{0.69, 0.31, 0.21, 0.79}, Z: make([]float64, 2*len(bounded.Pairs)), V: []float64{0, 0}}
			return bounded.certify(ctx, y, nil)
		}},
		"search":       {4, func(ctx context.Context) error { _, err := Solve(ctx, p, Options{}); return err }},
		"worst search": {4, func(ctx context.Context) error { _, err := Solve(ctx, q, Options{}); return err }},
		"exact search": {10, func(ctx context.Context) error { _, err := SolveExact(ctx, p, big.NewRat(3, 1), 20); return err }},
		"factor":       {2, func(ctx context.Context) error { return found(cholesky(ctx, 2, []float64{2, 1, 0, 3})) }},
	} {
		t.Run(what, func(t *testing.T) { ctxtest.EachPoll(t, c.least, c.do) })
	}
}

// With wide intervals for the ratio and the bounds, the certified bounds hold for every corner.
func TestBoundsOfIntervalPrograms(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 3))
	for range 60 {
		w := []*big.Rat{big.NewRat(5, 2), big.NewRat(3, 1), big.NewRat(7, 2)}
		p, _ := randomFullProgram(rng, w[1])
		p.Ratio = interval.Rat(w[0])
		p.Ratio = interval.Hull(p.Ratio, interval.Rat(w[2]))
		ends := make([][2]*big.Rat, len(p.Bound))
		for i := range p.Bound {
			a := big.NewRat(rng.Int64N(300)-20, 7)
			b := new(big.Rat).Add(a, big.NewRat(rng.Int64N(30), 4))
			ends[i] = [2]*big.Rat{a, b}
			p.Bound[i] = interval.Hull(interval.Rat(a), interval.Rat(b))
		}
		z, v := p.prices(rng)
		if p.Bound == nil {
			v = nil
		}
		weights := make([]float64, len(p.Row))
		for j := range weights {
			weights[j] = 0.1 + rng.Float64()
		}
		losses, _ := p.ratLosses(weights)
		lo, _ := p.floor(z, v).Bounds()
		from, to := p.value(weights).Bounds()
		for range 20 {
			bounds := make([]*big.Rat, len(ends))
			for i, e := range ends {
				bounds[i] = e[rng.IntN(2)]
			}
			if floor, _ := p.ratFloor(w[rng.IntN(3)], bounds, z, v).Float64(); floor < lo-1e-12*(1+math.Abs(lo)) {
				t.Fatalf("floor %v at a corner, below the lower bound %v", floor, lo)
			}
			value := new(big.Rat)
			var top *big.Rat
			for i, l := range losses {
				value.Add(value, new(big.Rat).Mul(p.ratWeight(i), l))
				if p.Level {
					if over := new(big.Rat).Sub(l, bounds[i]); top == nil || over.Cmp(top) > 0 {
						top = over
					}
				}
			}
			if p.Level {
				value.Add(value, top)
			}
			if got, _ := value.Float64(); got > to+1e-12*(1+math.Abs(to)) || got < from-1e-12*(1+math.Abs(from)) {
				t.Fatalf("value %v at a corner, outside [%v, %v]", got, from, to)
			}
		}
	}
}

// afterwards returns a context that ends some time after its parent, or when it is cancelled.
func TestAfterwards(t *testing.T) {
	first, end := context.WithCancel(t.Context())
	late, cancel := afterwards(first)
	if late.Err() != nil {
		t.Error("the context ends before its parent")
	}
	end()
	select {
	case <-late.Done():
	case <-time.After(5 * time.Minute):
		t.Fatal("the context does not end")
	}
	cancel()
	other, cancel := afterwards(t.Context())
	cancel()
	if other.Err() == nil {
		t.Error("the context goes on after cancel")
	}
}

// If certification exceeds the grace period, Solve returns no solution. A loss of MaxFloat64 is valid.
func TestSolveOutOfTime(t *testing.T) {
	ended, end := context.WithCancel(t.Context())
	end()
	p, _ := Line(2).Program(Exp(1))
	var first sync.Once
	p.ExactLoss = func(j int) *big.Rat { // only the certificate calls this
		first.Do(func() {
			for range 2 { // each waits for a full grace period
				late, cancel := afterwards(ended)
				<-late.Done()
				cancel()
			}
		})
		return ratOf(p.Loss[j])
	}
	if x, err := Solve(ended, p, Options{}); x != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("solution %+v after the grace period, error %v", x, err)
	}
	q, _ := Line(2).Program(Exp(1))
	q.Loss[1] = math.MaxFloat64
	if err := q.check(); err != nil {
		t.Error(err)
	}
}

// An interrupt that leaves no time for certification returns the last certified bracket. In programs of more than 10,000
// variables, brackets are certified after each power of two of steps.
func TestStoppedSolveKeepsItsBracket(t *testing.T) {
	certified := func(steps int) (lo, hi float64) {
		p, _ := Line(100).Program(Exp(1))
		x, err := Solve(t.Context(), p, Options{Iterations: steps})
		if x == nil {
			t.Fatal(err)
		}
		return x.Lo, x.Hi
	}
	for stop, kept := range cases.Of(map[int64]int{3: 2}, map[int64]int{1: 1, 3: 2, 5: 4}) {
		ended, end := context.WithCancel(t.Context())
		p, _ := Line(100).Program(Exp(1))
		p.ExactLoss = func(j int) *big.Rat { // only the certificate calls this
			if j == 1 && ended.Err() != nil {
				for range 2 { // each waits for a full grace period
					late, cancel := afterwards(ended)
					<-late.Done()
					cancel()
				}
			}
			return ratOf(p.Loss[j])
		}
		x, err := Solve(parallel.WithProgress(ended, func(done, _ int64, _ string) {
			if done == stop {
				end()
			}
		}), p, Options{})
		lo, hi := certified(kept)
		if known := new(Stopped); x != nil || !errors.As(err, &known) || known.Steps != int(stop) || known.Lo != lo || known.Hi != hi {
			t.Errorf("interrupted at step %d: %+v, want the bracket [%v, %v] of step %d", stop, err, lo, hi, kept)
		}
	}
}
