package privacy

import (
	"math"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
)

// openMu is the distance of the two normal laws of these tests.
const openMu = 1.25

func tailOf(x float64) float64 { return math.Erfc(x/math.Sqrt2) / 2 }

// openDelta is the divergence of order t ≥ 0 of the two normal laws.
func openDelta(t float64) float64 {
	if t <= 0 {
		return 1 - t
	}
	e := math.Log(t)
	return tailOf(e/openMu-openMu/2) - t*tailOf(e/openMu+openMu/2)
}

// blendDelta is that of what drawing records with chance g makes of them.
func blendDelta(how mixture, g, t float64) float64 {
	if how == addition { // 1 − t + t times that of the reverse at 1/t
		return 1 - t + t*g*openDelta((1/t-1+g)/g)
	}
	return g * openDelta((t-1+g)/g)
}

// The log-moments of drawn records enclose those of every law that the enclosures stand for, and are near where these are points.
func TestLogMomentsOfOpenPairs(t *testing.T) {
	t.Parallel()
	const g = 0.25
	moment := func(how mixture, mu, s float64) float64 { // the midpoint rule over the base's z under Q
		const n, far = 20000, 30
		sum := 0.0
		for k := range n {
			z := -far/2 + far*(float64(k)+0.5)/n
			q := math.Exp(-z*z/2) / math.Sqrt(2*math.Pi) * far / n
			ratio := math.Exp(mu*z - mu*mu/2)
			switch mixed := 1 - g + g*ratio; how {
			case removal:
				sum += q * mixed * math.Pow(mixed, s)
			case addition:
				sum += q * math.Pow(mixed, -s)
			default:
				if ratio >= 1 {
					sum += q*mixed*math.Pow(mixed, s) + (1-g)*q*(ratio-1)
				} else {
					sum += q * ratio * math.Pow(ratio/((1-g)*ratio+g), s)
				}
			}
		}
		return math.Log(sum)
	}
	for _, how := range []mixture{removal, addition, replacement} {
		for _, mu := range [][2]float64{{1.25, 1.25}, {1.2, 1.25}} {
			p := newSubsampled(Normal(interval.Between(mu[0], mu[1])).(*closedForm), big.NewRat(1, 4), how)
			orders := []float64{3}
			if mu[0] == mu[1] {
				if how != replacement { // TestLogMomentsOfBlends has them
					continue
				}
				orders = []float64{0.25}
			}
			for _, s := range orders {
				lo, hi := p.LogMoment(interval.Float(s)).Bounds()
				for _, m := range []float64{mu[0], (mu[0] + mu[1]) / 2, mu[1]} {
					if want := moment(how, m, s); lo > want+1e-9 || hi < want-1e-9 {
						t.Errorf("%v, μ = %g of %v, s = %g: from %g to %g, is %g", how, m, mu, s, lo, hi, want)
					}
				}
				if want := moment(how, mu[0], s); mu[0] == mu[1] && hi-lo > 2e-3*want+s*s/1500 { // cells are 1/16 wide, or half of that
					t.Errorf("%v, s = %g: from %g to %g, is %g: wide", how, s, lo, hi, want)
				}
			}
		}
	}
}

// Where records hardly tell, the log-moments of drawn ones are enclosed to a thousandth, far below 1 as they are.
func TestLogMomentsOfSmallLosses(t *testing.T) {
	const mu = 0x1p-30
	p := newSubsampled(Normal(interval.Float(mu)).(*closedForm), big.NewRat(1, 10), removal)
	// Under Q, dP/dQ = r has E r = 1, E r² = e^{μ²} and E r³ = e^{3μ²}.
	g, m := interval.Rat(p.rate), interval.Float(mu*mu)
	second := m.Expm1()
	third := m.Mul(interval.Int(3)).Expm1().Sub(second.Mul(interval.Int(3)))
	square := g.Mul(g)
	for s, want := range map[int64]interval.Interval{
		1: square.Mul(second).Log1p(),
		2: square.Mul(second).Mul(interval.Int(3)).Add(square.Mul(g).Mul(third)).Log1p(),
	} {
		got := p.LogMoment(interval.Int(s))
		lo, hi := got.Bounds()
		if truth := want.Mid(); got.Less(want) || want.Less(got) || hi-lo > 1e-3*truth {
			t.Errorf("s = %d: in [%g, %g], is %g", s, lo, hi, truth)
		}
	}
}

