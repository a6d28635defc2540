package mvg_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/mvg"

	"gonum.org/v1/gonum/mat"
)

func ExampleNewClaim() {
	ball, _ := mvg.NewBall(6, 248, mvg.BallOptions{S2: 2 * math.Sqrt(6), Gamma: math.Sqrt(6 * 248)})
	c, _ := mvg.NewClaim(ctx, ball, mvg.Theorem2, mvg.ZetaRoot, mvg.Params{Epsilon: one, Delta: evidencetest.Delta(1.0 / 248)})
	real, _ := c.Privacy().Epsilon(ctx, evidencetest.Delta(1.0/248))
	fmt.Printf("claimed 1, real %.1g, element sd %.0f\n", real, c.ElementSD())
	// Output: claimed 1, real 0, element sd 18988
}

// Algorithm 1: p_i² = θ_i P on any orthonormal directions.
func TestAlgorithm1(t *testing.T) {
	ball := must.Be(mvg.NewBall(3, 7, mvg.BallOptions{S2: 1, Gamma: 2}))
	w := rotation(3, 5)
	theta := []float64{0.5, 0.3, 0.2}
	c := must.Be(mvg.NewClaim(ctx, ball, mvg.Theorem2, mvg.ZetaRoot, mvg.Params{Epsilon: one, Delta: evidencetest.Delta(0.01), Theta: theta, Directions: w}))
	sum := 0.0
	var inverse, back mat.Dense
	if err := inverse.Inverse(c.Sigma().Matrix()); err != nil {
		t.Fatal(err)
	}
	back.Mul(w.T(), &inverse)
	back.Mul(&back, w)
	for i, th := range theta {
		p := back.At(i, i)
		sum += p * p
		if !near(p*p, th*c.PrecisionBudget.Value, 1e-10) {
			t.Errorf("p_%d² = %v, want θP = %v", i, p*p, th*c.PrecisionBudget.Value)
		}
	}
	if !near(sum, c.Constants.Norm*c.Constants.Norm/7, 1e-10) {
		t.Errorf("Σp² = %v, want d²/n = %v", sum, c.Constants.Norm*c.Constants.Norm/7)
	}
}

// Monte Carlo of the privacy loss at the worst pair: the loss of a Gaussian
// mechanism at whitened distance k is N(k²/2, k²), but here it is computed from
// two densities of the matrix-variate law. Never more than δ, more than .95 δ at
// the worst pair. False-positive rate below 1e-6 (six standard errors).
func TestTightDesignByMonteCarlo(t *testing.T) {
	const delta = 0.05
	h := []float64{0.5, 2, 1}
	box := must.Be(mvg.NewBox(2, h))
	w := rotation(3, 9)
	d := must.Be(mvg.NewTight(ctx, box, mvg.Params{Epsilon: one, Delta: evidencetest.Delta(delta), Theta: []float64{0.7, 0.2, 0.1}, Directions: w}))
	p := d.Sigma().Precision()
	worst, square := []float64(nil), 0.0
	for mask := range 8 { // the box's vertices
		v := []float64{2 * h[0], 2 * h[1], 2 * h[2]}
		for i := range v {
			if mask>>i&1 == 1 {
				v[i] = -v[i]
			}
		}
		x := mat.NewVecDense(3, v)
		if s := mat.Inner(x, p, x); s > square {
			square, worst = s, v
		}
	}
	const draws = 400000
	rows := make([]*mat.VecDense, draws) // record 0, which differs by a shift
	src := rand.NewPCG(11, 12)
	z := mat.NewDense(3, 2, nil)
	for i := range rows {
		d.Noise(z, src)
		rows[i] = mat.NewVecDense(3, mat.Col(nil, 0, z))
	}
	for _, shift := range [][]float64{worst, {1, 4, 2}, {1, 0, 0}} {
		total, squares := 0.0, 0.0
		v, turned := mat.NewVecDense(3, shift), mat.NewVecDense(3, nil)
		turned.MulVec(p, v)
		half := mat.Dot(v, turned) / 2
		for _, x := range rows {
			loss := mat.Dot(x, turned) + half // (yᵀPy − xᵀPx)/2 at y = x + v
			if g := 1 - math.Exp(1-loss); g > 0 {
				total += g
				squares += g * g
			}
		}
		mean := total / draws
		se := math.Sqrt((squares/draws - mean*mean) / draws)
		if mean > delta+6*se {
			t.Errorf("δ at %v is %v ± %v, above %v", shift, mean, se, delta)
		}
		if &shift[0] == &worst[0] && mean < 0.95*delta {
			t.Errorf("δ at the worst pair %v is %v ± %v, below .95 of %v", shift, mean, se, delta)
		}
	}
}
