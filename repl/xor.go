package repl

import (
	"fmt"
	"math/rand/v2"

	"dpworkbench/ehmc"
	"dpworkbench/script"
	"dpworkbench/xor"

	"go.starlark.net/starlark"
)

// xorBuiltins returns the XOR mechanism: matrix-valued Bernoulli noise.
func xorBuiltins() []script.Builtin {
	return []script.Builtin{
		script.Func("bernoulli(theta: matrix, lam: blocks, n: int) -> bernoulli",
			"The matrix-valued Bernoulli law on n × P bits, Pr[B] ∝ exp(bᵀΠb) (XOR paper, Definition 4 and (3)). theta: symmetric P × P, common to all objects. lam: a dict from pairs (i, j), i < j from 0, to symmetric P × P blocks Λ_ij; absent pairs are 0. Bit (i, j) of the matrix is number i·P + j.",
			"b = bernoulli([[0.5, 0.2], [0.2, -1]], {(0, 1): [[0.3, 0], [0, 0]]}, 2)\nprint(b.log_normalizer(), b.smallest_epsilon())", func(c *script.Call) (any, error) {
				return asWritten(xor.NewBernoulli(c.Rows("theta"), c.Arg("lam").(map[xor.Pair][][]float64), c.Int("n")))
			}),
		script.Func("bernoulli_uniform(n: int[1..2147483647], p: int[1..2147483647], theta: choice, lam: choice) -> bernoulli",
			"The law with Θ = theta·I and every Λ_ij = lam·I: P independent exchangeable columns, Pr[m ones] ∝ C(n, m) exp(theta·m + lam·m(m − 1)) each. Normaliser, error rate, smallest ε and samples are closed forms, at any size.",
			"b = bernoulli_uniform(100, 50, -1, 0.01)\nprint(b.error_rate(), b.smallest_epsilon())", func(c *script.Call) (any, error) {
				return asWritten(xor.NewUniform(c.Int("n"), c.Int("p"), c.Float("theta"), c.Float("lam")))
			}),
		script.Func("xor_allocation(n: int[1..2147483647], p: int[1..2147483647], eps: epsilon, alpha: choice[0..1], sensitivity: positive) -> bernoulli",
			"Algorithm 1 of the XOR paper: Θ = θI with θ = αε/(s√P), Λ_ij = λI with λ = (1 − α)ε/(s√P·n(n − 1)/2). eps in nats, alpha in [0, 1] (1: objects independent), sensitivity s in bits. The result does not depend on the basis U, which the paper leaves open.",
			"b = xor_allocation(2, 1, 1, 0.3, 1)\nprint(b.claimed_epsilon(), b.smallest_epsilon())", func(c *script.Call) (any, error) { return xor.Allocate(budget(c)) }),
		script.Func(`xor_release(matrix: bits, b: bernoulli, seed: seed=None, source: "seed"|"crypto"="crypto", complement: bool=False, method: noise_method="auto", sensitivity: int[1..2147483647]=1) -> released|matrix`,
			"The XOR mechanism (Definition 5): releases matrix ⊕ B for an N × P matrix of 0 and 1 and noise b of that shape, drawn from the operating system's generator with exactly its law; with complement=True the noise is 1 − B, which has the same privacy. A warning, on standard error and in the record, reports noise that flips more than half of the bits on average. method is as in b.sample; a law without an exact sampler is an error. sensitivity is the number of bits in which neighbors differ, for the record. source=\"seed\" is seed=0."+seedHelp,
			"b = xor_allocation(2, 3, 40, 1, 1)\nprint(xor_release([[1, 0, 1], [0, 0, 1]], b, complement=True))", func(c *script.Call) (any, error) {
				b := noiseClass.Arg(c, "b")
				return releaseBits(c, lawName(b), lawParameters(c, b), lawOverHalf(c, b), func(src rand.Source) (*xor.Bits, error) {
					out, _, err := xor.Release(c.Context, c.Arg("matrix").(*xor.Bits), b, releaseOptions(c), src)
					return out, err
				}, costOf(b))
			}),
		script.Func(`xor_graph(adjacency: network|bits, b: bernoulli, seed: seed=None, source: "seed"|"crypto"="crypto", complement: bool=False, method: noise_method="auto") -> released|value`,
			"Algorithm 3 of the XOR paper: releases an adjacency matrix (square, symmetric, zero diagonal) ⊕ B, then A ∧ Aᵀ without the diagonal. adjacency is a matrix or a network, and the value is of the same type. Neighbors differ in one edge. Everything else is as in xor_release."+seedHelp,
			"b = xor_allocation(3, 3, 1, 0.7, 2)\nprint(xor_graph([[0, 1, 0], [1, 0, 1], [0, 1, 0]], b, seed=1, complement=True))", func(c *script.Call) (any, error) {
				b := noiseClass.Arg(c, "b")
				var warnings []string
				parameters := lawParameters(c, b)
				return release(c, lawName(b), func(src rand.Source) (any, error) {
					warnings = lawOverHalf(c, b)
					return releasedGraph(c, b, src)
				}, func(c *script.Call) (record, error) {
					epsilon, err := costOf(b)(c, xor.FlipEdges(1))
					return record{parameters: parameters, neighbors: "graphs that differ in one edge", draws: 1, epsilon: epsilon, delta: starlark.MakeInt(0), grid: starlark.None, warnings: warnings}, err
				})
			}),
		script.Func(`xor_simulate(matrix: bits, b: bernoulli, seed: seed=0, complement: bool=False, method: noise_method="auto") -> matrix`,
			"A simulation of xor_release from a seed, for research only.",
			"b = xor_allocation(2, 3, 40, 1, 1)\nprint(xor_simulate([[1, 0, 1], [0, 0, 1]], b, seed=1, complement=True))", func(c *script.Call) (any, error) {
				b := noiseClass.Arg(c, "b")
				lawOverHalf(c, b)
				out, _, err := xor.Release(c.Context, c.Arg("matrix").(*xor.Bits), b, releaseOptions(c), c.Source("seed"))
				if err != nil {
					return nil, err
				}
				return flipped(c, out), nil
			}),
		script.Func(`xor_simulate_graph(adjacency: network|bits, b: bernoulli, seed: seed=0, complement: bool=False, method: noise_method="auto") -> value`,
			"A simulation of xor_graph from a seed, for research only.",
			"b = xor_allocation(3, 3, 1, 0.7, 2)\nprint(xor_simulate_graph([[0, 1, 0], [1, 0, 1], [0, 1, 0]], b, seed=1, complement=True))", func(c *script.Call) (any, error) {
				b := noiseClass.Arg(c, "b")
				lawOverHalf(c, b)
				return releasedGraph(c, b, c.Source("seed"))
			}),
		script.Func("edge_leakage(eps: epsilon0, prior_ratio: number) -> evidence",
			"The largest posterior probability of an edge, or of its absence, for an observer who knows all other edges, after an ε-edge-private release: ζe^ε/(ζe^ε + 1), where ζ is the larger of the prior odds prior_ratio = Pr[a]/Pr[not a] and their inverse. This is Theorem 4 of the XOR paper corrected; see claim(\"xor.theorem4\").",
			"print(edge_leakage(ln(2), 0.01 / 0.99))", func(c *script.Call) (any, error) { return xor.EdgeLeakage(c.Epsilon("eps"), c.Float("prior_ratio")) }),
		script.Func("sampler_delta(eps: epsilon0, tv: upper[0..1]) -> number",
			"The δ of an inexact sampler: if noise of a law is eps-private, noise of a sampler at total variation distance tv from the law is (eps, δ)-private with δ = (1 + e^eps)·tv, at most 1. A float. b.distance estimates tv.",
			"print(sampler_delta(1, 0.001))", func(c *script.Call) (any, error) { return ehmc.DeltaOf(c.Epsilon("eps"), c.Float("tv")) }),
		script.Func(`optimize_alpha(n: int[1..2147483647], p: int[1..2147483647], eps: epsilon, sensitivity: int[1..], privacy: "claimed"|"exact"="claimed", complement: bool=False) -> alpha_solution`,
			`The share α that minimises the probability that a bit is flipped, among laws of Algorithm 1's form that are scaled to use the budget eps exactly: privacy="claimed" by condition (4) of Theorem 1, "exact" by the smallest ε for at most sensitivity bits anywhere, 1 to n·p. complement=True takes 1 − B as noise, and law is then the law of 1 − B, which is released without complement. Under exact privacy, complement and sensitivity ≤ p the answer is α = 1, randomised response.`+overnight(`law = lambda alpha: xor_allocation(5, 3, 1, alpha, 2)
exact = lambda b: b.scaled(1 / b.smallest_epsilon(2).hi)
f = lambda t: exact(law(t.suggest_float("alpha", 0, 1))).error_rate(complement=True)`+runOvernight),
			"s = optimize_alpha(5, 3, 1, 2, privacy=\"exact\", complement=True)\nprint(s.alpha, s.error_rate)\nprint(s.table())", func(c *script.Call) (any, error) {
				privacies := map[string]xor.Constraint{"claimed": xor.ClaimedPrivacy, "exact": xor.ExactPrivacy}
				q := xor.AlphaProblem{
					N: c.Int("n"), P: c.Int("p"), Epsilon: c.Epsilon("eps"), Sensitivity: c.Int("sensitivity"),
					Privacy: privacies[c.Text("privacy")], Complement: c.Bool("complement"),
				}
				s, err := xor.OptimizeAlpha(c.Context, q)
				return &alphaSolution{q, s}, err
			}),
	}
}