// Next to nothing of drawn records' losses lies outside of their window, of either law, and the window is no wider than that of all records; their variance,
// mean and ends are those of their laws.
func TestShapesOfBlends(t *testing.T) {
	t.Parallel()
	const g = 0.25
	e := must.Be(evidence.NewEpsilon("eps", 0.75))
	bases := map[string]struct {
		of      *closedForm
		q       func(z float64) float64 // the density of Q
		loss    func(z float64) float64
		far, mu float64
	}{
		"normal": {Normal(interval.Float(openMu)).(*closedForm), func(z float64) float64 { return math.Exp(-z*z/2) / math.Sqrt(2*math.Pi) }, func(z float64) float64 { return openMu*z - openMu*openMu/2 }, 15, openMu},
		"Laplace": {Laplace(e).(*closedForm), func(z float64) float64 { return math.Exp(-math.Abs(z)) / 2 },
			func(z float64) float64 { return math.Abs(z) - math.Abs(z-0.75) }, 40, 0},
	}
	for name, b := range bases {
		for _, how := range []mixture{removal, addition, replacement} {
			p := newSubsampled(b.of, big.NewRat(1, 4), how)
			lost := func(l float64) float64 { // what a loss of the base becomes
				up := math.Log1p(g * math.Expm1(math.Abs(l)))
				switch {
				case how == addition:
					return -math.Log1p(g * math.Expm1(l))
				case how == replacement && l < 0:
					return -up
				case how == replacement:
					return up
				}
				return math.Log1p(g * math.Expm1(l))
			}
			const n = 40000
			mean, first, last, left := 0.0, math.Inf(1), math.Inf(-1), 1.0
			for k := range n {
				z := -b.far + 2*b.far*(float64(k)+0.5)/n
				l := b.loss(z)
				q := b.q(z) * 2 * b.far / n
				mass := g*q*math.Exp(l) + (1-g)*q
				switch {
				case how == addition:
					mass = q
				case how == replacement && l < 0:
					mass = q * math.Exp(l)
				}
				x := lost(l)
				mean, left = mean+mass*x, left-mass
				first, last = min(first, x), max(last, x)
			}
			if how == replacement != (left > 1e-3) {
				t.Fatalf("%s %v: %g is left of the law", name, how, left)
			}
			lo, hi := p.Mean().Bounds()
			if _, all := b.of.mean.Bounds(); lo != 0 || hi != all || mean > hi || mean < 0 {
				t.Errorf("%s %v: mean in [%g, %g], is %g, that of all %g", name, how, lo, hi, mean, all)
			}
			lo, hi = p.LossRange().Bounds()
			floor := math.Log1p(-g)
			ends := map[mixture][2]float64{removal: {floor, lost(0.75)}, addition: {lost(0.75), -floor}, replacement: {lost(-0.75), lost(0.75)}}[how]
			if name == "normal" {
				ends = map[mixture][2]float64{removal: {floor, math.Inf(1)}, addition: {math.Inf(-1), -floor}, replacement: {math.Inf(-1), math.Inf(1)}}[how]
			}
			if math.Abs(lo-ends[0]) > 1e-15 || math.Abs(hi-ends[1]) > 1e-15 {
				t.Errorf("%s %v: losses from %g to %g, want %v", name, how, lo, hi, ends)
			}
			if c, _ := p.VarianceBound().Bounds(); c != 0 || p.InfinityMass().Rational.Sign() != 0 {
				t.Errorf("%s %v: curvature from %g, infinite losses of %v", name, how, c, p.InfinityMass())
			}
			for _, bits := range []uint{20, 60} {
				from, to := p.truncatedRange(bits)
				base := p.reach(bits)
				a, z := b.of.truncatedRange(bits)
				if far := max(z, -a); base < far || base > far*(1+1e-8) {
					t.Errorf("%s: to %d bits losses reach %g, the base's from %g to %g", name, bits, base, a, z)
				}
				// They are what the furthest losses of the base become.
				x, y := lost(-base), lost(base)
				if math.Abs(from-min(x, y)) > 1e-12*(1+base) || math.Abs(to-max(x, y)) > 1e-12*(1+base) {
					t.Errorf("%s %v: to %d bits losses go from %g to %g, want %g and %g", name, how, bits, from, to, x, y)
				}
			}
			r := p.screen()
			_, top := p.LossRange().Bounds()
			if r.Error > 1e-14 || r.InfinityMass != 0 || r.maxFiniteLoss() != top {
				t.Errorf("%s %v: %+v", name, how, r)
			}
			if m, want := r.logMomentFunc(2), p.logMomentBound(interval.Int(2)).Mid(); math.Abs(m-want) > 1e-12 {
				t.Errorf("%s %v: the log-moment is at most %g, want %g", name, how, m, want)
			}
			// By convexity, but for pairs that replace: ln(γe^K + 1 − γ).
			k := b.of.logMoment(interval.Int(2)).Mid()
			want := math.Log1p(g * math.Expm1(k))
			if how == replacement {
				want = k
			}
			if got := p.logMomentBound(interval.Int(2)).Mid(); math.Abs(got-want) > 1e-12 {
				t.Errorf("%s %v: a log-moment of %g at most, want %g", name, how, got, want)
			}
			lo, hi = p.gdp().Bounds()
			if _, mu := b.of.gdpMu.Bounds(); lo != 0 || hi != mu {
				t.Errorf("%s %v: μ in [%g, %g], want up to %g", name, how, lo, hi, mu)
			}
			lo, hi = p.zcdp().Bounds()
			far := max(math.Abs(ends[0]), math.Abs(ends[1]))
			switch {
			case name == "Laplace" && (lo != 0 || math.Abs(hi-far*far/2) > 1e-15),
				name == "normal" && how == addition && (lo != 0 || hi != openMu*openMu/2),
				name == "normal" && how != addition && (lo != openMu*openMu/2 || hi != lo):
				t.Errorf("%s %v: ρ in [%g, %g]", name, how, lo, hi)
			}
			if !(&composition{factors: []factor{{b.of, 1}, {p, 1}}}).hasSubsampled() || (&composition{factors: []factor{{b.of, 1}}}).hasSubsampled() {
				t.Error("who has drawn records is mistaken")
			}
		}
	}
}

