package mechanism

import (
	"math"
	"math/big"
	"math/rand/v2"
	"sync"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/locks"
	"dpworkbench/internal/must"
	"dpworkbench/query"
)

// candidateLosses contains a largest loss at every decay, and only that loss if all others are far smaller.
func TestCandidateLossesContainLargest(t *testing.T) {
	rng := rand.New(rand.NewPCG(61, 5))
	alone := 0
	for trial := range 400 {
		n := 3 + rng.IntN(4)
		edges, values := make([][2]int, 0, n), make([]float64, n)
		for x := 1; x < n; x++ {
			edges = append(edges, [2]int{rng.IntN(x), x})
			values[x] = float64(x)
		}
		space := must.For(query.NewPathSpace(n, edges))(t)
		q := must.For(query.NewNumeric("path", space, values, nil))(t)
		spread := []int{3, 3, 40, 1 << 29}[trial%4]
		table := make([]int32, n*n)
		for i := range table {
			table[i] = int32(rng.IntN(spread))
		}
		levels := must.For(NewLayerTable(t.Context(), q, table))(t)
		unit := must.For(evidence.NewEpsilon("unit", []float64{1e-300, 1e-25, 1e-11, 1e-6, .1, 1, 3, 700, 1e9, 1e300}[rng.IntN(10)]))(t)
		m := NewLayered("levels", levels, unit, evidence.Claimed{Value: 1})
		near, infinite, err := m.candidateLosses(t.Context())
		if err != nil || infinite {
			t.Fatalf("infinite: %v, error %v", infinite, err)
		}
		inside, outside, all := math.Inf(-1), math.Inf(-1), 0
		seen := map[layerLoss]bool{}
		offer := func(l layerLoss) {
			if seen[l] {
				return
			}
			seen[l] = true
			all++
			// Losses are compared in units of the decay to avoid underflow.
			v, _ := m.encloseLoss(l).Quo(unit.Enclosure()).Bounds()
			if near[l] {
				inside = max(inside, v)
			} else {
				outside = max(outside, v)
			}
		}
		must.For(eachEdge(t.Context(), levels, func(*int) func(edge) { return func(e edge) { m.losses(e, offer) } }))(t)
		if outside > inside {
			t.Errorf("decay %v, layers %v: dropped a loss of %v units, the largest candidate is %v", unit, table, outside, inside)
		}
		if len(near) == 1 && all > 1 {
			alone++
		}
		if len(near) == all && all > 2 && spread > 3 && unit.Value() > 1e-9 {
			t.Errorf("decay %v, layers %v: all %d losses are candidates", unit, table, all)
		}
	}
	if alone < 100 {
		t.Errorf("only %d of 400 cases have a single candidate", alone)
	}
}

// Methods that read shared state wait for its lock.
func TestLayeredLocksSharedState(t *testing.T) {
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
		{"the logarithm of a sum", &m.lock, func() { m.logOfSum(0) }},
		{"an exact sum", &m.lock, func() { m.rationalSum(0) }},
		{"neighboring pairs", &l.edgeLock, func() { must.Be(eachEdge(t.Context(), l, func(*int) func(edge) { return func(edge) {} })) }},
	} {
		locks.Awaited(t, c.what, c.lock, c.do)
	}
}

// maxLogSum is the largest entry of logSum. NewLayered keeps e^{−decay} as a fraction only if its powers are short
// enough: 2^-100 has 101 bits.
func TestNewLayeredBounds(t *testing.T) {
	space := must.For(query.NewPathSpace(2, [][2]int{{0, 1}}))(t)
	q := must.For(query.NewNumeric("f", space, []float64{0, 1}, nil))(t)
	for _, c := range []struct {
		layer int32
		kept  bool
	}{{1, true}, {maxPowerBits / 101, true}, {maxPowerBits/101 + 1, false}} {
		decay := must.For(evidence.LogEpsilon("eps", new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), 100))))(t)
		m := NewLayered("deep", must.For(NewLayerTable(t.Context(), q, []int32{0, c.layer, 0, 0}))(t), decay, evidence.Claimed{})
		if (m.z != nil) != c.kept || m.maxLogSum != max(m.logSum[0], m.logSum[1]) || m.maxLogSum < 0.69 {
			t.Errorf("layer %d: decay %v, largest sum e^%v", c.layer, m.z, m.maxLogSum)
		}
	}
}
