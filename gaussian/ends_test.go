package gaussian

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
)

// What Poisson's sum leaves out is bounded from above, at every variance that it is asked at.
func TestRippleIsNoLess(t *testing.T) {
	for _, square := range []float64{1, 1.25, 2, 4, 9, 16} {
		d, err := NewDiscrete(new(big.Rat).SetFloat64(square))
		if err != nil {
			t.Fatal(err)
		}
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

// Cells are summed in so many parts as their series asks for, and in no more: (far + 1)d ≤ 1 of each.
func TestParts(t *testing.T) {
	for _, c := range []struct {
		far, d float64
		want   int
	}{{0, 0.5, 1}, {0, 1e-300, 1}, {1, 0.49, 1}, {1, 0.51, 2}, {3, 0.3, 2}, {9, 0.19, 2}, {9, 1, 11}, {99, 0.5, 51}, {1023, 1, 1025}} {
		if got := partsOf(c.far, c.d); got != c.want || (c.far+1)*c.d > float64(got) {
			t.Errorf("cells of width %v up to %v are summed in %d parts, want %d", c.d, c.far, got, c.want)
		}
	}
}

// shareOf is Σ (−1)ⁱ H_i(z)dⁱ/(i + 1)! to 400 bits or so, for (|z| + 1)d ≤ 1.
func shareOf(x, w *big.Float) *big.Float {
	before, at, sum := new(big.Float).SetPrec(500), exact(1), exact(1)
	for i := 1; i < 200; i++ {
		next := new(big.Float).SetPrec(500).Mul(x, at)
		next.Sub(next, new(big.Float).SetPrec(500).Mul(w, before)).Mul(next, w).Quo(next, exact(float64(i)))
		part := new(big.Float).Quo(next, exact(float64(i+1)))
		if i%2 == 1 {
			part.Neg(part)
		}
		sum.Add(sum, part)
		before, at = at, next
	}
	return sum
}

// The series of a cell holds that of fractions, by more than roundings take: 2⁻²⁵⁶ beside 2⁻⁴⁰⁰.
func TestSharesHoldFractions(t *testing.T) {
	rng := rand.New(rand.NewPCG(511, 1))
	for range 300 {
		far := math.Ldexp(float64(rng.IntN(1<<12)), -8)
		d := math.Ldexp(float64(1+rng.IntN(1<<10)), -10) / 2
		d = math.Ldexp(math.Floor(math.Ldexp(d/(far+1), 30)), -30)
		if d == 0 {
			continue
		}
		z := far
		if rng.IntN(2) == 0 {
			z = -far
		}
		sum := shareOf(exact(z), exact(d))
		c := newHermite(interval.Float(d), far)
		got := c.share(interval.Float(z))
		if want := interval.Big(sum); got.CmpLo(want) > 0 || got.CmpHi(want) < 0 {
			t.Errorf("z = %v, d = %v: %v misses %v", z, d, got, want)
		}
		at0 := new(big.Float).SetPrec(500).SetInt(c.sum)
		if off := at0.Sub(at0.SetMantExp(at0, -fixed), sum); off.SetMantExp(off, fixed).Abs(off).Cmp(new(big.Float).SetInt(c.slack)) > 0 {
			t.Errorf("z = %v, d = %v: the sum is off by %v units, %v are allowed", z, d, off, c.slack)
		}
	}
}

// A cell's share holds those of all z and d that are in enclosures, whether these are as wide as roundings leave them or
// more, and is no wider than 32 times what they are known to, and 2⁻²⁵³.
func TestSharesOfWideNumbers(t *testing.T) {
	rng := rand.New(rand.NewPCG(511, 2))
	for range 100 {
		far := math.Exp(rng.NormFloat64())
		left := (1/(far+1) - 1e-6) * rng.Float64()
		spread := func(from float64, k int) (interval.Interval, [2]*big.Float) {
			w := math.Exp2(-float64(k))
			other := new(big.Float).SetPrec(500).Add(exact(from), exact(w))
			if k == 0 {
				other = exact(from)
			}
			return interval.Hull(interval.Float(from), interval.Big(other)), [2]*big.Float{exact(from), other}
		}
		zk, dk := []int{0, 254, 250, 200, 60, 30}[rng.IntN(6)], []int{0, 255, 250, 200, 60, 30}[rng.IntN(6)]
		z, zs := spread((far-1e-8)*(2*rng.Float64()-1), zk)
		d, ds := spread(left, dk)
		got := newHermite(d, far).share(z)
		for _, x := range zs {
			for _, w := range ds {
				if want := interval.Big(shareOf(x, w)); got.CmpLo(want) > 0 || got.CmpHi(want) < 0 {
					t.Errorf("z in %v, d in %v: %v misses %v", z, d, got, want)
				}
			}
		}
		most := 0x1p-253
		for _, k := range []int{zk, dk} {
			if k > 0 {
				most += 32 * (1 + far) * math.Exp2(-float64(k))
			}
		}
		if w, _ := got.Upper().Sub(got.Lower()).Bounds(); w > most {
			t.Errorf("z in %v, d in %v: %v is %g wide, want %g", z, d, got, w, most)
		}
	}
}

func exact(v float64) *big.Float { return new(big.Float).SetPrec(500).SetFloat64(v) }

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
