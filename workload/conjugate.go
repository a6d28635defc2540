package workload

import (
	"context"

	"dpworkbench/internal/products"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// If there are many pairs of steps, no matrix over them is formed. A Newton step changes p and all H_π, whose
// diagonals are constant, and f depends on H = Σ H_π. With K the curvature of −ln f in H, B_π that of the barrier in
// H_π, and R_π the right side,
//
//	dH_π = B_π^{−1}(R_π + Y),  Y = −K dH,  dH = Σ dH_π.
//
// With P^{−1} = Σ B_π^{−1} and h = Σ B_π^{−1}R_π, Y = Pv is found by conjugate gradients from (P + K)v = −Kh with the
// preconditioner P^{−1}. They need no product by P, because that of Σ c_j P^{−1}r_j is Σ c_j r_j. K and P^{−1} only
// take products of matrices of the order of W. By ∫_0^∞ dt/((s² + t²)(r² + t²)) = π/(2sr(s + r)), K is the square of
// the slope of ln f and, with T = R^{−T}V,
//
//	Σ_ab κ_ab(TᵀdH T − Uᵀdiag(dp/p)U)²_ab/f,  κ_ab = s_a s_b/(2(s_a + s_b)).

// system is the linear system of a Newton step. Its vectors hold dp/p, followed by the entries of dH.
type system struct {
	*epochs
	rows     int // of p, or 0
	s        rooted
	tt, ut   *mat.Dense
	kernel   []float64    // κ/f
	gradient []float64    // of ln f
	own      []float64    // curvature of p's barrier
	block    mat.Cholesky // factor of the curvature in p, barrier included
	scaling  []*scaling
	half, d  *mat.Dense // scratch of curve
}

// newSystem returns the system at y. own is the curvature of the barrier of p.
func (e *epochs) newSystem(l local, y, own []float64) (*system, error) {
	s := &system{epochs: e, rows: len(own), s: l.rooted, tt: mat.DenseCopyOf(l.rtv.T()), own: own}
	k := len(s.s.values)
	s.half, s.d = mat.NewDense(k, e.steps, nil), mat.NewDense(k, k, nil)
	for _, a := range s.s.values {
		for _, b := range s.s.values {
			s.kernel = append(s.kernel, a*b/(2*(a+b)*l.f))
		}
	}
	s.gradient = append(s.gradient, l.slope[:s.rows]...)
	floats.Scale(1/l.f, s.gradient)
	for _, v := range l.x.RawMatrix().Data {
		s.gradient = append(s.gradient, v/(2*l.f))
	}
	if s.rows > 0 {
		s.ut = mat.DenseCopyOf(s.s.u.T())
		a := l.curvature
		a.ScaleSym(1/l.f, a)
		a.SymRankOne(a, 1, mat.NewVecDense(s.rows, s.gradient[:s.rows]))
		for i, v := range own {
			a.SetSym(i, i, a.At(i, i)+v)
		}
		if !s.block.Factorize(a) {
			return nil, errSingular
		}
	}
	for k := range e.patterns {
		scaled, err := newScaling(e.block(y, k), e.blocks.z[k])
		if err != nil {
			return nil, err
		}
		s.scaling = append(s.scaling, scaled)
	}
	return s, nil
}

// matrix returns the entries of v for H, as a matrix.
func (s *system) matrix(v []float64) *mat.Dense { return mat.NewDense(s.steps, s.steps, v[s.rows:]) }

// curve returns Kv. Its first entries, those of p, also contain the product of v and the curvature of p's barrier.
func (s *system) curve(v []float64) []float64 {
	out := make([]float64, len(v))
	half, d, t, h := s.half.RawMatrix(), s.d.RawMatrix(), s.s.rtv.RawMatrix(), s.matrix(out).RawMatrix()
	products.Mul(half, s.tt.RawMatrix(), s.matrix(v).RawMatrix())
	products.Mul(d, half, t)
	if s.rows > 0 {
		right := mat.DenseCopyOf(s.s.u)
		for i := range s.rows {
			scale(right.RawRowView(i), -v[i])
		}
		products.Add(d, 1, blas.NoTrans, s.ut.RawMatrix(), right.RawMatrix())
	}
	floats.Mul(d.Data, s.kernel)
	if s.rows > 0 {
		right := mat.DenseCopyOf(s.s.u)
		products.Mul(right.RawMatrix(), s.s.u.RawMatrix(), d)
		for i := range s.rows {
			out[i] = s.own[i]*v[i] - floats.Dot(right.RawRowView(i), s.s.u.RawRowView(i))
		}
	}
	products.Mul(half, d, s.tt.RawMatrix())
	products.Mul(h, t, half)
	if s.deficient {
		left, inverse := mat.DenseCopyOf(s.s.inverse), s.s.inverse.RawMatrix()
		products.Mul(left.RawMatrix(), inverse, s.matrix(v).RawMatrix())
		products.Add(h, s.barrier, blas.NoTrans, left.RawMatrix(), inverse)
	}
	axpy(out, floats.Dot(s.gradient, v), s.gradient)
	return out
}

// precondition returns P^{−1}r for the entries of H. For those of p it returns the product of r by the inverse of the
// block of p.
func (s *system) precondition(r []float64) []float64 {
	out := make([]float64, len(r))
	s.divide(out, r)
	for k := range s.patterns {
		s.scatter(out, k, s.scaling[k].solve(s.gather(r, k, nil), nil))
	}
	return out
}

// divide sets out to the product of r by the inverse of the block of p. An ill-conditioned block does no harm, because
// the residual is checked.
func (s *system) divide(out, r []float64) {
	if s.rows > 0 {
		_ = s.block.SolveVecTo(mat.NewVecDense(s.rows, out[:s.rows]), mat.NewVecDense(s.rows, r[:s.rows]))
	}
}

// gather returns the entries of v for pairs of steps of pattern k, plus more unless more is nil.
func (s *system) gather(v []float64, k int, more *mat.Dense) *mat.Dense {
	steps := s.patterns[k]
	out := mat.NewDense(len(steps), len(steps), nil)
	for i, from := range steps {
		row, to := v[s.rows+from*s.steps:], out.RawRowView(i)
		for j, at := range steps {
			to[j] = row[at]
		}
	}
	if more != nil {
		out.Add(out, more)
	}
	return out
}

// scatter adds the matrix of to the entries of v for pairs of steps of pattern k.
func (s *system) scatter(v []float64, k int, of *mat.Dense) {
	for i, to := range s.patterns[k] {
		row, from := v[s.rows+to*s.steps:], of.RawRowView(i)
		for j, at := range s.patterns[k] {
			row[at] += from[j]
		}
	}
}

const (
	// conjugateTolerance bounds the residual in the norm of P^{−1}, in units of √target.
	conjugateTolerance = .1
	mostConjugate      = 4000 // steps
)

// solve returns dp/p and every dH_π. right is the right-hand side of the equations of p.
func (s *system) solve(ctx context.Context, right []float64, target float64) ([]float64, []*mat.Dense, error) {
	// The iteration starts at v = 0 and dH = h.
	u := make([]float64, len(s.gradient))
	s.divide(u, right)
	all := len(s.patterns)
	own, known := make([]*mat.Dense, all), make([]*mat.Dense, all)
	for k, steps := range s.patterns {
		// own[k] is the slope of ln f − ½Σλ plus Z, which nearly cancel. known[k] is W(target·H^{−1} − Z)W.
		own[k] = s.gather(s.gradient, k, mat.DenseCopyOf(s.blocks.z[k]))
		mean := (mat.Trace(own[k]) - .5) / float64(len(steps))
		for i := range steps {
			own[k].Set(i, i, mean)
		}
		known[k] = s.scaling[k].over(func(v float64) float64 { return target/v - 1 })
		s.scatter(u, k, s.scaling[k].solve(own[k], known[k]))
	}
	r := s.curve(u)
	floats.Scale(-1, r)
	floats.Add(r[:s.rows], right)
	y := make([]float64, len(u))
	z := s.precondition(r)
	p, q := append([]float64(nil), z...), append([]float64(nil), r...) // q is Pp
	square := floats.Dot(r, z)
	for step := 0; square > conjugateTolerance*conjugateTolerance*target && step < mostConjugate; step++ {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		a := s.curve(p)
		floats.Add(a[s.rows:], q[s.rows:])
		length := square / floats.Dot(p, a)
		if !(length > 0) {
			return nil, nil, errSingular
		}
		floats.AddScaled(u, length, p)
		floats.AddScaled(y, length, q)
		floats.AddScaled(r, -length, a)
		z = s.precondition(r)
		last := square
		square = floats.Dot(r, z)
		floats.AddScaledTo(p, z, square/last, p)
		floats.AddScaledTo(q, r, square/last, q)
	}
	for k := range own {
		own[k] = s.scaling[k].solve(s.gather(y, k, own[k]), known[k])
	}
	return u[:s.rows], own, nil
}

// conjugateMove returns dp/p and dy of a Newton step, and stores the dZ of that step.
func (d *dual) conjugateMove(ctx context.Context, x, z, r []float64, l local, target float64) ([]float64, error) {
	e, rows := d.epochs, d.barred()
	own, right := make([]float64, rows), make([]float64, rows)
	for i := range rows {
		own[i], right[i] = x[i]*z[i], r[i]+target
	}
	s, err := e.newSystem(l, x[rows:], own)
	if err != nil {
		return nil, err
	}
	dp, dh, err := s.solve(ctx, right, target)
	if err != nil {
		return nil, err
	}
	move := make([]float64, len(x))
	copy(move, dp)
	for k, h := range dh {
		e.blocks.dz[k] = s.scaling[k].dualStep(h, target)
		move[rows+k] = h.At(0, 0)
		at := rows + e.first[k]
		for i := range e.patterns[k] {
			for j := range i {
				move[at] = h.At(0, 0) - h.At(i, j)
				at++
			}
		}
	}
	return move, nil
}
