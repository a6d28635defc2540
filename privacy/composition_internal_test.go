package privacy

import (
	"context"
	"math"
	"math/big"
	"slices"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/ctxtest"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
)

// onePairOfEachKind returns one pair of each kind that has a grid.
func onePairOfEachKind(t *testing.T) map[string]Pair {
	t.Helper()
	half := must.For(evidence.NewEpsilon("eps", 0.5))(t)
	table := must.For(NewRationalPair([]*big.Rat{big.NewRat(1, 2), big.NewRat(1, 3), big.NewRat(1, 6)}, []*big.Rat{big.NewRat(1, 4), big.NewRat(1, 4), big.NewRat(1, 2)}))(t)
	discrete := must.For(DiscreteGaussian(big.NewRat(9, 4), 2))(t)
	normal, tenth := Normal(interval.Float(1.25)), big.NewRat(1, 10)
	return map[string]Pair{
		"normal": normal, "between": Normal(interval.Between(1, 1.5)), "Laplace": Laplace(half), "table": table, "discrete Gaussian": discrete,
		"normal of some": newSubsampled(normal.(*closedForm), tenth, removal), "normal, added": newSubsampled(normal.(*closedForm), tenth, addition),
		"Laplace of some": newSubsampled(Laplace(half).(*closedForm), tenth, replacement),
	}
}

// The probability of a loss outside truncatedRange is at most 2^-bits, for both ends of an interval μ.
func TestTruncatedRange(t *testing.T) {
	for _, bits := range []uint{20, 80, 200} {
		rare := math.Ldexp(1, -int(bits))
		for _, mu := range [][2]float64{{1, 1}, {1, 1.5}, {0.01, 3}, {2, 2.0001}, {1, 20}} {
			p := Normal(interval.Between(mu[0], mu[1])).(*closedForm)
			lo, hi := p.truncatedRange(bits)
			for _, m := range mu {
				above := math.Erfc((hi/m-m/2)/math.Sqrt2) / 2
				below := math.Erfc((m/2-lo/m)/math.Sqrt2) / 2
				if above > rare || below > rare {
					t.Errorf("μ in %v: P has %g above %g and %g below %g, want 2^-%d at most", mu, above, hi, below, lo, bits)
				}
			}
		}
		for name, p := range onePairOfEachKind(t) {
			lo, hi := p.truncatedRange(bits)
			var above, below interval.Interval
			switch p := p.(type) {
			case *closedForm:
				above, _ = p.tails(interval.Float(hi).Add(interval.Float(1e-9)))
				below, _ = p.tails(interval.Float(lo).Sub(interval.Float(1e-9)))
			case *discreteGaussian: // the loss n(2k − n)/2σ² belongs to output k, and k − n has the law of the noise
				unit := p.unit.Value()
				k := int64(math.Ceil((hi+p.half.Mid())/unit)) - p.shift
				above = p.law.Tail(big.NewInt(k))
				below = interval.Int(1).Sub(p.law.Tail(big.NewInt(int64(math.Floor((lo+p.half.Mid())/unit)) - p.shift + 1)))
			default:
				continue
			}
			if _, most := above.Bounds(); most > rare {
				t.Errorf("%s: %g above %g, want 2^-%d at most", name, most, hi, bits)
			}
			if least, _ := below.Bounds(); 1-least > max(rare, 1e-15) && name != "discrete Gaussian" {
				t.Errorf("%s: %g below %g, want 2^-%d at most", name, 1-least, lo, bits)
			} else if _, most := below.Bounds(); name == "discrete Gaussian" && most > max(rare, 1e-15) {
				t.Errorf("%s: %g below %g, want 2^-%d at most", name, most, lo, bits)
			}
		}
	}
}

