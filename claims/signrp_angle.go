package claims

import (
	"fmt"
	"math"
	"math/rand/v2"

	"dpworkbench/evidence"
)

// angleClaims holds Theorem 4.5.
func angleClaims() []Claim {
	return []Claim{{
		ID: "signrp.theorem4.5", Paper: signrpPaper, Place: "Theorem 4.5",
		Statement:  "the angle estimator from flipped signs is unbiased, with variance V_RR/k: θ(π−θ) + 2π²e^{ε'}/(e^{ε'}−1)² + 4π²e^{2ε'}/(e^{ε'}−1)⁴ over k",
		Hypotheses: "Gaussian W; two releases with independent flips; the paper states the variance as k grows, it holds for every k",
		Recorded:   evidence.Confirmed, check: angleVariance(printedAngle).check,
	}}
}

type anglePoint struct{ theta, eps float64 }

// printedAngle is V_RR as printed.
func printedAngle(a anglePoint) float64 {
	e := math.Exp(a.eps)
	d := (e - 1) * (e - 1)
	return a.theta*(math.Pi-a.theta) + 2*math.Pi*math.Pi*e/d + 4*math.Pi*math.Pi*e*e/(d*d)
}

// angleVariance compares a formula with the mean and variance of the estimator
// over the four joint outcomes of one pair of signs: agreement P = 1 − θ/π before
// two flips of probability f.
func angleVariance(formula func(anglePoint) float64) statement[anglePoint] {
	moments := func(a anglePoint) (mean, variance float64) {
		f := 1 / (math.Exp(a.eps) + 1)
		gain := (math.Exp(a.eps) + 1) / (math.Exp(a.eps) - 1)
		shift := 2 * math.Exp(a.eps) / ((math.Exp(a.eps) - 1) * (math.Exp(a.eps) - 1))
		square := 0.0
		for outcome := range 8 {
			agree, one, two := outcome&1 == 1, outcome>>1&1 == 1, outcome>>2&1 == 1
			p := 1 - a.theta/math.Pi
			if !agree {
				p = 1 - p
			}
			for _, flipped := range []bool{one, two} {
				if flipped {
					p *= f
				} else {
					p *= 1 - f
				}
			}
			estimate := math.Pi * (1 + shift)
			if agree == (one == two) {
				estimate -= math.Pi * gain * gain
			}
			mean += p * estimate
			square += p * estimate * estimate
		}
		return mean, square - mean*mean
	}
	return statement[anglePoint]{
		family: "θ in twelfths of π, ε' = 1/2, …, 4",
		each: func(yield func(anglePoint) bool) {
			for eps := 0.5; eps <= 4; eps += 0.5 {
				for i := range 13 {
					if !yield(anglePoint{float64(i) * math.Pi / 12, eps}) {
						return
					}
				}
			}
		},
		draw: func(rng *rand.Rand) anglePoint {
			return anglePoint{math.Pi * rng.Float64(), 0.1 + 5*rng.Float64()}
		},
		holds: func(a anglePoint) (bool, error) {
			mean, variance := moments(a)
			scale := 1 + variance
			return math.Abs(mean-a.theta) <= 1e-9*scale && math.Abs(formula(a)-variance) <= 1e-9*scale, nil
		},
		witness: func(a anglePoint) *Witness {
			return &Witness{
				Fields: []Field{{"theta", fmt.Sprint(a.theta)}, {"eps'", fmt.Sprint(a.eps)}},
				Script: fmt.Sprintf("v = angle_variance(%v, %v, 1).value; print(%v, v, abs(v - %v) > 1e-9 * v)", a.theta, a.eps, formula(a), formula(a)),
			}
		},
	}
}
