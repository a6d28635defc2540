package repl

import (
	"context"
	"fmt"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/privacy"
	"dpworkbench/script"
	"dpworkbench/signrp"
	"dpworkbench/verify"

	"go.starlark.net/starlark"
)

const (
	projectionSetup = "w = projection(20, 4, seed=1)\n"
	releaseSetup    = "r = dp_signrp(projection(20, 4, seed=1), 2)\nu, v = [0.5] * 20, [-0.5] + [0.5] * 19\n"
	rpSetup         = "r = dp_rp(projection(20, 4, seed=1), 1, 1e-6)\nu, v = [0.5] * 20, [-0.5] + [0.5] * 19\n"
	searchSetup     = "s = retrieval([[1, 0], [0, 1], [0.9, 0.1]], [[1, 0.1]], truth=1)\n"
)

// signrpBuiltins returns private random projections and their signs.
func signrpBuiltins() []script.Builtin {
	const source = " Source: Sign projections, "
	return []script.Builtin{
		script.Func(`projection(p: int, k: int, kind: "rademacher"|"gaussian"|"uniform"|"sparse"="rademacher", s: number=3, seed: seed=0) -> projection`,
			`A random p×k matrix W determined by the seed, which is generated again whenever needed: x = Wᵀu/√k for data u in [-1, 1]^p. kind is "rademacher" (±1), "gaussian", "uniform" (√3·U[-1, 1]) or "sparse" (√s·{-1, 0, 1}, s ≥ 1).`+source+"Appendix B.",
			"w = projection(20, 4, seed=1)\nprint(w.sensitivity(), w.apply([0.5] * 20))", func(c *script.Call) (any, error) {
				return signrp.NewProjection(signrp.Kind(c.Text("kind")), c.Int("p"), c.Int("k"), signrp.ProjectionOptions{Sparsity: c.Float("s"), Seed: c.Seed("seed")})
			}),
		script.Func("oporp(p: int, k: int, seed: seed=0) -> projection",
			"One permutation and one random projection: the coordinates, padded with zeros to a multiple of k, are permuted and divided into k bins of equal size, and x_j is the sum of ±u_i over bin j. 1 ≤ k ≤ p; .padded is the padded dimension."+source+"Algorithms 2 and 10 (reconstructed).",
			"w = oporp(10, 4)\nprint(w.padded, w.apply([0.1] * 10))", func(c *script.Call) (any, error) {
				return signrp.NewOPORP(c.Context, c.Int("p"), c.Int("k"), c.Seed("seed"))
			}),
		script.Func(`dp_rp(w: projection, eps: epsilon, delta: delta, beta: number=1, form: "tight"|"classic"="tight") -> release`,
			"DP-RP-G-OPT (with a Rademacher w DP-RP-G-OPT-B): x plus the noise of the analytic Gaussian mechanism at the sensitivity of w. form \"classic\" is DP-RP-G, whose standard deviation Δ₂·√(2(ln(1/(2·delta)) + eps))/eps is larger than necessary. Neighbors differ in one coordinate by at most beta. eps in nats."+source+"Algorithms 1 and 9, Theorem 3.1.",
			"r = dp_rp(projection(20, 4), 1, 1e-6)\nprint(r.sigma, r.sample([0.5] * 20))", func(c *script.Call) (any, error) {
				if projectionClass.Arg(c, "w").Kind() == signrp.OPORP {
					c.Stop("w is an OPORP projection: use dp_oporp(w, …)")
				}
				if c.Text("form") == "classic" {
					return signrp.NewClassicRP(c.Context, projectionClass.Arg(c, "w"), c.Epsilon("eps"), c.Delta("delta"), signrp.RPOptions{Beta: c.Float("beta")})
				}
				return newRP(c)
			}),
		script.Func("dp_oporp(w: projection, eps: epsilon, delta: delta, beta: number=1) -> release",
			"DP-OPORP: bin sums plus the noise of the analytic Gaussian mechanism at sensitivity beta."+source+"Algorithm 10.",
			"r = dp_oporp(oporp(20, 4), 1, 1e-6)\nprint(r.variance([0.2] * 20, [0.1] * 20))", func(c *script.Call) (any, error) {
				if kind := projectionClass.Arg(c, "w").Kind(); kind != signrp.OPORP {
					c.Stop("w is a %s projection, want oporp(p, k)", kind)
				}
				return newRP(c)
			}),
		script.Func("raw_gaussian(p: int, eps: epsilon, delta: delta, beta: number=1) -> release",
			"Raw-data-G-OPT: u itself plus the noise of the analytic Gaussian mechanism at sensitivity beta, the baseline."+source+"Theorem C.1.",
			"print(raw_gaussian(20, 1, 1e-6).variance([0.2] * 20, [0.1] * 20))", func(c *script.Call) (any, error) {
				return signrp.NewRaw(c.Int("p"), c.Epsilon("eps"), c.Delta("delta"), signrp.RPOptions{Beta: c.Float("beta")})
			}),
		script.Func(`dp_signrp(w: projection, eps: epsilon, noise: "rr"|"gaussian"="rr", delta: delta=None, beta: number=1, smoothing: bool=False) -> release`,
			`Private signs of projections. noise "rr" flips each sign with probability 1/(e^ε'+1), where ε' = eps/k, or eps for OPORP, since a coordinate affects one bin only. With delta, ε' = eps/N₊ as published (Proposition 4.4); this depends on the private ‖u‖ and is not differentially private. smoothing flips with probability 1/(e^{L_j ε'}+1), where L_j = ⌈|w_jᵀu|/(beta·max|W_ij|)⌉. It does not accept delta, because N₊ bounds only the signs that flip, while a change of u may change the level L_j of any sign. noise "gaussian" adds the Gaussian noise of (eps, delta) before the sign.`+source+"Algorithms 3 and 4 (reconstructed), Theorem 4.6.",
			"r = dp_signrp(projection(20, 4), 2)\nu, v = [0.5] * 20, [-0.5] + [0.5] * 19\nprint(r.sample(u), r.smallest_epsilon(u, v), r.public_epsilon)", func(c *script.Call) (any, error) {
				o := signOptions(c)
				o.Smoothing = c.Bool("smoothing")
				return signrp.NewSignRP(c.Context, projectionClass.Arg(c, "w"), c.Epsilon("eps"), o)
			}),
		script.Func(`idp_signrp(w: projection, eps: epsilon, noise: "rr"|"gaussian"="rr", delta: delta=None, beta: number=1) -> release`,
			`iDP-SignRP: only signs that a neighbor could change, |w_jᵀu| ≤ beta·max|W_ij|, are flipped ("rr") or get Gaussian noise ("gaussian", with delta). Its guarantee is `+signrp.IndividualLabel+`. The published guarantee is refuted: which signs are randomised depends on the data, so smallest_epsilon is infinite if a neighbor randomises others.`+source+"Algorithms 6 to 8.",
			"r = idp_signrp(projection(2, 1, seed=1), 1)\nprint(r)\nprint(r.smallest_epsilon([0.6, 0.5]))", func(c *script.Call) (any, error) {
				return signrp.NewIndividual(projectionClass.Arg(c, "w"), c.Epsilon("eps"), signOptions(c))
			}),
		script.Func(`p_plus(u: numbers, beta: number=1, kind: "rademacher"|"gaussian"|"uniform"|"sparse"="rademacher", s: number=3, draws: int[1..1073741824]=100000, seed: seed=0) -> evidence`,
			`The true P₊ = Pr(beta·max|w_i| ≥ |wᵀu|) of one column: for "rademacher" exact if the u_i lie on a common coarse lattice or at most 40 of them are nonzero (32 if sizes differ by 10^20 or more), certified otherwise (u read as shortest decimals); for "gaussian" certified, with a relative width below 1e-9 up to 10^4 coordinates; for "uniform" and "sparse" estimated from draws.`+source+"(9).",
			"print(p_plus([0.5, 0.25, 1]), p_plus([0.5, 0.25, 1], kind=\"gaussian\"))", func(c *script.Call) (any, error) {
				u, beta := c.Floats("u"), c.Float("beta")
				switch kind := signrp.Kind(c.Text("kind")); kind {
				case signrp.Rademacher:
					return signrp.RademacherPPlus(c.Context, u, beta)
				case signrp.Gaussian:
					return signrp.GaussianPPlus(c.Context, u, beta)
				default:
					return signrp.EstimatePPlus(c.Context, signrp.Column{Kind: kind, S: c.Float("s"), U: u, Beta: beta}, c.Int("draws"), c.Streams("seed"))
				}
			}),
		script.Func(`p_plus_printed(ratio: choice, p: int[1..268435456], kind: "gaussian"|"rademacher"="gaussian") -> evidence`,
			`P₊ as printed, at ratio = beta/‖u‖: for "gaussian" the integral of (5), (11) and (21), refuted as a bound; for "rademacher" 2Φ(ratio) − 1 of (10). Claimed.`+source+"Lemma 4.2.",
			"print(p_plus_printed(0.9, 20), p_plus([0.5] * 20, beta=0.45 * math.sqrt(20), kind=\"gaussian\"))", func(c *script.Call) (any, error) {
				published := map[string]func(ratio float64, p int) (evidence.Claimed, error){"gaussian": signrp.PublishedGaussian, "rademacher": signrp.PublishedRademacher}
				return published[c.Text("kind")](c.Float("ratio"), c.Int("p"))
			}),
		script.Func(`n_plus(probability: upper, k: int[1..1048576], delta: delta, rule: "chernoff"|"binomial"="chernoff") -> int`, // upper rounds the probability up, since a larger one gives more signs
			`N₊: a number such that more than N₊ of k signs can change between neighbors with probability at most delta, where P₊ is the probability for one sign. rule "chernoff" is Proposition 4.4 rounded down, "binomial" the exact quantile, never larger. P₊ depends on the private ‖u‖, and so does N₊. A certified probability counts by its upper end.`,
			"print(n_plus(0.05, 512, 1e-6), n_plus(0.05, 512, 1e-6, rule=\"binomial\"))", func(c *script.Call) (any, error) {
				count := map[string]func(p float64, k int, delta evidence.Delta) (int, error){"chernoff": signrp.ChernoffCount, "binomial": signrp.BinomialCount}
				return count[c.Text("rule")](c.Float("probability"), c.Int("k"), c.Delta("delta"))
			}),
		script.Func("random_w_delta(probability: rational, k: int[1..1048576], n: int) -> evidence",
			"Pr(Bin(k, probability) > n): over random W, the probability that more than n signs can change between u and a neighbor. Randomised response with a public ε' = ε/n is private with ε and this δ, over W and the flips together. If n is computed from ‖u‖, as published, neighbors have different ε', which the proof ignores. Certified.",
			"print(random_w_delta(0.05, 512, 60))", func(c *script.Call) (any, error) {
				return signrp.RandomWDelta(c.Rational("probability"), c.Int("k"), c.Int("n"))
			}),
		script.Func("variance_ratio(p: int[1..1099511627776], k: int[1..1048576], sigma: deviation) -> number",
			"The ratio R of (16): variance of the inner product of unit vectors from raw data over that from k projections, at equal noise. It tends to p/k only if k·sigma⁴ dominates.",
			"print(variance_ratio(1000, 10, 1), variance_ratio(1000, 10, 0.1))", func(c *script.Call) (any, error) {
				sigma, _ := c.Rational("sigma").Float64()
				return signrp.VarianceRatio(c.Int("p"), c.Int("k"), sigma)
			}),
		script.Func("inner_variance(w: none|projection, u: numbers, v: numbers, sigma: rational) -> evidence",
			"The variance of the inner product estimated from releases of u and v with Gaussian noise sigma: Theorem C.1 for w = None (raw data), C.2 and C.3 otherwise (any law of W, OPORP with its padding). Certified.",
			"print(inner_variance(oporp(6, 2), [0.5] * 6, [0.25] * 6, 0.1))", func(c *script.Call) (any, error) {
				return signrp.InnerVariance(projectionClass.Arg(c, "w"), c.Floats("u"), c.Floats("v"), c.Rational("sigma"))
			}),
		script.Func("cosine_moments(w: none|projection, u: numbers, v: numbers, sigma: rational=0) -> dict",
			`The normalised estimator ρ̂ = Σx̃_jỹ_j/(‖x̃‖‖ỹ‖) of the cosine ρ of u and v, from their images with Gaussian noise sigma (0 for none; at least ‖x‖/256 otherwise), over fresh matrices of w's kind and shape, or raw data for w = None: a dict with its "mean", "variance" and "error", the mean of (ρ̂ − ρ)². Gaussian w is computed in closed form; Rademacher, sparse and OPORP by enumerating every w, for few coordinates with few distinct numbers. Certified; exact if rational.`+source+"Appendix C.",
			"m = cosine_moments(projection(3, 2), [1, 0.5, 0], [0.5, 1, 0.5])\nprint(m[\"mean\"], m[\"variance\"])\nprint(cosine_moments(projection(3, 64, kind=\"gaussian\"), [1, 0.5, 0], [0.5, 1, 0.5], sigma=0.1)[\"error\"])", func(c *script.Call) (any, error) {
				return cosineMoments(signrp.NormalizedMoments(c.Context, projectionClass.Arg(c, "w"), c.Floats("u"), c.Floats("v"), c.Rational("sigma")))
			}),
		script.Func("cosine_formula(w: projection, u: numbers, v: numbers) -> evidence",
			"The variance of the normalised estimator without noise up to terms of order 1/k²: ((1 − ρ²)² + (E w⁴ − 3)·A)/k for vectors of length 1, A = Σ(u_iv_i − ρ(u_i² + v_i²)/2)², and for OPORP (p − k)/(p − 1) times that with E w⁴ = 1. Claimed; cosine_moments computes the exact variance."+source+"Appendix C, and its reference on OPORP.",
			"print(cosine_formula(projection(4, 2), [1, 0.5, 0.25, 0], [0.5, 1, 0, 0.5]))", func(c *script.Call) (any, error) {
				return signrp.NormalizedFormula(projectionClass.Arg(c, "w"), c.Floats("u"), c.Floats("v"))
			}),
		script.Func("angle_estimate(a: signs, b: signs, eps: epsilon) -> number",
			"The angle between two vectors in radians from released signs, each flipped with probability 1/(e^eps+1): eps is ε' of one sign. Unbiased if W is Gaussian. Theorem 4.5.",
			"r = dp_signrp(projection(20, 64, kind=\"gaussian\"), 128)\nprint(angle_estimate(r.sample([0.5] * 20), r.sample([0.5] * 20, seed=1), 2))", func(c *script.Call) (any, error) {
				return signrp.AngleEstimate(c.Arg("a").([]int8), c.Arg("b").([]int8), c.Epsilon("eps"))
			}),
		script.Func("angle_variance(theta: choice, eps: epsilon, k: int[1..1048576]) -> evidence",
			"The variance of angle_estimate at angle theta (radians) from k signs, eps being ε' of one sign: V_RR/k of Theorem 4.5. Claimed; exact for Gaussian W.",
			"print(angle_variance(math.pi / 3, 0.5, 512))", func(c *script.Call) (any, error) {
				return signrp.AngleVariance(c.Float("theta"), c.Epsilon("eps"), c.Int("k"))
			}),
		script.Func("exceeds(r: choice, rho: choice, t: choice=None) -> dict",
			"Lemma E.1 for centred normals X, Y with σ_x = r·σ_y and correlation rho: a dict with \"probability\" Pr(|X| > |Y|), \"mean\" E[|X| given that]/σ_x and, with t, \"tail\" Pr(|X| > tσ_x given that) beside its \"bound\" e^{-t²/2}.",
			"print(exceeds(0.5, 0.3, t=1))", exceeds),
	}
}

