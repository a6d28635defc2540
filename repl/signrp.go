package repl

import (
	"errors"
	"fmt"
	"math"

	"dpworkbench/evidence"
	"dpworkbench/internal/data"
	"dpworkbench/script"
	"dpworkbench/signrp"

	"go.starlark.net/starlark"
)

// signrpBuiltins are private random projections and their signs.
func signrpBuiltins() []script.Builtin {
	const source = " Source: Sign projections, "
	return []script.Builtin{{
		Name: "projection", Params: `p, k, kind="rademacher", s=3, seed=0`,
		Help:    `A random p×k matrix W that the seed determines, made again whenever it is needed: x = Wᵀu/√k for data u in [-1, 1]^p. kind is "rademacher" (±1), "gaussian", "uniform" (√3·U[-1, 1]) or "sparse" (√s·{-1, 0, 1}, s ≥ 1).` + source + "Appendix B.",
		Example: "w = projection(20, 4, seed=1)\nprint(w.sensitivity(), w.apply([0.5] * 20))",
		Run: func(c *script.Call) (any, error) {
			kind := signrp.Kind(c.Choice("kind", "rademacher", "gaussian", "uniform", "sparse"))
			w, err := signrp.NewProjection(kind, c.Int("p", math.MinInt, math.MaxInt), c.Int("k", math.MinInt, math.MaxInt), c.Float("s"), c.Seed("seed"))
			if err != nil {
				return nil, err
			}
			return projectionClass.Of(c, w), nil
		},
	}, {
		Name: "oporp", Params: "p, k, seed=0",
		Help:    "One permutation and one random projection: the coordinates, padded with zeros to a multiple of k, are permuted and dealt to k bins of equal size, and x_j is the sum of ±u_i over bin j. 1 ≤ k ≤ p; .padded tells the padded dimension." + source + "Algorithms 2 and 10 (reconstructed).",
		Example: "w = oporp(10, 4)\nprint(w.padded, w.apply([0.1] * 10))",
		Run: func(c *script.Call) (any, error) {
			w, err := signrp.NewOPORP(c.Context, c.Int("p", math.MinInt, math.MaxInt), c.Int("k", math.MinInt, math.MaxInt), c.Seed("seed"))
			if err != nil {
				return nil, err
			}
			return projectionClass.Of(c, w), nil
		},
	}, {
		Name: "dp_rp", Params: "w, eps, delta, beta=1",
		Help:    "DP-RP-G-OPT (with a Rademacher w DP-RP-G-OPT-B): x plus the noise of the analytic Gaussian mechanism at the sensitivity of w. Neighbors differ in one coordinate by at most beta. eps in nats." + source + "Algorithms 1 and 9.",
		Example: "r = dp_rp(projection(20, 4), 1, 1e-6)\nprint(r.sigma, r.release([0.5] * 20))",
		Run: func(c *script.Call) (any, error) {
			w := projection(c, "w")
			if w.Kind() == signrp.OPORP {
				c.Stop("w is an OPORP: write dp_oporp(w, …)")
			}
			return asRelease(c)(signrp.NewRP(c.Context, w, c.Epsilon("eps"), c.Float("delta"), c.Float("beta")))
		},
	}, {
		Name: "dp_oporp", Params: "w, eps, delta, beta=1",
		Help:    "DP-OPORP: bin sums plus the noise of the analytic Gaussian mechanism at sensitivity beta." + source + "Algorithm 10.",
		Example: "r = dp_oporp(oporp(20, 4), 1, 1e-6)\nprint(r.variance([0.2] * 20, [0.1] * 20))",
		Run: func(c *script.Call) (any, error) {
			w := projection(c, "w")
			if w.Kind() != signrp.OPORP {
				c.Stop("w is a %s projection, want oporp(p, k)", w.Kind())
			}
			return asRelease(c)(signrp.NewRP(c.Context, w, c.Epsilon("eps"), c.Float("delta"), c.Float("beta")))
		},
	}, {
		Name: "raw_gaussian", Params: "p, eps, delta, beta=1",
		Help:    "Raw-data-G-OPT: u itself plus the noise of the analytic Gaussian mechanism at sensitivity beta, the baseline." + source + "Theorem C.1.",
		Example: "print(raw_gaussian(20, 1, 1e-6).variance([0.2] * 20, [0.1] * 20))",
		Run: func(c *script.Call) (any, error) {
			return asRelease(c)(signrp.NewRaw(c.Int("p", math.MinInt, math.MaxInt), c.Epsilon("eps"), c.Float("delta"), c.Float("beta")))
		},
	}, {
		Name: "dp_signrp", Params: `w, eps, noise="rr", delta=None, beta=1, smoothing=False`,
		Help:    `Signs of projections, made private. noise "rr" flips each with probability 1/(e^ε'+1), ε' = eps/k, or eps for OPORP, where a coordinate reaches one bin; with delta ε' = eps/N₊ as published (Proposition 4.4), which depends on the private ‖u‖ and is no differential privacy. smoothing flips with probability 1/(e^{L_j ε'}+1), L_j = ⌈|w_jᵀu|/(beta·max|W_ij|)⌉; it takes no delta, as N₊ bounds the signs that flip while a move changes the level L_j of any. noise "gaussian" adds the Gaussian noise of (eps, delta) before the sign.` + source + "Algorithms 3 and 4 (reconstructed), Theorem 4.6.",
		Example: "r = dp_signrp(projection(20, 4), 2)\nu, v = [0.5] * 20, [-0.5] + [0.5] * 19\nprint(r.release(u), r.smallest_epsilon(u, v), r.public_epsilon)",
		Run: func(c *script.Call) (any, error) {
			return asRelease(c)(signrp.NewSignRP(c.Context, projection(c, "w"), c.Epsilon("eps"), signrp.SignOptions{
				Noise: signNoise(c), Delta: signDelta(c), Beta: c.Float("beta"), Smoothing: c.Bool("smoothing"),
			}))
		},
	}, {
		Name: "idp_signrp", Params: `w, eps, noise="rr", delta=None, beta=1`,
		Help:    `iDP-SignRP: only the signs within reach, |w_jᵀu| ≤ beta·max|W_ij|, are flipped ("rr") or get Gaussian noise ("gaussian", with delta). Its guarantee is ` + signrp.IndividualLabel + `, and the published one is refuted: which signs are within reach depends on the data, so smallest_epsilon is infinite where a neighbor has others.` + source + "Algorithms 6 to 8.",
		Example: "r = idp_signrp(projection(2, 1, seed=1), 1)\nprint(r)\nprint(r.smallest_epsilon([0.6, 0.5]))",
		Run: func(c *script.Call) (any, error) {
			return asRelease(c)(signrp.NewIndividual(projection(c, "w"), c.Epsilon("eps"), signrp.SignOptions{
				Noise: signNoise(c), Delta: signDelta(c), Beta: c.Float("beta"),
			}))
		},
	}, {
		Name: "p_plus", Params: `u, beta=1, kind="rademacher", s=3, draws=100000, seed=0`,
		Help:    `The true P₊ = Pr(beta·max|w_i| ≥ |wᵀu|) of one column: for "rademacher" exact where the u_i share a coarse lattice or at most 40 of them are not zero (32 where sizes differ by 10^20 or more), certified otherwise (u read as shortest decimals); for "gaussian" certified, of relative width some 1e-10; for "uniform" and "sparse" estimated from draws.` + source + "(9).",
		Example: "print(p_plus([0.5, 0.25, 1]), p_plus([0.5, 0.25, 1], kind=\"gaussian\"))",
		Run: func(c *script.Call) (any, error) {
			u, beta := c.Floats("u"), c.Float("beta")
			switch kind := signrp.Kind(c.Choice("kind", "rademacher", "gaussian", "uniform", "sparse")); kind {
			case signrp.Rademacher:
				return number(signrp.RademacherPPlus(c.Context, u, beta))
			case signrp.Gaussian:
				return number(signrp.GaussianPPlus(c.Context, u, beta))
			default:
				e, err := signrp.EstimatePPlus(c.Context, signrp.Column{Kind: kind, S: c.Float("s"), U: u, Beta: beta}, c.Int("draws", 1, 1<<30), c.Streams("seed"))
				return script.Known(e), err
			}
		},
	}, {
		Name: "p_plus_printed", Params: `ratio, p, kind="gaussian"`,
		Help:    `P₊ as printed, at ratio = beta/‖u‖: for "gaussian" the integral of (5), (11) and (21), refuted as a bound; for "rademacher" 2Φ(ratio) − 1 of (10). Claimed.` + source + "Lemma 4.2.",
		Example: "print(p_plus_printed(0.9, 20), p_plus([0.5] * 20, beta=0.45 * math.sqrt(20), kind=\"gaussian\"))",
		Run: func(c *script.Call) (any, error) {
			published := signrp.PublishedGaussian
			if c.Choice("kind", "gaussian", "rademacher") == "rademacher" {
				published = signrp.PublishedRademacher
			}
			v, err := published(c.Float("ratio"), c.Int("p", 1, 1<<28))
			return script.Known(v), err
		},
	}, {
		Name: "n_plus", Params: `probability, k, delta, rule="chernoff"`,
		Help:    `N₊: a number of signs that more than so many of k are within reach with probability at most delta, from the probability P₊ of one. rule "chernoff" is Proposition 4.4 rounded down, "binomial" the exact quantile, never larger. P₊ depends on the private ‖u‖, and so does N₊. A certified probability counts by its upper end.`,
		Example: "print(n_plus(0.05, 512, 1e-6), n_plus(0.05, 512, 1e-6, rule=\"binomial\"))",
		Run: func(c *script.Call) (any, error) {
			count := signrp.ChernoffCount
			if c.Choice("rule", "chernoff", "binomial") == "binomial" {
				count = signrp.BinomialCount
			}
			n, err := count(c.Upper("probability"), c.Int("k", 1, 1<<20), c.Float("delta")) // more within reach, more signs
			return starlark.MakeInt(n), err
		},
	}, {
		Name: "random_w_delta", Params: "probability, k, n",
		Help:    "Pr(Bin(k, probability) > n): over random W, the probability that u and its neighbors have more than n signs in reach of each other. Randomised response with a public ε' = ε/n is (ε, this)-private over W and the flips together; with n made from ‖u‖, as published, neighbors have other ε' and the proof does not count that. Certified.",
		Example: "print(random_w_delta(0.05, 512, 60))",
		Run: func(c *script.Call) (any, error) {
			return certified(signrp.RandomWDelta(c.Float("probability"), c.Int("k", 1, 1<<20), c.Int("n", math.MinInt, math.MaxInt)))
		},
	}, {
		Name: "variance_ratio", Params: "p, k, sigma",
		Help:    "The ratio R of (16): variance of the inner product of unit vectors from raw data over that from k projections, at equal noise. It tends to p/k only where k·sigma⁴ dominates.",
		Example: "print(variance_ratio(1000, 10, 1), variance_ratio(1000, 10, 0.1))",
		Run: func(c *script.Call) (any, error) {
			v, err := signrp.VarianceRatio(c.Int("p", 1, 1<<40), c.Int("k", 1, 1<<20), c.Float("sigma"))
			return starlark.Float(v), err
		},
	}, {
		Name: "inner_variance", Params: "w, u, v, sigma",
		Help:    "The variance of the inner product estimated from releases of u and v with Gaussian noise sigma: Theorem C.1 for w = None (raw data), C.2 and C.3 otherwise (any law of W, OPORP with its padding). Certified.",
		Example: "print(inner_variance(oporp(6, 2), [0.5] * 6, [0.25] * 6, 0.1))",
		Run: func(c *script.Call) (any, error) {
			var w *signrp.Projection
			if c.Given("w") {
				w = script.Argument(c, "w", projectionClass)
			}
			return certified(signrp.InnerVariance(w, c.Floats("u"), c.Floats("v"), c.Float("sigma")))
		},
	}, {
		Name: "angle_estimate", Params: "a, b, eps",
		Help:    "The angle between two vectors in radians from released signs, each flipped with probability 1/(e^eps+1): eps is ε' of one sign. Unbiased where W is Gaussian. Theorem 4.5.",
		Example: "r = dp_signrp(projection(20, 64, kind=\"gaussian\"), 128)\nprint(angle_estimate(r.release([0.5] * 20), r.release([0.5] * 20, seed=1), 2))",
		Run: func(c *script.Call) (any, error) {
			v, err := signrp.AngleEstimate(signs(c, "a"), signs(c, "b"), c.Epsilon("eps"))
			return starlark.Float(v), err
		},
	}, {
		Name: "angle_variance", Params: "theta, eps, k",
		Help:    "The variance of angle_estimate at angle theta (radians) from k signs, eps being ε' of one sign: V_RR/k of Theorem 4.5. Claimed; exact for Gaussian W.",
		Example: "print(angle_variance(math.pi / 3, 0.5, 512))",
		Run: func(c *script.Call) (any, error) {
			v, err := signrp.AngleVariance(c.Float("theta"), c.Epsilon("eps"), c.Int("k", 1, 1<<20))
			return script.Known(v), err
		},
	}, {
		Name: "exceeds", Params: "r, rho, t=None",
		Help:    "Lemma E.1 for centred normals X, Y with σ_x = r·σ_y and correlation rho: a dict with \"probability\" Pr(|X| > |Y|), \"mean\" E[|X| given that]/σ_x and, with t, \"tail\" Pr(|X| > tσ_x given that) beside its \"bound\" e^{-t²/2}.",
		Example: "print(exceeds(0.5, 0.3, t=1))",
		Run:     lemmaE1,
	}, {
		Name: "images", Params: "name, first=0, count=None, required=True",
		Help:    "Images of a data set of gzipped idx3 files as a matrix: a row of numbers in [0, 1] an image. Where the file is absent, an error that names its source, or None with required=False.",
		Example: "m = images(\"mnist-test-images\", count=3, required=False)\nprint(\"absent\" if m == None else m.shape)",
		Run:     readImages,
	}, {
		Name: "retrieval", Params: "data, queries, truth=50",
		Help:    "A search experiment: for each query the `truth` rows of data at the least angle are true. .judge(release, seed) says how many of them are found from private releases of data and queries.",
		Example: "s = retrieval([[1, 0], [0, 1], [0.9, 0.1]], [[1, 0.1]], truth=1)\nprint(s.judge(raw_gaussian(2, 10, 1e-6)))",
		Run: func(c *script.Call) (any, error) {
			s, err := signrp.NewSearch(c.Context, c.Matrix("data"), c.Matrix("queries"), c.Int("truth", 1, math.MaxInt32))
			if err != nil {
				return nil, err
			}
			return searchClass.Of(c, s), nil
		},
	}}
}

