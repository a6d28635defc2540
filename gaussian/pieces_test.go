package gaussian

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
)

// truth encloses R at a number, in 256 bits: below 4 by the series of Φ, from there on
// between two values of Laplace's fraction.
func truth(x interval.Interval) interval.Interval {
	if x.Less(interval.Int(4)) {
		square := x.Mul(x)
		term, sum := x, x
		for k := int64(1); k < 200; k++ {
			term = term.Mul(square).Quo(interval.Int(2*k + 1))
			sum = sum.Add(term)
		}
		return sqrtHalfPi.Mul(square.Mul(half).Exp()).Sub(sum)
	}
	value := func(depth int64) interval.Interval {
		v := x
		for k := depth; k > 0; k-- {
			v = x.Add(interval.Int(k).Quo(v))
		}
		return interval.Int(1).Quo(v)
	}
	return interval.Hull(value(400), value(401))
}

// Whatever accuracy is asked for, and however well x is known, the Mills ratio is held at
// both ends of x, and no wider than both account for.
func TestMillsEnclosuresOfWideArguments(t *testing.T) {
	rng := rand.New(rand.NewPCG(85, 86))
	for k := range 400 {
		at := 30 * rng.Float64()
		if k%2 == 0 {
			at = 5 * rng.Float64()
		}
		nats := 70 * rng.Float64()
		w := []float64{0, 1e-25, 1e-14, 1e-6, 0.01}[rng.IntN(5)]
		lower, upper := interval.Float(at), interval.Float(at+w)
		x := interval.Hull(lower, upper)
		got := millsEnclosure(x, nats, func() interval.Interval { return x.Mul(x).Mul(half).Exp() })
		for _, end := range []interval.Interval{x.Lower(), x.Upper()} {
			if r := truth(end); r.Less(got) || got.Less(r) {
				t.Fatalf("R(%v) = %v misses %v (%.3g nats)", x, got, r, nats)
			}
		}
		// |R'| = 1 − xR ≤ 1; near 4 the terms of the difference are up to e⁸.
		allowed := 4*math.Exp(-nats) + 4*w*(1+at*math.Exp(math.Min(at, 4)*math.Min(at, 4)/2)) + 1e-23
		if at > 5 && w <= 1e-12 {
			allowed = math.Exp(-nats) + 2.1*w/(at*at) + 1e-27
		}
		if lo, hi := got.Sub(got.Lower()).Bounds(); hi-lo > allowed {
			t.Fatalf("R(%v) = %v is %g wide, asked for %.3g nats, %g", x, got, hi-lo, nats, allowed)
		}
	}
}

// The tail of the fraction is n/(x + U) for the U of the next, U(x + U) = n + 1, and never
// above the ratio that it stands for.
func TestTail(t *testing.T) {
	for _, x := range []float64{0.1, 1, 2, 5, 30} {
		for _, n := range []int{1, 2, 10, 112} {
			u := float64(n)/tail(x, n) - x
			if want := float64(n + 1); math.Abs(u*(x+u)-want) > 1e-12*want {
				t.Errorf("tail(%g, %d) = %v: U(x + U) = %v, want %v", x, n, tail(x, n), u*(x+u), want)
			}
		}
	}
}

// The exponential holds those of both ends of a wide argument, and is no wider than they
// account for.
func TestExpEnclosureOfWideArguments(t *testing.T) {
	rng := rand.New(rand.NewPCG(87, 88))
	for k := range 1000 {
		at := 800 * rng.Float64()
		if k%10 == 0 {
			at = 2e4 * rng.Float64()
		}
		if k%7 == 0 { // next to a multiple of ln 2
			at = math.Nextafter(math.Ln2*float64(rng.IntN(500)+1), float64(k%2)*1e9)
		}
		w := []float64{0, 1e-25, 1e-14, 1e-6, 1e-3}[rng.IntN(5)]
		x := interval.Hull(interval.Float(at), interval.Float(at).Add(interval.Float(w)))
		got := x.RoughExp()
		lo, hi := x.Lower().Exp(), x.Upper().Exp()
		if got.CmpLo(lo) > 0 || got.CmpHi(hi) < 0 {
			t.Fatalf("exp %v in %v, misses some of %v to %v", x, got, lo, hi)
		}
		if below, above := got.Quo(lo).Sub(interval.Int(1)).Bounds(); below < -0.51*w-1e-26 || above > 1.51*w*(1+w)+1e-26 {
			t.Fatalf("exp %v from %g to %g of its lower end", x, below, above)
		}
	}
}

