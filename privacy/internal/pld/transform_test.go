package pld

import (
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"testing"

	"dpworkbench/interval"
)

// slowTransform returns the discrete Fourier transform by its definition, to a hundred digits.
func slowTransform(x []complex128) (re, im []*big.Float) {
	n := len(x)
	big0 := func() *big.Float { return new(big.Float).SetPrec(200) }
	// Powers of e^{−2πi/n} come from half-angle formulas, starting at −1.
	c, s := big0().SetInt64(-1), big0()
	for m := 2; m < n; m *= 2 {
		half := big0().Quo(big0().Add(big0().SetInt64(1), c), big0().SetInt64(2))
		d := big0().Sqrt(half)
		s.Sqrt(big0().Sub(big0().SetInt64(1), half))
		c.Set(d)
	}
	cos, sin := make([]*big.Float, n), make([]*big.Float, n)
	cos[0], sin[0] = big0().SetInt64(1), big0()
	for k := 1; k < n; k++ {
		cos[k] = big0().Sub(big0().Mul(cos[k-1], c), big0().Mul(sin[k-1], s))
		sin[k] = big0().Add(big0().Mul(cos[k-1], s), big0().Mul(sin[k-1], c))
	}
	for f := range n {
		a, b := big0(), big0()
		for j, v := range x {
			k := f * j % n
			r, i := big0().SetFloat64(real(v)), big0().SetFloat64(imag(v))
			a.Add(a, big0().Add(big0().Mul(r, cos[k]), big0().Mul(i, sin[k])))
			b.Add(b, big0().Sub(big0().Mul(i, cos[k]), big0().Mul(r, sin[k])))
		}
		re, im = append(re, a), append(im, b)
	}
	return re, im
}

func TestTransformWithinItsBound(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for levels := 1; levels <= 8; levels++ {
		n := 1 << levels
		x := make([]complex128, n)
		for j := range x {
			x[j] = complex(rng.NormFloat64(), math.Exp(20*rng.NormFloat64()))
		}
		norm := euclidean(x) * math.Sqrt(float64(n))
		re, im := slowTransform(x)
		y := append([]complex128{}, x...)
		forward(y)
		square := 0.0
		for j, v := range y {
			f := int(bits.Reverse64(uint64(j)) >> (64 - levels))
			dr, _ := new(big.Float).Sub(re[f], big.NewFloat(real(v))).Float64()
			di, _ := new(big.Float).Sub(im[f], big.NewFloat(imag(v))).Float64()
			square += dr*dr + di*di
		}
		if got := math.Sqrt(square); got > transformError(levels)*norm {
			t.Errorf("%d levels: off by %g of %g, want at most %g", levels, got, norm, transformError(levels)*norm)
		}
		z := append([]complex128{}, y...)
		split(z)
		join(z)
		backward(z)
		square = 0
		for j, v := range z {
			d := v/complex(float64(n), 0) - x[j]
			square += real(d)*real(d) + imag(d)*imag(d)
		}
		if got := math.Sqrt(square); got > 2*transformError(levels)*euclidean(x)+4*u*euclidean(x) {
			t.Errorf("%d levels: transform and inverse are off by %g", levels, got)
		}
	}
}

func TestTwiddlesWithinTheirBound(t *testing.T) {
	for _, level := range []int{1, 2, 3, 10, 17} {
		w := twiddlesOf(level)
		for k := 0; k < len(w); k += max(len(w)/64, 1) {
			// The test checks |w| = 1 and the angle of w.
			angle := interval.Float(math.Pi).Mul(interval.Rat(big.NewRat(int64(k), int64(len(w)))))
			cos, sin := real(w[k]), -imag(w[k])
			if d := math.Abs(math.Hypot(cos, sin) - 1); d > 8*u {
				t.Errorf("level %d, %d: modulus is off by %g", level, k, d)
			}
			if d := math.Abs(math.Atan2(sin, cos) - angle.Mid()); d > 8*u*3.2 {
				t.Errorf("level %d, %d: angle is off by %g", level, k, d)
			}
		}
	}
}
