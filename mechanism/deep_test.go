package mechanism_test

import (
	"context"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/mechanism"
)

// Levels count from the first that a dataset reaches: those that all lie deep are the law of those that begin at 0, as exact and as near.
func TestLevelsMovedDown(t *testing.T) {
	ctx := context.Background()
	q := pathQuery(t, 3)
	made := func(down int32, e evidence.Epsilon) *mechanism.Layered {
		table := []int32{0, 0, 1, 2, 2, 3, 0, 1, 1}
		for i := range table {
			table[i] += down
		}
		l, err := mechanism.NewLayerTable(ctx, q, table)
		if err != nil {
			t.Fatal(err)
		}
		return mechanism.NewLayered("levels", l, e, evidence.Claimed{Value: 1})
	}
	for _, e := range []evidence.Epsilon{eps(t, 0.3), ln(t, 3, 1)} {
		for _, down := range []int32{1, 1000, 1 << 20} {
			m, want := made(down, e), made(0, e)
			if m.LogError() != want.LogError() {
				t.Errorf("%d levels down numbers are off by %g, want %g", down, m.LogError(), want.LogError())
			}
			for x := range 3 {
				for r := range 3 {
					p, exact := m.Rational(x, r)
					q, same := want.Rational(x, r)
					if exact != same || exact && p.Cmp(q) != 0 || m.LogProb(x, r) != want.LogProb(x, r) {
						t.Errorf("%d levels down p(%d, %d) is %v, want %v", down, x, r, p, q)
					}
				}
			}
		}
	}
}

// A dataset whose answer is always right has the distortion 0 and no logarithm of it, whichever way its law is known.
func TestNoLogOfNoDistortion(t *testing.T) {
	ctx := context.Background()
	q := pathQuery(t, 2)
	sure := [][]*big.Rat{{big.NewRat(1, 1), new(big.Rat)}, {big.NewRat(1, 3), big.NewRat(2, 3)}}
	m, err := mechanism.NewFinite(ctx, q, sure, evidence.Claimed{Value: 1})
	if err != nil {
		t.Fatal(err)
	}
	if log, ok := mechanism.LogDistortion(m, 0); ok || log.Mid() != 0 {
		t.Errorf("ln 0 is %v, %t", log, ok)
	}
	if log, ok := mechanism.LogDistortion(m, 1); !ok || !(log.Mid() < -1.0986 && log.Mid() > -1.0987) {
		t.Errorf("ln 1/3 is %v, %t", log, ok)
	}
}
