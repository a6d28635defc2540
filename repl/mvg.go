package repl

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/internal/memory"
	"dpworkbench/matrix"
	"dpworkbench/mvg"
	"dpworkbench/reproductions/learn"
	"dpworkbench/script"
	"dpworkbench/workload"

	"go.starlark.net/starlark"
	"gonum.org/v1/gonum/mat"
)

// mvgBuiltins returns matrix-variate Gaussian noise.
func mvgBuiltins() []script.Builtin {
	return []script.Builtin{
		script.Func("l2_sensitivity(m: int, n: int, s2: upper, gamma: upper, psd: bool=False) -> sensitivity",
			"The set of all differences of an m×n query with Frobenius norm at most s2 (Definition 3); gamma bounds the Frobenius norm of the query itself, gamma ≥ s2/2. psd declares that the query is symmetric positive semi-definite, as Theorem 3 requires. Source: "+mvg.Paper+".",
			"print(l2_sensitivity(6, 248, 2 * math.sqrt(6), math.sqrt(6 * 248)))", func(c *script.Call) (any, error) {
				return mvg.NewBall(c.Int("m"), c.Int("n"), mvg.BallOptions{S2: c.Float("s2"), Gamma: c.Float("gamma"), PSD: c.Bool("psd")})
			}),
		script.Func("box_sensitivity(m: int[1..1048576], n: int, half_width: number|numbers) -> sensitivity",
			"The set of differences of f(X) = X, an m×n data set of n records (columns), if one record moves within a box: coordinate i by at most 2·half_width[i]. half_width is a number or a list of m numbers. gamma assumes a box around the origin.",
			"print(box_sensitivity(2, 100, [1, 10]))", func(c *script.Call) (any, error) {
				m := c.Int("m")
				h, listed := c.Arg("half_width").([]float64)
				if !listed {
					h = slices.Repeat([]float64{c.Float("half_width")}, m)
				}
				if len(h) != m {
					c.Stop("half_width has %d entries, want %d, one for each row", len(h), m)
				}
				return mvg.NewBox(c.Int("n"), h)
			}),
		script.Func(`gram_sensitivity(d: int, row_norm: number, neighbors: "unbounded"|"bounded"|"add_remove"|"replace"="unbounded", scale: number=1) -> sensitivity`,
			`The set of differences of scale·XXᵀ, a d×d Gram matrix of records of Euclidean norm at most row_norm: ±scale·xxᵀ if one record is added or removed ("unbounded"), scale·(xxᵀ − yyᵀ) if one is replaced ("bounded"). With scale = 1/n, gamma = row_norm².`,
			`print(gram_sensitivity(4, 1, "bounded", 1 / 100))`, func(c *script.Call) (any, error) {
				return mvg.NewGram(c.Int("d"), c.Float("row_norm"), recordRelation(c), c.Float("scale"))
			}),
		script.Func("difference_sensitivity(differences: denses) -> sensitivity",
			"A finite list of differences between neighbors, m×n matrices of one shape; their negatives are included. It does not bound the query, so the theorems do not apply.",
			"print(difference_sensitivity([[[1, 0], [0, 0]], [[0, 2], [0, 1]]]))", func(c *script.Call) (any, error) {
				return mvg.NewDifferences(c.Arg("differences").([]*mat.Dense))
			}),
		script.Func(`mvg(s: sensitivity, eps: epsilon, delta: delta, theta: choices=None, directions: dense=None, modal: "uni"|"equi"="uni", condition: "theorem2"|"theorem3"|"tight"="theorem2", zeta: "root"|"printed"="root") -> mvg design`,
			`A matrix-variate Gaussian design for a sensitivity set: noise Z with covariance Σ of the rows and Ψ of the columns. theta, a list with sum 1, allocates the precision to the directions, the columns of an orthonormal matrix. None means uniform theta, and the standard basis. sigma is W diag(σ_i) Wᵀ, W the directions, with entries rounded to float64; noise is drawn from this matrix and the privacy refers to it. modal "uni" has Ψ = I (Algorithm 1), "equi" Ψ = Σ (Algorithm 2). condition "theorem2" and "theorem3" spend the published precision budget, p_i² = theta_i·P with p_i = 1/σ_i(Σ); zeta "root" reads ζ(δ) as Laurent and Massart's bound gives it, "printed" as printed in Table 1. condition "tight" takes Σ ∝ W diag(theta_i^{-1/2}) Wᵀ and scales it until the exact (eps, delta) is met with equality. Source: `+mvg.Paper+`.`,
			`s = l2_sensitivity(6, 248, 2 * math.sqrt(6), math.sqrt(6 * 248))
d = mvg(s, 1, 1 / 248)
print(d.element_sd, d.smallest_epsilon, mvg(s, 1, 1 / 248, condition="tight").element_sd)`, newMVG),
		script.Func("mvg_noise(s: sensitivity, sigma: covariance, psi: covariance=None, delta: delta0=None) -> mvg design",
			"The design with given covariance matrices of rows and columns (psi None is the identity), with the privacy for the sensitivity set. Certified numbers hold for exactly these float64 matrices. smallest_epsilon is at delta and exists only if delta is given; delta_at does not need it.",
			"s = l2_sensitivity(2, 2, 1, 1)\nd = mvg_noise(s, [[4, 1], [1, 3]], delta=1e-5)\nprint(d.smallest_epsilon, d.delta_at(1))", newNoise),
		script.Func(`mvg_optimal(s: sensitivity, eps: epsilon, delta: delta, objective: "error"|"information"="error", weights: numbers=None, directions: dense=None, modal: "uni"|"equi"|"both"="uni", axes: "given"|"free"="given", least_share: number[0..1]=0) -> mvg optimum`,
			`The optimal design under exact (eps, delta). objective "error" minimises the expected squared error, weighted by the importance of the directions if weights are given; "information" maximises ln PNR for a signal with eigenvalues weights in the directions. modal "uni" has Ψ = I, "equi" Ψ = Σ, "both" any Ψ. axes "given" restricts Σ to the directions, "free" allows any Σ. o.optimum is certified between the design's value and a bound for all designs. o.everywhere says whether the bound holds for any Σ (and any Ψ for "both"). o.method describes how it was found and when the ends may differ. For an L2 ball, and a Gram matrix with a record added, isotropic noise is optimal; for a box in its own axes p_i ∝ √w_i/h_i, or λ_i/(2h_i)² is water-filled; the error for a list of differences is convex along geodesics of covariances. Information with "equi" needs given directions and is not available for a list of differences, since no polynomial-time method solves all lists (docs/mvg.md). Information may give a direction no precision, so that it is not released: o.design is then None. least_share, for information on a box in its own axes, divides that part of the budget equally between all directions before the rest is water-filled, which gives the best design that releases every direction. With "both" the weights are on the rows (for a Gram matrix on both sides), and information counts every column.`+overnight(searchOvernight),
			`s = box_sensitivity(2, 100, [1, 10])
o = mvg_optimal(s, 1, 1e-5)
print(o.precisions, o.optimum, o.design.element_sd)
d = difference_sensitivity([[[8, 0], [0, 1]], [[0, 1], [2, 0]]])
print(mvg_optimal(d, 1, 1e-5, modal="both").optimum)`, newOptimum),
		mvgSearchBuiltin,
		script.Func(`waterfill(eigenvalues: choices, budget: choice, norm: "l1"|"l2"="l1", weights: choices=None) -> waterfilling`,
			`Maximises Σ ln(1 + λ_i p_i) over precisions p_i ≥ 0 with Σ p_i ≤ budget (norm "l1": Theorem 7 with (·)⁺, p_i = (c − 1/λ_i)⁺) or Σ p_i² ≤ budget ("l2": Problem 1 for one mode, λ_i/(1 + λ_i p_i) = 2νp_i). p_i = 1/σ_i(Σ). With weights, "l1" only, Σ w_i p_i ≤ budget: under a box sensitivity w_i = (2h_i)² and budget = μ². Each eigenvalue is 0 or between 1e-100 and 1e100; weights and budget are between these bounds too. Source: `+mvg.Paper+`, Theorem 7.`+overnight(searchOvernight),
			"w = waterfill([1, 2, 1e-6], 1)\nprint(w.precisions, w.level, w.active, w.log_pnr, w.residual)", func(c *script.Call) (any, error) {
				if !c.Given("weights") {
					return mvg.Waterfill(c.Floats("eigenvalues"), c.Float("budget"), norm(c))
				}
				if norm(c) == mvg.L2 {
					c.Stop("weights is given with norm = \"l2\", want norm = \"l1\"")
				}
				return mvg.WaterfillWeighted(c.Floats("eigenvalues"), c.Floats("weights"), c.Float("budget"))
			}),
		script.Func(`kronecker_waterfill(rows: choices, columns: choices, budget: choice, norm: "l1"|"l2"="l1", starts: int[0..1000000]=8, seed: seed=0) -> kronecker waterfilling`,
			`Allocates row precisions p_a and column precisions q_b for a signal of covariance Ψ_f⊗Σ_f with eigenvalues columns and rows: maximises Σ ln(1 + λ_a κ_b p_a q_b) with ‖p‖·‖q‖ ≤ budget in the l1 or l2 norm (Problems 2 and 1). The problem is not jointly concave: alternating exact water-fillings from several starts find a local optimum. log_pnr encloses the global optimum; its upper end is the optimum without the Kronecker structure. Eigenvalues are 0 or between 1e-40 and 1e40, and so is the budget. starts is the number of random starts besides the uniform one.`,
			"w = kronecker_waterfill([1, 3], [1, 2], 2)\nprint(w.rows, w.columns, w.log_pnr)", func(c *script.Call) (any, error) {
				problem := mvg.KroneckerProblem{Rows: c.Floats("rows"), Columns: c.Floats("columns"), Budget: c.Float("budget"), Norm: norm(c), Starts: c.Int("starts")}
				return mvg.FillKronecker(c.Context, problem, c.Source("seed"))
			}),
		script.Func("nearest_kronecker(k: symmetric, m: int[1..32768], n: int[1..32768]) -> tuple",
			"The matrices psi (n×n) and sigma (m×m, of trace m) whose Kronecker product psi⊗sigma is nearest in the Frobenius norm to k, a covariance (symmetric) of order mn of the column-stacked vec, and the distance: a tuple (psi, sigma, distance). Source: Van Loan and Pitsianis 1993.",
			"psi, sigma, distance = nearest_kronecker([[2, 0, 1, 0], [0, 4, 0, 2], [1, 0, 3, 0], [0, 2, 0, 6]], 2, 2)\nprint(psi, sigma, distance)", func(c *script.Call) (any, error) {
				psi, sigma, distance, err := mvg.NearestKronecker(dense(c, "k"), c.Int("m"), c.Int("n"))
				return script.Tuple{psi, sigma, distance}, err
			}),
		script.Func("binary_theta(m: int[1..1073741824], important: ints, tau: choice) -> list",
			"The binary allocation (Section 8.1.3): the fraction tau of the precision budget is divided equally between the important directions, a list of indices from 0, and the rest equally between the others. Source: "+mvg.Paper+".",
			"print(binary_theta(6, [2, 5], 0.9))", func(c *script.Call) (any, error) {
				m := c.Int("m")
				stop(memory.Need(fmt.Sprintf("a list of m = %d shares", m), 32*float64(m)))
				return mvg.BinaryTheta(m, c.Ints("important"), c.Float("tau"))
			}),
		script.Func("r1smg(dimension: int[..2147483647], eps: epsilon, delta: delta, s2: upper=1) -> r1smg",
			"The rank-one Gaussian mechanism (Ji and Li, arXiv:2306.02256v3) as calibrated in its paper for a query in R^dimension: noise along one random direction, claimed (eps, delta). r.delta_at(eps) encloses the actual δ.",
			"r = r1smg(10, 1, 1e-5)\nprint(r.claimed_error, r.claimed_delta, r.delta_at(1))", func(c *script.Call) (any, error) {
				return mvg.NewRankOne(c.Int("dimension"), c.Float("s2"), c.Epsilon("eps"), c.Delta("delta"))
			}),
	}
}

