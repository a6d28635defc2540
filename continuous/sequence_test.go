package continuous_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/continuous"
	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/privacy"
)

// perLayer returns the weight and the moment of every layer. Weights count units of length, or points. The unit of
// moments is half a squared unit of length, or a unit of length for points.
func (o gridOracle) perLayer(last int, counting bool) (weights, moments []int) {
	weights, moments = make([]int, last+1), make([]int, last+1)
	for i, l := range o.layer {
		if l < 0 || (i%2 == 0) != counting {
			continue
		}
		d := i - 2*o.reach
		weights[l]++
		moments[l] += max(d, -d)
	}
	if counting {
		for i := range moments {
			moments[i] /= 2
		}
	}
	return weights, moments
}

// Layers, distortions and normalizers of random neighboring sets match an enumeration of all grid points. The sets
// include single points, points only, overlapping intervals, and an outermost component that is a point.
func TestSequenceAgainstEnumeration(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	counted, open := 0, 0
	for trial := range 400 {
		v, radius := continuous.RandomSet(r, 1+r.IntN(24), trial%3 == 0)
		scale := int64(1 + r.IntN(30))
		q := must.For(continuous.ScaledQuery(v, scale))(t)
		l := must.For(continuous.NewSequence(context.Background(), q, big.NewRat(int64(radius), scale)))(t)
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
		curve := must.For(l.Curve([]evidence.Epsilon{evidencetest.Epsilon(e), evidencetest.Epsilon(3), evidencetest.Epsilon(e)}))(t)
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
func firstShift(t *testing.T, l *continuous.Sequence, end int) int {
	t.Helper()
	far := new(big.Rat).Add(l.Radius(), new(big.Rat).Mul(l.Query().Sensitivity().Value, big.NewRat(int64(end+1), 1)))
	left := continuous.NewSet(continuous.Closed(new(big.Rat).Neg(far), new(big.Rat)))
	next := must.For(l.Set(end))(t).Difference(left)
	for i := end - 1; i >= 0; i-- {
		now := must.For(l.Set(i))(t).Difference(left)
		if !now.Shift(l.Query().Sensitivity().Value).Equal(next) {
			return i + 1
		}
		next = now
	}
	return 0
}

// After ten thousand layers of rational arithmetic, each the Minkowski sum of the previous one with V, the last layer
// equals that of the ring.
func TestTenThousandLayers(t *testing.T) {
	l := must.For(continuous.NewSequence(t.Context(), queryOf(t, "0", "1/10", "3/10", "11/30"), fractionOf(t, "1/700")))(t)
	const last = 10_000
	before := continuous.NewSet(continuous.Closed(new(big.Rat).Neg(l.Radius()), l.Radius()))
	for range last - 1 {
		before = before.Sum(l.Query().NeighboringSet())
	}
	want := before.Sum(l.Query().NeighboringSet()).Difference(before)
	if got := must.For(l.Set(last))(t); !got.Equal(want) {
		t.Errorf("R_%d = %v, want %v", last, got, want)
	}
}

// near fails the test unless the evidence encloses want to a relative 1e-12, which covers the rounding of the reference
// sums.
func near(t *testing.T, what string, got evidence.Number, want float64) {
	t.Helper()
	lo, hi := got.Bounds()
	if slack := 1e-12 * math.Abs(want); !(lo-slack <= want && want <= hi+slack && hi-lo <= 1e-12*hi) {
		t.Fatalf("%s = [%v, %v], want %v", what, lo, hi, want)
	}
}

// gridOracle holds the layer of every point (even index) and every open unit (odd index) of an integer grid, up to
// reach units on each side, or −1 if no layer contains it.
type gridOracle struct {
	layer []int
	reach int
}

// newGridOracle enumerates layers 0 … last for an integer radius. V has integer ends, and newGridOracle makes it
// symmetric.
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
				// A point moves by [a, b], and an open unit by (a, b+1). In half units, both then cover i+2a to i+2b.
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
func (o gridOracle) set(layer int, scale int64) continuous.Set {
	var out []continuous.Segment
	at := func(i int) *big.Rat { return big.NewRat(int64(i/2-o.reach), scale) }
	for i, l := range o.layer {
		if l != layer {
			continue
		}
		if i%2 == 0 {
			out = append(out, continuous.Closed(at(i), at(i)))
			continue
		}
		out = append(out, continuous.Segment{Lo: at(i - 1), Hi: at(i + 1), OpenLo: true, OpenHi: true})
	}
	return continuous.NewSet(out...)
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

// growths returns, for every integer shift in V, the probability that the layer grows, and the total variation
// distance between the law and its shift. Both are sums over the cells of the oracle. The distance sums |f(r) − f(r −
// v)| without regard to layers.
func (o gridOracle) growths(v [][2]int, decay float64, counting bool) (grows, distance map[int]float64) {
	law := make([]float64, len(o.layer))
	total, _ := o.sums(math.Exp(-decay), counting)
	for i, l := range o.layer {
		if l >= 0 && (i%2 == 0) == counting {
			law[i] = math.Exp(-decay*float64(l)) / total
		}
	}
	at := func(i int) (float64, int) {
		if i < 0 || i >= len(law) {
			return 0, -1
		}
		return law[i], o.layer[i]
	}
	grows, distance = map[int]float64{}, map[int]float64{}
	for _, p := range v {
		for shift := p[0]; shift <= p[1]; shift++ {
			if _, done := grows[shift]; done {
				continue
			}
			g, far := 0.0, 0.0
			for i := -2 * shift; i < len(law)+2*shift; i++ {
				a, l := at(i)
				b, k := at(i - 2*shift)
				far += math.Abs(a-b) / 2
				if l >= 0 && k == l+1 {
					g += a
				}
			}
			grows[shift], distance[shift] = g, far
		}
	}
	return grows, distance
}

// The largest growth probability matches enumeration over all shifts in V on a grid three times as fine as its ends,
// which includes points inside segments. The total variation distance is 1 − z times the growth.
func TestWorstShiftByEnumeration(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	const fine, decay = 3, 2.0
	elsewhere := 0
	for n := range 60 {
		counting := n%2 == 0
		v, radius := continuous.RandomSet(r, 7, counting)
		if n == 0 {
			v = [][2]int{{1, 1}, {2, 2}, {4, 4}, {6, 6}, {8, 8}, {10, 10}}
		}
		if counting {
			radius = 0
		}
		scaled := make([][2]int, len(v))
		far := 0
		for i, p := range v {
			scaled[i] = [2]int{fine * p[0], fine * p[1]}
			far = max(far, scaled[i][1])
		}
		const last = 18 // the remainder is e^{−36} of the layers' weight
		grows, distance := newGridOracle(scaled, fine*radius, last).growths(scaled, decay, counting || onlyPoints(v) && radius == 0)
		want, at := 0.0, 0
		for shift, g := range grows {
			if tv := distance[shift]; math.Abs(tv-(1-math.Exp(-decay))*g) > 1e-12 {
				t.Fatalf("V = %v, δ = %d, v = %d: distance %g, growth %g", v, radius, shift, tv, g)
			}
			if g > want+1e-12 {
				want, at = g, shift
			}
		}
		if want > grows[far]+1e-12 {
			elsewhere++
		}
		m := must.For(continuous.NewDeltaNeighborhood(context.Background(), must.For(continuous.ScaledQuery(v, 1))(t), evidencetest.Epsilon(decay), big.NewRat(int64(radius), 1)))(t)
		lo, hi := must.For(m.Privacy().Delta(t.Context(), evidence.Epsilon{}))(t).Bounds() // the total variation distance
		if share := 1 - math.Exp(-decay); hi-lo > 1e-15 || math.Abs(lo/share-want) > 1e-12 {
			t.Errorf("V = %v, δ = %d: growth %v, want %.15g at v = %d/%d", v, radius, lo/share, want, at, fine)
		}
	}
	if elsewhere == 0 {
		t.Error("Δ is the worst shift of every set")
	}
}

func onlyPoints(v [][2]int) bool {
	for _, p := range v {
		if p[0] != p[1] {
			return false
		}
	}
	return true
}

// δ(ε) decreases, is 0 from the decay on, and is at most that of randomized response. One use of the pairs has the
// same δ(ε) as the profile, and several uses have a smaller ε than randomized response.
func TestLayeredProfile(t *testing.T) {
	ctx := context.Background()
	for _, radius := range []string{"2", "0"} {
		m := must.For(continuous.NewLayered(must.For(continuous.NewSequence(t.Context(), queryOf(t, "0", "1", "10", "11"), fractionOf(t, radius)))(t), evidencetest.Epsilon(1)))(t)
		f := must.For(m.Pairs(ctx))(t)
		if f.Bound {
			t.Errorf("radius %s: the pairs are a bound", radius)
		}
		pair := must.For(f.Pair(ctx, 0))(t)
		alone := privacy.New(&privacy.DominatingPairs{Name: "alone", Size: 1, Pair: func(context.Context, int) (privacy.Pair, error) { return pair, nil }})
		last := math.Inf(1)
		for _, e := range []float64{0, 0.1, 0.5, 0.9, 1, 2} {
			d := must.For(m.Privacy().Delta(ctx, evidencetest.Epsilon(e)))(t)
			lo, hi := d.Bounds()
			response := math.Max(0, (math.E-math.Exp(e))/(1+math.E))
			if !(hi <= response+1e-15) || !(hi <= last) || e < 1 && !(lo > 0) || e >= 1 && hi != 0 || hi-lo > 1e-12 {
				t.Errorf("radius %s, δ(%g) = %v, randomized response %g", radius, e, d, response)
			}
			if a := must.For(alone.Delta(ctx, evidencetest.Epsilon(e)))(t); math.Abs(a.Float()-d.Float()) > 1e-14 {
				t.Errorf("radius %s, δ(%g) = %v, from the pair %v", radius, e, d, a)
			}
			last = lo
		}
		known := must.For(privacy.ApproxDP(m.Decay(), new(big.Rat)))(t)
		uses := func(f *privacy.DominatingPairs) (lo, hi float64) {
			a := must.For(privacy.Compose(ctx, []*privacy.Account{privacy.New(f)}, []int{10}))(t)
			return must.For(a.Epsilon(ctx, evidencetest.Delta(1e-6)))(t).Bounds()
		}
		_, hi := uses(f)
		if lo, _ := uses(known); !(hi < lo) {
			t.Errorf("radius %s: ten uses have ε = %g, randomized response %g", radius, hi, lo)
		}
	}
}

// For decays from 1e-300 to 700, the growth is accurate to 20 bits and at most that of randomized response.
func TestWorstShiftAtEveryDecay(t *testing.T) {
	for _, c := range []struct {
		radius string
		ends   []string
	}{{"0", []string{"0", "1", "10", "11"}}, {"1e-30", []string{"0", "1", "10", "11"}}, {"0", []string{"1", "1", "7/3", "7/3"}}, {"0", []string{"0", "1e-30", "1e-20", "1e20"}}, {"1e-300", []string{"1", "1", "3", "3"}}} {
		l := must.For(continuous.NewSequence(t.Context(), queryOf(t, c.ends...), fractionOf(t, c.radius)))(t)
		for _, decay := range []float64{1e-300, 1e-12, 1e-6, 0.01, 1, 30, 700} {
			m := must.For(continuous.NewLayered(l, evidencetest.Epsilon(decay)))(t)
			lo, hi := must.For(m.Privacy().Delta(t.Context(), evidence.Epsilon{}))(t).Bounds() // the total variation distance
			share := -math.Expm1(-decay)
			lo, hi = lo/share, hi/share
			if most := 1 / (1 + math.Exp(-decay)); !(lo >= 0.25) || !(hi <= most*(1+1e-15)) || hi-lo > 0x1p-20*hi {
				t.Errorf("V = %v, δ = %s, decay %g: growth in [%v, %v], want at most %g", c.ends, c.radius, decay, lo, hi, most)
			}
		}
	}
}
