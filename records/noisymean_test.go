package records_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/internal/stattest"
	"dpworkbench/records"
)

// noisyMeans enumerates the noise of sum and count, and returns the probability of each output of a noisy mean of
// integers in [lo, hi]. The omitted noise has probability below 1e-13.
func noisyMeans(x []float64, lo, hi int64, sumEps, countEps float64) map[string]float64 {
	law := func(rate float64) (p []float64, far int) {
		z := math.Exp(-rate)
		for far = int(34/rate) + 1; len(p) < 2*far+1; {
			p = append(p, (1-z)/(1+z)*math.Pow(z, math.Abs(float64(len(p)-far))))
		}
		return p, far
	}
	step := int64(2) // in half steps, between possible distances from the middle
	if (hi-lo)%2 != 0 {
		step = 1
	}
	twice := int64(0)
	for _, v := range x {
		twice += 2*int64(v) - lo - hi
	}
	sums, farSum := law(sumEps * float64(step) / float64(hi-lo))
	counts, farCount := law(countEps)
	out := map[string]float64{}
	for i, p := range sums {
		for j, w := range counts {
			v := big.NewRat(twice+step*int64(i-farSum), 2*max(1, int64(len(x)+j-farCount)))
			v.Add(v, big.NewRat(lo+hi, 2))
			out[smallest(largest(v, big.NewRat(lo, 1)), big.NewRat(hi, 1)).RatString()] += p * w
		}
	}
	return out
}

// A noisy mean has the law of a ratio of noisy sum and count: probabilities, errors, quantiles and draws. Removing
// one record changes log-probabilities by at most ε, and by nearly ε in the worst case.
func TestNoisyMeanMatchesEnumeration(t *testing.T) {
	for _, c := range []struct {
		x      []float64
		lo, hi int64
		eps    *big.Rat
		share  *big.Rat
		reach  float64 // least value of the worst loss divided by ε
	}{
		{[]float64{0, 2, 2}, 0, 2, rat(2, 1), rat(1, 2), 0.99},
		{[]float64{-1, 1, 2, 2, 2}, -1, 2, rat(3, 1), rat(1, 3), 0.99},
		{[]float64{1}, 0, 1, rat(3, 2), rat(3, 4), 0.99},
	} {
		o := records.Options{Lo: rat(c.lo, 1), Hi: rat(c.hi, 1), Grid: rat(1, 1), Neighbors: records.AddRemove}
		eps := must.For(evidence.RationalEpsilon("eps", c.eps))(t)
		e, _ := c.eps.Float64()
		s, _ := c.share.Float64()
		q := must.For(must.For(records.New(c.x, o))(t).Mean())(t)
		m := must.For(records.NewNoisyMean(q, eps, c.share))(t)
		law := noisyMeans(c.x, c.lo, c.hi, e*s, e*(1-s))
		near := func(what string, got evidence.Number, want float64) {
			t.Helper()
			if lo, hi := got.Bounds(); !(lo-1e-11 <= want && want <= hi+1e-11 && hi-lo < 1e-14*max(1, want)) {
				t.Errorf("%s of %v: %s is %v, want %g", m.Name(), c.x, what, got, want)
			}
		}
		type output struct {
			v    *big.Rat
			p, e float64
		}
		var all []output
		distortion, below := 0.0, 0.0
		for text, p := range law {
			v, _ := new(big.Rat).SetString(text)
			d, _ := new(big.Rat).Sub(v, q.Value()).Float64()
			all = append(all, output{v, p, math.Abs(d)})
			distortion += p * math.Abs(d)
		}
		near("E|r − f(x)|", must.For(m.Distortion(ctx))(t), distortion)
		for _, c := range []*big.Rat{o.Lo, o.Hi, rat(5, 1), rat(-7, 2), rat(1, 3)} {
			want := 0.0
			for _, out := range all {
				d, _ := new(big.Rat).Sub(out.v, c).Float64()
				want += out.p * math.Abs(d)
			}
			near("E|r − "+c.RatString()+"|", must.For(records.DistortionFrom(ctx, m, c))(t), want)
		}
		slices.SortFunc(all, func(a, b output) int { return a.v.Cmp(b.v) })
		var cuts []*big.Rat // upper ends of intervals
		var shares []float64
		for i, out := range all {
			if below += out.p; i%max(1, len(all)/40) == 0 || out.p > 0.02 {
				near("at "+out.v.RatString(), must.For(records.Probability(ctx, m, out.v, out.v))(t), out.p)
				near("up to "+out.v.RatString(), must.For(records.Probability(ctx, m, o.Lo, out.v))(t), below)
				cuts, shares = append(cuts, out.v), append(shares, below)
			}
		}
		slices.SortFunc(all, func(a, b output) int { return int(math.Copysign(1, a.e-b.e)) })
		at, sum := 0, 0.0
		for _, p := range []*big.Rat{rat(1, 2), rat(9, 10)} {
			for want, _ := p.Float64(); sum < want; at++ {
				sum += all[at].p
			}
			near("quantile "+p.RatString(), must.For(records.ErrorQuantile(ctx, m, p))(t), all[at-1].e)
		}
		const n, rate = 1 << 12, 1e-9
		release, _, err := m.(records.Releaser).Release(ctx, n, rand.NewPCG(1, 2))
		if err != nil {
			t.Fatal(err)
		}
		for what, draws := range map[string][]float64{"releases": release, "draws": must.For(m.Simulate(ctx, n, rand.NewPCG(3, 4)))(t)} {
			for i, cut := range cuts {
				at, _ := cut.Float64()
				got := 0.0
				for _, v := range draws {
					if v <= at+1e-12 {
						got++
					}
				}
				if math.Abs(got/n-shares[i]) > stattest.Radius(n, rate/float64(len(cuts))) {
					t.Errorf("%s of %s at %v: frequency %g up to %v, want %g", what, m.Name(), c.x, got/n, cut, shares[i])
				}
			}
		}
		worst := 0.0
		for v := c.lo; v <= c.hi; v++ {
			other := noisyMeans(append([]float64{float64(v)}, c.x...), c.lo, c.hi, e*s, e*(1-s))
			for text, p := range law {
				if r := other[text]; p > 1e-9 || r > 1e-9 {
					worst = max(worst, math.Abs(math.Log(p/r)))
				}
			}
		}
		if worst > e*(1+1e-5) || worst < e*c.reach {
			t.Errorf("%s at %v: the largest loss when a record is added is %g, want %g", m.Name(), c.x, worst, e)
		}
	}
}

