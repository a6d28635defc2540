package privacy

import (
	"context"
	"errors"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/ctxtest"
	"dpworkbench/internal/must"
)

// A statement searches for its pair only when a method needs it, and returns the errors of that search.
func TestStatementsReturnSearchErrors(t *testing.T) {
	broken := errors.New("the pair cannot be had")
	half := must.For(evidence.NewEpsilon("eps", 0.5))(t)
	pmfs := []*big.Rat{big.NewRat(1, 3), big.NewRat(2, 3)}
	fails := func() *DominatingPairs {
		return &DominatingPairs{Name: "broken", Size: 2, Pair: func(context.Context, int) (Pair, error) { return nil, broken }}
	}
	if orders, err := (&CompositionStatement{of: New(fails()), At: &half}).RenyiOrders(t.Context(), half, 0.5); orders != nil || !errors.Is(err, broken) {
		t.Errorf("orders %v, %v", orders, err)
	}
	late := fails()
	late.Screen = func(int) *Screen { return NewScreen(pmfs, []*big.Rat{pmfs[1], pmfs[0]}) }
	if i, found, err := (&CompositionStatement{of: New(late), At: &half}).Witness(t.Context(), half, false); i != 0 || found || !errors.Is(err, broken) {
		t.Errorf("witness %d, %t, %v", i, found, err)
	}
	pair := lawsOf(t, 20, []int64{12, 6, 2}, []int64{4, 6, 10})
	ctxtest.EachPoll(t, 2, func(ctx context.Context) error {
		orders, err := (&CompositionStatement{of: New(PairAndReverse("pair", "test", pair)), At: &half}).RenyiOrders(ctx, half, 0.5)
		if err != nil && orders != nil {
			t.Errorf("orders %v, %v", orders, err)
		}
		return err
	})
}
