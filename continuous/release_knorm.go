package continuous

import (
	"context"
	"math/big"
	"math/rand/v2"

	"dpworkbench/internal/lists"
	"dpworkbench/internal/sampling"
	"dpworkbench/mechanism"
)

// DefaultGrid returns the default grid for both coordinates of a release: a power of two of about 2⁻³² E‖noise‖₂. It is
// nil if E‖noise‖₂ is not known.
func (k *KNorm) DefaultGrid() *big.Rat { return gridBelow(k.Distortion()) }

// Release returns n values of answer + noise, each coordinate rounded to the nearest multiple of the grid, as [Release]
// does. On the line the second coordinates are 0. It returns errors as Release does.
//
// The noise is a uniform point of K times a radius of density ∝ t^d e^{−εt}, which is a sum of d + 1 exponential
// variables divided by ε. On the line this is Laplace noise.
func (k *KNorm) Release(ctx context.Context, answer Point, n int, grid *big.Rat, src rand.Source) ([][2]float64, error) {
	if err := mechanism.CheckDraws(n); err != nil {
		return nil, err
	}
	if err := sampling.CheckGrid(grid); err != nil {
		return nil, err
	}
	if grid == nil {
		if grid = k.DefaultGrid(); grid == nil {
			return nil, errNoGrid
		}
	}
	draw, err := k.sampler()
	if err != nil {
		return nil, err
	}
	src = sampling.Or(src)
	out := make([][2]float64, 0, min(n, 1<<16))
	for i := range n {
		if i%256 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		noise, err := draw(src)
		if err != nil {
			return nil, err
		}
		var v [2]float64
		for j := range k.dimension {
			at, err := sampling.Round(sampling.Sum(sampling.Rat(answer[j]), noise[j]), grid)
			if err != nil {
				return nil, err
			}
			v[j] = sampling.Multiple(at, grid)
		}
		out = append(out, v)
	}
	return out, nil
}

// sampler returns a function that draws the coordinates of the noise.
func (k *KNorm) sampler() (func(rand.Source) ([2]sampling.Number, error), error) {
	over := sampling.Epsilon(k.eps).Inverse().Known()
	if k.dimension == 1 {
		scale := sampling.Rat(k.corners[0][0]).Mul(over).Known()
		return func(src rand.Source) ([2]sampling.Number, error) {
			return [2]sampling.Number{coin(sampling.Exponential(src).Number().Mul(scale), src)}, nil
		}, nil
	}
	areas := lists.Of(len(k.corners), func(i int) sampling.Number { return sampling.Rat(k.corners[i].cross(k.corners[(i+1)%len(k.corners)])) })
	edges, err := sampling.NewLaw(areas...)
	if err != nil {
		return nil, err
	}
	return func(src rand.Source) ([2]sampling.Number, error) {
		edge, err := edges.Draw(src)
		if err != nil {
			return [2]sampling.Number{}, err
		}
		// u·p + v·q is a uniform point of the triangle between 0 and the edge pq.
		u, v := sampling.UniformReal(src).Number(), sampling.UniformReal(src).Number()
		one := sampling.Int(1)
		inside, err := sampling.Less(sampling.Sum(u, v), one)
		if err != nil {
			return [2]sampling.Number{}, err
		}
		if !inside {
			u, v = sampling.Sum(one, u.Neg()), sampling.Sum(one, v.Neg())
		}
		radius := lists.Of(k.dimension+1, func(int) sampling.Number { return sampling.Exponential(src).Number() })
		size := sampling.Sum(radius...).Mul(over)
		p, q := k.corners[edge], k.corners[(edge+1)%len(k.corners)]
		var out [2]sampling.Number
		for j := range out {
			out[j] = sampling.Sum(u.Mul(sampling.Rat(p[j])), v.Mul(sampling.Rat(q[j]))).Mul(size)
		}
		return out, nil
	}, nil
}
