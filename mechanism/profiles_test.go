package mechanism

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/internal/sampling"
	"dpworkbench/interval"
	"dpworkbench/query"
)

// someLevels are levels of so many datasets on a path, few of them different, at whole values or at fractions.
func someLevels(t *testing.T, rng *rand.Rand, n int, whole bool) (q *query.Query, table []int32) {
	t.Helper()
	edges, values := make([][2]int, 0, n), make([]query.Value, n)
	rows := [][]int32{{0, 1, 1, 2}, {1, 0, 2, 1}, {2, 1, 0, query.Unreached}, {0, 0, 1, 1 << 13}}
	all := []query.Value{query.Number(0), query.Number(1), query.Number(2), query.Number(5)}
	if !whole { // no unit makes them whole
		for i := range all {
			all[i] = query.RationalValue(new(big.Rat).SetFrac64(rng.Int64N(1<<40), 1<<40-1-2*rng.Int64N(1<<20)))
		}
	}
	for x := range n {
		if x > 0 {
			edges = append(edges, [2]int{x - 1, x})
		}
		values[x] = all[rng.IntN(4)]
		table = append(table, rows[rng.IntN(4)]...)
	}
	return must.For(query.New("some", must.For(query.NewPathSpace(n, edges))(t), values, all, query.ValueMetric{}))(t), table
}

// Profiles are numbered by the first dataset that has them, each once, and datasets share one where as many values lie in each level, and as far
// away together; how many processors there are stays as it was.
func TestProfilesAreToldApart(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	rng := rand.New(rand.NewPCG(29, 3))
	for trial := range 40 {
		n := 1 + rng.IntN(60)
		q, table := someLevels(t, rng, n, trial%2 == 0)
		l := must.For(NewLayerTable(t.Context(), q, table))(t)
		number := map[string]int32{}
		for x := range n {
			count, away := map[int32]int{}, map[int32]*big.Rat{}
			for r := range 4 {
				if level := table[4*x+r]; level != query.Unreached {
					if count[level]++; away[level] == nil {
						away[level] = new(big.Rat)
					}
					away[level].Add(away[level], q.Metric().Rational(q.ValueIndex(x), r))
				}
			}
			key := fmt.Sprint(count)
			for level := range int32(1<<13 + 1) {
				if away[level] != nil {
					key += fmt.Sprint(" ", away[level].RatString())
				}
			}
			id, ok := number[key]
			if !ok {
				id = int32(len(number))
				number[key] = id
				if int(id) >= len(l.representative) || l.representative[id] != int32(x) {
					t.Fatalf("levels %v: profiles of %v, want the %d-th of dataset %d", table, l.representative, id, x)
				}
			}
			if l.profile[x] != id {
				t.Errorf("levels %v: dataset %d has the profile %d, want %d", table, x, l.profile[x], id)
			}
		}
		if len(l.representative) != len(number) {
			t.Errorf("levels %v: %d profiles, want %d", table, len(l.representative), len(number))
		}
	}
	if n := runtime.GOMAXPROCS(0); n != 3 {
		t.Errorf("there are %d processors, want 3 as before", n)
	}
}

