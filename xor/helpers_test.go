package xor_test

import (
	"context"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/xor"
)

// nats returns v ≥ 0 as an Epsilon.
func nats(v float64) evidence.Epsilon {
	if v == 0 {
		return evidence.Epsilon{}
	}
	return must.Be(evidence.NewEpsilon("eps", v))
}

// smallest returns the smallest ε of the law for the neighbors.
func smallest(ctx context.Context, b *xor.Bernoulli, nb xor.Neighbors, opts xor.LossOptions) (xor.Loss, error) {
	p, err := b.Under(nb, opts)
	if err != nil {
		return xor.Loss{}, err
	}
	return p.Loss(ctx)
}
