package mechanism_test

import (
	"context"
	"math/big"
	"slices"
	"testing"

	"dpworkbench/mechanism"
)

func TestLaws(t *testing.T) {
	m, err := mechanism.NewFinite(context.Background(), pathQuery(t, 2), [][]*big.Rat{{big.NewRat(3, 4), big.NewRat(1, 4)}, {new(big.Rat), big.NewRat(1, 1)}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := mechanism.Law(m, 0); err != nil || !slices.Equal(got, []float64{0.75, 0.25}) {
		t.Errorf("the law at 0 is %v", got)
	}
	if got, err := mechanism.Law(m, 1); err != nil || !slices.Equal(got, []float64{0, 1}) {
		t.Errorf("the law at 1 is %v", got)
	}
	laws := mechanism.RationalLaws(m)
	if len(laws) != 2 || laws[0][0].Cmp(big.NewRat(3, 4)) != 0 || laws[1][0].Sign() != 0 {
		t.Errorf("the laws are %v", laws)
	}
}
