package xor

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
)

// network is a graph of the paper's case study.
type network struct {
	name         string
	nodes, edges int
}

var (
	facebook = network{"Facebook", 4039, 88234}
	email    = network{"e-mail", 986, 16064}
)

func (g network) pairs() int { return g.nodes * (g.nodes - 1) / 2 }

// edgesAt returns the mean number of released edges at flip rate p. The two mirrored bits of a pair are flipped
// independently, because they are in different columns.
func edgesAt(edges, pairs int, p float64) float64 {
	return float64(edges)*(1-p)*(1-p) + float64(pairs-edges)*p*p
}

// networkCase is a graph, a budget in tenths and, for Table 2, the published
// number of edges.
type networkCase struct {
	network
	eps, published int
}

// shareGrid holds shares α in tenths. From N = 4 on the flip rate of B increases in α (xor.figure1), so α = 0 has the
// smallest one.
var shareGrid = []int{0, 3, 5, 7, 10}

// printedRate returns the smallest flip rate over α of the noise B of Algorithm 1. meanEdges checks that the rate
// exceeds 1/2 at every α.
func (c networkCase) printedRate() float64 { return c.leastRate(false) }

// leastFlips returns the smallest flip rate over α of B or its complement.
func (c networkCase) leastFlips(complement bool) evidence.Certified {
	least := evidence.Certified{Lo: math.Inf(1)}
	for _, alpha := range shareGrid {
		if p := flipRate((budgetCase{c.nodes, c.nodes, 2, c.eps, alpha}).law().Columns(), complement); p.Lo < least.Lo {
			least = p
		}
	}
	return least
}

// leastRate returns the lower end of leastFlips.
func (c networkCase) leastRate(complement bool) float64 { return c.leastFlips(complement).Lo }

// bestRate returns 1/(1 + e^{ε/2}). If a law of Algorithm 1's form is ε-private for two bits, neither B nor its
// complement flips fewer bits (xor.allocation).
func (c networkCase) bestRate() float64 { return responseRate(2)(float64(c.eps) / 10) }

// bestFlips encloses bestRate.
func (c networkCase) bestFlips() evidence.Certified {
	lo, hi := responseInterval(2, c.eps).Bounds()
	return evidence.Certified{Lo: lo, Hi: hi, Provenance: evidence.Provenance{Method: "flip rate 1/(1 + e^{ε/2})"}}
}

// meanWithin encloses the mean number of edges at a flip rate. The mean increases in the rate and is a polynomial of
// eight operations.
func (c networkCase) meanWithin(p evidence.Certified) evidence.Certified {
	return evidence.Certified{Lo: c.mean(p.Lo) * (1 - 16*check.Epsilon64), Hi: c.mean(p.Hi) * (1 + 16*check.Epsilon64), Provenance: evidence.From("Table 2").By(p.Method)}
}

// mean returns the mean number of edges at a flip rate. It increases in the rate above edges/pairs.
func (c networkCase) mean(rate float64) float64 { return edgesAt(c.edges, c.pairs(), rate) }

// script returns code that sets t to the mean number of edges at the best rate, and b to that at the smallest rate q of
// noise B.
func (c networkCase) script() string {
	return check.Script(check.Vars{"nodes": c.nodes, "edges": c.edges, "eps": float64(c.eps) / 10, "shares": shareGrid},
		"n, e = {nodes}, {edges}; m = n*(n - 1)/2; f = lambda p: e*(1 - p)*(1 - p) + (m - e)*p*p; t = f(1/(1 + math.exp({eps}/2)))",
		"q = min([xor_allocation(n, n, {eps}, k/10, 2).error_rate().lo for k in {shares}]); b = f(q)")
}

func (c networkCase) fields(extra ...any) []check.Field {
	return append(check.Named("graph", fmt.Sprintf("%s, %d nodes, %d edges", c.name, c.nodes, c.edges), "eps", float64(c.eps)/10), check.Named(extra...)...)
}

