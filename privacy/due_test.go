package privacy

import (
	"context"
	"errors"
	"testing"

	"dpworkbench/internal/looks"
)

// Of many steps the first looks whether it is to end, and every 256th from there.
func TestStepsLookNowAndThen(t *testing.T) {
	for step := range 1000 {
		c := looks.After(t.Context(), 0)
		err := due(c, step)
		if asked := step == 0 || step == 256 || step == 512 || step == 768; asked != (c.Looks() == 1) || asked != errors.Is(err, context.Canceled) || !asked && err != nil {
			t.Fatalf("step %d: %v after %d looks", step, err, c.Looks())
		}
	}
}
