package mvg

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// A program is: maximise Σz over lo ≤ z ≤ hi under planes aᵀz ≤ b. Multipliers w ≥ 0 bound it by
//
//	Σ w_k b_k + Σ_i max over lo_i ≤ z_i ≤ hi_i of (1 − Σ w_k a_ki) z_i.
type program struct {
	cuts   []*cut
	lo, hi []float64
}

// bound is what multipliers prove, as float64 has it.
func (g *program) bound(w []float64) float64 {
	rest := uniform(len(g.lo), 1)
	v := 0.0
	for k, c := range g.cuts {
		v += w[k] * c.b
		floats.AddScaled(rest, -w[k], c.a)
	}
	for i, r := range rest {
		v += math.Max(r*g.lo[i], r*g.hi[i])
	}
	return v
}

// solve maximises Σz − price·e with barriers, the planes relaxed by e ≥ 0 so that there is a
// start, and returns the point with the best multipliers met. It ends when these prove the
// target.
func (g *program) solve(target float64) (z, w []float64, bound float64) {
	m, count := len(g.lo), len(g.cuts)
	bound = floats.Sum(g.hi)
	if count == 0 {
		return nil, nil, bound
	}
	// Planes in units of their largest entry.
	a, b, size := make([][]float64, count), make([]float64, count), make([]float64, count)
	for k, c := range g.cuts {
		size[k] = math.Max(floats.Max(c.a), -floats.Min(c.a))
		a[k] = append([]float64(nil), c.a...)
		floats.Scale(1/size[k], a[k])
		b[k] = c.b / size[k]
	}
	x := make([]float64, m+1) // z and e
	width := 0.0
	for i := range m {
		x[i] = (g.lo[i] + g.hi[i]) / 2
		width += g.hi[i] - g.lo[i]
		if !(g.hi[i]-g.lo[i] > 1e-14*g.hi[i]) {
			return nil, nil, bound
		}
	}
	for k := range a {
		x[m] = math.Max(x[m], floats.Dot(a[k], x[:m])-b[k])
	}
	x[m] += 0.1 * width / float64(m)
	price := 30 * float64(m)
	slack := func(x []float64, k int) float64 { return b[k] + x[m] - floats.Dot(a[k], x[:m]) }
	merit := func(x []float64, tau float64) float64 {
		v := -price*x[m] + tau*math.Log(x[m])
		for i := range m {
			v += x[i] + tau*(math.Log(x[i]-g.lo[i])+math.Log(g.hi[i]-x[i]))
		}
		for k := range a {
			v += tau * math.Log(slack(x, k))
		}
		return v
	}
	n := m + 1
	h, slope, next := make([]float64, n*n), make([]float64, n), make([]float64, n)
	for tau := 0.3 * width / float64(m); tau > 1e-6*math.Max(bound, 1e-3*width); tau /= 6 {
		for range 25 {
			clear(h)
			for i := range m {
				below, above := 1/(x[i]-g.lo[i]), 1/(g.hi[i]-x[i])
				slope[i] = 1 + tau*(below-above)
				h[i*n+i] = tau * (below*below + above*above)
			}
			slope[m] = -price + tau/x[m]
			h[m*n+m] = tau / x[m] / x[m]
			for k, row := range a {
				s := 1 / slack(x, k)
				for i, v := range row {
					slope[i] -= tau * s * v
					floats.AddScaled(h[i*n:i*n+i+1], tau*s*s*v, row[:i+1])
				}
				slope[m] += tau * s
				floats.AddScaled(h[m*n:m*n+m], -tau*s*s, row)
				h[m*n+m] += tau * s * s
			}
			step := append([]float64(nil), slope...)
			if !solveLower(h, step) {
				break
			}
			decrement := floats.Dot(slope, step)
			if !(decrement > 1e-7*tau) {
				break
			}
			now, moved := merit(x, tau), false
			for size := 1.0; size > 1e-9; size /= 2 {
				for i := range next {
					next[i] = x[i] + size*step[i]
				}
				if merit(next, tau) >= now+1e-4*size*decrement-1e-13*math.Abs(now) { // NaN outside
					copy(x, next)
					moved = true
					break
				}
			}
			if !moved {
				break
			}
		}
		now := make([]float64, count)
		for k := range now {
			now[k] = tau / slack(x, k) / size[k]
		}
		if v := g.bound(now); v < bound || w == nil {
			bound, w = math.Min(v, bound), now
		}
		if bound <= target {
			break
		}
	}
	return x[:m], w, bound
}

// solveLower replaces b by H⁻¹b, and H, positive definite and known on and below its diagonal by
// rows, by its factor; it returns false where it is not.
func solveLower(h, b []float64) bool {
	n := len(b)
	for i := range n {
		row := h[i*n : i*n+i+1]
		for j := range row {
			v := row[j] - floats.Dot(row[:j], h[j*n:j*n+j])
			if j < i {
				row[j] = v / h[j*n+j]
			} else if row[j] = math.Sqrt(v); !(v > 0) {
				return false
			}
		}
		b[i] = (b[i] - floats.Dot(row[:i], b[:i])) / row[i]
	}
	for i := n - 1; i >= 0; i-- {
		b[i] /= h[i*n+i]
		floats.AddScaled(b[:i], -b[i], h[i*n:i*n+i])
	}
	return true
}
