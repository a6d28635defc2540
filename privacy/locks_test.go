package privacy

import (
	"dpworkbench/internal/must"
	"sync"
	"testing"

	"dpworkbench/internal/locks"
)

// What several goroutines share waits for its lock.
func TestSharedStateIsLocked(t *testing.T) {
	ctx := t.Context()
	a := New(PairAndReverse("pair", "test", ternaryPair(t)))
	found := must.For(a.candidates(ctx))(t)
	p := must.For(a.composition(ctx, found[0]))(t)
	for _, c := range []struct {
		what string
		lock sync.Locker
		do   func()
	}{
		{"the products that differ", &a.guard, func() { _, _ = a.candidates(ctx) }},
		{"a product", &a.guard, func() { _, _ = a.composition(ctx, found[0]) }},
		{"the law of a sum", &p.guard, func() { _, _ = p.sumsAt(ctx, 64) }},
		{"two halves", &p.guard, func() { p.meetInTheMiddle() }},
	} {
		locks.Awaited(t, c.what, c.lock, c.do)
	}
}
