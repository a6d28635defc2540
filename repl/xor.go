package repl

import (
	"fmt"
	"math/rand/v2"

	"dpworkbench/display"
	"dpworkbench/ehmc"
	"dpworkbench/evidence"
	"dpworkbench/optimize"
	"dpworkbench/privacy"
	"dpworkbench/script"
	"dpworkbench/xor"

	"go.starlark.net/starlark"
)

// xorBuiltins are the XOR mechanism: matrix-valued Bernoulli noise.
func xorBuiltins() []script.Builtin {
	return []script.Builtin{
		script.Func("bernoulli(theta: matrix, lam: blocks, n: int) -> bernoulli",
			"The matrix-valued Bernoulli law on n × P bits, Pr[B] ∝ exp(bᵀΠb) (XOR paper, Definition 4 and (3)). theta: symmetric P × P, common to all objects. lam: a dict from pairs (i, j), i < j from 0, to symmetric P × P blocks Λ_ij; absent pairs are 0. Bit (i, j) of the matrix is number i·P + j.",
			"b = bernoulli([[0.5, 0.2], [0.2, -1]], {(0, 1): [[0.3, 0], [0, 0]]}, 2)\nprint(b.log_normalizer(), b.smallest_epsilon())", func(c *script.Call) (any, error) {
				return asWritten(xor.NewBernoulli(c.Rows("theta"), c.Arg("lam").(map[xor.Pair][][]float64), c.Int("n")))
			}),
		script.Func("bernoulli_uniform(n: int[1..2147483647], p: int[1..2147483647], theta: number, lam: number) -> bernoulli",
			"The law with Θ = theta·I and every Λ_ij = lam·I: P independent exchangeable columns, Pr[m ones] ∝ C(n, m) exp(theta·m + lam·m(m − 1)) each. Normaliser, error rate, smallest ε and samples are closed forms, at any size.",
			"b = bernoulli_uniform(100, 50, -1, 0.01)\nprint(b.error_rate(), b.smallest_epsilon())", func(c *script.Call) (any, error) {
				return asWritten(xor.NewUniform(c.Int("n"), c.Int("p"), c.Float("theta"), c.Float("lam")))
			}),
		script.Func("xor_allocation(n: int[1..2147483647], p: int[1..2147483647], eps: epsilon, alpha: number[0..1], sensitivity: positive) -> bernoulli",
			"Algorithm 1 of the XOR paper: Θ = θI with θ = αε/(s√P), Λ_ij = λI with λ = (1 − α)ε/(s√P·n(n − 1)/2). eps in nats, alpha in [0, 1] (1: objects independent), sensitivity s in bits. The basis U that the paper leaves open changes nothing.",
			"b = xor_allocation(2, 1, 1, 0.3, 1)\nprint(b.claimed_epsilon(), b.smallest_epsilon())", func(c *script.Call) (any, error) { return xor.Allocate(budget(c)) }),
		script.Func(`xor_release(matrix: bits, b: bernoulli, seed: seed=None, source: "seed"|"crypto"="crypto", complement: bool=False, method: noise_method="auto", sensitivity: int[1..2147483647]=1) -> released|matrix`,
			"The XOR mechanism (Definition 5): releases matrix ⊕ B for an N × P matrix of 0 and 1 and noise b of that shape, drawn from the operating system's generator with exactly its law; with complement=True the noise is 1 − B, at no cost of privacy. method as in b.sample; a law without an exact sampler is refused. sensitivity is how many bits neighbors differ in, for the record. source=\"seed\" is seed=0."+seedHelp,
			"b = xor_allocation(2, 3, 40, 1, 1)\nprint(xor_release([[1, 0, 1], [0, 0, 1]], b, complement=True))", func(c *script.Call) (any, error) {
				b := noiseClass.Arg(c, "b")
				return releaseBits(c, lawName(b), lawParameters(c, b), func(src rand.Source) (*xor.Bits, error) {
					out, _, err := xor.Release(c.Context, c.Arg("matrix").(*xor.Bits), b, releaseOptions(c), src)
					return out, err
				}, costOf(b))
			}),
		script.Func(`xor_graph(adjacency: network|bits, b: bernoulli, seed: seed=None, source: "seed"|"crypto"="crypto", complement: bool=False, method: noise_method="auto") -> released|value`,
			"Algorithm 3 of the XOR paper: releases an adjacency matrix (square, symmetric, zero diagonal) ⊕ B, then A ∧ Aᵀ without the diagonal. adjacency is a matrix or a network, and the value is one likewise; neighbors differ in an edge. Everything else as in xor_release."+seedHelp,
			"b = xor_allocation(3, 3, 1, 0.7, 2)\nprint(xor_graph([[0, 1, 0], [1, 0, 1], [0, 1, 0]], b, seed=1, complement=True))", func(c *script.Call) (any, error) {
				b := noiseClass.Arg(c, "b")
				src, simulated := simulating(c)
				value, err := releasedGraph(c, b, src)
				if err != nil || simulated {
					return value, err
				}
				parameters := lawParameters(c, b)
				return &released{value, lawName(b), func(c *script.Call) (record, error) {
					epsilon, err := costOf(b)(c, xor.FlipEdges(1))
					return record{parameters: parameters, neighbors: "graphs that differ in one edge", draws: 1, epsilon: epsilon, delta: starlark.MakeInt(0), grid: starlark.None}, err
				}}, nil
			}),
		script.Func(`xor_simulate(matrix: bits, b: bernoulli, seed: seed=0, complement: bool=False, method: noise_method="auto") -> matrix`,
			"What xor_release would give, simulated from a seed: for research.",
			"b = xor_allocation(2, 3, 40, 1, 1)\nprint(xor_simulate([[1, 0, 1], [0, 0, 1]], b, seed=1, complement=True))", func(c *script.Call) (any, error) {
				out, _, err := xor.Release(c.Context, c.Arg("matrix").(*xor.Bits), noiseClass.Arg(c, "b"), releaseOptions(c), c.Source("seed"))
				if err != nil {
					return nil, err
				}
				return flipped(c, out), nil
			}),
		script.Func(`xor_simulate_graph(adjacency: network|bits, b: bernoulli, seed: seed=0, complement: bool=False, method: noise_method="auto") -> value`,
			"What xor_graph would give, simulated from a seed: for research.",
			"b = xor_allocation(3, 3, 1, 0.7, 2)\nprint(xor_simulate_graph([[0, 1, 0], [1, 0, 1], [0, 1, 0]], b, seed=1, complement=True))", func(c *script.Call) (any, error) {
				return releasedGraph(c, noiseClass.Arg(c, "b"), c.Source("seed"))
			}),
		script.Func("edge_leakage(eps: epsilon0, prior_ratio: number) -> evidence",
			"The most that an observer who knows all other edges can come to believe of one, after an ε-edge-private release: ζe^ε/(ζe^ε + 1) with ζ the larger of the prior odds prior_ratio = Pr[a]/Pr[not a] and their inverse. This is Theorem 4 of the XOR paper corrected; see claim(\"xor.theorem4\").",
			"print(edge_leakage(ln(2), 0.01 / 0.99))", func(c *script.Call) (any, error) { return xor.EdgeLeakage(c.Epsilon("eps"), c.Float("prior_ratio")) }),
		script.Func("sampler_delta(eps: epsilon0, tv: number[0..1]) -> number",
			"The δ that an inexact sampler costs: if noise of a law is eps-private, noise of a sampler at total variation distance tv from that law is (eps, δ)-private with δ = (1 + e^eps)·tv, at most 1. A float. b.distance estimates tv.",
			"print(sampler_delta(1, 0.001))", func(c *script.Call) (any, error) { return ehmc.DeltaOf(c.Epsilon("eps"), c.Float("tv")) }),
		script.Func(`optimize_alpha(n: int[1..2147483647], p: int[1..2147483647], eps: epsilon, sensitivity: int[1..], privacy: "claimed"|"exact"="claimed", complement: bool=False) -> alpha_solution`,
			`The share α that minimises the chance that a bit is flipped, among laws of Algorithm 1's form scaled until the budget eps is spent with equality: privacy="claimed" by condition (4) of Theorem 1, "exact" by the smallest ε for at most sensitivity bits anywhere, 1 to n·p. complement=True takes 1 − B as noise. Under exact privacy, complement and sensitivity ≤ p the answer is α = 1, randomised response.`,
			"s = optimize_alpha(5, 3, 1, 2, privacy=\"exact\", complement=True)\nprint(s.alpha, s.error_rate)\nprint(s.table())", func(c *script.Call) (any, error) {
				privacies := map[string]xor.Constraint{"claimed": xor.ClaimedPrivacy, "exact": xor.ExactPrivacy}
				q := xor.AlphaProblem{
					N: c.Int("n"), P: c.Int("p"), Epsilon: c.Epsilon("eps"), Sensitivity: c.Int("sensitivity"),
					Privacy: privacies[c.Text("privacy")], Complement: c.Bool("complement"),
				}
				s, err := xor.OptimizeAlpha(c.Context, q)
				return &alphaSolution{q, s}, err
			}),
		script.Func("xor_blocks(n: int[1..2147483647], p: int[1..2147483647], eps: epsilon, alpha: number[0..1], sensitivity: positive, rows: int[1..], columns: int[1..]) -> xor_blocks",
			"Noise drawn block by block (XOR paper, Section 5.2): an n × p matrix cut into tiles of at most rows × columns, each with noise by Algorithm 1 at a share of eps proportional to its size.",
			"q = xor_blocks(6, 6, 1, 0.7, 2, 3, 3)\nprint(q.claimed_epsilon(2), q.smallest_epsilon(2), q.error_rate())", func(c *script.Call) (any, error) { return xor.Divide(budget(c), c.Int("rows"), c.Int("columns")) }),
	}
}

