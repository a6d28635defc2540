package definite

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"dpworkbench/internal/must"
)

// Every bound holds for the exact inverse, determinant and root, computed by elimination in rational arithmetic.
func TestFactorsAgainstRationals(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 1))
	for name, terms := range cases(rng) {
		a := exactly(terms...)
		if !a.positive() {
			continue // the rounding of a random matrix may be indefinite
		}
		m, err := New(terms[0].SymmetricDim(), entries(terms)...)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		n := m.n
		want := a.inverse()
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
					x := new(big.Rat).Mul(want[i][j], new(big.Rat).Mul(rat(r[i]), rat(r[j])))
					gap := math.Abs(shift(x) - inverse.Near.At(i, j))
					if limit := (off+4*unit)*math.Sqrt(inverse.Near.At(i, i))*math.Sqrt(inverse.Near.At(j, j)) + 0x1p-500*largest; gap > limit {
						t.Errorf("%s: entry (%d, %d) of the inverse is %.17g, want %.17g to %.3g", name, i, j, inverse.Near.At(i, j), shift(x), limit)
					}
				}
			}
			d, _ := a.pivots()
			det := big.NewRat(1, 1)
			for _, v := range d {
				det.Mul(det, v)
			}
			lo, hi := f.Det(400)
			l, _ := lo.Rat(nil)
			h, _ := hi.Rat(nil)
			if l.Cmp(det) > 0 || h.Cmp(det) < 0 {
				t.Errorf("%s: determinant in [%v, %v], want %v", name, lo, hi, det.FloatString(20))
			}
			b, within := f.Root()
			if within > 1e-5 && kind != "float64" && name != "tiny beside, "+kind { // of condition 1e40
				t.Errorf("%s: the root is off by %.3g", name, within)
			}
			bb := make(exact, n)
			for i := range n {
				for j := range n {
					v := new(big.Rat)
					for k := range n {
						v.Add(v, new(big.Rat).Mul(rat(b[i*n+k]), rat(b[j*n+k])))
					}
					bb[i] = append(bb[i], v)
				}
			}
			over := bb.plus(rat(-1), a).plus(rat(within), a)                                     // BBᵀ − (1 − off)A
			under := a.plus(rat(-1), bb).plus(rat(within), a)                                    // (1 + off)A − BBᵀ
			if name := name; !over.positive() && within < 1 || within < 1 && !under.positive() { // a random matrix is not exactly semi-definite
				t.Errorf("%s: BBᵀ is not within %.3g of A", name, within)
			}
		}
	}
}

func TestNotPositiveDefinite(t *testing.T) {
	for name, s := range map[string]*mat.SymDense{
		"zero":       mat.NewSymDense(2, []float64{0, 0, 0, 1}),
		"negative":   mat.NewSymDense(2, []float64{1, 0, 0, -1}),
		"indefinite": mat.NewSymDense(2, []float64{1, 2, 2, 1}),
		"singular":   mat.NewSymDense(2, []float64{1, 1, 1, 1}),
		"by an ulp":  mat.NewSymDense(2, []float64{1, 1 + 0x1p-52, 1 + 0x1p-52, 1}),
		"huge aside": mat.NewSymDense(2, []float64{1e-300, 1e300, 1e300, 1e-300}),
		"rank one":   mat.NewSymDense(3, []float64{1, 2, 3, 2, 4, 6, 3, 6, 9}),
	} {
		m, err := New(s.SymmetricDim(), Entries(s))
		if err == nil {
			_, err = m.Factor()
		}
		if !errors.Is(err, ErrNotProven) {
			t.Errorf("%s gives %v", name, err)
		}
	}
}

// randomConditioned returns AAᵀ rounded, with a condition number near 10^decades. Its rows and columns are scaled by up
// to 2^±spread.
func randomConditioned(n int, decades float64, spread int, rng *rand.Rand) *mat.SymDense {
	a := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			a.Set(i, j, rng.NormFloat64())
		}
	}
	var qr mat.QR
	qr.Factorize(a)
	var q mat.Dense
	qr.QTo(&q)
	for j := range n {
		k := math.Pow(10, -decades/2*float64(j)/float64(max(1, n-1)))
		for i := range n {
			a.Set(i, j, k*q.At(i, j))
		}
	}
	s := mat.NewSymDense(n, nil)
	s.SymOuterK(1, a)
	for i := range n {
		e := 0
		if spread > 0 {
			e = rng.IntN(2*spread) - spread
		}
		for j := range n {
			v := math.Ldexp(s.At(i, j), e)
			if i == j {
				v = math.Ldexp(v, e)
			}
			s.SetSym(i, j, v)
		}
	}
	return s
}

