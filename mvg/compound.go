package mvg

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"
)

// A compound is the semidefinite program that bounds tr(PDQD) over
// D = aaᵀ − bbᵀ with orthonormal a, b from above.
//
// Such a D is symmetric, traceless, of squared norm 2, and has rank 2: with
// ω = a∧b its second compound matrix (its 2×2 minors, indexed by pairs) is
// C₂(D) = −ωωᵀ, ‖ω‖ = 1. For every symmetric G on pairs, therefore,
//
//	tr(PDQD) = ⟨D, LD⟩ − tr(G C₂(D)) − ωᵀGω ≤ 2λ_max(L − Ĝ) + λ_max(−G)
//
// with LD = (PDQ + QDP)/2 and Ĝ the quadratic form D ↦ tr(G C₂(D)), both on the
// traceless matrices. There the form of G = I is −½‖D‖², so adding γI to G changes
// nothing and G ⪰ 0 is no loss: the best bound is min 2α with αI − L + Ĝ ⪰ 0 and
// G ⪰ 0. Any G gives a bound; how tight the best is shows in its distance to the
// D that ascent finds.
type compound struct {
	d     int
	pairs [][2]int
	form  *mat.SymDense // L
	free  []unknown

	diagonals *mat.Dense // helmert's
}

// unknown is one entry g_ab of G with its share of Ĝ.
type unknown struct {
	a, b int
	form []cell
}

type cell struct {
	row, col int
	v        float64
}

// leadingCompound is the largest order for which a G is sought, and wholePairs how
// many of its pairs may have entries between any two: 2346 unknowns, whose normal
// equations take a second a step.
const (
	leadingCompound = 28
	wholePairs      = 68
)

// wholeDirections returns the largest k for which at most wholePairs pairs touch the
// first two directions, which moves their plane, or lie within the first k.
func wholeDirections(d int) int {
	k := 2
	for k < d && (2*d-3)+(k-1)*(k-2)/2 <= wholePairs {
		k++
	}
	return k
}

// newCompound sets the program up for precisions p and q. G has a diagonal and the
// entries between pairs of directions that are both whole.
func newCompound(p, q *mat.SymDense, whole func(pair [2]int) bool) *compound {
	d := p.SymmetricDim()
	c := &compound{d: d}
	for i := range d {
		for j := i + 1; j < d; j++ {
			c.pairs = append(c.pairs, [2]int{i, j})
		}
	}
	c.diagonals = helmert(d)
	n := d * (d + 1) / 2
	raw := mat.NewDense(n, n, nil)
	for i := range d {
		for j := i; j < d; j++ {
			for k := range d {
				for l := k; l < d; l++ {
					r, s := coordinate(d, i, j), coordinate(d, k, l)
					v := p.At(l, i)*q.At(j, k) + p.At(l, j)*q.At(i, k) + p.At(k, i)*q.At(j, l) + p.At(k, j)*q.At(i, l)
					raw.Set(r, s, v/4*width(i, j)*width(k, l))
				}
			}
		}
	}
	c.form = c.restrict(raw)
	for a, i := range c.pairs {
		for b := a; b < len(c.pairs); b++ {
			if j := c.pairs[b]; a == b || (whole(i) && whole(j)) {
				c.free = append(c.free, unknown{a, b, c.minor(i, j)})
			}
		}
	}
	return c
}

// coordinate numbers the entries i ≤ j of a symmetric matrix, those off the
// diagonal first; the coordinate of D is √2 d_ij or d_ii, so that the norm is the
// Frobenius norm.
func coordinate(d, i, j int) int {
	if i > j {
		i, j = j, i
	}
	if i == j {
		return d*(d-1)/2 + i
	}
	return i*(2*d-i-1)/2 + j - i - 1
}

func width(i, j int) float64 {
	if i == j {
		return 1
	}
	return math.Sqrt2
}

// helmert returns an orthonormal basis of the diagonals of trace 0,
// (1, …, 1, −k, 0, …) up to a factor.
func helmert(d int) *mat.Dense {
	w := mat.NewDense(d, d-1, nil)
	for k := 1; k < d; k++ {
		s := math.Sqrt(float64(k * (k + 1)))
		for i := range k {
			w.Set(i, k-1, 1/s)
		}
		w.Set(k, k-1, -float64(k)/s)
	}
	return w
}

// minor returns the quadratic form d_ik d_jl − d_il d_jk, the minor of D of rows
// (i, j) and columns (k, l), twice where these differ: g_ab stands twice in G.
func (c *compound) minor(rows, cols [2]int) []cell {
	twice := 1.0
	if rows != cols {
		twice = 2
	}
	var out []cell
	add := func(i, k, j, l int, v float64) {
		r, s := coordinate(c.d, i, k), coordinate(c.d, j, l)
		v *= twice / (width(i, k) * width(j, l))
		if r == s {
			out = append(out, cell{r, r, v})
			return
		}
		out = append(out, cell{r, s, v / 2}, cell{s, r, v / 2})
	}
	add(rows[0], cols[0], rows[1], cols[1], 1)
	add(rows[0], cols[1], rows[1], cols[0], -1)
	return out
}

// restrict returns the form on the traceless matrices, whose coordinates are those
// off the diagonal and helmert's.
func (c *compound) restrict(raw *mat.Dense) *mat.SymDense {
	n, m := c.d*(c.d+1)/2, c.d*(c.d-1)/2
	half := mat.NewDense(n, n-1, nil)
	half.Slice(0, n, 0, m).(*mat.Dense).Copy(raw.Slice(0, n, 0, m))
	half.Slice(0, n, m, n-1).(*mat.Dense).Mul(raw.Slice(0, n, m, n), c.diagonals)
	out := mat.NewDense(n-1, n-1, nil)
	out.Slice(0, m, 0, n-1).(*mat.Dense).Copy(half.Slice(0, m, 0, n-1))
	out.Slice(m, n-1, 0, n-1).(*mat.Dense).Mul(c.diagonals.T(), half.Slice(m, n, 0, n-1))
	return symmetrized(out)
}

