package optimize_test

import (
	"context"
	"errors"
	"math/big"
	"runtime"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/ctxtest"
	"dpworkbench/internal/must"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/optimize"
)

// On the graphs of four nodes the local search finds the same optimum as the exhaustive search. No initial values cost
// less than the optimal mechanism.
func TestInitialOnGraphs(t *testing.T) {
	ctx := context.Background()
	q := graphs(t, 4, "triangle")
	decay := evidencetest.Epsilon(1)
	local := must.For(optimize.SearchInitial(ctx, q, decay, optimize.InitialOptions{Rounds: 20}))(t)
	all := must.For(optimize.SearchInitial(ctx, q, decay, optimize.InitialOptions{Deepest: 2}))(t)
	purest := must.For(layers.NewPurest(ctx, q, decay))(t)
	own := must.For(mechanism.ExpectedDistortion(ctx, purest, nil))(t)
	if local.Value.Float() > all.Value.Float()*(1+1e-9) || local.Value.Float() >= own.Float() {
		t.Errorf("local search %v, exhaustive %v, purest %v", local.Value, all.Value, own)
	}
	if r := must.For(local.RatioToOptimum(ctx))(t); !(r.Float() >= 1) {
		t.Errorf("ratio to the optimum %v", r)
	}
	again := must.For(optimize.SearchInitial(ctx, q, decay, optimize.InitialOptions{Rounds: 20}))(t)
	if again.Value.Float() != local.Value.Float() {
		t.Error("the same seed gives another result")
	}
	if _, err := optimize.SearchInitial(ctx, q, decay, optimize.InitialOptions{Deepest: 4, Most: 1000}); !errors.Is(err, optimize.ErrNotReached) {
		t.Errorf("too many rows: error %v", err)
	}
	for _, o := range []optimize.InitialOptions{{Rounds: -1}, {Deepest: -1}, {Deepest: 63}, {Starts: []mechanism.Mechanism{must.For(mechanism.NewLaplace(ctx, q, decay))(t)}}} {
		if _, err := optimize.SearchInitial(ctx, q, decay, o); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	stopped, stop := context.WithCancel(ctx)
	stop()
	if _, err := optimize.SearchInitial(stopped, q, decay, optimize.InitialOptions{Rounds: 3}); !errors.Is(err, context.Canceled) {
		t.Errorf("a stopped context: %v", err)
	}
}

// Every search for initial values stops at each poll of its context and returns no result.
func TestInitialStops(t *testing.T) {
	q := radiiQuery(t, [][2]int{{0, 1}, {1, 2}, {2, 3}, {0, 3}}, []float64{0, 0, 5, 5})
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2)) // one processor polls at fewer places
	for _, c := range []struct {
		places int
		o      optimize.InitialOptions
	}{{12, optimize.InitialOptions{Rounds: 2, Seed: 5}}, {11, optimize.InitialOptions{Deepest: 2}}, {24, optimize.InitialOptions{Layers: 3, Boxes: 3}}, {25, optimize.InitialOptions{Rounds: 1, Deepest: 1, Layers: 2, Boxes: 2}}} {
		ctxtest.EachPoll(t, c.places, func(ctx context.Context) error {
			found, err := optimize.SearchInitial(ctx, q, evidencetest.Epsilon(0.7), c.o)
			if err != nil && found != nil {
				t.Errorf("%+v: result %+v with error %v", c.o, found, err)
			}
			return err
		})
	}
}

// If only one dataset has positive weight, the search ends with a distortion near 0.
func TestInitialOfOneDataset(t *testing.T) {
	q := radiiQuery(t, [][2]int{{0, 1}, {1, 2}}, []float64{0, 1, 3})
	prior := []*big.Rat{big.NewRat(1, 1), new(big.Rat), new(big.Rat)}
	b := must.For(optimize.SearchInitial(context.Background(), q, evidencetest.Epsilon(1), optimize.InitialOptions{Prior: prior, Rounds: 3, Layers: 6, Boxes: 3}))(t)
	if lo, _ := b.Least.Bounds(); !(b.Value.Float() < 1e-9) || lo < 0 {
		t.Errorf("value %v, least %v", b.Value, b.Least)
	}
}

// Options are accepted up to their limits and refused above. Problems that are too large are refused with that reason.
func TestInitialOptions(t *testing.T) {
	one := radiiQuery(t, nil, []float64{4})
	decay := evidencetest.Epsilon(1)
	for _, o := range []optimize.InitialOptions{{Deepest: 62}, {Layers: 15}, {Layers: 1, Boxes: 1}, {Deepest: 1, Most: 1}} {
		if b, err := optimize.SearchInitial(t.Context(), one, decay, o); err != nil || b.Value.Float() != 0 || b.Exhaustive != (o.Deepest > 0) || (b.Least != nil) != (o.Layers > 0) {
			t.Errorf("%+v: %+v, %v", o, b, err)
		}
	}
	b := must.For(optimize.SearchInitial(t.Context(), one, decay, optimize.InitialOptions{Layers: 3}))(t) // both bounds are 0
	if least, ok := b.Least.(evidence.Certified); !ok || !strings.HasPrefix(least.Method, "optimum of a linear program") {
		t.Errorf("%v comes from branch and bound, want the linear program if both bounds are equal", b.Least)
	}
	for _, o := range []optimize.InitialOptions{{Deepest: 63}, {Layers: 16}, {Deepest: -1}, {Layers: -1}, {Rounds: -1}, {Boxes: -1}, {Prior: []*big.Rat{big.NewRat(1, 2)}}} {
		if b, err := optimize.SearchInitial(t.Context(), one, decay, o); b != nil || !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%+v: %v, %v", o, b, err)
		}
	}
	if b, err := optimize.SearchInitial(t.Context(), one, evidence.Epsilon{}, optimize.InitialOptions{}); b != nil || !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("no decay: %v, %v", b, err)
	}
	if b, err := optimize.SearchInitial(ctxtest.CancelAfter(t.Context(), 0), one, evidence.Epsilon{}, optimize.InitialOptions{}); b != nil || !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("no decay and a cancelled context: %v, %v", b, err)
	}
	values := make([]float64, 17)
	for i := range values {
		values[i] = float64(i)
	}
	many := radiiQuery(t, nil, values)
	if b, err := optimize.SearchInitial(t.Context(), many, decay, optimize.InitialOptions{Deepest: 1}); b != nil || !errors.Is(err, optimize.ErrNotReached) {
		t.Errorf("17 values: %v, %v", b, err)
	}
	wide := radiiQuery(t, nil, make([]float64, 8193))
	if b, err := optimize.SearchInitial(t.Context(), wide, decay, optimize.InitialOptions{}); b != nil || !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("8193 datasets: %v, %v", b, err)
	}
}
