package definite

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// exact is a matrix of rationals: the independent route.
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

// pivots eliminates, and returns the pivots; ok is false at a zero.
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
	for k := range n { // of a positive definite matrix
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

// conditioned returns AAᵀ rounded, of a condition number near 10^decades, its rows and
// columns scaled by up to 2^±spread.
func conditioned(n int, decades float64, spread int, rng *rand.Rand) *mat.SymDense {
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
		"three terms":    {hilbert(6), pascal(6), conditioned(6, 3, 0, rng)},
		"scaled hilbert": {conditioned(7, 6, 400, rng)},
	}
	for k := range 40 {
		n, decades := 2+rng.IntN(7), 14*rng.Float64()
		out[fmt.Sprintf("random %d", k)] = []mat.Symmetric{conditioned(n, decades, rng.IntN(2)*30, rng)}
	}
	return out
}

// Every bound holds for the exact inverse, determinant and root, by elimination in rationals.
func TestFactorsAgainstRationals(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 1))
	for name, terms := range cases(rng) {
		a := exactly(terms...)
		if !a.positive() {
			continue // the rounding of a random one
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
			// Entry by entry, as |A_ij| ≤ √(A_ii A_jj) for a positive semi-definite one.
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
			if name := name; !over.positive() && within < 1 || within < 1 && !under.positive() { // semi-definite is not met by chance
				t.Errorf("%s: BBᵀ is not within %.3g of A", name, within)
			}
		}
	}
}

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

// skewed returns a basis that is orthonormal up to by.
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

