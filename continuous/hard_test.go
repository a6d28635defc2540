package continuous

import (
	"context"
	"errors"
	"math"
	"math/big"
	"testing"

	"dpworkbench/internal/must"
)

// Where the budget ends first the enclosure must still hold the truth, and be
// as narrow as the layers left out allow.
func TestBudget(t *testing.T) {
	for k := range figure2[:3] {
		full := figureSequence(t, k, big.NewRat(10, 1))
		part := must.For(newSequence(context.Background(), full.query, full.radius, ringBudget{maxNodes: 150, enough: 1 << 30, maxWork: 1 << 30}))(t)
		known, limited := part.Known()
		if !limited {
			t.Fatalf("V%d closes within 150 nodes", k+1)
		}
		for _, e := range []float64{0.01, 0.1, 0.5, 1, 3} {
			lo, hi := part.Distortion(nats(t, e)).Bounds()
			p := full.Distortion(nats(t, e)).Float()
			if !(lo <= p && p <= hi) {
				t.Errorf("V%d, ε = %g: [%g, %g] misses %g", k+1, e, lo, hi, p)
			}
			if e*float64(known) > 60 && hi-lo > 1e-12*p {
				t.Errorf("V%d, ε = %g: [%g, %g] is wider than 1e-12", k+1, e, lo, hi)
			}
			nlo, nhi := part.Normalizer(nats(t, e)).Bounds()
			if n := full.Normalizer(nats(t, e)).Float(); !(nlo <= n && n <= nhi) {
				t.Errorf("V%d, ε = %g: normaliser [%g, %g] misses %g", k+1, e, nlo, nhi, n)
			}
		}
		if _, err := part.Set(known + 1); !errors.Is(err, ErrUnknownLayer) {
			t.Errorf("layer %d of %d: %v, want ErrUnknownLayer", known+1, known, err)
		}
		if _, err := part.Curve(decaysOf(t, 0.01)); !errors.Is(err, ErrUnknownLayer) {
			t.Errorf("curve at 0.01: %v, want ErrUnknownLayer", err)
		}
		for i := range min(known, 8) {
			if a, b := must.For(part.Set(i))(t), must.For(full.Set(i))(t); !a.Equal(b) {
				t.Errorf("V%d: R_%d = %v, want %v", k+1, i, a, b)
			}
		}
		if _, err := part.Certify(context.Background()); err != nil {
			t.Error(err)
		}
	}
	points := sequenceOf(t, new(big.Rat), rats(t, "1", "1", "141/100", "141/100", "3", "3")...)
	part := must.For(newSequence(context.Background(), points.query, points.radius, ringBudget{maxNodes: 80, enough: 1 << 30, maxWork: 1 << 30}))(t)
	for _, e := range []float64{0.2, 1, 2} {
		lo, hi := part.Distortion(nats(t, e)).Bounds()
		if p := points.Distortion(nats(t, e)).Float(); !(lo <= p && p <= hi) {
			t.Errorf("points, ε = %g: [%g, %g] misses %g", e, lo, hi, p)
		}
	}
}

// A tiny interval beside a far point, and points without a small common
// measure, against Minkowski sums of rational sets with a long tail.
func TestHardSets(t *testing.T) {
	for _, c := range []struct {
		radius string
		ends   []string
		last   int
	}{
		{"0", []string{"0", "1/1000", "40", "40"}, 30},
		{"1/97", []string{"0", "1/1000", "40", "40"}, 30},
		{"0", []string{"1", "1", "14142135/10000000", "14142135/10000000", "3", "3"}, 22},
		{"0", []string{"355/113", "355/113", "2.718281828", "2.718281828"}, 30},
		{"7.5", []string{"1", "1", "2", "2"}, 30},
		{"3", []string{"0", "1/3", "1/4", "1/2", "9/10", "1"}, 30},
		{"100", []string{"0", "1/2", "9", "10"}, 30},
	} {
		radius := rat(t, c.radius)
		l := must.For(newSequence(context.Background(), linearOf(t, rats(t, c.ends...)...), radius, smallBudget))(t)
		weight, moment := 0.0, 0.0
		const e = 2.5
		for i, want := range growSet(l.query, radius, c.last) {
			got := must.For(l.Set(i))(t)
			if !got.Equal(want) {
				t.Errorf("V = %v, δ = %s: R_%d = %v, want %v", c.ends, c.radius, i, got, want)
				break
			}
			z := math.Exp(-e * float64(i))
			for _, s := range want.Segments() {
				lo, _ := s.Lo.Float64()
				hi, _ := s.Hi.Float64()
				switch {
				case l.Counting():
					weight += z
					moment += z * math.Abs(lo)
				case lo < 0 && hi > 0:
					weight += z * (hi - lo)
					moment += z * (lo*lo + hi*hi) / 2
				default:
					weight += z * (hi - lo)
					moment += z * math.Abs(hi*hi-lo*lo) / 2
				}
			}
		}
		tail := math.Exp(-e*float64(c.last+1)) * 1e8
		if got := l.Distortion(nats(t, e)).Float(); math.Abs(got-moment/weight) > (1e-9+tail)*got {
			t.Errorf("V = %v, δ = %s: distortion %v, want %v", c.ends, c.radius, got, moment/weight)
		}
		if _, err := l.Certify(context.Background()); err != nil {
			t.Errorf("V = %v, δ = %s: %v", c.ends, c.radius, err)
		}
	}
}
