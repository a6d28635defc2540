package symmetric

import (
	"math"
	"math/big"

	"dpworkbench/interval"
)

// A Factor is the factorization A = CCᵀ, C = S⁻¹L√D, of every matrix A of an enclosure. L is lower triangular with a
// unit diagonal, D a positive diagonal, and S powers of two that bring A's diagonal to about 1. Its existence proves A
// positive definite. S is exact, so the scales of A's rows do not matter.
type Factor struct {
	n      int
	shifts []int      // S = diag(2^shift)
	lower  *Enclosure // below the diagonal
	pivots []interval.Interval
}

// Factorize returns the factor of a symmetric enclosure. It reads the lower triangle only. ok is false if some pivot
// cannot be shown to be positive. That does not happen for a positive definite A whose condition number is below 10⁶⁰
// once its rows are scaled equally.
func (e *Enclosure) Factorize() (f *Factor, ok bool) {
	n := e.rows
	f = &Factor{n: n, shifts: make([]int, n), lower: newEnclosure(n, n), pivots: make([]interval.Interval, n)}
	for i := range n {
		f.shifts[i] = -e.mid[i*n+i].MantExp(nil) / 2
	}
	// m_ik = l_ik d_k, so that a_ij = Σ_{k<j} m_ik l_jk + m_ij.
	scaled := newEnclosure(n, n)
	sum, term := new(big.Float).SetPrec(interval.Prec), new(big.Float).SetPrec(interval.Prec)
	for j := range n {
		for i := j; i < n; i++ {
			shift := f.shifts[i] + f.shifts[j]
			sum.SetMantExp(&e.mid[i*n+j], shift)
			rad, mass := math.Ldexp(e.rad[i*n+j], shift), size(sum)
			for k := range j {
				a, b := i*n+k, j*n+k
				sum.Sub(sum, term.Mul(&scaled.mid[a], &f.lower.mid[b]))
				x, y := size(&scaled.mid[a]), size(&f.lower.mid[b])
				rad += x*f.lower.rad[b] + scaled.rad[a]*(y+f.lower.rad[b])
				mass += x * y
			}
			scaled.mid[i*n+j].Set(sum)
			scaled.rad[i*n+j] = known(rad + float64(j+2)*ulp*mass)
		}
		pivot, finite := scaled.At(j, j)
		if !finite {
			return nil, false
		}
		if sign, _ := pivot.Sign(); sign <= 0 {
			return nil, false
		}
		f.pivots[j] = pivot
		for i := j + 1; i < n; i++ {
			v, finite := scaled.At(i, j)
			if !finite {
				return nil, false
			}
			f.lower.Set(i, j, v.Quo(pivot))
		}
	}
	return f, true
}

// LogDet returns ln det A.
func (f *Factor) LogDet() interval.Interval {
	product, shift := interval.Int(1), 0
	for i, d := range f.pivots {
		product = product.Mul(d)
		shift -= 2 * f.shifts[i]
	}
	return product.Mul(interval.TwoTo(shift)).Log()
}

// Whiten returns C⁻¹B. A ⪯ B is equivalent to C⁻¹BC⁻ᵀ ⪰ I.
func (f *Factor) Whiten(b *Enclosure) *Enclosure {
	roots := make([]interval.Interval, f.n)
	scales := make([]interval.Interval, f.n)
	for i, d := range f.pivots {
		roots[i], scales[i] = interval.Int(1).Quo(d.Sqrt()), interval.TwoTo(f.shifts[i])
	}
	return f.forward(b.Scaled(scales, nil)).Scaled(roots, nil)
}

// Solve returns A⁻¹B.
func (f *Factor) Solve(b *Enclosure) *Enclosure {
	inverses := make([]interval.Interval, f.n)
	scales := make([]interval.Interval, f.n)
	for i, d := range f.pivots {
		inverses[i], scales[i] = interval.Int(1).Quo(d), interval.TwoTo(f.shifts[i])
	}
	return f.backward(f.forward(b.Scaled(scales, nil)).Scaled(inverses, nil)).Scaled(scales, nil)
}

// forward returns L⁻¹B, backward L⁻ᵀB.
func (f *Factor) forward(b *Enclosure) *Enclosure {
	return f.substitute(b, func(i int) (from, to, row int) { return 0, i, i }, func(i, k int) int { return i*f.n + k })
}

func (f *Factor) backward(b *Enclosure) *Enclosure {
	return f.substitute(b, func(i int) (from, to, row int) { return f.n - i, f.n, f.n - 1 - i }, func(i, k int) int { return k*f.n + i })
}

// substitute solves for the rows in the order given by step. step(i) returns the row to solve and the range of solved
// rows that it needs. at(i, k) is the index in f.lower of the coefficient of row k in row i.
func (f *Factor) substitute(b *Enclosure, step func(i int) (from, to, row int), at func(i, k int) int) *Enclosure {
	out := newEnclosure(b.rows, b.cols)
	sum, term := new(big.Float).SetPrec(interval.Prec), new(big.Float).SetPrec(interval.Prec)
	for i := range f.n {
		from, to, row := step(i)
		for c := range b.cols {
			sum.Set(&b.mid[row*b.cols+c])
			rad, mass := b.rad[row*b.cols+c], size(sum)
			for k := from; k < to; k++ {
				l, x := at(row, k), k*b.cols+c
				sum.Sub(sum, term.Mul(&f.lower.mid[l], &out.mid[x]))
				u, v := size(&f.lower.mid[l]), size(&out.mid[x])
				rad += u*out.rad[x] + f.lower.rad[l]*(v+out.rad[x])
				mass += u * v
			}
			out.mid[row*b.cols+c].Set(sum)
			out.rad[row*b.cols+c] = known(rad + float64(f.n+2)*ulp*mass)
		}
	}
	return out
}
