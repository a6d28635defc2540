package gaussian

import (
	"dpworkbench/internal/must"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/interval"
)

// The start on the surrogate is near the root where a is above 0, the nearer the larger a is; and
// from there the ends that are proven are neighbors.
func TestStartsAndEnds(t *testing.T) {
	rng := rand.New(rand.NewPCG(115, 1))
	for range 1500 {
		eps, target := 1e-6*math.Exp(rng.Float64()*math.Log(1e9)), -rng.Float64()*690-0.7
		if rng.IntN(2) == 0 {
			target = -12*rng.Float64() - 0.7
		}
		mu := solveMu(eps, target)
		a := eps/mu - mu/2
		near := 0.45
		switch {
		case a > 10:
			near = 2e-5
		case a > 2:
			near = 2.6e-3
		case a > 0.5:
			near = 0.1
		}
		if off := math.Abs(math.Log(startMu(eps, target) / mu)); a > -0.4 && off > near {
			t.Errorf("ε = %v, ln δ = %v: a start of e^%v times μ at a = %v", eps, target, off, a)
		}
		e := must.For(evidence.NewEpsilon("eps", eps))(t)
		ends, err := Mu(e, evidencetest.Delta(math.Exp(target)))
		if err != nil || !(ends.Lo <= ends.Hi && ends.Hi <= math.Nextafter(ends.Lo, math.Inf(1))) {
			t.Errorf("ε = %v, ln δ = %v: μ in %+v, error %v", eps, target, ends, err)
		}
	}
}

// The a that Newton's method starts from is above that of any δ, just as far as e^{−a²/2}/2 is
// above Φ(−a).
func TestRightOf(t *testing.T) {
	for target := -700.0; target < 0; target += 0.37 {
		a := rightOf(target)
		if target < -math.Ln2 {
			if got := -a*a/2 - math.Ln2; math.Abs(got-target) > 1e-13*math.Abs(target) || math.Erfc(a/math.Sqrt2)/2 > math.Exp(target) {
				t.Errorf("ln δ = %v: a = %v", target, a)
			}
		} else if a != 0 {
			t.Errorf("ln δ = %v: a = %v, want 0", target, a)
		}
	}
}

