package repl

import (
	"context"
	"fmt"
	"math/rand/v2"

	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
	"dpworkbench/script"
	"dpworkbench/verify"
	"dpworkbench/xor"
)

// flips declares the parameters that define how neighbors differ.
const (
	flips     = `sensitivity: int[1..2147483647]=1, neighbors: bit_matrices|"bits"|"row"|"edge"="bits"`
	flipsHelp = " sensitivity and neighbors as in smallest_epsilon of a bernoulli law: by default one bit anywhere."
)

const noiseSetup = "b = bernoulli([[0.5, 0.2], [0.2, -1]], {(0, 1): [[0.3, 0], [0, 0.1]]}, 2)\n"

// noiseClass describes matrix-valued Bernoulli noise.
var noiseClass = &script.Class[*xor.Bernoulli]{
	Answers: script.Answers[*xor.Bernoulli]{
		"compare": comparedBy(func(b *xor.Bernoulli) string { return bitShape(b.Shape()) }, measured("flip rate", "error_rate")),
		"verify":  recomputed(func(ctx context.Context, b *xor.Bernoulli) (*verify.Report, error) { return verify.XOR(ctx, b) }),
		"privacy": flippedBits[*xor.Bernoulli],
		"case":    caseOfBits[*xor.Bernoulli],
	},
	Name: "bernoulli", Help: "Matrix-valued Bernoulli noise on N × P bits.", Setup: noiseSetup,
	Show: func(b *xor.Bernoulli) string {
		n, p := b.Shape()
		if c := b.Columns(); c != nil {
			theta, lambda := c.Parameters()
			return fmt.Sprintf("<Bernoulli law on %d x %d bits, theta = %s I, lam = %s I>", n, p, evidence.FormatFloat(theta, 6), evidence.FormatFloat(lambda, 6))
		}
		return fmt.Sprintf("<Bernoulli law on %d x %d bits>", n, p)
	},
	Attrs: []script.Attr[*xor.Bernoulli]{
		script.Get("n -> int", "Number of objects N.", "", func(b *xor.Bernoulli) any { return shapeOf(b)[0] }),
		script.Get("p -> int", "Number of features P.", "", func(b *xor.Bernoulli) any { return shapeOf(b)[1] }),
		script.Get("size -> int", "Number of bits NP.", "", func(b *xor.Bernoulli) any { return b.Dim() }),
		script.Do("theta -> matrix", "Θ, a P × P matrix, for at most 8192 features.", "", func(_ *script.Call, b *xor.Bernoulli) (any, error) {
			return square("theta", "features", shapeOf(b)[1], b.Theta)
		}),
		script.Do("pi -> matrix", "Π, the NP × NP matrix of equation (3): the exponent is bᵀΠb. It is an error above 8192 bits, where the matrix would be too large; no other method needs it.", "", func(_ *script.Call, b *xor.Bernoulli) (any, error) { return square("pi", "bits", b.Dim(), b.Pi) }),
		script.Do("claimed_epsilon(sensitivity: int[1..2147483647]=1) -> evidence", "The claim of Theorem 1 for sensitivity s in bits: s(‖λ(Θ)‖₂ + Σ‖λ(Λ_ij)‖₂), nats. Claimed, and refuted in general.", "(2)", func(c *script.Call, b *xor.Bernoulli) (any, error) {
			e := b.ClaimedEpsilon(c.Int("sensitivity"))
			e.Caveat = sensitivityUnsaid(c)
			return e, nil
		}),
		script.Do(`smallest_epsilon(sensitivity: int[1..2147483647]=1, neighbors: bit_matrices|"bits"|"row"|"edge"="bits", work: positive=4e9) -> evidence`, `The smallest ε at which f(D) ⊕ B is ε-differentially private, in nats, computed without enumerating states. neighbors="bits": at most sensitivity bits anywhere differ; "row": any bits of one row; "edge": two mirrored bits (n = p), before symmetrising, so an upper bound after it. neighbors may also be a list of N × P matrices of 0 and 1, the difference patterns. The default is sensitivity 1, whatever the law was made for, and the printed number says so. Certified; the interval is wide if the search stops after about work multiplications. epsilon_at(delta) is the ε at a δ.`+methodHere, noiseSetup+"print(b.smallest_epsilon(2), b.smallest_epsilon(neighbors=\"row\"))", func(c *script.Call, b *xor.Bernoulli) (any, error) {
			loss := loss(c, b, false)
			if c.Arg("neighbors") == "bits" {
				loss.Caveat = sensitivityUnsaid(c)
			}
			return loss.Certified, nil
		}),
		script.Do(`delta_at(eps: profile_epsilon, `+flips+`) -> evidence`, deltaHelp+flipsHelp, "(0.5, sensitivity=2)", func(c *script.Call, b *xor.Bernoulli) (any, error) { return deltaOf(c, lawAt(c, b)) }),
		script.Do(`epsilon_at(delta: delta0, `+flips+`) -> evidence`, epsilonHelp+flipsHelp, "(0.1, sensitivity=2)", func(c *script.Call, b *xor.Bernoulli) (any, error) {
			return lawAt(c, b).Epsilon(c.Context, c.Delta("delta"))
		}),
		script.Do(`worst_flip(sensitivity: int[1..2147483647]=1, neighbors: bit_matrices|"bits"|"row"|"edge"="bits", work: positive=4e9) -> dict`, `The state of the noise, and the bits whose flip changes its probability most, as a dict: "on" (bits that are 1), "bits" (bits that differ), "loss" (the log ratio, nats). Parameters as in smallest_epsilon.`, "(2)", func(c *script.Call, b *xor.Bernoulli) (any, error) {
			loss := loss(c, b, true)
			return map[string]any{"on": loss.Worst.On, "bits": loss.Worst.Bits, "loss": loss.Lo}, nil
		}),
		script.Do("error_rate(ones: int[1..]=None, complement: bool=False) -> evidence", "E‖f(D) ⊕ B − f(D)‖²/ones = E‖B‖²/ones (Theorem 2), ones = ‖f(D)‖²; if ones is None, the probability that a bit is flipped, averaged over all bits. complement=True is for the noise 1 − B. Certified: a closed form, or enumeration of each independent part of at most 36 bits.", noiseSetup+"print(b.error_rate(), b.error_rate(ones=2))", func(c *script.Call, b *xor.Bernoulli) (any, error) {
			return b.ErrorRate(c.Context, c.Int("ones"), xor.Variant(c.Bool("complement")))
		}),
		script.Do("log_normalizer() -> evidence", "ln Σ exp(bᵀΠb) = −ln C(Π) of equation (3). Certified: a closed form, or enumeration of independent parts of at most 36 bits.", "()", func(c *script.Call, b *xor.Bernoulli) (any, error) { return b.LogNormalizer(c.Context) }),
		script.Do("bound() -> evidence", "U(Π)/L(Π) of Proposition 1, the bound on E‖B‖² that the paper minimises. Claimed, for Θ and Λ_ij positive semidefinite without negative entries. It grows like 2^NP and may be inf.", "()", func(_ *script.Call, b *xor.Bernoulli) (any, error) {
			bound, _ := b.Bound()
			return bound, nil
		}),
		script.Do("marginals(evidence: bool=False) -> list", "Pr[bit k = 1] for k = 0 … NP − 1, a list of floats with relative errors below 1e-12, or with evidence=True of certified numbers. Enumeration, at most 36 bits in an independent part.", "()", func(c *script.Call, b *xor.Bernoulli) (any, error) {
			return chances(c, must(b.Moments(c.Context)).Marginals), nil
		}),
		script.Do("pair_moments(evidence: bool=False) -> matrix|list", "E[b_i b_j], an NP × NP matrix with the marginals on its diagonal, or with evidence=True a list of rows of certified numbers; at most 2048 bits. Enumeration as for marginals.", "()", func(c *script.Call, b *xor.Bernoulli) (any, error) {
			if d := b.Dim(); d > 2048 {
				return nil, fmt.Errorf("pair moments of %d bits, want at most 2048", d)
			}
			moments := must(b.Moments(c.Context))
			if !c.Bool("evidence") {
				return script.NewMatrix(moments.Products()), nil
			}
			return lists.Of(b.Dim(), func(i int) []evidence.Number {
				stop(c.Context.Err())
				return lists.Of(b.Dim(), func(j int) evidence.Number { return must(moments.Pair(i, j)) })
			}), nil
		}),
		script.Do("ones_law(evidence: bool=False) -> list", "Pr[‖B‖² = t] for t = 0 … NP, a list of floats, or with evidence=True of certified numbers. Enumeration, at most 36 bits.", "()", func(c *script.Call, b *xor.Bernoulli) (any, error) {
			if b.Dim() > xor.MaxStates {
				return nil, fmt.Errorf("ones_law of %d bits, want at most %d", b.Dim(), xor.MaxStates)
			}
			return chances(c, must(b.Enumerate(c.Context)).Ones), nil
		}),
		script.Do("exponent(matrix: bits) -> number", "bᵀΠb for an N × P matrix of 0 and 1, nats: its log probability is exponent(m) − log_normalizer(). A float.", "([[1, 1], [0, 0]])", func(c *script.Call, b *xor.Bernoulli) (any, error) { return b.Exponent(c.Arg("matrix").(*xor.Bits)) }),
		script.Do(`sample(k: int[1..]=1, seed: seed=0, method: noise_method="auto", source: "seed"|"crypto"="seed") -> list`, `A list of k noise matrices. method is "closed" (exchangeable columns), "enumerate" (at most 20 bits in an independent part) and "perfect" (coupling from the past, couplings without frustration) are exact in law; "ehmc" (Pakman and Paninski 2013) and "gibbs" are Markov chains, near the law; "printed" is the paper's Algorithm 2, which is refuted because it draws fair coins. "auto" takes the first exact method that applies, else "ehmc"; draw returns which. For a real release give source="crypto".`, "(2, seed=1)", func(c *script.Call, b *xor.Bernoulli) (any, error) {
			out, _, err := noiseDraws(c, b)
			return out, err
		}),
		script.Do(`simulate(k: int[1..]=1, seed: seed=0, method: noise_method="auto") -> list`, "The same as sample, from a seed.", "(2, seed=1)", func(c *script.Call, b *xor.Bernoulli) (any, error) {
			checkDraws(c, b)
			samples, _, err := b.Noise(c.Context, c.Int("k"), xor.Method(c.Text("method")), c.Source("seed"))
			return script.Each(samples, bitMatrix), err
		}),
		script.Do(`release(matrix: bits, complement: bool=False, method: noise_method="auto", sensitivity: int[1..2147483647]=1, seed: seed=None) -> released|matrix`, "The XOR mechanism: releases the xor of an N × P matrix of 0 and 1 with noise B, drawn from the operating system's generator with exactly this law; with complement, xor 1 − B. A law without an exact sampler is an error. sensitivity is the number of bits in which neighbors differ, for the record."+seedHelp, noiseSetup+"print(b.release([[1, 0], [0, 0]]))", func(c *script.Call, b *xor.Bernoulli) (any, error) {
			return releaseBits(c, lawName(b), lawParameters(c, b), lawOverHalf(c, b), func(src rand.Source) (*xor.Bits, error) {
				out, _, err := xor.Release(c.Context, c.Arg("matrix").(*xor.Bits), b, releaseOptions(c), src)
				return out, err
			}, costOf(b))
		}),
		script.Do(`draw(k: int[1..]=1, seed: seed=0, method: noise_method="auto", source: "seed"|"crypto"="seed") -> dict`, `The result of sample with a report: a dict with "samples", "method" (the one used), "exact" (in law), "note", and for Markov chains "rhat", "tau" (integrated autocorrelation time, steps), "effective" (of the pilot run) and "thin".`, noiseSetup+"d = b.draw(2)\nprint(d[\"method\"], d[\"exact\"])", func(c *script.Call, b *xor.Bernoulli) (any, error) {
			samples, report, err := noiseDraws(c, b)
			out := map[string]any{"samples": samples, "method": string(report.Method), "exact": report.Exact, "note": report.Note}
			if d := report.Diagnosis; d.RHat != 0 {
				out["rhat"], out["tau"], out["effective"], out["thin"] = d.RHat, d.Tau, d.EffectiveSize, report.Thin
			}
			return out, err
		}),
		script.Do("distance(samples: bit_matrices, alpha: level=1e-6) -> evidence", "The total variation distance between independent samples and the law, at most 16 bits. Estimated: an enclosure of the sampler's distance with confidence 1 − alpha for every number of samples. The value is the observed distance minus the average that an exact sampler shows.", "(b.sample(2000))", func(c *script.Call, b *xor.Bernoulli) (any, error) {
			return must(b.Distance(c.Arg("samples").([]*xor.Bits), c.Float("alpha"))).Sampler, nil
		}),
		script.Do("scaled(factor: choice) -> bernoulli", "The law with Θ and every Λ_ij multiplied by factor; its smallest ε is multiplied by |factor|, so b.scaled(eps / b.smallest_epsilon(s)) uses eps, up to rounding. A factor with evidence counts by its value, because the new law's smallest ε is computed again.", noiseSetup+"print(b.scaled(1 / b.smallest_epsilon(2)).smallest_epsilon(2))", func(c *script.Call, b *xor.Bernoulli) (any, error) { return b.Scale(c.Float("factor")) }),
	},
}

