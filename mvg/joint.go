package mvg

import (
	"context"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"slices"

	"dpworkbench/internal/lists"
	"dpworkbench/internal/parallel"
	"dpworkbench/internal/sampling"

	"gonum.org/v1/gonum/mat"
)

// A joint release is f(X) + BNCᵀ for the exact roots B, C of Σ and Ψ and independent standard normals N. Integers
// enclose the entries, with increasing precision, until every entry's rounding is determined.
type joint struct {
	grid       grid
	sigma, psi Covariance
	bits       int // initial number of bits of the normals

	refined func(entries int) // called with the number of undecided entries; for tests
	careful bool              // use integers of any size from the start; for tests
}

func (d *Design) joint(g grid) joint {
	return joint{grid: g, sigma: d.sigma, psi: d.psi, bits: digits(g.step, d.sigma.scale(), d.psi.scale())}
}

func (p joint) release(ctx context.Context, fx mat.Matrix, sources func(row uint64) rand.Source) (*mat.Dense, error) {
	m, n := fx.Dims()
	z := make([]sampling.Real, m*n)
	if err := p.draw(ctx, z, m, n, sources); err != nil {
		return nil, err
	}
	out := mat.NewDense(m, n, nil)
	all := lists.Of(m, func(i int) int { return i })
	left := slices.Repeat([][]int{all}, n) // undecided rows, column by column
	for bits := p.bits; ; bits += 64 {
		if bits > p.bits { // sequentially, because rows may share a source
			for i := range m {
				if err := ctx.Err(); err != nil {
					return nil, err
				}
				drawTo(z[i*n:(i+1)*n], bits)
			}
		}
		if err := p.compute(ctx, out, fx, z, bits, left); err != nil {
			return nil, err
		}
		count := 0
		for _, rows := range left {
			count += len(rows)
		}
		if p.refined != nil {
			p.refined(count)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if count == 0 {
			return out, nil
		}
	}
}

// draw draws the normals, to the initial number of bits.
func (p joint) draw(ctx context.Context, z []sampling.Real, m, n int, sources func(row uint64) rand.Source) error {
	return parallel.Workers(ctx, m, max(1, batch/n), func() func(first, last int) error {
		stream := streams(sources)
		return func(first, last int) error {
			for i := first; i < last; i++ {
				src, row := stream(i), z[i*n:(i+1)*n]
				for from := 0; from < n; from += batch {
					if err := ctx.Err(); err != nil {
						return err
					}
					sampling.Normals(row[from:min(n, from+batch)], src)
				}
				drawTo(row, p.bits)
			}
			return nil
		}
	})
}

// drawTo draws the digits of a row's normals up to the given number of bits, one word of each normal at a time. So the
// digits do not depend on the precision that is requested first.
func drawTo(row []sampling.Real, bits int) {
	for words := 2; words <= (bits+63)/64; words++ {
		for j := range row {
			row[j].Draw(words)
		}
	}
}

// sizeOf returns a number such that all normals are below 2^size − 1.
func sizeOf(z []sampling.Real) int {
	most := uint64(0)
	for i := range z {
		most = max(most, z[i].Whole)
	}
	return bits.Len64(most + 1)
}

// compute decides the entries (i, j) for all i in left[j]. It leaves in left[j] the rows that b bits of the normals do
// not decide.
//
// Let Σ = DLLᵀD and Ψ = FMMᵀF (triangle), so that the noise is 2^{e_i+f_j}·y with y = L_i N M_jᵀ. Let ℓ, μ and ν be
// integer approximations of L, M and N, with a, a and b fractional bits, and β a bound on |N| and on 2^−b|ν|. In
// Frobenius norm |N − 2^−bν| ≤ √(mn)2^−b, and |N| and 2^−b|ν| are at most √(mn)β. Rows of L and M have norm at most √2.
// Those of ℓ and μ differ from them by at most 2√m·2^−a and 2√n·2^−a, so their norm is at most 1.54. So y differs from
// 2^{−2a−b}·ℓ_i ν μ_jᵀ by at most
//
//	2√m·2^−a·√(mn)β·√2 + 1.54·√(mn)2^−b·√2 + 1.54·√(mn)β·2√n·2^−a
//	≤ √(mn)·(3.08·β(√m + √n)·2^−a + 2.18·2^−b) ≤ 3√(mn)·2^−b
//
// since a is such that β(m + n) ≤ 2^{a−b−8}. Short integers add less than √(mn)·2^−b (shorts).
func (p joint) compute(ctx context.Context, out *mat.Dense, fx mat.Matrix, z []sampling.Real, b int, left [][]int) error {
	m, n := fx.Dims()
	size := sizeOf(z) // β < 2^size
	places := b + 8 + size + bits.Len(uint(m+n))
	l, err := p.sigma.triangle(ctx, places)
	if err != nil {
		return err
	}
	r, err := p.psi.triangle(ctx, places)
	if err != nil {
		return err
	}
	f := factors{m: m, n: n, b: b, size: size, left: l.cut(places), right: r.cut(places)}
	prepare := f.longs
	if f.short() && !p.careful {
		prepare = f.shorts
	}
	column, exp, err := prepare(ctx, z)
	if err != nil {
		return err
	}
	root := new(big.Int).Sqrt(big.NewInt(int64(m) * int64(n)))
	off := root.Add(root, big.NewInt(1))
	off.Lsh(off, uint(2-b-exp))
	done := parallel.Count(ctx, int64(n), "columns released")
	return parallel.Workers(ctx, n, 1, func() func(first, last int) error {
		entries := column()
		return func(j, _ int) error {
			undecided := []int(nil)
			next := entries(j)
			for _, i := range left[j] {
				y, err := next(ctx, i)
				if err != nil {
					return err
				}
				k, ok := p.grid.snap(fx.At(i, j), y, off, exp+l.exps[i]+r.exps[j])
				if !ok {
					undecided = append(undecided, i)
					continue
				}
				out.Set(i, j, p.grid.value(k))
			}
			left[j] = undecided
			done(1)
			return nil
		}
	})
}