// searchBuiltins returns the built-ins that judge releases by search quality.
func searchBuiltins() []script.Builtin {
	return []script.Builtin{script.Func("retrieval(data: matrix, queries: matrix, truth: int[1..2147483647]=50) -> search",
		"A search experiment: for each query the `truth` rows of data at the least angle are the true answers. .judge(release, seed) reports how many of them are found from private releases of data and queries.",
		"s = retrieval([[1, 0], [0, 1], [0.9, 0.1]], [[1, 0.1]], truth=1)\nprint(s.judge(raw_gaussian(2, 10, 1e-6)))", func(c *script.Call) (any, error) {
			return signrp.NewSearch(c.Context, c.Rows("data"), c.Rows("queries"), c.Int("truth"))
		})}
}

func cosineMoments(m *signrp.CosineMoments, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return map[string]any{"mean": m.Mean, "variance": m.Variance, "error": m.Error}, nil
}

func newRP(c *script.Call) (any, error) {
	return signrp.NewRP(c.Context, projectionClass.Arg(c, "w"), c.Epsilon("eps"), c.Delta("delta"), signrp.RPOptions{Beta: c.Float("beta")})
}

// signOptions reads how signs are made private.
func signOptions(c *script.Call) signrp.SignOptions {
	return signrp.SignOptions{Noise: signrp.Noise(c.Text("noise")), Delta: c.Delta("delta"), Beta: c.Float("beta")}
}

