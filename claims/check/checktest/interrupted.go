package checktest

import (
	"context"
	"errors"
	"testing"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/internal/cases"
	"dpworkbench/internal/ctxtest"
)

// Interrupted interrupts every check at each of its first polls of the context. The check must end there with that
// error and do no more work. A search that has refuted may return its result. interrupt is [ctxtest.CancelOnce],
// which detects code that ignores an interruption, or [ctxtest.CancelAfter] if goroutines share the context.
func (l Ledger) Interrupted(t *testing.T, interrupt func(ctx context.Context, polls int) *ctxtest.Context) {
	most := cases.Of(3, 8)
	for _, c := range l.Claims {
		t.Run(c.ID, func(t *testing.T) {
			for n := range most {
				ctx := interrupt(t.Context(), n)
				out, err := c.Check(ctx, check.Run{Budget: 1})
				if ctx.LatePolls() == 0 {
					return // the check polls no more than n times
				}
				if !errors.Is(err, context.Canceled) && !(err == nil && out.Verdict == evidence.Refuted) {
					t.Errorf("interrupted at poll %d: %s, %v", n+1, out.Verdict, err)
				}
			}
		})
	}
}
