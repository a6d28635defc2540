package xor

import (
	"context"
	"sync"
	"testing"

	"dpworkbench/internal/locks"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
)

// Functions that share state between goroutines wait for the lock of that state.
func TestSharedStateIsLocked(t *testing.T) {
	ctx := context.Background()
	c := must.For(NewColumns(3, 2, .5, .1))(t)
	law := must.For(c.solve(ctx))(t)
	visited := &states{share: []interval.Interval{interval.Int(1)}}
	s := &patterns{}
	for _, k := range []struct {
		what string
		lock sync.Locker
		do   func()
	}{
		{"the law of a column", &c.guard, func() { must.Be(c.solve(ctx)) }},
		{"what draws columns", &c.guard, func() { c.invert(law) }},
		{"the law of states", &visited.guard, func() { must.Be(0, visited.visit(ctx)) }},
		{"the pair of a pattern", &s.guard, func() { must.Be(s.pair(ctx, nil)) }},
	} {
		locks.Awaited(t, k.what, k.lock, k.do)
	}
}
