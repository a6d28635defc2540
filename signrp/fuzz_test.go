package signrp_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/interval"
	"dpworkbench/privacy"
	"dpworkbench/signrp"
)

// No data make an exported function panic, and the bounds of every curve are in order.
func FuzzReleases(f *testing.F) {
	for _, v := range []float64{math.NaN(), math.Inf(1), -1, 0, 5e-324, 1e-300, 0.5, 1, 1e300} {
		for rule := range 7 {
			f.Add(v, 0.5, 1, rule)
		}
	}
	for _, n := range []int{math.MinInt, -1, 0, 3, math.MaxInt} {
		f.Add(0.25, 1.0, n, 0)
	}
	f.Fuzz(func(t *testing.T, v, beta float64, n, rule int) {
		ctx, one := context.Background(), evidencetest.Epsilon(1)
		numbersOfAnySize(ctx, v, n)
		w := projectionWith([][]float64{{1, -1}, {1, 1}})
		r, err := signrp.NewRP(ctx, w, one, evidencetest.Delta(1e-3), signrp.RPOptions{Beta: beta})
		signs := signrp.SignOptions{Noise: signrp.RandomizedResponse, Beta: beta}
		switch rule {
		case 1:
			r, err = signrp.NewSignRP(ctx, w, one, signs)
		case 2:
			signs.Smoothing = true
			r, err = signrp.NewSignRP(ctx, w, one, signs)
		case 3:
			signs.Delta = deltaNear(v)
			r, err = signrp.NewSignRP(ctx, w, one, signs)
		case 4:
			r, err = signrp.NewSignRP(ctx, w, one, signrp.SignOptions{Noise: signrp.GaussianNoise, Beta: beta, Delta: evidencetest.Delta(1e-3)})
		case 5:
			r, err = signrp.NewIndividual(w, one, signs)
		case 6:
			r, err = signrp.NewIndividual(w, one, signrp.SignOptions{Noise: signrp.GaussianNoise, Beta: beta, Delta: evidencetest.Delta(1e-3)})
		}
		if err != nil {
			return
		}
		u, z := []float64{v, 0.5}, []float64{0, 0.5}
		_, _ = r.Sample(ctx, u, rand.NewPCG(1, 2))
		_, _ = r.Variance(u, z)
		_, _ = r.Neighbors(u).Worst(ctx)
		_, _ = r.Sigma()
		check := func(n evidence.Number, err error, most float64) {
			if err != nil {
				return
			}
			if lo, hi := n.Bounds(); !(0 <= lo && lo <= hi && hi <= most) {
				t.Errorf("%s, β = %v, v = %v: [%v, %v]", r.Name(), beta, v, lo, hi)
			}
		}
		for _, c := range []privacy.Profile{r.Pair(u, z), r.Neighbors(u), r.Ball(u), r.Public()} {
			for _, e := range []evidence.Epsilon{one, {}} {
				d, err := c.Delta(ctx, e)
				check(d, err, 1)
			}
			for _, delta := range []float64{0, v} {
				e, err := c.Epsilon(ctx, deltaNear(delta))
				check(e, err, math.Inf(1))
			}
		}
	})
}

// deltaNear returns min(|v|, 0.9) as a δ. NaN gives 0.
func deltaNear(v float64) evidence.Delta {
	if math.IsNaN(v) {
		return evidence.Delta{}
	}
	return evidencetest.Delta(min(math.Abs(v), 0.9))
}

// numbersOfAnySize calls the functions that take only numbers.
func numbersOfAnySize(ctx context.Context, v float64, n int) {
	streams := func(n uint64) rand.Source { return rand.NewPCG(1, n) }
	_, _ = signrp.NewProjection(signrp.Sparse, n, 1, signrp.ProjectionOptions{Sparsity: v, Seed: 0})
	_, _ = signrp.NewOPORP(ctx, n, n, 0)
	_, _ = signrp.NewRaw(n, evidence.Epsilon{}, deltaNear(v), signrp.RPOptions{Beta: v})
	if q := interval.Decimal(v); q != nil {
		_, _ = signrp.RandomWDelta(q, 3, n)
	}
	_, _ = signrp.ChernoffCount(v, n, evidencetest.Delta(0.1))
	_, _ = signrp.BinomialCount(v, 3, deltaNear(v))
	_, _ = signrp.PublishedRademacher(v, n)
	_, _ = signrp.VarianceRatio(n, n, v)
	_, _ = signrp.InnerVariance(nil, []float64{v}, []float64{v}, deltaNear(v).Rat())
	_, _ = signrp.Angle([]float64{v}, []float64{v})
	_, _ = signrp.AngleVariance(v, evidence.Epsilon{}, n)
	_, _ = signrp.Clip("u", []float64{v})
	_, _ = signrp.GaussianPPlus(ctx, []float64{v, 0.5}, v)
	_, _ = signrp.RademacherPPlus(ctx, []float64{v, 0.5}, v)
	_, _ = signrp.EstimatePPlus(ctx, signrp.Column{Kind: signrp.Uniform, U: []float64{v}, Beta: v}, min(n, 100), streams)
	pair := signrp.Normals{Ratio: v, Rho: v}
	_, _ = pair.Exceeds()
	_, _ = pair.MeanExceeding()
	_, _, _ = pair.TailExceeding(v)
	_, _ = signrp.NearestByCosine(ctx, [][]float64{{v}, {}}, [][]float64{{}}, n)
	if s, err := signrp.NewSearch(ctx, [][]float64{{v}}, [][]float64{{0.5}}, n); err == nil {
		if w, err := signrp.NewProjection(signrp.Rademacher, 1, 1, signrp.ProjectionOptions{Seed: 0}); err == nil {
			_, _ = s.JudgePlainSigns(ctx, w)
			_, _ = w.Levels(ctx, []float64{v}, v)
			_, _ = w.ApplyBytes(ctx, []byte{1}, v)
		}
	}
}
