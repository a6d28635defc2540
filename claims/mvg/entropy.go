package mvg

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"

	"dpworkbench/claims/check"
)

// entropyChecks returns the checks of the two lemmas on maximum entropy. The bound and the case of equality are
// separate claims.
func entropyChecks() check.Checks {
	return check.Checks{
		"mvg.lemma8.bound": entropyBound(largestEntropy).Check,
		"mvg.lemma8":       check.WithCorrection(entropyEquality(matrixVariate).Check, entropyEquality(normalOfCovariance).Check),
		"mvg.lemma9.bound": conditionalBound(largestEntropy).Check,
		"mvg.lemma9":       check.WithCorrection(conditionalEquality(jointlyNormal).Check, conditionalEquality(conditionallyNormal).Check),
	}
}

// coordinateLaw names a law on the real line. The variance is given separately.
type coordinateLaw int

const (
	normalLaw coordinateLaw = iota
	uniformLaw
	triangularLaw
	logisticLaw
	laplaceLaw
	exponentialLaw
	coordinateLaws int = iota
)

func (l coordinateLaw) String() string {
	return [...]string{"normal", "uniform", "triangular", "logistic", "two-sided exponential", "exponential"}[l]
}

// entropyOver returns h − ½ ln v, where h is the differential entropy in nats at variance v:
//   - uniform on a width w: h = ln w, v = w²/12
//   - triangular on ±a: h = ½ + ln a, v = a²/6
//   - logistic of scale s: h = 2 + ln s, v = π²s²/3
//   - two-sided exponential of scale b: h = 1 + ln 2b, v = 2b²
//   - exponential of mean b: h = 1 + ln b, v = b²
func (l coordinateLaw) entropyOver() float64 {
	return [...]float64{
		math.Log(2*math.Pi*math.E) / 2, math.Log(12) / 2, 0.5 + math.Log(6)/2,
		2 + math.Log(3)/2 - math.Log(math.Pi), 1 + math.Log(2)/2, 1,
	}[l]
}

// entropyCase is vec X = A·U for independent U_i, and K = Cov(vec X) with slack added to its first entry.
type entropyCase struct {
	m, n      int
	laws      []coordinateLaw
	variances []int64
	mix       intMatrix // A, not singular
	slack     int64
}

func (c entropyCase) covariance() intMatrix {
	return c.mix.times(diagonalInts(c.variances)).times(c.mix.transpose())
}

func diagonalInts(xs []int64) intMatrix {
	d := zeroMatrix(len(xs), len(xs))
	for i, x := range xs {
		d[i][i] = x
	}
	return d
}

func (c entropyCase) k() intMatrix {
	k := c.covariance()
	k[0][0] += c.slack
	return k
}

// entropy returns h(vec X) = Σ h(U_i) + ln|det A|.
func (c entropyCase) entropy() float64 {
	det, _ := c.mix.det().Float64()
	h := math.Log(math.Abs(det))
	for i, l := range c.laws {
		h += l.entropyOver() + math.Log(float64(c.variances[i]))/2
	}
	return h
}

// largestEntropy returns ½ ln((2πe)^N |K|).
func largestEntropy(size int, det float64) float64 {
	return (float64(size)*math.Log(2*math.Pi*math.E) + math.Log(det)) / 2
}

func (c entropyCase) bound(rule func(size int, det float64) float64) float64 {
	det, _ := c.k().det().Float64()
	return rule(len(c.laws), det)
}

func (c entropyCase) normal() bool {
	return !slices.ContainsFunc(c.laws, func(l coordinateLaw) bool { return l != normalLaw })
}

// normalOfCovariance and matrixVariate report whether the conditions for equality hold: the corrected and the printed
// one.
func normalOfCovariance(c entropyCase) bool { return c.normal() && c.slack == 0 }
func matrixVariate(c entropyCase) bool      { return normalOfCovariance(c) && isKronecker(c.k(), c.m, c.n) }

// isKronecker reports whether K, of order mn, is Ψ⊗Σ: whether the m²×n² matrix whose columns are the blocks of K has
// rank one.
func isKronecker(k intMatrix, m, n int) bool {
	blocks := make([][]int64, 0, n*n)
	for a := range n {
		for b := range n {
			var block []int64
			for i := range m {
				block = append(block, k[a*m+i][b*m:(b+1)*m]...)
			}
			blocks = append(blocks, block)
		}
	}
	for _, block := range blocks { // the first block is positive definite, so not zero
		for i := range block {
			for j := range i {
				if block[i]*blocks[0][j] != block[j]*blocks[0][i] {
					return false
				}
			}
		}
	}
	return true
}

