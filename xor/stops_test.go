package xor_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"dpworkbench/evidence"
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
		{"closed draws", func() error { _, _, err := uniform.Noise(over, 2, xor.Closed, rand.NewPCG(1, 1)); return err }},
		{"automatic draws of a uniform law", func() error { _, _, err := uniform.Noise(over, 2, xor.Auto, rand.NewPCG(1, 1)); return err }},
		{"enumerated draws", func() error { _, _, err := dense.Noise(over, 2, xor.Enumerated, rand.NewPCG(1, 1)); return err }},
		{"chain draws", func() error { _, _, err := dense.Noise(over, 2, xor.EHMC, rand.NewPCG(1, 1)); return err }},
		{"Gibbs draws", func() error { _, _, err := dense.Noise(over, 2, xor.Gibbs, rand.NewPCG(1, 1)); return err }},
		{"automatic draws", func() error { _, _, err := dense.Noise(over, 2, xor.Auto, rand.NewPCG(1, 1)); return err }},
		{"the loss of bits", func() error { _, err := smallest(over, dense, xor.FlipBits(3), xor.LossOptions{}); return err }},
		{"the loss of a row", func() error { _, err := smallest(over, dense, xor.FlipRows(1), xor.LossOptions{}); return err }},
		{"the loss of an edge", func() error { _, err := smallest(over, dense, xor.FlipEdges(1), xor.LossOptions{}); return err }},
		{"the normaliser", func() error { _, err := dense.LogNormalizer(over); return err }},
		{"the mean", func() error { _, err := dense.MeanOnes(over, true); return err }},
		{"the enumeration", func() error { _, err := dense.Enumerate(over); return err }},
	} {
		if err := c.do(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s give %v where the context is done", c.what, err)
		}
	}
}

// One part of 49 bits is too large to enumerate, and everything that would says so.
func TestLargePartsAreRefused(t *testing.T) {
	b := randomLaw(t, 7, 7, .3, rand.New(rand.NewPCG(3, 9)))
	if _, err := b.LogNormalizer(ctx); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("the normaliser gives %v", err)
	}
	for _, complement := range []bool{false, true} {
		if _, err := b.MeanOnes(ctx, complement); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("the mean gives %v", err)
		}
	}
	if _, _, err := b.Noise(ctx, 1, xor.Enumerated, rand.NewPCG(1, 1)); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("enumerated draws give %v", err)
	}
}

// countdown is done after so many looks at it.
type countdown struct {
	context.Context
	left *atomic.Int64
}

func (c countdown) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// A search that is stopped anywhere says so, or has its whole answer.
func TestLossStopsAnywhere(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 10))
	for _, b := range []*xor.Bernoulli{randomLaw(t, 3, 3, .5, rng), sparseLaw(t, 3, 3, .2, rng), must(xor.NewUniform(3, 3, -1, .1))} {
		pattern := must(xor.NewBits(3, 3))
		pattern.Set(0, 1, true)
		pattern.Set(2, 0, true)
		for i, nb := range []xor.Neighbors{xor.FlipBits(2), xor.FlipRows(1), xor.FlipEdges(1), xor.FlipPatterns(pattern)} {
			whole := must(smallest(ctx, b, nb, xor.LossOptions{}))
			stopped, finished := 0, false
			for n := int64(0); n < 400 && !finished; n++ {
				var left atomic.Int64
				left.Store(n)
				got, err := smallest(countdown{ctx, &left}, b, nb, xor.LossOptions{})
				switch {
				case errors.Is(err, context.Canceled):
					stopped++
				case err != nil:
					t.Fatalf("neighbors %d, done after %d looks: %v", i, n, err)
				case got.Lo != whole.Lo || got.Hi != whole.Hi:
					t.Fatalf("neighbors %d, done after %d looks: [%v, %v], want [%v, %v]", i, n, got.Lo, got.Hi, whole.Lo, whole.Hi)
				default:
					finished = left.Load() >= 0
				}
			}
			if !finished {
				t.Errorf("neighbors %d: no end after %d looks", i, stopped)
			}
		}
	}
}
