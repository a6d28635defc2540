package continuous

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
)

// holdsRat fails the test unless the interval contains the rational and has a relative width of at most 2^−bits.
func holdsRat(t *testing.T, what string, got interval.Interval, want *big.Rat, bits int) {
	t.Helper()
	at := interval.Rat(want)
	size := interval.Max(at, at.Neg()).Mul(interval.Float(math.Ldexp(1, -bits)))
	if at.Upper().Less(got.Lower()) || got.Upper().Less(at.Lower()) || size.Less(got.Upper().Sub(got.Lower())) {
		t.Errorf("%s = %v, want %v", what, got, at)
	}
}

// The bound on the weight of unknown layers is that for V = [−Δ, Δ], and is attained for this V if the first layer is a
// point.
func TestUnknownLayersAreBounded(t *testing.T) {
	nothing := ringBudget{maxNodes: 0, enough: 1 << 30, maxWork: 1 << 30}
	for _, c := range []struct {
		radius   string
		ends     []string
		attained bool
	}{
		{"1/3", []string{"0", "1"}, false}, {"0", []string{"0", "5/2"}, true}, {"2", []string{"0", "1"}, false},
		{"0", []string{"1", "1"}, false}, {"0", []string{"2", "2", "3", "3"}, false}, {"1/7", []string{"1", "1", "3", "3"}, false},
	} {
		q := linearOf(t, rats(t, c.ends...)...)
		full := must.For(NewSequence(context.Background(), q, rat(t, c.radius)))(t)
		part := must.For(newSequence(context.Background(), q, rat(t, c.radius), nothing))(t)
		known, limited := part.Known()
		if !limited || known != 0 {
			t.Fatalf("V = %v: layers up to %d are known", c.ends, known)
		}
		for _, e := range []float64{1e-3, 0.3, 2, 30} {
			z := evidencetest.Epsilon(e)
			lo, hi := part.Normalizer(z).Bounds()
			want := full.Normalizer(z).Float()
			if lo > want*(1+1e-15) || hi < want*(1-1e-15) || c.attained && hi > want*(1+1e-14) {
				t.Errorf("V = %v at %g: normaliser in [%v, %v], want %v", c.ends, e, lo, hi, want)
			}
			if l, h := part.Distortion(z).Bounds(); l > full.Distortion(z).Float()*(1+1e-15) || h < full.Distortion(z).Float()*(1-1e-15) {
				t.Errorf("V = %v at %g: distortion in [%v, %v], want %v", c.ends, e, l, h, full.Distortion(z))
			}
			_, most := part.sums(rateOf(z))
			_, truth := full.sums(rateOf(z))
			truth = truth.Mul(rateOf(z).z.Pow(full.first - part.first))
			if off, _ := most.Upper().Quo(truth).Bounds(); off < 1-1e-14 || c.attained && off > 1+1e-14 {
				t.Errorf("V = %v at %g: moment bound is %v times the true moment", c.ends, e, off)
			}
		}
		m := must.For(NewLayered(part, evidencetest.Epsilon(1e-3)))(t)
		if _, err := m.Noise(1, rand.NewPCG(1, 1)); !errors.Is(err, ErrUnknownLayer) {
			t.Errorf("V = %v: draws from unknown layers: %v", c.ends, err)
		}
		if _, err := m.Density(big.NewRat(40, 1)); !errors.Is(err, ErrUnknownLayer) {
			t.Errorf("V = %v: a density in an unknown layer: %v", c.ends, err)
		}
		if _, err := m.Layers(context.Background(), 1); !errors.Is(err, ErrUnknownLayer) {
			t.Errorf("V = %v: unknown layers: %v", c.ends, err)
		}
		if got := must.For(part.Set(0))(t); !got.Equal(must.For(full.Set(0))(t)) {
			t.Errorf("V = %v: R_0 = %v", c.ends, got)
		}
		if _, ok := part.Converges(); ok {
			t.Errorf("V = %v: unknown layers converge", c.ends)
		}
		if _, err := part.Curve([]evidence.Epsilon{evidencetest.Epsilon(1e-3)}); !errors.Is(err, ErrUnknownLayer) {
			t.Errorf("V = %v: a curve of unknown layers: %v", c.ends, err)
		}
	}
	// At a large decay, the weight of unknown layers is negligible, so draws succeed.
	q := linearOf(t, rats(t, "0", "1/10", "3/10", "11/30")...)
	part := must.For(newSequence(context.Background(), q, rat(t, "1/700"), ringBudget{maxNodes: 9, enough: 1 << 30, maxWork: 1 << 30}))(t)
	known, limited := part.Known()
	if !limited || known < 1 {
		t.Fatalf("layers up to %d are known, limited %v", known, limited)
	}
	if draws, err := must.For(NewLayered(part, evidencetest.Epsilon(60)))(t).Noise(3, rand.NewPCG(1, 1)); err != nil || len(draws) != 3 {
		t.Errorf("draws at a large decay: %v, %v", draws, err)
	}
	if set, err := part.Set(known); err != nil || set.IsEmpty() {
		t.Errorf("the last known layer is %v, %v", set, err)
	}
	if _, err := part.Set(known + 1); !errors.Is(err, ErrUnknownLayer) {
		t.Errorf("the layer after the last known one: error %v, want ErrUnknownLayer", err)
	}
	if _, err := part.Set(-1); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("layer −1: %v", err)
	}
	// The limit maxWork alone can end the search.
	worked := must.For(newSequence(context.Background(), q, rat(t, "1/700"), ringBudget{maxNodes: 1 << 20, enough: 1 << 30, maxWork: 20}))(t)
	if _, limited := worked.Known(); !limited {
		t.Error("20 units of work are enough")
	}
	deep := must.For(newSequence(context.Background(), q, rat(t, "1/700"), ringBudget{maxNodes: 1 << 20, enough: 20, deep: 2, maxWork: 1 << 30}))(t)
	if known, limited := deep.Known(); !limited || known != 2 {
		t.Errorf("layers up to %d are known, want 2", known)
	}
}

