package learn_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/internal/ctxtest"
	"dpworkbench/internal/must"
	"dpworkbench/internal/parallel"
	"dpworkbench/reproductions/learn"

	"gonum.org/v1/gonum/mat"
)

// Regressions of two records agree with values computed by hand, also for records of different lengths.
func TestRidgeByHand(t *testing.T) {
	// K = (2 3; 3 5) + 1 has determinant 9 and gives weights (6·1 − 3·2, 3·2 − 3·1)/9 = (0, ⅓).
	r := must.For(learn.FitRidge(learn.Linear, 1, [][]float64{{1}, {2}}, []float64{1, 2}))(t)
	if got := r.Predict([]float64{4}); math.Abs(got-3) > 1e-14 { // ⅓·(1 + 8)
		t.Errorf("at 4: %v, want 3", got)
	}
	if got := must.For(r.RMSE([][]float64{{4}, {1}}, []float64{7, 4}))(t); math.Abs(got-math.Sqrt((16+9)/2.)) > 1e-14 { // errors of 4 and 3
		t.Errorf("error %v", got)
	}
	for _, c := range []struct{ got, want float64 }{
		{learn.Inner([]float64{1, 2, 3}, []float64{4, 5}), 14}, {learn.Inner([]float64{1}, []float64{4, 5}), 4}, {learn.Linear([]float64{2}, []float64{4, 5}), 9},
		{learn.RBF(2)([]float64{1, 2, 3}, []float64{4, 4}), math.Exp(-22. / 8)}, {learn.RBF(2)([]float64{4, 4}, []float64{1, 2, 3}), math.Exp(-22. / 8)}, {learn.RBF(0.5)(nil, []float64{1}), math.Exp(-2)},
	} {
		if math.Abs(c.got-c.want) > 1e-15 {
			t.Errorf("%v, want %v", c.got, c.want)
		}
	}
	singular := must.For(learn.FitRidge(learn.Inner, 1e-17, [][]float64{{1}, {0}}, []float64{1, 0}))(t) // ill-conditioned, but solved
	if got := singular.Predict([]float64{1}); math.Abs(got-1) > 1e-9 {
		t.Errorf("%v, want 1", got)
	}
}

// The lost variance and the residual sum agree with values computed by hand, for diag(5, 3, 1) estimated by a matrix
// with rotated axes.
func TestComponentsByHand(t *testing.T) {
	s := mat.NewSymDense(3, []float64{5, 0, 0, 0, 3, 0, 0, 0, 1})
	estimate := mat.NewDense(3, 3, []float64{1, 4, 0, 0, 9, 0, 0, 0, 2}) // symmetric part (1 2; 2 9) and 2
	values, vectors, err := learn.Components(s)
	if err != nil || !slices.Equal(values, []float64{5, 3, 1}) || math.Abs(vectors.At(0, 0)) != 1 || math.Abs(vectors.At(1, 1)) != 1 || vectors.At(0, 1) != 0 {
		t.Errorf("components %v, %v, error %v", values, vectors, err)
	}
	// (1 2; 2 9) has eigenvalues 5 ± √20. Its first vector has cos² = ½ − 4/√80 with the first axis.
	cos := .5 - 2/math.Sqrt(20)
	first := 5*cos + 3*(1-cos)
	if got := must.For(learn.LostVariance(s, estimate))(t); math.Abs(got-(5-first)) > 1e-13 {
		t.Errorf("lost %v, want %v", got, 5-first)
	}
	// The eigenvalues are 9.47, 2 and 0.53, so the third axis comes second.
	want := (5-first)*(5-first) + (3-1.)*(3-1.) + (1-(8-first))*(1-(8-first))
	if got := must.For(learn.ResidualSum(s, estimate))(t); math.Abs(got-want) > 1e-12 {
		t.Errorf("residual %v, want %v", got, want)
	}
	g := must.For(learn.Gram(mat.NewDense(2, 4, []float64{1, 2, 3, 4, -1, 0, 1, 2})))(t)
	if g.At(0, 0) != 7.5 || g.At(0, 1) != 2.5 || g.At(1, 1) != 1.5 {
		t.Errorf("Gram matrix %v", mat.Formatted(g))
	}
}

