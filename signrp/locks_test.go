package signrp

import (
	"context"
	"math/big"
	"sync"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/locks"
)

// What several goroutines share waits for its lock.
func TestSharedStateIsLocked(t *testing.T) {
	ctx := context.Background()
	w := anew(t, OPORP, 4, 2, false)
	p := must(w.at(ctx, []float64{.5, -.25, 1, 0}, .5))
	b := &ball{found: evidence.Exact{Value: big.NewRat(1, 2)}}
	s := &swept{known: &sides{}}
	n := &Neighbors{swept: s}
	e := &between{known: &sides{}}
	public := &public{centre: n}
	for _, c := range []struct {
		what string
		lock sync.Locker
		do   func()
	}{
		{"ε of a ball", &b.guard, func() { _ = must(b.smallest(ctx)) }},
		{"measures of W", &w.guard, func() { _ = must(w.measure(ctx)) }},
		{"a product", &p.guard, func() { p.exact(1) }},
		{"the room of a move", &p.guard, func() { p.room(0, move{}) }},
		{"a threshold", &p.guard, func() { p.threshold(.5, 1, 2) }},
		{"laws at two vectors", &e.guard, func() { _ = must(e.sides(ctx)) }},
		{"the curve at the centre", &public.guard, func() { _ = must(public.centred(ctx)) }},
		{"laws at the worst", &s.guard, func() { s.sides() }},
		{"the worst neighbor", &n.guard, func() { _ = must(n.sweep(ctx)) }},
	} {
		locks.Awaited(t, c.what, c.lock, c.do)
	}
}
