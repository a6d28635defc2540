package repl

import (
	"fmt"
	"math"

	"dpworkbench/ehmc"
	"dpworkbench/evidence"
	"dpworkbench/script"
	"dpworkbench/xor"

	"go.starlark.net/starlark"
)

const noiseSetup = "b = bernoulli([[0.5, 0.2], [0.2, -1]], {(0, 1): [[0.3, 0], [0, 0.1]]}, 2)\n"

// noiseClass is matrix-valued Bernoulli noise.
var noiseClass = &script.Class[*xor.Bernoulli]{
	Name: "bernoulli", Help: "Matrix-valued Bernoulli noise on N × P bits.", Example: noiseSetup + "print(b)",
	Show: func(b *xor.Bernoulli) string {
		n, p := b.Shape()
		if c := b.Columns(); c != nil {
			theta, lambda := c.Parameters()
			return fmt.Sprintf("<Bernoulli law on %d x %d bits, theta = %s I, lam = %s I>", n, p, evidence.FormatFloat(theta, 6), evidence.FormatFloat(lambda, 6))
		}
		return fmt.Sprintf("<Bernoulli law on %d x %d bits>", n, p)
	},
	Attrs: []script.Attr[*xor.Bernoulli]{{
		Name: "n", Help: "Number of objects N.", Example: noiseSetup + "print(b.n)",
		Get: func(c *script.Call, b *xor.Bernoulli) (any, error) {
			n, _ := b.Shape()
			return starlark.MakeInt(n), nil
		},
	}, {
		Name: "p", Help: "Number of features P.", Example: noiseSetup + "print(b.p)",
		Get: func(c *script.Call, b *xor.Bernoulli) (any, error) {
			_, p := b.Shape()
			return starlark.MakeInt(p), nil
		},
	}, {
		Name: "size", Help: "Number of bits NP.", Example: noiseSetup + "print(b.size)",
		Get: func(c *script.Call, b *xor.Bernoulli) (any, error) { return starlark.MakeInt(b.Dim()), nil },
	}, {
		Name: "theta", Help: "Θ, a P × P matrix, for at most 8192 features.", Example: noiseSetup + "print(b.theta)",
		Get: func(c *script.Call, b *xor.Bernoulli) (any, error) {
			if _, p := b.Shape(); p > 8192 {
				return nil, fmt.Errorf("theta has %d x %d entries, %.3g GB: want at most 8192 features", p, p, 8e-9*float64(p)*float64(p))
			}
			theta, err := b.Theta()
			if err != nil {
				return nil, err
			}
			return script.NewMatrix(theta), nil
		},
	}, {
		Name: "pi", Help: "Π, the NP × NP matrix of equation (3): the exponent is bᵀΠb. Refused above 8192 bits, where it would not fit; nothing else needs it.", Example: noiseSetup + "print(b.pi)",
		Get: func(c *script.Call, b *xor.Bernoulli) (any, error) {
			if d := b.Dim(); d > 8192 {
				return nil, fmt.Errorf("pi has %d x %d entries, %.3g GB: want at most 8192 bits", d, d, 8e-9*float64(d)*float64(d))
			}
			pi, err := b.Pi()
			if err != nil {
				return nil, err
			}
			return script.NewMatrix(pi), nil
		},
	}, {
		Name: "claimed_epsilon", Params: "sensitivity=1", Help: "What Theorem 1 promises for sensitivity s in bits: s(‖λ(Θ)‖₂ + Σ‖λ(Λ_ij)‖₂), nats. Claimed, and refuted in general.", Example: noiseSetup + "print(b.claimed_epsilon(2))",
		Run: func(c *script.Call, b *xor.Bernoulli) (any, error) {
			e := b.ClaimedEpsilon(c.Int("sensitivity", 1, 1<<31-1))
			e.Caveat = sensitivityUnsaid(c)
			return script.Known(e), nil
		},
	}, {
		Name: "smallest_epsilon", Params: `sensitivity=1, neighbors="bits", work=4e9`,
		Help:    `The smallest ε at which f(D) ⊕ B is ε-differentially private, nats, without visiting states. neighbors="bits": at most sensitivity bits anywhere differ; "row": any bits of one row; "edge": two mirrored bits (n = p), before symmetrising, so an upper bound after it; or a list of N × P matrices of 0 and 1, the difference patterns. The default is sensitivity 1 whatever the law was allocated for, and the printed number says so. Certified; a wide interval where the search stops after about work multiplications.`,
		Example: noiseSetup + "print(b.smallest_epsilon(2), b.smallest_epsilon(neighbors=\"row\"))",
		Run: func(c *script.Call, b *xor.Bernoulli) (any, error) {
			loss, err := loss(c, b, xor.LossOptions{Work: c.Positive("work")})
			if err != nil {
				return nil, err
			}
			if c.Value("neighbors") == starlark.String("bits") {
				loss.Caveat = sensitivityUnsaid(c)
			}
			return script.Known(loss.Certified), nil
		},
	}, {
		Name: "worst_flip", Params: `sensitivity=1, neighbors="bits", work=4e9`,
		Help:    `A state of the noise and the bits whose complement changes its probability most, as a dict: "on" (bits that are 1), "bits" (bits that differ), "loss" (the log ratio, nats). Parameters as in smallest_epsilon.`,
		Example: noiseSetup + "print(b.worst_flip(2))",
		Run: func(c *script.Call, b *xor.Bernoulli) (any, error) {
			loss, err := loss(c, b, xor.LossOptions{Work: c.Positive("work"), General: true})
			if err != nil {
				return nil, err
			}
			return script.Fields(map[string]starlark.Value{"on": script.Ints(loss.Worst.On), "bits": script.Ints(loss.Worst.Bits), "loss": starlark.Float(loss.Lo)}), nil
		},
	}, {
		Name: "error_rate", Params: "ones=None, complement=False", Help: "E‖f(D) ⊕ B − f(D)‖²/ones = E‖B‖²/ones (Theorem 2), ones = ‖f(D)‖²; where ones is None the chance that a bit is flipped, the mean over all bits. complement=True: of the noise 1 − B. Certified: closed form or enumeration of each independent part, at most 34 bits.", Example: noiseSetup + "print(b.error_rate(), b.error_rate(ones=2))",
		Run: func(c *script.Call, b *xor.Bernoulli) (any, error) {
			ones := 0
			if c.Given("ones") {
				ones = c.Int("ones", 1, math.MaxInt)
			}
			e, err := b.ErrorRate(c.Context, ones, c.Bool("complement"), visiting(c, "error_rate"))
			if err != nil {
				return nil, err
			}
			return script.Known(e), nil
		},
	}, {
		Name: "log_normalizer", Params: "", Help: "ln Σ exp(bᵀΠb) = −ln C(Π) of equation (3). Certified: closed form or enumeration, at most 34 bits in an independent part.", Example: noiseSetup + "print(b.log_normalizer())",
		Run: func(c *script.Call, b *xor.Bernoulli) (any, error) {
			e, err := b.LogNormalizer(c.Context, visiting(c, "log_normalizer"))
			if err != nil {
				return nil, err
			}
			return script.Known(e), nil
		},
	}, {
		Name: "bound", Params: "", Help: "U(Π)/L(Π) of Proposition 1, the bound on E‖B‖² that the paper minimises instead. Claimed, for Θ and Λ_ij positive semidefinite without negative entries. It grows like 2^NP and may be inf.", Example: noiseSetup + "print(b.bound())",
		Run: func(c *script.Call, b *xor.Bernoulli) (any, error) {
			bound, covered := b.Bound()
			if !covered {
				bound.Source += "; its hypotheses do not hold here"
			}
			return script.Known(bound), nil
		},
	}, {
		Name: "marginals", Params: "", Help: "Pr[bit k = 1] for k = 0 … NP − 1, a list of floats with relative errors below 1e-12. Enumeration, at most 34 bits in an independent part.", Example: noiseSetup + "print(b.marginals())",
		Run: func(c *script.Call, b *xor.Bernoulli) (any, error) {
			m, err := b.Moments(c.Context, visiting(c, "marginals"))
			if err != nil {
				return nil, err
			}
			out := make([]float64, len(m.Marginals))
			for k, p := range m.Marginals {
				out[k] = p.Float()
			}
			return script.Floats(out), nil
		},
	}, {
		Name: "pair_moments", Params: "", Help: "E[b_i b_j], an NP × NP matrix with the marginals on its diagonal; at most 2048 bits. Enumeration as for marginals.", Example: noiseSetup + "print(b.pair_moments())",
		Run: func(c *script.Call, b *xor.Bernoulli) (any, error) {
			d := b.Dim()
			if d > 2048 {
				return nil, fmt.Errorf("pair moments of %d bits, want at most 2048", d)
			}
			m, err := b.Moments(c.Context, visiting(c, "pair_moments"))
			if err != nil {
				return nil, err
			}
			rows := make([][]float64, d)
			for i := range rows {
				rows[i] = make([]float64, d)
				for j := range rows[i] {
					pair, err := m.Pair(i, j)
					if err != nil {
						return nil, err
					}
					rows[i][j] = pair.Float()
				}
			}
			return script.NewMatrix(rows), nil
		},
	}, {
		Name: "ones_law", Params: "", Help: "Pr[‖B‖² = t] for t = 0 … NP, a list of floats. Enumeration, at most 34 bits.", Example: noiseSetup + "print(b.ones_law())",
		Run: func(c *script.Call, b *xor.Bernoulli) (any, error) {
			if b.Dim() > xor.MaxStates {
				return nil, fmt.Errorf("ones_law of %d bits, want at most %d", b.Dim(), xor.MaxStates)
			}
			e, err := b.Enumerate(c.Context, visiting(c, "ones_law"))
			if err != nil {
				return nil, err
			}
			out := make([]float64, len(e.Ones))
			for k, p := range e.Ones {
				out[k] = p.Float()
			}
			return script.Floats(out), nil
		},
	}, {
		Name: "exponent", Params: "matrix", Help: "bᵀΠb for an N × P matrix of 0 and 1, nats: its log probability is exponent(m) − log_normalizer(). A float.", Example: noiseSetup + "print(b.exponent([[1, 1], [0, 0]]))",
		Run: func(c *script.Call, b *xor.Bernoulli) (any, error) {
			m, err := xor.ParseBits(c.Matrix("matrix"))
			if err != nil {
				return nil, err
			}
			v, err := b.Exponent(m)
			return starlark.Float(v), err
		},
	}, {
		Name: "sample", Params: `k=1, seed=0, method="auto", source="seed"`,
		Help:    `A list of k noise matrices. method: "closed" (exchangeable columns), "enumerate" (at most 20 bits in an independent part) and "perfect" (coupling from the past, couplings without frustration) are exact in law; "ehmc" (Pakman and Paninski 2013) and "gibbs" are Markov chains, near the law; "printed" is the paper's Algorithm 2, refuted, fair coins. "auto" takes the first exact one that applies, else "ehmc"; draw says which. For a real release give source="crypto".`,
		Example: noiseSetup + "print(b.sample(2, seed=1))",
		Run: func(c *script.Call, b *xor.Bernoulli) (any, error) {
			checkDraws(c, b)
			draws, _, err := b.Noise(c.Context, c.Int("k", 1, 1<<28), method(c), noiseSource(c))
			if err != nil {
				return nil, err
			}
			return script.List(draws, func(m *xor.Bits) starlark.Value { return script.NewMatrix(m.Floats()) }), nil
		},
	}, {
		Name: "draw", Params: `k=1, seed=0, method="auto", source="seed"`,
		Help:    `As sample, with how it was done: a dict with "samples", "method" (the one taken), "exact" (in law), "note", and for Markov chains "rhat", "tau" (integrated autocorrelation time, steps), "effective" (of the pilot run) and "thin".`,
		Example: noiseSetup + "d = b.draw(2)\nprint(d[\"method\"], d[\"exact\"])",
		Run: func(c *script.Call, b *xor.Bernoulli) (any, error) {
			checkDraws(c, b)
			draws, report, err := b.Noise(c.Context, c.Int("k", 1, 1<<28), method(c), noiseSource(c))
			if err != nil {
				return nil, err
			}
			fields := map[string]starlark.Value{
				"samples": script.List(draws, func(m *xor.Bits) starlark.Value { return script.NewMatrix(m.Floats()) }),
				"method":  starlark.String(report.Method), "exact": starlark.Bool(report.Exact), "note": starlark.String(report.Note),
			}
			if report.Diagnosis.RHat != 0 {
				fields["rhat"], fields["tau"] = starlark.Float(report.Diagnosis.RHat), starlark.Float(report.Diagnosis.Tau)
				fields["effective"], fields["thin"] = starlark.Float(report.Diagnosis.EffectiveSize), starlark.MakeInt(report.Thin)
			}
			return script.Fields(fields), nil
		},
	}, {
		Name: "distance", Params: "samples, alpha=1e-6",
		Help:    "The total variation distance between independent samples and the law, at most 16 bits. Estimated: an enclosure of the sampler's own distance with confidence 1 − alpha at every number of samples; the value is the observed distance less what a right sampler shows on average.",
		Example: noiseSetup + "print(b.distance(b.sample(2000)))",
		Run: func(c *script.Call, b *xor.Bernoulli) (any, error) {
			return sampleDistance(c, b)
		},
	}},
}

