package definite

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// A sum of terms of one size is factored in float64 as each of them is.
func TestFactorsOfSums(t *testing.T) {
	rng := rand.New(rand.NewPCG(42, 1))
	// No term alone is positive definite.
	cross, flat := mat.NewSymDense(2, []float64{1, 2, 2, 1}), mat.NewSymDense(2, []float64{2, 0, 0, 2})
	for _, terms := range [][]Term{{Entries(cross), Entries(flat)}, {Entries(cross), Entries(flat), Entries(flat)}} {
		m, err := New(2, terms...)
		if err != nil {
			t.Fatal(err)
		}
		if f := m.floatFactor(); f == nil || f.Spread() > 0x1p-47 {
			t.Errorf("%d terms: factor %+v", len(terms), f)
		}
	}
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

// Entries are summed exactly and rounded once, whatever cancels; what is known of an inverse's
// entries is what its sums and scales may round; and norms are as narrow for factors of any size.
func TestSumsAreExact(t *testing.T) {
	of := func(v float64) Term { return Entries(mat.NewSymDense(1, []float64{v})) }
	for _, c := range [][]float64{{1, 0x1p-100, -1, 3}, {0x1p600, 3, -0x1p600}, {5, 0x1p-1000, 1}} {
		m, want := &Matrix{n: 1, exps: []int{0}}, new(big.Rat)
		for _, v := range c {
			m.terms = append(m.terms, of(v))
			want.Add(want, rat(v))
		}
		for _, prec := range []uint{53, 64, 300} {
			rounded := new(big.Float).SetPrec(prec).SetRat(want)
			if got := m.entry(0, 0, prec); got.Cmp(rounded) != 0 || got.Prec() != prec {
				t.Errorf("%v to %d bits: %v, want %v", c, prec, got, rounded)
			}
		}
	}
	for _, n := range []int{1, 3, carefulOrder, carefulOrder + 1} {
		f := &Factor{n: n, exps: make([]int, n), spread: new(big.Float), x: identity(n)}
		want := 4 * unit
		if n > carefulOrder {
			want = float64(n+4) * unit * slack
		}
		if got := f.Inverse(nil); got.Entry != want || math.Ldexp(got.Near.At(n-1, n-1), 2*got.Exp) != 1 {
			t.Errorf("order %d: entries within %v, want %v", n, got.Entry, want)
		}
	}
	for _, size := range []float64{0x1p-60, 1, 0x1p60} {
		f := &Factor{n: 2, exps: make([]int, 2), spread: new(big.Float), x: []float64{size, 0, 0, size}}
		for _, sides := range [][2]Side{{{Factor: f}, {Variances: []float64{1}}}, {{Factor: f}, {Factor: &Factor{n: 1, exps: []int{0}, spread: new(big.Float), x: []float64{1}}}}} {
			lo, hi, exp := SquaredNorm(sides[0], sides[1], mat.NewDense(2, 1, []float64{3, 4}))
			want := 25 * size * size
			if lo, hi = math.Ldexp(lo, 2*exp), math.Ldexp(hi, 2*exp); lo > want || hi < want || hi-lo > 2e-14*want {
				t.Errorf("a norm of %v in [%v, %v]", want, lo, hi)
			}
		}
	}
	for n := 1; n < 5; n++ {
		a := conditioned(n, 2, 0, rand.New(rand.NewPCG(42, 4)))
		values, vectors := Spectrum(a, nil)
		if rows, cols := vectors.Dims(); rows != n || cols != n || len(values) != n {
			t.Fatalf("order %d: %d values, vectors %d×%d", n, len(values), rows, cols)
		}
		var left mat.Dense
		left.Mul(a, vectors)
		for i := range n {
			for j := range n {
				if want := values[j] * vectors.At(i, j); math.Abs(left.At(i, j)-want) > 1e-13*mat.Norm(a, 2) {
					t.Errorf("order %d: Av has %v at %d, want %v", n, left.At(i, j), i, want)
				}
			}
		}
	}
	const n = carefulOrder + 2
	flat := mat.NewSymDense(n, nil)
	flat.SetSym(0, 0, 0x1p40)
	if values, _ := Spectrum(flat, mat.NewDense(n, n, nil)); values[0] != unit*0x1p40 || values[n-1] != 0x1p40 {
		t.Errorf("eigenvalues from %v to %v", values[0], values[n-1])
	}
}

// What is allowed for rounding is what derivations ask for, where the terms of a sum cancel and
// where the rows of a basis differ.
func TestRoundingIsAllowedFor(t *testing.T) {
	for _, n := range []int{1, 2, 5} {
		var terms [][]float64
		for _, v := range []float64{0x1p60, 1, -0x1p60} {
			h := identity(n)
			for i := range h {
				h[i] *= v
			}
			terms = append(terms, h)
		}
		x := identity(n)
		for i := range x {
			x[i] *= 4
		}
		r := residual(n, terms, identity(n), x, true)
		root, gamma := math.Sqrt(float64(n)), float64(3*n)*unit
		want := math.Sqrt2 * (4*root*(unit*4*root+gamma*gamma*0x1p61*root*4*root) + unit*16*root + gamma*gamma*16*float64(n))
		if math.Abs(r.off-want) > 1e-4*want || r.g[0] != 16 || r.t[0] != 4 {
			t.Errorf("order %d: %v is allowed, want %v", n, r.off, want)
		}
		// In float64 alone: γ of |X|·Σ|H|·|Xᵀ|.
		plain := residual(n, terms[1:2], identity(n), x, false)
		if want := (2*float64(n) + 2) * unit * 16; math.Abs(plain.off-want) > 1e-4*want {
			t.Errorf("order %d: %v is allowed in float64, want %v", n, plain.off, want)
		}
	}
	// A basis of which two vectors are mixed: |V|ᵀ|V| has row sums of 1 and 2, |V|ᵀ|A||V| of 10 and 2.
	half := math.Sqrt(0.5)
	v := mat.NewDense(3, 3, []float64{1, 0, 0, 0, half, half, 0, half, -half})
	a := mat.NewSymDense(3, []float64{10, 0, 0, 0, 1, 0, 0, 0, 1})
	values, off := Eigenvalues(a, v)
	if want := 4 * unit * (2*10 + 2*10); off < want || off > 1.25*want || math.Abs(values[0]-10) > off || math.Abs(values[2]-1) > off {
		t.Errorf("eigenvalues %v within %v, want %v", values, off, want)
	}
	// Rows 2⁵²⁰ apart in length.
	root := mat.NewDense(2, 2, []float64{math.Ldexp(3, 260), 0, math.Ldexp(1, -260), math.Ldexp(2, -260)})
	squares, _ := jacobi(root)
	if small, large := squares[0], squares[1]; math.Abs(small/math.Ldexp(4, -520)-1) > 1e-14 || math.Abs(large/math.Ldexp(9, 520)-1) > 1e-14 {
		t.Errorf("squares %v", squares)
	}
	// Of one number: two units for its roots, one more for a product with X, nine for the sum of squares.
	one := &Factor{n: 1, exps: []int{0}, spread: new(big.Float), x: []float64{1}}
	for name, c := range map[string]struct {
		f, g  *Factor
		units float64
	}{"no factor": {nil, nil, 9}, "a factor": {one, nil, 12}, "another": {nil, one, 12}, "two factors": {one, one, 13}} {
		var h, k []float64
		if c.f == nil {
			h = []float64{1}
		}
		if c.g == nil {
			k = []float64{1}
		}
		lo, hi := shortNorm(c.f, c.g, h, k, []float64{1})
		if math.Abs(hi-1-2*c.units*unit) > 2.5*unit || math.Abs(1-lo-2*c.units*unit) > 2.5*unit {
			t.Errorf("%s: a norm of 1 is from 1 − %v to 1 + %v units, want %v", name, (1-lo)/unit, (hi-1)/unit, 2*c.units)
		}
	}
	// A singular matrix is looked at in numbers of up to so many bits.
	m, err := New(2, Entries(mat.NewSymDense(2, []float64{1, 1, 1, 1})))
	if err != nil {
		t.Fatal(err)
	}
	if f, err := m.Precise(128); f != nil || err == nil || !strings.Contains(err.Error(), "16384 bits") {
		t.Errorf("a singular matrix: %v, error %v", f, err)
	}
}
