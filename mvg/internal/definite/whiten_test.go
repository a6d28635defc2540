package definite_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/mvg/internal/definite"

	"gonum.org/v1/gonum/mat"

	"dpworkbench/internal/must"
	"dpworkbench/interval"
)

// The enclosure of tr(A⁻¹ΔB⁻¹Δᵀ) contains the value from rational inverses, for factored and for diagonal sides.
func TestSquaredNormAgainstRationals(t *testing.T) {
	rng := rand.New(rand.NewPCG(35, 1))
	side := func(n int) (definite.Side, definite.Exact) {
		if rng.IntN(3) == 0 {
			v := make([]float64, n)
			s := mat.NewSymDense(n, nil)
			for i := range v {
				v[i] = math.Ldexp(1+rng.Float64(), rng.IntN(400)-200)
				s.SetSym(i, i, v[i])
			}
			return definite.Side{Variances: v}, definite.Exactly(s).Inverse()
		}
		for {
			s := definite.RandomConditioned(n, 16*rng.Float64(), rng.IntN(2)*100, rng)
			m, err := definite.New(s.SymmetricDim(), definite.Entries(s))
			if err != nil {
				continue
			}
			f, err := m.Factor()
			if err != nil {
				continue
			}
			return definite.Side{Factor: f}, definite.Exactly(s).Inverse()
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
						v.Mul(v, definite.Rat(delta.At(i, j)))
						want.Add(want, v.Mul(v, definite.Rat(delta.At(k, l))))
					}
				}
			}
		}
		lo, hi, exp := definite.SquaredNorm(left, right, delta)
		scale := new(big.Float).SetPrec(2000).SetMantExp(big.NewFloat(1), 2*exp)
		r, _ := scale.Rat(nil)
		if new(big.Rat).Mul(definite.Rat(lo), r).Cmp(want) > 0 || new(big.Rat).Mul(definite.Rat(hi), r).Cmp(want) < 0 {
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
		a, b := definite.RandomConditioned(2, 2, 0, rng), definite.RandomConditioned(3, 2, 0, rng)
		for _, s := range []*mat.SymDense{a, b} {
			s.ScaleSym(math.Ldexp(1, scale), s)
		}
		high, low := definite.Kronecker(a, b)
		m := must.Be(definite.New(6, high, low))
		f := must.Be(m.Precise(200))
		da, db := definite.Exactly(a).Det(), definite.Exactly(b).Det()
		want := new(big.Rat).Mul(new(big.Rat).Mul(da, new(big.Rat).Mul(da, da)), new(big.Rat).Mul(db, db))
		lo, hi := f.Det(300)
		l, _ := lo.Rat(nil)
		h, _ := hi.Rat(nil)
		if l.Cmp(want) > 0 || h.Cmp(want) < 0 {
			t.Errorf("scale 2^%d: determinant in [%.30g, %.30g], want %.30g", scale, lo, hi, new(big.Float).SetPrec(200).SetRat(want))
		}
	}
}

// Entries of a congruence equal the rational ones up to one rounding, with any cancellation. In large orders the
// entries are only close.
func TestCongruencesAgainstRationals(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 7))
	for range 200 {
		n := 1 + rng.IntN(4)
		w, v := mat.NewDense(n, n, nil), make([]float64, n)
		for j := range n {
			v[j] = rng.ExpFloat64()
			for i := range n {
				w.Set(i, j, rng.NormFloat64())
				if j == 1 && i > 0 { // cancels against the first column
					v[1] = v[0]
					w.Set(i, 1, -w.At(i, 0)*(1+1e-12*rng.Float64()))
					w.Set(0, 1, w.At(0, 0))
				}
			}
		}
		got := definite.Congruence(w, v)
		for i := range n {
			for j := range n {
				want, size := new(big.Rat), 0.0
				for k := range n {
					x := new(big.Rat).Mul(definite.Rat(w.At(i, k)), definite.Rat(w.At(j, k)))
					want.Add(want, x.Mul(x, definite.Rat(v[k])))
					size += math.Abs(w.At(i, k) * w.At(j, k) * v[k])
				}
				truth, _ := want.Float64()
				if off, _ := new(big.Rat).Sub(definite.Rat(got.At(i, j)), want).Float64(); math.Abs(off) > 1.01*interval.Unit*math.Abs(truth)+1e-29*size {
					t.Fatalf("entry (%d, %d) = %v is off by %.3g", i, j, got.At(i, j), off)
				}
			}
		}
	}
	const n = 256 + 4
	w, v := mat.NewDense(n, n, nil), make([]float64, n)
	for i := range n {
		v[i] = rng.ExpFloat64()
		for j := range n {
			w.Set(i, j, rng.NormFloat64())
		}
	}
	got := definite.Congruence(w, v)
	for i := range 5 {
		sum := 0.0
		for k := range n {
			sum += v[k] * w.At(i, k) * w.At(n-1-i, k)
		}
		if math.Abs(got.At(i, n-1-i)-sum) > 1e-11 {
			t.Errorf("entry (%d, %d) = %v, want %v", i, n-1-i, got.At(i, n-1-i), sum)
		}
	}
}
