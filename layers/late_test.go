package layers_test

import (
	"context"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/layers"
	"dpworkbench/query"
)

// Values may enter in layers that no byte holds, between graphs as elsewhere: each is at the least sum of a
// distance and a layer.
func TestLateInitialValues(t *testing.T) {
	ctx := context.Background()
	g := must.For(query.NewGraphs(ctx, 4))(t)
	q := must.For(g.Count("triangle"))(t)
	for _, late := range []int{0, 3, 113, 114, 115, 126, 127, 128, 200, 255, 256, 1 << 20} {
		sets := layers.Sets{At: make([]map[int][]int, q.Size())}
		for x := range sets.At {
			sets.At[x] = map[int][]int{}
		}
		sets.At[2] = map[int][]int{0: {0}, late + 1: {1}}
		sets.At[q.Size()-1] = map[int][]int{late: {2, 1}, late + 4: {0}}
		m := must.For(layers.NewGeneral(ctx, q, must.For(evidence.NewEpsilon("decay", 1))(t), sets, layers.Closure))(t)
		for x := range q.Size() {
			for r := range q.Range() {
				want := query.Unreached
				for y, at := range sets.At {
					for i, values := range at {
						for _, v := range values {
							if d := int(g.Space().Distance(x, y)) + i; v == r && (want == query.Unreached || d < want) {
								want = d
							}
						}
					}
				}
				if got := m.Layer(x, r); got != want {
					t.Errorf("late layer %d: L^%d(%d) = %d, want %d", late, x, r, got, want)
				}
			}
		}
	}
}
