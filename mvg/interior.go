package mvg

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"
)

// point is an iterate of the interior-point method: slack S = (αI − L + Ĝ, G) and
// moments X, both positive definite, tr X₁ = 1 and X₂ = −(the adjoint of ^)(X₁).
type point struct {
	g      []float64
	alpha  float64
	slack  [2]*mat.SymDense
	moment [2]*mat.Dense
}

// interior minimises α subject to αI − L + Ĝ ⪰ 0 and G ⪰ 0 by the primal-dual
// method of Helmberg, Rendl, Vanderbei and Wolkowicz (1996) with Mehrotra's
// predictor and corrector, from a strictly feasible pair: G = I, for which Ĝ is
// −I/2, and X₁ = I/s. It ends where the gap is below 1e-13 of α or rounding stops
// progress; what it returns is judged by compound.bound.
func (c *compound) interior(ctx context.Context) (*point, error) {
	s, n := c.form.SymmetricDim(), len(c.free)
	x := &point{g: make([]float64, n)}
	for k, u := range c.free {
		if u.a == u.b {
			x.g[k] = 1
		}
	}
	x.alpha = 1.5 + eigenCeiling(c.form)
	x.moment[0], x.moment[1] = eye(s), eye(len(c.pairs))
	x.moment[0].Scale(1/float64(s), x.moment[0])
	x.moment[1].Scale((0.5+1/float64(c.d))/float64(s), x.moment[1])
	x.slack[0], x.slack[1] = c.slack(x.g, x.alpha, true)
	for range 60 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		next := c.step(ctx, x)
		if next == nil {
			break
		}
		x = next
		if c.gap(x) <= 1e-13*math.Abs(x.alpha) {
			break
		}
	}
	return x, ctx.Err()
}

// slack applies the constraints to (g, α), with the constant −L or without.
func (c *compound) slack(g []float64, alpha float64, constant bool) (first, second *mat.SymDense) {
	second, first, _ = c.forms(g)
	if constant {
		for i := range first.SymmetricDim() {
			for j := i; j < first.SymmetricDim(); j++ {
				first.SetSym(i, j, first.At(i, j)-c.form.At(i, j))
			}
		}
	}
	for i := range first.SymmetricDim() {
		first.SetSym(i, i, first.At(i, i)+alpha)
	}
	return first, second
}

// gap is ⟨X, S⟩, which at feasible points is the duality gap.
func (c *compound) gap(x *point) float64 {
	sum := 0.0
	for b := range x.slack {
		n, _ := x.moment[b].Dims()
		for i := range n {
			for j := range n {
				sum += x.moment[b].At(i, j) * x.slack[b].At(i, j)
			}
		}
	}
	return sum
}

// step returns the next iterate, or nil where rounding leaves none.
func (c *compound) step(ctx context.Context, x *point) *point {
	n := len(c.free)
	var inverse [2]*mat.SymDense
	for b, s := range x.slack {
		var chol mat.Cholesky
		inverse[b] = mat.NewSymDense(s.SymmetricDim(), nil)
		if !chol.Factorize(s) || chol.InverseTo(inverse[b]) != nil {
			return nil
		}
	}
	dense := [2]*mat.Dense{mat.DenseCopyOf(inverse[0]), mat.DenseCopyOf(inverse[1])}
	system := c.schur(ctx, x.moment, inverse)
	if system == nil {
		return nil
	}
	// Scaled to a unit diagonal, so that the factorization sees no sizes.
	scale := make([]float64, n+1)
	for i := range scale {
		scale[i] = 1 / math.Sqrt(system.At(i, i))
	}
	for i := range scale {
		for j := i; j <= n; j++ {
			system.SetSym(i, j, system.At(i, j)*scale[i]*scale[j])
		}
		system.SetSym(i, i, 1+1e-15)
	}
	var chol mat.Cholesky
	if !chol.Factorize(system) {
		return nil
	}
	mu := c.gap(x) / float64(c.form.SymmetricDim()+len(c.pairs))
	// direction solves for the Newton step towards μ, given the product of the
	// predictor's steps.
	direction := func(target float64, second [2]*mat.Dense) (dg []float64, da float64, dS [2]*mat.SymDense, dX [2]*mat.Dense) {
		right := mat.NewVecDense(n+1, nil)
		var u [2]*mat.Dense
		for b := range u {
			u[b] = mat.DenseCopyOf(inverse[b])
			u[b].Scale(target, u[b])
			if second[b] != nil {
				u[b].Sub(u[b], second[b])
			}
		}
		c.adjoint(u, right)
		right.SetVec(n, right.AtVec(n)-1)
		for i := range scale {
			right.SetVec(i, right.AtVec(i)*scale[i])
		}
		y := mat.NewVecDense(n+1, nil)
		_ = chol.SolveVecTo(y, right) // an ill-conditioned step is judged by what it reaches
		dg = make([]float64, n)
		for i := range dg {
			dg[i] = y.AtVec(i) * scale[i]
		}
		da = y.AtVec(n) * scale[n]
		dS[0], dS[1] = c.slack(dg, da, false)
		for b := range dX {
			var xs, t mat.Dense
			xs.Mul(x.moment[b], mat.DenseCopyOf(dS[b])) // dense copies: gonum's products of symmetric matrices are slower
			t.Mul(&xs, dense[b])
			dX[b] = mat.NewDense(t.RawMatrix().Rows, t.RawMatrix().Cols, nil)
			dX[b].Sub(u[b], x.moment[b])
			dX[b].Sub(dX[b], &t)
			dX[b].Copy(symmetrized(dX[b]))
		}
		return dg, da, dS, dX
	}
	_, _, dS, dX := direction(0, [2]*mat.Dense{})
	primal, dual := c.reach(ctx, x, dX, dS)
	ahead, second := 0.0, [2]*mat.Dense{}
	for b := range second {
		var s, m, t mat.Dense
		s.Scale(dual, dS[b])
		s.Add(&s, x.slack[b])
		m.Scale(primal, dX[b])
		m.Add(&m, x.moment[b])
		t.Mul(&m, &s)
		ahead += mat.Trace(&t)
		second[b] = new(mat.Dense)
		t.Reset()
		t.Mul(dX[b], mat.DenseCopyOf(dS[b]))
		second[b].Mul(&t, dense[b])
	}
	ratio := math.Max(0, ahead/c.gap(x))
	dg, da, dS, dX := direction(mu*math.Min(1, ratio*ratio*ratio), second)
	primal, dual = c.reach(ctx, x, dX, dS)
	if !(primal > 1e-4 || dual > 1e-4) {
		return nil
	}
	next := &point{g: append([]float64(nil), x.g...), alpha: x.alpha + dual*da}
	for i, v := range dg {
		next.g[i] += dual * v
	}
	for b := range next.moment {
		next.moment[b] = mat.DenseCopyOf(dX[b])
		next.moment[b].Scale(primal, next.moment[b])
		next.moment[b].Add(next.moment[b], x.moment[b])
	}
	next.slack[0], next.slack[1] = c.slack(next.g, next.alpha, true)
	if !(next.alpha <= x.alpha) && !(c.gap(next) < c.gap(x)) {
		return nil
	}
	return next
}

