package privacy

import (
	"context"
	"errors"
	"testing"

	"dpworkbench/internal/ctxtest"
)

// pollContext polls at step 0 and at every 256th step.
func TestPollContextEvery256Steps(t *testing.T) {
	for step := range 1000 {
		c := ctxtest.CancelAfter(t.Context(), 0)
		err := pollContext(c, step)
		if answers := step == 0 || step == 256 || step == 512 || step == 768; answers != (c.Polls() == 1) || answers != errors.Is(err, context.Canceled) || !answers && err != nil {
			t.Fatalf("step %d: %v after %d polls", step, err, c.Polls())
		}
	}
}
