package mvg

import (
	"fmt"
	"iter"
	"math"
	"math/big"
	"math/rand/v2"

	"dpworkbench/claims/check"
)

// lawChecks returns the checks of the two descriptions of the matrix-variate normal law that samplers use, and of steps
// in the proof of Lemma 8.
func lawChecks() check.Checks {
	return check.Checks{
		"mvg.lemma6":                   sameDensity(columnsOutside, definition2).Check,
		"mvg.lemma7":                   affineImage(func(s, n, p intMatrix) intMatrix { return s.times(n).times(p.transpose()) }, outerProduct).Check,
		"mvg.lemma8.proof.form":        check.WithCorrection(precisionOf(func(k intMatrix) ratMatrix { return k.rationals() }).Check, precisionOf(inverseOf).Check),
		"mvg.lemma8.proof.normaliser":  check.WithCorrection(dividesBy(exchanged, func(sigma, psi *big.Rat, m, n int) *big.Rat { return definition2(sigma, psi, n, m) }).Check, dividesBy(exchanged, definition2).Check),
		"mvg.lemma8.proof.determinant": check.WithCorrection(dividesBy("det(k) * det(k)", squaredDeterminant).Check, dividesBy(exchanged, definition2).Check),
		"mvg.lemma8.proof.sign":        check.WithCorrection(meanLogDensity(1).Check, meanLogDensity(-1).Check),
		"mvg.lemma8.proof.exists":      check.WithCorrection(variancesFactor(false).Check, variancesFactor(true).Check),
	}
}

// inverseOf returns K⁻¹.
func inverseOf(k intMatrix) ratMatrix {
	_, inverse := k.rationals().eliminate()
	return inverse
}

// precisionOf states that form(K) is the inverse of K = Ψ⊗Σ, the covariance of vec A.
func precisionOf(form func(k intMatrix) ratMatrix) check.Statement[covariancesCase] {
	return factorPairs(func(c covariancesCase) bool {
		k := columnsOutside(outerProduct(c.rows), outerProduct(c.columns))
		for i, row := range form(k).times(k.rationals()) {
			for j, v := range row {
				if v.Cmp(big.NewRat(int64(max(0, 1-check.Abs(i-j))), 1)) != 0 {
					return false
				}
			}
		}
		return true
	}, func(c covariancesCase) *check.Witness {
		sigma, psi := outerProduct(c.rows), outerProduct(c.columns)
		return &check.Witness{
			Fields: check.Named("Σ", sigma, "Ψ", psi),
			Script: kroneckerScript(sigma, psi) + "n = range(len(k)); a = [[sum([k[i][t] * k[t][j] for t in n]) for j in n] for i in n]; b = [[1 if i == j else 0 for j in n] for i in n]; print(a, b, a == b)",
		}
	})
}

// exchanged is |Σ|^m|Ψ|^n in the script language, with s for Σ and p for Ψ.
const exchanged = "math.pow(det(s), len(s)) * math.pow(det(p), len(p))"

// dividesBy states that a rule returns |Ψ⊗Σ|, the square of the density's divisor without (2π)^{mn}. written is the
// rule in the script language.
func dividesBy(written string, determinant func(sigma, psi *big.Rat, m, n int) *big.Rat) check.Statement[covariancesCase] {
	return factorPairs(func(c covariancesCase) bool {
		sigma, psi := outerProduct(c.rows), outerProduct(c.columns)
		return columnsOutside(sigma, psi).det().Cmp(determinant(sigma.det(), psi.det(), len(sigma), len(psi))) == 0
	}, func(c covariancesCase) *check.Witness {
		sigma, psi := outerProduct(c.rows), outerProduct(c.columns)
		return &check.Witness{
			Fields: check.Named("Σ", sigma, "Ψ", psi),
			Script: kroneckerScript(sigma, psi) + "det = lambda a: a[0][0] if len(a) == 1 else sum([math.pow(-1, j) * a[0][j] * det([r[:j] + r[j + 1:] for r in a[1:]]) for j in range(len(a))]); a, b = det(k), " + written + "; print(a, b, a == b)",
		}
	})
}

// kroneckerScript defines s, p and k = p⊗s in a script.
func kroneckerScript(sigma, psi intMatrix) string {
	return fmt.Sprintf("s, p = %s, %s; k = [[x * y for x in r for y in q] for r in p for q in s]; ", check.Lists(sigma), check.Lists(psi))
}

