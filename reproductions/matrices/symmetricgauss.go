package matrices

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"

	"dpworkbench/evidence"
	"dpworkbench/gaussian"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/mvg"
	"dpworkbench/privacy"

	"gonum.org/v1/gonum/mat"
)

// SymmetricGauss is Gaussian noise on the upper triangle of scale·XXᵀ, with the diagonal, mirrored below ("Analyze
// Gauss", Algorithm 1 of Dwork, Talwar, Thakurta and Zhang 2014, of which only the abstract was available).
type SymmetricGauss struct {
	Sigma float64
	Query mvg.Sensitivity // the set of changes of the whole matrix; nil if not given

	d           int
	sensitivity evidence.Certified
}

// NoiseSD returns the standard deviation of an element, which is the same for all.
func (g *SymmetricGauss) NoiseSD() evidence.Number {
	return evidence.Exact{Value: new(big.Rat).SetFloat64(g.Sigma), Provenance: evidence.From("the deviation of the noise")}
}

// UpperSensitivity encloses the L2 sensitivity of the upper triangle of scale·XXᵀ if one record is added, removed or
// replaced, with ‖upper(Δ)‖² = ½(‖Δ‖_F² + Σ Δ_ii²) for a symmetric Δ. Records are bounded in norm (halfWidths nil), or
// within a box around the origin. At scale 1:
//
//   - norm c: c² at x = c e₁; replaced, √2 c² at c e₁ and c e₂ (c² in one dimension);
//   - box: √(½(T² + Σ h_i⁴)) with T = Σ h_i² at a corner; replaced, at most T, attained if
//     the h_i² can be split into two equal sums, and at least the result of a greedy split.
//
// It returns an error wrapping evidence.ErrParameter unless 1 ≤ d ≤ 4096 and the bounds are
// positive and finite.
func UpperSensitivity(d int, norm float64, halfWidths []float64, replaced bool, scale float64) (evidence.Certified, error) {
	if err := parameter.Positive("scale", scale); err != nil {
		return evidence.Certified{}, err
	}
	if d < 1 || d > mostOrder {
		return evidence.Certified{}, parameter.Bad("d", d, "1 <= d <= %d", mostOrder)
	}
	const what = "L2 sensitivity of the diagonal and above"
	enclosed := func(s interval.Interval, method string) evidence.Certified {
		return evidence.WithSide(evidence.Enclosed(s.Mul(interval.Float(scale)), method, what), evidence.Up)
	}
	if halfWidths == nil {
		if err := parameter.Positive("row_norm", norm); err != nil {
			return evidence.Certified{}, err
		}
		s := interval.Float(norm).Pow(2)
		if replaced && d > 1 {
			s = s.Mul(interval.Int(2).Sqrt())
		}
		return enclosed(s, "closed form"), nil
	}
	if len(halfWidths) != d {
		return evidence.Certified{}, parameter.Errorf("half_width has %d entries, want %d", len(halfWidths), d)
	}
	sum, fourth, rest := interval.Int(0), interval.Int(0), interval.Int(0)
	for i, h := range halfWidths {
		if err := parameter.Positive(fmt.Sprintf("half_width[%d]", i), h); err != nil {
			return evidence.Certified{}, err
		}
		square := interval.Float(h).Pow(2)
		sum, fourth = sum.Add(square), fourth.Add(square.Mul(square))
		if rest.Mid() > 0 {
			rest = rest.Sub(square)
		} else {
			rest = rest.Add(square)
		}
	}
	corner := sum.Mul(sum).Add(fourth).Quo(interval.Int(2)).Sqrt()
	if !replaced {
		return enclosed(corner, "closed form"), nil
	}
	// Corners x and y with ⟨x, y⟩ = rest differ by √(T² − rest²).
	pair := positivePart(sum.Mul(sum).Sub(rest.Mul(rest))).Sqrt()
	least := interval.Max(pair, corner)
	return enclosed(interval.Hull(least, sum), "two corners, and ½(a² + b² + Σ(a_i − b_i)²) ≤ T² for a_i, b_i ≤ h_i²"), nil
}

