package repl

import (
	"math/rand/v2"

	"dpworkbench/internal/learn"
	"dpworkbench/mvg"

	"go.starlark.net/starlark"
)

// learnBuiltins are the statistics of the MVG paper's experiments and the noise
// of its competitors.
func learnBuiltins() []builtin {
	return []builtin{{
		name: "ridge_rmse", params: `records, targets, test, test_targets, penalty=1, width=None`,
		help:    "Fits kernel ridge regression (K + penalty·I)a = y to records, a list of lists, and their targets, and returns the root mean square error on test records, in the unit of the targets. width None is the linear kernel ⟨x, y⟩ + 1, else exp(−‖x−y‖²/(2 width²)).",
		example: "print(ridge_rmse([[0], [1], [2]], [0, 1, 2], [[3]], [3], penalty=0.01))",
		run: func(c *call) (starlark.Value, error) {
			kernel := learn.Kernel(learn.Linear)
			if c.given("width") {
				kernel = learn.RBF(c.positive("width"))
			}
			records, test := c.matrix("records"), c.matrix("test")
			if len(test[0]) != len(records[0]) {
				c.stop("test has %d columns, want %d like records", len(test[0]), len(records[0]))
			}
			r, err := learn.FitRidge(kernel, c.positive("penalty"), records, c.floats("targets"))
			if err != nil {
				return nil, err
			}
			e, err := r.RMSE(test, c.floats("test_targets"))
			return starlark.Float(e), err
		},
	}, {
		name: "gram", params: "x",
		help:    "XXᵀ/n for an m×n matrix X of n records in its columns.",
		example: "print(gram([[1, 1], [2, 0]]))",
		run: func(c *call) (starlark.Value, error) {
			g, err := learn.Gram(denseOf(c.matrix("x")))
			if err != nil {
				return nil, err
			}
			return matrixFrom(g), nil
		},
	}, {
		name: "components", params: "s",
		help:    "The eigenvalues of a symmetric matrix (another is refused) from the largest down, and its eigenvectors as the columns of a matrix: a tuple.",
		example: "values, vectors = components([[2, 1], [1, 2]])\nprint(values, vectors)",
		run: func(c *call) (starlark.Value, error) {
			values, vectors, err := learn.Components(denseOf(c.matrix("s")))
			if err != nil {
				return nil, err
			}
			return starlark.Tuple{floatList(values), matrixFrom(vectors)}, nil
		},
	}, {
		name: "lost_variance", params: "s, estimate",
		help:    "Δρ = λ₁ − vᵀSv for the first principal component v of the estimate, which counts by its symmetric part, in the unit of S. Source: " + mvgPaper + ", (28).",
		example: "print(lost_variance([[3, 0], [0, 1]], [[1, 0], [0, 3]]))",
		run: func(c *call) (starlark.Value, error) {
			s := symmetricOf(c, "s")
			d, err := learn.LostVariance(s, denseOf(c.matrix("estimate")))
			return starlark.Float(d), err
		},
	}, {
		name: "residual_sum", params: "s, estimate",
		help:    "RSS = Σ (λ_i − v_iᵀSv_i)² over the principal components v_i of the estimate, which counts by its symmetric part. Source: " + mvgPaper + ", (29).",
		example: "print(residual_sum([[3, 0], [0, 1]], [[1, 0], [0, 3]]))",
		run: func(c *call) (starlark.Value, error) {
			s := symmetricOf(c, "s")
			d, err := learn.ResidualSum(s, denseOf(c.matrix("estimate")))
			return starlark.Float(d), err
		},
	}, {
		name: "laplace_noise", params: "x, scale, seed=0",
		help:    "A matrix plus independent Laplace noise of the given scale: the Laplace mechanism at scale Δ₁/ε, Δ₁ the l1 sensitivity over all elements. For research.",
		example: "print(laplace_noise([[0, 0]], 2, seed=1))",
		run: func(c *call) (starlark.Value, error) {
			z, err := mvg.ReleaseLaplace(denseOf(c.matrix("x")), c.float("scale"), c.source("seed"))
			if err != nil {
				return nil, err
			}
			return matrixFrom(z), nil
		},
	}, {
		name: "classic_gaussian_sigma", params: "eps, delta, s2=1",
		help:    "The standard deviation s2·√(2 ln(1.25/delta))/eps of the classic Gaussian mechanism, proven for eps < 1. Source: Dwork and Roth 2014, Theorem A.1.",
		example: "print(classic_gaussian_sigma(0.5, 1e-5))",
		run: func(c *call) (starlark.Value, error) {
			return certified(mvg.ClassicSigma(c.epsilon("eps"), c.float("delta"), c.float("s2")))
		},
	}, {
		name: "permutation", params: "n, seed=0",
		help:    "The numbers 0 … n−1 in a random order that the seed fixes, n at most ten million.",
		example: "print(permutation(5, seed=1))",
		run: func(c *call) (starlark.Value, error) {
			return intList(rand.New(c.source("seed")).Perm(c.int("n", 0, 1e7))), nil
		},
	}}
}
