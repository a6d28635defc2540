package mvg

import "gonum.org/v1/gonum/mat"

// A cover on a subspace Z continues to all of space. M has to dominate 0 and A − αI, N
// likewise 0 and B − βI, and S = h − a − b + M + N is to stay below what bounds it on Z.
// With M and N given on Z, of five slacks P there, the blocks of M and N between Z and
// what is outside are those for which the Schur complements of the five take least from
// the slacks outside: the sum of tr EᵀP⁻¹E over the slacks' blocks E is a quadratic.
// What comes out is a cover whatever the solution is; how low shows in its level.
type continued struct {
	over    *mat.SymDense    // A − αI, by directions of Z and outside
	have    *mat.SymDense    // M on Z
	room    *mat.SymDense    // what M leaves of its slack to S
	inverse [2]*mat.SymDense // of M and M − A + αI on Z
	cross   mat.Matrix       // M between Z and outside
	whole   *mat.SymDense    // M
}

// continued returns the cover of ℓ that continues the program's solution on Z, or false
// where that has no room: M is twice the multiplier of W − S, and α twice ν. To M and N
// on Z the multiple of I given is added, so that slacks have inverses.
func (p *tilting) continued(l reflected, x *point, z *mat.Dense, least float64) (out cover, ok bool) {
	n, m := z.Dims()
	basis := mat.NewDense(n, n, nil)
	basis.Slice(0, n, 0, m).(*mat.Dense).Copy(z)
	basis.Slice(0, n, m, n).(*mat.Dense).Copy(columns(spanned(z), m, n))
	rest, a, b := l.parts()
	out.alpha, out.beta = 2*x.y[p.at["nu"]], 2*x.y[p.at["nu'"]]
	left, ok := continuing(turn(a, basis), out.alpha, x.slack[lowerS], least)
	if !ok {
		return out, false
	}
	right, ok := continuing(turn(b, basis), out.beta, x.slack[lowerT], least)
	if !ok || !join(turn(rest, basis), left, right) {
		return out, false
	}
	back := mat.DenseCopyOf(basis.T())
	out.m, out.n = turn(left.whole, back), turn(right.whole, back)
	rest.AddSym(rest, out.m)
	rest.AddSym(rest, out.n)
	out.sum = rest
	return out, true
}

// continuing returns A's half. The program's S is its bound on all of Z, so that its
// slack is all in M, of which S gets a third.
func continuing(a *mat.SymDense, alpha float64, lower *mat.SymDense, least float64) (c *continued, ok bool) {
	c = &continued{over: a, have: mat.NewSymDense(lower.SymmetricDim(), nil)}
	for i := range a.SymmetricDim() {
		a.SetSym(i, i, a.At(i, i)-alpha)
	}
	c.have.ScaleSym(2, lower)
	for i := range lower.SymmetricDim() {
		c.have.SetSym(i, i, c.have.At(i, i)+least)
	}
	if !c.invert() {
		return nil, false
	}
	sum := mat.NewSymDense(lower.SymmetricDim(), nil)
	sum.AddSym(c.inverse[0], c.inverse[1])
	if c.room, ok = inverted(sum); !ok {
		return nil, false
	}
	c.room.ScaleSym(1.0/3, c.room)
	combine(c.have, 1, c.have, -1, c.room)
	return c, c.invert()
}

// invert sets the inverses of the slacks.
func (c *continued) invert() (ok bool) {
	if c.inverse[0], ok = inverted(c.have); !ok {
		return false
	}
	q := c.have.SymmetricDim()
	diff := mat.NewSymDense(q, nil)
	combine(diff, 1, c.have, -1, top(c.over, q))
	c.inverse[1], ok = inverted(diff)
	return ok
}

// join sets M and N, for h − a − b by directions of Z and outside.
func join(rest *mat.SymDense, left, right *continued) bool {
	n, q := rest.SymmetricDim(), left.have.SymmetricDim()
	r := n - q
	room := mat.NewSymDense(q, nil)
	room.AddSym(left.room, right.room)
	weight, ok := inverted(room)
	if !ok {
		return false
	}
	cross := func(a *mat.SymDense) *mat.Dense { return mat.DenseCopyOf(a).Slice(0, q, q, n).(*mat.Dense) }
	system, values := mat.NewSymDense(2*q, nil), mat.NewDense(2*q, r, nil)
	for k, c := range []*continued{left, right} {
		for i := range q {
			for j := range q {
				if i <= j {
					system.SetSym(k*q+i, k*q+j, c.inverse[0].At(i, j)+c.inverse[1].At(i, j)+weight.At(i, j))
				}
				system.SetSym(i, q+j, weight.At(i, j))
			}
		}
		var sum, t mat.Dense
		sum.Mul(c.inverse[1], cross(c.over))
		t.Mul(weight, cross(rest))
		sum.Sub(&sum, &t)
		values.Slice(k*q, (k+1)*q, 0, r).(*mat.Dense).Copy(&sum)
	}
	var chol mat.Cholesky
	var x mat.Dense
	if !chol.Factorize(system) {
		return false
	}
	_ = chol.SolveTo(&x, values) // certify judges what an ill-conditioned system gives
	for k, c := range []*continued{left, right} {
		c.cross = x.Slice(k*q, (k+1)*q, 0, r)
		c.fill(q, r)
	}
	return true
}

// fill sets M: outside, the least that dominates both Schur complements.
func (c *continued) fill(q, r int) {
	schur := func(inverse *mat.SymDense, e mat.Matrix) *mat.SymDense {
		var t, out mat.Dense
		t.Mul(inverse, e)
		out.Mul(e.T(), &t)
		return symmetrized(&out)
	}
	var diff mat.Dense
	diff.Sub(c.cross, mat.DenseCopyOf(c.over).Slice(0, q, q, q+r))
	y1, y2 := schur(c.inverse[0], c.cross), schur(c.inverse[1], &diff)
	y2.AddSym(y2, c.over.SliceSym(q, q+r))
	combine(y2, 1, y2, -1, y1)
	y := positivePart(y2)
	y.AddSym(y, y1)
	c.whole = mat.NewSymDense(q+r, nil)
	for i := range q + r {
		for j := i; j < q+r; j++ {
			switch {
			case j < q:
				c.whole.SetSym(i, j, c.have.At(i, j))
			case i < q:
				c.whole.SetSym(i, j, c.cross.At(i, j-q))
			default:
				c.whole.SetSym(i, j, y.At(i-q, j-q))
			}
		}
	}
}

// top returns the first q rows and columns.
func top(a *mat.SymDense, q int) *mat.SymDense {
	out := mat.NewSymDense(q, nil)
	out.CopySym(a.SliceSym(0, q))
	return out
}

func inverted(a *mat.SymDense) (*mat.SymDense, bool) {
	var chol mat.Cholesky
	out := mat.NewSymDense(a.SymmetricDim(), nil)
	if !chol.Factorize(a) {
		return nil, false
	}
	_ = chol.InverseTo(out) // nearly singular slacks are the rule
	return out, true
}