// extend returns a matrix on the traceless as one on all symmetric matrices.
func (c *compound) extend(a *mat.Dense) *mat.Dense {
	n, m := c.d*(c.d+1)/2, c.d*(c.d-1)/2
	half := mat.NewDense(n-1, n, nil)
	half.Slice(0, n-1, 0, m).(*mat.Dense).Copy(a.Slice(0, n-1, 0, m))
	half.Slice(0, n-1, m, n).(*mat.Dense).Mul(a.Slice(0, n-1, m, n-1), c.diagonals.T())
	out := mat.NewDense(n, n, nil)
	out.Slice(0, m, 0, n).(*mat.Dense).Copy(half.Slice(0, m, 0, n))
	out.Slice(m, n, 0, n).(*mat.Dense).Mul(c.diagonals, half.Slice(m, n-1, 0, n))
	return out
}

// forms returns G and Ĝ.
func (c *compound) forms(g []float64) (pairs, hat *mat.SymDense, size float64) {
	pairs = mat.NewSymDense(len(c.pairs), nil)
	n := c.d * (c.d + 1) / 2
	raw := mat.NewDense(n, n, nil)
	for k, u := range c.free {
		pairs.SetSym(u.a, u.b, g[k])
		for _, e := range u.form {
			raw.Set(e.row, e.col, raw.At(e.row, e.col)+g[k]*e.v)
		}
	}
	return pairs, c.restrict(raw), mat.Norm(raw, 2) + mat.Norm(pairs, 2)
}

// bound returns 2λ_max(L − Ĝ) + λ_max(−G), rounding included, for P and Q of norm
// at most 1.
//
// An entry of L or Ĝ is a sum over the basis of products whose absolute values
// have Frobenius norms of at most √d·√d, and ‖Ĝ‖_F and ‖G‖_F; the sums are of at
// most s + 2d + 20 roundings each, and the norm of an s×s matrix of such errors is at
// most s times the largest.
func (c *compound) bound(g []float64) float64 {
	pairs, hat, size := c.forms(g)
	s := c.form.SymmetricDim()
	rest := mat.NewSymDense(s, nil)
	rest.ScaleSym(-1, hat)
	rest.AddSym(rest, c.form)
	pairs.ScaleSym(-1, pairs)
	off := 8 * float64(s) * float64(s+2*c.d+20) * unit * (float64(c.d) + size)
	return (2*(eigenCeiling(rest)+off) + eigenCeiling(pairs)) * (1 + 4*unit)
}

// solve returns the G of the least bound it finds, and the D-like matrix on the
// other side of the program's duality: the top eigenvector of its moment matrix.
func (c *compound) solve(ctx context.Context) (g []float64, direction *mat.SymDense, err error) {
	point, err := c.interior(ctx)
	if err != nil {
		return nil, nil, err
	}
	var e mat.EigenSym
	if !e.Factorize(symmetrized(point.moment[0]), true) {
		return point.g, nil, nil
	}
	var w mat.Dense
	e.VectorsTo(&w)
	n, m := c.form.SymmetricDim(), c.d*(c.d-1)/2
	var diagonal mat.VecDense
	diagonal.MulVec(c.diagonals, mat.NewVecDense(c.d-1, mat.Col(nil, n-1, w.Slice(m, n, 0, n))))
	direction = mat.NewSymDense(c.d, nil)
	for i := range c.d {
		direction.SetSym(i, i, diagonal.AtVec(i))
		for j := i + 1; j < c.d; j++ {
			direction.SetSym(i, j, w.At(coordinate(c.d, i, j), n-1)/math.Sqrt2)
		}
	}
	return point.g, direction, nil
}

func symmetrized(a mat.Matrix) *mat.SymDense {
	n, _ := a.Dims()
	out := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			out.SetSym(i, j, (a.At(i, j)+a.At(j, i))/2)
		}
	}
	return out
}

// withVectors: eigenvalues alone are not asked for, since gonum 0.17 (Dsterf) panics
// where the matrix falls into blocks of which one is tiny.
const withVectors = true

// eigenCeiling returns an upper bound on the largest eigenvalue: computed, and
// raised until the Cholesky factorization of λI − A runs to its end, which
// proves λ_min(λI − A) ≥ −(n+2)u tr(λI − A) (Rump, "Verification of positive
// definiteness", BIT 2006).
func eigenCeiling(a *mat.SymDense) float64 {
	n := a.SymmetricDim()
	norm := mat.Norm(a, 2)
	top := norm
	var e mat.EigenSym
	if e.Factorize(a, withVectors) {
		top = e.Values(nil)[n-1]
	}
	for margin := 4 * float64(n) * unit * norm; ; margin = 4*margin + 0x1p-1000 {
		b := mat.NewSymDense(n, nil)
		b.ScaleSym(-1, a)
		trace := 0.0
		for i := range n {
			b.SetSym(i, i, (top+margin)-a.At(i, i))
			trace += math.Abs(b.At(i, i))
		}
		var chol mat.Cholesky
		if chol.Factorize(b) {
			return top + margin + float64(n+4)*2*unit*(trace+math.Abs(top)+norm)
		}
	}
}