// matrixKinds returns the kinds of matrices: a *mat.Dense, a list of them, a *mat.SymDense for a matrix that is
// symmetric up to rounding, and an mvg.Covariance.
func matrixKinds() []script.Kind {
	return []script.Kind{
		script.KindOf("dense", denseOf),
		script.KindOfList("denses", denseOf),
		script.KindOf("symmetric", func(c *script.Call, name string, v starlark.Value) *mat.SymDense {
			return must(matrix.Symmetric(name, denseOf(c, name, v)))
		}),
		script.KindOf("covariance", func(c *script.Call, name string, v starlark.Value) mvg.Covariance {
			k, err := mvg.NewDense(denseOf(c, name, v))
			if err != nil {
				script.Refuse(fmt.Errorf("%s: %w", name, err))
			}
			return k
		}),
	}
}

// denseOf shares the memory of a matrix. The mathematics only reads it.
func denseOf(c *script.Call, name string, v starlark.Value) *mat.Dense {
	rows := c.MatrixOf(name, v)
	return mat.NewDense(len(rows), len(rows[0]), script.Flat(rows))
}

// dense returns an argument declared as dense, or nil for None.
func dense(c *script.Call, name string) mat.Matrix {
	a, _ := c.Arg(name).(mat.Matrix)
	return a
}

