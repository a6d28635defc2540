package definite

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// The k-th eigenvalue lies where the enclosure says: by the inertia of A − x, in rationals.
func TestEigenvaluesByInertia(t *testing.T) {
	rng := rand.New(rand.NewPCG(32, 1))
	above := func(a exact, x *big.Rat) int {
		d, ok := a.plus(new(big.Rat).Neg(x), ident(len(a))).pivots()
		if !ok {
			t.Fatal("an eigenvalue met by chance")
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
		s := conditioned(n, 12*rng.Float64(), 0, rng)
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

// Small eigenvalues keep their digits: those of A against those of its inverse, computed
// from the exact inverse.
func TestSpectrumOfIllConditioned(t *testing.T) {
	s := hilbert(9) // least eigenvalue about 3.5e-13
	m, _ := New(s.SymmetricDim(), Entries(s))
	f, err := m.Factor()
	if err != nil {
		t.Fatal(err)
	}
	b, _ := f.Root()
	values, vectors := Spectrum(s, mat.NewDense(9, 9, b))
	inverse := exactly(s).inverse()
	p := mat.NewSymDense(9, nil)
	for i := range 9 {
		for j := i; j < 9; j++ {
			v, _ := inverse[i][j].Float64()
			p.SetSym(i, j, v)
		}
	}
	top, _ := Eigenvalues(p, nil)
	if math.Abs(values[0]*top[0]-1) > 1e-9 {
		t.Errorf("least eigenvalue %v, want %v", values[0], 1/top[0])
	}
	back := Congruence(vectors, values)
	for i := range 9 {
		for j := range 9 {
			if math.Abs(back.At(i, j)-s.At(i, j)) > 1e-14 {
				t.Errorf("entry (%d, %d) comes back as %v, want %v", i, j, back.At(i, j), s.At(i, j))
			}
		}
	}
}
