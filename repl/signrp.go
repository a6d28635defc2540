package repl

import (
	"errors"
	"fmt"
	"math"

	"dpworkbench/evidence"
	"dpworkbench/internal/data"
	"dpworkbench/signrp"

	"go.starlark.net/starlark"
)

// signrpBuiltins are private random projections and their signs.
func signrpBuiltins() []builtin {
	const source = " Source: Sign projections, "
	return []builtin{{
		name: "projection", params: `p, k, kind="rademacher", s=3, seed=0`,
		help:    `A random p×k matrix W that the seed determines, made again whenever it is needed: x = Wᵀu/√k for data u in [-1, 1]^p. kind is "rademacher" (±1), "gaussian", "uniform" (√3·U[-1, 1]) or "sparse" (√s·{-1, 0, 1}, s ≥ 1).` + source + "Appendix B.",
		example: "w = projection(20, 4, seed=1)\nprint(w.sensitivity(), w.apply([0.5] * 20))",
		run: func(c *call) (starlark.Value, error) {
			kind := signrp.Kind(c.choice("kind", "rademacher", "gaussian", "uniform", "sparse"))
			w, err := signrp.NewProjection(kind, c.int("p", math.MinInt, math.MaxInt), c.int("k", math.MinInt, math.MaxInt), c.float("s"), c.seed("seed"))
			if err != nil {
				return nil, err
			}
			return projectionClass.of(c, w), nil
		},
	}, {
		name: "oporp", params: "p, k, seed=0",
		help:    "One permutation and one random projection: the coordinates, padded with zeros to a multiple of k, are permuted and dealt to k bins of equal size, and x_j is the sum of ±u_i over bin j. 1 ≤ k ≤ p; .padded tells the padded dimension." + source + "Algorithms 2 and 10 (reconstructed).",
		example: "w = oporp(10, 4)\nprint(w.padded, w.apply([0.1] * 10))",
		run: func(c *call) (starlark.Value, error) {
			w, err := signrp.NewOPORP(c.ctx, c.int("p", math.MinInt, math.MaxInt), c.int("k", math.MinInt, math.MaxInt), c.seed("seed"))
			if err != nil {
				return nil, err
			}
			return projectionClass.of(c, w), nil
		},
	}, {
		name: "dp_rp", params: "w, eps, delta, beta=1",
		help:    "DP-RP-G-OPT (with a Rademacher w DP-RP-G-OPT-B): x plus the noise of the analytic Gaussian mechanism at the sensitivity of w. Neighbors differ in one coordinate by at most beta. eps in nats." + source + "Algorithms 1 and 9.",
		example: "r = dp_rp(projection(20, 4), 1, 1e-6)\nprint(r.sigma, r.release([0.5] * 20))",
		run: func(c *call) (starlark.Value, error) {
			w := c.projection("w")
			if w.Kind() == signrp.OPORP {
				c.stop("w is an OPORP: write dp_oporp(w, …)")
			}
			return asRelease(c)(signrp.NewRP(c.ctx, w, c.epsilon("eps"), c.float("delta"), c.float("beta")))
		},
	}, {
		name: "dp_oporp", params: "w, eps, delta, beta=1",
		help:    "DP-OPORP: bin sums plus the noise of the analytic Gaussian mechanism at sensitivity beta." + source + "Algorithm 10.",
		example: "r = dp_oporp(oporp(20, 4), 1, 1e-6)\nprint(r.variance([0.2] * 20, [0.1] * 20))",
		run: func(c *call) (starlark.Value, error) {
			w := c.projection("w")
			if w.Kind() != signrp.OPORP {
				c.stop("w is a %s projection, want oporp(p, k)", w.Kind())
			}
			return asRelease(c)(signrp.NewRP(c.ctx, w, c.epsilon("eps"), c.float("delta"), c.float("beta")))
		},
	}, {
		name: "raw_gaussian", params: "p, eps, delta, beta=1",
		help:    "Raw-data-G-OPT: u itself plus the noise of the analytic Gaussian mechanism at sensitivity beta, the baseline." + source + "Theorem C.1.",
		example: "print(raw_gaussian(20, 1, 1e-6).variance([0.2] * 20, [0.1] * 20))",
		run: func(c *call) (starlark.Value, error) {
			return asRelease(c)(signrp.NewRaw(c.int("p", math.MinInt, math.MaxInt), c.epsilon("eps"), c.float("delta"), c.float("beta")))
		},
	}, {
		name: "dp_signrp", params: `w, eps, noise="rr", delta=None, beta=1, smoothing=False`,
		help:    `Signs of projections, made private. noise "rr" flips each with probability 1/(e^ε'+1), ε' = eps/k, or eps for OPORP, where a coordinate reaches one bin; with delta ε' = eps/N₊ as published (Proposition 4.4), which depends on the private ‖u‖ and is no differential privacy. smoothing flips with probability 1/(e^{L_j ε'}+1), L_j = ⌈|w_jᵀu|/(beta·max|W_ij|)⌉; it takes no delta, as N₊ bounds the signs that flip while a move changes the level L_j of any. noise "gaussian" adds the Gaussian noise of (eps, delta) before the sign.` + source + "Algorithms 3 and 4 (reconstructed), Theorem 4.6.",
		example: "r = dp_signrp(projection(20, 4), 2)\nu, v = [0.5] * 20, [-0.5] + [0.5] * 19\nprint(r.release(u), r.smallest_epsilon(u, v), r.public_epsilon)",
		run: func(c *call) (starlark.Value, error) {
			return asRelease(c)(signrp.NewSignRP(c.ctx, c.projection("w"), c.epsilon("eps"), signrp.SignOptions{
				Noise: c.signNoise(), Delta: c.signDelta(), Beta: c.float("beta"), Smoothing: c.bool("smoothing"),
			}))
		},
	}, {
		name: "idp_signrp", params: `w, eps, noise="rr", delta=None, beta=1`,
		help:    `iDP-SignRP: only the signs within reach, |w_jᵀu| ≤ beta·max|W_ij|, are flipped ("rr") or get Gaussian noise ("gaussian", with delta). Its guarantee is ` + signrp.IndividualLabel + `, and the published one is refuted: which signs are within reach depends on the data, so smallest_epsilon is infinite where a neighbor has others.` + source + "Algorithms 6 to 8.",
		example: "r = idp_signrp(projection(2, 1, seed=1), 1)\nprint(r)\nprint(r.smallest_epsilon([0.6, 0.5]))",
		run: func(c *call) (starlark.Value, error) {
			return asRelease(c)(signrp.NewIndividual(c.projection("w"), c.epsilon("eps"), signrp.SignOptions{
				Noise: c.signNoise(), Delta: c.signDelta(), Beta: c.float("beta"),
			}))
		},
	}, {
		name: "p_plus", params: `u, beta=1, kind="rademacher", s=3, draws=100000, seed=0`,
		help:    `The true P₊ = Pr(beta·max|w_i| ≥ |wᵀu|) of one column: for "rademacher" exact where the u_i share a coarse lattice or at most 40 of them are not zero (32 where sizes differ by 10^20 or more), certified otherwise (u read as shortest decimals); for "gaussian" certified, of relative width some 1e-10; for "uniform" and "sparse" estimated from draws.` + source + "(9).",
		example: "print(p_plus([0.5, 0.25, 1]), p_plus([0.5, 0.25, 1], kind=\"gaussian\"))",
		run: func(c *call) (starlark.Value, error) {
			u, beta := c.floats("u"), c.float("beta")
			switch kind := signrp.Kind(c.choice("kind", "rademacher", "gaussian", "uniform", "sparse")); kind {
			case signrp.Rademacher:
				return number(signrp.RademacherPPlus(c.ctx, u, beta))
			case signrp.Gaussian:
				return number(signrp.GaussianPPlus(c.ctx, u, beta))
			default:
				e, err := signrp.EstimatePPlus(c.ctx, signrp.Column{Kind: kind, S: c.float("s"), U: u, Beta: beta}, c.int("draws", 1, 1<<30), c.streams("seed"))
				return known(e), err
			}
		},
	}, {
		name: "p_plus_printed", params: `ratio, p, kind="gaussian"`,
		help:    `P₊ as printed, at ratio = beta/‖u‖: for "gaussian" the integral of (5), (11) and (21), refuted as a bound; for "rademacher" 2Φ(ratio) − 1 of (10). Claimed.` + source + "Lemma 4.2.",
		example: "print(p_plus_printed(0.9, 20), p_plus([0.5] * 20, beta=0.45 * math.sqrt(20), kind=\"gaussian\"))",
		run: func(c *call) (starlark.Value, error) {
			published := signrp.PublishedGaussian
			if c.choice("kind", "gaussian", "rademacher") == "rademacher" {
				published = signrp.PublishedRademacher
			}
			v, err := published(c.float("ratio"), c.int("p", 1, 1<<28))
			return known(v), err
		},
	}, {
		name: "n_plus", params: `probability, k, delta, rule="chernoff"`,
		help:    `N₊: a number of signs that more than so many of k are within reach with probability at most delta, from the probability P₊ of one. rule "chernoff" is Proposition 4.4 rounded down, "binomial" the exact quantile, never larger. P₊ depends on the private ‖u‖, and so does N₊. A certified probability counts by its upper end.`,
		example: "print(n_plus(0.05, 512, 1e-6), n_plus(0.05, 512, 1e-6, rule=\"binomial\"))",
		run: func(c *call) (starlark.Value, error) {
			count := signrp.ChernoffCount
			if c.choice("rule", "chernoff", "binomial") == "binomial" {
				count = signrp.BinomialCount
			}
			n, err := count(c.upper("probability"), c.int("k", 1, 1<<20), c.float("delta")) // more within reach, more signs
			return starlark.MakeInt(n), err
		},
	}, {
		name: "random_w_delta", params: "probability, k, n",
		help:    "Pr(Bin(k, probability) > n): over random W, the probability that u and its neighbors have more than n signs in reach of each other. Randomised response with a public ε' = ε/n is (ε, this)-private over W and the flips together; with n made from ‖u‖, as published, neighbors have other ε' and the proof does not count that. Certified.",
		example: "print(random_w_delta(0.05, 512, 60))",
		run: func(c *call) (starlark.Value, error) {
			return certified(signrp.RandomWDelta(c.float("probability"), c.int("k", 1, 1<<20), c.int("n", math.MinInt, math.MaxInt)))
		},
	}, {
		name: "variance_ratio", params: "p, k, sigma",
		help:    "The ratio R of (16): variance of the inner product of unit vectors from raw data over that from k projections, at equal noise. It tends to p/k only where k·sigma⁴ dominates.",
		example: "print(variance_ratio(1000, 10, 1), variance_ratio(1000, 10, 0.1))",
		run: func(c *call) (starlark.Value, error) {
			v, err := signrp.VarianceRatio(c.int("p", 1, 1<<40), c.int("k", 1, 1<<20), c.float("sigma"))
			return starlark.Float(v), err
		},
	}, {
		name: "inner_variance", params: "w, u, v, sigma",
		help:    "The variance of the inner product estimated from releases of u and v with Gaussian noise sigma: Theorem C.1 for w = None (raw data), C.2 and C.3 otherwise (any law of W, OPORP with its padding). Certified.",
		example: "print(inner_variance(oporp(6, 2), [0.5] * 6, [0.25] * 6, 0.1))",
		run: func(c *call) (starlark.Value, error) {
			var w *signrp.Projection
			if c.given("w") {
				w = argument(c, "w", projectionClass)
			}
			return certified(signrp.InnerVariance(w, c.floats("u"), c.floats("v"), c.float("sigma")))
		},
	}, {
		name: "angle_estimate", params: "a, b, eps",
		help:    "The angle between two vectors in radians from released signs, each flipped with probability 1/(e^eps+1): eps is ε' of one sign. Unbiased where W is Gaussian. Theorem 4.5.",
		example: "r = dp_signrp(projection(20, 64, kind=\"gaussian\"), 128)\nprint(angle_estimate(r.release([0.5] * 20), r.release([0.5] * 20, seed=1), 2))",
		run: func(c *call) (starlark.Value, error) {
			v, err := signrp.AngleEstimate(c.signs("a"), c.signs("b"), c.epsilon("eps"))
			return starlark.Float(v), err
		},
	}, {
		name: "angle_variance", params: "theta, eps, k",
		help:    "The variance of angle_estimate at angle theta (radians) from k signs, eps being ε' of one sign: V_RR/k of Theorem 4.5. Claimed; exact for Gaussian W.",
		example: "print(angle_variance(math.pi / 3, 0.5, 512))",
		run: func(c *call) (starlark.Value, error) {
			v, err := signrp.AngleVariance(c.float("theta"), c.epsilon("eps"), c.int("k", 1, 1<<20))
			return known(v), err
		},
	}, {
		name: "exceeds", params: "r, rho, t=None",
		help:    "Lemma E.1 for centred normals X, Y with σ_x = r·σ_y and correlation rho: a dict with \"probability\" Pr(|X| > |Y|), \"mean\" E[|X| given that]/σ_x and, with t, \"tail\" Pr(|X| > tσ_x given that) beside its \"bound\" e^{-t²/2}.",
		example: "print(exceeds(0.5, 0.3, t=1))",
		run:     lemmaE1,
	}, {
		name: "images", params: "name, first=0, count=None, required=True",
		help:    "Images of a data set of gzipped idx3 files as a matrix: a row of numbers in [0, 1] an image. Where the file is absent, an error that names its source, or None with required=False.",
		example: "m = images(\"mnist-test-images\", count=3, required=False)\nprint(\"absent\" if m == None else m.shape)",
		run:     readImages,
	}, {
		name: "retrieval", params: "data, queries, truth=50",
		help:    "A search experiment: for each query the `truth` rows of data at the least angle are true. .judge(release, seed) says how many of them are found from private releases of data and queries.",
		example: "s = retrieval([[1, 0], [0, 1], [0.9, 0.1]], [[1, 0.1]], truth=1)\nprint(s.judge(raw_gaussian(2, 10, 1e-6)))",
		run: func(c *call) (starlark.Value, error) {
			s, err := signrp.NewSearch(c.ctx, c.matrix("data"), c.matrix("queries"), c.int("truth", 1, math.MaxInt32))
			if err != nil {
				return nil, err
			}
			return searchClass.of(c, s), nil
		},
	}}
}