func norm(c *script.Call) mvg.Norm {
	return map[string]mvg.Norm{"l1": mvg.L1, "l2": mvg.L2}[c.Text("norm")]
}

func recipe(c *script.Call) mvg.Params {
	modes := map[string]mvg.Mode{"uni": mvg.Unimodal, "equi": mvg.Equimodal, "both": mvg.Bimodal}
	return mvg.Params{Epsilon: c.Epsilon("eps"), Delta: c.Delta("delta"), Directions: dense(c, "directions"), Mode: modes[c.Text("modal")]}
}

// known returns v, or nil if ok is false.
func known[T any](v T, ok bool) any {
	if !ok {
		return nil
	}
	return v
}

var sensitivityClass = &script.Class[mvg.Sensitivity]{
	Name: "sensitivity", Help: "A declared set of differences of a query between neighbors, from which the exact privacy of a design is computed.", Setup: "s = box_sensitivity(2, 100, [1, 10])\n",
	Show: func(s mvg.Sensitivity) string { return "<sensitivity: " + s.Describe() + ">" },
	Attrs: []script.Attr[mvg.Sensitivity]{
		script.Get("shape -> tuple", "The rows and columns (m, n) of the query.", "", func(s mvg.Sensitivity) any {
			m, n := s.Shape()
			return script.Tuple{m, n}
		}),
		script.Get("s2 -> evidence", "The L2 (Frobenius) sensitivity: the largest norm in the set (Definition 3).", "", func(s mvg.Sensitivity) any { return s.Frobenius() }),
		script.Get("gamma -> evidence?", "The bound on the Frobenius norm of the query that Theorems 2 and 3 need; None if the set does not give one.", "", func(s mvg.Sensitivity) any { return known(s.Gamma()) }),
	},
}

