package definite

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"dpworkbench/internal/must"
)

// The enclosure of tr(A⁻¹ΔB⁻¹Δᵀ) contains the value from rational inverses, for factored and for diagonal sides.
func TestSquaredNormAgainstRationals(t *testing.T) {
	rng := rand.New(rand.NewPCG(35, 1))
	side := func(n int) (Side, exact) {
		if rng.IntN(3) == 0 {
			v := make([]float64, n)
			s := mat.NewSymDense(n, nil)
			for i := range v {
				v[i] = math.Ldexp(1+rng.Float64(), rng.IntN(400)-200)
				s.SetSym(i, i, v[i])
			}
			return Side{Variances: v}, exactly(s).inverse()
		}
		for {
			s := randomConditioned(n, 16*rng.Float64(), rng.IntN(2)*100, rng)
			m, err := New(s.SymmetricDim(), Entries(s))
			if err != nil {
				continue
			}
			f, err := m.Factor()
			if err != nil {
				continue
			}
			return Side{Factor: f}, exactly(s).inverse()
		}
	}
	for range 200 {
		m, n := 1+rng.IntN(5), 1+rng.IntN(5)
		left, p := side(m)
		right, q := side(n)
		delta := mat.NewDense(m, n, nil)
		for i := range m {
			for j := range n {
				if rng.IntN(4) > 0 {
					delta.Set(i, j, math.Ldexp(rng.NormFloat64(), rng.IntN(2)*(rng.IntN(1000)-500)))
				}
			}
		}
		want := new(big.Rat)
		for i := range m {
			for j := range n {
				for k := range m {
					for l := range n {
						v := new(big.Rat).Mul(p[i][k], q[j][l])
						v.Mul(v, rat(delta.At(i, j)))
						want.Add(want, v.Mul(v, rat(delta.At(k, l))))
					}
				}
			}
		}
		lo, hi, exp := SquaredNorm(left, right, delta)
		scale := new(big.Float).SetPrec(2000).SetMantExp(big.NewFloat(1), 2*exp)
		r, _ := scale.Rat(nil)
		if new(big.Rat).Mul(rat(lo), r).Cmp(want) > 0 || new(big.Rat).Mul(rat(hi), r).Cmp(want) < 0 {
			t.Errorf("%d×%d: [%v, %v]·4^%d does not hold %v", m, n, lo, hi, exp, new(big.Float).SetRat(want))
		}
		if !(hi <= lo*(1+1e-12)) && want.Sign() > 0 {
			t.Errorf("%d×%d: [%v, %v]·4^%d is wide", m, n, lo, hi, exp)
		}
	}
}

// A Kronecker product equals the sum of its two terms, at any scale.
func TestKroneckerIsExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(36, 1))
	for _, scale := range []int{0, -900, 900} {
		a, b := randomConditioned(2, 2, 0, rng), randomConditioned(3, 2, 0, rng)
		for _, s := range []*mat.SymDense{a, b} {
			s.ScaleSym(math.Ldexp(1, scale), s)
		}
		high, low := Kronecker(a, b)
		m := must.Be(New(6, high, low))
		f := must.Be(m.Precise(200))
		det := func(s *mat.SymDense) *big.Rat {
			d, _ := exactly(s).pivots()
			out := big.NewRat(1, 1)
			for _, v := range d {
				out.Mul(out, v)
			}
			return out
		}
		da, db := det(a), det(b)
		want := new(big.Rat).Mul(new(big.Rat).Mul(da, new(big.Rat).Mul(da, da)), new(big.Rat).Mul(db, db))
		lo, hi := f.Det(300)
		l, _ := lo.Rat(nil)
		h, _ := hi.Rat(nil)
		if l.Cmp(want) > 0 || h.Cmp(want) < 0 {
			t.Errorf("scale 2^%d: determinant in [%.30g, %.30g], want %.30g", scale, lo, hi, new(big.Float).SetPrec(200).SetRat(want))
		}
	}
}