// xorKinds are what parameters of this room take.
func xorKinds() []script.Kind {
	return []script.Kind{
		script.Words("noise_method", func() []string {
			return []string{"auto", "closed", "enumerate", "perfect", "ehmc", "gibbs", "printed"}
		}),
		script.KindOf("bits", bitsOf),
		script.KindOfList("bit_matrices", bitsOf),
		script.KindOf("blocks", blocksOf),
		script.KindOfList("labels", labelOf),
	}
}

// asWritten reads the parameters of a law as the decimals that a script has.
func asWritten(b *xor.Bernoulli, err error) (any, error) { return must(b, err).ForDecimals(), nil }

// budget is what Algorithm 1 divides.
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

// bitMatrix is a matrix of 0 and 1 for scripts.
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

// alphaSolution keeps the question with the answer.
type alphaSolution struct {
	problem xor.AlphaProblem
	*xor.AlphaSolution
}

var alphaClass = &script.Class[*alphaSolution]{
	Name: "alpha_solution", Help: "The best share α of Algorithm 1's form, with what it is compared to.",
	Setup: "s = optimize_alpha(4, 2, 1, 1, privacy=\"exact\", complement=True)\n",
	Show: func(s *alphaSolution) string {
		hint := ""
		if s.FlipRate.Lo > 0.500001 && !s.problem.Complement {
			hint = fmt.Sprintf(", more than a fair coin: complement=True takes 1 - B, and this law's flips %s", evidence.FormatFloat(1-s.FlipRate.Float(), 6))
		}
		return fmt.Sprintf("<alpha = %s, smallest eps %s, flips %s of the bits%s>", evidence.FormatFloat(s.Alpha, 6), evidence.FormatFloat(s.Smallest.Float(), 6), evidence.FormatFloat(s.FlipRate.Float(), 6), hint)
	},
	Attrs: []script.Attr[*alphaSolution]{
		script.Get("alpha -> number", "The best share, in [0, 1].", "", func(s *alphaSolution) any { return s.Alpha }),
		script.Get("law -> bernoulli", "The law, for b.sample and xor_release.", "", func(s *alphaSolution) any { return s.Law }),
		script.Get("error_rate -> evidence", "The chance that a bit is flipped, with the complement where that was asked for. Certified.", "", func(s *alphaSolution) any { return s.FlipRate }),
		script.Get("claimed_epsilon -> evidence", "What Theorem 1 promises of the law.", "", func(s *alphaSolution) any { return s.Claimed }),
		script.Get("smallest_epsilon -> evidence", "What the law spends for at most sensitivity bits anywhere. Certified. epsilon_at(delta) is the ε at a δ."+attributeHere, "", func(s *alphaSolution) any { return s.Smallest }),
		script.Do("delta_at(eps: profile_epsilon) -> evidence", deltaHelp+" For at most sensitivity bits anywhere, as they were given to optimize_alpha.", "(0.5)", func(c *script.Call, s *alphaSolution) (any, error) { return deltaOf(c, s.privacy()) }),
		script.Do("epsilon_at(delta: number) -> evidence", epsilonHelp+" For at most sensitivity bits anywhere.", "(0.1)", func(c *script.Call, s *alphaSolution) (any, error) {
			return s.privacy().Epsilon(c.Context, c.Float("delta"))
		}),
		script.Get("response_rate -> evidence", "The flip rate of randomised response, 1/(1 + e^(ε/s)), at the law's smallest ε.", "", func(s *alphaSolution) any { return s.Response }),
		script.Do("optimum -> evidence?", "The least flip rate of any noise law with the same smallest ε, certified by linear programming; None above 10 bits.", "", func(c *script.Call, s *alphaSolution) (any, error) { return optimalRate(c, s), nil }),
		script.Do("table() -> table", "The law beside randomised response at the same smallest ε and, for at most 10 bits, the certified optimum over all noise laws.", "()", alphaTable),
	},
}

