package mvg_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/internal/must"
	"dpworkbench/mvg"
	"dpworkbench/mvg/internal/symmetric"
	"dpworkbench/query"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// For these diagonal covariances the eigenvalue decomposition without vectors panics in gonum 0.17.
func TestReplacementOfDiagonals(t *testing.T) {
	for _, seed := range []uint64{18, 31, 51} {
		rng := rand.New(rand.NewPCG(seed, 4))
		d := 5 + rng.IntN(20)
		v, w := make([]float64, d), make([]float64, d)
		for i := range d {
			v[i], w[i] = 0.4+1.7*rng.Float64(), 0.4+1.7*rng.Float64()
		}
		sigma := must.Be(mvg.NewDirectional(v, nil))
		psi := must.Be(mvg.NewDirectional(w, nil))
		axes := 0.0 // the value of the best plane spanned by two axes
		for i := range d {
			for j := range i {
				axes = math.Max(axes, 1/(v[i]*w[i])+1/(v[j]*w[j]))
			}
		}
		if got := enclosed(t, sigma, psi); got.lo < axes*(1-1e-9) || got.hi < got.lo {
			t.Errorf("order %d: [%v, %v], two axes give %v", d, got.lo, got.hi, axes)
		}
	}
}

// Scaling the covariances and the records leaves the sensitivity unchanged, also where the precisions overflow float64.
func TestReplacementAtExtremeScales(t *testing.T) {
	for _, size := range []float64{0x1p-1000, 0x1p-500, 0x1p500, 0x1p1000} {
		made := func(v ...float64) mvg.Covariance {
			for i := range v {
				v[i] *= size
			}
			return must.Be(mvg.NewDirectional(v, nil))
		}
		got := must.Be(mvg.NewDesign(t.Context(), must.Be(mvg.NewGram(3, 1, query.Replace, size)), made(1, 2, 3), made(1, 1.5, 7))).WhitenedSensitivity()
		if want := math.Sqrt(1 + 1/(2*1.5)); got.Lo > want || got.Hi < want || got.Hi-got.Lo > 1e-12 {
			t.Errorf("variances of %g: [%v, %v], want %v", size, got.Lo, got.Hi, want)
		}
	}
}

// interval64 is an enclosure of a squared sensitivity.
type interval64 struct{ lo, hi float64 }

// enclosed returns the square of the whitened sensitivity of a Gram matrix.
func enclosed(t *testing.T, sigma, psi mvg.Covariance) interval64 {
	v := must.Be(mvg.NewDesign(t.Context(), must.Be(mvg.NewGram(sigma.Order(), 1, query.Replace, 1)), sigma, psi)).WhitenedSensitivity()
	return interval64{v.Lo * v.Lo * (1 - 0x1p-52), v.Hi * v.Hi * (1 + 0x1p-52)}
}

