package definite

import (
	"math"
	"math/big"

	"dpworkbench/interval"
)

// long is a matrix of big.Float, row by row; a nil entry is 0.
type long struct {
	rows, cols int
	prec       uint
	v          []*big.Float
}

func newLong(rows, cols int, prec uint) *long {
	return &long{rows, cols, prec, make([]*big.Float, rows*cols)}
}

func (a *long) at(i, j int) *big.Float { return a.v[i*a.cols+j] }

func (a *long) set(i, j int, v *big.Float) { a.v[i*a.cols+j] = v }

func (a *long) transposed() *long {
	out := newLong(a.cols, a.rows, a.prec)
	for i := range a.rows {
		for j := range a.cols {
			out.v[j*a.rows+i] = a.v[i*a.cols+j]
		}
	}
	return out
}

// adder sums products. Products and sums are rounded, so the error of n products is at most γ_n|x|·|y|.
type adder struct{ sum, next, product *big.Float }

func newAdder(prec uint) *adder {
	f := func() *big.Float { return new(big.Float).SetPrec(prec) }
	return &adder{f(), f(), f()}
}

func (s *adder) reset(v *big.Float) {
	if s.sum.SetInt64(0); v != nil {
		s.sum.Set(v)
	}
}

// addAll adds Σ x_k y_k, or subtracts it if minus is true. It alternates between two numbers, because big.Float
// allocates if a sum is also its own operand.
func (s *adder) addAll(x, y []*big.Float, minus bool) {
	for k, v := range x {
		if v == nil || y[k] == nil {
			continue
		}
		s.product.Mul(v, y[k])
		if minus {
			s.next.Sub(s.sum, s.product)
		} else {
			s.next.Add(s.sum, s.product)
		}
		s.sum, s.next = s.next, s.sum
	}
}

func (s *adder) value() *big.Float { return new(big.Float).SetPrec(s.sum.Prec()).Set(s.sum) }

// cholesky returns the lower triangular L with LLᵀ near a, or nil if a pivot is not positive; hopeless reports that
// the pivot is negative far beyond rounding.
func (a *long) cholesky() (l *long, hopeless bool) {
	n := a.rows
	l = newLong(n, n, a.prec)
	s := newAdder(a.prec)
	for j := range n {
		for i := j; i < n; i++ {
			s.reset(a.at(i, j))
			s.addAll(l.v[i*n:i*n+j], l.v[j*n:j*n+j], true)
			if i > j {
				l.set(i, j, s.value())
				l.at(i, j).Quo(l.at(i, j), l.at(j, j))
				continue
			}
			if s.sum.Sign() <= 0 {
				return nil, s.sum.Sign() < 0 && s.sum.MantExp(nil) > -int(a.prec)/2
			}
			l.set(j, j, new(big.Float).SetPrec(a.prec).Sqrt(s.sum))
		}
	}
	return l, false
}

// inverted returns an approximate inverse of a lower triangular matrix.
func (a *long) inverted() *long {
	n := a.rows
	x, s := newLong(n, n, a.prec), newAdder(a.prec)
	column := make([]*big.Float, n)
	for j := range n {
		column[j] = new(big.Float).SetPrec(a.prec).Quo(big.NewFloat(1), a.at(j, j))
		for i := j + 1; i < n; i++ {
			s.reset(nil)
			s.addAll(a.v[i*n+j:i*n+i], column[j:i], true)
			column[i] = s.value()
			column[i].Quo(column[i], a.at(i, i))
		}
		for i := j; i < n; i++ {
			x.set(i, j, column[i])
		}
	}
	return x
}

// norm bounds the Frobenius norm from above. 2⁻⁴⁰ covers the rounding of the root and of negative entries, whose
// absolute values are rounded down to 64 bits.
func (a *long) norm() *big.Float {
	s, t := up(), up()
	for _, v := range a.v {
		if v != nil {
			t.Set(v)
			s.Add(s, t.Mul(t, t))
		}
	}
	root := up().Sqrt(s)
	return root.Mul(root, big.NewFloat(1+0x1p-40))
}

// up returns a 64-bit number that rounds up, for upper bounds.
func up() *big.Float { return new(big.Float).SetPrec(64).SetMode(big.ToPositiveInf) }

// above returns a float64 that is at least v.
func above(v *big.Float) float64 {
	f, acc := v.Float64()
	if acc == big.Below {
		f = interval.Up(f)
	}
	return f
}

// unit is the rounding unit of float64.
const unit = interval.Unit

// norm returns the Euclidean norm of v, rounded.
func norm(v []float64) float64 {
	s := 0.0
	for _, x := range v {
		s += x * x
	}
	return math.Sqrt(s)
}
