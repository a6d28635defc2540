package certificate_test

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/cases"
	"dpworkbench/internal/must"
	"dpworkbench/signrp"
)

// vector returns numbers in [−1, 1] with a given number of decimals.
func vector(src *rand.Rand, n, decimals int) []float64 {
	scale := math.Pow10(decimals)
	u := make([]float64, n)
	for i := range u {
		u[i] = math.Round((2*src.Float64()-1)*scale) / scale
	}
	return u
}

// TestPPlus checks probabilities of Rademacher sums that are computed on a lattice or by meet in the middle, and
// probabilities equal to 1.
func TestPPlus(t *testing.T) { checkAll(t, chances) }

// chances adds certificates for probabilities of Rademacher sums.
func chances(j *checkerCases) {
	src := rand.New(rand.NewPCG(26, 5))
	ctx := context.Background()
	for _, c := range []struct {
		n, decimals int
		beta        float64
	}{{1, 2, 0.5}, {3, 17, 0.3}, {12, 17, 0.1}, {20, 3, 1}, {26, 17, 0.01}, {40, 1, 1}, {60, 2, 1}, {200, 2, 0.5}, {500, 1, 0.1}, {80, 3, 0.25}, {30, 2, 40}} {
		u := vector(src, c.n, c.decimals)
		f := j.accepted(signrp.RademacherPPlus(ctx, u, c.beta))
		q := rat(f.statement["is"].(object)["equal"].(string))
		one := new(big.Rat).SetFrac(big.NewInt(1), q.Denom())
		j.add(f.with(object{"equal": q.Add(q, one).RatString()}), "one more")
	}
	j.accepted(signrp.RademacherPPlus(ctx, []float64{0.1, 0.2, 0.7}, 1))
	j.accepted(signrp.RademacherPPlus(ctx, []float64{0, 0}, 1))
	f := j.accepted(signrp.RademacherPPlus(ctx, []float64{0.1, 0.2, 0.7, 0.3}, 0.1))
	j.add(f.saying("beta", "1/20"), "another β")
	j.add(f.saying("u", list{"1/10", "1/5", "7/10"}), "other data")
	j.add(f.with(object{"equal": "0"}), "0")
}

// TestSigns checks the exact ε of flipped signs.
func TestSigns(t *testing.T) { checkAll(t, flips) }

// flips adds certificates for the smallest ε of flipped signs.
func flips(j *checkerCases) {
	t := j.t
	src := rand.New(rand.NewPCG(26, 6))
	ctx := context.Background()
	rational := must.For(evidence.NewEpsilon("eps", 1.5))(t)
	logarithm, err := evidence.LogEpsilon("eps", big.NewRat(729, 64)) // of (3/2)⁶
	if err != nil {
		t.Fatal(err)
	}
	var projections []*signrp.Projection
	add := func(w *signrp.Projection, err error) {
		if err != nil {
			t.Fatal(err)
		}
		projections = append(projections, w)
	}
	for seed := range uint64(2) {
		add(signrp.NewProjection(signrp.Rademacher, 5+3*int(seed), 6, signrp.ProjectionOptions{Seed: seed}))
	}
	add(signrp.NewProjection(signrp.Gaussian, 4, 5, signrp.ProjectionOptions{Seed: 1}))
	add(signrp.NewProjection(signrp.Sparse, 9, 7, signrp.ProjectionOptions{Sparsity: 3, Seed: 2}))
	add(signrp.NewOPORP(ctx, 9, 4, 3))
	var last *document
	finite, n := 0, 0
	for _, w := range projections {
		for _, eps := range []evidence.Epsilon{rational, logarithm} {
			for _, beta := range []float64{0.1, 2, 30} {
				if n++; !cases.Every(7, n+5) { // one case of each projection; the last is forged below
					continue
				}
				var releases []*signrp.Release
				for _, smoothing := range []bool{false, true} {
					r := must.For(signrp.NewSignRP(ctx, w, eps, signrp.SignOptions{Noise: signrp.RandomizedResponse, Beta: beta, Smoothing: smoothing}))(t)
					releases = append(releases, r)
				}
				r := must.For(signrp.NewIndividual(w, eps, signrp.SignOptions{Noise: signrp.RandomizedResponse, Beta: beta}))(t)
				releases = append(releases, r)
				u, v := vector(src, w.P(), 1), vector(src, w.P(), 1)
				for _, r := range releases {
					f := j.number(r.Pair(u, v).Epsilon(ctx, evidence.Delta{}))
					j.add(f.with(object{"lo": "1/7", "hi": "1/7"}), "another number")
					j.number(r.Neighbors(u).Epsilon(ctx, evidence.Delta{}))
					last = j.number(r.Public().Epsilon(ctx, evidence.Delta{}))
					if hi := last.statement["is"].(object)["hi"]; hi != "inf" {
						finite++
					}
				}
			}
		}
	}
	if finite == 0 {
		t.Error("every ε is infinite")
	}
	j.add(last.with(object{"lo": "inf", "hi": "inf"}), "infinite")
	j.add(last.saying("rule", "flips"), "a rule that shares ε")
	j.add(last.saying("shared", 3), "a rule that shares none")
	j.add(last.saying("eps", object{"ln": "3"}), "another ε")
	j.add(last.saying("v", list{"1"}), "v without u")
}