// signKind is the kind of a list of signs.
var signKind = script.KindOfList("signs", func(c *script.Call, name string, v starlark.Value) int8 {
	return int8(eitherOf(c, name, v, 1, -1))
})

// eitherOf reads an integer that is a or b.
func eitherOf(c *script.Call, name string, v starlark.Value, a, b int) int {
	n, ok := script.ToInt(v)
	if !ok || n != a && n != b {
		c.Fail(name, v, fmt.Sprintf("%d or %d", a, b))
	}
	return n
}

func exceeds(c *script.Call) (any, error) {
	n := signrp.Normals{Ratio: c.Float("r"), Rho: c.Float("rho")}
	out := map[string]any{"probability": must(n.Exceeds()), "mean": must(n.MeanExceeding())}
	if !c.Given("t") {
		return out, nil
	}
	var err error
	out["tail"], out["bound"], err = n.TailExceeding(c.Float("t"))
	return out, err
}

var projectionClass = &script.Class[*signrp.Projection]{
	Name: "projection", Help: "A random projection of p numbers to k.", Setup: projectionSetup,
	Show: func(w *signrp.Projection) string {
		switch {
		case w.Kind() == signrp.Sparse:
			return fmt.Sprintf("<sparse projection of %d numbers to %d, s = %s, seed %d>", w.P(), w.K(), evidence.FormatFloat(w.S(), 6), w.Seed())
		case w.Padded() != w.P():
			return fmt.Sprintf("<oporp projection of %d numbers, padded to %d, to %d, seed %d>", w.P(), w.Padded(), w.K(), w.Seed())
		}
		return fmt.Sprintf("<%s projection of %d numbers to %d, seed %d>", w.Kind(), w.P(), w.K(), w.Seed())
	},
	Attrs: []script.Attr[*signrp.Projection]{
		script.Get("p -> int", "Dimension of the data.", "", func(w *signrp.Projection) any { return w.P() }),
		script.Get("k -> int", "Dimension of the projection.", "", func(w *signrp.Projection) any { return w.K() }),
		script.Get("kind -> string", `"rademacher", "gaussian", "uniform", "sparse" or "oporp".`, "", func(w *signrp.Projection) any { return string(w.Kind()) }),
		script.Get("padded -> int", "The padded dimension of OPORP, p rounded up to a multiple of k; p for other projections.", "print(oporp(10, 4).padded)", func(w *signrp.Projection) any { return w.Padded() }),
		script.Do("matrix -> matrix", "W as a matrix of p rows, at most 2^24 entries.", projectionSetup+"print(w.matrix[0])", func(_ *script.Call, w *signrp.Projection) (any, error) { return w.Matrix() }),
		script.Do("sensitivity(beta: number=1) -> evidence", "The L2 sensitivity β·max_i‖W_i‖/√k of x for neighbors that differ in one coordinate by at most beta: exactly beta for Rademacher and OPORP, certified for others.", "(0.5)", func(c *script.Call, w *signrp.Projection) (any, error) {
			return w.Sensitivity(c.Context, c.Float("beta"))
		}),
		script.Do("apply(u: matrix|numbers) -> list|matrix", "x = Wᵀu/√k, or OPORP's bin sums: a list of k floats for a vector u in [-1, 1]^p, a matrix of n rows for n vectors.", "([0.5] * 20)", func(c *script.Call, w *signrp.Projection) (any, error) {
			if rows, ok := c.Arg("u").([][]float64); ok {
				x, err := w.ApplyAll(c.Context, rows)
				return script.NewMatrix(x), err
			}
			return w.Apply(c.Context, c.Floats("u"))
		}),
		script.Do("levels(u: numbers, beta: number=1) -> list", "L_j = ⌈|w_jᵀu|/(β·max_i|W_ij|)⌉ of every sign (Algorithm 4): a neighbor can change signs with L = 1 or 0.", "([0.5] * 20)", func(c *script.Call, w *signrp.Projection) (any, error) {
			return w.Levels(c.Context, c.Floats("u"), c.Float("beta"))
		}),
	},
}