// However few terms an accuracy asks for, and however wide x is, the Mills ratio is inside; and
// what is allowed for rounding is what its derivation asks for.
func TestMillsOfFewTerms(t *testing.T) {
	growth := func(x interval.Interval) func() interval.Interval {
		return func() interval.Interval { return x.Mul(x).Mul(half).Exp() }
	}
	for x := 0.125; x < 40; x *= 1.21 {
		for _, nats := range []float64{0, 0.5, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12} {
			for _, w := range []float64{0, 0.5, 1, 3} {
				if w > 0 && x < 4 {
					continue
				}
				low, high := interval.Float(x), interval.Float(x+w)
				at := interval.Hull(low, high)
				got := millsEnclosure(at, nats, growth(at))
				for _, end := range []interval.Interval{low, high} {
					if r := truth(end); r.Less(got) || got.Less(r) {
						t.Errorf("R(%v) = %v misses %v (%v nats)", at, got, r, nats)
					}
				}
				width, _ := got.Upper().Sub(got.Lower()).Bounds()
				if w == 0 && width > 4*math.Exp(-nats) {
					t.Errorf("R(%v) is %v wide, asked for %v nats", x, width, nats)
				}
			}
		}
	}
	width := func(v interval.Interval) float64 {
		w, _ := v.Upper().Sub(v.Lower()).Quo(v.Lower().Add(v.Upper())).Bounds()
		return w
	}
	for _, x := range []float64{0.5, 1, 2, 3, 3.9} {
		const nats = 75
		n := 0
		for shrunk := x; shrunk > math.Exp(-nats) || float64(2*n+3) < 2*x*x; n++ {
			shrunk *= x * x / float64(2*n+3)
		}
		if got, want := width(series(around(x, 0), nats).Interval()), float64(4*n+5)*interval.DoubleError; math.Abs(got-want) > 0.02*want {
			t.Errorf("the series at %v is %v wide, want %v", x, got, want)
		}
	}
	for _, x := range []float64{4, 7, 15, 60} {
		const nats = 75
		shrunk, n := 1/(x*x), 1
		for ; shrunk > math.Exp(-nats); n++ {
			u := 2 * float64(n) / (x + math.Sqrt(x*x+4*float64(n)))
			shrunk *= u * u / float64(n)
		}
		n--
		if got, want := width(fraction(around(x, 0), nats).Interval()), float64(2*n+3)*interval.DoubleError; math.Abs(got-want) > 0.05*want {
			t.Errorf("the fraction at %v is %v wide, want %v", x, got, want)
		}
	}
	// The rest after few terms: of the fraction what its tail leaves open, of the series twice the next term.
	for _, nats := range []float64{0, 2, 5, 10, 20} {
		for _, x := range []float64{4, 7, 15, 60} {
			upper := func(n float64) float64 { return 2 * n / (x + math.Sqrt(x*x+4*n)) }
			shrunk, n := 1/(x*x), 0.0
			for shrunk > math.Exp(-nats) {
				n++
				shrunk *= upper(n) * upper(n) / n
			}
			got := fraction(around(x, 0), nats).Interval()
			rest := upper(n+1) - (n+1)/(x+upper(n+2)) + 2e-9*upper(n+1)
			if want := shrunk * rest / got.Mid(); math.Abs(width(got)-want) > 1e-3*want {
				t.Errorf("the fraction at %v for %v nats is %v wide, want %v", x, nats, width(got), want)
			}
		}
		for _, x := range []float64{0.1, 0.5, 1, 2, 3, 3.9} {
			n, term := 0, x // x^{2n+1}/(2n+1)!!
			for ; term > math.Exp(-nats) || float64(2*n+3) < 2*x*x; n++ {
				term *= x * x / float64(2*n+3)
			}
			got := series(around(x, 0), nats).Interval()
			if want := 2 * term * x * x / float64(2*n+3) / got.Mid(); math.Abs(width(got)-want) > 1e-3*want {
				t.Errorf("the series at %v for %v nats is %v wide, want %v", x, nats, width(got), want)
			}
		}
	}
	// What is allowed for an offset is what the slope allows for, twice that of the series.
	for _, off := range []float64{1e-6, 1e-3, 0.1} {
		for _, x := range []float64{0.01, 0.5, 2, 3.9} {
			sum := series(around(x, 0), 75).Interval().Mid()
			if got, want := width(series(around(x, off), 75).Interval())*sum, 2*off*(1+(x+off)*sum); math.Abs(got-want) > 1e-3*want {
				t.Errorf("the series at %v ± %v is ± %v, want %v", x, off, got, want)
			}
		}
		for _, x := range []float64{4, 10, 60} {
			value := fraction(around(x, 0), 75).Interval().Mid()
			if got := width(fraction(around(x, off), 75).Interval()) * value; math.Abs(got-off) > 1e-3*off {
				t.Errorf("the fraction at %v ± %v is ± %v", x, off, got)
			}
		}
	}
	for _, x := range []float64{0, 0.3, 2, 50, 1000} {
		// 8 roundings of the series, doubled 8 times with one more each.
		if got, want := width(interval.Float(x).RoughExp()), (8*256+255)*interval.DoubleError; math.Abs(got-want) > 0.01*want {
			t.Errorf("e^%v is %v wide, want %v", x, got, want)
		}
		// And the two of s = x − k ln 2, of which k ln 2 has one, and ln 2 a part of one.
		if e := interval.BallAt(x).Exp(); x <= 50 {
			if got, want := e.Radius/e.Mid.Hi, (8*256+255+x)*interval.DoubleError; math.Abs(got-want) > 0.01*want {
				t.Errorf("e^%v is %v wide in balls, want %v", x, got, want)
			}
		}
	}
	// The growth is asked for below 4 alone, where it is needed.
	for _, x := range []float64{0, 1, math.Nextafter(4, 0), 4, math.Nextafter(4, 5), 30} {
		asked := 0
		millsEnclosure(interval.Float(x), 40, func() interval.Interval { asked++; return growthAt(interval.Float(x)) })
		millsBall(interval.BallAt(x), 40, func() interval.Ball { asked++; return interval.BallAt(x * x / 2).Exp() })
		if want := map[bool]int{true: 2, false: 0}[x < 4]; asked != want {
			t.Errorf("R(%v): e^{x²/2} is asked for %d times, want %d", x, asked, want)
		}
	}
}

