package mvg

import (
	"fmt"
	"iter"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"

	"dpworkbench/claims/check"

	"gonum.org/v1/gonum/mat"
)

// singularChecks returns the checks of the matrix algebra of Section 3.4.
func singularChecks() check.Checks {
	return check.Checks{
		"mvg.theorem1": decomposition(gramMatrix, 0).Check,
		"mvg.lemma2":   singularBound(func(square int64, i int) *big.Rat { return big.NewRat(square, int64(i)) }).Check,
		"mvg.lemma3":   traceBound(func(n int) int { return n }).Check,
		"mvg.lemma4":   traceMagnitude(func(sigma []sigmaSpan) sigmaSpan { return addSpans(sigma) }).Check,
		"mvg.lemma5":   hadamard(func(norms []int64) []int64 { return norms }).Check,
	}
}

// drawShape draws a matrix of 1 to 4 rows and columns. Half of the draws have rank at most 2.
func drawShape(rng *rand.Rand) intMatrix {
	m, n := 1+rng.IntN(4), 1+rng.IntN(4)
	if rng.IntN(2) == 0 {
		k := 1 + rng.IntN(2)
		return drawInts(rng, m, k, 4).times(drawInts(rng, k, n, 4))
	}
	return drawInts(rng, m, n, 9)
}

const smallShapes = "1×1 … 2×3 and 3×2 matrices with entries −1, 0, 1"

func tinyMatrices() iter.Seq[intMatrix] {
	return intShapes(-1, 1, [2]int{1, 1}, [2]int{1, 2}, [2]int{2, 1}, [2]int{2, 2}, [2]int{2, 3}, [2]int{3, 2})
}

func gramMatrix(a intMatrix) intMatrix { return a.transpose().times(a) }

// decomposition states that square(A) is diagonalisable with real eigenvalues, none of them below least. A symmetric
// square(A) such as AᵀA then has an orthonormal basis of eigenvectors.
func decomposition(square func(intMatrix) intMatrix, least int64) check.Statement[intMatrix] {
	return check.Statement[intMatrix]{
		Family: smallShapes, Each: tinyMatrices(), Draw: drawShape,
		Holds: func(a intMatrix) bool {
			g := square(a)
			p := characteristic(g).simple()
			for _, row := range p.at(g) {
				if slices.ContainsFunc(row, func(v *big.Rat) bool { return v.Sign() != 0 }) {
					return false
				}
			}
			return p.shift(big.NewRat(least, 1)).notNegative() == len(p)-1
		},
	}
}

// singularBound states that fewer than i eigenvalues of AᵀA exceed most(‖A‖_F², i).
func singularBound(most func(square int64, i int) *big.Rat) check.Statement[intMatrix] {
	return check.Statement[intMatrix]{
		Family: smallShapes, Each: tinyMatrices(), Draw: drawShape,
		Holds: func(a intMatrix) bool {
			p := characteristic(gramMatrix(a))
			for i := 1; i <= min(len(a), len(a[0])); i++ {
				if p.above(most(a.square(), i)) >= i {
					return false
				}
			}
			return true
		},
	}
}

// sigmaSpan is an interval with float64 ends that encloses a number.
type sigmaSpan struct{ lo, hi float64 }

// addSpans adds a few enclosures and widens the sum by the rounding error.
func addSpans(xs []sigmaSpan) sigmaSpan {
	var s sigmaSpan
	for _, x := range xs {
		s.lo, s.hi = s.lo+x.lo, s.hi+x.hi
	}
	return sigmaSpan{s.lo * (1 - 1e-14), s.hi * (1 + 1e-14)}
}

// singularValues encloses the min(m, n) largest singular values: computed in float64, then verified by exact counts
// of the eigenvalues of AᵀA beyond the ends.
func singularValues(a intMatrix) ([]sigmaSpan, error) {
	m, n := len(a), len(a[0])
	dense := mat.NewDense(m, n, nil)
	for i, row := range a {
		for j, v := range row {
			dense.Set(i, j, float64(v))
		}
	}
	var svd mat.SVD
	svd.Factorize(dense, mat.SVDNone)
	sigma := svd.Values(nil) // panics if the factorization failed, which it does not for integers
	p := characteristic(gramMatrix(a))
	out := make([]sigmaSpan, len(sigma))
	for i, s := range sigma {
		room := 1e-9 * (1 + sigma[0])
		out[i] = sigmaSpan{math.Max(0, s-room), s + room}
		square := func(x float64) *big.Rat {
			r := new(big.Rat).SetFloat64(x)
			return r.Mul(r, r)
		}
		if p.above(square(out[i].hi)) > i || p.below(square(out[i].lo)) > n-1-i {
			return nil, fmt.Errorf("singular value %d of %v is not within %g of %g", i+1, a, room, s)
		}
	}
	return out, nil
}

