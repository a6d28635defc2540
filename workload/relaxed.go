package workload

import (
	"math"

	"dpworkbench/interval"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// mostRelaxed bounds the number of steps of relax, which are typically about 20.
const mostRelaxed = 100

// relaxed returns bounds of the squared distance by which one pattern moves Cx: the maximum of Σ X_ij G_ij over
// positive semidefinite G of unit diagonal. The search ends early if the distance is below known, that of another
// pattern.
func (g *gram) relaxed(steps []int, known float64) (lo, hi float64) {
	of, d := relax(principal(g.x, steps), known)
	return g.attained(steps, root(of, 1).RawMatrix().Data, len(steps)), g.dominated(steps, d)
}

// principal returns the principal submatrix of x for the given steps.
func principal(x *mat.Dense, steps []int) *mat.SymDense {
	part := mat.NewSymDense(len(steps), nil)
	for i, s := range steps {
		for j, t := range steps[:i+1] {
			part.SetSym(j, i, x.At(s, t))
		}
	}
	return part
}

// relax returns a G that nearly maximises Σ X_ij G_ij, and a d that nearly minimises Σd, an upper bound of the
// maximum, subject to Z = Diag(d) − X ⪰ 0. A primal-dual interior-point method moves them towards GZ = µI (Helmberg,
// Rendl, Vanderbei and Wolkowicz, SIAM J. Optim. 6(2), 1996, section 5). It ends if Σd is below known.
func relax(x *mat.SymDense, known float64) (of *mat.SymDense, d []float64) {
	k := x.SymmetricDim()
	of, d = mat.NewSymDense(k, nil), make([]float64, k)
	for i := range d {
		for j := range d {
			d[i] += math.Abs(x.At(i, j))
		}
		of.SetSym(i, i, 1)
	}
	least := .01 * sum(d) / float64(k)
	for i := range d {
		d[i] = 1.1*d[i] + least
	}
	slack := func(d []float64) *mat.SymDense {
		z := mat.NewSymDense(k, nil)
		z.ScaleSym(-1, x)
		for i, v := range d {
			z.SetSym(i, i, z.At(i, i)+v)
		}
		return z
	}
	share, last, idle := .5, math.Inf(1), 0
	for range mostRelaxed {
		z := slack(d)
		var gap float64
		for i := range k {
			for j := range k {
				gap += z.At(i, j) * of.At(i, j)
			}
		}
		total := sum(d)
		if idle++; gap < .9*last {
			idle = 0
		}
		if !(gap > 1e-10*total) || idle == 3 || total < known*(1-SharpWidth) {
			break
		}
		last = gap
		inverse, ok := inverted(z)
		if !ok {
			break
		}
		system, right := mat.NewSymDense(k, nil), mat.NewVecDense(k, nil)
		mu := share * gap / float64(k)
		for i := range k {
			for j := range i + 1 {
				system.SetSym(i, j, inverse.At(i, j)*of.At(i, j))
			}
			right.SetVec(i, mu*inverse.At(i, i)-1)
		}
		var c mat.Cholesky
		if !c.Factorize(system) {
			break
		}
		_ = c.SolveVecTo(right, right) // an ill-conditioned step does no harm: any d and G give bounds
		move := right.RawVector().Data
		if floats.HasNaN(move) {
			break
		}
		var product mat.Dense
		product.Mul(inverse, mat.NewDiagDense(k, move))
		product.Mul(&product, of)
		dg := mat.NewSymDense(k, nil)
		for i := range k {
			for j := range i + 1 {
				dg.SetSym(i, j, mu*inverse.At(i, j)-of.At(i, j)-(product.At(i, j)+product.At(j, i))/2)
			}
		}
		a := longest(func(length float64) *mat.SymDense {
			moved := make([]float64, k)
			return slack(floats.AddScaledTo(moved, d, length, move))
		})
		b := longest(func(length float64) *mat.SymDense {
			moved := mat.NewSymDense(k, nil)
			moved.ScaleSym(length, dg)
			moved.AddSym(moved, of)
			return moved
		})
		floats.AddScaled(d, a, move)
		dg.ScaleSym(b, dg)
		of.AddSym(of, dg)
		if share = .5; a+b > 1.8 {
			share = .1
		}
	}
	return of, d
}

// longest returns a length of at most 1 at which the matrix is positive definite, or 0 if it finds none.
func longest(at func(length float64) *mat.SymDense) float64 {
	for length := 1.0; length > 1e-6; length *= .8 {
		var c mat.Cholesky
		if c.Factorize(at(length)) {
			if length < 1 {
				return .95 * length
			}
			return 1
		}
	}
	return 0
}

// dominated returns an upper bound of Σ X_ij G_ij over positive semidefinite G with G_ii ≤ 1: Σ(d_i + s)⁺ for the
// least s tried with D + sI − X ⪰ 0.
func (g *gram) dominated(steps []int, d []float64) float64 {
	k := len(steps)
	var total, scale float64
	for _, v := range d {
		total += math.Abs(v)
	}
	if scale = total / float64(k); !(scale > tiny) {
		return math.Inf(1)
	}
	for s := 1e-15 * scale; s <= scale; s *= 4 {
		a := make([][]float64, k)
		var off, trace float64
		for i, r := range steps {
			a[i] = make([]float64, k)
			x := g.x.RawRowView(r)
			for j := range i {
				a[i][j] = -x[steps[j]]
			}
			a[i][i] = d[i] + s - x[r]
			trace += math.Abs(a[i][i])
			// X is within error·norms·normsᵀ of x. The norm of that matrix is error·Σ norms².
			off += g.error * g.norms[r] * g.norms[r]
			off += 4 * interval.Unit * (math.Abs(d[i]) + s + math.Abs(x[r]))
		}
		if !factors(a) {
			continue
		}
		// The computed factor is exact for a matrix within γ_{k+1}/(1 − γ_{k+1}) times the trace (Higham, 2nd edition,
		// Theorem 10.3, and Rump, BIT 46, 2006).
		off = above(off+2*gamma(k+2)*trace, gamma(2*k+16))
		var sum float64
		for _, v := range d {
			sum += above(max(0, interval.Up(v+s)+off), 4*interval.Unit)
		}
		return above(sum, gamma(k))
	}
	return math.Inf(1)
}

// factors reports whether a Cholesky factorisation of the lower triangle of a, in place, has positive pivots.
func factors(a [][]float64) bool {
	for i := range a {
		for j := range i + 1 {
			s := a[i][j]
			for l := range j {
				s -= float64(a[i][l] * a[j][l])
			}
			if i > j {
				a[i][j] = s / a[j][j]
				continue
			}
			if !(s > 0) {
				return false
			}
			a[i][i] = math.Sqrt(s)
		}
	}
	return true
}
