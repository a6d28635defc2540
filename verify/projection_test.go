package verify_test

import (
	"context"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/privacy"
	"dpworkbench/signrp"
	"dpworkbench/verify"
)

// release is a private projection with injected faults: a method returns the result of another release, or adds to a
// number.
type release struct {
	*signrp.Release
	claim                             evidence.Epsilon
	pair, route, near, public, levels *signrp.Release
	beta, sigma                       float64
}

func (r release) ClaimedEpsilon() evidence.Claimed {
	c := r.Release.ClaimedEpsilon()
	if !r.claim.IsZero() {
		c.Value, c.Epsilon = r.claim.Value(), r.claim
	}
	return c
}

func instead(r, other *signrp.Release) *signrp.Release {
	if other != nil {
		return other
	}
	return r
}

func (r release) Beta() float64                       { return r.Release.Beta() + r.beta }
func (r release) Pair(u, v []float64) privacy.Profile { return instead(r.Release, r.pair).Pair(u, v) }
func (r release) Neighbors(u []float64) *signrp.Neighbors {
	return instead(r.Release, r.near).Neighbors(u)
}
func (r release) Public() privacy.Profile        { return instead(r.Release, r.public).Public() }
func (r release) Projection() *signrp.Projection { return instead(r.Release, r.levels).Projection() }
func (r release) PairsBetween(ctx context.Context, u, v []float64) (*privacy.DominatingPairs, error) {
	return instead(r.Release, r.route).PairsBetween(ctx, u, v)
}

func (r release) Sigma() (evidence.Certified, error) {
	s, err := r.Release.Sigma()
	s.Lo, s.Hi = s.Lo*(1+r.sigma), s.Hi*(1+r.sigma)
	return s, err
}

// Projection confirms correct releases of every kind, and finds a change of one digit in a parameter, a law or a threat
// model.
func TestProjectionFindsFaults(t *testing.T) {
	ctx := t.Context()
	delta := must.For(evidence.NewDelta("delta", 1e-3))(t)
	log := must.For(evidence.LogEpsilon("eps", big.NewRat(9, 1)))(t)
	digit := must.For(evidence.LogEpsilon("eps", big.NewRat(90001, 10000)))(t)
	of := func(kind signrp.Kind, seed uint64) *signrp.Projection {
		return must.For(signrp.NewProjection(kind, 2, 2, signrp.ProjectionOptions{Sparsity: 2, Seed: seed}))(t)
	}
	signs := func(w *signrp.Projection, eps evidence.Epsilon, o signrp.SignOptions) *signrp.Release {
		o.Beta, o.Noise = 0.6, "rr"
		if !o.Delta.IsZero() {
			o.Noise = "gaussian"
		}
		return must.For(signrp.NewSignRP(ctx, w, eps, o))(t)
	}
	w, beta := of(signrp.Rademacher, 5), signrp.RPOptions{Beta: 0.6}
	plain, off := signs(w, log, signrp.SignOptions{}), signs(w, digit, signrp.SignOptions{})
	smooth := signs(of(signrp.Gaussian, 1), log, signrp.SignOptions{Smoothing: true})
	noisy := signs(of(signrp.Gaussian, 2), log, signrp.SignOptions{Delta: delta})
	numbers := must.For(signrp.NewRP(ctx, of(signrp.Sparse, 3), log, delta, beta))(t)
	individual := func(kind signrp.Kind, o signrp.SignOptions) release {
		o.Beta = 0.6
		return release{Release: must.For(signrp.NewIndividual(of(kind, 1), log, o))(t)}
	}
	shared := signrp.SignOptions{Noise: "rr", Delta: delta, Beta: 0.3}
	for name, r := range map[string]release{
		"randomized response": {Release: plain}, "smooth": {Release: smooth}, "noisy signs": {Release: noisy}, "numbers": {Release: numbers},
		"shared":       {Release: must.For(signrp.NewSignRP(ctx, w, log, shared))(t)},
		"shared (5)":   {Release: must.For(signrp.NewSignRP(ctx, of(signrp.Gaussian, 1), log, shared))(t)},
		"oporp":        {Release: must.For(signrp.NewSignRP(ctx, must.For(signrp.NewOPORP(ctx, 3, 2, 1))(t), log, signrp.SignOptions{Noise: "rr", Beta: 0.3}))(t)},
		"raw":          {Release: must.For(signrp.NewRaw(2, log, delta, beta))(t)},
		"classic":      {Release: must.For(signrp.NewClassicRP(ctx, w, log, delta, beta))(t)},
		"individual":   individual(signrp.Rademacher, signrp.SignOptions{Noise: "rr"}),
		"individual G": individual(signrp.Gaussian, signrp.SignOptions{Noise: "gaussian", Delta: delta}),
	} {
		report, err := verify.Projection(ctx, r)
		verdict(t, name, report, err, evidence.Confirmed)
	}
	for name, r := range map[string]release{
		"claim":         {Release: plain, claim: digit},
		"flips":         {Release: plain, pair: off},
		"route":         {Release: plain, route: off},
		"neighbors":     {Release: plain, near: off},
		"public":        {Release: plain, public: off},
		"not smooth":    {Release: plain, pair: signs(w, log, signrp.SignOptions{Smoothing: true})},
		"β":             {Release: smooth, beta: 1e-5},
		"levels":        {Release: smooth, levels: signs(of(signrp.Gaussian, 2), log, signrp.SignOptions{})},
		"sigma":         {Release: noisy, sigma: 1e-6},
		"sensitivity":   {Release: numbers, beta: 1e-6},
		"σ of numbers":  {Release: numbers, sigma: -1e-6},
		"ε of numbers":  {Release: numbers, public: must.For(signrp.NewRP(ctx, numbers.Projection(), digit, delta, beta))(t)},
		"ε at a vector": {Release: numbers, near: must.For(signrp.NewRP(ctx, numbers.Projection(), digit, delta, beta))(t)},
	} {
		report, err := verify.Projection(ctx, r)
		verdict(t, name, report, err, evidence.Refuted)
	}
	if _, err := verify.Projection(ctx, signs(must.For(signrp.NewProjection(signrp.Rademacher, 4, 20, signrp.ProjectionOptions{}))(t), log, signrp.SignOptions{})); err == nil {
		t.Error("20 signs are not rejected")
	}
}