func asRelease(c *script.Call) func(r *signrp.Release, err error) (starlark.Value, error) {
	return func(r *signrp.Release, err error) (starlark.Value, error) {
		if err != nil {
			return nil, err
		}
		return releaseClass.Of(c, r), nil
	}
}

func projection(c *script.Call, name string) *signrp.Projection {
	return script.Argument(c, name, projectionClass)
}

// number returns evidence or its error.
func number(n evidence.Number, err error) (starlark.Value, error) {
	if err != nil {
		return nil, err
	}
	return script.Known(n), nil
}

func signNoise(c *script.Call) signrp.Noise {
	if c.Choice("noise", "rr", "gaussian") == "rr" {
		return signrp.RandomizedResponse
	}
	return signrp.GaussianNoise
}

// signDelta returns 0 for None; 0 itself is refused.
func signDelta(c *script.Call) float64 {
	if !c.Given("delta") {
		return 0
	}
	d := c.Float("delta")
	if !(d > 0 && d < 1) {
		c.Fail("delta", c.Value("delta"), "0 < delta < 1, or None")
	}
	return d
}

// signs reads a list of ±1.
func signs(c *script.Call, name string) []int8 {
	out := []int8{}
	for i, n := range c.Ints(name) {
		if n != 1 && n != -1 {
			c.Stop("%s[%d] = %d, want 1 or -1", name, i, n)
		}
		out = append(out, int8(n))
	}
	return out
}