// vectorPrivacy returns the privacy of a release: between the vectors u and v, between u and its neighbors, or between
// all neighbors.
func vectorPrivacy(c *script.Call, r *signrp.Release) (any, error) {
	takes(c, "u", "v")
	switch {
	case c.Given("u") && c.Given("v"):
		return privacy.New(must(r.PairsBetween(c.Context, c.Floats("u"), c.Floats("v")))), nil
	case c.Given("u"):
		return privacy.New(must(r.NeighborPairs(c.Context, c.Floats("u")))), nil
	case c.Given("v"):
		c.Stop("v is given without u, want both for the privacy between two vectors, or u alone for that of its neighbors")
	}
	return accountOf(c, c.Value("x").(*script.Object))
}

var releaseClass = &script.Class[*signrp.Release]{
	Answers: script.Answers[*signrp.Release]{
		"privacy": vectorPrivacy,
		"verify":  recomputed(func(ctx context.Context, r *signrp.Release) (*verify.Report, error) { return verify.Projection(ctx, r) }),
		"case":    caseOfSigns,
	},
	Name: "release", Help: "A private version of a vector's projection or of its signs. It distinguishes three threat models: smallest_epsilon and delta_at are individual privacy (given W and u), public_epsilon is differential privacy with public W, and random_w_delta is for random W.", Example: releaseSetup + "print(r)",
	Show: func(r *signrp.Release) string {
		what, claimed := "numbers", evidence.FormatNumber(r.ClaimedEpsilon(), 6)
		if r.Signs() {
			what = "signs"
		}
		if !r.Delta().IsZero() {
			claimed = fmt.Sprintf("(%s, %s)", claimed, evidence.FormatFloat(r.Delta().Value(), 6))
		}
		return fmt.Sprintf("<%s: %d %s of %d numbers, β = %s, claimed ε %s; %s>", r.Name(), r.K(), what, r.P(), evidence.FormatFloat(r.Beta(), 6), claimed, r.Label())
	},
	Attrs: []script.Attr[*signrp.Release]{
		script.Get("name -> string", "The paper's name of the release.", releaseSetup+"print(r.name)", func(r *signrp.Release) any { return r.Name() }),
		script.Get("label -> string", "The kind of its guarantee: for iDP releases \""+signrp.IndividualLabel+"\".", "print(idp_signrp(projection(20, 4), 1).label)", func(r *signrp.Release) any { return r.Label() }),
		script.Get("claimed_epsilon -> evidence", "The ε that the paper claims, in nats.", releaseSetup+"print(r.claimed_epsilon)", func(r *signrp.Release) any { return r.ClaimedEpsilon() }),
		script.Get("delta -> number", "The given δ, or 0.", rpSetup+"print(r.delta)", func(r *signrp.Release) any { return r.Delta().Value() }),
		script.Do("sigma -> evidence", "Standard deviation of the Gaussian noise, in the unit of x. The noise is drawn with its upper end.", rpSetup+"print(r.sigma)", func(_ *script.Call, r *signrp.Release) (any, error) { return r.Sigma() }).If((*signrp.Release).HasSigma, ""),
		script.Do("public_epsilon -> evidence", "Privacy over all pairs of neighbors for this W, public: differential privacy. For randomised response it is ε'·max_i #{j : W_ij ≠ 0}, exact; for numbers and Gaussian noise at the release's δ, certified; infinite for iDP, unless no neighbor can change which signs are randomised. epsilon_at(delta) is the value at another δ.", releaseSetup+"print(r.public_epsilon)", func(c *script.Call, r *signrp.Release) (any, error) {
			if r.HasSigma() {
				return r.Public().Epsilon(c.Context, r.Delta())
			}
			return r.Public().Epsilon(c.Context, evidence.Delta{})
		}),
		script.Do("public_delta(eps: epsilon) -> evidence", "The old name of delta_at without vectors: the least δ over all pairs of neighbors for this W, certified between the value of a pair and the bound of a theorem.", releaseSetup+"print(r.public_delta(0.5))", func(c *script.Call, r *signrp.Release) (any, error) {
			return r.Public().Delta(c.Context, c.Epsilon("eps"))
		}),
		script.Do("sample(u: matrix|numbers, seed: seed=0, clip: bool=False) -> list|matrix", "Simulates a release of a vector u in [-1, 1]^p: a list of floats, or of signs 1 and -1; for a matrix, a matrix with independent noise for every row. clip moves entries outside to the nearest end; otherwise they are an error. For research only; use release for values to be published.", releaseSetup+"print(r.sample(u, seed=3))", sampleProjection),
		script.Do("simulate(u: matrix|numbers, seed: seed=0, clip: bool=False) -> list|matrix", "The same as sample.", releaseSetup+"print(r.simulate(u, seed=3))", sampleProjection),
		script.Do("release(u: numbers, seed: seed=None, clip: bool=False, grid: rational=None) -> released|list", "Releases a vector u in [-1, 1]^p: a list of floats, or of signs 1 and -1, with noise drawn from the operating system's generator, exactly. Numbers are rounded to the nearest multiple of grid, decided exactly; grid None means a power of two of about 2^-32 times sigma. clip moves entries outside to the nearest end; otherwise they are an error."+seedHelp, releaseSetup+"print(r.release(u))", releaseProjection),
		script.Do("variance(u: numbers, v: numbers) -> evidence", "The variance of the estimate from releases of u and v: for numbers, of the inner product (Theorems C.1 to C.3, certified); for randomised response without smoothing, of the angle (Theorem 4.5, claimed, for Gaussian W).", rpSetup+"print(r.variance(u, v))", func(c *script.Call, r *signrp.Release) (any, error) { return r.Variance(c.Floats("u"), c.Floats("v")) }),
		script.Do("cosine_moments(u: numbers, v: numbers) -> dict", "cosine_moments for released numbers with the noise of this release.", rpSetup+"print(dp_rp(projection(3, 4, kind=\"gaussian\", seed=1), 10, 1e-6).cosine_moments([1, 0.5, 0], [0.5, 1, 0.5])[\"mean\"])", func(c *script.Call, r *signrp.Release) (any, error) {
			return cosineMoments(r.NormalizedMoments(c.Context, c.Floats("u"), c.Floats("v")))
		}).If(func(r *signrp.Release) bool { return !r.Signs() }, ""),
		script.Do("smallest_epsilon(u: numbers, v: numbers=None) -> evidence", "Individual privacy for this W: between u and v, or if v is None the largest over the neighbors of u. For signs it is at δ = 0 (exact for randomised response, certified for Gaussian noise, infinite if one vector's patterns are impossible for the other); for numbers at the release's δ. epsilon_at(delta, u, v) is the ε at another δ, public_epsilon the ε over all neighbors."+methodHere, releaseSetup+"print(r.smallest_epsilon(u, v), r.smallest_epsilon(u))", func(c *script.Call, r *signrp.Release) (any, error) {
			if v := c.Floats("v"); v != nil {
				return epsilonOf(c, r, r.Pair(c.Floats("u"), v))
			}
			return epsilonOf(c, r, r.Neighbors(c.Floats("u")))
		}),
		script.Do("worst_neighbor(u: numbers) -> tuple?", "The neighbor of u that attains smallest_epsilon(u): a tuple of the coordinate that changes and its new value; None if no change matters.", releaseSetup+"print(r.worst_neighbor(u))", func(c *script.Call, r *signrp.Release) (any, error) {
			worst, err := r.Neighbors(c.Floats("u")).Worst(c.Context)
			if err != nil || worst.Coordinate < 0 {
				return nil, err
			}
			return script.Tuple{worst.Coordinate, worst.To}, nil
		}),
		script.Do("ball_epsilon(u: numbers) -> evidence", "An enclosure of the largest smallest_epsilon between u and the vectors within ℓ1 distance β of it; infinite if an iDP release randomises other signs at one of them, which is decided exactly.", releaseSetup+"print(r.ball_epsilon(u))", func(c *script.Call, r *signrp.Release) (any, error) { return epsilonOf(c, r, r.Ball(c.Floats("u"))) }),
		script.Do("delta_at(eps: epsilon, u: numbers=None, v: numbers=None) -> evidence", "The least δ at which the release is (eps, δ)-private for this W: between u and v in both directions, exact if e^eps and e^ε' are rational and certified otherwise; over the neighbors of u if v is None; and over all pairs of neighbors without vectors, as public_delta. epsilon_at is its inverse.", releaseSetup+"print(r.delta_at(0.5, u, v))", func(c *script.Call, r *signrp.Release) (any, error) {
			return readingOf(c, r).Delta(c.Context, c.Epsilon("eps"))
		}),
		script.Do("epsilon_at(delta: delta0, u: numbers=None, v: numbers=None) -> evidence", "An enclosure of the smallest ε at which the release is (ε, delta)-private for this W: between u and v; over the neighbors of u if v is None; and over all pairs of neighbors without vectors, as public_epsilon. smallest_epsilon(u, v) is the value at the release's own δ. delta_at is its inverse.", releaseSetup+"print(r.epsilon_at(0.01, u, v))", func(c *script.Call, r *signrp.Release) (any, error) {
			return readingOf(c, r).Epsilon(c.Context, c.Delta("delta"))
		}),
	},
}

