package privacy

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/cases"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
)

// lineOf rounds both coefficients up, and rejects slopes that are not rationals of moderate length.
func TestLineOfRoundsUp(t *testing.T) {
	for _, c := range []struct {
		d, t interval.Interval
		up   float64
		ok   bool
	}{
		{interval.Between(0.25, 0.5), interval.Between(2, 3), 3, true}, {interval.Between(-1, 0.5), interval.Float(0x1p-900), 0x1p-900, true}, {interval.Between(0.25, 0.5), interval.Int(0), 0, false},
		{interval.Between(0.25, 0.5), interval.Float(5000).Exp(), 0, false}, {interval.Between(0.25, 0.5), interval.Float(-5000).Exp(), 0, false}, {interval.Between(0.25, 0.5), interval.Float(math.Inf(1)), 0, false},
	} {
		got, ok := lineOf(c.d, c.t)
		if ok != c.ok || ok && (got.d.Cmp(big.NewRat(1, 2)) != 0 || got.t.Cmp(new(big.Rat).SetFloat64(c.up)) != 0) {
			t.Errorf("%v + %v q: %v, %t", c.d, c.t, got, ok)
		}
	}
	// These slopes are the largest and the smallest that are accepted, and the next ones.
	for e, want := range map[int]bool{4096: true, 4097: false, -4096: true, -4097: false} {
		v := new(big.Float).SetMantExp(big.NewFloat(0.5), e)
		if _, ok := lineOf(interval.Int(0), interval.Big(v)); ok != want {
			t.Errorf("a slope with the exponent %d is accepted: %t", e, ok)
		}
	}
	for _, c := range []struct {
		v    *big.Float
		want *big.Rat
	}{{big.NewFloat(-0.5), new(big.Rat)}, {big.NewFloat(0.25), big.NewRat(1, 4)}, {big.NewFloat(3), one}, {new(big.Float).SetInf(false), one}, {new(big.Float).SetInf(true), new(big.Rat)}} {
		if got := clampFloat(c.v); got.Cmp(c.want) != 0 {
			t.Errorf("%v is %v", c.v, got)
		}
	}
	width := interval.Between(0.25, 0.5)
	if ratCeil(width).Cmp(big.NewRat(1, 2)) != 0 || ratFloor(width).Cmp(big.NewRat(1, 4)) != 0 || ratCeil(interval.Float(-1)).Sign() != 0 || ratFloor(interval.Float(2)).Cmp(one) != 0 {
		t.Errorf("%v is rounded to %v and %v", width, ratFloor(width), ratCeil(width))
	}
	tiny := interval.Big(new(big.Float).SetMantExp(big.NewFloat(0.75), -5000))
	if ratCeil(tiny).Cmp(minRational) != 0 || ratFloor(tiny).Sign() != 0 || minRational.Cmp(new(big.Rat).SetFrac(one.Num(), new(big.Int).Lsh(one.Num(), 4096))) != 0 {
		t.Error("a tiny number is not rounded outward")
	}
}