// Sums match rational arithmetic for z so close to 1 that second differences cancel.
func TestSumsWhereDifferencesCancel(t *testing.T) {
	r := rand.New(rand.NewPCG(116, 3))
	one := big.NewRat(1, 1)
	for trial := range 30 {
		v, radius := RandomSet(r, 4+r.IntN(12), trial%3 == 0)
		l := must.For(NewSequence(context.Background(), must.For(ScaledQuery(v, 3))(t), big.NewRat(int64(radius), 3)))(t)
		for bits := uint(90); bits < 104; bits++ {
			rest := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), bits))
			z := new(big.Rat).Sub(one, rest)
			weight, moment := l.polynomials(rate{interval.Rat(z), interval.Rat(rest)})
			w, m := l.weights.rational(z), l.moments.rational(z)
			for range l.first {
				w.Quo(w, z)
				m.Quo(m, z)
			}
			holdsRat(t, "the weights", weight, w, 60)
			holdsRat(t, "the moments", moment, m, 60)
		}
	}
	// For z even closer to 1, total must add up all terms, including the first.
	l := sequenceOf(t, rat(t, "1/3"), rats(t, "0", "1/7", "1", "3/2")...)
	for bits := uint(194); bits < 240; bits += 5 {
		rest := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), bits))
		z := new(big.Rat).Sub(one, rest)
		holdsRat(t, "the sum of weights", l.weights.total(rate{interval.Rat(z), interval.Rat(rest)}, 0), l.weights.rational(z), 60)
	}
	// The front of a new builder is already joined.
	for _, radius := range []gridInt64{0, 1, 4, 5, 9, 10} {
		b := newRingBuilder(gridInt64(4), radius, [][2]gridInt64{{-4, 4}})
		front := slices.Clone(b.front)
		if b.coalesce(); !slices.Equal(front, b.front) {
			t.Errorf("radius %d: front %v, joined %v", radius, front, b.front)
		}
	}
}