func (c entropyCase) witness() *check.Witness {
	k := c.k()
	law := fmt.Sprintf("A·U, A = %v, U independent %v of variances %v", c.mix, c.laws, c.variances)
	if c.normal() {
		law = "normal of covariance " + fmt.Sprint(c.covariance())
	}
	return check.NewWitness(check.Named("query", fmt.Sprintf("%d×%d", c.m, c.n), "K", k, "law of vec X", law),
		check.Vars{"variances": c.variances, "k": k, "m": c.m, "n": c.n},
		"v, k = {variances}, {k}; e = 2 * math.pi * math.e; h = sum([math.log(e * x) / 2 for x in v])",
		"b = math.log(math.pow(e, len(v)) * math.exp(sum([math.log(x) for x in v]))) / 2",
		"psi, sigma, distance = nearest_kronecker(k, {m}, {n}); print(h, b, distance, (abs(h - b) < 1e-9) == (distance < 1e-9))")
}

// byEntropy quantifies a statement over laws of vec X.
func byEntropy(holds func(c entropyCase) bool) check.Statement[entropyCase] {
	identity := func(n int) intMatrix { return diagonalInts(slices.Repeat([]int64{1}, n)) }
	return check.Statement[entropyCase]{
		Family: "1×1, 1×2, 2×1 and 2×2 queries, independent coordinates of one law with variances 1 and 2, slack 0 and 1",
		Each: check.Grid(func(c *entropyCase) []check.Axis {
			var shape [2]int
			var law int
			return []check.Axis{
				check.Over(&shape, [2]int{1, 1}, [2]int{1, 2}, [2]int{2, 1}, [2]int{2, 2}),
				check.Span(&law, 0, coordinateLaws-1),
				check.From(&c.variances, intVectors(1, 4, 1, 2)),
				check.Span(&c.slack, 0, 1),
				check.Where(func() bool { return len(c.variances) == shape[0]*shape[1] }),
				check.Let(func() {
					c.m, c.n, c.mix = shape[0], shape[1], identity(shape[0]*shape[1])
					c.laws = slices.Repeat([]coordinateLaw{coordinateLaw(law)}, shape[0]*shape[1])
				}),
			}
		}),
		Draw: func(rng *rand.Rand) entropyCase {
			c := entropyCase{m: 1 + rng.IntN(3), n: 1 + rng.IntN(2), slack: rng.Int64N(2)}
			for range c.m * c.n {
				law := coordinateLaw(0)
				if rng.IntN(3) == 0 {
					law = coordinateLaw(rng.IntN(coordinateLaws))
				}
				c.laws, c.variances = append(c.laws, law), append(c.variances, 1+rng.Int64N(9))
			}
			for {
				if c.mix = drawInts(rng, c.m*c.n, c.m*c.n, 2); c.mix.det().Sign() != 0 {
					return c
				}
			}
		},
		Holds:   func(c entropyCase) bool { return holds(c) },
		Witness: entropyCase.witness,
	}
}

// entropyRounding separates equal entropies from different ones. At most eleven terms below 20, and a determinant of
// rationals, have a total error of 1e-13. A law that is not normal has at least .014 less entropy per coordinate (the
// logistic law). Slack adds ½ ln(1 + (K⁻¹)₁₁), with (K⁻¹)₁₁ ≥ 1/K₁₁ ≥ 1/(6·2²·9).
const entropyRounding = 1e-10

func entropyBound(rule func(size int, det float64) float64) check.Statement[entropyCase] {
	return byEntropy(func(c entropyCase) bool { return c.entropy() <= c.bound(rule)+entropyRounding })
}

// entropyEquality states that a law attains the bound if and only if the condition where holds.
func entropyEquality(where func(c entropyCase) bool) check.Statement[entropyCase] {
	return byEntropy(func(c entropyCase) bool {
		return (math.Abs(c.entropy()-c.bound(largestEntropy)) <= entropyRounding) == where(c)
	})
}

