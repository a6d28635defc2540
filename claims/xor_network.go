package claims

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"

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

// edgesAt is the mean number of edges released at flip rate p where two mirrored
// bits are flipped independently: they lie in different columns.
func edgesAt(edges, pairs int, p float64) float64 {
	return float64(edges)*(1-p)*(1-p) + float64(pairs-edges)*p*p
}

// networkCase is a graph, a budget in tenths and, for Table 2, the published
// number of edges.
type networkCase struct {
	network
	eps, published int
}

// shareGrid are shares in tenths. From N = 4 on the flip rate grows with α
// (xor.figure1), so that α = 0 has the least.
var shareGrid = []int{0, 3, 5, 7, 10}

// least returns the least mean number of edges over α, and its flip rate. From
// p = edges/pairs on the mean grows with p.
func (c networkCase) least() (edges, rate float64) {
	edges = math.Inf(1)
	for _, alpha := range shareGrid {
		p := budgetCase{c.nodes, c.nodes, 2, c.eps, alpha}.law().Columns().FlipRate(false).Lo
		if e := edgesAt(c.edges, c.pairs(), p); e < edges {
			edges, rate = e, p
		}
	}
	return edges, rate
}

// script computes the least mean number of edges t.
func (c networkCase) script() string {
	return fmt.Sprintf("n, e = %d, %d; m = n*(n - 1)/2; p = min([xor_allocation(n, n, %g, k/10, 2).error_rate().lo for k in %s]); t = e*(1 - p)*(1 - p) + (m - e)*p*p",
		c.nodes, c.edges, float64(c.eps)/10, list(shareGrid))
}

func (c networkCase) fields(extra ...Field) []Field {
	return append([]Field{
		{"graph", fmt.Sprintf("%s, %d nodes, %d edges", c.name, c.nodes, c.edges)},
		{"eps", fmt.Sprint(float64(c.eps) / 10)},
	}, extra...)
}

// publishedEdges holds where the least mean over α is at most the published
// number and a tenth.
var publishedEdges = statement[networkCase]{
	family: "the six published numbers",
	each: func(yield func(networkCase) bool) {
		for _, c := range []networkCase{
			{facebook, 10, 113000}, {facebook, 6, 148000}, {facebook, 2, 273000},
			{email, 10, 15720}, {email, 6, 16790}, {email, 2, 39110},
		} {
			if !yield(c) {
				return
			}
		}
	},
	holds: func(c networkCase) (bool, error) {
		edges, _ := c.least()
		return edges <= 1.1*float64(c.published), nil
	},
	witness: func(c networkCase) *Witness {
		edges, rate := c.least()
		return &Witness{
			Fields: c.fields(Field{"edges published", fmt.Sprint(c.published)}, Field{"least mean over alpha", fmt.Sprintf("%.0f", edges)}, Field{"flip rate", fmt.Sprintf("%.4f", rate)},
				Field{"probability of the published number or fewer", fmt.Sprintf("at most e^-%.0f", c.rarity())}),
			Script: c.script() + fmt.Sprintf("; print(t, %d, t <= 1.1*%d)", c.published, c.published),
		}
	},
	measure: func(c networkCase) []Item {
		edges, rate := c.least()
		p := c.neededRate()
		return []Item{
			{"least mean number of edges", evidence.Certified{Lo: edges * (1 - 1e-12), Hi: edges * (1 + 1e-12), Method: "closed form of the flip rate", Source: "Algorithm 3"}},
			{"flip rate there", evidence.Certified{Lo: rate * (1 - 1e-12), Hi: rate * (1 + 1e-12), Method: "closed form", Source: "Algorithm 1"}},
			{"flip rate whose mean is the published number", evidence.Certified{Lo: p * (1 - 1e-9), Hi: p * (1 + 1e-9), Method: "quadratic equation", Source: "Table 2"}},
			{"smallest ε of independent bits at that rate", evidence.Certified{Lo: 2 * math.Log((1-p)/p) * (1 - 1e-6), Hi: 2 * math.Log((1-p)/p) * (1 + 1e-6), Loss: true, Method: "2 ln((1 − p)/p), two mirrored bits", Source: "Table 2"}},
		}
	},
}

// rarity returns k such that at most the published number of edges is released
// with probability at most e^{−k}. With parameters ≥ 0 the noise dominates
// independent fair bits, so that the pairs without an edge that are released
// dominate independent draws of probability 1/4 (Hoeffding 1963, Theorem 1).
func (c networkCase) rarity() float64 {
	others := float64(c.pairs() - c.edges)
	gap := .25 - float64(c.published)/others
	return 2 * others * gap * gap
}

// neededRate solves edgesAt(p) = published for the least p > 0.
func (c networkCase) neededRate() float64 {
	e, m, t := float64(c.edges), float64(c.pairs()), float64(c.published)
	root := math.Sqrt(e*e - m*(e-t))
	if t < e {
		root = -root
	}
	return (e + root) / m
}

// meanEdges checks a formula for the mean on small graphs, by all noise matrices;
// and that the flip rate exceeds 1/2.
func meanEdges(formula func(edges, pairs int, p float64) float64) statement[graphCase] {
	return statement[graphCase]{
		family: "all graphs on N ≤ 3 nodes, ε in {1, …, 6}, α in {.1, .3, .5, .7, 1}",
		each:   graphRelease(promised).each,
		draw:   func(rng *rand.Rand) graphCase { return graphCase{2 + rng.IntN(2), 1 + rng.IntN(80), 1 + rng.IntN(10)} },
		holds: func(c graphCase) (bool, error) {
			p := c.budget().law().Columns().FlipRate(false)
			pairs := c.n * (c.n - 1) / 2
			for g, row := range c.outputs() {
				var mean float64
				for out, prob := range row {
					mean += prob * float64(ones(out))
				}
				want := formula(ones(g), pairs, p.Float())
				if math.Abs(mean-want) > 1e-11 || 2*ones(g) <= pairs && mean < float64(pairs)/4 {
					return false, nil
				}
			}
			return p.Lo > .5, nil
		},
		witness: func(c graphCase) *Witness { return &Witness{Fields: c.budget().fields(), Script: c.script()} },
	}
}

func ones(state int) int { return bits.OnesCount(uint(state)) }