func lemmaE1(c *script.Call) (any, error) {
	n := signrp.Normals{Ratio: c.Float("r"), Rho: c.Float("rho")}
	p, err := n.Exceeds()
	if err != nil {
		return nil, err
	}
	mean, err := n.MeanExceeding()
	if err != nil {
		return nil, err
	}
	fields := map[string]starlark.Value{"probability": starlark.Float(p), "mean": starlark.Float(mean)}
	if c.Given("t") {
		tail, bound, err := n.TailExceeding(c.Float("t"))
		if err != nil {
			return nil, err
		}
		fields["tail"], fields["bound"] = starlark.Float(tail), starlark.Float(bound)
	}
	return script.Fields(fields), nil
}

func readImages(c *script.Call) (any, error) {
	s, err := data.Find(c.Text("name"))
	if err != nil {
		return nil, err
	}
	path, err := s.Locate(c.Session.DataDirs)
	if err != nil {
		if errors.Is(err, data.ErrAbsent) && !c.Bool("required") {
			return starlark.None, nil
		}
		return nil, err
	}
	f, err := c.Session.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	count := -1
	if c.Given("count") {
		count = c.Int("count", 1, 1<<24)
	}
	pixels, width, err := data.ReadImages(f, c.Int("first", 0, 1<<24), count)
	if err != nil {
		return nil, err
	}
	rows := make([][]float64, len(pixels)/width)
	for v := range rows {
		rows[v] = make([]float64, width)
		for i, b := range pixels[v*width : (v+1)*width] {
			rows[v][i] = float64(b) / 255
		}
	}
	return script.NewMatrix(rows), nil
}

