package mvg

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"

	"dpworkbench/evidence"
	"dpworkbench/gaussian"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"

	"gonum.org/v1/gonum/mat"
)

// SimulateLaplace returns fx plus independent Laplace noise of the given scale, in float64. This is the Laplace
// mechanism if the scale is Δ₁/ε, where Δ₁ is the l1 sensitivity over all elements. It returns an error wrapping
// evidence.ErrParameter unless the scale is positive.
func SimulateLaplace(fx mat.Matrix, scale float64, src rand.Source) (*mat.Dense, error) {
	if err := cmp.Or(parameter.Positive("scale", scale), checkAnswer(fx)); err != nil {
		return nil, err
	}
	s := newStream(src.Uint64())
	out := mat.DenseCopyOf(fx)
	out.Apply(func(_, _ int, v float64) float64 {
		u := s.uniform() - 0.5
		return v - math.Copysign(scale*math.Log1p(-2*math.Abs(u)), u)
	}, out)
	return out, nil
}

// ClassicSigma returns the standard deviation Δ√(2 ln(1.25/δ))/ε of the classic Gaussian mechanism (Dwork and Roth
// 2014, Theorem A.1). For ε < 1, where the theorem holds, it is certified. For larger ε it is claimed, and the
// caveat gives the actual δ of this noise and a sufficient σ. Errors wrap evidence.ErrParameter.
func ClassicSigma(eps evidence.Epsilon, delta evidence.Delta, sensitivity *big.Rat) (evidence.Number, error) {
	s2, _ := sensitivity.Float64()
	if err := cmp.Or(parameter.Positive("eps", eps.Value()), parameter.Positive("sensitivity", s2), delta.Positive("delta")); err != nil {
		return nil, err
	}
	log := interval.Float(1.25).Quo(delta.Enclosure()).Log()
	enclosed := interval.Rat(sensitivity).Mul(log.Add(log).Sqrt()).Quo(eps.Enclosure())
	sigma := evidence.WithSide(evidence.Enclosed(enclosed, inIntervals, "Dwork and Roth 2014, Theorem A.1"), evidence.Up)
	if eps.Enclosure().Less(interval.Int(1)) {
		return sigma, nil
	}
	caveat := "the theorem is proven for eps < 1 alone"
	if real, err := gaussian.Delta(eps, sigma.Float(), s2); err == nil {
		caveat += fmt.Sprintf("; at eps = %v noise of this size has delta = %.6g", eps, real.Hi)
	}
	if enough, err := gaussian.Sigma(eps, delta, s2); err == nil {
		caveat += fmt.Sprintf("; gaussian_sigma gives %.6g", enough.Hi)
	}
	return evidence.Claimed{Value: sigma.Float(), Provenance: evidence.Provenance{Source: sigma.Source, Caveat: caveat}}, nil
}

// Simulate returns fx plus a float64 draw of the rank-one noise over all its elements. It returns an error wrapping
// evidence.ErrParameter if the number of elements is not the mechanism's dimension.
func (r RankOne) Simulate(fx mat.Matrix, src rand.Source) (*mat.Dense, error) {
	m, n := fx.Dims()
	if m*n != r.Dimension {
		return nil, parameter.Errorf("f(X) is %d×%d, want %d elements", m, n, r.Dimension)
	}
	if err := checkAnswer(fx); err != nil {
		return nil, err
	}
	z := make([]float64, m*n+1)
	newStream(src.Uint64()).fill(z, 1)
	norm := math.Sqrt(dot(z[1:], z[1:]))
	out := mat.NewDense(m, n, z[1:])
	out.Scale(math.Sqrt(r.Variance)*z[0]/norm, out)
	out.Add(out, fx)
	return out, nil
}
