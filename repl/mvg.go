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
	"dpworkbench/script"

	"go.starlark.net/starlark"
	"gonum.org/v1/gonum/mat"
)

const mvgPaper = mvg.Paper

// mvgBuiltins are the analytic Gaussian mechanism and matrix-variate Gaussian
// noise.
func mvgBuiltins() []script.Builtin {
	const analytic = " Source: Balle and Wang, arXiv:1805.06530v2, Theorem 8. Certified, an enclosure at most three units in the last place wide (more only where delta is above 1 − 1e-10); its value is the end on the private side."
	return []script.Builtin{{
		Name: "gaussian_sigma", Params: "eps, delta, s2=1",
		Help:    "The least standard deviation a coordinate, in the unit of s2, that makes a query of L2 sensitivity s2 (eps, delta)-differentially private: the analytic Gaussian mechanism. eps in nats, from 1e-300 to 1e20; delta from 1e-307 to below 1." + analytic,
		Example: "print(gaussian_sigma(1, 1e-5))",
		Run: func(c *script.Call) (any, error) {
			return certified(gaussian.Sigma(c.Epsilon("eps"), c.Float("delta"), c.Float("s2")))
		},
	}, {
		Name: "gaussian_delta", Params: "eps, sigma, s2=1",
		Help:    "The least delta at which Gaussian noise of standard deviation sigma a coordinate makes a query of L2 sensitivity s2 (eps, delta)-differentially private: at eps 0 the total variation distance. eps in nats, at least 0." + analytic,
		Example: "print(gaussian_delta(1, 3.73))",
		Run: func(c *script.Call) (any, error) {
			return certified(gaussian.Delta(c.EpsilonOrZero("eps"), c.Float("sigma"), c.Float("s2")))
		},
	}, {
		Name: "gaussian_epsilon", Params: "delta, sigma, s2=1",
		Help:    "The least eps ≥ 0, in nats, at which Gaussian noise of standard deviation sigma a coordinate makes a query of L2 sensitivity s2 (eps, delta)-differentially private. delta 0, for which no eps will do, or from 1e-307 to below 1; sigma at least s2/1e153." + analytic,
		Example: "print(gaussian_epsilon(1e-5, 3.73))",
		Run: func(c *script.Call) (any, error) {
			return certified(gaussian.Epsilon(c.Float("delta"), c.Float("sigma"), c.Float("s2")))
		},
	}, {
		Name: "l2_sensitivity", Params: "m, n, s2, gamma, psd=False",
		Help:    "The set of all differences of an m×n query with Frobenius norm at most s2 (Definition 3); gamma bounds the Frobenius norm of the query itself, gamma ≥ s2/2. psd says that the query is symmetric positive semi-definite, which Theorem 3 needs. Source: " + mvgPaper + ".",
		Example: "print(l2_sensitivity(6, 248, 2 * math.sqrt(6), math.sqrt(6 * 248)))",
		Run: func(c *script.Call) (any, error) {
			return asSensitivity(c)(mvg.NewBall(c.Int("m", math.MinInt, math.MaxInt), c.Int("n", math.MinInt, math.MaxInt), c.Float("s2"), c.Float("gamma"), c.Bool("psd")))
		},
	}, {
		Name: "box_sensitivity", Params: "m, n, half_width",
		Help:    "The set of differences of f(X) = X, an m×n data set of n records (columns), when one record moves anywhere within a box: coordinate i by at most 2·half_width[i]. half_width is a number or a list of m. gamma is that of a box around the origin.",
		Example: "print(box_sensitivity(2, 100, [1, 10]))",
		Run: func(c *script.Call) (any, error) {
			m := c.Int("m", 1, 1<<20)
			var h []float64
			if v, ok := script.ToFloat(c.Value("half_width")); ok {
				h = slices.Repeat([]float64{v}, m)
			} else if h = c.Floats("half_width"); len(h) != m {
				c.Stop("half_width has %d entries, want %d, one for each row", len(h), m)
			}
			return asSensitivity(c)(mvg.NewBox(c.Int("n", math.MinInt, math.MaxInt), h))
		},
	}, {
		Name: "gram_sensitivity", Params: `d, row_norm, neighbors="unbounded", scale=1`,
		Help:    `The set of differences of scale·XXᵀ, a d×d Gram matrix of records of Euclidean norm at most row_norm: ±scale·xxᵀ when one record comes or goes ("unbounded"), scale·(xxᵀ − yyᵀ) when one is replaced ("bounded"). With scale = 1/n, gamma = row_norm².`,
		Example: `print(gram_sensitivity(4, 1, "bounded", 1 / 100))`,
		Run: func(c *script.Call) (any, error) {
			return asSensitivity(c)(mvg.NewGram(c.Int("d", math.MinInt, math.MaxInt), c.Float("row_norm"), c.Choice("neighbors", "unbounded", "bounded") == "bounded", c.Float("scale")))
		},
	}, {
		Name: "difference_sensitivity", Params: "differences",
		Help:    "A finite list of differences between neighbors, m×n matrices of one shape; each stands for its negative too. It does not bound the query, so the theorems do not apply.",
		Example: "print(difference_sensitivity([[[1, 0], [0, 0]], [[0, 2], [0, 1]]]))",
		Run: func(c *script.Call) (any, error) {
			var list []*mat.Dense
			for i, v := range c.List("differences") {
				list = append(list, denseOf(c.MatrixOf(fmt.Sprintf("differences[%d]", i), v)))
			}
			return asSensitivity(c)(mvg.NewDifferences(list))
		},
	}, {
		Name: "mvg", Params: `s, eps, delta, theta=None, directions=None, modal="uni", condition="theorem2", zeta="root"`,
		Help: `A matrix-variate Gaussian design for a sensitivity set: noise Z with covariance Σ of the rows and Ψ of the columns. theta, a list with sum 1, shares the precision among the directions (the columns of an orthonormal matrix; None is uniform, and the standard basis); sigma shows the product, rounded, and is what is judged and drawn from. modal "uni" has Ψ = I (Algorithm 1), "equi" Ψ = Σ (Algorithm 2). condition "theorem2" and "theorem3" spend the published precision budget, p_i² = theta_i·P with p_i = 1/σ_i(Σ); zeta "root" reads ζ(δ) as Laurent and Massart's bound gives it, "printed" as Table 1 prints it. condition "tight" takes Σ ∝ W diag(theta_i^{-1/2}) Wᵀ and scales it until the exact (eps, delta) is met with equality. Source: ` + mvgPaper + `.`,
		Example: `s = l2_sensitivity(6, 248, 2 * math.sqrt(6), math.sqrt(6 * 248))
d = mvg(s, 1, 1 / 248)
print(d.element_sd, d.smallest_epsilon, mvg(s, 1, 1 / 248, condition="tight").element_sd)`,
		Run: newMVG,
	}, {
		Name: "mvg_noise", Params: "s, sigma, psi=None, delta=None",
		Help:    "The design with given covariance matrices of rows and columns (psi None is the identity), judged by the sensitivity set: what is certified holds for these matrices, entry for entry, each number being the float64 it is. smallest_epsilon is at delta, and there only where delta is given; delta_at needs none.",
		Example: "s = l2_sensitivity(2, 2, 1, 1)\nd = mvg_noise(s, [[4, 1], [1, 3]], delta=1e-5)\nprint(d.smallest_epsilon, d.delta_at(1))",
		Run:     newNoise,
	}, {
		Name: "mvg_optimal", Params: `s, eps, delta, objective="error", weights=None, directions=None, modal="uni", axes="given"`,
		Help: `The optimal design under exact (eps, delta). objective "error" minimises the expected squared error, weighted by the importance of the directions where weights are given; "information" maximises ln PNR for a signal with eigenvalues weights in the directions. modal "uni" has Ψ = I, "equi" Ψ = Σ, "both" any Ψ. axes "given" keeps Σ to the directions, "free" takes any Σ. The value o.optimum is certified between the design's own and a bound that no other can pass; o.everywhere says that the bound holds for any Σ (and any Ψ for "both"), o.method how it was found and where the ends may be apart. For an L2 ball, and a Gram matrix with a record added, isotropic noise is optimal; for a box in its own axes p_i ∝ √w_i/h_i, or λ_i/(2h_i)² is water-filled; the error for a list of differences is convex along geodesics of covariances. With "both" the weights are on the rows (for a Gram matrix on both sides), and information counts every column.`,
		Example: `s = box_sensitivity(2, 100, [1, 10])
o = mvg_optimal(s, 1, 1e-5)
print(o.precisions, o.optimum, o.design.element_sd)
d = difference_sensitivity([[[8, 0], [0, 1]], [[0, 1], [2, 0]]])
print(mvg_optimal(d, 1, 1e-5, modal="both").optimum)`,
		Run: newOptimum,
	}, {
		Name: "waterfill", Params: `eigenvalues, budget, norm="l1", weights=None`,
		Help:    `Maximises Σ ln(1 + λ_i p_i) over precisions p_i ≥ 0 with Σ p_i ≤ budget (norm "l1": Theorem 7 with (·)⁺, p_i = (c − 1/λ_i)⁺) or Σ p_i² ≤ budget ("l2": Problem 1 for one mode, λ_i/(1 + λ_i p_i) = 2νp_i). p_i = 1/σ_i(Σ). With weights, "l1" only, Σ w_i p_i ≤ budget: under a box sensitivity w_i = (2h_i)² and budget = μ². Each eigenvalue is 0 or, as weights and budget are, between 1e-100 and 1e100. Source: ` + mvgPaper + `, Theorem 7.`,
		Example: "w = waterfill([1, 2, 1e-6], 1)\nprint(w.precisions, w.level, w.active, w.log_pnr, w.residual)",
		Run:     newWaterfill,
	}, {
		Name: "kronecker_waterfill", Params: `rows, columns, budget, norm="l1", starts=8, seed=0`,
		Help:    `Allocates row precisions p_a and column precisions q_b for a signal of covariance Ψ_f⊗Σ_f with eigenvalues columns and rows: maximises Σ ln(1 + λ_a κ_b p_a q_b) with ‖p‖·‖q‖ ≤ budget in the l1 or l2 norm (Problems 2 and 1). Not jointly concave: alternating exact water-fillings from several starts find a local optimum; log_pnr encloses the global one, from above by the optimum without the Kronecker structure. Eigenvalues are 0 or, as the budget is, between 1e-40 and 1e40; starts are drawn besides the uniform one.`,
		Example: "w = kronecker_waterfill([1, 3], [1, 2], 2)\nprint(w.rows, w.columns, w.log_pnr)",
		Run: func(c *script.Call) (any, error) {
			f, err := mvg.FillKronecker(c.Context, mvg.KroneckerProblem{
				Rows: c.Floats("rows"), Columns: c.Floats("columns"), Budget: c.Float("budget"),
				Norm: norm(c, "norm"), Starts: c.Int("starts", 0, 1e6),
			}, c.Source("seed"))
			if err != nil {
				return nil, err
			}
			return kroneckerClass.Of(c, f), nil
		},
	}, {
		Name: "nearest_kronecker", Params: "k, m, n",
		Help:    "The matrices psi (n×n) and sigma (m×m, of trace m) whose Kronecker product psi⊗sigma is nearest in the Frobenius norm to k, a covariance (symmetric) of order mn of the column-stacked vec, and the distance: a tuple (psi, sigma, distance). Source: Van Loan and Pitsianis 1993.",
		Example: "psi, sigma, distance = nearest_kronecker([[2, 0, 1, 0], [0, 4, 0, 2], [1, 0, 3, 0], [0, 2, 0, 6]], 2, 2)\nprint(psi, sigma, distance)",
		Run: func(c *script.Call) (any, error) {
			psi, sigma, distance, err := mvg.NearestKronecker(symmetricOf(c, "k"), c.Int("m", 1, 1<<15), c.Int("n", 1, 1<<15))
			if err != nil {
				return nil, err
			}
			return starlark.Tuple{matrixFrom(psi), matrixFrom(sigma), starlark.Float(distance)}, nil
		},
	}, {
		Name: "binary_theta", Params: "m, important, tau",
		Help:    "The binary allocation (Section 8.1.3): the share tau of the precision budget in equal parts to the important directions, a list of numbers from 0, the rest in equal parts to the others. Source: " + mvgPaper + ".",
		Example: "print(binary_theta(6, [2, 5], 0.9))",
		Run: func(c *script.Call) (any, error) {
			m := c.Int("m", 1, 1<<30)
			if err := memory.Need(fmt.Sprintf("a list of m = %d shares", m), 32*float64(m)); err != nil {
				return nil, err
			}
			theta, err := mvg.BinaryTheta(m, c.Ints("important"), c.Float("tau"))
			return script.Floats(theta), err
		},
	}, {
		Name: "r1smg", Params: "dimension, eps, delta, s2=1",
		Help:    "The rank-one Gaussian mechanism (Ji and Li, arXiv:2306.02256v3) as its paper sets it for a query in R^dimension: noise along one random direction, claimed (eps, delta). r.delta_at(eps) encloses what it really gives.",
		Example: "r = r1smg(10, 1, 1e-5)\nprint(r.claimed_error, r.claimed_delta, r.delta_at(1))",
		Run: func(c *script.Call) (any, error) {
			r, err := mvg.NewRankOne(c.Int("dimension", math.MinInt, math.MaxInt32), c.Float("s2"), c.Epsilon("eps"), c.Float("delta"))
			if err != nil {
				return nil, err
			}
			return rankOneClass.Of(c, r), nil
		},
	}}
}

