package definite

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// The k-th eigenvalue lies in its enclosure, by the inertia of A − x in rational arithmetic.
func TestEigenvaluesByInertia(t *testing.T) {
	rng := rand.New(rand.NewPCG(32, 1))
	above := func(a exact, x *big.Rat) int {
		d, ok := a.plus(new(big.Rat).Neg(x), ident(len(a))).pivots()
		if !ok {
			t.Fatal("a bound is exactly an eigenvalue")
		}
		count := 0
		for _, v := range d {
			if v.Sign() > 0 {
				count++
			}
		}
		return count
	}
	for range 40 {
		n := 2 + rng.IntN(6)
		s := randomConditioned(n, 12*rng.Float64(), 0, rng)
		a := exactly(s)
		for _, guess := range []*mat.Dense{nil, skewed(n, 0.03, rng), skewed(n, 1, rng)} {
			values, off := Eigenvalues(s, guess)
			if guess == nil && !(off < 1e-13) {
				t.Errorf("order %d: off by up to %.3g", n, off)
			}
			for k, v := range values {
				if got := above(a, rat(v+off)); got > k {
					t.Errorf("order %d: %d eigenvalues above %v + %v, want at most %d", n, got, v, off, k)
				}
				if got := above(a, rat(v-off)); got < k+1 {
					t.Errorf("order %d: %d eigenvalues above %v − %v, want at least %d", n, got, v, off, k+1)
				}
			}
		}
	}
}
