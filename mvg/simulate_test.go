package mvg_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/mvg"

	"gonum.org/v1/gonum/mat"
)

// The affine transformation and the Kronecker covariance give the same law: both
// have covariance Ψ⊗Σ, entry by entry, to six standard errors.
func TestSamplersAgree(t *testing.T) {
	s := must[mvg.Ball](t)(mvg.NewBall(2, 3, 1, 2, false))
	a, b := covariance(2, 21), covariance(3, 22)
	d := must[*mvg.Design](t)(mvg.NewDesign(ctx, s, must[mvg.Covariance](t)(mvg.NewDense(a)), must[mvg.Covariance](t)(mvg.NewDense(b))))
	var want mat.Dense
	want.Kronecker(b, a)
	const draws = 200000
	for name, draw := range map[string]func(src rand.Source) *mat.Dense{
		"affine": func(src rand.Source) *mat.Dense {
			z := mat.NewDense(2, 3, nil)
			d.Noise(z, src)
			return z
		},
		"kronecker": func(src rand.Source) *mat.Dense {
			return must[*mat.Dense](t)(d.SimulateKronecker(mat.NewDense(2, 3, nil), src))
		},
	} {
		n := draws
		if name == "kronecker" {
			n = draws / 10
		}
		src := rand.NewPCG(5, 6)
		got := mat.NewSymDense(6, nil)
		for range n {
			z := draw(src)
			v := mat.NewVecDense(6, nil)
			for j := range 3 {
				for i := range 2 {
					v.SetVec(2*j+i, z.At(i, j))
				}
			}
			got.SymRankOne(got, 1/float64(n), v)
		}
		for i := range 6 {
			for j := range 6 {
				se := math.Sqrt((want.At(i, i)*want.At(j, j) + want.At(i, j)*want.At(i, j)) / float64(n))
				if math.Abs(got.At(i, j)-want.At(i, j)) > 6*se {
					t.Errorf("%s: cov[%d][%d] = %v, want %v ± %v", name, i, j, got.At(i, j), want.At(i, j), se)
				}
			}
		}
	}
}

// Both samplers add their noise to the answer, and refuse one of another shape.
func TestSimulateKronecker(t *testing.T) {
	s := must[mvg.Ball](t)(mvg.NewBall(2, 3, 1, 2, false))
	one := must[mvg.Covariance](t)(mvg.NewIsotropic(2, 1e-30))
	d := must[*mvg.Design](t)(mvg.NewDesign(ctx, s, one, must[mvg.Covariance](t)(mvg.NewIsotropic(3, 1))))
	x := mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6})
	if got := must[*mat.Dense](t)(d.SimulateKronecker(x, rand.NewPCG(1, 1))); !mat.EqualApprox(got, x, 1e-12) {
		t.Errorf("%v, want %v", mat.Formatted(got), mat.Formatted(x))
	}
	for _, bad := range []*mat.Dense{mat.NewDense(3, 2, nil), mat.NewDense(2, 3, []float64{0, 0, math.NaN(), 0, 0, 0})} {
		if z, err := d.SimulateKronecker(bad, rand.NewPCG(1, 1)); z != nil || !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%v gives %v, %v", mat.Formatted(bad), z, err)
		}
	}
}

// The ziggurat against the normal distribution function: Kolmogorov's distance
// of 2^20 draws stays below the DKW radius at level 1e-9, tails included.
func TestNoiseIsNormal(t *testing.T) {
	s := must[mvg.Ball](t)(mvg.NewBall(1<<10, 1<<10, 1, 1, false))
	one := must[mvg.Covariance](t)(mvg.NewIsotropic(1<<10, 1))
	d := must[*mvg.Design](t)(mvg.NewDesign(ctx, s, one, one))
	z := mat.NewDense(1<<10, 1<<10, nil)
	d.Noise(z, rand.NewPCG(1, 2))
	x := append([]float64(nil), z.RawMatrix().Data...)
	sortFloats(x)
	gap := 0.0
	for i, v := range x {
		f := math.Erfc(-v/math.Sqrt2) / 2
		gap = max(gap, math.Abs(f-float64(i)/float64(len(x))), math.Abs(f-float64(i+1)/float64(len(x))))
	}
	if r := math.Sqrt(math.Log(2/1e-9) / (2 * float64(len(x)))); gap > r { // Massart 1990
		t.Errorf("Kolmogorov distance %v, want at most %v", gap, r)
	}
	if x[0] > -4.3 || x[len(x)-1] < 4.3 {
		t.Errorf("extremes %v, %v of a million draws", x[0], x[len(x)-1])
	}
	again := mat.NewDense(1<<10, 1<<10, nil)
	d.Noise(again, rand.NewPCG(1, 2))
	if !mat.Equal(z, again) {
		t.Error("the same seed gives another draw")
	}
}
