package symmetric_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/interval"
	"dpworkbench/mvg/internal/symmetric"

	"gonum.org/v1/gonum/mat"
)

// The upper bounds equal or barely exceed the known largest eigenvalues. For the matrix tiny, a decomposition without
// vectors panics in gonum 0.17.
func TestUpperBoundOfKnownSpectra(t *testing.T) {
	rng := rand.New(rand.NewPCG(43, 44))
	for _, n := range []int{1, 2, 7, 30} {
		v := make([]float64, n)
		for i := range v {
			v[i] = math.Exp(3 * rng.NormFloat64())
		}
		diagonal := mat.NewSymDense(n, nil)
		for i, x := range v {
			diagonal.SetSym(i, i, x)
		}
		a := symmetric.Turn(diagonal, mat.DenseCopyOf(symmetric.RandomBasis(n, rng).T()))
		slices.Sort(v)
		top := v[n-1]
		if got := symmetric.EigenvalueUpperBound(a); got < top*(1-1e-15) || got > top*(1+1e-10) {
			t.Errorf("order %d: upper bound %v for largest eigenvalue %v", n, got, top)
		}
	}
	tiny := mat.NewSymDense(3, []float64{1, 0, 0, 0, 1e-200, 1e-201, 0, 1e-201, 1e-200})
	if got := symmetric.EigenvalueUpperBound(tiny); got < 1 || got > 1+1e-13 {
		t.Errorf("largest eigenvalue at most %v, want 1", got)
	}
}

// The upper bound is above the largest eigenvalue for matrices of any scale and of mixed scales. λI − A is positive
// semi-definite in rational arithmetic.
func TestUpperBoundAgainstRationals(t *testing.T) {
	rng := rand.New(rand.NewPCG(53, 54))
	for k := range 600 {
		n := 1 + rng.IntN(5)
		a := scaledGram(n, 1+rng.IntN(n+1), []int{0, 30, 400}[k%3], rng)
		whole := rng.IntN(1900) - 1000
		for i := range n {
			for j := i; j < n; j++ {
				a.SetSym(i, j, math.Ldexp(a.At(i, j), whole)*(1-2*float64(k&1))) // negated if k is odd
			}
		}
		largest := mat.Max(a)
		if math.IsInf(mat.Norm(a, math.Inf(1)), 0) {
			continue
		}
		got := symmetric.EigenvalueUpperBound(a)
		if math.IsInf(got, 1) && largest < 1e300 {
			t.Fatalf("no upper bound for\n%v", mat.Formatted(a))
		}
		if math.IsInf(got, 1) {
			continue
		}
		rest := rational(a)
		room := new(big.Rat).SetFloat64(got)
		for i := range n {
			for j := range n {
				rest[i][j].Neg(rest[i][j])
			}
			rest[i][i].Add(rest[i][i], room)
		}
		if d, ok := pivots(rest); !ok && d[len(d)-1].Sign() < 0 {
			t.Fatalf("%v is below the largest eigenvalue of\n%v", got, mat.Formatted(a))
		}
	}
}

