package privacy

import (
	"context"
	"math"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
)

// momentOf returns the log-moment of outputs, widened on both sides by a relative width.
func momentOf(a outputs, s, width float64) interval.Interval {
	v := a.moment(s)
	return interval.Between(v-width*math.Abs(v), v+width*math.Abs(v))
}

// The bound of a cell is at least the ratio K(x)/[x(1 + x)] at twenty thousand points x of the cell. It is at most the
// smaller of the bound by the chord and the bound by mean and curvature. Interval moments count with their upper ends.
func TestRatioCellBound(t *testing.T) {
	inside := 0
	for _, a := range []outputs{
		{[]float64{0.6, 0.3, 0.1}, []float64{0.2, 0.3, 0.5}}, {[]float64{0.99, 0.01}, []float64{0.9, 0.1}}, {[]float64{0.001, 0.999}, []float64{0.0001, 0.9999}}, {[]float64{0.5, 0.5}, []float64{0.9, 0.1}},
	} {
		mean, curve := 0.0, 0.0
		spread := 0.0
		for i := range a.p {
			for j := range a.p {
				spread = max(spread, math.Log(a.p[i]/a.q[i])-math.Log(a.p[j]/a.q[j]))
			}
			mean += a.p[i] * math.Log(a.p[i]/a.q[i])
		}
		curve = spread * spread / 4
		for _, ends := range [][2]float64{{0, 1}, {0, 0.25}, {0.25, 0.5}, {1, 2}, {2, 4}, {1, 8}, {8, 16}, {0.5, 64}, {0.1, 30}, {0.02, 5}, {1, 200}} {
			for _, width := range []float64{0, 1e-3} {
				from, to := ends[0], ends[1]
				c := &ratioCell{from: from, to: to, kf: momentOf(a, from, width), kt: momentOf(a, to, width), mean: interval.Float(mean), curve: interval.Float(curve)}
				if from == 0 {
					c.kf = interval.Int(0)
				}
				got := c.most()
				_, hi := got.Bounds()
				chord, ratio, even := math.Inf(-1), 0.0, 0.0
				slope, least := (a.moment(to)-a.moment(from))/(to-from), 0.0
				for k := range 20001 {
					x := from + (to-from)*float64(k)/20000
					even = max(even, (mean+x*curve/2)/(1+x))
					if x > 0 {
						ratio = max(ratio, a.moment(x)/x/(1+x))
						v := (a.moment(from) + slope*(x-from)) / x / (1 + x)
						if from == 0 {
							v = slope / (1 + x) // K(x)/x is at most its value at the right end
						}
						if v > chord {
							chord, least = v, x
						}
					}
				}
				if from == 0 {
					chord = slope
				}
				if least > from*1.01 && least < to*0.99 {
					inside++
				}
				if hi < ratio*(1-1e-9) {
					t.Errorf("%v from %g to %g: at most %g, and the ratio reaches %g", a, from, to, hi, ratio)
				}
				// The chord divided by x(1 + x) and the line of mean and curvature are both bounds. An interval adds
				// its width, which the slope magnifies.
				want, slack := min(chord, even), 1e-5+width*100*(1+to/(to-from))
				if hi < want*(1-1e-6) || hi > want*(1+slack) {
					t.Errorf("%v from %g to %g, %g wide: at most %g, want %g of chord %g and line %g", a, from, to, width, hi, want, chord, even)
				}
				if from > 0 && width > 0 { // for every line through values within the intervals
					up := (a.moment(to)*(1+width) - a.moment(from)*(1-width)) / (to - from)
					for k := range 2001 {
						x := from + (to-from)*float64(k)/2000
						line := (a.moment(from)*(1-width) + up*(x-from)) / x / (1 + x)
						if hi < min(line, even)*(1-1e-9) {
							t.Fatalf("%v from %g to %g: at most %g, below %g of a line within the intervals at %g", a, from, to, hi, line, x)
						}
					}
				}
			}
		}
	}
	if inside < 4 {
		t.Errorf("only %d chords have an interior maximum", inside)
	}
}

