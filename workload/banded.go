package workload

import (
	"context"
	"math"

	"dpworkbench/internal/parallel"
	"dpworkbench/internal/products"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"
)

// mostBands bounds the bandwidth of an inverse that counts as banded.
const mostBands = 16

// inverseBands returns the first column of the inverse of a Toeplitz matrix without its trailing zeros, or false if
// too many are left. Entries at rounding level count as 0; the bounds do not depend on them.
func inverseBands(w []float64) ([]float64, bool) {
	v := make([]float64, len(w))
	last, scale := 0, 1/math.Abs(w[0])
	if math.IsInf(scale, 1) { // w_0 is far smaller than the other coefficients
		return nil, false
	}
	for i := range v {
		s := 0.0
		if i == 0 {
			s = 1
		}
		size := math.Abs(s)
		for j := 1; j <= i; j++ {
			s -= w[j] * v[i-j]
			size = max(size, math.Abs(w[j]*v[i-j]))
		}
		if math.Abs(s) <= 1e-13*size {
			continue
		}
		v[i], last = s/w[0], i
		if last > mostBands || math.Abs(v[i]) > 1e12*scale {
			return nil, false
		}
	}
	return v[:last+1], true
}

// bandInverse computes the dual of a Toeplitz workload whose inverse is banded. Then N = M^{−1} = D_q^{−½} W^{−1}
// D_p^{−½} is banded too, and with M = USVᵀ
//
//	(I + t²NNᵀ)^{−1} = V S²/(S² + t²) Vᵀ,  t Nᵀ(I + t²NNᵀ)^{−1} = U St/(S² + t²) Vᵀ,
//
// which give slope and curvature as in denseDual without a singular value decomposition.
type bandInverse struct {
	kept    *mat.Dense
	inverse []float64
}

func (b *bandInverse) dual(o Objective) *dual {
	n, _ := b.kept.Dims()
	d := &dual{rows: n, columns: n, objective: o, mirrored: o == Max}
	d.at = func(ctx context.Context, p, q []float64) (local, error) {
		l := local{slope: make([]float64, n), curvature: mat.NewSymDense(n, nil)}
		to := l.curvature.RawSymmetric()
		err := b.each(ctx, p, q, 1e-11, func(p *piece) {
			for k, e := range p.nodes {
				p.solve(k)
				w := e.w / math.Pi
				for j := p.first; j < p.last; j++ {
					l.slope[j] += w * p.row(p.y, j)[j-p.first]
				}
				for i := range p.last {
					addSquare(p.row(p.sum, i), w, p.row(p.y, i))
				}
				if o == Mean {
					continue
				}
				// The curvature between p and q is added to that of q. Its rows are in reverse order, because p is q in
				// reverse.
				for i := n - p.last; i < n; i++ {
					p.cross(i, e.t)
					addSquare(p.row(p.sum, n-1-i), -w, p.line)
				}
			}
			for i := range p.last {
				first := max(i, p.first)
				copy(to.Data[i*to.Stride+first:i*to.Stride+p.last], p.row(p.sum, i)[first-p.first:])
			}
		})
		l.f = 2 * sum(l.slope)
		return l, err
	}
	return d
}

func addSquare(to []float64, w float64, from []float64) {
	for j, v := range from[:len(to)] {
		to[j] += w * v * v
	}
}

// factor returns the factorisation of W into lower triangular matrices, with the Q of the lower bound. It returns false
// if there is none to working precision.
func (b *bandInverse) factor(ctx context.Context, p, q []float64) (factorisation, bool, error) {
	n, _ := b.kept.Dims()
	root := mat.NewDense(n, n, nil) // VSVᵀ = (MᵀM)^½
	polar := mat.NewDense(n, n, nil)
	err := b.each(ctx, p, q, 1e-15, func(p *piece) {
		for k, e := range p.nodes {
			p.solve(k)
			for i := range n {
				y := p.row(p.y, i)
				for j, s := range p.row(p.sum, i) {
					y[j] = s + 2*e.w/math.Pi*y[j]
				}
			}
			p.y, p.sum = p.sum, p.y
		}
		for i := range n {
			copy(root.RawRowView(i)[p.first:p.last], p.row(p.sum, i))
		}
		// UVᵀ = Nᵀ VSVᵀ.
		p.y, p.sum = p.sum, p.y
		for i := range n {
			p.cross(i, 1)
			copy(polar.RawRowView(i)[p.first:p.last], p.line)
		}
	})
	if err != nil {
		return factorisation{}, false, err
	}
	// A Newton–Schulz step Q ← 3Q/2 − QQᵀQ/2 squares the distance of Q from orthogonality.
	gram, f := mat.NewDense(n, n, nil), factorisation{q: mat.NewDense(n, n, nil)}
	products.Add(gram.RawMatrix(), 1, blas.Trans, polar.RawMatrix(), polar.RawMatrix())
	products.Mul(f.q.RawMatrix(), polar.RawMatrix(), gram.RawMatrix())
	for i := range n {
		to, from := f.q.RawRowView(i), polar.RawRowView(i)
		for j, v := range from {
			to[j] = 1.5*v - .5*to[j]
		}
		x := root.RawRowView(i)
		for j := range x {
			x[j] /= math.Sqrt(q[i]) * math.Sqrt(q[j])
		}
	}
	var ok bool
	f.b, f.c, ok = triangular(b.kept, root)
	return f, ok, nil
}

// piece holds the columns first … last − 1 of (I + t²NNᵀ)^{−1}, and what is needed to compute them at each node t.
type piece struct {
	b           *bandInverse
	nodes       []node
	factors     [][]float64 // Cholesky factors of I + t²NNᵀ, by rows, inverted diagonal last
	n           []float64   // N by rows, each with its diagonal entry last
	first, last int
	y, sum      []float64
	line        []float64
}