func pascal(n int) *mat.SymDense { // of determinant 1, its condition number about 16ⁿ/n
	s := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			s.SetSym(i, j, float64(new(big.Int).Binomial(int64(i+j), int64(i)).Int64()))
		}
	}
	return s
}

func hilbert(n int) *mat.SymDense {
	s := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			s.SetSym(i, j, 1/float64(i+j+1))
		}
	}
	return s
}

func cases(rng *rand.Rand) map[string][]mat.Symmetric {
	out := map[string][]mat.Symmetric{
		"order 1":        {mat.NewSymDense(1, []float64{3e-310})},
		"nearly equal":   {mat.NewSymDense(2, []float64{1, 1 - 1e-14, 1 - 1e-14, 1})},
		"an ulp apart":   {mat.NewSymDense(2, []float64{1, 1 - 0x1p-53, 1 - 0x1p-53, 1})},
		"far apart":      {mat.NewSymDense(2, []float64{1e-300, 1e-10, 1e-10, 1e300})},
		"pascal 20":      {pascal(20)},
		"hilbert 11":     {hilbert(11)},
		"two terms":      {mat.NewSymDense(2, []float64{1e12, 1e12, 1e12, 1e12 + 1}), mat.NewSymDense(2, []float64{1, 0, 0, 1})},
		"tiny beside":    {mat.NewSymDense(2, []float64{1, 1, 1, 1}), mat.NewSymDense(2, []float64{1e-40, 0, 0, 1e-40})},
		"three terms":    {hilbert(6), pascal(6), randomConditioned(6, 3, 0, rng)},
		"scaled hilbert": {randomConditioned(7, 6, 400, rng)},
	}
	for k := range 40 {
		n, decades := 2+rng.IntN(7), 14*rng.Float64()
		out[fmt.Sprintf("random %d", k)] = []mat.Symmetric{randomConditioned(n, decades, rng.IntN(2)*30, rng)}
	}
	return out
}

// skewed returns a basis that is orthonormal up to an error of by.
func skewed(n int, by float64, rng *rand.Rand) *mat.Dense {
	d := mat.NewDense(n, n, nil)
	for i := range n {
		d.Set(i, i, 1)
		for j := range n {
			d.Set(i, j, d.At(i, j)+by*rng.NormFloat64())
		}
	}
	return d
}

// A pivot is hopeless if it is negative within the first half of its bits.
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