// readingOf returns the privacy profile between the vectors of a call, around one of them, or over all neighbors.
func readingOf(c *script.Call, r *signrp.Release) privacy.Profile {
	switch u, v := c.Floats("u"), c.Floats("v"); {
	case u != nil && v != nil:
		return r.Pair(u, v)
	case u != nil:
		return r.Neighbors(u)
	case v != nil:
		c.Stop("v is given without u, want both for the privacy between two vectors, or u alone for that of its neighbors")
	}
	return r.Public()
}

// epsilonOf returns the smallest ε of a release: at its own δ for numeric releases, at 0 for signs.
func epsilonOf(c *script.Call, r *signrp.Release, curve privacy.Profile) (any, error) {
	if r.Signs() {
		return curve.Epsilon(c.Context, evidence.Delta{})
	}
	return curve.Epsilon(c.Context, r.Delta())
}

var searchClass = &script.Class[*signrp.Search]{
	Name: "search", Help: "A search experiment of retrieval(data, queries).", Setup: searchSetup,
	Show: func(s *signrp.Search) string {
		n, q := s.Size()
		return fmt.Sprintf("<search of %d queries among %d vectors>", q, n)
	},
	Attrs: []script.Attr[*signrp.Search]{
		script.Do("judge(release: release, seed: seed=0) -> dict", "Releases data and queries, ranks by angle or Hamming distance, and counts: a dict with \"precision\" (of the first 10 found) and \"recall\" (of the true ones among the first 100).", "(dp_signrp(projection(2, 8), 20))", func(c *script.Call, s *signrp.Search) (any, error) {
			return retrieved(s.Judge(c.Context, releaseClass.Arg(c, "release"), c.Streams("seed")))
		}),
		script.Do("judge_plain(w: projection, signs: bool=False) -> dict", "What judge returns for projections without noise, or with signs=True for their signs: about the best that a release can reach.", "(projection(2, 8), signs=True)", func(c *script.Call, s *signrp.Search) (any, error) {
			if c.Bool("signs") {
				return retrieved(s.JudgePlainSigns(c.Context, projectionClass.Arg(c, "w")))
			}
			return retrieved(s.JudgePlain(c.Context, projectionClass.Arg(c, "w")))
		}),
	},
}

