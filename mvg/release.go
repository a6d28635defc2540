package mvg

import (
	"context"
	"math/big"
	"math/rand/v2"

	"dpworkbench/internal/parallel"
	"dpworkbench/internal/parameter"
	"dpworkbench/internal/sampling"

	"gonum.org/v1/gonum/mat"
)

// Release returns f(X) + Z for the query's answer fx, each entry rounded to the nearest
// multiple of grid, half upwards; nil stands for [Design.Grid]. Z has the law N(0, Ψ⊗Σ)
// exactly, for the entries of Σ and Ψ and of fx as the float64 that they are: what is
// released is that function of a draw of the ideal mechanism, and Privacy is its privacy
// as it stands. A multiple that is no float64 is rounded once more, to the nearest one.
//
// Row i of the noise's standard normals comes from sources(i), so that a seed replays on
// any number of processors; nil stands for the operating system's generator, which alone
// is for real releases. That computing takes longer where a rounding is hard to decide is
// not covered.
//
// It returns an error wrapping evidence.ErrParameter where fx has another shape or an
// entry that is not finite, or unless grid is positive; sampling.ErrUndecided, of
// probability 2⁻⁶⁵⁵³⁶ an entry; or the context's.
func (d *Design) Release(ctx context.Context, fx mat.Matrix, grid *big.Rat, sources func(row uint64) rand.Source) (*mat.Dense, error) {
	g, err := d.checkRelease(fx, grid)
	if err != nil {
		return nil, err
	}
	if d.sigma.dense == nil && d.psi.dense == nil {
		e, err := d.entrywise(ctx, g)
		if err != nil {
			return nil, err
		}
		return e.release(ctx, fx, sources)
	}
	return d.joint(g).release(ctx, fx, sources)
}

func (d *Design) checkRelease(fx mat.Matrix, step *big.Rat) (grid, error) {
	if err := d.checkShape(fx); err != nil {
		return grid{}, err
	}
	return newGrid(step, d.Grid())
}

// checkShape wants finite entries in the query's shape.
func (d *Design) checkShape(fx mat.Matrix) error {
	m, n := d.sensitivity.Shape()
	if r, c := fx.Dims(); r != m || c != n {
		return parameter.Errorf("f(X) is %d×%d, want %d×%d", r, c, m, n)
	}
	return checkAnswer(fx)
}

// Grid returns the grid that releases are rounded to unless they name another: 2³² times
// finer than the power of two at or below the smallest standard deviation √(Σ_ii Ψ_jj) of
// an element. It depends on nothing but Σ and Ψ.
func (d *Design) Grid() *big.Rat {
	least := func(c Covariance) *big.Rat {
		v := c.entry(0)
		for i := range c.Order() {
			v = min(v, c.entry(i))
		}
		return rational(v)
	}
	square := least(d.sigma)
	return sampling.TwoTo(sampling.FloorLog2(square.Mul(square, least(d.psi)))>>1 - sampling.Finer)
}

// entry returns entry (i, i) of the covariance.
func (c Covariance) entry(i int) float64 {
	if c.dense != nil {
		return c.dense.matrix.At(i, i)
	}
	return c.diagonal[i]
}

// entrywise is the release of a design in the standard basis: Z_ij = √(Σ_ii Ψ_jj) N_ij.
func (d *Design) entrywise(ctx context.Context, g grid) (e entrywise, err error) {
	e = entrywise{grid: g, draw: sampling.Normals}
	e.square = func(i, j int) *big.Rat {
		v := rational(d.sigma.entry(i))
		return v.Mul(v, rational(d.psi.entry(j)))
	}
	step := new(big.Rat).Mul(g.step, g.step)
	if e.rows, err = roots(ctx, d.sigma.diagonal, step); err == nil {
		e.columns, err = roots(ctx, d.psi.diagonal, big.NewRat(1, 1))
	}
	return e, err
}

// roots returns √(v/unit) for all v.
func roots(ctx context.Context, v []float64, unit *big.Rat) ([]root, error) {
	out := make([]root, len(v))
	err := parallel.Chunks(ctx, len(v), batch, func(first, last int) error {
		for i := first; i < last; i++ {
			q := rational(v[i])
			out[i] = leading(q.Quo(q, unit))
		}
		return nil
	})
	return out, err
}
