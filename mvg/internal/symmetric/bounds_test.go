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

// Determinants and solutions of a wide matrix hold those of its corners, whichever of its
// entries and of the right side's are wide; where only the right side is, no more.
func TestWideFactorsAgainstCorners(t *testing.T) {
	rng := rand.New(rand.NewPCG(73, 74))
	for k := range 200 {
		n := 2 + k%2
		a, b := box{n, n, make([]float64, n*n), make([]float64, n*n)}, drawBox(n, 1, rng)
		exactly := k%4 < 2
		for i := range n {
			for j := range i + 1 {
				mid, rad := float64(rng.IntN(9)-4), 0.0
				if i == j {
					mid = float64(16 + rng.IntN(9))
				}
				if rng.IntN(2) == 0 && !exactly {
					rad = float64(1+rng.IntN(4)) / 2
				}
				a.mid[i*n+j], a.mid[j*n+i], a.rad[i*n+j] = mid, mid, rad
			}
		}
		f, ok := a.enclosure().Factorize()
		if !ok {
			t.Fatalf("no factor of %v", a)
		}
		logdet, e := f.LogDet(), b.enclosure()
		solved, white := f.Solve(e), f.Whiten(e)
		norm, ok := white.Square() // bᵀA⁻¹b
		if !ok {
			t.Fatal("no norm")
		}
		solutions := hull{}
		a.corners(func(x [][]*big.Rat) {
			for i := range n {
				for j := range i {
					x[j][i] = x[i][j]
				}
			}
			lower := make([][]*big.Rat, n)
			for i := range lower {
				lower[i] = append(lower[i], x[i]...)
			}
			det := big.NewRat(1, 1)
			d, positive := pivots(lower)
			if !positive {
				t.Fatalf("%v is not positive definite", a)
			}
			for _, v := range d {
				det.Mul(det, v)
			}
			if want := interval.Rat(det).Log(); want.Less(logdet) || logdet.Less(want) {
				t.Fatalf("ln det = %v misses %v", logdet, want)
			}
			inv := inverse(x)
			b.corners(func(y [][]*big.Rat) {
				x := product(inv, y)
				solutions.add(x)
				want := interval.Rat(product(transposed(y), x)[0][0])
				if want.Less(norm) || norm.Less(want) {
					t.Fatalf("bᵀA⁻¹b = %v misses %v", norm, want)
				}
			})
		})
		if !exactly {
			for at, ends := range solutions {
				v, ok := solved.At(at[0], at[1])
				if !ok || v.CmpLo(interval.Rat(ends[0])) > 0 || v.CmpHi(interval.Rat(ends[1])) < 0 {
					t.Fatalf("A⁻¹b = %v misses some of %v", v, ends)
				}
			}
		} else if n == 2 {
			middle := rational(mat.NewDense(n, n, a.mid))
			solutions.spans(t, "A⁻¹b", solved, product(inverse(middle), rational(mat.NewDense(n, 1, b.mid))), 1+1e-6)
		}
	}
}

// A wide entry below the diagonal makes the last pivot as wide as its square does.
func TestWidthOfAFactor(t *testing.T) {
	a := box{2, 2, []float64{4, 2, 2, 4}, []float64{0, 0, 1, 0}}
	f, ok := a.enclosure().Factorize()
	if !ok {
		t.Fatal("no factor")
	}
	// 16 − (2 ± 1)², whose middle is 12 and whose ends are at most 5 away.
	lo, hi := f.LogDet().Bounds()
	if math.Abs(lo-math.Log(7)) > 1e-6 || math.Abs(hi-math.Log(17)) > 1e-6 {
		t.Errorf("ln det in [%v, %v], want ln 7 to ln 17", lo, hi)
	}
}

// What cancels beyond 256 bits is not lost.
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
			holds(t, "A⁻¹", solved, i, j, inv[i][j], big.NewRat(1, 1))
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
		holds(t, "C⁻¹b", got, i, 0, want[i][0], new(big.Rat).SetFloat64(0x1p300))
	}
}

// No factor is claimed where a pivot may be 0, below it, or unknown.
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

// Ceilings of enclosures are above the spectra of what they hold, and near them.
func TestCeilingsOfEnclosures(t *testing.T) {
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
		if got := c.e.EigenCeiling(); !(got >= c.least && got <= c.top) {
			t.Errorf("%s: ceiling %v, want %v to %v", c.what, got, c.least, c.top)
		}
	}
}

// Known spectra at scales where a float64 is coarse, and what has none.
func TestCeilingsAtTheEnds(t *testing.T) {
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
		got, want := symmetric.EigenCeiling(a), c.top*c.scale
		if off := 1e-12*c.scale*5 + 3*least; !(got >= want-1e-15*math.Abs(want) && got <= want+off) || want == 0 && len(c.a) == 4 && got != 0 {
			t.Errorf("%v times %g: largest %v, want %v", c.a, c.scale, got, want)
		}
	}
	for _, v := range []float64{math.NaN(), inf, -inf} {
		for _, data := range [][]float64{{v}, {v, 1, 1, 1}, {1, v, v, 1}, {1, 1, 1, v}} {
			a := mat.NewSymDense(int(math.Sqrt(float64(len(data)))), data)
			if e := symmetric.EigenCeiling(a); e != inf {
				t.Errorf("%v: ceiling %v, want +Inf", data, e)
			}
		}
	}
}

