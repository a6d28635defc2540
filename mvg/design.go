package mvg

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"dpworkbench/evidence"
	"dpworkbench/gaussian"
	"dpworkbench/internal/interval"
	"dpworkbench/internal/symmetric"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Design is a matrix-variate Gaussian mechanism with the sensitivity set it is
// judged by: f(X) + Z, vec Z ~ N(0, Ψ⊗Σ).
type Design struct {
	sensitivity Sensitivity
	sigma, psi  Covariance
	norm        bound // max ‖Σ^{−1/2} Δ Ψ^{−1/2}‖_F over the set

	factors func() (left, right *mat.Dense) // of Σ and Ψ for draws, computed once
}

const whitening = "analytic Gaussian curve at the largest whitened sensitivity; float64 with rounding bounds, then 256-bit intervals"

// mostWhitened is the largest sensitivity, in standard deviations of the noise,
// whose ε is a float.
const mostWhitened = 1e153

// NewDesign returns the design with the given covariances of rows and columns.
// It returns an error wrapping evidence.ErrParameter where their orders disagree
// with the query's shape or a difference exceeds 1e153 standard deviations of the
// noise, and the context's error where it is cancelled.
func NewDesign(ctx context.Context, s Sensitivity, sigma, psi Covariance) (*Design, error) {
	m, n := s.Shape()
	if sigma.Order() != m || psi.Order() != n {
		return nil, fmt.Errorf("%w: sigma is of order %d and psi of order %d, want %d and %d for a %d×%d query", evidence.ErrParameter, sigma.Order(), psi.Order(), m, n, m, n)
	}
	norm, err := s.whitened(ctx, sigma, psi)
	if err != nil {
		return nil, err
	}
	if !(norm.lo >= 0 && norm.lo <= norm.hi && norm.hi <= mostWhitened) {
		return nil, fmt.Errorf("%w: the largest whitened difference is between %.6g and %.6g, want numbers up to %g: the variances of sigma are from %g to %g and those of psi from %g to %g",
			evidence.ErrParameter, norm.lo, norm.hi, mostWhitened, floats.Min(sigma.variances), floats.Max(sigma.variances), floats.Min(psi.variances), floats.Max(psi.variances))
	}
	factors := sync.OnceValues(func() (left, right *mat.Dense) {
		left = sigma.factor()
		if sigma.lower == psi.lower && sameCovariance(sigma, psi) {
			return left, left
		}
		return left, psi.factor()
	})
	return &Design{s, sigma, psi, norm, factors}, nil
}

// Sensitivity returns the set the design is judged by.
func (d *Design) Sensitivity() Sensitivity { return d.sensitivity }

// Sigma returns the covariance of the rows.
func (d *Design) Sigma() Covariance { return d.sigma }

// Psi returns the covariance of the columns.
func (d *Design) Psi() Covariance { return d.psi }

// WhitenedSensitivity encloses the largest ‖Σ^{−1/2} Δ Ψ^{−1/2}‖_F: the μ of the
// equivalent Gaussian mechanism with unit noise.
func (d *Design) WhitenedSensitivity() evidence.Certified {
	return evidence.Certified{Lo: d.norm.lo, Hi: d.norm.hi, Loss: true, Method: "float64 with rounding bounds", Source: "largest whitened sensitivity"}
}

func (d *Design) mu() interval.Interval { return interval.Between(d.norm.lo, d.norm.hi) }

// SmallestEpsilon encloses the least ε ≥ 0 at which the design is (ε, δ)-private
// for its sensitivity set. Errors wrap evidence.ErrParameter unless 0 < δ < 1.
func (d *Design) SmallestEpsilon(delta float64) (evidence.Certified, error) {
	e, err := gaussian.EpsilonAt(delta, d.mu())
	e.Method = whitening
	return e, err
}

// DeltaAt encloses the least δ at which the design is (ε, δ)-private.
func (d *Design) DeltaAt(eps evidence.Epsilon) evidence.Certified {
	out := gaussian.DeltaAt(eps.Enclosure(), d.mu())
	out.Method = whitening
	return out
}

// ElementSD returns the root mean square over the elements of the noise,
// √(tr Σ·tr Ψ/mn).
func (d *Design) ElementSD() float64 {
	return math.Sqrt(d.sigma.Trace() / float64(d.sigma.Order()) * d.psi.Trace() / float64(d.psi.Order()))
}

// ErrSignal is wrapped where a signal covariance does not suit the design; such
// errors also wrap evidence.ErrParameter.
var ErrSignal = errors.New("signal covariance")

// LogPNR returns the logarithm of the power-to-noise ratio (24) for a signal of
// covariance k: det(K + Σ)/det Σ for K of order m, and det(K + Ψ⊗Σ)/det(Ψ⊗Σ) for
// K of order mn, the covariance of the column-stacked vec. It returns an error
// wrapping evidence.ErrParameter where k is of neither order, not symmetric, or
// not positive semi-definite.
func (d *Design) LogPNR(k mat.Matrix) (float64, error) {
	m, n := d.sensitivity.Shape()
	rows, cols := k.Dims()
	if rows != cols || (rows != m && rows != m*n) {
		return 0, fmt.Errorf("%w: %w is %d×%d, want order %d or %d", evidence.ErrParameter, ErrSignal, rows, cols, m, m*n)
	}
	whiten := mat.NewDense(rows, rows, nil) // (I or Ψ^{−1/2}) ⊗ Σ^{−1/2}
	small := whitener(d.sigma)
	if rows == m {
		whiten = small
	} else {
		whiten.Kronecker(whitener(d.psi), small)
	}
	var a mat.Dense
	a.Mul(whiten, k)
	a.Mul(&a, whiten.T())
	s := mat.NewSymDense(rows, nil)
	if _, err := symmetric.Of("k", k); err != nil {
		return 0, fmt.Errorf("%w: %w", ErrSignal, err)
	}
	for i := range rows {
		for j := i; j < rows; j++ {
			s.SetSym(i, j, (a.At(i, j)+a.At(j, i))/2)
		}
	}
	var e mat.EigenSym
	if !e.Factorize(s, symmetric.WithVectors) {
		return 0, fmt.Errorf("%w: eigenvalues of the %w did not converge", evidence.ErrParameter, ErrSignal)
	}
	values := e.Values(nil)
	sum := 0.0
	for _, v := range values {
		if v < -1e-9*math.Max(1, values[rows-1]) {
			return 0, fmt.Errorf("%w: %w is not positive semi-definite: eigenvalue %g after whitening", evidence.ErrParameter, ErrSignal, v)
		}
		sum += math.Log1p(math.Max(v, 0))
	}
	return sum, nil
}

// whitener returns diag(variances)^{−1/2} Wᵀ.
func whitener(c Covariance) *mat.Dense {
	n := c.Order()
	out := mat.NewDense(n, n, nil)
	for i, v := range c.variances {
		for j := range n {
			w := 0.0
			switch {
			case c.directions != nil:
				w = c.directions.At(j, i)
			case i == j:
				w = 1
			}
			out.Set(i, j, w/math.Sqrt(v))
		}
	}
	return out
}

// MutualInformation returns ½ LogPNR in nats: the mutual information between a
// Gaussian f(X) of covariance k and its release (Lemma 10 holds for Gaussian
// f(X) only; for others of that covariance it is an upper bound).
func (d *Design) MutualInformation(k mat.Matrix) (float64, error) {
	l, err := d.LogPNR(k)
	return l / 2, err
}
