package query

import (
	"errors"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
)

// An error of the function given to vectorQuery is returned, and newCountQuery rejects a table that is too large.
func TestVectorAndCountErrors(t *testing.T) {
	h := must.For(NewHistograms(t.Context(), 2, 2, AddRemove))(t)
	many := make([]int, 1<<20)
	for x := range many {
		many[x] = x % 4096
	}
	for what, err := range map[string]error{
		"a failing vector function": second(h.vectorQuery("v", SumNorm, func([]int, int) ([]*big.Rat, error) { return nil, evidence.ErrParameter })),
		"large tables of counts":    second(newCountQuery("large", must.For(NewPathSpace(1<<20, nil))(t), many)),
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
