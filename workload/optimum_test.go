package workload_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/must"
	"dpworkbench/workload"

	"gonum.org/v1/gonum/mat"
)

func leastError(t *testing.T, w workload.Workload, o workload.Objective, p workload.Participation) workload.Optimum {
	t.Helper()
	best, err := workload.LeastError(context.Background(), w, o, p, workload.Options{})
	if err != nil {
		t.Fatalf("%s, %v: %v", w.Name(), o, err)
	}
	return best
}

func dense(rows, columns int, v ...float64) workload.Workload {
	return must.Be(workload.NewMatrix("w", mat.NewDense(rows, columns, v)))
}

// The cases have known values of γ₂: √n for a sign matrix with orthogonal rows of length n, 2/√3 for the 2 × 2
// triangle, and the largest absolute entry of a row. The least mean error of a row has the same value. That of a column
// is the root mean square.
func TestLeastErrorIsKnown(t *testing.T) {
	const most, mean = workload.Max, workload.Mean
	for _, c := range []struct {
		w    workload.Workload
		o    workload.Objective
		want float64
	}{
		{dense(3, 3, 1, 0, 0, 0, 1, 0, 0, 0, 1), most, 1},
		{dense(3, 3, 1, 0, 0, 0, 1, 0, 0, 0, 1), mean, 1},
		{dense(4, 4, 1, 1, 1, 1, 1, -1, 1, -1, 1, 1, -1, -1, 1, -1, -1, 1), most, 2},
		{dense(4, 4, 1, 1, 1, 1, 1, -1, 1, -1, 1, 1, -1, -1, 1, -1, -1, 1), mean, 2},
		{dense(2, 2, 1, 0, 1, 1), most, 2 / math.Sqrt(3)},
		{dense(3, 2, 1, 1, 1, 1, 1, 1), most, 1},
		{dense(1, 3, 1, -3, 2), most, 3},
		{dense(1, 3, 1, -3, 2), mean, 3},
		{dense(3, 1, 1, -3, 2), most, 3},
		{dense(3, 1, 1, -3, 2), mean, math.Sqrt(14. / 3)},
		// Zero rows and columns, and entries near the limits of float64.
		{dense(3, 3, 0, 0, 0, 2, 0, 0, 0, 0, 2), most, 2},
		{dense(3, 3, 0, 0, 0, 2, 0, 0, 0, 0, 2), mean, 2 * math.Sqrt(2./3)},
		{dense(2, 2, 0x1p1000, 0, 0x1p1000, 0x1p1000), most, 0x1p1001 / math.Sqrt(3)},
		{dense(2, 2, 0x1p-1000, 0, 0x1p-1000, 0x1p-1000), most, 0x1p-999 / math.Sqrt(3)},
		{must.Be(workload.NewToeplitz("nearly singular", []float64{1e-320, 1e300})), most, 1e300},
		// These were computed by 200 singular value decompositions of matrices of order n.
		{must.Be(workload.PrefixSums(64)), most, 2.11136665},
		{must.Be(workload.PrefixSums(1)), most, 1},
		{must.Be(workload.PrefixSums(8)), most, .8486 + math.Log(8)/math.Pi},
		{must.Be(workload.PrefixSums(9)), most, .84345 + math.Log(9)/math.Pi},
	} {
		got := leastError(t, c.w, c.o, workload.Participation{}).Error
		tolerance := 1e-12
		if c.want > 1 && c.want < 10 && c.want != math.Trunc(c.want) {
			tolerance = 5e-5 // the decimals of these values are rounded
		}
		if got.Lo > c.want*(1+tolerance) || got.Hi < c.want*(1-tolerance) || !(got.Hi <= got.Lo*(1+1e-6)) {
			t.Errorf("%s %v: [%v, %v], want %v", c.w.Name(), c.o, got.Lo, got.Hi, c.want)
		}
	}
}

// random returns a random matrix, whose optimal weights are often zero.
func random(seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 58))
	d := mat.NewDense(1+rng.IntN(7), 1+rng.IntN(7), nil)
	d.Apply(func(_, _ int, _ float64) float64 {
		switch {
		case seed%2 == 0 || rng.IntN(4) > 0:
			return rng.NormFloat64()
		case seed%3 == 0:
			return 1
		}
		return 0
	}, d)
	d.Set(0, 0, 1)
	return d
}

