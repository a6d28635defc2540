package repl

import (
	"fmt"
	"math"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/gaussian"
	"dpworkbench/internal/memory"
	"dpworkbench/internal/symmetric"
	"dpworkbench/mvg"

	"go.starlark.net/starlark"
	"gonum.org/v1/gonum/mat"
)

const mvgPaper = mvg.Paper

// mvgBuiltins are the analytic Gaussian mechanism and matrix-variate Gaussian
// noise.
func mvgBuiltins() []builtin {
	const analytic = " Source: Balle and Wang, arXiv:1805.06530v2, Theorem 8. Certified, an enclosure at most three units in the last place wide (more only where delta is above 1 − 1e-10); its value is the end on the private side."
	return []builtin{{
		name: "gaussian_sigma", params: "eps, delta, s2=1",
		help:    "The least standard deviation a coordinate, in the unit of s2, that makes a query of L2 sensitivity s2 (eps, delta)-differentially private: the analytic Gaussian mechanism. eps in nats, from 1e-300 to 1e20; delta from 1e-307 to below 1." + analytic,
		example: "print(gaussian_sigma(1, 1e-5))",
		run: func(c *call) (starlark.Value, error) {
			return certified(gaussian.Sigma(c.epsilon("eps"), c.float("delta"), c.float("s2")))
		},
	}, {
		name: "gaussian_delta", params: "eps, sigma, s2=1",
		help:    "The least delta at which Gaussian noise of standard deviation sigma a coordinate makes a query of L2 sensitivity s2 (eps, delta)-differentially private: at eps 0 the total variation distance. eps in nats, at least 0." + analytic,
		example: "print(gaussian_delta(1, 3.73))",
		run: func(c *call) (starlark.Value, error) {
			return certified(gaussian.Delta(c.epsilonOrZero("eps"), c.float("sigma"), c.float("s2")))
		},
	}, {
		name: "gaussian_epsilon", params: "delta, sigma, s2=1",
		help:    "The least eps ≥ 0, in nats, at which Gaussian noise of standard deviation sigma a coordinate makes a query of L2 sensitivity s2 (eps, delta)-differentially private. delta 0, for which no eps will do, or from 1e-307 to below 1; sigma at least s2/1e153." + analytic,
		example: "print(gaussian_epsilon(1e-5, 3.73))",
		run: func(c *call) (starlark.Value, error) {
			return certified(gaussian.Epsilon(c.float("delta"), c.float("sigma"), c.float("s2")))
		},
	}, {
		name: "l2_sensitivity", params: "m, n, s2, gamma, psd=False",
		help:    "The set of all differences of an m×n query with Frobenius norm at most s2 (Definition 3); gamma bounds the Frobenius norm of the query itself, gamma ≥ s2/2. psd says that the query is symmetric positive semi-definite, which Theorem 3 needs. Source: " + mvgPaper + ".",
		example: "print(l2_sensitivity(6, 248, 2 * math.sqrt(6), math.sqrt(6 * 248)))",
		run: func(c *call) (starlark.Value, error) {
			return asSensitivity(c)(mvg.NewBall(c.int("m", math.MinInt, math.MaxInt), c.int("n", math.MinInt, math.MaxInt), c.float("s2"), c.float("gamma"), c.bool("psd")))
		},
	}, {
		name: "box_sensitivity", params: "m, n, half_width",
		help:    "The set of differences of f(X) = X, an m×n data set of n records (columns), when one record moves anywhere within a box: coordinate i by at most 2·half_width[i]. half_width is a number or a list of m. gamma is that of a box around the origin.",
		example: "print(box_sensitivity(2, 100, [1, 10]))",
		run: func(c *call) (starlark.Value, error) {
			m := c.int("m", 1, 1<<20)
			var h []float64
			if v, ok := toFloat(c.value("half_width")); ok {
				h = slices.Repeat([]float64{v}, m)
			} else if h = c.floats("half_width"); len(h) != m {
				c.stop("half_width has %d entries, want %d, one for each row", len(h), m)
			}
			return asSensitivity(c)(mvg.NewBox(c.int("n", math.MinInt, math.MaxInt), h))
		},
	}, {
		name: "gram_sensitivity", params: `d, row_norm, neighbors="unbounded", scale=1`,
		help:    `The set of differences of scale·XXᵀ, a d×d Gram matrix of records of Euclidean norm at most row_norm: ±scale·xxᵀ when one record comes or goes ("unbounded"), scale·(xxᵀ − yyᵀ) when one is replaced ("bounded"). With scale = 1/n, gamma = row_norm².`,
		example: `print(gram_sensitivity(4, 1, "bounded", 1 / 100))`,
		run: func(c *call) (starlark.Value, error) {
			return asSensitivity(c)(mvg.NewGram(c.int("d", math.MinInt, math.MaxInt), c.float("row_norm"), c.choice("neighbors", "unbounded", "bounded") == "bounded", c.float("scale")))
		},
	}, {
		name: "difference_sensitivity", params: "differences",
		help:    "A finite list of differences between neighbors, m×n matrices of one shape; each stands for its negative too. It does not bound the query, so the theorems do not apply.",
		example: "print(difference_sensitivity([[[1, 0], [0, 0]], [[0, 2], [0, 1]]]))",
		run: func(c *call) (starlark.Value, error) {
			var list []*mat.Dense
			for i, v := range c.list("differences") {
				list = append(list, denseOf(c.matrixOf(fmt.Sprintf("differences[%d]", i), v)))
			}
			return asSensitivity(c)(mvg.NewDifferences(list))
		},
	}, {
		name: "mvg", params: `s, eps, delta, theta=None, directions=None, modal="uni", condition="theorem2", zeta="root"`,
		help: `A matrix-variate Gaussian design for a sensitivity set: noise Z with covariance Σ of the rows and Ψ of the columns. theta, a list with sum 1, shares the precision among the directions (the columns of an orthonormal matrix; None is uniform, and the standard basis); sigma shows the product, rounded, and is what is judged and drawn from. modal "uni" has Ψ = I (Algorithm 1), "equi" Ψ = Σ (Algorithm 2). condition "theorem2" and "theorem3" spend the published precision budget, p_i² = theta_i·P with p_i = 1/σ_i(Σ); zeta "root" reads ζ(δ) as Laurent and Massart's bound gives it, "printed" as Table 1 prints it. condition "tight" takes Σ ∝ W diag(theta_i^{-1/2}) Wᵀ and scales it until the exact (eps, delta) is met with equality. Source: ` + mvgPaper + `.`,
		example: `s = l2_sensitivity(6, 248, 2 * math.sqrt(6), math.sqrt(6 * 248))
d = mvg(s, 1, 1 / 248)
print(d.element_sd, d.smallest_epsilon, mvg(s, 1, 1 / 248, condition="tight").element_sd)`,
		run: newMVG,
	}, {
		name: "mvg_noise", params: "s, sigma, psi=None, delta=None",
		help:    "The design with given covariance matrices of rows and columns (psi None is the identity), judged by the sensitivity set: what is certified holds for these matrices, entry for entry, each number being the float64 it is. smallest_epsilon is at delta, and there only where delta is given; delta_at needs none.",
		example: "s = l2_sensitivity(2, 2, 1, 1)\nd = mvg_noise(s, [[4, 1], [1, 3]], delta=1e-5)\nprint(d.smallest_epsilon, d.delta_at(1))",
		run:     newNoise,
	}, {
		name: "mvg_optimal", params: `s, eps, delta, objective="error", weights=None, directions=None, modal="uni", axes="given"`,
		help: `The optimal design under exact (eps, delta). objective "error" minimises the expected squared error, weighted by the importance of the directions where weights are given; "information" maximises ln PNR for a signal with eigenvalues weights in the directions. modal "uni" has Ψ = I, "equi" Ψ = Σ, "both" any Ψ. axes "given" keeps Σ to the directions, "free" takes any Σ. The value o.optimum is certified between the design's own and a bound that no other can pass; o.everywhere says that the bound holds for any Σ (and any Ψ for "both"), o.method how it was found and where the ends may be apart. For an L2 ball, and a Gram matrix with a record added, isotropic noise is optimal; for a box in its own axes p_i ∝ √w_i/h_i, or λ_i/(2h_i)² is water-filled; the error for a list of differences is convex along geodesics of covariances. With "both" the weights are on the rows (for a Gram matrix on both sides), and information counts every column.`,
		example: `s = box_sensitivity(2, 100, [1, 10])
o = mvg_optimal(s, 1, 1e-5)
print(o.precisions, o.optimum, o.design.element_sd)
d = difference_sensitivity([[[8, 0], [0, 1]], [[0, 1], [2, 0]]])
print(mvg_optimal(d, 1, 1e-5, modal="both").optimum)`,
		run: newOptimum,
	}, {
		name: "waterfill", params: `eigenvalues, budget, norm="l1", weights=None`,
		help:    `Maximises Σ ln(1 + λ_i p_i) over precisions p_i ≥ 0 with Σ p_i ≤ budget (norm "l1": Theorem 7 with (·)⁺, p_i = (c − 1/λ_i)⁺) or Σ p_i² ≤ budget ("l2": Problem 1 for one mode, λ_i/(1 + λ_i p_i) = 2νp_i). p_i = 1/σ_i(Σ). With weights, "l1" only, Σ w_i p_i ≤ budget: under a box sensitivity w_i = (2h_i)² and budget = μ². Each eigenvalue is 0 or, as weights and budget are, between 1e-100 and 1e100. Source: ` + mvgPaper + `, Theorem 7.`,
		example: "w = waterfill([1, 2, 1e-6], 1)\nprint(w.precisions, w.level, w.active, w.log_pnr, w.residual)",
		run:     newWaterfill,
	}, {
		name: "kronecker_waterfill", params: `rows, columns, budget, norm="l1", starts=8, seed=0`,
		help:    `Allocates row precisions p_a and column precisions q_b for a signal of covariance Ψ_f⊗Σ_f with eigenvalues columns and rows: maximises Σ ln(1 + λ_a κ_b p_a q_b) with ‖p‖·‖q‖ ≤ budget in the l1 or l2 norm (Problems 2 and 1). Not jointly concave: alternating exact water-fillings from several starts find a local optimum; log_pnr encloses the global one, from above by the optimum without the Kronecker structure. Eigenvalues are 0 or, as the budget is, between 1e-40 and 1e40; starts are drawn besides the uniform one.`,
		example: "w = kronecker_waterfill([1, 3], [1, 2], 2)\nprint(w.rows, w.columns, w.log_pnr)",
		run: func(c *call) (starlark.Value, error) {
			f, err := mvg.FillKronecker(c.ctx, mvg.KroneckerProblem{
				Rows: c.floats("rows"), Columns: c.floats("columns"), Budget: c.float("budget"),
				Norm: c.norm("norm"), Starts: c.int("starts", 0, 1e6),
			}, c.source("seed"))
			if err != nil {
				return nil, err
			}
			return kroneckerClass.of(c, f), nil
		},
	}, {
		name: "nearest_kronecker", params: "k, m, n",
		help:    "The matrices psi (n×n) and sigma (m×m, of trace m) whose Kronecker product psi⊗sigma is nearest in the Frobenius norm to k, a covariance (symmetric) of order mn of the column-stacked vec, and the distance: a tuple (psi, sigma, distance). Source: Van Loan and Pitsianis 1993.",
		example: "psi, sigma, distance = nearest_kronecker([[2, 0, 1, 0], [0, 4, 0, 2], [1, 0, 3, 0], [0, 2, 0, 6]], 2, 2)\nprint(psi, sigma, distance)",
		run: func(c *call) (starlark.Value, error) {
			psi, sigma, distance, err := mvg.NearestKronecker(symmetricOf(c, "k"), c.int("m", 1, 1<<15), c.int("n", 1, 1<<15))
			if err != nil {
				return nil, err
			}
			return starlark.Tuple{matrixFrom(psi), matrixFrom(sigma), starlark.Float(distance)}, nil
		},
	}, {
		name: "binary_theta", params: "m, important, tau",
		help:    "The binary allocation (Section 8.1.3): the share tau of the precision budget in equal parts to the important directions, a list of numbers from 0, the rest in equal parts to the others. Source: " + mvgPaper + ".",
		example: "print(binary_theta(6, [2, 5], 0.9))",
		run: func(c *call) (starlark.Value, error) {
			m := c.int("m", 1, 1<<30)
			if err := memory.Need(fmt.Sprintf("a list of m = %d shares", m), 32*float64(m)); err != nil {
				return nil, err
			}
			theta, err := mvg.BinaryTheta(m, c.ints("important"), c.float("tau"))
			return floatList(theta), err
		},
	}, {
		name: "r1smg", params: "dimension, eps, delta, s2=1",
		help:    "The rank-one Gaussian mechanism (Ji and Li, arXiv:2306.02256v3) as its paper sets it for a query in R^dimension: noise along one random direction, claimed (eps, delta). r.delta_at(eps) encloses what it really gives.",
		example: "r = r1smg(10, 1, 1e-5)\nprint(r.claimed_error, r.claimed_delta, r.delta_at(1))",
		run: func(c *call) (starlark.Value, error) {
			r, err := mvg.NewRankOne(c.int("dimension", math.MinInt, math.MaxInt32), c.float("s2"), c.epsilon("eps"), c.float("delta"))
			if err != nil {
				return nil, err
			}
			return rankOneClass.of(c, r), nil
		},
	}}
}

