package repl

import (
	"fmt"
	"math/big"

	"dpworkbench/mechanism"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

func newKNorm(c *script.Call) (any, error) {
	vs := c.List("columns")
	var entries []*big.Rat
	var columns []mechanism.Point
	for i, v := range vs {
		if p, ok := script.ToRational(v); ok {
			entries = append(entries, p)
			continue
		}
		columns = append(columns, point(c, fmt.Sprintf("columns[%d]", i), v))
	}
	var k *mechanism.KNorm
	var err error
	switch {
	case len(entries) > 0 && len(columns) > 0:
		c.Fail("columns", c.Value("columns"), "all pairs, or all numbers")
	case len(columns) > 0:
		k, err = mechanism.NewKNormPlane(columns, c.Epsilon("eps"))
	default:
		k, err = mechanism.NewKNormLine(entries, c.Epsilon("eps"))
	}
	if err != nil {
		return nil, err
	}
	return knormClass.Of(c, k), nil
}

// point reads a pair of numbers, or a number as a point of the line.
func point(c *script.Call, name string, v starlark.Value) mechanism.Point {
	if p, ok := script.ToRational(v); ok {
		return mechanism.Point{p, new(big.Rat)}
	}
	pair, ok := script.Elements(v)
	if !ok || len(pair) != 2 {
		c.Fail(name, v, "a pair of numbers"+script.Inexact(v))
	}
	var out mechanism.Point
	for i, v := range pair {
		out[i] = c.RationalOf(fmt.Sprintf("%s[%d]", name, i), v)
	}
	return out
}

// noise reads a value of the noise of k: a pair, or on the line a number.
func noise(c *script.Call, name string, k *mechanism.KNorm) mechanism.Point {
	r := point(c, name, c.Value(name))
	if k.Dimension() == 1 && r[1].Sign() != 0 {
		c.Fail(name, c.Value(name), "a number: this noise lies on the line")
	}
	return r
}

const knormSetup = "k = knorm([(1, 0), (0, 1)], 1)\n"

var knormClass = &script.Class[*mechanism.KNorm]{
	Name: "knorm", Help: "A K-norm mechanism in the plane or on the line.", Example: knormSetup + "print(k)",
	Show: func(k *mechanism.KNorm) string { return "<" + k.Name() + ">" },
	Attrs: []script.Attr[*mechanism.KNorm]{{
		Name: "corners", Help: "The corners of K, counterclockwise; on the line its ends, with 0 as second coordinate.", Example: knormSetup + "print(k.corners)",
		Get: func(c *script.Call, k *mechanism.KNorm) (any, error) {
			return script.List(k.Corners(), pointTuple), nil
		},
	}, {
		Name: "distortion", Params: "", Help: "E‖noise‖₂. Certified.", Example: knormSetup + "print(k.distortion())",
		Run: func(c *script.Call, k *mechanism.KNorm) (any, error) {
			return script.Known(k.Distortion()), nil
		},
	}, {
		Name: "density", Params: "r", Help: "The density of the noise at r, a pair, or a number on the line. Certified.", Example: knormSetup + "print(k.density((0, \"1/2\")))",
		Run: func(c *script.Call, k *mechanism.KNorm) (any, error) {
			return script.Known(k.Density(noise(c, "r", k))), nil
		},
	}, {
		Name: "layer", Params: "r", Help: "The layer of the noise r, ⌊‖r‖_K⌋ (Wu et al., (52)), decided in rationals.", Example: knormSetup + "print(k.layer((0.9, 0.9)))",
		Run: func(c *script.Call, k *mechanism.KNorm) (any, error) {
			return starlark.MakeBigInt(k.Layer(noise(c, "r", k))), nil
		},
	}, {
		Name: "sample", Params: "n=1, seed=0", Help: "A list of n independent values of the noise, as pairs. For research: a release needs a cryptographic source.", Example: knormSetup + "print(k.sample(2, seed=1))",
		Run: func(c *script.Call, k *mechanism.KNorm) (any, error) {
			n, src := c.Int("n", 0, 1<<28), c.Source("seed")
			draws := make([][2]float64, 0, n)
			err := inParts(c, n, func(part int) error {
				more, err := k.Noise(part, src)
				draws = append(draws, more...)
				return err
			})
			if err != nil {
				return nil, err
			}
			return script.List(draws, func(r [2]float64) starlark.Value {
				return starlark.Tuple{starlark.Float(r[0]), starlark.Float(r[1])}
			}), nil
		},
	}, {
		Name: "smallest_epsilon", Help: "The smallest ε at which it is ε-differentially private, in nats.", Example: knormSetup + "print(k.smallest_epsilon)",
		Get: func(c *script.Call, k *mechanism.KNorm) (any, error) {
			e, err := k.Privacy().Epsilon(c.Context, 0)
			if err != nil {
				return nil, err
			}
			return script.Known(e), nil
		},
	}, {
		Name: "is_basic", Params: "up_to=5", Help: "Whether layers 1 … up_to are those of a basic mechanism where D = ℝⁿ (Wu et al., Proposition 6), by exact Minkowski sums: iK + K = (i+1)K.", Example: knormSetup + "print(k.is_basic())",
		Run: func(c *script.Call, k *mechanism.KNorm) (any, error) {
			_, ok, err := k.CheckBasic(c.Context, c.Int("up_to", 1, 1000))
			return starlark.Bool(ok), err
		},
	}, {
		Name: "lattice_gap", Params: "layer=1, finest=10", Help: "Where Proposition 6 fails when D = ℤⁿ: a point r, with coordinates of multiples of 1/m, m ≤ finest, that lies in a layer up to the given one but in no R_0^y with ‖y‖₁ ≤ that layer. A pair (r, layer), or None where there is none.", Example: knormSetup + "print(k.lattice_gap(finest=2))",
		Run: func(c *script.Call, k *mechanism.KNorm) (any, error) {
			gap, found, err := k.FindLatticeGap(c.Context, c.Int("layer", 1, 100), c.Int("finest", 1, 1000))
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
