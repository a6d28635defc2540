package planes

import (
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/symmetric"

	"gonum.org/v1/gonum/mat"
)

// A program of one number: y₁ + 3·max(0, 2 − y₁) where the trace is a bound, and with the
// difference's sign where it is known.
func TestBoundByHand(t *testing.T) {
	for _, isBound := range []bool{false, true} {
		for _, y := range []float64{-1, 1, 2, 5} {
			p := &program{
				d:        2,
				blocks:   []block{{n: 1, trace: 3, traceIsBound: isBound, constant: symmetric.Multiple(1, 2)}},
				unknowns: []unknown{{cells: [][]cell{{{0, 0, 1}}}, cost: 1}},
			}
			want := y + 3*(2-y)
			if isBound {
				want = y + 3*math.Max(0, 2-y)
			}
			if got := p.bound([]float64{y}); got < want || got > want+1e-11 {
				t.Errorf("y = %v, trace is a bound %v: %v, want just above %v", y, isBound, got, want)
			}
		}
	}
}

// A cover's M and N are raised by what they lack of the four inequalities, and by no more.
func TestCertifyRaisesByWhatLacks(t *testing.T) {
	rng := rand.New(rand.NewPCG(109, 1))
	for range 50 {
		d := 3 + rng.IntN(4)
		s := newHalfPlanes(newForms(drawn(d, 1, rng), drawn(d, 1, rng)), firstTwo(symmetric.RandomBasis(d, rng)))
		l := s.reflectionFormOf([4]float64{1, 0.8, 0.6, 0.7})
		rest, a, b := l.parts()
		multiple := func(v float64) *mat.SymDense { return symmetric.Multiple(d, v) }
		top := symmetric.PairCeiling(rest)
		// Far above A and B, M = N = 0 is a cover; so is any multiple of I below, once raised to 0,
		// and any above as it is.
		far := 20.0
		for _, c := range []struct{ m, n, want float64 }{{0, 0, 0}, {-1, 0, 0}, {0, -2, 0}, {-1, -3, 0}, {1, 0, 2}, {0, 0.5, 1}, {2, -1, 4}} {
			got := l.certify(cover{alpha: far, beta: far, m: multiple(c.m), n: multiple(c.n)})
			if want := 2*far + top + c.want; got < want || got > want+1e-11 {
				t.Errorf("M = %v, N = %v: level %v, want just above %v", c.m, c.n, got, want)
			}
		}
		// At α = β = 0 they are raised to the largest eigenvalues of A and B.
		up := symmetric.EigenCeiling(a) + symmetric.EigenCeiling(b)
		if got, want := l.certify(cover{m: multiple(0), n: multiple(0)}), top+2*up; got < want*(1-1e-13) || got > want+1e-11 {
			t.Errorf("α = β = 0: level %v, want just above %v", got, want)
		}
	}
}
