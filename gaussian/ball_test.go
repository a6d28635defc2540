package gaussian

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
)

// Proofs in ball arithmetic agree with 256-bit intervals: they give the same float64, and the balls overlap the
// intervals. Nearly all parameters in practical use are proven by balls.
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
		m, ok := quickMu(eps, evidencetest.Delta(delta))
		if !ok {
			continue
		}
		want := must.For(muEnclosure(eps, evidencetest.Delta(delta)))(t)
		around := m.Interval()
		if around.Less(want) || want.Less(around) {
			t.Fatalf("eps %v, delta %v: the ball %v does not meet %v", eps, delta, around, want)
		}
		lo, hi, ok := m.Nearest()
		if !ok {
			continue
		}
		proven++
		if l, h := want.Bounds(); l != lo || h != hi {
			t.Errorf("eps %v, delta %v: mu in [%v, %v], by intervals [%v, %v]", eps, delta, lo, hi, l, h)
		}
		sensitivity := math.Exp(rng.Float64()*20 - 10)
		s := must.For(Sigma(eps, evidencetest.Delta(delta), sensitivity))(t)
		l, h := interval.Float(sensitivity).Quo(want).Bounds()
		if s.Lo != l || s.Hi != h {
			t.Errorf("eps %v, delta %v: sigma in [%v, %v], by intervals [%v, %v]", eps, delta, s.Lo, s.Hi, l, h)
		}
	}
	if proven < draws*9/10 {
		t.Errorf("only %d of %d are proven by balls", proven, draws)
	}
}

// deltaByTails encloses δ(ε, μ) = Q(a) − e^ε Q(b), from two tails of 190 bits.
func deltaByTails(eps, mu interval.Interval) interval.Interval {
	a, b := plain(mu).ends(eps)
	above := interval.Interval{}
	if sign, _ := a.Sign(); sign < 0 {
		above = interval.Int(1).Sub(sharpTail(a.Neg()))
	} else {
		above = sharpTail(a)
	}
	return above.Sub(eps.Exp().Mul(sharpTail(b)))
}

// shiftedMiddle returns x.Mid + r.
func shiftedMiddle(x interval.Ball, r float64) interval.Interval {
	return interval.Float(x.Mid.Hi).Add(interval.Float(x.Mid.Lo)).Add(interval.Float(r))
}

