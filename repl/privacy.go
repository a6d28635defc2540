package repl

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"dpworkbench/display"
	"dpworkbench/evidence"
	"dpworkbench/privacy"
	"dpworkbench/query"
	"dpworkbench/script"
	"dpworkbench/xor"

	"go.starlark.net/starlark"
)

// privacyBuiltins returns the built-ins that compute the privacy of a value, and compose such values.
func privacyBuiltins() []script.Builtin {
	return []script.Builtin{
		script.Func(`privacy(x: private, u: numbers=None, v: numbers=None, sensitivity: int[1..2147483647]=1, neighbors: bit_matrices|"bits"|"row"|"edge"="bits") -> privacy`,
			"The privacy of x, from the law of its privacy loss ln p^x(r)/p^y(r). x is a mechanism, a line mechanism, an MVG design, an XOR law with its sensitivity and neighbors (as in b.smallest_epsilon), or a release of projections: between the vectors u and v, between u and its neighbors if v is None, and between all neighbors, with public W, if both are None. Mechanisms on finite universes and designs need no parameters and also have the methods of the result. For a mechanism on records all datasets are listed if records are replaced on a grid and there are few datasets and outputs, or graphs have at most 6 nodes; otherwise only its claim is used, and answers are claimed.",
			"p = privacy(bernoulli_uniform(4, 1, -1, 0), sensitivity=2)\nprint(p.delta_at(0.5), p.epsilon_at(1e-3))", func(c *script.Call) (any, error) { return askedFor(c, c.Arg("x").(*script.Object)) }),
		script.Func("compose(parts: parts, k: int[1..1073741824]=1, width: choice=1e-4) -> privacy",
			"The privacy of k uses of parts on the same dataset with independent noise. parts is anything that privacy(x) accepts, or a list of such values and of pairs (x, number of uses). The dataset and its neighbor are the same in every use: for mechanisms on one universe, and for uses of one design, law or release, the maximum is over common pairs of neighbors. Otherwise the dominating pairs are composed, which gives an upper bound. p.adaptive is the privacy of mechanisms that are chosen depending on earlier outputs; the text, report and sources of p say which of the two it is. If losses have no common lattice, enclosures have a relative width of at most width, 1e-9 ≤ width < 1, 1e-4 by default. For compositions of a composition on one sample it is about 1e-5, even for smaller width.",
			querySetup+"c = compose([purest(q, ln(2)), (ladder(q, ln(4)), 3)])\nprint(c.delta_at(ln(4)), c.adaptive.delta_at(ln(4)))\nprint(compose(known(ln(3)), 10).epsilon_at(1e-6))", func(c *script.Call) (any, error) {
				parts := c.Arg("parts").([]part)
				accounts, times := make([]*privacy.Account, len(parts)), make([]int, len(parts))
				for i, p := range parts {
					accounts[i], times[i] = p.of, p.times
				}
				all := must(privacy.Compose(c.Context, accounts, times))
				if k := c.Int("k"); k > 1 {
					all = must(privacy.Compose(c.Context, []*privacy.Account{all}, []int{k}))
				}
				if c.Spelled("width") {
					return all.Within(c.Float("width"))
				}
				return all, nil
			}),
		script.Func(`subsample(a: parts, rate: rational, kind: "poisson"|"without_replacement"="poisson") -> privacy`,
			"The privacy of a on a random sample of the records. \"poisson\" includes every record with probability rate, for neighbors that add or remove a record; \"without_replacement\" draws the fraction rate of the records, for neighbors that replace one. 0 ≤ rate ≤ 1. Pass the result to compose for several steps. A composition is used as a whole on one sample: subsample(compose(laplace(q, 1), 3), rate) is three uses on the same sample. It uses the tight dominating pair of a (Zhu, Dong and Wang 2022), which gives an upper bound if a has many pairs of neighbors. Mechanisms with other neighbors, such as those on graphs, are refused.",
			"s = subsample(known(ln(3)), \"1/10\")\nprint(s.delta_at(ln(2)), compose(s, 10).epsilon_at(1e-6))\nprint(subsample(known(3), 0.1, kind=\"without_replacement\").delta_at(0.1))", func(c *script.Call) (any, error) {
				parts := c.Arg("a").([]part)
				if len(parts) != 1 || parts[0].times != 1 {
					c.Fail("a", c.Value("a"), "one mechanism, or compose(…) of mechanisms that are used on the same sample")
				}
				return privacy.Subsample(c.Context, parts[0].of, c.Rational("rate"), privacy.Sampling(c.Text("kind")))
			}),
		script.Func("two_laws(p: rationals, q: rationals) -> privacy",
			"The privacy of a mechanism given by two laws, those of its output at two neighboring datasets: p[i] and q[i] are the probabilities of output i, numbers or strings such as \"1/3\", and each list has the sum 1. Both directions are considered. If the two laws dominate those of all neighbors (a dominating pair), this is the mechanism's privacy. Answers are exact at an exact e^eps.",
			"t = two_laws([\"1/2\", \"1/4\", \"1/4\", 0], [0, \"1/2\", \"1/4\", \"1/4\"])\nprint(t.delta_at(ln(2)), t.delta_at(0), compose(t, 2).delta_at(ln(2)))", func(c *script.Call) (any, error) {
				return privacy.New(privacy.PairAndReverse("two_laws", "given", must(privacy.NewRationalPair(c.Rationals("p"), c.Rationals("q"))))), nil
			}),
		script.Func("known(eps: profile_epsilon, delta: rational=0) -> privacy",
			"Any mechanism that is only known to be (eps, delta)-differentially private, represented by the worst such mechanism (Kairouz, Oh and Viswanath 2015). Its compositions give the optimal composition theorem, also for different parameters (Murtagh and Vadhan 2016); exact if e^eps is rational.",
			"a = compose([known(ln(3)), known(ln(2), \"1/1000\")])\nprint(a.delta_at(ln(2)))", func(c *script.Call) (any, error) {
				delta := c.Rational("delta")
				if delta.Sign() < 0 || delta.Cmp(big.NewRat(1, 1)) > 0 {
					c.Fail("delta", c.Value("delta"), "0 <= delta <= 1")
				}
				var eps evidence.Epsilon
				if given, _ := c.Arg("eps").(*evidence.Epsilon); given != nil {
					eps = *given
				} else { // no claim
					delta = big.NewRat(1, 1)
				}
				f, err := privacy.ApproxDP(eps, delta)
				if err != nil {
					return nil, err
				}
				return privacy.New(f), nil
			}),
	}
}

