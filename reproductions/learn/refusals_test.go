package learn

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/memory"
	"dpworkbench/internal/must"
	"dpworkbench/internal/parameter"

	"gonum.org/v1/gonum/mat"
)

// Data whose sums overflow float64 are refused, and no fit is returned.
func TestOverflowIsRefused(t *testing.T) {
	for _, hinge := range []bool{true, false} { // two losses of 1 with weight 10³⁰⁸
		_, err := FitSVM(t.Context(), [][]float64{{0}, {0}}, []int{0, 1}, 2, SVMOptions{C: 1e308, Hinge: hinge, Gap: 1, Passes: 2}, rand.NewPCG(1, 1))
		if !errors.Is(err, parameter.Err) || err.Error() != "the samples are too large: the objective of the support vector machine overflows float64" {
			t.Errorf("hinge %t: %v", hinge, err)
		}
	}
	for what, x := range map[string][][]float64{"one feature": {{1e200}, {1e199}}, "two": {{1e200, 1e200}, {1e200, -1e200}, {3e200, 1e200}}} {
		y := []bool{true, false, false}[:len(x)]
		if eta, err := FitLogistic(x, y, LogisticOptions{Ridge: 1}); !errors.Is(err, ErrNoFit) || eta != nil {
			t.Errorf("%s: %v, %v", what, eta, err)
		}
	}
	if _, err := Accuracy([]float64{1}, nil, nil); !errors.Is(err, parameter.Err) || err.Error() != "no samples, want at least one" {
		t.Error(err)
	}
	skew := mat.NewSymDense(2, []float64{1, 0, 0, math.NaN()})
	for _, f := range []func(s mat.Symmetric, estimate mat.Matrix) (float64, error){LostVariance, ResidualSum} {
		if v, err := f(skew, skew); !errors.Is(err, parameter.Err) || v != 0 {
			t.Errorf("a matrix with NaN: %v, error %v", v, err)
		}
	}
	good := mat.NewSymDense(2, []float64{3, 0, 0, 1})
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for k := range 4 { // at any entry
			entries := []float64{5, 1, 2, 4}
			entries[k] = v
			for _, f := range []func(s mat.Symmetric, estimate mat.Matrix) (float64, error){LostVariance, ResidualSum} {
				if got, err := f(good, mat.NewDense(2, 2, entries)); !errors.Is(err, parameter.Err) || got != 0 {
					t.Errorf("an estimate with %v: %v, %v", v, got, err)
				}
			}
		}
	}
	// The second axis is the leading one, for any finite variance.
	if lost, err := LostVariance(good, mat.NewDense(2, 2, []float64{1e308, 0, 0, math.MaxFloat64})); err != nil || math.Abs(lost-2) > 1e-15 {
		t.Errorf("%v, %v, want 2", lost, err)
	}
}

// second returns the error of a call that returns a value and an error.
func second(_ any, err error) error { return err }

func third(_, _ any, err error) error { return err }

