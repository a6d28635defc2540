package privacy

import "context"

// pollContext returns the context's error at every 256th step, including step 0, and nil otherwise. Polling takes
// longer than a step.
func pollContext(ctx context.Context, step int) error {
	if step%256 != 0 {
		return nil
	}
	return ctx.Err()
}