// δ of two uses of Laplace noise matches a closed form: the δ of the second use, integrated over the loss of the first.
func TestTwoLaplaceUses(t *testing.T) {
	for _, e := range []float64{3} {
		eps, _ := evidence.NewEpsilon("eps", e)
		p := &composition{tailSums: map[uint]*tailSums{}, factors: []factor{{Laplace(eps), 2}}}
		p.width = 1e-6
		one := func(at float64) float64 { // δ of one use at ε = at, of any sign: 1 − e^at below −e
			switch {
			case at >= e:
				return 0
			case at <= -e:
				return -math.Expm1(at)
			}
			return -math.Expm1((at - e) / 2)
		}
		for _, share := range []float64{0, 0.3, 1.7, 1.999} {
			at := share * e
			// The loss is e with probability 1/2 and −e with probability e^{−e}/2. Between them it has the density
			// e^{(l−e)/2}/4.
			want := one(at-e)/2 + one(at+e)*math.Exp(-e)/2
			const n = 200_000
			for k := range n {
				l := -e + (float64(k)+0.5)*2*e/n
				want += one(at-l) * math.Exp((l-e)/2) / 4 * 2 * e / n
			}
			var answers evidence.Epsilon
			if at > 0 {
				answers, _ = evidence.NewEpsilon("eps", at)
			}
			got := must.For(p.delta(t.Context(), answers))(t)
			lo, hi := got.Enclosure.Bounds()
			if lo > want*(1+1e-8)+1e-15 || hi < want*(1-1e-8)-1e-15 || hi-lo > 1e-5*hi {
				t.Errorf("two uses of Laplace noise, ε = %g: δ(%g) in [%.12g, %.12g], want %.12g", e, at, lo, hi, want)
			}
		}
	}
}

// Bisection finds a narrow bracket of the ε at which two randomized responses have the given δ. With interval masses,
// both ends hold for every law in the intervals.
func TestEpsilonByBisection(t *testing.T) {
	response := func(eps, open float64) (Pair, outputs) {
		p := 1 / (1 + math.Exp(-eps))
		atom := func(p, q float64) Atom {
			loss := math.Log(p / q)
			return Atom{P: amount(p*(1-open), p*(1+open)), Q: amount(q*(1-open), q*(1+open)), Offset: interval.Between(loss-1e-15, loss+1e-15)}
		}
		return NewDiscretePair([]Atom{atom(p, 1-p), atom(1-p, p)}, zero, zero, evidence.Epsilon{}, Hooks{}), outputs{[]float64{p, 1 - p}, []float64{1 - p, p}}
	}
	for _, open := range []float64{0, 1e-3} {
		a, x := response(0.5, open)
		b, y := response(0.7, open)
		p, all := newComposition(0, []factor{{a, 1}, {b, 1}}), x.times(y)
		most := func(eps float64) (sum float64) { // the sum over all events
			for i := range all.p {
				sum += max(0, all.p[i]*(1+open)*(1+open)-math.Exp(eps)*all.q[i]*(1-open)*(1-open))
			}
			return sum
		}
		for _, delta := range []int64{1, 10, 30} {
			lo, hi := must.For(p.bisect(t.Context(), interval.Between(-1, 3), big.NewRat(delta, 100)))(t).Bounds()
			if want := float64(delta) / 100; hi-lo > 1e-10 && open == 0 || all.delta(lo) < want-1e-12 || most(hi) > want+1e-12 {
				t.Errorf("masses of width %g: ε(%g) in [%g, %g], where δ is %g and %g", open, want, lo, hi, all.delta(lo), most(hi))
			}
		}
		ctxtest.EachPoll(t, 1, func(ctx context.Context) error {
			_, err := p.bisect(ctx, interval.Between(0, 3), big.NewRat(1, 10))
			return err
		})
	}
}

// Probabilities that at least k records are drawn match binomial sums, and the computation stops with its context.
func TestAtLeast(t *testing.T) {
	for _, n := range []int64{1, 2, 7} {
		for _, rate := range []*big.Rat{big.NewRat(1, 5), big.NewRat(2, 3), one} {
			for k := int64(-1); k <= n+1; k++ {
				sum := new(big.Rat)
				for j := max(k, 0); j <= n; j++ {
					term := new(big.Rat).SetInt(new(big.Int).Binomial(n, j))
					term.Mul(term, interval.RationalPower(rate, big.NewInt(j)))
					sum.Add(sum, term.Mul(term, interval.RationalPower(new(big.Rat).Sub(one, rate), big.NewInt(n-j))))
				}
				if got, want := must.For(atLeast(t.Context(), n, k, rate))(t), interval.Rat(sum); got.Less(want) || want.Less(got) || !got.Upper().Sub(got.Lower()).Less(interval.Float(0x1p-200)) {
					t.Errorf("%d of %d at %v: %v, want %v", k, n, rate, got, sum)
				}
			}
		}
	}
	for k, least := range map[int64]int{1000: 1, 4000: 2} {
		ctxtest.EachPoll(t, least, func(ctx context.Context) error { _, err := atLeast(ctx, 9000, k, big.NewRat(1, 3)); return err })
	}
	far := mixturePair{normalMixture{mean: []interval.Interval{interval.Between(1, 2)}}, normalMixture{mean: []interval.Interval{interval.Between(-4, -3)}}}
	if from, to := far.ends(10); from != -14 || to != 12 {
		t.Errorf("ends %g and %g, want -14 and 12", from, to)
	}
}