// Fits of the club from a seed never change, after a few sweeps and to six digits.
func TestFitsFromSeed(t *testing.T) {
	tell := func(k int, o learn.BigclamOptions, seed uint64) string {
		b := must.For(learn.FitBigclam(t.Context(), learn.Karate, k, o, rand.NewPCG(seed, 3)))(t)
		sum, square := 0.0, 0.0
		for i, v := range b.Affiliations {
			sum += float64(1+i%7) * v
			square += v * v
		}
		return fmt.Sprintf("%.6g %.6g %.6g %.6g %d %t %d %d", b.LogLikelihood, sum, square, b.Threshold, b.Sweeps, b.Converged, b.Nodes, len(b.Members(b.Threshold)))
	}
	for _, c := range [][2]string{
		{tell(2, learn.BigclamOptions{MostSweeps: 2}, 1), "-203.233 125.854 33.0293 0.386916 2 false 34 2"},
		{tell(6, learn.BigclamOptions{MostSweeps: 2}, 1), "-159.157 201.337 83.8251 0.386916 2 false 34 6"},
		{tell(6, learn.BigclamOptions{MostSweeps: 3}, 2), "-113.095 210.203 88.7973 0.386916 3 false 34 6"},
		{tell(6, learn.BigclamOptions{MostSweeps: 1, Background: .125}, 1), "-169.449 148.777 40.6105 0.386916 1 false 34 6"},
		{tell(34, learn.BigclamOptions{Tolerance: .5}, 1), "-33.0532 633.366 329.591 0.386916 2 true 34 34"},
	} {
		if c[0] != c[1] {
			t.Errorf("%s, want %s", c[0], c[1])
		}
	}
	rows := must.For(learn.RandomGraph(t.Context(), 9, 11, rand.NewPCG(4, 1)))(t)
	dense := must.For(learn.RandomGraph(t.Context(), 9, 31, rand.NewPCG(4, 1)))(t)
	pairs := must.For(learn.RandomPairs(t.Context(), 70, .03, rand.NewPCG(4, 2)))(t)
	for _, c := range [][2]string{{fmt.Sprint(rows), "[[0] [196] [314] [132] [4] [324] [290] [10] [100]]"}, {fmt.Sprint(dense), "[[510] [317] [475] [503] [495] [411] [157] [381] [191]]"}, {fmt.Sprint(must.For(learn.Degrees(pairs))(t)), "[2 3 1 0 1 0 3 2 2 0 3 2 0 4 5 3 2 1 3 3 1 2 2 2 3 2 1 1 3 4 0 0 2 4 2 1 2 2 3 3 4 2 1 3 1 0 6 3 3 0 3 4 0 0 1 1 7 2 1 4 2 2 2 0 3 4 0 2 1 0]"}} {
		if c[0] != c[1] {
			t.Errorf("%s, want %s", c[0], c[1])
		}
	}
}

// Fits and draws of graphs stop at each poll of their context, and report progress.
func TestFitsStop(t *testing.T) {
	src := func() rand.Source { return rand.NewPCG(1, 1) }
	for what, do := range map[string]func(ctx context.Context) error{
		"communities": func(ctx context.Context) error {
			return second(learn.FitBigclam(ctx, learn.Karate, 2, learn.BigclamOptions{}, src()))
		},
		"a graph":    func(ctx context.Context) error { return second(learn.RandomGraph(ctx, 9, 5, src())) },
		"pairs":      func(ctx context.Context) error { return second(learn.RandomPairs(ctx, 9, .5, src())) },
		"statistics": func(ctx context.Context) error { return second(learn.DescribeGraph(ctx, learn.Karate)) },
		"a machine": func(ctx context.Context) error {
			return second(learn.FitSVM(ctx, [][]float64{{0}, {1}}, []int{0, 1}, 2, learn.SVMOptions{C: 1, Gap: 1e-9, Passes: 9}, src()))
		},
	} {
		if places := ctxtest.EachPoll(t, 1, do); places == 0 {
			t.Errorf("%s does not poll", what)
		}
	}
	for n := range 3 {
		if _, err := learn.FitBigclam(ctxtest.CancelAfter(t.Context(), n), learn.Karate, 2, learn.BigclamOptions{}, src()); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled after %d polls: %v", n, err)
		}
	}
	var told []int64
	hear := parallel.WithProgress(t.Context(), func(done, total int64, _ string) { told = append(told, done, total) })
	b := must.For(learn.FitBigclam(hear, learn.Karate, 2, learn.BigclamOptions{MostSweeps: 3, Tolerance: 1e-300}, src()))(t)
	if !slices.Equal(told, []int64{0, 3, 1, 3, 2, 3}) || b.Sweeps != 3 || b.Converged {
		t.Errorf("%d sweeps report %v", b.Sweeps, told)
	}
}

// Kernel ridge with a linear kernel agrees with ridge regression with an intercept, solved by the normal equations on
// the features.
func TestRidgeAgainstNormalEquations(t *testing.T) {
	x := [][]float64{{1, 2}, {2, -1}, {0, 0.5}, {3, 3}, {-1, 2}}
	y := []float64{1, 2, 0, 5, -1}
	const rho = 0.7
	r := must.Be(learn.FitRidge(learn.Linear, rho, x, y))
	f := mat.NewDense(5, 3, nil)
	for i, v := range x {
		f.SetRow(i, []float64{1, v[0], v[1]})
	}
	var a mat.Dense
	a.Mul(f.T(), f)
	for i := range 3 {
		a.Set(i, i, a.At(i, i)+rho)
	}
	var b, w mat.VecDense
	b.MulVec(f.T(), mat.NewVecDense(5, y))
	if err := w.SolveVec(&a, &b); err != nil {
		t.Fatal(err)
	}
	for _, v := range [][]float64{{0, 0}, {1, 2}, {-3, 4}} {
		want := w.AtVec(0) + v[0]*w.AtVec(1) + v[1]*w.AtVec(2)
		if got := r.Predict(v); math.Abs(got-want) > 1e-10 {
			t.Errorf("y(%v) = %v, want %v", v, got, want)
		}
	}
	if e, err := r.RMSE(x[:1], []float64{r.Predict(x[0]) + 3}); err != nil || math.Abs(e-3) > 1e-12 {
		t.Errorf("RMSE = %v, %v, want 3", e, err)
	}
	if _, err := learn.FitRidge(learn.Linear, rho, x, y[:2]); !errors.Is(err, learn.ErrShape) {
		t.Errorf("two targets of five give %v", err)
	}
}