// The ratio of two densities is held at both ends of a neighborhood, on whichever side of its
// point it lies, and is no wider than twice what it may be off.
func TestSlopeRatiosOfNeighborhoods(t *testing.T) {
	rng := rand.New(rand.NewPCG(115, 2))
	for range 400 {
		eps, mu := math.Exp(2*rng.NormFloat64()), math.Exp(rng.NormFloat64())
		e := interval.Float(eps)
		p := newPoint(e, interval.Float(mu), 40)
		left, right := mu*math.Pow(10, -12*rng.Float64()-0.3), mu*math.Pow(10, -12*rng.Float64()-0.3)
		switch rng.IntN(3) {
		case 0:
			left = 0
		case 1:
			right = 0
		}
		around := interval.Between(mu-left, mu+right)
		got := slopeRatio(e, around, p)
		most := 0.0
		for _, x := range []interval.Interval{around.Lower(), around.Upper()} {
			a := e.Quo(x).Sub(x.Mul(half))
			power := a.Mul(a).Sub(p.a.Mul(p.a)).Mul(half)
			if r := power.Exp(); r.Less(got) || got.Less(r) {
				t.Fatalf("ε = %v, μ = %v, around %v: ratio %v misses %v", eps, mu, around, got, r)
			}
		}
		a := e.Quo(around).Sub(around.Mul(half))
		lo, hi := a.Sub(p.a).Mul(a.Add(p.a)).Mul(half).Bounds()
		if most = math.Max(-lo, hi); most > 0.4 {
			if most > 0.5 && (got.Lower().Mid() < math.Exp(lo)*(1-1e-9) || got.Upper().Mid() > math.Exp(hi)*(1+1e-9)) {
				t.Errorf("ε = %v, μ = %v, around %v: ratio %v, want e^%v to e^%v", eps, mu, around, got, lo, hi)
			}
			continue
		}
		if w, _ := got.Upper().Sub(got.Lower()).Bounds(); w > 4*most*(1+1e-9)+0x1p-52 {
			t.Errorf("ε = %v, μ = %v, around %v: ratio %v is wide, want 1 ± %v", eps, mu, around, got, 2*most)
		}
	}
	// δ is a probability, however near to 1.
	for mu := 0.1; mu < 300; mu *= 1.07 {
		for _, eps := range []float64{0, 1e-9, 0.1, 3} {
			e := evidence.Epsilon{}
			if eps > 0 {
				e = must.For(evidence.NewEpsilon("eps", eps))(t)
			}
			if d := DeltaAt(e, interval.Float(mu)); !(0 <= d.Lo && d.Lo <= d.Hi && d.Hi <= 1) {
				t.Errorf("δ(%v, %v) in [%v, %v]", eps, mu, d.Lo, d.Hi)
			}
		}
	}
}