// The number of losses and their bit lengths decide whether an exact list of losses is affordable.
func TestExactListIsAffordable(t *testing.T) {
	pair := func(n int, den *big.Int, unit evidence.Epsilon) *DiscretePair { // a pair with n losses
		var atoms []Atom
		for k := range n {
			q := new(big.Rat).SetFrac(big.NewInt(int64(k+1)), den)
			atoms = append(atoms, Atom{P: evidence.ExactRat(q), Q: evidence.ExactRat(new(big.Rat).SetFrac(big.NewInt(int64(n-k)), den)), Steps: int64(5*k - 3), Offset: interval.Int(0)})
		}
		return NewDiscretePair(atoms, zero, zero, unit, Hooks{})
	}
	small, long := big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 12000)
	unit, other := must.Be(evidence.NewEpsilon("unit", 1)), pair(2, small, evidence.Epsilon{})
	for name, c := range map[string]struct {
		one     *DiscretePair
		uses    int
		with    []*DiscretePair
		lattice bool
		most    int // the largest affordable number of losses, or −1 if there is no limit
	}{
		"one use": {pair(3, small, evidence.Epsilon{}), 1, nil, false, 3}, "four uses": {pair(3, small, evidence.Epsilon{}), 4, nil, false, 15}, "and another": {pair(3, small, evidence.Epsilon{}), 2, []*DiscretePair{other}, false, 12},
		"a lattice": {pair(3, small, unit), 4, nil, true, 41}, "fewer bits": {pair(2, long, unit), 2, nil, true, 11}, "many bits": {pair(2, long, unit), 3, nil, true, -1},
		"fewer words": {pair(300, small, evidence.Epsilon{}), 2, nil, false, 45150}, "many words": {pair(330, small, evidence.Epsilon{}), 2, nil, false, -1},
	} {
		steps := slices.Concat(slices.Repeat([]*DiscretePair{c.one}, c.uses), c.with)
		if affordable(steps, c.lattice, float64(c.most)) != (c.most > 0) || affordable(steps, c.lattice, float64(c.most)-1) || affordable(steps, c.lattice, 1<<30) != (c.most > 0) {
			t.Errorf("%s: want %d losses to be affordable, and no more", name, c.most)
		}
	}
	if got := NewDiscretePair([]Atom{{P: amount(0.25, 0.25), Q: amount(1, 1), Offset: interval.Int(1)}, {P: amount(0.5, 0.5), Q: amount(1, 1), Offset: interval.Int(3)}}, zero, zero, evidence.Epsilon{}, Hooks{}).variance(); math.Abs(got-8./9) > 1e-15 {
		t.Errorf("losses 1 and 3 with masses 1 : 2 have the variance %g, want 8/9", got)
	}
}

