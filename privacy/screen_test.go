package privacy

import (
	"cmp"
	"math"
	"math/big"
	"slices"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/interval"

	"pgregory.net/rapid"
)

// anyLaws draws two rational laws of up to five outputs. If ends is true, some outputs may be possible under one law
// only.
func anyLaws(t *rapid.T, ends bool) (p, q []*big.Rat) {
	n := rapid.IntRange(2, 5).Draw(t, "n")
	least := 1
	if ends {
		least = 0
	}
	one := func(label string) []*big.Rat {
		weights := rapid.SliceOfN(rapid.IntRange(least, 60), n, n).Draw(t, label)
		weights[rapid.IntRange(0, n-1).Draw(t, label+" sure")]++
		sum := int64(0)
		for _, w := range weights {
			sum += int64(w)
		}
		var out []*big.Rat
		for _, w := range weights {
			out = append(out, big.NewRat(int64(w), sum))
		}
		return out
	}
	return one("p"), one("q")
}

func near(got, want, slack float64) bool {
	return got >= want && got <= want+slack*(1+math.Abs(want)) || math.IsInf(want, 0) && got == want
}

// Quantities from the float64 screen are at least the exact values and close to them: the largest loss, log-moments,
// the infinity mass, μ, and Chernoff's bound on δ, for one use and for many.
func TestScreenIsUpperBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, q := anyLaws(t, rapid.Bool().Draw(t, "ends"))
		l := must.Be(NewRationalPair(p, q))
		infinityMass, top := 0.0, math.Inf(-1)
		var x, y []float64 // finite losses only
		for i := range p {
			a, _ := p[i].Float64()
			b, _ := q[i].Float64()
			switch {
			case b == 0:
				infinityMass += a
			case a > 0:
				x, y = append(x, a), append(y, b)
				top = max(top, math.Log(a/b))
			}
		}
		moment := func(s float64) float64 {
			most, sum := math.Inf(-1), 0.0
			for i := range x {
				most = max(most, s*math.Log(x[i]/y[i]))
			}
			for i := range x {
				sum += x[i] * math.Exp(s*math.Log(x[i]/y[i])-most)
			}
			return most + math.Log(sum)
		}
		times := rapid.SampledFrom([]int{1, 3, 20}).Draw(t, "k")
		k := float64(times)
		for name, r := range map[string]*Screen{"of the pair": l.screen(), "of the laws": NewScreen(p, q)} {
			c := &candidate{screens: []*Screen{r, r}, times: []int{times, 1}}
			if !near(r.InfinityMass, infinityMass, 1e-15) || !near(c.infinityMass(), min((k+1)*infinityMass, 1), 1e-8) || (infinityMass == 0) != (c.infinityMass() == 0) {
				t.Fatalf("%s: the infinity mass is %g for one use and %g for all, want %g for one", name, r.InfinityMass, c.infinityMass(), infinityMass)
			}
			if len(x) == 0 {
				if got := r.logMoment(1); !math.IsInf(got, -1) {
					t.Fatalf("%s: without finite losses the log-moment is %g", name, got)
				}
				continue
			}
			all := max((k+1)*top, 0)
			if infinityMass > 0 {
				all = math.Inf(1)
			}
			if !near(r.maxFiniteLoss(), top, 1e-13) || !near(c.maxLoss(), all, 1e-11) {
				t.Fatalf("%s: the largest losses of one use and all are %g and %g, want %g and %g",
					name, r.maxFiniteLoss(), c.maxLoss(), top, all)
			}
			for _, s := range []float64{1e-3, 0.5, 2, 40} {
				want := moment(s)
				if !near(r.logMoment(s)+1e-14, want, 1e-12*(1+s)) || !near(c.logMoment(s)+1e-13, (k+1)*want, 1e-11*(1+s)) {
					t.Fatalf("%s: log-moments at %g of one use and all are %g and %g, want %g for one",
						name, s, r.logMoment(s), c.logMoment(s), want)
				}
			}
			if infinityMass == 0 && isZero(l.qOnlyMass) {
				_, want := l.gdp().Bounds()
				if got, all := r.gdp(), c.gdpBound(); !near(got, want, 1e-7) || !near(all, math.Sqrt(k+1)*want, 1e-6) {
					t.Fatalf("%s: μ of one use and all is %g and %g, want %g for one", name, got, all, want)
				}
			} else if infinityMass > 0 && !math.IsInf(c.gdpBound(), 1) {
				t.Fatalf("%s: μ is %g despite infinite losses", name, c.gdpBound())
			}
			at := rapid.Float64Range(0.01, 2*k).Draw(t, "eps")
			eps := must.Be(evidence.NewEpsilon("eps", at))
			// The exponents are convex, so ternary search in ln s finds the smallest one for s from 1e-6 to 1e6.
			exponent := func(logS float64) float64 {
				s := math.Exp(logS)
				return (k+1)*moment(s) - s*at + s*math.Log(s) - (1+s)*math.Log1p(s)
			}
			from, to := math.Log(1e-6), math.Log(1e6)
			for range 120 {
				a, b := from+(to-from)/3, to-(to-from)/3
				if exponent(a) < exponent(b) {
					to = b
				} else {
					from = a
				}
			}
			best := min(exponent(from), exponent(math.Log(1e-6)), exponent(math.Log(1e6)))
			want := min(c.infinityMass()+math.Exp(best), 1)
			if got := deltaBound(eps)(c); got < want*(1-1e-6)-1e-280 || got > want*1.001+1e-9 || got > 1 {
				t.Fatalf("%s: the bound on δ(%g) is %g, want Chernoff's %g", name, at, got, want)
			}
			most := rapid.Float64Range(0, 1).Draw(t, "most")
			switch s := c.renyiOrder(at, most); {
			case s == nil && want < most*0.99-1e-9:
				t.Fatalf("%s: no order bounds δ(%g) below %g, but Chernoff's bound is %g", name, at, most, want)
			case s != nil:
				v, _ := s.Float64()
				share, _ := math.Frexp(v)
				if got := c.infinityMass() + math.Exp((k+1)*moment(v)-v*at+v*math.Log(v)-(1+v)*math.Log1p(v)); got >= most || math.Ldexp(share, 6) != math.Round(math.Ldexp(share, 6)) {
					t.Fatalf("%s: the order %v bounds δ(%g) by %g, want below %g", name, s, at, got, most)
				}
			}
		}
	})
}

