package checktest

import (
	"context"
	"errors"
	"testing"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/internal/cases"
	"dpworkbench/internal/looks"
)

// Interrupted interrupts every check at each of its first polls of the context. The check must end there with that
// error, wherever it was, and do no more work. A search that has refuted may return its result. interrupt is
// [looks.Blink], which detects code that ignores an interruption, or [looks.After] if goroutines share the context.
func (l Ledger) Interrupted(t *testing.T, interrupt func(ctx context.Context, looks int) *looks.Ending) {
	most := cases.Of(3, 8)
	for _, c := range l.Claims {
		t.Run(c.ID, func(t *testing.T) {
			for n := range most {
				ctx := interrupt(t.Context(), n)
				out, err := c.Check(ctx, check.Run{Budget: 1})
				if ctx.Late() == 0 {
					return // it polls no more often
				}
				if !errors.Is(err, context.Canceled) && !(err == nil && out.Verdict == evidence.Refuted) {
					t.Errorf("interrupted at look %d: %s, %v", n+1, out.Verdict, err)
				}
			}
		})
	}
}
