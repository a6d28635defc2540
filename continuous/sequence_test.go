package continuous

import (
	"context"
	"errors"
	"fmt"
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

// smallBudget ends early, after the first layers of every set here.
var smallBudget = ringBudget{enough: 1 << 15, deep: 40, maxNodes: 1 << 11, maxWork: 1 << 17}

func decaysOf(t testing.TB, vs ...float64) []evidence.Epsilon {
	out := make([]evidence.Epsilon, len(vs))
	for i, v := range vs {
		out[i] = evidencetest.Epsilon(v)
	}
	return out
}

// Layers, distortions and normalizers of random neighboring sets match an enumeration of all grid points. The sets
// include single points, points only, overlapping intervals, and an outermost component that is a point.
func TestSequenceAgainstEnumeration(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	counted, open := 0, 0
	for trial := range 400 {
		v, radius := randomSet(r, 1+r.IntN(24), trial%3 == 0)
		scale := int64(1 + r.IntN(30))
		q := must.For(scaledQuery(v, scale))(t)
		l := must.For(NewSequence(context.Background(), q, big.NewRat(int64(radius), scale)))(t)
		const e, last = 1.5, 32 // e^{−48} is below 1e-20
		o := newGridOracle(v, radius, last)
		for i := range 12 {
			if got, want := must.For(l.Set(i))(t), o.set(i, scale); !got.Equal(want) {
				t.Fatalf("V = %v/%d, radius %d: R_%d = %v, want %v", v, scale, radius, i, got, want)
			}
		}
		weight, moment := o.sums(math.Exp(-e), l.Counting())
		want := moment / weight / float64(scale)
		if l.Counting() {
			counted++
		} else {
			weight /= float64(scale)
		}
		if p, ok := l.Periodicity(); !ok {
			open++
		} else if first := firstShift(t, l, p.From+3); first != p.From {
			t.Fatalf("V = %v/%d, radius %d: layers are periodic from %d on, want %d", v, scale, radius, p.From, first)
		} else if w := l.Weight(first + 7); w.Cmp(p.Mass) != 0 {
			t.Fatalf("V = %v/%d: layer %d weighs %v, want %v", v, scale, first+7, w, p.Mass)
		}
		near(t, fmt.Sprintf("distortion of V = %v/%d, radius %d", v, scale, radius), l.Distortion(evidencetest.Epsilon(e)), want)
		near(t, fmt.Sprintf("normaliser of V = %v/%d, radius %d", v, scale, radius), l.Normalizer(evidencetest.Epsilon(e)), weight)
		curve := must.For(l.Curve(decaysOf(t, e, 3, e)))(t)
		near(t, "curve", l.Distortion(evidencetest.Epsilon(e)), curve[0])
		near(t, "curve", l.Distortion(evidencetest.Epsilon(3)), curve[1])
		near(t, "curve", l.Distortion(evidencetest.Epsilon(e)), curve[2])
		if _, err := l.Certify(context.Background()); err != nil {
			t.Fatalf("V = %v/%d, radius %d: %v", v, scale, radius, err)
		}
	}
	if counted < 20 || open > 0 {
		t.Errorf("%d sets of points, want at least 20; %d sets not periodic, want 0", counted, open)
	}
}

// firstShift returns the first i such that R_{j+1} is R_j moved outward by Δ for all j from i to end.
func firstShift(t *testing.T, l *Sequence, end int) int {
	t.Helper()
	far := new(big.Rat).Add(l.radius, new(big.Rat).Mul(l.query.Sensitivity().Value, big.NewRat(int64(end+1), 1)))
	left := NewSet(Closed(new(big.Rat).Neg(far), new(big.Rat)))
	next := must.For(l.Set(end))(t).Difference(left)
	for i := end - 1; i >= 0; i-- {
		now := must.For(l.Set(i))(t).Difference(left)
		if !now.Shift(l.query.Sensitivity().Value).Equal(next) {
			return i + 1
		}
		next = now
	}
	return 0
}

// After ten thousand layers of rational arithmetic, each the Minkowski sum of the previous one with V, the last layer
// equals that of the ring.
func TestTenThousandLayers(t *testing.T) {
	l := sequenceOf(t, rat(t, "1/700"), rats(t, "0", "1/10", "3/10", "11/30")...)
	const last = 10_000
	before := NewSet(Closed(new(big.Rat).Neg(l.radius), l.radius))
	for range last - 1 {
		before = before.Sum(l.query.NeighboringSet())
	}
	want := before.Sum(l.query.NeighboringSet()).Difference(before)
	if got := must.For(l.Set(last))(t); !got.Equal(want) {
		t.Errorf("R_%d = %v, want %v", last, got, want)
	}
}

// Grids too fine for int64 use big.Int, with the same results.
func TestGridArithmetic(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	same := func(a, b ringNode[*big.Int]) bool {
		return a.at.Cmp(b.at) == 0 && slices.Equal(a.point, b.point) && slices.Equal(a.gap, b.gap)
	}
	for range 60 {
		v, radius := randomSet(r, 20, false)
		l := must.For(NewSequence(context.Background(), must.For(scaledQuery(v, 1))(t), big.NewRat(int64(radius), 1)))(t)
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

// near fails unless the evidence encloses want to a relative 1e-12, which covers the rounding of the reference sums.
func near(t *testing.T, what string, got evidence.Number, want float64) {
	t.Helper()
	lo, hi := got.Bounds()
	if slack := 1e-12 * math.Abs(want); !(lo-slack <= want && want <= hi+slack && hi-lo <= 1e-12*hi) {
		t.Fatalf("%s = [%v, %v], want %v", what, lo, hi, want)
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
		lo, hi := part.Distortion(evidencetest.Epsilon(e)).Bounds()
		if p := points.Distortion(evidencetest.Epsilon(e)).Float(); !(lo <= p && p <= hi) {
			t.Errorf("points, ε = %g: [%g, %g] misses %g", e, lo, hi, p)
		}
	}
}

// Layers match Minkowski sums of rational sets with a long tail, for a tiny interval with a distant point, and for
// points without a small common measure.
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

// gridOracle holds the layer of every point (even index) and every open unit (odd index) of an integer grid, up to
// reach units on each side, or −1 if no layer contains it.
type gridOracle struct {
	layer []int
	reach int
}

// newGridOracle enumerates layers 0 … last for an integer radius and an integer V, which it makes symmetric.
func newGridOracle(v [][2]int, radius, last int) gridOracle {
	var parts [][2]int
	far := 0
	for _, p := range v {
		parts = append(parts, p, [2]int{-p[1], -p[0]})
		far = max(far, p[1], -p[0])
	}
	o := gridOracle{reach: radius + last*far}
	o.layer = make([]int, 4*o.reach+1)
	for i := range o.layer {
		o.layer[i] = -1
		if d := i - 2*o.reach; -2*radius <= d && d <= 2*radius {
			o.layer[i] = 0
		}
	}
	front := []int{}
	for i, l := range o.layer {
		if l == 0 {
			front = append(front, i)
		}
	}
	for layer := 1; layer <= last; layer++ {
		var next []int
		for _, i := range front {
			for _, p := range parts {
				// A point is moved by [a, b], and an open unit by (a, b+1). In half steps, both cover i+2a to i+2b.
				for j := i + 2*p[0]; j <= i+2*p[1]; j++ {
					if o.layer[j] < 0 {
						o.layer[j] = layer
						next = append(next, j)
					}
				}
			}
		}
		front = next
	}
	return o
}

// set returns layer i as a Set, scaled by 1/scale.
func (o gridOracle) set(layer int, scale int64) Set {
	var out []Segment
	at := func(i int) *big.Rat { return big.NewRat(int64(i/2-o.reach), scale) }
	for i, l := range o.layer {
		if l != layer {
			continue
		}
		if i%2 == 0 {
			out = append(out, Closed(at(i), at(i)))
			continue
		}
		out = append(out, Segment{Lo: at(i - 1), Hi: at(i + 1), OpenLo: true, OpenHi: true})
	}
	return NewSet(out...)
}

// sums returns Σ z^L and Σ z^L |r| in grid units, over open units with r at their midpoints, or over points.
func (o gridOracle) sums(z float64, counting bool) (weight, moment float64) {
	for i, l := range o.layer {
		if l < 0 || (i%2 == 0) != counting {
			continue
		}
		w := math.Pow(z, float64(l))
		weight += w
		moment += w * math.Abs(float64(i-2*o.reach)) / 2
	}
	return weight, moment
}

// randomSet draws up to three intervals or points in [0, span], which may overlap, and a radius.
func randomSet(r *rand.Rand, span int, points bool) (v [][2]int, radius int) {
	for range 1 + r.IntN(3) {
		lo := r.IntN(span + 1)
		hi := lo
		if !points && r.IntN(3) > 0 {
			hi = min(span, lo+r.IntN(1+span/3))
		}
		v = append(v, [2]int{lo, hi})
	}
	if slices.Max(flatten(v)) == 0 {
		v = append(v, [2]int{span, span})
	}
	if r.IntN(2) == 0 {
		radius = r.IntN(span)
	}
	return v, radius
}

func flatten(v [][2]int) (out []int) {
	for _, p := range v {
		out = append(out, p[0], p[1])
	}
	return out
}

// scaledQuery returns the linear query whose V has the given integers over scale as ends.
func scaledQuery(v [][2]int, scale int64) (*Linear, error) {
	var ends [][2]*big.Rat
	for _, p := range v {
		ends = append(ends, [2]*big.Rat{big.NewRat(int64(p[0]), scale), big.NewRat(int64(p[1]), scale)})
	}
	return NewLinear(ends)
}

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
