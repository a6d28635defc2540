package xor_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/xor"
)

// Exponents that are multiples of one number keep losses on a lattice, so that many uses are as narrow as a few.
func TestManyUsesOnALattice(t *testing.T) {
	b := must.Be(xor.NewBernoulli([][]float64{{0.5, 0.25, 0}, {0.25, -0.75, 0.125}, {0, 0.125, 0.25}}, nil, 1))
	f := must.Be(b.PairsUnder(xor.FlipBits(1)))
	e := must.Be(usesOf(t, f, 300).Epsilon(t.Context(), evidencetest.Delta(1e-6)))
	if lo, hi := e.Bounds(); !(lo > 0 && hi-lo < 1e-10*hi) {
		t.Errorf("ε of 300 uses in [%v, %v]", lo, hi)
	}
}

// A pair that was broken off is the context's error, and is had in full by who asks next.
func TestPairsBrokenOff(t *testing.T) {
	ended, end := context.WithCancel(t.Context())
	end()
	b := must.Be(xor.NewUniform(3, 2, 0.4, 0.1))
	broken, whole := must.Be(b.PairsUnder(xor.FlipBits(2))), must.Be(b.PairsUnder(xor.FlipBits(2)))
	for i := range broken.Size {
		if p, err := broken.Pair(ended, i); p != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("pair %d after the end: %v, %v", i, p, err)
		}
		got, want := must.Be(must.Be(broken.Pair(t.Context(), i)).Delta(t.Context(), nats(0.25))), must.Be(must.Be(whole.Pair(t.Context(), i)).Delta(t.Context(), nats(0.25)))
		if got.Enclosure.Mid() != want.Enclosure.Mid() {
			t.Errorf("pair %d: δ is %v after it was broken off, want %v", i, got, want)
		}
	}
}

// Losses say how they were found: by closed forms, by all patterns, or by what a search had time for.
func TestLossesSayHow(t *testing.T) {
	b := must.Be(xor.NewBernoulli([][]float64{{0.5, 0.25}, {0.25, -0.75}}, nil, 3))
	for name, c := range map[string]struct {
		opts xor.LossOptions
		want string
	}{"in full": {xor.LossOptions{}, "maximum over patterns"}, "stopped": {xor.LossOptions{Work: 1}, "branch and bound, stopped early"}} {
		got := must.Be(smallest(t.Context(), b, xor.FlipBits(2), c.opts))
		if stopped := c.opts.Work > 0; got.Complete && stopped {
			continue // there was nothing to search
		}
		if !strings.Contains(got.Method, c.want) || got.Source == "" {
			t.Errorf("%s: by %q of %q", name, got.Method, got.Source)
		}
	}
}

// No matrix has no rows and no columns.
func TestShapeOfNoMatrix(t *testing.T) {
	var none *xor.Bits
	if n, p := none.Shape(); n != 0 || p != 0 {
		t.Errorf("no matrix is %d × %d", n, p)
	}
}
