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

// momentOf is the log-moment of outputs, as an interval that is wide by a share of itself.
func momentOf(a outputs, s, width float64) interval.Interval {
	v := a.moment(s)
	return interval.Between(v-width*math.Abs(v), v+width*math.Abs(v))
}

// A cell's bound is no less than the ratio anywhere in it, nor than the chord's, which has its largest value at an end or between; and no more than the
// largest value of the chord, or what mean and curvature say, as far as twenty thousand places show. Wide enclosures are bounded by their upper ends.
func TestCellsOfRatios(t *testing.T) {
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
							v = slope / (1 + x) // K(x)/x is at most what it is at the end
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
				// The chord over [x(1 + x)] and the line of mean and curvature are both bounds; an enclosure may say more by its width, which slopes magnify.
				want, slack := min(chord, even), 1e-5+width*100*(1+to/(to-from))
				if hi < want*(1-1e-6) || hi > want*(1+slack) {
					t.Errorf("%v from %g to %g, %g wide: at most %g, want %g of chord %g and line %g", a, from, to, width, hi, want, chord, even)
				}
				if from > 0 && width > 0 { // for whichever line the enclosures hold
					up := (a.moment(to)*(1+width) - a.moment(from)*(1-width)) / (to - from)
					for k := range 2001 {
						x := from + (to-from)*float64(k)/2000
						line := (a.moment(from)*(1-width) + up*(x-from)) / x / (1 + x)
						if hi < min(line, even)*(1-1e-9) {
							t.Fatalf("%v from %g to %g: at most %g, and a line that is enclosed has %g at %g", a, from, to, hi, line, x)
						}
					}
				}
			}
		}
	}
	if inside < 4 {
		t.Errorf("%d chords are largest between their ends", inside)
	}
}

// Halves of a cell are its halves, with the log-moment in the middle; the cells of a product begin with one from 0 to 1, each reaches twice as far as the one
// before, and what lies beyond the last asks for no more than is reached.
func TestCellsOfProducts(t *testing.T) {
	p := lawsOf(t, 20, []int64{12, 6, 2}, []int64{4, 6, 10})
	normal := Normal(interval.Float(0.5))
	discrete := must.Be(DiscreteGaussian(big.NewRat(1, 3), 1))
	both := &composition{factors: []factor{{p, 3}, {normal, 2}, {discrete, 4}}}
	a := outputs{[]float64{0.6, 0.3, 0.1}, []float64{0.2, 0.3, 0.5}}
	s := &ratioSearch{lo: interval.Int(0), beyond: interval.Int(0)}
	s.begin(both)
	aside := 2*0.25/2 + 4*1.5 // μ²/2 and n²/2σ²
	ends := map[float64]float64{}
	mean := 3 * (0.6*math.Log(3) + 0.1*math.Log(0.2))
	for _, c := range s.cells {
		ends[c.from] = c.to
		for at, k := range map[float64]interval.Interval{c.from: c.kf, c.to: c.kt} {
			if want := 3 * a.moment(at); math.Abs(k.Mid()-want) > 1e-12*(1+want) {
				t.Errorf("the log-moment at %g is %v, want %g", at, k, want)
			}
		}
		if math.Abs(c.aside.Mid()-aside) > 1e-12 || math.Abs(c.whole.Mid()-6) > 1e-12 || len(c.discrete.factors) != 1 || math.Abs(c.mean.Mid()-mean) > 1e-12 {
			t.Errorf("beside the losses are %v, of discrete Gaussians %v, and the mean is %v", c.aside, c.whole, c.mean)
		}
		if want := 3 * math.Pow(math.Log(3)+math.Log(5), 2) / 4; math.Abs(c.curve.Mid()-want) > 1e-12 {
			t.Errorf("the curvature is at most %v, want %g", c.curve, want)
		}
	}
	if len(ends) != len(s.cells) || ends[0] != 1 {
		t.Errorf("%d cells from %d places on", len(s.cells), len(ends))
	}
	far := 1.0
	for far < 1e18 {
		to, ok := ends[far]
		if !ok {
			break
		}
		if to != 2*far {
			t.Errorf("a cell from %g to %g", far, to)
		}
		far = to
	}
	// At whole orders the discrete ones add as much as any, at others less; the largest ratio is reached there or as α tends to 1.
	lo, _ := s.lo.Bounds()
	reached := mean + aside
	for x := 1.0; x <= far; x *= 2 {
		reached = max(reached, 3*a.moment(x)/x/(1+x)+aside)
	}
	if math.Abs(lo-reached) > 1e-9 || 3*math.Log(3)/(1+far) > lo-aside || 3*math.Log(3)/(1+far/2) <= lo-aside {
		t.Errorf("%g is reached, want %g, with cells up to %g", lo, reached, far)
	}
	if b, _ := s.beyond.Bounds(); b != 0 {
		t.Errorf("beyond the last cell is %v", s.beyond)
	}
	top := s.cells[0]
	for _, c := range s.cells {
		if c.bound.CmpHi(top.bound) > 0 {
			t.Error("the first cell has not the largest bound")
		}
	}
	n := len(s.cells)
	from, to := top.from, top.to
	s.halve()
	halves := 0
	for _, c := range s.cells {
		if c.from == from && c.to == (from+to)/2 || c.from == (from+to)/2 && c.to == to {
			halves++
			for at, k := range map[float64]interval.Interval{c.from: c.kf, c.to: c.kt} {
				if want := 3 * a.moment(at); math.Abs(k.Mid()-want) > 1e-12*(1+want) {
					t.Errorf("after halving the log-moment at %g is %v, want %g", at, k, want)
				}
			}
		}
	}
	if len(s.cells) != n+1 || halves != 2 || s.steps != 1 {
		t.Errorf("%d cells of %d after halving [%g, %g], %d of them halves", len(s.cells), n, from, to, halves)
	}
	// At an order that is not whole the discrete ones add what their log-moment says.
	s.lo = interval.Int(0)
	s.reach(top, 0.5, interval.Float(1))
	want := 1/0.75 + aside - 6 + 4*discrete.LogMoment(interval.Float(0.5)).Mid()/0.75
	if got := s.lo.Mid(); math.Abs(got-want) > 1e-12 || want >= 1/0.75+aside {
		t.Errorf("at order 3/2 is reached %g, want %g", got, want)
	}
}

