package wideint_test

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/wideint"
)

// Sums and comparisons of 128-bit integers match math/big, around every carry.
func TestSumsAgainstBig(t *testing.T) {
	rng := rand.New(rand.NewPCG(47, 1))
	number := func() *big.Int {
		n := new(big.Int).SetUint64(rng.Uint64())
		n.Lsh(n, 64).Or(n, new(big.Int).SetUint64(rng.Uint64()))
		n.Rsh(n, uint(1+rng.IntN(127)))
		switch rng.IntN(4) {
		case 0: // all ones, and its neighbors
			n.Lsh(big.NewInt(1), uint(rng.IntN(126))).Sub(n, big.NewInt(int64(rng.IntN(2))))
		case 1: // ones in one half only
			n.SetUint64(rng.Uint64()).Lsh(n, 62)
		}
		return n
	}
	back := func(w wideint.Int128) *big.Int {
		n := new(big.Int).SetUint64(uint64(w.Hi))
		return n.Lsh(n, 64).Or(n, new(big.Int).SetUint64(w.Lo))
	}
	for range 20000 {
		a, b := number(), number()
		x, y := wideint.Of(a), wideint.Of(b)
		if back(x).Cmp(a) != 0 || back(x.Add(y)).Cmp(new(big.Int).Add(a, b)) != 0 || x.Less(y) != (a.Cmp(b) < 0) || x.Less(x) || wideint.Of(new(big.Int).Sub(a, b)) != x.Sub(y) {
			t.Fatalf("%x and %x: %x + %x, less %t", a, b, x, y, x.Less(y))
		}
	}
}

// Dot products of 128-bit integers match math/big, at both ends of their range.
func TestDotAgainstBig(t *testing.T) {
	rng := rand.New(rand.NewPCG(61, 1))
	draw := func() *big.Int {
		v := new(big.Int).Lsh(new(big.Int).SetUint64(rng.Uint64()), 62)
		v.Or(v, new(big.Int).SetUint64(rng.Uint64()>>2)).Rsh(v, uint(rng.IntN(126)))
		switch rng.IntN(6) {
		case 0:
			v.SetInt64(0)
		case 1:
			v.Sub(v.Lsh(big.NewInt(1), 126), big.NewInt(1))
		}
		if rng.IntN(2) == 0 {
			v.Neg(v)
		}
		return v
	}
	for range 3000 {
		n := rng.IntN(7)
		a, b, want := make([]wideint.Int128, n), make([]wideint.Int128, n+rng.IntN(2)), new(big.Int)
		for k := range n {
			x, y := draw(), draw()
			a[k], b[k] = wideint.Of(x), wideint.Of(y)
			want.Add(want, x.Mul(x, y))
		}
		got := wideint.Dot(a, b)
		v := got.Big(big.NewInt(rng.Int64()))
		if v.Cmp(want) != 0 {
			t.Fatalf("product %v, want %v", v, want)
		}
		for _, by := range []int{0, 1, 63, 64, 65, 127, 128, 150, 191} {
			if want := new(big.Int).Rsh(want, uint(by)); want.BitLen() < 127 {
				if c := got.Shift(by); c != wideint.Of(want) {
					t.Fatalf("shifted right by %d: %v, want %v", by, c, wideint.Of(want))
				}
			}
		}
	}
}