// design is a mechanism with the parameters that it was made from and the theorem's claim.
type design struct {
	*mvg.Design
	theorem   *mvg.Claim      // nil if no theorem made the design
	delta     *evidence.Delta // nil if not given
	condition string
}

func newMVG(c *script.Call) (any, error) {
	s, r, condition := sensitivityClass.Arg(c, "s"), recipe(c), c.Text("condition")
	r.Theta = c.Floats("theta")
	if condition == "tight" {
		d, err := mvg.NewTight(c.Context, s, r)
		return &design{d, nil, &r.Delta, condition}, err
	}
	theorem := map[string]mvg.Theorem{"theorem2": mvg.Theorem2, "theorem3": mvg.Theorem3}[condition]
	zeta := map[string]mvg.Zeta{"root": mvg.ZetaRoot, "printed": mvg.ZetaPublished}[c.Text("zeta")]
	claim := must(mvg.NewClaim(c.Context, s, theorem, zeta, r))
	return &design{claim.Design, claim, &r.Delta, condition}, nil
}

func newNoise(c *script.Call) (any, error) {
	s, delta := sensitivityClass.Arg(c, "s"), c.Delta("delta")
	psi, given := c.Arg("psi").(mvg.Covariance)
	if !given {
		_, n := s.Shape()
		psi = must(mvg.NewIsotropic(n, 1))
	}
	d, err := mvg.NewDesign(c.Context, s, c.Arg("sigma").(mvg.Covariance), psi)
	if !c.Given("delta") {
		return &design{Design: d, condition: "given"}, err
	}
	return &design{Design: d, delta: &delta, condition: "given"}, err
}

// constant returns the attribute for a quantity of Theorems 2 and 3.
func constant(name, help string, of func(k mvg.Constants) evidence.Claimed) script.Attr[*design] {
	return script.Get(name+" -> evidence", help+` Claimed; only designs with condition "theorem2" or "theorem3" have it.`, "", func(d *design) any { return of(d.theorem.Constants) }).
		If(func(d *design) bool { return d.theorem != nil }, "")
}

