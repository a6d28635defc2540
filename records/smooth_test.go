package records_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/cases"
	"dpworkbench/internal/draw"
	"dpworkbench/internal/must"
	"dpworkbench/records"
	"dpworkbench/smooth"
)

// Smooth sensitivity scales noise by the largest e^{−βt}·I_t over all t, as far as the range.
func TestSmoothBounds(t *testing.T) {
	for _, c := range []struct {
		noise smooth.Noise
		delta *big.Rat
		eps   float64
	}{{smooth.Laplace(), rat(1, 1000), 1}, {smooth.Laplace(), rat(1, 100), 0.05}, {must.Be(smooth.Student(rat(3, 1))), nil, 2}, {must.Be(smooth.Cauchy(rat(4, 1))), nil, 5}} {
		eps := must.For(evidence.NewEpsilon("eps", c.eps))(t)
		by := must.For(smooth.Calibrate(c.noise, eps, evidencetest.RationalDelta(c.delta), nil))(t)
		for n, q := range map[string]*records.Query{"median": must.For(recordsOf(t, []int64{0, 50, 51, 51, 52, 52, 53, 54, 100}, 100, rat(1, 1), records.Replace).Median())(t), "triangles": must.For(triangle(records.Edge).Triangles(ctx))(t),
			"edges": must.For(triangle(records.Node).Edges())(t), "total": must.For(small(records.AddRemove).Total())(t)} {
			m := must.For(records.NewSmooth(ctx, q, by))(t)
			want, beta := fresh(), by.BetaEnclosure()
			for d := range 40 {
				lo, hi := bounds(beta)
				middle := times(plus(lo, hi), fresh().SetFloat64(-0.5*float64(d)))
				if v := times(expOf(middle), realOf(must.For(q.Local(d))(t))); v.Cmp(want) > 0 {
					want = v
				}
			}
			s := m.Bound()
			lo, hi := s.Bounds()
			near, _ := want.Float64()
			if lo > near*(1+1e-15) || hi < near*(1-1e-15) || hi-lo > 1e-14*hi {
				t.Errorf("%s: S = %v, want %g", n, s, near)
			}
			f := by.Scale().Mid() * near
			if math.Abs(m.Scale().Mid()-f) > 1e-14*f || !m.Delta().Equal(evidencetest.RationalDelta(c.delta)) {
				t.Errorf("%s: the scale is %g, want %g; δ = %v", n, m.Scale().Mid(), f, m.Delta())
			}
			title := "smooth_sensitivity, " + c.noise.Name() + "(eps=" + eps.String()
			if c.delta != nil {
				title += ", delta=" + map[int64]string{1000: "0.001", 100: "0.01"}[c.delta.Denom().Int64()]
			}
			if m.Name() != title+")" || m.OnLine().Name() != title+") on the line" || fmt.Sprint(m.ClaimedEpsilon()) != fmt.Sprint(by.Claim()) {
				t.Errorf("%s: %s claims %v", n, m.Name(), m.ClaimedEpsilon())
			}
			_, grid, err := m.Release(ctx, 1, rand.NewPCG(1, 1))
			if (grid == nil) != (q.Range().Step != nil) || err != nil {
				t.Errorf("%s: released on %v, %v", n, grid, err)
			}
			_, _, err = m.Release(ctx, -1, rand.NewPCG(1, 1))
			if !isParameter(err, "n = -1") {
				t.Error(err)
			}
		}
	}
}

// noises are laws of smooth sensitivity with their densities as the papers write them.
func noises(t *testing.T) map[string]struct {
	law     smooth.Noise
	density func(z float64) float64
} {
	type one = struct {
		law     smooth.Noise
		density func(z float64) float64
	}
	out := map[string]one{"laplace": {smooth.Laplace(), func(z float64) float64 { return math.Exp(-math.Abs(z)) / 2 }}}
	for _, shape := range cases.Of([]*big.Rat{rat(5, 4), rat(4, 1)}, []*big.Rat{rat(5, 4), rat(2, 1), rat(5, 2), rat(4, 1)}) {
		g, _ := shape.Float64()
		out["cauchy "+shape.RatString()] = one{must.For(smooth.Cauchy(shape))(t), func(z float64) float64 {
			return g * math.Sin(math.Pi/g) / (2 * math.Pi) / (1 + math.Pow(math.Abs(z), g))
		}}
	}
	for _, shape := range cases.Of([]*big.Rat{rat(1, 2), rat(3, 1)}, []*big.Rat{rat(1, 2), rat(1, 1), rat(3, 1)}) {
		d, _ := shape.Float64()
		front := math.Gamma((d+1)/2) / math.Gamma(d/2) / math.Sqrt(d*math.Pi)
		out["student "+shape.RatString()] = one{must.For(smooth.Student(shape))(t), func(z float64) float64 {
			return front * math.Pow(1+z*z/d, -(d+1)/2)
		}}
	}
	return out
}

