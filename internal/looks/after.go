package looks

import (
	"context"
	"sync/atomic"
)

// Ending is a context that ends by being looked at. To ask for its error is a look, and
// so is to ask for its channel. Several goroutines may look at once.
type Ending struct {
	context.Context // ends with the first look that finds it ended
	parent          context.Context
	end             context.CancelFunc
	n               int64
	blinks          bool
	ends            func() // called by that first look, before anybody else can know
	looks           atomic.Int64
}

// After returns a context that ends once it was looked at n times: n looks find it as
// ctx is, all others find it ended.
func After(ctx context.Context, n int) *Ending {
	c := &Ending{parent: ctx, n: int64(n)}
	c.Context, c.end = context.WithCancel(ctx)
	return c
}

// Blink returns a context that has ended for two looks alone, after n others: whoever
// finds that it is over may look again for the error.
func Blink(ctx context.Context, n int) *Ending {
	c := After(ctx, n)
	c.blinks = true
	return c
}

// Looks returns how many looks were made.
func (c *Ending) Looks() int { return int(c.looks.Load()) }

// Late returns how many looks were made after the first n.
func (c *Ending) Late() int { return int(max(0, c.looks.Load()-c.n)) }

// over makes a look, and says whether it finds the context ended.
func (c *Ending) over() bool {
	late := c.looks.Add(1) - c.n
	if late == 1 {
		if c.ends != nil {
			c.ends()
		}
		c.end()
	}
	if c.blinks {
		return late == 1 || late == 2
	}
	return late > 0
}

// Err returns [context.Canceled] from the look that ends the context on.
func (c *Ending) Err() error {
	if c.over() {
		return context.Canceled
	}
	return c.parent.Err()
}

// Done returns a channel that closes with the look that ends the context, which may be
// this one.
func (c *Ending) Done() <-chan struct{} {
	if !c.over() && c.blinks {
		return c.parent.Done()
	}
	return c.Context.Done()
}
