package signrp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"sync"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/locks"
	"dpworkbench/internal/must"
	"dpworkbench/privacy"
)

// Functions that share state between goroutines wait for its lock.
func TestSharedStateIsLocked(t *testing.T) {
	ctx := context.Background()
	w := FreshProjection(t, OPORP, 4, 2, false)
	p := must.Be(w.at(ctx, []float64{.5, -.25, 1, 0}, .5))
	b := &ballAccountant{found: evidence.Exact{Value: big.NewRat(1, 2)}}
	s := &swept{known: &sides{}}
	n := &Neighbors{swept: s}
	e := &between{known: &sides{}}
	public := &public{centre: n}
	for _, c := range []struct {
		what string
		lock sync.Locker
		do   func()
	}{
		{"ε of a ball", &b.guard, func() { _ = must.Be(b.smallest(ctx)) }},
		{"measures of W", &w.guard, func() { _ = must.Be(w.measure(ctx)) }},
		{"a product", &p.guard, func() { p.exact(1) }},
		{"the room of a move", &p.guard, func() { p.room(0, move{}) }},
		{"a threshold", &p.guard, func() { p.threshold(.5, 1, 2) }},
		{"laws at two vectors", &e.guard, func() { _ = must.Be(e.sides(ctx)) }},
		{"the curve at the centre", &public.guard, func() { _ = must.Be(public.centred(ctx)) }},
		{"laws at the worst", &s.guard, func() { s.sides() }},
		{"the worst neighbor", &n.guard, func() { _ = must.Be(n.sweep(ctx)) }},
	} {
		locks.Awaited(t, c.what, c.lock, c.do)
	}
}

// Concurrent calls on one curve, projection or point return the same results as a single call. So does a call after a
// cancelled call.
func TestConcurrentCallsAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 12))
	u := BoundaryVector(rng, 4, 1) // on boundaries, so exact sums are needed
	v := append([]float64(nil), u...)
	v[1] = math.Min(1, u[1]+0.25)
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	for _, kind := range []Kind{Rademacher, Gaussian, Sparse} {
		fresh := func() *Projection {
			return must.Be(NewProjection(kind, 4, 3, ProjectionOptions{Sparsity: 2, Seed: 5}))
		}
		for n, r := range EveryRelease(t, fresh(), evidencetest.Epsilon(1), 0.5) {
			curves := func() []privacy.Profile {
				c := *r
				c.w = fresh()
				return []privacy.Profile{c.Public(), c.Pair(u, v), c.Neighbors(u), c.Ball(u)}
			}
			answer := func(c privacy.Profile) string {
				e, err := c.Epsilon(context.Background(), DeltaForEpsilon(r))
				d, derr := c.Delta(context.Background(), evidencetest.Epsilon(0.25))
				return fmt.Sprint(e, err, d, derr)
			}
			alone := curves()
			for i, c := range curves() {
				want := answer(alone[i])
				if _, err := c.Delta(gone, evidencetest.Epsilon(0.25)); !errors.Is(err, context.Canceled) && err != nil {
					t.Errorf("%s %d: %v", r.name, n, err)
				}
				var wait sync.WaitGroup
				for range 3 {
					wait.Go(func() {
						if got := answer(c); got != want {
							t.Errorf("%s, %s W, curve %d: concurrent %s, single %s", r.name, kind, i, got, want)
						}
					})
				}
				wait.Wait()
			}
		}
		at := must.Be(fresh().at(context.Background(), u, 0.5))
		up, _ := moves(u[0], 0.5)
		var wait sync.WaitGroup
		for _, ask := range []func(){func() { at.exact(1) }, func() { at.room(0, up) }, func() { at.threshold(0.5, 1, 2) }, func() { at.exact(1) }} {
			wait.Go(ask)
		}
		wait.Wait()
	}
}
