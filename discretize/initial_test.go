package discretize_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/discretize"
	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

// On random laws, Initial agrees with the definition (33) read literally.
func TestInitialValuesByDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 3))
	extra := 0
	for range 40 {
		n := 3 + r.IntN(3)
		q := path(t, n, 1)
		half := r.IntN(2) // 1 if neighbors on the path have distance 3/2
		if half == 1 {
			far, values := make([][]float64, n), make([]float64, n)
			for x := range far {
				values[x] = float64(x)
				for y := range n {
					far[x] = append(far[x], 1.5*math.Abs(float64(x-y)))
				}
			}
			q = must.For(query.NewNumeric("f", must.For(query.NewMatrixSpace(far))(t), values, nil))(t)
		}
		rows := make([][]float64, n)
		for x := range rows {
			rows[x] = make([]float64, n)
			for v := range rows[x] {
				rows[x][v] = float64(r.IntN(30))
			}
			rows[x][x] += 10
		}
		m := must.For(mechanism.NewTable(mechanism.Info{Name: "random", Query: q, Claimed: evidence.Claimed{Value: 1}}, rows, nil))(t)
		d := must.For(discretize.New(ctx, m, evidencetest.LogEpsilon(2, 1)))(t)
		sets := must.For(d.Initial(ctx))(t)
		in := func(x, i, v int) bool {
			for _, s := range sets.At[x][i] {
				if s == v {
					return true
				}
			}
			return false
		}
		for x := range n {
			for v := range n {
				level := d.Layer(x, v)
				if level == query.Unreached {
					continue
				}
				want := true
				for y := range n {
					if dist := max(x-y, y-x) + half*(max(x-y, y-x)+1)/2; level > 0 && dist == level && d.Layer(y, v) == 0 {
						want = false
					}
				}
				if in(x, level, v) != want {
					t.Fatalf("rows %v: value %d in R̃_%d^%d is %v, want %v", rows, v, level, x, !want, want)
				}
				if want && level > 0 {
					extra++
				}
			}
		}
		rebuilt := must.For(d.Reconstruct(ctx, layers.Published))(t)
		general := must.For(layers.NewGeneral(ctx, q, evidencetest.LogEpsilon(2, 1), sets, layers.Published))(t)
		differ := 0
		for x := range n {
			for v := range n {
				if general.Layer(x, v) != d.Layer(x, v) {
					differ++
				}
			}
		}
		if len(rebuilt.Differ) != differ || rebuilt.Equal != (differ == 0) || rebuilt.Rule != layers.Published {
			t.Errorf("%d layers differ, want %d: %+v", len(rebuilt.Differ), differ, rebuilt)
		}
		extras := must.For(d.Extras(ctx))(t)
		for i, e := range extras {
			if e.Layer == 0 || !in(e.Dataset, e.Layer, e.Value) || i > 0 && (extras[i-1].Dataset > e.Dataset || extras[i-1].Dataset == e.Dataset && extras[i-1].Layer > e.Layer) {
				t.Errorf("extras %v", extras)
			}
		}
	}
	if extra < 20 {
		t.Errorf("only %d initial values outside R_0", extra)
	}
}
