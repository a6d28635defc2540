package program

import (
	"errors"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/locks"
	"dpworkbench/internal/must"
)

// The ratios of a program are computed once, by whoever asks first, and all others wait: a program at a value of its symbol, too.
func TestRatiosAreShared(t *testing.T) {
	p := must.For(New(t.Context(), "response", line(t, 2), response(), Default))(t)
	at := p.At(must.For(evidence.NewEpsilon("eps", 1))(t))
	for what, do := range map[string]func() error{
		"a decision":   func() error { _, err := p.Private(t.Context(), big.NewRat(1, 1)); return err },
		"a smallest ε": func() error { _, err := at.SmallestEpsilon(t.Context()); return err },
	} {
		locks.Awaited(t, what, p.extremes, func() {
			if err := do(); err != nil {
				t.Error(err)
			}
		})
	}
	first := &p.extremes.all[0]
	if _, err := at.SmallestEpsilon(t.Context()); err != nil || first != &p.extremes.all[0] {
		t.Errorf("ratios are computed again, %v", err)
	}
}

// A coin that is tossed in a replay says nothing any more once the run has failed.
func TestNoCoinsAfterAnError(t *testing.T) {
	half := RationalProbability(big.NewRat(1, 2))
	n := &Noise{rates: newRates()}
	n.state.prob = n.rates.field.one()
	for range 3 {
		if n.Flip(half) {
			t.Fatal("heads first")
		}
	}
	for i := range n.stack {
		n.stack[i].taken = 1
	}
	n.at = 0
	if !n.Flip(half) || n.at != 1 {
		t.Error("a replay does not tell what it is to go on with")
	}
	n.Fail(errors.New("failed"))
	for range 2 {
		if n.Flip(half) || n.at != 1 {
			t.Error("a coin is tossed after an error")
		}
	}
}
