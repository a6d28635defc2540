package signrp

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"dpworkbench/claims/check"
	"dpworkbench/claims/check/checktest"
	"dpworkbench/evidence"
	"dpworkbench/gaussian"
	"dpworkbench/signrp"
)

// The divergence at a is the largest value of P(S) − aQ(S) and Q(S) − aP(S) over all events S. The composition check
// compares its bound with the divergence of the product, at the larger a for power 0, at the product of both a for
// power 1, and at its square for power 2. The expected values come from an enumeration of events.
func TestDivergenceByEvents(t *testing.T) {
	byEvents := func(p, q []*big.Rat, a *big.Rat) *big.Rat {
		worst := new(big.Rat)
		for event := range 1 << len(p) {
			one, other := new(big.Rat), new(big.Rat)
			for r := range p {
				if event>>r&1 == 1 {
					one.Add(one, p[r])
					other.Add(other, q[r])
				}
			}
			for _, d := range []*big.Rat{new(big.Rat).Sub(one, new(big.Rat).Mul(a, other)), new(big.Rat).Sub(other, new(big.Rat).Mul(a, one))} {
				if d.Cmp(worst) > 0 {
					worst = d
				}
			}
		}
		return worst
	}
	law := func(weights []int64) (out []*big.Rat) {
		sum := int64(0)
		for _, w := range weights {
			sum += w
		}
		for _, w := range weights {
			out = append(out, big.NewRat(w, sum))
		}
		return out
	}
	product := func(p, q []*big.Rat) (out []*big.Rat) {
		for _, x := range p {
			for _, y := range q {
				out = append(out, new(big.Rat).Mul(x, y))
			}
		}
		return out
	}
	small, large := big.NewRat(5, 4), big.NewRat(3, 2)
	for _, c := range []composed{
		{[2][]int64{{1, 2, 3}, {5, 1}}, [2][]int64{{3, 2, 1}, {2, 4}}, [2]*big.Rat{small, large}},
		{[2][]int64{{7, 1, 1}, {1, 3}}, [2][]int64{{1, 1, 1}, {1, 1}}, [2]*big.Rat{large, small}},
		{[2][]int64{{0, 3, 1}, {1, 0}}, [2][]int64{{2, 1, 1}, {1, 1}}, [2]*big.Rat{check.One, small}},
		{[2][]int64{{9, 1}, {4, 1, 1}}, [2][]int64{{2, 8}, {1, 1, 9}}, [2]*big.Rat{large, large}},
	} {
		var want [2]*big.Rat
		for i := range 2 {
			want[i] = byEvents(law(c.p[i]), law(c.q[i]), c.a[i])
			if got := divergence(c.prob(c.p[i]), c.prob(c.q[i]), c.a[i]); got.Cmp(want[i]) != 0 {
				t.Errorf("%v and %v: %s, want %s", c.p[i], c.q[i], got.RatString(), want[i].RatString())
			}
		}
		both := new(big.Rat).Mul(c.a[0], c.a[1])
		larger := c.a[0]
		if larger.Cmp(c.a[1]) < 0 {
			larger = c.a[1]
		}
		for power, a := range []*big.Rat{larger, both, new(big.Rat).Mul(both, both)} {
			is := byEvents(product(law(c.p[0]), law(c.p[1])), product(law(c.q[0]), law(c.q[1])), a)
			for _, less := range []int64{0, 1} { // billionths below the true divergence
				s := composition(func(x, y *big.Rat) *big.Rat {
					if x.Cmp(want[0]) != 0 || y.Cmp(want[1]) != 0 {
						t.Errorf("parts %s and %s, want %s and %s", x.RatString(), y.RatString(), want[0].RatString(), want[1].RatString())
					}
					return new(big.Rat).Sub(is, big.NewRat(less, 1e9))
				}, power)
				if holds, err := checktest.Holds(s, c); holds != (less == 0) || err != nil {
					t.Errorf("%v at power %d, %d billionths below %s: %v, %v", c, power, less, is.RatString(), holds, err)
				}
			}
		}
	}
}

