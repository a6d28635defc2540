package field_test

// pessimisticDelta is the δ at ε = 27.1359 of 100,000 uses of Gaussian noise with σ = 100, computed by mpmath with 40
// digits.
const pessimisticDelta = 3.8942893685804871806e-13

// below counts the pairs (p, δ) with δ < 2p − 1. All nine p satisfy this for δ = .01 and .05, which are below the
// smallest 2p − 1 = .1. Eight p satisfy it for δ = .1, seven for .2 and five for .4.
const below = 9 + 9 + 8 + 7 + 5

// small counts the triples (k, ε, δ) with √k tanh(ε/2) ≤ √(2 ln(1/δ)). The right side is 5.3 for δ = 1e-6 and 4.3 for δ
// = 1e-4. At ε = 1 the left side is 8.0 for 300 uses, above both, and 4.6 for 100 uses, above 4.3 only.
const small = 4*4*2 - 2 - 1

// filtersUpTo returns the number of pairs of filters that each have 1 to h of 4 bits set.
func filtersUpTo(h int) int {
	n := []int{0, 4, 4 + 6}[h]
	return n * n
}

// averaged counts the lists of weights up to 2 and up to 3 for two and three people, each with an update −1 or 1.
const averaged = (2*2+3*3)*4 + (2*2*2+3*3*3)*8
const sampled = "1 to 4 bits, 1 to all of them drawn, e^ε in {2, 3, 10}, as sets, or by Poisson sampling"

