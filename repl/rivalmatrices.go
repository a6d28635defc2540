package repl

import (
	"fmt"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/mvg"
	"dpworkbench/privacy"
	"dpworkbench/query"
	"dpworkbench/reproductions/matrices"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

// rivalMatrixBuiltins returns the mechanisms that the MVG paper compares with.
func rivalMatrixBuiltins() []script.Builtin {
	const exact = ` form "exact" takes the parameter for which the certified upper end of delta_at(eps) is delta, so that mechanisms can be compared at equal privacy.`
	return []script.Builtin{
		script.Func(`laplace_rival(s: sensitivity, eps: epsilon, delta: delta=None, form: "classic"|"tight"="classic") -> laplace rival`,
			`Independent Laplace noise of one scale on every element, for a query of a sensitivity set: form "classic" has the scale Δ₁/eps, where Δ₁ is the l1 sensitivity over all elements, and claims eps. "tight" needs delta, and has about the least scale at which the certified upper end of delta_at(eps) is at most delta.`,
			"s = box_sensitivity(2, 100, [1, 10])\nprint(laplace_rival(s, 1).scale, laplace_rival(s, 1, 1e-3, form=\"tight\").scale)", func(c *script.Call) (any, error) {
				s := sensitivityClass.Arg(c, "s")
				if c.Text("form") == "classic" {
					if c.Given("delta") {
						c.Stop("delta is given, want it only with form \"tight\"")
					}
					return matrices.ClassicLaplace(s, c.Epsilon("eps"))
				}
				if !c.Given("delta") {
					c.Stop("delta is missing, want it with form \"tight\"")
				}
				return matrices.TightLaplace(c.Context, s, c.Epsilon("eps"), c.Delta("delta"))
			}),
		script.Func(`symmetric_gauss(d: int, eps: epsilon, delta: delta, row_norm: number=1, half_width: numbers=None, neighbors: "unbounded"|"bounded"|"add_remove"|"replace"="unbounded", scale: number=1, form: "tight"|"classic"="tight") -> symmetric gauss`,
			`Gaussian noise on the upper triangle, with the diagonal, of scale·XXᵀ, d×d, mirrored below ("Analyze Gauss"). Records, the columns of X, have Euclidean norm at most row_norm, or with half_width, a list of d numbers, lie within that box around the origin; one is added or removed ("unbounded") or replaced ("bounded"). form "classic" has the published deviation Δ√(2 ln(1.25/delta))/eps, "tight" the least one. Source: Dwork, Talwar, Thakurta and Zhang 2014, of which only the abstract was available.`,
			"g = symmetric_gauss(4, 1, 1e-3, scale=1 / 100)\nprint(g.sigma, g.delta_at(1))", func(c *script.Call) (any, error) {
				change, err := matrices.UpperSensitivity(c.Int("d"), c.Float("row_norm"), c.Floats("half_width"), recordRelation(c) == query.Replace, c.Float("scale"))
				if err != nil {
					return nil, err
				}
				g, err := matrices.SymmetricGaussFor(c.Int("d"), change, c.Epsilon("eps"), c.Delta("delta"), matrices.Scaling(c.Text("form")))
				if err == nil && !c.Given("half_width") {
					g.Query, err = mvg.NewGram(c.Int("d"), c.Float("row_norm"), recordRelation(c), c.Float("scale"))
				}
				return g, err
			}),
		script.Func(`jl_rival(rows: int, eps: epsilon=None, delta: delta=None, width: choice=None, move: number=1, spectrum: "raised"|"threshold"="raised", form: "exact"|"published"="exact") -> jl rival`,
			`The Johnson–Lindenstrauss transform as a mechanism: n records, the columns of X, m×n, are released as rows mixed records XGᵀ/√rows, where G has independent standard normal entries. spectrum "raised" replaces the singular values σ of X by √(σ² + width²) (Blocki, Blum, Datta and Sheffet 2012), "threshold" refuses X if one is below width (the condition of Upadhyay 2014). Neighbors differ in one record, which moves by at most move in Euclidean norm: twice the norm of a box's half-widths. form "published" has the width move·16√(rows·ln(2/delta))·ln(16·rows/delta)/eps, which is claimed to be (eps, delta)-private.`+exact+` A width may be given instead of eps and delta. The full papers were not available.`,
			"print(jl_rival(50, 1, 1e-3).width, jl_rival(50, 1, 1e-3, form=\"published\").width)\nprint(jl_rival(50, width=40).delta_at(1))", newJL),
		script.Func(`net_rival(half_width: numbers, n: int, levels: int, eps: epsilon, delta: delta0=0, quality: "max"|"sum"="max", form: "published"|"exact"="published") -> net rival`,
			`The exponential mechanism on a finite net of the identity query of n records in a box: the matrices whose row i takes levels evenly spaced values from −half_width[i] to half_width[i]. The weight of a matrix Y is exp(−parameter·d(X, Y)/2Δ), where d is the largest distance of two entries (quality "max") or the sum of all distances ("sum"), and Δ is its sensitivity if one record moves within the box. form "published" has the parameter eps.`+exact+` Source: Blum, Ligett and Roth 2013, which was not available; net and quality are this workbench's choice.`,
			"r = net_rival([1, 1], 3, 5, 1)\nprint(r.log_size, r.sensitivity, r.smallest_epsilon)", func(c *script.Call) (any, error) {
				quality := matrices.Quality(c.Text("quality"))
				if c.Text("form") == "published" {
					if !c.Delta("delta").IsZero() {
						c.Stop("delta is given, want it only with form \"exact\"")
					}
					return matrices.NewNet(c.Floats("half_width"), c.Int("n"), c.Int("levels"), quality, c.Epsilon("eps"))
				}
				return matrices.ExactNet(c.Floats("half_width"), c.Int("n"), c.Int("levels"), quality, c.Epsilon("eps"), c.Delta("delta"))
			}),
		script.Func(`ppca(eps: epsilon, delta: delta0=0, row_norm: number=1, neighbors: "bounded"|"unbounded"|"replace"|"add_remove"="bounded", form: "published"|"exact"="published") -> ppca`,
			`The first principal component by the exponential mechanism: a unit vector v of density proportional to exp(parameter/2·vᵀXXᵀv/row_norm²), for records, the columns of X, of norm at most row_norm; one is replaced ("bounded") or added or removed ("unbounded"). form "published" has the parameter eps, which is claimed to be eps-private for "bounded".`+exact+` Source: Chaudhuri, Sarwate and Sinha 2013.`,
			"p = ppca(1)\nprint(p.smallest_epsilon, p.captured([[0.9, -0.8], [0.1, 0.2]]))", func(c *script.Call) (any, error) {
				adds := recordRelation(c) == query.AddRemove
				if c.Text("form") == "published" {
					if !c.Delta("delta").IsZero() {
						c.Stop("delta is given, want it only with form \"exact\"")
					}
					return matrices.NewPPCA(c.Epsilon("eps"), c.Float("row_norm"), adds)
				}
				return matrices.ExactPPCA(c.Epsilon("eps"), c.Delta("delta"), c.Float("row_norm"), adds)
			}),
		script.Func("bingham(a: dense) -> bingham",
			"The law of unit vectors v of density proportional to exp(vᵀav), a symmetric matrix. Draws are by rejection from an angular central Gaussian law, exact except for floating point (Kent, Ganeiber and Mardia 2013).",
			"b = bingham([[2, 0], [0, 0]])\nprint(b.acceptance, b.moment)", func(c *script.Call) (any, error) { return matrices.NewBingham(dense(c, "a")) }),
	}
}

func newJL(c *script.Call) (any, error) {
	form := matrices.Form(c.Text("spectrum"))
	if c.Given("width") {
		if c.Given("eps") || c.Given("delta") {
			c.Stop("width is given with eps or delta, want width alone, or eps and delta")
		}
		return matrices.NewJL(form, c.Int("rows"), c.Float("width"), c.Float("move"))
	}
	if !c.Given("eps") || !c.Given("delta") {
		c.Stop("want width, or both eps and delta")
	}
	if c.Text("form") == "published" {
		return matrices.PublishedJL(form, c.Int("rows"), c.Float("move"), c.Epsilon("eps"), c.Delta("delta"))
	}
	return matrices.ExactJL(c.Context, form, c.Int("rows"), c.Float("move"), c.Epsilon("eps"), c.Delta("delta"))
}

// askPrivacy returns delta_at and epsilon_at of a value with its own privacy profile. more is added to the help.
func askPrivacy[T any](of func(T) privacy.Profile, more string) []script.Attr[T] {
	return []script.Attr[T]{
		script.Do("delta_at(eps: epsilon0) -> evidence", "The least δ at which the mechanism is (eps, δ)-private, eps in nats, at least 0. Certified: the upper end is the safe side. If only an upper bound is known, the lower end is 0. epsilon_at is its inverse.", "(1)", func(c *script.Call, v T) (any, error) {
			return of(v).Delta(c.Context, c.Epsilon("eps"))
		}),
		script.Do("epsilon_at(delta: delta0) -> evidence", "The least ε ≥ 0, in nats, at which the mechanism is (ε, delta)-private, 0 ≤ delta < 1; inf if no ε is enough. Certified or exact. "+more+"delta_at is its inverse.", "(0.01)", func(c *script.Call, v T) (any, error) {
			return of(v).Epsilon(c.Context, c.Delta("delta"))
		}),
	}
}

// claimedBy returns the attribute for what a paper claims, if it claims anything.
func claimedBy[T any](example string, of func(T) (evidence.Claimed, bool)) script.Attr[T] {
	return script.Get("claimed_epsilon -> evidence", "The ε, in nats, that the paper claims. Claimed.", example, func(v T) any { return known(of(v)) }).
		If(func(v T) bool { _, ok := of(v); return ok }, "the paper claims nothing of a parameter chosen in another way")
}

var laplaceRivalClass = &script.Class[*matrices.Laplace]{
	Answers: script.Answers[*matrices.Laplace]{
		"compare": comparedBy(sensitivityKept[*matrices.Laplace], entryErrors...),
	},
	Name: "laplace rival", Help: "Laplace noise on every element of a query, with its privacy for a sensitivity set.", Setup: "s = box_sensitivity(2, 3, [1, 10])\nr = laplace_rival(s, 1)\n",
	Show: func(l *matrices.Laplace) string {
		return "<laplace rival: scale " + evidence.FormatFloat(l.Scale, 6) + ">"
	},
	Attrs: slices.Concat([]script.Attr[*matrices.Laplace]{
		script.Get("scale -> number", "The scale of the noise, in the unit of the query.", "", func(l *matrices.Laplace) any { return l.Scale }),
		script.Get("element_sd -> evidence", "The standard deviation of an element of the noise, in the unit of the query. Certified.", "", func(l *matrices.Laplace) any { return l.NoiseSD() }),
		script.Get("l1 -> evidence", "Δ₁, the largest sum of absolute values in the sensitivity set. Certified.", "", func(l *matrices.Laplace) any { return l.L1() }),
		claimedBy("", (*matrices.Laplace).Claimed),
		script.Do("simulate(x: dense, seed: seed=0) -> matrix", "The query's answer x plus a draw of the noise, in floating point, for research only. Use laplace_release for values to be published.", "([[0, 0, 0], [0, 0, 0]], seed=1)", func(c *script.Call, l *matrices.Laplace) (any, error) {
			return noisy(c)(l.Simulate(dense(c, "x"), c.Source("seed")))
		}),
	}, askPrivacy((*matrices.Laplace).Privacy, "")),
}

var symmetricGaussClass = &script.Class[*matrices.SymmetricGauss]{
	Answers: script.Answers[*matrices.SymmetricGauss]{
		"compare": comparedBy(func(g *matrices.SymmetricGauss) string {
			if g.Query == nil {
				return fmt.Sprintf("scale·XXᵀ of order %d for records in a box", g.Order())
			}
			return g.Query.Describe()
		}, measure{"sd of an entry", func(_ *asking, m *script.Object) starlark.Value {
			return script.Known(m.Inner().(*matrices.SymmetricGauss).NoiseSD())
		}}),
	},
	Name: "symmetric gauss", Help: "Gaussian noise on the upper triangle, with the diagonal, of a symmetric matrix.", Setup: "g = symmetric_gauss(2, 1, 1e-3)\n",
	Show: func(g *matrices.SymmetricGauss) string {
		return fmt.Sprintf("<symmetric gauss of order %d: sigma %s>", g.Order(), evidence.FormatFloat(g.Sigma, 6))
	},
	Attrs: slices.Concat([]script.Attr[*matrices.SymmetricGauss]{
		script.Get("sigma -> number", "The standard deviation of an element, in the unit of the matrix.", "", func(g *matrices.SymmetricGauss) any { return g.Sigma }),
		script.Get("sensitivity -> evidence", "The L2 sensitivity of the upper triangle with the diagonal. Certified.", "", func(g *matrices.SymmetricGauss) any { return g.Sensitivity() }),
		script.Do("simulate(x: dense, seed: seed=0) -> matrix", "The symmetric matrix x plus a draw of the noise, in floating point, for research only.", "([[2, 1], [1, 3]], seed=1)", func(c *script.Call, g *matrices.SymmetricGauss) (any, error) {
			return g.Simulate(dense(c, "x"), c.Source("seed"))
		}),
	}, askPrivacy((*matrices.SymmetricGauss).Privacy, "")),
}

const publishedJL = "r = jl_rival(3, 1, 1e-3, form=\"published\")\n"

var jlRivalClass = &script.Class[matrices.JL]{
	Name: "jl rival", Help: "A Gaussian projection of records as a mechanism.", Setup: "r = jl_rival(3, width=10)\n",
	Show: func(j matrices.JL) string { return "<jl rival: " + j.String() + ">" },
	Attrs: slices.Concat([]script.Attr[matrices.JL]{
		script.Get("rows -> int", "The number of mixed records released.", "", func(j matrices.JL) any { return j.Rows }),
		script.Get("width -> number", "The width added to the singular values (\"raised\"), or their required minimum (\"threshold\").", "", func(j matrices.JL) any { return j.Width }),
		script.Get("move -> number", "The largest change of a record between neighbors, in Euclidean norm.", "", func(j matrices.JL) any { return j.Move }),
		claimedBy(publishedJL+"print(r.claimed_epsilon)", func(j matrices.JL) (evidence.Claimed, bool) { eps, _, ok := j.Claimed(); return eps, ok }),
		script.Get("claimed_delta -> evidence", "The δ that the paper claims. Claimed.", publishedJL+"print(r.claimed_delta)", func(j matrices.JL) any {
			_, delta, ok := j.Claimed()
			return known(delta, ok)
		}).If(func(j matrices.JL) bool { _, _, ok := j.Claimed(); return ok }, "the paper claims nothing of a width chosen in another way"),
		script.Do("simulate(x: dense, seed: seed=0) -> matrix", "The mixed records of x, an m×rows matrix Y, drawn from their law in floating point: YYᵀ is XXᵀ on average, plus width²·I if the spectrum is raised. For research only.", "([[1, 0, 2], [0, 1, 1]], seed=1)", func(c *script.Call, j matrices.JL) (any, error) {
			return j.Simulate(dense(c, "x"), c.Source("seed"))
		}),
		script.Do("simulate_gram(x: dense, seed: seed=0) -> matrix", "The estimate YYᵀ of XXᵀ from a draw of the mixed records, minus width²·I if the spectrum is raised. For research only.", "([[1, 0, 2], [0, 1, 1]], seed=1)", func(c *script.Call, j matrices.JL) (any, error) {
			return j.SimulateGram(dense(c, "x"), c.Source("seed"))
		}),
	}, askPrivacy(matrices.JL.Privacy, "")),
}

var netRivalClass = &script.Class[matrices.Net]{
	Name: "net rival", Help: "The exponential mechanism on a finite net of matrices.", Setup: "r = net_rival([1, 2], 2, 2, 1)\n",
	Show: func(n matrices.Net) string { return "<net rival: " + n.String() + ">" },
	Attrs: slices.Concat([]script.Attr[matrices.Net]{
		script.Get("parameter -> evidence", "The parameter ε of the weights.", "", func(n matrices.Net) any { return n.Parameter.Number() }),
		script.Get("sensitivity -> evidence", "Δ, the largest change of the distance to a matrix of the net if one record changes. Certified.", "", func(n matrices.Net) any { return n.Sensitivity() }),
		script.Get("log_size -> evidence", "The logarithm of the number of matrices. Certified.", "", func(n matrices.Net) any { return n.LogSize() }),
		claimedBy("", matrices.Net.Claimed),
		script.Do("smallest_epsilon -> evidence", "The smallest ε, over all data in the box: for quality \"sum\" it is exactly half of the parameter, and for \"max\" it is enclosed between that and the parameter. epsilon_at(delta) is the ε at a δ."+attributeHere, "", func(c *script.Call, n matrices.Net) (any, error) {
			return n.Privacy().Epsilon(c.Context, evidence.Delta{})
		}),
		script.Do("mechanism -> mechanism", "The mechanism as a finite one whose datasets are the matrices of the net, ordered by their entries row by row, the last one fastest, for nets of up to 512 matrices. Its laws are exact.", "r = net_rival([1, 2], 2, 2, 1)\nprint(r.mechanism.smallest_epsilon)", func(c *script.Call, n matrices.Net) (any, error) { return n.Mechanism(c.Context) }).If(matrices.Net.IsListed, "the net has too many matrices, want at most 512 to list its law"),
		script.Do("simulate(x: dense, seed: seed=0) -> matrix", "A matrix of the net, drawn with its weights around x, an m×n matrix within the box, in floating point, for research only.", "([[1, 0], [0, 2]], seed=1)", func(c *script.Call, n matrices.Net) (any, error) {
			return noisy(c)(n.Simulate(dense(c, "x"), c.Source("seed")))
		}),
	}, askPrivacy(matrices.Net.Privacy, "smallest_epsilon is that at delta 0. ")),
}

var ppcaClass = &script.Class[matrices.PPCA]{
	Name: "ppca", Help: "The first principal component by the exponential mechanism.", Setup: "p = ppca(1)\n",
	Show: func(p matrices.PPCA) string { return "<ppca: " + p.String() + ">" },
	Attrs: slices.Concat([]script.Attr[matrices.PPCA]{
		script.Get("parameter -> evidence", "The parameter ε of the weights.", "", func(p matrices.PPCA) any { return p.Parameter.Number() }),
		claimedBy("", matrices.PPCA.Claimed),
		script.Do("smallest_epsilon -> evidence", "The smallest ε over data sets of any size, from two dimensions on. Certified. epsilon_at(delta) is the ε at a δ."+attributeHere, "", func(c *script.Call, p matrices.PPCA) (any, error) {
			return p.Privacy().Epsilon(c.Context, evidence.Delta{})
		}),
		script.Do("witness(d: int, n: int) -> evidence", "The loss between two neighbors of n records in dimension d at one output: a lower bound of the smallest ε for data of that size. Certified.", "(3, 100)", func(c *script.Call, p matrices.PPCA) (any, error) {
			return p.Witness(c.Context, c.Int("d"), c.Int("n"))
		}),
		script.Do("law(x: dense) -> bingham", "The law of the released vector for the data x, records in columns.", "p = ppca(1)\nprint(p.law([[0.9, -0.8], [0.1, 0.2]]).moment)", func(c *script.Call, p matrices.PPCA) (any, error) { return p.Law(dense(c, "x")) }),
		script.Do("captured(x: dense) -> evidence", "The variance E vᵀ(XXᵀ/n)v that the released vector captures on average, computed without sampling. Certified, for the eigenvalues of XXᵀ as computed.", "([[0.9, -0.8], [0.1, 0.2]])", func(c *script.Call, p matrices.PPCA) (any, error) {
			return p.Captured(c.Context, dense(c, "x"))
		}),
		script.Do("simulate(x: dense, seed: seed=0) -> list", "A draw of the released vector, in floating point, for research only.", "([[0.9, -0.8], [0.1, 0.2]], seed=1)", func(c *script.Call, p matrices.PPCA) (any, error) {
			return p.Simulate(dense(c, "x"), c.Source("seed"))
		}),
	}, askPrivacy(matrices.PPCA.Privacy, "smallest_epsilon is that at delta 0. ")),
}

var binghamClass = &script.Class[*matrices.Bingham]{
	Name: "bingham", Help: "A law of unit vectors, of density proportional to exp(vᵀAv).", Setup: "b = bingham([[2, 0.5], [0.5, 0]])\n",
	Show: func(b *matrices.Bingham) string { return "<bingham: " + b.String() + ">" },
	Attrs: []script.Attr[*matrices.Bingham]{
		script.Get("values -> list", "The eigenvalues of A in decreasing order.", "", func(b *matrices.Bingham) any { return b.Values() }),
		script.Do("log_constant -> evidence", "ln E exp(vᵀAv) for a uniform unit vector v. Certified, for the eigenvalues as computed.", "", func(c *script.Call, b *matrices.Bingham) (any, error) { return b.LogConstant(c.Context) }),
		script.Do("moment -> evidence", "E vᵀAv of the law. Certified, for the eigenvalues as computed.", "", func(c *script.Call, b *matrices.Bingham) (any, error) { return b.Moment(c.Context) }),
		script.Do("acceptance -> evidence", "The probability that a proposal is accepted. Certified, for the eigenvalues as computed.", "", func(c *script.Call, b *matrices.Bingham) (any, error) { return b.Acceptance(c.Context) }),
		script.Do("simulate(count: int=1, seed: seed=0) -> matrix", "Draws in floating point, as the columns of a matrix, for research only.", "(2, seed=1)", func(c *script.Call, b *matrices.Bingham) (any, error) {
			v, _, err := b.Simulate(c.Int("count"), c.Source("seed"))
			return v, err
		}),
	},
}
