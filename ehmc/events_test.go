package ehmc

import (
	"container/heap"
	"math/rand/v2"
	"slices"
	"testing"
)

// Walls are met in the order of their times, whatever the order they came in.
func TestEventsComeInOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 2))
	for n := range 40 {
		var queue events
		var want []float64
		for k := range n {
			at := float64(rng.IntN(20))
			want = append(want, at)
			heap.Push(&queue, event{at, k})
		}
		slices.Sort(want)
		seen := make(map[int]bool)
		for i, at := range want {
			e := heap.Pop(&queue).(event)
			if e.time != at || seen[e.k] {
				t.Fatalf("%d events: number %d is %+v, want time %v of another bit", n, i, e, at)
			}
			seen[e.k] = true
		}
		if len(queue) != 0 {
			t.Fatalf("%d events: %d are left", n, len(queue))
		}
	}
}
