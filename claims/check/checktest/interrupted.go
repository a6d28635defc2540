package checktest

import (
	"context"
	"errors"
	"testing"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/internal/looks"
)

// Interrupted interrupts every check at each of its first looks at the context: it ends
// there with that error, wherever in an instance that was, and goes on nowhere. A search that has
// refuted may keep what it has. interrupt is [looks.Blink], which finds who passes over an interruption, or
// [looks.After] where goroutines share the context.
func (l Ledger) Interrupted(t *testing.T, interrupt func(ctx context.Context, looks int) *looks.Ending) {
	const most = 8
	for _, c := range l.Claims {
		t.Run(c.ID, func(t *testing.T) {
			for n := range most {
				ctx := interrupt(t.Context(), n)
				out, err := c.Check(ctx, check.Run{Budget: 1})
				if ctx.Late() == 0 {
					return // it looks no more often
				}
				if !errors.Is(err, context.Canceled) && !(err == nil && out.Verdict == evidence.Refuted) {
					t.Errorf("interrupted at look %d: %s, %v", n+1, out.Verdict, err)
				}
			}
		})
	}
}
