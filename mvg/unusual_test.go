package mvg

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/sampling"
	"dpworkbench/mvg/internal/symmetric"
	"dpworkbench/query"

	"gonum.org/v1/gonum/mat"
)

// set is one that no search knows.
type set struct{ Ball }

// Sets without a search have no optimum, and precisions beyond float64 no covariance.
func TestOptimaOfTheUnusual(t *testing.T) {
	o := &optimizer{ctx: t.Context(), s: set{ok(NewBall(2, 2, BallOptions{S2: 1, Gamma: 1}))}}
	if v, err := o.solve(); v != nil || !errors.Is(err, evidence.ErrParameter) || !says(err, "no optimum for") {
		t.Errorf("%v, error %v", v, err)
	}
	small := symmetric.Exactly(mat.NewDense(1, 1, []float64{1e-320}))
	if m, err := inverted("Σ", small); m != nil || !errors.Is(err, errScale) {
		t.Errorf("the inverse of 1e-320 is %v, error %v", m, err)
	}
}

// Triangles that somebody else computes are waited for until it is over, and what is computed
// ends in either covariance.
func TestTrianglesEnd(t *testing.T) {
	rng := rand.New(rand.NewPCG(143, 1))
	over, end := context.WithCancel(t.Context())
	end()
	c := drawCovariance(t, 3, 1, rng)
	<-c.dense.exact.turn
	if l, err := c.triangle(over, 200); l != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("a triangle of somebody else: %v, error %v", l, err)
	}
	c.dense.exact.turn <- struct{}{}
	fx, out := mat.NewDense(3, 2, nil), mat.NewDense(3, 2, nil)
	for name, known := range map[string]bool{"Σ": false, "Ψ": true} {
		sigma, psi := drawCovariance(t, 3, 1, rng), drawCovariance(t, 2, 1, rng)
		if known {
			ok(sigma.triangle(t.Context(), 1000))
		}
		z := make([]sampling.Real, 6)
		sampling.Normals(z, rng)
		p := joint{sigma: sigma, psi: psi}
		if err := p.compute(over, out, fx, z, 64, [][]int{{0, 1, 2}, {0, 1, 2}}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s is not known: error %v", name, err)
		}
	}
	near := ok(NewDense(mat.NewSymDense(2, []float64{1, 1 - 1e-12, 1 - 1e-12, 1})))
	d := ok(NewDesign(t.Context(), ok(NewBall(2, 2, BallOptions{S2: 1, Gamma: 1})), near, near))
	if z, err := d.SimulateKronecker(mat.NewDense(2, 2, nil), rand.NewPCG(1, 1)); z != nil || !errors.Is(err, ErrNotPositiveDefinite) {
		t.Errorf("noise without a factor: %v, error %v", z, err)
	}
}

// A design is proved by what its sensitivity was found by, where that is kept.
func TestProofsOfDesigns(t *testing.T) {
	rng := rand.New(rand.NewPCG(143, 2))
	sigma, psi := drawCovariance(t, 3, 1, rng), drawCovariance(t, 3, 1, rng)
	crossed := ok(NewDesign(t.Context(), ok(NewGram(3, 1.5, query.Replace, .5)), sigma, psi))
	if p, err := crossed.Proof(); p != nil || !errors.Is(err, evidence.ErrParameter) || !says(err, "no certificate where its covariances differ") {
		t.Errorf("two covariances: %v, error %v", p, err)
	}
	widths := make([]float64, maxVertexBits+2)
	for i := range widths {
		widths[i] = 1 + rng.Float64()
	}
	box := ok(NewBox(1, widths))
	d := ok(NewDesign(t.Context(), box, drawCovariance(t, len(widths), 1, rng), ok(NewIsotropic(1, 1))))
	p, err := d.Proof()
	if err != nil || len(p.Signs) != len(widths) || len(p.Dominating) != len(widths) {
		t.Fatalf("%+v, error %v", p, err)
	}
	for i, s := range p.Signs {
		if s != 1 && s != -1 || p.Dominating[i].Sign() <= 0 {
			t.Errorf("sign %d and %v of row %d", s, p.Dominating[i], i)
		}
	}
}