// certified passes on a number with its evidence, or the error.
func certified[N evidence.Number](n N, err error) (starlark.Value, error) {
	if err != nil {
		return nil, err
	}
	return known(n), nil
}

func asSensitivity(c *call) func(mvg.Sensitivity, error) (starlark.Value, error) {
	return func(s mvg.Sensitivity, err error) (starlark.Value, error) {
		if err != nil {
			return nil, err
		}
		return sensitivityClass.of(c, s), nil
	}
}

func denseOf(rows [][]float64) *mat.Dense {
	d := mat.NewDense(len(rows), len(rows[0]), nil)
	for i, row := range rows {
		d.SetRow(i, row)
	}
	return d
}

func matrixFrom(a mat.Matrix) *Matrix {
	m, n := a.Dims()
	rows := make([][]float64, m)
	for i := range rows {
		rows[i] = make([]float64, n)
		for j := range rows[i] {
			rows[i][j] = a.At(i, j)
		}
	}
	return matrixOf(rows)
}

// symmetricOf reads a symmetric matrix.
func symmetricOf(c *call, name string) *mat.SymDense {
	s, err := symmetric.Of(name, denseOf(c.matrix(name)))
	if err != nil {
		panic(badArgument{err})
	}
	return s
}

func (c *call) norm(name string) mvg.Norm {
	if c.choice(name, "l1", "l2") == "l2" {
		return mvg.L2
	}
	return mvg.L1
}