// What two neighbors may both output falls into one outcome for each pair of levels.
func TestOutcomesAreOnePerPairOfLevels(t *testing.T) {
	q, err := query.NewNumeric("f", must.For(query.NewPathSpace(2, [][2]int{{0, 1}}))(t), []float64{0, 1}, []float64{0, 1, 2, 3, 4, 5, 6, 7})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(30, 3))
	for range 50 {
		table := make([]int32, 16)
		for i := range table {
			table[i] = rng.Int32N(3)
			if i%8 > 0 && rng.IntN(4) == 0 {
				table[i] = query.Unreached
			}
		}
		m := NewLayered("levels", must.For(NewLayerTable(t.Context(), q, table))(t), evidence.Epsilon{}, evidence.Claimed{})
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

// Whatever is known as sums of powers of e^{−ε} is a weight over a total, and draws with each power kept once.
func TestLawsAreWeightsOverTotals(t *testing.T) {
	ctx, rng := context.Background(), rand.New(rand.NewPCG(31, 3))
	eps := must.For(evidence.NewEpsilon("eps", 0.8))(t)
	whole, table := someLevels(t, rng, 6, true)
	fractions, _ := someLevels(t, rng, 6, false)
	for name, m := range map[string]Mechanism{
		"levels":    NewLayered("levels", must.For(NewLayerTable(ctx, whole, table))(t), eps, evidence.Claimed{}),
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

// Rows of a table that shares them are written into the same memory, one after the other.
func TestRowsUseMemoryAgain(t *testing.T) {
	g := must.For(query.NewGraphs(t.Context(), 4))(t)
	q := must.For(g.Count("triangle"))(t)
	layers := must.For(g.Space().DistanceTransform(t.Context(), len(q.Range()), []query.Seed{{}}))(t)
	if !layers.SharesRows() {
		t.Fatal("no rows are shared")
	}
	var b profileBuilder
	x := 0
	b.row(layers, x)
	if n := testing.AllocsPerRun(20, func() {
		x = (x + 1) % q.Size()
		b.row(layers, x)
	}); n != 0 {
		t.Errorf("each row takes memory %v times, want none", n)
	}
}

// A value is on the rung of the first t whose I_0, …, I_{t−1} reach as far, in whole steps and in rational numbers, however often these rise.
func TestRungsCountSteps(t *testing.T) {
	rng := rand.New(rand.NewPCG(32, 3))
	for range 400 {
		values := []*big.Rat{new(big.Rat)}
		whole := rng.IntN(2) == 0
		for range 5 {
			den := int64(1)
			if !whole {
				den = 1 + rng.Int64N(5)
			}
			v := big.NewRat(rng.Int64N(4)+1, den)
			values = append(values, v.Add(v, values[len(values)-1]))
		}
		var ranks, steps []query.SensitivityStep
		from := 0
		for k := range values {
			if rng.IntN(3) == 0 && k < 5 {
				continue
			}
			v, _ := values[k].Float64()
			ranks, steps = append(ranks, query.SensitivityStep{From: from, Value: float64(k)}), append(steps, query.SensitivityStep{From: from, Value: v})
			from += 1 + rng.IntN(4)
			if rng.IntN(5) == 0 {
				break
			}
		}
		d := big.NewRat(rng.Int64N(120), 1)
		if !whole {
			d.Quo(d, big.NewRat(1+rng.Int64N(7), 1))
		}
		want, left, k := int32(0), new(big.Rat).Set(d), 0
		for at := 0; left.Sign() > 0; at++ {
			if k+1 < len(ranks) && at == ranks[k+1].From {
				k++
			}
			step := values[int(ranks[k].Value)]
			if step.Sign() == 0 && k+1 == len(ranks) {
				want = query.Unreached
				break
			}
			left.Sub(left, step)
			want++
		}
		if got := rationalRung(ranks, values, d); got != want {
			t.Errorf("rises %v of %v: distance %v is on rung %d, want %d", ranks, values, d, got, want)
		}
		if f, _ := d.Float64(); whole {
			if got := rung(steps, f); got != want {
				t.Errorf("rises %v: distance %v is on rung %d, want %d", steps, f, got, want)
			}
		}
	}
}

// Where a level costs from 1 nat to a few, the losses that the filter keeps have the largest among them, though sums differ by as much.
func TestFilterWeighsLevelsAgainstSums(t *testing.T) {
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
		if _, err := eachEdge(t.Context(), l, func(*int) func(edge) {
			return func(e edge) {
				m.losses(e, func(l layerLoss) {
					v := m.encloseLoss(l)
					if best = interval.Max(best, v); near[l] {
						kept = interval.Max(kept, v)
					}
				})
			}
		}); err != nil {
			t.Fatal(err)
		}
		if kept.Less(best) {
			t.Errorf("unit %v, levels %v: the largest loss kept is %v of %v", m.decay, table, kept, best)
		}
	}
}
