package records

import (
	"context"
	"errors"
	"math/big"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/locks"
	"dpworkbench/internal/must"
)

// What several goroutines may ask at once waits for its lock.
func TestLocks(t *testing.T) {
	g := must.For(NewGraph(5, [][2]int{{0, 1}, {1, 2}, {2, 0}, {3, 4}}, Edge))(t)
	q := must.For(g.Edges())(t)
	locks.Awaited(t, "a sum of local sensitivities", &q.mu, func() { q.rungs(2) })
	m := must.For(NewPurest(q, must.Be(evidence.NewEpsilon("decay", 1))))(t).(*Layered)
	locks.Awaited(t, "a law", &m.mu, func() { must.Be(m.known(context.Background())) })
	s := new(sticky)
	locks.Awaited(t, "an error that is kept", &s.mu, func() { s.keep(errors.New("first")) })
	own := &Query{failed: s}
	locks.Awaited(t, "an error that was kept", &s.mu, func() {
		if err := own.Failed(); err == nil || err.Error() != "first" {
			t.Error(err)
		}
	})
	s.keep(errors.New("second"))
	if err := own.Failed(); err.Error() != "first" {
		t.Errorf("%v took the place of the first error", err)
	}
	edges, others, _, err := g.wedges(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	r := &rise{own: others, other: edges, cap: 3}
	locks.Awaited(t, "a rise", &r.mu, func() { r.sum(2) })
	if !r.mu.TryLock() {
		t.Error("the lock of a rise is not given back")
	}
}

// Queries may be asked from many goroutines, and say the same: the bounds that grow as they are asked for, and the counts that workers
// add up.
func TestQueriesAreShared(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	const n = 700
	var list [][2]int
	for u := range n {
		for v := range u {
			if rng.IntN(60) == 0 {
				list = append(list, [2]int{v, u})
			}
		}
	}
	triangles := func(neighbors Neighbors) *big.Rat {
		g := must.For(NewGraph(n, list, neighbors))(t)
		return must.For(g.Triangles(context.Background()))(t).Value()
	}
	for range 3 {
		if a, b := triangles(Edge), triangles(Node); a.Cmp(b) != 0 {
			t.Fatalf("%v and %v triangles", a, b)
		}
	}
	edge, node := must.For(NewGraph(60, slices.DeleteFunc(slices.Clone(list), func(e [2]int) bool { return e[1] >= 60 }), Edge))(t), must.For(NewGraph(60, slices.DeleteFunc(slices.Clone(list), func(e [2]int) bool { return e[1] >= 60 }), Node))(t)
	fresh := func() []*Query {
		return []*Query{must.Be(edge.Triangles(context.Background())), must.Be(edge.KStar(2)), must.Be(edge.KStar(3)), must.Be(node.Edges()), must.Be(node.KStar(2)), must.Be(node.Triangles(context.Background()))}
	}
	alone, shared := fresh(), fresh()
	var wait sync.WaitGroup
	for k := range 4 {
		wait.Go(func() {
			for i, q := range shared {
				for d := 1; d < 40; d++ {
					at := (d*(2*k+3))%40 + 1
					up, down, err := q.Moves(at)
					if err != nil {
						t.Error(err)
						continue
					}
					if k > 0 {
						continue
					}
					if a, b, _ := alone[i].Moves(at); a.Cmp(up) != 0 || b.Cmp(down) != 0 {
						t.Errorf("%s: %d changes move it by %v and %v, else by %v and %v", q.Name(), at, up, down, a, b)
					}
				}
			}
		})
	}
	wait.Wait()
}

// More changes than a graph has pairs of nodes lead no further than as many.
func TestChangesFarAway(t *testing.T) {
	g := must.For(NewGraph(5, [][2]int{{0, 1}, {1, 2}, {2, 0}, {3, 4}}, Edge))(t)
	for k := 1; k <= 4; k++ {
		q := must.For(g.Triangles(t.Context()))(t)
		if k > 1 {
			q = must.For(g.KStar(k))(t)
		}
		up, down, err := q.Moves(10)
		farUp, farDown, farErr := q.Moves(1 << 31)
		if err != nil || farErr != nil || up.Cmp(farUp) != 0 || down.Cmp(farDown) != 0 {
			t.Errorf("%s: %v and %v after 10 changes, %v and %v after 2^31 (%v, %v)", q.Name(), up, down, farUp, farDown, err, farErr)
		}
	}
	const nodes = 3 << 19
	q := must.For(must.For(NewGraph(nodes, nil, Edge))(t).Triangles(t.Context()))(t)
	all := new(big.Int).Binomial(nodes, 3)
	if up, _, err := q.Moves(nodes * (nodes - 1) / 2); err != nil || !up.IsInt() || up.Num().Cmp(all) != 0 {
		t.Errorf("all edges of %d nodes make %v triangles, want %v (%v)", nodes, up, all, err)
	}
}
