package matrix

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/must"

	"gonum.org/v1/gonum/mat"
)

// Whatever the units of rows and columns, the scaled entries are those of the matrix times powers of two, at most ½, and each column has one above ⅛;
// scaled by other powers the system is the same.
func TestScaledEntries(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for trial := range 200 {
		n := 1 + rng.IntN(6)
		a := mat.NewDense(n, n, nil)
		rows, columns := make([]int, n), make([]int, n)
		for i := range n {
			rows[i], columns[i] = rng.IntN(80)-40, rng.IntN(80)-40
		}
		for i := range n {
			for j := range n {
				x := rng.NormFloat64() * math.Exp(2*rng.NormFloat64())
				if rng.IntN(4) == 0 && i != j {
					x = 0
				}
				a.Set(i, j, math.Ldexp(x, rows[i]+columns[j]))
			}
		}
		s, err := newSystem(a)
		if err != nil {
			if errors.Is(err, ErrSingular) {
				continue
			}
			t.Fatal(err)
		}
		for j := range n {
			most := 0.0
			for i := range n {
				x := s.scaled.At(i, j)
				if x != math.Ldexp(a.At(i, j), -s.rows[i]-s.columns[j]) {
					t.Fatalf("trial %d: entry (%d, %d) of the scaled matrix is %v", trial, i, j, x)
				}
				most = max(most, math.Abs(x))
			}
			if most > 0.5 || most <= 0.125 {
				t.Errorf("trial %d: the largest entry of column %d is %v, want above ⅛ and at most ½", trial, j, most)
			}
		}
	}
	for _, x := range []float64{1, 0.75, 0.5, 3, 1e300, 5e-324} {
		s := must.For(newSystem(mat.NewDense(1, 1, []float64{x})))(t)
		if v := s.scaled.At(0, 0); v > 0.5 || v <= 0.125 {
			t.Errorf("%v is scaled to %v", x, v)
		}
	}
	if got, found := middle(3, false, func(i int) float64 { return []float64{1, math.NaN(), 4}[i] }); got != 2.5 || !found {
		t.Errorf("the mean is %v, %t", got, found)
	}
	if got, found := middle(3, true, func(i int) float64 { return []float64{-7, math.NaN(), -4}[i] }); got != -4 || !found {
		t.Errorf("the largest is %v, %t", got, found)
	}
	for _, largest := range []bool{false, true} {
		if _, found := middle(2, largest, func(int) float64 { return math.NaN() }); found {
			t.Error("of nothing a middle is found")
		}
	}
}

// The right side's largest entry has the exponent 960 once scaled, whatever its size, and all are scaled by one power of two and their rows'.
func TestScaledRightSide(t *testing.T) {
	s := &system{rows: []int{3, -7, 0}}
	for _, b := range [][]float64{{1, 2, 3}, {0, 0, 1e-300}, {1e300, -1e-200, 0}, {-5e-324, 0, 0}, {0, 1e308, 1}} {
		out, shift := s.right(b)
		most := math.MinInt
		for i, x := range out {
			if x == 0 {
				continue
			}
			if f := math.Ldexp(b[i], -s.rows[i]-shift); x != f {
				t.Errorf("%v: entry %d is %v, want %v", b, i, x, f)
			}
			_, e := math.Frexp(x)
			most = max(most, e)
		}
		if most != top {
			t.Errorf("%v: the largest entry has the exponent %d, want %d", b, most, top)
		}
	}
	if out, shift := s.right([]float64{0, 0, 0}); shift != -1<<20 || out[0] != 0 || out[1] != 0 || out[2] != 0 {
		t.Errorf("nothing becomes %v, shifted by %d", out, shift)
	}
}

