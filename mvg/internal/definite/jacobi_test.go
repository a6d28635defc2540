package definite_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/mvg/internal/definite"

	"dpworkbench/interval"

	"gonum.org/v1/gonum/mat"
)

// The k-th eigenvalue lies in its enclosure, by the inertia of A − x in rational arithmetic.
func TestEigenvaluesByInertia(t *testing.T) {
	rng := rand.New(rand.NewPCG(32, 1))
	above := func(a definite.Exact, x *big.Rat) int {
		d, ok := a.Plus(new(big.Rat).Neg(x), definite.Ident(len(a))).Pivots()
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
		s := definite.RandomConditioned(n, 12*rng.Float64(), 0, rng)
		a := definite.Exactly(s)
		for _, guess := range []*mat.Dense{nil, definite.Skewed(n, 0.03, rng), definite.Skewed(n, 1, rng)} {
			values, off := definite.Eigenvalues(s, guess)
			if guess == nil && !(off < 1e-13) {
				t.Errorf("order %d: off by up to %.3g", n, off)
			}
			for k, v := range values {
				if got := above(a, definite.Rat(v+off)); got > k {
					t.Errorf("order %d: %d eigenvalues above %v + %v, want at most %d", n, got, v, off, k)
				}
				if got := above(a, definite.Rat(v-off)); got < k+1 {
					t.Errorf("order %d: %d eigenvalues above %v − %v, want at least %d", n, got, v, off, k+1)
				}
			}
		}
	}
}

// Eigenvalues and their errors scale with the matrix. Without an eigendecomposition, Spectrum returns the sorted
// diagonal, and Eigenvalues returns zeros with the norm of the matrix as their error.
func TestSpectraScaleWithMatrix(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 17))
	for n := 1; n < 6; n++ {
		a := definite.RandomConditioned(n, 3, 0, rng)
		v := definite.Skewed(n, 0.01, rng)
		values, off := definite.Eigenvalues(a, v)
		for _, k := range []int{-400, -40, 40, 400} {
			b := mat.NewSymDense(n, nil)
			b.ScaleSym(math.Ldexp(1, k), a)
			scaled, by := definite.Eigenvalues(b, v)
			if by != math.Ldexp(off, k) {
				t.Errorf("order %d: 2^%d A is off by %v, want %v", n, k, by, math.Ldexp(off, k))
			}
			for i, x := range scaled {
				if x != math.Ldexp(values[i], k) {
					t.Errorf("order %d: 2^%d A has %v, want %v", n, k, x, math.Ldexp(values[i], k))
				}
			}
		}
	}
	none := mat.NewSymDense(3, []float64{3, math.NaN(), math.NaN(), math.NaN(), 1, math.NaN(), math.NaN(), math.NaN(), 2})
	values, vectors := definite.Spectrum(none, nil)
	for k, want := range []int{1, 2, 0} {
		if values[k] != float64(k+1) || math.Abs(vectors.At(want, k)) != 1 {
			t.Errorf("eigenvalue %d of a diagonal is %v", k, values[k])
		}
	}
	if values, off := definite.Eigenvalues(none, nil); values[0] != 0 || values[2] != 0 || off < 3 {
		t.Errorf("eigenvalues %v within %v of a matrix of NaN", values, off)
	}
}

// Singular values keep their relative accuracy at any scale. Those of a triangular matrix have the same product as its
// diagonal. The vectors are orthonormal and diagonalise BBᵀ.
func TestSpectrumOfRoots(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 8))
	for range 200 {
		n := 2 + rng.IntN(4)
		b, a := mat.NewDense(n, n, nil), mat.NewSymDense(n, nil)
		shifts := make([]int, n)
		logs := 0.0
		for i := range n {
			shifts[i] = rng.IntN(300) - 150
			if i == 0 {
				shifts[i] = 200 // so A is ill-conditioned
			}
			for j := range i + 1 {
				v := rng.NormFloat64()
				if i == j {
					v = 1 + rng.Float64()
				}
				b.Set(i, j, math.Ldexp(v, shifts[i]))
			}
			logs += math.Log(b.At(i, i))
		}
		a.SymOuterK(1, b)
		values, vectors := definite.Spectrum(a, b)
		sum := 0.0
		for k, v := range values {
			sum += math.Log(v) / 2
			if k > 0 && v < values[k-1] {
				t.Fatalf("values %v do not rise", values)
			}
		}
		if math.Abs(sum-logs) > 1e-11 {
			t.Fatalf("Π s = exp(%v), want exp(%v)", sum, logs)
		}
		var same, transposed mat.Dense
		same.Mul(vectors.T(), vectors)
		transposed.Mul(vectors.T(), b) // diag(s)Q: its rows are orthogonal, of length s
		for i := range n {
			for j := range n {
				want := 0.0
				if i == j {
					want = 1
				}
				if math.Abs(same.At(i, j)-want) > 1e-13 {
					t.Fatalf("VᵀV[%d][%d] = %v", i, j, same.At(i, j))
				}
			}
			if s := mat.Norm(transposed.RowView(i), 2); i == n-1 && math.Abs(s*s/values[i]-1) > 1e-12 {
				t.Fatalf("‖Bᵀv‖² = %v, want %v", s*s, values[i])
			}
		}
	}
	root := mat.NewDense(2, 2, []float64{1, 0, 1, 1})
	gram := mat.NewSymDense(2, []float64{1, 1, 1, 2})
	values, _ := definite.Spectrum(gram, root)
	golden := (3 - math.Sqrt(5)) / 2
	if math.Abs(values[0]-golden) > 1e-14 || math.Abs(values[1]-1/golden) > 1e-14 {
		t.Errorf("eigenvalues %v, want %v and %v", values, golden, 1/golden)
	}
	const n = 256 + 4 // above order 256 the root is not decomposed
	flat := mat.NewSymDense(n, nil)
	for i := range n {
		flat.SetSym(i, i, float64(i)*1e-30)
	}
	flat.SetSym(0, 0, 1)
	values, _ = definite.Spectrum(flat, mat.NewDense(n, n, nil))
	for k, v := range values {
		if v < interval.Unit || k == n-1 && math.Abs(v-1) > 1e-14 {
			t.Fatalf("eigenvalue %d = %v beside 1", k, v)
		}
	}
	if values, _ := definite.Spectrum(flat, nil); values[0] > 1e-29 {
		t.Errorf("least eigenvalue %v, want it unchanged without a root", values[0])
	}
}
