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

// Release returns f(X) + Z for the query's answer fx, each entry rounded to the nearest multiple of grid, halves
// upwards; nil means [Design.Grid]. Z has exactly the law N(0, Ψ⊗Σ), where Σ, Ψ and fx have exactly their float64
// entries. So the output is post-processing of the ideal mechanism, and Privacy is its privacy. A multiple that is not
// a float64 is rounded to the nearest one.
//
// Row i of the noise's standard normals comes from sources(i), so that a seed gives the same draws on any number of
// processors. If sources is nil, the operating system's generator is used, as real releases require. Timing is not
// protected: entries whose rounding is hard to decide take longer.
//
// It returns an error wrapping evidence.ErrParameter if fx has another shape or an entry that is not finite, or grid is
// not positive. It returns sampling.ErrUndecided with probability 2⁻⁶⁵⁵³⁶ per entry, and the context's error if ctx is
// cancelled.
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

// checkShape returns an error unless fx has the query's shape and finite entries.
func (d *Design) checkShape(fx mat.Matrix) error {
	m, n := d.sensitivity.Shape()
	if r, c := fx.Dims(); r != m || c != n {
		return parameter.Errorf("f(X) is %d×%d, want %d×%d", r, c, m, n)
	}
	return checkAnswer(fx)
}

// Grid returns the default grid of releases: 2³² times finer than the power of two at or below the smallest
// standard deviation √(Σ_ii Ψ_jj) of an element. It depends on Σ and Ψ only.
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

// entrywise returns the release of a design in the standard basis: Z_ij = √(Σ_ii Ψ_jj) N_ij.
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
