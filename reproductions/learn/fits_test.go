package learn

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/internal/looks"
	"dpworkbench/internal/must"
	"dpworkbench/internal/parallel"

	"gonum.org/v1/gonum/mat"
)

// Whatever the data, with a ridge the gradient of the definition vanishes at the fit, to 1e-9 but where the objective's own rounding hides it, and to 1e-6 there;
// from far samples, steep linear terms and features of unlike sizes Newton's whole steps would not come there.
func TestLogisticGradientVanishes(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 1))
	near := 0
	for trial := range 300 {
		n, p := 3+rng.IntN(12), 1+rng.IntN(4)
		x, y := make([][]float64, n), make([]bool, n)
		for i := range x {
			x[i] = make([]float64, p)
			for j := range x[i] {
				if rng.IntN(4) > 0 {
					x[i][j] = rng.NormFloat64() * math.Pow(10, float64(rng.IntN(4)-1))
				}
			}
			y[i] = rng.IntN(2) == 0
		}
		o := LogisticOptions{Ridge: math.Pow(10, float64(-rng.IntN(4)))}
		if trial%2 == 0 {
			for range p {
				o.Linear = append(o.Linear, 20*rng.NormFloat64())
			}
		}
		eta := must.For(FitLogistic(x, y, o))(t)
		size := 0.0
		for j := range p {
			slope, scale := o.Ridge*eta[j], math.Abs(o.Ridge*eta[j])
			if o.Linear != nil {
				slope += o.Linear[j] / float64(n)
				scale += math.Abs(o.Linear[j])
			}
			for i, row := range x {
				z := 0.0
				for k, v := range row {
					z += v * eta[k]
				}
				e := 1 / (1 + math.Exp(-z))
				if y[i] {
					e = -1 / (1 + math.Exp(z))
				}
				slope += e * row[j] / float64(n)
				scale += math.Abs(row[j])
			}
			size = max(size, math.Abs(slope)-1e-12*scale)
		}
		if size > 1e-6 {
			t.Fatalf("trial %d: gradient %v at %v", trial, size, eta)
		}
		if size <= 1e-9 {
			near++
		}
	}
	if near < 240 {
		t.Errorf("%d of 300 gradients are below 1e-9", near)
	}
}

// Closed forms to nine digits: a table's log odds, with weights of zeros and a constant feature of any size.
func TestLogisticClosedForms(t *testing.T) {
	for _, size := range []float64{1e-3, 1, 50} {
		x, y := make([][]float64, 0), make([]bool, 0)
		for k, n := range []int{30, 10, 5, 20} {
			for range n {
				x, y = append(x, []float64{float64(k / 2), size}), append(y, k%2 == 1)
			}
		}
		eta := must.For(FitLogistic(x, y, LogisticOptions{}))(t)
		if math.Abs(eta[1]*size-math.Log(1./3)) > 1e-7 || math.Abs(eta[0]-math.Log(12)) > 1e-7 {
			t.Errorf("a constant of %v: η = %v", size, eta)
		}
	}
	// One sample with a ridge: η = 1/(1 + e^η)/ridge, at ridge ½: η = 2/(1 + e^η).
	eta := must.For(FitLogistic([][]float64{{1}}, []bool{true}, LogisticOptions{Ridge: .5}))(t)
	if math.Abs(eta[0]*(1+math.Exp(eta[0]))-2) > 1e-8 {
		t.Errorf("η = %v", eta)
	}
	// Without features that tell, the linear term over the ridge alone: η = −n/(N ridge).
	eta = must.For(FitLogistic([][]float64{{0, 0}, {0, 0}}, []bool{true, false}, LogisticOptions{Ridge: 4, Linear: []float64{8, -4}}))(t)
	if math.Abs(eta[0]+1) > 1e-9 || math.Abs(eta[1]-.5) > 1e-9 {
		t.Errorf("η = %v, want −1 and ½", eta)
	}
	for _, z := range []float64{-800, -2, 0, 3, 800} {
		if got, want := sigmoid(z), 1/(1+math.Exp(-z)); math.Abs(got-want) > 1e-16 || z == -800 && got != math.Exp(-800) {
			t.Errorf("sigmoid(%v) = %v", z, got)
		}
	}
	if !saturated([][]float64{{1}, {12.5}}, []float64{1}) || !saturated([][]float64{{-12.5}}, []float64{1}) || saturated([][]float64{{12}}, []float64{1}) {
		t.Error("what is beyond 12 is saturated, and nothing else")
	}
	step := must.For(newtonStep(mat.NewSymDense(2, []float64{2, 1, 1, 3}), []float64{3, 4}))(t)
	if math.Abs(step[0]-1) > 1e-15 || math.Abs(step[1]-1) > 1e-15 {
		t.Errorf("step %v, want 1 and 1", step)
	}
	step = must.For(newtonStep(mat.NewSymDense(2, []float64{1, 1, 1, 1}), []float64{2, 2}))(t) // singular: the least one, all but 1e-10
	if math.Abs(step[0]-1) > 1e-5 || math.Abs(step[1]-1) > 1e-5 {
		t.Errorf("step %v, want about 1 and 1", step)
	}
	// Just at the edge 0 is the label false.
	if a := must.For(Accuracy([]float64{1}, [][]float64{{0}, {-1}, {2}, {3}}, []bool{false, false, true, false}))(t); a != .75 {
		t.Errorf("accuracy %v, want ¾", a)
	}
}

