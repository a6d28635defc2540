package planes

import (
	"context"
	"math"
	"slices"

	"dpworkbench/internal/symmetric"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// point is an iterate of the interior-point method: slacks B_b and moments X_b, all
// positive definite.
type point struct {
	y      []float64
	slack  []*mat.SymDense
	moment []*mat.Dense
}

// interior solves the program by the primal-dual method of Helmberg, Rendl, Vanderbei
// and Wolkowicz (1996) with Mehrotra's predictor and corrector, from the program's
// strictly feasible pair. It ends where the gap is below 1e-13 of the cost or rounding
// stops progress; what it returns is judged by bound.
func (p *program) interior(ctx context.Context) (*point, error) {
	x := &point{y: make([]float64, len(p.unknowns))}
	for k, u := range p.unknowns {
		x.y[k] = u.start
	}
	x.slack = p.slack(x.y, false)
	for _, b := range p.blocks {
		x.moment = append(x.moment, mat.DenseCopyOf(b.moment))
	}
	for range 60 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		next := p.step(ctx, x)
		if next == nil {
			break
		}
		x = next
		if x.gap() <= 1e-13*math.Abs(p.cost(x.y)) {
			break
		}
	}
	return x, ctx.Err()
}

// gap is Σ ⟨X_b, S_b⟩, which at feasible points is the duality gap.
func (x *point) gap() float64 {
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
func (p *program) step(ctx context.Context, x *point) *point {
	n := len(p.unknowns)
	inverse := make([]*mat.Dense, len(x.slack))
	for b, s := range x.slack {
		var chol mat.Cholesky
		inv := mat.NewSymDense(s.SymmetricDim(), nil)
		if !chol.Factorize(s) || chol.InverseTo(inv) != nil {
			return nil
		}
		inverse[b] = mat.DenseCopyOf(inv) // gonum's products of symmetric matrices are slower
	}
	system := p.schur(ctx, x.moment, inverse)
	if system == nil {
		return nil
	}
	// Scaled to a unit diagonal, so that the factorization sees no sizes.
	scale := make([]float64, n)
	for i := range scale {
		scale[i] = 1 / math.Sqrt(system.At(i, i))
	}
	for i := range scale {
		for j := i; j < n; j++ {
			system.SetSym(i, j, system.At(i, j)*scale[i]*scale[j])
		}
		system.SetSym(i, i, 1+1e-15)
	}
	var chol mat.Cholesky
	if !chol.Factorize(system) {
		return nil
	}
	size := 0
	for _, v := range x.slack {
		size += v.SymmetricDim()
	}
	mu := x.gap() / float64(size)
	// direction solves for the Newton step towards μ, given the product of the
	// predictor's steps.
	direction := func(target float64, second []*mat.Dense) (dy []float64, dS []*mat.SymDense, dX []*mat.Dense) {
		right := mat.NewVecDense(n, nil)
		u := make([]*mat.Dense, len(inverse))
		for b := range u {
			u[b] = mat.DenseCopyOf(inverse[b])
			u[b].Scale(target, u[b])
			if second != nil {
				u[b].Sub(u[b], second[b])
			}
		}
		p.adjoint(u, right)
		for i, v := range scale {
			right.SetVec(i, (right.AtVec(i)-p.unknowns[i].cost)*v)
		}
		y := mat.NewVecDense(n, nil)
		_ = chol.SolveVecTo(y, right) // an ill-conditioned step is judged by what it reaches
		dy = make([]float64, n)
		for i := range dy {
			dy[i] = y.AtVec(i) * scale[i]
		}
		dS, dX = p.slack(dy, true), make([]*mat.Dense, len(u))
		for b := range dX {
			var xs, t mat.Dense
			xs.Mul(x.moment[b], mat.DenseCopyOf(dS[b]))
			t.Mul(&xs, inverse[b])
			dX[b] = mat.NewDense(t.RawMatrix().Rows, t.RawMatrix().Cols, nil)
			dX[b].Sub(u[b], x.moment[b])
			dX[b].Sub(dX[b], &t)
			dX[b].Copy(symmetric.Symmetrized(dX[b]))
		}
		return dy, dS, dX
	}
	_, dS, dX := direction(0, nil)
	primal, dual := p.stepLengths(ctx, x, dX, dS)
	ahead, second := 0.0, make([]*mat.Dense, len(dX))
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
		second[b].Mul(&t, inverse[b])
	}
	ratio := math.Max(0, ahead/x.gap())
	dy, dS, dX := direction(mu*math.Min(1, ratio*ratio*ratio), second)
	primal, dual = p.stepLengths(ctx, x, dX, dS)
	if !(primal > 1e-4 || dual > 1e-4) {
		return nil
	}
	next := &point{y: slices.Clone(x.y), moment: make([]*mat.Dense, len(dX))}
	for i, v := range dy {
		next.y[i] += dual * v
	}
	for b := range next.moment {
		next.moment[b] = mat.DenseCopyOf(dX[b])
		next.moment[b].Scale(primal, next.moment[b])
		next.moment[b].Add(next.moment[b], x.moment[b])
	}
	next.slack = p.slack(next.y, false)
	if !(p.cost(next.y) <= p.cost(x.y)) && !(next.gap() < x.gap()) {
		return nil
	}
	return next
}

