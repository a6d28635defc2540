package products_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/products"

	"golang.org/x/sys/cpu"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"
)

func random(rng *rand.Rand, m, n int) *mat.Dense {
	a := mat.NewDense(m, n+3, nil).Slice(0, m, 1, n+1).(*mat.Dense) // with a stride larger than the row
	a.Apply(func(_, _ int, _ float64) float64 {
		if rng.IntN(8) == 0 {
			return 0
		}
		return rng.NormFloat64() * math.Exp2(float64(rng.IntN(80)-40))
	}, a)
	return a
}

// inOrder returns a·b, where each entry is summed in order, term by term.
func inOrder(a, b *mat.Dense) *mat.Dense {
	m, k := a.Dims()
	_, n := b.Dims()
	c := mat.NewDense(m, n, nil)
	for i := range m {
		for j := range n {
			sum := 0.0
			for l := range k {
				sum += float64(a.At(i, l) * b.At(l, j))
			}
			c.Set(i, j, sum)
		}
	}
	return c
}

func same(t *testing.T, what string, got, want *mat.Dense) {
	t.Helper()
	m, n := want.Dims()
	for i := range m {
		for j := range n {
			if g, w := got.At(i, j), want.At(i, j); math.Float64bits(g) != math.Float64bits(w) {
				t.Fatalf("%s: entry (%d, %d) is %v, in order %v", what, i, j, g, w)
			}
		}
	}
}

// For every remainder of tiles and pieces, the result is bitwise equal to a plain sum, and nothing outside dst is
// written.
func TestProductsMatchPlainSums(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	for _, s := range [][3]int{{1, 1, 1}, {3, 200, 70}, {4, 8, 1200}, {33, 31, 37}, {97, 257, 65}, {100, 300, 9}, {193, 513, 17}, {40, 40, 40}, {41, 42, 43}} {
		m, k, n := s[0], s[1], s[2]
		a, b := random(rng, m, k), random(rng, k, n)
		whole := mat.NewDense(m+2, n+2, nil)
		for i := range m + 2 {
			for j := range n + 2 {
				whole.Set(i, j, 7)
			}
		}
		got := whole.Slice(1, m+1, 1, n+1).(*mat.Dense)
		products.Mul(got.RawMatrix(), a.RawMatrix(), b.RawMatrix())
		same(t, fmt.Sprint(s), got, inOrder(a, b))
		for i := range m + 2 {
			for j := range n + 2 {
				if i%(m+1)*(j%(n+1)) == 0 && whole.At(i, j) != 7 {
					t.Fatalf("%v: (%d, %d) outside the product is %v", s, i, j, whole.At(i, j))
				}
			}
		}
	}
}

// MulLower also sums in order, with the kernel and with gonum.
func TestLowerProducts(t *testing.T) {
	fast := cpu.X86.HasAVX2
	rng := rand.New(rand.NewPCG(3, 7))
	for _, s := range [][2]int{{1, 5}, {5, 1}, {39, 40}, {97, 33}, {301, 26}, {517, 8}} {
		a, b := random(rng, s[0], s[0]), random(rng, s[0], s[1])
		for i := range s[0] {
			for j := i + 1; j < s[0]; j++ {
				a.Set(i, j, 0)
			}
		}
		got, whole := mat.NewDense(s[0], s[1], nil), mat.NewDense(s[0], s[1], nil)
		products.MulLower(got.RawMatrix(), a.RawMatrix(), b.RawMatrix())
		products.Mul(whole.RawMatrix(), a.RawMatrix(), b.RawMatrix())
		same(t, fmt.Sprint(s), got, inOrder(a, b))
		same(t, fmt.Sprint(s, " whole"), whole, inOrder(a, b))
		got.Zero()
		cpu.X86.HasAVX2 = false
		products.MulLower(got.RawMatrix(), a.RawMatrix(), b.RawMatrix())
		cpu.X86.HasAVX2 = fast
		same(t, fmt.Sprint(s, " by gonum"), got, inOrder(a, b))
	}
}

// Add adds the product to the contents of c, for a and for its transpose.
func TestSumsAccumulate(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 11))
	for _, s := range [][3]int{{2, 3, 4}, {50, 61, 70}, {101, 260, 12}} {
		m, k, n := s[0], s[1], s[2]
		a, b, c := random(rng, m, k), random(rng, k, n), random(rng, m, n)
		for _, alpha := range []float64{1, -1, 0.1} {
			want := mat.DenseCopyOf(c)
			for i := range m {
				for j := range n {
					sum := c.At(i, j)
					for l := range k {
						sum += float64(float64(alpha*a.At(i, l)) * b.At(l, j))
					}
					want.Set(i, j, sum)
				}
			}
			got, turned := mat.DenseCopyOf(c), mat.DenseCopyOf(c)
			products.Add(got.RawMatrix(), alpha, blas.NoTrans, a.RawMatrix(), b.RawMatrix())
			products.Add(turned.RawMatrix(), alpha, blas.Trans, mat.DenseCopyOf(a.T()).RawMatrix(), b.RawMatrix())
			same(t, fmt.Sprint(s, alpha), got, want)
			same(t, fmt.Sprint(s, alpha, " turned"), turned, want)
		}
	}
}