// The linear term is a normal direction of a length that is a sum of exponential numbers, in the order of the source.
func TestNoiseObjectiveInOrder(t *testing.T) {
	got := must.For(NoiseObjective(3, epsilon(t, .5), rand.NewPCG(8, 1)))(t)
	rng := rand.New(rand.NewPCG(8, 1))
	direction, square, radius := make([]float64, 3), 0.0, 0.0
	for j := range direction {
		direction[j] = rng.NormFloat64()
		square += direction[j] * direction[j]
	}
	for range direction {
		radius += rng.ExpFloat64() * 4 // 2/ε
	}
	for j, v := range direction {
		if want := v * radius / math.Sqrt(square); math.Abs(got[j]-want) > 1e-14*radius {
			t.Errorf("entry %d is %v, want %v", j, got[j], want)
		}
	}
}

// Regressions of two records by hand, and kernels of records of unlike lengths.
func TestRidgeByHand(t *testing.T) {
	// K = (2 3; 3 5) + 1: determinant 9, weights (6·1 − 3·2, 3·2 − 3·1)/9 = (0, ⅓).
	r := must.For(FitRidge(Linear, 1, [][]float64{{1}, {2}}, []float64{1, 2}))(t)
	if got := r.Predict([]float64{4}); math.Abs(got-3) > 1e-14 { // ⅓·(1 + 8)
		t.Errorf("at 4: %v, want 3", got)
	}
	if got := must.For(r.RMSE([][]float64{{4}, {1}}, []float64{7, 4}))(t); math.Abs(got-math.Sqrt((16+9)/2.)) > 1e-14 { // off by 4 and 3
		t.Errorf("error %v", got)
	}
	for _, c := range []struct{ got, want float64 }{
		{Inner([]float64{1, 2, 3}, []float64{4, 5}), 14}, {Inner([]float64{1}, []float64{4, 5}), 4}, {Linear([]float64{2}, []float64{4, 5}), 9},
		{RBF(2)([]float64{1, 2, 3}, []float64{4, 4}), math.Exp(-22. / 8)}, {RBF(2)([]float64{4, 4}, []float64{1, 2, 3}), math.Exp(-22. / 8)}, {RBF(0.5)(nil, []float64{1}), math.Exp(-2)},
	} {
		if math.Abs(c.got-c.want) > 1e-15 {
			t.Errorf("%v, want %v", c.got, c.want)
		}
	}
	singular := must.For(FitRidge(Inner, 1e-17, [][]float64{{1}, {0}}, []float64{1, 0}))(t) // badly conditioned, and answered
	if got := singular.Predict([]float64{1}); math.Abs(got-1) > 1e-9 {
		t.Errorf("%v, want 1", got)
	}
}

// What components capture, by hand: of diag(5, 3, 1), estimated by one whose axes are turned.
func TestComponentsByHand(t *testing.T) {
	s := mat.NewSymDense(3, []float64{5, 0, 0, 0, 3, 0, 0, 0, 1})
	estimate := mat.NewDense(3, 3, []float64{1, 4, 0, 0, 9, 0, 0, 0, 2}) // symmetric part (1 2; 2 9) and 2
	values, vectors, err := Components(s)
	if err != nil || !slices.Equal(values, []float64{5, 3, 1}) || math.Abs(vectors.At(0, 0)) != 1 || math.Abs(vectors.At(1, 1)) != 1 || vectors.At(0, 1) != 0 {
		t.Errorf("%v, %v, %v", values, vectors, err)
	}
	// (1 2; 2 9): 5 ± √20, the first vector with cos² = ½ − 4/√80 at 5.
	cos := .5 - 2/math.Sqrt(20)
	first := 5*cos + 3*(1-cos)
	if got := must.For(LostVariance(s, estimate))(t); math.Abs(got-(5-first)) > 1e-13 {
		t.Errorf("lost %v, want %v", got, 5-first)
	}
	// Eigenvalues 9.47, 2 and 0.53: the third axis comes second.
	want := (5-first)*(5-first) + (3-1.)*(3-1.) + (1-(8-first))*(1-(8-first))
	if got := must.For(ResidualSum(s, estimate))(t); math.Abs(got-want) > 1e-12 {
		t.Errorf("residual %v, want %v", got, want)
	}
	g := must.For(Gram(mat.NewDense(2, 4, []float64{1, 2, 3, 4, -1, 0, 1, 2})))(t)
	if g.At(0, 0) != 7.5 || g.At(0, 1) != 2.5 || g.At(1, 1) != 1.5 {
		t.Errorf("Gram matrix %v", mat.Formatted(g))
	}
}