// recipe reads eps, delta, directions and modal, one of the modes.
func (c *call) recipe(modes ...string) mvg.Recipe {
	r := mvg.Recipe{Epsilon: c.epsilon("eps"), Delta: c.float("delta")}
	if c.given("directions") {
		r.Directions = denseOf(c.matrix("directions"))
	}
	switch c.choice("modal", modes...) {
	case "equi":
		r.Mode = mvg.Equimodal
	case "both":
		r.Mode = mvg.Bimodal
	}
	return r
}

// design is a mechanism with what its recipe promised.
type design struct {
	*mvg.Design
	theorem   *mvg.Claim // where one made it
	delta     *float64   // where one is given
	condition string
}

func newMVG(c *call) (starlark.Value, error) {
	s := argument(c, "s", sensitivityClass)
	r := c.recipe("uni", "equi")
	if c.given("theta") {
		r.Theta = c.floats("theta")
	}
	condition := c.choice("condition", "theorem2", "theorem3", "tight")
	reading := mvg.ZetaRoot
	if c.choice("zeta", "root", "printed") == "printed" {
		reading = mvg.ZetaPublished
	}
	d := &design{delta: &r.Delta, condition: condition}
	c.progress("mvg", 0)
	if condition == "tight" {
		tight, err := mvg.NewTight(c.ctx, s, r)
		if err != nil {
			return nil, err
		}
		d.Design = tight
		return designClass.of(c, d), nil
	}
	theorem := mvg.Theorem2
	if condition == "theorem3" {
		theorem = mvg.Theorem3
	}
	claim, err := mvg.NewClaim(c.ctx, s, theorem, reading, r)
	if err != nil {
		return nil, err
	}
	d.Design, d.theorem = claim.Design, claim
	return designClass.of(c, d), nil
}

func newNoise(c *call) (starlark.Value, error) {
	s := argument(c, "s", sensitivityClass)
	sigma, err := mvg.NewDense(denseOf(c.matrix("sigma")))
	if err != nil {
		return nil, fmt.Errorf("sigma: %w", err)
	}
	_, n := s.Shape()
	psi, err := mvg.NewIsotropic(n, 1)
	if err == nil && c.given("psi") {
		if psi, err = mvg.NewDense(denseOf(c.matrix("psi"))); err != nil {
			return nil, fmt.Errorf("psi: %w", err)
		}
	}
	if err != nil {
		return nil, err
	}
	c.progress("mvg_noise", 0)
	d, err := mvg.NewDesign(c.ctx, s, sigma, psi)
	if err != nil {
		return nil, err
	}
	out := &design{Design: d, condition: "given"}
	if c.given("delta") {
		delta := c.float("delta")
		out.delta = &delta
	}
	return designClass.of(c, out), nil
}