// The upper bound of an enclosure is above the largest eigenvalue of every matrix in it, and close to the maximum.
func TestUpperBoundOfEnclosures(t *testing.T) {
	whole := func(n int, v float64) *symmetric.Enclosure {
		e := symmetric.Exactly(mat.NewDense(n, n, nil))
		for i := range n {
			for j := range n {
				e.Set(i, j, interval.Float(v))
			}
		}
		return e
	}
	spread := func(e *symmetric.Enclosure, i, j int, v interval.Interval) *symmetric.Enclosure {
		e.Set(i, j, v)
		e.Set(j, i, v)
		return e
	}
	inf, least := math.Inf(1), interval.Float(5e-324)
	subnormal := whole(10, 0)
	for i := range 10 {
		for j := range 10 {
			subnormal.Set(i, j, least.Mul(interval.Float(1.375)))
		}
	}
	for _, c := range []struct {
		what       string
		e          *symmetric.Enclosure
		least, top float64
	}{
		{"0", whole(3, 0), 0, 1e-315},
		{"ones", whole(3, 1), 3, 3 + 1e-12},
		{"3 ± 2", spread(whole(1, 0), 0, 0, interval.Between(1, 5)), 5, 5 + 1e-7},
		{"a wide pair", spread(whole(2, 0), 1, 0, interval.Between(-3, 3)), 3, 6 + 1e-7},
		{"a wide diagonal", spread(whole(2, 0), 1, 1, interval.Between(-3, 3)), 3, 3 + 1e-7},
		{"1.375 times the least float64", subnormal, 65e-324, 1e-315},
		{"half the least float64", spread(whole(1, 0), 0, 0, least.Quo(interval.Int(2))), 5e-324, 1e-315},
		{"beyond float64", spread(whole(1, 0), 0, 0, interval.Float(1e300).Mul(interval.Float(1e300))), inf, inf},
		{"below float64", spread(whole(1, 0), 0, 0, interval.Float(-1e300).Mul(interval.Float(1e300))), -math.MaxFloat64, inf},
		{"the largest float64", spread(whole(1, 0), 0, 0, interval.Float(math.MaxFloat64)), math.MaxFloat64, inf},
		{"unknown", symmetric.Exactly(mat.NewDense(1, 1, []float64{math.NaN()})), inf, inf},
	} {
		if got := c.e.EigenvalueUpperBound(); !(got >= c.least && got <= c.top) {
			t.Errorf("%s: upper bound %v, want %v to %v", c.what, got, c.least, c.top)
		}
	}
}

// The upper bounds are close to the largest eigenvalues of known spectra, at scales where float64 is coarse. A matrix
// of NaN or infinite entries has the bound +Inf.
func TestUpperBoundAtExtremeScales(t *testing.T) {
	const least = 5e-324
	inf, root := math.Inf(1), math.Sqrt2
	for _, c := range []struct {
		a     []float64
		top   float64 // in multiples of scale
		scale float64
	}{
		{[]float64{0}, 0, 1},
		{[]float64{0, 0, 0, 0}, 0, 1},
		{[]float64{2, 1, 1, 0}, 1 + root, 1},
		{[]float64{2, 1, 1, 0}, 3, least},
		{[]float64{2, 1, 1, 0}, 1 + root, 0x1p-101},
		{[]float64{2, 1, 1, 0}, 1 + root, 0x1p1021},
		{[]float64{2, 1, 1, 0}, 1 + root, 0x1p-99},
		{[]float64{-2, 1, 1, 0}, root - 1, 1},
		{[]float64{-1}, -1, 0x1p500},
		{[]float64{2, 1, 0, 1, 0, 0, 0, 0, 1}, 1 + root, 0x1p-500},
		{[]float64{2, 1, 0, 1, 0, 0, 0, 0, 1}, 3, least},
		{[]float64{5, 0, 0, 0, 3, 0, 0, 0, 4}, 5, 0x1p101},
		{[]float64{-5, 0, 0, 0, -3, 0, 0, 0, -4}, -3, 0x1p101},
		{[]float64{4, 0, 0, 0, 4, 0, 0, 0, 4}, 4, 1},
	} {
		n := int(math.Sqrt(float64(len(c.a))))
		a := mat.NewSymDense(n, nil)
		for i := range n {
			for j := i; j < n; j++ {
				a.SetSym(i, j, c.a[i*n+j]*c.scale)
			}
		}
		got, want := symmetric.EigenvalueUpperBound(a), c.top*c.scale
		if off := 1e-12*c.scale*5 + 3*least; !(got >= want-1e-15*math.Abs(want) && got <= want+off) || want == 0 && len(c.a) == 4 && got != 0 {
			t.Errorf("%v times %g: largest %v, want %v", c.a, c.scale, got, want)
		}
	}
	for _, v := range []float64{math.NaN(), inf, -inf} {
		for _, data := range [][]float64{{v}, {v, 1, 1, 1}, {1, v, v, 1}, {1, 1, 1, v}} {
			a := mat.NewSymDense(int(math.Sqrt(float64(len(data)))), data)
			if e := symmetric.EigenvalueUpperBound(a); e != inf {
				t.Errorf("%v: upper bound %v, want +Inf", data, e)
			}
		}
	}
}
