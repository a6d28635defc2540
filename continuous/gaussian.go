package continuous

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"

	"dpworkbench/evidence"
	"dpworkbench/gaussian"
	"dpworkbench/internal/lists"
	"dpworkbench/internal/parameter"
	"dpworkbench/internal/sampling"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
	"dpworkbench/privacy"
)

const gaussianSource = "Dwork and Roth 2014, Appendix A; Balle and Wang 2018"

// Gaussian is the Gaussian mechanism of a linear query: noise with the law N(0, σ²). It is not ε-differentially private
// for any ε. Its profile is that of two normal laws Δ/σ standard deviations apart (Balle and Wang 2018, Theorem 8), and
// it is Δ²/2σ²-zero-concentrated.
type Gaussian struct {
	sigma *big.Rat
	query *Linear
}

// NewGaussian returns the Gaussian mechanism of a linear query, with σ in units of f. It returns an error wrapping
// evidence.ErrParameter unless σ is between Δ·1e-150 and Δ·1e150 and within the range of float64.
func NewGaussian(q *Linear, sigma *big.Rat) (*Gaussian, error) {
	const most = 1e150
	over, _ := new(big.Rat).Quo(sigma, q.sensitivity).Float64()
	if v, _ := sigma.Float64(); !(over >= 1/most && over <= most && v > 0 && v <= math.MaxFloat64) {
		return nil, parameter.Bad("sigma", sigma, "from 1e-150 to 1e150 times the sensitivity, and within the range of float64")
	}
	return &Gaussian{new(big.Rat).Set(sigma), q}, nil
}

// NewAnalyticGaussian returns the Gaussian mechanism of a linear query with the least σ that makes it (ε,
// δ)-differentially private, rounded up to a float64 (see [gaussian.Sigma]). Its errors wrap evidence.ErrParameter.
func NewAnalyticGaussian(q *Linear, eps evidence.Epsilon, delta evidence.Delta) (*Gaussian, error) {
	_, sensitivity := interval.Rat(q.sensitivity).Bounds()
	sigma, err := gaussian.Sigma(eps, delta, sensitivity)
	if err != nil {
		return nil, err
	}
	exact := new(big.Rat).SetFloat64(sigma.Hi)
	if exact == nil {
		return nil, parameter.Errorf("eps = %v and delta = %v need a sigma outside the range of float64: rescale the query", eps, delta)
	}
	return NewGaussian(q, exact)
}

// Name implements Mechanism.
func (g *Gaussian) Name() string {
	if v, exact := g.sigma.Float64(); exact {
		return "gaussian(sigma=" + strconv.FormatFloat(v, 'g', -1, 64) + ")"
	}
	return fmt.Sprintf("gaussian(sigma=%s)", g.sigma.RatString())
}

// Sigma returns the standard deviation σ exactly.
func (g *Gaussian) Sigma() evidence.Number {
	return evidence.ExactRat(g.sigma).Number(closedForm, gaussianSource)
}

// ClaimedEpsilon implements Mechanism: it is infinite.
func (g *Gaussian) ClaimedEpsilon() evidence.Number {
	return evidence.Claimed{Value: math.Inf(1), Provenance: evidence.From(gaussianSource + ": δ(ε) > 0 at every ε")}
}

// Distortion returns E|noise| = σ√(2/π).
func (g *Gaussian) Distortion() evidence.Number {
	root := interval.Int(2).Quo(interval.Pi()).Sqrt()
	return evidence.RatOrInterval{Enclosure: root.Mul(interval.Rat(g.sigma))}.Number(closedForm, gaussianSource)
}

// SecondMoment returns E noise² = σ² exactly.
func (g *Gaussian) SecondMoment() evidence.Number {
	return evidence.ExactRat(new(big.Rat).Mul(g.sigma, g.sigma)).Number(closedForm, gaussianSource)
}

// Density implements Mechanism: e^{−r²/2σ²}/(σ√2π).
func (g *Gaussian) Density(r *big.Rat) (evidence.Number, error) {
	z := new(big.Rat).Quo(r, g.sigma)
	z.Mul(z, z).Quo(z, big.NewRat(-2, 1))
	height := interval.Pi().Mul(interval.Int(2)).Sqrt().Mul(interval.Rat(g.sigma))
	return evidence.RatOrInterval{Enclosure: interval.Rat(z).Exp().Quo(height)}.Number(closedForm, gaussianSource), nil
}

// Layers implements Mechanism. It returns an error wrapping evidence.ErrParameter: only ε-differentially private
// mechanisms have layers.
func (g *Gaussian) Layers(context.Context, int) ([]Set, error) { return nil, noLayers(g) }

// Sampler implements [ExactlySampled]: a normal variable times σ.
func (g *Gaussian) Sampler() (func(rand.Source) (Noise, error), error) {
	sigma := sampling.Rat(g.sigma)
	return func(src rand.Source) (Noise, error) {
		return Noise{new(big.Rat), sampling.Normal(src).Number().Mul(sigma)}, nil
	}, nil
}

// Noise implements Mechanism.
func (g *Gaussian) Noise(n int, src rand.Source) ([]float64, error) {
	if err := mechanism.CheckDraws(n); err != nil {
		return nil, err
	}
	rng := rand.New(src)
	sigma, _ := g.sigma.Float64()
	out := lists.Of(n, func(int) float64 { return sigma * rng.NormFloat64() })
	return finite(out, evidence.ExactRat(g.sigma))
}

// mu encloses Δ/σ.
func (g *Gaussian) mu() interval.Interval {
	return interval.Rat(new(big.Rat).Quo(g.query.sensitivity, g.sigma))
}

// Privacy implements Mechanism. δ grows with the shift, so Δ is the worst shift in V.
func (g *Gaussian) Privacy() privacy.Profile { return gaussianProfile{g} }

// gaussianProfile is the profile of a Gaussian. If σ and Δ are float64s, its results carry a statement that can be
// certified.
type gaussianProfile struct{ *Gaussian }

// floats returns σ and Δ, and false unless both are float64s.
func (g gaussianProfile) floats() (sigma, sensitivity float64, ok bool) {
	sigma, ok = g.sigma.Float64()
	sensitivity, exact := g.query.sensitivity.Float64()
	return sigma, sensitivity, ok && exact
}

// Delta implements privacy.Profile.
func (g gaussianProfile) Delta(ctx context.Context, eps evidence.Epsilon) (evidence.Number, error) {
	if sigma, sensitivity, ok := g.floats(); ok {
		return evidence.AsNumber(gaussian.Delta(eps, sigma, sensitivity))
	}
	return gaussian.DeltaAt(eps, g.mu()), nil
}

// Epsilon implements privacy.Profile.
func (g gaussianProfile) Epsilon(ctx context.Context, delta evidence.Delta) (evidence.Number, error) {
	if sigma, sensitivity, ok := g.floats(); ok {
		return evidence.AsNumber(gaussian.Epsilon(delta, sigma, sensitivity))
	}
	return evidence.AsNumber(gaussian.EpsilonAt(delta, g.mu()))
}