// δ by (4), computed with erfc, lies between the lower and the upper sum and is near both. The cases have positive and
// negative ends of the half-line.
func TestProfileSums(t *testing.T) {
	for _, c := range []profileCase{{1, 1}, {0.5, 0.5}, {2, 0.25}, {4, 0.25}, {0.1, 3}, {1, 0.70710678}, {1, 0.05}} {
		lo, hi := profileSums(c)
		delta := math.Erfc((c.eps*c.sigma-1/(2*c.sigma))/math.Sqrt2)/2 - math.Exp(c.eps)*math.Erfc((c.eps*c.sigma+1/(2*c.sigma))/math.Sqrt2)/2
		if !(lo < delta && delta < hi && hi < 1.05*delta && lo > 0.95*delta) {
			t.Errorf("%+v: sums %v and %v, want about %v", c, lo, hi, delta)
		}
	}
}

// ones returns Pr(|wᵀu| ≤ β) for a vector u of n ones, by counting.
func ones(n, tenths int) *big.Rat {
	sum := new(big.Int)
	for plus := range n + 1 {
		if 10*check.Abs(2*plus-n) <= tenths {
			sum.Add(sum, new(big.Int).Binomial(int64(n), int64(plus)))
		}
	}
	return new(big.Rat).SetFrac(sum, new(big.Int).Lsh(big.NewInt(1), uint(n)))
}

// An approximation f passes if (1 − (1 + β²/2)/n)f ≤ P₊ ≤ f, and fails if it is 1e-10 beyond either end. P₊ comes from
// counting. latticeNormal counts the values of wᵀu in [−β, β].
func TestLatticeReach(t *testing.T) {
	for _, c := range []onesCase{{100, 10}, {101, 10}, {100, 5}, {101, 20}, {100, 40}, {103, 30}, {64, 19}, {65, 9}} {
		p, _ := ones(c.n, c.tenths).Float64()
		if p == 0 {
			continue
		}
		beta := float64(c.tenths) / 10
		shrink := 1 - (1+beta*beta/2)/float64(c.n)
		for _, a := range []struct {
			f    float64
			want bool
		}{{p * (1 + 1e-10), true}, {p * (1 - 1e-10), false}, {p / shrink * (1 - 1e-10), true}, {p / shrink * (1 + 1e-10), false}} {
			if holds, err := checktest.Holds(latticeReach(func(onesCase) float64 { return a.f }), c); holds != a.want || err != nil {
				t.Errorf("%+v with P₊ = %v, approximated by %v: %v, %v", c, p, a.f, holds, err)
			}
		}
		values := 0
		for v := -c.n; v <= c.n; v += 2 {
			if 10*check.Abs(v) <= c.tenths {
				values++
			}
		}
		want := float64(values) * 2 * math.Exp(0) / math.Sqrt(2*math.Pi) / math.Sqrt(float64(c.n))
		if got := latticeNormal(2)(c); math.Abs(got-want) > 8*check.Epsilon64*want {
			t.Errorf("%+v: %v, want %v for %d values", c, got, want, values)
		}
	}
}

// A bound passes if it is at most a billionth below P₊, and otherwise fails. The evidence has both numbers.
func TestReachBound(t *testing.T) {
	r := reach{2, 0.5}
	u, beta := r.vector()
	p := check.Must(signrp.GaussianPPlus(t.Context(), u, beta))
	lo, _ := p.Bounds()
	for _, c := range []struct {
		bound float64
		want  bool
	}{{lo, true}, {lo - 0.5e-9, true}, {lo - 2e-9, false}, {1, true}, {0, false}} {
		s := reachBound(func(reach) float64 { return c.bound }, "")
		if holds, err := checktest.Holds(s, r); holds != c.want || err != nil {
			t.Errorf("P₊ with the lower end %v is at most %v: %v, %v", lo, c.bound, holds, err)
		}
		if items := s.Measure(r); len(items) != 2 || items[0].Number != p || items[1].Number.Float() != c.bound {
			t.Errorf("evidence %v", items)
		}
	}
}

