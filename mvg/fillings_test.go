package mvg

import (
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/interval"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A filling of gains spends its budget at one price, the price of each precision that is used, and
// no less than those that are not would have; residuals say by how much that fails.
func TestFillingsMeetTheirConditions(t *testing.T) {
	rng := rand.New(rand.NewPCG(107, 1))
	for k := range 200 {
		norm, rows, columns := Norm(k%2), 1+rng.IntN(4), 1+rng.IntN(3)
		left, right, q := make([]float64, rows), make([]float64, columns), make([]float64, columns)
		for i := range left {
			left[i] = math.Exp(4 * rng.NormFloat64())
		}
		for i := range right {
			right[i], q[i] = math.Exp(rng.NormFloat64()), rng.Float64()
		}
		c := outerGains(left, right, q)
		for a := range c {
			for b, v := range c[a] {
				if want := left[a] * right[b] * q[b]; math.Abs(v-want) > 1e-15*want {
					t.Fatalf("gain %v, want %v", v, want)
				}
			}
		}
		budget := math.Exp(3 * rng.NormFloat64())
		slope := func(a int, p float64) float64 {
			sum := 0.0
			for _, v := range c[a] {
				sum += v / (1 + v*p)
			}
			return sum
		}
		price := func(p []float64) (lo, hi, idle float64) {
			lo = math.Inf(1)
			for a, v := range p {
				at := slope(a, v)
				if v == 0 && norm == L1 {
					idle = math.Max(idle, at)
				}
				if v > 0 {
					if norm == L2 {
						at /= 2 * v
					}
					lo, hi = math.Min(lo, at), math.Max(hi, at)
				}
			}
			return lo, hi, idle
		}
		p := fillGains(c, budget, norm)
		if spent := floats.Norm(p, float64(norm)+1); math.Abs(spent-budget) > 1e-14*budget {
			t.Errorf("norm %d: %v of a budget of %v is spent", norm, spent, budget)
		}
		lo, hi, idle := price(p)
		if hi > lo*(1+1e-9) || idle > lo*(1+1e-9) {
			t.Errorf("norm %d: prices from %v to %v, idle ones to %v", norm, lo, hi, idle)
		}
		for a := range p {
			if p[a] *= 0.5 + rng.Float64(); rng.IntN(4) == 0 && a > 0 {
				p[a] = 0
			}
		}
		lo, hi, idle = price(p)
		if got, want := gainResidual(c, p, norm), math.Max(hi, idle)/lo-1; math.Abs(got-want) > 1e-13*(1+want) {
			t.Errorf("norm %d: residual %v, want %v", norm, got, want)
		}
		// At a price, a precision by itself.
		nu := math.Exp(3 * rng.NormFloat64())
		root := solveMarginal(c[0], nu, norm)
		switch {
		case norm == L1 && root == 0:
			if slope(0, 0) > nu {
				t.Errorf("no precision at %v, where the first is worth %v", nu, slope(0, 0))
			}
		case norm == L1:
			if at := slope(0, root); math.Abs(at-nu) > 1e-11*nu {
				t.Errorf("a precision of %v is worth %v, want %v", root, at, nu)
			}
		default:
			if at := slope(0, root); math.Abs(at-2*nu*root) > 1e-12*at {
				t.Errorf("a precision of %v is worth %v, want %v", root, at, 2*nu*root)
			}
		}
	}
	for k := range 20 {
		problem := KroneckerProblem{Budget: 2, Norm: Norm(k % 2), Starts: 2}
		for range 3 {
			problem.Rows, problem.Columns = append(problem.Rows, math.Exp(3*rng.NormFloat64())), append(problem.Columns, math.Exp(3*rng.NormFloat64()))
		}
		f := ok(FillKronecker(t.Context(), problem, rand.NewPCG(1, uint64(k))))
		a := gainResidual(outerGains(problem.Rows, problem.Columns, f.Columns), f.Rows, problem.Norm)
		b := gainResidual(outerGains(problem.Columns, problem.Rows, f.Rows), f.Columns, problem.Norm)
		if f.Residual != math.Max(a, b) || f.Starts != 3 || f.Found < 1 || f.Found > 3 {
			t.Errorf("residual %v of %v and %v, %d of %d starts", f.Residual, a, b, f.Found, f.Starts)
		}
	}
	if p := fillGains([][]float64{{1e-30}, {1e-30}, {1e-31}}, 2, L1); p[0] != 1 || p[1] != 1 || p[2] != 0 {
		t.Errorf("gains below rounding share as %v", p)
	}
	for _, norm := range []Norm{L1, L2} {
		if p := solveMarginal([]float64{0, 0}, 1, norm); p != 0 {
			t.Errorf("a precision of %v for no gain", p)
		}
	}
	for range 100 {
		l := exactly([]float64{math.Exp(5 * rng.NormFloat64()), math.Exp(5 * rng.NormFloat64()), 0})
		budget := math.Exp(20 * rng.NormFloat64())
		want := fillSquares(l, interval.Float(budget)).KnownLevel
		if got := squaresLevel(l, budget).Mid(); math.Abs(got-want.Lo) > 1e-12*want.Lo {
			t.Errorf("level %v, want %v", got, want)
		}
	}
}

// The preferred direction of a replaced record, and its share, are the best of a grid.
func TestPairAgainstGrid(t *testing.T) {
	rng := rand.New(rand.NewPCG(107, 2))
	for k := range 40 {
		m := 2 + rng.IntN(2)
		o := &optimizer{ctx: t.Context(), recipe: Recipe{Mode: Mode(k % 2)}, goal: Goal{MostInformation, make([]float64, m)}}
		for i := range o.goal.Weights {
			o.goal.Weights[i] = math.Exp(2 * rng.NormFloat64())
		}
		radius := math.Exp(rng.NormFloat64())
		value := func(at int, first, second float64) (sum float64) {
			for i, w := range o.goal.Weights {
				p := second
				if i == at {
					p = first
				}
				sum += math.Log1p(w * radius * p)
			}
			return sum
		}
		best, at := 0.0, 0
		for i := range m {
			for step := range 501 {
				u := 0.5 + float64(step)/1000
				first, second := u, 1-u
				if o.recipe.Mode == Equimodal {
					first, second = math.Sqrt(u), math.Sqrt(1-u)
				}
				if v := value(i, first, second); v > best*(1+1e-12) {
					best, at = v, i
				}
			}
		}
		got, first, second, err := o.pair(radius)
		if err != nil {
			t.Fatal(err)
		}
		if v := value(got, first, second); v < best*(1-1e-12) || v > best*(1+1e-4) {
			t.Errorf("mode %d, λ = %v: %d has %v and the others %v, which is worth %v; a grid finds %v for %d", o.recipe.Mode, o.goal.Weights, got, first, second, v, best, at)
		}
		if spent := first + second; o.recipe.Mode == Unimodal && math.Abs(spent-1) > 1e-15 {
			t.Errorf("%v is spent", spent)
		}
		if spent := math.Hypot(first, second); o.recipe.Mode == Equimodal && math.Abs(spent-1) > 1e-15 {
			t.Errorf("%v is spent", spent)
		}
		for i, v := range o.negligible {
			if v != 1e-20*radius {
				t.Errorf("direction %d: negligible is %v", i, v)
			}
		}
	}
}

// A search starts where, were the largest term of every sum all of it, the optimum would be.
func TestStartsBalance(t *testing.T) {
	rng := rand.New(rand.NewPCG(107, 3))
	for k := range 60 {
		mode, m, n := Mode(k%3), 3, 2
		if mode == Equimodal {
			n = m
		}
		weights := []float64{1, math.Exp(5 * rng.NormFloat64()), math.Exp(5 * rng.NormFloat64())}
		g := &geodesic{mode: mode, root: diagonalRoots(weights)}
		for range 3 {
			d := normalMatrix(m, n, rng)
			for i := range m {
				floats.Scale(math.Exp(20*rng.NormFloat64()), d.RawRowView(i))
			}
			g.list = append(g.list, d)
		}
		a, b := g.start()
		square := func(x *mat.Dense, i int) float64 { return math.Log(x.At(i, i)) * 2 }
		largest := func(i, j int) float64 {
			top := 0.0
			for _, d := range g.list {
				if top = math.Max(top, math.Abs(d.At(i, j))); mode == Equimodal {
					top = math.Max(top, math.Abs(d.At(j, i)))
				}
			}
			return 2 * math.Log(top)
		}
		// ln p_i − ½ ln w_i + ½ max_j (ln Δ_ij² + ln q_j) is one number.
		var off []float64
		for i := range m {
			top := math.Inf(-1)
			for j := range n {
				q := 0.0
				if mode != Unimodal {
					q = square(b, j)
				}
				top = math.Max(top, largest(i, j)+q)
			}
			off = append(off, square(a, i)-math.Log(weights[i])/2+top/2)
		}
		if apart := floats.Max(off) - floats.Min(off); apart > 1e-3 {
			t.Errorf("mode %d: rows are out of balance by %v", mode, apart)
		}
		if (b == nil) != (mode == Unimodal) || mode == Equimodal && b != a {
			t.Errorf("mode %d: factors %v and %v", mode, a, b)
		}
		if mode != Bimodal {
			continue
		}
		off = nil
		for j := range n {
			top := math.Inf(-1)
			for i := range m {
				top = math.Max(top, largest(i, j)+square(a, i))
			}
			off = append(off, square(b, j)+top/2)
		}
		if apart := floats.Max(off) - floats.Min(off); apart > 1e-3 {
			t.Errorf("columns are out of balance by %v", apart)
		}
	}
	e := exponentials([]float64{-3, 1, 2})
	if v := e.At(0, 0) * e.At(2, 2); math.Abs(v-1) > 1e-15 || math.Abs(e.At(1, 1)/e.At(0, 0)-math.Exp(2)) > 1e-14 || e.At(0, 1) != 0 {
		t.Errorf("exponentials %v", mat.Formatted(e))
	}
}