const mostOrder = 1 << 12

// NewSymmetricGauss returns the noise with a given standard deviation on a d×d matrix whose upper triangle changes by
// at most the sensitivity. Errors wrap evidence.ErrParameter.
func NewSymmetricGauss(d int, sensitivity evidence.Certified, sigma float64) (*SymmetricGauss, error) {
	if d < 1 || d > mostOrder {
		return nil, parameter.Bad("d", d, "1 <= d <= %d", mostOrder)
	}
	if err := parameter.Positive("sensitivity", sensitivity.Hi); err != nil {
		return nil, err
	}
	if err := parameter.Positive("sigma", sigma); err != nil {
		return nil, err
	}
	return &SymmetricGauss{Sigma: sigma, d: d, sensitivity: sensitivity}, nil
}

// SymmetricGaussFor returns the noise for (ε, δ), with the published standard deviation Δ√(2 ln(1.25/δ))/ε or the least
// one. Errors wrap evidence.ErrParameter.
func SymmetricGaussFor(d int, sensitivity evidence.Certified, eps evidence.Epsilon, delta evidence.Delta, form Scaling) (*SymmetricGauss, error) {
	if err := checkScaling(form); err != nil {
		return nil, err
	}
	if err := checkPrivacy(eps, delta); err != nil {
		return nil, err
	}
	if err := parameter.Positive("sensitivity", sensitivity.Hi); err != nil {
		return nil, err
	}
	if form == Classic {
		sigma, err := mvg.ClassicSigma(eps, delta, new(big.Rat).SetFloat64(sensitivity.Hi))
		if err != nil {
			return nil, err
		}
		_, sd := sigma.Bounds()
		return NewSymmetricGauss(d, sensitivity, sd)
	}
	sigma, err := gaussian.Sigma(eps, delta, sensitivity.Hi)
	if err != nil {
		return nil, err
	}
	return NewSymmetricGauss(d, sensitivity, sigma.Hi)
}

// Sensitivity returns the L2 sensitivity of the upper triangle.
func (g *SymmetricGauss) Sensitivity() evidence.Certified { return g.sensitivity }

// Order returns d.
func (g *SymmetricGauss) Order() int { return g.d }

// Privacy returns the actual privacy of the noise: a Gaussian mechanism's profile at the ratio of sensitivity and
// standard deviation.
func (g *SymmetricGauss) Privacy() privacy.Profile { return symmetricCurve{g} }

type symmetricCurve struct{ of *SymmetricGauss }

func (c symmetricCurve) ratio() interval.Interval {
	return interval.Between(c.of.sensitivity.Bounds()).Quo(interval.Float(c.of.Sigma))
}

// Delta implements privacy.Profile.
func (c symmetricCurve) Delta(_ context.Context, eps evidence.Epsilon) (evidence.Number, error) {
	return gaussian.DeltaAt(eps, c.ratio()), nil
}

// Epsilon implements privacy.Profile.
func (c symmetricCurve) Epsilon(_ context.Context, delta evidence.Delta) (evidence.Number, error) {
	return evidence.AsNumber(gaussian.EpsilonAt(delta, c.ratio()))
}

// Simulate returns the d×d matrix fx plus a draw of the noise in float64. It returns an error wrapping
// evidence.ErrParameter if fx has another order, is not symmetric, or has an entry that is not finite.
func (g *SymmetricGauss) Simulate(fx mat.Matrix, src rand.Source) (*mat.SymDense, error) {
	s, err := symmetricOf("x", fx, g.d)
	if err != nil {
		return nil, err
	}
	normal := rand.New(src)
	for i := range g.d {
		for k := i; k < g.d; k++ {
			s.SetSym(i, k, s.At(i, k)+g.Sigma*normal.NormFloat64())
		}
	}
	return s, nil
}
