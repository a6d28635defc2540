package continuous_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"testing"

	"dpworkbench/continuous"
	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/privacy"
)

func ExampleNewDiscreteGaussian() {
	q, err := continuous.NewLinear([][2]*big.Rat{{big.NewRat(1, 1), big.NewRat(1, 1)}})
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := continuous.NewDiscreteGaussian(q, big.NewRat(10, 1))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Privacy().Epsilon(context.Background(), evidencetest.Delta(1e-6)))
	// Output: 0.396790092696 (certified: in [0.3967900926945731, 0.3967900926954826]) <nil>
}

// On a finer lattice, moments and support scale with the step, and privacy is that of steps of 1.
func TestDiscreteGaussianUnits(t *testing.T) {
	ctx := context.Background()
	fine := must.For(continuous.NewDiscreteGaussian(queryOf(t, "1/6", "1/6", "1/2", "1/2"), big.NewRat(3, 4)))(t)
	whole := must.For(continuous.NewDiscreteGaussian(queryOf(t, "1", "1", "3", "3"), big.NewRat(9, 2)))(t)
	close := func(what string, a, b evidence.Number, times float64) {
		t.Helper()
		if x, y := a.Float()*times, b.Float(); math.Abs(x-y) > 1e-14*y {
			t.Errorf("%s: %v and %v", what, x, y)
		}
	}
	close("E|noise|", fine.Distortion(), whole.Distortion(), 6)
	close("E noise²", fine.SecondMoment(), whole.SecondMoment(), 36)
	for k := range int64(9) {
		a := must.For(fine.Density(big.NewRat(-k, 6)))(t)
		b := must.For(whole.Density(big.NewRat(k, 1)))(t)
		close("density", a, b, 1)
	}
	if d, err := fine.Density(big.NewRat(1, 12)); err != nil || d.Float() != 0 {
		t.Errorf("between two lattice points: %v, %v", d, err)
	}
	for _, e := range []float64{0.01, 1} {
		a := must.For(fine.Privacy().Delta(ctx, evidencetest.Epsilon(e)))(t)
		b := must.For(whole.Privacy().Delta(ctx, evidencetest.Epsilon(e)))(t)
		close("δ", a, b, 1)
	}
	pairs := must.For(fine.Pairs(ctx))(t)
	rho := must.For(privacy.New(pairs).ZCDP(ctx))(t)
	close("ρ", rho, evidence.FromFloat(1.0/4/2/(9.0/16)), 1) // Δ²/2σ²
}
