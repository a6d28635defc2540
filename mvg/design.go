package mvg

import (
	"context"

	"dpworkbench/evidence"
	"dpworkbench/gaussian"
	"dpworkbench/internal/parallel"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/privacy"

	"gonum.org/v1/gonum/floats"
)

// Design is a matrix-variate Gaussian mechanism f(X) + Z, vec Z ~ N(0, Ψ⊗Σ), with the sensitivity set for which its
// privacy is computed.
type Design struct {
	sensitivity Sensitivity
	sigma, psi  Covariance
	norm        bound // max ‖Σ^{−1/2} Δ Ψ^{−1/2}‖_F over the set
	claimed     evidence.Claimed
}

const whitening = "analytic Gaussian curve at the largest whitened sensitivity: verified inverses of the covariances as they stand, then 256-bit intervals"

// mostWhitened bounds the whitened sensitivity, so that ε is a finite float64.
const mostWhitened = 1e153

// NewDesign returns the design with the given covariances of rows and columns. It returns an error wrapping
// evidence.ErrParameter if their orders differ from the query's shape or a difference exceeds 1e153 standard deviations
// of the noise. It returns the context's error if ctx is cancelled.
func NewDesign(ctx context.Context, s Sensitivity, sigma, psi Covariance) (*Design, error) {
	m, n, err := shapeOf(s)
	if err != nil {
		return nil, err
	}
	if sigma.Order() != m || psi.Order() != n {
		return nil, parameter.Errorf("sigma is of order %d and psi of order %d, want %d and %d for a %d×%d query", sigma.Order(), psi.Order(), m, n, m, n)
	}
	parallel.Report(ctx, 0, 0, "")
	whitened, err := s.whitened(ctx, sigma, psi)
	if err != nil {
		return nil, err
	}
	norm := outward(whitened)
	if !(norm.hi <= mostWhitened) {
		return nil, parameter.Errorf("the largest whitened difference is between %s and %s, want at most %g: the variances of sigma are from %g to %g and those of psi from %g to %g", evidence.FormatDown(norm.lo, 6), evidence.FormatUp(norm.hi, 6), mostWhitened, floats.Min(sigma.variances), floats.Max(sigma.variances), floats.Min(psi.variances), floats.Max(psi.variances))
	}
	return &Design{sensitivity: s, sigma: sigma, psi: psi, norm: norm}, nil
}

// Sensitivity returns the sensitivity set of the query.
func (d *Design) Sensitivity() Sensitivity { return d.sensitivity }

// Sigma returns the covariance of the rows.
func (d *Design) Sigma() Covariance { return d.sigma }

// Psi returns the covariance of the columns.
func (d *Design) Psi() Covariance { return d.psi }

// askedFor is the provenance of an ε to which a design was scaled.
const askedFor = "asked for"

// claim records the ε for which the design was made.
func (d *Design) claim(eps evidence.Epsilon, source string) {
	d.claimed = evidence.Claimed{Value: eps.Value(), Epsilon: eps, Provenance: evidence.From(source)}
}

// ClaimedEpsilon returns the ε that the design is claimed to have at its δ, by a theorem or by construction. ok is
// false if the covariances were given.
func (d *Design) ClaimedEpsilon() (eps evidence.Claimed, ok bool) {
	return d.claimed, d.claimed.Source != ""
}

// WhitenedSensitivity encloses the largest ‖Σ^{−1/2} Δ Ψ^{−1/2}‖_F: the μ of the
// equivalent Gaussian mechanism with unit noise.
func (d *Design) WhitenedSensitivity() evidence.Certified {
	return evidence.Certified{Lo: d.norm.lo, Hi: d.norm.hi, Side: evidence.Up, Provenance: evidence.Provenance{Method: "verified inverses of the covariances as they stand", Source: "largest whitened sensitivity", Statement: &WhitenedStatement{d}}}
}

func (d *Design) mu() interval.Interval { return interval.Between(d.norm.lo, d.norm.hi) }

// Privacy returns the exact privacy of the design for its sensitivity set. At δ = 0, ε is infinite. Its methods return
// an error wrapping evidence.ErrParameter unless δ is 0 or at least 1e-307 and below 1. If the context is cancelled,
// they return the context's error.
func (d *Design) Privacy() privacy.Profile { return designCurve{d} }

type designCurve struct{ design *Design }

// Delta implements privacy.Profile.
func (c designCurve) Delta(ctx context.Context, eps evidence.Epsilon) (evidence.Number, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	out := gaussian.DeltaAt(eps, c.design.mu())
	out.Method, out.Statement = whitening, &DeltaStatement{c.design, eps}
	return out, nil
}

// Epsilon implements privacy.Profile.
func (c designCurve) Epsilon(ctx context.Context, delta evidence.Delta) (evidence.Number, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	out, err := gaussian.EpsilonAt(delta, c.design.mu())
	if err != nil {
		return nil, err
	}
	out.Method, out.Statement = whitening, &EpsilonStatement{c.design, delta}
	return out, nil
}

// ElementSD returns the float64 nearest to the midpoint of NoiseSD.
func (d *Design) ElementSD() float64 { return d.NoiseSD().Float() }

// NoiseSD encloses √(tr Σ·tr Ψ/mn), the root mean square of the noise's elements.
func (d *Design) NoiseSD() evidence.Certified {
	mean := func(c Covariance) interval.Interval { return c.trace().Quo(interval.Int(int64(c.Order()))) }
	return evidence.Enclosed(mean(d.sigma).Mul(mean(d.psi)).Sqrt(), inIntervals, "√(tr Σ·tr Ψ/mn)")
}

// PrecisionSquares encloses Σ p_i², p_i = 1/σ_i(Σ): the precision budget that Σ spends.
func (d *Design) PrecisionSquares() evidence.Certified {
	return evidence.Enclosed(d.sigma.precisionSquares(), "verified inverse of Σ as it stands", "Σ p_i² of the design")
}

// DrawError bounds the relative error of the covariance of Noise's draws, compared with Ψ⊗Σ, in any direction
// (Covariance.DrawError).
func (d *Design) DrawError() evidence.Certified {
	one := interval.Int(1)
	both := one.Add(interval.Float(d.sigma.DrawError())).Mul(one.Add(interval.Float(d.psi.DrawError()))).Sub(one)
	_, hi := both.Bounds()
	return evidence.Certified{Lo: 0, Hi: hi, Side: evidence.Up, Provenance: evidence.From("covariance of the draws beside Ψ⊗Σ").By("verified inverses of Σ and Ψ, applied to their roots in float64")}
}
