package lp

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/cases"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
)

// simplex minimises cost·x over a x = b, x ≥ 0, b ≥ 0, by the two-phase tableau method with Bland's rule, in rational
// arithmetic. It returns false if the problem is infeasible.
func simplex(a [][]*big.Rat, b, cost []*big.Rat) (*big.Rat, bool) {
	rows, cols := len(a), len(cost)
	width := cols + rows + 1
	t := make([][]*big.Rat, rows)
	basis := make([]int, rows)
	for i := range t {
		t[i] = Zeros(width)
		for j, v := range a[i] {
			t[i][j].Set(v)
		}
		t[i][cols+i].SetInt64(1)
		t[i][width-1].Set(b[i])
		basis[i] = cols + i
	}
	pivot := func(row []*big.Rat, i, j int) {
		f := new(big.Rat).Set(row[j])
		if f.Sign() == 0 {
			return
		}
		for k := range row {
			if t[i][k].Sign() != 0 {
				row[k].Sub(row[k], new(big.Rat).Mul(f, t[i][k]))
			}
		}
	}
	run := func(objective []*big.Rat, limit int) *big.Rat {
		z := Zeros(width)
		for j, v := range objective {
			z[j].Set(v)
		}
		for i, j := range basis {
			pivot(z, i, j)
		}
		for {
			enter := -1
			for j := range limit {
				if z[j].Sign() < 0 {
					enter = j
					break
				}
			}
			if enter < 0 {
				return new(big.Rat).Neg(z[width-1])
			}
			leave := -1
			var least *big.Rat
			for i := range t {
				if t[i][enter].Sign() <= 0 {
					continue
				}
				ratio := new(big.Rat).Quo(t[i][width-1], t[i][enter])
				if leave < 0 || ratio.Cmp(least) < 0 || ratio.Cmp(least) == 0 && basis[i] < basis[leave] {
					leave, least = i, ratio
				}
			}
			if leave < 0 {
				panic("unbounded")
			}
			by := new(big.Rat).Inv(t[leave][enter])
			for k := range t[leave] {
				t[leave][k].Mul(t[leave][k], by)
			}
			for i := range t {
				if i != leave {
					pivot(t[i], leave, enter)
				}
			}
			pivot(z, leave, enter)
			basis[leave] = enter
		}
	}
	artificial := Zeros(cols + rows)
	for i := range rows {
		artificial[cols+i].SetInt64(1)
	}
	if run(artificial, cols+rows).Sign() != 0 {
		return nil, false
	}
	return run(cost, cols), true // artificials left in the basis are and stay 0
}

// standard returns the program in the standard form of simplex, with its bounds as rationals.
func (p *Program) standard(w *big.Rat, bounds []*big.Rat) (a [][]*big.Rat, b, cost []*big.Rat) {
	n := len(p.Row)
	cols := n + 2*len(p.Pairs)
	if p.Bound != nil {
		cols += p.Rows
	}
	excess := cols // slack of the constraints, then of the budgets
	if p.Delta != nil {
		cols += 2*len(p.Pairs) + p.Budgets
	}
	level := cols
	if p.Level { // t ≥ 0 in all tests: losses are not negative and bounds 0
		cols++
	}
	line := func(right *big.Rat) []*big.Rat {
		a, b = append(a, Zeros(cols)), append(b, right)
		return a[len(a)-1]
	}
	for i := range p.Rows {
		l := line(big.NewRat(1, 1))
		for j, r := range p.Row {
			if int(r) == i {
				l[j].SetInt64(1)
			}
		}
	}
	for k, e := range p.Pairs {
		for side := range 2 { // w p_small − p_large − slack = 0
			l := line(new(big.Rat))
			l[e[1-side]].Set(w)
			l[e[side]].SetInt64(-1)
			l[n+2*k+side].SetInt64(-1)
			if p.Delta != nil {
				l[excess+2*k+side].SetInt64(1)
			}
		}
	}
	if p.Delta != nil {
		for g := range p.Budgets {
			l := line(p.Delta)
			for k, own := range p.Budget {
				if int(own) == g {
					l[excess+k].SetInt64(1)
				}
			}
			l[excess+2*len(p.Pairs)+g].SetInt64(1)
		}
	}
	cost = Zeros(cols)
	for j, i := range p.Row {
		cost[j].Mul(ratOf(p.Weight[i]), ratOf(p.Loss[j]))
	}
	for i := range p.Bound { // Σ loss p + slack − t = bound
		l := line(bounds[i])
		for j, r := range p.Row {
			if int(r) == i {
				l[j].Set(ratOf(p.Loss[j]))
			}
		}
		l[n+2*len(p.Pairs)+i].SetInt64(1)
		if p.Level {
			l[level].SetInt64(-1)
		}
	}
	if p.Level {
		cost[level].SetInt64(1)
	}
	return a, b, cost
}