// Beyond order 256 products are summed in float64 where that will do; an ill-conditioned
// matrix is still factored well enough to draw from.
func TestLargeOrders(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 1))
	s := conditioned(300, 3, 0, rng)
	m, err := New(s.SymmetricDim(), Entries(s))
	if err != nil {
		t.Fatal(err)
	}
	f, err := m.Factor()
	if err != nil {
		t.Fatal(err)
	}
	if f.Spread() > 1e-7 {
		t.Errorf("spread %.3g", f.Spread())
	}
	ill := conditioned(300, 9, 0, rng)
	hard, _ := New(300, Entries(ill))
	if f, err := hard.Factor(); err != nil || f.Spread() > 1e-7 || f.rootError > 1e-7 { // about n²u√κ = 3e-7 at worst
		t.Errorf("condition 1e9 at order 300: spread %.3g, root %.3g, %v", f.Spread(), f.rootError, err)
	}
	small := s.SliceSym(0, 200).(*mat.SymDense)
	k, _ := New(small.SymmetricDim(), Entries(small))
	g, err := k.Factor()
	if err != nil {
		t.Fatal(err)
	}
	if g.Spread() > 1e-11 {
		t.Errorf("order 200: spread %.3g", g.Spread())
	}
	// Σ_ij (A⁻¹)_ij A_ij = n, whatever A is.
	inverse, trace := f.Inverse(nil), 0.0
	for i := range 300 {
		for j := range 300 {
			trace += math.Ldexp(inverse.Near.At(i, j), 2*inverse.Exp) * s.At(i, j)
		}
	}
	if math.Abs(trace-300) > 1e-7 {
		t.Errorf("⟨A⁻¹, A⟩ = %v, want 300", trace)
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

func BenchmarkFactor(b *testing.B) {
	rng := rand.New(rand.NewPCG(34, 1))
	for _, n := range []int{3, 10, 30, 64, 100, 200} {
		for _, decades := range []float64{2, 12} {
			s := conditioned(n, decades, 0, rng)
			b.Run(fmt.Sprintf("n=%d/decades=%v", n, decades), func(b *testing.B) {
				for b.Loop() {
					m, _ := New(s.SymmetricDim(), Entries(s))
					f, err := m.Factor()
					if err != nil {
						b.Fatal(err)
					}
					f.Inverse(nil)
				}
			})
		}
	}
}

// tr(A⁻¹ΔB⁻¹Δᵀ) by inverses in rationals, for factored and for diagonal sides.
func TestSquaredNormAgainstRationals(t *testing.T) {
	rng := rand.New(rand.NewPCG(35, 1))
	side := func(n int) (Side, exact) {
		if rng.IntN(3) == 0 {
			v := make([]float64, n)
			s := mat.NewSymDense(n, nil)
			for i := range v {
				v[i] = math.Ldexp(1+rng.Float64(), rng.IntN(400)-200)
				s.SetSym(i, i, v[i])
			}
			return Side{Variances: v}, exactly(s).inverse()
		}
		for {
			s := conditioned(n, 16*rng.Float64(), rng.IntN(2)*100, rng)
			m, err := New(s.SymmetricDim(), Entries(s))
			if err != nil {
				continue
			}
			f, err := m.Factor()
			if err != nil {
				continue
			}
			return Side{Factor: f}, exactly(s).inverse()
		}
	}
	for range 200 {
		m, n := 1+rng.IntN(5), 1+rng.IntN(5)
		left, p := side(m)
		right, q := side(n)
		delta := mat.NewDense(m, n, nil)
		for i := range m {
			for j := range n {
				if rng.IntN(4) > 0 {
					delta.Set(i, j, math.Ldexp(rng.NormFloat64(), rng.IntN(2)*(rng.IntN(1000)-500)))
				}
			}
		}
		want := new(big.Rat)
		for i := range m {
			for j := range n {
				for k := range m {
					for l := range n {
						v := new(big.Rat).Mul(p[i][k], q[j][l])
						v.Mul(v, rat(delta.At(i, j)))
						want.Add(want, v.Mul(v, rat(delta.At(k, l))))
					}
				}
			}
		}
		lo, hi, exp := SquaredNorm(left, right, delta)
		scale := new(big.Float).SetPrec(2000).SetMantExp(big.NewFloat(1), 2*exp)
		r, _ := scale.Rat(nil)
		if new(big.Rat).Mul(rat(lo), r).Cmp(want) > 0 || new(big.Rat).Mul(rat(hi), r).Cmp(want) < 0 {
			t.Errorf("%d×%d: [%v, %v]·4^%d does not hold %v", m, n, lo, hi, exp, new(big.Float).SetRat(want))
		}
		if !(hi <= lo*(1+1e-12)) && want.Sign() > 0 {
			t.Errorf("%d×%d: [%v, %v]·4^%d is wide", m, n, lo, hi, exp)
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

// A Kronecker product is the sum of its two terms, at any scale.
func TestKroneckerIsExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(36, 1))
	for _, scale := range []int{0, -900, 900} {
		a, b := conditioned(2, 2, 0, rng), conditioned(3, 2, 0, rng)
		for _, s := range []*mat.SymDense{a, b} {
			s.ScaleSym(math.Ldexp(1, scale), s)
		}
		high, low := Kronecker(a, b)
		m, err := New(6, high, low)
		if err != nil {
			t.Fatal(err)
		}
		f, err := m.Precise(200)
		if err != nil {
			t.Fatal(err)
		}
		det := func(s *mat.SymDense) *big.Rat {
			d, _ := exactly(s).pivots()
			out := big.NewRat(1, 1)
			for _, v := range d {
				out.Mul(out, v)
			}
			return out
		}
		da, db := det(a), det(b)
		want := new(big.Rat).Mul(new(big.Rat).Mul(da, new(big.Rat).Mul(da, da)), new(big.Rat).Mul(db, db))
		lo, hi := f.Det(300)
		l, _ := lo.Rat(nil)
		h, _ := hi.Rat(nil)
		if l.Cmp(want) > 0 || h.Cmp(want) < 0 {
			t.Errorf("scale 2^%d: determinant in [%.30g, %.30g], want %.30g", scale, lo, hi, new(big.Float).SetPrec(200).SetRat(want))
		}
	}
}
