package continuous

import (
	"context"
	"dpworkbench/internal/must"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/looks"
	"dpworkbench/internal/sampling"
	"dpworkbench/interval"
)

// A decay's rate is e^{−decay} and what is left of 1, both as narrow as the decay is known, whether they are rational or not.
func TestRates(t *testing.T) {
	decays := []evidence.Epsilon{nats(t, 0.25), nats(t, 1e-9), nats(t, 30)}
	for _, base := range []*big.Rat{big.NewRat(3, 1), big.NewRat(7, 5), big.NewRat(1<<40+1, 1<<40)} {
		e := must.For(evidence.LogEpsilon("decay", base))(t)
		decays = append(decays, e)
	}
	for _, e := range decays {
		r := rateOf(e)
		z, rest := e.Enclosure().Neg().Exp(), e.Enclosure().Neg().Expm1().Neg()
		if r.z.Less(z) || z.Less(r.z) || r.rest.Less(rest) || rest.Less(r.rest) || !r.z.Narrow(200) || !r.rest.Narrow(200) {
			t.Errorf("decay %v: %v and %v, want %v and %v", e, r.z, r.rest, z, rest)
		}
		if one := r.z.Add(r.rest); one.Less(interval.Int(1)) || interval.Int(1).Less(one) {
			t.Errorf("decay %v: %v and %v are %v", e, r.z, r.rest, one)
		}
	}
}

// Parts of a draw end with the first that fails, and give what there is.
func TestDrawsEndWithTheirParts(t *testing.T) {
	broken := errors.New("broken")
	for fails := range 3 {
		parts := 0
		out, err := Draw(t.Context(), 5<<15, rand.NewPCG(1, 1), func(n int, _ rand.Source) ([]int, error) {
			if parts++; parts > fails {
				return nil, broken
			}
			return make([]int, n), nil
		})
		if parts != fails+1 || len(out) != fails<<16 || !errors.Is(err, broken) {
			t.Errorf("after %d good parts: %d parts, %d values, %v", fails, parts, len(out), err)
		}
	}
}

// A context that ends is told as such, and is no fault of a radius.
func TestGridsEnd(t *testing.T) {
	q := linearOf(t, rats(t, "0", "1")...)
	for n := range 20 {
		out, err := Grid(looks.After(t.Context(), n), q, []*big.Rat{big.NewRat(1, 3), big.NewRat(2, 7)}, []evidence.Epsilon{nats(t, 1)})
		if err == nil {
			if n < 2 || out == nil {
				t.Errorf("the context is looked at %d times", n)
			}
			return
		}
		if out != nil || !errors.Is(err, context.Canceled) || strings.Contains(err.Error(), "radii") {
			t.Errorf("after %d looks: %v, %v", n, out, err)
		}
	}
}

// sizeless is a mechanism whose noise has no mean.
type sizeless struct{ Mechanism }

func (sizeless) Distortion() evidence.Number {
	return evidence.Certified{Lo: math.Inf(1), Hi: math.Inf(1)}
}

// Where the size of the noise is not known a release asks for a grid, and takes one that is given.
func TestReleasesWithoutASize(t *testing.T) {
	z := Noise{big.NewRat(1, 3), sampling.Rat(big.NewRat(1, 3))}
	if v, err := z.onGrid(new(big.Rat), nil, sizeless{}); v != 0 || !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), "grid") {
		t.Errorf("%g, %v", v, err)
	}
	if v, err := z.onGrid(new(big.Rat), big.NewRat(1, 2), sizeless{}); v != 0.5 || err != nil {
		t.Errorf("%g, %v", v, err)
	}
	huge := must.For(NewKNormLine([]*big.Rat{rat(t, "1e308")}, nats(t, 1e-10)))(t)
	if v, err := huge.Release(t.Context(), Point{}, 1, nil, rand.NewPCG(1, 1)); v != nil || !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), "grid") {
		t.Errorf("%v, %v", v, err)
	}
}
