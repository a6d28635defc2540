package matrices

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/interval"

	"gonum.org/v1/gonum/mat"
)

// No pair of random neighbors exceeds the bounds. The loss of a pair follows from the eigenvalues of C⁻¹C'. The pairs
// come within a factor of 30 of the bounds.
func TestNeighborsWithinBounds(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(29, 1))
	const width, move, rows = 6.0, 1.0, 5
	eps := evidencetest.Epsilon(0.5)
	bounds := map[Form]float64{}
	for _, f := range []Form{Raised, Threshold} {
		j := must.Be(NewJL(f, rows, width, move))
		d := must.Be(j.Privacy().Delta(context.Background(), eps))
		_, bounds[f] = d.Bounds()
	}
	law := newChiSquare(rows)
	most := map[Form]float64{}
	for range 60 {
		const m = 2
		n := 2 + rng.IntN(3)
		x := mat.NewDense(m, n, nil)
		scale := math.Exp(4 * rng.Float64())
		for i := range m {
			for k := range n {
				x.Set(i, k, scale*rng.NormFloat64())
			}
		}
		y := mat.DenseCopyOf(x)
		angle := 2 * math.Pi * rng.Float64()
		y.Set(0, 0, y.At(0, 0)+move*math.Cos(angle))
		y.Set(1, 0, y.At(1, 0)+move*math.Sin(angle))
		for _, f := range []Form{Raised, Threshold} {
			j := JL{Form: f, Rows: rows, Width: width, Move: move}
			if j.Check(x) != nil || j.Check(y) != nil {
				continue
			}
			a, b := gram(x), gram(y)
			if f == Raised {
				for i := range m {
					a.SetSym(i, i, a.At(i, i)+width*width)
					b.SetSym(i, i, b.At(i, i)+width*width)
				}
			}
			var quotient mat.Dense
			if err := quotient.Solve(a, b); err != nil {
				t.Fatal(err)
			}
			half, det := mat.Trace(&quotient)/2, mat.Det(&quotient)
			root := math.Sqrt(math.Max(0, half*half-det))
			both := must.Be(law.twoScales(context.Background(), interval.Float(0.5), interval.Float(math.Max(1, half+root)), interval.Float(math.Min(1, half-root)), func(lo, hi float64) bool { return hi < bounds[f]/50 || near(0.1)(lo, hi) }))
			lo, _ := both.Bounds()
			most[f] = math.Max(most[f], lo)
			if lo > bounds[f] {
				t.Errorf("%s: a pair has δ ≥ %v, the bound is %v", f, lo, bounds[f])
			}
		}
	}
	for f, v := range most {
		if v < bounds[f]/30 {
			t.Errorf("%s: the pairs reach only %v, the bound is %v", f, v, bounds[f])
		}
	}
}
