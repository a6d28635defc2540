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
	"dpworkbench/internal/cases"
	"dpworkbench/internal/must"
)

func linearOf(t testing.TB, ends ...*big.Rat) *Linear {
	t.Helper()
	var v [][2]*big.Rat
	for i := 0; i < len(ends); i += 2 {
		v = append(v, [2]*big.Rat{ends[i], ends[i+1]})
	}
	return must.For(NewLinear(v))(t)
}

func sequenceOf(t testing.TB, radius *big.Rat, ends ...*big.Rat) *Sequence {
	t.Helper()
	return must.For(NewSequence(context.Background(), linearOf(t, ends...), radius))(t)
}

func rat(t testing.TB, s string) *big.Rat {
	t.Helper()
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		t.Fatalf("%q is not a number", s)
	}
	return r
}

func rats(t testing.TB, s ...string) (out []*big.Rat) {
	for _, v := range s {
		out = append(out, rat(t, v))
	}
	return out
}

// smallBudget ends the search early, after the first layers of every set in these tests.
var smallBudget = ringBudget{enough: 1 << 15, deep: 40, maxNodes: 1 << 11, maxWork: 1 << 17}

// If the grid is too fine for int64, NewSequence uses big.Int, with the same results.
func TestGridArithmetic(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	same := func(a, b ringNode[*big.Int]) bool {
		return a.at.Cmp(b.at) == 0 && slices.Equal(a.point, b.point) && slices.Equal(a.gap, b.gap)
	}
	for range 60 {
		v, radius := RandomSet(r, 20, false)
		l := must.For(NewSequence(context.Background(), must.For(ScaledQuery(v, 1))(t), big.NewRat(int64(radius), 1)))(t)
		var components [][2]*big.Int
		for _, s := range l.query.NeighboringSet().Segments() {
			components = append(components, [2]*big.Int{l.grid(s.Lo), l.grid(s.Hi)})
		}
		o := &Sequence{length: l.length}
		err := fill(context.Background(), o, l.grid(l.radius), components, fullBudget, func(v *big.Int) gridBig { return gridBig{v} })
		if err != nil || !o.closed || !slices.EqualFunc(o.nodes, l.nodes, same) {
			t.Fatalf("V = %v, radius %d: rings on big.Int and on int64 differ (%v)", v, radius, err)
		}
	}
	for _, c := range []struct {
		radius string
		bits   int
	}{{"1/1000000007", 63}, {"1/1000000000000000000000000007", 127}} {
		fine := must.For(NewLinear([][2]*big.Rat{{rat(t, "1/998244353"), rat(t, "1/4")}, {rat(t, "1/2"), rat(t, "500000005/1000000009")}}))(t)
		l := must.For(newSequence(context.Background(), fine, rat(t, c.radius), smallBudget))(t)
		if got := gridBits(l.length, l.grid(l.radius)); got < c.bits {
			t.Errorf("δ = %s: grid of %d bits, want at least %d", c.radius, got, c.bits)
		}
		for i, want := range growSet(l.query, l.radius, 4) {
			if got := must.For(l.Set(i))(t); !got.Equal(want) {
				t.Errorf("δ = %s: R_%d = %v, want %v", c.radius, i, got, want)
			}
		}
	}
}

// If the budget ends early, the enclosure still contains the true value, and its width is limited by the omitted
// layers.
func TestBudget(t *testing.T) {
	for k, ends := range [][]string{{"0", "1", "1000", "1001"}, {"0", "100", "1000", "1001"}, {"0", "500", "1000", "1001"}} { // the paper's Figure 2
		full := sequenceOf(t, big.NewRat(10, 1), rats(t, ends...)...)
		part := must.For(newSequence(context.Background(), full.query, full.radius, ringBudget{maxNodes: 150, enough: 1 << 30, maxWork: 1 << 30}))(t)
		known, limited := part.Known()
		if !limited {
			t.Fatalf("V%d closes within 150 nodes", k+1)
		}
		for _, e := range []float64{0.01, 0.1, 0.5, 1, 3} {
			lo, hi := part.Distortion(evidencetest.Epsilon(e)).Bounds()
			p := full.Distortion(evidencetest.Epsilon(e)).Float()
			if !(lo <= p && p <= hi) {
				t.Errorf("V%d, ε = %g: [%g, %g] misses %g", k+1, e, lo, hi, p)
			}
			if e*float64(known) > 60 && hi-lo > 1e-12*p {
				t.Errorf("V%d, ε = %g: [%g, %g] is wider than 1e-12", k+1, e, lo, hi)
			}
			nlo, nhi := part.Normalizer(evidencetest.Epsilon(e)).Bounds()
			if n := full.Normalizer(evidencetest.Epsilon(e)).Float(); !(nlo <= n && n <= nhi) {
				t.Errorf("V%d, ε = %g: normaliser [%g, %g] misses %g", k+1, e, nlo, nhi, n)
			}
		}
		if _, err := part.Set(known + 1); !errors.Is(err, ErrUnknownLayer) {
			t.Errorf("layer %d of %d: %v, want ErrUnknownLayer", known+1, known, err)
		}
		if _, err := part.Curve([]evidence.Epsilon{evidencetest.Epsilon(0.01)}); !errors.Is(err, ErrUnknownLayer) {
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
		lo, hi := part.Distortion(evidencetest.Epsilon(e)).Bounds()
		if p := points.Distortion(evidencetest.Epsilon(e)).Float(); !(lo <= p && p <= hi) {
			t.Errorf("points, ε = %g: [%g, %g] misses %g", e, lo, hi, p)
		}
	}
}

// Layers match Minkowski sums of rational sets with a long tail. The sets include a tiny interval with a distant point,
// and points without a small common measure.
func TestSetsWithoutSmallMeasure(t *testing.T) {
	for i, c := range []struct {
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
		if !cases.Every(2, i) {
			continue
		}
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
		if got := l.Distortion(evidencetest.Epsilon(e)).Float(); math.Abs(got-moment/weight) > (1e-9+tail)*got {
			t.Errorf("V = %v, δ = %s: distortion %v, want %v", c.ends, c.radius, got, moment/weight)
		}
		if _, err := l.Certify(context.Background()); err != nil {
			t.Errorf("V = %v, δ = %s: %v", c.ends, c.radius, err)
		}
	}
}

// The reference for these tests shares no code with the ring. It keeps a layer for every grid point and every open
// unit between, grows A_i one layer at a time, and stops where z^i is negligible.

// growSet returns R_0 … R_last as Minkowski sums of rational sets.
func growSet(q *Linear, radius *big.Rat, last int) []Set {
	a := NewSet(Closed(new(big.Rat).Neg(radius), radius))
	out := []Set{a}
	for range last {
		next := a.Sum(q.NeighboringSet())
		out = append(out, next.Difference(a))
		a = next
	}
	return out
}