// privacy is that of the law at the sensitivity it was made for.
func (s *alphaSolution) privacy() *privacy.Account {
	return privacy.New(must(s.Law.Pairs(xor.FlipBits(min(s.problem.Sensitivity, s.Law.Dim())), xor.LossOptions{})))
}

// alphaTable sets the law of an alpha solution beside its baselines.
func alphaTable(c *script.Call, s *alphaSolution) (any, error) {
	best := optimalRate(c, s)
	rows := [][]any{
		{"Algorithm 1's form, alpha = " + display.Number(s.Alpha, 6), s.Claimed, s.Smallest, s.FlipRate},
		{"randomised response", nil, s.Smallest, s.Response},
	}
	if best != nil {
		rows = append(rows, []any{"optimal among all noise laws", nil, s.Smallest, best})
	}
	return newTable(c, "", []string{"noise", "claimed ε", "smallest ε", "flip rate"}, rows, 6)
}

// optimalRate returns the least flip rate of any noise law at the solution's
// smallest ε, nil where there are too many bits to tell.
func optimalRate(c *script.Call, s *alphaSolution) evidence.Number {
	const most = 10 // bits
	q := s.problem
	if q.N > most || q.P > most || q.N*q.P > most {
		return nil
	}
	eps := must(evidence.NewEpsilon("eps", s.Smallest.Hi))
	return must(optimize.NewOptimalNoise(c.Context, q.N, q.P, eps, xor.FlipBits(min(q.Sensitivity, q.N*q.P)))).FlipRate()
}

