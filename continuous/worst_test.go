package continuous

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/privacy"
)

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
		v, radius := randomSet(r, 7, counting)
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
		m := must.For(NewDeltaNeighborhood(context.Background(), must.For(scaledQuery(v, 1))(t), evidencetest.Epsilon(decay), big.NewRat(int64(radius), 1)))(t)
		got := must.For(m.grows(context.Background()))(t)
		if !got.Enclosure.Narrow(100) || math.Abs(got.Enclosure.Mid()-want) > 1e-12 {
			t.Errorf("V = %v, δ = %d: growth %v, want %.15g at v = %d/%d", v, radius, got.Enclosure, want, at, fine)
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

// Every budget gives an enclosure of the same number, also if only the first layers are known.
func TestWorstShiftWithinBudgets(t *testing.T) {
	ctx := context.Background()
	ends := rats(t, "0", "0.7", "3.14159265358", "3.3", "10.01", "10.7")
	full := must.For(NewLayered(sequenceOf(t, rat(t, "0.37"), ends...), evidencetest.Epsilon(1)))(t)
	want := must.For(full.grows(ctx))(t).Enclosure
	if !want.Narrow(100) {
		t.Fatalf("growth %v", want)
	}
	widths := map[float64]bool{}
	for _, budget := range []int{0, 1 << 8, 1 << 10, 1 << 12, 1 << 14, 1 << 22} {
		got := must.For(full.largestGrowth(ctx, budget))(t).Enclosure
		if got.CmpLo(want) > 0 || got.CmpHi(want) < 0 {
			t.Errorf("budget %d: %v, without a limit %v", budget, got, want)
		}
		lo, hi := got.Bounds()
		widths[hi-lo] = true
	}
	if len(widths) < 3 {
		t.Errorf("widths %v of six budgets", widths)
	}
	whole := must.For(largestGrowth(ctx, full, worstBudget, func(v *big.Int) gridBig { return gridBig{v} }, func(v gridBig) float64 {
		share, _ := new(big.Rat).SetFrac(v.v, full.reachable()).Float64()
		return share
	}))(t).Enclosure
	if whole.CmpLo(want) != 0 || whole.CmpHi(want) != 0 {
		t.Errorf("in big.Int arithmetic %v, otherwise %v", whole, want)
	}
	q := full.Query()
	for _, deep := range []int{1, 2, 5, 9} {
		part := must.For(newSequence(ctx, q, rat(t, "0.37"), ringBudget{1, deep, 1 << 17, 1 << 22}))(t)
		if part.closed {
			t.Fatalf("closed after %d layers", deep)
		}
		m := must.For(NewLayered(part, evidencetest.Epsilon(1)))(t)
		got := must.For(m.grows(ctx))(t).Enclosure
		if got.CmpLo(want) > 0 || got.CmpHi(want) < 0 {
			t.Errorf("%d layers: %v, with all %v", deep, got, want)
		}
		if deep == 9 && !got.Narrow(3) {
			t.Errorf("9 layers: %v, with all %v", got, want)
		}
		// The width of the enclosure is at most a small multiple of the weight from the last known layer on.
		tail, all := 0.0, 0.0
		for i := range 60 {
			w, _ := full.Weight(i).Float64()
			if w *= math.Exp(-float64(i)); i >= part.known {
				tail += w
			}
			all += w
		}
		if lo, hi := got.Bounds(); hi-lo > 6*tail/(all-tail) {
			t.Errorf("%d layers: enclosure [%v, %v] is too wide, weight beyond them %v of %v", deep, lo, hi, tail, all)
		}
		f := must.For(m.Pairs(ctx))(t)
		a := must.For(privacy.Compose(ctx, []*privacy.Account{privacy.New(f)}, []int{3}))(t)
		b := must.For(privacy.Compose(ctx, []*privacy.Account{privacy.New(must.For(full.Pairs(ctx))(t))}, []int{3}))(t)
		_, over := must.For(a.Delta(ctx, evidencetest.Epsilon(1)))(t).Bounds()
		least, _ := must.For(b.Delta(ctx, evidencetest.Epsilon(1)))(t).Bounds()
		if !f.Bound || over < least {
			t.Errorf("%d layers: three uses have δ of at most %g, with all layers at least %g", deep, over, least)
		}
	}
}

// δ(ε) decreases, is 0 from the decay on, and is at most that of randomized response. One use of the pairs has the
// same δ(ε) as the profile, and several uses have a smaller ε than randomized response.
func TestLayeredProfile(t *testing.T) {
	ctx := context.Background()
	for _, radius := range []string{"2", "0"} {
		m := must.For(NewLayered(sequenceOf(t, rat(t, radius), rats(t, "0", "1", "10", "11")...), evidencetest.Epsilon(1)))(t)
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
	ctx := context.Background()
	for _, c := range []struct {
		radius string
		ends   []string
	}{{"0", []string{"0", "1", "10", "11"}}, {"1e-30", []string{"0", "1", "10", "11"}}, {"0", []string{"1", "1", "7/3", "7/3"}}, {"0", []string{"0", "1e-30", "1e-20", "1e20"}}, {"1e-300", []string{"1", "1", "3", "3"}}} {
		l := sequenceOf(t, rat(t, c.radius), rats(t, c.ends...)...)
		for _, decay := range []float64{1e-300, 1e-12, 1e-6, 0.01, 1, 30, 700} {
			m := must.For(NewLayered(l, evidencetest.Epsilon(decay)))(t)
			g := must.For(m.grows(ctx))(t)
			lo, hi := g.Enclosure.Bounds()
			if most := 1 / (1 + math.Exp(-decay)); !(lo >= 0.25) || !(hi <= most*(1+1e-15)) || !g.Enclosure.Narrow(20) {
				t.Errorf("V = %v, δ = %s, decay %g: growth %v, want at most %g", c.ends, c.radius, decay, g.Enclosure, most)
			}
		}
	}
}
