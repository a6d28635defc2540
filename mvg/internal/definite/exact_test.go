package definite

import (
	"math/big"

	"gonum.org/v1/gonum/mat"
)

// exact is a matrix of rationals: the independent route.
type exact [][]*big.Rat

func exactly(terms ...mat.Symmetric) exact {
	n := terms[0].SymmetricDim()
	a := make(exact, n)
	for i := range a {
		for j := range n {
			v := new(big.Rat)
			for _, t := range terms {
				v.Add(v, new(big.Rat).SetFloat64(t.At(i, j)))
			}
			a[i] = append(a[i], v)
		}
	}
	return a
}

// pivots eliminates, and returns the pivots; ok is false at a zero.
func (a exact) pivots() (d []*big.Rat, ok bool) {
	n := len(a)
	b := make(exact, n)
	for i := range a {
		for _, v := range a[i] {
			b[i] = append(b[i], new(big.Rat).Set(v))
		}
	}
	for k := range n {
		if b[k][k].Sign() == 0 {
			return d, false
		}
		d = append(d, b[k][k])
		for i := k + 1; i < n; i++ {
			f := new(big.Rat).Quo(b[i][k], b[k][k])
			for j := k; j < n; j++ {
				b[i][j].Sub(b[i][j], new(big.Rat).Mul(f, b[k][j]))
			}
		}
	}
	return d, true
}

func (a exact) positive() bool {
	d, ok := a.pivots()
	for _, v := range d {
		ok = ok && v.Sign() > 0
	}
	return ok
}

func entries(terms []mat.Symmetric) (out []Term) {
	for _, t := range terms {
		out = append(out, Entries(t))
	}
	return out
}

// plus returns a + bC.
func (a exact) plus(b *big.Rat, c exact) exact {
	out := make(exact, len(a))
	for i := range a {
		for j := range a[i] {
			out[i] = append(out[i], new(big.Rat).Add(a[i][j], new(big.Rat).Mul(b, c[i][j])))
		}
	}
	return out
}

func (a exact) inverse() exact {
	n := len(a)
	wide := make(exact, n)
	for i := range a {
		for j := range 2 * n {
			v := new(big.Rat)
			if j < n {
				v.Set(a[i][j])
			} else if j == n+i {
				v.SetInt64(1)
			}
			wide[i] = append(wide[i], v)
		}
	}
	for k := range n { // of a positive definite matrix
		p := new(big.Rat).Inv(wide[k][k])
		for j := range 2 * n {
			wide[k][j].Mul(wide[k][j], p)
		}
		for i := range n {
			if i != k {
				f := new(big.Rat).Set(wide[i][k])
				for j := range 2 * n {
					wide[i][j].Sub(wide[i][j], new(big.Rat).Mul(f, wide[k][j]))
				}
			}
		}
	}
	out := make(exact, n)
	for i := range out {
		out[i] = wide[i][n:]
	}
	return out
}

func ident(n int) exact {
	s := mat.NewSymDense(n, nil)
	for i := range n {
		s.SetSym(i, i, 1)
	}
	return exactly(s)
}

func rat(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }
