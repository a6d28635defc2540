//go:build !js

// Package yield lets computations in a browser give way to the event loop, which reads interrupts. Elsewhere it does
// nothing.
package yield

import "context"

// Context returns a context that gives way when it is polled by Err. It wraps what context.WithCancel and its like
// return, since those do not ask their parents.
func Context(ctx context.Context) context.Context { return ctx }
