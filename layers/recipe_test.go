package layers_test

import (
	"context"
	"math/big"
	"runtime"
	"testing"
	"weak"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
)

// A number keeps no tables of the mechanism it is of: its statement makes an equal one again.
func TestNumbersKeepNoMechanism(t *testing.T) {
	ctx := context.Background()
	q := triangles(t, 4)
	e := must.Be(evidence.LogEpsilon("decay", big.NewRat(5, 2)))
	radii := make([]*big.Rat, q.Size())
	for x := range radii {
		radii[x] = big.NewRat(int64(x%3), 2)
	}
	for name, build := range map[string]func() mechanism.Mechanism{
		"purest":      func() mechanism.Mechanism { return must.Be(layers.NewPurest(ctx, q, e)) },
		"other decay": func() mechanism.Mechanism { return must.Be(layers.NewPurest(ctx, q, e)).WithDecay(e.Times(2)) },
		"balls":       func() mechanism.Mechanism { return must.Be(layers.NewBalls(ctx, q, e, radii)) },
		"general": func() mechanism.Mechanism {
			sets := layers.Sets{At: make([]map[int][]int, q.Size())}
			for x := range sets.At {
				sets.At[x] = map[int][]int{0: {q.ValueIndex(x)}, 2: {0}}
			}
			return must.Be(layers.NewGeneral(ctx, q, e, sets, layers.Published))
		},
		"ladder":      func() mechanism.Mechanism { return must.Be(mechanism.NewLadder(ctx, q, e)) },
		"exponential": func() mechanism.Mechanism { return must.Be(mechanism.NewExponential(ctx, q, e)) },
		"laplace":     func() mechanism.Mechanism { return must.Be(mechanism.NewLaplace(ctx, q, e)) },
		"geometric":   func() mechanism.Mechanism { return must.Be(mechanism.NewGeometric(ctx, q, e)) },
	} {
		n, law, gone := numberOf(t, build())
		for range 10 {
			runtime.GC()
		}
		if !gone() {
			t.Errorf("%s: the number keeps its mechanism", name)
		}
		s, ok := n.Citation().Statement.(*mechanism.RebuiltStatement)
		if !ok {
			t.Errorf("%s: a statement of %T", name, n.Citation().Statement)
			continue
		}
		again := must.Be(s.Statement(ctx)).(*mechanism.EpsilonStatement).Of
		for x := range law {
			for r := range law[x] {
				if got := again.LogProb(x, r); got != law[x][r] {
					t.Fatalf("%s: ln p^%d(%d) = %v, made again %v", name, x, r, law[x][r], got)
				}
			}
		}
		if s.Says() != "the smallest ε of "+again.Name() {
			t.Errorf("%s: %q is said of %s", name, s.Says(), again.Name())
		}
	}
}

// numberOf returns the smallest ε of a mechanism, its law, and whether it is gone.
func numberOf(t *testing.T, m mechanism.Mechanism) (n evidence.Number, law [][]float64, gone func() bool) {
	t.Helper()
	n = must.Be(mechanism.Privacy(m).Epsilon(context.Background(), evidence.Delta{}))
	for x := range m.Query().Size() {
		var row []float64
		for r := range m.Query().Range() {
			row = append(row, m.LogProb(x, r))
		}
		law = append(law, row)
	}
	switch m := m.(type) {
	case *layers.Mechanism:
		p := weak.Make(m)
		return n, law, func() bool { return p.Value() == nil }
	case *mechanism.Layered:
		p := weak.Make(m)
		return n, law, func() bool { return p.Value() == nil }
	case *mechanism.Table:
		p := weak.Make(m)
		return n, law, func() bool { return p.Value() == nil }
	}
	t.Fatalf("a %T", m)
	return
}
