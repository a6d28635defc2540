package query

import (
	"errors"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
)

// Invalid arguments give an error.
func TestVectorAndCountErrors(t *testing.T) {
	one := big.NewRat(1, 1)
	h, wide := must.For(NewHistograms(t.Context(), 2, 2, AddRemove))(t), must.For(NewHistograms(t.Context(), 1, 2100, AddRemove))(t)
	many := make([]int, 1<<20)
	for x := range many {
		many[x] = x % 4096
	}
	for what, err := range map[string]error{
		"too many vectors":             second(wide.vectorQuery("v", SumNorm, func(c []int, _ int) ([]*big.Rat, error) { return []*big.Rat{big.NewRat(int64(c[0]), 1)}, nil })),
		"a failing vector function":    second(wide.vectorQuery("v", SumNorm, func([]int, int) ([]*big.Rat, error) { return nil, evidence.ErrParameter })),
		"vectors with an unknown norm": second(h.vectorQuery("v", "l3", func([]int, int) ([]*big.Rat, error) { return []*big.Rat{one}, nil })),
		"large tables of counts":       second(newCountQuery("large", must.For(NewPathSpace(1<<20, nil))(t), many)),
	} {
		if !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%s: %v, want ErrParameter", what, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// Index returns an error if the universe lacks the class.
func TestIndexOfMissingClass(t *testing.T) {
	few := &Graphs{universe: &graphUniverse{nodes: 3, codes: []graphCode{0}, first: []int{0, 1, 1, 1, 1}}}
	if x, err := few.Index("Bw"); x != 0 || err == nil {
		t.Errorf("a triangle is class %d, %v", x, err)
	}
}