// init adds what makes laws of laws, which the class cannot name itself.
func init() {
	noiseClass.Attrs = append(noiseClass.Attrs, script.Attr[*xor.Bernoulli]{
		Name: "scaled", Params: "factor", Help: "The law with Θ and every Λ_ij multiplied by factor; its smallest ε is multiplied by |factor|, so that b.scaled(eps / b.smallest_epsilon(s)) spends eps exactly.", Example: noiseSetup + "print(b.scaled(1 / b.smallest_epsilon(2)).smallest_epsilon(2))",
		Run: func(c *script.Call, b *xor.Bernoulli) (any, error) {
			return asNoise(c)(b.Scale(c.Finite("factor")))
		},
	})
}

// sensitivityUnsaid returns the caveat that says which sensitivity a number is for
// where the caller did not: a law does not know the one that it was made for.
func sensitivityUnsaid(c *script.Call) string {
	if c.Spelled("sensitivity") {
		return ""
	}
	return "for sensitivity=1, neighbors that differ in one bit"
}

// checkDraws refuses more numbers than a script's list of matrices can hold.
func checkDraws(c *script.Call, of interface{ Shape() (n, p int) }) {
	n, p := of.Shape()
	const most = 1 << 29
	if k := c.Int("k", 1, 1<<28); float64(k)*float64(n)*float64(p) > most {
		c.Stop("k = %d of %d × %d bits are %.3g numbers, %.3g GB: want at most %d numbers", k, n, p, float64(k)*float64(n)*float64(p), 8e-9*float64(k)*float64(n)*float64(p), most)
	}
}