var designClass = &script.Class[*design]{
	Answers: script.Answers[*design]{
		"compare": comparedBy(sensitivityKept[*design], entryErrors...),
		"verify":  verifyDesign,
	},
	Name: "mvg design", Help: "A matrix-variate Gaussian mechanism with its sensitivity set.", Setup: "s = l2_sensitivity(2, 3, 1, 2)\nd = mvg(s, 1, 1e-3, theta=[0.8, 0.2])\n",
	Show: func(d *design) string {
		m, n := d.Sensitivity().Shape()
		return fmt.Sprintf("<mvg design, %s: %d×%d, element sd %s>", d.condition, m, n, evidence.FormatFloat(d.ElementSD(), 6))
	},
	Attrs: append([]script.Attr[*design]{
		constant("alpha", "α of Theorem 2: (H_r + H_{r,1/2})γ² + 2H_r γ s2.", func(k mvg.Constants) evidence.Claimed { return k.Alpha }),
		constant("beta", "β of Theorems 2 and 3: 2(mn)^{1/4} ζ(δ) H_r s2.", func(k mvg.Constants) evidence.Claimed { return k.Beta }),
		constant("omega", "ω of Theorem 3: 4 H_r γ s2.", func(k mvg.Constants) evidence.Claimed { return k.Omega }),
		constant("zeta", "ζ(δ): with zeta \"root\" the square root of 2√(−mn ln δ) − 2 ln δ + mn, with \"printed\" that sum itself, as the paper prints it.", func(k mvg.Constants) evidence.Claimed { return k.Zeta }),
		script.Get("precision_budget -> evidence", "The bound on Σ p_i², p_i = 1/σ_i(Σ): d²/n for Ψ = I (Theorem 5) and d for Ψ = Σ (Theorem 6), d the right-hand side of (1) or (8). For other designs, the Σ p_i² of Σ.", "", func(d *design) any {
			if d.theorem == nil {
				return d.PrecisionSquares()
			}
			return d.theorem.PrecisionBudget
		}),
		script.Get("row_variances -> list", "σ_i(Σ), the variances of the row-wise noise in the order of the directions.", "", func(d *design) any { return d.Sigma().Variances() }),
		script.Do("sigma -> matrix", "Σ, the m×m covariance of the rows.", "", func(_ *script.Call, d *design) (any, error) { return writtenOut(d.Sigma()) }),
		script.Do("psi -> matrix", "Ψ, the n×n covariance of the columns.", "", func(_ *script.Call, d *design) (any, error) { return writtenOut(d.Psi()) }),
		script.Get("element_sd -> evidence", "The root mean square over the elements of the noise, √(tr Σ·tr Ψ/mn), in the unit of the query.", "", func(d *design) any { return d.NoiseSD() }),
		script.Get("claimed_epsilon -> evidence", "The ε, in nats, that the condition claims at the design's delta. Claimed.", "", func(d *design) any { return known(d.ClaimedEpsilon()) }).If(func(d *design) bool { _, ok := d.ClaimedEpsilon(); return ok }, "a design with given covariances has no claim"),
		script.Get("whitened_sensitivity -> evidence", "The largest ‖Σ^{−1/2} Δ Ψ^{−1/2}‖_F over the sensitivity set: the design is exactly as private as unit Gaussian noise on a query of this L2 sensitivity. Certified.", "", func(d *design) any { return d.WhitenedSensitivity() }),
		script.Do("smallest_epsilon -> evidence", "The least ε ≥ 0, in nats, at which the design is (ε, δ)-differentially private for its sensitivity set, at its own delta. Certified. epsilon_at(delta) is the ε at another δ."+attributeHere, "", func(c *script.Call, d *design) (any, error) {
			return d.Privacy().Epsilon(c.Context, *d.delta)
		}).If(func(d *design) bool { return d.delta != nil }, "give delta= to mvg_noise, or ask epsilon_at(delta)"),
		script.Do("epsilon_at(delta: delta0) -> evidence", "The least ε ≥ 0, in nats, at which the design is (ε, delta)-differentially private for its sensitivity set: inf at delta 0. Certified. smallest_epsilon is the value at the design's own delta. delta_at is its inverse.", "(1e-6)", func(c *script.Call, d *design) (any, error) { return d.Privacy().Epsilon(c.Context, c.Delta("delta")) }),
		script.Do("delta_at(eps: epsilon0) -> evidence", "The least δ at which the design is (eps, δ)-differentially private for its sensitivity set: at eps 0 the largest total variation distance of neighbors. eps in nats, at least 0. Certified. epsilon_at is its inverse.", "(0.1)", func(c *script.Call, d *design) (any, error) { return d.Privacy().Delta(c.Context, c.Epsilon("eps")) }),
		script.Do("pnr(k: dense) -> evidence", "The power-to-noise ratio (24): det(K + Σ)/det Σ for a signal covariance K of order m, det(K + Ψ⊗Σ)/det(Ψ⊗Σ) for K of order mn, the covariance of the column-stacked vec.", "([[1, 0], [0, 1]])", func(c *script.Call, d *design) (any, error) { return d.PNR(dense(c, "k")) }),
		script.Do("log_pnr(k: dense) -> evidence", "The logarithm of pnr(k), for values too large for a float.", "([[1, 0], [0, 1]])", func(c *script.Call, d *design) (any, error) { return d.LogPNR(dense(c, "k")) }),
		script.Do("mutual_information(k: dense) -> evidence", "½ ln pnr(k), in nats: the mutual information between a Gaussian f(X) of covariance k and its release; an upper bound for other laws (Lemma 10 holds for Gaussian f(X) only).", "([[1, 0], [0, 1]])", func(c *script.Call, d *design) (any, error) { return d.MutualInformation(dense(c, "k")) }),
		script.Do(`over_optimum(w: workload, objective: "max"|"mean"="max") -> evidence`, "By how many per cent the design's error exceeds the least error of Gaussian noise at equal privacy, optimum(w), on the answers Wx, which are the m×n answer column by column. The error is the largest standard deviation of an element, or the root of the mean variance. Privacy is for an entry of x that changes by at most 1, regardless of the design's sensitivity set. Certified.", "s = difference_sensitivity([[[1], [1]], [[0], [1]]])\nd = mvg(s, 1, 1e-3, condition=\"tight\")\nprint(d.over_optimum(prefix_sums(2)))", func(c *script.Call, d *design) (any, error) {
			o := objectiveOf(c)
			best := must(bestOf(c, c.Value("w").(*script.Object), o, workload.Participation{}, 0))
			return workload.DesignOverOptimum(c.Context, d.Design, workloadClass.Arg(c, "w"), o, best)
		}),
		script.Get("draw_error -> evidence", "A bound on the relative difference, in any direction, between Ψ⊗Σ and the covariance of the draws of sample. Draws multiply standard normals with float64 roots of Σ and Ψ. The discreteness of the normals (2^53 values) and the rounding of products are not included. Certified.", "", func(d *design) any { return d.DrawError() }),
		script.Do("sample(x: dense, seed: seed=0, "+samplerParam+") -> matrix", "The query's answer x, an m×n matrix, plus a draw of the noise, simulated in floating point, for research only. Use release for values to be published. sampler \"affine\" multiplies standard normals with roots of Σ and Ψ (Section 6.3.2), \"vectorised\" draws the column-stacked vec by the Cholesky factor of Ψ⊗Σ (Section 6.3.1): the same law, for mn up to 4096, in time proportional to (mn)³. Source: "+mvg.Paper+".", "([[0, 0, 0], [0, 0, 0]], seed=1)", sampleDesign),
		script.Do("simulate(x: dense, seed: seed=0, "+samplerParam+") -> matrix", "The same as sample.", "([[0, 0, 0], [0, 0, 0]], seed=1, sampler=\"vectorised\")", sampleDesign),
		script.Do("release(x: dense, grid: rational=None, seed: seed=None) -> released|matrix", "Releases the query's answer x, an m×n matrix: noise of exactly the law that the covariances have, drawn from the operating system's generator, and every sum rounded to the nearest multiple of grid, decided exactly. grid None means a power of two, at most 2^-32 times the smallest standard deviation of an element."+seedHelp, "s = l2_sensitivity(2, 3, 1, 2)\nd = mvg(s, 1, 1e-3, theta=[0.8, 0.2])\nprint(d.release([[0, 0, 0], [0, 0, 0]]))", releaseDesign),
	}, ownPrivacy[*design]("epsilon_at", "delta_at")...),
}