// Tail sums enclose the exact sums if masses are rounded to few bits.
func TestTailSumsEncloseRounding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		prec := uint(rapid.IntRange(4, 20).Draw(t, "prec"))
		masses := rapid.SliceOfN(rapid.IntRange(0, 1<<prec/8), 1, 8).Draw(t, "masses")
		step := rapid.Float64Range(0.01, 2).Draw(t, "step")
		l := &lossPMF{grid: grid{step: interval.Float(step)}, base: interval.Int(0), prec: prec, infinityMass: new(big.Int)}
		for _, m := range masses {
			l.mass = append(l.mass, big.NewInt(int64(m)))
		}
		s := newTailSums(l)
		if rest := s.truncation.Int64(); rest != int64(1<<prec)-func() (sum int64) {
			for _, m := range masses {
				sum += int64(m)
			}
			return sum
		}() {
			t.Fatalf("the truncated mass is %d", rest)
		}
		for j := range masses {
			a, c := int64(0), 0.0
			for i, m := range masses[j:] {
				a, c = a+int64(m), c+float64(m)*math.Exp(-step*float64(i))
			}
			lo, hi := s.tails[j].cLo.Int64(), s.tails[j].cHi.Int64()
			if s.tails[j].a.Int64() != a || float64(lo) > c*(1+1e-12) || float64(hi) < c*(1-1e-12) || hi-lo > int64(4*len(masses)) {
				t.Fatalf("tail %d: %v, want %d and %g", j, s.tails[j], a, c)
			}
		}
	})
}

