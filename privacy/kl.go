package privacy

import (
	"context"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// KL returns the largest Kullback-Leibler divergence of neighbors in nats, both directions: the Rényi divergence of order 1.
//
// K(s) = s·D_{1+s} is the cumulant generating function of the loss, so that D_{1+s} falls to K'(0) = D_1 as s falls to 0. Where losses lie in
// [−ε, ε] all tilted variances K” are at most ε² and D_{1+s} ≤ D_1 + sε²/2; elsewhere D_{1+s} is the safe end and 0 the other.
func (a *Account) KL(ctx context.Context) (evidence.Number, error) {
	const bits = 40
	near, err := a.Renyi(ctx, new(big.Rat).Add(one, big.NewRat(1, 1<<bits)))
	if err != nil {
		return nil, err
	}
	most, err := a.Epsilon(ctx, evidence.Delta{})
	if err != nil {
		return nil, err
	}
	low, high := near.Bounds()
	if _, eps := most.Bounds(); eps < 1e150 {
		low, _ = interval.Float(low).Sub(interval.Float(eps).Mul(interval.Float(eps)).Mul(interval.Float(0x1p-41))).Bounds()
	} else {
		low = 0
	}
	return evidence.Certified{Lo: max(low, 0), Hi: high, Side: evidence.Up, Provenance: evidence.From("Kullback-Leibler divergence of the worst pair, both directions, from order 1 + 2^-40")}, nil
}
