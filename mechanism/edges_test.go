package mechanism

import (
	"context"
	"maps"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/ctxtest"
	"dpworkbench/internal/must"
	"dpworkbench/query"
)

// eachEdge visits all neighboring pairs with the extremes of their layer differences, cached or not.
func TestEachEdge(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for trial := range 30 {
		g := must.For(query.NewGraphs(t.Context(), 1+rng.IntN(5)))(t)
		q := must.For(g.Count("triangle"))(t)
		size := len(q.Range())
		table := make([]int32, q.Size()*size)
		for i := range table {
			table[i] = int32(rng.IntN(9))
			if rng.IntN(12) == 0 && i%size > 0 {
				table[i] = query.Unreached
			}
		}
		if trial%2 == 0 { // give many datasets the same rows
			for x := 2; x < q.Size(); x++ {
				copy(table[x*size:(x+1)*size], table[x%2*size:])
			}
		}
		l := must.For(NewLayerTable(t.Context(), q, table))(t)
		want := map[edge]bool{}
		for x := range q.Size() {
			for y := x + 1; y < q.Size(); y++ {
				if g.Space().Distance(x, y) != 1 {
					continue
				}
				e := edge{px: l.profile[x], py: l.profile[y], min: 1<<31 - 1, max: -1 << 31}
				for r := range size {
					a, b := table[x*size+r], table[y*size+r]
					switch {
					case a == query.Unreached && b == query.Unreached:
					case a == query.Unreached || b == query.Unreached:
						e.infinite = true
					default:
						e.min, e.max = min(e.min, b-a), max(e.max, b-a)
					}
				}
				want[e] = true
			}
		}
		for _, way := range []struct {
			name string
			most int64 // limit of cached pairs
		}{{"listed", l.q.Space().Pairs()}, {"listed before", maxCachedEdges}, {"swept", l.q.Space().Pairs() - 1}} {
			name, got := way.name, map[edge]bool{}
			l.maxEdges = way.most
			if name == "swept" {
				l.edges = nil
			}
			all := must.For(eachEdge(t.Context(), l, func(own *map[edge]bool) func(edge) {
				*own = map[edge]bool{}
				return func(e edge) { (*own)[e] = true }
			}))(t)
			for _, own := range all {
				maps.Copy(got, own)
			}
			if name != "swept" && (len(all) != 1 || len(l.edges) != len(want)) || name == "swept" && l.edges != nil {
				t.Errorf("%s: %d edges cached, %d accumulators, want %d edges in one accumulator, or none cached above the limit", name, len(l.edges), len(all), len(want))
			}
			for e := range want {
				if !got[e] {
					t.Errorf("%s: no edge %+v", name, e)
				}
			}
			if len(got) != len(want) {
				t.Errorf("%s: %d distinct edges, want %d", name, len(got), len(want))
			}
		}
	}
}

func TestEachEdgeIsCancelled(t *testing.T) {
	g := must.For(query.NewGraphs(t.Context(), 4))(t)
	q := must.For(g.Count("edge"))(t)
	table := make([]int32, q.Size()*len(q.Range()))
	for _, most := range []int64{maxCachedEdges, q.Space().Pairs() - 1} {
		ctxtest.EachPoll(t, 1, func(ctx context.Context) error {
			l := must.For(NewLayerTable(t.Context(), q, table))(t)
			l.maxEdges = most
			_, err := eachEdge(ctx, l, func(*int) func(edge) { return func(edge) {} })
			return err
		})
	}
}