// part is a number of uses of one mechanism.
type part struct {
	of    *privacy.Account
	times int
}

// privacyKinds returns the parameter kinds of values with a privacy, of compose's parts, and of delta_at's ε.
func privacyKinds() []script.Kind {
	return []script.Kind{
		script.KindOf("private", func(c *script.Call, name string, v starlark.Value) *script.Object {
			k, ok := v.(*script.Object)
			if !ok {
				c.Fail(name, v, "a mechanism, design, XOR law, release or privacy")
			}
			return k
		}),
		script.KindOf("parts", readParts),
		script.KindOf("profile_epsilon", func(c *script.Call, name string, v starlark.Value) *evidence.Epsilon {
			if f, ok := starlark.AsFloat(v); ok && math.IsInf(f, 1) {
				return nil
			}
			eps := c.EpsilonOrZeroOf(name, v)
			return &eps
		}),
	}
}

// readParts reads the argument of compose.
func readParts(c *script.Call, name string, v starlark.Value) []part {
	one := func(v starlark.Value) *privacy.Account {
		k, ok := v.(*script.Object)
		if !ok {
			c.Fail(name, v, "a mechanism, design, XOR law, release or privacy, or a list of these and of pairs (x, number of uses)")
		}
		return must(accountOf(c, k))
	}
	list, ok := script.Elements(v)
	if !ok {
		return []part{{one(v), 1}}
	}
	if len(list) == 0 {
		c.Fail(name, v, "at least one mechanism")
	}
	var out []part
	for _, v := range list {
		if pair, ok := v.(starlark.Tuple); ok {
			if len(pair) != 2 {
				c.Fail(name, v, "a pair (x, number of uses)")
			}
			n, err := starlark.AsInt32(pair[1])
			if err != nil || n < 1 {
				c.Fail(name, v, "a pair (x, number of uses), with a number of at least 1")
			}
			out = append(out, part{one(pair[0]), n})
			continue
		}
		out = append(out, part{one(v), 1})
	}
	return out
}

// askedFor returns the privacy of a script value, with the parameters of privacy(…) that its class accepts.
func askedFor(c *script.Call, v *script.Object) (*privacy.Account, error) {
	if a, err := v.Ask(c, "privacy"); a != nil || err != nil {
		return a.(*privacy.Account), err
	}
	takes(c)
	return accountOf(c, v)
}

// takes refuses the parameters of privacy(x, …) that x does not accept.
func takes(c *script.Call, names ...string) {
	for _, name := range []string{"u", "v", "sensitivity", "neighbors"} {
		if c.Spelled(name) && !slices.Contains(names, name) {
			c.Stop("privacy(%s) takes no parameter %s", script.Brief(c.Value("x")), name)
		}
	}
}