// Seeds stay what they are: fits of the club after few sweeps, to six digits.
func TestFitsOfASeed(t *testing.T) {
	tell := func(k int, o BigclamOptions, seed uint64) string {
		b := must.For(FitBigclam(t.Context(), karate, k, o, rand.NewPCG(seed, 3)))(t)
		sum, square := 0.0, 0.0
		for i, v := range b.Affiliations {
			sum += float64(1+i%7) * v
			square += v * v
		}
		return fmt.Sprintf("%.6g %.6g %.6g %.6g %d %t %d %d", b.LogLikelihood, sum, square, b.Threshold, b.Sweeps, b.Converged, b.Nodes, len(b.Members(b.Threshold)))
	}
	for _, c := range [][2]string{
		{tell(2, BigclamOptions{MostSweeps: 2}, 1), "-203.233 125.854 33.0293 0.386916 2 false 34 2"},
		{tell(6, BigclamOptions{MostSweeps: 2}, 1), "-159.157 201.337 83.8251 0.386916 2 false 34 6"},
		{tell(6, BigclamOptions{MostSweeps: 3}, 2), "-113.095 210.203 88.7973 0.386916 3 false 34 6"},
		{tell(6, BigclamOptions{MostSweeps: 1, Background: .125}, 1), "-169.449 148.777 40.6105 0.386916 1 false 34 6"},
		{tell(34, BigclamOptions{Tolerance: .5}, 1), "-33.0532 633.366 329.591 0.386916 2 true 34 34"},
	} {
		if c[0] != c[1] {
			t.Errorf("%s, want %s", c[0], c[1])
		}
	}
	rows := must.For(RandomGraph(t.Context(), 9, 11, rand.NewPCG(4, 1)))(t)
	dense := must.For(RandomGraph(t.Context(), 9, 31, rand.NewPCG(4, 1)))(t)
	pairs := must.For(RandomPairs(t.Context(), 70, .03, rand.NewPCG(4, 2)))(t)
	for _, c := range [][2]string{{fmt.Sprint(rows), "[[0] [196] [314] [132] [4] [324] [290] [10] [100]]"}, {fmt.Sprint(dense), "[[510] [317] [475] [503] [495] [411] [157] [381] [191]]"}, {fmt.Sprint(must.For(Degrees(pairs))(t)), "[2 3 1 0 1 0 3 2 2 0 3 2 0 4 5 3 2 1 3 3 1 2 2 2 3 2 1 1 3 4 0 0 2 4 2 1 2 2 3 3 4 2 1 3 1 0 6 3 3 0 3 4 0 0 1 1 7 2 1 4 2 2 2 0 3 4 0 2 1 0]"}} {
		if c[0] != c[1] {
			t.Errorf("%s, want %s", c[0], c[1])
		}
	}
}

// Every place that looks at the context is heard, and progress is told.
func TestFitsHearTheEnd(t *testing.T) {
	src := func() rand.Source { return rand.NewPCG(1, 1) }
	for what, do := range map[string]func(ctx context.Context) error{
		"communities":  func(ctx context.Context) error { return second(FitBigclam(ctx, karate, 2, BigclamOptions{}, src())) },
		"conductances": func(ctx context.Context) error { return second(Conductances(ctx, karate)) },
		"a graph":      func(ctx context.Context) error { return second(RandomGraph(ctx, 9, 5, src())) },
		"pairs":        func(ctx context.Context) error { return second(RandomPairs(ctx, 9, .5, src())) },
		"statistics":   func(ctx context.Context) error { return second(DescribeGraph(ctx, karate)) },
		"a machine": func(ctx context.Context) error {
			return second(FitSVM(ctx, [][]float64{{0}, {1}}, []int{0, 1}, 2, SVMOptions{C: 1, Gap: 1e-9, Passes: 9}, src()))
		},
	} {
		if places := looks.Each(t, 1, do); places == 0 {
			t.Errorf("%s does not look", what)
		}
	}
	for n := range 3 {
		if _, err := FitBigclam(looks.After(t.Context(), n), karate, 2, BigclamOptions{}, src()); !errors.Is(err, context.Canceled) {
			t.Errorf("ended after %d looks: %v", n, err)
		}
	}
	var told []int64
	hear := parallel.WithProgress(t.Context(), func(done, total int64, _ string) { told = append(told, done, total) })
	b := must.For(FitBigclam(hear, karate, 2, BigclamOptions{MostSweeps: 3, Tolerance: 1e-300}, src()))(t)
	if !slices.Equal(told, []int64{0, 3, 1, 3, 2, 3}) || b.Sweeps != 3 || b.Converged {
		t.Errorf("%d sweeps tell %v", b.Sweeps, told)
	}
}

