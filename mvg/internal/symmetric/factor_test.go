package symmetric_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/interval"
	"dpworkbench/mvg/internal/symmetric"

	"gonum.org/v1/gonum/mat"
)

// checkEntry fails unless entry (i, j) of the enclosure contains want and is narrow relative to scale.
func checkEntry(t *testing.T, what string, e *symmetric.Enclosure, i, j int, want, scale *big.Rat) {
	t.Helper()
	v, ok := e.At(i, j)
	if !ok {
		t.Fatalf("%s[%d][%d] is unknown", what, i, j)
	}
	if q := interval.Rat(want); q.Less(v) || v.Less(q) {
		t.Fatalf("%s[%d][%d] = %v misses %v", what, i, j, v, q)
	}
	width := v.Upper().Sub(v.Lower())
	if limit := interval.Rat(new(big.Rat).Mul(scale, big.NewRat(1, 1e18))); !width.Less(limit) {
		t.Fatalf("%s[%d][%d] = %v is wide", what, i, j, v)
	}
}

// inverse returns the inverse, by elimination in rational arithmetic.
func inverse(a [][]*big.Rat) [][]*big.Rat {
	n := len(a)
	out := make([][]*big.Rat, n)
	for i := range out {
		out[i] = make([]*big.Rat, n)
		for j := range out[i] {
			out[i][j] = new(big.Rat)
		}
		out[i][i].SetInt64(1)
	}
	for k := range n {
		p := new(big.Rat).Inv(a[k][k])
		for j := range n {
			a[k][j] = new(big.Rat).Mul(a[k][j], p)
			out[k][j] = new(big.Rat).Mul(out[k][j], p)
		}
		for i := range n {
			if i == k {
				continue
			}
			f := a[i][k]
			for j := range n {
				a[i][j] = new(big.Rat).Sub(a[i][j], new(big.Rat).Mul(f, a[k][j]))
				out[i][j] = new(big.Rat).Sub(out[i][j], new(big.Rat).Mul(f, out[k][j]))
			}
		}
	}
	return out
}

// The factor's determinant, solutions and congruences contain the values from rational arithmetic, at scales of 1e-120
// to 1e120.
func TestFactorAgainstRationals(t *testing.T) {
	rng := rand.New(rand.NewPCG(49, 50))
	for range 300 {
		n := 1 + rng.IntN(5)
		a := scaledGram(n, n+2, rng.IntN(400), rng)
		f, ok := symmetric.Exactly(a).Factorize()
		if !ok {
			t.Fatalf("no factor of\n%v", mat.Formatted(a))
		}
		d, _ := pivots(rational(a))
		det := big.NewRat(1, 1)
		for _, v := range d {
			det.Mul(det, v)
		}
		if want := interval.Rat(det).Log(); want.Less(f.LogDet()) || f.LogDet().Less(want) {
			t.Fatalf("ln det = %v, want %v", f.LogDet(), want)
		}
		inv := inverse(rational(a))
		solved := f.Solve(symmetric.Exactly(symmetric.Eye(n)))
		white := f.Whiten(symmetric.Exactly(symmetric.Eye(n)))
		gram := white.T().Mul(white)                         // C⁻ᵀC⁻¹ = A⁻¹
		same := f.Whiten(f.Whiten(symmetric.Exactly(a)).T()) // C⁻¹AC⁻ᵀ = 1
		for i := range n {
			for j := range n {
				// |a_ij| ≤ √(a_ii a_jj) ≤ a_ii + a_jj
				scale := new(big.Rat).Add(inv[i][i], inv[j][j])
				checkEntry(t, "A⁻¹", solved, i, j, inv[i][j], scale)
				checkEntry(t, "C⁻ᵀC⁻¹", gram, i, j, inv[i][j], scale)
				want := new(big.Rat)
				if i == j {
					want.SetInt64(1)
				}
				checkEntry(t, "C⁻¹AC⁻ᵀ", same, i, j, want, big.NewRat(1, 1))
			}
		}
	}
}

// NaN entries are unknown in sums and products. A matrix with NaN has no factor.
func TestUnknownEntries(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		e := symmetric.Exactly(mat.NewDense(2, 2, []float64{2, v, v, 3}))
		for name, m := range map[string]*symmetric.Enclosure{"sum": e.Plus(e), "difference": e.Minus(e), "product": e.Mul(e), "square": e.Gram(), "multiple": e.Times(interval.Int(3))} {
			if x, ok := m.At(0, 1); ok {
				t.Errorf("%s with %v has %v", name, v, x)
			}
		}
		if _, ok := e.Factorize(); ok {
			t.Errorf("a matrix with %v has a factor", v)
		}
		if got := e.EigenvalueUpperBound(); !math.IsInf(got, 1) {
			t.Errorf("a matrix with %v has the eigenvalue bound %v", v, got)
		}
		if _, ok := e.Square(); ok {
			t.Errorf("a matrix with %v has a norm", v)
		}
	}
}