// matrixPair is a pair of integer matrices.
type matrixPair struct{ a, b intMatrix }

// traceBound states that tr(ABᵀ) is at most the sum of the first terms(r) products σ_i(A)σ_i(B).
func traceBound(terms func(r int) int) check.Statement[matrixPair] {
	return check.Statement[matrixPair]{
		Family: "pairs of 2×2 matrices with entries −1, 0, 1",
		Each: check.Grid(func(c *matrixPair) []check.Axis {
			return []check.Axis{
				check.From(&c.a, intMatrices(2, 2, -1, 1)),
				check.From(&c.b, intMatrices(2, 2, -1, 1)),
			}
		}),
		Draw: func(rng *rand.Rand) matrixPair {
			m, n := 2+rng.IntN(3), 2+rng.IntN(3)
			return matrixPair{drawInts(rng, m, n, 9), drawInts(rng, m, n, 9)}
		},
		Applies: func(c matrixPair) bool { return c.a.times(c.b.transpose()).trace() > 0 }, // the sum of products is at least 0
		Holds: func(c matrixPair) bool {
			trace := c.a.times(c.b.transpose()).trace()
			r := min(len(c.a), len(c.a[0]))
			if k := terms(r); k < r || len(c.a) != 2 || len(c.a[0]) != 2 {
				return underProducts(trace, c, k)
			}
			return underTwoByTwo(trace, c)
		},
	}
}

// underProducts reports whether a trace is at most the upper end of the enclosed sum of products. A trace within the
// enclosure equals the sum to about 1e-9 and is no counterexample.
func underProducts(trace int64, c matrixPair, terms int) bool {
	x := check.Must(singularValues(c.a))
	y := check.Must(singularValues(c.b))
	var products []sigmaSpan
	for i := range terms {
		products = append(products, sigmaSpan{hi: x[i].hi * y[i].hi}) // only the upper bound of the sum matters
	}
	return float64(trace) <= addSpans(products).hi
}

// underTwoByTwo reports whether t ≤ Σ σ_i(A)σ_i(B) for 2×2 integer matrices. Because (σ₁ ± σ₂)² = ‖A‖² ± 2|det A|,
// twice the sum is √P + √Q with P = (‖A‖² + 2|det A|)(‖B‖² + 2|det B|) and Q the same with minus signs.
func underTwoByTwo(t int64, c matrixPair) bool {
	if t <= 0 {
		return true
	}
	ends := func(a intMatrix) (plus, minus int64) {
		det := a[0][0]*a[1][1] - a[0][1]*a[1][0]
		return a.square() + 2*max(det, -det), a.square() - 2*max(det, -det)
	}
	ap, am := ends(c.a)
	bp, bm := ends(c.b)
	p, q := ap*bp, am*bm
	rest := 4*t*t - p - q // must be at most 2√(pq)
	return rest <= 0 || rest*rest <= 4*p*q
}

// traceMagnitude states that |tr A| is at most a function of the singular values.
func traceMagnitude(bound func(sigma []sigmaSpan) sigmaSpan) check.Statement[intMatrix] {
	return check.Statement[intMatrix]{
		Family: smallShapes, Each: tinyMatrices(), Draw: drawShape,
		Applies: func(a intMatrix) bool { return a.trace() != 0 },
		Holds: func(a intMatrix) bool {
			sigma := check.Must(singularValues(a))
			return math.Abs(float64(a.trace())) <= bound(sigma).hi
		},
	}
}

// hadamard states that the squared determinant is at most a product of the columns' squared norms.
func hadamard(factors func(norms []int64) []int64) check.Statement[intMatrix] {
	return check.Statement[intMatrix]{
		Family: "1×1 and 2×2 matrices with entries −2 … 2, 3×3 with entries 0 and 1",
		Each:   check.Chain(intShapes(-2, 2, [2]int{1, 1}, [2]int{2, 2}), intMatrices(3, 3, 0, 1)),
		Draw: func(rng *rand.Rand) intMatrix {
			n := 1 + rng.IntN(6)
			return drawInts(rng, n, n, 9)
		},
		Applies: func(a intMatrix) bool { return a.det().Sign() != 0 },
		Holds: func(a intMatrix) bool {
			det := a.det()
			if det.Sign() == 0 {
				return true
			}
			var norms []int64
			for _, column := range a.transpose() {
				norms = append(norms, intMatrix{column}.square())
			}
			bound := big.NewRat(1, 1)
			for _, f := range factors(norms) {
				bound.Mul(bound, big.NewRat(f, 1))
			}
			return det.Mul(det, det).Cmp(bound) <= 0
		},
	}
}