func TestFactorisationAttainsTheUpperEnd(t *testing.T) {
	for seed := range uint64(200) {
		d := random(seed)
		w := must.Be(workload.NewMatrix("w", d))
		for _, o := range []workload.Objective{workload.Max, workload.Mean} {
			best := leastError(t, w, o, workload.Participation{})
			if !(best.Error.Lo <= best.Error.Hi && best.Error.Hi <= best.Error.Lo*(1+2e-7)) {
				t.Errorf("seed %d, %v: [%v, %v]", seed, o, best.Error.Lo, best.Error.Hi)
			}
			var product mat.Dense
			product.Mul(best.B, best.C)
			if !mat.EqualApprox(&product, d, 1e-9) {
				t.Errorf("seed %d, %v: BC − W is not small", seed, o)
			}
			got := errorOf(best.B, best.C, o)
			if !(math.Abs(got-best.Error.Hi) <= 1e-7*got) {
				t.Errorf("seed %d, %v: B and C have error %v, want %v", seed, o, got, best.Error.Hi)
			}
		}
	}
}

// errorOf returns the error of B times the sensitivity of C, computed from the entries.
func errorOf(b, c *mat.Dense, o workload.Objective) float64 {
	m, _ := b.Dims()
	_, n := c.Dims()
	var squares, most, reach float64
	for i := range m {
		r := mat.Norm(b.RowView(i), 2)
		squares, most = squares+r*r, max(most, r)
	}
	for j := range n {
		reach = max(reach, mat.Norm(c.ColView(j), 2))
	}
	if o == workload.Mean {
		return math.Sqrt(squares/float64(m)) * reach
	}
	return most * reach
}

func TestNoStrategyIsBelowTheLowerEnd(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 58))
	for _, n := range []int{2, 5, 9} {
		w := must.Be(workload.PrefixSums(n))
		d := must.Be(w.Dense())
		for _, o := range []workload.Objective{workload.Max, workload.Mean} {
			best := leastError(t, w, o, workload.Participation{})
			for range 300 {
				// Strategies near the best have errors just above the lower end, so a lower end that is too high fails.
				c := mat.DenseCopyOf(best.C)
				size := math.Exp(-12 * rng.Float64())
				c.Apply(func(_, _ int, v float64) float64 { return v + size*rng.NormFloat64() }, c)
				var b mat.Dense
				if err := b.Solve(c.T(), d.T()); err != nil {
					continue
				}
				if got := errorOf(mat.DenseCopyOf(b.T()), c, o); got < best.Error.Lo*(1-1e-13) {
					t.Errorf("n = %d, %v: a strategy has error %v, below %v", n, o, got, best.Error.Lo)
				}
			}
		}
	}
}

func TestKroneckerProductsMultiply(t *testing.T) {
	a, b := must.Be(workload.PrefixSums(5)), must.Be(workload.NewMatrix("b", random(6)))
	w := must.Be(workload.NewKronecker(a, must.Be(workload.NewKronecker(b, a))))
	small := must.Be(workload.NewKronecker(a, b))
	for _, o := range []workload.Objective{workload.Max, workload.Mean} {
		whole := leastError(t, must.Be(workload.NewMatrix("w", must.Be(small.Dense()))), o, workload.Participation{}).Error
		parts := leastError(t, small, o, workload.Participation{}).Error
		if whole.Lo > parts.Hi || parts.Lo > whole.Hi {
			t.Errorf("%v: [%v, %v] from factors, [%v, %v] from the product", o, parts.Lo, parts.Hi, whole.Lo, whole.Hi)
		}
		if best := leastError(t, w, o, workload.Participation{}); len(best.Factors) != 3 {
			t.Errorf("%d factors, want 3", len(best.Factors))
		}
	}
}

// A search with Newton steps over all 528 rows gave 2.19454797.
func TestLeastErrorOfManyRows(t *testing.T) {
	e := leastError(t, must.Be(workload.Ranges(32)), workload.Max, workload.Participation{}).Error
	if !(e.Lo <= 2.194548 && e.Hi >= 2.194547 && e.Hi <= e.Lo*(1+2e-7)) {
		t.Errorf("the least error is in [%v, %v], want 2.19454797", e.Lo, e.Hi)
	}
}
