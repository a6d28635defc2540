package gaussian

import (
	"math"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
)

// What Poisson's sum leaves out is bounded from above, at every variance that it is asked at.
func TestRippleIsNoLess(t *testing.T) {
	for _, square := range []float64{1, 1.25, 2, 4, 9, 16} {
		d := must.For(NewDiscrete(new(big.Rat).SetFloat64(square)))(t)
		sum := 0.0
		for j := 1.0; j < 9; j++ {
			sum += 2 * math.Exp(-2*math.Pi*math.Pi*square*j*j)
		}
		if lo, hi := d.ripple().Bounds(); lo < sum || hi > 2*math.Exp(-19*square)*2 {
			t.Errorf("σ² = %v: %v to %v, the sum is %v", square, lo, hi, sum)
		}
	}
}

// Far tails lie between convergents: to 115 digits of mpmath's.
func TestSharpTailDigits(t *testing.T) {
	for _, c := range []struct {
		u    float64
		want string
	}{
		{8, "0.000000000000000622096057427178412351599517258818842248871727890027580152376352656860350375808906994866020466288333446416977854648"},
		{8.5, "0.000000000000000009479534822203318354151050467847551492826450086763817184844966316480180884172847589279077249097094154080340633389694"},
		{9.25, "0.00000000000000000001122463359132798265952147972063159000520865604327906702919902644049888123790433179214964609653501078289460126953416"},
		{12, "0.000000000000000000000000000000001776482112077678997696171001845557092392666434178953185038661173349444368380014449420330546066558251099891322574453"},
	} {
		want, _ := new(big.Rat).SetString(c.want)
		hair := new(big.Rat).Mul(want, new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(10), big.NewInt(112), nil)))
		got := sharpTail(interval.Float(c.u))
		if below, above := new(big.Rat).Sub(want, hair), new(big.Rat).Add(want, hair); got.Less(interval.Rat(below)) || interval.Rat(above).Less(got) || !got.Narrow(185) {
			t.Errorf("Pr[N > %v] = %v, want %.40s", c.u, got, c.want)
		}
	}
}

// δ falls in ε and rises in μ: where both are hardly known, its ends are those of the formula of Theorem 8 at the
// corners that say so, in float64 to 1e-12.
func TestDeltaOfWideNumbers(t *testing.T) {
	delta := func(eps, mu float64) float64 {
		phi := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
		return phi(mu/2-eps/mu) - math.Exp(eps)*phi(-mu/2-eps/mu)
	}
	for _, eps := range [][2]float64{{1, 1}, {0.5, 1.5}, {0.25, 3}} {
		for _, mu := range [][2]float64{{1, 1}, {0.5, 0.75}, {1, 4}} {
			least := plain(interval.Float(mu[0]))
			most := least // the same, not one like it
			if mu[1] > mu[0] {
				most = plain(interval.Float(mu[1]))
			}
			got := deltaBetween(interval.Between(eps[0], eps[1]), least, most)
			lo, hi := delta(eps[1], mu[0]), delta(eps[0], mu[1])
			if math.Abs(got.Lo-lo) > 1e-12 || math.Abs(got.Hi-hi) > 1e-12 {
				t.Errorf("ε in %v, μ in %v: δ in [%v, %v], want [%v, %v]", eps, mu, got.Lo, got.Hi, lo, hi)
			}
			if eps[0] != eps[1] {
				continue
			}
			e := must.For(evidence.NewEpsilon("eps", eps[0]))(t)
			if at := DeltaAt(e, interval.Between(mu[0], mu[1])); at.Lo != got.Lo || at.Hi != got.Hi {
				t.Errorf("ε = %v, μ in %v: δ in [%v, %v], want [%v, %v]", eps[0], mu, at.Lo, at.Hi, got.Lo, got.Hi)
			}
			for _, d := range []float64{1e-3, 1e-9} {
				at := must.For(EpsilonAt(evidencetest.Delta(d), interval.Between(mu[0], mu[1])))(t)
				if math.Abs(delta(at.Lo, mu[0])/d-1) > 1e-6 || math.Abs(delta(at.Hi, mu[1])/d-1) > 1e-6 {
					t.Errorf("δ = %v, μ in %v: ε in [%v, %v]", d, mu, at.Lo, at.Hi)
				}
			}
		}
	}
}

// Where ε is tiny beside μ its ends are as near to each other as 60 nats of the Mills ratios tell, at a slope of 0.01 or more: far nearer
// than the float64 root is, which errs by 1e-17 μ.
func TestTinyEpsilons(t *testing.T) {
	for _, mu := range []float64{0.03, 1, 7} {
		m := interval.Float(mu)
		zero := newPoint(interval.Int(0), m, 90).delta().Mid()
		for k := 9; k <= 15; k++ {
			delta := zero * (1 - math.Pow10(-k))
			got := must.For(EpsilonAt(evidencetest.Delta(delta), m))(t)
			if !(got.Lo > 0 && got.Hi-got.Lo <= 64*0x1p-53*got.Hi+1e-22) {
				t.Errorf("μ = %v, δ = %v: ε in [%v, %v]", mu, delta, got.Lo, got.Hi)
			}
		}
	}
}
