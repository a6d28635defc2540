package mechanism

import (
	"context"
	"math"

	"dpworkbench/internal/parallel"
)

// edge summarises two neighbors x and y by the extremes of L^y(r) − L^x(r).
type edge struct {
	px, py   int32 // profiles
	min, max int32
	infinite bool // exactly one of x and y outputs some value
}

// maxCachedEdges bounds the number of neighboring pairs whose edges are cached. Larger universes recompute them.
const maxCachedEdges = 1 << 23

// eachEdge calls worker with a new T in each goroutine, and calls the function that worker returns for the edges.
// Together the goroutines visit every edge once. It returns the Ts.
func eachEdge[T any](ctx context.Context, l *LayerTable, worker func(own *T) func(e edge)) ([]T, error) {
	if l.q.Space().Pairs() > l.maxEdges {
		return eachEdgeUncached(ctx, l, worker)
	}
	l.edgeLock.Lock()
	defer l.edgeLock.Unlock()
	if l.edges == nil {
		seen, edges := make(map[edge]bool), []edge{}
		for x := range l.q.Size() {
			if x%256 == 0 {
				if err := ctx.Err(); err != nil {
					return nil, err
				}
			}
			rx := l.row(x)
			for _, y := range l.q.Space().Neighbors(x) {
				if int(y) < x {
					continue
				}
				if e := l.edge(x, int(y), rx, l.row(int(y))); !seen[e] {
					seen[e] = true
					edges = append(edges, e)
				}
			}
		}
		l.edges = edges
	}
	all := make([]T, 1)
	f := worker(&all[0])
	for _, e := range l.edges {
		f(e)
	}
	return all, nil
}

// eachEdgeUncached is eachEdge without the cache. It runs on all processors.
func eachEdgeUncached[T any](ctx context.Context, l *LayerTable, worker func(own *T) func(e edge)) ([]T, error) {
	space, size := l.q.Space(), l.q.Size()
	done := parallel.Count(ctx, int64(size), "datasets beside their neighbors")
	return parallel.Gather(ctx, size, 1<<9, func(own *T) func(from, to int) error {
		f := worker(own)
		var near []int32
		var a, b profileBuilder
		return func(from, to int) error {
			for x := from; x < to; x++ {
				rx := a.row(l.table, x)
				near = space.AppendNeighbors(near[:0], x)
				for _, y := range near {
					if int(y) > x {
						f(l.edge(x, int(y), rx, b.row(l.table, int(y))))
					}
				}
			}
			done(int64(to - from))
			return nil
		}
	})
}

// edge returns the edge between x and y, whose layers are rx and ry.
func (l *LayerTable) edge(x, y int, rx, ry []int32) edge {
	e := edge{px: l.profile[x], py: l.profile[y], min: math.MaxInt32, max: math.MinInt32}
	for r, lx := range rx {
		ly := ry[r]
		if lx|ly < 0 { // at least one is query.Unreached
			e.infinite = e.infinite || lx != ly
			continue
		}
		e.min, e.max = min(e.min, ly-lx), max(e.max, ly-lx)
	}
	return e
}