func asRelease(c *call) func(r *signrp.Release, err error) (starlark.Value, error) {
	return func(r *signrp.Release, err error) (starlark.Value, error) {
		if err != nil {
			return nil, err
		}
		return releaseClass.of(c, r), nil
	}
}

func (c *call) projection(name string) *signrp.Projection {
	return argument(c, name, projectionClass)
}

// number returns evidence or its error.
func number(n evidence.Number, err error) (starlark.Value, error) {
	if err != nil {
		return nil, err
	}
	return known(n), nil
}

func (c *call) signNoise() signrp.Noise {
	if c.choice("noise", "rr", "gaussian") == "rr" {
		return signrp.RandomizedResponse
	}
	return signrp.GaussianNoise
}

// signDelta returns 0 for None; 0 itself is refused.
func (c *call) signDelta() float64 {
	if !c.given("delta") {
		return 0
	}
	d := c.float("delta")
	if !(d > 0 && d < 1) {
		c.fail("delta", c.value("delta"), "0 < delta < 1, or None")
	}
	return d
}

// signs reads a list of ±1.
func (c *call) signs(name string) []int8 {
	out := []int8{}
	for i, n := range c.ints(name) {
		if n != 1 && n != -1 {
			c.stop("%s[%d] = %d, want 1 or -1", name, i, n)
		}
		out = append(out, int8(n))
	}
	return out
}

