package matrices_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/internal/parameter"
	"dpworkbench/mvg"
	"dpworkbench/query"
	"dpworkbench/reproductions/matrices"

	"gonum.org/v1/gonum/mat"
)

// second drops a value and returns its error.
func second(_ any, err error) error { return err }

// bad is an error and its expected message.
type bad struct {
	err  error
	want string
}

// checkErrors fails unless each error is ErrParameter with exactly the expected message.
func checkErrors(t *testing.T, list []bad) {
	t.Helper()
	for _, c := range list {
		if c.err == nil || c.err.Error() != c.want {
			t.Errorf("%v, want %q", c.err, c.want)
		} else if !errors.Is(c.err, parameter.Err) {
			t.Errorf("%v is not ErrParameter", c.err)
		}
	}
}

// The error for an argument out of range names the argument, its value and the range. This holds below and above the
// range. The first invalid argument is reported.
func TestMessagesOfNoise(t *testing.T) {
	ctx, one, zero := t.Context(), evidencetest.Epsilon(1), evidence.Epsilon{}
	s := box(t, 2, 1, 1)
	unknown := struct{ mvg.Sensitivity }{s}
	wide := evidence.Certified{Lo: 1, Hi: 1}
	l, g := must.For(matrices.NewLaplace(s, 1))(t), must.For(matrices.NewSymmetricGauss(2, wide, 1))(t)
	nan, src := mat.NewDense(2, 2, []float64{1, math.NaN(), 0, 1}), rand.NewPCG(1, 1)
	checkErrors(t, []bad{
		{second(matrices.NewLaplace(nil, 0)), "there is no sensitivity set"},
		{second(matrices.NewLaplace(unknown, 0)), "the l1 sensitivity of a struct { mvg.Sensitivity } is unknown"},
		{second(matrices.NewLaplace(s, 0)), "scale = 0, want a positive finite number"},
		{second(matrices.NewLaplace(s, math.Inf(1))), "scale = +Inf, want a positive finite number"},
		{second(matrices.ClassicLaplace(unknown, zero)), "eps = 0, want a positive finite number"},
		{second(matrices.ClassicLaplace(unknown, one)), "the l1 sensitivity of a struct { mvg.Sensitivity } is unknown"},
		{second(matrices.ClassicLaplace(box(t, 1, 1e308), evidencetest.Epsilon(1e-9))),
			"scale = +Inf, want a positive finite number"},
		{second(matrices.TightLaplace(ctx, unknown, zero, evidence.Delta{})), "eps = 0, want a positive finite number"},
		{second(matrices.TightLaplace(ctx, unknown, one, evidence.Delta{})), "delta = 0, want 0 < delta < 1"},
		{second(matrices.TightLaplace(ctx, unknown, one, evidencetest.Delta(0.5))),
			"the l1 sensitivity of a struct { mvg.Sensitivity } is unknown"},
		{second(l.Simulate(mat.NewDense(1, 2, nil), src)), "x is 1×2, want 2×2"},
		{second(l.Simulate(mat.NewDense(2, 1, nil), src)), "x is 2×1, want 2×2"},
		{second(l.Simulate(nan, src)), "x[0][1] = NaN, want a finite number"},
		{second(matrices.UpperSensitivity(0, 0, []float64{0}, true, 0)), "scale = 0, want a positive finite number"},
		{second(matrices.UpperSensitivity(0, 0, nil, true, 1)), "d = 0, want 1 <= d <= 4096"},
		{second(matrices.UpperSensitivity(4097, 1, nil, true, 1)), "d = 4097, want 1 <= d <= 4096"},
		{second(matrices.UpperSensitivity(2, 0, nil, true, 1)), "row_norm = 0, want a positive finite number"},
		{second(matrices.UpperSensitivity(2, 1, []float64{1}, true, 1)), "half_width has 1 entries, want 2"},
		{second(matrices.UpperSensitivity(2, 1, []float64{1, 0}, true, 1)),
			"half_width[1] = 0, want a positive finite number"},
		{second(matrices.NewSymmetricGauss(0, evidence.Certified{}, 0)), "d = 0, want 1 <= d <= 4096"},
		{second(matrices.NewSymmetricGauss(4097, wide, 1)), "d = 4097, want 1 <= d <= 4096"},
		{second(matrices.NewSymmetricGauss(1, evidence.Certified{}, 0)), "sensitivity = 0, want a positive finite number"},
		{second(matrices.NewSymmetricGauss(1, wide, 0)), "sigma = 0, want a positive finite number"},
		{second(matrices.SymmetricGaussFor(0, evidence.Certified{}, zero, evidence.Delta{}, "loose")),
			`form = "loose", want "classic" or "tight"`},
		{second(matrices.SymmetricGaussFor(0, evidence.Certified{}, zero, evidence.Delta{}, matrices.Tight)),
			"eps = 0, want a positive finite number"},
		{second(matrices.SymmetricGaussFor(0, evidence.Certified{}, one, evidencetest.Delta(0.5), matrices.Tight)),
			"sensitivity = 0, want a positive finite number"},
		{second(matrices.SymmetricGaussFor(0, wide, one, evidencetest.Delta(0.5), matrices.Tight)),
			"d = 0, want 1 <= d <= 4096"},
		{second(matrices.SymmetricGaussFor(1, evidence.Certified{Lo: 1, Hi: math.MaxFloat64}, evidencetest.Epsilon(1e-9), evidencetest.Delta(0.5), matrices.Classic)), "sigma = +Inf, want a positive finite number"},
		{second(g.Simulate(nil, src)), "x is missing, want a symmetric matrix"},
		{second(g.Simulate(mat.NewDense(3, 3, nil), src)), "x is 3×3, want 2×2"},
		{second(g.Simulate(nan, src)), "x[0][1] = NaN, want a finite number"},
	})
	for _, d := range []int{1, 4096} { // the limits of the range are accepted
		if _, err := matrices.NewSymmetricGauss(d, wide, 1); err != nil {
			t.Error(err)
		}
		if _, err := matrices.UpperSensitivity(d, 1, nil, true, 1); err != nil {
			t.Error(err)
		}
	}
	if _, err := matrices.TightLaplace(ctx, s, one, evidencetest.Delta(1e-26)); !errors.Is(err, matrices.ErrUnreached) || err.Error() != "the requested privacy cannot be certified: delta = 1e-26, want at least 1e-25" {
		t.Error(err)
	}
	if _, err := matrices.TightLaplace(ctx, must.For(mvg.NewGram(2, 1, query.AddRemove, 1))(t), one, evidencetest.Delta(1e-25)); err != nil {
		t.Error(err)
	}
}

