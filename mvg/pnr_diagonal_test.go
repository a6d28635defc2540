package mvg

import (
	"math/big"
	"testing"

	"dpworkbench/interval"

	"gonum.org/v1/gonum/mat"
)

// Diagonal signals beside diagonal noise have the product of what each direction has, in rationals, and only where none of them is negative.
func TestDiagonalSignals(t *testing.T) {
	d := designOf(ok(NewDirectional([]float64{0.5, 3}, nil)), ok(NewDirectional([]float64{2, 7}, nil)))
	for _, c := range []struct {
		k     []float64
		known bool
	}{{[]float64{1, 0.25, 0, 5}, true}, {[]float64{0, 0, 0, 0}, true}, {[]float64{1, -0x1p-60, 2, 3}, false}, {[]float64{-1, 2, 2, 3}, false}} {
		k := mat.NewSymDense(4, nil)
		want := big.NewRat(1, 1)
		for i, v := range c.k {
			k.SetSym(i, i, v)
			noise := new(big.Rat).Mul(ratOf([]float64{0.5, 3}[i%2]), ratOf([]float64{2, 7}[i/2]))
			want.Mul(want, noise.Quo(ratOf(v), noise).Add(noise, big.NewRat(1, 1)))
		}
		got, known := d.diagonalPNR(k, true)
		if known != c.known {
			t.Errorf("%v: known: %t", c.k, known)
		}
		if !known {
			continue
		}
		lo, hi := got.above.Sub(interval.Rat(want.Sub(want, big.NewRat(1, 1)))).Bounds()
		if lo > 0 || hi < 0 || hi-lo > 1e-60 {
			t.Errorf("%v: %v more than 1, want %v", c.k, got.above, want)
		}
	}
}
