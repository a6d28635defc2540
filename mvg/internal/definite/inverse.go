package definite

import (
	"fmt"
	"math"
	"math/big"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"dpworkbench/interval"
)

// Factor returns a factor of the matrix. It computes in float64 if ε is then at most 2⁻⁴⁸ times the order (2⁻²⁷ beyond
// order 64). Otherwise it uses more precise numbers, up to order 256. It returns an error wrapping ErrNotProven if
// neither proves the matrix positive definite.
func (m *Matrix) Factor() (*Factor, error) {
	f := m.floatFactor()
	enough := float64(m.n) * 0x1p-48
	if m.n > 64 {
		enough = 0x1p-27 // more precise numbers take seconds
	}
	large := m.n > carefulOrder
	switch {
	case f != nil && (large || f.Spread() <= enough):
		return f, nil
	case large:
		return nil, ErrNotProven
	}
	p, err := m.Precise(64) // its first attempt, with 192 bits, suffices if f is not nil
	if err == nil && p.long.norm().Cmp(big.NewFloat(0x1p400)) > 0 {
		return nil, fmt.Errorf("%w: its condition number is beyond 2^800", ErrNotProven)
	}
	return p, err
}

// Spread returns an ε with XᵀX/(1 + ε) ⪯ H⁻¹ ⪯ XᵀX/(1 − ε).
func (f *Factor) Spread() float64 { return above(f.spread) }

// An Inverse is an enclosure of R A⁻¹ R for R = diag(r), r > 0, in units of 4^Exp: for some P̂
//
//	|P̂ − Near|_ij ≤ Entry·√(Near_ii Near_jj),  P̂/(1 + Spread) ⪯ R A⁻¹ R/4^Exp ⪯ P̂/(1 − Spread),
//
// plus 2⁻⁵⁰⁰ of the largest entry for underflow. The largest diagonal entry of Near is at least 1/8.
type Inverse struct {
	Near          *mat.SymDense
	Exp           int
	Entry, Spread float64
}

// Inverse returns R A⁻¹ R for R = diag(r), or A⁻¹ if r is nil.
//
// Up to order 256, entries of XᵀX are summed in double-double and then rounded, with an error of (u + γ_n²)√(p_ii
// p_jj). Beyond that they are summed in float64, with an error of γ_n√(p_ii p_jj) by Cauchy and Schwarz. Scaling by r
// rounds twice more. The largest diagonal entry is at least 1/8, as (H⁻¹)_ii ≥ 1/H_ii.
func (f *Factor) Inverse(r []float64) Inverse {
	n := f.n
	scales, exp := make([]float64, n), math.MinInt
	shifts := make([]int, n)
	for i := range n {
		v := 1.0
		if r != nil {
			v = r[i]
		}
		fraction, e := math.Frexp(v)
		scales[i], shifts[i] = fraction, e-f.exps[i]
		exp = max(exp, shifts[i])
	}
	for i := range n {
		scales[i] = math.Ldexp(scales[i], max(shifts[i]-exp, -2000))
	}
	out := Inverse{Near: mat.NewSymDense(n, nil), Exp: exp, Entry: 4 * unit, Spread: f.Spread()}
	near := f.product()
	if n > carefulOrder && f.x != nil {
		out.Entry = float64(n+4) * unit * slack
	}
	for i := range n {
		for j := i; j < n; j++ {
			out.Near.SetSym(i, j, near[i*n+j]*scales[i]*scales[j])
		}
	}
	return out
}

// product returns XᵀX, rounded.
func (f *Factor) product() []float64 {
	n := f.n
	near := make([]float64, n*n)
	switch {
	case f.long != nil:
		t, s := f.long.transposed(), newAdder(f.long.prec)
		for i := range n {
			for j := range i + 1 {
				s.reset(nil)
				s.addAll(t.v[i*n+i:i*n+n], t.v[j*n+i:j*n+n], false)
				near[i*n+j], _ = s.sum.Float64()
				near[j*n+i] = near[i*n+j]
			}
		}
	case n > carefulOrder:
		return gemm(n, f.x, f.x, blas.Trans, blas.NoTrans)
	default:
		t := make([]float64, n*n)
		for i := range n {
			for j := range n {
				t[j*n+i] = f.x[i*n+j]
			}
		}
		for i := range n {
			for j := range i + 1 {
				v := interval.DoubleDouble{}.AddProducts(t[i*n+i:i*n+n], t[j*n+i:j*n+n]).Float()
				near[i*n+j], near[j*n+i] = v, v
			}
		}
	}
	return near
}

// Root returns a lower triangular B, row by row, such that BBᵀ is between (1 − off)A and (1 + off)A. Up to scaling by
// D, BBᵀ is X⁻¹(I + F)(I + F)ᵀX⁻ᵀ with XB = I + F, and A is X⁻¹(I + E)X⁻ᵀ.
func (f *Factor) Root() (b []float64, off float64) {
	b = append([]float64(nil), f.root...)
	for i := range f.n {
		for j := range i + 1 {
			b[i*f.n+j] = math.Ldexp(b[i*f.n+j], f.exps[i])
		}
	}
	e, r := f.Spread(), f.rootError
	below := 1 - r // if negative, (1 + r)² gives the larger error
	return b, math.Max((1+r)*(1+r)/(1-e)-1, 1-below*below/(1+e)) + 4*unit
}
