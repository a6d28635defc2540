package repl

import (
	"fmt"
	"math/rand/v2"

	"dpworkbench/ehmc"
	"dpworkbench/evidence"
	"dpworkbench/script"
	"dpworkbench/xor"

	"go.starlark.net/starlark"
)

// xorBuiltins are the XOR mechanism: matrix-valued Bernoulli noise.
func xorBuiltins() []script.Builtin {
	return []script.Builtin{{
		Name: "bernoulli", Params: "theta, lam, n",
		Help:    "The matrix-valued Bernoulli law on n × P bits, Pr[B] ∝ exp(bᵀΠb) (XOR paper, Definition 4 and (3)). theta: symmetric P × P, common to all objects. lam: a dict from pairs (i, j), i < j from 0, to symmetric P × P blocks Λ_ij; absent pairs are 0. Bit (i, j) of the matrix is number i·P + j.",
		Example: "b = bernoulli([[0.5, 0.2], [0.2, -1]], {(0, 1): [[0.3, 0], [0, 0]]}, 2)\nprint(b.log_normalizer(), b.smallest_epsilon())",
		Run: func(c *script.Call) (any, error) {
			return asNoise(c)(asWritten(xor.NewBernoulli(c.Matrix("theta"), blocks(c, "lam"), c.Int("n", 1, 1<<31-1))))
		},
	}, {
		Name: "bernoulli_uniform", Params: "n, p, theta, lam",
		Help:    "The law with Θ = theta·I and every Λ_ij = lam·I: P independent exchangeable columns, Pr[m ones] ∝ C(n, m) exp(theta·m + lam·m(m − 1)) each. Normaliser, error rate, smallest ε and samples are closed forms, at any size.",
		Example: "b = bernoulli_uniform(100, 50, -1, 0.01)\nprint(b.error_rate(), b.smallest_epsilon())",
		Run: func(c *script.Call) (any, error) {
			return asNoise(c)(asWritten(xor.NewUniform(c.Int("n", 1, 1<<31-1), c.Int("p", 1, 1<<31-1), c.Finite("theta"), c.Finite("lam"))))
		},
	}, {
		Name: "xor_allocation", Params: "n, p, eps, alpha, sensitivity",
		Help:    "Algorithm 1 of the XOR paper: Θ = θI with θ = αε/(s√P), Λ_ij = λI with λ = (1 − α)ε/(s√P·n(n − 1)/2). eps in nats, alpha in [0, 1] (1: objects independent), sensitivity s in bits. The basis U that the paper leaves open changes nothing.",
		Example: "b = xor_allocation(2, 1, 1, 0.3, 1)\nprint(b.claimed_epsilon(), b.smallest_epsilon())",
		Run: func(c *script.Call) (any, error) {
			return asNoise(c)(xor.Allocate(xor.Budget{
				N: c.Int("n", 1, 1<<31-1), P: c.Int("p", 1, 1<<31-1), Epsilon: c.Epsilon("eps"),
				Alpha: c.FloatIn("alpha", 0, 1), Sensitivity: c.Positive("sensitivity"),
			}))
		},
	}, {
		Name: "xor_release", Params: `matrix, b, seed=0, source="seed", complement=False, method="auto"`,
		Help:    `The XOR mechanism (Definition 5): matrix ⊕ B for an N × P matrix of 0 and 1 and noise b of that shape; with complement=True the noise is 1 − B, at no cost of privacy. source="crypto" draws from the operating system's cryptographic generator and is what a real release needs; seeds are for research only: whoever knows the seed removes the noise. method as in b.sample.`,
		Example: "b = xor_allocation(2, 3, 40, 1, 1)\nprint(xor_release([[1, 0, 1], [0, 0, 1]], b, complement=True, source=\"crypto\"))",
		Run: func(c *script.Call) (any, error) {
			query, err := xor.ParseBits(c.Matrix("matrix"))
			if err != nil {
				return nil, err
			}
			out, _, err := xor.Release(c.Context, query, script.Argument(c, "b", noiseClass), releaseOptions(c), noiseSource(c))
			if err != nil {
				return nil, err
			}
			return script.NewMatrix(out.Floats()), nil
		},
	}, {
		Name: "xor_graph", Params: `adjacency, b, seed=0, source="seed", complement=False, method="auto"`,
		Help:    `Algorithm 3 of the XOR paper: an adjacency matrix (square, symmetric, zero diagonal) ⊕ B, then A ∧ Aᵀ without the diagonal. adjacency is a matrix or a network, and the answer is one likewise. source and complement as in xor_release.`,
		Example: "b = xor_allocation(3, 3, 1, 0.7, 2)\nprint(xor_graph([[0, 1, 0], [1, 0, 1], [0, 1, 0]], b, seed=1, complement=True))",
		Run: func(c *script.Call) (any, error) {
			n, isNetwork := script.Unwrap(c.Value("adjacency"), networkClass)
			var query *xor.Bits
			if isNetwork {
				query = n.bits
			} else {
				var err error
				if query, err = xor.ParseBits(c.Matrix("adjacency")); err != nil {
					return nil, err
				}
			}
			out, _, err := xor.ReleaseGraph(c.Context, query, script.Argument(c, "b", noiseClass), releaseOptions(c), noiseSource(c))
			if err != nil {
				return nil, err
			}
			if isNetwork {
				return networkClass.Of(c, &network{bits: out}), nil
			}
			return script.NewMatrix(out.Floats()), nil
		},
	}, {
		Name: "edge_leakage", Params: "eps, prior_ratio",
		Help:    "The most that an observer who knows all other edges can come to believe of one, after an ε-edge-private release: ζe^ε/(ζe^ε + 1) with ζ the larger of the prior odds prior_ratio = Pr[a]/Pr[not a] and their inverse. This is Theorem 4 of the XOR paper corrected; see claim(\"xor.theorem4\").",
		Example: "print(edge_leakage(ln(2), 0.01 / 0.99))",
		Run: func(c *script.Call) (any, error) {
			return certified(xor.EdgeLeakage(c.EpsilonOrZero("eps"), c.Float("prior_ratio")))
		},
	}, {
		Name: "sampler_delta", Params: "eps, tv",
		Help:    "The δ that an inexact sampler costs: if noise of a law is eps-private, noise of a sampler at total variation distance tv from that law is (eps, δ)-private with δ = (1 + e^eps)·tv, at most 1. A float. b.distance estimates tv.",
		Example: "print(sampler_delta(1, 0.001))",
		Run: func(c *script.Call) (any, error) {
			delta, err := ehmc.DeltaOf(c.EpsilonOrZero("eps"), c.FloatIn("tv", 0, 1))
			return starlark.Float(delta), err
		},
	}, {
		Name: "optimize_alpha", Params: `n, p, eps, sensitivity, privacy="claimed", complement=False`,
		Help:    `The share α that minimises the chance that a bit is flipped, among laws of Algorithm 1's form scaled until the budget eps is spent with equality: privacy="claimed" by condition (4) of Theorem 1, "exact" by the smallest ε for at most sensitivity bits anywhere, 1 to n·p. complement=True takes 1 − B as noise. Under exact privacy, complement and sensitivity ≤ p the answer is α = 1, randomised response.`,
		Example: "s = optimize_alpha(5, 3, 1, 2, privacy=\"exact\", complement=True)\nprint(s.alpha, s.error_rate)\nprint(s.table())",
		Run: func(c *script.Call) (any, error) {
			q := xor.AlphaProblem{
				N: c.Int("n", 1, 1<<31-1), P: c.Int("p", 1, 1<<31-1), Epsilon: c.Epsilon("eps"), Sensitivity: c.Int("sensitivity", 1, 1<<31-1),
				Privacy: xor.ClaimedPrivacy, Complement: c.Bool("complement"),
			}
			if c.Choice("privacy", "claimed", "exact") == "exact" {
				q.Privacy = xor.ExactPrivacy
			}
			s, err := xor.OptimizeAlpha(c.Context, q)
			if err != nil {
				return nil, err
			}
			return alphaClass.Of(c, &alphaSolution{q, s}), nil
		},
	}, {
		Name: "xor_blocks", Params: "n, p, eps, alpha, sensitivity, rows, columns",
		Help:    "Noise drawn block by block (XOR paper, Section 5.2): an n × p matrix cut into tiles of at most rows × columns, each with noise by Algorithm 1 at a share of eps proportional to its size.",
		Example: "q = xor_blocks(6, 6, 1, 0.7, 2, 3, 3)\nprint(q.claimed_epsilon(2), q.smallest_epsilon(2), q.error_rate())",
		Run: func(c *script.Call) (any, error) {
			q, err := xor.Divide(xor.Budget{
				N: c.Int("n", 1, 1<<20), P: c.Int("p", 1, 1<<20), Epsilon: c.Epsilon("eps"),
				Alpha: c.FloatIn("alpha", 0, 1), Sensitivity: c.Positive("sensitivity"),
			}, c.Int("rows", 1, 1<<20), c.Int("columns", 1, 1<<20))
			if err != nil {
				return nil, err
			}
			return blocksClass.Of(c, q), nil
		},
	}}
}

