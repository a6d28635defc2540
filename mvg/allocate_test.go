package mvg_test

import (
	"fmt"
	"math"
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

// NewClaim follows Algorithm 1: p_i² = θ_i P in any orthonormal directions.
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
