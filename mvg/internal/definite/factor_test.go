package definite

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"dpworkbench/internal/must"
)

// Every bound of a Factor holds for the exact inverse, determinant and root, computed by elimination in rational
// arithmetic.
func TestFactorsAgainstRationals(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 1))
	for name, terms := range Cases(rng) {
		a := Exactly(terms...)
		if !a.Positive() {
			continue // the rounding of a random matrix may be indefinite
		}
		m, err := New(terms[0].SymmetricDim(), EntriesOf(terms)...)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		n := m.n
		want := a.Inverse()
		fine, err := m.Precise(300)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		usual, err := m.Factor()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		factors := map[string]*Factor{"usual": usual, "precise": fine}
		if f := m.floatFactor(); f != nil {
			factors["float64"] = f
		}
		if usual.Spread() > 1e-12 {
			t.Errorf("%s: spread %.3g", name, usual.Spread())
		}
		for kind, f := range factors {
			name := name + ", " + kind
			r := make([]float64, n)
			for i := range r {
				r[i] = math.Ldexp(1+rng.Float64(), rng.IntN(600)-300)
			}
			inverse := f.Inverse(r)
			// The errors are bounded entry by entry, because |A_ij| ≤ √(A_ii A_jj) for a positive semi-definite A.
			off := inverse.Entry + inverse.Spread/(1-inverse.Spread)*(1+inverse.Entry)
			shift := func(v *big.Rat) float64 {
				f := new(big.Float).SetPrec(2000).SetRat(v)
				x, _ := f.SetMantExp(f, -2*inverse.Exp).Float64()
				return x
			}
			largest := 0.0
			for i := range n {
				largest = max(largest, inverse.Near.At(i, i))
			}
			for i := range n {
				for j := range n {
					x := new(big.Rat).Mul(want[i][j], new(big.Rat).Mul(Rat(r[i]), Rat(r[j])))
					gap := math.Abs(shift(x) - inverse.Near.At(i, j))
					if limit := (off+4*unit)*math.Sqrt(inverse.Near.At(i, i))*math.Sqrt(inverse.Near.At(j, j)) + 0x1p-500*largest; gap > limit {
						t.Errorf("%s: entry (%d, %d) of the inverse is %.17g, want %.17g to %.3g", name, i, j, inverse.Near.At(i, j), shift(x), limit)
					}
				}
			}
			det := a.Det()
			lo, hi := f.Det(400)
			l, _ := lo.Rat(nil)
			h, _ := hi.Rat(nil)
			if l.Cmp(det) > 0 || h.Cmp(det) < 0 {
				t.Errorf("%s: determinant in [%v, %v], want %v", name, lo, hi, det.FloatString(20))
			}
			b, within := f.Root()
			if within > 1e-5 && kind != "float64" && name != "tiny beside, "+kind { // its condition number is 1e40
				t.Errorf("%s: the root is off by %.3g", name, within)
			}
			bb := make(Exact, n)
			for i := range n {
				for j := range n {
					v := new(big.Rat)
					for k := range n {
						v.Add(v, new(big.Rat).Mul(Rat(b[i*n+k]), Rat(b[j*n+k])))
					}
					bb[i] = append(bb[i], v)
				}
			}
			over := bb.Plus(Rat(-1), a).Plus(Rat(within), a)                                     // BBᵀ − (1 − off)A
			under := a.Plus(Rat(-1), bb).Plus(Rat(within), a)                                    // (1 + off)A − BBᵀ
			if name := name; !over.Positive() && within < 1 || within < 1 && !under.Positive() { // neither matrix is singular
				t.Errorf("%s: BBᵀ is not within %.3g of A", name, within)
			}
		}
	}
}

// cholesky reports a matrix as hopeless if a pivot is at most −2^(−prec/2).
func TestHopelessPivots(t *testing.T) {
	for _, prec := range []uint{64, 128, 300} {
		for _, c := range []struct {
			exp            int
			hopeless, zero bool
		}{{0, true, false}, {1 - int(prec)/2, true, false}, {-int(prec) / 2, false, false}, {-int(prec), false, false}, {0, false, true}} {
			a := newLong(1, 1, prec)
			v := new(big.Float).SetPrec(prec)
			if !c.zero {
				v.SetMantExp(big.NewFloat(-0.5), c.exp)
			}
			a.set(0, 0, v)
			if l, hopeless := a.cholesky(); l != nil || hopeless != c.hopeless {
				t.Errorf("a pivot of %v in %d bits: %v, hopeless %v", v, prec, l, hopeless)
			}
		}
	}
}

