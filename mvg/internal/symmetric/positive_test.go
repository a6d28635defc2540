package symmetric_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/mvg/internal/symmetric"

	"gonum.org/v1/gonum/mat"
)

// rational converts the matrix to rationals, whose arithmetic shares no code with the factorizations.
func rational(a mat.Matrix) [][]*big.Rat {
	rows, cols := a.Dims()
	out := make([][]*big.Rat, rows)
	for i := range out {
		out[i] = make([]*big.Rat, cols)
		for j := range out[i] {
			out[i][j] = new(big.Rat).SetFloat64(a.At(i, j))
		}
	}
	return out
}

// pivots eliminates a symmetric rational matrix. It returns the pivots up to the first that is not positive, and
// whether all are positive.
func pivots(a [][]*big.Rat) (d []*big.Rat, positive bool) {
	n := len(a)
	for k := range n {
		d = append(d, a[k][k])
		if a[k][k].Sign() <= 0 {
			return d, false
		}
		for i := k + 1; i < n; i++ {
			f := new(big.Rat).Quo(a[i][k], a[k][k])
			for j := k; j < n; j++ {
				a[i][j] = new(big.Rat).Sub(a[i][j], new(big.Rat).Mul(f, a[k][j]))
			}
		}
	}
	return d, true
}

// scaledGram returns AAᵀ for a random n×cols matrix A of integers; it is singular if cols < n. Rows and columns are
// scaled by powers of two up to 2^±spread.
func scaledGram(n, cols, spread int, rng *rand.Rand) *mat.SymDense {
	f := mat.NewDense(n, cols, nil)
	f.Apply(func(_, _ int, _ float64) float64 { return float64(rng.IntN(2001) - 1000) }, f)
	out := mat.NewSymDense(n, nil)
	out.SymOuterK(1, f)
	shifts := make([]int, n)
	for i := range shifts {
		shifts[i] = rng.IntN(2*spread+1) - spread
	}
	for i := range n {
		for j := i; j < n; j++ {
			out.SetSym(i, j, math.Ldexp(out.At(i, j), shifts[i]+shifts[j]))
		}
	}
	return out
}

// A matrix is proven positive definite if and only if rational elimination finds it so. The cases are Gram matrices,
// some of them singular or with one entry moved by an ulp or negated, at scales from 1e-120 to 1e120.
func TestPositiveAgainstRationals(t *testing.T) {
	rng := rand.New(rand.NewPCG(45, 46))
	counts := map[bool]int{}
	for range 1500 {
		n := 1 + rng.IntN(5)
		a := scaledGram(n, max(1, n-rng.IntN(3)), rng.IntN(400), rng)
		switch i, j := rng.IntN(n), rng.IntN(n); rng.IntN(4) {
		case 0:
			a.SetSym(i, j, math.Nextafter(a.At(i, j), math.Inf(1)))
		case 1:
			a.SetSym(i, j, math.Nextafter(a.At(i, j), math.Inf(-1)))
		case 2:
			a.SetSym(i, j, -a.At(i, j))
		}
		_, want := pivots(rational(a))
		counts[want]++
		if got := symmetric.Positive(a); got != want {
			t.Fatalf("positive definite: %v, want %v for\n%v", got, want, mat.Formatted(a))
		}
	}
	if counts[true] < 300 || counts[false] < 300 {
		t.Errorf("%d positive definite and %d other matrices: the generator is one-sided", counts[true], counts[false])
	}
}

func TestPositiveRefuses(t *testing.T) {
	for _, v := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if symmetric.Positive(mat.NewSymDense(1, []float64{v})) {
			t.Errorf("[%v] passes for positive definite", v)
		}
	}
	if symmetric.Positive(mat.NewSymDense(2, []float64{1, math.NaN(), math.NaN(), 1})) {
		t.Error("a matrix of NaN passes for positive definite")
	}
}
