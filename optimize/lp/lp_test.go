package lp

import (
	"context"
	"math"
	"math/big"
	"math/bits"
	"slices"
	"testing"

	"dpworkbench/interval"
)

// universe is a neighbor graph with integer values.
type universe struct {
	values []int
	edges  [][2]int
}

// graphUniverse enumerates the unlabeled graphs on n nodes by brute force over labelings. The canonical form is the
// least edge mask over all permutations.
func graphUniverse(n int) universe {
	pairs := [][2]int{}
	index := map[[2]int]int{}
	for i := range n {
		for j := i + 1; j < n; j++ {
			index[[2]int{i, j}] = len(pairs)
			pairs = append(pairs, [2]int{i, j})
		}
	}
	var maps [][]int
	perm := make([]int, n)
	for i := range perm {
		perm[i] = i
	}
	var permute func(k int)
	permute = func(k int) {
		if k == n {
			m := make([]int, len(pairs))
			for e, p := range pairs {
				a, b := perm[p[0]], perm[p[1]]
				m[e] = index[[2]int{min(a, b), max(a, b)}]
			}
			maps = append(maps, m)
			return
		}
		for i := k; i < n; i++ {
			perm[k], perm[i] = perm[i], perm[k]
			permute(k + 1)
			perm[k], perm[i] = perm[i], perm[k]
		}
	}
	permute(0)
	canon := make([]int, 1<<len(pairs))
	for i := range canon {
		canon[i] = -1
	}
	var u universe
	for mask := range canon {
		if canon[mask] >= 0 {
			continue
		}
		id := len(u.values)
		for _, m := range maps {
			image := 0
			for rest := mask; rest != 0; rest &= rest - 1 {
				image |= 1 << m[bits.TrailingZeros(uint(rest))]
			}
			canon[image] = id
		}
		count := 0
		for i := range n {
			for j := i + 1; j < n; j++ {
				for k := j + 1; k < n; k++ {
					t := 1<<index[[2]int{i, j}] | 1<<index[[2]int{j, k}] | 1<<index[[2]int{i, k}]
					if mask&t == t {
						count++
					}
				}
			}
		}
		u.values = append(u.values, count)
	}
	seen := map[[2]int]bool{}
	for mask, a := range canon {
		for e := range pairs {
			b := canon[mask^1<<e]
			if a < b && !seen[[2]int{a, b}] {
				seen[[2]int{a, b}] = true
				u.edges = append(u.edges, [2]int{a, b})
			}
		}
	}
	return u
}

func line(n int) universe {
	var u universe
	for i := range n + 1 {
		u.values = append(u.values, i)
		if i > 0 {
			u.edges = append(u.edges, [2]int{i - 1, i})
		}
	}
	return u
}

// program returns the program of the universe. Its variables are numbered x·R + r.
func (u universe) program(w interval.Interval) (*Program, int) {
	rng := slices.Clone(u.values)
	slices.Sort(rng)
	rng = slices.Compact(rng)
	p := &Program{Rows: len(u.values), Ratio: w, Weight: make([]float64, len(u.values))}
	for x, v := range u.values {
		p.Weight[x] = 1
		for _, r := range rng {
			p.Row = append(p.Row, int32(x))
			p.Loss = append(p.Loss, math.Abs(float64(r-v)))
		}
	}
	for _, e := range u.edges {
		for r := range rng {
			p.Pairs = append(p.Pairs, [2]int32{int32(e[0]*len(rng) + r), int32(e[1]*len(rng) + r)})
		}
	}
	return p, len(rng)
}

func (p *Program) worst() *Program {
	p.Level = true
	p.Weight = make([]float64, p.Rows)
	p.Bound = make([]interval.Interval, p.Rows)
	for i := range p.Bound {
		p.Bound[i] = interval.Int(0)
	}
	return p
}

func exp(eps float64) interval.Interval { return interval.Float(eps).Exp() }

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
		u := graphUniverse(c.n)
		p, _ := u.program(exp(c.eps))
		scale := float64(len(u.values))
		if c.worst {
			p.worst()
			scale = 1
		}
		s, err := Solve(context.Background(), p, Options{})
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
		p, _ := graphUniverse(n).program(interval.Int(3))
		x, err := SolveExact(context.Background(), p, big.NewRat(3, 1), 100)
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
		p := &Program{Rows: n, Weight: make([]float64, n), Ratio: interval.Rat(w)}
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
		p.worst()
		x, err := SolveExact(context.Background(), p, w, 100)
		if err != nil {
			t.Fatalf("a cycle of %d: %v", n, err)
		}
		if want := loss.Quo(loss, mass); x.Value.Cmp(want) != 0 {
			t.Errorf("a cycle of %d: %v, want %v", n, x.Value, want)
		}
	}
}