func retrieved(r signrp.Retrieval, err error) (any, error) {
	return map[string]any{"precision": r.Precision, "recall": r.Recall}, err
}

// clipped reads the vector u, and clips it if the call asks for it.
func clipped(c *script.Call) []float64 {
	u := c.Floats("u")
	if c.Bool("clip") {
		u = must(signrp.Clip("u", u))
	}
	return u
}

// output returns a list of signs or of numbers.
func output(r *signrp.Release, out signrp.Output) any {
	if r.Signs() {
		return script.Ints(out.Signs)
	}
	return out.Numbers
}

func sampleProjection(c *script.Call, r *signrp.Release) (any, error) {
	if rows, ok := c.Arg("u").([][]float64); ok {
		rows = slices.Clone(rows)
		for i := range rows {
			if c.Bool("clip") {
				rows[i] = must(signrp.Clip(fmt.Sprintf("u[%d]", i), rows[i]))
			}
		}
		x, err := r.SampleRows(c.Context, rows, c.Streams("seed"))
		return script.NewMatrix(x), err
	}
	out, err := r.Sample(c.Context, clipped(c), c.Source("seed"))
	return output(r, out), err
}

func releaseProjection(c *script.Call, r *signrp.Release) (any, error) {
	if _, ok := simulating(c); ok {
		return sampleProjection(c, r)
	}
	grid := c.Rational("grid")
	out, err := r.Draw(c.Context, clipped(c), grid, nil)
	if err != nil {
		return nil, err
	}
	return &released{output(r, out), r.Name(), func(c *script.Call) (record, error) {
		if grid == nil {
			grid = r.Grid()
		}
		k := record{parameters: map[string]any{"k": r.K(), "p": r.P(), "beta": r.Beta(), "claimed_epsilon": r.ClaimedEpsilon()}, neighbors: fmt.Sprintf("vectors of which one coordinate moves by at most %s, W public", evidence.FormatFloat(r.Beta(), 6)), draws: 1, grid: fractionOf(grid), delta: starlark.MakeInt(0)}
		var delta evidence.Delta
		if r.HasSigma() {
			delta = r.Delta()
			k.delta = starlark.Float(delta.Value())
		}
		if grid != nil {
			k.warnings = coarse(grid, must(r.Sigma()).Hi)
		}
		if r.DataDependent() {
			k.warnings = append(k.warnings, r.Label())
		}
		var err error
		k.epsilon, err = r.Public().Epsilon(c.Context, delta)
		return k, err
	}}, nil
}
