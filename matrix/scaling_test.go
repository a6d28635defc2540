package matrix

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/must"

	"gonum.org/v1/gonum/mat"
)

// The scaled entries are those of the matrix times powers of two, however rows and columns were scaled. They are at
// most ½, and each column has one above ⅛.
func TestScaledEntries(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for trial := range 200 {
		n := 1 + rng.IntN(6)
		a := mat.NewDense(n, n, nil)
		rows, columns := make([]int, n), make([]int, n)
		for i := range n {
			rows[i], columns[i] = rng.IntN(80)-40, rng.IntN(80)-40
		}
		for i := range n {
			for j := range n {
				x := rng.NormFloat64() * math.Exp(2*rng.NormFloat64())
				if rng.IntN(4) == 0 && i != j {
					x = 0
				}
				a.Set(i, j, math.Ldexp(x, rows[i]+columns[j]))
			}
		}
		s, err := newSystem(a)
		if err != nil {
			if errors.Is(err, ErrSingular) {
				continue
			}
			t.Fatal(err)
		}
		for j := range n {
			most := 0.0
			for i := range n {
				x := s.scaled.At(i, j)
				if x != math.Ldexp(a.At(i, j), -s.rows[i]-s.columns[j]) {
					t.Fatalf("trial %d: entry (%d, %d) of the scaled matrix is %v", trial, i, j, x)
				}
				most = max(most, math.Abs(x))
			}
			if most > 0.5 || most <= 0.125 {
				t.Errorf("trial %d: the largest entry of column %d is %v, want above ⅛ and at most ½", trial, j, most)
			}
		}
	}
	for _, x := range []float64{1, 0.75, 0.5, 3, 1e300, 5e-324} {
		s := must.For(newSystem(mat.NewDense(1, 1, []float64{x})))(t)
		if v := s.scaled.At(0, 0); v > 0.5 || v <= 0.125 {
			t.Errorf("%v is scaled to %v", x, v)
		}
	}
	if got, found := middle(3, false, func(i int) float64 { return []float64{1, math.NaN(), 4}[i] }); got != 2.5 || !found {
		t.Errorf("middle is %v, %t", got, found)
	}
	if got, found := middle(3, true, func(i int) float64 { return []float64{-7, math.NaN(), -4}[i] }); got != -4 || !found {
		t.Errorf("middle with largest is %v, %t", got, found)
	}
	for _, largest := range []bool{false, true} {
		if _, found := middle(2, largest, func(int) float64 { return math.NaN() }); found {
			t.Error("middle finds a value among NaNs")
		}
	}
}

// point turns a vector so that its largest entry is positive. Among entries that are equal up to rounding, the first
// decides. No entry is −0.
func TestPoint(t *testing.T) {
	for _, c := range []struct {
		x, want []float64
		turned  bool
	}{
		{[]float64{0.6, -0.8}, []float64{-0.6, 0.8}, true}, {[]float64{-0.6, 0.8}, []float64{-0.6, 0.8}, false}, {[]float64{0.8, -0.6}, []float64{0.8, -0.6}, false},
		{[]float64{-0.5, 0.5}, []float64{0.5, -0.5}, true}, {[]float64{0.5, -0.5}, []float64{0.5, -0.5}, false},
		{[]float64{0.5, -0.5 * (1 + 0x1p-45)}, []float64{0.5, -0.5 * (1 + 0x1p-45)}, false}, {[]float64{0.5, -0.5 * (1 + 0x1p-35)}, []float64{-0.5, 0.5 * (1 + 0x1p-35)}, true},
		{[]float64{1}, []float64{1}, false}, {[]float64{-1, 0}, []float64{1, 0}, true}, {[]float64{math.Copysign(0, -1), 1}, []float64{0, 1}, false},
		{[]float64{0.3, 0.1, -0.9}, []float64{-0.3, -0.1, 0.9}, true},
	} {
		if turned := point(c.x); turned != c.turned {
			t.Errorf("%v turned: %t", c.want, turned)
		}
		for i, v := range c.x {
			if math.Float64bits(v) != math.Float64bits(c.want[i]) {
				t.Errorf("%v, want %v", c.x, c.want)
			}
		}
	}
}