// covariancesCase holds factors B of the covariances BBᵀ of rows and of columns.
type covariancesCase struct{ rows, columns intMatrix }

// outerProduct returns BBᵀ.
func outerProduct(b intMatrix) intMatrix { return b.times(b.transpose()) }

// smallFactors yields triangular matrices of order 1 and 2, with 1 or 2 on the
// diagonal and −1, 0 or 1 below.
var smallFactors = check.Grid(func(c *intMatrix) []check.Axis {
	var order int
	var a, b, below int64
	return []check.Axis{
		check.Span(&order, 1, 2),
		check.Span(&below, -1, 1),
		check.Span(&b, 1, 2),
		check.Span(&a, 1, 2),
		check.Where(func() bool { return order == 2 || b == 1 && below == -1 }),
		check.Let(func() {
			if *c = (intMatrix{{a}}); order == 2 {
				*c = intMatrix{{a, 0}, {below, b}}
			}
		}),
	}
})

// factorPairs quantifies a statement over pairs of invertible factors.
func factorPairs(holds func(c covariancesCase) bool, witness func(c covariancesCase) *check.Witness) check.Statement[covariancesCase] {
	return check.Statement[covariancesCase]{
		Family: "pairs of triangular factors of orders 1 and 2, 1 or 2 on the diagonal, −1 … 1 below",
		Each: check.Grid(func(c *covariancesCase) []check.Axis {
			return []check.Axis{
				check.From(&c.rows, smallFactors),
				check.From(&c.columns, smallFactors),
			}
		}),
		Draw: func(rng *rand.Rand) covariancesCase {
			factor := func() intMatrix {
				n := 1 + rng.IntN(3)
				for {
					if b := drawInts(rng, n, n, 3); b.det().Sign() != 0 {
						return b
					}
				}
			}
			return covariancesCase{factor(), factor()}
		},
		Holds:   func(c covariancesCase) bool { return holds(c) },
		Witness: witness,
	}
}

// columnsOutside returns Ψ⊗Σ, the covariance of the column-stacked vec.
func columnsOutside(sigma, psi intMatrix) intMatrix { return psi.kronecker(sigma) }

// definition2 returns |Ψ|^m |Σ|^n, the square of the divisor in Definition 2.
func definition2(sigma, psi *big.Rat, m, n int) *big.Rat {
	out := big.NewRat(1, 1)
	for range m {
		out.Mul(out, psi)
	}
	for range n {
		out.Mul(out, sigma)
	}
	return out
}

// sameDensity states that Definition 2 is the normal density with the given covariance of the column-stacked vec.
func sameDensity(joint func(sigma, psi intMatrix) intMatrix, determinant func(sigma, psi *big.Rat, m, n int) *big.Rat) check.Statement[covariancesCase] {
	return factorPairs(func(c covariancesCase) bool {
		sigma, psi := outerProduct(c.rows), outerProduct(c.columns)
		m, n := len(sigma), len(psi)
		detSigma, invSigma := sigma.rationals().eliminate()
		detPsi, invPsi := psi.rationals().eliminate()
		det, precision := joint(sigma, psi).rationals().eliminate()
		if det.Cmp(determinant(detSigma, detPsi, m, n)) != 0 {
			return false
		}
		// At X = E_ij and Y = E_kl, tr(Ψ⁻¹XᵀΣ⁻¹Y) is the entry of the precision matrix at their places in vec.
		for x := range m * n {
			left := invPsi.times(unitMatrix(m, n, x%m, x/m).transpose().rationals()).times(invSigma)
			for y := range m * n {
				if left.times(unitMatrix(m, n, y%m, y/m).rationals()).trace().Cmp(precision[x][y]) != 0 {
					return false
				}
			}
		}
		return true
	}, nil)
}

// affineImage states that vec image(B_Σ, N, B_Ψ), for N with independent standard normal entries, has covariance
// square(B_Ψ)⊗square(B_Σ).
func affineImage(image func(s, n, p intMatrix) intMatrix, square func(intMatrix) intMatrix) check.Statement[covariancesCase] {
	return factorPairs(func(c covariancesCase) bool {
		m, n := len(c.rows), len(c.columns)
		got := zeroMatrix(m*n, m*n)
		for k := range m * n { // each entry of N adds the outer product of its image
			v := image(c.rows, unitMatrix(m, n, k%m, k/m), c.columns).vec()
			for i := range v {
				for j := range v {
					got[i][j] += v[i] * v[j]
				}
			}
		}
		want := columnsOutside(square(c.rows), square(c.columns))
		for i := range got {
			for j := range got[i] {
				if got[i][j] != want[i][j] {
					return false
				}
			}
		}
		return true
	}, nil)
}