// The rows weighted by a null vector add up to 0, and some weight is at least 1.
func TestNullVectors(t *testing.T) {
	for seed := range uint64(20) {
		c := balancedCase{p: 12, k: 1 + int(seed%6), seed: seed, delta: 0.1}
		w := check.Must(c.projection().Matrix())
		rows := check.Counting(c.p)[2 : c.k+3]
		x, largest := nullVector(w, rows), 0.0
		for j := range c.k {
			sum := 0.0
			for i, r := range rows {
				sum += x[i] * w[r][j]
				largest = max(largest, math.Abs(x[i]))
			}
			if math.Abs(sum) > 1e-9 {
				t.Errorf("seed %d: column %d adds up to %v", seed, j, sum)
			}
		}
		if largest < 1 {
			t.Errorf("seed %d: %v", seed, x)
		}
	}
	if n := ends([]float64{1, -1, 0.999, 0, 1}); n != 3 {
		t.Errorf("%d ends, want 3", n)
	}
}

// N₊ by (10) is rounded up and at most k. If (10) does not exist, N₊ is k. The test computes F = 2Φ(1/‖u‖) − 1 by erf.
func TestCountedSigns(t *testing.T) {
	for _, k := range []int{1, 8, 48, 4096} {
		c := balancedCase{p: 400, k: k, delta: 0.01}
		u := make([]float64, 400)
		for i := range u {
			u[i] = 1
		}
		mean, l := math.Erf(1/20./math.Sqrt2)*float64(k), math.Log(100)
		if got, want := countedSigns(c, u), math.Min(float64(k), math.Ceil(mean+(l+math.Sqrt(l*l+8*mean*l))/2)); got != want {
			t.Errorf("k = %d: %v, want %v", k, got, want)
		}
		if got := countedSigns(c, u[:0]); got != float64(k) {
			t.Errorf("k = %d, no vector: %v", k, got)
		}
	}
}

// The evidence at an instance contains P₊, which the test computes by counting.
func TestMeasured(t *testing.T) {
	c := onesCase{100, 10}
	for _, item := range usableReach().Measure(c)[:1] {
		p, _ := ones(100, 10).Float64()
		if lo, hi := item.Number.Bounds(); !(lo <= p && p <= hi && hi-lo < 1e-9) {
			t.Errorf("%s: %v, want %v", item.Label, item.Number, p)
		}
	}
	if _, ok := c.reached().(evidence.Exact); !ok {
		t.Error("P₊ of a hundred ones is not exact")
	}
}

// A loss equal to the claimed one passes, and a loss one ulp larger fails.
func TestSpentExactly(t *testing.T) {
	d, _ := check.Must(gaussian.Delta(check.BudgetOf(1), 1, 1)).Bounds()
	noise := classicNoise(func(_, _ float64) float64 { return 1 })
	all := signsAmong(func(c balancedCase, _ []float64) float64 { return float64(c.k) / 2 })
	spent, _ := all.Measure(balancedCase{100, 8, 0, 0.1})[0].Number.Bounds()
	if !(spent > 0 && spent < 1) {
		t.Fatalf("eight signs that flip with probability 1/4 have δ = %v at ε = 1", spent)
	}
	for _, c := range []struct {
		name string
		at   float64
		held func(delta float64) (bool, error)
	}{
		{"noise", d, func(delta float64) (bool, error) { return checktest.Holds(noise, privacyPoint{1, delta}) }},
		{"signs", spent, func(delta float64) (bool, error) { return checktest.Holds(all, balancedCase{100, 8, 0, delta}) }},
	} {
		for delta, want := range map[float64]bool{c.at: true, math.Nextafter(c.at, 0): false} {
			if holds, err := c.held(delta); holds != want || err != nil {
				t.Errorf("%s with loss %v and claimed %v: %v, %v", c.name, c.at, delta, holds, err)
			}
		}
	}
}