// neighbors reads the neighbors of smallest_epsilon.
func neighbors(c *script.Call) xor.Neighbors {
	if _, isList := script.Elements(c.Value("neighbors")); isList {
		var patterns []*xor.Bits
		for i, v := range c.List("neighbors") {
			rows, ok := script.Elements(v)
			m := make([][]float64, len(rows))
			for r := range rows {
				cells, okRow := script.Elements(rows[r])
				ok = ok && okRow
				for _, cell := range cells {
					f, okCell := script.ToFloat(cell)
					ok = ok && okCell
					m[r] = append(m[r], f)
				}
			}
			if !ok {
				c.Fail(fmt.Sprintf("neighbors[%d]", i), v, "a matrix of 0 and 1")
			}
			pattern, err := xor.ParseBits(m)
			if err != nil {
				c.Refuse(err)
			}
			patterns = append(patterns, pattern)
		}
		return xor.FlipPatterns(patterns...)
	}
	switch c.Choice("neighbors", "bits", "row", "edge") {
	case "row":
		return xor.FlipRows(1)
	case "edge":
		return xor.FlipEdges(1)
	}
	return xor.FlipBits(c.Int("sensitivity", 1, 1<<31-1))
}

// loss returns the smallest ε of a law for the neighbors that the call names.
func loss(c *script.Call, b *xor.Bernoulli, opts xor.LossOptions) (xor.Loss, error) {
	privacy, err := b.Under(neighbors(c), opts)
	if err != nil {
		return xor.Loss{}, err
	}
	return privacy.Loss(c.Context)
}