// publishedEdges states that the mean at the best rate is at most 1.1 times the published number.
var publishedEdges = check.Statement[networkCase]{
	Family: "the six published numbers",
	Each: slices.Values([]networkCase{
		{facebook, 10, 113000}, {facebook, 6, 148000}, {facebook, 2, 273000},
		{email, 10, 15720}, {email, 6, 16790}, {email, 2, 39110},
	}),
	Holds: func(c networkCase) bool { return c.mean(c.bestRate()) <= 1.1*float64(c.published) },
	Witness: func(c networkCase) *check.Witness {
		return &check.Witness{
			Fields: c.fields("edges published", c.published,
				"least flip rate of B over alpha", fmt.Sprintf("%.6f", c.printedRate()), "mean number of edges there", fmt.Sprintf("%.0f", c.mean(c.printedRate())),
				"least flip rate at that privacy", fmt.Sprintf("%.6f", c.bestRate()), "mean number of edges at that", fmt.Sprintf("%.0f", c.mean(c.bestRate())),
				"probability of the published number or fewer, for B or for independent bits", fmt.Sprintf("at most e^-%.0f", math.Floor(c.rarity()))),
			Script: c.script() + check.Script(check.Vars{"published": c.published}, "; print(b, t, {published}, t <= 1.1*{published})"),
		}
	},
	Measure: func(c networkCase) []check.Item {
		needed := c.neededFlips()
		loss := func(p float64) float64 { return 2 * math.Log((1-p)/p) }
		return []check.Item{
			{Label: "mean number of edges for noise B, the least over α", Number: c.meanWithin(c.leastFlips(false))},
			{Label: "mean number of edges of independent bits at ε", Number: c.meanWithin(c.bestFlips())},
			{Label: "flip rate whose mean is the published number", Number: needed},
			{Label: "smallest ε of independent bits at that rate", Number: evidence.Certified{
				Lo: loss(needed.Hi) * (1 - 8*check.Epsilon64), Hi: loss(needed.Lo) * (1 + 8*check.Epsilon64), Side: evidence.Up, Provenance: evidence.From("Table 2").By("2 ln((1 − p)/p), two mirrored bits")}},
		}
	},
}

// rarity returns k such that independent bits of the best rate release at most the published number of edges with
// probability at most e^{−k}. Each of the pairs without an edge is released with probability p² (Hoeffding 1963,
// Theorem 1). The bound also holds for noise B: its parameters are nonnegative, so it stochastically dominates fair
// bits, and fair bits dominate these.
func (c networkCase) rarity() float64 {
	others, p := float64(c.pairs()-c.edges), c.bestRate()
	gap := p*p - float64(c.published)/others
	return 2 * others * gap * gap
}

// neededFlips encloses the flip rate whose mean is the published number. The mean is smallest at edges/pairs, where the
// search starts. The means at the two ends are on either side of the published number.
func (c networkCase) neededFlips() evidence.Certified {
	lo, hi, t := float64(c.edges)/float64(c.pairs()), 0.5, float64(c.published)
	for range 60 {
		if mid := (lo + hi) / 2; c.mean(mid)*(1+16*check.Epsilon64) < t {
			lo = mid
		} else if c.mean(mid)*(1-16*check.Epsilon64) > t {
			hi = mid
		} else {
			break
		}
	}
	return evidence.Certified{Lo: lo, Hi: hi, Provenance: evidence.From("Table 2").By("bisection on the mean")}
}

// meanEdges checks a formula for the mean number of edges on small graphs, by enumeration of all noise matrices. It
// also checks that the flip rate exceeds 1/2.
func meanEdges(formula func(edges, pairs int, p float64) float64) check.Statement[graphCase] {
	return check.Statement[graphCase]{
		Family: "all graphs on N ≤ 3 nodes, ε in {1, …, 6}, α in {.1, .3, .5, .7, 1}",
		Each:   graphRelease(promised).Each,
		Draw:   func(rng *rand.Rand) graphCase { return graphCase{2 + rng.IntN(2), 1 + rng.IntN(80), 1 + rng.IntN(10)} },
		Holds: func(c graphCase) bool {
			p := flipRate(c.budget().law().Columns(), false)
			pairs := c.n * (c.n - 1) / 2
			for g, row := range c.outputs() {
				var mean float64
				for out, prob := range row {
					mean += prob * float64(ones(out))
				}
				want := formula(ones(g), pairs, p.Float())
				// The mean sums 512 weights of at most three edges, each within 64 ulps.
				if math.Abs(mean-want) > 3*(512+64)*4*check.Epsilon64 || 2*ones(g) <= pairs && mean < float64(pairs)/4 {
					return false
				}
			}
			return p.Lo > .5
		},
	}
}

func ones(state int) int { return bits.OnesCount(uint(state)) }