// sizes maps the description of each family to the number of its instances.
var sizes = map[string]int{
	"ε = 1.01, 1.02, …, 9, δ in {1e-6, 1e-5, .01, .1}":                                                   (900 - 100) * 4,
	"ε in {.01, .05, .25, .5, .75, 1}, δ in {1e-12, 1e-9, 1e-6, 1e-5, .001, .01, .1, .3, .5, .7, .9}":    6 * 11,
	"noise 4/5 and 11/10, rate 1/100, 1, 10, 100 and 1000 steps, δ = 1e-5":                               2 * 4,
	"1, 2, 10 and 100 uses, ε in {.01, .1, 1}, δ in {1e-9, 1e-6, .01}":                                   4 * 3 * 3,
	"k = 1, 2, …, 400 uses, ε = 1, δ = 1e-5":                                                             400,
	"1, 10, 100 and 300 uses with √k tanh(ε/2) ≤ √(2 ln(1/δ)), ε in {.01, .1, .5, 1}, δ in {1e-6, 1e-4}": small,
	"k ≤ 300 uses, δ = 1/10000, 1/1000, 1/100, 1/10":                                                     300 * 4,
	"groups of 1 to 5, e^ε in {11/10, 2, 3}, δ in {1e-6, 1/1000}":                                        5 * 3 * 2,
	"the same, at least: groups of 1 to 5, e^ε in {11/10, 2, 3}, δ in {1e-6, 1/1000}":                    5 * 3 * 2,
	"ε in {.1, .5, 1, 2, 5}, α in {3/2, 2, 3, 10}":                                                       5 * 4,
	"the same, at least: ε in {.1, .5, 1, 2, 5}, α in {3/2, 2, 3, 10}":                                   5 * 4,
	"ε in {.1, .5, 1, 2, 5}": 5,
	"p = .55, .6, …, .95, δ = .01, .05, .1, .2, .4 below 2p − 1":                                 below,
	"the same, at least: p = .55, .6, …, .95, δ = .01, .05, .1, .2, .4 below 2p − 1":             below,
	"ε in {.1, .5, 1, 2, 5}, δ in {1e-9, 1e-5, .001, .01, .04}":                                  5 * 5,
	"σ in {1/2, 1, 2, 5}, ε in {.1, .5, 1, 4}":                                                   4 * 4,
	"scores (0, 1) and (1, 0), ε in {.1, .5, 1, 2, 4}":                                           5,
	"scores 0, 1 and 2 of 2 and 3 candidates, e^{ε/2} in {3/2, 3}":                               (9 + 27) * 2,
	"scores 0 and 1 of 2 candidates, e^{ε/2} in {11/10, 3/2, 3}":                                 4 * 3 * 3,
	"two scores, gaps to 4, each score moving by at most 1, ε in {.1, .5, 1, 2}":                 5 * 2 * 4,
	"two scores, gaps to 4, one score moving by 1, ε in {.1, .5, 1, 2}":                          5 * 4,
	"n = 1000, ε₀ in {.25, 1}, δ = 1e-6, none, half or all of the others holding 1":              2 * 3,
	"filters of 1 to h of 4 bits, h = 1, 2, f = .1, .2, …, 1":                                    (filtersUpTo(1) + filtersUpTo(2)) * 10,
	"one hash function, ε = .1, .2, …, 10":                                                       100,
	"ε in {.1, .5, 1, 2, 4}":                                                                     5,
	"n/4 ≥ 23 ln(10/δ): n = 1300, 1483, 2000, δ in {1e-6, 1e-5, .001}":                           2 + 3 + 3, // 1300 is too few for 1e-6
	"μ = 1, 2, 4, 8, α = 2, 3, 4":                                                                4 * 3,
	"range [0, 1], Δ in {1/4, 1/2, 3/4}, ε in {.5, 1, 2, 4}":                                     3 * 4,
	"ε in {.1, 1, 4}, δ in {1e-9, 1e-5, .01, .5}":                                                3 * 4,
	"Δ = 1, 2, 3, δ = .01, .02, …, .5":                                                           3 * 50,
	"the same, at least: Δ = 1, 2, 3, δ = .01, .02, …, .5":                                       3 * 50,
	"sums of real numbers, 1 to 7 records of the value u = 1, 1 + 2⁻⁵², 1 + 2⁻⁵¹, 1 + 3·2⁻⁵²":    7 * 4,
	"sums of float64 numbers, 1 to 7 records of the value u = 1, 1 + 2⁻⁵², 1 + 2⁻⁵¹, 1 + 3·2⁻⁵²": 7 * 4,
	"T = 1, 2, …, 512 steps":                                                                     512,
	"the same, at least: T = 1, 2, …, 512 steps":                                                 512,
	"n = 2":                                1,
	"n = 1, 2, …, 128":                     128,
	"the same, at least: n = 1, 2, …, 128": 128,
	"two datasets at distance 0 from a larger sensitivity, ε in {.1, 1}, δ in {.1, .01, 1e-6}, f moving by 20 times the bound": 2 * 3,
	"vectors (3, 4) and (−3, −4)": 1,
	"Gaussian noise with σ = 1, 5, randomized response with ε = 1, δ in {1e-9, 1e-5, .01}":                      (2 + 1) * 3,
	"n = 10, 5, 2, ε₀ in {.5, 1, 2}, ε = ε₀/4, ε₀/2, 3ε₀/4":                                                     3 * 3 * 3,
	"two people, σ = .5, .7, 1, 2, α = 2, 3, 4, 9":                                                              4 * 4,
	"two people, σ = .49, .48, …, .1, α = 2, 3, 4":                                                              40 * 3,
	"lower bound 0, 1, 2, −1, −2, −3, width 1 to 4, whole numbers":                                              6 * 4,
	"C = 1, 2, s = 1, 2, 4, α = 2, 8, 32":                                                                       2 * 3 * 3,
	"the record leaves, 2 and 3 people, weights to 2 and 3, mean weight 1, updates −1 and 1":                    averaged,
	"its update becomes 0, 2 and 3 people, weights to 2 and 3, mean weight 1, updates −1 and 1":                 averaged,
	"weights from 1/2, 1, 2, up to 0, 1/2, 1 and 3/2 more, 1 to 4 people, clip 1":                               3 * 4 * 4,
	"2, 3 and 4 pairs of numbers 0, 1/2, 1":                                                                     3,
	"1 to 3 numbers of 0, 1/4, …, 1, one replaced, e^{ε/2} in {3/2, 3}":                                         (5 + 25 + 125) * 4 * 2,
	"1, 2 and 3 bins, ε in {.1, 1, 4}, δ in {1e-9, 1e-6, .01}":                                                  3 * 3 * 3,
	"the same, at least: 1 bin, ε in {.1, 1, 4}, δ in {1e-9, 1e-6, .01}":                                        3 * 3,
	"1 bin, ε in {.1, 1, 4}, δ in {1e-9, 1e-6, .01}":                                                            3 * 3,
	"b = 2, 3, 5, 1, 2, …, 64 leaves":                                                                           3 * 64,
	"the same, at least: b = 2, 3, 5, 1, 2, …, 64 leaves":                                                       3 * 64,
	"n = 2000, ε₀ in {.25, .5}, δ = 1e-6, none of the others holding 1":                                         2,
	"2 to 60 numbers, ε in {.1, 1}, δ = 1e-6, below 1/n²":                                                       59 * 2,
	"one record added, lower bound −2 to 2, width 1 to 4, whole numbers":                                        5 * 4,
	"the same, at least: one record added, lower bound −2 to 2, width 1 to 4, whole numbers":                    5 * 4,
	"one record replaced, lower bound −2 to 2, width 1 to 4, whole numbers":                                     5 * 4,
	"1 to 3 features, a row of norm 1 added, ε in {.1, .5, 1, 2}":                                               3 * 4,
	"ε in {.1, 1, 2, 4}, δ in {.5, .1, .01, 1e-6}, S growing by e^{jβ/4}, j ≤ 4, answers to 1 apart, both ways": 4 * 4 * 4 * 3 * 2,
	"e^ε in {11/10, 2, 3, 20}, δ in {1e-9, 1e-5, 1/100, 1/2}":                                                   4 * 4,
	"the same, at least: e^ε in {11/10, 2, 3, 20}, δ in {1e-9, 1e-5, 1/100, 1/2}":                               4 * 4,
	"two records in two batches, noise 1/2 and 1, ε in {1, 2, 3}":                                               2 * 3,
	"1 and 2 steps at the rate 1/2, noise 1 and 2 in clipping norms, δ = 1e-5":                                  2 * 2,
	sampled:                          (1 + 2 + 3 + 4) * 3 * 2,
	"the same, at least: " + sampled: (1 + 2 + 3 + 4) * 3 * 2,
	"2 and 3 uses, e^ε in {2, 4, 8}, δ at 0 and at ε":                                                         2 * 3,
	"2 and 3 uses, e^ε in {2, 4, 8}, each of nine mechanisms, in order":                                       3 * (9*10/2 + 9*10*11/6),
	"randomized response, e^ε in {3/2, 2, 5}, twice, then in {1, 3/2, 2, 5} by the first answer, α = 2, 3, 4": 3 * 4 * 4 * 3,
	"a first use with e^ε in {2, 3, 5}, a second one with e^ε in {3/2, 2}":                                    3 * 2,
	"three values, a uniform prior, e^ε in {8, 20, 100}":                                                      3,
	"three values, a uniform prior, e^ε in {1001/1000, 101/100, 11/10}":                                       3,
}
