package xor

import (
	"context"
	"math/rand/v2"
)

// DrawRefined draws a number of ones by the exact path only.
func (c *Columns) DrawRefined(ctx context.Context) (int, error) {
	l, err := c.counts(ctx)
	if err != nil {
		return 0, err
	}
	return l.refined().draw(ctx, rand.NewPCG(1, 2))
}
