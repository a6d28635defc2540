package xor

import (
	"context"
	"math/rand/v2"
)

// DrawRefined returns a number of ones by the exact path alone.
func (c *Columns) DrawRefined(ctx context.Context) (int, error) {
	l, err := c.counts(ctx)
	if err != nil {
		return 0, err
	}
	return l.refined().draw(ctx, rand.NewPCG(1, 2))
}
