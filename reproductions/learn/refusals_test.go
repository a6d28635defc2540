package learn_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/memory"
	"dpworkbench/internal/must"
	"dpworkbench/internal/parameter"
	"dpworkbench/reproductions/learn"

	"gonum.org/v1/gonum/mat"
)

// Data whose sums overflow float64 are refused, and no fit is returned.
func TestOverflowIsRefused(t *testing.T) {
	for _, hinge := range []bool{true, false} { // two losses of 1 with weight 10³⁰⁸
		_, err := learn.FitSVM(t.Context(), [][]float64{{0}, {0}}, []int{0, 1}, 2, learn.SVMOptions{C: 1e308, Hinge: hinge, Gap: 1, Passes: 2}, rand.NewPCG(1, 1))
		if !errors.Is(err, parameter.Err) || err.Error() != "the samples are too large: the objective of the support vector machine overflows float64" {
			t.Errorf("hinge %t: %v", hinge, err)
		}
	}
	for what, x := range map[string][][]float64{"one feature": {{1e200}, {1e199}}, "two": {{1e200, 1e200}, {1e200, -1e200}, {3e200, 1e200}}} {
		y := []bool{true, false, false}[:len(x)]
		if eta, err := learn.FitLogistic(x, y, learn.LogisticOptions{Ridge: 1}); !errors.Is(err, learn.ErrNoFit) || eta != nil {
			t.Errorf("%s: %v, %v", what, eta, err)
		}
	}
	if _, err := learn.Accuracy([]float64{1}, nil, nil); !errors.Is(err, parameter.Err) || err.Error() != "there are no samples with features, want at least one" {
		t.Error(err)
	}
	skew := mat.NewSymDense(2, []float64{1, 0, 0, math.NaN()})
	for _, f := range []func(s mat.Symmetric, estimate mat.Matrix) (float64, error){learn.LostVariance, learn.ResidualSum} {
		if v, err := f(skew, skew); !errors.Is(err, parameter.Err) || v != 0 {
			t.Errorf("a matrix with NaN: %v, error %v", v, err)
		}
	}
	good := mat.NewSymDense(2, []float64{3, 0, 0, 1})
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for k := range 4 { // at any entry
			entries := []float64{5, 1, 2, 4}
			entries[k] = v
			for _, f := range []func(s mat.Symmetric, estimate mat.Matrix) (float64, error){learn.LostVariance, learn.ResidualSum} {
				if got, err := f(good, mat.NewDense(2, 2, entries)); !errors.Is(err, parameter.Err) || got != 0 {
					t.Errorf("an estimate with %v: %v, %v", v, got, err)
				}
			}
		}
	}
	// The second axis is the leading one, for any finite variance.
	if lost, err := learn.LostVariance(good, mat.NewDense(2, 2, []float64{1e308, 0, 0, math.MaxFloat64})); err != nil || math.Abs(lost-2) > 1e-15 {
		t.Errorf("%v, %v, want 2", lost, err)
	}
}

// second drops a value and returns its error.
func second(_ any, err error) error { return err }

func third(_, _ any, err error) error { return err }

