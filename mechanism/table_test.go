package mechanism_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/mechanism"
)

func TestTableRefusesWhatIsNoLaw(t *testing.T) {
	q := randomQuery(t, rand.New(rand.NewPCG(11, 12)), 1)
	rows := make([][]float64, q.Size())
	for x := range rows {
		rows[x] = make([]float64, len(q.Range()))
		rows[x][0] = 1
	}
	claim := evidence.Claimed{Value: 1}
	if _, err := mechanism.NewTable(mechanism.Info{Name: "table", Query: q, Claimed: claim}, rows, nil); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []float64{-1, math.NaN(), math.Inf(1)} {
		rows[0][0] = bad
		if _, err := mechanism.NewTable(mechanism.Info{Name: "table", Query: q, Claimed: claim}, rows, nil); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("weight %v gives %v, want ErrParameter", bad, err)
		}
	}
	rows[0][0] = 0
	if _, err := mechanism.NewTable(mechanism.Info{Name: "table", Query: q, Claimed: claim}, rows, nil); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("a row without weight gives %v, want ErrParameter", err)
	}
	if _, err := mechanism.NewTable(mechanism.Info{Name: "table", Query: q, Claimed: claim}, rows[1:], nil); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("a missing row gives %v, want ErrParameter", err)
	}
}