// A sum of terms of similar size is factored in float64 like a single term.
func TestFactorsOfSumsInFloat64(t *testing.T) {
	rng := rand.New(rand.NewPCG(42, 1))
	// Neither term alone is positive definite.
	cross, flat := mat.NewSymDense(2, []float64{1, 2, 2, 1}), mat.NewSymDense(2, []float64{2, 0, 0, 2})
	for _, terms := range [][]Term{{Entries(cross), Entries(flat)}, {Entries(cross), Entries(flat), Entries(flat)}} {
		m := must.Be(New(2, terms...))
		if f := m.floatFactor(); f == nil || f.Spread() > 0x1p-47 {
			t.Errorf("%d terms: factor %+v", len(terms), f)
		}
	}
	for n := 1; n < 6; n++ {
		half := RandomConditioned(n, 1, 0, rng)
		m := must.Be(New(n, Entries(half), Entries(half), Entries(half)))
		f := m.floatFactor()
		if f == nil || f.Spread() > float64(n)*0x1p-48 {
			t.Fatalf("order %d: factor %+v", n, f)
		}
		single := must.Be(New(n, Entries(half)))
		three, one := f.Inverse(nil), single.floatFactor().Inverse(nil)
		for i := range n {
			a, b := math.Ldexp(three.Near.At(i, i), 2*three.Exp), math.Ldexp(one.Near.At(i, i), 2*one.Exp)
			if math.Abs(3*a-b) > 1e-13*b {
				t.Errorf("order %d: inverse %v of a sum, %v of a term", n, a, b)
			}
		}
	}
}

// Entries are summed exactly and rounded once, with any cancellation. The error of an inverse's entries follows from
// its sums and scales. The bounds on a norm are equally tight for factors of any size.
func TestSumsAreExact(t *testing.T) {
	of := func(v float64) Term { return Entries(mat.NewSymDense(1, []float64{v})) }
	for _, c := range [][]float64{{1, 0x1p-100, -1, 3}, {0x1p600, 3, -0x1p600}, {5, 0x1p-1000, 1}} {
		m, want := &Matrix{n: 1, exps: []int{0}}, new(big.Rat)
		for _, v := range c {
			m.terms = append(m.terms, of(v))
			want.Add(want, Rat(v))
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
		a := RandomConditioned(n, 2, 0, rand.New(rand.NewPCG(42, 4)))
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

// The computed rounding allowances equal those derived by hand, for sums with cancellation and for bases with different
// rows.
func TestRoundingAllowance(t *testing.T) {
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
		// In float64, residual allows γ times the largest row sum of |X|·Σ|H|·|Xᵀ|.
		plain := residual(n, terms[1:2], identity(n), x, false)
		if want := (2*float64(n) + 2) * unit * 16; math.Abs(plain.off-want) > 1e-4*want {
			t.Errorf("order %d: %v is allowed in float64, want %v", n, plain.off, want)
		}
	}
	// Two vectors of the basis V are mixed, so |V|ᵀ|V| has row sums of 1 and 2, and |V|ᵀ|A||V| of 10 and 2.
	half := math.Sqrt(0.5)
	v := mat.NewDense(3, 3, []float64{1, 0, 0, 0, half, half, 0, half, -half})
	a := mat.NewSymDense(3, []float64{10, 0, 0, 0, 1, 0, 0, 0, 1})
	values, off := Eigenvalues(a, v)
	if want := 4 * unit * (2*10 + 2*10); off < want || off > 1.25*want || math.Abs(values[0]-10) > off || math.Abs(values[2]-1) > off {
		t.Errorf("eigenvalues %v within %v, want %v", values, off, want)
	}
	// The rows differ in length by a factor of about 2⁵²⁰.
	root := mat.NewDense(2, 2, []float64{math.Ldexp(3, 260), 0, math.Ldexp(1, -260), math.Ldexp(2, -260)})
	squares, _ := jacobi(root)
	if small, large := squares[0], squares[1]; math.Abs(small/math.Ldexp(4, -520)-1) > 1e-14 || math.Abs(large/math.Ldexp(9, 520)-1) > 1e-14 {
		t.Errorf("squares %v", squares)
	}
	// For order 1 the allowance is two units for the roots, one more for a product with X, and nine for the sum of
	// squares.
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
	// For a singular matrix, Precise stops at its largest number of bits.
	m := must.Be(New(2, Entries(mat.NewSymDense(2, []float64{1, 1, 1, 1}))))
	if f, err := m.Precise(128); f != nil || err == nil || !strings.Contains(err.Error(), "16384 bits") {
		t.Errorf("a singular matrix: %v, error %v", f, err)
	}
}
