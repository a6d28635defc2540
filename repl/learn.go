package repl

import (
	"math/rand/v2"

	"dpworkbench/internal/learn"
	"dpworkbench/mvg"
	"dpworkbench/script"

	"gonum.org/v1/gonum/mat"
)

// learnBuiltins are the statistics of the MVG paper's experiments and the noise
// of its competitors.
func learnBuiltins() []script.Builtin {
	return []script.Builtin{
		script.Func("ridge_rmse(records: matrix, targets: numbers, test: matrix, test_targets: numbers, penalty: positive=1, width: positive=None) -> number",
			"Fits kernel ridge regression (K + penalty·I)a = y to records, a list of lists, and their targets, and returns the root mean square error on test records, in the unit of the targets. width None is the linear kernel ⟨x, y⟩ + 1, else exp(−‖x−y‖²/(2 width²)).",
			"print(ridge_rmse([[0], [1], [2]], [0, 1, 2], [[3]], [3], penalty=0.01))", func(c *script.Call) (any, error) {
				kernel := learn.Kernel(learn.Linear)
				if c.Given("width") {
					kernel = learn.RBF(c.Float("width"))
				}
				records, test := c.Rows("records"), c.Rows("test")
				if len(test[0]) != len(records[0]) {
					c.Stop("test has %d columns, want %d like records", len(test[0]), len(records[0]))
				}
				r := try(learn.FitRidge(kernel, c.Float("penalty"), records, c.Floats("targets")))
				return r.RMSE(test, c.Floats("test_targets"))
			}),
		script.Func("gram(x: dense) -> matrix", "XXᵀ/n for an m×n matrix X of n records in its columns.", "print(gram([[1, 1], [2, 0]]))", func(c *script.Call) (any, error) { return learn.Gram(dense(c, "x")) }),
		script.Func("components(s: dense) -> tuple",
			"The eigenvalues of a symmetric matrix (another is refused) from the largest down, and its eigenvectors as the columns of a matrix: a tuple.",
			"values, vectors = components([[2, 1], [1, 2]])\nprint(values, vectors)", func(c *script.Call) (any, error) {
				values, vectors, err := learn.Components(dense(c, "s"))
				return script.Tuple{values, vectors}, err
			}),
		script.Func("lost_variance(s: symmetric, estimate: dense) -> number",
			"Δρ = λ₁ − vᵀSv for the first principal component v of the estimate, which counts by its symmetric part, in the unit of S. Source: "+mvg.Paper+", (28).",
			"print(lost_variance([[3, 0], [0, 1]], [[1, 0], [0, 3]]))", func(c *script.Call) (any, error) {
				return learn.LostVariance(c.Arg("s").(mat.Symmetric), dense(c, "estimate"))
			}),
		script.Func("residual_sum(s: symmetric, estimate: dense) -> number",
			"RSS = Σ (λ_i − v_iᵀSv_i)² over the principal components v_i of the estimate, which counts by its symmetric part. Source: "+mvg.Paper+", (29).",
			"print(residual_sum([[3, 0], [0, 1]], [[1, 0], [0, 3]]))", func(c *script.Call) (any, error) {
				return learn.ResidualSum(c.Arg("s").(mat.Symmetric), dense(c, "estimate"))
			}),
		script.Func("laplace_noise(x: dense, scale: number, seed: seed=0) -> matrix",
			"A matrix plus independent Laplace noise of the given scale: the Laplace mechanism at scale Δ₁/ε, Δ₁ the l1 sensitivity over all elements. For research.",
			"print(laplace_noise([[0, 0]], 2, seed=1))", func(c *script.Call) (any, error) {
				return mvg.ReleaseLaplace(dense(c, "x"), c.Float("scale"), c.Source("seed"))
			}),
		script.Func("classic_gaussian_sigma(eps: epsilon, delta: number, s2: number=1) -> evidence",
			"The standard deviation s2·√(2 ln(1.25/delta))/eps of the classic Gaussian mechanism, proven for eps < 1. Source: Dwork and Roth 2014, Theorem A.1.",
			"print(classic_gaussian_sigma(0.5, 1e-5))", func(c *script.Call) (any, error) {
				return mvg.ClassicSigma(c.Epsilon("eps"), c.Float("delta"), c.Float("s2"))
			}),
		script.Func("permutation(n: int[0..10000000], seed: seed=0) -> list", "The numbers 0 … n−1 in a random order that the seed fixes, n at most ten million.", "print(permutation(5, seed=1))", func(c *script.Call) (any, error) { return rand.New(c.Source("seed")).Perm(c.Int("n")), nil }),
	}
}
