package privacy

import (
	"context"
	"math"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/gaussian"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
)

// discreteGaussian is the pair of X + n under P and X under Q, where X is a discrete Gaussian on ℤ and n an integer
// shift. It equals its reverse. The loss at k is n(2k − n)/2σ², on an infinite lattice.
type discreteGaussian struct {
	law     *gaussian.Discrete
	sigmaSq *big.Rat // σ²
	shift   int64
	unit    evidence.Epsilon  // n/σ², the spacing of losses
	half    interval.Interval // n²/2σ²
}

// DiscreteGaussian returns the pair of two discrete Gaussians with parameter σ² (Canonne, Kamath and Steinke 2020)
// whose centers are an integer n > 0 apart. It returns an error wrapping evidence.ErrParameter unless 2⁻²⁰ ≤ σ² ≤
// 2¹⁰⁰ and n ≤ 1000σ.
func DiscreteGaussian(square *big.Rat, n int64) (Pair, error) {
	law, err := gaussian.NewDiscrete(square)
	if err != nil {
		return nil, err
	}
	if _, err := law.Delta(evidence.Epsilon{}, n); err != nil {
		return nil, err
	}
	shift := big.NewRat(n, 1)
	unit, err := evidence.RationalEpsilon("sigma²", new(big.Rat).Quo(shift, square))
	if err != nil {
		return nil, err
	}
	half := new(big.Rat).Mul(shift, shift)
	half.Quo(half, square)
	return &discreteGaussian{law, new(big.Rat).Set(square), n, unit, interval.Rat(half.Quo(half, big.NewRat(2, 1)))}, nil
}

// Delta implements Pair.
func (p *discreteGaussian) Delta(_ context.Context, eps evidence.Epsilon) (evidence.RatOrInterval, error) {
	d, err := p.law.Delta(eps, p.shift)
	return evidence.RatOrInterval{Enclosure: d}, err
}

// LogMoment implements Pair: E e^{s·loss} = e^{s(1+s)n²/2σ²} Z((1 + s)n)/Z(0), where Z(c) is the normalizing sum of a
// discrete Gaussian centered at c. The last factor is 1 at integer orders and less than 1 at others (Canonne, Kamath
// and Steinke 2020, Proposition 5).
func (p *discreteGaussian) LogMoment(s interval.Interval) interval.Interval {
	order := s.Add(interval.Int(1))
	return s.Mul(order).Mul(p.half).Add(p.law.LogShift(order.Mul(interval.Int(p.shift))))
}

// Mean implements Pair.
func (p *discreteGaussian) Mean() interval.Interval { return p.half }

// VarianceBound implements Pair: (n/σ²)² times the largest variance of a discrete Gaussian for any center c. By Poisson
// summation E (k − c)² is at most σ²(1 + 81σ²e^{−19σ²}). For σ < 1 a sum over the integers nearest to c shows that it
// is less than 4.
func (p *discreteGaussian) VarianceBound() interval.Interval {
	most := interval.Int(4)
	if p.sigmaSq.Cmp(one) >= 0 {
		most = interval.Rat(p.sigmaSq).Mul(interval.Rat(big.NewRat(1<<20+1, 1<<20)))
	}
	unit := p.unit.Enclosure()
	return unit.Mul(unit).Mul(most)
}

// LossRange implements Pair.
func (p *discreteGaussian) LossRange() interval.Interval {
	return interval.Between(math.Inf(-1), math.Inf(1))
}

// InfinityMass implements Pair.
func (p *discreteGaussian) InfinityMass() evidence.RatOrInterval { return zero }

// Reverse implements Pair.
func (p *discreteGaussian) Reverse() Pair { return p }

// reach returns an m with Pr[X ≥ m] = Pr[X ≤ −m] < 2^−bits, from Pr[X ≥ m] ≤ e^{−m²/2σ²}.
func (p *discreteGaussian) reach(bits uint) int64 {
	square, _ := p.sigmaSq.Float64()
	return int64(math.Sqrt(2*math.Ln2*float64(bits)*square)*(1+1e-9)) + 2
}

