package definite

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/looks"
	"dpworkbench/internal/parallel"

	"gonum.org/v1/gonum/mat"
)

// beside returns the identity of order n but for the entry (0, 1).
func beside(n int, v float64) *mat.SymDense {
	s := mat.NewSymDense(n, nil)
	for i := range n {
		s.SetSym(i, i, 1)
	}
	s.SetSym(0, 1, v)
	return s
}

// Which numbers a factor is made of turns at orders 64 and 256, and at the ε that the
// order asks for.
func TestFactorAtItsOrders(t *testing.T) {
	const nearly = 1 - 0x1p-36 // ε is about 2⁻³⁵
	for _, c := range []struct {
		n    int
		v    float64
		long bool
	}{{2, 0.5, false}, {2, nearly, true}, {64, 0.5, false}, {64, nearly, true}, {65, nearly, false}, {65, 1 - 0x1p-52, true}} {
		m, err := New(c.n, Entries(beside(c.n, c.v)))
		if err != nil {
			t.Fatal(err)
		}
		limit := float64(c.n) * 0x1p-48
		if c.n > 64 {
			limit = 0x1p-27
		}
		short := m.floatFactor()
		if isLong := short == nil || short.Spread() > limit; isLong != c.long {
			t.Fatalf("order %d, %v beside 1: ε = %v in float64", c.n, c.v, short.Spread())
		}
		f, err := m.Factor()
		if err != nil || (f.long != nil) != c.long || f.Spread() > limit {
			t.Errorf("order %d, %v beside 1: long numbers %v, want %v; ε = %v, error %v", c.n, c.v, f.long != nil, c.long, f.Spread(), err)
		}
	}
	for n, want := range map[int]string{carefulOrder: "not proven positive definite: a pivot is negative", carefulOrder + 1: "not proven positive definite"} {
		m, err := New(n, Entries(beside(n, 2)))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Factor(); !errors.Is(err, ErrNotProven) || err.Error() != want {
			t.Errorf("order %d: error %v, want %s", n, err, want)
		}
	}
}

// Numbers of H have to be below 2²⁰⁰ for float64.
func TestScaledAtItsLimit(t *testing.T) {
	for v, want := range map[float64]bool{0x1p199: true, math.Nextafter(0x1p200, 0): true, 0x1p200: false, -0x1p200: false} {
		m, err := New(2, Entries(beside(2, v)))
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := m.scaled(); ok != want {
			t.Errorf("%v beside 1: %v", v, ok)
		}
	}
}

// A pivot is negative for good where it is so in the first half of its digits.
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

// The root obeys its context, tells of every column, and gives an error where the
// factor is that of another matrix.
func TestCholeskyOnTheWay(t *testing.T) {
	s := conditioned(5, 2, 0, rand.New(rand.NewPCG(72, 1)))
	m, err := New(5, Entries(s))
	if err != nil {
		t.Fatal(err)
	}
	f, err := m.Factor()
	if err != nil {
		t.Fatal(err)
	}
	root := func(ctx context.Context) (any, error) {
		rows, err := m.Cholesky(ctx, f, 10)
		if err != nil && rows == nil {
			return nil, err
		}
		return rows, err
	}
	whole := looks.After(t.Context(), math.MaxInt)
	if _, err := root(whole); err != nil {
		t.Fatal(err)
	}
	for n := range whole.Looks() {
		c := looks.After(t.Context(), n)
		if v, err := root(c); !errors.Is(err, context.Canceled) || v != nil {
			t.Errorf("over after %d looks of %d: %v, error %v", n, whole.Looks(), v, err)
		} else if c.Late() > 3 {
			t.Errorf("over after %d looks, and %d late ones", n, c.Late())
		}
	}
	var told []int64
	ctx := parallel.WithProgress(t.Context(), func(done, total int64, _ string) {
		if told = append(told, done); total != 5 {
			t.Errorf("column %d of %d", done, total)
		}
	})
	if _, err := root(ctx); err != nil || len(told) != 5 || told[4] != 4 {
		t.Errorf("columns told: %v, error %v", told, err)
	}
	indefinite, err := New(2, Entries(beside(2, 2)))
	if err != nil {
		t.Fatal(err)
	}
	other := &Factor{n: 2, exps: []int{0, 0}, spread: new(big.Float), x: identity(2)}
	if rows, err := indefinite.Cholesky(t.Context(), other, 10); !errors.Is(err, ErrNotProven) || rows != nil {
		t.Errorf("another matrix's factor gives %v, error %v", rows, err)
	}
}