// writtenOut returns a covariance as a matrix, if that fits in memory.
func writtenOut(c mvg.Covariance) (any, error) {
	const most = 1 << 13
	if c.Order() > most {
		return nil, fmt.Errorf("the matrix is of order %d, want at most %d to write it out", c.Order(), most)
	}
	return c.Matrix(), nil
}

var fillingClass = &script.Class[*mvg.Waterfilling]{
	Name: "waterfilling", Help: "An optimal allocation of precision with its certificate.", Setup: "w = waterfill([1, 2, 1e-6], 1)\n",
	Show: func(w *mvg.Waterfilling) string {
		return fmt.Sprintf("<waterfilling: %d of %d directions, ln PNR %s>", len(w.Active), len(w.Precisions), evidence.FormatInterval(w.Value, 6))
	},
	Attrs: []script.Attr[*mvg.Waterfilling]{
		script.Get("precisions -> list", "p_i = 1/σ_i(Σ), in the order of the eigenvalues; a direction with p_i = 0 is not released.", "", func(w *mvg.Waterfilling) any { return w.Precisions }),
		script.Get("level -> evidence", "c of p_i = (c − 1/λ_i)⁺ for norm \"l1\"; for \"l2\" the multiplier ν of λ_i/(1 + λ_i p_i) = 2νp_i.", "", func(w *mvg.Waterfilling) any { return w.KnownLevel }),
		script.Get("active -> list", "The directions with positive precision.", "", func(w *mvg.Waterfilling) any { return w.Active }),
		script.Get("log_pnr -> evidence", "The optimum Σ ln(1 + λ_i p_i) in nats, enclosed between the value at these precisions and the Lagrange dual. Certified.", "", func(w *mvg.Waterfilling) any { return w.Value }),
		script.Get("mutual_information -> evidence", "Half of log_pnr, in nats: the mutual information for a Gaussian signal.", "", func(w *mvg.Waterfilling) any { return w.MutualInformation() }),
		script.Get("residual -> evidence", "The largest relative violation of the KKT conditions.", "", func(w *mvg.Waterfilling) any { return w.Residual }),
	},
}

var kroneckerClass = &script.Class[*mvg.KroneckerFilling]{
	Name: "kronecker waterfilling", Help: "A locally optimal allocation of row and column precisions, with a bound on the global optimum.", Setup: "w = kronecker_waterfill([1, 3], [1, 2], 2)\n",
	Show: func(w *mvg.KroneckerFilling) string {
		from := "from the uniform start alone"
		if drawn := w.Starts - 1; drawn > 0 {
			from = fmt.Sprintf("reached from %d of %d starts: the uniform one and %d drawn", w.Found, w.Starts, drawn)
		}
		return fmt.Sprintf("<kronecker waterfilling, local: ln PNR %s, at most %s; %s>", evidence.FormatFloat(w.LogPNR, 6), evidence.FormatUp(w.Value.Hi, 6), from)
	},
	Attrs: []script.Attr[*mvg.KroneckerFilling]{
		script.Get("rows -> list", "The row precisions p_a, of norm 1.", "", func(w *mvg.KroneckerFilling) any { return w.Rows }),
		script.Get("columns -> list", "The column precisions q_b; together with the row precisions they use the whole budget.", "", func(w *mvg.KroneckerFilling) any { return w.Columns }),
		script.Get("local -> evidence", "The value Σ ln(1 + λ_a κ_b p_a q_b) of the allocation.", "", func(w *mvg.KroneckerFilling) any { return w.Local }),
		script.Get("log_pnr -> evidence", "The global optimum, enclosed between this allocation and the optimum without the Kronecker structure. Certified.", "", func(w *mvg.KroneckerFilling) any { return w.Value }),
		script.Get("residual -> number", "The largest relative violation of the KKT conditions, of the rows given the columns and of the columns given the rows.", "", func(w *mvg.KroneckerFilling) any { return w.Residual }),
	},
}

// optimalDesign is an optimum with the arguments of its call.
type optimalDesign struct {
	*mvg.Optimum
	delta evidence.Delta
	box   bool // the set is a box in its own axes, for which least_share is accepted
}

func newOptimum(c *script.Call) (any, error) {
	objectives := map[string]mvg.Objective{"error": mvg.LeastError, "information": mvg.MostInformation}
	r := recipe(c)
	r.FreeAxes, r.LeastShare = c.Text("axes") == "free", c.Float("least_share")
	o, err := mvg.Optimal(c.Context, sensitivityClass.Arg(c, "s"), mvg.Goal{Objective: objectives[c.Text("objective")], Weights: c.Floats("weights")}, r)
	_, box := sensitivityClass.Arg(c, "s").(mvg.Box)
	return &optimalDesign{o, r.Delta, box && r.Directions == nil && r.Mode != mvg.Equimodal}, err
}

