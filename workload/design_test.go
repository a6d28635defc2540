package workload_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/mvg"
	"dpworkbench/workload"

	"gonum.org/v1/gonum/mat"
)

// overOptimum returns the error of a design over the optimum for workload w, in per cent. sigma is the covariance of
// the answers, which form a single column.
func overOptimum(t *testing.T, w workload.Workload, sigma *mat.SymDense, o workload.Objective) evidence.Certified {
	t.Helper()
	m, _ := w.Dims()
	k, err := mvg.NewDense(sigma)
	if err != nil {
		t.Fatal(err)
	}
	one, err := mvg.NewIsotropic(1, 1)
	if err != nil {
		t.Fatal(err)
	}
	ball, err := mvg.NewBall(m, 1, mvg.BallOptions{S2: 1, Gamma: 1})
	if err != nil {
		t.Fatal(err)
	}
	d, err := mvg.NewDesign(ctx, ball, k, one)
	if err != nil {
		t.Fatal(err)
	}
	best, err := workload.LeastError(ctx, w, o, workload.Participation{}, workload.Options{})
	if err != nil {
		t.Fatal(err)
	}
	over, err := workload.DesignOverOptimum(ctx, d, w, o, best)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := workload.DesignOverOptimum(ctx, d, prefix(t, m+1), o, best); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("a workload with another number of answers: %v", err)
	}
	return over
}

func TestDesignOverOptimum(t *testing.T) {
	src := rand.New(rand.NewPCG(58, 3))
	for _, o := range []workload.Objective{workload.Max, workload.Mean} {
		for n := 2; n < 7; n++ {
			w := prefix(t, n)
			b, err := newStrategy(t, w, "optimal", workload.StrategyParams{Objective: o}).Decoder()
			if err != nil {
				t.Fatal(err)
			}
			var best mat.SymDense
			best.SymOuterK(1, b)
			if over := overOptimum(t, w, &best, o); over.Hi > 1e-3 {
				t.Errorf("n = %d, %v: the covariance of the optimum is %v %% over the optimum", n, o, over)
			}
			a := mat.NewDense(n, n, nil)
			for i := range n {
				for j := range n {
					a.Set(i, j, src.NormFloat64())
				}
			}
			var sigma mat.SymDense
			sigma.SymOuterK(1, a)
			var precision mat.Dense
			if err := precision.Inverse(&sigma); err != nil {
				t.Fatal(err)
			}
			dense, _ := w.Dense()
			moved, most, trace := 0.0, 0.0, 0.0
			for j := range n {
				x := mat.VecDenseCopyOf(dense.ColView(j))
				moved = max(moved, mat.Inner(x, &precision, x))
				most, trace = max(most, sigma.At(j, j)), trace+sigma.At(j, j)/float64(n)
			}
			if o == workload.Mean {
				most = trace
			}
			least, err := workload.LeastError(ctx, w, o, workload.Participation{}, workload.Options{})
			if err != nil {
				t.Fatal(err)
			}
			want := 100 * (math.Sqrt(moved*most)/least.Error.Float() - 1)
			if got := overOptimum(t, w, &sigma, o).Float(); math.Abs(got-want) > 1e-5*(100+want) {
				t.Errorf("n = %d, %v: a random design is %v %% over the optimum, want %v", n, o, got, want)
			}
		}
	}
}
