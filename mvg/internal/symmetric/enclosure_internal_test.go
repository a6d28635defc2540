package symmetric

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/interval"

	"gonum.org/v1/gonum/mat"
)

// The computed rounding allowances equal those derived by hand.
func TestRoundingAllowance(t *testing.T) {
	for n := 1; n < 9; n++ {
		diagonal := mat.NewSymDense(n, nil)
		for i := range n {
			diagonal.SetSym(i, i, math.Ldexp(1, -i))
		}
		trace := 2 - math.Ldexp(1, 1-n)
		if got, want := cholesky(diagonal), 2*float64(n+4)*interval.Unit*trace+0x1p-1000; got != want {
			t.Errorf("order %d: a factorization is off by %v, want %v", n, got, want)
		}
		if got := cholesky(mat.NewSymDense(n, nil)); got != 0x1p-1000 {
			t.Errorf("order %d: a factorization of 0 is off by %v", n, got)
		}
		if got := shifted(diagonal, 3); got.At(0, 0) != 4 || got.At(n-1, n-1) != 3+math.Ldexp(1, 1-n) {
			t.Errorf("order %d: shifted to %v", n, mat.Formatted(got))
		}
		// The upper bound is λ + margin, plus 2(n+4)u(trace + |λ| + ‖A‖) for the proof. The trace is that of (λ +
		// margin)I − A.
		top, norm := 1.0, mat.Norm(diagonal, 2)
		margin := 4 * float64(n) * interval.Unit * norm
		room := margin + float64(n+4)*2*interval.Unit*(float64(n)*(top+margin)-trace+top+norm)
		if got := eigenvalueUpperBound(diagonal) - top; math.Abs(got-room) > 2*interval.Unit {
			t.Errorf("order %d: %v above the largest eigenvalue, want %v", n, got, room)
		}
		if _, off := Skew(diagonal); off != 4*float64(n*n)*interval.Unit {
			t.Errorf("order %d: a skewness is off by %v", n, off)
		}
	}
	e := Exactly(mat.NewDense(3, 2, []float64{1, 2, 3, 4, 5, 6})).Row(1)
	if rows, cols := e.Dims(); rows != 1 || cols != 2 || e.Middle().At(0, 1) != 4 || len(e.mid) != 2 || len(e.rad) != 2 {
		t.Errorf("a row of %d×%d: %v", rows, cols, mat.Formatted(e.Middle()))
	}
}

// Pivots, and solutions computed with them, are exactly as wide as their roundings require. expanded does not widen a
// bound that was not scaled.
func TestWidthsOfFactors(t *testing.T) {
	width := func(e *Enclosure, i, j int) float64 { return e.rad[i*e.cols+j] }
	for n := 1; n < 9; n++ {
		diagonal := mat.NewDense(n, n, nil)
		for i := range n {
			diagonal.Set(i, i, math.Ldexp(1.99, -2*i))
		}
		f, ok := Exactly(diagonal).Factorize()
		if !ok {
			t.Fatalf("order %d: no factor", n)
		}
		solved := f.forward(Exactly(Eye(n)))
		for j, d := range f.pivots {
			lo, hi := d.Bounds()
			if lo < 0.25 || hi > 4 {
				t.Errorf("order %d: pivot %d is %v, not brought to about 1", n, j, d)
			}
			// The allowance is j + 2 roundings plus those of the two bounds. A rounding just below a power of two is
			// half a unit.
			whole, _ := d.Upper().Sub(d.Lower()).Bounds()
			if got := whole / 2 / (ulp * d.Mid()); got < float64(j+2)*(1-1e-9) || got > float64(j+2)+0.6 {
				t.Errorf("order %d: pivot %d is ± %v units, want %d", n, j, got, j+2)
			}
			if got, want := width(solved, j, j), float64(n+2)*ulp; math.Abs(got-want) > 0.01*want {
				t.Errorf("order %d: row %d is solved to ± %v, want %v", n, j, got, want)
			}
		}
	}
	for _, v := range []float64{0, 1, -3, 0.1, math.Pi} {
		if got := expanded(v, 0); got != v {
			t.Errorf("%v without a scale is %v", v, got)
		}
	}
}

// An initial value below the largest eigenvalue is raised above it, checked in rational arithmetic.
func TestUpperBoundIsRaised(t *testing.T) {
	rng := rand.New(rand.NewPCG(113, 2))
	for range 60 {
		x, y, z := rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()
		a := mat.NewSymDense(2, []float64{x, y, y, z})
		for _, share := range []float64{1, 0.999999, 0.9, 0.1, -1} {
			top := (x+z)/2 + math.Hypot((x-z)/2, y)*share
			got := upperBoundNear(a, top, mat.Norm(a, 2))
			// λ is above both eigenvalues if λ − x > 0 and (λ − x)(λ − z) > y².
			over := new(big.Rat).SetFloat64(got)
			left, right := new(big.Rat).Sub(over, new(big.Rat).SetFloat64(x)), new(big.Rat).Sub(over, new(big.Rat).SetFloat64(z))
			square := new(big.Rat).SetFloat64(y)
			if left.Sign() <= 0 || left.Mul(left, right).Cmp(square.Mul(square, square)) <= 0 {
				t.Errorf("%v from %v: upper bound %v is not above the largest eigenvalue", mat.Formatted(a), top, got)
			}
		}
	}
}

// The error bound of a sum of n products is n + 1 units of the sum of absolute values.
func TestWidthsOfProducts(t *testing.T) {
	for n := 1; n < 9; n++ {
		row := mat.NewDense(1, n, nil)
		for j := range n {
			row.Set(0, j, 1-2*float64(j%2))
		}
		want := float64(n+1) * ulp * float64(n)
		for name, e := range map[string]*Enclosure{"product": Exactly(row).Mul(Exactly(row).T()), "Gram matrix": Exactly(row).Gram()} {
			if got := e.rad[0]; math.Abs(got-want) > 1e-6*want {
				t.Errorf("a %s of %d is ± %v, want %v", name, n, got, want)
			}
		}
	}
}
