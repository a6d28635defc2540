package mechanism_test

import (
	"context"
	"errors"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/mechanism"
)

func TestRandomizedResponseErrors(t *testing.T) {
	for k, e := range map[int]evidence.Epsilon{1: eps(t, 1), 2: {}, 1 << 30: eps(t, 1)} {
		if m, err := mechanism.NewRandomizedResponse(t.Context(), k, e); m != nil || !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("k = %d, ε = %v: %v, %v", k, e, m, err)
		}
	}
}

// Smallest ε and δ match brute force over all events, in rational arithmetic.
func TestRandomizedResponseOnAllEvents(t *testing.T) {
	odds, at := big.NewRat(7, 2), big.NewRat(3, 2) // odds is e^ε; δ is computed at ln at
	for k := 2; k <= 7; k++ {
		m := must.For(mechanism.NewRandomizedResponse(t.Context(), k, ln(t, 7, 2)))(t)
		total := new(big.Rat).Add(odds, big.NewRat(int64(k-1), 1))
		law := func(x, r int) *big.Rat {
			if x == r {
				return new(big.Rat).Quo(odds, total)
			}
			return new(big.Rat).Inv(total)
		}
		delta := new(big.Rat)
		for event := range 1 << k {
			gap := new(big.Rat)
			for r := range k {
				if p, ok := m.Rational(1, r); !ok || p.Cmp(law(1, r)) != 0 {
					t.Fatalf("k = %d: Pr[%d | 1] = %v, want %v", k, r, p, law(1, r))
				}
				if event>>r&1 == 1 {
					gap.Add(gap, new(big.Rat).Sub(law(1, r), new(big.Rat).Mul(at, law(0, r))))
				}
			}
			if gap.Cmp(delta) > 0 {
				delta = gap
			}
		}
		if got := must.For(mechanism.Privacy(m).Delta(t.Context(), ln(t, 3, 2)))(t); got.(evidence.Exact).Value.Cmp(delta) != 0 {
			t.Errorf("k = %d: δ(ln 3/2) = %v, want %v", k, got, delta)
		}
		if got := must.For(mechanism.Privacy(m).Epsilon(t.Context(), evidence.Delta{}))(t); got.(evidence.ExactLog).Argument.Cmp(odds) != 0 {
			t.Errorf("k = %d: smallest ε %v, want ln(7/2)", k, got)
		}
	}
	for _, k := range []int{1, 1025} {
		if _, err := mechanism.NewRandomizedResponse(context.Background(), k, ln(t, 7, 2)); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("k = %d: %v", k, err)
		}
	}
}