// randomProgram draws a universe of 2 to 5 datasets and 2 to 4 values.
func randomProgram(rng *rand.Rand, w *big.Rat) (*Program, int) {
	u := Universe{}
	n := 2 + rng.IntN(4)
	for x := range n {
		u.Values = append(u.Values, rng.IntN(4))
		for y := range x {
			if rng.IntN(3) > 0 {
				u.Edges = append(u.Edges, [2]int{y, x})
			}
		}
	}
	u.Values[0], u.Values[1] = 0, 1+rng.IntN(3)
	p, size := u.Program(interval.Rat(w))
	for x := range p.Weight {
		p.Weight[x] = float64(rng.IntN(4))
	}
	p.Weight[0] = 1
	return p, size
}

// Solve and SolveExact agree with the simplex tableau on programs of every kind: disconnected, with weights 0, with
// symmetric datasets, with an optimum of 0, and with budgets of every size.
func TestAgainstSimplex(t *testing.T) {
	trials := cases.Of(30, 60)
	for _, kind := range []struct {
		name    string
		seed    [2]uint64
		budgets []*big.Rat // nil for none
	}{
		{"no budgets", [2]uint64{4, 1}, nil},
		{"budgets", [2]uint64{24, 3}, []*big.Rat{big.NewRat(1, 100), big.NewRat(1, 7), big.NewRat(1, 3), big.NewRat(2, 3), big.NewRat(1, 1000000)}},
	} {
		rng := rand.New(rand.NewPCG(kind.seed[0], kind.seed[1]))
		found, tried := 0, 0
		for trial := range trials {
			w := big.NewRat(int64(5+rng.IntN(20)), 4)
			p, _ := randomProgram(rng, w)
			if kind.budgets != nil {
				p.Spend(kind.budgets[trial%len(kind.budgets)])
			}
			var bounds []*big.Rat
			if trial%3 == 2 {
				p.Worst()
				bounds = Zeros(p.Rows)
			}
			a, b, cost := p.standard(w, bounds)
			want, _ := simplex(a, b, cost)
			s, err := Solve(context.Background(), p, Options{Width: 1e-5})
			if want.Sign() == 0 {
				if s.Hi > 1e-6 || s.Lo > 0 {
					t.Errorf("%s, trial %d: [%v, %v], want 0", kind.name, trial, s.Lo, s.Hi)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s, trial %d: %v, want %v", kind.name, trial, err, want)
			}
			if s == nil || ratOf(s.Lo).Cmp(want) > 0 || ratOf(s.Hi).Cmp(want) < 0 {
				t.Errorf("%s, trial %d: %+v misses %v", kind.name, trial, s, want)
			}
			tried++
			x, err := SolveExact(context.Background(), p, w, 100)
			switch {
			case errors.Is(err, ErrUnidentified) && kind.budgets != nil:
				t.Logf("%s, trial %d: %v", kind.name, trial, err)
			case err != nil:
				t.Errorf("%s, trial %d: %v", kind.name, trial, err)
			default:
				if found++; x.Value.Cmp(want) != 0 {
					t.Errorf("%s, trial %d: exact %v, want %v", kind.name, trial, x.Value, want)
				}
			}
		}
		if tried < trials/2 || found < tried-2 {
			t.Errorf("%s: only %d of %d are solved exactly", kind.name, found, tried)
		}
	}
}

// Programs with a bound on every row, as in the Pareto objective, and a strictly feasible point.
func TestBoundsAgainstSimplex(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 2))
	w := big.NewRat(5, 2)
	for trial := range 20 {
		p, size := randomProgram(rng, w)
		uniform := make([]float64, len(p.Row))
		loss := make([]float64, p.Rows)
		for j, i := range p.Row {
			uniform[j] = 1
			loss[i] += p.Loss[j] / float64(size)
		}
		bounds := make([]*big.Rat, p.Rows)
		p.Bound = make([]interval.Interval, p.Rows)
		for i := range bounds {
			bounds[i] = ratOf(math.Ceil(64*loss[i]+1) / 64)
			p.Bound[i] = interval.Rat(bounds[i])
			p.Weight[i]++
		}
		a, b, cost := p.standard(w, bounds)
		want, ok := simplex(a, b, cost)
		if !ok {
			t.Fatalf("trial %d: infeasible", trial)
		}
		s, err := Solve(context.Background(), p, Options{Interior: uniform})
		if err != nil && want.Sign() != 0 {
			t.Errorf("trial %d: %v", trial, err)
			continue
		}
		if ratOf(s.Lo).Cmp(want) > 0 || ratOf(s.Hi).Cmp(want) < 0 {
			t.Errorf("trial %d: [%v, %v] misses %v", trial, s.Lo, s.Hi, want)
		}
	}
}

// The certified bounds hold for any prices and any weights.
func TestCertifyAnything(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 3))
	for trial := range 40 {
		w := big.NewRat(int64(5+rng.IntN(20)), 4)
		p, _ := randomProgram(rng, w)
		a, b, cost := p.standard(w, nil)
		want, _ := simplex(a, b, cost)
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
