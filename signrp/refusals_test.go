package signrp_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/memory"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/signrp"
)

// refused fails unless err has the message want and got is the zero value.
func refused(t *testing.T, what, want string, got any, err error) {
	t.Helper()
	switch {
	case err == nil || !errors.Is(err, evidence.ErrParameter) || err.Error() != want:
		t.Errorf("%s: %v, want %q", what, err, want)
	case got != nil && !reflect.ValueOf(got).IsZero():
		t.Errorf("%s: result %v with error %v", what, got, err)
	}
}

// call is a function call and the error message it must return.
type call struct {
	what string
	do   func() (any, error)
	want string
}

func (c call) refused(t *testing.T) {
	t.Helper()
	got, err := c.do()
	refused(t, c.what, c.want, got, err)
}

// of adapts f to the type of the function that a call holds.
func of[T any](f func() (T, error)) func() (any, error) {
	return func() (any, error) { v, err := f(); return v, err }
}

// Projections refuse invalid arguments by name.
func TestProjectionsRefuse(t *testing.T) {
	ctx := t.Context()
	w := must.Be(signrp.NewProjection(signrp.Rademacher, 2, 3, signrp.ProjectionOptions{Seed: 1}))
	g := must.Be(signrp.NewProjection(signrp.Gaussian, 2, 3, signrp.ProjectionOptions{Seed: 1}))
	u := []float64{1, 0.5}
	into := func(w *signrp.Projection, out, data [][]float64) func() (any, error) {
		return func() (any, error) { return nil, w.ApplyInto(ctx, out, data) }
	}
	rows := func(n, k int) [][]float64 {
		out := make([][]float64, n)
		for i := range out {
			out[i] = make([]float64, k)
		}
		return out
	}
	for _, c := range []call{
		{"p", of(func() (*signrp.Projection, error) {
			return signrp.NewProjection(signrp.Rademacher, 0, 3, signrp.ProjectionOptions{Seed: 1})
		}), "p = 0, want at least 1"},
		{"k", of(func() (*signrp.Projection, error) {
			return signrp.NewProjection(signrp.Rademacher, 3, 0, signrp.ProjectionOptions{Seed: 1})
		}), "k = 0, want at least 1"},
		{"large p", of(func() (*signrp.Projection, error) {
			return signrp.NewProjection(signrp.Rademacher, 1<<28+1, 1, signrp.ProjectionOptions{Seed: 1})
		}), "p = 268435457, k = 1, want p at most 2^28 and k at most 2^20"},
		{"large k", of(func() (*signrp.Projection, error) {
			return signrp.NewProjection(signrp.Rademacher, 1, 1<<20+1, signrp.ProjectionOptions{Seed: 1})
		}), "p = 1, k = 1048577, want p at most 2^28 and k at most 2^20"},
		{"kind", of(func() (*signrp.Projection, error) {
			return signrp.NewProjection("binary", 3, 3, signrp.ProjectionOptions{Seed: 1})
		}), `kind = "binary", want "rademacher", "gaussian", "uniform" or "sparse"`},
		{"s", of(func() (*signrp.Projection, error) {
			return signrp.NewProjection(signrp.Sparse, 3, 3, signrp.ProjectionOptions{Sparsity: math.Nextafter(1, 0), Seed: 1})
		}), "s = 0.9999999999999999, want a finite number, at least 1"},
		{"infinite s", of(func() (*signrp.Projection, error) {
			return signrp.NewProjection(signrp.Sparse, 3, 3, signrp.ProjectionOptions{Sparsity: math.Inf(1), Seed: 1})
		}), "s = +Inf, want a finite number, at least 1"},
		{"OPORP's p", of(func() (*signrp.Projection, error) { return signrp.NewOPORP(ctx, 0, 1, 1) }), "p = 0, want at least 1"},
		{"OPORP's k", of(func() (*signrp.Projection, error) { return signrp.NewOPORP(ctx, 3, 4, 1) }), "k = 4, want at most p = 3 for OPORP"},
		{"a short vector", of(func() ([]float64, error) { return w.Apply(ctx, u[:1]) }), "u has 1 entries, want p = 2"},
		{"an entry", of(func() ([]float64, error) { return w.Apply(ctx, []float64{1, math.Nextafter(-1, -2)}) }), "u[1] = -1.0000000000000002, want a number in [-1, 1]"},
		{"an entry of several vectors", of(func() ([][]float64, error) { return w.ApplyAll(ctx, [][]float64{u, u, {2, 0}}) }), "u[2][0] = 2, want a number in [-1, 1]"},
		{"an entry of four vectors", of(func() ([][]float64, error) { return w.ApplyAll(ctx, [][]float64{u, u, u, {0, math.NaN()}}) }), "u[3][1] = NaN, want a number in [-1, 1]"},
		{"an entry, Gaussian W", of(func() ([][]float64, error) { return g.ApplyAll(ctx, [][]float64{u, {2, 0}}) }), "u[1][0] = 2, want a number in [-1, 1]"},
		{"too few rows", into(w, rows(1, 3), [][]float64{u, u}), "out has 1 rows, want 2, one per vector"},
		{"a short row", into(w, [][]float64{{0, 0, 0}, {0, 0}}, [][]float64{u, u}), "out[1] has 2 entries, want k = 3"},
		{"bytes", of(func() ([]float64, error) { return nil, signrp.Discard(w.ApplyBytes(ctx, make([]byte, 3), 1./255)) }), "data has 3 bytes, want a multiple of p = 2"},
		{"unit 0", of(func() ([]float64, error) { return nil, signrp.Discard(w.ApplyBytes(ctx, make([]byte, 4), 0)) }), "unit = 0, want 0 < unit <= 1/255"},
		{"a large unit", of(func() ([]float64, error) {
			return nil, signrp.Discard(w.ApplyBytes(ctx, make([]byte, 4), math.Nextafter(1./255, 1)))
		}), "unit = 0.003921568627450981, want 0 < unit <= 1/255"},
		{"β of a sensitivity", of(func() (evidence.Number, error) { return w.Sensitivity(ctx, 0) }), "beta = 0, want a positive finite number"},
		{"levels of a short vector", of(func() ([]int, error) { return w.Levels(ctx, u[:1], 1) }), "u has 1 entries, want p = 2"},
		{"β of levels", of(func() ([]int, error) { return w.Levels(ctx, u, math.Inf(1)) }), "beta = +Inf, want a positive finite number"},
		{"small β of levels", of(func() ([]int, error) { return w.Levels(ctx, u, math.Nextafter(0x1p-52, 0)) }), "beta = 2.2204460492503128e-16, want at least 2.22e-16 for smoothing with 2 coordinates"},
		{"a large matrix", of(must.Be(signrp.NewProjection(signrp.Gaussian, 1<<24+1, 1, signrp.ProjectionOptions{Seed: 1})).Matrix), "p·k = 16777217, want at most 2^24 to write the matrix out"},
		{"an entry of Clip", of(func() ([]float64, error) { return signrp.Clip("x", []float64{3, math.NaN()}) }), "x[1] = NaN, want a number"},
	} {
		c.refused(t)
	}
	if out := must.Be(w.Levels(ctx, u, 0x1p-52)); len(out) != 3 {
		t.Errorf("levels at the smallest β: %v", out)
	}
	if m := must.Be(must.Be(signrp.NewProjection(signrp.Rademacher, 1, 1<<20, signrp.ProjectionOptions{Seed: 1})).Matrix()); len(m[0]) != 1<<20 {
		t.Errorf("a row of length %d", len(m[0]))
	}
}