// Where a, or a and b, are not known exactly, what is made of them holds it at both ends,
// on either side of 0 and across it, for all sizes of μ.
func TestPointsOfWideEpsilons(t *testing.T) {
	rng := rand.New(rand.NewPCG(89, 90))
	for range 600 {
		mu := math.Pow(10, 14*rng.Float64()-12)
		a := 12*rng.Float64() - 2
		if a < 0 {
			a = max(a, -mu/2)
		}
		if rng.IntN(3) == 0 {
			a = 0
		}
		left, right := math.Pow(10, -3-20*rng.Float64()), math.Pow(10, -3-20*rng.Float64())
		m := interval.Float(mu)
		eps := m.Mul(interval.Float(a).Add(m.Mul(half)))
		lower, upper := eps.Sub(m.Mul(interval.Float(left))), eps.Add(m.Mul(interval.Float(right)))
		if sign, exact := lower.Sign(); sign < 0 || !exact {
			lower = interval.Int(0)
		}
		wide := newPoint(interval.Hull(lower, upper), m, 60)
		for _, end := range []interval.Interval{lower.Lower(), upper.Upper()} {
			one := quotient{m, interval.Int(1)}
			x, y := one.ends(end)
			low, high := interval.Interval{}, truth(y)
			if sign, _ := x.Sign(); sign >= 0 && x.Lower().CmpLo(interval.Int(0)) >= 0 {
				low = truth(x)
			} else {
				low = sqrtTwoPi.Mul(x.Mul(x).Mul(half).Exp()).Sub(truth(x.Neg()))
			}
			drop := low.Sub(high)
			if drop.Less(wide.drop) || wide.drop.Less(drop) || high.Less(wide.high) || wide.high.Less(high) {
				t.Fatalf("μ = %g, a = %g − %g + %g: drop %v, high %v miss %v, %v", mu, a, left, right, wide.drop, wide.high, drop, high)
			}
			delta := drop.Quo(sqrtTwoPi.Mul(x.Mul(x).Mul(half).Exp()))
			if got := wide.delta(); delta.Less(got) || got.Less(delta) {
				t.Fatalf("μ = %g, a = %g − %g + %g: δ %v misses %v", mu, a, left, right, got, delta)
			}
		}
		lo, hi := wide.drop.Sub(wide.drop.Lower()).Bounds()
		b := min(a+mu, 4)
		if allowed := 40*(left+right)*(1+math.Abs(a))*math.Exp(b*b/2) + 1e-22; hi-lo > allowed {
			t.Fatalf("μ = %g, a = %g − %g + %g: drop %v is %g wide, want %g", mu, a, left, right, wide.drop, hi-lo, allowed)
		}
	}
}

// Where an a is hardly known and may have either sign, R(a) is between those of its ends, as near to them as it is computed.
func TestPointsAcrossZero(t *testing.T) {
	for _, ends := range [][2]float64{{-1, 1}, {-0.25, 2}, {-2, 0.25}, {-3, 5}, {-0x1p-30, 0x1p-10}, {-0x1p-10, 0x1p-30}} {
		m := interval.Int(8) // ε = 8(a + 4)
		p := newPoint(interval.Between(8*(ends[0]+4), 8*(ends[1]+4)), m, 60)
		least, most := interval.Float(-ends[0]), interval.Float(ends[1])
		want := interval.Hull(truth(most), sqrtTwoPi.Mul(least.Mul(least).Mul(half).Exp()).Sub(truth(least))).Sub(p.high)
		if p.drop.CmpLo(want) > 0 || p.drop.CmpHi(want) < 0 {
			t.Errorf("a in %v: R(a) − R(b) in %v misses some of %v", ends, p.drop, want)
		}
		hair := interval.Between(-1e-22, 1e-22)
		if want := want.Add(hair); p.drop.CmpLo(want) < 0 || p.drop.CmpHi(want) > 0 {
			t.Errorf("a in %v: R(a) − R(b) in %v is wider than %v", ends, p.drop, want)
		}
	}
}

