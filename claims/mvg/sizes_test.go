package mvg_test

// The numbers of triangular factors of order 1 and of order 2.
const (
	regularOne, regularTwo = 2, 2 * 2 * 3 // 1 or 2 on the diagonal, −1 … 1 below
	anyOne, anyTwo         = 3, 3 * 3 * 3 // 0 … 2 on the diagonal
)

// The numbers of multisets of one to three elements, out of three and out of five.
const (
	ofThree = 3 + 6 + 10
	ofFive  = 5 + 15 + 35
)

// sizes has the number of instances of each family, counted from its description.
var sizes = map[string]int{
	"m, n ≤ 3, s₂/γ in ¼ … 2, ε in 0.01 … 10, δ in 10⁻¹ … 10⁻¹²":                                               3 * 3 * 4 * 4 * 4,
	"m = n ≤ 3, s₂/γ in ¼ … √2, ε in 0.01 … 10, δ in 10⁻¹ … 10⁻¹²":                                             3 * 4 * 4 * 4,
	"pairs of records with entries −1, 0, 1, up to four features":                                              9 + 9*9 + 9*9*9 + 9*9*9*9,
	"1 to 12 records, symmetric kernels on three points with values −1, 0, 1":                                  12,
	"up to three vectors with entries −1, 0, 1, one replaced":                                                  (9 + 9*9 + 9*9*9) * 9,
	"2 to 12 records, vectors of norm at most 1 in the plane with entries k/5, the replaced one along an axis": 11,
	"1×1 … 2×3 and 3×2 matrices with entries −1, 0, 1":                                                         3 + 2*9 + 81 + 2*729,
	"pairs of 2×2 matrices with entries −1, 0, 1":                                                              81 * 81,
	"1×1 and 2×2 matrices with entries −2 … 2, 3×3 with entries 0 and 1":                                       5 + 5*5*5*5 + 512,
	"pairs of triangular factors of orders 1 and 2, 1 or 2 on the diagonal, −1 … 1 below":                      (regularOne + regularTwo) * (regularOne + regularTwo),
	"mvg.lemma10.gaussian/1": regularOne*regularOne + regularTwo*regularTwo, // both factors have the same order
	"1×1, 1×2, 2×1 and 2×2 queries, independent coordinates of one law with variances 1 and 2, slack 0 and 1":                                            6 * (2 + 4 + 4 + 16) * 2, // six laws
	"one entry, variance 1, b in 0…2, Y normal or uniform, all pairs of laws":                                                                            6 * 6 * 2 * 3,
	"1×1 to 2×2 matrices of independent entries with variances 1 to 3":                                                                                   3 + 9 + 9 + 81,
	"vectors of one or two independent entries with variances 1 to 3":                                                                                    3 + 9 + 9,
	"variances 1/4 to 4 in quarters":                                                                                                                     16,
	"up to three eigenvalues 1/k, k ≤ 5, d ≤ 3":                                                                                                          ofFive * 3,
	"up to three precisions in 1…3 for either mode":                                                                                                      (3 + 9 + 27) * (3 + 9 + 27),
	"two and three eigenvalues 1/k, k ≤ 3, half-widths 1…3, μ = 1":                                                                                       6*9 + 10*27,
	"two and three directions, the first with 55 … 95 % and the others equal, at (1, 1e-5) and (0.1, 0.01), for [box]":                                   (5 + 2) * 2,
	"two and three directions, the first with 55 … 95 % and the others equal, at (1, 1e-5) and (0.1, 0.01), for [L2 ball Gram matrix, one record added]": (5 + 2) * 2 * 2,
	"directions of 1/1, 3/5 and 4/5, 5/13 and 12/13, σ_i(Σ) in 1…3":                                                                                      4 * 9,
	"λ₁ ≤ λ₂ in 1…4, c in 5/4 … 4 by quarters":                                                                                                           10 * 12,
	"4 to 12 features, records with entries −1, 0, 1":                                                                                                    9,
	"1 to 12 features, records with entries −1, 0, 1":                                                                                                    12,
	"Experiments I, II and III":                                                                                                                          3,
	"r in 1, 3, 20, 100, ε in 0.1, 1, 4, δ in 0.1, 10⁻³, 10⁻⁶":                                                                                           4 * 3 * 3,
	"n in 1, 2, 20 records, all but one alike, of 5 records of the plane each, ε in 1, 4":                                                                (5*5 + 2*5*5*5) * 2,
	"quality max, half-widths (1), (1, 1), (1, 2), one or two records, 2 or 3 levels, ε in 1, 4":                                                         3 * 2 * 2 * 2,
	"quality sum, half-widths (1), (1, 1), (1, 2), one or two records, 2 or 3 levels, ε in 1, 4":                                                         3 * 2 * 2 * 2,
	"normal coordinates of variances 1, 4, 16, d in 1, 2, 4":                                                                                             3 * 3 * 3,
	"normal and ± coordinates of variances 1, 4, 16, d in 1, 2, 4":                                                                                       2 * 2 * 3 * 3 * 3,
	"mn in 1…40, δ in ½ … 10⁻¹²":                                                                                                                         40 * 6,
	"the Gaussian and the Laplace mechanism":                                                                                                             2,
	"symmetric matrices of order 2 with entries −2…2, and noise that is one of them, not 0":                                                              125 * (125 - 1),
	"1×1 and 2×2 queries BBᵀ and Σ⁻¹ = BBᵀ, B triangular with 0 … 2 on the diagonal and −1 … 1 below":                                                    regularOne*anyOne*anyOne + regularTwo*anyTwo*anyTwo,
	"r in 1…100, s₂/γ in 0.01, 0.02, … 1.41 and √2":                                                                                                      100 + 99*142, // at r = 1 only s₂/γ ≤ 1
	"whole α, β, ε up to 6":                                                                                                                              6 * 6 * 6,
	"pairs of 1×1 and 2×2 matrices BBᵀ, B triangular with 0 … 2 on the diagonal and −1 … 1 below":                                                        anyOne*anyOne + anyTwo*anyTwo,
	"Q with rows of 1/1, 3/5 and 4/5, 5/13 and 12/13, turned or reflected, λ in 1…3, c in 2…3":                                                           6 * 2 * 9 * 2,
	"spectra of up to three eigenvalues in 1…3, c in 1…3":                                                                                                ofThree * ofThree * 3,
	"p = .5, .4, …, .1, values 0…3 each once, variance ratios 1, 4, 10, 16":                                                                              5 * 24 * 4,
	"two and three levels, k in 1…3, p in 1/64 … 31/64":                                                                                                  2 * 3 * 8,
	"v, s in 1, 4, 16, a in 0…4":                                                                                                                         3 * 3 * 5,
	"dimensions 3 to 10, ε in 0.1 … 10, δ in 0.3 … 10⁻⁴":                                                                                                 8 * 5 * 4,
	"dimension 3, ε in 0.1 … 10, δ in 0.3 … 10⁻⁴":                                                                                                        5 * 4,
}

// repeated has the number of instances that occur more than once in a family. With 0 and b on the diagonal of B and x
// below, BBᵀ is diag(0, x² + b²). So x = ±1 give the same matrix for each of three b, and the matrix for b = 0, x = ±1
// equals that for b = 1, x = 0. The 27 matrices B give 23 products. For mvg.theorem7.kronecker, 3 spectra of two and 7
// of three eigenvalues are not constant. If both spectra are of these, one is replaced by a constant one.
var repeated = map[string]int{
	"mvg.theorem3.proof/1":       regularTwo * (27*27 - 23*23),
	"mvg.theorem3.proof/2":       regularTwo * (27*27 - 23*23),
	"mvg.theorem4.product/1":     27*27 - 23*23,
	"mvg.theorem4.product/2":     27*27 - 23*23,
	"mvg.theorem4.sensitivity/1": 27*27 - 23*23,
	"mvg.theorem7.kronecker/2":   (3 + 7) * (3 + 7) * 3,
}