// certified passes on a number with its evidence, or the error.
func certified[N evidence.Number](n N, err error) (starlark.Value, error) {
	if err != nil {
		return nil, err
	}
	return script.Known(n), nil
}

func asSensitivity(c *script.Call) func(mvg.Sensitivity, error) (starlark.Value, error) {
	return func(s mvg.Sensitivity, err error) (starlark.Value, error) {
		if err != nil {
			return nil, err
		}
		return sensitivityClass.Of(c, s), nil
	}
}

func denseOf(rows [][]float64) *mat.Dense {
	d := mat.NewDense(len(rows), len(rows[0]), nil)
	for i, row := range rows {
		d.SetRow(i, row)
	}
	return d
}

func matrixFrom(a mat.Matrix) *script.Matrix {
	m, n := a.Dims()
	rows := make([][]float64, m)
	for i := range rows {
		rows[i] = make([]float64, n)
		for j := range rows[i] {
			rows[i][j] = a.At(i, j)
		}
	}
	return script.NewMatrix(rows)
}

// symmetricOf reads a symmetric matrix.
func symmetricOf(c *script.Call, name string) *mat.SymDense {
	s, err := symmetric.Of(name, denseOf(c.Matrix(name)))
	if err != nil {
		c.Refuse(err)
	}
	return s
}