// flippedBits returns the privacy of a law of noise on bits.
func flippedBits[T xor.Noise](c *script.Call, law T) (any, error) {
	takes(c, "sensitivity", "neighbors")
	return lawAt(c, law), nil
}

// neighborsAsked returns the neighbor relation of a call.
func neighborsAsked(c *script.Call) xor.Neighbors {
	switch v := c.Arg("neighbors").(type) {
	case []*xor.Bits:
		return xor.FlipPatterns(v...)
	case string:
		if v == "bits" {
			return neighbors(v, c.Int("sensitivity"))
		}
		return neighbors(v, 1)
	}
	return xor.FlipBits(1)
}

// accountOf returns the privacy of a script value that needs no parameters, and caches it.
func accountOf(c *script.Call, v *script.Object) (*privacy.Account, error) {
	make := func() (any, error) {
		if _, ok := v.Inner().(xor.Noise); ok {
			return nil, fmt.Errorf("the privacy of %s depends on parameters: write privacy(x, …)", script.Brief(v))
		}
		x, ok := v.Inner().(privacy.Private)
		if !ok {
			return nil, fmt.Errorf("the privacy of a value of type %s is not known, want a mechanism, design, XOR law, release or privacy", v.Type())
		}
		return privacy.Of(c.Context, x)
	}
	a, err := v.Cached("privacy", make)
	if err != nil {
		return nil, err
	}
	return a.(*privacy.Account), nil
}

// privacySetup makes the privacy of the examples.
const privacySetup = querySetup + "p = privacy(purest(q, ln(2)))\n"

// privacyClass describes the privacy of a mechanism.
var privacyClass = &script.Class[*privacy.Account]{
	Answers: script.Answers[*privacy.Account]{
		"verify": verifyAccount,
	},
	Name: "privacy", Wanted: "a privacy", Help: "The privacy of a mechanism, or of many uses of mechanisms on the same dataset, through the laws of their losses.", Setup: privacySetup,
	Show: func(a *privacy.Account) string {
		what := "the privacy of " + a.Name()
		if a.IsBound() {
			what = "an upper bound of " + what
		}
		if uses := a.Assumes(); uses != "" && uses != "adaptive" { // the name of an adaptive composition says so
			what += ", " + uses
		}
		return "<" + what + ">"
	},
	Attrs: append([]script.Attr[*privacy.Account]{
		script.Get("name -> string", "The mechanisms and numbers of uses.", "", func(a *privacy.Account) any { return a.Name() }),
		script.Get("is_bound -> bool", "Whether its numbers are upper bounds, as for mechanisms without common pairs of datasets.", "", func(a *privacy.Account) any { return a.IsBound() }),
		script.Get("neighbors -> string?", `Which datasets are neighbors: "add_remove", "replace", "edge", "node", "bits", "row" or "local"; of events "replace_special", too; "any" if one pair of laws is used for any two neighbors, and None if unknown.`, "", func(a *privacy.Account) any {
			return onlyIf(a.Relation() != "", string(a.Relation()))
		}),
		script.Do(`under(neighbors: "add_remove"|"replace"|"unbounded"|"bounded"|"edge"|"node"|"bits"|"row"|"local") -> privacy`, "The privacy for neighbors of another relation, an upper bound: replacing a record is two steps that add and remove one, so that (ε, δ) becomes (2ε, (1 + e^ε)δ); an edge belongs to its node, a bit to its row, a record to one person's data (Dwork and Roth 2014, Theorem 2.2). It is an error if no number of steps is enough.", "h = histograms(2, 3)\np = privacy(geometric(h.counting([0]), ln(2)))\nprint(p.neighbors, p.smallest_epsilon, p.under(\"replace\").smallest_epsilon)", func(c *script.Call, a *privacy.Account) (any, error) { return a.Under(recordRelation(c)) }),
		script.Do("smallest_epsilon -> evidence", "The smallest ε, in nats, at δ = 0: inf if one of two neighbors has an output that the other does not have. epsilon_at(delta) is the ε at a δ."+attributeHere, "", func(c *script.Call, a *privacy.Account) (any, error) { return a.Epsilon(c.Context, evidence.Delta{}) }),
		script.Do("adaptive -> privacy", "The privacy of adaptively chosen mechanisms, each with the privacy of one part: the product of the tight dominating pairs (Zhu, Dong and Wang 2022), a bound that is attained. It exceeds that of the fixed uses if no single pair of datasets is the worst for all of them.", querySetup+"c = compose(purest(q, ln(2)), 2)\nprint(c.delta_at(ln(2)), c.adaptive.delta_at(ln(2)))", func(c *script.Call, a *privacy.Account) (any, error) { return a.Adaptive(c.Context) }),
	}, privateAttrs(func(_ *script.Call, a *privacy.Account) (*privacy.Account, error) { return a, nil })...),
}