func TestMessagesOfProjections(t *testing.T) {
	ctx, one, zero := t.Context(), evidencetest.Epsilon(1), evidence.Epsilon{}
	nan, src := mat.NewDense(2, 2, []float64{1, 0, 0, math.Inf(-1)}), rand.NewPCG(1, 1)
	eye := mat.NewDense(2, 2, []float64{1, 0, 0, 1})
	j := must.For(matrices.NewJL(matrices.Threshold, 3, 1, 1))(t)
	checkErrors(t, []bad{
		{second(matrices.NewJL("other", 0, 0, 0)), `form = "other", want "raised" or "threshold"`},
		{second(matrices.NewJL(matrices.Raised, 0, 0, 0)), "rows = 0, want 1 <= rows <= 1048576"},
		{second(matrices.NewJL(matrices.Threshold, 1<<20+1, 0, 0)), "rows = 1048577, want 1 <= rows <= 1048576"},
		{second(matrices.NewJL(matrices.Raised, 1, 0, 0)), "move = 0, want a positive finite number"},
		{second(matrices.NewJL(matrices.Raised, 1, 0, 1)), "width = 0, want a positive finite number"},
		{second(matrices.NewJL(matrices.Raised, 1, math.Inf(1), 1)), "width = +Inf, want a positive finite number"},
		{second(matrices.PublishedJL("other", 1, 1, zero, evidence.Delta{})), `form = "other", want "raised" or "threshold"`},
		{second(matrices.PublishedJL(matrices.Raised, 1, 1, zero, evidence.Delta{})),
			"eps = 0, want a positive finite number"},
		{second(matrices.PublishedJL(matrices.Raised, 1, 1, one, evidence.Delta{})), "delta = 0, want 0 < delta < 1"},
		{second(matrices.PublishedJL(matrices.Raised, 9, 1e308, one, evidencetest.Delta(0.125))),
			"rows = 9, eps = 1 and delta = 0.125 need a width of +Inf, want a positive finite number"},
		{second(matrices.ExactJL(ctx, "other", 1, 1, zero, evidence.Delta{})), `form = "other", want "raised" or "threshold"`},
		{second(matrices.ExactJL(ctx, matrices.Raised, 1, 1, zero, evidence.Delta{})),
			"eps = 0, want a positive finite number"},
		{second(matrices.JL{}.Privacy().Delta(ctx, one)), `form = "", want "raised" or "threshold"`},
		{second(matrices.JL{}.Privacy().Epsilon(ctx, evidencetest.Delta(0.5))), `form = "", want "raised" or "threshold"`},
		{second(matrices.JL{}.IsPrivate(ctx, one, evidencetest.Delta(0.5))), `form = "", want "raised" or "threshold"`},
		{j.Check(nil), "x is missing, want a matrix of records"},
		{j.Check(new(mat.Dense)), "x is 0×0, want at least one row and one column"},
		{j.Check(shape{0, 3}), "x is 0×3, want at least one row and one column"},
		{j.Check(shape{3, 0}), "x is 3×0, want at least one row and one column"},
		{j.Check(nan), "x[1][1] = -Inf, want a finite number"},
		{j.Check(mat.NewDense(2, 1, []float64{1e200, 1})), "x is 2×1 with entries whose squares overflow float64"},
		{second(matrices.JL{Form: matrices.Raised, Rows: 1, Width: 1, Move: 1}.Simulate(mat.NewDense(1, 2, []float64{1e154, 1e154}), src)), "x is 1×2 with entries whose squares overflow float64"},
		{second(j.Simulate(nan, src)), "x[1][1] = -Inf, want a finite number"},
		{second(j.SimulateGram(nan, src)), "x[1][1] = -Inf, want a finite number"},
		{second(matrices.JL{Form: matrices.Raised, Rows: 1, Width: 1e200, Move: 1}.SimulateGram(mat.NewDense(1, 1, []float64{1}), src)), "width = 1e+200 and x give squares that overflow float64"},
		{j.Check(mat.NewDense(2, 2, []float64{3, 0, 0, 0.5})),
			`x is 2×2 with the least singular value 0.5, want at least the width 1: form "raised" raises the spectrum instead`},
		{j.Check(mat.NewDense(3, 2, []float64{9, 0, 0, 9, 9, 9})),
			`x is 3×2 with the least singular value 0, want at least the width 1: form "raised" raises the spectrum instead`},
	})
	for _, rows := range []int{1, 1 << 20} {
		if _, err := matrices.NewJL(matrices.Threshold, rows, 1, 1); err != nil {
			t.Error(err)
		}
	}
	if err := j.Check(eye); err != nil { // the least singular value equals the width
		t.Error(err)
	}
	if _, err := matrices.ExactJL(ctx, matrices.Raised, 1, 1, one, evidencetest.Delta(1e-26)); !errors.Is(err, matrices.ErrUnreached) || err.Error() != "the requested privacy cannot be certified: delta = 1e-26, want at least 1e-25, the resolution of the discretisation" {
		t.Error(err)
	}
	if e, err := j.Privacy().Epsilon(ctx, evidence.Delta{}); err != nil || !math.IsInf(e.Float(), 1) || !isLoss(e, math.Inf(1), "the privacy loss has no bound", "law of a Gaussian projection of two neighbors") {
		t.Errorf("ε(0) = %v, %v", e, err)
	}
	for form, source := range map[matrices.Form]string{matrices.Raised: "Blocki, Blum, Datta and Sheffet 2012, arXiv:1204.2136, Theorem 4.1 as it is cited; the paper was not at hand", matrices.Threshold: "Upadhyay 2014, arXiv:1410.2470, not at hand: the threshold on singular values that Chanyaswad et al. describe, with the width of Blocki et al."} {
		p := must.For(matrices.PublishedJL(form, 2, 1, one, evidencetest.Delta(0.125)))(t)
		eps, delta, ok := p.Claimed()
		if !ok || eps.Value != 1 || eps.Epsilon != one || delta.Value != 0.125 || eps.Source != source || delta.Source != source {
			t.Errorf("%s has the claim %+v, %+v, %t", form, eps, delta, ok)
		}
	}
}