const pieceColumns = 32

func (p *piece) row(m []float64, i int) []float64 {
	width := p.last - p.first
	return m[i*width : (i+1)*width]
}

// each divides the columns into pieces and calls visit for each piece, in parallel. The relative error of the
// quadrature is about e.
func (b *bandInverse) each(ctx context.Context, p, q []float64, e float64, visit func(p *piece)) error {
	n, bands := len(q), len(b.inverse)
	entries := make([]float64, n*bands)
	columns, rows := make([]float64, n), make([]float64, n)
	for i := range n {
		for d := 0; d < bands && d <= i; d++ {
			v := b.inverse[d] / (math.Sqrt(q[i]) * math.Sqrt(p[i-d]))
			entries[i*bands+bands-1-d] = v
			rows[i] += math.Abs(v)
			columns[i-d] += math.Abs(v)
		}
	}
	// The singular values of M are between 1/‖N‖₂ and ‖M‖_F.
	var widest, tallest, most float64
	for i := range n {
		widest, tallest = max(widest, rows[i]), max(tallest, columns[i])
		for j, v := range b.kept.RawRowView(i)[:i+1] {
			most += p[i] * v * v * q[j]
		}
	}
	least := 1 / math.Sqrt(widest*tallest)
	most = math.Sqrt(most)
	nodes := quadrature(least, most, nodesFor(least, most, e))
	factors := make([][]float64, len(nodes))
	for k, e := range nodes {
		factors[k] = bandedFactor(entries, bands, e.t)
	}
	return parallel.Chunks(ctx, n, pieceColumns, func(first, last int) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		visit(&piece{b: b, nodes: nodes, factors: factors, n: entries, first: first, last: last,
			y: make([]float64, n*(last-first)), sum: make([]float64, n*(last-first)), line: make([]float64, last-first)})
		return nil
	})
}

// bandedFactor returns the Cholesky factor of I + t²NNᵀ for N of n rows of bands entries each. It has the layout of N,
// but the diagonal is inverted. It rotates the rows of I into the triangle tNᵀ, because forming the matrix would
// square the condition number. The rotated rows span as many columns as there are bands beside the diagonal, and are
// kept as a triangle.
func bandedFactor(entries []float64, bands int, t float64) []float64 {
	n, beside := len(entries)/bands, bands-1
	f := make([]float64, len(entries))
	kept := make([][]float64, beside)
	for k := range kept {
		kept[k] = make([]float64, beside)
	}
	unit, pivot, rest := make([]float64, beside), make([]float64, bands), make([]float64, bands)
	for c := range n {
		for l := range pivot {
			pivot[l] = 0
			if c+l < n {
				pivot[l] = t * entries[(c+l)*bands+beside-l]
			}
		}
		clear(rest)
		if rest[0] = 1; beside > 0 {
			clear(unit)
			unit[0] = 1
			rotateInto(kept, unit)
			copy(rest, kept[0])
			rest[beside] = 0
		}
		rotate(pivot, rest, 0)
		// Move the triangle by a column, and rotate the rest of the row into it.
		for k := range kept {
			clear(kept[k])
			if k+1 < beside {
				copy(kept[k], kept[k+1][1:])
			}
		}
		rotateInto(kept, rest[1:])
		for l, v := range pivot {
			if c+l < n {
				f[(c+l)*bands+beside-l] = v
			}
		}
		f[c*bands+beside] = 1 / f[c*bands+beside]
	}
	return f
}

// rotate rotates a and b so that entry k of b becomes 0. Earlier entries of b are 0.
func rotate(a, b []float64, k int) {
	h := math.Hypot(a[k], b[k])
	if h == 0 {
		return
	}
	cos, sin := a[k]/h, b[k]/h
	for l := k; l < len(a); l++ {
		a[l], b[l] = cos*a[l]+sin*b[l], cos*b[l]-sin*a[l]
	}
	b[k] = 0
}

// rotateInto rotates a row into a triangle.
func rotateInto(triangle [][]float64, row []float64) {
	for k := range triangle {
		rotate(triangle[k], row, k)
	}
}

// solve sets y to the columns of (I + t²NNᵀ)^{−1} at node k.
func (p *piece) solve(k int) {
	f, bands := p.factors[k], len(p.b.inverse)
	n := len(f) / bands
	clear(p.y[:p.first*(p.last-p.first)])
	for i := p.first; i < n; i++ {
		to := p.row(p.y, i)
		clear(to)
		if i < p.last {
			to[i-p.first] = 1
		}
		for d := 1; d < bands && d <= i-p.first; d++ {
			axpy(to, -f[i*bands+bands-1-d], p.row(p.y, i-d))
		}
		scale(to, f[i*bands+bands-1])
	}
	for i := n - 1; i >= 0; i-- {
		to := p.row(p.y, i)
		for d := 1; d < bands && i+d < n; d++ {
			axpy(to, -f[(i+d)*bands+bands-1-d], p.row(p.y, i+d))
		}
		scale(to, f[i*bands+bands-1])
	}
}

// cross sets line to row i of t Nᵀy.
func (p *piece) cross(i int, t float64) {
	bands := len(p.b.inverse)
	clear(p.line)
	for d := 0; d < bands && (i+d+1)*bands <= len(p.n); d++ {
		axpy(p.line, t*p.n[(i+d)*bands+bands-1-d], p.row(p.y, i+d))
	}
}

func axpy(to []float64, a float64, from []float64) {
	for j, v := range from[:len(to)] {
		to[j] += a * v
	}
}

func scale(to []float64, a float64) {
	for j := range to {
		to[j] *= a
	}
}