var blocksClass = &script.Class[*xor.Partition]{
	Name: "xor_blocks", Help: "Noise drawn block by block.", Setup: "q = xor_blocks(6, 6, 1, 0.7, 2, 3, 3)\n",
	Show: withDraws(func(q *xor.Partition) string { return fmt.Sprintf("<noise in %d blocks>", len(q.Tiles)) }),
	Attrs: []script.Attr[*xor.Partition]{
		script.Do("claimed_epsilon(sensitivity: int[1..2147483647]=1) -> evidence", "The sum over blocks of what Theorem 1 promises: composition.", "(2)", func(c *script.Call, q *xor.Partition) (any, error) {
			e := q.ClaimedEpsilon(c.Int("sensitivity"))
			e.Caveat = sensitivityUnsaid(c)
			return e, nil
		}),
		script.Do("smallest_epsilon(sensitivity: int[1..2147483647]=1) -> evidence", "The smallest ε for at most sensitivity bits anywhere: blocks are independent. Certified. epsilon_at(delta) is the ε at a δ."+methodHere, "(2)", func(c *script.Call, q *xor.Partition) (any, error) {
			loss, err := must(q.Under(xor.FlipBits(c.Int("sensitivity")))).Loss(c.Context)
			loss.Caveat = sensitivityUnsaid(c)
			return loss.Certified, err
		}),
		script.Do("delta_at(eps: profile_epsilon, sensitivity: int[1..2147483647]=1) -> evidence", deltaHelp+" For at most sensitivity bits anywhere.", "(0.1, sensitivity=2)", func(c *script.Call, q *xor.Partition) (any, error) { return deltaOf(c, lawAt(c, q)) }),
		script.Do("epsilon_at(delta: number, sensitivity: int[1..2147483647]=1) -> evidence", epsilonHelp+" For at most sensitivity bits anywhere.", "(0.001, sensitivity=2)", func(c *script.Call, q *xor.Partition) (any, error) {
			return lawAt(c, q).Epsilon(c.Context, c.Float("delta"))
		}),
		script.Do("error_rate(complement: bool=False) -> evidence", "The chance that a bit is flipped, the mean over all bits. Certified.", "()", func(c *script.Call, q *xor.Partition) (any, error) {
			return q.FlipRate(c.Context, c.Bool("complement"))
		}),
		script.Do("release(matrix: bits, complement: bool=False, sensitivity: int[1..2147483647]=1, seed: seed=None) -> released|matrix", "The XOR mechanism with this noise, drawn from the operating system's generator with exactly its law; with complement xor 1 − B. sensitivity is how many bits neighbors differ in, for the record."+seedHelp, "q = xor_blocks(2, 2, 1, 0.7, 2, 1, 2)\nprint(q.release([[1, 0], [0, 0]]))", func(c *script.Call, q *xor.Partition) (any, error) {
			return releaseBits(c, fmt.Sprintf("noise in %d blocks", len(q.Tiles)), map[string]any{"blocks": len(q.Tiles)}, func(src rand.Source) (*xor.Bits, error) {
				out, _, err := q.Release(c.Context, c.Arg("matrix").(*xor.Bits), xor.ReleaseOptions{Complement: c.Bool("complement"), Method: xor.Auto}, src)
				return out, err
			}, func(c *script.Call, of xor.Neighbors) (any, error) {
				loss, err := must(q.Under(of)).Loss(c.Context)
				return loss.Certified, err
			})
		}),
		script.Do("simulate(k: int[1..]=1, seed: seed=0) -> list", "The same as sample, from a seed.", "(1)[0]", func(c *script.Call, q *xor.Partition) (any, error) {
			checkDraws(c, q)
			src, out := c.Source("seed"), make([]any, c.Int("k"))
			for i := range out {
				out[i] = bitMatrix(must(q.Noise(c.Context, src)))
			}
			return out, nil
		}),
		script.Do(`sample(k: int[1..]=1, seed: seed=0, source: "seed"|"crypto"="seed") -> list`, "A list of k noise matrices.", "(1)[0]", func(c *script.Call, q *xor.Partition) (any, error) {
			checkDraws(c, q)
			src, out := noiseSource(c), make([]any, c.Int("k"))
			for i := range out {
				out[i] = bitMatrix(must(q.Noise(c.Context, src)))
			}
			return out, nil
		}),
	},
}

