package xor_test

import (
	"context"

	"dpworkbench/xor"
)

// smallest returns the smallest ε of the law for the neighbors.
func smallest(ctx context.Context, b *xor.Bernoulli, nb xor.Neighbors, opts xor.LossOptions) (xor.Loss, error) {
	p, err := b.Under(nb, opts)
	if err != nil {
		return xor.Loss{}, err
	}
	return p.Loss(ctx)
}
