package claims

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"dpworkbench/evidence"
	"dpworkbench/xor"
)

// xorLawClaims holds what the paper says of the law and of drawing from it.
func xorLawClaims() []Claim {
	return []Claim{{
		ID: "xor.footnote2", Paper: xorPaper, Place: "Footnote 2",
		Statement:  "θ_pq is the logarithm of the odds ratio of features p and q of one object, all other bits being 0",
		Hypotheses: "the law of Definition 4",
		Corrected:  "that logarithm is 2θ_pq, since bᵀΘb holds θ_pq twice",
		Recorded:   evidence.Refuted,
		check:      withCorrection(oddsRatio(1).check, oddsRatio(2).check),
	}, {
		ID: "xor.theorem2", Paper: xorPaper, Place: "Theorem 2",
		Statement: "E‖B‖² = Σ_b exp(bᵀΠb)‖b‖² / Σ_b exp(bᵀΠb)",
		Recorded:  evidence.Confirmed,
		check:     meanOnes.check,
	}, {
		ID: "xor.density", Paper: xorPaper, Place: "Section 5.2",
		Statement: "s = 2b − 1 has the law f(s) ∝ exp(sᵀΠs + 2sᵀΠ1)",
		Corrected: "f(s) ∝ exp((sᵀΠs + 2sᵀΠ1)/4)",
		Recorded:  evidence.Refuted,
		check:     withCorrection(signDensity(1).check, signDensity(.25).check),
	}, {
		ID: "xor.algorithm2", Paper: xorPaper, Place: "Algorithm 2",
		Statement: "y cos T + q sin T with y, q standard normal has signs with the law exp(bᵀΠb): the particle moves without walls",
		Recorded:  evidence.Refuted,
		check:     printedSigns.check,
	}}
}

// coinCase is a law on two bits, Π in tenths.
type coinCase struct{ a, b, c int } // Π = [[a, c], [c, b]]

func (k coinCase) weights() [4]float64 { // exponents of 00, 10, 01, 11 in nats
	a, b, c := float64(k.a)/10, float64(k.b)/10, float64(k.c)/10
	return [4]float64{0, a, b, a + b + 2*c}
}

func (k coinCase) script() string {
	return fmt.Sprintf("bernoulli(%s, {}, 1)", lists(tenths([][]int{{k.a, k.c}, {k.c, k.b}})))
}

func (k coinCase) fields(extra ...Field) []Field {
	return append([]Field{{"Pi", lists(tenths([][]int{{k.a, k.c}, {k.c, k.b}}))}}, extra...)
}

// coins enumerates Π with entries in {−1, 0, 1}, simplest first.
func coins(yield func(coinCase) bool) {
	for _, c := range []int{0, 10, -10} {
		for _, a := range []int{0, 10, -10} {
			for _, b := range []int{0, 10, -10} {
				if !yield(coinCase{a, b, c}) {
					return
				}
			}
		}
	}
}

func drawCoin(rng *rand.Rand) coinCase {
	return coinCase{rng.IntN(61) - 30, rng.IntN(61) - 30, rng.IntN(61) - 30}
}

// oddsRatio says that the log odds ratio is factor·θ_pq, in whole tenths.
func oddsRatio(factor int) statement[coinCase] {
	ratio := func(k coinCase) int { return (k.a + k.b + 2*k.c) + 0 - k.a - k.b }
	return statement[coinCase]{
		family: "N = 1, P = 2, entries in {−1, 0, 1}",
		each:   coins, draw: drawCoin,
		holds: func(k coinCase) (bool, error) { return ratio(k) == factor*k.c, nil },
		witness: func(k coinCase) *Witness {
			return &Witness{
				Fields: k.fields(Field{"theta_pq", fmt.Sprint(float64(k.c) / 10)}, Field{"log odds ratio", fmt.Sprint(float64(ratio(k)) / 10)}),
				Script: fmt.Sprintf("b = %s; print(b.exponent([[1, 1]]) + b.exponent([[0, 0]]) - b.exponent([[1, 0]]) - b.exponent([[0, 1]]))", k.script()),
			}
		},
	}
}

