package records_test

import (
	"errors"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/records"
)

// Layers and sensitivities of QuantileRange match an enumeration of all datasets. The purest mechanism and Ladder keep
// their claims.
func TestQuantileRangeMatchesEnumeration(t *testing.T) {
	eps := must.Be(evidence.NewEpsilon("eps", 1))
	for n := 2; n <= 5; n++ {
		for _, p := range [][2]*big.Rat{{rat(1, 4), rat(3, 4)}, {rat(0, 1), rat(1, 1)}, {rat(0, 1), rat(1, 2)}, {rat(1, 2), rat(1, 1)}, {rat(2, 5), rat(3, 5)}} {
			x := make([]float64, n)
			r := must.Be(records.New(x, records.Options{Lo: rat(0, 1), Hi: rat(4, 1), Grid: rat(1, 1), Neighbors: records.Replace}))
			q, err := r.QuantileRange(p[0], p[1])
			if errors.Is(err, evidence.ErrParameter) && n < 5 { // both quantiles are the same record
				continue
			}
			for layers, of := range map[string]func(q *records.Query) (records.Law, error){
				"exact":       func(q *records.Query) (records.Law, error) { return records.NewPurest(q, eps) },
				"valid bound": func(q *records.Query) (records.Law, error) { return records.NewLadder(q, eps) }, // the layers of Ladder
			} {
				v := must.For(records.Verify(t.Context(), must.For(q, err)(t), of, records.VerifyOptions{Records: n, Values: []float64{0, 1, 2, 3, 4}}))(t)
				if v.Verdict != layers || v.Local != "exact" || v.Global != "exact" || v.Gap != nil || v.Keeps != evidence.Confirmed {
					t.Errorf("%s: layers %s, sensitivities %s and %s, %+v, %s", q.Name(), v.Verdict, v.Local, v.Global, v.Gap, v.Keeps)
				}
			}
		}
	}
}

// Without a grid, moves and local sensitivities equal those on a grid that contains the records.
func TestQuantileRangeWithoutGrid(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 7))
	for range 50 {
		x := make([]float64, 2+rng.IntN(12))
		for i := range x {
			x[i] = float64(rng.IntN(101)) / 10
		}
		o := records.Options{Lo: rat(0, 1), Hi: rat(10, 1), Neighbors: records.Replace}
		free := must.For(must.Be(records.New(x, o)).QuantileRange(rat(1, 5), rat(1, 1)))(t)
		o.Grid = rat(1, 10)
		on := must.For(must.Be(records.New(x, o)).QuantileRange(rat(1, 5), rat(1, 1)))(t)
		for d := range len(x) + 2 {
			up, down, err := free.Moves(d)
			rise, fall, err2 := on.Moves(d)
			if err != nil || err2 != nil || up.Cmp(rise) != 0 || down.Cmp(fall) != 0 || must.Be(free.Local(d)).Cmp(must.Be(on.Local(d))) != 0 {
				t.Fatalf("%v at %d: %v and %v, on the grid %v and %v", x, d, up, down, rise, fall)
			}
		}
	}
	for _, p := range [][2]*big.Rat{{rat(-1, 4), rat(1, 2)}, {rat(1, 2), rat(5, 4)}, {rat(1, 2), rat(1, 2)}} {
		r := must.Be(records.New([]float64{1, 2, 3}, records.Options{Lo: rat(0, 1), Hi: rat(4, 1), Neighbors: records.Replace}))
		if _, err := r.QuantileRange(p[0], p[1]); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%v: %v", p, err)
		}
	}
	r := must.Be(records.New([]float64{1, 2, 3}, records.Options{Lo: rat(0, 1), Hi: rat(4, 1), Neighbors: records.AddRemove}))
	if _, err := r.QuantileRange(rat(0, 1), rat(1, 1)); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("add_remove: %v", err)
	}
}