// What bounds the ratio in float64 is near to the largest one of chords over quarters of a doubling, for one pair and many uses.
func TestRoughRatioBounds(t *testing.T) {
	for _, a := range []outputs{{[]float64{0.6, 0.3, 0.1}, []float64{0.2, 0.3, 0.5}}, {[]float64{0.001, 0.999}, []float64{1e-6, 1 - 1e-6}}, {[]float64{0.5, 0.5}, []float64{0.9, 0.1}}, {[]float64{1e-8, 1 - 1e-8}, []float64{1e-12, 1 - 1e-12}}} {
		for _, k := range []int{1, 7} {
			c := &candidate{screens: []*Screen{NewScreen(a.rational())}, times: []int{k}}
			most := 0.0
			for e := -12.0; e <= 20; e += 1. / 64 {
				if s := math.Exp2(e); s*a.top() < 600 {
					most = max(most, float64(k)*a.moment(s)/s/(1+s))
				}
			}
			// A chord over [x, 2^{1/4}x] lies above a convex K by no more than K itself may bend: 2% here.
			if got := c.zcdpBound(); got < most*(1-1e-9) || got > most*1.02+2e-9 {
				t.Errorf("%v, %d uses: at most %g, reaches %g", a, k, got, most)
			}
		}
	}
}

// The second moment is Σ p²/q of all uses, none where an output is of P alone or a mass is no rational.
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
	veiled := NewDiscretePair([]Atom{{P: evidence.RatOrInterval{Enclosure: interval.Float(1)}, Q: evidence.ExactRat(big.NewRat(1, 1)), Offset: interval.Int(0)}}, zero, zero, evidence.Epsilon{}, Hooks{})
	for name, pair := range map[string]Pair{"sure": lawsOf(t, 2, []int64{1, 1}, []int64{2, 0}), "veiled": veiled, "normal": Normal(interval.Int(1))} {
		if got := (&composition{factors: []factor{{pair, 1}}}).secondMoment(); got != nil {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// Rényi divergences of order 2 are exact where all pairs that may be the worst are rational; of others they are enclosed.
func TestOrderTwoIsExact(t *testing.T) {
	a := New(PairAndReverse("pair", "test", lawsOf(t, 20, []int64{12, 6, 2}, []int64{4, 6, 10})))
	for alpha, exact := range map[*big.Rat]bool{big.NewRat(2, 1): true, big.NewRat(3, 1): false, big.NewRat(3, 2): false} {
		n := must.For(a.Renyi(t.Context(), alpha))(t)
		if _, ok := n.(evidence.ExactLog); ok != exact {
			t.Errorf("α = %v: %T", alpha, n)
		}
	}
	for _, alpha := range []*big.Rat{one, big.NewRat(-3, 1), big.NewRat(99, 100)} {
		if _, err := a.Renyi(t.Context(), alpha); err == nil || err.Error() != "alpha = "+alpha.RatString()+", want a number above 1" {
			t.Errorf("α = %v: %v", alpha, err)
		}
	}
}

// What a mass that is open may make infinite is enclosed from 0 on, and of one that is sure it is infinite: of ρ, of D and of the largest loss.
func TestOpenInfiniteLosses(t *testing.T) {
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
			t.Errorf("infinite losses of %v: ρ in [%g, %g]", c.sure.Enclosure, lo, hi)
		}
		f := PairAndReverse("open", "test", l)
		f.Pair = func(context.Context, int) (Pair, error) { return l, nil }
		for what, n := range map[string]evidence.Number{"ρ": must.For(New(f).ZCDP(t.Context()))(t), "D": must.For(New(f).Renyi(t.Context(), big.NewRat(3, 1)))(t), "ε": must.For(New(f).Epsilon(t.Context(), evidence.Delta{}))(t)} {
			lo, hi := n.Bounds()
			if c.sure.Rational == nil && (lo > 1e300 != (c.lo > 0) || !math.IsInf(hi, 1)) || c.sure.Rational != nil && math.IsInf(hi, 1) {
				t.Errorf("infinite losses of %v: %s is [%g, %g]", c.sure.Enclosure, what, lo, hi)
			}
		}
	}
}