// The a at which a large μ has a δ, near to 1 or far from it, has that δ; and where a is hardly
// known, δ is not either.
func TestRootsOfLargeMu(t *testing.T) {
	for _, mu := range []float64{100, 1e3, 1e6} {
		for _, target := range []float64{-1e-4, -0.01, -0.05, -0.2, -1, -20, -600} {
			a := solveA(target, mu)
			// δ = Φ(−a) − φ(a)R(b), from the other side where it is near 1.
			below := math.Exp(-a*a/2-logSqrt2Pi) * mills(a+mu)
			got := math.Log(math.Erfc(a/math.Sqrt2)/2 - below)
			if a < 0 {
				got = math.Log1p(-math.Erfc(-a/math.Sqrt2)/2 - below)
			}
			if math.Abs(got-target) > 1e-8*math.Abs(target) {
				t.Errorf("μ = %v: ln δ = %v at a = %v, want %v", mu, got, a, target)
			}
		}
	}
	for _, c := range []struct{ lo, hi float64 }{{1, 500}, {0.001, 1}, {0.001, 500}} {
		m := plain(interval.Between(c.lo, c.hi))
		if d := m.delta(interval.Int(1)); d.Lo != 0 || d.Hi != 1 {
			t.Errorf("μ in [%v, %v]: δ in [%v, %v]", c.lo, c.hi, d.Lo, d.Hi)
		}
	}
	for _, c := range []struct{ mu, lo, hi float64 }{{250, math.Nextafter(1, 0), 1}, {0.001, 0, math.SmallestNonzeroFloat64}} {
		if d := plain(interval.Float(c.mu)).delta(interval.Int(1)); d.Lo != c.lo || d.Hi != c.hi {
			t.Errorf("μ = %v: δ in [%v, %v]", c.mu, d.Lo, d.Hi)
		}
	}
	none := evidence.Epsilon{}
	if _, err := Mu(none, evidencetest.Delta(0.1)); err == nil || err.Error() != none.Positive("eps").Error() {
		t.Errorf("ε = 0: error %v, want %v", err, none.Positive("eps"))
	}
}

// Where a alone tells on which side of δ an ε lies, or is not known to 40, there is no point;
// elsewhere there is.
func TestSidesToldByA(t *testing.T) {
	// a = 1/μ − μ/2 at ε = 1, which falls in μ.
	mu := func(a float64) float64 {
		if a > 0 {
			return 2 / (a + math.Sqrt(a*a+2))
		}
		return math.Sqrt(a*a+2) - a
	}
	for _, c := range []struct {
		from, to float64 // a
		sign     int
		point    bool
	}{
		{40.01, 40.01, -1, false}, {500, 500, -1, false}, {1e9, 1e9, -1, false},
		{-40.01, -40.01, 1, false}, {-500, -500, 1, false}, {-1e9, -1e9, 1, false},
		{-101, 39, 0, false}, {-500, -39, 0, false}, {-500, 1, 0, false}, {-500, 500, 0, false}, {-1, 101, 0, false}, {39, 500, 0, false},
		{39.99, 39.99, 0, true}, {-39.99, -39.99, 0, true}, {0, 0, 0, true},
	} {
		p, sign := epsilonRoot{evidencetest.Delta(0.5), plain(interval.Between(mu(c.to), mu(c.from)))}.at(1)
		if sign != c.sign || (p != nil) != c.point {
			t.Errorf("a from %v to %v: sign %d, point %v", c.from, c.to, sign, p != nil)
		}
	}
}

// From a start that is off by more or less, μ is enclosed or there is an error, never another number.
func TestMuFromPoorStarts(t *testing.T) {
	proven, failed := 0, 0
	for _, eps := range []float64{1e-9, 0.1, 1, 20, 1e6} {
		e := must.For(evidence.NewEpsilon("eps", eps))(t)
		for _, delta := range []float64{1e-200, 1e-9, 0.01, 0.4, 0.99} {
			want := must.For(muEnclosure(e, evidencetest.Delta(delta)))(t)
			for _, off := range []float64{1 - 1e-12, 1 + 1e-12, 1 - 1e-8, 1 + 1e-8, 1 - 1e-4, 1 + 1e-4, 1.1, 0.8, 10, 0.1} {
				switch got, err := muNear(e, evidencetest.Delta(delta), want.Mid()*off); {
				case err == nil && (want.Less(got) || got.Less(want)):
					t.Errorf("ε = %v, δ = %v, start off by %v: μ in %v, want %v", eps, delta, off-1, got, want)
				case err == nil:
					proven++
				case !errors.Is(err, errNotEnclosed) || got != (interval.Interval{}) || math.Abs(off-1) < 1e-7 && eps < 1e6:
					t.Errorf("ε = %v, δ = %v, start off by %v: %v, error %v", eps, delta, off-1, got, err)
				default:
					failed++
				}
			}
		}
	}
	if proven < 100 || failed < 50 {
		t.Errorf("%d starts lead to a μ and %d to none: they are one-sided", proven, failed)
	}
}

