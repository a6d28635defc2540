package optimize

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/must"

	"gonum.org/v1/gonum/mat"
)

// The contraction bounds ‖I − RK‖∞ for every K that rounds to the dense matrix, tightly, however inexact R is.
func TestContractionBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 5))
	abs := func(v *big.Rat) *big.Rat { return new(big.Rat).Abs(v) }
	for trial := range 15 {
		n := 1 + rng.IntN(12)
		dense, inverse := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
		scale := []float64{1, 1e-3, 1e8}[trial%3]
		for i := range n {
			for j := range n {
				dense.Set(i, j, rng.Float64())
				inverse.Set(i, j, scale*rng.NormFloat64())
				if trial%3 == 2 { // with cancellation
					dense.Set(i, j, 1)
					inverse.Set(i, j, scale*float64(1-2*(j%2))*float64((n&^1-j)/max(n&^1-j, 1)))
				}
			}
		}
		k := &kernel{n: n}
		got := must.For(k.contraction(t.Context(), inverse, dense))(t)
		worst, slack := new(big.Rat), new(big.Rat)
		for i := range n {
			row, size := new(big.Rat), new(big.Rat)
			for j := range n {
				v := new(big.Rat)
				if i == j {
					v.SetInt64(1)
				}
				for l := range n {
					p := new(big.Rat).Mul(new(big.Rat).SetFloat64(inverse.At(i, l)), new(big.Rat).SetFloat64(dense.At(l, j)))
					v.Sub(v, p)
					size.Add(size, abs(p))
				}
				row.Add(row, abs(v))
			}
			row.Add(row, size.Mul(size, new(big.Rat).SetFloat64(0x1p-53)))
			if row.Cmp(worst) > 0 {
				worst = row
			}
			if size.Cmp(slack) > 0 {
				slack = size
			}
		}
		least, _ := worst.Float64()
		rounding, _ := slack.Float64()
		if !(got >= least*(1-1e-15)) || !(got <= least*(1+1e-10)+float64(50*n*(n+4))*rounding) {
			t.Errorf("trial %d, %d datasets: %v, want at least %v", trial, n, got, least)
		}
	}
	if got, err := (&kernel{n: 2}).contraction(t.Context(), mat.NewDense(2, 2, []float64{1e300, 1e300, 1, 1}), mat.NewDense(2, 2, []float64{1, 1, 1, 1})); err != nil || got < 1e299 || math.IsNaN(got) {
		t.Errorf("%v, %v, want more than 10²⁹⁹", got, err)
	}
}