// The error for an argument out of range names it, with its value and the range. The first invalid argument is
// reported.
func TestMessages(t *testing.T) {
	ctx, src := t.Context(), rand.NewPCG(1, 1)
	edge := rowsOf(2, [][2]int{{0, 1}})
	loop, beyond := rowsOf(3, nil), rowsOf(3, nil)
	loop[2][0], beyond[1][0] = 4, 8
	wide := [][]uint64{{0}, {0, 0}}
	fit := func(k int, o BigclamOptions) error { return second(FitBigclam(ctx, edge, k, o, src)) }
	x, y := [][]float64{{1, 2}, {3, 4}}, []int{0, 1}
	svm := func(x [][]float64, y []int, classes int, o SVMOptions) error {
		return second(FitSVM(ctx, x, y, classes, o, src))
	}
	good := SVMOptions{C: 1, Gap: 1e-3, Passes: 9}
	with := func(change func(o *SVMOptions)) SVMOptions { o := good; change(&o); return o }
	machine := must.For(FitSVM(ctx, x, y, 2, good, src))(t)
	unit := must.For(FitSVM(ctx, x, y, 2, with(func(o *SVMOptions) { o.Unit = true }), src))(t)
	labels := []bool{true, false}
	eps, none := epsilon(t, 1), evidence.Epsilon{}
	oblong, two := mat.NewDense(2, 3, nil), mat.NewSymDense(2, []float64{2, 0, 0, 1})
	skew := mat.NewDense(2, 2, []float64{1, 2, 3, 4})
	far := [][2]int{}
	for v := range 32769 {
		far = append(far, [2]int{v, v})
	}
	parameters := map[string]error{
		"row 1 has 2 words, want 1 for 2 nodes":                                  second(Degrees(wide)),
		"node 2 has a loop":                                                      second(Degrees(loop)),
		"row 1 has an edge beyond the 3 nodes":                                   second(DescribeGraph(ctx, beyond)),
		"row 0 has 0 words, want 1 for 1 nodes":                                  second(newAdjacency([][]uint64{{}})),
		"row 0 has 0 words, want 1 for 2 nodes":                                  second(FitBigclam(ctx, [][]uint64{{}, {0}}, 1, BigclamOptions{}, src)),
		"there are no degrees, want one for each node":                           second(DegreeLaw(nil)),
		"node 1 of 2 has degree 2":                                               second(DegreeLaw([]int{0, 2})),
		"node 0 of 2 has degree -1":                                              second(RandomLaw([]int{-1, 2})),
		"node 0 of 1 has degree 1":                                               second(RandomDivergence([]int{1})),
		"node 0 of 1 has degree 3":                                               second(DegreeDivergence([]int{3}, []int{0}, DivergenceOptions{})),
		"node 0 of 1 has degree 4":                                               second(DegreeDivergence([]int{0}, []int{4}, DivergenceOptions{})),
		"released has 1 nodes, original 2, want the same number":                 second(DegreeDivergence([]int{0}, []int{1, 1}, DivergenceOptions{})),
		"the graphs have no degree in common, want one to renormalise":           second(DegreeDivergence([]int{0, 0}, []int{1, 1}, DivergenceOptions{Common: true, Renormalised: true})),
		"mix = -0.5, want 0 <= mix <= 1":                                         second(DegreeDivergence([]int{0}, []int{0}, DivergenceOptions{Mix: -0.5})),
		"mix = 1.5, want 0 <= mix <= 1":                                          second(DegreeDivergence([]int{0}, []int{0}, DivergenceOptions{Mix: 1.5})),
		"x_min = -1, want at least 1":                                            second(FitPowerLaw(t.Context(), nil, PowerLawOptions{Min: -1, Max: -1})),
		"x_max = -1, want more than 1":                                           second(FitPowerLaw(t.Context(), nil, PowerLawOptions{Max: -1})),
		"x_max = 1, want more than 1":                                            second(FitPowerLaw(t.Context(), nil, PowerLawOptions{Max: 1})),
		"x_max = 16777217, want at most 16777216":                                second(FitPowerLaw(t.Context(), nil, PowerLawOptions{Max: 1<<24 + 1})),
		"x_max = 3, want more than 3":                                            second(FitPowerLaw(t.Context(), nil, PowerLawOptions{Min: 3, Max: 3})),
		"values[1] = -2, want at least 0":                                        second(FitPowerLaw(t.Context(), []int{1, -2}, PowerLawOptions{})),
		"the range of the fit contains 0 distinct values, want at least 2":       second(FitPowerLaw(t.Context(), []int{0}, PowerLawOptions{})),
		"the range of the fit contains 1 distinct values, want at least 2":       second(FitPowerLaw(t.Context(), []int{3, 1, 3}, PowerLawOptions{Min: 2})),
		"the largest value is 16777217, want at most 16777216":                   second(FitPowerLaw(t.Context(), []int{1, 1<<24 + 1}, PowerLawOptions{})),
		"nodes = 0, want 1 to 32768":                                             second(RandomGraph(ctx, 0, -1, src)),
		"nodes = 32769, want 1 to 32768":                                         second(RandomPairs(ctx, 32769, 2, src)),
		"edges = -1, want 0 to 6, the pairs of 4 nodes":                          second(RandomGraph(ctx, 4, -1, src)),
		"edges = 7, want 0 to 6, the pairs of 4 nodes":                           second(RandomGraph(ctx, 4, 7, src)),
		"probability = 2, want 0 <= probability <= 1":                            second(RandomPairs(ctx, 4, 2, src)),
		"edges name 0 nodes, want 1 to 32768":                                    third(Renumber(nil, true)),
		"edges name 32769 nodes, want 1 to 32768":                                third(Renumber(far, false)),
		"truth has no communities, want at least one":                            second(AverageF1(3, [][]int{{}}, nil)),
		"found[1] is empty, want at least one node":                              second(AverageF1(3, [][]int{{1}, {}}, [][]int{{}})),
		"truth[0] contains 3, want nodes from 0 to 2":                            second(AverageF1(3, [][]int{{1}}, [][]int{{3}})),
		"truth[0] contains -1, want nodes from 0 to 2":                           second(AverageF1(3, nil, [][]int{{-1}})),
		"found[0] has node 2 twice":                                              second(AverageF1(3, [][]int{{2, 2}}, [][]int{{0}})),
		"the network has no edges, want at least one":                            second(FitBigclam(ctx, rowsOf(2, nil), 0, BigclamOptions{}, src)),
		"communities = 0, want 1 to 2, the number of nodes":                      fit(0, BigclamOptions{Background: 2}),
		"communities = 3, want 1 to 2, the number of nodes":                      fit(3, BigclamOptions{}),
		"background = 1, want in [1e-12, 1)":                                     fit(1, BigclamOptions{Background: 1, Tolerance: 2}),
		"background = 9.9e-13, want in [1e-12, 1)":                               fit(1, BigclamOptions{Background: 9.9e-13}),
		"tolerance = 1, want in (0, 1)":                                          fit(1, BigclamOptions{Tolerance: 1, MostSweeps: -1}),
		"tolerance = -0.5, want in (0, 1)":                                       fit(1, BigclamOptions{Tolerance: -0.5}),
		"sweeps = -1, want at least 1":                                           fit(1, BigclamOptions{MostSweeps: -1, Linear: [][]float64{}}),
		"the linear term has 1 rows, want 2, one for each node":                  fit(1, BigclamOptions{Linear: [][]float64{{1}}}),
		"row 1 of the linear term has 2 entries, want 1, one for each community": fit(1, BigclamOptions{Linear: [][]float64{{1}, {1, 2}}}),
		"entry (1, 0) of the linear term is NaN, want a finite number":           fit(1, BigclamOptions{Linear: [][]float64{{1}, {math.NaN()}}}),
		"entry (0, 0) of the linear term is -Inf, want a finite number":          fit(1, BigclamOptions{Linear: [][]float64{{math.Inf(-1)}, {0}}}),
		"no samples, want at least one":                                          svm([][]float64{{}}, []int{0}, 2, SVMOptions{}),
		"1 labels for 2 samples":                                                 svm(x, []int{0}, 2, SVMOptions{}),
		"sample 1 has 1 features, want 2 as sample 0":                            svm([][]float64{{1, 2}, {3}}, y, 2, SVMOptions{}),
		"sample 0 contains NaN, want finite numbers":                             svm([][]float64{{1, math.NaN()}}, []int{0}, 2, SVMOptions{}),
		"sample 1 contains +Inf, want finite numbers":                            svm([][]float64{{1}, {math.Inf(1)}}, y, 2, SVMOptions{}),
		"C = 0, want a positive finite number":                                   svm(x, y, 2, SVMOptions{}),
		"gap = 0, want a positive finite number":                                 svm(x, y, 2, with(func(o *SVMOptions) { o.Gap, o.Passes = 0, 0 })),
		"passes = 0, want at least 1":                                            svm(x, y, 1, with(func(o *SVMOptions) { o.Passes = 0 })),
		"classes = 1, want at least 2":                                           svm(x, y, 1, good),
		"sample 1 has class 2, want 0…1":                                         svm(x, []int{0, 2}, 2, good),
		"sample 0 has class -1, want 0…1":                                        svm(x, []int{-1, 2}, 2, good),
		"class 1 has no sample":                                                  svm(x, []int{0, 0}, 2, good),
		"class 2 has no sample":                                                  svm(x, y, 3, good),
		"the squared length of sample 1 overflows float64":                       svm([][]float64{{1}, {1e200}}, y, 2, with(func(o *SVMOptions) { o.Unit = true })),
		"sample 1 has the squared length 1e+150, want at most 1e+150 for C = 1":  svm([][]float64{{1}, {1.00000001e75}}, y, 2, good),
		"sample 0 has the squared length 4, want at most 1 for C = 1e+150":       svm([][]float64{{2}, {1}}, y, 2, with(func(o *SVMOptions) { o.C = 1e150 })),
		"samples have 1 features, want 2 as those of the fit":                    second(machine.Predict([][]float64{{1}})),
		"samples have 3 features, want 2 as those of the fit":                    third(machine.Accuracy([][]float64{{1, 2, 3}}, []int{0})),
		"the squared length of sample 0 overflows float64":                       second(machine.Predict([][]float64{{1.1e75, 1}})),
		"3 labels for 1 samples":                                                 third(machine.Accuracy([][]float64{{1, 2}}, []int{0, 1, 0})),
		"ridge = -1, want a finite number, at least 0":                           second(FitLogistic(x, labels, LogisticOptions{Ridge: -1, Linear: []float64{1}})),
		"the linear term has 1 entries, want 2":                                  second(FitLogistic(x, labels, LogisticOptions{Linear: []float64{1}})),
		"samples have 2 features, want 3":                                        second(Accuracy([]float64{1, 2, 3}, x, labels)),
		"p = 0, want at least 1":                                                 second(NoiseObjective(0, none, src)),
		"eps = 0, want a positive finite number":                                 second(NoiseObjective(1, none, src)),
		"no kernel, want a function of two records":                              second(FitRidge(nil, 1, x, []float64{1, 2})),
		"s is not symmetric: s[0][1] = 2 and s[1][0] = 3 differ by 1, want at most 1e-09 of the largest entry": third(Components(skew)),
	}
	for want, err := range parameters {
		if err == nil || err.Error() != want || !errors.Is(err, parameter.Err) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	for want, err := range map[string]error{
		"shapes disagree: X is 0×3":                           second(Gram(blank{0, 3})),
		"shapes disagree: X is 3×0":                           second(Gram(blank{3, 0})),
		"shapes disagree: the matrix is empty":                third(Components(new(mat.Dense))),
		"shapes disagree: 2×3 is not square":                  second(LostVariance(two, oblong)),
		"shapes disagree: the estimate is of order 3, want 2": second(ResidualSum(two, mat.NewDense(3, 3, nil))),
		"shapes disagree: 0 records and 0 targets":            second(FitRidge(nil, 1, nil, nil)),
		"shapes disagree: 2 records and 1 targets":            second(FitRidge(Inner, 1, x, []float64{1})),
		"shapes disagree: 0 records and 1 targets":            second((&Ridge{}).RMSE(nil, []float64{1})),
		"shapes disagree: 1 records and 0 targets":            second((&Ridge{}).RMSE([][]float64{{1}}, nil)),
	} {
		if err == nil || err.Error() != want || !errors.Is(err, ErrShape) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, err := FitRidge(Inner, -9, x, []float64{1, 2}); err == nil || err.Error() != "ridge: kernel matrix plus -9 is not positive definite" {
		t.Error(err)
	}
	if _, err := newtonStep(mat.NewSymDense(1, []float64{-1}), []float64{1}); !errors.Is(err, ErrNoFit) || err.Error() != "no fit: the Hessian is not positive definite" {
		t.Error(err)
	}
	// The limits of the ranges are accepted.
	for what, err := range map[string]error{
		"mix":         second(DegreeDivergence([]int{0}, []int{0}, DivergenceOptions{Mix: 1})),
		"nodes":       second(RandomPairs(ctx, 1, 1, src)),
		"edges":       second(RandomGraph(ctx, 1, 0, src)),
		"communities": fit(2, BigclamOptions{Background: 1e-12}),
		"one":         fit(1, BigclamOptions{MostSweeps: 1}),
		"x_max":       second(FitPowerLaw(t.Context(), []int{1, 2}, PowerLawOptions{Max: 2})),
		"x_min":       second(FitPowerLaw(t.Context(), []int{2, 3}, PowerLawOptions{Min: 2, Max: 3})),
		"passes":      svm(x, y, 2, with(func(o *SVMOptions) { o.Passes = 1 })),
		"long":        second(machine.Predict([][]float64{{9e74, 0}})),
		"unit":        second(unit.Predict([][]float64{{1e76, 0}})),
		"noise":       second(NoiseObjective(1, eps, src)),
	} {
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	defer memory.SetLimit(memory.SetLimit(1))
	big := make([][]float64, 1<<9)
	for i := range big {
		big[i] = make([]float64, 1<<8-1)
	}
	classes := make([]int, 1<<9)
	classes[0] = 1
	var short *memory.Error
	if err := svm(big, classes, 2, with(func(o *SVMOptions) { o.Intercept = true })); !errors.As(err, &short) || short.Bytes != 1<<20 || short.What != "the samples of a support vector machine" {
		t.Errorf("without memory: %v", err)
	}
	if err := svm(big, classes, 2, good); err != nil { // less than a mebibyte needs no request
		t.Error(err)
	}
}

// blank is a matrix without entries.
type blank struct{ rows, columns int }

func (s blank) Dims() (r, c int)    { return s.rows, s.columns }
func (s blank) At(i, k int) float64 { panic("there is no entry") }
func (s blank) T() mat.Matrix       { return blank{s.columns, s.rows} }
