package lp

import (
	"context"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/must"
)

// The certified bounds hold for any prices and any weights.
func TestCertifyAnything(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 3))
	for trial := range 40 {
		w := big.NewRat(int64(5+rng.IntN(20)), 4)
		p, _ := RandomProgram(rng, w)
		a, b, cost := p.Standard(w, nil)
		want, _ := Simplex(a, b, cost)
		x := &Solution{P: make([]float64, len(p.Row)), Z: make([]float64, 2*len(p.Pairs))}
		for j := range x.P {
			x.P[j] = rng.Float64() + 1e-3
		}
		for k := range x.Z {
			x.Z[k] = 0.3 * rng.ExpFloat64()
		}
		if err := p.certify(t.Context(), x, nil); err != nil {
			t.Fatal(err)
		}
		if ratOf(x.Lo).Cmp(want) > 0 || ratOf(x.Hi).Cmp(want) < 0 {
			t.Errorf("trial %d: [%v, %v] misses %v", trial, x.Lo, x.Hi, want)
		}
	}
}

// Merging does not change the optimum. The reference solves the same programs with every variable separate.
func TestMergingKeepsTheOptimum(t *testing.T) {
	cube := Universe{}
	for x := range 32 {
		cube.Values = append(cube.Values, 0)
		for k := range 5 {
			if x>>k&1 == 1 {
				cube.Values[x]++
				cube.Edges = append(cube.Edges, [2]int{x ^ 1<<k, x})
			}
		}
	}
	for name, u := range map[string]Universe{"line": Line(12), "cube": cube, "graphs": GraphUniverse(4)} {
		for _, worst := range []bool{false, true} {
			p, _ := u.Program(Exp(0.8))
			if worst {
				p.Worst()
			}
			merged := must.For(Solve(context.Background(), p, Options{}))(t)
			cell, rowCell := make([]int32, p.Size()), make([]int32, p.Rows)
			for j := range cell {
				cell[j] = int32(j)
			}
			for i := range rowCell {
				rowCell[i] = int32(i)
			}
			s := newSolver(p.mergeBy(coloring{cell: cell, cells: len(cell), rowCell: rowCell, rowCells: len(rowCell)}))
			best := newBest(s)
			if err := s.run(context.Background(), Options{Aim: 1e-9, Iterations: 100}, best, func() {}); err != nil {
				t.Fatal(err)
			}
			whole := &Solution{}
			whole.P, whole.Z, whole.V = s.lift(best.p, best.z, best.v)
			if err := p.certify(t.Context(), whole, nil); err != nil {
				t.Fatal(err)
			}
			if merged.Lo > whole.Hi || whole.Lo > merged.Hi || whole.Hi-whole.Lo > 1e-7*whole.Hi {
				t.Errorf("%s, worst %v: merged [%v, %v], whole [%v, %v]", name, worst, merged.Lo, merged.Hi, whole.Lo, whole.Hi)
			}
			if name != "graphs" && merged.Cells > p.Size()*3/5 {
				t.Errorf("%s: %d of %d variables left", name, merged.Cells, p.Size())
			}
		}
	}
}
