package continuous

import (
	"context"
	"math"
	"math/big"
	"testing"

	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/privacy"
)

// The enclosures for every budget contain the same number, also if only the first layers are known.
func TestWorstShiftWithinBudgets(t *testing.T) {
	ctx := context.Background()
	ends := rats(t, "0", "0.7", "3.14159265358", "3.3", "10.01", "10.7")
	full := must.For(NewLayered(sequenceOf(t, rat(t, "0.37"), ends...), evidencetest.Epsilon(1)))(t)
	want := must.For(full.grows(ctx))(t).Enclosure
	if !want.Narrow(100) {
		t.Fatalf("growth %v", want)
	}
	widths := map[float64]bool{}
	for _, budget := range []int{0, 1 << 8, 1 << 10, 1 << 12, 1 << 14, 1 << 22} {
		got := must.For(full.largestGrowth(ctx, budget))(t).Enclosure
		if got.CmpLo(want) > 0 || got.CmpHi(want) < 0 {
			t.Errorf("budget %d: %v, without a limit %v", budget, got, want)
		}
		lo, hi := got.Bounds()
		widths[hi-lo] = true
	}
	if len(widths) < 3 {
		t.Errorf("widths %v of six budgets", widths)
	}
	whole := must.For(largestGrowth(ctx, full, worstBudget, func(v *big.Int) gridBig { return gridBig{v} }, func(v gridBig) float64 {
		share, _ := new(big.Rat).SetFrac(v.v, full.reachable()).Float64()
		return share
	}))(t).Enclosure
	if whole.CmpLo(want) != 0 || whole.CmpHi(want) != 0 {
		t.Errorf("in big.Int arithmetic %v, otherwise %v", whole, want)
	}
	q := full.Query()
	for _, deep := range []int{1, 2, 5, 9} {
		part := must.For(newSequence(ctx, q, rat(t, "0.37"), ringBudget{1, deep, 1 << 17, 1 << 22}))(t)
		if part.closed {
			t.Fatalf("closed after %d layers", deep)
		}
		m := must.For(NewLayered(part, evidencetest.Epsilon(1)))(t)
		got := must.For(m.grows(ctx))(t).Enclosure
		if got.CmpLo(want) > 0 || got.CmpHi(want) < 0 {
			t.Errorf("%d layers: %v, with all %v", deep, got, want)
		}
		if deep == 9 && !got.Narrow(3) {
			t.Errorf("9 layers: %v, with all %v", got, want)
		}
		// The width of the enclosure is at most a small multiple of the weight from the last known layer on.
		tail, all := 0.0, 0.0
		for i := range 60 {
			w, _ := full.Weight(i).Float64()
			if w *= math.Exp(-float64(i)); i >= part.known {
				tail += w
			}
			all += w
		}
		if lo, hi := got.Bounds(); hi-lo > 6*tail/(all-tail) {
			t.Errorf("%d layers: enclosure [%v, %v] is too wide, weight beyond them %v of %v", deep, lo, hi, tail, all)
		}
		f := must.For(m.Pairs(ctx))(t)
		a := must.For(privacy.Compose(ctx, []*privacy.Account{privacy.New(f)}, []int{3}))(t)
		b := must.For(privacy.Compose(ctx, []*privacy.Account{privacy.New(must.For(full.Pairs(ctx))(t))}, []int{3}))(t)
		_, over := must.For(a.Delta(ctx, evidencetest.Epsilon(1)))(t).Bounds()
		least, _ := must.For(b.Delta(ctx, evidencetest.Epsilon(1)))(t).Bounds()
		if !f.Bound || over < least {
			t.Errorf("%d layers: three uses have δ of at most %g, with all layers at least %g", deep, over, least)
		}
	}
}