// marked returns the values of magnitude at most share. Two signs are equal if both numbers are negative or neither is.
func TestMarked(t *testing.T) {
	x := []float64{0, 1, -1, 1.0000001, -1.0000001, 0.5, 2}
	for share, want := range map[float64][]int{1: {0, 1, 2, 5}, 0.5: {0, 5}, 0: {0}, 2: {0, 1, 2, 3, 4, 5, 6}} {
		if got := marked(x, share); !slices.Equal(got, want) {
			t.Errorf("share %v: %v, want %v", share, got, want)
		}
	}
	negative := func(z float64) bool { return math.Signbit(z) && z != 0 }
	for _, a := range x {
		for _, b := range x {
			if sameSign(a, b) != (negative(a) == negative(b)) {
				t.Errorf("sameSign(%v, %v) is wrong", a, b)
			}
		}
	}
}

// A statement passes if the interval of the computed number allows it. The cases are a σ whose interval contains .1,
// and the δ of a step slightly larger than 1.
func TestNoiseWithinItsIntervalPasses(t *testing.T) {
	open, small, eps := 0, smallNoise(1), check.Must(gaussian.Epsilon(check.DeltaOf(1e-6), 0.1, 1)).Lo
	for range 20 {
		eps = math.Nextafter(eps, 0)
	}
	for range 40 {
		sigma := check.Must(gaussian.Sigma(check.BudgetOf(eps), check.DeltaOf(1e-6), 1))
		if sigma.Lo < 0.1 && 0.1 <= sigma.Hi {
			open++
		}
		if holds, err := checktest.Holds(small, eps); holds != (sigma.Hi >= 0.1) || err != nil {
			t.Errorf("σ in [%v, %v]: %v, %v", sigma.Lo, sigma.Hi, holds, err)
		}
		eps = math.Nextafter(eps, 100)
	}
	if open == 0 {
		t.Error("no budget with an undecided σ")
	}

	open = 0
	for _, eps := range []float64{0.5, 1, 2} {
		c := projectedCase{privacyPoint: privacyPoint{eps, 0.1}}
		for range 100 {
			c.delta = math.Nextafter(c.delta, 1)
			noise := check.Must(gaussian.Sigma(check.BudgetOf(eps), check.DeltaOf(c.delta), 1)).Hi
			for _, ulps := range []float64{0, 1, 2, 3} {
				step := 1 + ulps*check.Epsilon64
				d := check.Must(gaussian.Delta(check.BudgetOf(eps), noise, step))
				if d.Lo <= c.delta && c.delta < d.Hi {
					open++
				}
				moved := projectedNoise(func(projectedCase) float64 { return step }, 1)
				if holds, err := checktest.Holds(moved, c); holds != (d.Lo <= c.delta) || err != nil {
					t.Errorf("δ in [%v, %v], claimed %v: %v, %v", d.Lo, d.Hi, c.delta, holds, err)
				}
			}
		}
	}
	if open == 0 {
		t.Error("no step with an undecided δ")
	}
}

