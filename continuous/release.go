package continuous

import (
	"context"
	"math/big"
	"math/rand/v2"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/internal/sampling"
	"dpworkbench/mechanism"
)

// Noise is one draw of noise: the sum of a known number Point and a number Rest whose digits are computed on demand.
// Rest is nil if the law is discrete.
type Noise struct {
	Point *big.Rat
	Rest  sampling.Number
}

// ExactlySampled is a Mechanism whose noise can be sampled exactly.
type ExactlySampled interface {
	Mechanism
	// Sampler returns a function that draws the noise, or an error if the noise cannot be sampled exactly.
	Sampler() (func(src rand.Source) (Noise, error), error)
}

// IsDiscrete reports whether the noise of m takes values of a lattice. It is the result of m's method Discrete, or
// false if there is no such method.
func IsDiscrete(m Mechanism) bool {
	d, ok := m.(interface{ Discrete() bool })
	return ok && d.Discrete()
}

// Discrete reports that the noise takes values of a lattice.
func (g *Geometric) Discrete() bool { return true }

// Discrete reports that the noise takes values of a lattice.
func (g *DiscreteGaussian) Discrete() bool { return true }

// Discrete reports whether the noise takes values of a lattice.
func (m *Layered) Discrete() bool { return m.Counting() }

// DefaultGrid returns the default grid for releases of m: a power of two of about 2⁻³² E|noise|. It is nil if
// E|noise| is not positive and finite.
func DefaultGrid(m Mechanism) *big.Rat { return gridBelow(m.Distortion()) }

// gridBelow returns the default grid for noise whose size is v. It returns nil unless v is positive and finite.
func gridBelow(v evidence.Number) *big.Rat {
	size := evidence.Enclosure(v).MidFloat(53)
	if size.Sign() <= 0 || size.IsInf() {
		return nil
	}
	scale, _ := size.Rat(nil)
	return sampling.GridFor(scale)
}

var errNoGrid = parameter.Errorf("grid is missing, want a positive number: there is no default, because the scale of the noise is not known")