// The error for an argument out of range names it, with its value and the range. The first invalid argument is
// reported.
func TestMessages(t *testing.T) {
	ctx, src := t.Context(), rand.NewPCG(1, 1)
	edge := learn.RowsOf(2, [][2]int{{0, 1}})
	loop, beyond := learn.RowsOf(3, nil), learn.RowsOf(3, nil)
	loop[2][0], beyond[1][0] = 4, 8
	wide := [][]uint64{{0}, {0, 0}}
	fit := func(k int, o learn.BigclamOptions) error { return second(learn.FitBigclam(ctx, edge, k, o, src)) }
	x, y := [][]float64{{1, 2}, {3, 4}}, []int{0, 1}
	svm := func(x [][]float64, y []int, classes int, o learn.SVMOptions) error {
		return second(learn.FitSVM(ctx, x, y, classes, o, src))
	}
	good := learn.SVMOptions{C: 1, Gap: 1e-3, Passes: 9}
	with := func(change func(o *learn.SVMOptions)) learn.SVMOptions { o := good; change(&o); return o }
	machine := must.For(learn.FitSVM(ctx, x, y, 2, good, src))(t)
	unit := must.For(learn.FitSVM(ctx, x, y, 2, with(func(o *learn.SVMOptions) { o.Unit = true }), src))(t)
	labels := []bool{true, false}
	eps, none := evidencetest.Epsilon(1), evidence.Epsilon{}
	oblong, two := mat.NewDense(2, 3, nil), mat.NewSymDense(2, []float64{2, 0, 0, 1})
	skew := mat.NewDense(2, 2, []float64{1, 2, 3, 4})
	far := [][2]int{}
	for v := range 32769 {
		far = append(far, [2]int{v, v})
	}
	parameters := map[string]error{
		"row 1 has 2 words, want 1 for 2 nodes":                                  second(learn.Degrees(wide)),
		"node 2 has a loop, want none":                                           second(learn.Degrees(loop)),
		"row 1 has an edge beyond the 3 nodes":                                   second(learn.DescribeGraph(ctx, beyond)),
		"row 0 has 0 words, want 1 for 1 nodes":                                  second(learn.FitBigclam(ctx, [][]uint64{{}}, 1, learn.BigclamOptions{}, src)),
		"row 0 has 0 words, want 1 for 2 nodes":                                  second(learn.FitBigclam(ctx, [][]uint64{{}, {0}}, 1, learn.BigclamOptions{}, src)),
		"there are no degrees, want one for each node":                           second(learn.DegreeLaw(nil)),
		"node 1 has degree 2, want 0 to 1":                                       second(learn.DegreeLaw([]int{0, 2})),
		"node 0 has degree -1, want 0 to 1":                                      second(learn.RandomLaw([]int{-1, 2})),
		"node 0 has degree 1, want 0 to 0":                                       second(learn.RandomDivergence([]int{1})),
		"node 0 has degree 3, want 0 to 0":                                       second(learn.DegreeDivergence([]int{3}, []int{0}, learn.DivergenceOptions{})),
		"node 0 has degree 4, want 0 to 0":                                       second(learn.DegreeDivergence([]int{0}, []int{4}, learn.DivergenceOptions{})),
		"released has 1 nodes, original 2, want the same number":                 second(learn.DegreeDivergence([]int{0}, []int{1, 1}, learn.DivergenceOptions{})),
		"the graphs have no degree in common, want one to renormalise":           second(learn.DegreeDivergence([]int{0, 0}, []int{1, 1}, learn.DivergenceOptions{Common: true, Renormalised: true})),
		"mix = -0.5, want 0 <= mix <= 1":                                         second(learn.DegreeDivergence([]int{0}, []int{0}, learn.DivergenceOptions{Mix: -0.5})),
		"mix = 1.5, want 0 <= mix <= 1":                                          second(learn.DegreeDivergence([]int{0}, []int{0}, learn.DivergenceOptions{Mix: 1.5})),
		"x_min = -1, want at least 1":                                            second(learn.FitPowerLaw(t.Context(), nil, learn.PowerLawOptions{Min: -1, Max: -1})),
		"x_max = -1, want more than 1":                                           second(learn.FitPowerLaw(t.Context(), nil, learn.PowerLawOptions{Max: -1})),
		"x_max = 1, want more than 1":                                            second(learn.FitPowerLaw(t.Context(), nil, learn.PowerLawOptions{Max: 1})),
		"x_max = 16777217, want at most 16777216":                                second(learn.FitPowerLaw(t.Context(), nil, learn.PowerLawOptions{Max: 1<<24 + 1})),
		"x_max = 3, want more than 3":                                            second(learn.FitPowerLaw(t.Context(), nil, learn.PowerLawOptions{Min: 3, Max: 3})),
		"values[1] = -2, want at least 0":                                        second(learn.FitPowerLaw(t.Context(), []int{1, -2}, learn.PowerLawOptions{})),
		"the range of the fit contains 0 distinct values, want at least 2":       second(learn.FitPowerLaw(t.Context(), []int{0}, learn.PowerLawOptions{})),
		"the range of the fit contains 1 distinct values, want at least 2":       second(learn.FitPowerLaw(t.Context(), []int{3, 1, 3}, learn.PowerLawOptions{Min: 2})),
		"the largest value is 16777217, want at most 16777216":                   second(learn.FitPowerLaw(t.Context(), []int{1, 1<<24 + 1}, learn.PowerLawOptions{})),
		"nodes = 0, want 1 to 32768":                                             second(learn.RandomGraph(ctx, 0, -1, src)),
		"nodes = 32769, want 1 to 32768":                                         second(learn.RandomPairs(ctx, 32769, 2, src)),
		"edges = -1, want 0 to 6, the pairs of 4 nodes":                          second(learn.RandomGraph(ctx, 4, -1, src)),
		"edges = 7, want 0 to 6, the pairs of 4 nodes":                           second(learn.RandomGraph(ctx, 4, 7, src)),
		"probability = 2, want 0 <= probability <= 1":                            second(learn.RandomPairs(ctx, 4, 2, src)),
		"edges name 0 nodes, want 1 to 32768":                                    third(learn.Renumber(nil, true)),
		"edges name 32769 nodes, want 1 to 32768":                                third(learn.Renumber(far, false)),
		"truth has no communities, want at least one":                            second(learn.AverageF1(3, [][]int{{}}, nil)),
		"found[1] is empty, want at least one node":                              second(learn.AverageF1(3, [][]int{{1}, {}}, [][]int{{}})),
		"truth[0] contains 3, want nodes from 0 to 2":                            second(learn.AverageF1(3, [][]int{{1}}, [][]int{{3}})),
		"truth[0] contains -1, want nodes from 0 to 2":                           second(learn.AverageF1(3, nil, [][]int{{-1}})),
		"found[0] has node 2 twice":                                              second(learn.AverageF1(3, [][]int{{2, 2}}, [][]int{{0}})),
		"the network has no edges, want at least one":                            second(learn.FitBigclam(ctx, learn.RowsOf(2, nil), 0, learn.BigclamOptions{}, src)),
		"communities = 0, want 1 to 2, the number of nodes":                      fit(0, learn.BigclamOptions{Background: 2}),
		"communities = 3, want 1 to 2, the number of nodes":                      fit(3, learn.BigclamOptions{}),
		"background = 1, want in [1e-12, 1)":                                     fit(1, learn.BigclamOptions{Background: 1, Tolerance: 2}),
		"background = 9.9e-13, want in [1e-12, 1)":                               fit(1, learn.BigclamOptions{Background: 9.9e-13}),
		"tolerance = 1, want in (0, 1)":                                          fit(1, learn.BigclamOptions{Tolerance: 1, MostSweeps: -1}),
		"tolerance = -0.5, want in (0, 1)":                                       fit(1, learn.BigclamOptions{Tolerance: -0.5}),
		"sweeps = -1, want at least 1":                                           fit(1, learn.BigclamOptions{MostSweeps: -1, Linear: [][]float64{}}),
		"the linear term has 1 rows, want 2, one for each node":                  fit(1, learn.BigclamOptions{Linear: [][]float64{{1}}}),
		"row 1 of the linear term has 2 entries, want 1, one for each community": fit(1, learn.BigclamOptions{Linear: [][]float64{{1}, {1, 2}}}),
		"entry (1, 0) of the linear term is NaN, want a finite number":           fit(1, learn.BigclamOptions{Linear: [][]float64{{1}, {math.NaN()}}}),
		"entry (0, 0) of the linear term is -Inf, want a finite number":          fit(1, learn.BigclamOptions{Linear: [][]float64{{math.Inf(-1)}, {0}}}),
		"there are no samples with features, want at least one":                  svm([][]float64{{}}, []int{0}, 2, learn.SVMOptions{}),
		"1 labels for 2 samples, want one for each sample":                       svm(x, []int{0}, 2, learn.SVMOptions{}),
		"sample 1 has 1 features, want 2 as sample 0":                            svm([][]float64{{1, 2}, {3}}, y, 2, learn.SVMOptions{}),
		"sample 0 contains NaN, want finite numbers":                             svm([][]float64{{1, math.NaN()}}, []int{0}, 2, learn.SVMOptions{}),
		"sample 1 contains +Inf, want finite numbers":                            svm([][]float64{{1}, {math.Inf(1)}}, y, 2, learn.SVMOptions{}),
		"C = 0, want a positive finite number":                                   svm(x, y, 2, learn.SVMOptions{}),
		"gap = 0, want a positive finite number":                                 svm(x, y, 2, with(func(o *learn.SVMOptions) { o.Gap, o.Passes = 0, 0 })),
		"passes = 0, want at least 1":                                            svm(x, y, 1, with(func(o *learn.SVMOptions) { o.Passes = 0 })),
		"classes = 1, want at least 2":                                           svm(x, y, 1, good),
		"sample 1 has class 2, want 0…1":                                         svm(x, []int{0, 2}, 2, good),
		"sample 0 has class -1, want 0…1":                                        svm(x, []int{-1, 2}, 2, good),
		"class 1 has no sample, want at least one":                               svm(x, []int{0, 0}, 2, good),
		"class 2 has no sample, want at least one":                               svm(x, y, 3, good),
		"the squared length of sample 1 overflows float64":                       svm([][]float64{{1}, {1e200}}, y, 2, with(func(o *learn.SVMOptions) { o.Unit = true })),
		"sample 1 has the squared length 1e+150, want at most 1e+150 for C = 1":  svm([][]float64{{1}, {1.00000001e75}}, y, 2, good),
		"sample 0 has the squared length 4, want at most 1 for C = 1e+150":       svm([][]float64{{2}, {1}}, y, 2, with(func(o *learn.SVMOptions) { o.C = 1e150 })),
		"samples have 1 features, want 2 as those of the fit":                    second(machine.Predict([][]float64{{1}})),
		"samples have 3 features, want 2 as those of the fit":                    third(machine.Accuracy([][]float64{{1, 2, 3}}, []int{0})),
		"the squared length of sample 0 overflows float64":                       second(machine.Predict([][]float64{{1.1e75, 1}})),
		"3 labels for 1 samples, want one for each sample":                       third(machine.Accuracy([][]float64{{1, 2}}, []int{0, 1, 0})),
		"ridge = -1, want a finite number, at least 0":                           second(learn.FitLogistic(x, labels, learn.LogisticOptions{Ridge: -1, Linear: []float64{1}})),
		"the linear term has 1 entries, want 2, one for each feature":            second(learn.FitLogistic(x, labels, learn.LogisticOptions{Linear: []float64{1}})),
		"samples have 2 features, want 3, one for each entry of eta":             second(learn.Accuracy([]float64{1, 2, 3}, x, labels)),
		"p = 0, want at least 1":                                                 second(learn.NoiseObjective(0, none, src)),
		"eps = 0, want a positive finite number":                                 second(learn.NoiseObjective(1, none, src)),
		"the kernel is nil, want a function of two records":                      second(learn.FitRidge(nil, 1, x, []float64{1, 2})),

		"s is not symmetric: s[0][1] = 2 and s[1][0] = 3 differ by 1, want at most 1e-09 of the largest entry": third(learn.Components(skew)),
	}
	for want, err := range parameters {
		if err == nil || err.Error() != want || !errors.Is(err, parameter.Err) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	const each = ", want one target for each record, at least one"
	for want, err := range map[string]error{
		"incompatible sizes: X is 0×3":                             second(learn.Gram(blank{0, 3})),
		"incompatible sizes: X is 3×0":                             second(learn.Gram(blank{3, 0})),
		"incompatible sizes: the matrix is empty":                  third(learn.Components(new(mat.Dense))),
		"incompatible sizes: the matrix is 2×3, want a square one": second(learn.LostVariance(two, oblong)),
		"incompatible sizes: the estimate is of order 3, want 2":   second(learn.ResidualSum(two, mat.NewDense(3, 3, nil))),
		"incompatible sizes: 0 records and 0 targets" + each:       second(learn.FitRidge(nil, 1, nil, nil)),
		"incompatible sizes: 2 records and 1 targets" + each:       second(learn.FitRidge(learn.Inner, 1, x, []float64{1})),
		"incompatible sizes: 0 records and 1 targets" + each:       second((&learn.Ridge{}).RMSE(nil, []float64{1})),
		"incompatible sizes: 1 records and 0 targets" + each:       second((&learn.Ridge{}).RMSE([][]float64{{1}}, nil)),
	} {
		if err == nil || err.Error() != want || !errors.Is(err, learn.ErrShape) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, err := learn.FitRidge(learn.Inner, -9, x, []float64{1, 2}); err == nil || err.Error() != "ridge: the kernel matrix plus -9 on its diagonal is not positive definite" {
		t.Error(err)
	}
	// Arguments at the limits of their ranges are accepted.
	for what, err := range map[string]error{
		"mix":         second(learn.DegreeDivergence([]int{0}, []int{0}, learn.DivergenceOptions{Mix: 1})),
		"nodes":       second(learn.RandomPairs(ctx, 1, 1, src)),
		"edges":       second(learn.RandomGraph(ctx, 1, 0, src)),
		"communities": fit(2, learn.BigclamOptions{Background: 1e-12}),
		"one":         fit(1, learn.BigclamOptions{MostSweeps: 1}),
		"x_max":       second(learn.FitPowerLaw(t.Context(), []int{1, 2}, learn.PowerLawOptions{Max: 2})),
		"x_min":       second(learn.FitPowerLaw(t.Context(), []int{2, 3}, learn.PowerLawOptions{Min: 2, Max: 3})),
		"passes":      svm(x, y, 2, with(func(o *learn.SVMOptions) { o.Passes = 1 })),
		"long":        second(machine.Predict([][]float64{{9e74, 0}})),
		"unit":        second(unit.Predict([][]float64{{1e76, 0}})),
		"noise":       second(learn.NoiseObjective(1, eps, src)),
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
	if err := svm(big, classes, 2, with(func(o *learn.SVMOptions) { o.Intercept = true })); !errors.As(err, &short) || short.Bytes != 1<<20 || short.What != "the samples of a support vector machine" {
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
