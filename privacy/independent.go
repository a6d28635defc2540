package privacy

import (
	"context"
	"math"

	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// independent is the pair of an output with independent parts. Compositions replace it by its parts.
type independent struct{ composition *composition }

// Independent returns the pair of an output with independent parts, such as the bits of a vector: times[i] of the parts
// have the pair pairs[i]. It omits pairs with times[i] ≤ 0. If no part remains, the two laws are equal.
func Independent(pairs []Pair, times []int) Pair {
	var factors []factor
	for i, p := range pairs {
		if p != nil && i < len(times) && times[i] > 0 {
			factors = append(factors, factor{p, times[i]})
		}
	}
	switch factors = flatten(factors); {
	case len(factors) == 0:
		return NewDiscretePair([]Atom{RationalAtom(one, one, 0)}, zero, zero, evidence.Epsilon{}, Hooks{})
	case len(factors) == 1 && factors[0].times == 1:
		return factors[0].pair
	}
	return &independent{newComposition(0, factors)}
}

// flatten replaces each independent pair by its parts, unless a number of parts would overflow.
func flatten(factors []factor) []factor {
	var out []factor
	for _, f := range factors {
		if in, ok := f.pair.(*independent); ok && in.mostAlike() <= math.MaxInt/f.times {
			for _, g := range in.composition.factors {
				out = append(out, factor{g.pair, g.times * f.times})
			}
			continue
		}
		out = append(out, f)
	}
	return out
}

// mostAlike returns the largest number of parts that have the same pair.
func (p *independent) mostAlike() int {
	most := 1
	for _, f := range p.composition.factors {
		most = max(most, f.times)
	}
	return most
}

// sum returns the sum of a quantity over all parts.
func (p *independent) sum(of func(Pair) interval.Interval) interval.Interval {
	sum := interval.Int(0)
	for _, f := range p.composition.factors {
		sum = sum.Add(of(f.pair).Mul(interval.Int(int64(f.times))))
	}
	return sum
}

// Delta implements Pair.
func (p *independent) Delta(ctx context.Context, eps evidence.Epsilon) (evidence.RatOrInterval, error) {
	return p.composition.delta(ctx, eps)
}

// LogMoment implements Pair.
func (p *independent) LogMoment(s interval.Interval) interval.Interval {
	return p.composition.logMoment(s)
}

// Mean implements Pair. The loss is finite only if the losses of all parts are finite. So the mean of each part is
// multiplied by the probability that the losses of the other parts are finite.
func (p *independent) Mean() interval.Interval {
	one := interval.Int(1)
	finite := one.Sub(p.InfinityMass().Enclosure)
	sum := interval.Int(0)
	for _, f := range p.composition.factors {
		share := one.Sub(f.pair.InfinityMass().Enclosure)
		if s, _ := share.Sign(); s <= 0 { // perhaps all losses are infinite
			return finite.Mul(interval.Hull(p.LossRange(), interval.Int(0)))
		}
		sum = sum.Add(f.pair.Mean().Quo(share).Mul(interval.Int(int64(f.times))))
	}
	return sum.Mul(finite)
}

// VarianceBound implements Pair.
func (p *independent) VarianceBound() interval.Interval { return p.sum(Pair.VarianceBound) }

// LossRange implements Pair.
func (p *independent) LossRange() interval.Interval { return p.sum(Pair.LossRange) }

// InfinityMass implements Pair.
func (p *independent) InfinityMass() evidence.RatOrInterval { return p.composition.infinityMass() }

// Reverse implements Pair.
func (p *independent) Reverse() Pair {
	factors := make([]factor, len(p.composition.factors))
	for i, f := range p.composition.factors {
		factors[i] = factor{f.pair.Reverse(), f.times}
	}
	return &independent{newComposition(0, factors)}
}

// truncatedRange implements Pair.
func (p *independent) truncatedRange(uint) (lo, hi float64) { return p.LossRange().Bounds() }

// gdp implements Pair. Compositions replace the pair by its parts, unless their number overflows.
func (p *independent) gdp() interval.Interval { return infinite }

// zcdp implements Pair.
func (p *independent) zcdp() interval.Interval { return p.composition.zcdp().Enclosure }

// screen implements Pair. It uses the log-moments of the parts, and rounds the largest loss up.
func (p *independent) screen() *Screen {
	type part struct {
		of    *Screen
		times float64
	}
	var parts []part
	out := &Screen{}
	_, out.InfinityMass = p.InfinityMass().Enclosure.Bounds()
	_, out.maxLoss = p.LossRange().Bounds()
	for _, f := range p.composition.factors {
		parts = append(parts, part{f.pair.screen(), float64(f.times)})
	}
	out.logMomentFunc = func(s float64) float64 {
		sum := 0.0
		for _, f := range parts {
			sum += f.times * f.of.logMoment(s)
		}
		return sum
	}
	return out
}
