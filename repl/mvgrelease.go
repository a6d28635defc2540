package repl

import (
	"fmt"
	"math/rand/v2"

	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
	"dpworkbench/mvg"
	"dpworkbench/script"

	"go.starlark.net/starlark"
	"gonum.org/v1/gonum/mat"
)

// noisy returns a function that turns the sum of x and the noise into a matrix with the column names of x.
func noisy(c *script.Call) func(*mat.Dense, error) (any, error) {
	return func(sum *mat.Dense, err error) (any, error) {
		if err != nil {
			return nil, err
		}
		m, _ := sum.Dims()
		rows := lists.Of(m, func(i int) []float64 { return sum.RawRowView(i) })
		return script.NewMatrix(rows).NamedAs(c.Value("x")), nil
	}
}

// samplerParam declares the parameter that chooses between the samplers of Section 6.3.
const samplerParam = `sampler: "affine"|"vectorised"="affine"`

func sampleDesign(c *script.Call, d *design) (any, error) {
	if c.Text("sampler") == "vectorised" {
		return noisy(c)(d.SimulateKronecker(dense(c, "x"), c.Source("seed")))
	}
	return noisy(c)(d.Simulate(dense(c, "x"), c.Source("seed")))
}

func sampleRankOne(c *script.Call, r mvg.RankOne) (any, error) {
	return noisy(c)(r.Simulate(dense(c, "x"), c.Source("seed")))
}

func releaseRankOne(c *script.Call, r mvg.RankOne) (any, error) {
	grid := c.Rational("grid")
	return release(c, fmt.Sprintf("r1smg in dimension %d", r.Dimension), func(src rand.Source) (any, error) {
		return noisy(c)(r.Release(c.Context, dense(c, "x"), grid, src))
	}, func(c *script.Call) (record, error) {
		if grid == nil {
			grid = r.Grid()
		}
		return record{
			parameters: map[string]any{"dimension": r.Dimension, "sensitivity": r.Sensitivity, "variance": r.Variance},
			neighbors:  "answers within the sensitivity of each other", draws: 1, epsilon: starlark.None, delta: starlark.None, grid: fractionOf(grid),
			warnings: []string{"what the mechanism claims is refuted: delta_at(eps) has its real privacy"},
		}, nil
	})
}

func releaseDesign(c *script.Call, d *design) (any, error) {
	grid := c.Rational("grid")
	m, n := d.Sensitivity().Shape()
	return release(c, fmt.Sprintf("mvg on %d × %d answers", m, n), func(src rand.Source) (any, error) {
		return noisy(c)(d.Release(c.Context, dense(c, "x"), grid, streams(c, src)))
	}, func(c *script.Call) (record, error) {
		k := record{
			parameters: map[string]any{"rows": m, "columns": n, "condition": d.condition, "sensitivity": d.Sensitivity().Describe(), "element_sd": d.ElementSD()},
			neighbors:  "answers that differ by a matrix of the design's sensitivity set", draws: 1, epsilon: starlark.None, delta: starlark.None,
		}
		if grid == nil {
			grid = d.Grid()
		}
		k.grid = fractionOf(grid)
		k.warnings = coarse(grid, d.ElementSD())
		if d.delta == nil {
			k.warnings = append(k.warnings, "the design has no delta: see its epsilon_at and delta_at")
			return k, nil
		}
		var err error
		k.epsilon, err = d.Privacy().Epsilon(c.Context, *d.delta)
		k.delta = starlark.Float(d.delta.Value())
		return k, err
	})
}

// streams returns the random sources of the call's seed, or nil for the operating system's generator if src is nil.
func streams(c *script.Call, src rand.Source) func(row uint64) rand.Source {
	if src == nil {
		return nil
	}
	return c.Streams("seed")
}

func releaseLaplace(c *script.Call) (any, error) {
	scale, grid, within := c.Rational("scale"), c.Rational("grid"), c.Rational("sensitivity")
	var privacy evidence.Number
	return release(c, "Laplace noise on a matrix", func(src rand.Source) (any, error) {
		privacy = must(mvg.LaplacePrivacy(within, scale))
		return noisy(c)(mvg.ReleaseLaplace(c.Context, dense(c, "x"), scale, grid, streams(c, src)))
	}, func(*script.Call) (record, error) {
		if grid == nil {
			grid = mvg.LaplaceGrid(scale)
		}
		size, _ := scale.Float64()
		return record{
			parameters: map[string]any{"scale": scale.RatString(), "sensitivity": within.RatString()},
			neighbors:  "answers within " + within.RatString() + " of each other in the l1 norm of all elements", draws: 1,
			epsilon: privacy, delta: starlark.MakeInt(0), grid: fractionOf(grid), warnings: coarse(grid, size),
		}, nil
	})
}
