package privacy

import "context"

// pollContext returns the context's error at step 0 and every 256th one, and nothing at the others: to ask takes longer than a step.
func pollContext(ctx context.Context, step int) error {
	if step%256 != 0 {
		return nil
	}
	return ctx.Err()
}