// P₊ is not a float64 and is enclosed by two adjacent ones, with which an approximation is compared. With β = 1 and n a
// power of 2, the factor 1 − (1 + β²/2)/n is exact.
func TestLatticeReachEnds(t *testing.T) {
	for _, n := range []int{64, 128, 256} {
		c := onesCase{n, 10}
		p := ones(n, 10)
		lo, hi := c.reached().Bounds()
		if math.Nextafter(lo, 1) != hi || p.Cmp(new(big.Rat).SetFloat64(lo)) <= 0 || p.Cmp(new(big.Rat).SetFloat64(hi)) >= 0 {
			t.Fatalf("P₊ = %s in [%v, %v]", p.RatString(), lo, hi)
		}
		for f, want := range map[float64]bool{hi: true, lo: false} {
			if holds, err := checktest.Holds(latticeReach(func(onesCase) float64 { return f }), c); holds != want || err != nil {
				t.Errorf("%v, P₊ in [%v, %v]: %v, %v", f, lo, hi, holds, err)
			}
		}
		shrink := new(big.Rat).Sub(check.One, check.Ratio(3, 2*n))
		f, _ := new(big.Rat).Quo(p, shrink).Float64()
		beyond := 0
		for _, f := range []float64{math.Nextafter(f, 0), f, math.Nextafter(f, 1), math.Nextafter(math.Nextafter(f, 1), 1)} {
			least, _ := new(big.Rat).Mul(new(big.Rat).SetFloat64(f), shrink).Float64()
			if least == hi {
				beyond++
			}
			if holds, err := checktest.Holds(latticeReach(func(onesCase) float64 { return f }), c); holds != (least <= lo) || err != nil {
				t.Errorf("approximation %v with the lower end %v, P₊ in [%v, %v]: %v, %v", f, least, lo, hi, holds, err)
			}
		}
		if beyond == 0 {
			t.Errorf("n = %d: no approximation has the lower end %v", n, hi)
		}
	}
}

// unionReach is p times one probability, at most 1. The test computes the probability by Simpson's rule.
func TestUnionReach(t *testing.T) {
	for _, r := range []reach{{2, 0.1}, {3, 0.3}, {4, 0.1}, {4, 0.5}, {4, 0.9}, {9, 3}} {
		one, _, _ := exceedingMoments(signrp.Normals{Ratio: r.ratio, Rho: 1 / math.Sqrt(float64(r.p))})
		if got := unionReach(r); !(math.Abs(got-math.Min(1, float64(r.p)*one)) <= float64(r.p)*simpsonError) {
			t.Errorf("%+v: %v, want %v, at most 1", r, got, float64(r.p)*one)
		}
	}
}

// The δ of one sign is the larger one of the two directions, computed by erf. The statement fails if δ is too large in
// either direction.
func TestFixedSignsUseBothDirections(t *testing.T) {
	sigma := check.Must(gaussian.Sigma(check.BudgetOf(1), check.DeltaOf(0.1), 1)).Hi
	plus := func(z float64) float64 { return 1 - math.Erfc(z/math.Sqrt2)/2 }
	spent := func(p, q float64) float64 { return max(0, p-math.E*q) + max(0, 1-p-math.E*(1-q)) }
	for _, c := range [][2]float64{{0.9, -0.1}, {-0.1, 0.9}, {0.1, -0.9}, {-0.9, 0.1}} {
		alone := 0
		for shrink := 1.0; shrink < 5; shrink += 0.05 {
			p, q := plus(c[0]*shrink/sigma), plus(c[1]*shrink/sigma)
			forth, back := spent(p, q), spent(q, p)
			if math.Abs(forth-0.1) < 1e-9 || math.Abs(back-0.1) < 1e-9 {
				continue
			}
			if (forth > 0.1) != (back > 0.1) {
				alone++
			}
			s := signPair{p: 1, k: 1, u: c[:1], v: c[1:], eps: 1, delta: 0.1}
			if holds, err := checktest.Holds(fixedGaussianSigns(shrink), s); holds != (max(forth, back) <= 0.1) || err != nil {
				t.Errorf("%v, noise divided by %v: %v, %v, want %v and %v at most .1", c, shrink, holds, err, forth, back)
			}
		}
		if alone == 0 {
			t.Errorf("%v: both directions agree at every noise", c)
		}
	}
}

// A profile may exceed the upper sum by a relative 2000 ulps but not by 1e-11, even if the lower sum is 0.
func TestProfileRounding(t *testing.T) {
	c := profileCase{10, 10}
	lo, hi := profileSums(c)
	if lo != 0 {
		t.Fatalf("the lower sum is %v, want 0", lo)
	}
	for off, want := range map[float64]bool{0: true, 2000 * check.Epsilon64: true, 1e-11: false} {
		s := analyticNoise(func(_, _ float64) float64 { return hi * (1 + off) })
		if holds, err := checktest.Holds(s, c); holds != want || err != nil {
			t.Errorf("exceeding the upper sum by a share of %v: %v, %v", off, holds, err)
		}
	}
}