// On a lattice, the ends that tail sums with few bits give enclose δ, ε and μ.
func TestTailSumsOfFewBits(t *testing.T) {
	bounds := 0
	var tried [201]int
	rapid.Check(t, func(t *rapid.T) {
		n, from := rapid.IntRange(2, 4).Draw(t, "n"), rapid.IntRange(-3, 1).Draw(t, "from")
		weights := rapid.SliceOfN(rapid.IntRange(1, 30), n, n).Draw(t, "p")
		sum, z := 0, new(big.Rat)
		for _, w := range weights {
			sum += w
		}
		var p, q []*big.Rat
		for j, w := range weights {
			p = append(p, big.NewRat(int64(w), int64(sum)))
			q = append(q, new(big.Rat).Mul(p[j], interval.RationalPower(big.NewRat(1, 2), big.NewInt(int64(from+j)))))
			z.Add(z, q[j])
		}
		var atoms []Atom
		var chances, losses []float64
		for j := range p {
			q[j].Quo(q[j], z)
			atoms = append(atoms, Atom{P: evidence.RatOrInterval{Enclosure: interval.Rat(p[j])}, Q: evidence.RatOrInterval{Enclosure: interval.Rat(q[j])}, Steps: int64(from + j), Offset: interval.Rat(z).Log()})
			c, _ := p[j].Float64()
			d, _ := q[j].Float64()
			chances, losses = append(chances, c), append(losses, math.Log(c/d))
		}
		unit := must.Be(evidence.LogEpsilon("unit", big.NewRat(2, 1)))
		l := NewDiscretePair(atoms, zero, zero, unit, Hooks{})
		k, bits := rapid.IntRange(1, 4).Draw(t, "k"), uint(rapid.SampledFrom([]int{7, 12, 38, 45, 200}).Draw(t, "bits"))
		at, err := l.discretize(t.Context(), (&composition{factors: []factor{{l, k}}}).commonLattice(bits)[0], bits)
		if err == nil {
			at, err = at.selfConvolve(t.Context(), k)
		}
		if err != nil {
			t.Fatal(err)
		}
		s := newTailSums(at)
		delta := func(eps float64) (sum float64) {
			sumOver(chances, losses, k, 0, 1, func(at, chance float64) { sum += chance * max(-math.Expm1(eps-at), 0) })
			return sum
		}
		eps := rapid.Float64Range(0, 3).Draw(t, "eps")
		lo, hi := s.delta(interval.Float(eps)).Bounds()
		if want := delta(eps); lo > want+1e-13 || hi < want-1e-13 {
			t.Fatalf("δ(%g) in [%g, %g], want %.15g", eps, lo, hi, want)
		}
		answers := rapid.Float64Range(1e-6, 0.9).Draw(t, "delta")
		lo, hi = s.epsilon(new(big.Rat).SetFloat64(answers)).Bounds()
		if hi < 700 && delta(hi) > answers+1e-13 || lo > 0 && delta(lo) < answers-1e-13 {
			t.Fatalf("ε(%g) in [%g, %g], where δ at the ends is %g and %g", answers, lo, hi, delta(lo), delta(hi))
		}
		if tried[bits]++; tried[bits] > 6 { // quantiles are slow
			return
		}
		// The expected μ is the largest over the events {loss ≥ l}, in float64.
		type event struct{ loss, p float64 }
		var all []event
		far := 0.0
		sumOver(chances, losses, k, 0, 1, func(at, chance float64) { all, far = append(all, event{at, chance}), max(far, math.Abs(at)) })
		slices.SortFunc(all, func(a, b event) int { return cmp.Compare(a.loss, b.loss) })
		// A sum of at most 4⁴ probabilities has an error below 2⁻⁴⁶. The error of its quantile is that error divided by
		// the density.
		mu, x, y, off := 0.0, 0.0, 0.0, 1e-14
		for i, e := range all[:len(all)-1] {
			x, y = x+e.p, y+e.p*math.Exp(-e.loss)
			if all[i+1].loss > e.loss+1e-9 {
				high, low := math.Sqrt2*math.Erfinv(2*y-1), math.Sqrt2*math.Erfinv(2*x-1)
				mu = max(mu, high-low)
				off = max(off, 0x1p-46*math.Sqrt(2*math.Pi)*(math.Exp(high*high/2)+math.Exp(low*low/2)))
			}
		}
		reached, bound := s.gdp(far * (1 + 1e-12))
		least, _ := reached.Bounds()
		_, most := bound.Bounds()
		if least > mu+off || most < mu-off {
			t.Fatalf("μ of %d uses in [%g, %g], want %g", k, least, most, mu)
		}
		if bits >= 45 && most < mu+far {
			bounds++
		}
	})
	if bounds < 4 {
		t.Errorf("only %d bounds on μ are not trivial", bounds)
	}
}

