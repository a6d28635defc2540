package symmetric

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// What is allowed for rounding is what its derivations ask for, in full and no more.
func TestRoundingIsAllowedFor(t *testing.T) {
	for n := 1; n < 9; n++ {
		diagonal := mat.NewSymDense(n, nil)
		for i := range n {
			diagonal.SetSym(i, i, math.Ldexp(1, -i))
		}
		trace := 2 - math.Ldexp(1, 1-n)
		if got, want := cholesky(diagonal), 2*float64(n+4)*Unit*trace+0x1p-1000; got != want {
			t.Errorf("order %d: a factorization is off by %v, want %v", n, got, want)
		}
		if got := cholesky(mat.NewSymDense(n, nil)); got != 0x1p-1000 {
			t.Errorf("order %d: a factorization of 0 is off by %v", n, got)
		}
		if got := shifted(diagonal, 3); got.At(0, 0) != 4 || got.At(n-1, n-1) != 3+math.Ldexp(1, 1-n) {
			t.Errorf("order %d: shifted to %v", n, mat.Formatted(got))
		}
		// λ + margin, and the proof's own room: 2(n+4)u(trace + |λ| + ‖A‖), the trace being that of
		// λI − A and the margins.
		top, norm := 1.0, mat.Norm(diagonal, 2)
		margin := 4 * float64(n) * Unit * norm
		room := margin + float64(n+4)*2*Unit*(float64(n)*(top+margin)-trace+top+norm)
		if got := eigenCeiling(diagonal) - top; math.Abs(got-room) > 2*Unit {
			t.Errorf("order %d: %v above the largest eigenvalue, want %v", n, got, room)
		}
		if _, off := Skew(diagonal); off != 4*float64(n*n)*Unit {
			t.Errorf("order %d: a skewness is off by %v", n, off)
		}
	}
	// A pair's ceiling is twice that of the rest, in which the two largest are one, and what was
	// taken away.
	rng := rand.New(rand.NewPCG(113, 1))
	for range 20 {
		a, b := math.Abs(rng.NormFloat64()), math.Abs(rng.NormFloat64())
		pair := mat.NewSymDense(3, []float64{a, 0, 0, 0, 1e-9, 0, 0, 0, b})
		rest := mat.NewSymDense(3, []float64{min(a, b), 0, 0, 0, 1e-9, 0, 0, 0, min(a, b)})
		gap := math.Abs(a - b)
		want := 2*eigenCeiling(rest) + gap + 16*Unit*(mat.Norm(pair, 2)+3*gap)
		if got := pairCeiling(pair); math.Abs(got-want) > 4*Unit*(a+b) {
			t.Errorf("eigenvalues %v and %v: ceiling %v, want %v", a, b, got, want)
		}
	}
	if got, want := pairCeiling(mat.NewSymDense(1, []float64{3})), eigenCeiling(mat.NewSymDense(1, []float64{3})); got != want {
		t.Errorf("the pair of one eigenvalue has the ceiling %v, want %v", got, want)
	}
	// A difference across the diagonal of just what is allowed passes, and a little more does not.
	for d, want := range map[float64]bool{slack: true, slack * (1 + 1e-15): false} {
		if _, err := Of("k", mat.NewDense(2, 2, []float64{1, d, 0, 1})); (err == nil) != want {
			t.Errorf("a difference of %v: error %v", d, err)
		}
		if _, err := Of("k", mat.NewDense(2, 2, []float64{0.5, 1, 1 - d, 0.5})); d == slack && err != nil {
			t.Errorf("a difference of %v: error %v", d, err)
		}
	}
	if s, err := Of("k", mat.NewDense(1, 1, []float64{-7})); err != nil || s.At(0, 0) != -7 {
		t.Errorf("a matrix of order 1: %v, error %v", s, err)
	}
	if s, err := Of("k", new(mat.Dense)); err == nil {
		t.Errorf("a matrix of order 0: %v", s)
	}
	e := Exactly(mat.NewDense(3, 2, []float64{1, 2, 3, 4, 5, 6})).Row(1)
	if rows, cols := e.Dims(); rows != 1 || cols != 2 || e.Middle().At(0, 1) != 4 || len(e.mid) != 2 || len(e.rad) != 2 {
		t.Errorf("a row of %d×%d: %v", rows, cols, mat.Formatted(e.Middle()))
	}
}
