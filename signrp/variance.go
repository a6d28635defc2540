package signrp

import (
	"cmp"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
)

// Variance returns the variance of the estimator for a pair of vectors from independent releases of both.
//
// Numbers: the inner product ĝ = Σ x̃_j ỹ_j has, over W and the noise, the variance
//
//	σ²(‖u‖² + ‖v‖²) + mσ⁴ + f/k·(‖u‖²‖v‖² + ⟨u,v⟩² + (E w⁴ − 3) Σ u_i² v_i²).
//
// For raw data m = p and the last term is missing (Theorem C.1). For DP-RP m = k and f = 1 (Theorem C.2 for
// Rademacher W, E w⁴ = 1; other laws of W by the same computation). For DP-OPORP f = (p'−k)/(p'−1) with p' = p
// padded to a multiple of k (Theorem C.3, which has p' = p). σ is that of the release. If it depends on W
// (Gaussian, uniform, sparse), the formula holds for this σ and fresh W. The result is certified.
//
// Signs by plain randomised response: the variance of the angle estimator of Theorem 4.5, see [AngleVariance]. It
// is claimed, for Gaussian W only.
//
// It returns an error wrapping evidence.ErrParameter for other releases of signs, which have no formula, and unless
// u and v have p entries in [−1, 1].
func (r *Release) Variance(u, v []float64) (evidence.Number, error) {
	if err := r.checkPair(u, v); err != nil {
		return nil, err
	}
	if r.rule == randomizedSigns {
		theta, err := Angle(u, v)
		if err != nil {
			return nil, err
		}
		return AngleVariance(theta, r.perSign(r.sharedBy(norm(u))), r.w.k)
	}
	if r.rule != numbers {
		return nil, parameter.Errorf("%s has no formula for the variance of its angle estimator", r.name)
	}
	sigma2 := interval.Float(r.sigma.Hi) // the σ with which noise is drawn
	sigma2 = sigma2.Mul(sigma2)
	return enclosedVariance(r.w, r.p, u, v, sigma2), nil
}

// InnerVariance encloses the variance of the estimated inner product (see [Release.Variance]) at noise sigma: Theorem
// C.1 for w = nil, C.2 and C.3 otherwise. It holds for the numbers given and for their shortest decimals, and for σ and
// its nearest float64. It returns an error wrapping evidence.ErrParameter unless σ ≥ 0 and u and v have one length,
// which is p if w is given.
func InnerVariance(w *Projection, u, v []float64, sigma *big.Rat) (evidence.Certified, error) {
	p := len(u)
	if w != nil {
		p = w.p
	}
	if err := cmp.Or(checkVector("u", u, p), checkVector("v", v, p), checkNoise(sigma)); err != nil {
		return evidence.Certified{}, err
	}
	nearest, _ := sigma.Float64()
	s := interval.Hull(interval.Rat(sigma), interval.Float(nearest))
	return enclosedVariance(w, p, u, v, s.Mul(s)), nil
}

func checkNoise(sigma *big.Rat) error {
	v, _ := sigma.Float64()
	return parameter.NotNegative("sigma", v)
}

func enclosedVariance(w *Projection, p int, u, v []float64, sigma2 interval.Interval) evidence.Certified {
	uu, vv, uv, both := interval.Int(0), interval.Int(0), interval.Int(0), interval.Int(0)
	for i := range u {
		a, b := interval.Readings(u[i]), interval.Readings(v[i])
		ab := a.Mul(b)
		uu, vv, uv, both = uu.Add(a.Mul(a)), vv.Add(b.Mul(b)), uv.Add(ab), both.Add(ab.Mul(ab))
	}
	out := sigma2.Mul(uu.Add(vv))
	const method = "256-bit outward rounding"
	if w == nil {
		out = out.Add(sigma2.Mul(sigma2).Mul(interval.Int(int64(p))))
		return evidence.Enclosed(out, method, Paper+", Theorem C.1")
	}
	k := interval.Int(int64(w.k))
	out = out.Add(sigma2.Mul(sigma2).Mul(k))
	excess := interval.Int(-2)
	switch w.kind {
	case Gaussian:
		excess = interval.Int(0)
	case Uniform:
		excess = interval.Rat(big.NewRat(-6, 5))
	case Sparse:
		excess = interval.Readings(w.s).Sub(interval.Int(3))
	}
	spread := uu.Mul(vv).Add(uv.Mul(uv)).Add(excess.Mul(both)).Quo(k)
	source := Paper + ", Theorem C.2"
	if w.kind == OPORP {
		source = Paper + ", Theorem C.3"
		if m := int64(w.Padded()); m == 1 {
			spread = interval.Int(0)
		} else {
			spread = spread.Mul(interval.Rat(big.NewRat(m-int64(w.k), m-1)))
		}
	}
	return evidence.Enclosed(out.Add(spread), method, source)
}

// VarianceRatio returns the ratio R of (16) for the inner product of unit vectors. R is its variance from raw data
// divided by its variance from k projections, to which W contributes 1/k. The published R ∼ p/k holds if kσ² is large
// against 1 and kσ⁴ against 1/k, not only if p is large.
//
// It returns an error wrapping evidence.ErrParameter unless p, k ≥ 1 and σ is positive and finite.
func VarianceRatio(p, k int, sigma float64) (float64, error) {
	if err := cmp.Or(checkShape(p, k), parameter.Positive("sigma", sigma)); err != nil {
		return 0, err
	}
	if sigma < 1 {
		s2 := sigma * sigma
		return s2 * (2 + float64(p)*s2) / (2*s2 + float64(k)*s2*s2 + 1/float64(k)), nil
	}
	inverse := 1 / sigma / sigma // numerator and denominator are divided by σ⁴
	return (2*inverse + float64(p)) / (2*inverse + float64(k) + inverse*inverse/float64(k)), nil
}