// flips are the parameters that say what neighbors differ in.
const (
	flips     = `sensitivity: int[1..2147483647]=1, neighbors: bit_matrices|"bits"|"row"|"edge"="bits"`
	flipsHelp = " sensitivity and neighbors as in smallest_epsilon of a bernoulli law: by default one bit anywhere."
)

const noiseSetup = "b = bernoulli([[0.5, 0.2], [0.2, -1]], {(0, 1): [[0.3, 0], [0, 0.1]]}, 2)\n"

// noiseClass is matrix-valued Bernoulli noise.
var noiseClass = &script.Class[*xor.Bernoulli]{
	Name: "bernoulli", Help: "Matrix-valued Bernoulli noise on N × P bits.", Setup: noiseSetup,
	Show: withDraws(func(b *xor.Bernoulli) string {
		n, p := b.Shape()
		if c := b.Columns(); c != nil {
			theta, lambda := c.Parameters()
			return fmt.Sprintf("<Bernoulli law on %d x %d bits, theta = %s I, lam = %s I>", n, p, evidence.FormatFloat(theta, 6), evidence.FormatFloat(lambda, 6))
		}
		return fmt.Sprintf("<Bernoulli law on %d x %d bits>", n, p)
	}),
	Attrs: []script.Attr[*xor.Bernoulli]{
		script.Get("n -> int", "Number of objects N.", "", func(b *xor.Bernoulli) any { return shapeOf(b)[0] }),
		script.Get("p -> int", "Number of features P.", "", func(b *xor.Bernoulli) any { return shapeOf(b)[1] }),
		script.Get("size -> int", "Number of bits NP.", "", func(b *xor.Bernoulli) any { return b.Dim() }),
		script.Do("theta -> matrix", "Θ, a P × P matrix, for at most 8192 features.", "", func(_ *script.Call, b *xor.Bernoulli) (any, error) {
			return square("theta", "features", shapeOf(b)[1], b.Theta)
		}),
		script.Do("pi -> matrix", "Π, the NP × NP matrix of equation (3): the exponent is bᵀΠb. Refused above 8192 bits, where it would not fit; nothing else needs it.", "", func(_ *script.Call, b *xor.Bernoulli) (any, error) { return square("pi", "bits", b.Dim(), b.Pi) }),
		script.Do("claimed_epsilon(sensitivity: int[1..2147483647]=1) -> evidence", "What Theorem 1 promises for sensitivity s in bits: s(‖λ(Θ)‖₂ + Σ‖λ(Λ_ij)‖₂), nats. Claimed, and refuted in general.", "(2)", func(c *script.Call, b *xor.Bernoulli) (any, error) {
			e := b.ClaimedEpsilon(c.Int("sensitivity"))
			e.Caveat = sensitivityUnsaid(c)
			return e, nil
		}),
		script.Do(`smallest_epsilon(sensitivity: int[1..2147483647]=1, neighbors: bit_matrices|"bits"|"row"|"edge"="bits", work: positive=4e9) -> evidence`, `The smallest ε at which f(D) ⊕ B is ε-differentially private, nats, without visiting states. neighbors="bits": at most sensitivity bits anywhere differ; "row": any bits of one row; "edge": two mirrored bits (n = p), before symmetrising, so an upper bound after it; or a list of N × P matrices of 0 and 1, the difference patterns. The default is sensitivity 1 whatever the law was allocated for, and the printed number says so. Certified; a wide interval where the search stops after about work multiplications. epsilon_at(delta) is the ε at a δ.`+methodHere, noiseSetup+"print(b.smallest_epsilon(2), b.smallest_epsilon(neighbors=\"row\"))", func(c *script.Call, b *xor.Bernoulli) (any, error) {
			loss := loss(c, b, false)
			if c.Arg("neighbors") == "bits" {
				loss.Caveat = sensitivityUnsaid(c)
			}
			return loss.Certified, nil
		}),
		script.Do(`delta_at(eps: profile_epsilon, `+flips+`) -> evidence`, deltaHelp+flipsHelp, "(0.5, sensitivity=2)", func(c *script.Call, b *xor.Bernoulli) (any, error) { return deltaOf(c, lawAt(c, b)) }),
		script.Do(`epsilon_at(delta: number, `+flips+`) -> evidence`, epsilonHelp+flipsHelp, "(0.1, sensitivity=2)", func(c *script.Call, b *xor.Bernoulli) (any, error) {
			return lawAt(c, b).Epsilon(c.Context, c.Float("delta"))
		}),
		script.Do(`worst_flip(sensitivity: int[1..2147483647]=1, neighbors: bit_matrices|"bits"|"row"|"edge"="bits", work: positive=4e9) -> dict`, `A state of the noise and the bits whose complement changes its probability most, as a dict: "on" (bits that are 1), "bits" (bits that differ), "loss" (the log ratio, nats). Parameters as in smallest_epsilon.`, "(2)", func(c *script.Call, b *xor.Bernoulli) (any, error) {
			loss := loss(c, b, true)
			return map[string]any{"on": loss.Worst.On, "bits": loss.Worst.Bits, "loss": loss.Lo}, nil
		}),
		script.Do("error_rate(ones: int[1..]=None, complement: bool=False) -> evidence", "E‖f(D) ⊕ B − f(D)‖²/ones = E‖B‖²/ones (Theorem 2), ones = ‖f(D)‖²; where ones is None the chance that a bit is flipped, the mean over all bits. complement=True: of the noise 1 − B. Certified: closed form or enumeration of each independent part, at most 34 bits.", noiseSetup+"print(b.error_rate(), b.error_rate(ones=2))", func(c *script.Call, b *xor.Bernoulli) (any, error) {
			return b.ErrorRate(c.Context, c.Int("ones"), c.Bool("complement"))
		}),
		script.Do("log_normalizer() -> evidence", "ln Σ exp(bᵀΠb) = −ln C(Π) of equation (3). Certified: closed form or enumeration, at most 34 bits in an independent part.", "()", func(c *script.Call, b *xor.Bernoulli) (any, error) { return b.LogNormalizer(c.Context) }),
		script.Do("bound() -> evidence", "U(Π)/L(Π) of Proposition 1, the bound on E‖B‖² that the paper minimises instead. Claimed, for Θ and Λ_ij positive semidefinite without negative entries. It grows like 2^NP and may be inf.", "()", func(_ *script.Call, b *xor.Bernoulli) (any, error) {
			bound, covered := b.Bound()
			if !covered {
				bound.Source += "; its hypotheses do not hold here"
			}
			return bound, nil
		}),
		script.Do("marginals() -> list", "Pr[bit k = 1] for k = 0 … NP − 1, a list of floats with relative errors below 1e-12. Enumeration, at most 34 bits in an independent part.", "()", func(c *script.Call, b *xor.Bernoulli) (any, error) {
			return script.Each(must(b.Moments(c.Context)).Marginals, chance), nil
		}),
		script.Do("pair_moments() -> matrix", "E[b_i b_j], an NP × NP matrix with the marginals on its diagonal; at most 2048 bits. Enumeration as for marginals.", "()", func(c *script.Call, b *xor.Bernoulli) (any, error) {
			if d := b.Dim(); d > 2048 {
				return nil, fmt.Errorf("pair moments of %d bits, want at most 2048", d)
			}
			return must(b.Moments(c.Context)).Products(), nil
		}),
		script.Do("ones_law() -> list", "Pr[‖B‖² = t] for t = 0 … NP, a list of floats. Enumeration, at most 34 bits.", "()", func(c *script.Call, b *xor.Bernoulli) (any, error) {
			if b.Dim() > xor.MaxStates {
				return nil, fmt.Errorf("ones_law of %d bits, want at most %d", b.Dim(), xor.MaxStates)
			}
			return script.Each(must(b.Enumerate(c.Context)).Ones, chance), nil
		}),
		script.Do("exponent(matrix: bits) -> number", "bᵀΠb for an N × P matrix of 0 and 1, nats: its log probability is exponent(m) − log_normalizer(). A float.", "([[1, 1], [0, 0]])", func(c *script.Call, b *xor.Bernoulli) (any, error) { return b.Exponent(c.Arg("matrix").(*xor.Bits)) }),
		script.Do(`sample(k: int[1..]=1, seed: seed=0, method: noise_method="auto", source: "seed"|"crypto"="seed") -> list`, `A list of k noise matrices. method: "closed" (exchangeable columns), "enumerate" (at most 20 bits in an independent part) and "perfect" (coupling from the past, couplings without frustration) are exact in law; "ehmc" (Pakman and Paninski 2013) and "gibbs" are Markov chains, near the law; "printed" is the paper's Algorithm 2, refuted, fair coins. "auto" takes the first exact one that applies, else "ehmc"; draw says which. For a real release give source="crypto".`, "(2, seed=1)", func(c *script.Call, b *xor.Bernoulli) (any, error) {
			out, _, err := noiseDraws(c, b)
			return out, err
		}),
		script.Do(`simulate(k: int[1..]=1, seed: seed=0, method: noise_method="auto") -> list`, "The same as sample, from a seed.", "(2, seed=1)", func(c *script.Call, b *xor.Bernoulli) (any, error) {
			checkDraws(c, b)
			samples, _, err := b.Noise(c.Context, c.Int("k"), xor.Method(c.Text("method")), c.Source("seed"))
			return script.Each(samples, bitMatrix), err
		}),
		script.Do(`release(matrix: bits, complement: bool=False, method: noise_method="auto", sensitivity: int[1..2147483647]=1, seed: seed=None) -> released|matrix`, "The XOR mechanism: releases an N × P matrix of 0 and 1 xor noise, drawn from the operating system's generator with exactly this law; with complement xor 1 − B. A law without an exact sampler is refused. sensitivity is how many bits neighbors differ in, for the record."+seedHelp, noiseSetup+"print(b.release([[1, 0], [0, 0]]))", func(c *script.Call, b *xor.Bernoulli) (any, error) {
			return releaseBits(c, lawName(b), lawParameters(c, b), func(src rand.Source) (*xor.Bits, error) {
				out, _, err := xor.Release(c.Context, c.Arg("matrix").(*xor.Bits), b, releaseOptions(c), src)
				return out, err
			}, costOf(b))
		}),
		script.Do(`draw(k: int[1..]=1, seed: seed=0, method: noise_method="auto", source: "seed"|"crypto"="seed") -> dict`, `As sample, with how it was done: a dict with "samples", "method" (the one taken), "exact" (in law), "note", and for Markov chains "rhat", "tau" (integrated autocorrelation time, steps), "effective" (of the pilot run) and "thin".`, noiseSetup+"d = b.draw(2)\nprint(d[\"method\"], d[\"exact\"])", func(c *script.Call, b *xor.Bernoulli) (any, error) {
			samples, report, err := noiseDraws(c, b)
			out := map[string]any{"samples": samples, "method": string(report.Method), "exact": report.Exact, "note": report.Note}
			if d := report.Diagnosis; d.RHat != 0 {
				out["rhat"], out["tau"], out["effective"], out["thin"] = d.RHat, d.Tau, d.EffectiveSize, report.Thin
			}
			return out, err
		}),
		script.Do("distance(samples: bit_matrices, alpha: positive=1e-6) -> evidence", "The total variation distance between independent samples and the law, at most 16 bits. Estimated: an enclosure of the sampler's own distance with confidence 1 − alpha at every number of samples; the value is the observed distance less what a right sampler shows on average.", "(b.sample(2000))", func(c *script.Call, b *xor.Bernoulli) (any, error) {
			return must(b.Distance(c.Arg("samples").([]*xor.Bits), c.Float("alpha"))).Sampler, nil
		}),
		script.Do("scaled(factor: number) -> bernoulli", "The law with Θ and every Λ_ij multiplied by factor; its smallest ε is multiplied by |factor|, so that b.scaled(eps / b.smallest_epsilon(s)) spends eps exactly.", noiseSetup+"print(b.scaled(1 / b.smallest_epsilon(2)).smallest_epsilon(2))", func(c *script.Call, b *xor.Bernoulli) (any, error) { return b.Scale(c.Float("factor")) }),
	},
}

