package claims

import (
	"fmt"
	"math"
	"math/rand/v2"

	"dpworkbench/evidence"
)

func mvgInformationClaims() []Claim {
	kronecker := withCorrection(kroneckerOnly(false).check, kroneckerOnly(true).check)
	return []Claim{{
		ID: "mvg.lemma9", Paper: mvgPaper, Place: "Lemma 9",
		Statement:  "conditional entropy reaches ½ ln((2πe)^{mn}|K|) only for jointly matrix-variate normal laws with Ψ⊗Σ = K",
		Hypotheses: "m = n = 2, K diagonal, the condition independent: then it is Lemma 8",
		Corrected:  "it is reached by jointly normal laws of conditional covariance K",
		Recorded:   evidence.Refuted,
		check:      kronecker,
	}, {
		ID: "mvg.lemma8", Paper: mvgPaper, Place: "Lemma 8",
		Statement:  "entropy reaches ½ ln((2πe)^{mn}|K|) only for a matrix-variate normal law with Ψ⊗Σ = K",
		Hypotheses: "m = n = 2, K diagonal; every normal law of covariance K reaches it",
		Corrected:  "it is reached by the normal law of covariance K, which is matrix-variate where K is a Kronecker product",
		Recorded:   evidence.Refuted,
		check:      kronecker,
	}, {
		ID: "mvg.lemma10", Paper: mvgPaper, Place: "Lemma 10",
		Statement:  "the mutual information of query and release is ½ ln PNR, so that maximising one maximises the other",
		Hypotheses: "f(X) = ±1 with equal chances, Gaussian noise: f(X) is not Gaussian",
		Corrected:  "it is at most ½ ln PNR, with equality for Gaussian f(X)",
		Recorded:   evidence.Refuted,
		check:      withCorrection(signInformation(true).check, signInformation(false).check),
	}, {
		ID: "mvg.theorem8", Paper: mvgPaper, Place: "Theorem 8",
		Statement:  "the mutual information of query and release is largest for queries of the form Σ g_i(x_i)",
		Hypotheses: "x_i = ±1, g_i(x) = kx, against the query x₁x₂; unit Gaussian noise",
		Corrected:  "no query of variance v passes ½ ln(1 + v), which Gaussian f(X) reaches",
		Recorded:   evidence.Refuted,
		check:      withCorrection(decomposable(true).check, decomposable(false).check),
	}, {
		ID: "mvg.theorem9", Paper: mvgPaper, Place: "Theorem 9",
		Statement:  "among noises of one covariance the Gaussian leaks the least about the data set",
		Hypotheses: "X = ±1, f(X) = X; against noise on {0, ±2}",
		Recorded:   evidence.Refuted,
		check:      leastLeakage().check,
	}}
}

// information returns the mutual information, in nats, of a signal with values
// and probabilities and its sum with Gaussian noise of the given variance:
// ∫ p ln p by the trapezoid rule on ±10 standard deviations about every value,
// whose error for such entire functions is far below 1e-10.
func information(values, probs []float64, variance float64) float64 {
	sd := math.Sqrt(variance)
	lo, hi := values[0], values[0]
	for _, v := range values {
		lo, hi = math.Min(lo, v), math.Max(hi, v)
	}
	lo, hi = lo-10*sd, hi+10*sd
	steps := int((hi-lo)/sd*40) + 1
	h := (hi - lo) / float64(steps)
	sum := 0.0
	for i := range steps + 1 {
		y, p := lo+float64(i)*h, 0.0
		for k, v := range values {
			p += probs[k] * math.Exp(-(y-v)*(y-v)/(2*variance))
		}
		p /= sd * math.Sqrt(2*math.Pi)
		if p > 0 {
			sum -= p * math.Log(p) * h
		}
	}
	return sum - math.Log(2*math.Pi*math.E*variance)/2
}

// diagonalCase is a diagonal covariance of a 2×2 matrix's vec.
type diagonalCase [4]int64

// kroneckerOnly: the covariance is a Kronecker product, ad = bc.
func kroneckerOnly(product bool) statement[diagonalCase] {
	return statement[diagonalCase]{
		family: "diagonal covariances with entries in 1…4",
		each: func(yield func(diagonalCase) bool) {
			for code := range 256 {
				c := diagonalCase{1 + int64(code&3), 1 + int64(code>>2&3), 1 + int64(code>>4&3), 1 + int64(code>>6)}
				if product && c[0]*c[3] != c[1]*c[2] {
					continue
				}
				if !yield(c) {
					return
				}
			}
		},
		holds: func(c diagonalCase) (bool, error) { return c[0]*c[3] == c[1]*c[2], nil },
		witness: func(c diagonalCase) *Witness {
			k := make([][]int64, 4)
			for i := range k {
				k[i] = make([]int64, 4)
				k[i][i] = c[i]
			}
			return &Witness{
				Fields: []Field{{"covariance of vec", fmt.Sprintf("diag(%d, %d, %d, %d)", c[0], c[1], c[2], c[3])}, {"law", "normal, so its entropy is the maximum"}},
				Script: fmt.Sprintf("psi, sigma, distance = nearest_kronecker(%s, 2, 2); print(distance)", lists(k)),
			}
		},
	}
}

// varianceCase is a noise variance, in sixteenths.
type varianceCase int