// A vector points where its largest entry is positive, of equal ones, or of those that rounding tells apart alone, the first; none is −0.
func TestPoint(t *testing.T) {
	for _, c := range []struct {
		x, want []float64
		turned  bool
	}{
		{[]float64{0.6, -0.8}, []float64{-0.6, 0.8}, true}, {[]float64{-0.6, 0.8}, []float64{-0.6, 0.8}, false}, {[]float64{0.8, -0.6}, []float64{0.8, -0.6}, false},
		{[]float64{-0.5, 0.5}, []float64{0.5, -0.5}, true}, {[]float64{0.5, -0.5}, []float64{0.5, -0.5}, false},
		{[]float64{0.5, -0.5 * (1 + 0x1p-45)}, []float64{0.5, -0.5 * (1 + 0x1p-45)}, false}, {[]float64{0.5, -0.5 * (1 + 0x1p-35)}, []float64{-0.5, 0.5 * (1 + 0x1p-35)}, true},
		{[]float64{1}, []float64{1}, false}, {[]float64{-1, 0}, []float64{1, 0}, true}, {[]float64{math.Copysign(0, -1), 1}, []float64{0, 1}, false},
		{[]float64{0.3, 0.1, -0.9}, []float64{-0.3, -0.1, 0.9}, true},
	} {
		if turned := point(c.x); turned != c.turned {
			t.Errorf("%v turned: %t", c.want, turned)
		}
		for i, v := range c.x {
			if math.Float64bits(v) != math.Float64bits(c.want[i]) {
				t.Errorf("%v, want %v", c.x, c.want)
			}
		}
	}
}

// Orders up to the bound are taken.
func TestWithin(t *testing.T) {
	if err := within("it", MaxOrder); err != nil {
		t.Error(err)
	}
	if err := within("it", MaxOrder+1); err == nil || err.Error() != "it is of order 1025, want at most 1024" {
		t.Error(err)
	}
	// Eigenvalues beyond floats, of a symmetric matrix.
	if _, err := Spectrum(mat.NewDense(2, 2, []float64{1.7e308, 1.7e308, 1.7e308, 1.7e308})); !errors.Is(err, errRange) {
		t.Error(err)
	}
	for x, want := range map[float64]string{math.Inf(1): "+inf", math.Inf(-1): "-inf", math.NaN(): "nan", 0.5: "0.5"} {
		if got := spell(x); got != want {
			t.Errorf("%v is spelled %s", x, got)
		}
	}
}

// A residual in pairs is near to its own last places.
func TestPairsOfFloats(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	rat := func(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }
	for range 500 {
		row, hi, lo := make([]float64, 5), make([]float64, 5), make([]float64, 5)
		exact, size := new(big.Rat), 0.0
		for j := range row {
			row[j], hi[j] = rng.NormFloat64(), rng.NormFloat64()
			lo[j] = hi[j] * 0x1p-54 * rng.NormFloat64()
			exact.Add(exact, new(big.Rat).Mul(rat(row[j]), new(big.Rat).Add(rat(hi[j]), rat(lo[j]))))
			size += math.Abs(row[j] * hi[j])
		}
		right, _ := exact.Float64() // so that all but the last places cancel
		got := residual(right, row, hi, lo)
		want, _ := new(big.Rat).Sub(rat(right), exact).Float64()
		if math.Abs(got-want) > 0x1p-100*size {
			t.Fatalf("residual %v, want %v", got, want)
		}
	}
}

// A permutation is odd or even as its inversions are.
func TestOdd(t *testing.T) {
	for k := range 24 {
		p, left := []int{}, []int{0, 1, 2, 3}
		for n, code := 4, k; n > 0; n-- {
			at := code % n
			code /= n
			p = append(p, left[at])
			left = append(append([]int{}, left[:at]...), left[at+1:]...)
		}
		inversions := 0
		for i := range p {
			for j := range i {
				if p[j] > p[i] {
					inversions++
				}
			}
		}
		if odd(p) != (inversions%2 == 1) {
			t.Errorf("%v is odd: %t", p, odd(p))
		}
	}
}

