package mvg_test

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/audit/audittest"
	"dpworkbench/internal/stattest"
	"dpworkbench/mvg"

	"gonum.org/v1/gonum/mat"
)

// The audit of this house refutes no release of a matrix, and every simulation: entries that are alike are so many
// draws of one, whose answer moves by 1.
func TestReleasesPassTheAudit(t *testing.T) {
	const columns = 64
	rows := stattest.Draws(t, 1<<14) / columns
	ball := must[mvg.Ball](t)(mvg.NewBall(rows, columns, mvg.BallOptions{S2: 1, Gamma: 1}))
	variance := func(n int, v float64) mvg.Covariance { return must[mvg.Covariance](t)(mvg.NewIsotropic(n, v)) }
	d := must[*mvg.Design](t)(mvg.NewDesign(ctx, ball, variance(rows, 1), variance(columns, 4)))
	delta := func(eps float64) float64 { // of N(0, 4) and N(1, 4)
		tail := func(x float64) float64 { return math.Erfc(x/math.Sqrt2) / 2 }
		return tail(2*eps-0.25) - math.Exp(eps)*tail(2*eps+0.25)
	}
	for name, c := range map[string]struct {
		eps, delta float64
		release    func(fx mat.Matrix, seed uint64) (*mat.Dense, error)
		simulate   func(fx mat.Matrix, seed uint64) (*mat.Dense, error)
	}{
		"design": {0.3, delta(0.3) * (1 + 1e-9), func(fx mat.Matrix, seed uint64) (*mat.Dense, error) {
			return d.Release(context.Background(), fx, nil, streams(seed))
		}, func(fx mat.Matrix, seed uint64) (*mat.Dense, error) { return d.Simulate(fx, rand.NewPCG(seed, 1)) }},
		"Laplace": {0.67, 0, func(fx mat.Matrix, seed uint64) (*mat.Dense, error) {
			return mvg.ReleaseLaplace(context.Background(), fx, big.NewRat(3, 2), nil, streams(seed))
		}, func(fx mat.Matrix, seed uint64) (*mat.Dense, error) {
			return mvg.SimulateLaplace(fx, 1.5, rand.NewPCG(seed, 1))
		}},
	} {
		var released, simulated audittest.Draws
		for i := range released {
			fx := mat.NewDense(rows, columns, nil)
			fx.Apply(func(_, _ int, _ float64) float64 { return float64(i) }, fx)
			released[i] = must[*mat.Dense](t)(c.release(fx, uint64(91+i))).RawMatrix().Data
			simulated[i] = must[*mat.Dense](t)(c.simulate(fx, uint64(93+i))).RawMatrix().Data
		}
		audittest.Hold(t, name, c.eps, c.delta, released, simulated)
	}
}
