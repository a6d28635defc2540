package mvg

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/mvg/internal/symmetric"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// quadratically checks that Newton's steps converge as they do where slopes and curvatures
// are right: the squared decrement, in units of the barrier, is squared by a step that
// starts close, and goes down to rounding.
func quadratically(t *testing.T, name string, most int, step func() (decrement float64, ok bool)) {
	t.Helper()
	var seen []float64
	for range most {
		v, ok := step()
		if !ok || !(v >= 0) {
			t.Errorf("%s: no step, or one of decrement %v, after %v", name, v, seen)
			return
		}
		if seen = append(seen, v); v < 1e-18 {
			return
		}
		if k := len(seen) - 2; k >= 0 && seen[k] < 1e-3 && v > 1e-18+40*seen[k]*seen[k] {
			t.Errorf("%s: decrements %v", name, seen)
			return
		}
	}
	t.Errorf("%s: decrements %v", name, seen)
}

// Newton's equations of the four interior point methods have the slopes and curvatures of what
// they minimise, and the point that they lead to is the least about it.
func TestNewtonSteps(t *testing.T) {
	rng := rand.New(rand.NewPCG(101, 1))
	const tau = 0.1
	damped := func(decrement float64) float64 { // as for self-concordant functions
		if d := math.Sqrt(math.Max(decrement, 0)); d > 0.2 {
			return 1 / (1 + d)
		}
		return 1
	}
	for k := range 10 {
		mode, diagonal := Mode(k%5%3), k%5 > 2
		if diagonal {
			mode = Mode(k%5 - 3)
		}
		m, n := 3, 2
		if mode == Equimodal {
			n = m
		}
		g := &geodesic{mode: mode, diagonal: diagonal, root: diagonalRoots([]float64{1, 5, 0.3})}
		for range 4 {
			g.list = append(g.list, normalMatrix(m, n, rng))
		}
		c := ok(g.chart(g.start()))
		s := floats.Max(c.constraints()) + 1
		name := fmt.Sprintf("geodesic, mode %d, diagonal %v", mode, diagonal)
		shares := func() []float64 {
			y := c.constraints()
			for k, v := range y {
				y[k] = tau / (s - v)
			}
			return y
		}
		quadratically(t, name, 40, func() (float64, bool) {
			c = g.turned(c)
			step := g.newton(t.Context(), c, s, shares(), tau)
			if step == nil {
				return 0, false
			}
			size := damped(step.decrement / tau)
			c, s = g.move(c, step.h, step.k, size), s+size*step.s
			return step.decrement / tau, true
		})
		// From P and Q themselves.
		merit := func(c *chart, s float64) float64 {
			of := func(a, of *mat.Dense) float64 {
				var inverse mat.Dense
				if err := inverse.Inverse(gramOf(a)); err != nil {
					t.Fatal(err)
				}
				return math.Log(mat.Trace(product(of.T(), product(&inverse, of))))
			}
			v, q := of(c.a, g.root), symmetric.Multiple(n, 1)
			switch mode {
			case Equimodal:
				v, q = 2*v, gramOf(c.a)
			case Bimodal:
				v, q = v+of(c.b, symmetric.Eye(n)), gramOf(c.b)
			}
			for _, d := range g.list {
				v -= tau * math.Log(s-math.Log(mat.Trace(product(product(gramOf(c.a), d), product(q, d.T())))))
			}
			return v + s
		}
		least := merit(c, s)
		for range 30 {
			h, k := mat.NewSymDense(m, nil), mat.NewSymDense(n, nil)
			for i := range m {
				for j := i; j < m && (i == j || !diagonal); j++ {
					h.SetSym(i, j, rng.NormFloat64())
				}
			}
			for i := range n {
				for j := i; j < n; j++ {
					k.SetSym(i, j, rng.NormFloat64())
				}
			}
			if v := merit(g.move(c, h, k, 1e-3), s+1e-3*rng.NormFloat64()); v < least-1e-13 {
				t.Errorf("%s: a merit of %v beside %v", name, v, least)
			}
		}
		// The shares of a step are to first order those that meet y·slack = τ.
		y := shares()
		for k := range y {
			y[k] *= 0.5 + rng.Float64()
		}
		step := g.newton(t.Context(), c, s, y, tau)
		const little = 1e-5
		moved, at := g.move(c, step.h, step.k, little).constraints(), c.constraints()
		for k, v := range y {
			want := (1-little)*v*(s-at[k]) + little*tau
			if got := (v + little*step.y[k]) * (s + little*step.s - moved[k]); math.Abs(got-want) > 1e-8*tau {
				t.Errorf("%s: share %d times its slack is %v, want %v", name, k, got, want)
			}
		}
	}

	for signals := 1; signals <= 2; signals++ {
		const m = 3
		g := &informed{}
		for range signals {
			g.signals = append(g.signals, normalMatrix(m, m, rng))
		}
		for range 4 {
			g.list = append(g.list, gramOf(normalMatrix(m, 2, rng)))
		}
		c := symmetric.Eye(m)
		c.Scale(0.1, c)
		slacks := func(c *mat.Dense) []float64 {
			var out []float64
			for _, s := range g.list {
				out = append(out, 1-mat.Trace(product(s, gramOf(c))))
			}
			return out
		}
		name := fmt.Sprintf("information of %d signals", signals)
		quadratically(t, name, 40, func() (float64, bool) {
			x, decrement := g.newton(t.Context(), c, slacks(c), tau)
			if x == nil {
				return 0, false
			}
			root := rootOfShift(x, damped(decrement/tau))
			if root == nil {
				return 0, false
			}
			c = product(c, root)
			return decrement / tau, true
		})
		merit := func(c *mat.Dense) float64 {
			det, _ := mat.LogDet(gramOf(c))
			v := tau * det
			for _, l := range g.signals {
				inner := gramOf(product(l.T(), c))
				for i := range m {
					inner.SetSym(i, i, 1+inner.At(i, i))
				}
				det, _ := mat.LogDet(inner)
				v += det
			}
			for _, s := range slacks(c) {
				v += tau * math.Log(s)
			}
			return v
		}
		most := merit(c)
		for range 30 {
			beside := normalMatrix(m, m, rng)
			beside.Scale(1e-3, beside)
			beside.Add(beside, symmetric.Eye(m))
			if v := merit(product(c, beside)); v > most+1e-13 {
				t.Errorf("%s: a merit of %v beside %v", name, v, most)
			}
		}
	}

	g := newRelaxation([]float64{1, 4}, []*mat.Dense{normalMatrix(2, 3, rng), normalMatrix(2, 3, rng), normalMatrix(2, 3, rng), normalMatrix(2, 3, rng)})
	y := uniform(4, 1)
	quadratically(t, "relaxation", 40, func() (decrement float64, ok bool) {
		next, decrement := g.step(y, tau)
		if ok = next != nil; ok {
			y = next
		}
		return decrement / tau, ok
	})
	least := g.merit(y, tau)
	for range 30 {
		beside := append([]float64(nil), y...)
		for k := range beside {
			beside[k] *= math.Exp(1e-3 * rng.NormFloat64())
		}
		if v := g.merit(beside, tau); v < least-1e-13 {
			t.Errorf("relaxation: a merit of %v beside %v", v, least)
		}
	}
	for _, x := range []float64{1e-6, 0.3, 1, 7, 1e6} { // the q of the greatest ln(1 + λq) − aq + τ ln q
		of := func(q float64) float64 { return math.Log1p(2*q) - x*q + tau*math.Log(q) }
		q := precision(2, x, tau)
		if v := math.Abs(2/(1+2*q) - x + tau/q); v > 1e-13*x || of(q) < of(q*1.001) || of(q) < of(q*0.999) {
			t.Errorf("price %v: precision %v has slope %v", x, q, v)
		}
	}

	for name, f := range map[string]func(i float64) term{
		"reciprocal": func(i float64) term { return reciprocal(1 + i) },
		"logarithms": func(i float64) term { return logarithms(1+i, 3) },
	} {
		g := &separable{}
		for i := range 4 {
			g.terms = append(g.terms, f(float64(i)))
			g.rows = append(g.rows, []float64{rng.Float64(), rng.Float64(), rng.Float64(), rng.Float64()})
		}
		const weight = 10.0
		p := uniform(4, 0.1)
		s, _ := g.slacks(p)
		quadratically(t, name, 40, func() (decrement float64, ok bool) {
			q, r, decrement := g.step(weight, p, s)
			if ok = q != nil; ok {
				p, s = q, r
			}
			return decrement, ok
		})
		most := 0.0
		merit := func(p []float64) float64 {
			v := 0.0
			for i, x := range p {
				gain, _, _ := g.terms[i](x)
				v += weight*gain + math.Log(x) + math.Log(1-floats.Dot(g.rows[i], p))
			}
			return v
		}
		most = merit(p)
		for range 30 {
			beside := append([]float64(nil), p...)
			for k := range beside {
				beside[k] *= math.Exp(1e-3 * rng.NormFloat64())
			}
			if v := merit(beside); v > most+1e-12 {
				t.Errorf("%s: a merit of %v beside %v", name, v, most)
			}
		}
	}
}

