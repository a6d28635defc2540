package lp

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// A full Newton step leaves no residual of the linear equations, and of each product what
// it was asked to, wherever the iterate is.
func TestNewtonSteps(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	for trial := range 120 {
		w := big.NewRat(rng.Int64N(40)+11, 10)
		p, _ := furnished(rng, w)
		if trial%4 == 0 {
			p, _ = line(3 + trial/4).program(exp(0.7))
			if trial%8 == 0 {
				p.worst()
			}
		}
		s := newSolver(p.merge())
		for j := range s.p {
			s.p[j] *= 1 + 0.02*rng.Float64()
			s.q[j] = 0.1 + rng.Float64()
		}
		for k, e := range s.pairs {
			s.s[2*k], s.s[2*k+1] = s.w*s.p[e[1]]-s.p[e[0]], s.w*s.p[e[0]]-s.p[e[1]]
		}
		for _, x := range [][]float64{s.z, s.u, s.v} {
			for i := range x {
				x[i] = 0.1 + rng.Float64()
			}
		}
		for _, x := range [][]float64{s.y, s.term.q, s.term.z, s.term.v} {
			for i := range x {
				x[i] = rng.NormFloat64()
			}
		}
		if p.Level {
			s.t = rng.NormFloat64()
		}
		s.term.q, s.term.z, s.term.v = s.term.q[:len(s.q)], s.term.z[:len(s.z)], s.term.v[:len(s.v)]
		if err := s.assemble(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.residuals()
		s.direction()
		d, largest := s.step, 0.0
		for _, x := range [][]float64{d.p, d.q, d.s, d.z, d.u, d.v, d.y, s.residual.p, s.z, s.q} {
			for _, v := range x {
				largest = math.Max(largest, math.Abs(v))
			}
		}
		check := func(what string, x []float64) {
			for i, v := range x {
				if !(math.Abs(v) <= 1e-7*(1+largest)) {
					t.Fatalf("trial %d: %s[%d] misses %g (step %g)", trial, what, i, v, largest)
				}
			}
		}
		products := func(what string, a, b, da, db, term []float64) {
			miss := make([]float64, len(a))
			for i := range a {
				miss[i] = a[i]*db[i] + b[i]*da[i] - term[i]
			}
			check(what, miss)
		}
		products("p·q", s.p, s.q, d.p, d.q, s.term.q)
		products("s·z", s.s, s.z, d.s, d.z, s.term.z)
		products("u·v", s.u, s.v, d.u, d.v, s.term.v)
		for _, x := range [][2][]float64{{s.p, d.p}, {s.q, d.q}, {s.s, d.s}, {s.z, d.z}, {s.u, d.u}, {s.v, d.v}, {s.y, d.y}} {
			for i, v := range x[1] {
				x[0][i] += v
			}
		}
		s.t += d.t
		s.residuals()
		check("dual row", s.residual.p)
		check("row sum", s.residual.y)
		check("slack", s.residual.s)
		check("bound", s.residual.u)
		if p.Level {
			check("level", []float64{s.residual.t})
		}
	}
}

// The residuals are those of the equations as they are written, and the start has none of
// the rows and of the dual.
func TestResidualsOfTheStart(t *testing.T) {
	for _, worst := range []bool{false, true} {
		p, _ := line(4).program(exp(0.7))
		if worst {
			p.worst()
		}
		s := newSolver(p.merge())
		s.residuals()
		for what, x := range map[string][]float64{"dual": s.residual.p, "row": s.residual.y, "slack": s.residual.s, "prices of bounds": {s.residual.t}} {
			for i, v := range x {
				if math.Abs(v) > 1e-13 {
					t.Errorf("worst %v: %s %d misses %g", worst, what, i, v)
				}
			}
		}
		for what, x := range map[string][]float64{"p": s.p, "q": s.q, "s": s.s, "z": s.z, "u": s.u, "v": s.v} {
			for i, v := range x {
				if !(v > 0) {
					t.Errorf("worst %v: %s[%d] = %v", worst, what, i, v)
				}
			}
		}
		// Complementarity is of one size throughout, that of the spread of costs.
		mu := s.mu()
		for j, v := range s.p {
			if s.q[j]*v < 0.1*mu/float64(len(s.p)) {
				t.Errorf("worst %v: p·q = %v of %v", worst, s.q[j]*v, mu)
			}
		}
		s.z[0] += 2
		s.residuals()
		a, b := s.pairs[0][0], s.pairs[0][1]
		if math.Abs(s.residual.p[a]-2) > 1e-12 || math.Abs(s.residual.p[b]+2*s.w) > 1e-12 {
			t.Errorf("worst %v: a price of 2 moves the dual by %v and %v", worst, s.residual.p[a], s.residual.p[b])
		}
	}
}

// With budgets too the start misses nothing of the dual and has positive variables and prices alone.
func TestStartWithBudgets(t *testing.T) {
	for _, worst := range []bool{false, true} {
		p, _ := line(4).program(exp(0.7))
		if p.spend(big.NewRat(1, 10)); worst {
			p.worst()
		}
		s := newSolver(p.merge())
		s.residuals()
		for what, x := range map[string][]float64{"dual": s.residual.p, "dual of what exceeds": s.residual.o, "row": s.residual.y, "slack": s.residual.s, "budget": s.residual.h, "prices of bounds": {s.residual.t}} {
			for i, v := range x {
				if math.Abs(v) > 1e-13 {
					t.Errorf("worst %v: %s %d misses %g", worst, what, i, v)
				}
			}
		}
		for what, x := range map[string][]float64{"p": s.p, "q": s.q, "s": s.s, "z": s.z, "u": s.u, "v": s.v, "o": s.o, "f": s.f, "h": s.h, "c": s.c} {
			for i, v := range x {
				if !(v > 0) {
					t.Errorf("worst %v: %s[%d] = %v", worst, what, i, v)
				}
			}
		}
		// The mean complementarity, whichever the products are.
		next := 0.0
		for _, x := range [][2][]float64{{s.p, s.q}, {s.s, s.z}, {s.u, s.v}, {s.o, s.f}, {s.h, s.c}} {
			for i := range x[0] {
				next++
				x[0][i], x[1][i] = next, (next+1)/next
			}
		}
		if got, want := s.mu(), (next+1)/2+1; math.Abs(got-want) > 1e-12*want {
			t.Errorf("worst %v: products of 2 to %v have the mean %v, want %v", worst, next+1, got, want)
		}
	}
}

// Whatever the iterate is, what its gap says is on either side of the optimum; the bound
// is the floor of its prices.
func TestGapsOfAnyIterate(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 2))
	for trial := range 60 {
		w := big.NewRat(rng.Int64N(40)+11, 10)
		p, _ := randomProgram(rng, w)
		var bounds []*big.Rat
		if trial%2 == 1 {
			p.worst()
			bounds = Zeros(p.Rows)
		}
		a, b, cost := p.standard(w, bounds)
		optimum, _ := simplex(a, b, cost)
		want, _ := optimum.Float64()
		s := newSolver(p.merge())
		for range 5 {
			for _, x := range [][]float64{s.p, s.z, s.v} {
				for i := range x {
					x[i] = rng.ExpFloat64()
				}
			}
			value, bound := s.gap()
			if !(value >= want-1e-12*(1+want) && bound <= want+1e-12*(1+want)) {
				t.Fatalf("trial %d: gap from %v to %v, the optimum is %v", trial, bound, value, want)
			}
			_, z, v := s.lift(s.p, s.z, s.v)
			if lo, _ := p.floor(z, v).Bounds(); math.Abs(lo-bound) > 1e-10*(1+math.Abs(lo)) {
				t.Fatalf("trial %d: bound %v, the floor of the prices is %v", trial, bound, lo)
			}
			for j := range s.p { // now feasible: the uniform point and a little
				s.p[j] = (1 + 0.01*rng.Float64()) / float64(len(p.Row)/p.Rows)
			}
			weights, _, _ := s.lift(s.p, s.z, s.v)
			value, _ = s.gap()
			if _, hi := p.value(weights).Bounds(); math.Abs(value-hi) > 1e-12*(1+hi) {
				t.Fatalf("trial %d: value %v of a feasible point, want %v", trial, value, hi)
			}
		}
	}
}

