package repl

import (
	"fmt"
	"math/big"

	"dpworkbench/mechanism"

	"go.starlark.net/starlark"
)

func newKNorm(c *call) (starlark.Value, error) {
	vs := c.list("columns")
	var entries []*big.Rat
	var columns []mechanism.Point
	for i, v := range vs {
		if p, ok := toRational(v); ok {
			entries = append(entries, p)
			continue
		}
		columns = append(columns, c.point(fmt.Sprintf("columns[%d]", i), v))
	}
	var k *mechanism.KNorm
	var err error
	switch {
	case len(entries) > 0 && len(columns) > 0:
		c.fail("columns", c.value("columns"), "all pairs, or all numbers")
	case len(columns) > 0:
		k, err = mechanism.NewKNormPlane(columns, c.epsilon("eps"))
	default:
		k, err = mechanism.NewKNormLine(entries, c.epsilon("eps"))
	}
	if err != nil {
		return nil, err
	}
	return knormClass.of(c, k), nil
}

// point reads a pair of numbers, or a number as a point of the line.
func (c *call) point(name string, v starlark.Value) mechanism.Point {
	if p, ok := toRational(v); ok {
		return mechanism.Point{p, new(big.Rat)}
	}
	pair, ok := elements(v)
	if !ok || len(pair) != 2 {
		c.fail(name, v, "a pair of numbers"+inexact(v))
	}
	var out mechanism.Point
	for i, v := range pair {
		out[i] = c.rationalOf(fmt.Sprintf("%s[%d]", name, i), v)
	}
	return out
}

// noise reads a value of the noise of k: a pair, or on the line a number.
func (c *call) noise(name string, k *mechanism.KNorm) mechanism.Point {
	r := c.point(name, c.value(name))
	if k.Dimension() == 1 && r[1].Sign() != 0 {
		c.fail(name, c.value(name), "a number: this noise lies on the line")
	}
	return r
}

const knormSetup = "k = knorm([(1, 0), (0, 1)], 1)\n"

var knormClass = &class[*mechanism.KNorm]{
	name: "knorm", help: "A K-norm mechanism in the plane or on the line.", example: knormSetup + "print(k)",
	show: func(k *mechanism.KNorm) string { return "<" + k.Name() + ">" },
	attrs: []attr[*mechanism.KNorm]{{
		name: "corners", help: "The corners of K, counterclockwise; on the line its ends, with 0 as second coordinate.", example: knormSetup + "print(k.corners)",
		get: func(c *call, k *mechanism.KNorm) (starlark.Value, error) {
			return listOf(k.Corners(), pointTuple), nil
		},
	}, {
		name: "distortion", params: "", help: "E‖noise‖₂. Certified.", example: knormSetup + "print(k.distortion())",
		run: func(c *call, k *mechanism.KNorm) (starlark.Value, error) { return known(k.Distortion()), nil },
	}, {
		name: "density", params: "r", help: "The density of the noise at r, a pair, or a number on the line. Certified.", example: knormSetup + "print(k.density((0, \"1/2\")))",
		run: func(c *call, k *mechanism.KNorm) (starlark.Value, error) {
			return known(k.Density(c.noise("r", k))), nil
		},
	}, {
		name: "layer", params: "r", help: "The layer of the noise r, ⌊‖r‖_K⌋ (Wu et al., (52)), decided in rationals.", example: knormSetup + "print(k.layer((0.9, 0.9)))",
		run: func(c *call, k *mechanism.KNorm) (starlark.Value, error) {
			return starlark.MakeBigInt(k.Layer(c.noise("r", k))), nil
		},
	}, {
		name: "sample", params: "n=1, seed=0", help: "A list of n independent values of the noise, as pairs. For research: a release needs a cryptographic source.", example: knormSetup + "print(k.sample(2, seed=1))",
		run: func(c *call, k *mechanism.KNorm) (starlark.Value, error) {
			n, src := c.int("n", 0, 1<<28), c.source("seed")
			draws := make([][2]float64, 0, n)
			err := inParts(c, n, func(part int) error {
				more, err := k.Noise(part, src)
				draws = append(draws, more...)
				return err
			})
			if err != nil {
				return nil, err
			}
			return listOf(draws, func(r [2]float64) starlark.Value {
				return starlark.Tuple{starlark.Float(r[0]), starlark.Float(r[1])}
			}), nil
		},
	}, {
		name: "smallest_epsilon", help: "The smallest ε at which it is ε-differentially private, in nats.", example: knormSetup + "print(k.smallest_epsilon)",
		get: func(c *call, k *mechanism.KNorm) (starlark.Value, error) {
			e, err := k.Privacy().Epsilon(c.ctx, 0)
			if err != nil {
				return nil, err
			}
			return known(e), nil
		},
	}, {
		name: "is_basic", params: "up_to=5", help: "Whether layers 1 … up_to are those of a basic mechanism where D = ℝⁿ (Wu et al., Proposition 6), by exact Minkowski sums: iK + K = (i+1)K.", example: knormSetup + "print(k.is_basic())",
		run: func(c *call, k *mechanism.KNorm) (starlark.Value, error) {
			_, ok, err := k.CheckBasic(c.ctx, c.int("up_to", 1, 1000))
			return starlark.Bool(ok), err
		},
	}, {
		name: "lattice_gap", params: "layer=1, finest=10", help: "Where Proposition 6 fails when D = ℤⁿ: a point r, with coordinates of multiples of 1/m, m ≤ finest, that lies in a layer up to the given one but in no R_0^y with ‖y‖₁ ≤ that layer. A pair (r, layer), or None where there is none.", example: knormSetup + "print(k.lattice_gap(finest=2))",
		run: func(c *call, k *mechanism.KNorm) (starlark.Value, error) {
			gap, found, err := k.FindLatticeGap(c.ctx, c.int("layer", 1, 100), c.int("finest", 1, 1000))
			if err != nil || !found {
				return starlark.None, err
			}
			return starlark.Tuple{pointTuple(gap.R), starlark.MakeInt(gap.Layer)}, nil
		},
	}},
}

func pointTuple(p mechanism.Point) starlark.Value {
	a, _ := p[0].Float64()
	b, _ := p[1].Float64()
	return starlark.Tuple{starlark.Float(a), starlark.Float(b)}
}
