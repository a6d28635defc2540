package continuous

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"

	"dpworkbench/evidence"
	"dpworkbench/gaussian"
	"dpworkbench/internal/lists"
	"dpworkbench/internal/parameter"
	"dpworkbench/internal/sampling"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
	"dpworkbench/privacy"
)

const discreteGaussianSource = "Canonne, Kamath and Steinke 2020, Theorem 7"

// DiscreteGaussian is the discrete Gaussian mechanism (Canonne, Kamath and Steinke 2020) of a linear query whose
// neighboring set consists of points. They span a lattice gℤ, where kg has weight e^{−(kg)²/2σ²}. The mechanism is not
// ε-differentially private for any ε. It has a profile δ(ε), and is Δ²/2σ²-zero-concentrated.
type DiscreteGaussian struct {
	sigma  *big.Rat
	unit   *big.Rat
	n      int64    // Δ/g
	square *big.Rat // σ²/g²
	law    *gaussian.Discrete

	neighbors Set // V_f
}

// NewDiscreteGaussian returns the discrete Gaussian mechanism of a linear query, with σ in units of f. It returns an
// error wrapping evidence.ErrParameter if the neighboring set has an interval, or unless σ is between Δ/1000 and 2⁵⁰
// steps of the lattice.
func NewDiscreteGaussian(q *Linear, sigma *big.Rat) (*DiscreteGaussian, error) {
	unit, n, err := latticeOf(q)
	if err != nil {
		return nil, err
	}
	least, most := new(big.Rat).Quo(q.Sensitivity().Value, big.NewRat(1000, 1)), new(big.Rat).Mul(unit, big.NewRat(1<<50, 1))
	if sigma.Cmp(least) < 0 || sigma.Cmp(most) > 0 {
		return nil, parameter.Bad("sigma", sigma, "%s…%s: from a thousandth of the sensitivity to 2^50 steps of the lattice", least.RatString(), most.RatString())
	}
	square := new(big.Rat).Quo(sigma, unit)
	square.Mul(square, square)
	law, err := gaussian.NewDiscrete(square)
	if err != nil {
		return nil, err
	}
	return &DiscreteGaussian{new(big.Rat).Set(sigma), unit, n, square, law, q.set}, nil
}

// Name implements Mechanism.
func (d *DiscreteGaussian) Name() string {
	return fmt.Sprintf("discrete_gaussian(sigma=%s, on multiples of %s)", d.sigma.RatString(), d.unit.RatString())
}

// Sigma returns σ exactly. It is a little more than the standard deviation.
func (d *DiscreteGaussian) Sigma() evidence.Number {
	return evidence.ExactRat(d.sigma).Number(closedForm, discreteGaussianSource)
}

// ClaimedEpsilon implements Mechanism: it is infinite.
func (d *DiscreteGaussian) ClaimedEpsilon() evidence.Number {
	return evidence.Claimed{Value: math.Inf(1), Provenance: evidence.From(discreteGaussianSource + ": δ(ε) > 0 at every ε")}
}

// Distortion implements Mechanism.
func (d *DiscreteGaussian) Distortion() evidence.Number { return d.scaled(d.law.MeanSize(), 1) }

// SecondMoment returns E noise², which is at most σ² (Canonne, Kamath and Steinke 2020, Corollary 9).
func (d *DiscreteGaussian) SecondMoment() evidence.Number { return d.scaled(d.law.Variance(), 2) }

// scaled returns a moment of the given order in units of f, given that of the number of lattice steps.
func (d *DiscreteGaussian) scaled(a interval.Interval, order int) evidence.Number {
	return evidence.RatOrInterval{Enclosure: a.Mul(interval.Rat(d.unit).Pow(order))}.Number(closedForm, discreteGaussianSource)
}

// Density implements Mechanism: the probability of the point r.
func (d *DiscreteGaussian) Density(r *big.Rat) (evidence.Number, error) {
	k, ok := latticePoint(r, d.unit)
	if !ok {
		return whole(0).Number(closedForm, discreteGaussianSource), nil
	}
	return evidence.RatOrInterval{Enclosure: d.law.Mass(k)}.Number(closedForm, discreteGaussianSource), nil
}

// Layers implements Mechanism. It returns an error wrapping evidence.ErrParameter: only ε-differentially private
// mechanisms have layers.
func (d *DiscreteGaussian) Layers(context.Context, int) ([]Set, error) { return nil, noLayers(d) }

func noLayers(m Mechanism) error {
	return parameter.Errorf("%s has no layers: it does not satisfy pure ε-differential privacy for any ε", m.Name())
}

// Sampler implements [ExactlySampled].
func (d *DiscreteGaussian) Sampler() (func(rand.Source) (Noise, error), error) {
	law, err := sampling.NewDiscreteGaussian(d.square)
	if err != nil {
		return nil, err
	}
	return func(src rand.Source) (Noise, error) { return multiple(law.Draw(src), d.unit), nil }, nil
}

// Noise implements Mechanism. The draws are exact, like those of Release.
func (d *DiscreteGaussian) Noise(n int, src rand.Source) ([]float64, error) {
	if err := mechanism.CheckDraws(n); err != nil {
		return nil, err
	}
	law, err := sampling.NewDiscreteGaussian(d.square)
	if err != nil {
		return nil, err
	}
	out := lists.Of(n, func(int) float64 { return sampling.Multiple(law.Draw(src), d.unit) })
	return out, nil
}

// Privacy implements Mechanism. The law is log-concave, so δ grows with the shift, and Δ is the worst shift in V.
func (d *DiscreteGaussian) Privacy() privacy.Profile {
	none := evidence.Certified{Lo: math.Inf(1), Hi: math.Inf(1), Side: evidence.Up, Provenance: evidence.From(discreteGaussianSource).By("the loss has no bound")}
	return known(none, func(eps evidence.Epsilon) evidence.Number {
		delta, _ := d.law.Delta(eps, d.n) // the constructor excludes the errors of Delta
		return deltaOf(evidence.RatOrInterval{Enclosure: delta}, discreteGaussianSource)
	})
}