// stepLengths returns how far, up to 1, the moments and the slacks can go.
func (p *program) stepLengths(ctx context.Context, x *point, dX []*mat.Dense, dS []*mat.SymDense) (primal, dual float64) {
	primal, dual = 1, 1
	for b := range dX {
		primal = math.Min(primal, stepLength(ctx, symmetric.Symmetrized(x.moment[b]), symmetric.Symmetrized(dX[b])))
		dual = math.Min(dual, stepLength(ctx, x.slack[b], dS[b]))
	}
	return primal, dual
}

// stepLength returns a t ≤ 1 with a + t·da positive definite, within a tenth of
// the largest.
func stepLength(ctx context.Context, a, da *mat.SymDense) float64 {
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

// schur returns the matrix Σ_b ⟨A_ib, X_b A_jb B_b⁻¹⟩ over the unknowns; nil
// where ctx ends.
func (p *program) schur(ctx context.Context, moment, inverse []*mat.Dense) *mat.SymDense {
	n := len(p.unknowns)
	out := mat.NewSymDense(n, nil)
	type raw struct{ x, s blas64.General }
	blocks := make([]raw, len(moment))
	for b := range blocks {
		blocks[b] = raw{p.extend(b, moment[b]).RawMatrix(), p.extend(b, inverse[b]).RawMatrix()}
	}
	for i, u := range p.unknowns {
		if ctx.Err() != nil {
			return nil
		}
		// Of many entries the whole product X A_i B⁻¹ is formed once.
		dense := make([]*mat.Dense, len(blocks))
		for b, at := range blocks {
			if len(u.cells[b]) > 2*at.x.Rows {
				dense[b] = sparseProduct(u.cells[b], at.x, at.s)
			}
		}
		for j := i; j < n; j++ {
			sum := 0.0
			for b, at := range blocks {
				cells := p.unknowns[j].cells[b]
				if len(cells) == 0 {
					continue
				}
				if dense[b] != nil {
					t := dense[b].RawMatrix()
					for _, f := range cells {
						sum += f.v * t.Data[f.row*t.Stride+f.col]
					}
					continue
				}
				for _, e := range u.cells[b] {
					x, s := at.x.Data[e.col*at.x.Stride:], at.s.Data[e.row*at.s.Stride:]
					for _, f := range cells {
						sum += e.v * f.v * x[f.row] * s[f.col]
					}
				}
			}
			out.SetSym(i, j, sum)
		}
	}
	return out
}

// adjoint sets dst to Σ_b ⟨A_kb, U_b⟩ over the unknowns.
func (p *program) adjoint(u []*mat.Dense, dst *mat.VecDense) {
	raw := make([]*mat.Dense, len(u))
	for b := range u {
		raw[b] = p.extend(b, u[b])
	}
	for k, v := range p.unknowns {
		sum := 0.0
		for b := range raw {
			for _, e := range v.cells[b] {
				sum += e.v * raw[b].At(e.row, e.col)
			}
		}
		dst.SetVec(k, sum)
	}
}

// sparseProduct returns XᵀAᵀS for the entries of A.
func sparseProduct(cells []cell, x, s blas64.General) *mat.Dense {
	half := mat.NewDense(x.Rows, s.Cols, nil)
	for _, e := range cells {
		to := half.RawRowView(e.col)
		for k, v := range s.Data[e.row*s.Stride : e.row*s.Stride+s.Cols] {
			to[k] += e.v * v
		}
	}
	var left mat.Dense
	left.SetRawMatrix(x)
	out := new(mat.Dense)
	out.Mul(left.T(), half)
	return out
}