// counting counts how often it is asked, which interior point methods do once a step.
type counting struct {
	context.Context
	asked int
}

func (c *counting) Err() error {
	c.asked++
	return nil
}

// The ends of an optimum meet as closely as each method can have them, after no more steps than
// it needed when this was written, all but one in 50: a search that is led astray is longer or
// less close.
func TestOptimaAreTightAndSoon(t *testing.T) {
	type class struct {
		set, axes string
		objective Objective
		mode      Mode
	}
	type limit struct {
		steps int
		apart float64
	}
	const rounding = 1e-13
	limits := map[class]limit{
		{"box", "free", 0, 0}:      {1865, rounding},
		{"box", "free", 0, 1}:      {4569, rounding},
		{"box", "free", 0, 2}:      {1905, rounding},
		{"box", "free", 1, 0}:      {1210, 6e-10},
		{"box", "given", 0, 0}:     {1882, 2e-11},
		{"box", "given", 0, 1}:     {4314, rounding},
		{"box", "given", 0, 2}:     {1565, 1e-11},
		{"box", "given", 1, 0}:     {2297, 1e-10},
		{"box", "standard", 0, 0}:  {0, rounding},
		{"box", "standard", 0, 1}:  {1149, rounding},
		{"box", "standard", 0, 2}:  {0, rounding},
		{"box", "standard", 1, 0}:  {0, rounding},
		{"list", "free", 0, 0}:     {1747, rounding},
		{"list", "free", 0, 1}:     {1901, rounding},
		{"list", "free", 0, 2}:     {1777, rounding},
		{"list", "free", 1, 0}:     {1697, 2e-10},
		{"list", "given", 0, 0}:    {1572, 1e-11},
		{"list", "given", 0, 1}:    {1698, rounding},
		{"list", "given", 0, 2}:    {1915, rounding},
		{"list", "given", 1, 0}:    {2528, 6e-11},
		{"list", "standard", 0, 0}: {1917, rounding},
		{"list", "standard", 0, 1}: {1630, rounding},
		{"list", "standard", 0, 2}: {1782, rounding},
		{"list", "standard", 1, 0}: {2552, 5e-11},
	}
	steps, apart := map[class]int{}, map[class]float64{}
	for seed := range uint64(5) {
		rng := rand.New(rand.NewPCG(102, seed))
		for mode := Unimodal; mode <= Bimodal; mode++ {
			for _, axes := range []string{"standard", "given", "free"} {
				for objective := LeastError; objective <= MostInformation && (objective == LeastError || mode == Unimodal); objective++ {
					m, n := 3, 2
					if mode == Equimodal {
						n = m
					}
					var list []*mat.Dense
					for range 5 {
						list = append(list, normalMatrix(m, n, rng))
					}
					r := Recipe{Mode: mode, FreeAxes: axes == "free"}
					if axes != "standard" {
						r.Directions = symmetric.RandomBasis(m, rng)
					}
					goal := Goal{objective, []float64{1, 10 * rng.Float64(), math.Exp(2 * rng.NormFloat64())}}
					for set, s := range map[string]Sensitivity{"list": ok(NewDifferences(list)), "box": ok(NewBox(n, []float64{1, 3, 0.4}))} {
						c := &counting{Context: t.Context()}
						o := ok(solveAt(c, s, goal, r, 1, 1))
						of := class{set, axes, objective, mode}
						steps[of] += c.asked
						apart[of] = math.Max(apart[of], o.Value.Hi/o.Value.Lo-1)
					}
				}
			}
		}
	}
	for of, n := range steps {
		if most := limits[of]; n > most.steps+most.steps/50 || apart[of] > most.apart {
			t.Errorf("%+v: %d steps and ends %.2g apart, want at most %d and %g", of, n, apart[of], most.steps, most.apart)
		}
	}
}