// What singular values and sums are asked of is looked at first.
func TestNormsRefuse(t *testing.T) {
	large := mat.NewDense(MaxOrder+1, MaxOrder+1, nil)
	for _, kind := range []string{"spectral", "nuclear"} {
		if v, err := Norm(large, kind); err == nil || err.Error() != "the matrix is of order 1025, want at most 1024" || v != 0 {
			t.Errorf("%s: %v, %v", kind, v, err)
		}
	}
	if v, err := Trace(mat.NewDense(1, 1, []float64{math.NaN()})); err == nil || v != 0 {
		t.Errorf("%v, %v", v, err)
	}
}

// No eigenvalue, singular vector or determinant is −0.
func TestNoNegativeZeros(t *testing.T) {
	none := math.Copysign(0, -1)
	for _, a := range []*mat.Dense{mat.NewDense(1, 1, []float64{none}), mat.NewDense(2, 2, []float64{none, none, none, none}), mat.NewDense(2, 2, []float64{0, -1, 0, 0}), mat.NewDense(3, 3, []float64{-1, 0, 0, 0, none, 0, 0, 0, -2})} {
		n, _ := a.Dims()
		values, vectors, err := Decompose(a)
		if err != nil {
			t.Fatal(err)
		}
		u, _, v, err := Singular(a)
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			if math.Signbit(values[i]) && values[i] == 0 {
				t.Errorf("eigenvalues %v", values)
			}
			for j := range n {
				for what, m := range map[string]*mat.Dense{"eigenvectors": vectors, "u": u, "v": v} {
					if x := m.At(i, j); x == 0 && math.Signbit(x) {
						t.Errorf("%s %v", what, m.RawMatrix().Data)
					}
				}
			}
		}
		if d, err := Determinant(a); err != nil || d != 0 || math.Signbit(d) {
			t.Errorf("determinant %v, %v", d, err)
		}
	}
}

// x = (⅓, 0, ⅓) where two columns add up to three times the right side: what should be 0 is so to 2⁻¹⁰⁴ of the others, rows and columns scaled, times the
// condition number, and not to 2⁻¹⁰⁰ of them where that is large.
func TestEntriesThatAreNothing(t *testing.T) {
	rng, far := rand.New(rand.NewPCG(5, 8)), 0
	for trial := range 400 {
		a, b := mat.NewDense(3, 3, nil), make([]float64, 3)
		for i := range b {
			u, v := float64(rng.IntN(1<<20)), float64(rng.IntN(1<<20))
			a.SetRow(i, []float64{u, math.Ldexp(u, trial%30) + float64(rng.IntN(1<<20)), 3*v - u})
			b[i] = v
		}
		s := must.For(newSystem(a))(t)
		x := must.For(s.solve(b))(t)
		scaled := func(j int) float64 { return math.Abs(math.Ldexp(x[j], s.columns[j])) }
		largest := math.Max(scaled(0), scaled(2))
		if x[0] != 1./3 || x[2] != 1./3 || !(scaled(1) <= 0x1p-104*s.lu.Cond()*largest) {
			t.Errorf("trial %d: %v, want (⅓, 0, ⅓)", trial, x)
		}
		if scaled(1) > 0x1p-100*largest {
			far++
		}
	}
	if far < 50 {
		t.Errorf("%d of 400 are further than 2⁻¹⁰⁰ from 0", far)
	}
}

// Refining by factors that are not the matrix's comes to no end, and who asks hears of it.
func TestRefiningThatDoesNotEnd(t *testing.T) {
	s := must.For(newSystem(mat.NewDense(2, 2, []float64{2, 1, 1, 3})))(t)
	s.scaled.Scale(8, s.scaled)
	if x, err := s.solve([]float64{1, 2}); !errors.Is(err, ErrSingular) {
		t.Errorf("%v, %v, want ErrSingular", x, err)
	}
	if x, err := s.each(t.Context(), 1, func(int) []float64 { return []float64{1, 2} }); x != nil || !errors.Is(err, ErrSingular) {
		t.Errorf("%v, %v, want ErrSingular", x, err)
	}
}
