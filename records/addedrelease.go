package records

import (
	"context"
	"math/big"
	"math/rand/v2"

	"dpworkbench/continuous"
	"dpworkbench/internal/parameter"
	"dpworkbench/internal/sampling"
)

// Simulate implements Law.
func (m *Added) Simulate(ctx context.Context, n int, src rand.Source) ([]float64, error) {
	f, scale := float(m.q.value), m.scale.Mid()
	return drawing(ctx, n, 4096, func() (float64, error) { return m.rng.nearest(f+scale*m.noise.Draw(src), m.q.value), nil })
}

// Release draws n outputs of Laplace or Staircase noise with exactly its law, clamped to the range. On a continuous
// range it rounds them to the nearest multiple of a public grid first, and returns that grid. A nil source stands
// for the operating system's generator. It returns an error wrapping evidence.ErrParameter for other noise.
func (m *Added) Release(ctx context.Context, n int, src Source) ([]float64, *big.Rat, error) {
	if m.q.global != nil && m.q.global.Sign() == 0 { // the query is constant: no noise is needed
		out, err := drawing(ctx, n, 4096, func() (float64, error) { return float(m.q.value), nil })
		return out, nil, err
	}
	if m.exact == nil {
		return nil, nil, parameter.Errorf("%s has no exact sampler", m.title)
	}
	draw, err := sampler(m.q.global, m.exact)
	if err != nil {
		return nil, nil, err
	}
	grid, answer := m.rng.grid(m.q)
	src = sampling.Or(src)
	out, err := drawing(ctx, n, 256, func() (float64, error) {
		noise, err := draw(src)
		if err != nil {
			return 0, err
		}
		sum := sampling.Rat(new(big.Rat).Add(answer, noise.Point))
		if noise.Rest != nil {
			sum = sampling.Sum(sum, noise.Rest)
		}
		k, err := sampling.Round(sum, grid)
		if err != nil {
			return 0, err
		}
		return m.rng.placed(k, grid), nil
	})
	if err != nil {
		return nil, nil, err
	}
	return out, m.rng.rounded(grid), nil
}

// sampler returns the exact sampler of noise on the line for a query of sensitivity step.
func sampler(step *big.Rat, noise func(q *continuous.Linear) (continuous.ExactlySampled, error)) (func(rand.Source) (continuous.Noise, error), error) {
	line, err := continuous.NewLinear([][2]*big.Rat{{step, step}})
	if err != nil {
		return nil, err
	}
	drawn, err := noise(line)
	if err != nil {
		return nil, err
	}
	return drawn.Sampler()
}

// grid returns the step of the grid on which outputs are drawn, and the answer relative to the grid's origin. The step
// is the lattice's step, or a public one that depends on the global sensitivity.
func (g Range) grid(q *Query) (grid, answer *big.Rat) {
	if g.Step != nil {
		return g.Step, new(big.Rat).Sub(q.value, g.from())
	}
	return sampling.GridFor(q.global), q.value
}

func (g Range) from() *big.Rat {
	if g.Lo == nil || g.Step == nil {
		return new(big.Rat)
	}
	return g.Lo
}

// rounded returns the grid to which a continuous output was rounded, or nil on a lattice.
func (g Range) rounded(grid *big.Rat) *big.Rat {
	if g.Step != nil {
		return nil
	}
	return grid
}

// placed returns the value of the range that is nearest to k steps from the grid's origin.
func (g Range) placed(k *big.Int, grid *big.Rat) float64 {
	v := new(big.Rat).SetInt(k)
	v.Add(v.Mul(v, grid), g.from())
	if g.Lo != nil && v.Cmp(g.Lo) < 0 {
		v = g.Lo
	}
	if g.Hi != nil && v.Cmp(g.Hi) > 0 {
		v = g.Hi
	}
	return sampling.Float(v)
}