// squaredDeterminant returns the square of |Ψ⊗Σ|.
func squaredDeterminant(sigma, psi *big.Rat, m, n int) *big.Rat {
	d := definition2(sigma, psi, m, n)
	return d.Mul(d, d)
}

// meanLogDensity states that −½ + sign·½ ln(2πv) is minus the entropy of a normal law of variance v.
func meanLogDensity(sign float64) check.Statement[*big.Rat] {
	sides := func(v *big.Rat) (printed, true float64) {
		x, _ := v.Float64()
		return -0.5 + sign*math.Log(2*math.Pi*x)/2, -math.Log(2*math.Pi*math.E*x) / 2
	}
	return check.Statement[*big.Rat]{
		Family: "variances 1/4 to 4 in quarters",
		Each: check.Grid(func(v **big.Rat) []check.Axis {
			var quarters int64
			return []check.Axis{check.Span(&quarters, 1, 16), check.Let(func() { *v = big.NewRat(quarters, 4) })}
		}),
		Draw: func(rng *rand.Rand) *big.Rat { return big.NewRat(1+rng.Int64N(1000), 1+rng.Int64N(100)) },
		Holds: func(v *big.Rat) bool {
			printed, want := sides(v)
			return math.Abs(printed-want) <= 16*check.Epsilon64*(1+math.Abs(want))
		},
		Witness: func(v *big.Rat) *check.Witness {
			printed, want := sides(v)
			return check.NewWitness(check.Named("variance", v, "the line", fmt.Sprintf("%.6f", printed), "E ln g", fmt.Sprintf("%.6f", want)),
				check.Vars{"v": v, "sign": sign}, "v = {v}; a, b = -0.5 + {sign} * math.log(2 * math.pi * v) / 2, -math.log(2 * math.pi * math.e * v) / 2; print(a, b, abs(a - b) < 1e-9)")
		},
	}
}

// variancesCase holds the variances of the entries of an m×n matrix, column by column.
type variancesCase struct {
	m, n      int
	variances []int64
}

// variancesFactor states that a diagonal covariance is Ψ⊗Σ; lines restricts it to vectors.
func variancesFactor(lines bool) check.Statement[variancesCase] {
	shape := func(m, n int) bool { return !lines || m == 1 || n == 1 }
	return check.Statement[variancesCase]{
		Family: map[bool]string{false: "1×1 to 2×2 matrices of independent entries with variances 1 to 3", true: "vectors of one or two independent entries with variances 1 to 3"}[lines],
		Each: check.Each(check.Grid(func(c *variancesCase) []check.Axis {
			return []check.Axis{check.Span(&c.m, 1, 2), check.Span(&c.n, 1, 2), check.Where(func() bool { return shape(c.m, c.n) })}
		}), func(c variancesCase) iter.Seq[variancesCase] {
			return check.Map(check.Words(3, c.m*c.n), func(word []int) variancesCase {
				out := variancesCase{c.m, c.n, nil}
				for _, v := range word {
					out.variances = append(out.variances, int64(v+1))
				}
				return out
			})
		}),
		Draw: func(rng *rand.Rand) variancesCase {
			c := variancesCase{m: 1 + rng.IntN(3), n: 1 + rng.IntN(3)}
			if !shape(c.m, c.n) {
				c.m = 1
			}
			for range c.m * c.n {
				c.variances = append(c.variances, 1+rng.Int64N(9))
			}
			return c
		},
		Holds: func(c variancesCase) bool { return isKronecker(diagonalInts(c.variances), c.m, c.n) },
		Witness: func(c variancesCase) *check.Witness {
			return check.NewWitness(check.Named("matrix", fmt.Sprintf("%d×%d", c.m, c.n), "variances of its entries", check.List(c.variances)),
				check.Vars{"v": c.variances, "m": c.m, "n": c.n}, // entry (i, j) of the matrix has variance Ψ_jjΣ_ii
				"v, m, n = {v}, {m}, {n}; a = [v[j * m + i] * v[0] for j in range(n) for i in range(m)]; b = [v[j * m] * v[i] for j in range(n) for i in range(m)]; print(a, b, a == b)")
		},
	}
}