// Releases refuse invalid arguments by name and return nothing.
func TestReleasesRefuse(t *testing.T) {
	ctx := t.Context()
	w := must.Be(signrp.NewProjection(signrp.Rademacher, 2, 3, signrp.ProjectionOptions{Seed: 1}))
	g := must.Be(signrp.NewProjection(signrp.Gaussian, 2, 3, signrp.ProjectionOptions{Seed: 1}))
	one, none := evidencetest.Epsilon(1), evidence.Epsilon{}
	zeros := must.Be(signrp.NewProjection(signrp.Sparse, 1, 1, signrp.ProjectionOptions{Sparsity: 1e300, Seed: 1}))
	rr, gauss := signrp.RandomizedResponse, signrp.GaussianNoise
	rp := func(w *signrp.Projection, e evidence.Epsilon, delta, beta float64) func() (any, error) {
		return of(func() (*signrp.Release, error) {
			return signrp.NewRP(ctx, w, e, evidencetest.Delta(delta), signrp.RPOptions{Beta: beta})
		})
	}
	classic := func(e evidence.Epsilon, delta, beta float64) func() (any, error) {
		return of(func() (*signrp.Release, error) {
			return signrp.NewClassicRP(ctx, w, e, evidencetest.Delta(delta), signrp.RPOptions{Beta: beta})
		})
	}
	raw := func(p int, e evidence.Epsilon, delta, beta float64) func() (any, error) {
		return of(func() (*signrp.Release, error) {
			return signrp.NewRaw(p, e, evidencetest.Delta(delta), signrp.RPOptions{Beta: beta})
		})
	}
	signs := func(e evidence.Epsilon, o signrp.SignOptions) func() (any, error) {
		return of(func() (*signrp.Release, error) { return signrp.NewSignRP(ctx, w, e, o) })
	}
	own := func(e evidence.Epsilon, o signrp.SignOptions) func() (any, error) {
		return of(func() (*signrp.Release, error) { return signrp.NewIndividual(w, e, o) })
	}
	for _, c := range []call{
		{"ε of numbers", rp(w, none, 0.1, 1), "eps = 0, want a positive finite number"},
		{"β of numbers", rp(w, one, 0.1, -1), "beta = -1, want a positive finite number"},
		{"β that overflows", rp(g, one, 0.1, math.MaxFloat64), "sensitivity = +Inf, want a positive finite number"},
		{"a W of zeros", rp(zeros, one, 0.1, 1), "all entries of w are 0, want another seed or a smaller s"},
		{"ε of classic noise", classic(none, 0.1, 1), "eps = 0, want a positive finite number"},
		{"δ of classic noise", classic(one, 0.5, 1), "delta = 0.5, want 0 < delta < 1/2"},
		{"classic noise that overflows", classic(evidencetest.Epsilon(1e-200), 0.1, 1e150), "eps = 1e-200, want an eps large enough that sigma does not overflow float64"},
		{"ε of raw data", raw(1, none, 0.1, 1), "eps = 0, want a positive finite number"},
		{"raw data without coordinates", raw(0, one, 0.1, 1), "p = 0, want at least 1"},
		{"δ of raw data", raw(1, one, 0, 1), "delta = 0, want 0 < delta < 1"},
		{"ε of signs", signs(none, signrp.SignOptions{Noise: rr, Beta: 1}), "eps = 0, want a positive finite number"},
		{"β of signs", signs(one, signrp.SignOptions{Noise: rr}), "beta = 0, want a positive finite number"},
		{"noise of signs", signs(one, signrp.SignOptions{Noise: "laplace", Beta: 1}), `noise = "laplace", want "rr" or "gaussian"`},
		{"δ of noisy signs", signs(one, signrp.SignOptions{Noise: gauss, Beta: 1}), "delta = 0, want 0 < delta < 1"},
		{"smooth noise", signs(one, signrp.SignOptions{Noise: gauss, Delta: evidencetest.Delta(0.1), Beta: 1, Smoothing: true}), "smoothing = true, want false with Gaussian noise"},
		{"δ of levels", signs(one, signrp.SignOptions{Noise: rr, Delta: evidencetest.Delta(0.1), Beta: 1, Smoothing: true}), "delta = 0.1, want none with smoothing: N₊ bounds how many signs flip, but a neighbor may change the level L_j of every coordinate"},
		{"β of levels", signs(one, signrp.SignOptions{Noise: rr, Beta: math.Nextafter(0x1p-52, 0), Smoothing: true}), "beta = 2.2204460492503128e-16, want at least 2.22e-16 for smoothing with 2 coordinates"},
		{"ε of iDP", own(none, signrp.SignOptions{Noise: rr, Beta: 1}), "eps = 0, want a positive finite number"},
		{"β of iDP", own(one, signrp.SignOptions{Noise: rr}), "beta = 0, want a positive finite number"},
		{"smooth iDP", own(one, signrp.SignOptions{Noise: rr, Beta: 1, Smoothing: true}), "smoothing = true, want false for an iDP release"},
		{"δ of iDP noise", own(one, signrp.SignOptions{Noise: gauss, Beta: 1}), "delta = 0, want 0 < delta < 1"},
		{"large ε of iDP noise", own(evidencetest.Epsilon(1e300), signrp.SignOptions{Noise: gauss, Delta: evidencetest.Delta(0.1), Beta: 1}), "eps = 1e+300, want a number between 1e-300 and 1e+20"},
		{"large ε of numbers", rp(w, evidencetest.Epsilon(1e300), 0.1, 1), "eps = 1e+300, want a number between 1e-300 and 1e+20"},
		{"noise of iDP", own(one, signrp.SignOptions{Noise: "laplace", Beta: 1}), `noise = "laplace", want "rr" or "gaussian"`},
	} {
		c.refused(t)
	}
	for _, o := range []signrp.SignOptions{{Noise: rr, Beta: 0x1p-52, Smoothing: true}, {Noise: rr, Beta: 1, Delta: evidencetest.Delta(0.9)}, {Noise: gauss, Delta: evidencetest.Delta(0.1), Beta: 1}} {
		if r, err := signrp.NewSignRP(ctx, w, one, o); err != nil || r.Beta() != o.Beta || r.Delta() != o.Delta {
			t.Errorf("%+v: %v, %v", o, r, err)
		}
	}
	over, end := context.WithCancel(ctx)
	end()
	g = must.Be(signrp.NewProjection(signrp.Gaussian, 2, 3, signrp.ProjectionOptions{Seed: 2}))
	for _, c := range []call{ // before W is measured
		{"ε of numbers", of(func() (*signrp.Release, error) {
			return signrp.NewRP(over, g, none, evidencetest.Delta(0.1), signrp.RPOptions{Beta: 1})
		}), "eps = 0, want a positive finite number"},
		{"β of numbers", of(func() (*signrp.Release, error) {
			return signrp.NewRP(over, g, one, evidencetest.Delta(0.1), signrp.RPOptions{Beta: 0})
		}), "beta = 0, want a positive finite number"},
		{"ε of signs", of(func() (*signrp.Release, error) {
			return signrp.NewSignRP(over, g, none, signrp.SignOptions{Noise: gauss, Delta: evidencetest.Delta(0.1), Beta: 1})
		}), "eps = 0, want a positive finite number"},
		{"ε of classic noise", of(func() (*signrp.Release, error) {
			return signrp.NewClassicRP(over, g, none, evidencetest.Delta(0.1), signrp.RPOptions{Beta: 1})
		}), "eps = 0, want a positive finite number"},
		{"β of classic noise", of(func() (*signrp.Release, error) {
			return signrp.NewClassicRP(over, g, one, evidencetest.Delta(0.1), signrp.RPOptions{Beta: 0})
		}), "beta = 0, want a positive finite number"},
	} {
		c.refused(t)
	}
	signed := must.Be(signrp.NewSignRP(ctx, w, one, signrp.SignOptions{Noise: rr, Beta: 1}))
	noisy := must.Be(signrp.NewSignRP(ctx, w, one, signrp.SignOptions{Noise: gauss, Delta: evidencetest.Delta(0.1), Beta: 1}))
	smooth := must.Be(signrp.NewSignRP(ctx, w, one, signrp.SignOptions{Noise: rr, Beta: 1, Smoothing: true}))
	numbers := must.Be(signrp.NewRP(ctx, w, one, evidencetest.Delta(0.1), signrp.RPOptions{Beta: 1}))
	tiny := must.Be(signrp.NewRP(ctx, w, one, evidencetest.Delta(0.1), signrp.RPOptions{Beta: 1e-300}))
	u, far, short := []float64{1, 0.5}, []float64{1, 1.5}, []float64{1}
	src := rand.NewPCG(1, 2)
	for _, c := range []call{
		{"σ of flips", of(signed.Sigma), "the noise of DP-SignRP-RR depends on the data, so it has no standard deviation sigma"},
		{"a grid of signs", of(func() (signrp.Output, error) { return signed.Draw(ctx, u, big.NewRat(1, 2), src) }), "grid = 1/2, want none for a release of signs"},
		{"a grid of 0", of(func() (signrp.Output, error) { return numbers.Draw(ctx, u, new(big.Rat), src) }), "grid = 0, want a positive number"},
		{"u of Draw", of(func() (signrp.Output, error) { return numbers.Draw(ctx, far, nil, src) }), "u[1] = 1.5, want a number in [-1, 1]"},
		{"u of Sample", of(func() (signrp.Output, error) { return signed.Sample(ctx, short, src) }), "u has 1 entries, want p = 2"},
		{"u of SampleAll", of(func() ([]signrp.Output, error) {
			return signed.SampleAll(ctx, [][]float64{u, far}, func(uint64) rand.Source { return src })
		}), "u[1] = 1.5, want a number in [-1, 1]"},
		{"u of SampleRows", of(func() ([][]float64, error) {
			return signed.SampleRows(ctx, [][]float64{u, far}, func(uint64) rand.Source { return src })
		}), "u[1] = 1.5, want a number in [-1, 1]"},
		{"u of pairs", of(func() (any, error) { return nil, signrp.Discard(signed.PairsBetween(ctx, far, u)) }), "u[1] = 1.5, want a number in [-1, 1]"},
		{"v of pairs", of(func() (any, error) { return nil, signrp.Discard(numbers.PairsBetween(ctx, u, short)) }), "v has 1 entries, want p = 2"},
		{"u of neighbors", of(func() (any, error) { return nil, signrp.Discard(numbers.NeighborPairs(ctx, short)) }), "u has 1 entries, want p = 2"},
		{"the worst of numbers", of(func() (signrp.Worst, error) { return numbers.Neighbors(far).Worst(ctx) }), "u[1] = 1.5, want a number in [-1, 1]"},
		{"the worst of signs", of(func() (signrp.Worst, error) { return signed.Neighbors(far).Worst(ctx) }), "u[1] = 1.5, want a number in [-1, 1]"},
		{"a distant pair with tiny noise", of(func() (evidence.Number, error) {
			return tiny.Pair(u, []float64{0, 0}).Epsilon(ctx, evidencetest.Delta(0.1))
		}), "mu = 8.81708e+299 (the sensitivity divided by the standard deviation of the noise), want at most 1e+153"},
		{"a subnormal δ of numbers", of(func() (evidence.Number, error) { return numbers.Public().Epsilon(ctx, evidencetest.Delta(1e-310)) }), "delta = 1e-310, want a number from 1e-307 to below 1"},
		{"a subnormal δ of signs", of(func() (evidence.Number, error) { return noisy.Public().Epsilon(ctx, evidencetest.Delta(1e-310)) }), "delta = 1e-310, want a number from 1e-307 to below 1"},
		{"u of a variance", of(func() (evidence.Number, error) { return numbers.Variance(short, u) }), "u has 1 entries, want p = 2"},
		{"v of a variance", of(func() (evidence.Number, error) { return numbers.Variance(u, far) }), "v[1] = 1.5, want a number in [-1, 1]"},
		{"zeros of a variance", of(func() (evidence.Number, error) { return signed.Variance(u, []float64{0, 0}) }), "u or v is zero, want two vectors with an angle between them"},
		{"a variance of levels", of(func() (evidence.Number, error) { return smooth.Variance(u, u) }), "DP-SignRP-RR-smooth has no formula for the variance of its angle estimator"},
		{"moments of signs", of(func() (*signrp.CosineMoments, error) { return signed.NormalizedMoments(ctx, u, u) }), "DP-SignRP-RR releases signs, want numbers"},
		{"u of moments of raw data", of(func() (*signrp.CosineMoments, error) {
			return must.Be(signrp.NewRaw(2, one, evidencetest.Delta(0.1), signrp.RPOptions{Beta: 1})).NormalizedMoments(ctx, short, short)
		}), "u has 1 entries, want p = 2"},
		{"u of moments", of(func() (*signrp.CosineMoments, error) { return numbers.NormalizedMoments(ctx, far, u) }), "u[1] = 1.5, want a number in [-1, 1]"},
		{"v of moments", of(func() (*signrp.CosineMoments, error) { return numbers.NormalizedMoments(ctx, u, []float64{0, 0}) }), "u or v is zero, want two vectors with an angle between them"},
	} {
		c.refused(t)
	}
	if s := must.Be(numbers.Sigma()); !strings.Contains(numbers.Name(), "RP") || !(s.Lo <= s.Hi && s.Hi < math.Inf(1)) {
		t.Errorf("%s has standard deviation %v", numbers.Name(), s)
	}
}