// shaped has a number of rows and columns.
type shaped interface{ Shape() (n, p int) }

func shapeOf(s shaped) [2]int {
	n, p := s.Shape()
	return [2]int{n, p}
}

// square returns a matrix of order d, or an error if it is too large for a script.
func square(name, of string, d int, m func() ([][]float64, error)) (any, error) {
	if d > 8192 {
		return nil, fmt.Errorf("%s has %d x %d entries, %.3g GB: want at most 8192 %s", name, d, d, 8e-9*float64(d)*float64(d), of)
	}
	return m()
}

// chances returns probabilities as floats, or as numbers with their evidence if the call asks for it.
func chances(c *script.Call, ps []evidence.Certified) any {
	if c.Bool("evidence") {
		return lists.Each(ps, func(p evidence.Certified) evidence.Number { return p })
	}
	return lists.Each(ps, evidence.Certified.Float)
}

// sensitivityUnsaid returns a caveat naming the sensitivity of a number, if the caller gave none. A law does not record
// the sensitivity that it was made for.
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

// noiseDraws returns k draws of the noise and the sampler's report.
func noiseDraws(c *script.Call, b *xor.Bernoulli) ([]any, xor.Report, error) {
	checkDraws(c, b)
	out, report, err := b.Noise(c.Context, c.Int("k"), xor.Method(c.Text("method")), noiseSource(c))
	return script.Each(out, bitMatrix), report, err
}

// neighbors returns the relation of datasets that differ in times bits, rows or edges, as name says.
func neighbors(name string, times int) xor.Neighbors {
	return map[string]func(int) xor.Neighbors{"bits": xor.FlipBits, "row": xor.FlipRows, "edge": xor.FlipEdges}[name](times)
}

// loss returns the smallest ε of a law for the call's neighbors. general selects the general search.
func loss(c *script.Call, b *xor.Bernoulli, general bool) xor.Loss {
	privacy := must(b.Under(neighborsAsked(c), xor.LossOptions{Work: c.Float("work"), General: general}))
	return must(privacy.Loss(c.Context))
}