// shaped is what has rows and columns.
type shaped interface{ Shape() (n, p int) }

func shapeOf(s shaped) [2]int {
	n, p := s.Shape()
	return [2]int{n, p}
}

// square returns a matrix of order d, unless it is too large for a script.
func square(name, of string, d int, m func() ([][]float64, error)) (any, error) {
	if d > 8192 {
		return nil, fmt.Errorf("%s has %d x %d entries, %.3g GB: want at most 8192 %s", name, d, d, 8e-9*float64(d)*float64(d), of)
	}
	return m()
}

// chance is a probability as a float.
func chance(p evidence.Certified) any { return p.Float() }

// sensitivityUnsaid returns the caveat that says which sensitivity a number is for
// where the caller did not: a law does not know the one that it was made for.
func sensitivityUnsaid(c *script.Call) string {
	if c.Spelled("sensitivity") {
		return ""
	}
	return "for sensitivity=1, neighbors that differ in one bit"
}

// checkDraws refuses more numbers than a script's list of matrices can hold.
func checkDraws(c *script.Call, of shaped) {
	n, p := of.Shape()
	const most = 1 << 29
	k := c.Int("k")
	if numbers := float64(k) * float64(n) * float64(p); numbers > most {
		c.Stop("k = %d of %d × %d bits are %.3g numbers, %.3g GB: want at most %d numbers", k, n, p, numbers, 8e-9*numbers, most)
	}
}

