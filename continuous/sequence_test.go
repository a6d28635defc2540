package continuous

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/evidence"
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
		t.Fatalf("%q is no number", s)
	}
	return r
}

func rats(t testing.TB, s ...string) (out []*big.Rat) {
	for _, v := range s {
		out = append(out, rat(t, v))
	}
	return out
}

// smallBudget ends early: enough for the first layers of any set here.
var smallBudget = ringBudget{enough: 1 << 15, deep: 40, maxNodes: 1 << 11, maxWork: 1 << 17}

func nats(t testing.TB, v float64) evidence.Epsilon {
	return must.For(evidence.NewEpsilon("decay", v))(t)
}

func decaysOf(t testing.TB, vs ...float64) []evidence.Epsilon {
	out := make([]evidence.Epsilon, len(vs))
	for i, v := range vs {
		out[i] = nats(t, v)
	}
	return out
}

// Every layer, every distortion and every normaliser of random neighboring
// sets, against the enumeration of all grid points: single points, points only,
// overlapping intervals, sets whose outermost component is a point.
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
			t.Fatalf("V = %v/%d, radius %d: layers shift by Δ from %d on, want %d", v, scale, radius, p.From, first)
		} else if w := l.Weight(first + 7); w.Cmp(p.Mass) != 0 {
			t.Fatalf("V = %v/%d: layer %d weighs %v, want %v", v, scale, first+7, w, p.Mass)
		}
		near(t, fmt.Sprintf("distortion of V = %v/%d, radius %d", v, scale, radius), l.Distortion(nats(t, e)), want)
		near(t, fmt.Sprintf("normaliser of V = %v/%d, radius %d", v, scale, radius), l.Normalizer(nats(t, e)), weight)
		curve := must.For(l.Curve(decaysOf(t, e, 3, e)))(t)
		near(t, "curve", l.Distortion(nats(t, e)), curve[0])
		near(t, "curve", l.Distortion(nats(t, 3)), curve[1])
		near(t, "curve", l.Distortion(nats(t, e)), curve[2])
		if _, err := l.Certify(context.Background()); err != nil {
			t.Fatalf("V = %v/%d, radius %d: %v", v, scale, radius, err)
		}
	}
	if counted < 20 || open > 0 {
		t.Errorf("%d sets weighed by counting, want at least 20; %d not periodic, want 0", counted, open)
	}
}

// firstShift returns the first i from which on R_{i+1} is R_i moved outward by
// Δ, as far as layer end tells.
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

// Ten thousand layers of rational arithmetic, each the Minkowski sum of the one
// before with V, end exactly where the ring says.
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

// Grids too fine for int64 take another arithmetic, and must agree.
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

// near fails unless the evidence encloses want to 1e-12 relative, the rounding
// of the oracle's sums.
func near(t *testing.T, what string, got evidence.Number, want float64) {
	t.Helper()
	lo, hi := got.Bounds()
	if slack := 1e-12 * math.Abs(want); !(lo-slack <= want && want <= hi+slack && hi-lo <= 1e-12*hi) {
		t.Fatalf("%s = [%v, %v], want %v", what, lo, hi, want)
	}
}
