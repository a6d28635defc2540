package mvg

import (
	"context"
	"sync/atomic"
	"testing"
)

// Countdown ends its context when it is asked for its end the n-th time: in the
// middle of a computation, on any machine.
type Countdown struct {
	context.Context
	end  context.CancelFunc
	left atomic.Int64
}

func NewCountdown(t *testing.T, n int64) *Countdown {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	c := &Countdown{Context: ctx, end: cancel}
	c.left.Store(n)
	return c
}

func (c *Countdown) Err() error {
	c.asked()
	return c.Context.Err()
}

func (c *Countdown) Done() <-chan struct{} {
	c.asked()
	return c.Context.Done()
}

func (c *Countdown) asked() {
	if c.left.Add(-1) <= 0 {
		c.end()
	}
}