var mvgOptimumClass = &script.Class[*optimalDesign]{
	Name: "mvg optimum", Help: "The best design for an objective under exact privacy, with a bound for all designs.", Setup: "o = mvg_optimal(box_sensitivity(2, 100, [1, 10]), 1, 1e-5)\n",
	Show: func(o *optimalDesign) string {
		withheld := ""
		if o.Design == nil {
			released := slices.DeleteFunc(slices.Clone(o.Precisions), func(p float64) bool { return p == 0 })
			withheld = fmt.Sprintf("; %d of %d directions are withheld, so there is no design", len(o.Precisions)-len(released), len(o.Precisions))
			if o.box {
				withheld += "; mvg_optimal(…, least_share=0.01) is the best that withholds none"
			}
		}
		return fmt.Sprintf("<mvg optimum %s: %s%s>", evidence.FormatInterval(o.Value, 6), o.Method, withheld)
	},
	Attrs: []script.Attr[*optimalDesign]{
		script.Get("precisions -> list", "p_i = 1/σ_i(Σ); a direction with p_i = 0 is not released.", "", func(o *optimalDesign) any { return o.Precisions }),
		script.Get("directions -> matrix?", "The directions of Σ as columns, in the order of precisions; None is the standard basis.", "", func(o *optimalDesign) any { return o.Directions }),
		script.Get("optimum -> evidence", "The optimal value, the expected squared error or ln PNR, enclosed between this design's and a bound. Certified.", "", func(o *optimalDesign) any { return o.Value }),
		script.Get("everywhere -> bool", "Whether the bound holds for every Σ with that Ψ (every Σ and Ψ for modal \"both\"), not just for these directions.", "", func(o *optimalDesign) any { return o.Everywhere }),
		script.Get("method -> string", "How the optimum was found and bounded.", "", func(o *optimalDesign) any { return o.Method }),
		script.Get("design -> mvg design?", "The mechanism. None if a direction has precision 0 and is not released, because no noise of finite variance does that; print(o) says so. least_share=0.01 gives a design that releases every direction.", "o = mvg_optimal(box_sensitivity(2, 100, [1, 10]), 1, 1e-5)\nprint(o.design.smallest_epsilon)", func(o *optimalDesign) any {
			if o.Design == nil {
				return nil
			}
			return &design{Design: o.Design, delta: &o.delta, condition: "optimal"}
		}),
	},
}

var rankOneClass = &script.Class[mvg.RankOne]{
	Name: "r1smg", Help: "The rank-one Gaussian mechanism of Ji and Li as claimed, with its actual privacy.", Setup: "r = r1smg(10, 1, 1e-5)\n",
	Show: func(r mvg.RankOne) string {
		delta, _ := r.ClaimedDelta()
		return fmt.Sprintf("<r1smg in dimension %d: claimed delta %s, expected squared error %s>", r.Dimension, evidence.FormatFloat(delta.Value, 6), evidence.FormatFloat(r.Variance, 6))
	},
	Attrs: []script.Attr[mvg.RankOne]{
		script.Get("claimed_error -> evidence", "The expected squared norm of the noise.", "", func(r mvg.RankOne) any { return r.ClaimedError() }),
		script.Get("claimed_delta -> evidence", "The δ that the paper claims at the given ε. Claimed.", "", func(r mvg.RankOne) any { return known(r.ClaimedDelta()) }),
		script.Do("delta_at(eps: epsilon0, tolerance: number=0.001) -> evidence", "The actual δ at ε ≥ 0, by enclosing the privacy loss on cells of radius and angle, to within tolerance if 4 million cells are enough. Certified. epsilon_at is its inverse.", "(1)", func(c *script.Call, r mvg.RankOne) (any, error) {
			return r.Privacy(c.Float("tolerance")).Delta(c.Context, c.Epsilon("eps"))
		}),
		script.Do("epsilon_at(delta: delta0, tolerance: number=0.001) -> evidence", "The actual ε at delta, in nats, from the same enclosures; inf at delta 0. Certified. delta_at is its inverse.", "(0.01)", func(c *script.Call, r mvg.RankOne) (any, error) {
			return r.Privacy(c.Float("tolerance")).Epsilon(c.Context, c.Delta("delta"))
		}),
		script.Do("sample(x: dense, seed: seed=0) -> matrix", "A matrix with as many elements as the dimension plus a draw of the noise, simulated in floating point, for research only.", "r = r1smg(4, 1, 1e-5)\nprint(r.sample([[0, 0], [0, 0]], seed=1))", sampleRankOne),
		script.Do("simulate(x: dense, seed: seed=0) -> matrix", "The same as sample.", "r = r1smg(4, 1, 1e-5)\nprint(r.simulate([[0, 0], [0, 0]], seed=1))", sampleRankOne),
		script.Do("release(x: dense, grid: rational=None, seed: seed=None) -> released|matrix", "Releases a matrix with as many elements as the dimension plus the noise, drawn from the operating system's generator with exactly its law, on a grid as for mvg designs. The record claims nothing, because the paper's claim is refuted: see delta_at."+seedHelp, "r = r1smg(4, 1, 1e-5)\nprint(r.release([[0, 0], [0, 0]]))", releaseRankOne),
	},
}