// asWritten reads the parameters of a law as the decimals that a script has.
func asWritten(b *xor.Bernoulli, err error) (*xor.Bernoulli, error) {
	if err != nil {
		return nil, err
	}
	return b.ForDecimals(), nil
}

// asNoise wraps a law.
func asNoise(c *script.Call) func(*xor.Bernoulli, error) (starlark.Value, error) {
	return func(b *xor.Bernoulli, err error) (starlark.Value, error) {
		if err != nil {
			return nil, err
		}
		return noiseClass.Of(c, b), nil
	}
}

// blocks reads the dict of association blocks.
func blocks(c *script.Call, name string) map[xor.Pair][][]float64 {
	d, ok := c.Value(name).(*starlark.Dict)
	if !ok {
		c.Fail(name, c.Value(name), "a dict from pairs (i, j) to matrices")
	}
	out := make(map[xor.Pair][][]float64, d.Len())
	for _, item := range d.Items() {
		key, ok := script.Elements(item[0])
		var pair xor.Pair
		if ok = ok && len(key) == 2; ok {
			var okI, okJ bool
			pair.I, okI = script.ToInt(key[0])
			pair.J, okJ = script.ToInt(key[1])
			ok = okI && okJ
		}
		if !ok {
			c.Fail(name+" key", item[0], "a pair (i, j) of object numbers")
		}
		where := fmt.Sprintf("%s[(%d, %d)]", name, pair.I, pair.J)
		rows, ok := script.Elements(item[1])
		if !ok {
			c.Fail(where, item[1], "a matrix")
		}
		block := make([][]float64, len(rows))
		for i, row := range rows {
			cells, ok := script.Elements(row)
			if !ok {
				c.Fail(fmt.Sprintf("%s[%d]", where, i), row, "a list of numbers")
			}
			for j, cell := range cells {
				v, ok := script.ToFloat(cell)
				if !ok {
					c.Fail(fmt.Sprintf("%s[%d][%d]", where, i, j), cell, "a number")
				}
				block[i] = append(block[i], v)
			}
		}
		out[pair] = block
	}
	return out
}

