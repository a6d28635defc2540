package definite

import (
	"math"

	"dpworkbench/internal/elementary"
)

// unit is the rounding unit of float64.
const unit = 0x1p-53

// A sum is Σ x_i y_i as it is added up: s, and in c what rounding lost of the products and
// of the sum. With N products in all, s + c rounded to float64 is within
//
//	u|x·y| + γ_N²|x|·|y|,   γ_N = Nu/(1 − Nu),
//
// of x·y (Ogita, Rump and Oishi, SIAM J. Sci. Comput. 26(6), 2005, Proposition 5.5), as
// long as no product underflows; one that does loses less than 2⁻¹⁰⁷⁰.
type sum struct{ s, c float64 }

// plus adds x·y.
func (a sum) plus(x, y []float64) sum {
	s, c := a.s, a.c
	y = y[:len(x)]
	for i, v := range x {
		p := float64(v * y[i])
		e := math.FMA(v, y[i], -p)
		t, rest := elementary.TwoSum(s, p)
		s, c = t, c+(rest+e)
	}
	return sum{s, c}
}

func (a sum) float() float64 { return a.s + a.c }

// norm returns the Frobenius norm of some entries.
func norm(v []float64) float64 {
	s := 0.0
	for _, x := range v {
		s += x * x
	}
	return math.Sqrt(s)
}
