package mechanism

import (
	"math/big"
	"sync"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/locks"
	"dpworkbench/internal/must"
	"dpworkbench/query"
)

// What several goroutines share waits for its lock.
func TestSharedStateIsLocked(t *testing.T) {
	q := must.For(query.NewNumeric("f", must.For(query.NewPathSpace(2, [][2]int{{0, 1}}))(t), []float64{0, 1}, []float64{0, 1}))(t)
	l := must.For(NewLayerTable(t.Context(), q, []int32{0, 1, 1, 0}))(t)
	m := NewLayered("levels", l, must.Be(evidence.LogEpsilon("unit", big.NewRat(2, 1))), evidence.Claimed{Value: 1})
	for _, c := range []struct {
		what string
		lock sync.Locker
		do   func()
	}{
		{"a power", &m.lock, func() { m.power(1) }},
		{"a sum", &m.lock, func() { m.sum(0) }},
		{"its logarithm", &m.lock, func() { m.logOfSum(0) }},
		{"an exact sum", &m.lock, func() { m.rationalSum(0) }},
		{"neighboring pairs", &l.edgeLock, func() { must.Be(eachEdge(t.Context(), l, func(*int) func(edge) { return func(edge) {} })) }},
	} {
		locks.Awaited(t, c.what, c.lock, c.do)
	}
}