// A thinned polygon lies above the hull, touches it along the sides that it keeps, and is close to it.
func TestThinnedHullLiesAbove(t *testing.T) {
	for _, n := range []int{maxCorners + 1, 600, 1025, 2000} {
		corners := make([]point, n+1)
		for k := range corners { // p = 1 − (1 − q)²
			q := big.NewRat(int64(k), int64(n))
			rest := new(big.Rat).Sub(one, q)
			corners[k] = point{q, rest.Sub(one, rest.Mul(rest, rest))}
		}
		got := thinHull(corners)
		if len(got) > maxCorners+2 {
			t.Errorf("%d corners were thinned to %d", len(corners), len(got))
		}
		if !slices.IsSortedFunc(got, func(a, b point) int { return a.q.Cmp(b.q) }) {
			t.Errorf("the corners left of %d are not sorted", len(corners))
		}
		touched := 0
		every := float64(n)/maxCorners + 2
		for k, c := range corners {
			above := new(big.Rat).Sub(heightAt(got, c.q), c.p)
			gap, _ := above.Float64()
			if above.Sign() < 0 || gap > every*every/float64(n)/float64(n) {
				t.Fatalf("at corner %d of %d the polygon lies %g above the hull", k, len(corners), gap)
			}
			if gap < 1e-60 {
				touched++
			}
		}
		if touched < n/int(every+1) {
			t.Errorf("the polygon touches %[2]d of %[1]d corners", len(corners), touched)
		}
	}
}

// The bounds on sup D_α/α are at least the ratio at any order, in float64 and in intervals. Only the range of losses
// determines the interval bound. The float64 bound is close.
func TestRatioBounds(t *testing.T) {
	tried := 0
	rapid.Check(t, func(t *rapid.T) {
		if tried++; tried > 25 { // log-moments are slow
			return
		}
		p, q := anyLaws(t, false)
		l := must.Be(NewRationalPair(p, q))
		k := rapid.SampledFrom([]int{1, 4, 100}).Draw(t, "k")
		want := l.Mean().Mid()
		for s := 1e-3; s < 1e5; s *= 1.3 {
			want = max(want, l.LogMoment(interval.Float(s)).Mid()/s/(1+s))
		}
		c := &candidate{screens: []*Screen{l.screen()}, times: []int{k}}
		if got, want := c.zcdpBound(), want*float64(k); got < want*(1-1e-9) || got > want*1.1+1e-6 {
			t.Fatalf("the bound on D_α/α of %d uses is %g, and the ratio reaches %g", k, got, want)
		}
		lo, hi := boundedRatio(l).Bounds()
		ends := l.LossRange()
		least, most := ends.Bounds()
		far := max(most, -least)
		if lo != 0 || hi < want*(1-1e-9) || math.Abs(hi-far*far/2) > 1e-14*hi {
			t.Fatalf("D_α/α is in [%g, %g] for losses in [%g, %g], and reaches %g", lo, hi, least, most, want)
		}
		both := newComposition(0, []factor{{l, k}, {Normal(interval.Float(0.5)), 2}}).zcdp().Enclosure
		if a, b := both.Bounds(); math.Abs(a-0.25) > 1e-15 || math.Abs(b-0.25-float64(k)*hi) > 1e-12*b {
			t.Fatalf("D_α/α of %d uses and two normal ones with μ = 1/2 is in [%g, %g]", k, a, b)
		}
	})
}