// reach returns how far, up to 1, the moments and the slacks can go.
func (c *compound) reach(ctx context.Context, x *point, dX [2]*mat.Dense, dS [2]*mat.SymDense) (primal, dual float64) {
	primal, dual = 1, 1
	for b := range dX {
		primal = math.Min(primal, interiorStep(ctx, symmetrized(x.moment[b]), symmetrized(dX[b])))
		dual = math.Min(dual, interiorStep(ctx, x.slack[b], dS[b]))
	}
	return primal, dual
}

// interiorStep returns a t ≤ 1 with a + t·da positive definite, within a tenth of
// the largest.
func interiorStep(ctx context.Context, a, da *mat.SymDense) float64 {
	const back = 0.97
	var sum mat.SymDense
	var chol mat.Cholesky
	for t := 1 / back; t > 1e-8 && ctx.Err() == nil; t *= 0.92 {
		sum.Reset()
		sum.ScaleSym(t, da)
		sum.AddSym(&sum, a)
		if chol.Factorize(&sum) {
			return t * back
		}
	}
	return 0
}

// schur returns the matrix ⟨B_i, X B_j S⁻¹⟩ over the unknowns g and α, B_i being
// what one unit of an unknown adds to the slack; nil where ctx ends.
func (c *compound) schur(ctx context.Context, moment [2]*mat.Dense, inverse [2]*mat.SymDense) *mat.SymDense {
	n := len(c.free)
	out := mat.NewSymDense(n+1, nil)
	x1, s1 := c.extend(moment[0]).RawMatrix(), c.extend(mat.DenseCopyOf(inverse[0])).RawMatrix()
	x2, s2 := moment[1].RawMatrix(), mat.DenseCopyOf(inverse[1]).RawMatrix()
	for i, u := range c.free {
		if ctx.Err() != nil {
			return nil
		}
		for j := i; j < n; j++ {
			v := c.free[j]
			sum := 0.0
			for _, e := range u.form {
				for _, f := range v.form {
					sum += e.v * f.v * x1.Data[e.col*x1.Stride+f.row] * s1.Data[f.col*s1.Stride+e.row]
				}
			}
			// G's part: E_ab = e_a e_bᵀ + e_b e_aᵀ, or e_a e_aᵀ.
			part := x2.Data[u.b*x2.Stride+v.a]*s2.Data[v.b*s2.Stride+u.a] + x2.Data[u.a*x2.Stride+v.b]*s2.Data[v.a*s2.Stride+u.b] +
				x2.Data[u.b*x2.Stride+v.b]*s2.Data[v.a*s2.Stride+u.a] + x2.Data[u.a*x2.Stride+v.a]*s2.Data[v.b*s2.Stride+u.b]
			if u.a == u.b {
				part /= 2
			}
			if v.a == v.b {
				part /= 2
			}
			out.SetSym(i, j, sum+part)
		}
	}
	var product mat.Dense
	product.Mul(moment[0], mat.DenseCopyOf(inverse[0]))
	column := mat.NewVecDense(n+1, nil)
	c.adjoint([2]*mat.Dense{&product, nil}, column)
	for i := range n + 1 {
		out.SetSym(i, n, column.AtVec(i))
	}
	return out
}

// adjoint sets dst to ⟨B_i, U⟩ over the unknowns; a nil second block is 0.
func (c *compound) adjoint(u [2]*mat.Dense, dst *mat.VecDense) {
	raw := c.extend(u[0])
	for k, v := range c.free {
		sum := 0.0
		for _, e := range v.form {
			sum += e.v * raw.At(e.row, e.col)
		}
		if u[1] != nil {
			if sum += u[1].At(v.a, v.b); v.a != v.b {
				sum += u[1].At(v.b, v.a)
			}
		}
		dst.SetVec(k, sum)
	}
	dst.SetVec(len(c.free), mat.Trace(u[0]))
}
