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

// discreteGaussian is the pair of two discrete Gaussians on ℤ a whole shift n apart, equal to its own
// reverse: Q is X and P is X + n. The loss at k is n(2k − n)/2σ², on a lattice without ends.
type discreteGaussian struct {
	law     *gaussian.Discrete
	sigmaSq *big.Rat // σ²
	shift   int64
	unit    evidence.Epsilon  // n/σ², between two losses
	half    interval.Interval // n²/2σ²
}

// DiscreteGaussian returns the pair of two discrete Gaussians of parameter σ² (Canonne, Kamath and Steinke 2020), whose centers
// lie a whole n > 0 apart. It returns an error wrapping evidence.ErrParameter unless 2⁻²⁰ ≤ σ² ≤ 2¹⁰⁰ and n ≤ 1000σ.
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

// LogMoment implements Pair: E e^{s·loss} = e^{s(1+s)n²/2σ²} Z((1 + s)n)/Z(0), of which the last factor is 1 at whole
// orders and below it elsewhere (there, Proposition 5).
func (p *discreteGaussian) LogMoment(s interval.Interval) interval.Interval {
	order := s.Add(interval.Int(1))
	return s.Mul(order).Mul(p.half).Add(p.law.LogShift(order.Mul(interval.Int(p.shift))))
}

// Mean implements Pair.
func (p *discreteGaussian) Mean() interval.Interval { return p.half }

// VarianceBound implements Pair: the variance of a discrete Gaussian of any center c, times (n/σ²)². By Poisson's sum
// E (k − c)² is at most σ²(1 + 81σ²e^{−19σ²}), and below σ = 1 the nearest whole number and those beside it leave less than 4.
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

// reach returns how many steps from its center each law has less than 2^−bits beyond, on either side: Pr[k ≥ m] ≤
// e^{−m²/2σ²}.
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

// lattice implements latticePair, with ends beyond which P has next to nothing.
func (p *discreteGaussian) lattice() *lattice {
	reach := p.reach(64)
	return &lattice{p.unit, p.half.Neg(), p.shift - reach, p.shift + reach}
}

// maxSteps bounds the outputs that are listed.
const maxSteps = 1 << 18

// losses returns the pair with all outputs that either law has more than 2^−bits beyond; what the others have are infinite losses, with chances
// from 0 to that.
func (p *discreteGaussian) losses(ctx context.Context, bits uint) (*DiscretePair, error) {
	reach := p.reach(bits)
	if 2*reach+p.shift > maxSteps {
		return nil, parameter.Errorf("losses of a discrete Gaussian to %d bits are those of %d steps of its lattice, want at most %d: renyi and zcdp have no such bound",
			bits, 2*reach+p.shift, maxSteps)
	}
	zero := interval.Int(0)
	n := int(2*reach+1) + int(p.shift)
	masses, err := p.law.Masses(-reach-p.shift, n+int(p.shift)) // of X from −reach − n on
	if err != nil {
		return nil, err
	}
	atoms := make([]Atom, n)
	for i := range atoms { // k = i − reach
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

// gdp implements Pair, by the event of one half of P; how far out events ask for more is not told.
func (p *discreteGaussian) gdp() interval.Interval {
	least := interval.Int(0)
	for _, t := range []int64{p.shift, (p.shift + 1) / 2} { // k ≥ t
		above, rest := p.law.Tail(big.NewInt(t-p.shift)), p.law.Tail(big.NewInt(1-t+p.shift))
		under := p.law.Tail(big.NewInt(t))
		least = interval.Max(least, quantile(under, interval.Int(1).Sub(under)).Sub(quantile(above, rest)))
	}
	return interval.Hull(least, infinite)
}

// zcdp implements Pair: it is attained at all whole orders.
func (p *discreteGaussian) zcdp() interval.Interval { return p.half }

// DiscreteGaussianPairs returns the family of such pairs, whose worst one has the given shift.
func DiscreteGaussianPairs(name, source string, square *big.Rat, n int64) (*DominatingPairs, error) {
	p, err := DiscreteGaussian(square, n)
	if err != nil {
		return nil, err
	}
	return symmetricPair(name, source, p), nil
}