// releaseOptions reads complement and method.
func releaseOptions(c *script.Call) xor.ReleaseOptions {
	return xor.ReleaseOptions{Complement: c.Bool("complement"), Method: method(c)}
}

func method(c *script.Call) xor.Method {
	return xor.Method(c.Choice("method", "auto", "closed", "enumerate", "perfect", "ehmc", "gibbs", "printed"))
}

// noiseSource is the source that source and seed name.
func noiseSource(c *script.Call) rand.Source {
	if c.Choice("source", "seed", "crypto") == "crypto" {
		return xor.NewCryptoSource()
	}
	return c.Source("seed")
}

// visiting reports the progress of an enumeration.
func visiting(c *script.Call, name string) xor.Options {
	var report func(int64)
	return xor.Options{Progress: func(done, total uint64) {
		if report == nil {
			report = c.Progress(name, int64(total))
		}
		report(int64(done))
	}}
}

// alphaSolution keeps the question with the answer.
type alphaSolution struct {
	problem xor.AlphaProblem
	*xor.AlphaSolution
}

const alphaSetup = "s = optimize_alpha(4, 2, 1, 1, privacy=\"exact\", complement=True)\n"

var alphaClass = &script.Class[*alphaSolution]{
	Name: "alpha_solution", Help: "The best share α of Algorithm 1's form, with what it is compared to.", Example: alphaSetup + "print(s)",
	Show: func(s *alphaSolution) string {
		hint := ""
		if s.FlipRate.Lo > 0.500001 && !s.problem.Complement {
			hint = fmt.Sprintf(", more than a fair coin: complement=True takes 1 - B, and this law's flips %s", evidence.FormatFloat(1-s.FlipRate.Float(), 6))
		}
		return fmt.Sprintf("<alpha = %s, smallest eps %s, flips %s of the bits%s>", evidence.FormatFloat(s.Alpha, 6), evidence.FormatFloat(s.Smallest.Float(), 6), evidence.FormatFloat(s.FlipRate.Float(), 6), hint)
	},
	Attrs: []script.Attr[*alphaSolution]{{
		Name: "alpha", Help: "The best share, in [0, 1].", Example: alphaSetup + "print(s.alpha)",
		Get: func(c *script.Call, s *alphaSolution) (any, error) { return starlark.Float(s.Alpha), nil },
	}, {
		Name: "law", Help: "The law, for b.sample and xor_release.", Example: alphaSetup + "print(s.law)",
		Get: func(c *script.Call, s *alphaSolution) (any, error) { return noiseClass.Of(c, s.Law), nil },
	}, {
		Name: "error_rate", Help: "The chance that a bit is flipped, with the complement where that was asked for. Certified.", Example: alphaSetup + "print(s.error_rate)",
		Get: func(c *script.Call, s *alphaSolution) (any, error) { return script.Known(s.FlipRate), nil },
	}, {
		Name: "claimed_epsilon", Help: "What Theorem 1 promises of the law.", Example: alphaSetup + "print(s.claimed_epsilon)",
		Get: func(c *script.Call, s *alphaSolution) (any, error) { return script.Known(s.Claimed), nil },
	}, {
		Name: "smallest_epsilon", Help: "What the law spends for at most sensitivity bits anywhere. Certified.", Example: alphaSetup + "print(s.smallest_epsilon)",
		Get: func(c *script.Call, s *alphaSolution) (any, error) { return script.Known(s.Smallest), nil },
	}, {
		Name: "response_rate", Help: "The flip rate of randomised response, 1/(1 + e^(ε/s)), at the law's smallest ε.", Example: alphaSetup + "print(s.response_rate)",
		Get: func(c *script.Call, s *alphaSolution) (any, error) { return script.Known(s.Response), nil },
	}, {
		Name: "optimum", Help: "The least flip rate of any noise law with the same smallest ε, certified by linear programming; None above 10 bits.", Example: alphaSetup + "print(s.optimum)",
		Get: func(c *script.Call, s *alphaSolution) (any, error) {
			best, err := optimalRate(c, s)
			if err != nil || best == nil {
				return starlark.None, err
			}
			return script.Known(best), nil
		},
	}, {
		Name: "table", Params: "", Help: "The law beside randomised response at the same smallest ε and, for at most 10 bits, the certified optimum over all noise laws.", Example: alphaSetup + "print(s.table())",
		Run: func(c *script.Call, s *alphaSolution) (any, error) { return alphaTable(c, s) },
	}},
}

