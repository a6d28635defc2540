package mechanism

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/locks"
	"dpworkbench/internal/must"
	"dpworkbench/internal/sampling"
	"dpworkbench/interval"
	"dpworkbench/query"
)

// LogError derives from the largest sum of weights and the last layer.
func TestSumErrorBoundsLargestSum(t *testing.T) {
	const n = 40
	edges := make([][2]int, 0, n)
	values := make([]float64, n)
	for x := 1; x < n; x++ {
		edges = append(edges, [2]int{x - 1, x})
		values[x] = float64(x)
	}
	space := must.For(query.NewPathSpace(n, edges))(t)
	q := must.For(query.NewNumeric("path", space, values, nil))(t)
	for _, u := range []float64{1e-9, .1, 3} {
		table := make([]int32, n*n)
		for i := range table {
			table[i] = int32(min(i%n, 7))
		}
		levels := must.For(NewLayerTable(t.Context(), q, table))(t)
		unit := must.For(evidence.NewEpsilon("unit", u))(t)
		m := NewLayered("levels", levels, unit, evidence.Claimed{Value: 1})
		var sum float64
		for r := range n {
			sum += math.Exp(-u * float64(min(r, 7)))
		}
		if got, least := m.LogError(), logError(math.Log(sum))+2*expError+n*0x1p-51+0x1p-51*7*u; !(got >= least*(1-1e-9) && got <= 1.01*least) {
			t.Errorf("decay %v: the error is %v, want %v", u, got, least)
		}
		for i, s := range m.logSum {
			if math.Abs(s-math.Log(sum)) > 1e-12 {
				t.Errorf("decay %v: ln of sum %d is %v", u, i, s)
			}
		}
	}
}

// candidateLosses contains a largest loss at every decay, and only it if all others are far below.
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
			// In units, so that nothing underflows.
			v, _ := m.encloseLoss(l).Quo(unit.Enclosure()).Bounds()
			if near[l] {
				inside = max(inside, v)
			} else {
				outside = max(outside, v)
			}
		}
		must.For(eachEdge(t.Context(), levels, func(*int) func(edge) { return func(e edge) { m.losses(e, offer) } }))(t)
		if outside > inside {
			t.Errorf("decay %v, layers %v: a loss of %v units is left out, the largest kept is %v", unit, table, outside, inside)
		}
		if len(near) == 1 && all > 1 {
			alone++
		}
		if len(near) == all && all > 2 && spread > 3 && unit.Value() > 1e-9 {
			t.Errorf("decay %v, layers %v: all %d losses are kept", unit, table, all)
		}
	}
	if alone < 100 {
		t.Errorf("in %d of 400 cases one loss is kept", alone)
	}
}

// Shared state waits for the lock.
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
		{"its logarithm", &m.lock, func() { m.logOfSum(0) }},
		{"an exact sum", &m.lock, func() { m.rationalSum(0) }},
		{"neighboring pairs", &l.edgeLock, func() { must.Be(eachEdge(t.Context(), l, func(*int) func(edge) { return func(edge) {} })) }},
	} {
		locks.Awaited(t, c.what, c.lock, c.do)
	}
}

// outcomes returns one group for each pair of layers.
func TestOutcomesGroupByLayers(t *testing.T) {
	q := must.For(query.NewNumeric("f", must.For(query.NewPathSpace(2, [][2]int{{0, 1}}))(t), []float64{0, 1}, []float64{0, 1, 2, 3, 4, 5, 6, 7}))(t)
	rng := rand.New(rand.NewPCG(30, 3))
	for range 50 {
		table := make([]int32, 16)
		for i := range table {
			table[i] = rng.Int32N(3)
			if i%8 > 0 && rng.IntN(4) == 0 {
				table[i] = query.Unreached
			}
		}
		m := NewLayered("layers", must.For(NewLayerTable(t.Context(), q, table))(t), evidence.Epsilon{}, evidence.Claimed{})
		for x := range 2 {
			want := map[[2]int32][]int{}
			for r := range 8 {
				if pair := [2]int32{table[8*x+r], table[8*(1-x)+r]}; pair[0] != query.Unreached {
					want[pair] = append(want[pair], r)
				}
			}
			_, out := m.outcomes(x, 1-x)
			for _, o := range out {
				if pair := [2]int32{table[8*x+o.r], table[8*(1-x)+o.r]}; !slices.Equal(o.values, want[pair]) || !slices.Contains(o.values, o.r) {
					t.Errorf("levels %v: the values %v are one outcome, want %v", table, o.values, want[pair])
				}
			}
			if len(out) != len(want) {
				t.Errorf("levels %v: %d outcomes, want %d", table, len(out), len(want))
			}
		}
	}
}