func lemmaE1(c *call) (starlark.Value, error) {
	n := signrp.Normals{Ratio: c.float("r"), Rho: c.float("rho")}
	p, err := n.Exceeds()
	if err != nil {
		return nil, err
	}
	mean, err := n.MeanExceeding()
	if err != nil {
		return nil, err
	}
	fields := map[string]starlark.Value{"probability": starlark.Float(p), "mean": starlark.Float(mean)}
	if c.given("t") {
		tail, bound, err := n.TailExceeding(c.float("t"))
		if err != nil {
			return nil, err
		}
		fields["tail"], fields["bound"] = starlark.Float(tail), starlark.Float(bound)
	}
	return fieldsOf(fields), nil
}

func readImages(c *call) (starlark.Value, error) {
	s, err := data.Find(c.string("name"))
	if err != nil {
		return nil, err
	}
	path, err := s.Locate(c.session.DataDirs)
	if err != nil {
		if errors.Is(err, data.ErrAbsent) && !c.bool("required") {
			return starlark.None, nil
		}
		return nil, err
	}
	f, err := c.session.open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	count := -1
	if c.given("count") {
		count = c.int("count", 1, 1<<24)
	}
	pixels, width, err := data.ReadImages(f, c.int("first", 0, 1<<24), count)
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
	return matrixOf(rows), nil
}

