package smooth

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"

	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
	"dpworkbench/internal/parameter"
	"dpworkbench/internal/sampling"
	"dpworkbench/mechanism"
)

func infiniteClaim(source string) evidence.Number {
	return evidence.Claimed{Value: math.Inf(1), Provenance: evidence.From(source + ", of (ε, δ)-differential privacy alone")}
}

// mostPower bounds the numerator and denominator of γ and d in a sampler, which computes powers with them as exponents.
const mostPower = 1000

// Draw returns an exact sample of Z, whose digits are computed on demand. It returns an error wrapping
// evidence.ErrParameter unless γ or d is a fraction of integers up to 1000.
//
// Cauchy-type noise is sampled by rejection. The proposal is uniform on [0, 1], or has a density ∝ z^{−γ} beyond 1,
// with weights 1 and 1/(γ − 1). It is accepted with probability 1/(1 + z^γ) or 1/(1 + z^{−γ}), which is at least 1/2.
// Student's t uses Bailey's polar form ("Polar generation of random variates with the t-distribution", 1994): U
// (d(W^{−2/d} − 1)/W)^{1/2} for (U, V) uniform on the unit disk, W = U² + V².
func (n Noise) Draw(src rand.Source) (sampling.Number, error) {
	if n.family == laplace {
		return sign(sampling.Exponential(src).Number(), src), nil
	}
	num, den := n.shape.Num(), n.shape.Denom()
	if !num.IsInt64() || num.Int64() > mostPower || !den.IsInt64() || den.Int64() > mostPower {
		return nil, parameter.Errorf("%s = %s, want a fraction with a numerator and a denominator of at most %d, because noise is drawn exactly", map[family]string{cauchy: "gamma", student: "d"}[n.family], short(n.shape), mostPower)
	}
	p, q := int(num.Int64()), int(den.Int64())
	if n.family == student {
		return drawStudent(p, q, src)
	}
	for {
		near, err := sampling.Bernoulli(sampling.Rat(big.NewRat(int64(p-q), int64(p))), src) // (γ − 1)/γ
		if err != nil {
			return nil, err
		}
		u := sampling.UniformReal(src).Number()
		z, chance := u, sampling.Number(nil)
		if near {
			chance = sampling.Sum(sampling.Int(1), whole(u, p).Root(q)).Known().Inverse()
		} else { // z = u^{−1/(γ − 1)}, z^{−γ} = u^{p/(p − q)}
			root := u.Root(p - q).Known()
			z = whole(root, q).Inverse().Known()
			chance = sampling.Sum(sampling.Int(1), whole(root, p)).Known().Inverse()
		}
		switch keep, err := sampling.Bernoulli(chance, src); {
		case err != nil:
			return nil, err
		case keep:
			return sign(z, src), nil
		}
	}
}

// drawStudent samples Student's t with d = p/q degrees of freedom.
func drawStudent(p, q int, src rand.Source) (sampling.Number, error) {
	for {
		u, v := sampling.UniformReal(src).Number(), sampling.UniformReal(src).Number()
		square := u.Mul(u).Known()
		w := sampling.Sum(square, v.Mul(v)).Known()
		inside, err := sampling.Less(w, sampling.Int(1))
		if err != nil {
			return nil, err
		}
		if !inside {
			continue
		}
		grown := whole(w, 2*q).Root(p).Known().Inverse() // W^{−2/d}
		over := sampling.Sum(grown, sampling.Int(-1)).Mul(square).Mul(w.Inverse())
		return sign(over.Mul(sampling.Rat(big.NewRat(int64(p), int64(q)))).Known().Root(2).Known(), src), nil
	}
}

// whole returns x^n for n > 0.
func whole(x sampling.Number, n int) sampling.Number {
	out := sampling.Number(nil)
	for base, k := x.Known(), n; ; base = base.Mul(base).Known() {
		if k&1 == 1 {
			if out == nil {
				out = base
			} else {
				out = out.Mul(base).Known()
			}
		}
		if k >>= 1; k == 0 {
			return out
		}
	}
}

func sign(x sampling.Number, src rand.Source) sampling.Number {
	if src.Uint64()&1 == 0 {
		return x.Neg()
	}
	return x
}

// SampleAt returns n answers at a dataset with f(x) = answer and the bound s. Each answer is sampled exactly and
// rounded to the nearest multiple of the grid. This post-processing of the ideal mechanism keeps its privacy if the
// grid does not depend on the data. The values are the float64s nearest to those multiples. A nil source is the
// operating system's generator. It returns an error wrapping evidence.ErrParameter if n is negative, the grid is not
// positive or the law has no exact sampler.
func (c *Calibration) SampleAt(ctx context.Context, answer *big.Rat, s Bound, n int, grid *big.Rat, src rand.Source) ([]float64, error) {
	multiples, err := c.MultiplesAt(ctx, answer, s, n, grid, src)
	if err != nil {
		return nil, err
	}
	return lists.Each(multiples, func(k *big.Int) float64 { return sampling.Multiple(k, grid) }), nil
}

// MultiplesAt is SampleAt with answers in units of the grid.
func (c *Calibration) MultiplesAt(ctx context.Context, answer *big.Rat, s Bound, n int, grid *big.Rat, src rand.Source) ([]*big.Int, error) {
	if err := mechanism.CheckDraws(n); err != nil {
		return nil, err
	}
	if grid == nil {
		return nil, parameter.Errorf("grid is missing, want a positive number that does not depend on the data")
	}
	if err := sampling.CheckGrid(grid); err != nil {
		return nil, err
	}
	src = sampling.Or(src)
	center := sampling.Rat(answer)
	var scale sampling.Number
	if !s.IsZero() {
		scale = s.number.mul(c.scale).number
	}
	out := make([]*big.Int, 0, min(n, 1<<16))
	for i := range n {
		if i%64 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if scale == nil {
			out = append(out, sampling.RoundRat(answer, grid))
			continue
		}
		z, err := c.Noise.Draw(src)
		if err != nil {
			return nil, err
		}
		k, err := sampling.Round(sampling.Sum(center, z.Mul(scale)), grid)
		if err != nil {
			return nil, err
		}
		out = append(out, k)
	}
	return out, nil
}

// Grid returns a grid for releases that is far below the least noise of any dataset. It depends on the universe
// alone, not on the data.
func (m *Mechanism) Grid() *big.Rat {
	least := math.Inf(1)
	for x := range m.bound {
		if lo, _ := m.sigma(x).Bounds(); !m.bound[x].IsZero() && lo > 0 {
			least = min(least, lo)
		}
	}
	if math.IsInf(least, 1) {
		least = 1
	}
	return sampling.GridFor(new(big.Rat).SetFloat64(least))
}

// Sample returns n answers at dataset x. A nil source is the operating system's generator. A nil grid is m.Grid(). It
// returns errors as SampleAt does.
func (m *Mechanism) Sample(ctx context.Context, x, n int, grid *big.Rat, src rand.Source) ([]float64, error) {
	if grid == nil {
		grid = m.Grid()
	}
	return m.SampleAt(ctx, m.center[x], m.bound[x], n, grid, src)
}