var searchClass = &script.Class[*signrp.Search]{
	Name: "search", Help: "A search experiment, made by retrieval(data, queries).", Example: searchSetup + "print(s)",
	Show: func(s *signrp.Search) string {
		n, q := s.Size()
		return fmt.Sprintf("<search of %d queries among %d vectors>", q, n)
	},
	Attrs: []script.Attr[*signrp.Search]{{
		Name: "judge", Params: "release, seed=0",
		Help:    "Release data and queries, rank by angle or Hamming distance, and count: a dict with \"precision\" (of the first 10 found) and \"recall\" (of the true ones among the first 100).",
		Example: searchSetup + "print(s.judge(dp_signrp(projection(2, 8), 20)))",
		Run: func(c *script.Call, s *signrp.Search) (any, error) {
			n, q := s.Size()
			done, total := c.Progress("release and search", int64(n+q)), newCounter()
			r, err := s.Judge(c.Context, script.Argument(c, "release", releaseClass), func(n int64) { done(total.Add(n)) }, c.Streams("seed"))
			return retrievalDict(r), err
		},
	}, {
		Name: "judge_plain", Params: "w, signs=False",
		Help:    "The same from projections without noise, or from their signs: what no release can beat by much.",
		Example: searchSetup + "print(s.judge_plain(projection(2, 8), signs=True))",
		Run: func(c *script.Call, s *signrp.Search) (any, error) {
			r, err := s.JudgePlain(c.Context, script.Argument(c, "w", projectionClass), c.Bool("signs"))
			return retrievalDict(r), err
		},
	}},
}

const searchSetup = "s = retrieval([[1, 0], [0, 1], [0.9, 0.1]], [[1, 0.1]], truth=1)\n"

func retrievalDict(r signrp.Retrieval) starlark.Value {
	return script.Fields(map[string]starlark.Value{"precision": starlark.Float(r.Precision), "recall": starlark.Float(r.Recall)})
}
