package planes

import (
	"context"
	"math"

	"dpworkbench/internal/symmetric"

	"gonum.org/v1/gonum/mat"
)

// A program is to minimise Σ_k cost_k y_k over y subject to
//
//	B_b = Σ_k y_k A_kb − C_b ⪰ 0 for every block b.
//
// Where matrices X_b ⪰ 0 have Σ_b ⟨A_kb, X_b⟩ = cost_k for every k, moments, Σ_b ⟨C_b, X_b⟩
// is Σ_k cost_k y_k − Σ_b ⟨B_b, X_b⟩. The X_b of the programs here are what planes V make
// of themselves, so that any y, feasible or not, bounds what ⟨C, X⟩ planes have.
type program struct {
	d        int
	diagonal *mat.Dense // helmert's
	blocks   []block
	unknowns []unknown
}

// A block is the space of B_b: that of an n×n matrix or, for forms on symmetric
// matrices of order d, its restriction to the traceless ones.
type block struct {
	n            int
	traceless    bool
	constant     *mat.SymDense // C_b, restricted; nil is 0
	trace        float64       // of a plane's moment
	traceIsBound bool          // trace is an upper bound
	moment       *mat.SymDense // positive definite: of planes at random
}

// An unknown is an entry of y: its matrix for each block before the restriction, by
// the entries that are not zero, its cost, and its value where all B_b are positive
// definite.
type unknown struct {
	cells [][]cell
	cost  float64
	start float64
}

type cell struct {
	row, col int
	v        float64
}

// newProgram returns a program whose first block is αI − L on the traceless matrices,
// α being the first unknown, above λ_max(L) at the start. The moment is DDᵀ.
func newProgram(p, q *mat.SymDense, blocks int, above float64) *program {
	d := p.SymmetricDim()
	n := d * (d + 1) / 2
	out := &program{d: d, diagonal: helmert(d), blocks: make([]block, blocks)}
	at := &out.blocks[0]
	*at = block{n: n, traceless: true, trace: 2, moment: symmetric.Multiple(n-1, 2/float64(n-1))}
	raw := mat.NewDense(n, n, nil)
	for i := range d {
		for j := i; j < d; j++ {
			for k := range d {
				for l := k; l < d; l++ {
					r, s := coordinate(d, i, j), coordinate(d, k, l)
					v := p.At(l, i)*q.At(j, k) + p.At(l, j)*q.At(i, k) + p.At(k, i)*q.At(j, l) + p.At(k, j)*q.At(i, l)
					raw.Set(r, s, v/4*coordinateScale(i, j)*coordinateScale(k, l))
				}
			}
		}
	}
	at.constant = out.restrict(0, raw)
	alpha := unknown{cells: make([][]cell, blocks), cost: 2, start: above + symmetric.EigenCeiling(at.constant)}
	for i := range n {
		alpha.cells[0] = append(alpha.cells[0], cell{i, i, 1})
	}
	out.unknowns = []unknown{alpha}
	return out
}

// symmetricCells returns the cells of v at (row, col) and (col, row), one where these agree.
func symmetricCells(row, col int, v float64) []cell {
	if row == col {
		return []cell{{row, row, v}}
	}
	return []cell{{row, col, v}, {col, row, v}}
}

// constraintForms returns the matrices Σ_k y_k A_kb, and a bound on the Frobenius norms of their
// rounding errors.
func (p *program) constraintForms(y []float64) (forms []*mat.SymDense, off []float64) {
	for b, at := range p.blocks {
		raw, size, terms := mat.NewDense(at.n, at.n, nil), mat.NewDense(at.n, at.n, nil), make([]int, at.n*at.n)
		most := 0
		for k, u := range p.unknowns {
			for _, e := range u.cells[b] {
				raw.Set(e.row, e.col, raw.At(e.row, e.col)+y[k]*e.v)
				size.Set(e.row, e.col, size.At(e.row, e.col)+math.Abs(y[k]*e.v))
				terms[e.row*at.n+e.col]++
				most = max(most, terms[e.row*at.n+e.col])
			}
		}
		// A coefficient e.v is exact up to 8 roundings, a sum errs by its number of terms,
		// and the restriction by 2d + 20 roundings of each of its entries, times the norm
		// of the absolute values of helmert's basis on either side, below 2.5 for d ≤ 256.
		off = append(off, 8*unit*float64(most+2*p.d+40)*mat.Norm(size, 2))
		forms = append(forms, p.restrict(b, raw))
	}
	return forms, off
}

// slack returns the matrices B_b, or for a direction y what they change by.
func (p *program) slack(y []float64, direction bool) []*mat.SymDense {
	out, _ := p.constraintForms(y)
	if direction {
		return out
	}
	for b, at := range p.blocks {
		if at.constant != nil {
			out[b].AddSym(out[b], symmetric.Negated(at.constant))
		}
	}
	return out
}

