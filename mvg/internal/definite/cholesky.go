package definite

import (
	"context"
	"fmt"
	"math/big"
	"math/bits"

	"dpworkbench/internal/lists"
	"dpworkbench/internal/parallel"
)

// Exps returns the exponents of D in A = DHD, D = diag(2^exps).
func (f *Factor) Exps() []int { return append([]int(nil), f.exps...) }

// Cholesky returns rows ℓ_i of integers, of i + 1 entries each, with
//
//	‖2^−places·ℓ_i − L_i‖₂ ≤ √n·2^−places,  places ≥ 0,
//
// where L is the exact lower triangular root of H, LLᵀ = H, with a positive diagonal. f is a factor of the matrix.
// Cholesky returns the context's error if ctx ends.
//
// Let M be the integers that the algorithm computes, in units of 2^−P, and T the entries of H truncated to units of
// 4^−P. The remainders of the divisions and square roots are the entries of T − MMᵀ. They are below M_jj off the
// diagonal and at most 2M_jj on it, and M_jj² ≤ T_jj < 2·4^P. Including the truncation of T, and with M in absolute
// units from here on, R = H − MMᵀ has
//
//	‖R‖_F ≤ (2√2·n·2^P + n)·4^−P ≤ ρ = 3n·2^−P.
//
// Let ν ≥ ‖H⁻¹‖₂, and choose P such that νρ ≤ 2^−places/8. Then H − R is positive definite for this and every smaller
// R, so no pivot vanishes. As (MMᵀ)⁻¹ = (H − R)⁻¹, E = M⁻¹RM⁻ᵀ has
//
//	e = ‖E‖_F ≤ ‖M⁻¹‖₂²‖R‖_F ≤ νρ/(1 − νρ) ≤ 8νρ/7 ≤ 1/7.
//
// H = M(I + E)Mᵀ, so L = M(I + K) with (I + K)(I + K)ᵀ = I + E, K lower triangular. In K + Kᵀ = E − KKᵀ the left side
// has at least √2 times the norm of K, because entries off the diagonal occur twice and those on it are doubled. So k
// = ‖K‖_F satisfies k ≤ (e + k²)/√2: it is at most (1 − √(1 − 2e))/√2 ≤ √2·e, or at least (1 + √(1 − 2e))/√2. K is
// continuous as E grows from 0, so the first case holds (Chang, Paige and Stewart 1996 have this bound).
//
// The rows of M have norm (H − R)_ii^{1/2} ≤ (2 + ρ)^{1/2} ≤ 3/2, as ρ ≤ 1/(8ν) and ν ≥ 1/H_ii > ½. So each row of L
// differs from that of M by at most (3/2)·√2·(8/7)νρ ≤ 0.31·2^−places, and rounding M adds ½√n·2^−places.
//
// ν comes from the verified inverse: H⁻¹ ⪯ XᵀX/(1 − ε), whose norm is at most ‖X‖_F²/(1 − ε).
func (m *Matrix) Cholesky(ctx context.Context, f *Factor, places int) ([][]*big.Int, error) {
	n := m.n
	inverse := f.square()
	inverse.Quo(inverse, new(big.Float).SetPrec(64).SetMode(big.ToNegativeInf).Sub(big.NewFloat(1), f.spread))
	extra := inverse.MantExp(nil) + bits.Len(uint(24*n)) // 24nν ≤ 2^extra
	length := places + max(extra, 3)
	rows := lists.Of(n, func(i int) []*big.Int { return make([]*big.Int, i+1) })
	const piece = 16
	for j := range n {
		parallel.Report(ctx, int64(j), int64(n), "columns of the covariance's root, %d bits", length)
		pivot := m.rest(rows, j, j, length)
		if pivot.Sign() <= 0 {
			return nil, fmt.Errorf("%w: pivot %d is not positive", ErrNotProven, j)
		}
		pivot.Sqrt(pivot)
		rows[j][j] = pivot
		err := parallel.Chunks(ctx, n-j-1, piece, func(first, last int) error {
			for i := j + 1 + first; i < j+1+last; i++ {
				v := m.rest(rows, i, j, length)
				rows[i][j] = v.Div(v, pivot)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	half := new(big.Int).Lsh(big.NewInt(1), uint(length-places-1))
	for _, row := range rows {
		for _, v := range row {
			v.Add(v, half).Rsh(v, uint(length-places))
		}
	}
	return rows, nil
}

// rest returns H_ij − Σ_{k<j} M_ik M_jk in units of 4^−length, with H_ij truncated to an integer.
func (m *Matrix) rest(rows [][]*big.Int, i, j, length int) *big.Int {
	h := m.entry(i, j, exactBits)
	sum, _ := h.SetMantExp(h, 2*length-m.exps[i]-m.exps[j]).Int(nil)
	product := new(big.Int)
	for k, v := range rows[i][:j] {
		sum.Sub(sum, product.Mul(v, rows[j][k]))
	}
	return sum
}

// square bounds ‖X‖_F² from above.
func (f *Factor) square() *big.Float {
	if f.long != nil {
		x := f.long.norm()
		return x.Mul(x, x)
	}
	s := up()
	for _, v := range f.x {
		x := up().SetFloat64(v)
		s.Add(s, x.Mul(x, x))
	}
	return s
}
