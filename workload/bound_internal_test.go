package workload

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/interval"

	"gonum.org/v1/gonum/mat"
)

// exactly returns the entries as rationals.
func exactly(m *mat.Dense) [][]*big.Rat {
	r, c := m.Dims()
	all := make([][]*big.Rat, r)
	for i := range all {
		for j := range c {
			all[i] = append(all[i], new(big.Rat).SetFloat64(m.At(i, j)))
		}
	}
	return all
}

func square(x *big.Rat) *big.Rat { return new(big.Rat).Mul(x, x) }

// In rational arithmetic, lowerEnd is at most ⟨Q, D_a W R⟩, and upperEnd is at least the error of BC + E·I. Since Q
// is orthogonal up to rounding, spectralAbove must be at least 1.
func TestErrorBoundsAreSafe(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 58))
	normal := func(r, c int) *mat.Dense {
		m := mat.NewDense(r, c, nil)
		m.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() / 4 }, m)
		return m
	}
	for range 50 {
		m, n := 1+rng.IntN(5), 1+rng.IntN(5)
		w := normal(m, n)
		a := positive(rng, m)
		r := mat.NewDense(n, n, nil)
		for j, v := range positive(rng, n) {
			r.Set(j, j, v)
		}
		var d mat.SVD
		var product, u, v, q mat.Dense
		product.Mul(mat.NewDiagDense(m, a), w)
		product.Mul(&product, r)
		d.Factorize(&product, mat.SVDThin)
		d.UTo(&u)
		d.VTo(&v)
		q.Mul(&u, v.T())
		lo := lowerEnd(w, a, 1, r, 1, &q)
		inner := new(big.Rat)
		ew, er, eq := exactly(w), exactly(r), exactly(&q)
		for i := range m {
			for j := range n {
				x := new(big.Rat).Mul(eq[i][j], new(big.Rat).SetFloat64(a[i]))
				x.Mul(x, new(big.Rat).Mul(ew[i][j], er[j][j]))
				inner.Add(inner, x)
			}
		}
		if norm := spectralAbove(&q); !(norm >= 1 && norm < 1+1e-13) {
			t.Errorf("spectralAbove = %v, want slightly above 1", norm)
		}
		if got := new(big.Rat).SetFloat64(lo); got.Cmp(inner) > 0 || lo < 0.999*sum(d.Values(nil)) {
			f, _ := inner.Float64()
			t.Errorf("lower end %v, want just below %v", lo, f)
		}

		b, c := normal(m, n), normal(n, n)
		sensitivity := 0.0
		for _, v := range columnNorms(c) {
			sensitivity = max(sensitivity, v)
		}
		// These are the largest row norm of B, the largest column norm of C, and the norm of E = W − BC.
		eb, ec := exactly(b), exactly(c)
		rows, columns, rest := new(big.Rat), new(big.Rat), new(big.Rat)
		most := func(to, v *big.Rat) {
			if v.Cmp(to) > 0 {
				to.Set(v)
			}
		}
		for i := range m {
			s := new(big.Rat)
			for k := range n {
				s.Add(s, square(eb[i][k]))
			}
			most(rows, s)
		}
		for j := range n {
			s, e := new(big.Rat), new(big.Rat)
			for k := range n {
				s.Add(s, square(ec[k][j]))
			}
			for i := range m {
				x := new(big.Rat).Set(ew[i][j])
				for k := range n {
					x.Sub(x, new(big.Rat).Mul(eb[i][k], ec[k][j]))
				}
				e.Add(e, square(x))
			}
			most(columns, s)
			most(rest, e)
		}
		hi := interval.Float(upperEnd(w, b, c, Max, sensitivity, 1))
		want := interval.Rat(rows).Sqrt().Mul(interval.Rat(columns).Sqrt()).Add(interval.Rat(rest).Sqrt())
		if hi.Less(want) || !hi.Less(want.Mul(interval.Float(1+1e-12))) {
			t.Errorf("upper end %v, want just above %v", hi, want)
		}
	}
}

// spectralAbove bounds the norm of any matrix. The bound is tight if the singular values are 0 and 1.
func TestSpectralNormIsBounded(t *testing.T) {
	projection := mat.NewDense(3, 3, []float64{.5, .5, 0, .5, .5, 0, 0, 0, 0})
	if s := spectralAbove(projection); !(s >= 1 && s < 1+1e-7) {
		t.Errorf("projection: %v", s)
	}
	rng := rand.New(rand.NewPCG(8, 58))
	for range 100 {
		m := mat.NewDense(1+rng.IntN(4), 1+rng.IntN(4), nil)
		m.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, m)
		var d mat.SVD
		d.Factorize(m, mat.SVDNone)
		if s, want := spectralAbove(m), d.Values(nil)[0]; s < want*(1-1e-14) {
			t.Errorf("spectralAbove = %v, below the norm %v", s, want)
		}
	}
}
