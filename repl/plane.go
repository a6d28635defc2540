package repl

import (
	"cmp"
	"fmt"
	"math/big"
	"math/rand/v2"

	"dpworkbench/continuous"
	"dpworkbench/evidence"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

const knormSetup = "k = knorm([(1, 0), (0, 1)], 1)\n"

// planeBuiltins returns the mechanisms of linear queries into the plane.
func planeBuiltins() []script.Builtin {
	return []script.Builtin{script.Func("knorm(columns: points, eps: epsilon) -> knorm",
		"The K-norm mechanism (Hardt and Talwar 2010; Wu et al., (51)) of a linear F: ℝⁿ → ℝ² or ℝ, given by its columns: pairs, or numbers. Noise of density ∝ e^{−ε‖r‖_K}, K = conv{±F e_i}, where neighbors differ by at most 1 in ‖·‖₁. ε-differentially private.",
		"k = knorm([(1, 0), (0, 1)], 1)\nprint(k.distortion(), k.layer((0.9, 0.9)), k.is_basic(5), k.lattice_gap())",
		func(c *script.Call) (any, error) {
			columns := c.Arg("columns").([]continuous.Point)
			var numbers []*big.Rat
			for _, p := range columns {
				if p[1] == nil {
					numbers = append(numbers, p[0])
				}
			}
			switch len(numbers) {
			case len(columns):
				return continuous.NewKNormLine(numbers, c.Epsilon("eps"))
			case 0:
				return continuous.NewKNormPlane(columns, c.Epsilon("eps"))
			}
			c.Fail("columns", c.Value("columns"), "only pairs, or only numbers")
			return nil, nil
		})}
}

// A point is a pair of rational numbers, or a single number with nil in second place. These are the kinds of a point
// and of a list of points.
var (
	pointKind  = script.KindOf("point", point)
	pointsKind = script.KindOfList("points", point)
)

func point(c *script.Call, name string, v starlark.Value) (p continuous.Point) {
	if q, ok := script.ToRational(v); ok {
		return continuous.Point{q}
	}
	pair := elements(c, name, v, `a number or a pair of numbers, each finite or a fraction like "7/2"`+script.Inexact(v), 2)
	for i, v := range pair {
		p[i] = c.RationalOf(fmt.Sprintf("%s[%d]", name, i), v)
	}
	return p
}

// pointOf reads a parameter in the space of k's noise: a pair, or a number on the line.
func pointOf(c *script.Call, name string, k *continuous.KNorm) continuous.Point {
	r := c.Arg(name).(continuous.Point)
	r[1] = cmp.Or(r[1], new(big.Rat))
	if k.Dimension() == 1 && r[1].Sign() != 0 {
		c.Fail(name, c.Value(name), "a number: this noise is one-dimensional")
	}
	return r
}

var knormClass = &script.Class[*continuous.KNorm]{
	Answers: script.Answers[*continuous.KNorm]{
		"compare": comparedBy(func(k *continuous.KNorm) string {
			return fmt.Sprintf("a linear query into the plane with K = %v", k.Corners())
		}, momentsOf...),
	},
	Name: "knorm", Help: "A K-norm mechanism in the plane or on the line.", Setup: knormSetup,
	Show: func(k *continuous.KNorm) string { return "<" + k.Name() + ">" },
	Attrs: append([]script.Attr[*continuous.KNorm]{
		script.Get("corners -> list", "The corners of K, counterclockwise; on the line its ends, with second coordinate 0.", "", func(k *continuous.KNorm) any {
			return script.Each(k.Corners(), func(p continuous.Point) any { return nearestFloats(p[:]...) })
		}),
		script.Do("distortion() -> evidence", "E‖noise‖₂. Certified.", "()", func(_ *script.Call, k *continuous.KNorm) (any, error) { return k.Distortion(), nil }),
		script.Do("density(r: point) -> evidence", "The density of the noise at r, a pair, or a number on the line. Certified.", "((0, \"1/2\"))", func(c *script.Call, k *continuous.KNorm) (any, error) { return k.Density(pointOf(c, "r", k)), nil }),
		script.Do("layer(r: point) -> int", "The layer of the noise r, ⌊‖r‖_K⌋ (Wu et al., (52)), computed in rationals.", "((0.9, 0.9))", func(c *script.Call, k *continuous.KNorm) (any, error) {
			return starlark.MakeBigInt(k.Layer(pointOf(c, "r", k))), nil
		}),
		script.Do("sample(n: int[0..268435456]=1, seed: seed=0) -> list", "A list of n independent values of the noise, as pairs, simulated in floating point, for research only. Use release for values to be published.", "(2, seed=1)", samplePlane),
		script.Do("simulate(n: int[0..268435456]=1, seed: seed=0) -> list", "The same as sample.", "(2, seed=1)", samplePlane),
		script.Do("release(answer: point, n: int[0..268435456]=1, grid: rational=None, seed: seed=None) -> released|list", "Releases answer + noise n times, as pairs: noise drawn from the operating system's generator with exactly its law, and both coordinates rounded to the nearest multiple of grid, decided exactly. answer is a pair, or a number on the line. grid None means a power of two of about 2^-32 times the noise."+seedHelp, knormSetup+"print(k.release((3, \"1/2\")))", releasePlane),
		script.Do("smallest_epsilon -> evidence", "The smallest ε at which it is ε-differentially private, in nats. epsilon_at(delta) is the ε at a δ."+attributeHere, "", func(c *script.Call, k *continuous.KNorm) (any, error) {
			return k.Privacy().Epsilon(c.Context, evidence.Delta{})
		}),
		script.Do("is_basic(up_to: int[1..1000]=5) -> bool", "Whether layers 1 … up_to are those of a basic mechanism for D = ℝⁿ (Wu et al., Proposition 6), by exact Minkowski sums: iK + K = (i+1)K.", "()", func(c *script.Call, k *continuous.KNorm) (any, error) {
			_, ok, err := k.CheckBasic(c.Context, c.Int("up_to"))
			return ok, err
		}),
		script.Do("lattice_gap(layer: int[1..100]=1, finest: int[1..1000]=10) -> tuple?", "A counterexample to Proposition 6 for D = ℤⁿ: a point r, with coordinates that are multiples of 1/m, m ≤ finest, in a layer up to the given one but in no R_0^y with ‖y‖₁ ≤ that layer. It returns a pair (r, layer), or None.", "(finest=2)", func(c *script.Call, k *continuous.KNorm) (any, error) {
			gap, found, err := k.FindLatticeGap(c.Context, c.Int("layer"), c.Int("finest"))
			if !found {
				return nil, err
			}
			return script.Tuple{nearestFloats(gap.R[:]...), gap.Layer}, nil
		}),
	}, ownPrivacy[*continuous.KNorm]()...),
}

// points returns pairs of floats.
func points(at [][2]float64) any {
	return script.Each(at, func(r [2]float64) any { return script.Tuple{r[0], r[1]} })
}

func samplePlane(c *script.Call, k *continuous.KNorm) (any, error) {
	return points(must(continuous.Draw(c.Context, c.Int("n"), c.Source("seed"), k.Noise))), nil
}

func releasePlane(c *script.Call, k *continuous.KNorm) (any, error) {
	answer := pointOf(c, "answer", k)
	n, grid := c.Int("n"), c.Rational("grid")
	return release(c, k.Name(), func(src rand.Source) (any, error) {
		out, err := k.Release(c.Context, answer, n, grid, src)
		return points(out), err
	}, func(c *script.Call) (record, error) {
		if grid == nil {
			grid = k.DefaultGrid()
		}
		return record{
			parameters: map[string]any{
				"dimension": k.Dimension(), "corners": script.Each(k.Corners(), func(p continuous.Point) any { return nearestFloats(p[:]...) }),
			},
			neighbors: "answers that differ by a point of K", draws: n, epsilon: must(k.Privacy().Epsilon(c.Context, evidence.Delta{})), delta: starlark.MakeInt(0),
			grid: fractionOf(grid), warnings: coarse(grid, k.Distortion().Float()),
		}, nil
	})
}