// A quantile from a start that is off holds the number whose tail was taken.
func TestQuantilesFromPoorStarts(t *testing.T) {
	for _, x := range []float64{0, 1e-9, 0.1, 1, 4, 12} {
		p := Tail(interval.Float(x)).Lower()
		for _, off := range []float64{0, 1e-12, 1e-9, 1e-6, 1e-3, 0.05, 0.3, -1e-12, -1e-9, -1e-6, -1e-3, -0.05, -0.3, 5, 100} {
			if x+off < 0 {
				continue
			}
			got := quantileNear(p, x+off)
			if got.Upper().Less(interval.Float(x)) || interval.Float(x+1e-15).Less(got.Lower()) {
				t.Errorf("the quantile of the tail at %v from %v is %v", x, x+off, got)
			}
			// A step leaves the distance times what the density varies by over a radius of 64 times it.
			if lo, hi := got.Sub(got.Lower()).Bounds(); math.Abs(off) < 1e-4 && hi-lo > 1e-13*(1+x)+200*(x+1)*off*off*64 {
				t.Errorf("the quantile of the tail at %v from %v is %v, wide", x, x+off, got)
			}
		}
	}
}

// ln δ and its slope in float64 are those of the enclosures, on both sides of a = −1.
func TestLogDeltaAgainstEnclosures(t *testing.T) {
	rng := rand.New(rand.NewPCG(115, 3))
	for k := range 2000 {
		mu, a := math.Exp(3*rng.NormFloat64()), 12*rng.NormFloat64()
		if k%3 == 0 {
			a = 2*rng.Float64() - 2
		}
		eps := mu * (a + mu/2)
		if eps < 0 {
			eps = 0
		}
		if a = eps/mu - mu/2; a < -60 || a > 37 {
			continue
		}
		p := newPoint(interval.Float(eps), interval.Float(mu), 80)
		delta := p.delta()
		want := delta.Log().Mid()
		l, slope := logDeltaSlope(eps, mu)
		// a is off by units of b, and δ by a times that; the drop by 50 units.
		off := 0x1p-53 * (50 + math.Abs(want) + (1+math.Abs(a))*8*(math.Abs(a)+mu))
		if got := logDelta(eps, mu); math.Abs(got-want) > off || got != l {
			t.Errorf("ε = %v, μ = %v: ln δ = %v and %v, want %v", eps, mu, got, l, want)
		}
		density := interval.Int(1).Quo(sqrtTwoPi.Mul(p.exp())).Quo(delta).Mid()
		if math.Abs(slope-density) > 4*off*density {
			t.Errorf("ε = %v, μ = %v: slope %v, want %v", eps, mu, slope, density)
		}
	}
}

// What an enclosure of μ has below 0 is no μ.
func TestNoMuBelowZero(t *testing.T) {
	e := must.For(evidence.NewEpsilon("eps", 0.5))(t)
	for _, hi := range []float64{0, 0.1, 3} {
		cut, whole := interval.Between(0, hi), interval.Between(-2, hi)
		if got, want := DeltaAt(e, whole), DeltaAt(e, cut); got != want {
			t.Errorf("μ from -2 to %v: δ in [%v, %v], want [%v, %v]", hi, got.Lo, got.Hi, want.Lo, want.Hi)
		}
		for _, delta := range []float64{0, 1e-200, 0.01, 0.9} {
			got, err := EpsilonAt(evidencetest.Delta(delta), whole)
			want, other := EpsilonAt(evidencetest.Delta(delta), cut)
			if got != want || err != nil || other != nil {
				t.Errorf("μ from -2 to %v, δ = %v: ε in [%v, %v], want [%v, %v], errors %v and %v", hi, delta, got.Lo, got.Hi, want.Lo, want.Hi, err, other)
			}
		}
	}
	if end, ok := (epsilonRoot{evidencetest.Delta(0.1), quotient{interval.Between(-1, 1e9), interval.Int(1)}}).upper(1); ok || end != 0 {
		t.Errorf("no end is proven, and there is %v, %v", end, ok)
	}
}

// around is the ball of radius r at x.
func around(x, r float64) interval.Ball {
	return interval.Ball{Mid: interval.DoubleDouble{Hi: x}, Radius: r}
}