// An end that is not proven is none: where μ is so near to that of ε that 60 nats do not
// tell on which side, the ends lie on both sides of ε.
func TestUnprovenEnds(t *testing.T) {
	for _, c := range []struct{ eps, delta float64 }{{1, 1e-5}, {0.25, 0.01}, {8, 1e-9}, {1e-3, 1e-4}} {
		e := must.For(evidence.NewEpsilon("eps", c.eps))(t)
		enclosed := must.For(muEnclosure(e, evidencetest.Delta(c.delta)))(t)
		lo, hi := enclosed.Lower(), enclosed.Upper()
		mid := lo
		sign := 1
		for range 200 {
			mid = interval.Big(lo.Add(hi).Mul(half).MidFloat(interval.Prec))
			switch sign = (epsilonRoot{evidencetest.Delta(c.delta), plain(mid)}).sign(c.eps); {
			case sign < 0:
				lo = mid
			case sign > 0:
				hi = mid
			}
			if sign == 0 {
				break
			}
		}
		if sign != 0 {
			t.Fatalf("ε = %g: every μ is told from that of ε", c.eps)
		}
		got, err := EpsilonAt(evidencetest.Delta(c.delta), mid)
		if err != nil || !(got.Lo < c.eps && c.eps < got.Hi) || got.Hi-got.Lo > 1e-14*c.eps {
			t.Errorf("ε = %g: [%v, %v], %v, want it inside", c.eps, got.Lo, got.Hi, err)
		}
		r := epsilonRoot{evidencetest.Delta(c.delta), plain(mid)}
		if end, ok := r.upper(c.eps); !ok || r.sign(end) >= 0 {
			t.Errorf("ε = %g: the upper end %v is not proven", c.eps, end)
		}
		if end := r.lower(c.eps); r.sign(end) <= 0 {
			t.Errorf("ε = %g: the lower end %v is not proven", c.eps, end)
		}
	}
}

// Where no upper end can be proven there is an error, not an end.
func TestNoEndProven(t *testing.T) {
	one, unknown := plain(interval.Int(1)), quotient{interval.Between(-1, 1e9), interval.Int(1)}
	statement := &EpsilonStatement{evidencetest.Delta(0.1), 1, 1}
	if got, err := stating(statement)(epsilonBetween(evidencetest.Delta(0.1), one, unknown)); !errors.Is(err, errNotEnclosed) || got != (evidence.Certified{}) {
		t.Errorf("stated: %v, %v", got, err)
	}
	if got, err := stating(statement)(epsilonBetween(evidencetest.Delta(0.1), one, one)); err != nil || got.Hi != must.For(Epsilon(evidencetest.Delta(0.1), 1, 1))(t).Hi {
		t.Errorf("stated: %v, %v", got, err)
	}
	if got, err := epsilonBetween(evidencetest.Delta(0.1), one, unknown); !errors.Is(err, errNotEnclosed) || got != (evidence.Certified{}) {
		t.Errorf("%v, %v", got, err)
	}
}

// δ(0, μ) is above δ for a μ above δ√(2π), if only by 2⁻²⁵⁶ of it: no ε of 0 is claimed.
func TestNoEpsilonOfZeroUnproven(t *testing.T) {
	for _, delta := range []float64{1e-200, 1e-150, 3e-307} {
		edge := evidencetest.Delta(delta).Enclosure().Mul(sqrtTwoPi)
		if got, err := EpsilonAt(evidencetest.Delta(delta), edge.Upper()); err != nil || !(got.Hi > 0 && got.Hi < 1e-15*delta) {
			t.Errorf("δ = %g: ε in [%v, %v], %v, want it above 0", delta, got.Lo, got.Hi, err)
		}
		if got, err := EpsilonAt(evidencetest.Delta(delta), edge.Lower()); err != nil || got.Lo != 0 || got.Hi != 0 {
			t.Errorf("δ = %g: ε in [%v, %v], %v, want 0", delta, got.Lo, got.Hi, err)
		}
	}
}