// noiseDraws returns k draws of the noise, and how they were made.
func noiseDraws(c *script.Call, b *xor.Bernoulli) ([]any, xor.Report, error) {
	checkDraws(c, b)
	out, report, err := b.Noise(c.Context, c.Int("k"), xor.Method(c.Text("method")), noiseSource(c))
	return script.Each(out, bitMatrix), report, err
}

// neighbors is the relation of that name: so many bits, rows or edges at once.
func neighbors(name string, times int) xor.Neighbors {
	return map[string]func(int) xor.Neighbors{"bits": xor.FlipBits, "row": xor.FlipRows, "edge": xor.FlipEdges}[name](times)
}

// loss returns the smallest ε of a law for the neighbors that the call names, found by
// the general search where that is asked for.
func loss(c *script.Call, b *xor.Bernoulli, general bool) xor.Loss {
	var of xor.Neighbors
	switch v := c.Arg("neighbors").(type) {
	case []*xor.Bits:
		of = xor.FlipPatterns(v...)
	case string:
		times := 1
		if v == "bits" {
			times = c.Int("sensitivity")
		}
		of = neighbors(v, times)
	}
	privacy := must(b.Under(of, xor.LossOptions{Work: c.Float("work"), General: general}))
	return must(privacy.Loss(c.Context))
}