// secondMoment returns Σ p²/q over all uses. It returns nil if P alone gives some output or a mass is not rational.
func TestSecondMoments(t *testing.T) {
	p := lawsOf(t, 20, []int64{12, 6, 2}, []int64{4, 6, 10})
	one := big.NewRat(12*12, 4*20)
	one.Add(one, big.NewRat(6*6, 6*20)).Add(one, big.NewRat(2*2, 10*20))
	for n := 1; n <= 3; n++ {
		want := interval.RationalPower(one, big.NewInt(int64(n)))
		if got := (&composition{factors: []factor{{p, n}}}).secondMoment(); got == nil || got.Cmp(want) != 0 {
			t.Errorf("%d uses: %v, want %v", n, got, want)
		}
	}
	other := lawsOf(t, 4, []int64{1, 3}, []int64{2, 2})
	if got := (&composition{factors: []factor{{p, 1}, {other, 1}}}).secondMoment(); got == nil || got.Cmp(new(big.Rat).Mul(one, big.NewRat(5, 4))) != 0 {
		t.Errorf("two pairs: %v", got)
	}
	intervalPair := NewDiscretePair([]Atom{{P: evidence.RatOrInterval{Enclosure: interval.Float(1)}, Q: evidence.ExactRat(big.NewRat(1, 1)), Offset: interval.Int(0)}}, zero, zero, evidence.Epsilon{}, Hooks{})
	for name, pair := range map[string]Pair{"sure": lawsOf(t, 2, []int64{1, 1}, []int64{2, 0}), "interval": intervalPair, "normal": Normal(interval.Int(1))} {
		if got := (&composition{factors: []factor{{pair, 1}}}).secondMoment(); got != nil {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// If the infinity mass may be 0, ρ, Rényi divergences and the largest loss have no finite upper end. If it is certainly
// positive, they are infinite.
func TestUncertainInfinityMass(t *testing.T) {
	maybe := evidence.RatOrInterval{Enclosure: interval.Between(0, 0.1)}
	surely := evidence.RatOrInterval{Enclosure: interval.Between(0.05, 0.1)}
	for _, c := range []struct {
		sure   evidence.RatOrInterval
		lo, hi float64
	}{{maybe, 0, math.Inf(1)}, {surely, math.Inf(1), math.Inf(1)}, {zero, 0.125, 0.25}} {
		half := evidence.RatOrInterval{Enclosure: interval.Between(0.4, 0.5)}
		l := NewDiscretePair([]Atom{{P: half, Q: half, Offset: interval.Between(-0.5, 0.5)}, {P: half, Q: half, Offset: interval.Between(-0.25, 0.25)}}, c.sure, zero, evidence.Epsilon{}, Hooks{})
		lo, hi := l.zcdp().Bounds()
		if want := c.hi; c.sure.Rational != nil && (lo != 0 || hi != 0.125) || c.sure.Rational == nil && (lo > 1e300 != (c.lo > 0) || hi != want) {
			t.Errorf("infinity mass %v: ρ in [%g, %g]", c.sure.Enclosure, lo, hi)
		}
		f := PairAndReverse("open", "test", l)
		f.Pair = func(context.Context, int) (Pair, error) { return l, nil }
		for what, n := range map[string]evidence.Number{"ρ": must.For(New(f).ZCDP(t.Context()))(t), "D": must.For(New(f).Renyi(t.Context(), big.NewRat(3, 1)))(t), "ε": must.For(New(f).Epsilon(t.Context(), evidence.Delta{}))(t)} {
			lo, hi := n.Bounds()
			if c.sure.Rational == nil && (lo > 1e300 != (c.lo > 0) || !math.IsInf(hi, 1)) || c.sure.Rational != nil && math.IsInf(hi, 1) {
				t.Errorf("infinity mass %v: %s is [%g, %g]", c.sure.Enclosure, what, lo, hi)
			}
		}
	}
}

// A cell uses the smaller of two interval bounds only if it is certainly smaller. The chord goes through the upper
// ends.
func TestRatioCellOfIntervals(t *testing.T) {
	of := func(lo, hi float64) interval.Interval { return interval.Between(lo, hi) }
	for i, c := range []struct {
		from, to     float64
		kf, kt, mean interval.Interval
		want         float64
	}{
		{0, 1, interval.Int(0), of(0, 5), of(1, 1), 1},          // by mean and curvature
		{0, 1, interval.Int(0), of(0.5, 0.75), of(-2, 1), 0.75}, // by the chord
		{0.5, 1, of(0, 3), of(0, 6), of(1, 1), 1.25 / 1.5},
		// (x − 0.02)/(x + x²) is largest at 0.02 + √0.0204, which may lie inside the cell, before it or after it.
		{0.1, 1, of(0.03, 0.08), of(0.7, 0.98), of(9, 9), (math.Sqrt(0.0204)) / (0.02 + math.Sqrt(0.0204)) / (1.02 + math.Sqrt(0.0204))},
		{0.25, 1, of(0.1, 0.23), of(0.7, 0.98), of(9, 9), 0.23 / 0.25 / 1.25},
		{0.05, 0.1, of(0.01, 0.03), of(0.02, 0.08), of(9, 9), 0.08 / 0.1 / 1.1},
		{0.25, 1, of(0.1, 0.5), of(0.7, 0.75), of(9, 9), 0.5 / 0.25 / 1.25}, // a chord that is positive at 0
	} {
		cell := &ratioCell{from: c.from, to: c.to, kf: c.kf, kt: c.kt, mean: c.mean, curve: interval.Int(1)}
		if _, hi := cell.most().Bounds(); math.Abs(hi-c.want) > 1e-12 {
			t.Errorf("case %d: at most %.15g, want %.15g", i, hi, c.want)
		}
	}
}

// Moments of sampled discrete Gaussian noise with truncated laws are at most those of the noise.
func TestMomentsOfTruncatedLaws(t *testing.T) {
	whole := must.For(DiscreteGaussian(big.NewRat(4, 1), 1))(t).(*discreteGaussian)
	cut := must.For(whole.losses(t.Context(), 64))(t)
	for _, s := range []int64{1, 3, 200} {
		at := interval.Int(s)
		k, ok := newComposition(0, []factor{{cut, 2}}).openMoment(at)
		least, most := cut.LogMoment(at).Mul(interval.Int(2)), whole.LogMoment(at).Mul(interval.Int(2))
		if !ok || k.CmpLo(least) > 0 || k.CmpHi(most) < 0 || k.CmpHi(interval.Max(least, most)) > 0 {
			t.Errorf("order %d: %v, %t, want from %v to %v", s+1, k, ok, least, most)
		}
	}
}