// isLoss reports whether both bounds of a number equal end, and whether the number has the given method and source.
func isLoss(n evidence.Number, end float64, method, source string) bool {
	c, ok := n.(evidence.Certified)
	return ok && c == evidence.Certified{Lo: end, Hi: end, Side: evidence.Up, Provenance: evidence.From(source).By(method)}
}

// shape is a matrix without entries.
type shape struct{ rows, columns int }

func (s shape) Dims() (r, c int)    { return s.rows, s.columns }
func (s shape) At(i, k int) float64 { panic("there is no entry") }
func (s shape) T() mat.Matrix       { return shape{s.columns, s.rows} }

func TestMessagesOfComponentsAndNets(t *testing.T) {
	ctx, one, zero := t.Context(), evidencetest.Epsilon(1), evidence.Epsilon{}
	p := must.For(matrices.NewPPCA(one, 1, false))(t)
	n := must.For(matrices.NewNet([]float64{1, 2}, 2, 3, matrices.Max, one))(t)
	nan, src := mat.NewDense(2, 2, []float64{1, 0, 0, math.NaN()}), rand.NewPCG(1, 1)
	law := bingham(t, 1, 0, 0)
	draws := func(count int) error { _, _, err := law.Simulate(count, src); return err }
	checkErrors(t, []bad{
		{second(matrices.NewBingham(nil)), "a is missing, want a symmetric matrix"},
		{second(matrices.NewBingham(nan)), "a[1][1] = NaN, want a finite number"},
		{second(matrices.NewBingham(mat.NewSymDense(4097, nil))), "a is 4097×4097, want an order of at most 4096"},
		{second(matrices.NewBingham(diagonal(1e13, 0))),
			"the eigenvalues of a differ by 1e+13, want at most 1e12: the law is nearly a point mass"},
		{second(matrices.NewBingham(diagonal(6e11, -6e11))),
			"the eigenvalues of a differ by 1.2e+12, want at most 1e12: the law is nearly a point mass"},
		{draws(0), "count = 0, want 1 <= count <= 22369621"},
		{draws(22369622), "count = 22369622, want 1 <= count <= 22369621"},
		{second(bingham(t, 6e4, 0).LogConstant(ctx)), "the eigenvalues of a differ by 60000, want at most 50000: the series of the normalizing constant is too long"},
		{second(bingham(t, 6e4, 0).Moment(ctx)), "the eigenvalues of a differ by 60000, want at most 50000: the series of the normalizing constant is too long"},
		{second(bingham(t, 6e4, 0).Acceptance(ctx)), "the eigenvalues of a differ by 60000, want at most 50000: the series of the normalizing constant is too long"},
		{second(matrices.NewPPCA(zero, 0, false)), "eps = 0, want a positive finite number"},
		{second(matrices.NewPPCA(one, 0, false)), "row_norm = 0, want a positive finite number"},
		{second(matrices.ExactPPCA(zero, evidence.Delta{}, 0, false)), "eps = 0, want a positive finite number"},
		{second(matrices.ExactPPCA(zero, evidencetest.Delta(0.5), 1, false)), "eps = 0, want a positive finite number"},
		{second(matrices.ExactPPCA(zero, evidencetest.Delta(0.5), 1, true)), "eps = 0, want a positive finite number"},
		{second(matrices.ExactPPCA(one, evidencetest.Delta(0.5), 0, false)), "row_norm = 0, want a positive finite number"},
		{second(p.Law(nan)), "x[1][1] = NaN, want a finite number"},
		{second(p.Simulate(nan, src)), "x[1][1] = NaN, want a finite number"},
		{second(p.Captured(ctx, nan)), "x[1][1] = NaN, want a finite number"},
		{second(p.Law(mat.NewDense(4097, 1, nil))), "x has 4097 rows, want at most 4096"},
		{second(p.Law(mat.NewDense(2, 2, []float64{1, 3, 0, 4}))), "record 1 of x has norm 5, want at most row_norm = 1"},
		{second(p.Witness(ctx, 1, 1)), "d = 1, want 2 <= d <= 4096"},
		{second(p.Witness(ctx, 4097, 1)), "d = 4097, want 2 <= d <= 4096"},
		{second(p.Witness(ctx, 2, 1)), "n = 1, want at least 2"},
		{second(p.Witness(ctx, 2, 100003)), "the eigenvalues of a differ by 50000.5, want at most 50000: the series of the normalizing constant is too long"},
		{second(matrices.NewNet(nil, 0, 0, "", zero)), "half_width is empty, want at least one number"},
		{second(matrices.NewNet([]float64{1, 0}, 0, 0, "", zero)), "half_width[1] = 0, want a positive finite number"},
		{second(matrices.NewNet([]float64{1}, 0, 0, "", zero)), "n = 0, want at least 1"},
		{second(matrices.NewNet([]float64{1}, 1, 1, "", zero)), "levels = 1, want 2 <= levels <= 1048576"},
		{second(matrices.NewNet([]float64{1}, 1, 1<<20+1, "", zero)), "levels = 1048577, want 2 <= levels <= 1048576"},
		{second(matrices.NewNet([]float64{1, 1}, 3, 1<<24, "", zero)), "levels = 16777216, want 2 <= levels <= 1048576"},
		{second(matrices.NewNet([]float64{1, 1, 1}, 22, 1<<20, "", zero)), "a net of 3×22 matrices of 1048576 levels has 6.92e+07 values of entries, want at most 67108864"},
		{second(matrices.NewNet([]float64{1, 1}, 1<<25+1, 2, "", zero)), "a net of 2×33554433 matrices of 2 levels has 1.34e+08 values of entries, want at most 67108864"},
		{second(matrices.NewNet([]float64{1}, 1, 2, "least", zero)), `quality = "least", want "max" or "sum"`},
		{second(matrices.NewNet([]float64{1}, 1, 2, matrices.Max, zero)), "eps = 0, want a positive finite number"},
		{second(matrices.ExactNet([]float64{1}, 1, 2, matrices.Max, zero, evidencetest.Delta(0.5))), "eps = 0, want a positive finite number"},
		{second(matrices.ExactNet([]float64{1}, 1, 1, matrices.Max, one, evidence.Delta{})), "levels = 1, want 2 <= levels <= 1048576"},
		{second(matrices.ExactNet([]float64{1}, 1, 1, matrices.Sum, one, evidencetest.Delta(0.5))), "levels = 1, want 2 <= levels <= 1048576"},
		{second(n.Simulate(nan, src)), "x[1][1] = NaN, want a finite number"},
		{second(n.Simulate(mat.NewDense(1, 2, nil), src)), "x is 1×2, want 2×2"},
		{second(n.Simulate(mat.NewDense(2, 1, nil), src)), "x is 2×1, want 2×2"},
		{second(n.Simulate(mat.NewDense(2, 2, []float64{1, 1.5, 0, 0}), src)), "x[0][1] = 1.5, want it within the box, from -1 to 1"},
		{second(n.Simulate(mat.NewDense(2, 2, []float64{1, -1, 2, -2.5}), src)), "x[1][1] = -2.5, want it within the box, from -2 to 2"},
		{second(must.For(matrices.NewNet([]float64{1, 2}, 5, 2, matrices.Max, one))(t).Mechanism(ctx)), "a net of e^6.931 matrices, want at most 512 to list its law"},
	})
	for what, err := range map[string]error{ // the limits of the ranges are accepted
		"values":  second(matrices.NewNet([]float64{1}, 64, 1<<20, matrices.Max, one)),
		"levels":  second(matrices.NewNet([]float64{1}, 1, 2, matrices.Max, one)),
		"data":    second(n.Simulate(mat.NewDense(2, 2, []float64{1, -1, 2, -2}), src)),
		"spread":  second(matrices.NewBingham(diagonal(5e11, -5e11))),
		"norm":    second(p.Law(mat.NewDense(2, 1, []float64{0.6, 0.8}))),
		"witness": second(p.Witness(ctx, 2, 2)),
		"draws":   func() error { _, _, err := bingham(t, 0).Simulate(1, src); return err }(),
	} {
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	long := must.For(matrices.NewPPCA(one, 1, false))(t)
	for over, ok := range map[float64]bool{1 + 0.9e-9: true, 1 + 1.1e-9: false} { // a record's norm may exceed 1 by 1e-9
		if _, err := long.Law(mat.NewDense(1, 1, []float64{over})); (err == nil) != ok {
			t.Errorf("a record of norm %v: %v", over, err)
		}
	}
	for adds, want := range map[bool]string{false: "PPCA with parameter 1, one record of norm at most 1.0 replaced", true: "PPCA with parameter 1, one record of norm at most 1.0 added or removed"} {
		if got := must.For(matrices.NewPPCA(one, 1, adds))(t).String(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	for what, got := range map[string]string{
		"exponential mechanism on a net of e^4.39445 matrices, 2×2 of 3 levels, quality \"max\"":          n.String(),
		"Bingham law in dimension 3, eigenvalues from 0.0 to 1.0":                                         law.String(),
		"Johnson–Lindenstrauss transform to 3 mixed records, threshold at width 1.0, records move by 2.0": matrices.JL{Form: matrices.Threshold, Rows: 3, Width: 1, Move: 2}.String(),
	} {
		if got != what {
			t.Errorf("%s, want %s", got, what)
		}
	}
}

// Intermediate results that overflow are refused, and no result comes with the error.
func TestOverflowIsRefused(t *testing.T) {
	steep := must.For(matrices.NewLaplace(box(t, 1, 1e300), 1e-300))(t)
	d, err := steep.Privacy().Delta(t.Context(), evidencetest.Epsilon(1))
	if !errors.Is(err, parameter.Err) || d != nil {
		t.Errorf("δ of a steep law: %v, %v", d, err)
	}
	e, err := steep.Privacy().Epsilon(t.Context(), evidencetest.Delta(0.5))
	if !errors.Is(err, parameter.Err) || e != nil {
		t.Errorf("ε of a steep law: %v, %v", e, err)
	}
}
