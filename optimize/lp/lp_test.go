package lp_test

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
	"dpworkbench/optimize/lp"
)

func rat(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }

func TestTriangles(t *testing.T) {
	for _, c := range []struct {
		n     int
		eps   float64
		worst bool
		want  float64
	}{
		{4, 1, false, 0.480580}, {5, 0.5, false, 1.219274}, {5, 1, false, 0.860720}, {5, 2, false, 0.356915},
		{4, 1, true, 0.924189}, {5, 1, true, 1.678223},
	} {
		u := lp.GraphUniverse(c.n)
		p, _ := u.Program(lp.Exp(c.eps))
		scale := float64(len(u.Values))
		if c.worst {
			p.Worst()
			scale = 1
		}
		s, err := lp.Solve(context.Background(), p, lp.Options{})
		if err != nil {
			t.Errorf("n = %d, ε = %g: %v", c.n, c.eps, err)
		}
		if s.Hi/scale < c.want-6e-7 || s.Lo/scale > c.want+6e-7 {
			t.Errorf("n = %d, ε = %g, worst %v: [%v, %v], want %v", c.n, c.eps, c.worst, s.Lo/scale, s.Hi/scale, c.want)
		}
	}
}

func TestExactTriangles(t *testing.T) {
	for n, want := range map[int]string{4: "18545/3888", 5: "3690392/137781"} {
		p, _ := lp.GraphUniverse(n).Program(interval.Int(3))
		x, err := lp.SolveExact(context.Background(), p, big.NewRat(3, 1), 100)
		if err != nil {
			t.Fatalf("n = %d: %v", n, err)
		}
		if got := x.Value.RatString(); got != want {
			t.Errorf("n = %d: %s, want %s", n, got, want)
		}
	}
}

// SolveExact solves programs whose datasets all merge into one row, with the largest loss as objective. On a cycle,
// with the distance to the right value as loss, each step farther away is e^ε less probable.
func TestExactWithOneMergedRow(t *testing.T) {
	w := big.NewRat(3, 1)
	for n := 3; n < 8; n++ {
		p := &lp.Program{Rows: n, Weight: make([]float64, n), Ratio: interval.Rat(w)}
		loss, mass := new(big.Rat), new(big.Rat)
		for x := range n {
			for r := range n {
				d := min((x-r+n)%n, (r-x+n)%n)
				p.Row, p.Loss = append(p.Row, int32(x)), append(p.Loss, float64(d))
				p.Pairs = append(p.Pairs, [2]int32{int32(x*n + r), int32((x+1)%n*n + r)})
				if x == 0 {
					chance := big.NewRat(1, int64(math.Pow(3, float64(d))))
					mass.Add(mass, chance)
					loss.Add(loss, chance.Mul(chance, big.NewRat(int64(d), 1)))
				}
			}
		}
		p.Worst()
		x, err := lp.SolveExact(context.Background(), p, w, 100)
		if err != nil {
			t.Fatalf("a cycle of %d: %v", n, err)
		}
		if want := loss.Quo(loss, mass); x.Value.Cmp(want) != 0 {
			t.Errorf("a cycle of %d: %v, want %v", n, x.Value, want)
		}
	}
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
			p, _ := lp.RandomProgram(rng, w)
			if kind.budgets != nil {
				p.Spend(kind.budgets[trial%len(kind.budgets)])
			}
			var bounds []*big.Rat
			if trial%3 == 2 {
				p.Worst()
				bounds = lp.Zeros(p.Rows)
			}
			a, b, cost := p.Standard(w, bounds)
			want, _ := lp.Simplex(a, b, cost)
			s, err := lp.Solve(context.Background(), p, lp.Options{Width: 1e-5})
			if want.Sign() == 0 {
				if s.Hi > 1e-6 || s.Lo > 0 {
					t.Errorf("%s, trial %d: [%v, %v], want 0", kind.name, trial, s.Lo, s.Hi)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s, trial %d: %v, want %v", kind.name, trial, err, want)
			}
			if s == nil || rat(s.Lo).Cmp(want) > 0 || rat(s.Hi).Cmp(want) < 0 {
				t.Errorf("%s, trial %d: %+v misses %v", kind.name, trial, s, want)
			}
			tried++
			x, err := lp.SolveExact(context.Background(), p, w, 100)
			switch {
			case errors.Is(err, lp.ErrUnidentified) && kind.budgets != nil:
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

// Solve agrees with the simplex tableau on programs with a bound on every row, as in the Pareto objective, and a
// strictly feasible point.
func TestBoundsAgainstSimplex(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 2))
	w := big.NewRat(5, 2)
	for trial := range 20 {
		p, size := lp.RandomProgram(rng, w)
		uniform := make([]float64, len(p.Row))
		loss := make([]float64, p.Rows)
		for j, i := range p.Row {
			uniform[j] = 1
			loss[i] += p.Loss[j] / float64(size)
		}
		bounds := make([]*big.Rat, p.Rows)
		p.Bound = make([]interval.Interval, p.Rows)
		for i := range bounds {
			bounds[i] = rat(math.Ceil(64*loss[i]+1) / 64)
			p.Bound[i] = interval.Rat(bounds[i])
			p.Weight[i]++
		}
		a, b, cost := p.Standard(w, bounds)
		want, ok := lp.Simplex(a, b, cost)
		if !ok {
			t.Fatalf("trial %d: infeasible", trial)
		}
		s, err := lp.Solve(context.Background(), p, lp.Options{Interior: uniform})
		if err != nil && want.Sign() != 0 {
			t.Errorf("trial %d: %v", trial, err)
			continue
		}
		if rat(s.Lo).Cmp(want) > 0 || rat(s.Hi).Cmp(want) < 0 {
			t.Errorf("trial %d: [%v, %v] misses %v", trial, s.Lo, s.Hi, want)
		}
	}
}

// A program may have one variable per row. SolveExact merges the same variables as Solve.
func TestSmallAndMergedPrograms(t *testing.T) {
	p := &lp.Program{Rows: 2, Row: []int32{0, 1}, Loss: []float64{2, 3}, Weight: []float64{1, 1}, Ratio: interval.Int(2), Pairs: [][2]int32{{0, 1}}}
	if x, err := lp.Solve(t.Context(), p, lp.Options{}); err != nil || math.Abs(x.Hi-5) > 1e-5 {
		t.Errorf("one variable a row: %+v, %v, want 5", x, err)
	}
	q, _ := lp.Line(12).Program(interval.Int(3))
	x := must.For(lp.Solve(t.Context(), q, lp.Options{}))(t)
	if y, err := lp.SolveExact(t.Context(), q, big.NewRat(3, 1), 20); err != nil || y.Cells != x.Cells || x.Cells >= q.Size() {
		t.Errorf("%d cells, %v, want %d of %d", y.Cells, err, x.Cells, q.Size())
	}
}