// Eigenvalues and their errors scale with the matrix. A matrix without a decomposition is bounded by its diagonal, or
// each eigenvalue by the norm.
func TestSpectraScaleWithMatrix(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 17))
	for n := 1; n < 6; n++ {
		a := randomConditioned(n, 3, 0, rng)
		v := skewed(n, 0.01, rng)
		values, off := Eigenvalues(a, v)
		for _, k := range []int{-400, -40, 40, 400} {
			b := mat.NewSymDense(n, nil)
			b.ScaleSym(math.Ldexp(1, k), a)
			scaled, by := Eigenvalues(b, v)
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
	values, vectors := Spectrum(none, nil)
	for k, want := range []int{1, 2, 0} {
		if values[k] != float64(k+1) || math.Abs(vectors.At(want, k)) != 1 {
			t.Errorf("eigenvalue %d of a diagonal is %v", k, values[k])
		}
	}
	if values, off := Eigenvalues(none, nil); values[0] != 0 || values[2] != 0 || off < 3 {
		t.Errorf("eigenvalues %v within %v of a matrix of NaN", values, off)
	}
}

// exact is a matrix of rationals. Its arithmetic shares no code with the package.
type exact [][]*big.Rat

func exactly(terms ...mat.Symmetric) exact {
	n := terms[0].SymmetricDim()
	a := make(exact, n)
	for i := range a {
		for j := range n {
			v := new(big.Rat)
			for _, t := range terms {
				v.Add(v, new(big.Rat).SetFloat64(t.At(i, j)))
			}
			a[i] = append(a[i], v)
		}
	}
	return a
}

// pivots eliminates and returns the pivots. ok is false if one is zero.
func (a exact) pivots() (d []*big.Rat, ok bool) {
	n := len(a)
	b := make(exact, n)
	for i := range a {
		for _, v := range a[i] {
			b[i] = append(b[i], new(big.Rat).Set(v))
		}
	}
	for k := range n {
		if b[k][k].Sign() == 0 {
			return d, false
		}
		d = append(d, b[k][k])
		for i := k + 1; i < n; i++ {
			f := new(big.Rat).Quo(b[i][k], b[k][k])
			for j := k; j < n; j++ {
				b[i][j].Sub(b[i][j], new(big.Rat).Mul(f, b[k][j]))
			}
		}
	}
	return d, true
}

func (a exact) positive() bool {
	d, ok := a.pivots()
	for _, v := range d {
		ok = ok && v.Sign() > 0
	}
	return ok
}

func entries(terms []mat.Symmetric) (out []Term) {
	for _, t := range terms {
		out = append(out, Entries(t))
	}
	return out
}

// plus returns a + bC.
func (a exact) plus(b *big.Rat, c exact) exact {
	out := make(exact, len(a))
	for i := range a {
		for j := range a[i] {
			out[i] = append(out[i], new(big.Rat).Add(a[i][j], new(big.Rat).Mul(b, c[i][j])))
		}
	}
	return out
}

func (a exact) inverse() exact {
	n := len(a)
	wide := make(exact, n)
	for i := range a {
		for j := range 2 * n {
			v := new(big.Rat)
			if j < n {
				v.Set(a[i][j])
			} else if j == n+i {
				v.SetInt64(1)
			}
			wide[i] = append(wide[i], v)
		}
	}
	for k := range n { // for a positive definite matrix
		p := new(big.Rat).Inv(wide[k][k])
		for j := range 2 * n {
			wide[k][j].Mul(wide[k][j], p)
		}
		for i := range n {
			if i != k {
				f := new(big.Rat).Set(wide[i][k])
				for j := range 2 * n {
					wide[i][j].Sub(wide[i][j], new(big.Rat).Mul(f, wide[k][j]))
				}
			}
		}
	}
	out := make(exact, n)
	for i := range out {
		out[i] = wide[i][n:]
	}
	return out
}

func ident(n int) exact {
	s := mat.NewSymDense(n, nil)
	for i := range n {
		s.SetSym(i, i, 1)
	}
	return exactly(s)
}

func rat(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }

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
		half := randomConditioned(n, 1, 0, rng)
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
		a := randomConditioned(n, 2, 0, rand.New(rand.NewPCG(42, 4)))
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

// The rounding allowance is the derived one, for sums with cancellation and for bases with different rows.
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
		// The float64 path allows γ of |X|·Σ|H|·|Xᵀ|.
		plain := residual(n, terms[1:2], identity(n), x, false)
		if want := (2*float64(n) + 2) * unit * 16; math.Abs(plain.off-want) > 1e-4*want {
			t.Errorf("order %d: %v is allowed in float64, want %v", n, plain.off, want)
		}
	}
	// A basis with two vectors mixed: |V|ᵀ|V| has row sums of 1 and 2, |V|ᵀ|A||V| has 10 and 2.
	half := math.Sqrt(0.5)
	v := mat.NewDense(3, 3, []float64{1, 0, 0, 0, half, half, 0, half, -half})
	a := mat.NewSymDense(3, []float64{10, 0, 0, 0, 1, 0, 0, 0, 1})
	values, off := Eigenvalues(a, v)
	if want := 4 * unit * (2*10 + 2*10); off < want || off > 1.25*want || math.Abs(values[0]-10) > off || math.Abs(values[2]-1) > off {
		t.Errorf("eigenvalues %v within %v, want %v", values, off, want)
	}
	// The rows differ in length by 2⁵²⁰.
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
	// A singular matrix is examined with at most the given number of bits.
	m := must.Be(New(2, Entries(mat.NewSymDense(2, []float64{1, 1, 1, 1}))))
	if f, err := m.Precise(128); f != nil || err == nil || !strings.Contains(err.Error(), "16384 bits") {
		t.Errorf("a singular matrix: %v, error %v", f, err)
	}
}