func (p *program) cost(y []float64) float64 {
	sum := 0.0
	for k, u := range p.unknowns {
		sum += u.cost * y[k]
	}
	return sum
}

// bound returns Σ_k cost_k y_k + Σ_b trace_b λ_max(−B_b), of which those whose trace
// is a bound count where positive, rounding included, for
// constants whose entries err by at most 4(2d + 20) roundings of products of the size
// of the matrices.
func (p *program) bound(y []float64) float64 {
	forms, off := p.constraintForms(y)
	sum, size := 0.0, 0.0
	for k, u := range p.unknowns {
		sum += u.cost * y[k]
		size += math.Abs(u.cost * y[k])
	}
	for b, f := range forms {
		f = symmetric.Negated(f)
		if c := p.blocks[b].constant; c != nil {
			f.AddSym(f, c)
			off[b] += 8 * unit * float64(2*p.d+20) * (float64(p.d) + mat.Norm(c, 2))
		}
		top := symmetric.EigenCeiling(f) + off[b]
		if p.blocks[b].traceIsBound {
			top = math.Max(0, top)
		}
		sum += p.blocks[b].trace * top
	}
	return sum + 2*unit*float64(len(y)+8)*(size+math.Abs(sum))
}

// restrict returns the block's form on its space, in whose coordinates on traceless
// matrices those off the diagonal come first and helmert's after.
func (p *program) restrict(b int, raw *mat.Dense) *mat.SymDense {
	if !p.blocks[b].traceless {
		return symmetric.Symmetrized(raw)
	}
	n, m := p.d*(p.d+1)/2, p.d*(p.d-1)/2
	half := mat.NewDense(n, n-1, nil)
	half.Slice(0, n, 0, m).(*mat.Dense).Copy(raw.Slice(0, n, 0, m))
	half.Slice(0, n, m, n-1).(*mat.Dense).Mul(raw.Slice(0, n, m, n), p.diagonal)
	out := mat.NewDense(n-1, n-1, nil)
	out.Slice(0, m, 0, n-1).(*mat.Dense).Copy(half.Slice(0, m, 0, n-1))
	out.Slice(m, n-1, 0, n-1).(*mat.Dense).Mul(p.diagonal.T(), half.Slice(m, n, 0, n-1))
	return symmetric.Symmetrized(out)
}

// extend returns a matrix on the block's space as one on all symmetric matrices.
func (p *program) extend(b int, a *mat.Dense) *mat.Dense {
	if !p.blocks[b].traceless {
		return a
	}
	n, m := p.d*(p.d+1)/2, p.d*(p.d-1)/2
	half := mat.NewDense(n-1, n, nil)
	half.Slice(0, n-1, 0, m).(*mat.Dense).Copy(a.Slice(0, n-1, 0, m))
	half.Slice(0, n-1, m, n).(*mat.Dense).Mul(a.Slice(0, n-1, m, n-1), p.diagonal.T())
	out := mat.NewDense(n, n, nil)
	out.Slice(0, m, 0, n).(*mat.Dense).Copy(half.Slice(0, m, 0, n))
	out.Slice(m, n, 0, n).(*mat.Dense).Mul(p.diagonal, half.Slice(m, n-1, 0, n))
	return out
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

// entriesOf returns the entries (i, j) in the order of their coordinates.
func entriesOf(d int) [][2]int {
	out := make([][2]int, d*(d+1)/2)
	for i := range d {
		for j := i; j < d; j++ {
			out[coordinate(d, i, j)] = [2]int{i, j}
		}
	}
	return out
}

func coordinateScale(i, j int) float64 {
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

// topMoment returns the D-like matrix on the other side of the program's duality: the
// top eigenvector of the moment matrix of D, or nil.
func (p *program) topMoment(x *point) *mat.SymDense {
	var e mat.EigenSym
	if !e.Factorize(symmetric.Symmetrized(x.moment[0]), true) {
		return nil
	}
	var w mat.Dense
	e.VectorsTo(&w)
	n, m := p.d*(p.d+1)/2-1, p.d*(p.d-1)/2
	var diagonal mat.VecDense
	diagonal.MulVec(p.diagonal, mat.NewVecDense(p.d-1, mat.Col(nil, n-1, w.Slice(m, n, 0, n))))
	out := mat.NewSymDense(p.d, nil)
	for i := range p.d {
		out.SetSym(i, i, diagonal.AtVec(i))
		for j := i + 1; j < p.d; j++ {
			out.SetSym(i, j, w.At(coordinate(p.d, i, j), n-1)/math.Sqrt2)
		}
	}
	return out
}

// solve returns the y of the least bound it finds, and the moments' direction.
func (p *program) solve(ctx context.Context) (y []float64, direction *mat.SymDense, err error) {
	x, err := p.interior(ctx)
	if err != nil {
		return nil, nil, err
	}
	return x.y, p.topMoment(x), nil
}
