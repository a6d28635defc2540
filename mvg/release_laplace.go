package mvg

import (
	"context"
	"math/big"
	"math/rand/v2"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/internal/sampling"

	"gonum.org/v1/gonum/mat"
)

// ReleaseLaplace returns fx plus independent Laplace noise of the given scale, each entry rounded to the nearest
// multiple of grid. With scale Δ₁/ε, where Δ₁ is the l1 sensitivity over all elements, this is the Laplace mechanism
// and ε-private as released. A nil grid is 2³² times finer than the power of two at or below the scale. The law,
// sources and errors are those of [Design.Release]; an error also wraps evidence.ErrParameter unless the scale is
// positive.
func ReleaseLaplace(ctx context.Context, fx mat.Matrix, scale, grid *big.Rat, sources func(row uint64) rand.Source) (*mat.Dense, error) {
	if scale.Sign() <= 0 {
		return nil, parameter.Bad("scale", scale, "a positive number")
	}
	if err := checkAnswer(fx); err != nil {
		return nil, err
	}
	g, err := newGrid(grid, LaplaceGrid(scale))
	if err != nil {
		return nil, err
	}
	return laplace(fx, scale, g).release(ctx, fx, sources)
}

// LaplaceGrid returns the default grid of releases with a positive scale.
func LaplaceGrid(scale *big.Rat) *big.Rat {
	if scale.Sign() <= 0 {
		return nil
	}
	return sampling.GridFor(scale)
}

// LaplacePrivacy returns the smallest ε of independent Laplace noise of the given scale: sensitivity/scale, exact.
// sensitivity bounds the l1 norm of the difference of two answers. It returns an error wrapping
// evidence.ErrParameter unless both are positive.
func LaplacePrivacy(sensitivity, scale *big.Rat) (evidence.Number, error) {
	if sensitivity.Sign() <= 0 {
		return nil, parameter.Bad("sensitivity", sensitivity, "a positive number")
	}
	if scale.Sign() <= 0 {
		return nil, parameter.Bad("scale", scale, "a positive number")
	}
	return evidence.Exact{Value: new(big.Rat).Quo(sensitivity, scale), Side: evidence.Up, Provenance: evidence.From("Laplace mechanism (Dwork, McSherry, Nissim and Smith 2006)")}, nil
}

func laplace(fx mat.Matrix, scale *big.Rat, g grid) entrywise {
	m, n := fx.Dims()
	square := new(big.Rat).Mul(scale, scale)
	e := entrywise{grid: g, draw: laplaces, square: func(int, int) *big.Rat { return square }}
	steps := new(big.Rat).Quo(scale, g.step)
	row, column := leading(steps.Mul(steps, steps)), leading(big.NewRat(1, 1))
	for range m {
		e.rows = append(e.rows, row)
	}
	for range n {
		e.columns = append(e.columns, column)
	}
	return e
}

// laplaces draws Laplace numbers of scale 1: exponential numbers with a random sign.
func laplaces(dst []sampling.Real, src rand.Source) {
	for i := range dst {
		dst[i] = *sampling.Exponential(src)
		dst[i].Negative = src.Uint64()&1 == 1
	}
}
