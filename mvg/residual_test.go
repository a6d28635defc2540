package mvg

import (
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/interval"
	"dpworkbench/mvg/internal/symmetric"

	"gonum.org/v1/gonum/mat"
)

// Residuals of allocations that are not the best are the largest violation, whichever it is.
func TestResidualsOfAnyAllocation(t *testing.T) {
	rng := rand.New(rand.NewPCG(98, 1))
	for range 500 {
		draw := func() float64 { return math.Exp(rng.NormFloat64()) }
		l, weights, budget := []float64{draw(), draw()}, []float64{draw(), draw()}, draw()
		w := &Waterfilling{Precisions: []float64{draw(), draw()}, Level: draw(), Active: []int{0, 1}}
		if rng.IntN(2) == 0 {
			w.Precisions[1] = 0
		}
		want, spent := 0.0, 0.0
		for i, p := range w.Precisions {
			slope := l[i]/(1+l[i]*p)*w.Level/weights[i] - 1
			if want = math.Max(want, slope); p > 0 {
				want = math.Max(want, -slope)
			}
			spent += weights[i] * p
		}
		want = math.Max(want, math.Abs(spent/budget-1))
		if got := w.linearResidual(exactly(l), exactly(weights), interval.Float(budget)); math.Abs(got-want) > 1e-13*(1+want) {
			t.Errorf("l1 residual %v, want %v", got, want)
		}
		want, spent = 0, 0
		for _, i := range w.Active {
			p := w.Precisions[i]
			want = math.Max(want, math.Abs(1-2*w.Level*p*(1+l[i]*p)/l[i]))
			spent += p * p
		}
		want = math.Max(want, math.Abs(spent/budget-1))
		if got := w.squaresResidual(exactly(l), interval.Float(budget)); math.Abs(got-want) > 1e-13*(1+want) {
			t.Errorf("l2 residual %v, want %v", got, want)
		}
	}
}

// A logarithm of a ratio is enclosed by either way, also where the ratio is hardly known.
func TestLogOfARatio(t *testing.T) {
	for _, c := range [][2]float64{{-0.75, 0.25}, {-0.25, 0.25}, {-0.25, 3}, {-0.99, 5}, {0, 0}, {1e-30, 2e-30}, {7, 8}} {
		above := interval.Between(c[0], c[1])
		lo, hi := ratio{interval.Int(1).Add(above), above}.log().Bounds()
		if a, b := math.Log1p(c[0]), math.Log1p(c[1]); lo > a || hi < b || math.Abs(lo-a) > 1e-14*math.Abs(a) || math.Abs(hi-b) > 1e-14*math.Abs(b) {
			t.Errorf("ln(1 + [%v, %v]) in [%v, %v], want [%v, %v]", c[0], c[1], lo, hi, a, b)
		}
	}
}

// The inverse of directions holds I in its product with them, entry by entry, at orders where
// it is enclosed and beyond.
func TestInverseOfDirections(t *testing.T) {
	rng := rand.New(rand.NewPCG(98, 2))
	for _, m := range []int{2, 5, enclosedOrder + 6} {
		w := symmetric.RandomBasis(m, rng)
		for i := range m {
			w.Set(i, 0, w.At(i, 0)*(1+3e-9)) // of norm above 1
			w.Set(i, 1, w.At(i, 1)*(1-1e-9))
		}
		f := ok(newFrame(w, uniform(m, 1)))
		var want mat.Dense
		if err := want.Inverse(w); err != nil {
			t.Fatal(err)
		}
		inverse, close := f.inverse(), 1e-12
		if m > enclosedOrder {
			close = 1e-7
		}
		for i := range m {
			for j := range m {
				v, known := inverse.At(i, j)
				lo, hi := v.Bounds()
				if x := want.At(i, j); !known || x < lo-1e-13 || x > hi+1e-13 || hi-lo > close {
					t.Fatalf("order %d: entry (%d, %d) of W⁻¹ in [%v, %v], want %v", m, i, j, lo, hi, x)
				}
			}
		}
	}
}

// A residual is the larger of both ends where what it is of is known in part.
func TestResidualsOfWideBudgets(t *testing.T) {
	w := &Waterfilling{Precisions: []float64{1}, Active: []int{0}, Level: 0.25}
	one := []interval.Interval{interval.Int(1)} // 1 − 2·¼·1·2 = 0
	for _, c := range []struct{ least, most, want float64 }{{0.5, 1, 1}, {0.8, 4, 0.75}, {1, 1, 0}, {0.25, 8, 3}} {
		if got := w.squaresResidual(one, interval.Between(c.least, c.most)); math.Abs(got-c.want) > 1e-15 {
			t.Errorf("a budget from %v to %v: residual %v, want %v", c.least, c.most, got, c.want)
		}
	}
	for _, c := range []struct{ least, most, want float64 }{{0.25, 1, 1.5}, {1, 8, 0.4375}} { // 1 − ½(1 + λ)/λ
		if got := w.squaresResidual([]interval.Interval{interval.Between(c.least, c.most)}, interval.Int(1)); got < c.want-1e-15 {
			t.Errorf("an eigenvalue from %v to %v: residual %v, want %v at least", c.least, c.most, got, c.want)
		}
	}
}
