package mechanism

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"runtime"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/looks"
	"dpworkbench/internal/must"
	"dpworkbench/query"
)

// LayerTableOf checks the context regularly.
func TestLayerTableOfIsCancelled(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // so that pieces are as many
	count := func(n int) int {
		q, table := randomLayers(t, rand.New(rand.NewPCG(3, 3)), n, true)
		ctx := looks.After(t.Context(), math.MaxInt)
		must.For(NewLayerTable(ctx, q, table))(t)
		return ctx.Looks()
	}
	if few, many := count(60), count(6000); many < few+4 {
		t.Errorf("%d looks for 60 datasets, %d for 6000, want 4 more at least", few, many)
	}
}

// Profiles are equal with and without the cache.
func TestUncachedProfilesEqualCached(t *testing.T) {
	g := must.For(query.NewGraphs(t.Context(), 5))(t)
	q := must.For(g.Count("triangle"))(t)
	seeds := make([]query.Seed, q.Size())
	for x := range seeds {
		seeds[x] = query.Seed{Dataset: x, Value: q.ValueIndex(x)}
	}
	layers := must.For(g.Space().DistanceTransform(t.Context(), len(q.Range()), seeds))(t)
	unit := must.For(evidence.NewEpsilon("unit", 0.7))(t)
	var both [2]*Layered
	for i := range both {
		l := must.For(LayerTableOf(t.Context(), q, layers))(t)
		if i == 1 {
			l.cached = nil
		}
		both[i] = NewLayered("levels", l, unit, evidence.Claimed{Value: 1})
	}
	if n := len(both[0].cached); n == 0 || n != len(both[0].representative) {
		t.Errorf("%d of %d profiles are kept, want all where they are few", n, len(both[0].representative))
	}
	if both[0].LogError() != both[1].LogError() {
		t.Errorf("ln p is within %v with profiles kept, %v without", both[0].LogError(), both[1].LogError())
	}
	for x := range q.Size() {
		for r := range q.Range() {
			if a, b := both[0].LogProb(x, r), both[1].LogProb(x, r); a != b || math.Abs(a-both[0].EncloseLog(x, r).Mid()) > both[0].LogError() {
				t.Errorf("dataset %d: ln p of value %d is %v with profiles kept, %v without, want %v", x, r, a, b, both[0].EncloseLog(x, r))
			}
		}
		a, b := Distortion(both[0], x).(evidence.Certified), Distortion(both[1], x).(evidence.Certified)
		if a.Lo != b.Lo || a.Hi != b.Hi || both[0].ProfileKey(x) != both[1].ProfileKey(x) {
			t.Errorf("dataset %d: distortion %v with its profile kept, %v without", x, a, b)
		}
	}
	a := must.For(both[0].smallestEpsilon(t.Context()))(t)
	b, err := both[1].smallestEpsilon(t.Context())
	if err != nil || a.(evidence.Certified).Lo != b.(evidence.Certified).Lo || a.(evidence.Certified).Hi != b.(evidence.Certified).Hi {
		t.Errorf("smallest ε %v with profiles kept, %v without, %v", a, b, err)
	}
}

// randomLayers returns layers of n datasets on a path with few different rows, at integer or rational values.
func randomLayers(t *testing.T, rng *rand.Rand, n int, whole bool) (q *query.Query, table []int32) {
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

// Profiles are numbered by their first dataset. Datasets share one if the counts and distances of all layers
// agree, for any number of processors.
func TestProfilesAreDistinguished(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	rng := rand.New(rand.NewPCG(29, 3))
	for trial := range 40 {
		n := 1 + rng.IntN(60)
		q, table := randomLayers(t, rng, n, trial%2 == 0)
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
