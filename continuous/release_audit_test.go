package continuous_test

import (
	"context"
	"dpworkbench/internal/must"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/audit/audittest"
	"dpworkbench/continuous"
	"dpworkbench/internal/stattest"
)

// The audit of this house refutes no release, and every simulation in floating point.
func TestReleasesPassTheAudit(t *testing.T) {
	n := stattest.Draws(t, 1<<13)
	for name, m := range drawers(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			far := big.NewRat(3, 1) // Δ of points
			if name == "laplace" || name == "staircase" || name == "gaussian" {
				far = big.NewRat(3, 2)
			}
			if name == "purest" || name == "neighborhood" {
				far = big.NewRat(7, 2)
			}
			eps, delta := 1.1, 0.0
			if name == "discrete gaussian" || name == "gaussian" {
				d := must.For(m.Privacy().Delta(context.Background(), epsilonOf(t, eps)))(t)
				delta = d.Float()
			}
			var released, simulated audittest.Draws
			for i, answer := range []*big.Rat{new(big.Rat), far} {
				released[i] = must.For(continuous.Release(context.Background(), m, answer, n, nil, rand.NewPCG(71, uint64(i))))(t)
				if continuous.IsDiscrete(m) {
					continue
				}
				simulated[i] = must.For(m.Noise(n, rand.NewPCG(73, uint64(i))))(t)
				at, _ := answer.Float64()
				for k := range simulated[i] {
					simulated[i][k] += at
				}
			}
			audittest.Hold(t, name, eps, delta, released, simulated)
		})
	}
}