// What is allowed for the roundings of a long factor is what is derived, with the residual as it
// is computed, by a sum of products in numbers of the same length.
func TestLongFactorsAreAllowedTheirRoundings(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 14))
	for n := 1; n < 7; n++ {
		for _, prec := range []uint{56, 60, 200} {
			s := conditioned(n, 2, 0, rng)
			m, err := New(n, Entries(s))
			if err != nil {
				t.Fatal(err)
			}
			f, _ := m.longFactor(prec)
			if f == nil {
				t.Fatalf("order %d: no factor in %d bits", n, prec)
			}
			short := func() *big.Float { return new(big.Float).SetPrec(prec) }
			x := func(i, j int) *big.Float {
				if v := f.long.at(i, j); v != nil {
					return v
				}
				return short()
			}
			dot := func(start float64, a, b func(k int) *big.Float) *big.Float {
				sum := short().SetFloat64(start)
				for k := range n {
					sum.Add(sum, short().Mul(a(k), b(k)))
				}
				return sum
			}
			nx, nh, nt, nl, gap := 0.0, 0.0, 0.0, norm(f.root), 0.0
			add := func(to *float64, v *big.Float) { w, _ := v.Float64(); *to = math.Hypot(*to, w) }
			h := func(i, j int) *big.Float {
				v := m.entry(i, j, prec)
				return v.SetMantExp(v, -m.exps[i]-m.exps[j])
			}
			column := make([]*big.Float, n*n) // row j is column j of T
			for j := range n {
				for k := range n {
					if column[j*n+k] = short(); k <= j {
						column[j*n+k] = dot(0, func(i int) *big.Float { return x(j, i) }, func(i int) *big.Float { return h(k, i) })
					}
					add(&nx, x(j, k))
					add(&nh, h(j, k))
					add(&nt, column[j*n+k])
				}
			}
			for j := range n {
				for i := range j + 1 {
					start := 0.0
					if i == j {
						start = -1
					}
					add(&gap, dot(start, func(k int) *big.Float { return x(i, k) }, func(k int) *big.Float { return column[j*n+k] }))
				}
			}
			w, count := math.Ldexp(1, -int(prec)), float64(2*(n+1))
			want := 1.5 * (gap + w*nx*nx*nh + count*w*(nx*nx*nh+nx*nt+float64(n)))
			if got := f.Spread(); math.Abs(got-want) > 1e-9*want {
				t.Errorf("order %d, %d bits: ε = %v, want %v", n, prec, got, want)
			}
			want = unit*nx*nl + count*w*nx*nx*nl*math.Sqrt(2*nh)
			if math.Abs(f.rootError-want) > 1e-9*want {
				t.Errorf("order %d, %d bits: ‖XB − I‖ ≤ %v, want %v", n, prec, f.rootError, want)
			}
		}
	}
}

// No factor in float64 has an ε of ½ or more, and ε falls as long as it can, however near
// to singular the matrix is.
func TestFactorsNearSingular(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 15))
	coarse := 0
	for range 4000 {
		n := 2 + rng.IntN(5)
		s := conditioned(n, 12+6*rng.Float64(), 0, rng)
		m, err := New(n, Entries(s))
		if err != nil {
			continue
		}
		f := m.floatFactor()
		if f == nil {
			continue
		}
		if f.Spread() >= 0.5 {
			t.Errorf("ε = %v", f.Spread())
		}
		terms, _ := m.scaled()
		if x := inverseRoot(n, terms[0], identity(n)); x != nil {
			if first := residual(n, terms, terms[0], x, true).spread; first > 0.25 && first < 0.5 {
				if coarse++; f.Spread() > 1e-4 {
					t.Errorf("ε = %v after a first of %v", f.Spread(), first)
				}
			}
		}
	}
	if coarse < 10 {
		t.Errorf("%d first factors are coarse", coarse)
	}
}

