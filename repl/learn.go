package repl

import (
	"math/rand/v2"

	"dpworkbench/internal/learn"
	"dpworkbench/mvg"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

// learnBuiltins are the statistics of the MVG paper's experiments and the noise
// of its competitors.
func learnBuiltins() []script.Builtin {
	return []script.Builtin{{
		Name: "ridge_rmse", Params: `records, targets, test, test_targets, penalty=1, width=None`,
		Help:    "Fits kernel ridge regression (K + penalty·I)a = y to records, a list of lists, and their targets, and returns the root mean square error on test records, in the unit of the targets. width None is the linear kernel ⟨x, y⟩ + 1, else exp(−‖x−y‖²/(2 width²)).",
		Example: "print(ridge_rmse([[0], [1], [2]], [0, 1, 2], [[3]], [3], penalty=0.01))",
		Run: func(c *script.Call) (any, error) {
			kernel := learn.Kernel(learn.Linear)
			if c.Given("width") {
				kernel = learn.RBF(c.Positive("width"))
			}
			records, test := c.Matrix("records"), c.Matrix("test")
			if len(test[0]) != len(records[0]) {
				c.Stop("test has %d columns, want %d like records", len(test[0]), len(records[0]))
			}
			r, err := learn.FitRidge(kernel, c.Positive("penalty"), records, c.Floats("targets"))
			if err != nil {
				return nil, err
			}
			e, err := r.RMSE(test, c.Floats("test_targets"))
			return starlark.Float(e), err
		},
	}, {
		Name: "gram", Params: "x",
		Help:    "XXᵀ/n for an m×n matrix X of n records in its columns.",
		Example: "print(gram([[1, 1], [2, 0]]))",
		Run: func(c *script.Call) (any, error) {
			g, err := learn.Gram(denseOf(c.Matrix("x")))
			if err != nil {
				return nil, err
			}
			return matrixFrom(g), nil
		},
	}, {
		Name: "components", Params: "s",
		Help:    "The eigenvalues of a symmetric matrix (another is refused) from the largest down, and its eigenvectors as the columns of a matrix: a tuple.",
		Example: "values, vectors = components([[2, 1], [1, 2]])\nprint(values, vectors)",
		Run: func(c *script.Call) (any, error) {
			values, vectors, err := learn.Components(denseOf(c.Matrix("s")))
			if err != nil {
				return nil, err
			}
			return starlark.Tuple{script.Floats(values), matrixFrom(vectors)}, nil
		},
	}, {
		Name: "lost_variance", Params: "s, estimate",
		Help:    "Δρ = λ₁ − vᵀSv for the first principal component v of the estimate, which counts by its symmetric part, in the unit of S. Source: " + mvgPaper + ", (28).",
		Example: "print(lost_variance([[3, 0], [0, 1]], [[1, 0], [0, 3]]))",
		Run: func(c *script.Call) (any, error) {
			s := symmetricOf(c, "s")
			d, err := learn.LostVariance(s, denseOf(c.Matrix("estimate")))
			return starlark.Float(d), err
		},
	}, {
		Name: "residual_sum", Params: "s, estimate",
		Help:    "RSS = Σ (λ_i − v_iᵀSv_i)² over the principal components v_i of the estimate, which counts by its symmetric part. Source: " + mvgPaper + ", (29).",
		Example: "print(residual_sum([[3, 0], [0, 1]], [[1, 0], [0, 3]]))",
		Run: func(c *script.Call) (any, error) {
			s := symmetricOf(c, "s")
			d, err := learn.ResidualSum(s, denseOf(c.Matrix("estimate")))
			return starlark.Float(d), err
		},
	}, {
		Name: "laplace_noise", Params: "x, scale, seed=0",
		Help:    "A matrix plus independent Laplace noise of the given scale: the Laplace mechanism at scale Δ₁/ε, Δ₁ the l1 sensitivity over all elements. For research.",
		Example: "print(laplace_noise([[0, 0]], 2, seed=1))",
		Run: func(c *script.Call) (any, error) {
			z, err := mvg.ReleaseLaplace(denseOf(c.Matrix("x")), c.Float("scale"), c.Source("seed"))
			if err != nil {
				return nil, err
			}
			return matrixFrom(z), nil
		},
	}, {
		Name: "classic_gaussian_sigma", Params: "eps, delta, s2=1",
		Help:    "The standard deviation s2·√(2 ln(1.25/delta))/eps of the classic Gaussian mechanism, proven for eps < 1. Source: Dwork and Roth 2014, Theorem A.1.",
		Example: "print(classic_gaussian_sigma(0.5, 1e-5))",
		Run: func(c *script.Call) (any, error) {
			return certified(mvg.ClassicSigma(c.Epsilon("eps"), c.Float("delta"), c.Float("s2")))
		},
	}, {
		Name: "permutation", Params: "n, seed=0",
		Help:    "The numbers 0 … n−1 in a random order that the seed fixes, n at most ten million.",
		Example: "print(permutation(5, seed=1))",
		Run: func(c *script.Call) (any, error) {
			return script.Ints(rand.New(c.Source("seed")).Perm(c.Int("n", 0, 1e7))), nil
		},
	}}
}
