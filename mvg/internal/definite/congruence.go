package definite

import (
	"dpworkbench/interval"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Congruence returns W diag(v) Wᵀ, each entry summed in twice the precision (up to order
// 256) and rounded. An entry beyond float64 is infinite, or not a number.
func Congruence(w *mat.Dense, v []float64) *mat.SymDense {
	n, _ := w.Dims()
	out := mat.NewSymDense(n, nil)
	if n > carefulOrder {
		root := mat.DenseCopyOf(w)
		for j, x := range v {
			for i := range n {
				root.Set(i, j, math.Sqrt(x)*w.At(i, j))
			}
		}
		out.SymOuterK(1, root)
		return out
	}
	high, low := make([]float64, n), make([]float64, n) // v_k w_ik, exactly
	for i := range n {
		row := w.RawRowView(i)
		for k, x := range v {
			high[k] = float64(x * row[k])
			low[k] = math.FMA(x, row[k], -high[k])
		}
		for j := i; j < n; j++ {
			other := w.RawRowView(j)
			out.SetSym(i, j, interval.DoubleDouble{}.AddProducts(high, other).AddProducts(low, other).Float())
		}
	}
	return out
}
