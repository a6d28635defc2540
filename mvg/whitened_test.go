package mvg_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/mvg"
	"dpworkbench/query"

	"gonum.org/v1/gonum/mat"
)

// whitenedNorm computes ‖Σ^{−1/2} Δ Ψ^{−1/2}‖_F by inverses and traces.
func whitenedNorm(t *testing.T, sigma, psi, delta mat.Matrix) float64 {
	var p, q, left, right, all mat.Dense
	if p.Inverse(sigma) != nil || q.Inverse(psi) != nil {
		t.Fatal("singular")
	}
	left.Mul(&p, delta)
	right.Mul(&q, delta.T())
	all.Mul(&left, &right)
	return math.Sqrt(mat.Trace(&all))
}

func outer(x, y []float64) *mat.Dense {
	d := mat.NewDense(len(x), len(y), nil)
	d.Outer(1, mat.NewVecDense(len(x), x), mat.NewVecDense(len(y), y))
	return d
}

// Random members of each sensitivity set never exceed the enclosure's upper
// end, and the best of many, polished by random ascent, comes near its lower.
func TestWhitenedSensitivityAgainstSearch(t *testing.T) {
	src := rand.New(rand.NewPCG(7, 7))
	sphere := func(n int, r float64) []float64 {
		x := make([]float64, n)
		s := 0.0
		for i := range x {
			x[i] = src.NormFloat64()
			s += x[i] * x[i]
		}
		for i := range x {
			x[i] *= r / math.Sqrt(s)
		}
		return x
	}
	h := []float64{0.5, 2, 1}
	box := must[mvg.Box](t)(mvg.NewBox(4, h))
	ball := must[mvg.Ball](t)(mvg.NewBall(3, 4, mvg.BallOptions{S2: 1.5, Gamma: 3}))
	add := must[mvg.Gram](t)(mvg.NewGram(3, 1.3, query.AddRemove, 0.5))
	replace := must[mvg.Gram](t)(mvg.NewGram(3, 1.3, query.Replace, 0.5))
	list := must[mvg.Differences](t)(mvg.NewDifferences([]*mat.Dense{outer(sphere(3, 1), sphere(4, 1)), outer(sphere(3, 2), sphere(4, 1))}))
	gram := func(x, y []float64) *mat.Dense {
		d := outer(x, x)
		d.Sub(d, outer(y, y))
		d.Scale(0.5, d)
		return d
	}
	for _, c := range []struct {
		name       string
		s          mvg.Sensitivity
		psi        int // 0: identity, 1: equal to Σ, 2: another
		directions bool
		draw       func() *mat.Dense
		exact      bool
	}{
		{"ball", ball, 2, true, func() *mat.Dense { return outer(sphere(3, 1.5), sphere(4, 1)) }, true},
		{"box in its axes", box, 0, false, func() *mat.Dense { return outer(vertex(src, h), unitVector(4, src.IntN(4))) }, true},
		{"box, any directions", box, 2, true, func() *mat.Dense { return outer(vertex(src, h), unitVector(4, src.IntN(4))) }, true},
		{"list", list, 2, true, nil, true},
		{"gram, equal", add, 1, true, func() *mat.Dense { return gram(sphere(3, 1.3), make([]float64, 3)) }, true},
		{"gram, crossed", add, 2, true, func() *mat.Dense { return gram(sphere(3, 1.3), make([]float64, 3)) }, true},
		{"replacement, equal", replace, 1, true, func() *mat.Dense { return gram(sphere(3, 1.3), sphere(3, 1.3)) }, true},
		{"replacement, one mode", replace, 0, true, func() *mat.Dense { return gram(sphere(3, 1.3), sphere(3, 1.3)) }, true},
		{"replacement, crossed", replace, 2, true, func() *mat.Dense { return gram(sphere(3, 1.3), sphere(3, 1.3)) }, false},
	} {
		m, n := c.s.Shape()
		sigma := must[mvg.Covariance](t)(mvg.NewDense(covariance(m, 3)))
		if !c.directions {
			sigma = must[mvg.Covariance](t)(mvg.NewDirectional([]float64{0.3, 2, 5}, nil))
		}
		psi := sigma
		switch c.psi {
		case 0:
			psi = must[mvg.Covariance](t)(mvg.NewIsotropic(n, 1))
		case 2:
			psi = must[mvg.Covariance](t)(mvg.NewDense(covariance(n, 4)))
		}
		d := must[*mvg.Design](t)(mvg.NewDesign(ctx, c.s, sigma, psi))
		k := d.WhitenedSensitivity()
		if c.exact && !(k.Hi-k.Lo <= 1e-9*k.Hi) {
			t.Errorf("%s: [%v, %v] is not exact", c.name, k.Lo, k.Hi)
		}
		if c.draw == nil {
			continue
		}
		best := 0.0
		for range 20000 {
			best = max(best, whitenedFast(sigma, psi, c.draw()))
		}
		if best > k.Hi || best < 0.96*k.Lo {
			t.Errorf("%s: search finds %v, enclosure [%v, %v]", c.name, best, k.Lo, k.Hi)
		}
		if s := c.s.Frobenius().Lo; s <= 0 {
			t.Errorf("%s: Frobenius %v", c.name, s)
		}
	}
}

