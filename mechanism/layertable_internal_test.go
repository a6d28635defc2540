package mechanism

import (
	"math"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/query"
)

// Results are the same with and without cached profiles, and with shared and separate rows.
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
		t.Errorf("%d of %d profiles are cached, want all of so few", n, len(both[0].representative))
	}
	if both[0].LogError() != both[1].LogError() {
		t.Errorf("ln p is within %v with cached profiles, %v without", both[0].LogError(), both[1].LogError())
	}
	var cells []int32
	for x := range q.Size() {
		cells = append(cells, layers.Row(x, nil)...)
	}
	alone := NewLayered("unshared rows", must.For(NewLayerTable(t.Context(), q, cells))(t), unit, evidence.Claimed{Value: 1})
	for x := range q.Size() {
		for r := range q.Range() {
			if a, b := both[0].LogProb(x, r), alone.LogProb(x, r); a != b {
				t.Errorf("dataset %d: ln p of value %d is %v with shared rows, %v without", x, r, a, b)
			}
			if a, b := both[0].LogProb(x, r), both[1].LogProb(x, r); a != b || math.Abs(a-both[0].EncloseLog(x, r).Mid()) > both[0].LogError() {
				t.Errorf("dataset %d: ln p of value %d is %v with cached profiles, %v without, want %v", x, r, a, b, both[0].EncloseLog(x, r))
			}
		}
		a, b := Distortion(both[0], x).(evidence.Certified), Distortion(both[1], x).(evidence.Certified)
		if a.Lo != b.Lo || a.Hi != b.Hi || both[0].ProfileKey(x) != both[1].ProfileKey(x) {
			t.Errorf("dataset %d: distortion %v with its cached profile, %v without", x, a, b)
		}
	}
	a := must.For(both[0].smallestEpsilon(t.Context()))(t)
	b, err := both[1].smallestEpsilon(t.Context())
	if err != nil || a.(evidence.Certified).Lo != b.(evidence.Certified).Lo || a.(evidence.Certified).Hi != b.(evidence.Certified).Hi {
		t.Errorf("smallest ε %v with cached profiles, %v without, %v", a, b, err)
	}
}
