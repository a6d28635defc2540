package definite

import (
	"fmt"
	"math/big"
)

// mostBits limits the bits of a number in Precise. mostWords limits the products of words for one factor, which take a
// few seconds.
const (
	mostBits  = 1 << 14
	mostWords = 1 << 31
)

// Precise returns a factor with ε ≤ 2^−bits. It doubles the precision of X until a bound on the rounding of XHXᵀ
// proves that ε. It returns an error wrapping ErrNotProven if that would take more than 16384 bits or a few seconds.
func (m *Matrix) Precise(bits int) (*Factor, error) {
	target := new(big.Float).SetMantExp(big.NewFloat(1), -bits)
	for prec := bits + 128; ; prec *= 2 {
		words := float64(prec) / 64
		if n := float64(m.n); prec > mostBits || n*n*n*words*words > mostWords {
			return nil, fmt.Errorf("%w in numbers of %d bits", ErrNotProven, prec/2)
		}
		f, hopeless := m.longFactor(uint(prec))
		switch {
		case hopeless:
			return nil, fmt.Errorf("%w: a pivot is negative", ErrNotProven)
		case f != nil && f.spread.Cmp(target) <= 0:
			return f, nil
		}
	}
}

// longFactor returns the factor with X = L⁻¹ in numbers of prec bits, where LLᵀ is the Cholesky factorization of H. It
// returns nil if the factorization breaks down; hopeless reports that more bits would not help. With w = 2^−prec:
//
// Each entry of H is rounded once, by w|H|. T = HXᵀ has an error of γ_n|H||X|ᵀ, and XT − I adds γ_{n+1}(|X||T| + I),
// γ_{n+1} ≤ 2(n+1)w. Only the upper half is computed, so the spread is at most √2 times
//
//	‖G − I‖ + w‖X‖²‖H‖ + 2(n+1)w(‖X‖²‖H‖ + ‖X‖‖T‖ + n),  Frobenius norms.
//
// The root for draws is L in float64. X solves LX = I by columns, so |LX − I| ≤ γ_n|L||X|,
// and as XL − I = X(LX − I)X⁻¹ and H = X⁻¹(I + E)X⁻ᵀ,
//
//	‖XB − I‖ ≤ u‖X‖‖L‖ + 2nw‖X‖²‖L‖·(‖H‖/(1 − ε))^{1/2}.
func (m *Matrix) longFactor(prec uint) (f *Factor, hopeless bool) {
	n := m.n
	h := newLong(n, n, prec)
	for i := range n {
		for j := range i + 1 {
			v := m.entry(i, j, prec)
			v.SetMantExp(v, -m.exps[i]-m.exps[j])
			h.set(i, j, v)
			h.set(j, i, v)
		}
	}
	l, hopeless := h.cholesky()
	if l == nil {
		return nil, hopeless
	}
	x := l.inverted()
	s := newAdder(prec)
	t := newLong(n, n, prec) // row j is column j of T, to the diagonal
	for j := range n {
		for k := range j + 1 {
			s.reset(nil)
			s.addAll(x.v[j*n:j*n+j+1], h.v[k*n:k*n+j+1], false)
			t.set(j, k, s.value())
		}
	}
	gap := newLong(n, n, prec)
	minusOne := big.NewFloat(-1)
	for j := range n {
		for i := range j + 1 {
			var start *big.Float
			if i == j {
				start = minusOne
			}
			s.reset(start)
			s.addAll(x.v[i*n:i*n+i+1], t.v[j*n:j*n+i+1], false)
			gap.set(i, j, s.value())
		}
	}
	nx, nh, nt, nl := x.norm(), h.norm(), t.norm(), l.norm()
	w := new(big.Float).SetMantExp(big.NewFloat(1), -int(prec))
	times := func(factors ...*big.Float) *big.Float {
		p := up().SetInt64(1)
		for _, f := range factors {
			p.Mul(p, f)
		}
		return p
	}
	plus := func(terms ...*big.Float) *big.Float {
		p := up()
		for _, f := range terms {
			p.Add(p, f)
		}
		return p
	}
	count := big.NewFloat(float64(2 * (n + 1)))
	xhx := times(nx, nx, nh)
	spread := plus(gap.norm(), times(w, xhx), times(count, w, plus(xhx, times(nx, nt), big.NewFloat(float64(n)))))
	spread = times(spread, big.NewFloat(1.5))
	f = &Factor{n: n, exps: m.exps, spread: spread, long: x, root: make([]float64, n*n)}
	for i, v := range l.v {
		if v != nil {
			f.root[i], _ = v.Float64()
		}
	}
	half := up().SetFloat64(2) // ≥ 1/(1 − ε): Precise ensures ε < ½
	inner := times(half, nh)
	rootError := plus(times(big.NewFloat(unit), nx, nl), times(count, w, nx, nx, nl, times(inner.Sqrt(inner), big.NewFloat(1+0x1p-40))))
	f.rootError = above(rootError)
	return f, false
}