// The formula passes if it is at most 4/k above k times the lower end of the variance. The test compares in rationals,
// and includes formulas that pass only for the upper end.
func TestFormulaEnds(t *testing.T) {
	between := 0
	for _, k := range []int{8, 16, 32} {
		for quarters := range 5 {
			c := normalisedCase{signrp.Gaussian, k, []float64{1, 0.5, float64(quarters) / 4}, []float64{0.25, 0.5, 1}}
			variance, _ := c.variances()
			lo, hi := variance.Bounds()
			allowed := big.NewRat(4, int64(k))
			allowed.Add(allowed, new(big.Rat).SetFloat64(64*check.Epsilon64))
			times := func(x float64) *big.Rat { return new(big.Rat).SetFloat64(x * float64(k)) }
			f, _ := new(big.Rat).Add(times(lo), allowed).Float64()
			for range 3 {
				f = math.Nextafter(f, 0)
			}
			for range 7 {
				least := new(big.Rat).Sub(new(big.Rat).SetFloat64(f), allowed)
				if least.Cmp(times(lo)) > 0 && least.Cmp(times(hi)) <= 0 {
					between++
				}
				s := formulaVariance(func(_, _ float64) float64 { return f })
				if holds, err := checktest.Holds(s, c); holds != (least.Cmp(times(lo)) <= 0) || err != nil {
					t.Errorf("%v, k = %d, variance in [%v, %v]: %v, %v", f, k, lo, hi, holds, err)
				}
				f = math.Nextafter(f, 2)
			}
		}
	}
	if between == 0 {
		t.Error("no formula lies between the ends")
	}
}

// freshDelta equals the hockey-stick divergence by enumeration. The outcomes of each law are the set of signs that
// differ and all k released signs.
func TestFreshDelta(t *testing.T) {
	for _, c := range []struct {
		k    int
		q, n float64
	}{{1, .5, .5}, {4, .3, 1.5}, {6, .1, 1}, {7, .45, 2.5}} {
		flip := 1 / (math.Exp(1/c.n) + 1)
		p, r := []float64{1}, []float64{1} // for u and for u'
		for range c.k {
			var pn, rn []float64
			for i := range p {
				for _, sign := range []struct{ of, other float64 }{
					{(1 - c.q) * (1 - flip), (1 - c.q) * (1 - flip)}, {(1 - c.q) * flip, (1 - c.q) * flip},
					{c.q * (1 - flip), c.q * flip}, {c.q * flip, c.q * (1 - flip)},
				} {
					pn, rn = append(pn, p[i]*sign.of), append(rn, r[i]*sign.other)
				}
			}
			p, r = pn, rn
		}
		want := 0.0
		for i := range p {
			want += max(0, p[i]-math.E*r[i])
		}
		if got := freshDelta(c.k, c.q, c.n); math.Abs(got-want) > 1e-12 {
			t.Errorf("%+v: δ = %g, want %g", c, got, want)
		}
	}
}

// flat fails for a curve that rises from .5, and aboveRaw for a curve that is below the raw data's at some ε.
func TestRemarksOfCurves(t *testing.T) {
	raw := curve{method: "Raw-data-G-OPT", values: []float64{0.5, 0.95}}
	if flat([]curve{raw}) || !flat([]curve{{values: []float64{0.93, 0.95}}}) {
		t.Error("flat is wrong for a curve")
	}
	for want, values := range map[bool][]float64{true: {0.5, 0.96}, false: {0.7, 0.94}} {
		if aboveRaw([]curve{raw, {values: values}}) != want {
			t.Errorf("%v above %v: want %v", values, raw.values, want)
		}
	}
}
