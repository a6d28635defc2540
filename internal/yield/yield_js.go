package yield

import (
	"context"
	"time"
)

// yieldEvery is the longest time for which a computation keeps a browser's event loop from reading an interrupt.
const yieldEvery = 100 * time.Millisecond

// yieldingContext gives way to the event loop of the browser, which has one thread, when a computation polls it.
type yieldingContext struct {
	context.Context
	last *time.Time
}

// Context returns a context that gives way when its Err is called.
func Context(ctx context.Context) context.Context {
	now := time.Now()
	return yieldingContext{ctx, &now}
}

// Err implements context.Context.
func (c yieldingContext) Err() error {
	if now := time.Now(); now.Sub(*c.last) > yieldEvery {
		*c.last = now
		time.Sleep(time.Microsecond) // the event loop runs while every goroutine waits
		*c.last = time.Now()
	}
	return c.Context.Err()
}
