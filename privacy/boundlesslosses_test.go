package privacy

import (
	"context"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
)

// Losses that enclosures cannot bound give no finite upper end.
func TestBoundlessLosses(t *testing.T) {
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
	v, err := ten.Epsilon(ctx, evidencetest.Delta(1e-6))
	if err != nil {
		t.Fatal(err)
	}
	if _, hi := v.Bounds(); hi < 3e80 {
		t.Errorf("ε = %v, want 3e80 or more", v)
	}
}