// If the start has the error s, the balls for ε and μ contain the roots. Their radius is that of a Newton step: |s|
// times twice the possible change of the slope. The slope is considered within 2|s| of ε, or within a relative 1e-13 of
// μ. A step that leaves this neighborhood proves nothing.
func TestBallsFromPoorStarts(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 29))
	wide := func(what string, got interval.Ball, off, most, base float64) {
		t.Helper()
		if math.Abs(got.Radius-most) > 0.05*most+base {
			t.Errorf("%s, start off by %g: %+v, want radius %g", what, off, got, most)
		}
	}
	far := 0
	for range 60 {
		mu, a := math.Exp(6.5*rng.Float64()-2), 33*rng.Float64()-3
		if a+mu/2 < 0.1 {
			continue
		}
		eps := mu * (a + mu/2)
		delta := deltaByTails(interval.Float(eps), interval.Float(mu)).Mid()
		if !(delta > 1e-195 && delta < 1-1e-9) {
			continue
		}
		best, ok := epsilonBall(interval.BallAt(mu), interval.BallAt(delta), math.Log(delta))
		if !ok {
			t.Errorf("μ = %v, δ = %v: ε is not proven", mu, delta)
			continue
		}
		// The logarithm of the slope changes by at most 2|s|(|a| + 1 + |s|/μ)/μ.
		change := math.Exp(-25 * rng.Float64() * rng.Float64())
		s := mu * change / 2 / (math.Abs(a) + 1 + change/2/(math.Abs(a)+1))
		if rng.IntN(2) == 0 {
			s = -s
		}
		got, ok := epsilonNear(interval.BallAt(mu), interval.BallAt(delta), eps+s)
		if what := fmt.Sprintf("μ = %v, δ = %v", mu, delta); ok {
			far++
			if low, high := deltaByTails(shiftedMiddle(got, got.Radius), interval.Float(mu)), deltaByTails(shiftedMiddle(got, -got.Radius), interval.Float(mu)); interval.Float(delta).Less(low) || high.Less(interval.Float(delta)) {
				t.Errorf("%s, off by %g: δ in [%v, %v] over the ball %+v", what, s, low, high, got)
			}
			if change < 0.02 {
				wide(what, got, s, math.Abs(s)*2*change, 2*best.Radius)
			}
			if change > 0.8 {
				t.Errorf("%s, start off by %g: %+v is proven, want failure", what, s, got)
			}
		} else if change < 0.3 && math.Abs(s) < eps/10 {
			t.Errorf("%s, start off by %g: no proof", what, s)
		}
	}
	if far < 30 {
		t.Errorf("only %d starts lead to an ε", far)
	}
	for _, mu := range []float64{1e-3, 1, 300, 2e4} {
		for _, a := range []float64{-2, 0.1, 1, 7, 28} {
			eps := mu * (a + mu/2)
			if eps <= 0 {
				continue
			}
			delta := deltaByTails(interval.Float(eps), interval.Float(mu)).Mid()
			best, ok := muBall(interval.BallAt(eps), interval.BallAt(delta), mu)
			if !ok {
				t.Errorf("ε = %v, δ = %v: μ is not proven", eps, delta)
				continue
			}
			for _, off := range []float64{0.9e-13, -0.9e-13, 0.3e-13} {
				start := mu * (1 + off)
				got, ok := muBall(interval.BallAt(eps), interval.BallAt(delta), start)
				if !ok {
					t.Errorf("ε = %v, δ = %v, start off by %g: no proof", eps, delta, off)
					continue
				}
				if low, high := deltaByTails(interval.Float(eps), shiftedMiddle(got, -got.Radius)), deltaByTails(interval.Float(eps), shiftedMiddle(got, got.Radius)); interval.Float(delta).Less(low) || high.Less(interval.Float(delta)) {
					t.Errorf("ε = %v, δ = %v, off by %g: δ in [%v, %v] over the ball %+v", eps, delta, off, low, high, got)
				}
				change := (eps/mu + mu/2) * 1e-13 * math.Abs(a)
				wide(fmt.Sprintf("ε = %v, δ = %v", eps, delta), got, off, mu*math.Abs(off)*2*change, 2*best.Radius)
			}
			for _, off := range []float64{1.1e-13, -1.1e-13} {
				if got, ok := muBall(interval.BallAt(eps), interval.BallAt(delta), mu*(1+off)); ok {
					t.Errorf("ε = %v, δ = %v, start off by %g: %+v is proven, want failure", eps, delta, off, got)
				}
			}
		}
	}
}

// Balls for δ and ε agree with 256-bit intervals: δ has the same float64, and the signs at 256 bits prove the bounds of
// ε.
func TestDeltaAndEpsilonBallsAgree(t *testing.T) {
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
		if rng.IntN(3) == 0 { // some ε are no float64
			mu = mu.Quo(interval.Int(3))
		}
		m := plain(mu.Lower())
		if d, ok := m.deltaBall(interval.Float(eps)); ok {
			if lo, hi, ok := d.Nearest(); ok {
				proven++
				want := evidence.EnclosedLoss(m.point(interval.Float(eps), 90).delta(), method, source)
				if lo != want.Lo || hi != want.Hi {
					t.Errorf("eps %v, mu %v: delta in [%v, %v], by intervals [%v, %v]", eps, mu, lo, hi, want.Lo, want.Hi)
				}
			}
		}
		e := must.For(epsilonBetween(evidencetest.Delta(delta), m, m))(t)
		if e.Hi == 0 {
			continue
		}
		if p, ok := (epsilonRoot{evidencetest.Delta(delta), m}).quick(e.Hi); ok && math.Abs(p.a.Mid.Hi) < 30 {
			quick++
			sign := func(eps float64) int {
				r := epsilonRoot{evidencetest.Delta(delta), m}
				p, sign := r.at(eps)
				if p != nil {
					sign, _ = r.excess(p).Sign()
				}
				return sign
			}
			if sign(e.Hi) >= 0 || e.Lo > 0 && sign(e.Lo) <= 0 {
				t.Errorf("delta %v, mu %v: epsilon in [%v, %v] contradicts the signs of intervals", delta, mu, e.Lo, e.Hi)
			}
		}
	}
	if proven < draws/2 || quick < draws/3 {
		t.Errorf("of %d cases only %d δ and %d ε are proven by balls", draws, proven, quick)
	}
}
