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
