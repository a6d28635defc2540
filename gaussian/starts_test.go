package gaussian

import (
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
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
		e, err := evidence.NewEpsilon("eps", eps)
		if err != nil {
			t.Fatal(err)
		}
		ends, err := Mu(e, math.Exp(target))
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
		if got, want := width(seriesEnclosure(double{x, 0}, 0, nats)), float64(4*n+5)*doubleError; math.Abs(got-want) > 0.02*want {
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
		if got, want := width(fractionEnclosure(double{x, 0}, 0, nats)), float64(2*n+3)*doubleError; math.Abs(got-want) > 0.05*want {
			t.Errorf("the fraction at %v is %v wide, want %v", x, got, want)
		}
	}
	for _, x := range []float64{0, 0.3, 2, 50, 1000} {
		// 8 roundings of the series, doubled 8 times with one more each.
		if got, want := width(expEnclosure(interval.Float(x))), (8*256+255)*doubleError; math.Abs(got-want) > 0.01*want {
			t.Errorf("e^%v is %v wide, want %v", x, got, want)
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
				var err error
				if e, err = evidence.NewEpsilon("eps", eps); err != nil {
					t.Fatal(err)
				}
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
	if _, err := Mu(none, 0.1); err == nil || err.Error() != none.Positive("eps").Error() {
		t.Errorf("ε = 0: error %v, want %v", err, none.Positive("eps"))
	}
}
