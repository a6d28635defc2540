package continuous

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
)

// holdsRat fails unless the interval holds the rational and is narrow to so many bits.
func holdsRat(t *testing.T, what string, got interval.Interval, want *big.Rat, bits int) {
	t.Helper()
	at := interval.Rat(want)
	size := interval.Max(at, at.Neg()).Mul(interval.Float(math.Ldexp(1, -bits)))
	if at.Upper().Less(got.Lower()) || got.Upper().Less(at.Lower()) || size.Less(got.Upper().Sub(got.Lower())) {
		t.Errorf("%s = %v, want %v", what, got, at)
	}
}

// The sums over layers are those of rational numbers, however near z is to 0 or 1.
func TestSumsAgainstRationals(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 1))
	one := big.NewRat(1, 1)
	small := func(bits uint) *big.Rat {
		return new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), bits))
	}
	for trial := range 60 {
		v, radius := randomSet(r, 1+r.IntN(12), trial%3 == 0)
		l := must.For(NewSequence(context.Background(), must.For(scaledQuery(v, 3))(t), big.NewRat(int64(radius), 3)))(t)
		for _, z := range []*big.Rat{small(300), small(20), big.NewRat(1, 2), big.NewRat(9, 10), new(big.Rat).Sub(one, small(60)), new(big.Rat).Sub(one, small(130)), new(big.Rat).Sub(one, small(600))} {
			rest := new(big.Rat).Sub(one, z)
			at := rate{interval.Rat(z), interval.Rat(rest)}
			power := new(big.Rat).SetInt64(1)
			for range l.first {
				power.Mul(power, z)
			}
			weight, moment := l.polynomials(at)
			w, m := l.weights.rational(z), l.moments.rational(z)
			w.Quo(w, power)
			m.Quo(m, power)
			holdsRat(t, "the weights", weight, w, 90)
			holdsRat(t, "the weights by themselves", l.weights.total(at, l.first), w, 90)
			holdsRat(t, "the moments", moment, m, 90)
			weight, moment = l.sums(at)
			square := new(big.Rat).Mul(rest, rest)
			holdsRat(t, "the sum of weights", weight, w.Quo(w.Mul(w, l.weightUnit()), square), 90)
			holdsRat(t, "the sum of moments", moment, m.Quo(m.Mul(m.Mul(m, l.weightUnit()), l.momentUnit()), square), 90)
		}
	}
}

// What the layers that are not known may weigh is bounded by what V = [−Δ, Δ] makes of
// them, which attains it where the first is a point.
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
			z := nats(t, e)
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
				t.Errorf("V = %v at %g: moments up to %v of the truth", c.ends, e, off)
			}
		}
		m := must.For(NewLayered(part, nats(t, 1e-3)))(t)
		if _, err := m.Noise(1, rand.NewPCG(1, 1)); !errors.Is(err, ErrUnknownLayer) {
			t.Errorf("V = %v: draws from layers that are not known: %v", c.ends, err)
		}
		if _, err := m.Density(big.NewRat(40, 1)); !errors.Is(err, ErrUnknownLayer) {
			t.Errorf("V = %v: a density in no layer that is known: %v", c.ends, err)
		}
		if _, err := m.Layers(context.Background(), 1); !errors.Is(err, ErrUnknownLayer) {
			t.Errorf("V = %v: layers that are not known: %v", c.ends, err)
		}
		if got := must.For(part.Set(0))(t); !got.Equal(must.For(full.Set(0))(t)) {
			t.Errorf("V = %v: R_0 = %v", c.ends, got)
		}
		if _, ok := part.Converges(); ok {
			t.Errorf("V = %v: layers that are not known converge", c.ends)
		}
		if _, err := part.Curve([]evidence.Epsilon{nats(t, 1e-3)}); !errors.Is(err, ErrUnknownLayer) {
			t.Errorf("V = %v: a curve of layers that are not known: %v", c.ends, err)
		}
	}
	// What is left out weighs nothing at a large decay: draws are those of the whole.
	q := linearOf(t, rats(t, "0", "1/10", "3/10", "11/30")...)
	part := must.For(newSequence(context.Background(), q, rat(t, "1/700"), ringBudget{maxNodes: 9, enough: 1 << 30, maxWork: 1 << 30}))(t)
	known, limited := part.Known()
	if !limited || known < 1 {
		t.Fatalf("layers up to %d are known, limited %v", known, limited)
	}
	if draws, err := must.For(NewLayered(part, nats(t, 60)))(t).Noise(3, rand.NewPCG(1, 1)); err != nil || len(draws) != 3 {
		t.Errorf("draws at a large decay: %v, %v", draws, err)
	}
	if set, err := part.Set(known); err != nil || set.IsEmpty() {
		t.Errorf("the last known layer is %v, %v", set, err)
	}
	if _, err := part.Set(known + 1); !errors.Is(err, ErrUnknownLayer) {
		t.Errorf("the layer after it: %v", err)
	}
	if _, err := part.Set(-1); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("layer −1: %v", err)
	}
	// Work alone ends a budget too.
	worked := must.For(newSequence(context.Background(), q, rat(t, "1/700"), ringBudget{maxNodes: 1 << 20, enough: 1 << 30, maxWork: 20}))(t)
	if _, limited := worked.Known(); !limited {
		t.Error("20 pieces of work are enough")
	}
	deep := must.For(newSequence(context.Background(), q, rat(t, "1/700"), ringBudget{maxNodes: 1 << 20, enough: 20, deep: 2, maxWork: 1 << 30}))(t)
	if known, limited := deep.Known(); !limited || known != 2 {
		t.Errorf("layers up to %d are known, want 2", known)
	}
}

// A curve is the distortion at each decay, in terms that float64 has room for and in
// others.
func TestCurveIsTheDistortion(t *testing.T) {
	for _, c := range []struct {
		radius string
		ends   []string
	}{
		{"1e-250", []string{"0", "1"}}, {"1e-250", []string{"1", "1"}}, {"0", []string{"1/10", "1/7", "1", "1"}},
		{"3", []string{"0", "1/3", "1", "1"}}, {"0", []string{"1e300", "1e300"}}, {"0", []string{"0", "1e-280"}},
	} {
		l := sequenceOf(t, rat(t, c.radius), rats(t, c.ends...)...)
		for _, decays := range [][]float64{{1}, {1e-3, 600, 690, 0.5, 20, 700}, {1e-70, 1}, {1e-59, 1e-5}} {
			got := must.For(l.Curve(decaysOf(t, decays...)))(t)
			for i, e := range decays {
				if want := l.Distortion(nats(t, e)).Float(); got[i] != want && !(math.Abs(got[i]-want) <= 1e-13*want) {
					t.Errorf("V = %v, δ = %s at %g: %v, want %v", c.ends, c.radius, e, got[i], want)
				}
			}
		}
		if none, err := l.Curve(nil); err != nil || len(none) != 0 {
			t.Errorf("a curve of nothing: %v, %v", none, err)
		}
	}
}
