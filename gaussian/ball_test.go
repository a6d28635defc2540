package gaussian

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
)

// What balls prove is what intervals of 256 bits prove: the same float64s, and a ball that
// meets them. Nearly all parameters of practice are proven.
func TestBallsAgreeWithIntervals(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 13))
	const draws = 3000
	proven := 0
	for k := range draws {
		eps := must.For(evidence.NewEpsilon("eps", math.Exp(rng.Float64()*16-10)))(t)
		if k%10 == 0 {
			eps = must.For(evidence.LogEpsilon("eps", big.NewRat(int64(2+rng.IntN(50)), 1)))(t)
		}
		delta := math.Exp(-rng.Float64() * 300)
		m, ok := quickMu(eps, delta)
		if !ok {
			continue
		}
		want := must.For(muEnclosure(eps, delta))(t)
		around := interval.Float(m.v.hi).Add(interval.Float(m.v.lo)).Add(interval.Between(-m.r, m.r))
		if around.Less(want) || want.Less(around) {
			t.Fatalf("eps %v, delta %v: the ball %v has no number of %v", eps, delta, around, want)
		}
		lo, hi, ok := m.bounds()
		if !ok {
			continue
		}
		proven++
		if l, h := want.Bounds(); l != lo || h != hi {
			t.Errorf("eps %v, delta %v: mu between %v and %v, in intervals %v and %v", eps, delta, lo, hi, l, h)
		}
		sensitivity := math.Exp(rng.Float64()*20 - 10)
		s := must.For(Sigma(eps, delta, sensitivity))(t)
		l, h := interval.Float(sensitivity).Quo(want).Bounds()
		if s.Lo != l || s.Hi != h {
			t.Errorf("eps %v, delta %v: sigma between %v and %v, in intervals %v and %v", eps, delta, s.Lo, s.Hi, l, h)
		}
	}
	if proven < draws*9/10 {
		t.Errorf("%d of %d are proven", proven, draws)
	}
}

// Operations on balls hold those on the rationals in them, at cancellation too.
func TestBallsHoldRationals(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 17))
	draw := func() (ball, *big.Rat) {
		hi := rng.NormFloat64() * math.Exp2(float64(rng.IntN(60)-30))
		v := fastTwoSum(hi, hi*0x1p-54*rng.NormFloat64())
		b := ball{v, math.Abs(hi) * math.Exp2(-float64(rng.IntN(30)+70))}
		at := new(big.Rat).SetFloat64(b.r * (2*rng.Float64() - 1))
		at.Add(at, new(big.Rat).SetFloat64(v.hi))
		return b, at.Add(at, new(big.Rat).SetFloat64(v.lo))
	}
	holds := func(what string, b ball, v *big.Rat) {
		t.Helper()
		off := new(big.Rat).SetFloat64(b.v.hi)
		off.Add(off, new(big.Rat).SetFloat64(b.v.lo)).Sub(off, v)
		if off.Abs(off).Cmp(new(big.Rat).SetFloat64(b.r)) > 0 {
			t.Fatalf("%s: %v is off by %s", what, b, off.FloatString(60))
		}
	}
	for k := range 20000 {
		x, p := draw()
		y, q := draw()
		if k%3 == 0 { // nearly the same
			y.v.hi = x.v.hi
			y.v = fastTwoSum(y.v.hi, x.v.lo*(1+rng.NormFloat64()*0x1p-20))
			q = new(big.Rat).SetFloat64(y.v.hi)
			q.Add(q, new(big.Rat).SetFloat64(y.v.lo))
		}
		holds("sum", x.plus(y), new(big.Rat).Add(p, q))
		holds("difference", x.minus(y), new(big.Rat).Sub(p, q))
		holds("product", x.times(y), new(big.Rat).Mul(p, q))
		if quotient := x.over(y); !math.IsInf(quotient.r, 1) {
			holds("quotient", quotient, new(big.Rat).Quo(p, q))
		}
		if v := math.Abs(x.v.hi); v > 1e-6 && v < 700 {
			at := ball{double{v, math.Copysign(x.v.lo, x.v.lo*x.v.hi)}, x.r}
			want := interval.Rat(new(big.Rat).Abs(p)).Exp()
			e := at.exp()
			if around := interval.Float(e.v.hi).Add(interval.Float(e.v.lo)).Add(interval.Between(-e.r, e.r)); around.CmpLo(want) > 0 || around.CmpHi(want) < 0 {
				t.Fatalf("exp of %v: %v does not hold %v", p, around, want)
			}
		}
	}
}

// So do δ and ε: the float64s of δ are those of 256 bits, and the signs of 256 bits prove the ends of
// ε.
func TestBallsOfDeltaAndEpsilonAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 19))
	const draws = 2000
	proven, quick := 0, 0
	for range draws {
		eps := math.Exp(rng.Float64()*16 - 10)
		delta := math.Exp(-rng.Float64() * 300)
		if rng.IntN(2) == 0 {
			delta = rng.Float64()
		}
		mu := interval.Float(solveMu(eps, math.Log(delta)) * (1 + rng.NormFloat64()/10))
		if rng.IntN(3) == 0 { // no float64
			mu = mu.Quo(interval.Int(3))
		}
		m := plain(mu.Lower())
		if d, ok := m.deltaBall(interval.Float(eps)); ok {
			if lo, hi, ok := d.bounds(); ok {
				proven++
				want := evidence.EnclosedLoss(m.point(interval.Float(eps), 90).delta(), method, source)
				if lo != want.Lo || hi != want.Hi {
					t.Errorf("eps %v, mu %v: delta between %v and %v, in intervals %v and %v", eps, mu, lo, hi, want.Lo, want.Hi)
				}
			}
		}
		e := must.For(epsilonBetween(delta, m, m))(t)
		if e.Hi == 0 {
			continue
		}
		if p, ok := (epsilonRoot{delta, m}).quick(e.Hi); ok && math.Abs(p.a.v.hi) < 30 {
			quick++
			sign := func(eps float64) int {
				r := epsilonRoot{delta, m}
				p, sign := r.at(eps)
				if p != nil {
					sign, _ = r.excess(p).Sign()
				}
				return sign
			}
			if sign(e.Hi) >= 0 || e.Lo > 0 && sign(e.Lo) <= 0 {
				t.Errorf("delta %v, mu %v: epsilon between %v and %v, against the signs of intervals", delta, mu, e.Lo, e.Hi)
			}
		}
	}
	if proven < draws/2 || quick < draws/3 {
		t.Errorf("of %d, %d of δ and %d of ε are proven", draws, proven, quick)
	}
}
