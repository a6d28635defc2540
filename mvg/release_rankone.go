package mvg

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"

	"dpworkbench/internal/parallel"
	"dpworkbench/internal/parameter"
	"dpworkbench/internal/sampling"

	"gonum.org/v1/gonum/mat"
)

// mostRankOne bounds the dimension: every entry depends on all normals.
const mostRankOne = 100_000

// Grid returns the default grid of releases: 2³² times finer than the power of two at or below the standard
// deviation √(v/M) of an element. It is nil unless the variance is positive and finite, and the dimension positive.
func (r RankOne) Grid() *big.Rat {
	if r.Dimension < 1 || !(r.Variance > 0 && r.Variance <= math.MaxFloat64) {
		return nil
	}
	square := rational(r.Variance)
	return sampling.TwoTo(sampling.FloorLog2(square.Quo(square, big.NewRat(int64(r.Dimension), 1)))>>1 - sampling.Finer)
}

// Release returns fx plus √v·z₀·(z₁, …, z_M)/‖(z₁, …, z_M)‖ over all its elements, with z standard normal and each
// entry rounded to the nearest multiple of grid; nil means [RankOne.Grid]. The law is exact as in [Design.Release],
// computed with sampling.Numbers. A nil src is the operating system's generator.
//
// It returns an error wrapping evidence.ErrParameter if the number of elements is not the mechanism's dimension or
// exceeds 100000, an entry is not finite, or the variance or the grid is not positive. It returns sampling.ErrUndecided
// with probability 2⁻⁶⁵⁵³⁶ per entry, and the context's error if ctx is cancelled.
func (r RankOne) Release(ctx context.Context, fx mat.Matrix, grid *big.Rat, src rand.Source) (*mat.Dense, error) {
	m, n := fx.Dims()
	if m*n != r.Dimension {
		return nil, parameter.Errorf("f(X) is %d×%d, want %d elements", m, n, r.Dimension)
	}
	if r.Dimension > mostRankOne {
		return nil, parameter.Bad("dimension", r.Dimension, "at most %d for an exact release", mostRankOne)
	}
	if err := cmp.Or(parameter.Positive("variance", r.Variance), checkAnswer(fx)); err != nil {
		return nil, err
	}
	g, err := newGrid(grid, r.Grid())
	if err != nil {
		return nil, err
	}
	z := make([]sampling.Real, m*n+1)
	src = sampling.Or(src)
	done := parallel.Count(ctx, int64(m*n), "entries released")
	for from := 0; from < len(z); from += batch {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		sampling.Normals(z[from:min(len(z), from+batch)], src)
	}
	length := r.length(z)
	out := mat.NewDense(m, n, nil)
	for i := range m {
		for j := range n {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			noise := length.Mul(z[1+i*n+j].Number())
			k, err := sampling.Round(sampling.Sum(sampling.Rat(rational(fx.At(i, j))), noise), g.step)
			if err != nil {
				return nil, fmt.Errorf("entry (%d, %d): %w", i, j, err)
			}
			out.Set(i, j, g.value(k))
			done(1)
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return out, nil
}

// length returns √v·z₀/‖(z₁, …, z_M)‖.
func (r RankOne) length(z []sampling.Real) sampling.Number {
	squares := make([]sampling.Number, len(z)-1)
	for i := range squares {
		x := z[1+i].Number()
		squares[i] = x.Mul(x)
	}
	norm := sampling.Sum(squares...).Known().Root(2).Known()
	scale := sampling.Rat(rational(r.Variance)).Root(2).Known()
	return scale.Mul(norm.Inverse()).Known().Mul(z[0].Number()).Known()
}
