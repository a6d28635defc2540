package workload

import (
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/must"

	"gonum.org/v1/gonum/mat"
)

// f and its slopes match the singular values, for rows stored by entries and by differences.
func TestManyRowsDualEqualsDense(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 58))
	ranges := must.For(Ranges(9))(t)
	normal := mat.NewDense(45, 9, nil)
	normal.Apply(func(i, j int, _ float64) float64 {
		if (i+j)%2 == 0 {
			return 0
		}
		return rng.NormFloat64()
	}, normal)
	for k, w := range []*mat.Dense{ranges.dense, normal} {
		rows := newManyRows(w)
		if rows.summed != (k == 0) {
			t.Errorf("matrix %d: stored by differences: %v", k, rows.summed)
		}
		got, err := rows.at(positive(rng, 54))
		if err != nil {
			t.Fatal(err)
		}
		want, err := denseDual(w, Max, false).at(t.Context(), got.x[:45], got.x[45:])
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(got.f/want.f-1) > 1e-12 {
			t.Errorf("matrix %d: f = %v, want %v", k, got.f, want.f)
		}
		for i, v := range want.slope {
			if d := got.slope[i] * got.x[i] / 2; math.Abs(d-v) > 1e-10*want.f {
				t.Errorf("matrix %d: slope %d is %v, want %v", k, i, d, v)
			}
		}
	}
}

// The search without curvature finds the same least error as the search by Newton steps.
func TestManyRowsFindSameOptimum(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 58))
	d := mat.NewDense(60, 5, nil)
	d.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, d)
	w, err := NewMatrix("w", d)
	if err != nil {
		t.Fatal(err)
	}
	s, err := newSearch(w, Max, Participation{}, Options{Gap: 1e-6})
	if err != nil {
		t.Fatal(err)
	}
	slow, err := s.run(t.Context())
	if err != nil || s.hasManyRows() {
		t.Fatal(err)
	}
	fast, gap, err := s.runRows(t.Context())
	if err != nil || gap > 1e-6 || fast.Error.Lo > slow.Error.Hi || slow.Error.Lo > fast.Error.Hi {
		t.Errorf("[%v, %v] and [%v, %v], %v", fast.Error.Lo, fast.Error.Hi, slow.Error.Lo, slow.Error.Hi, err)
	}
	if !(fast.Error.Hi <= fast.Error.Lo*(1+2e-6)) {
		t.Errorf("relative gap %v", fast.Error.Hi/fast.Error.Lo-1)
	}
}
