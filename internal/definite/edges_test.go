package definite

import (
	"context"
	"errors"
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

// Norms of long numbers that are short for once: the ends are apart by what rounding may
// do, and the norm lies between them, at the middle nearly.
func TestNormsOfShortLongNumbers(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 13))
	for trial := range 60 {
		m, n := 1+rng.IntN(3), 1+rng.IntN(3)
		const prec = 60
		short := func(n int) (*Factor, exact) {
			f := &Factor{n: n, exps: make([]int, n), spread: new(big.Float), long: newLong(n, n, prec)}
			x := matrix(n, n, func(int, int) *big.Rat { return new(big.Rat) })
			for i := range n {
				for j := range i + 1 {
					v := 1 + math.Abs(rng.NormFloat64())
					f.long.set(i, j, new(big.Float).SetPrec(prec).SetFloat64(v))
					x[i][j].SetFloat64(v)
				}
			}
			return f, x
		}
		d := make([]float64, m*n)
		for i := range d {
			d[i] = rng.NormFloat64()
		}
		var f, g *Factor
		var h, k []float64
		x, y := ident(m), ident(n)
		if trial%3 == 0 {
			h = make([]float64, m)
			for i := range h {
				h[i] = 0.5 + rng.Float64()
			}
		} else {
			f, x = short(m)
		}
		if trial%3 == 1 {
			k = make([]float64, n)
			for i := range k {
				k[i] = 0.5 + rng.Float64()
			}
		} else {
			g, y = short(n)
		}
		product := x.times(rationals(n, d)).times(y.turned())
		want := new(big.Rat)
		for i := range m {
			for j := range n {
				v := new(big.Rat).Mul(product[i][j], product[i][j])
				if h != nil {
					v.Quo(v, rat(h[i]))
				}
				if k != nil {
					v.Quo(v, rat(k[j]))
				}
				want.Add(want, v)
			}
		}
		lo, hi := longNorm(f, g, h, k, d)
		if rat(lo).Cmp(want) >= 0 || rat(hi).Cmp(want) <= 0 {
			t.Fatalf("‖XDYᵀ‖² = %v is not in (%v, %v)", want.FloatString(20), lo, hi)
		}
		// What is derived: 2·value·off and the rounding of the sum.
		nx, ny := 1.0, 1.0
		if f != nil {
			nx = norm(f.lengthened64())
		}
		if g != nil {
			ny = norm(g.lengthened64())
		}
		w, _ := want.Float64()
		off := 2 * float64(m+n+8) * 0x1p-60 * ny * (nx*2*norm(d) + nx*2*norm(d))
		if limit := 2*(2*math.Sqrt(w)*off+2*float64(m*n)*0x1p-60*w) + 4*0x1p-52*w; hi-lo > limit {
			t.Errorf("‖XDYᵀ‖² in [%v, %v], %.3g apart, want at most %.3g", lo, hi, hi-lo, limit)
		}
	}
}