// Where a record that is added is too rare for a loss of ε, δ is 0, exactly, and near to there it is little; of an order that is open δ is between
// those of both ends.
func TestEndsOfBlends(t *testing.T) {
	p := newSubsampled(Normal(interval.Float(openMu)).(*closedForm), big.NewRat(1, 4), addition)
	for _, c := range []struct {
		w    *big.Rat
		zero bool
	}{{big.NewRat(4, 3), true}, {big.NewRat(3, 2), true}, {big.NewRat(400, 301), false}, {big.NewRat(5, 4), false}} {
		d := must.For(p.Delta(t.Context(), must.Be(evidence.LogEpsilon("eps", c.w))))(t)
		w, _ := c.w.Float64()
		lo, hi := d.Enclosure.Bounds()
		if want := blendDelta(addition, 0.25, w); c.zero != (d.Rational != nil) || c.zero && (lo != 0 || hi != 0) || !c.zero && (lo > want+1e-15 || hi < want-1e-15 || hi <= 0) {
			t.Errorf("δ(ln %v) in [%g, %g], want %g", c.w, lo, hi, want)
		}
	}
	// ε as near to ln 4/3 as 40 digits are, where the share's sign is open.
	near := must.Be(evidence.RationalEpsilon("eps", rationalOf("0.28768207245178092743921900599382743150350971089776105650666705")))
	if lo, hi := must.For(p.Delta(t.Context(), near))(t).Enclosure.Bounds(); lo != 0 || hi > 1e-50 {
		t.Errorf("δ near to the end is from %g to %g", lo, hi)
	}
	base := Normal(interval.Float(openMu)).(*closedForm)
	at := func(lo, hi float64) (float64, float64) {
		return base.hockeyStickOf(evidence.RatOrInterval{Enclosure: interval.Between(lo, hi)}).Enclosure.Bounds()
	}
	for _, c := range [][2]float64{{1.5, 1.5}, {1.1, 1.5}, {1, 3}, {0.5, 2}, {0.5, 0.75}} {
		lo, hi := at(c[0], c[1])
		most, least := openDelta(max(c[0], 1)), openDelta(max(c[1], 1))
		if math.Abs(lo-least) > 1e-14 || math.Abs(hi-most) > 1e-14 {
			t.Errorf("of orders in %v: [%g, %g], want [%g, %g]", c, lo, hi, least, most)
		}
	}
	for _, c := range []struct{ t, want *big.Rat }{{big.NewRat(1, 1), one}, {big.NewRat(1, 2), one}, {big.NewRat(3, 2), big.NewRat(3, 2)}} {
		w, _ := c.want.Float64()
		if got := base.hockeyStickOf(evidence.ExactRat(c.t)).Enclosure.Mid(); math.Abs(got-openDelta(w)) > 1e-14 {
			t.Errorf("of order %v: %g, want %g", c.t, got, openDelta(w))
		}
	}
}

func rationalOf(digits string) *big.Rat {
	q, ok := new(big.Rat).SetString(digits)
	if !ok {
		panic(digits)
	}
	return q
}
