package symmetric

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"dpworkbench/interval"
)

// Positive reports whether a is proven to be positive definite. It also returns false for a positive definite matrix
// that is too close to a singular one for 256 bits. That is so if, with rows scaled equally, the smallest eigenvalue is
// below about 10⁻⁷⁰.
func Positive(a mat.Symmetric) bool {
	b, ok := equilibrated(a)
	if !ok {
		return false
	}
	off := cholesky(b)
	var chol mat.Cholesky
	if chol.Factorize(shifted(b, -off)) {
		return true
	}
	// If B is positive definite, the factorization of B + 4 off·I cannot fail.
	return chol.Factorize(shifted(b, 4*off)) && exactlyPositive(a)
}

func exactlyPositive(a mat.Symmetric) bool {
	_, ok := Exactly(a).Factorize()
	return ok
}

// cholesky returns a number off with two properties for a B of ordinary size. If the float64 factorization of B runs
// to its end, B + off·I is positive definite. If B − off·I is positive definite, the factorization runs to its end.
// Indeed RᵀR = B + E with |E| ≤ (n+1)u|Rᵀ||R| and (RᵀR)_ii ≈ B_ii, so ‖E‖ ≤ (n+2)u tr B (Rump, "Verification of
// positive definiteness", BIT 2006). Twice that and two units more cover a division by multiplication with a
// reciprocal, the rounding of off and of B − off·I, and underflow.
func cholesky(b *mat.SymDense) float64 {
	n := b.SymmetricDim()
	trace := 0.0
	for i := range n {
		trace += math.Abs(b.At(i, i))
	}
	return 2*float64(n+4)*interval.Unit*trace + 0x1p-1000
}

func shifted(b *mat.SymDense, v float64) *mat.SymDense {
	out := mat.NewSymDense(b.SymmetricDim(), nil)
	out.CopySym(b)
	for i := range b.SymmetricDim() {
		out.SetSym(i, i, b.At(i, i)+v)
	}
	return out
}

// equilibrated returns SAS for the powers of two S that bring the diagonal to between ½ and 2, exactly except for
// entries below 2^−1022; ok is false if an entry shows that A is not positive definite.
func equilibrated(a mat.Symmetric) (*mat.SymDense, bool) {
	n := a.SymmetricDim()
	shifts := make([]int, n)
	for i := range n {
		v := a.At(i, i)
		if !(v > 0) {
			return nil, false
		}
		_, e := math.Frexp(v)
		shifts[i] = -(e >> 1)
	}
	out := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			v := math.Ldexp(a.At(i, j), shifts[i]+shifts[j])
			if !(math.Abs(v) <= 2) { // exceeds √(a_ii a_jj)
				return nil, false
			}
			out.SetSym(i, j, v)
		}
	}
	return out, true
}