// The moves of a mean under addition and removal match an enumeration of all datasets within t changes.
func TestMeanMovesUnderAddRemove(t *testing.T) {
	for _, x := range [][]int64{{0}, {3}, {1, 2}, {0, 1, 3}, {0, 0, 3, 3, 3}, {1, 1, 2, 3, 3}} {
		q := must.For(recordsOf(t, x, 3, rat(1, 1), records.AddRemove).Mean())(t)
		near := map[string][]int64{fmt.Sprint(x): x}
		lo, hi := q.Value(), q.Value()
		for d := 1; d <= 5; d++ {
			next := map[string][]int64{}
			for _, y := range near {
				for v := range int64(4) {
					z := append(slices.Clone(y), v)
					slices.Sort(z)
					next[fmt.Sprint(z)] = z
				}
				for i := range y {
					if z := slices.Delete(slices.Clone(y), i, i+1); len(z) > 0 {
						next[fmt.Sprint(z)] = z
					}
				}
			}
			for _, y := range next {
				mean := new(big.Rat)
				for _, v := range y {
					mean.Add(mean, rat(v, int64(len(y))))
				}
				lo, hi = smallest(lo, mean), largest(hi, mean)
			}
			near = next
			up, down, err := q.Moves(d)
			if err != nil {
				t.Fatal(err)
			}
			if up.Add(up, q.Value()).Cmp(hi) != 0 || down.Sub(q.Value(), down).Cmp(lo) != 0 {
				t.Errorf("%d changes move the mean of %v to [%v, %v], want [%v, %v]", d, x, down, up, lo, hi)
			}
		}
	}
}

// NewNoisyMean requires a mean under addition and removal, a grid, and a positive budget for both parts. A range with a
// single value needs no noise.
func TestRefusedNoisyMeans(t *testing.T) {
	half, one := rat(1, 2), must.For(evidence.RationalEpsilon("eps", rat(1, 1)))(t)
	moving := small(records.AddRemove)
	mean := must.For(moving.Mean())(t)
	refused(t, errorOf(records.NewNoisyMean(must.For(small(records.Replace).Mean())(t), one, half)), `mean of 3 records in [0, 4], grid 1 is under "replace", where the number of records is public: want laplace, or a mean of records under "add_remove"`)
	refused(t, errorOf(records.NewNoisyMean(must.For(moving.Total())(t), one, half)), "total of 3 records in [0, 4], grid 1 is not a mean of records, which noisy_mean requires")
	refused(t, errorOf(records.NewNoisyMean(must.For(recordsOf(t, []int64{1}, 3, nil, records.AddRemove).Mean())(t), one, half)), "mean of 1 records in [0, 3] has no grid, which geometric noise needs: want records with grid=…, and with clip=True if they are not on the grid")
	for _, share := range []*big.Rat{rat(0, 1), rat(1, 1), rat(-1, 2)} {
		refused(t, errorOf(records.NewNoisyMean(mean, one, share)), "share = "+share.RatString()+", want a fraction of 64-bit integers between 0 and 1")
	}
	refused(t, errorOf(records.NewNoisyMean(mean, must.For(evidence.RationalEpsilon("eps", rat(1, 1<<20)))(t), half)), "noisy_mean(eps=9.5367431640625e-07, share=0.5) spends eps = 4.76837158203125e-07 on the count, whose noise then has more than 2^21 values to sum over, want a larger eps or a smaller share")
	same := must.For(must.For(records.New([]float64{3, 3}, records.Options{Lo: rat(3, 1), Hi: rat(3, 1), Neighbors: records.AddRemove}))(t).Mean())(t)
	for _, m := range []records.Law{must.For(records.NewNoisyMean(same, one, half))(t), must.For(records.NewExponential(same, one))(t)} {
		values, _, err := m.(records.Releaser).Release(ctx, 2, nil)
		if err != nil || !slices.Equal(values, []float64{3, 3}) || must.For(m.Distortion(ctx))(t).Float() != 0 {
			t.Errorf("%s of 3 releases %v, %v", m.Name(), values, err)
		}
	}
}
