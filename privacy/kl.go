package privacy

import (
	"context"
	"math"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// KL returns the largest Kullback-Leibler divergence of neighbors in nats, over both directions. It is the Rényi
// divergence of order 1. Divergences of independent uses add up. It is +Inf if some output is possible at only one of
// two neighbors.
func (a *Account) KL(ctx context.Context) (n evidence.Number, err error) {
	defer a.cite(&n, &err)
	const source = "Kullback-Leibler divergence of the worst pair, both directions"
	const h = 0x1p-40
	if c, _ := a.concentrated(); c != nil { // D_1 ≤ D_α
		return a.Renyi(ctx, new(big.Rat).Add(one, big.NewRat(1, 1<<40)))
	}
	bound := func(c *candidate) float64 {
		if c.infinityMass() > 0 {
			return math.Inf(1)
		}
		d := c.logMoment(h) / h
		return d + 0x1p-12*math.Abs(d)
	}
	most, _, err := a.maxOverPairs(ctx, bound, func(p *composition, _ float64) (evidence.RatOrInterval, error) {
		if infinityMass := p.infinityMass(); sign(infinityMass) != 0 {
			if d, ok := p.openMoment(interval.Float(h)); ok { // because D_1 ≤ D_{1+h}
				return evidence.RatOrInterval{Enclosure: interval.Hull(interval.Int(0), d.Quo(interval.Float(h)).Upper())}, nil
			}
			return infiniteOr(infinityMass), nil
		}
		sum := interval.Int(0)
		for _, f := range p.factors {
			sum = sum.Add(f.pair.Mean().Mul(interval.Int(int64(f.times))))
		}
		return evidence.RatOrInterval{Enclosure: interval.Max(sum, interval.Int(0))}, nil
	})
	if err != nil {
		return nil, err
	}
	return a.asNumber(most, source, func(u *Account) (evidence.Number, error) { return u.KL(ctx) })
}
