package gaussian

import (
	"math"
	"math/big"
	"testing"

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
