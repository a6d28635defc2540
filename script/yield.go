//go:build !js

package script

import "context"

// yielding returns ctx. Only in a browser must computations give way to what reads interrupts.
func yielding(ctx context.Context) context.Context { return ctx }