// conditionalCase is X_i = bY + Z_i. The law of Z_i depends on the sign of Y, but its variance does not.
type conditionalCase struct {
	condition    string // law of Y, "normal" or "uniform", of mean 0 and variance 1
	slope        int64
	above, below []coordinateLaw
	variances    []int64
}

// entropy returns h(X | Y) = h(Z | Y). Each sign of Y has probability ½.
func (c conditionalCase) entropy() float64 {
	h := 0.0
	for i, v := range c.variances {
		h += (c.above[i].entropyOver()+c.below[i].entropyOver())/2 + math.Log(float64(v))/2
	}
	return h
}

func (c conditionalCase) bound(rule func(size int, det float64) float64) float64 {
	det := big.NewInt(1)
	for _, v := range c.variances {
		det.Mul(det, big.NewInt(v))
	}
	f, _ := new(big.Float).SetInt(det).Float64()
	return rule(len(c.variances), f)
}

func conditionallyNormal(c conditionalCase) bool {
	return entropyCase{laws: slices.Concat(c.above, c.below)}.normal()
}

func jointlyNormal(c conditionalCase) bool { return conditionallyNormal(c) && c.condition == "normal" }

// byCondition quantifies a statement over pairs (X, Y).
func byCondition(holds func(c conditionalCase) bool) check.Statement[conditionalCase] {
	conditions := []string{"normal", "uniform"}
	return check.Statement[conditionalCase]{
		Family: "one entry, variance 1, b in 0…2, Y normal or uniform, all pairs of laws",
		Each: check.Grid(func(c *conditionalCase) []check.Axis {
			var above, below int
			c.variances = []int64{1}
			return []check.Axis{
				check.Span(&above, 0, coordinateLaws-1),
				check.Span(&below, 0, coordinateLaws-1),
				check.Over(&c.condition, conditions...),
				check.Over(&c.slope, 1, 0, 2),
				check.Let(func() {
					c.above, c.below = []coordinateLaw{coordinateLaw(above)}, []coordinateLaw{coordinateLaw(below)}
				}),
			}
		}),
		Draw: func(rng *rand.Rand) conditionalCase {
			c := conditionalCase{condition: conditions[rng.IntN(2)], slope: rng.Int64N(5)}
			law := func() coordinateLaw {
				if rng.IntN(2) == 0 {
					return normalLaw
				}
				return coordinateLaw(rng.IntN(coordinateLaws))
			}
			for range 1 + rng.IntN(6) {
				c.above, c.below, c.variances = append(c.above, law()), append(c.below, law()), append(c.variances, 1+rng.Int64N(20))
			}
			return c
		},
		Holds: func(c conditionalCase) bool { return holds(c) },
		Witness: func(c conditionalCase) *check.Witness {
			return check.NewWitness(check.Named("Y", c.condition+" of variance 1", "X", strings.TrimPrefix(fmt.Sprintf("%dY + Z", c.slope), "1"), "Z where Y ≥ 0, where Y < 0", fmt.Sprintf("%v, %v", c.above, c.below), "K", fmt.Sprintf("diag %v", c.variances)),
				// A uniform Y is not normal: its fourth moment divided by the square of its second is 9/5, not 3.
				check.Vars{"variances": c.variances},
				"v = {variances}; e = 2 * math.pi * math.e; h = sum([math.log(e * x) / 2 for x in v])",
				"b = math.log(math.pow(e, len(v)) * math.exp(sum([math.log(x) for x in v]))) / 2",
				"moment = lambda k: (1 - math.pow(-1, k + 1)) / (2 * (k + 1)); kurtosis = moment(4) / math.pow(moment(2), 2)",
				"print(h, b, kurtosis, (abs(h - b) < 1e-9) == (abs(kurtosis - 3) < 1e-9))")
		},
	}
}

func conditionalBound(rule func(size int, det float64) float64) check.Statement[conditionalCase] {
	return byCondition(func(c conditionalCase) bool { return c.entropy() <= c.bound(rule)+entropyRounding })
}

func conditionalEquality(where func(c conditionalCase) bool) check.Statement[conditionalCase] {
	return byCondition(func(c conditionalCase) bool {
		return (math.Abs(c.entropy()-c.bound(largestEntropy)) <= entropyRounding) == where(c)
	})
}
