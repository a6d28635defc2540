package lp_test

import (
	"context"
	"math"
	"math/big"
	"testing"

	"dpworkbench/interval"
	"dpworkbench/optimize/lp"
)

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

// Equivalent datasets merge into one row, and the worst row is exact too. On a cycle, with the distance to the right
// value as loss, each step farther away is e^ε less probable.
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