// The common help of delta_at, epsilon_at and smallest_epsilon.
const (
	deltaHelp     = "The least δ at which it is (eps, δ)-differentially private: the largest hockey-stick divergence of neighbors, in both directions. eps ≥ 0 in nats; 0 gives the total variation distance, and inf the probability of an infinite loss. Exact if the laws and e^eps are rational, as with eps = ln(3). epsilon_at is its inverse."
	epsilonHelp   = "The least ε ≥ 0, in nats, at which it is (ε, delta)-differentially private, 0 ≤ delta < 1. smallest_epsilon is the value at delta 0. delta_at is its inverse."
	attributeHere = " It is an attribute, without parentheses; for XOR laws and sign projections it is a method."
	methodHere    = " It is a method; for mechanisms and designs it is an attribute, without parentheses."
)

// deltaOf implements delta_at.
func deltaOf(c *script.Call, a *privacy.Account) (any, error) {
	eps, _ := c.Arg("eps").(*evidence.Epsilon)
	if eps == nil {
		return a.InfinityMass(c.Context)
	}
	return a.Delta(c.Context, *eps)
}

// lawAt returns the privacy of noise on bits, for the sensitivity and the neighbors of a call.
func lawAt(c *script.Call, law xor.Noise) *privacy.Account {
	return privacy.New(must(law.PairsUnder(neighborsAsked(c))))
}

// ownPrivacy returns the attributes of a value whose privacy needs no parameters, except those named in but.
func ownPrivacy[T any](but ...string) []script.Attr[T] {
	return script.Without(privateAttrs(func(c *script.Call, _ T) (*privacy.Account, error) { return accountOf(c, c.Self().(*script.Object)) }), but...)
}

// privateAttrs returns the attributes of a privacy.
func privateAttrs[T any](of func(c *script.Call, v T) (*privacy.Account, error)) []script.Attr[T] {
	ask := func(declaration, help, example string, f func(c *script.Call, a *privacy.Account) (any, error)) script.Attr[T] {
		return script.Do(declaration, help, example, func(c *script.Call, v T) (any, error) {
			a, err := of(c, v)
			if err != nil {
				return nil, err
			}
			return f(c, a)
		})
	}
	return []script.Attr[T]{
		ask("delta_at(eps: profile_epsilon) -> evidence", deltaHelp, "(ln(2))", func(c *script.Call, a *privacy.Account) (any, error) { return deltaOf(c, a) }),
		ask("epsilon_at(delta: delta0) -> evidence", epsilonHelp, "(1e-6)", func(c *script.Call, a *privacy.Account) (any, error) { return a.Epsilon(c.Context, c.Delta("delta")) }),
		ask("renyi(alpha: value) -> evidence", "The largest Rényi divergence of order alpha ≥ 1 of neighbors, in nats (Mironov 2017). It adds up under composition. Order 1 is the Kullback-Leibler divergence, and order float(\"inf\") the smallest ε. Exact at order 2 if the laws are rational.", "(2)", func(c *script.Call, a *privacy.Account) (any, error) {
			if f, ok := starlark.AsFloat(c.Value("alpha")); ok && math.IsInf(f, 1) {
				return a.Epsilon(c.Context, evidence.Delta{})
			}
			alpha := c.RationalOf("alpha", c.Value("alpha"))
			switch alpha.Cmp(big.NewRat(1, 1)) {
			case -1:
				c.Fail("alpha", c.Value("alpha"), "a number of at least 1")
			case 0:
				return a.KL(c.Context)
			}
			return a.Renyi(c.Context, alpha)
		}),
		ask("zcdp -> evidence", "The least ρ with renyi(α) ≤ ρα for all α > 1: zero-concentrated differential privacy (Bun and Steinke 2016). Certified.", "", func(c *script.Call, a *privacy.Account) (any, error) { return a.ZCDP(c.Context) }),
		ask("gdp -> evidence", "The least μ for which two normal laws μ standard deviations apart are at least as easy to distinguish as any two neighbors: Gaussian differential privacy (Dong, Roth and Su 2022). Certified.", "", func(c *script.Call, a *privacy.Account) (any, error) { return a.GDP(c.Context) }),
		ask("tradeoff() -> list", "The largest convex function below the trade-off functions of all neighbors (Dong, Roth and Su 2022), as a list of its corners (α, β) from α = 0 to β = 0: a test of x against its neighbor with type I error α has a type II error of at least β. Exact if the laws are rational. Otherwise the polygon is below the function, and the upper ends of β are above it.", "()", func(c *script.Call, a *privacy.Account) (any, error) {
			t, err := a.Tradeoff(c.Context)
			if err != nil {
				return nil, err
			}
			return script.Each(t.Corners, func(p privacy.Corner) any {
				if t.Exact {
					return script.Tuple{p.Alpha, p.Beta}
				}
				return script.Tuple{p.Alpha.Float(), p.Beta} // α is a float64, so this is exact
			}), nil
		}),
		ask("plot() -> line_plot", "Two panels: the trade-off function, β over α, and the privacy profile, δ over ε in nats, up to the ε at δ = 10^-6.", "()", drawPrivacy),
		ask(`report(path: string=None, format: "text"|"html"|"latex"=None, optimum: bool=None) -> report|string?`, reportHelp, "()", report),
		ask("worst(eps: epsilon0=None) -> worst", "The largest privacy loss: the datasets x (the true one) and y, the outputs with that loss, and the loss. With eps, the pair with the largest P(E) − e^eps Q(E), the outputs of the event E, and δ.", "()", func(c *script.Call, a *privacy.Account) (any, error) {
			if !c.Given("eps") {
				return a.Worst(c.Context, nil)
			}
			eps := c.Epsilon("eps")
			return a.Worst(c.Context, &eps)
		}),
	}
}