const blocksSetup = "q = xor_blocks(6, 6, 1, 0.7, 2, 3, 3)\n"

var blocksClass = &script.Class[*xor.Partition]{
	Name: "xor_blocks", Help: "Noise drawn block by block.", Example: blocksSetup + "print(q)",
	Show: func(q *xor.Partition) string { return fmt.Sprintf("<noise in %d blocks>", len(q.Tiles)) },
	Attrs: []script.Attr[*xor.Partition]{{
		Name: "claimed_epsilon", Params: "sensitivity=1", Help: "The sum over blocks of what Theorem 1 promises: composition.", Example: blocksSetup + "print(q.claimed_epsilon(2))",
		Run: func(c *script.Call, q *xor.Partition) (any, error) {
			e := q.ClaimedEpsilon(c.Int("sensitivity", 1, 1<<31-1))
			e.Caveat = sensitivityUnsaid(c)
			return script.Known(e), nil
		},
	}, {
		Name: "smallest_epsilon", Params: "sensitivity=1", Help: "The smallest ε for at most sensitivity bits anywhere: blocks are independent. Certified.", Example: blocksSetup + "print(q.smallest_epsilon(2))",
		Run: func(c *script.Call, q *xor.Partition) (any, error) {
			privacy, err := q.Under(xor.FlipBits(c.Int("sensitivity", 1, 1<<31-1)))
			if err != nil {
				return nil, err
			}
			loss, err := privacy.Loss(c.Context)
			if err != nil {
				return nil, err
			}
			loss.Caveat = sensitivityUnsaid(c)
			return script.Known(loss.Certified), nil
		},
	}, {
		Name: "error_rate", Params: "complement=False", Help: "The chance that a bit is flipped, the mean over all bits. Certified.", Example: blocksSetup + "print(q.error_rate())",
		Run: func(c *script.Call, q *xor.Partition) (any, error) {
			return certified(q.FlipRate(c.Context, c.Bool("complement")))
		},
	}, {
		Name: "sample", Params: `k=1, seed=0, source="seed"`, Help: "A list of k noise matrices.", Example: blocksSetup + "print(q.sample(1)[0])",
		Run: func(c *script.Call, q *xor.Partition) (any, error) {
			src := noiseSource(c)
			checkDraws(c, q)
			out := make([]starlark.Value, c.Int("k", 1, 1<<20))
			for i := range out {
				noise, err := q.Noise(c.Context, src)
				if err != nil {
					return nil, err
				}
				out[i] = script.NewMatrix(noise.Floats())
			}
			return starlark.NewList(out), nil
		},
	}},
}