// For many pairs with interval masses, the polygon lies above every event of every pair, for all masses in the
// intervals. If the masses are known, it is close.
func TestTangentsOfIntervalPairs(t *testing.T) {
	t.Parallel()
	const wide = 1.0 / 256
	many, directions := cases.Of(1, 70), cases.Of(1, 2)
	rng := rand.New(rand.NewPCG(3, 9))
	for _, open := range cases.Of([]float64{wide}, []float64{0, wide}) { // TestTradeoffOfManyPairs covers known masses
		var pairs []Pair
		var all []outputs
		for range many {
			p, q := 0.5+0.4*rng.Float64(), 0.1+0.4*rng.Float64()
			one := outputs{[]float64{p, 1 - p}, []float64{q, 1 - q}}
			var atoms []Atom
			for i := range one.p {
				loss := math.Log(one.p[i] / one.q[i])
				slack := 2*open + 1e-15
				atoms = append(atoms, Atom{P: amount(one.p[i]*(1-open), one.p[i]*(1+open)), Q: amount(one.q[i]*(1-open), one.q[i]*(1+open)), Offset: interval.Between(loss-slack, loss+slack)})
			}
			l := NewDiscretePair(atoms, zero, zero, evidence.Epsilon{}, Hooks{})
			pairs = append(pairs, []Pair{l, l.Reverse()}[:directions]...)
			all = append(all, one.times(one))
		}
		f := &DominatingPairs{Name: "open", Size: len(pairs), Pair: func(_ context.Context, i int) (Pair, error) { return pairs[i], nil }}
		a := must.For(must.For(Compose(t.Context(), []*Account{New(f)}, []int{2}))(t).Within(cases.Of(.05, defaultWidth)))(t)
		over, _, err := a.tangents(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		corners := hull(over)
		// best returns the largest probability under one law of an event with probability q under the other law.
		best := func(q float64) float64 {
			most := q
			for _, o := range all {
				for _, side := range []outputs{o, {o.q, o.p}}[:directions] {
					order := []int{0, 1, 2, 3}
					slices.SortFunc(order, func(i, j int) int {
						return int(math.Copysign(1, side.p[j]*side.q[i]-side.p[i]*side.q[j]))
					})
					left, p := q, 0.0
					for _, i := range order {
						share := min(1, left/side.q[i])
						p, left = p+share*side.p[i], left-share*side.q[i]
					}
					most = max(most, p)
				}
			}
			return most
		}
		for k := 0; k <= 40; k++ {
			q := big.NewRat(int64(k), 40)
			got, _ := heightAt(corners, q).Float64()
			want := best(float64(k) / 40)
			if got < want-1e-12 || open == 0 && got > want+0.1 {
				t.Errorf("relative width of masses %g: at q = %g the polygon is at %g, want an event's %g or slightly more",
					open, float64(k)/40, got, want)
			}
			if open > 0 && k > 4 && k < 36 && want < 0.98 && got < want+wide/4 && got < 1 {
				t.Errorf("relative width of masses %g: at q = %g the polygon is at %g, too close to the events' %g", open, float64(k)/40, got, want)
			}
		}
	}
}

// With few bits, the upper points lie above the hull of all sums and the lower points below it. The truncated mass
// counts for the upper points only, and every bucket has an upper point.
func TestTailSumPointsOfFewBits(t *testing.T) {
	for _, prec := range []uint{6, 9, 40} {
		ln2 := must.Be(evidence.LogEpsilon("unit", big.NewRat(2, 1)))
		var atoms []Atom
		for i, p := range []int64{8, 4, 2, 1} {
			atoms = append(atoms, Atom{P: evidence.ExactRat(big.NewRat(p, 15)), Q: evidence.ExactRat(big.NewRat(8/p, 15)), Steps: int64(3 - 2*i), Offset: interval.Int(0)})
		}
		l := NewDiscretePair(atoms, zero, zero, ln2, Hooks{})
		for _, k := range []int{1, 3} {
			law := must.For(l.discretize(t.Context(), (&composition{factors: []factor{{l, k}}}).commonLattice(prec)[0], prec))(t)
			s := newTailSums(must.For(law.selfConvolve(t.Context(), k))(t))
			a := outputs{[]float64{1}, []float64{1}}
			for range k {
				a = a.times(outputs{[]float64{8. / 15, 4. / 15, 2. / 15, 1. / 15}, []float64{1. / 15, 2. / 15, 4. / 15, 8. / 15}})
			}
			order := make([]int, len(a.p))
			for i := range order {
				order[i] = i
			}
			slices.SortFunc(order, func(i, j int) int { return int(math.Copysign(1, a.p[j]*a.q[i]-a.p[i]*a.q[j])) })
			best := func(q float64) (p float64) {
				for _, i := range order {
					share := min(1, q/a.q[i])
					p, q = p+share*a.p[i], q-share*a.q[i]
				}
				return p
			}
			over, under := s.points()
			if len(over) != len(s.mass)+1 {
				t.Errorf("%d upper points for %d buckets", len(over), len(s.mass))
			}
			corners := hull(over)
			for i := range 101 {
				q := big.NewRat(int64(i), 100)
				if got, _ := heightAt(corners, q).Float64(); got < best(float64(i)/100)-1e-12 {
					t.Errorf("%d bits, %d uses: at q = %v the hull is at %g, below an event's %g",
						prec, k, q, got, best(float64(i)/100))
				}
			}
			for _, x := range under {
				q, _ := x.q.Float64()
				p, _ := x.p.Float64()
				if p > best(q)+1e-12 {
					t.Errorf("%d bits, %d uses: the lower point (%g, %g) is above %g, the best event", prec, k, q, p, best(q))
				}
			}
		}
	}
}

// If the μ of normal noise is an interval, the computed events are possible for every such μ: they lie on or below its
// ROC curve.
func TestPointsOfIntervalNoise(t *testing.T) {
	_, under := Normal(interval.Between(1, 1.25)).(*closedForm).points()
	for _, e := range under {
		p, q := ratFloat(e.p), ratFloat(e.q)
		if most := math.Erfc((math.Sqrt2*math.Erfinv(1-2*q)-1)/math.Sqrt2) / 2; q < 0.999 && p > most+1e-9 {
			t.Errorf("the event with P = %v and Q = %v is above the curve of μ = 1, where P is at most %v", p, q, most)
		}
	}
}
