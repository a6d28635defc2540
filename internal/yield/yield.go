//go:build !js

// Package yield lets computations in a browser give way to the event loop, which reads interrupts. Elsewhere it does
// nothing.
package yield

import "context"

// Context returns a context that gives way to the event loop when its Err is called. Apply it to the results of
// context.WithCancel and similar functions, since those do not call their parents' Err.
func Context(ctx context.Context) context.Context { return ctx }