func norm(c *script.Call, name string) mvg.Norm {
	if c.Choice(name, "l1", "l2") == "l2" {
		return mvg.L2
	}
	return mvg.L1
}

// recipe reads eps, delta, directions and modal, one of the modes.
func recipe(c *script.Call, modes ...string) mvg.Recipe {
	r := mvg.Recipe{Epsilon: c.Epsilon("eps"), Delta: c.Float("delta")}
	if c.Given("directions") {
		r.Directions = denseOf(c.Matrix("directions"))
	}
	switch c.Choice("modal", modes...) {
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

func newMVG(c *script.Call) (any, error) {
	s := script.Argument(c, "s", sensitivityClass)
	r := recipe(c, "uni", "equi")
	if c.Given("theta") {
		r.Theta = c.Floats("theta")
	}
	condition := c.Choice("condition", "theorem2", "theorem3", "tight")
	reading := mvg.ZetaRoot
	if c.Choice("zeta", "root", "printed") == "printed" {
		reading = mvg.ZetaPublished
	}
	d := &design{delta: &r.Delta, condition: condition}
	c.Progress("mvg", 0)
	if condition == "tight" {
		tight, err := mvg.NewTight(c.Context, s, r)
		if err != nil {
			return nil, err
		}
		d.Design = tight
		return designClass.Of(c, d), nil
	}
	theorem := mvg.Theorem2
	if condition == "theorem3" {
		theorem = mvg.Theorem3
	}
	claim, err := mvg.NewClaim(c.Context, s, theorem, reading, r)
	if err != nil {
		return nil, err
	}
	d.Design, d.theorem = claim.Design, claim
	return designClass.Of(c, d), nil
}

func newNoise(c *script.Call) (any, error) {
	s := script.Argument(c, "s", sensitivityClass)
	sigma, err := mvg.NewDense(denseOf(c.Matrix("sigma")))
	if err != nil {
		return nil, fmt.Errorf("sigma: %w", err)
	}
	_, n := s.Shape()
	psi, err := mvg.NewIsotropic(n, 1)
	if err == nil && c.Given("psi") {
		if psi, err = mvg.NewDense(denseOf(c.Matrix("psi"))); err != nil {
			return nil, fmt.Errorf("psi: %w", err)
		}
	}
	if err != nil {
		return nil, err
	}
	c.Progress("mvg_noise", 0)
	d, err := mvg.NewDesign(c.Context, s, sigma, psi)
	if err != nil {
		return nil, err
	}
	out := &design{Design: d, condition: "given"}
	if c.Given("delta") {
		delta := c.Float("delta")
		out.delta = &delta
	}
	return designClass.Of(c, out), nil
}