// The ceilings leave the room that the proofs ask for: (n+2)u tr(λI − A) above the
// largest eigenvalue.
func TestRoomOfCeilings(t *testing.T) {
	for n := 1; n <= 40; n++ {
		a := mat.NewSymDense(n, nil)
		for i := range n {
			a.SetSym(i, i, -1-float64(i))
		}
		a.SetSym(0, 0, 1)
		trace := float64(n*(n+1))/2 - 1 + float64(n-1)
		room := float64(n+2) * interval.Unit * trace
		if got := symmetric.EigenCeiling(a); !(got-1 >= room && got-1 <= 4*room+2e-14) {
			t.Errorf("order %d: ceiling 1 + %g, want at least %g", n, got-1, room)
		}
	}
}

// ZᵀZ − I of a Z that is not square, in whole numbers.
func TestSkew(t *testing.T) {
	z := mat.NewDense(3, 2, []float64{1, 2, 0, 2, 2, 0})
	norm, off := symmetric.Skew(z) // [[4, 2], [2, 7]]
	if want := math.Sqrt(16 + 4 + 4 + 49); math.Abs(norm-want) > 1e-14 || !(off >= 3*2*interval.Unit && off < 1e-14) {
		t.Errorf("skew %v ± %v, want %v", norm, off, want)
	}
	q := symmetric.RandomBasis(30, rand.NewPCG(1, 2))
	if norm, off := symmetric.Skew(q); norm > 1e-13 || norm > off {
		t.Errorf("an orthonormal basis has the skew %v ± %v", norm, off)
	}
}

// The small matrices are what they are called.
func TestMatrices(t *testing.T) {
	a := mat.NewSymDense(2, []float64{1, 2, 2, 5})
	b := mat.NewSymDense(2, []float64{3, -1, -1, 4})
	sum := mat.NewSymDense(2, nil)
	symmetric.Combine(sum, 2, a, -3, b)
	same := mat.NewSymDense(2, []float64{1, 2, 2, 5})
	symmetric.Combine(same, 2, same, -3, b)
	other := mat.NewSymDense(2, []float64{3, -1, -1, 4})
	symmetric.Combine(other, 2, a, -3, other)
	combined := mat.NewSymDense(2, []float64{-7, 7, 7, -2})
	for name, c := range map[string]struct{ got, want mat.Matrix }{
		"eye":         {symmetric.Eye(2), mat.NewDense(2, 2, []float64{1, 0, 0, 1})},
		"multiple":    {symmetric.Multiple(2, -3), mat.NewSymDense(2, []float64{-3, 0, 0, -3})},
		"symmetrized": {symmetric.Symmetrized(mat.NewDense(2, 2, []float64{1, 2, 6, 5})), mat.NewSymDense(2, []float64{1, 4, 4, 5})},
		"combined":    {sum, combined},
		"over x":      {same, combined},
		"over y":      {other, combined},
		"turned":      {symmetric.Turn(a, mat.NewDense(2, 1, []float64{3, -1})), mat.NewSymDense(1, []float64{2})},
	} {
		if !mat.Equal(c.got, c.want) {
			t.Errorf("%s:\n%v\nwant\n%v", name, mat.Formatted(c.got), mat.Formatted(c.want))
		}
	}
}

// The basis of a seed, as its draws make it.
func TestRandomBasisOfASeed(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	draws := mat.NewDense(3, 3, nil)
	for i := range 3 {
		for j := range 3 {
			draws.Set(i, j, rng.NormFloat64())
		}
	}
	q := symmetric.RandomBasis(3, rand.NewPCG(5, 6))
	var r mat.Dense
	r.Mul(q.T(), draws) // triangular: Q spans the draws column by column
	for i := range 3 {
		for j := range i {
			if math.Abs(r.At(i, j)) > 1e-14 {
				t.Errorf("QᵀA[%d][%d] = %v, want 0", i, j, r.At(i, j))
			}
		}
	}
}

// At an order where a sum's many roundings outweigh what its terms are off by, the factor
// holds what rational arithmetic finds all the same.
func TestFactorOfALargerOrder(t *testing.T) {
	const n = 14
	rng := rand.New(rand.NewPCG(75, 76))
	a := scaledGram(n, n+4, 20, rng)
	f, ok := symmetric.Exactly(a).Factorize()
	if !ok {
		t.Fatal("no factor")
	}
	inv := inverse(rational(a))
	solved := f.Solve(symmetric.Exactly(symmetric.Eye(n)))
	for i := range n {
		for j := range n {
			holds(t, "A⁻¹", solved, i, j, inv[i][j], new(big.Rat).Add(inv[i][i], inv[j][j]))
		}
	}
}

// The scales of rows do not matter, however far beyond float64.
func TestFactorOfFarScales(t *testing.T) {
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