// xorKinds returns the parameter kinds of xorBuiltins.
func xorKinds() []script.Kind {
	return []script.Kind{
		script.Words("noise_method", func() []string { return []string{"auto", "closed", "enumerate", "perfect", "ehmc", "gibbs", "printed"} }),
		script.KindOf("bits", bitsOf),
		script.KindOfList("bit_matrices", bitsOf),
		script.KindOf("blocks", blocksOf),
		script.KindOfList("labels", labelOf),
	}
}

// asWritten returns the law whose parameters are the decimals that the script wrote.
func asWritten(b *xor.Bernoulli, err error) (any, error) { return must(b, err).ForDecimals(), nil }

// budget returns the privacy budget that Algorithm 1 divides.
func budget(c *script.Call) xor.Budget {
	return xor.Budget{N: c.Int("n"), P: c.Int("p"), Epsilon: c.Epsilon("eps"), Alpha: c.Float("alpha"), Sensitivity: c.Float("sensitivity")}
}

// bitsOf reads a matrix of 0 and 1.
func bitsOf(c *script.Call, name string, v starlark.Value) *xor.Bits {
	rows := c.MatrixOf(name, v)
	for i, row := range rows {
		for j, x := range row {
			if x != 0 && x != 1 {
				c.Fail(fmt.Sprintf("%s[%d][%d]", name, i, j), starlark.Float(x), "0 or 1")
			}
		}
	}
	m, err := xor.ParseBits(rows)
	if err != nil {
		script.Refuse(err)
	}
	return m
}

// bitMatrix returns a matrix of 0 and 1 as a script value.
func bitMatrix(m *xor.Bits) any { return script.NewMatrix(m.Floats()) }

// blocksOf reads a dict of association blocks.
func blocksOf(c *script.Call, name string, v starlark.Value) map[xor.Pair][][]float64 {
	d, ok := v.(*starlark.Dict)
	if !ok {
		c.Fail(name, v, "a dict from pairs (i, j) to matrices")
	}
	out := make(map[xor.Pair][][]float64, d.Len())
	for _, item := range d.Items() {
		pair := c.PairOf(name+" key", item[0])
		out[xor.Pair{I: pair[0], J: pair[1]}] = c.MatrixOf(fmt.Sprintf("%s[(%d, %d)]", name, pair[0], pair[1]), item[1])
	}
	return out
}