var searchClass = &class[*signrp.Search]{
	name: "search", help: "A search experiment, made by retrieval(data, queries).", example: searchSetup + "print(s)",
	show: func(s *signrp.Search) string {
		n, q := s.Size()
		return fmt.Sprintf("<search of %d queries among %d vectors>", q, n)
	},
	attrs: []attr[*signrp.Search]{{
		name: "judge", params: "release, seed=0",
		help:    "Release data and queries, rank by angle or Hamming distance, and count: a dict with \"precision\" (of the first 10 found) and \"recall\" (of the true ones among the first 100).",
		example: searchSetup + "print(s.judge(dp_signrp(projection(2, 8), 20)))",
		run: func(c *call, s *signrp.Search) (starlark.Value, error) {
			n, q := s.Size()
			done, total := c.progress("release and search", int64(n+q)), newCounter()
			r, err := s.Judge(c.ctx, argument(c, "release", releaseClass), func(n int64) { done(total.Add(n)) }, c.streams("seed"))
			return retrievalDict(r), err
		},
	}, {
		name: "judge_plain", params: "w, signs=False",
		help:    "The same from projections without noise, or from their signs: what no release can beat by much.",
		example: searchSetup + "print(s.judge_plain(projection(2, 8), signs=True))",
		run: func(c *call, s *signrp.Search) (starlark.Value, error) {
			r, err := s.JudgePlain(c.ctx, argument(c, "w", projectionClass), c.bool("signs"))
			return retrievalDict(r), err
		},
	}},
}

const searchSetup = "s = retrieval([[1, 0], [0, 1], [0.9, 0.1]], [[1, 0.1]], truth=1)\n"

func retrievalDict(r signrp.Retrieval) starlark.Value {
	return fieldsOf(map[string]starlark.Value{"precision": starlark.Float(r.Precision), "recall": starlark.Float(r.Recall)})
}