// Release returns n values of answer + noise. Each noise is sampled exactly and independently, and the sum is rounded
// to the nearest multiple of the grid. The rounding is post-processing of the ideal mechanism's output, so it does not
// weaken privacy. A nil grid means [DefaultGrid] for a continuous law, and no rounding for a discrete one. The values
// are the float64s nearest to those multiples. A nil source means the operating system's generator, which a private
// release requires. A seeded source is for tests.
//
// It returns an error wrapping evidence.ErrParameter if n is negative, the grid is not positive, or m has no exact
// sampler, one wrapping ErrUnknownLayer if layers that a sampler needs were not computed, and the context's error.
func Release(ctx context.Context, m Mechanism, answer *big.Rat, n int, grid *big.Rat, src rand.Source) ([]float64, error) {
	if err := mechanism.CheckDraws(n); err != nil {
		return nil, err
	}
	if err := sampling.CheckGrid(grid); err != nil {
		return nil, err
	}
	exact, ok := m.(ExactlySampled)
	if !ok {
		return nil, parameter.Errorf("%s has no exact sampler: a release needs noise that can be drawn digit by digit", m.Name())
	}
	draw, err := exact.Sampler()
	if err != nil {
		return nil, err
	}
	src = sampling.Or(src)
	out := make([]float64, 0, min(n, 1<<16))
	for i := range n {
		if i%256 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		noise, err := draw(src)
		if err != nil {
			return nil, err
		}
		v, err := noise.onGrid(answer, grid, m)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

// onGrid returns answer + noise, rounded to the grid.
func (z Noise) onGrid(answer, grid *big.Rat, m Mechanism) (float64, error) {
	sum := new(big.Rat).Add(answer, z.Point)
	if z.Rest == nil {
		if grid != nil {
			sum.Mul(sum.SetInt(sampling.RoundRat(sum, grid)), grid)
		}
		return sampling.Float(sum), nil
	}
	if grid == nil {
		if grid = DefaultGrid(m); grid == nil {
			return 0, errNoGrid
		}
	}
	k, err := sampling.Round(sampling.Sum(sampling.Rat(sum), z.Rest), grid)
	if err != nil {
		return 0, err
	}
	return sampling.Multiple(k, grid), nil
}

// coin returns x or −x, each with probability 1/2.
func coin(x sampling.Number, src rand.Source) sampling.Number {
	if src.Uint64()&1 == 0 {
		return x.Neg()
	}
	return x
}

// Sampler implements [ExactlySampled]: an exponential variable times Δ/ε, with a sign.
func (l *Laplace) Sampler() (func(rand.Source) (Noise, error), error) {
	scale := sampling.Rat(l.sensitivity).Mul(sampling.Epsilon(l.eps).Inverse()).Known()
	return func(src rand.Source) (Noise, error) {
		return Noise{new(big.Rat), coin(sampling.Exponential(src).Number().Mul(scale), src)}, nil
	}, nil
}

// Sampler implements [ExactlySampled]: the difference of two geometric variables.
func (g *Geometric) Sampler() (func(rand.Source) (Noise, error), error) {
	scale := sampling.Int(g.n).Mul(sampling.Epsilon(g.eps).Inverse()).Known()
	return func(src rand.Source) (Noise, error) {
		a, err := sampling.GeometricOver(scale, src)
		if err != nil {
			return Noise{}, err
		}
		b, err := sampling.GeometricOver(scale, src)
		return multiple(a.Sub(a, b), g.unit), err
	}, nil
}

// multiple returns the noise k·unit.
func multiple(k *big.Int, unit *big.Rat) Noise {
	at := new(big.Rat).SetInt(k)
	return Noise{Point: at.Mul(at, unit)}
}

// Sampler implements [ExactlySampled]: the first step has weight γ and lies within γΔ,
// the step 1 + k has weight βb^k/(1 + β) and lies between (γ + k)Δ and (γ + k + 1)Δ.
func (s *Staircase) Sampler() (func(rand.Source) (Noise, error), error) {
	rate := sampling.Epsilon(s.eps)
	over := rate.Inverse().Known()
	one := big.NewRat(1, 1)
	b := sampling.Decay(s.eps, one)
	rest := sampling.Sum(sampling.Int(1), b.Neg())
	gamma, err := s.computableGamma()
	if err != nil {
		return nil, err
	}
	width := sampling.Rat(s.sensitivity)
	first, err := sampling.NewLaw(gamma.Mul(rest), b) // the weights γ and β, both times 1 − b
	if err != nil {
		return nil, err
	}
	return func(src rand.Source) (Noise, error) {
		step, err := first.Draw(src)
		if err != nil {
			return Noise{}, err
		}
		u := sampling.UniformReal(src).Number()
		if step == 0 {
			return Noise{new(big.Rat), coin(u.Mul(gamma).Mul(width), src)}, nil
		}
		k, err := sampling.GeometricOver(over, src)
		at := sampling.Sum(gamma, sampling.Rat(new(big.Rat).SetInt(k)), u)
		return Noise{new(big.Rat), coin(at.Mul(width), src)}, err
	}, nil
}

// computableGamma returns γ as a number that can be computed to any precision, by the closed forms of optimalGamma.
func (s *Staircase) computableGamma() (sampling.Number, error) {
	if s.gamma.Rational != nil {
		return sampling.Rat(s.gamma.Rational), nil
	}
	one := big.NewRat(1, 1)
	switch s.cost {
	case CostAbs: // w/(1 + w)
		w := sampling.Decay(s.eps, big.NewRat(1, 2))
		return w.Mul(sampling.Sum(sampling.Int(1), w).Inverse()).Known(), nil
	case CostSquare: // ((b(1 + b)/2)^{1/3} − b)/(1 − b)
		b := sampling.Decay(s.eps, one)
		root := b.Mul(sampling.Sum(sampling.Int(1), b)).Mul(sampling.Rat(big.NewRat(1, 2))).Root(3)
		return sampling.Sum(root, b.Neg()).Mul(sampling.Sum(sampling.Int(1), b.Neg()).Inverse()).Known(), nil
	}
	return nil, parameter.Errorf("%s has no exact sampler: its gamma is known only within bounds", s.Name())
}
