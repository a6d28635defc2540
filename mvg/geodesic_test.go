package mvg

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/cases"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/mvg/internal/symmetric"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

func normalMatrix(m, n int, rng *rand.Rand) *mat.Dense {
	d := mat.NewDense(m, n, nil)
	for i := range m {
		for j := range n {
			d.Set(i, j, rng.NormFloat64())
		}
	}
	return d
}

// The certified bound equals the optimal value up to rounding. No other point has a smaller value, and no other point
// or multipliers give a larger bound. A bound without its factors 1 + η, or with a wrong power, would fail.
func TestGeodesicBound(t *testing.T) {
	rng := rand.New(rand.NewPCG(61, 62))
	for mode := Unimodal; mode <= Bimodal; mode++ {
		for _, diagonal := range []bool{false, true} {
			for range cases.Of(2, 4) {
				m, n := 2+rng.IntN(3), 2+rng.IntN(3)
				if mode == Equimodal {
					n = m
				}
				weights := make([]float64, m)
				for i := range m {
					weights[i] = math.Exp(2 * rng.NormFloat64())
				}
				g := &geodesic{mode: mode, diagonal: diagonal, root: diagonalRoots(weights)}
				f := must.Be(newBasis(nil, weights))
				bound := func(c *iterate, y []float64) float64 {
					v := must.Be(g.certified(f, g.list, c.a, c.b, y))
					lo, _ := v.Bounds()
					return lo
				}
				for range m + rng.IntN(5) {
					g.list = append(g.list, normalMatrix(m, n, rng))
				}
				factor := func(order int, free bool) *mat.Dense {
					a := symmetric.Eye(order)
					for i := range order {
						a.Set(i, i, math.Exp(0.5*rng.NormFloat64()))
					}
					if free {
						a = product(normalMatrix(order, order, rng), a)
					}
					return a
				}
				at := func() *iterate {
					var b *mat.Dense
					a := factor(m, !diagonal)
					switch mode {
					case Equimodal:
						b = a
					case Bimodal:
						b = factor(n, true)
					}
					return must.Be(g.iterateAt(a, b))
				}
				c, y, err := g.solve(t.Context(), at(), false)
				if err != nil {
					t.Fatal(err)
				}
				value := g.exactValue(t, c)
				name := fmt.Sprintf("mode %d, diagonal %v, %d×%d", mode, diagonal, m, n)
				if lo := bound(c, y); lo > value || lo < value*(1-1e-9) {
					t.Errorf("%s: value %v, bound %v", name, value, lo)
				}
				for range 50 {
					other := at()
					if v := math.Exp(g.objective(other) + floats.Max(other.constraints())); v < value*(1-1e-9) {
						t.Errorf("%s: a point reaches %v, the optimum %v", name, v, value)
					}
					shares := make([]float64, len(g.list))
					for k := range shares {
						shares[k] = rng.ExpFloat64()
					}
					if lo := bound(other, normalized(shares)); lo > value {
						t.Errorf("%s: the bound from random shares is %v, above the optimum %v", name, lo, value)
					}
					if lo := bound(c, normalized(shares)); lo > value {
						t.Errorf("%s: the bound from random shares at the optimal point is %v, above the optimum %v", name, lo, value)
					}
				}
			}
		}
	}
}

// exactValue returns tr(WΣ)·tr Ψ·max tr(PΔQΔᵀ) at P = AAᵀ and Q = BBᵀ, rounded up. The iterate's own values have the
// rounding errors of every step.
func (g *geodesic) exactValue(t *testing.T, c *iterate) float64 {
	t.Helper()
	square := func(e *symmetric.Enclosure) interval.Interval {
		v, ok := e.Square()
		if !ok {
			t.Fatal("an entry of the enclosure is unknown")
		}
		return v
	}
	size := func(factor, of *mat.Dense) interval.Interval { // tr(of·ofᵀ·(factor·factorᵀ)⁻¹)
		e := symmetric.Exactly(factor)
		f, ok := e.Mul(e.T()).Factorize()
		if !ok {
			t.Fatal("a point is singular")
		}
		return square(f.Whiten(symmetric.Exactly(of)))
	}
	most := interval.Int(0)
	for _, d := range g.list {
		e := symmetric.Exactly(c.a).T().Mul(symmetric.Exactly(d))
		if c.b != nil {
			e = e.Mul(symmetric.Exactly(c.b))
		}
		most = interval.Max(most, square(e))
	}
	v := most.Mul(size(c.a, g.root))
	switch g.mode {
	case Equimodal:
		v = v.Mul(size(c.a, g.root))
	case Bimodal:
		n, _ := c.b.Dims()
		v = v.Mul(size(c.b, symmetric.Eye(n)))
	}
	_, hi := v.Bounds()
	// The certified bound is for K = diag(w). R is a rounded root of K.
	return hi * (1 + 8*unit)
}

// The bound from any multipliers y holds for every feasible P, as in TestGeodesicBound.
func TestInformedBound(t *testing.T) {
	rng := rand.New(rand.NewPCG(63, 64))
	for range 6 {
		m := 2 + rng.IntN(3)
		weights := make([]float64, m)
		for i := range weights {
			weights[i] = math.Exp(3 * rng.NormFloat64())
		}
		f := must.Be(newBasis(nil, weights))
		o := &optimizer{basis: f, mu: evidence.Certified{Lo: 1, Hi: 1}}
		g := &informed{signals: []*mat.Dense{diagonalRoots(weights)}}
		var list []*mat.Dense
		trace := 0.0
		for range m + rng.IntN(4) {
			d := normalMatrix(m, 2, rng)
			list = append(list, d)
			g.list = append(g.list, gramOf(d))
			trace = math.Max(trace, mat.Trace(gramOf(d)))
		}
		start := symmetric.Eye(m)
		start.Scale(math.Sqrt(0.5/trace), start)
		c, y, err := g.solve(t.Context(), start)
		if err != nil {
			t.Fatal(err)
		}
		bound := func(y []float64) float64 {
			v := must.Be(o.informedLimit(list, y))
			_, hi := v.Bounds()
			return hi
		}
		value := g.value(c)
		if hi := bound(y); hi < value || hi > value*(1+1e-9) {
			t.Errorf("order %d: value %v, bound %v", m, value, hi)
		}
		for range 100 {
			other := normalMatrix(m, m, rng)
			over := 0.0
			for _, s := range g.list {
				over = math.Max(over, mat.Trace(symmetric.Turn(s, other)))
			}
			other.Scale(1/math.Sqrt(over), other)
			if v := g.value(other); v > value*(1+1e-8) {
				t.Errorf("order %d: a point reaches %v, the optimum %v", m, v, value)
			}
			perturbed := append([]float64(nil), y...)
			for k := range perturbed {
				perturbed[k] = math.Abs(perturbed[k] + 0.1*rng.NormFloat64())
			}
			if hi := bound(perturbed); hi < value {
				t.Errorf("order %d: the bound is %v, below the optimum %v", m, hi, value)
			}
		}
	}
}