func sampleDistance(c *script.Call, b *xor.Bernoulli) (any, error) {
	const most = 16
	if b.Dim() > most {
		return nil, fmt.Errorf("the law has 2^%d states to compare with, want at most %d bits", b.Dim(), most)
	}
	table, err := ehmc.NewTable(b)
	if err != nil {
		return nil, err
	}
	p := table.Probabilities()
	counts := make([]int, len(p))
	for i, v := range c.List("samples") {
		rows, ok := script.Elements(v)
		if !ok {
			c.Fail(fmt.Sprintf("samples[%d]", i), v, "a matrix")
		}
		var bits []bool
		for _, row := range rows {
			cells, ok := script.Elements(row)
			if !ok {
				c.Fail(fmt.Sprintf("samples[%d]", i), v, "a matrix")
			}
			for _, cell := range cells {
				f, ok := script.ToFloat(cell)
				if !ok || f != 0 && f != 1 {
					c.Fail(fmt.Sprintf("samples[%d]", i), v, "a matrix of 0 and 1")
				}
				bits = append(bits, f == 1)
			}
		}
		if len(bits) != b.Dim() {
			c.Stop("samples[%d] has %d entries, want %d", i, len(bits), b.Dim())
		}
		at, err := ehmc.Index(bits)
		if err != nil {
			return nil, err
		}
		counts[at]++
	}
	d, err := ehmc.TotalVariation(p, counts, c.Positive("alpha"))
	if err != nil {
		return nil, err
	}
	return script.Known(d.Sampler), nil
}