// learnBuiltins returns the statistics of the MVG paper's experiments and the noise of its competitors.
func learnBuiltins() []script.Builtin {
	return []script.Builtin{
		script.Func("ridge_rmse(records: matrix, targets: numbers, test: matrix, test_targets: numbers, penalty: positive=1, width: positive=None, intercept: bool=True) -> number",
			"Fits kernel ridge regression (K + penalty·I)a = y to records, a list of lists, and their targets, and returns the root mean square error on test records, in the unit of the targets. width None is the linear kernel ⟨x, y⟩ + 1, or ⟨x, y⟩ without an intercept. Otherwise the kernel is exp(−‖x−y‖²/(2 width²)), without an intercept.",
			"print(ridge_rmse([[0], [1], [2]], [0, 1, 2], [[3]], [3], penalty=0.01))", func(c *script.Call) (any, error) {
				kernel := learn.Kernel(learn.Linear)
				switch {
				case c.Given("width"):
					kernel = learn.RBF(c.Float("width"))
				case !c.Bool("intercept"):
					kernel = learn.Inner
				}
				records, test := c.Rows("records"), c.Rows("test")
				if len(test[0]) != len(records[0]) {
					c.Stop("test has %d columns, want %d like records", len(test[0]), len(records[0]))
				}
				r := must(learn.FitRidge(kernel, c.Float("penalty"), records, c.Floats("targets")))
				return r.RMSE(test, c.Floats("test_targets"))
			}),
		script.Func("gram(x: dense) -> matrix", "XXᵀ/n for an m×n matrix X of n records in its columns.", "print(gram([[1, 1], [2, 0]]))", func(c *script.Call) (any, error) { return learn.Gram(dense(c, "x")) }),
		script.Func("components(s: dense) -> tuple",
			"The eigenvalues of a symmetric matrix in decreasing order, and its eigenvectors as the columns of a matrix: a tuple.",
			"values, vectors = components([[2, 1], [1, 2]])\nprint(values, vectors)", func(c *script.Call) (any, error) {
				values, vectors, err := learn.Components(dense(c, "s"))
				return script.Tuple{values, vectors}, err
			}),
		script.Func("lost_variance(s: symmetric, estimate: dense) -> number",
			"Δρ = λ₁ − vᵀSv for the first principal component v of the estimate's symmetric part, in the unit of S. Source: "+mvg.Paper+", (28).",
			"print(lost_variance([[3, 0], [0, 1]], [[1, 0], [0, 3]]))", func(c *script.Call) (any, error) {
				return learn.LostVariance(c.Arg("s").(mat.Symmetric), dense(c, "estimate"))
			}),
		script.Func("residual_sum(s: symmetric, estimate: dense) -> number",
			"RSS = Σ (λ_i − v_iᵀSv_i)² over the principal components v_i of the estimate's symmetric part. Source: "+mvg.Paper+", (29).",
			"print(residual_sum([[3, 0], [0, 1]], [[1, 0], [0, 3]]))", func(c *script.Call) (any, error) {
				return learn.ResidualSum(c.Arg("s").(mat.Symmetric), dense(c, "estimate"))
			}),
		script.Func("laplace_noise(x: dense, scale: choice, seed: seed=0) -> matrix",
			"A matrix plus independent Laplace noise of the given scale: the Laplace mechanism at scale Δ₁/ε, where Δ₁ is the l1 sensitivity over all elements. For research only.",
			"print(laplace_noise([[0, 0]], 2, seed=1))", func(c *script.Call) (any, error) {
				return noisy(c)(mvg.SimulateLaplace(dense(c, "x"), c.Float("scale"), c.Source("seed")))
			}),
		script.Func("laplace_release(x: dense, scale: rational, sensitivity: rational, grid: rational=None, seed: seed=None) -> released|matrix",
			"A matrix plus independent Laplace noise of the given scale, drawn from the operating system's generator with exactly its law, each element rounded to the nearest multiple of grid, decided exactly; grid None means a power of two of about 2^-32 times the scale. sensitivity is Δ₁, in the l1 norm of all elements: (Δ₁/scale)-differentially private."+seedHelp,
			"r = laplace_release([[0, 0]], 2, 1)\nprint(r, r.record[\"epsilon\"])", releaseLaplace),
		script.Func("classic_gaussian_sigma(eps: epsilon, delta: delta, s2: deviation=1) -> evidence",
			"The standard deviation s2·√(2 ln(1.25/delta))/eps of the classic Gaussian mechanism. Certified for eps < 1, where its theorem holds; claimed for larger eps, with a caveat that states the actual delta of this noise and the value of gaussian_sigma. Source: Dwork and Roth 2014, Theorem A.1.",
			"print(classic_gaussian_sigma(0.5, 1e-5))", func(c *script.Call) (any, error) {
				return mvg.ClassicSigma(c.Epsilon("eps"), c.Delta("delta"), c.Rational("s2"))
			}),
		script.Func("permutation(n: int[0..10000000], seed: seed=0) -> list", "The numbers 0 … n−1 in a random order determined by the seed; n is at most ten million.", "print(permutation(5, seed=1))", func(c *script.Call) (any, error) { return rand.New(c.Source("seed")).Perm(c.Int("n")), nil }),
	}
}