func (c varianceCase) variance() float64 { return float64(c) / 16 }

func noises(yield func(varianceCase) bool) {
	for c := varianceCase(4); c <= 64; c += 4 {
		if !yield(c) {
			return
		}
	}
}

const signScript = "s = %v; n = 4000; ys = [-9 + 18 * i / n for i in range(n + 1)]; p = lambda y: (math.exp(-(y - 1) * (y - 1) / (2 * s)) + math.exp(-(y + 1) * (y + 1) / (2 * s))) / 2 / math.sqrt(2 * math.pi * s); " +
	"print(sum([-p(y) * math.log(p(y) + 1e-300) for y in ys]) * 18 / n - math.log(2 * math.pi * math.e * s) / 2, %s)"

// signInformation compares the information of X = ±1 with ½ ln(1 + 1/s).
func signInformation(equal bool) statement[varianceCase] {
	return statement[varianceCase]{
		family: "noise variances ¼…4", each: noises,
		holds: func(c varianceCase) (bool, error) {
			got, want := information([]float64{-1, 1}, []float64{0.5, 0.5}, c.variance()), math.Log1p(1/c.variance())/2
			if equal {
				return math.Abs(got-want) < 1e-6, nil
			}
			return got < want+1e-9, nil
		},
		witness: func(c varianceCase) *Witness {
			return &Witness{
				Fields: []Field{{"noise variance", fmt.Sprint(c.variance())}, {"mutual information", fmt.Sprintf("%.6f", information([]float64{-1, 1}, []float64{0.5, 0.5}, c.variance()))}, {"half of ln PNR", fmt.Sprintf("%.6f", math.Log1p(1/c.variance())/2)}},
				Script: fmt.Sprintf(signScript, c.variance(), "math.log(1 + 1 / s) / 2"),
			}
		},
	}
}

// gainCase is the factor k of g_i(x) = kx, in quarters.
type gainCase int

// decomposable compares kx₁ + kx₂ with x₁x₂ under unit noise; or either with the
// Gaussian bound.
func decomposable(best bool) statement[gainCase] {
	sum := func(c gainCase) (mi, variance float64) {
		k := float64(c) / 4
		return information([]float64{-2 * k, 0, 2 * k}, []float64{0.25, 0.5, 0.25}, 1), 2 * k * k
	}
	product := information([]float64{-1, 1}, []float64{0.5, 0.5}, 1)
	return statement[gainCase]{
		family: "k in 0, ¼, … 2",
		each: func(yield func(gainCase) bool) {
			for c := gainCase(0); c <= 8; c++ {
				if !yield(c) {
					return
				}
			}
		},
		holds: func(c gainCase) (bool, error) {
			mi, variance := sum(c)
			if best {
				return mi >= product-1e-9, nil
			}
			return mi <= math.Log1p(variance)/2+1e-9 && product <= math.Log(2)/2+1e-9, nil
		},
		witness: func(c gainCase) *Witness {
			mi, _ := sum(c)
			return &Witness{
				Fields: []Field{{"g_i(x)", fmt.Sprintf("%v x", float64(c)/4)}, {"mutual information of Σ g_i", fmt.Sprintf("%.6f", math.Abs(mi))}, {"mutual information of x₁x₂", fmt.Sprintf("%.6f", product)}},
				Script: fmt.Sprintf(signScript, 1.0, "0.0"),
			}
		},
	}
}

// leastLeakage compares Gaussian noise with noise on {0, ±2} of one variance 8p,
// p the chance of either step.
func leastLeakage() statement[varianceCase] {
	discrete := func(c varianceCase) float64 {
		p := c.variance() / 8
		// X + N for X = ±1: on {−3, −1, 1, 3}.
		outer, inner := p/2, (1-2*p)/2+p/2
		h := -2*outer*math.Log(outer) - 2*inner*math.Log(inner)
		return h + 2*p*math.Log(p) + (1-2*p)*math.Log(1-2*p)
	}
	return statement[varianceCase]{
		family: "noise variances 1/16…2",
		each: func(yield func(varianceCase) bool) {
			for _, c := range []varianceCase{4, 1, 2, 8, 16, 32} {
				if !yield(c) {
					return
				}
			}
		},
		draw: func(rng *rand.Rand) varianceCase { return varianceCase(1 + rng.IntN(32)) },
		holds: func(c varianceCase) (bool, error) {
			return information([]float64{-1, 1}, []float64{0.5, 0.5}, c.variance()) <= discrete(c)+1e-9, nil
		},
		witness: func(c varianceCase) *Witness {
			return &Witness{
				Fields: []Field{{"noise variance", fmt.Sprint(c.variance())}, {"leakage of Gaussian noise, nats", fmt.Sprintf("%.4f", information([]float64{-1, 1}, []float64{0.5, 0.5}, c.variance()))}, {"leakage of noise on {0, ±2}, nats", fmt.Sprintf("%.4f", discrete(c))}},
				Script: fmt.Sprintf(signScript, c.variance(), "[q * math.log(q) for p in [s / 8] for q in [p]][0] * 2 + (1 - s / 4) * math.log(1 - s / 4) - 2 * (s / 16) * math.log(s / 16) - 2 * (0.5 - s / 16) * math.log(0.5 - s / 16)"),
			}
		},
	}
}
