package privacy

import (
	"context"
	"errors"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
)

// Losses that enclosures cannot bound are refused where they would be laid on a grid.
func TestBoundlessLossesAreRefused(t *testing.T) {
	ctx := context.Background()
	eps, err := evidence.NewEpsilon("eps", 1e80)
	if err != nil {
		t.Fatal(err)
	}
	known, err := ApproxDP(eps, new(big.Rat))
	if err != nil {
		t.Fatal(err)
	}
	a, err := Subsample(ctx, New(known), big.NewRat(1, 10), Poisson)
	if err != nil {
		t.Fatal(err)
	}
	ten, err := Compose(ctx, []*Account{a}, []int{10})
	if err != nil {
		t.Fatal(err)
	}
	if v, err := ten.Epsilon(ctx, evidencetest.Delta(1e-6)); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("ε = %v, %v, want ErrParameter", v, err)
	}
}