// Graphs of pairs are renumbered in order, by hand.
func TestRenumberByHand(t *testing.T) {
	for _, c := range []struct {
		edges      [][2]int
		largest    bool
		names, out string
	}{
		{[][2]int{{5, 9}, {9, 5}, {9, 12}, {3, 3}, {1, 2}, {12, 5}}, false, "[1 2 3 5 9 12]", "[[0 1] [3 4] [3 5] [4 5]]"},
		{[][2]int{{5, 9}, {9, 5}, {9, 12}, {3, 3}, {1, 2}, {12, 5}}, true, "[5 9 12]", "[[0 1] [0 2] [1 2]]"},
		{[][2]int{{7, 8}, {2, 1}}, true, "[1 2]", "[[0 1]]"},                                         // the first of equals
		{[][2]int{{9, 8}, {8, 7}, {1, 2}, {4, 4}, {7, 6}}, true, "[6 7 8 9]", "[[0 1] [1 2] [2 3]]"}, // a path
		{[][2]int{{4, 4}}, true, "[4]", "[]"},
		{[][2]int{{4, 4}, {0, 6}}, false, "[0 4 6]", "[[0 2]]"},
		{[][2]int{{1, 2}, {3, 4}, {2, 3}, {5, 6}, {7, 8}, {6, 7}, {8, 9}}, true, "[5 6 7 8 9]", "[[0 1] [1 2] [2 3] [3 4]]"},
	} {
		names, out, err := Renumber(c.edges, c.largest)
		if err != nil || fmt.Sprint(names) != c.names || fmt.Sprint(out) != c.out {
			t.Errorf("%v: %v, %v, %v; want %s, %s", c.edges, names, out, err, c.names, c.out)
		}
	}
}

// Statistics of graphs that are known: a path, a cycle, two parts, one node, and words that are full.
func TestStatisticsByHand(t *testing.T) {
	path := func(n int) (edges [][2]int) {
		for v := range n - 1 {
			edges = append(edges, [2]int{v, v + 1})
		}
		return edges
	}
	for _, n := range []int{2, 5, 63, 64, 65, 128} {
		s := must.For(DescribeGraph(t.Context(), rowsOf(n, path(n))))(t)
		if mean := float64(n+1) / 3; s.Nodes != n || s.Edges != n-1 || s.Diameter != n-1 || math.Abs(s.MeanPath-mean) > 1e-12*mean || s.Components != 1 || math.Abs(s.Density-2/float64(n)) > 1e-15 || len(s.Degrees) != n {
			t.Errorf("a path on %d: %+v", n, s)
		}
		s = must.For(DescribeGraph(t.Context(), rowsOf(n, nil)))(t)
		if s.Components != n || s.Diameter != 0 || s.MeanPath != 0 || s.Density != 0 {
			t.Errorf("%d nodes alone: %+v", n, s)
		}
	}
	s := must.For(DescribeGraph(t.Context(), rowsOf(7, append(path(3), [2]int{4, 6}))))(t) // 1, 1, 2 both ways, and 1
	if s.Components != 4 || s.Diameter != 2 || math.Abs(s.MeanPath-1.25) > 1e-15 || fmt.Sprint(s.Degrees) != "[1 2 1 0 1 0 1]" {
		t.Errorf("two parts: %+v", s)
	}
	s = must.For(DescribeGraph(t.Context(), rowsOf(1, nil)))(t)
	if s.Components != 1 || s.Density != 0 || s.Nodes != 1 {
		t.Errorf("one node: %+v", s)
	}
	s = must.For(DescribeGraph(t.Context(), nil))(t)
	if s.Components != 0 || s.Nodes != 0 {
		t.Errorf("no node: %+v", s)
	}
}