// exponentials returns weight and total of each probability, and samplingNumber caches powers.
func TestExponentialsAreWeightsOverTotals(t *testing.T) {
	ctx, rng := context.Background(), rand.New(rand.NewPCG(31, 3))
	eps := must.For(evidence.NewEpsilon("eps", 0.8))(t)
	whole, table := randomLayers(t, rng, 6, true)
	fractions, _ := randomLayers(t, rng, 6, false)
	for name, m := range map[string]Mechanism{
		"levels":    NewLayered("layers", must.For(NewLayerTable(ctx, whole, table))(t), eps, evidence.Claimed{}),
		"ladder":    must.For(NewLadder(ctx, whole, eps))(t),
		"laplace":   must.For(NewLaplace(ctx, whole, eps))(t),
		"geometric": must.For(NewGeometric(ctx, whole, eps))(t),
		"fractions": must.For(NewExponential(ctx, fractions, eps))(t),
	} {
		for x := range 6 {
			powers, known := map[string]bool{}, map[string]sampling.Number{}
			for r := range m.Query().Range() {
				if sign, exact := m.Enclose(x, r).Sign(); sign == 0 && exact {
					continue
				}
				weight, total, at, ok := m.(exponentialLaw).exponentials(x, r)
				if !ok {
					t.Fatalf("%s is known in no powers", name)
				}
				off := weight.Enclose(at).Quo(total.Enclose(at)).Sub(m.Enclose(x, r))
				if lo, hi := off.Bounds(); lo > 0 || hi < 0 || hi-lo > 1e-60 {
					t.Errorf("%s: %v over %v is off p^%d(%d) by %v", name, weight, total, x, r, off)
				}
				for of := range weight.Terms() {
					powers[of.RatString()] = true
				}
				weight.samplingNumber(at, known)
			}
			if len(known) != len(powers) {
				t.Errorf("%s: %d powers are kept at dataset %d, want %d", name, len(known), x, len(powers))
			}
		}
	}
}

// candidateLosses contains the largest loss at decays of one to several nats.
func TestCandidateLossesAtAllDecays(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 3))
	const n, size = 5, 40
	values, all, edges := make([]float64, n), make([]float64, size), make([][2]int, 0, n)
	for x := 1; x < n; x++ {
		edges = append(edges, [2]int{x - 1, x})
	}
	for r := range all {
		all[r] = float64(r)
	}
	q := must.For(query.NewNumeric("path", must.For(query.NewPathSpace(n, edges))(t), values, all))(t)
	for range 150 {
		table := make([]int32, 0, n*size)
		for range n {
			first := 1 + rng.IntN(1+rng.IntN(size-1)) // so many in the first level
			step := 1 + rng.Int32N(3)
			for r := range size {
				level := int32(0)
				if r >= first {
					level = step
				}
				table = append(table, level)
			}
		}
		l := must.For(NewLayerTable(t.Context(), q, table))(t)
		m := NewLayered("levels", l, must.For(evidence.NewEpsilon("unit", 0.5+3*rng.Float64()))(t), evidence.Claimed{})
		near, _, err := m.candidateLosses(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		kept, best := interval.Int(0), interval.Int(0)
		must.For(eachEdge(t.Context(), l, func(*int) func(edge) {
			return func(e edge) {
				m.losses(e, func(l layerLoss) {
					v := m.encloseLoss(l)
					if best = interval.Max(best, v); near[l] {
						kept = interval.Max(kept, v)
					}
				})
			}
		}))(t)
		if kept.Less(best) {
			t.Errorf("decay %v, layers %v: the largest loss kept is %v of %v", m.decay, table, kept, best)
		}
	}
}