// Angles, variances, probabilities, counts, moments and searches refuse invalid arguments too.
func TestNumbersRefuse(t *testing.T) {
	ctx := t.Context()
	one, none := evidencetest.Epsilon(1), evidence.Epsilon{}
	u, v, far := []float64{1, 0.5}, []float64{0.5, 1}, []float64{2, 0}
	w := must.Be(signrp.NewProjection(signrp.Rademacher, 2, 3, signrp.ProjectionOptions{Seed: 1}))
	streams := func(uint64) rand.Source { return rand.NewPCG(1, 2) }
	column := func(kind signrp.Kind, s float64, u []float64, beta float64, draws int) func() (any, error) {
		return of(func() (evidence.Estimated, error) {
			return signrp.EstimatePPlus(ctx, signrp.Column{kind, s, u, beta}, draws, streams)
		})
	}
	for _, c := range []call{
		{"lengths of an angle", of(func() (float64, error) { return signrp.Angle(u, v[:1]) }), "v has 1 entries, want 2, as many as u"},
		{"zeros of an angle", of(func() (float64, error) { return signrp.Angle(u, []float64{0, 0}) }), "u or v is zero, want two vectors with an angle between them"},
		{"lengths of an estimate", of(func() (float64, error) { return signrp.AngleEstimate([]int8{1}, nil, one) }), "1 and 0 signs, want two releases of one length"},
		{"ε of an estimate", of(func() (float64, error) { return signrp.AngleEstimate([]int8{1}, []int8{1}, none) }), "eps = 0, want a positive finite number"},
		{"small ε of an estimate", of(func() (float64, error) {
			return signrp.AngleEstimate([]int8{1}, []int8{1}, evidencetest.Epsilon(1e-80))
		}), "eps = 1e-80, want at least 1e-75, or the variance of the flips overflows float64"},
		{"θ", of(func() (evidence.Claimed, error) { return signrp.AngleVariance(-1, one, 1) }), "theta = -1, want 0 <= theta <= pi"},
		{"ε of a variance", of(func() (evidence.Claimed, error) { return signrp.AngleVariance(1, none, 1) }), "eps = 0, want a positive finite number"},
		{"k of a variance", of(func() (evidence.Claimed, error) { return signrp.AngleVariance(1, one, 0) }), "k = 0, want at least 1"},
		{"small ε of a variance", of(func() (evidence.Claimed, error) { return signrp.AngleVariance(1, evidencetest.Epsilon(1e-80), 1) }), "eps = 1e-80, want at least 1e-75, or the variance of the flips overflows float64"},
		{"u of a variance", of(func() (evidence.Certified, error) { return signrp.InnerVariance(w, u[:1], v, interval.Decimal(1)) }), "u has 1 entries, want p = 2"},
		{"v of a variance", of(func() (evidence.Certified, error) { return signrp.InnerVariance(nil, u, far, interval.Decimal(1)) }), "v[0] = 2, want a number in [-1, 1]"},
		{"σ of a variance", of(func() (evidence.Certified, error) { return signrp.InnerVariance(nil, u, v, interval.Decimal(-1)) }), "sigma = -1, want a finite number, at least 0"},
		{"p of a ratio", of(func() (float64, error) { return signrp.VarianceRatio(0, 1, 1) }), "p = 0, want at least 1"},
		{"σ of a ratio", of(func() (float64, error) { return signrp.VarianceRatio(1, 1, 0) }), "sigma = 0, want a positive finite number"},
		{"r of normals", of(signrp.Normals{0, 0}.Exceeds), "r = 0, want a positive finite number"},
		{"ρ of normals", of(signrp.Normals{1, -1}.MeanExceeding), "rho = -1, want -1 < rho < 1"},
		{"P of a count", of(func() (int, error) { return signrp.ChernoffCount(1.5, 1, evidencetest.Delta(0.5)) }), "probability = 1.5, want 0 <= probability <= 1"},
		{"k of a count", of(func() (int, error) { return signrp.ChernoffCount(0.5, 0, evidencetest.Delta(0.5)) }), "k = 0, want at least 1"},
		{"P of a quantile", of(func() (int, error) { return signrp.BinomialCount(-1, 1, evidencetest.Delta(0.5)) }), "probability = -1, want 0 <= probability <= 1"},
		{"δ of a quantile", of(func() (int, error) { return signrp.BinomialCount(0.5, 1, evidence.Delta{}) }), "delta = 0, want 0 < delta < 1"},
		{"P of a tail", of(func() (evidence.Certified, error) { return signrp.RandomWDelta(big.NewRat(2, 1), 1, 1) }), "probability = 2, want 0 <= probability <= 1"},
		{"n of a tail", of(func() (evidence.Certified, error) { return signrp.RandomWDelta(big.NewRat(1, 2), 1, 2) }), "n = 2, want 0 <= n <= k = 1"},
		{"n below 0", of(func() (evidence.Certified, error) { return signrp.RandomWDelta(big.NewRat(1, 2), 1, -1) }), "n = -1, want 0 <= n <= k = 1"},
		{"r of P₊", of(func() (evidence.Claimed, error) { return signrp.PublishedGaussian(0, 1) }), "beta/norm(u) = 0, want a positive finite number"},
		{"p of P₊", of(func() (evidence.Claimed, error) { return signrp.PublishedGaussian(1, 0) }), "p = 0, want at least 1"},
		{"r of signs", of(func() (evidence.Claimed, error) { return signrp.PublishedRademacher(math.Inf(1), 1) }), "beta/norm(u) = +Inf, want a positive finite number"},
		{"no u", of(func() (evidence.Number, error) { return signrp.GaussianPPlus(ctx, nil, 1) }), "u is empty, want at least one number"},
		{"u of P₊", of(func() (evidence.Number, error) { return signrp.GaussianPPlus(ctx, far, 1) }), "u[0] = 2, want a number in [-1, 1]"},
		{"β of P₊", of(func() (evidence.Number, error) { return signrp.GaussianPPlus(ctx, u, 0) }), "beta = 0, want a positive finite number"},
		{"no u of signs", of(func() (evidence.Number, error) { return signrp.RademacherPPlus(ctx, nil, 1) }), "u is empty, want at least one number"},
		{"u of signs", of(func() (evidence.Number, error) { return signrp.RademacherPPlus(ctx, far, 1) }), "u[0] = 2, want a number in [-1, 1]"},
		{"β of signs", of(func() (evidence.Number, error) { return signrp.RademacherPPlus(ctx, u, math.NaN()) }), "beta = NaN, want a positive finite number"},
		{"no draws", column(signrp.Gaussian, 0, u, 1, 0), "draws = 0, want 1…68719476736"},
		{"too many draws", column(signrp.Gaussian, 0, u, 1, 1<<36+1), "draws = 68719476737, want 1…68719476736"},
		{"kind of an estimate of P₊", column(signrp.OPORP, 0, u, 1, 1), `kind = "oporp", want "rademacher", "gaussian", "uniform" or "sparse"`},
		{"u of an estimate of P₊", column(signrp.Gaussian, 0, far, 1, 1), "u[0] = 2, want a number in [-1, 1]"},
		{"no u for an estimate of P₊", column(signrp.Gaussian, 0, nil, 1, 1), "u has 0 entries, want p = 1"},
		{"β of an estimate of P₊", column(signrp.Gaussian, 0, u, 0, 1), "beta = 0, want a positive finite number"},
		{"no count of angles", of(func() ([][]int, error) { return signrp.NearestByCosine(ctx, [][]float64{u}, nil, 0) }), "count = 0, want at least 1"},
		{"no vectors", of(func() ([][]int, error) { return signrp.NearestByCosine(ctx, nil, nil, 1) }), "no vectors to search, want at least one"},
		{"a vector's length", of(func() ([][]int, error) { return signrp.NearestByCosine(ctx, [][]float64{u, u[:1]}, nil, 1) }), "vector 1 has 1 entries, want 2"},
		{"a query's length", of(func() ([][]int, error) { return signrp.NearestByCosine(ctx, [][]float64{u}, [][]float64{u[:1]}, 1) }), "query 0 has 1 entries, want 2"},
		{"a vector's entry", of(func() ([][]int, error) { return signrp.NearestByCosine(ctx, [][]float64{u, {0, math.Inf(-1)}}, nil, 1) }), "entry 1 of vector 1 is -Inf, want a finite number"},
		{"a query's entry", of(func() ([][]int, error) {
			return signrp.NearestByCosine(ctx, [][]float64{u}, [][]float64{{math.NaN(), 0}}, 1)
		}), "entry 0 of query 0 is NaN, want a finite number"},
		{"no data to search", of(func() (*signrp.Search, error) { return signrp.NewSearch(ctx, nil, [][]float64{u}, 1) }), "0 vectors and 1 queries, want at least one of each"},
		{"no queries", of(func() (*signrp.Search, error) { return signrp.NewSearch(ctx, [][]float64{u}, nil, 1) }), "1 vectors and 0 queries, want at least one of each"},
		{"no truth", of(func() (*signrp.Search, error) { return signrp.NewSearch(ctx, [][]float64{u}, [][]float64{u}, 0) }), "count = 0, want at least 1"},
		{"u of moments", of(func() (*signrp.CosineMoments, error) {
			return signrp.NormalizedMoments(ctx, w, far, v, interval.Decimal(1))
		}), "u[0] = 2, want a number in [-1, 1]"},
		{"small σ of moments", of(func() (*signrp.CosineMoments, error) {
			return signrp.NormalizedMoments(ctx, nil, u, v, interval.Decimal(1e-4))
		}), "sigma is too small, want at least 1/256 of the norm of the projected vector, or 0"},
		{"kind of moments", of(func() (*signrp.CosineMoments, error) {
			return signrp.NormalizedMoments(ctx, must.Be(signrp.NewProjection(signrp.Uniform, 2, 3, signrp.ProjectionOptions{Seed: 1})), u, v, interval.Decimal(1))
		}), `w = "uniform", want a Gaussian, Rademacher or sparse projection, OPORP or none: the law of other projections is not enumerated`},
		{"bins of moments", of(func() (*signrp.CosineMoments, error) {
			x := make([]float64, 25)
			x[0] = 1
			return signrp.NormalizedMoments(ctx, must.Be(signrp.NewOPORP(ctx, 25, 5, 1)), x, x, interval.Decimal(1))
		}), "the law of W takes more than 2^22 steps to enumerate, want fewer coordinates, fewer distinct entries or a smaller k"},
		{"digits of bins", of(func() (*signrp.CosineMoments, error) {
			return signrp.NormalizedMoments(ctx, must.Be(signrp.NewOPORP(ctx, 2, 2, 1)), []float64{math.Pi / 4, 1}, v, interval.Decimal(1))
		}), "the law of W takes more than 2^22 steps to enumerate, want fewer coordinates, fewer distinct entries or a smaller k"},
		{"no W of a formula", of(func() (evidence.Claimed, error) { return signrp.NormalizedFormula(nil, u, v) }), "w = none, want a projection: raw data have no variance without noise"},
		{"v of a formula", of(func() (evidence.Claimed, error) { return signrp.NormalizedFormula(w, u, far) }), "v[0] = 2, want a number in [-1, 1]"},
	} {
		c.refused(t)
	}
	for _, c := range [][2]float64{{0, 1}, {1, -1}, {1, 1}} {
		n := signrp.Normals{c[0], 0}
		p, bound, err := n.TailExceeding(c[1])
		if bad := c[0] == 0 || c[1] <= 0; bad != errors.Is(err, evidence.ErrParameter) || bad != (p == 0 && bound == 0) {
			t.Errorf("tail of %+v from %g: %g, bound %g, error %v", n, c[1], p, bound, err)
		}
	}
}

// A request for too much memory is refused before the allocation.
func TestMemoryLimit(t *testing.T) {
	defer memory.SetLimit(memory.SetLimit(1 << 28))
	if w, err := signrp.NewOPORP(context.Background(), 1<<28, 7, 1); w != nil || !errors.Is(err, memory.Err) || !strings.Contains(err.Error(), "an OPORP of 268435456 numbers") {
		t.Errorf("projection %v, error %v", w, err)
	}
	if _, err := signrp.NewOPORP(context.Background(), 1000, 7, 1); err != nil {
		t.Error(err)
	}
}
