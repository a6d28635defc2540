package mvg

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/mvg/internal/symmetric"

	"gonum.org/v1/gonum/mat"
)

func drawCovariance(t testing.TB, d int, spread float64, rng *rand.Rand) Covariance {
	v := make([]float64, d)
	for i := range v {
		v[i] = math.Exp(spread * rng.NormFloat64())
	}
	c, err := NewDirectional(v, symmetric.RandomBasis(d, rng))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// enclosed is replaced as two float64.
func enclosed(ctx context.Context, sigma, psi Covariance) (bound, error) {
	got, err := replaced(ctx, sigma, psi)
	if err != nil {
		return bound{}, err
	}
	return outward(got), nil
}

// At order 3 a plane is a unit normal: a grid of normals with the eigenvalues of
// the two compressions, by trace and determinant, refined around its best, finds
// the lower end, and never more than the upper one.
func TestReplacementAgainstPlanes(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	for range 12 {
		sigma, psi := drawCovariance(t, 3, 1.2, rng), drawCovariance(t, 3, 1.2, rng)
		got, err := enclosed(t.Context(), sigma, psi)
		if err != nil {
			t.Fatal(err)
		}
		p, q := sigma.Precision(), psi.Precision()
		eigenvalues := func(a *mat.SymDense, n [3]float64) (first, second float64) {
			// On n⊥: trace tr A − nᵀAn, determinant nᵀ adj(A) n.
			trace, det := 0.0, 0.0
			for i := range 3 {
				trace += a.At(i, i)
				for j := range 3 {
					trace -= n[i] * n[j] * a.At(i, j)
					i1, i2, j1, j2 := (i+1)%3, (i+2)%3, (j+1)%3, (j+2)%3
					det += n[i] * n[j] * (a.At(i1, j1)*a.At(i2, j2) - a.At(i1, j2)*a.At(i2, j1))
				}
			}
			root := math.Sqrt(math.Max(0, trace*trace/4-det))
			return trace/2 + root, trace/2 - root
		}
		value := func(u, v float64) float64 {
			n := [3]float64{math.Sin(u) * math.Cos(v), math.Sin(u) * math.Sin(v), math.Cos(u)}
			p1, p2 := eigenvalues(p, n)
			q1, q2 := eigenvalues(q, n)
			return p1*q1 + p2*q2
		}
		best, u, v := 0.0, 0.0, 0.0
		for i := range 200 {
			for j := range 200 {
				x, y := math.Pi*float64(i)/199, math.Pi*float64(j)/199
				if f := value(x, y); f > best {
					best, u, v = f, x, y
				}
			}
		}
		for width := 0.02; width > 1e-8; width *= 0.5 {
			for moved := true; moved; {
				moved = false
				for i := -2; i <= 2; i++ {
					for j := -2; j <= 2; j++ {
						if f := value(u+float64(i)*width, v+float64(j)*width); f > best*(1+1e-15) {
							best, u, v, moved = f, u+float64(i)*width, v+float64(j)*width, true
						}
					}
				}
			}
		}
		if best > got.hi || math.Abs(got.lo-best) > 1e-9*best {
			t.Errorf("largest tr(PDQD) in [%v, %v], the grid of planes finds %v", got.lo, got.hi, best)
		}
	}
}

// Records x, y of norm at most 1, not assumed orthogonal, moved along differences of
// tr(PΔQΔ) while it grows, find the lower end, and never more than the upper one.
func TestReplacementAgainstRecords(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 34))
	for _, d := range []int{3, 4, 5, 6} {
		sigma, psi := drawCovariance(t, d, 0.8, rng), drawCovariance(t, d, 0.8, rng)
		got, err := enclosed(t.Context(), sigma, psi)
		if err != nil {
			t.Fatal(err)
		}
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
			t.Errorf("order %d: largest tr(PDQD) in [%v, %v], moved records find %v", d, got.lo, got.hi, best)
		}
	}
}

// The general route meets the closed forms for Σ = Ψ and Ψ = I/q, and the laws
// of scale, exchange and rotation.
func TestReplacementSpecialCasesAndLaws(t *testing.T) {
	rng := rand.New(rand.NewPCG(35, 36))
	for _, d := range []int{3, 5, 8, 21} {
		sigma, psi := drawCovariance(t, d, 1, rng), drawCovariance(t, d, 1, rng)
		flat, err := NewIsotropic(d, 0.5)
		if err != nil {
			t.Fatal(err)
		}
		find := func(a, b Covariance) bound {
			t.Helper()
			got, err := enclosed(t.Context(), a, b)
			if err != nil {
				t.Fatal(err)
			}
			return got
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
			out, err := NewDirectional(v, &u)
			if err != nil {
				t.Fatal(err)
			}
			return out
		}
		w := symmetric.RandomBasis(d, rng)
		overlaps("scaled and turned", find(turnAll(sigma, w, 3), turnAll(psi, w, 1e-5)), 3e-5)
	}
}