// With interval masses and losses, the meet-in-the-middle sum encloses δ. The widths of the inputs bound its width.
func TestMeetInTheMiddleIntervalMasses(t *testing.T) {
	share := func(k int) float64 { return 0.1 + 0.05*float64(k*7%11) }
	for _, width := range []float64{0, 0.01} {
		var factors []factor
		all := outputs{[]float64{1}, []float64{1}}
		for k := range 4 {
			p, q := share(k), share(k+5)
			one, times := outputs{[]float64{p, 1 - p}, []float64{q, 1 - q}}, 1+k%2
			var atoms []Atom
			for i := range one.p {
				loss := math.Log(one.p[i] / one.q[i])
				atoms = append(atoms, Atom{P: amount(one.p[i]*(1-width), one.p[i]*(1+width)), Q: amount(one.q[i]*(1-width), one.q[i]*(1+width)), Offset: interval.Between(loss-width-1e-15, loss+width+1e-15)})
			}
			factors = append(factors, factor{NewDiscretePair(atoms, zero, zero, evidence.Epsilon{}, Hooks{}), times})
			for range times {
				all = all.times(one)
			}
		}
		h := newComposition(0, factors).meetInTheMiddle()
		if h == nil || len(h.a)*len(h.b) != 2*3*2*3 {
			t.Fatal("meetInTheMiddle found no halves")
		}
		slack := math.Pow(1+width, 6) // relative error of the masses of six uses
		if _, open := h.ambiguous.Bounds(); open < 12*width || open > 12*width*1.01*slack+1e-13 {
			t.Errorf("losses have the width %g, want %g", open, 12*width)
		}
		for _, at := range []float64{0, 0.1, 0.5, 1, 2} {
			eps := evidence.Epsilon{}
			if at > 0 {
				eps = must.Be(evidence.NewEpsilon("eps", at))
			}
			lo, hi := must.For(h.delta(t.Context(), eps))(t).Bounds()
			if want := all.delta(at); lo > want+1e-12 || hi < want+12*width-1e-9 || hi > want*slack+(slack-1)*math.Exp(at)+12*width*slack+1e-9 || width == 0 && hi-lo > 1e-11 {
				t.Errorf("relative width of masses %g: δ(%g) in [%g, %g], want %g", width, at, lo, hi, want)
			}
		}
	}
	for _, c := range [][3]int{{1, 9, 1}, {2, 3, 4}, {3, 2, 6}, {4, 5, 56}} {
		if got := multisets(c[0], c[1]); got != float64(c[2]) {
			t.Errorf("multisets of %d of %d atoms: %g, want %d", c[1], c[0], got, c[2])
		}
	}
}

// refine tries more bits until the answer is narrow, or as long as it becomes narrower, and returns the best answer.
func TestRefineNarrows(t *testing.T) {
	ln2 := must.For(evidence.LogEpsilon("eps", big.NewRat(2, 1)))(t)
	l := must.For(must.For(ApproxDP(ln2, new(big.Rat)))(t).Pair(t.Context(), 0))(t)
	for _, c := range []struct {
		widths []float64 // widths of the answers, in order; the last one repeats
		asked  int
		want   float64
	}{
		{[]float64{1e-2, 1e-5, 1e-12, 0}, 3, 1e-12}, {[]float64{1e-12, 0}, 1, 1e-12},
		{[]float64{1e-2, 1e-3, 0.9e-3, 0}, 3, 0.9e-3}, {[]float64{1e-3, 1e-2}, 2, 1e-3},
	} {
		asked := 0
		got := must.For(newComposition(0, []factor{{l, 2}}).refine(t.Context(), -10, func(*tailSums) interval.Interval {
			asked++
			return interval.Between(1-c.widths[min(asked, len(c.widths))-1], 1)
		}))(t)
		if lo, hi := got.Enclosure.Bounds(); asked != c.asked || math.Abs(hi-lo-c.want) > 1e-3*c.want {
			t.Errorf("widths %v: %d answers, [%v, %v], want %d and a width of %v", c.widths, asked, lo, hi, c.asked, c.want)
		}
	}
}

// For normal noise whose μ is an interval, the float64 cells bound the tails of every μ in it. Beyond each loss, the
// list above has at least their mass, and the list below at most their mass.
func TestFloat64CellsOfIntervalNoise(t *testing.T) {
	for _, top := range []float64{1.25, 1 + 1e-9} {
		above, below := Normal(interval.Between(1, top)).(*closedForm).float64Cells()
		for _, mu := range []float64{1, (1 + top) / 2, top} {
			for _, k := range []int{100, 200, 250, 300, 400} {
				l := above.Loss[k] // the top of a cell
				tail := math.Erfc((l-mu*mu/2)/mu/math.Sqrt2) / 2
				most, least := above.Infinity, 0.0
				for i, loss := range above.Loss {
					if loss > l {
						most += math.Exp(above.Log[i])
					}
				}
				for i, loss := range below.Loss {
					if loss >= l {
						least += math.Exp(below.Log[i])
					}
				}
				if !(least <= tail*(1+1e-12) && most >= tail*(1-1e-12)) {
					t.Errorf("μ = %v: the mass of losses above %v in [%v, %v], want %v", mu, l, least, most, tail)
				}
			}
		}
	}
}
