package gaussian

import (
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/cases"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
)

// enclosedMills encloses R(x) at 256 bits. Below 4 it uses the series of Φ. From 4 on it uses two convergents of
// Laplace's continued fraction.
func enclosedMills(x interval.Interval) interval.Interval {
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

// If a, or a and b, are intervals, the quantities of a point enclose their values at both bounds. The intervals lie on
// either side of 0 and across it, for all sizes of μ.
func TestPointsOfWideIntervals(t *testing.T) {
	rng := rand.New(rand.NewPCG(89, 90))
	for range cases.Of(200, 600) {
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
			low, high := interval.Interval{}, enclosedMills(y)
			if sign, _ := x.Sign(); sign >= 0 && x.Lower().CmpLo(interval.Int(0)) >= 0 {
				low = enclosedMills(x)
			} else {
				low = sqrtTwoPi.Mul(x.Mul(x).Mul(half).Exp()).Sub(enclosedMills(x.Neg()))
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
			t.Fatalf("μ = %g, a = %g − %g + %g: drop %v has width %g, want %g", mu, a, left, right, wide.drop, hi-lo, allowed)
		}
	}
}

// upper and lower return only proven bounds. Here μ is so near to the root for ε that 60 nats do not decide the side,
// so the bounds lie on both sides of ε.
func TestUnprovenBounds(t *testing.T) {
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
			t.Fatalf("ε = %g: every μ is distinguished from the root for ε", c.eps)
		}
		got, err := EpsilonAt(evidencetest.Delta(c.delta), mid)
		if err != nil || !(got.Lo < c.eps && c.eps < got.Hi) || got.Hi-got.Lo > 1e-14*c.eps {
			t.Errorf("ε = %g: [%v, %v], %v, want ε inside", c.eps, got.Lo, got.Hi, err)
		}
		r := epsilonRoot{evidencetest.Delta(c.delta), plain(mid)}
		if end, ok := r.upper(c.eps); !ok || r.sign(end) >= 0 {
			t.Errorf("ε = %g: the upper bound %v is not proven", c.eps, end)
		}
		if end := r.lower(c.eps); r.sign(end) <= 0 {
			t.Errorf("ε = %g: the lower bound %v is not proven", c.eps, end)
		}
	}
}
