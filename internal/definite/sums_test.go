package definite

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// A sum of terms of one size is factored in float64 as each of them is.
func TestFactorsOfSums(t *testing.T) {
	rng := rand.New(rand.NewPCG(42, 1))
	for n := 1; n < 6; n++ {
		half := conditioned(n, 1, 0, rng)
		m, err := New(n, Entries(half), Entries(half), Entries(half))
		if err != nil {
			t.Fatal(err)
		}
		f := m.floatFactor()
		if f == nil || f.Spread() > float64(n)*0x1p-48 {
			t.Fatalf("order %d: factor %+v", n, f)
		}
		single, err := New(n, Entries(half))
		if err != nil {
			t.Fatal(err)
		}
		three, one := f.Inverse(nil), single.floatFactor().Inverse(nil)
		for i := range n {
			a, b := math.Ldexp(three.Near.At(i, i), 2*three.Exp), math.Ldexp(one.Near.At(i, i), 2*one.Exp)
			if math.Abs(3*a-b) > 1e-13*b {
				t.Errorf("order %d: inverse %v of a sum, %v of a term", n, a, b)
			}
		}
	}
}

// Entries of XᵀX are rounded once up to order 256, however they cancel, and the allowance for an
// eigenvalue is what the roundings of products can make.
func TestProductsAreRoundedOnce(t *testing.T) {
	rng := rand.New(rand.NewPCG(42, 2))
	for range 20 {
		n := 2 + rng.IntN(12)
		f, x := drawn(n, false, rng)
		near := f.product()
		for i := range n {
			for j := range n {
				want := new(big.Rat)
				for k := range n {
					want.Add(want, new(big.Rat).Mul(x[k][i], x[k][j]))
				}
				miss, _ := new(big.Rat).Sub(want, rat(near[i*n+j])).Float64()
				if size, _ := want.Float64(); math.Abs(miss) > unit*math.Abs(size)*(1+1e-9)+1e-26*math.Sqrt(near[i*n+i]*near[j*n+j]) {
					t.Fatalf("order %d: entry (%d, %d) is %v, off by %.3g", n, i, j, near[i*n+j], miss)
				}
			}
		}
	}
	for n := 1; n < 6; n++ {
		a := mat.NewSymDense(n, nil)
		one := mat.NewDense(n, n, nil)
		for i := range n {
			a.SetSym(i, i, float64(i+1)*float64(i+1))
			one.Set(i, i, 1)
		}
		top := float64(n * n)
		values, off := Eigenvalues(a, one)
		want := 3 * float64(n+1) * unit * top // 2γ of the products with A, γ of those of the basis
		if values[0] != top || values[n-1] != 1 || off < want || off > want*(1+1e-5) {
			t.Errorf("order %d: eigenvalues %v within %v, want %v", n, values, off, want)
		}
	}
}

// Rotations of pairs of rows leave them orthogonal to rounding, whatever the lengths are.
func TestJacobiSettles(t *testing.T) {
	rng := rand.New(rand.NewPCG(42, 3))
	for range 30 {
		n := 2 + rng.IntN(6)
		b := mat.NewDense(n, n, nil)
		for i := range n {
			for j := range n {
				b.Set(i, j, math.Ldexp(rng.NormFloat64(), 3*i))
			}
		}
		_, vectors := jacobi(b)
		var rows mat.Dense
		rows.Mul(vectors.T(), b)
		for i := range n {
			for j := range i {
				x, y := rows.RowView(i), rows.RowView(j)
				if cosine := mat.Dot(x, y) / mat.Norm(x, 2) / mat.Norm(y, 2); math.Abs(cosine) > 1e-10 {
					t.Errorf("order %d: rows %d and %d have a cosine of %v", n, i, j, cosine)
				}
			}
		}
	}
}