// whitenedFast is tr(Σ⁻¹ΔΨ⁻¹Δᵀ)^½ with the precisions the package reports.
func whitenedFast(sigma, psi mvg.Covariance, delta *mat.Dense) float64 {
	p, q := sigma.Precision(), psi.Precision()
	var a mat.Dense
	a.Mul(p, delta)
	a.Mul(&a, q)
	m, n := delta.Dims()
	s := 0.0
	for i := range m {
		for j := range n {
			s += a.At(i, j) * delta.At(i, j)
		}
	}
	return math.Sqrt(s)
}

func vertex(src *rand.Rand, h []float64) []float64 {
	v := make([]float64, len(h))
	for i, w := range h {
		v[i] = 2 * w
		if src.IntN(2) == 0 {
			v[i] = -v[i]
		}
	}
	return v
}

func unitVector(n, j int) []float64 {
	e := make([]float64, n)
	e[j] = 1
	return e
}

// The list's norm by inverses and traces, which share nothing with whitening.
func TestDifferencesByTraces(t *testing.T) {
	list := []*mat.Dense{outer([]float64{1, 2, -1}, []float64{0, 1}), outer([]float64{3, 0, 0.5}, []float64{1, -0.2})}
	s := must[mvg.Differences](t)(mvg.NewDifferences(list))
	a, b := covariance(3, 8), covariance(2, 9)
	d := must[*mvg.Design](t)(mvg.NewDesign(ctx, s, must[mvg.Covariance](t)(mvg.NewDense(a)), must[mvg.Covariance](t)(mvg.NewDense(b))))
	want := max(whitenedNorm(t, a, b, list[0]), whitenedNorm(t, a, b, list[1]))
	if k := d.WhitenedSensitivity(); !near(k.Hi, want, 1e-11) || !near(k.Lo, want, 1e-11) {
		t.Errorf("whitened sensitivity in [%v, %v], want %v", k.Lo, k.Hi, want)
	}
}

// A box of 24 dimensions is beyond enumeration: the bounds must hold the value
// that an enumeration of a 20-dimensional relative finds, and be honest.
func TestBoxBeyondEnumeration(t *testing.T) {
	const m = 24
	h := make([]float64, m)
	for i := range h {
		h[i] = 1 + float64(i)/10
	}
	box := must[mvg.Box](t)(mvg.NewBox(2, h))
	sigma := must[mvg.Covariance](t)(mvg.NewDense(covariance(m, 11)))
	psi := must[mvg.Covariance](t)(mvg.NewIsotropic(2, 1))
	d := must[*mvg.Design](t)(mvg.NewDesign(ctx, box, sigma, psi))
	k := d.WhitenedSensitivity()
	src := rand.New(rand.NewPCG(3, 3))
	p := sigma.Precision()
	for range 20000 {
		v := mat.NewVecDense(m, vertex(src, h))
		if x := math.Sqrt(mat.Inner(v, p, v)); x > k.Hi {
			t.Fatalf("a vertex gives %v, above the bound %v", x, k.Hi)
		}
	}
	if !(k.Lo <= k.Hi) || k.Hi > 2*k.Lo {
		t.Errorf("bounds [%v, %v]", k.Lo, k.Hi)
	}
	t.Logf("bounds [%v, %v]", k.Lo, k.Hi)
}