// The numbers of a root are as long as the inverse's norm asks for: 24nν ≤ 2^extra, which
// is less than 4 times as much.
func TestLengthOfRoots(t *testing.T) {
	for _, v := range []float64{1, 1 - 0x1p-20, 0.75, 1 + 0x1p-20, 1.37} {
		for _, e := range []float64{0, 0.25, 0.45} {
			for n := 1; n < 5; n++ {
				f := &Factor{n: n, exps: make([]int, n), spread: big.NewFloat(e), x: identity(n)}
				f.x[0] = v * 8
				square := v*v*64 + float64(n-1)
				m, err := New(n, Entries(beside(max(n, 2), 0)))
				if err != nil {
					t.Fatal(err)
				}
				said := ""
				ctx := parallel.WithProgress(t.Context(), func(_, _ int64, what string) { said = what })
				if _, err := m.Cholesky(ctx, f, 20); err != nil {
					t.Fatal(err)
				}
				var bits int
				if _, err := fmt.Sscanf(said, "columns of the covariance's root, %d bits", &bits); err != nil {
					t.Fatal(said, err)
				}
				if least := 24 * float64(n) * square / (1 - e); math.Ldexp(1, bits-20) < least || math.Ldexp(1, bits-20) >= 4*least*(1+1e-10) {
					t.Errorf("order %d, ν = %v: %d bits for 20 places", n, square/(1-e), bits)
				}
			}
		}
	}
}

// Eigenvalues and what they are off by are in the units of the matrix; one without a
// decomposition falls apart into its diagonal, or has every eigenvalue within its norm.
func TestSpectraInUnits(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 17))
	for n := 1; n < 6; n++ {
		a := conditioned(n, 3, 0, rng)
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
		t.Errorf("eigenvalues %v within %v of no numbers", values, off)
	}
}

// Up to order 256 what can be summed in twice the precision is.
func TestCarefulOrders(t *testing.T) {
	for n, want := range map[int]float64{carefulOrder: 3, carefulOrder + 1: math.Sqrt(3) * math.Sqrt(3)} {
		w, v := mat.NewDense(n, n, nil), make([]float64, n)
		for i := range n {
			w.Set(i, i, 1)
			v[i] = 3
		}
		if got := Congruence(w, v); got.At(0, 0) != want || got.At(n-1, n-1) != want || got.At(0, n-1) != 0 {
			t.Errorf("order %d: W diag(3) Wᵀ has %v and %v", n, got.At(0, 0), got.At(n-1, n-1))
		}
	}
	// At order 256 entries of XᵀX are still rounded once.
	f, x := drawn(carefulOrder, false, rand.New(rand.NewPCG(41, 18)))
	near := f.product()
	for j := range 8 {
		want := new(big.Rat)
		for k := range x {
			want.Add(want, new(big.Rat).Mul(x[k][0], x[k][j]))
		}
		truth, _ := want.Float64()
		if near[j] != truth || near[j*carefulOrder] != truth {
			t.Errorf("entry (0, %d) is %v, want %v", j, near[j], truth)
		}
	}
	// Small terms count only as far as they are small.
	h := identity(2)
	for i := range h {
		h[i] *= 0x1p-60
	}
	r := residual(2, [][]float64{h}, h, identity(2), true)
	root, gamma := math.Sqrt2, 2*unit
	if want := math.Sqrt2 * (root*(unit*root*0x1p-60+gamma*gamma*root*0x1p-60*root) + unit*root*0x1p-60 + gamma*gamma*root*root*0x1p-60); math.Abs(r.off-want) > 1e-4*want {
		t.Errorf("%v is allowed for terms of 2⁻⁶⁰, want %v", r.off, want)
	}
}
