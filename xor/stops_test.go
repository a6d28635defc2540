package xor_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"dpworkbench/xor"
)

// Whatever takes a context gives its error, and nothing else, where it is done.
func TestEverythingStops(t *testing.T) {
	over, stop := context.WithCancel(context.Background())
	stop()
	dense := randomLaw(t, 4, 4, .3, rand.New(rand.NewPCG(3, 8)))
	uniform := must(xor.NewUniform(30, 3, -1, 0.01))
	for _, c := range []struct {
		what string
		do   func() error
	}{
		{"closed draws", func() error { _, _, err := uniform.Sample(over, 2, xor.Closed, rand.NewPCG(1, 1)); return err }},
		{"automatic draws of a uniform law", func() error { _, _, err := uniform.Sample(over, 2, xor.Auto, rand.NewPCG(1, 1)); return err }},
		{"enumerated draws", func() error { _, _, err := dense.Sample(over, 2, xor.Enumerated, rand.NewPCG(1, 1)); return err }},
		{"chain draws", func() error { _, _, err := dense.Sample(over, 2, xor.EHMC, rand.NewPCG(1, 1)); return err }},
		{"Gibbs draws", func() error { _, _, err := dense.Sample(over, 2, xor.Gibbs, rand.NewPCG(1, 1)); return err }},
		{"automatic draws", func() error { _, _, err := dense.Sample(over, 2, xor.Auto, rand.NewPCG(1, 1)); return err }},
		{"the loss of bits", func() error { _, err := dense.SmallestEpsilon(over, xor.FlipBits(3), xor.LossOptions{}); return err }},
		{"the loss of a row", func() error { _, err := dense.SmallestEpsilon(over, xor.FlipRow(), xor.LossOptions{}); return err }},
		{"the loss of an edge", func() error { _, err := dense.SmallestEpsilon(over, xor.FlipEdge(), xor.LossOptions{}); return err }},
		{"the normaliser", func() error { _, err := dense.LogNormalizer(over, xor.Options{}); return err }},
		{"the mean", func() error { _, err := dense.MeanOnes(over, true, xor.Options{}); return err }},
		{"the enumeration", func() error { _, err := dense.Enumerate(over, xor.Options{}); return err }},
	} {
		if err := c.do(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s give %v where the context is done", c.what, err)
		}
	}
}

// One part of 49 bits is too large to enumerate, and everything that would says so.
func TestLargePartsAreRefused(t *testing.T) {
	b := randomLaw(t, 7, 7, .3, rand.New(rand.NewPCG(3, 9)))
	if _, err := b.LogNormalizer(ctx, xor.Options{}); !errors.Is(err, xor.ErrParameter) {
		t.Errorf("the normaliser gives %v", err)
	}
	for _, complement := range []bool{false, true} {
		if _, err := b.MeanOnes(ctx, complement, xor.Options{}); !errors.Is(err, xor.ErrParameter) {
			t.Errorf("the mean gives %v", err)
		}
	}
	if _, _, err := b.Sample(ctx, 1, xor.Enumerated, rand.NewPCG(1, 1)); !errors.Is(err, xor.ErrParameter) {
		t.Errorf("enumerated draws give %v", err)
	}
}