// meanOnes compares the ratio of sums, state by state, with the sum of
// marginals, which another traversal computes.
var meanOnes = statement[noiseCase]{
	draw: func(rng *rand.Rand) noiseCase { return drawNoise(rng, -20) },
	holds: func(c noiseCase) (bool, error) {
		b := c.law()
		e, err := b.Enumerate(context.Background(), xor.Options{})
		if err != nil {
			return false, err
		}
		m, err := b.Moments(context.Background(), xor.Options{})
		if err != nil {
			return false, err
		}
		var lo, hi float64
		for _, p := range m.Marginals {
			lo, hi = lo+p.Lo, hi+p.Hi
		}
		return lo*(1-1e-14) <= e.MeanOnes.Hi && e.MeanOnes.Lo <= hi*(1+1e-14), nil
	},
	simpler: noiseCase.simpler,
	witness: func(c noiseCase) *Witness {
		return &Witness{Fields: c.fields(), Script: fmt.Sprintf("b = %s; print(b.error_rate(), sum(b.marginals()))", c.script())}
	},
}

// signDensity says that Pr[b] ∝ exp(factor·(sᵀΠs + 2sᵀΠ1)) for s = 2b − 1: all
// differences of exponents must agree with those of bᵀΠb.
func signDensity(factor float64) statement[coinCase] {
	exponent := func(k coinCase, s0, s1 float64) float64 {
		a, b, c := float64(k.a)/10, float64(k.b)/10, float64(k.c)/10
		return factor * (a*s0*s0 + b*s1*s1 + 2*c*s0*s1 + 2*(s0*(a+c)+s1*(b+c)))
	}
	prob := func(e [4]float64, bit int) float64 { // Pr[b_bit = 1]
		var sum float64
		for _, v := range e {
			sum += math.Exp(v)
		}
		return (math.Exp(e[1+bit]) + math.Exp(e[3])) / sum
	}
	printed := func(k coinCase) [4]float64 {
		return [4]float64{exponent(k, -1, -1), exponent(k, 1, -1), exponent(k, -1, 1), exponent(k, 1, 1)}
	}
	return statement[coinCase]{
		family: "N = 1, P = 2, entries in {−1, 0, 1}",
		each:   coins, draw: drawCoin,
		holds: func(k coinCase) (bool, error) {
			e, w := printed(k), k.weights()
			for s := range e {
				if math.Abs((e[s]-e[0])-(w[s]-w[0])) > 1e-12 {
					return false, nil
				}
			}
			return true, nil
		},
		witness: func(k coinCase) *Witness {
			bit := 0
			if prob(k.weights(), 0) == prob(printed(k), 0) {
				bit = 1
			}
			return &Witness{
				Fields: k.fields(Field{fmt.Sprintf("Pr[b_%d = 1]", bit), fmt.Sprintf("%.4f", prob(k.weights(), bit))}, Field{"by the stated density", fmt.Sprintf("%.4f", prob(printed(k), bit))}),
				Script: fmt.Sprintf("print(%s.marginals())", k.script()),
			}
		},
	}
}

// printedSigns: y cos T + q sin T is standard normal whatever T is, and
// coordinates are independent: the printed algorithm's law is uniform.
var printedSigns = statement[coinCase]{
	family: "N = 1, P = 2, entries in {−1, 0, 1}",
	each:   coins, draw: drawCoin,
	holds: func(k coinCase) (bool, error) {
		w := k.weights()
		return w[1] == 0 && w[2] == 0 && w[3] == 0, nil
	},
	witness: func(k coinCase) *Witness {
		w := k.weights()
		var sum float64
		for _, v := range w {
			sum += math.Exp(v)
		}
		return &Witness{
			Fields: k.fields(
				Field{"Pr[b_0 = 1]", fmt.Sprintf("%.4f", (math.Exp(w[1])+math.Exp(w[3]))/sum)},
				Field{"Pr[b_1 = 1]", fmt.Sprintf("%.4f", (math.Exp(w[2])+math.Exp(w[3]))/sum)},
				Field{"of the printed algorithm", "0.5, 0.5"}),
			Script: fmt.Sprintf("b = %s; print(b.marginals(), b.sample(5, method=\"printed\"))", k.script()),
		}
	},
}