// quadrature is ∫ g(z)·density(z) dz over z = sinh(u), by Simpson's rule in steps of 1/200: where g jumps by j it is
// off by at most j times that, and where its slope changes by k by k times its square, to a factor below 1.
func quadrature(density, g func(z float64) float64) float64 {
	const n, end = 40000, 100.0
	sum := 0.0
	for i := range n + 1 {
		w := 2.0
		if i%2 == 1 {
			w = 4
		}
		if i == 0 || i == n {
			w = 1
		}
		u := end * (2*float64(i)/n - 1)
		if v := density(math.Sinh(u)) * math.Cosh(u); v > 0 {
			sum += w * v * g(math.Sinh(u))
		}
	}
	return sum * 2 * end / n / 3
}

// Answers of smooth sensitivity are moved to the range, on a lattice to its nearest value, and their error, its
// quantiles and their law are those of what is released.
func TestSmoothIsMovedToTheRange(t *testing.T) {
	ctx := context.Background()
	eps := must.For(evidence.NewEpsilon("eps", 1.5))(t)
	for _, grid := range []*big.Rat{nil, rat(1, 4)} {
		r := must.For(records.New([]float64{0.5, 1, 2, 2.25, 3.5}, records.Options{Lo: rat(0, 1), Hi: rat(4, 1), Grid: grid, Neighbors: records.Replace}))(t)
		q := must.For(r.Median())(t)
		f, _ := q.Value().Float64()
		for name, noise := range noises(t) {
			delta := new(big.Rat)
			if name == "laplace" {
				delta = rat(1, 100)
			}
			m := must.For(records.NewSmooth(ctx, q, must.For(smooth.Calibrate(noise.law, eps, evidencetest.RationalDelta(delta), nil))(t)))(t)
			s := m.Scale().Mid()
			output := func(z float64) float64 {
				v := f + s*z
				if grid != nil {
					v = math.Round(v*4) / 4
				}
				return min(max(v, 0), 4)
			}
			tolerance := 2 * s / 200 / 200
			if grid != nil {
				tolerance = 1. / 200 // steps of 1/4
			}
			for _, c := range []float64{f, 0, 0.3, 3, 4, 7} {
				have := must.For(records.DistortionFrom(ctx, m, new(big.Rat).SetFloat64(c)))(t)
				want := quadrature(noise.density, func(z float64) float64 { return math.Abs(output(z) - c) })
				lo, hi := have.Bounds()
				if math.Abs(have.Float()-want) > tolerance || hi-lo > 1e-8*hi {
					t.Errorf("%s, grid %v: E|r − %g| = %v, by quadrature %g", name, grid, c, have, want)
				}
			}
			for _, e := range []float64{0.3, 1, 1.9} {
				have := must.For(m.Within(ctx, new(big.Rat).SetFloat64(e)))(t).Mid()
				if want := quadrature(noise.density, func(z float64) float64 {
					if math.Abs(output(z)-f) <= e+1e-9 {
						return 1
					}
					return 0
				}); math.Abs(have-want) > 1./200 {
					t.Errorf("%s, grid %v: Pr[error ≤ %g] = %g, by quadrature %g", name, grid, e, have, want)
				}
			}
			top := must.For(records.ErrorQuantile(ctx, m, rat(999999, 1000000)))(t)
			if _, hi := top.Bounds(); hi > 2 {
				t.Errorf("%s, grid %v: an error of %v, and the range ends at 2", name, grid, top)
			}
			for _, v := range must.For(m.Simulate(ctx, 200, draw.Source(1, 2)))(t) {
				if v < 0 || v > 4 || grid != nil && v*4 != math.Round(v*4) {
					t.Errorf("%s, grid %v: drew %g", name, grid, v)
				}
			}
			line := m.OnLine()
			own := must.For(line.Distortion(ctx))(t)
			if mean, ok := noise.law.AbsMoment(); !ok != math.IsInf(own.Float(), 1) || ok && math.Abs(own.Float()/(s*mean.Mid())-1) > 1e-12 {
				t.Errorf("%s: on the line the error is %v, want %v times %g, %t", name, own, mean, s, ok)
			}
			if p := must.For(line.Between(ctx, rat(0, 1), rat(4, 1)))(t).Mid(); p > 0.99 {
				t.Errorf("%s: on the line %g lies in the range", name, p)
			}
		}
	}
}