// drawPrivacy draws the trade-off function and the privacy profile side by side.
func drawPrivacy(c *script.Call, a *privacy.Account) (any, error) {
	t := must(a.Tradeoff(c.Context))
	var alpha, beta, lower, upper []float64
	for _, p := range t.Corners {
		lo, hi := p.Beta.Bounds()
		alpha, beta, lower, upper = append(alpha, p.Alpha.Float()), append(beta, lo), append(lower, lo), append(upper, hi)
	}
	const points = 65
	eps, delta, err := a.ProfilePoints(c.Context, points)
	if err != nil {
		return nil, err
	}
	return drawn(c, map[string]any{"alpha": alpha, "beta": beta, "eps": eps, "delta": delta})(display.NewLinePanels(display.PanelsSpec{
		Title: a.Name(),
		Panels: []display.LineSpec{
			{Title: "Trade-off function", XLabel: "type I error α", YLabel: "type II error β", Series: []display.Series{{X: alpha, Y: beta, Lower: lower, Upper: upper}}},
			{Title: "Privacy profile", XLabel: "ε (nats)", YLabel: "δ", Series: []display.Series{{X: eps, Y: delta}}},
		},
	}))
}

// worstClass describes the pair of datasets, and the outputs, with the largest privacy loss.
var worstClass = &script.Class[*privacy.Worst]{
	Name: "worst", Wanted: "the result of worst()", Help: "The pair of datasets, and the outputs, with the largest privacy loss.", Setup: privacySetup + "w = p.worst()\n",
	Show: func(w *privacy.Worst) string {
		where := "any two neighbors"
		if w.X != nil {
			where = fmt.Sprintf("datasets %v and %v", w.X, w.Y)
		}
		return fmt.Sprintf("<%s: %v>", where, w.Loss)
	},
	Attrs: []script.Attr[*privacy.Worst]{
		script.Get("x -> value", "The true dataset, by its name: the graph6 string of a graph, the counts of a histogram, a name given by the user, or else its number. None if one pair of laws is the worst for all datasets. It can be passed wherever the mechanism takes a dataset, and q.index(x) gives its number.", "", func(w *privacy.Worst) any { return scriptPlace(w.X) }),
		script.Get("y -> value", "Its neighbor, by name as x.", "", func(w *privacy.Worst) any { return scriptPlace(w.Y) }),
		script.Get("output -> list", "The outputs with the largest loss, or of the event if an ε was given; empty for a composition.", "", func(w *privacy.Worst) any {
			return script.Each(w.Outputs, scriptPlace)
		}),
		script.Get("loss -> evidence", "The largest loss ln p^x/p^y, in nats, or δ if an ε was given.", "", func(w *privacy.Worst) any { return w.Loss }),
	},
}

// scriptPlace returns the name of a dataset or an output as a script value.
func scriptPlace(x any) any {
	switch v := x.(type) {
	case query.Value:
		return scriptValue(v)
	case query.Dataset:
		if v.Name == nil {
			return v.Index
		}
		return scriptName(v.Name)
	}
	return x
}
