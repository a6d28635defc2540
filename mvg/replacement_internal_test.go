package mvg

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/mvg/internal/symmetric"

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
		sigma := must.Be(NewDirectional(v, nil))
		psi := must.Be(NewDirectional(w, nil))
		axes := 0.0 // the best plane of two axes
		for i := range d {
			for j := range i {
				axes = math.Max(axes, 1/(v[i]*w[i])+1/(v[j]*w[j]))
			}
		}
		if got, err := enclosed(t.Context(), sigma, psi); err != nil || got.lo < axes*(1-1e-9) || got.hi < got.lo {
			t.Errorf("order %d: [%v, %v], %v, two axes give %v", d, got.lo, got.hi, err, axes)
		}
	}
}

// Scaling the covariances scales the result, also where the precisions overflow float64.
func TestReplacementAtExtremeScales(t *testing.T) {
	for _, size := range []float64{0x1p-1000, 0x1p-500, 0x1p500, 0x1p1000} {
		made := func(v ...float64) Covariance {
			for i := range v {
				v[i] *= size
			}
			return must.Be(NewDirectional(v, nil))
		}
		got := must.Be(replaced(t.Context(), made(1, 2, 3), made(1, 1.5, 7)))
		lo, hi := got.Mul(interval.Float(size)).Mul(interval.Float(size)).Bounds()
		if want := 1 + 1/(2*1.5); lo > want || hi < want || hi-lo > 1e-12 {
			t.Errorf("variances of %g: [%v, %v]/size², want %v", size, lo, hi, want)
		}
	}
}

func drawCovariance(t testing.TB, d int, spread float64, rng *rand.Rand) Covariance {
	v := make([]float64, d)
	for i := range v {
		v[i] = math.Exp(spread * rng.NormFloat64())
	}
	return must.Be(NewDirectional(v, symmetric.RandomBasis(d, rng)))
}

// enclosed returns the bounds of replaced as two float64.
func enclosed(ctx context.Context, sigma, psi Covariance) (bound, error) {
	got, err := replaced(ctx, sigma, psi)
	if err != nil {
		return bound{}, err
	}
	return outward(got), nil
}

// A local ascent over records x, y of norm at most 1, not assumed orthogonal, reaches the lower bound and never exceeds
// the upper one.
func TestReplacementAgainstRecords(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 34))
	for _, d := range []int{3, 4, 5, 6} {
		sigma, psi := drawCovariance(t, d, 0.8, rng), drawCovariance(t, d, 0.8, rng)
		got := must.Be(enclosed(t.Context(), sigma, psi))
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
			if s := math.Sqrt(dot(x, x)); s > 1 {
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
		sigma, psi := drawCovariance(t, d, 1, rng), drawCovariance(t, d, 1, rng)
		flat := must.Be(NewIsotropic(d, 0.5))
		find := func(a, b Covariance) bound {
			return must.Be(enclosed(t.Context(), a, b))
		}
		meets := func(what string, got bound, want float64) {
			t.Helper()
			if got.lo > want*(1+1e-13) || got.hi < want*(1-1e-13) || got.hi-got.lo > 1e-9*want {
				t.Errorf("order %d, %s: [%v, %v], want %v", d, what, got.lo, got.hi, want)
			}
		}
		var p [2]float64
		for i, v := range sigma.top(2) {
			p[i] = v.Mid()
		}
		meets("Σ = Ψ", find(sigma, sigma), p[0]*p[0]+p[1]*p[1])
		meets("Ψ = I/2", find(sigma, flat), 2*(p[0]+p[1]))
		meets("Σ = I/2", find(flat, sigma), 2*(p[0]+p[1]))

		base := find(sigma, psi)
		overlaps := func(what string, got bound, factor float64) {
			t.Helper()
			if math.Abs(got.lo*factor-base.lo) > 1e-8*base.lo || math.Abs(got.hi*factor-base.hi) > 1e-8*base.hi {
				t.Errorf("order %d, %s: [%v, %v], want about [%v, %v]", d, what, got.lo, got.hi, base.lo/factor, base.hi/factor)
			}
		}
		overlaps("exchanged", find(psi, sigma), 1)
		turnAll := func(c Covariance, w *mat.Dense, k float64) Covariance {
			var u mat.Dense
			u.Mul(w, c.directions)
			v := c.Variances()
			for i := range v {
				v[i] *= k
			}
			return must.Be(NewDirectional(v, &u))
		}
		w := symmetric.RandomBasis(d, rng)
		overlaps("scaled and turned", find(turnAll(sigma, w, 3), turnAll(psi, w, 1e-5)), 3e-5)
	}
}