// The factorization by panels is one, for orders of one panel and of several, and stops
// with its context; what is singular is raised, and what is not positive refused.
func TestPanels(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 3))
	for _, n := range []int{1, 5, 128, 129, 300} {
		g := make([]float64, n*n)
		for i := range g {
			g[i] = rng.NormFloat64()
		}
		a := make([]float64, n*n)
		for i := range n {
			for j := i; j < n; j++ {
				for k := range n {
					a[i*n+j] += g[i*n+k] * g[j*n+k]
				}
				if i == j {
					a[i*n+j] += float64(n)
				}
			}
		}
		u := append([]float64(nil), a...)
		if !cholesky(t.Context(), n, u) {
			t.Fatalf("order %d: no factor", n)
		}
		for i := 0; i < n; i += max(1, n/40) {
			for j := i; j < n; j++ {
				sum := 0.0
				for k := range i + 1 {
					sum += u[k*n+i] * u[k*n+j]
				}
				if math.Abs(sum-a[i*n+j]) > 1e-11*float64(n) {
					t.Fatalf("order %d: UᵀU[%d][%d] = %v, want %v", n, i, j, sum, a[i*n+j])
				}
			}
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if cholesky(ended, n, append([]float64(nil), a...)) || panels(ended, n, append([]float64(nil), a...)) {
			t.Errorf("order %d: factored after its context", n)
		}
	}
	if singular := []float64{1, 1, 0, 1}; !cholesky(t.Context(), 2, singular) {
		t.Error("a singular matrix is not raised")
	}
	if indefinite := []float64{1, 3, 0, 1}; cholesky(t.Context(), 2, indefinite) {
		t.Error("an indefinite matrix has a factor")
	}
}

