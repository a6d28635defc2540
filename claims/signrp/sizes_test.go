package signrp_test

// above returns the number of k ≤ most, P = 1/10 … 9/10 and integers above kP, up to k + 1.
func above(most int) (n int) {
	for k := 1; k <= most; k++ {
		for tenth := 1; tenth < 10; tenth++ {
			for at := 0; at <= k+1; at++ {
				if 10*at > tenth*k {
					n++
				}
			}
		}
	}
	return n
}

// halves is the number of ordered pairs of numbers among −1, −½, 0, ½, 1 that differ by ½ or 1.
const halves = 2*4 + 2*3

// sizes has the number of instances of each family, counted from its description.
var sizes = map[string]int{
	"u of 9998 to 10007 ones, β = 1, .5, 1.5, 2": 10 * 4,
	"u of 1000 to 1009 ones, β = 1, .5, 1.5, 2":  10 * 4,
	// The number of different k: p = 1 has only k = 1. For p = 100, p/100 equals 1. 10⁴ and 10⁶ have all six, and 10⁸
	// has only p/100, 1 and 10.
	"p = 1, 100, 10⁴, …, 10⁸, k/p = 1, 1/2, 1/20, 1/100 up to k = 10⁶, and k = 1, 10, σ in {10, 1, 1/10}":     (1 + 5 + 6 + 6 + 3) * 3,
	"p = 400, 200, 100, k = 8, 16, …, 48, δ in {1e-6, .001, .1}, ε = 1":                                       3 * 6 * 3,
	"p in {1, 2, 10, 100}, k in {8, 64, 256}, β/‖u‖ in {.01, .1, .5, .9, .999}, δ in {.1, .001, 1e-6}, ε = 1": 4 * 3 * 5 * 3,
	"u = v = (1, b), b in {1, ½, −½, −1}, Gaussian and Rademacher W, k = 2, 4, 8":                             4 * 2 * 3,
	"p ≤ 3, 2 ≤ k ≤ 32, ε = 1":                                                                                       3 * 31,
	"u on a grid of quarters, p, k ≤ 2, and u of ±½, p = k = 3; β = 1":                                               2*4*(9+9*9) + 16*2*2*2, // four W, and sixteen for p = 3
	"ε = 1, δ = 1e-6, p, k ≤ 4, every coordinate, three W":                                                           (1 + 2 + 3 + 4) * 4 * 3,
	"up to three numbers in {½, 1}, β in {.1, .5, 1}":                                                                (2 + 4 + 8) * 3,
	"k = 2, two numbers each, halves from −1 to 1, the first 1":                                                      5 * 5,
	"Gaussian and Rademacher W, k = 8 and 16, three numbers each, halves from −1 to 1, u = (1, ½, ·), v = (·, ½, 1)": 2 * 2 * 5 * 5,
	"ε = 1, 2, … and 100":  100,
	"ε = 1, 2, … and 96.7": 96 + 1,
	"equal coordinates, p ≤ 4, β/‖u‖ in {.1, .3, .5, .7, .9}": 4 * 5,
	"p = 2, …, 40": 39,
	"k ≤ 16, P in tenths, every whole threshold above the mean":                                 above(16),
	"r in {¼, ½, 1, 2}, ρ in {0, ±.3, ±.6, ±.9}":                                                4 * 7,
	"r in {½, ¼, 2, 4}, ρ in {±.3, ±.6, ±.9}":                                                   4 * 6,
	"r in {1, ½, ¼}, ρ in {.3, .6, .9}":                                                         3 * 3,
	"p ≤ 2, equal coordinates, β/‖u‖ in {.5, .7, .9}, k = 2, 4, …, 65536, δ in {.1, .01, 1e-6}": 2 * 3 * 16 * 3,
	"k ≤ 16, P in tenths, δ in {.5, .1, .01, 1e-6}":                                             16 * 9 * 4,
	"two outcomes, weights 0…3, e^ε in {1, 3/2, 2}, the same pair twice":                        15 * 15 * 3, // weights that are not both 0
	"ε in {.1, .5, 1, 2, 10, 50}, δ in {.4, .1, 1e-3, 1e-6, 1e-9}":                              6 * 5,
	"ε in {.5, 1, 2, 4}, σ in {¼, ½, 1, 2}, Δ₂ = 1":                                             4 * 4,
	"θ in twelfths of π, e^{ε'} = 3/2, 2, …, 6":                                                 13 * 10,
	"|wᵀu| ≤ 4β max|w_i| in quarters, e^{ε/k} in {11/10, 2, 10}":                                17 * 9 * 3,               // u' differs by up to four quarters
	"neighbors on a grid of halves, p, k ≤ 2, β = 1, ε = 1, δ = 1e-6":                           2 * 4 * halves * (1 + 5), // two k, four W
	"neighbors on a grid of halves, p, k ≤ 2, β = 1, ε = 1, δ in {1e-6, .01, .1}":               2 * 4 * halves * (1 + 5) * 3,
	"neighbors on a grid of halves, p, k ≤ 2, β = 1, ε = 1":                                     2 * 4 * halves * (1 + 5),
	"neighbors on a grid of halves, p, k ≤ 2, β = 1":                                            2 * 4 * halves * (1 + 5),
	"signrp.theoremC1/1": (9 + 9*9) * 2,       // u and v have one or two entries, k = 1
	"signrp.theoremC2/1": (9 + 9*9 + 9*9) * 2, // (p, k) = (1, 1), (2, 1), (2, 2)
	"signrp.theoremC3/1": (9 + 9*9 + 9*9) * 2,
}
