package privacy

import (
	"context"
	"dpworkbench/internal/must"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
)

// Losses that enclosures cannot bound give no finite upper end.
func TestBoundlessLosses(t *testing.T) {
	ctx := context.Background()
	eps := must.For(evidence.NewEpsilon("eps", 1e80))(t)
	known := must.For(ApproxDP(eps, new(big.Rat)))(t)
	a := must.For(Subsample(ctx, New(known), big.NewRat(1, 10), Poisson))(t)
	ten := must.For(Compose(ctx, []*Account{a}, []int{10}))(t)
	v := must.For(ten.Epsilon(ctx, evidencetest.Delta(1e-6)))(t)
	if _, hi := v.Bounds(); hi < 3e80 {
		t.Errorf("ε = %v, want 3e80 or more", v)
	}
}
