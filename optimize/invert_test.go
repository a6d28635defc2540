package optimize

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestInvert(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{1, 2, step - 1, step, step + 1, 3*step + 5, slab + 2*step} {
		a := mat.NewDense(n, n, nil)
		for i := range n {
			for j := range n {
				a.Set(i, j, rng.NormFloat64())
			}
		}
		inverse, err := invert(t.Context(), mat.DenseCopyOf(a))
		if err != nil || inverse == nil {
			t.Fatalf("n = %d: %v", n, err)
		}
		var product mat.Dense
		product.Mul(inverse, a)
		for i := range n {
			product.Set(i, i, product.At(i, i)-1)
		}
		// Higham 2002, (14.3): the bound is n ε ‖A⁻¹‖‖A‖ growth, and the growth is below n for such a matrix.
		if miss, most := mat.Norm(&product, 1), float64(n*n)*0x1p-53*mat.Norm(a, 1)*mat.Norm(inverse, 1)+0x1p-50; !(miss <= most) {
			t.Errorf("n = %d: ‖A⁻¹A − I‖ = %g, want at most %g", n, miss, most)
		}
	}
	if inverse, err := invert(t.Context(), mat.NewDense(2*step, 2*step, nil)); inverse != nil || err != nil {
		t.Errorf("zero: %v, %v", inverse, err)
	}
}
