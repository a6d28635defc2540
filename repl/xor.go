package repl

import (
	"fmt"
	"math/rand/v2"

	"dpworkbench/ehmc"
	"dpworkbench/evidence"
	"dpworkbench/xor"

	"go.starlark.net/starlark"
)

// xorBuiltins are the XOR mechanism: matrix-valued Bernoulli noise.
func xorBuiltins() []builtin {
	return []builtin{{
		name: "bernoulli", params: "theta, lam, n",
		help:    "The matrix-valued Bernoulli law on n × P bits, Pr[B] ∝ exp(bᵀΠb) (XOR paper, Definition 4 and (3)). theta: symmetric P × P, common to all objects. lam: a dict from pairs (i, j), i < j from 0, to symmetric P × P blocks Λ_ij; absent pairs are 0. Bit (i, j) of the matrix is number i·P + j.",
		example: "b = bernoulli([[0.5, 0.2], [0.2, -1]], {(0, 1): [[0.3, 0], [0, 0]]}, 2)\nprint(b.log_normalizer(), b.smallest_epsilon())",
		run: func(c *call) (starlark.Value, error) {
			return asNoise(c)(asWritten(xor.NewBernoulli(c.matrix("theta"), c.blocks("lam"), c.int("n", 1, 1<<31-1))))
		},
	}, {
		name: "bernoulli_uniform", params: "n, p, theta, lam",
		help:    "The law with Θ = theta·I and every Λ_ij = lam·I: P independent exchangeable columns, Pr[m ones] ∝ C(n, m) exp(theta·m + lam·m(m − 1)) each. Normaliser, error rate, smallest ε and samples are closed forms, at any size.",
		example: "b = bernoulli_uniform(100, 50, -1, 0.01)\nprint(b.error_rate(), b.smallest_epsilon())",
		run: func(c *call) (starlark.Value, error) {
			return asNoise(c)(asWritten(xor.NewUniform(c.int("n", 1, 1<<31-1), c.int("p", 1, 1<<31-1), c.finite("theta"), c.finite("lam"))))
		},
	}, {
		name: "xor_allocation", params: "n, p, eps, alpha, sensitivity",
		help:    "Algorithm 1 of the XOR paper: Θ = θI with θ = αε/(s√P), Λ_ij = λI with λ = (1 − α)ε/(s√P·n(n − 1)/2). eps in nats, alpha in [0, 1] (1: objects independent), sensitivity s in bits. The basis U that the paper leaves open changes nothing.",
		example: "b = xor_allocation(2, 1, 1, 0.3, 1)\nprint(b.claimed_epsilon(), b.smallest_epsilon())",
		run: func(c *call) (starlark.Value, error) {
			return asNoise(c)(xor.Allocate(xor.Budget{
				N: c.int("n", 1, 1<<31-1), P: c.int("p", 1, 1<<31-1), Epsilon: c.epsilon("eps"),
				Alpha: c.floatIn("alpha", 0, 1), Sensitivity: c.positive("sensitivity"),
			}))
		},
	}, {
		name: "xor_release", params: `matrix, b, seed=0, source="seed", complement=False, method="auto"`,
		help:    `The XOR mechanism (Definition 5): matrix ⊕ B for an N × P matrix of 0 and 1 and noise b of that shape; with complement=True the noise is 1 − B, at no cost of privacy. source="crypto" draws from the operating system's cryptographic generator and is what a real release needs; seeds are for research only: whoever knows the seed removes the noise. method as in b.sample.`,
		example: "b = xor_allocation(2, 3, 40, 1, 1)\nprint(xor_release([[1, 0, 1], [0, 0, 1]], b, complement=True, source=\"crypto\"))",
		run: func(c *call) (starlark.Value, error) {
			query, err := xor.ParseBits(c.matrix("matrix"))
			if err != nil {
				return nil, err
			}
			out, _, err := xor.Release(c.ctx, query, argument(c, "b", noiseClass), c.releaseOptions(), c.noiseSource())
			if err != nil {
				return nil, err
			}
			return matrixOf(out.Floats()), nil
		},
	}, {
		name: "xor_graph", params: `adjacency, b, seed=0, source="seed", complement=False, method="auto"`,
		help:    `Algorithm 3 of the XOR paper: an adjacency matrix (square, symmetric, zero diagonal) ⊕ B, then A ∧ Aᵀ without the diagonal. adjacency is a matrix or a network, and the answer is one likewise. source and complement as in xor_release.`,
		example: "b = xor_allocation(3, 3, 1, 0.7, 2)\nprint(xor_graph([[0, 1, 0], [1, 0, 1], [0, 1, 0]], b, seed=1, complement=True))",
		run: func(c *call) (starlark.Value, error) {
			n, isNetwork := unwrap(c.value("adjacency"), networkClass)
			var query *xor.Bits
			if isNetwork {
				query = n.bits
			} else {
				var err error
				if query, err = xor.ParseBits(c.matrix("adjacency")); err != nil {
					return nil, err
				}
			}
			out, _, err := xor.ReleaseGraph(c.ctx, query, argument(c, "b", noiseClass), c.releaseOptions(), c.noiseSource())
			if err != nil {
				return nil, err
			}
			if isNetwork {
				return networkClass.of(c, &network{bits: out}), nil
			}
			return matrixOf(out.Floats()), nil
		},
	}, {
		name: "edge_leakage", params: "eps, prior_ratio",
		help:    "The most that an observer who knows all other edges can come to believe of one, after an ε-edge-private release: ζe^ε/(ζe^ε + 1) with ζ the larger of the prior odds prior_ratio = Pr[a]/Pr[not a] and their inverse. This is Theorem 4 of the XOR paper corrected; see claim(\"xor.theorem4\").",
		example: "print(edge_leakage(ln(2), 0.01 / 0.99))",
		run: func(c *call) (starlark.Value, error) {
			return certified(xor.EdgeLeakage(c.epsilonOrZero("eps"), c.float("prior_ratio")))
		},
	}, {
		name: "sampler_delta", params: "eps, tv",
		help:    "The δ that an inexact sampler costs: if noise of a law is eps-private, noise of a sampler at total variation distance tv from that law is (eps, δ)-private with δ = (1 + e^eps)·tv, at most 1. A float. b.distance estimates tv.",
		example: "print(sampler_delta(1, 0.001))",
		run: func(c *call) (starlark.Value, error) {
			delta, err := ehmc.DeltaOf(c.epsilonOrZero("eps"), c.floatIn("tv", 0, 1))
			return starlark.Float(delta), err
		},
	}, {
		name: "optimize_alpha", params: `n, p, eps, sensitivity, privacy="claimed", complement=False`,
		help:    `The share α that minimises the chance that a bit is flipped, among laws of Algorithm 1's form scaled until the budget eps is spent with equality: privacy="claimed" by condition (4) of Theorem 1, "exact" by the smallest ε for at most sensitivity bits anywhere, 1 to n·p. complement=True takes 1 − B as noise. Under exact privacy, complement and sensitivity ≤ p the answer is α = 1, randomised response.`,
		example: "s = optimize_alpha(5, 3, 1, 2, privacy=\"exact\", complement=True)\nprint(s.alpha, s.error_rate)\nprint(s.table())",
		run: func(c *call) (starlark.Value, error) {
			q := xor.AlphaProblem{
				N: c.int("n", 1, 1<<31-1), P: c.int("p", 1, 1<<31-1), Epsilon: c.epsilon("eps"), Sensitivity: c.int("sensitivity", 1, 1<<31-1),
				Privacy: xor.ClaimedPrivacy, Complement: c.bool("complement"),
			}
			if c.choice("privacy", "claimed", "exact") == "exact" {
				q.Privacy = xor.ExactPrivacy
			}
			s, err := xor.OptimizeAlpha(c.ctx, q)
			if err != nil {
				return nil, err
			}
			return alphaClass.of(c, &alphaSolution{q, s}), nil
		},
	}, {
		name: "xor_blocks", params: "n, p, eps, alpha, sensitivity, rows, columns",
		help:    "Noise drawn block by block (XOR paper, Section 5.2): an n × p matrix cut into tiles of at most rows × columns, each with noise by Algorithm 1 at a share of eps proportional to its size.",
		example: "q = xor_blocks(6, 6, 1, 0.7, 2, 3, 3)\nprint(q.claimed_epsilon(2), q.smallest_epsilon(2), q.error_rate())",
		run: func(c *call) (starlark.Value, error) {
			q, err := xor.Divide(xor.Budget{
				N: c.int("n", 1, 1<<20), P: c.int("p", 1, 1<<20), Epsilon: c.epsilon("eps"),
				Alpha: c.floatIn("alpha", 0, 1), Sensitivity: c.positive("sensitivity"),
			}, c.int("rows", 1, 1<<20), c.int("columns", 1, 1<<20))
			if err != nil {
				return nil, err
			}
			return blocksClass.of(c, q), nil
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
func asNoise(c *call) func(*xor.Bernoulli, error) (starlark.Value, error) {
	return func(b *xor.Bernoulli, err error) (starlark.Value, error) {
		if err != nil {
			return nil, err
		}
		return noiseClass.of(c, b), nil
	}
}

// blocks reads the dict of association blocks.
func (c *call) blocks(name string) map[xor.Pair][][]float64 {
	d, ok := c.value(name).(*starlark.Dict)
	if !ok {
		c.fail(name, c.value(name), "a dict from pairs (i, j) to matrices")
	}
	out := make(map[xor.Pair][][]float64, d.Len())
	for _, item := range d.Items() {
		key, ok := elements(item[0])
		var pair xor.Pair
		if ok = ok && len(key) == 2; ok {
			var okI, okJ bool
			pair.I, okI = toInt(key[0])
			pair.J, okJ = toInt(key[1])
			ok = okI && okJ
		}
		if !ok {
			c.fail(name+" key", item[0], "a pair (i, j) of object numbers")
		}
		where := fmt.Sprintf("%s[(%d, %d)]", name, pair.I, pair.J)
		rows, ok := elements(item[1])
		if !ok {
			c.fail(where, item[1], "a matrix")
		}
		block := make([][]float64, len(rows))
		for i, row := range rows {
			cells, ok := elements(row)
			if !ok {
				c.fail(fmt.Sprintf("%s[%d]", where, i), row, "a list of numbers")
			}
			for j, cell := range cells {
				v, ok := toFloat(cell)
				if !ok {
					c.fail(fmt.Sprintf("%s[%d][%d]", where, i, j), cell, "a number")
				}
				block[i] = append(block[i], v)
			}
		}
		out[pair] = block
	}
	return out
}

// releaseOptions reads complement and method.
func (c *call) releaseOptions() xor.ReleaseOptions {
	return xor.ReleaseOptions{Complement: c.bool("complement"), Method: c.method()}
}

func (c *call) method() xor.Method {
	return xor.Method(c.choice("method", "auto", "closed", "enumerate", "perfect", "ehmc", "gibbs", "printed"))
}

// noiseSource is the source that source and seed name.
func (c *call) noiseSource() rand.Source {
	if c.choice("source", "seed", "crypto") == "crypto" {
		return xor.NewCryptoSource()
	}
	return c.source("seed")
}

// visiting reports the progress of an enumeration.
func visiting(c *call, name string) xor.Options {
	var report func(int64)
	return xor.Options{Progress: func(done, total uint64) {
		if report == nil {
			report = c.progress(name, int64(total))
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

var alphaClass = &class[*alphaSolution]{
	name: "alpha_solution", help: "The best share α of Algorithm 1's form, with what it is compared to.", example: alphaSetup + "print(s)",
	show: func(s *alphaSolution) string {
		hint := ""
		if s.FlipRate.Lo > 0.500001 && !s.problem.Complement {
			hint = fmt.Sprintf(", more than a fair coin: complement=True takes 1 - B, and this law's flips %s", evidence.FormatFloat(1-s.FlipRate.Float(), 6))
		}
		return fmt.Sprintf("<alpha = %s, smallest eps %s, flips %s of the bits%s>", evidence.FormatFloat(s.Alpha, 6), evidence.FormatFloat(s.Smallest.Float(), 6), evidence.FormatFloat(s.FlipRate.Float(), 6), hint)
	},
	attrs: []attr[*alphaSolution]{{
		name: "alpha", help: "The best share, in [0, 1].", example: alphaSetup + "print(s.alpha)",
		get: func(c *call, s *alphaSolution) (starlark.Value, error) { return starlark.Float(s.Alpha), nil },
	}, {
		name: "law", help: "The law, for b.sample and xor_release.", example: alphaSetup + "print(s.law)",
		get: func(c *call, s *alphaSolution) (starlark.Value, error) { return noiseClass.of(c, s.Law), nil },
	}, {
		name: "error_rate", help: "The chance that a bit is flipped, with the complement where that was asked for. Certified.", example: alphaSetup + "print(s.error_rate)",
		get: func(c *call, s *alphaSolution) (starlark.Value, error) { return known(s.FlipRate), nil },
	}, {
		name: "claimed_epsilon", help: "What Theorem 1 promises of the law.", example: alphaSetup + "print(s.claimed_epsilon)",
		get: func(c *call, s *alphaSolution) (starlark.Value, error) { return known(s.Claimed), nil },
	}, {
		name: "smallest_epsilon", help: "What the law spends for at most sensitivity bits anywhere. Certified.", example: alphaSetup + "print(s.smallest_epsilon)",
		get: func(c *call, s *alphaSolution) (starlark.Value, error) { return known(s.Smallest), nil },
	}, {
		name: "response_rate", help: "The flip rate of randomised response, 1/(1 + e^(ε/s)), at the law's smallest ε.", example: alphaSetup + "print(s.response_rate)",
		get: func(c *call, s *alphaSolution) (starlark.Value, error) { return known(s.Response), nil },
	}, {
		name: "optimum", help: "The least flip rate of any noise law with the same smallest ε, certified by linear programming; None above 10 bits.", example: alphaSetup + "print(s.optimum)",
		get: func(c *call, s *alphaSolution) (starlark.Value, error) {
			best, err := optimalRate(c, s)
			if err != nil || best == nil {
				return starlark.None, err
			}
			return known(best), nil
		},
	}, {
		name: "table", params: "", help: "The law beside randomised response at the same smallest ε and, for at most 10 bits, the certified optimum over all noise laws.", example: alphaSetup + "print(s.table())",
		run: func(c *call, s *alphaSolution) (starlark.Value, error) { return alphaTable(c, s) },
	}},
}

const blocksSetup = "q = xor_blocks(6, 6, 1, 0.7, 2, 3, 3)\n"

var blocksClass = &class[*xor.Partition]{
	name: "xor_blocks", help: "Noise drawn block by block.", example: blocksSetup + "print(q)",
	show: func(q *xor.Partition) string { return fmt.Sprintf("<noise in %d blocks>", len(q.Tiles)) },
	attrs: []attr[*xor.Partition]{{
		name: "claimed_epsilon", params: "sensitivity=1", help: "The sum over blocks of what Theorem 1 promises: composition.", example: blocksSetup + "print(q.claimed_epsilon(2))",
		run: func(c *call, q *xor.Partition) (starlark.Value, error) {
			e := q.ClaimedEpsilon(c.int("sensitivity", 1, 1<<31-1))
			e.Caveat = c.sensitivityUnsaid()
			return known(e), nil
		},
	}, {
		name: "smallest_epsilon", params: "sensitivity=1", help: "The smallest ε for at most sensitivity bits anywhere: blocks are independent. Certified.", example: blocksSetup + "print(q.smallest_epsilon(2))",
		run: func(c *call, q *xor.Partition) (starlark.Value, error) {
			privacy, err := q.Under(xor.FlipBits(c.int("sensitivity", 1, 1<<31-1)))
			if err != nil {
				return nil, err
			}
			loss, err := privacy.Loss(c.ctx)
			if err != nil {
				return nil, err
			}
			loss.Caveat = c.sensitivityUnsaid()
			return known(loss.Certified), nil
		},
	}, {
		name: "error_rate", params: "complement=False", help: "The chance that a bit is flipped, the mean over all bits. Certified.", example: blocksSetup + "print(q.error_rate())",
		run: func(c *call, q *xor.Partition) (starlark.Value, error) {
			return certified(q.FlipRate(c.ctx, c.bool("complement")))
		},
	}, {
		name: "sample", params: `k=1, seed=0, source="seed"`, help: "A list of k noise matrices.", example: blocksSetup + "print(q.sample(1)[0])",
		run: func(c *call, q *xor.Partition) (starlark.Value, error) {
			src := c.noiseSource()
			c.checkDraws(q.Shape())
			out := make([]starlark.Value, c.int("k", 1, 1<<20))
			for i := range out {
				noise, err := q.Noise(c.ctx, src)
				if err != nil {
					return nil, err
				}
				out[i] = matrixOf(noise.Floats())
			}
			return starlark.NewList(out), nil
		},
	}},
}