// A wide entry below the diagonal widens the last pivot by the width of its square.
func TestWidthOfAFactor(t *testing.T) {
	a := box{2, 2, []float64{4, 2, 2, 4}, []float64{0, 0, 1, 0}}
	f, ok := a.enclosure().Factorize()
	if !ok {
		t.Fatal("no factor")
	}
	// The pivot is 16 − (2 ± 1)². Its middle is 12, and its bounds are at most 5 away.
	lo, hi := f.LogDet().Bounds()
	if math.Abs(lo-math.Log(7)) > 1e-6 || math.Abs(hi-math.Log(17)) > 1e-6 {
		t.Errorf("ln det in [%v, %v], want ln 7 to ln 17", lo, hi)
	}
}

// Cancellation of more than 256 bits loses no accuracy.
func TestCancellationInFactors(t *testing.T) {
	const little = 0x1p-300
	a := mat.NewSymDense(4, []float64{1, 0, .5, .5, 0, 1, .5, -.5, .5, .5, 1, little, .5, -.5, little, 1})
	f, ok := symmetric.Exactly(a).Factorize()
	if !ok {
		t.Fatal("no factor")
	}
	inv := inverse(rational(a))
	solved := f.Solve(symmetric.Exactly(symmetric.Eye(4)))
	for i := range 4 {
		for j := range 4 {
			checkEntry(t, "A⁻¹", solved, i, j, inv[i][j], big.NewRat(1, 1))
		}
	}
	b := mat.NewDense(3, 1, []float64{0x1p400, -0x1p400, 1})
	c := mat.NewSymDense(3, []float64{1, 0, .5, 0, 1, .5, .5, .5, 1})
	f, ok = symmetric.Exactly(c).Factorize()
	if !ok {
		t.Fatal("no factor")
	}
	want := product(inverse(rational(c)), rational(b))
	got := f.Solve(symmetric.Exactly(b))
	for i := range 3 {
		checkEntry(t, "C⁻¹b", got, i, 0, want[i][0], new(big.Rat).SetFloat64(0x1p300))
	}
}

// A matrix has no factor if a pivot may be zero, negative or unknown.
func TestNoFactor(t *testing.T) {
	nan := math.NaN()
	for name, e := range map[string]*symmetric.Enclosure{
		"0":                       symmetric.Exactly(mat.NewDense(1, 1, nil)),
		"-1":                      symmetric.Exactly(mat.NewDense(1, 1, []float64{-1})),
		"an unknown number":       symmetric.Exactly(mat.NewDense(1, 1, []float64{nan})),
		"0 to 2":                  box{1, 1, []float64{1}, []float64{1}}.enclosure(),
		"singular":                symmetric.Exactly(mat.NewDense(2, 2, []float64{1, 1, 1, 1})),
		"an unknown entry":        symmetric.Exactly(mat.NewDense(2, 2, []float64{1, nan, nan, 1})),
		"an unknown second pivot": symmetric.Exactly(mat.NewDense(2, 2, []float64{1, 0, 0, nan})),
		"1 and 1 ± 0.5":           box{2, 2, []float64{1, 1, 1, 1}, []float64{0, 0, 0.5, 0}}.enclosure(),
	} {
		if f, ok := e.Factorize(); ok || f != nil {
			t.Errorf("%s has a factor", name)
		}
	}
}

// The scales of rows do not matter, even far outside the range of float64.
func TestFactorAtExtremeScales(t *testing.T) {
	for _, exponent := range []int{-6000, 6000} {
		v := interval.Big(new(big.Float).SetMantExp(big.NewFloat(0.75), exponent))
		f, ok := symmetric.Diagonal([]interval.Interval{v, interval.Int(3)}).Factorize()
		if !ok {
			t.Fatalf("2^%d has no factor", exponent)
		}
		if want := v.Mul(interval.Int(3)).Log(); want.Less(f.LogDet()) || f.LogDet().Less(want) {
			t.Errorf("ln det = %v, want %v", f.LogDet(), want)
		}
	}
}