// A local ascent over records x, y of norm at most 1, not assumed orthogonal, reaches the lower bound and never exceeds
// the upper one.
func TestReplacementAgainstRecords(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 34))
	for _, d := range []int{3, 4, 5, 6} {
		sigma, psi := mvg.DrawCovariance(t, d, 0.8, rng), mvg.DrawCovariance(t, d, 0.8, rng)
		got := enclosed(t, sigma, psi)
		p, q := sigma.Precision(), psi.Precision()
		value := func(x, y []float64) float64 {
			delta := mat.NewDense(d, d, nil)
			for i := range d {
				for j := range d {
					delta.Set(i, j, x[i]*x[j]-y[i]*y[j])
				}
			}
			var a, b mat.Dense
			a.Mul(p, delta)
			b.Mul(q, delta)
			sum := 0.0
			for i := range d {
				for j := range d {
					sum += a.At(i, j) * b.At(j, i)
				}
			}
			return sum
		}
		gradient := func(x, y []float64) (gx, gy []float64) {
			const h = 1e-6
			for k, v := range [][]float64{x, y} {
				g := make([]float64, d)
				for i := range d {
					keep := v[i]
					v[i] = keep + h
					up := value(x, y)
					v[i] = keep - h
					g[i] = (up - value(x, y)) / (2 * h)
					v[i] = keep
				}
				if k == 0 {
					gx = g
				} else {
					gy = g
				}
			}
			return gx, gy
		}
		shrink := func(x []float64) {
			if s := floats.Norm(x, 2); s > 1 {
				for i := range x {
					x[i] /= s
				}
			}
		}
		best := 0.0
		for range 8 {
			x, y := make([]float64, d), make([]float64, d)
			for i := range d {
				x[i], y[i] = rng.NormFloat64(), rng.NormFloat64()
			}
			shrink(x)
			shrink(y)
			top := value(x, y)
			for range 3000 { // a step along the gradient, shortened until it gains
				gx, gy := gradient(x, y)
				moved := false
				for step := 1.0; step > 1e-9 && !moved; step /= 4 {
					u, v := append([]float64(nil), x...), append([]float64(nil), y...)
					for i := range d {
						u[i] += step * gx[i]
						v[i] += step * gy[i]
					}
					shrink(u)
					shrink(v)
					if f := value(u, v); f > top {
						x, y, top, moved = u, v, f, true
					}
				}
				if !moved {
					break
				}
			}
			best = math.Max(best, top)
		}
		if best > got.hi || math.Abs(got.lo-best) > 1e-7*best {
			t.Errorf("order %d: largest tr(PDQD) in [%v, %v], the ascent finds %v", d, got.lo, got.hi, best)
		}
	}
}

// The general algorithm agrees with the closed forms for Σ = Ψ and Ψ = I/q. It respects scaling, exchange of Σ and Ψ,
// and rotation.
func TestReplacementSpecialCasesAndLaws(t *testing.T) {
	rng := rand.New(rand.NewPCG(35, 36))
	for _, d := range []int{3, 5, 8, 21} {
		sigma, psi := mvg.DrawCovariance(t, d, 1, rng), mvg.DrawCovariance(t, d, 1, rng)
		turnAll := func(c mvg.Covariance, w mat.Matrix, k float64) mvg.Covariance {
			var u mat.Dense
			u.Mul(w, c.Directions())
			v := c.Variances()
			for i := range v {
				v[i] *= k
			}
			return must.Be(mvg.NewDirectional(v, &u))
		}
		// One variance is off by a unit of rounding, so the closed forms do not apply.
		flat := must.Be(mvg.NewDirectional(append([]float64{0.5 + 0x1p-53}, slices.Repeat([]float64{0.5}, d-1)...), nil))
		twin := turnAll(sigma, mat.NewDiagDense(d, slices.Repeat([]float64{1}, d)), 1+0x1p-50)
		find := func(a, b mvg.Covariance) interval64 { return enclosed(t, a, b) }
		meets := func(what string, got interval64, want float64) {
			t.Helper()
			if got.lo > want*(1+1e-13) || got.hi < want*(1-1e-13) || got.hi-got.lo > 1e-9*want {
				t.Errorf("order %d, %s: [%v, %v], want %v", d, what, got.lo, got.hi, want)
			}
		}
		v := slices.Sorted(slices.Values(sigma.Variances()))
		first, second := 1/v[0], 1/v[1]
		meets("Σ = Ψ", find(sigma, twin), first*first+second*second)
		meets("Ψ = I/2", find(sigma, flat), 2*(first+second))
		meets("Σ = I/2", find(flat, sigma), 2*(first+second))

		base := find(sigma, psi)
		overlaps := func(what string, got interval64, factor float64) {
			t.Helper()
			if math.Abs(got.lo*factor-base.lo) > 1e-8*base.lo || math.Abs(got.hi*factor-base.hi) > 1e-8*base.hi {
				t.Errorf("order %d, %s: [%v, %v], want about [%v, %v]", d, what, got.lo, got.hi, base.lo/factor, base.hi/factor)
			}
		}
		overlaps("exchanged", find(psi, sigma), 1)
		w := symmetric.RandomBasis(d, rng)
		overlaps("scaled and turned", find(turnAll(sigma, w, 3), turnAll(psi, w, 1e-5)), 3e-5)
	}
}