// An interrupted solve has a certified answer and its context's error, and so has one that
// runs out of steps; the aim and the default width are kept.
func TestSolveEnds(t *testing.T) {
	p, _ := line(6).program(exp(0.8))
	want, err := Solve(t.Context(), p, Options{})
	if err != nil || want.Hi-want.Lo > 1e-6*want.Hi {
		t.Fatalf("%+v, %v", want, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	x, err := Solve(ended, p, Options{Outer: t.Context()})
	if x == nil || x.Iterations != 0 || err != ended.Err() || !(x.Lo <= want.Hi && x.Hi >= want.Lo) || math.IsInf(x.Hi, 1) {
		t.Errorf("ended: %+v, %v", x, err)
	}
	for _, steps := range []int{1, 3} {
		x, err := Solve(t.Context(), p, Options{Iterations: steps})
		if x == nil || x.Iterations != steps || err == nil || !(x.Lo <= want.Hi && x.Hi >= want.Lo) {
			t.Errorf("%d steps: %+v, %v", steps, x, err)
		}
	}
	wide, err := Solve(t.Context(), p, Options{Width: 0.5, Aim: 0.3})
	if err != nil || wide.Iterations >= want.Iterations || wide.Hi-wide.Lo > 0.5*wide.Hi {
		t.Errorf("to a half: %+v, %v, all the way takes %d steps", wide, err, want.Iterations)
	}
}

// Steps are at most 1, and no longer than either side's variables stay positive.
func TestLengthsOfSteps(t *testing.T) {
	p, _ := line(3).program(exp(0.8))
	s := newSolver(p.worst().merge())
	d := s.step
	clearAll := func() {
		for _, x := range [][]float64{d.p, d.q, d.s, d.z, d.u, d.v} {
			clear(x)
		}
	}
	clearAll()
	if a, b := s.lengths(); a != 1 || b != 1 {
		t.Errorf("no step: lengths %v and %v", a, b)
	}
	for k, c := range []struct {
		x, dx  []float64
		primal bool
	}{{s.p, d.p, true}, {s.s, d.s, true}, {s.u, d.u, true}, {s.q, d.q, false}, {s.z, d.z, false}, {s.v, d.v, false}} {
		clearAll()
		for i, v := range c.x {
			c.dx[i] = 3 * v
		}
		c.dx[1], c.dx[0] = -4*c.x[1], -2*c.x[0]
		a, b := s.lengths()
		if !c.primal {
			a, b = b, a
		}
		if math.Abs(a-0.25) > 1e-15 || b != 1 {
			t.Errorf("side %d: lengths %v and %v, want ¼ and 1", k, a, b)
		}
	}
}

// What is taken from the upper triangle of a level is a product by definition, also where its sums are longer than 64
// terms: whole numbers, without rounding.
func TestLessOuter(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 7))
	for _, c := range [][2]int{{1, 1}, {3, 130}, {33, 5}, {64, 65}, {65, 63}, {65, 64}, {66, 65}, {70, 150}} {
		w, m := c[0], c[1]
		stride := max(w, m) + 2
		d, a, b := make([]float64, w*stride), make([]float64, w*stride), make([]float64, w*m)
		for _, x := range [][]float64{d, a, b} {
			for i := range x {
				x[i] = float64(rng.IntN(19) - 9)
			}
		}
		want := append([]float64(nil), d...)
		for i := range w {
			for j := i; j < w; j++ {
				for k := range m {
					want[i*stride+j] -= a[i*stride+k] * b[j*m+k]
				}
			}
		}
		lessOuter(w, m, d, a, stride, b)
		for i := range w {
			for j := i; j < w; j++ {
				if d[i*stride+j] != want[i*stride+j] {
					t.Fatalf("%d×%d: entry %d, %d is %v, want %v", w, m, i, j, d[i*stride+j], want[i*stride+j])
				}
			}
		}
	}
}