// truncatedRange implements Pair.
func (p *discreteGaussian) truncatedRange(bits uint) (lo, hi float64) {
	width := p.unit.Value() * float64(p.reach(bits))
	return p.half.Mid() - width, p.half.Mid() + width
}

// variance implements latticePair.
func (p *discreteGaussian) variance() float64 { return p.VarianceBound().Mid() }

// screen implements Pair.
func (p *discreteGaussian) screen() *Screen {
	half := p.half.Mid()
	return &Screen{Error: 0x1p-50, maxLoss: math.Inf(1), logMomentFunc: func(s float64) float64 { return s * (1 + s) * half }}
}

// lattice implements latticePair. Outside its ends P has negligible mass.
func (p *discreteGaussian) lattice() *lattice {
	reach := p.reach(64)
	return &lattice{p.unit, p.half.Neg(), p.shift - reach, p.shift + reach}
}

// maxSteps is the largest number of outputs that are listed.
const maxSteps = 1 << 18

// losses returns the pair restricted to an interval of outputs. Beyond either end of the interval each law has mass
// below 2^−bits. That mass becomes an infinity mass and a Q-only mass, each an enclosure that starts at 0.
func (p *discreteGaussian) losses(ctx context.Context, bits uint) (*DiscretePair, error) {
	reach := p.reach(bits)
	if 2*reach+p.shift > maxSteps {
		return nil, parameter.Errorf("the privacy loss distribution of the discrete Gaussian to %d bits has %d lattice points, want at most %d; renyi and zcdp have no such limit",
			bits, 2*reach+p.shift, maxSteps)
	}
	zero := interval.Int(0)
	n := int(2*reach+1) + int(p.shift)
	masses, err := p.law.Masses(-reach-p.shift, n+int(p.shift)) // masses of X from −reach − n on
	if err != nil {
		return nil, err
	}
	atoms := make([]Atom, n)
	for i := range atoms { // atom i is the output k = i − reach
		if err := pollContext(ctx, i); err != nil {
			return nil, err
		}
		atoms[i] = Atom{
			P: evidence.RatOrInterval{Enclosure: masses[i]}, Q: evidence.RatOrInterval{Enclosure: masses[i+int(p.shift)]},
			Steps: int64(i) - reach, Offset: p.half.Neg(),
		}
	}
	left := evidence.RatOrInterval{Enclosure: interval.Hull(zero, p.law.Tail(big.NewInt(reach+1)).Mul(interval.Int(2)))}
	l := NewDiscretePair(atoms, left, left, p.unit, Hooks{})
	l.untruncated = p
	return l, nil
}

// discretize implements latticePair.
func (p *discreteGaussian) discretize(ctx context.Context, g grid, prec uint) (*lossPMF, error) {
	l, err := p.losses(ctx, prec)
	if err != nil {
		return nil, err
	}
	return l.discretize(ctx, g, prec)
}

// gdp implements Pair. The events {k ≥ n} and {k ≥ n/2} give the lower end; no upper end is known.
func (p *discreteGaussian) gdp() interval.Interval {
	least := interval.Int(0)
	for _, t := range []int64{p.shift, (p.shift + 1) / 2} { // k ≥ t
		above, rest := p.law.Tail(big.NewInt(t-p.shift)), p.law.Tail(big.NewInt(1-t+p.shift))
		under := p.law.Tail(big.NewInt(t))
		least = interval.Max(least, quantile(under, interval.Int(1).Sub(under)).Sub(quantile(above, rest)))
	}
	return interval.Hull(least, infinite)
}

// zcdp implements Pair. The supremum is attained at every integer order.
func (p *discreteGaussian) zcdp() interval.Interval { return p.half }

// DiscreteGaussianPairs returns the dominating pairs of discrete Gaussian noise. The pair of shift n dominates those of
// smaller shifts.
func DiscreteGaussianPairs(name, source string, square *big.Rat, n int64) (*DominatingPairs, error) {
	p, err := DiscreteGaussian(square, n)
	if err != nil {
		return nil, err
	}
	return symmetricPair(name, source, p), nil
}
