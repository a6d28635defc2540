package xor

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
)

// events holds the parameters of the bound on the divergence of degree laws: a mean degree, the number of other nodes,
// and the probabilities that an edge is released for a pair with an edge and for a pair without one.
type events struct{ degree, others, edge, absent float64 }

// mean returns the share q of pairs that are released as edges.
func (e events) mean() float64 { return (e.degree*e.edge + (e.others-e.degree)*e.absent) / e.others }

// eventDivergence returns kl(a, b) = a ln(a/b) + (1 − a) ln((1 − a)/(1 − b)).
func eventDivergence(a, b float64) float64 { return a*math.Log(a/b) + (1-a)*math.Log((1-a)/(1-b)) }

// pairDivergence bounds the divergence between the law of a node's degree in the release and its law in an Erdős–Rényi
// graph of the same mean degree, in both directions. The bound is the divergence between the laws of a random node and
// all its pairs, of which the degree is a function. It is the mean over the nodes of the sum of the divergences of the
// node's pairs.
func pairDivergence(e events) (forward, backward float64) {
	q, rest := e.mean(), e.others-e.degree
	return e.degree*eventDivergence(e.edge, q) + rest*eventDivergence(e.absent, q),
		e.degree*eventDivergence(q, e.edge) + rest*eventDivergence(q, e.absent)
}

// divergenceCase is a graph of the case study, ε in tenths and the published divergence in hundredths.
type divergenceCase struct {
	network
	eps, hundredths int
}

// most returns the largest bound of both directions, of B and its complement, over α.
//
// The pairs of a node have one bit in its own column, where bits are dependent, and one bit in the other columns. A
// column of m ones has the law ∝ e^{θm + λm(m−1)}. The ratio of this law to the law of N independent bits of the same
// rate, of logit t, is ∝ e^{h(m)} with h(m) = λm² − (t − θ + λ)m. The ratio has mean 1, so it is between e^{−κ} and
// e^κ, where κ is the range of h. The same holds for the ratio of the laws of the node's pairs with and without the
// dependence, so the divergences of these laws differ by at most κ.
func (c divergenceCase) most() float64 {
	most, n := 0.0, float64(c.nodes)
	for _, alpha := range shareGrid {
		columns := budgetCase{c.nodes, c.nodes, 2, c.eps, alpha}.law().Columns()
		theta, lambda := columns.Parameters()
		rate := flipRate(columns, false).Float()
		slope := math.Log(rate/(1-rate)) - theta + lambda
		kappa := max(0, (lambda*n-slope)*n)
		if lambda > 0 {
			kappa += slope * slope / (4 * lambda)
		}
		for _, complement := range []bool{false, true} {
			p := flipRate(columns, complement).Float()
			a, b := pairDivergence(events{2 * float64(c.edges) / n, n - 1, (1 - p) * (1 - p), p * p})
			most = max(most, a+kappa, b+kappa)
		}
	}
	return most
}

// publishedDivergence states that the bound reaches a tenth of the published number.
var publishedDivergence = check.Statement[divergenceCase]{
	Family: "the two published numbers",
	Each: func(yield func(divergenceCase) bool) {
		_ = yield(divergenceCase{facebook, 8, 144}) && yield(divergenceCase{facebook, 3, 112})
	},
	Holds: func(c divergenceCase) bool { return c.most() >= float64(c.hundredths)/1000 },
	Witness: func(c divergenceCase) *check.Witness {
		published := float64(c.hundredths) / 100
		return check.NewWitness(check.Named("graph", fmt.Sprintf("%s, %d nodes, %d edges", c.name, c.nodes, c.edges), "eps", float64(c.eps)/10, "divergence published", published, "divergence at most", evidence.FormatUp(c.most(), 3)),
			check.Vars{"nodes": c.nodes, "edges": c.edges, "eps": float64(c.eps) / 10, "published": published},
			"n, d = {nodes}, 2 * {edges} / {nodes}; kl = lambda x, y: x * math.log(x / y) + (1 - x) * math.log((1 - x) / (1 - y))",
			"both = lambda a, b, q: max(d * kl(a, q) + (n - 1 - d) * kl(b, q), d * kl(q, a) + (n - 1 - d) * kl(q, b))",
			"f = lambda p: both((1 - p) * (1 - p), p * p, (d * (1 - p) * (1 - p) + (n - 1 - d) * p * p) / (n - 1))",
			"unit = {eps} / (2 * math.sqrt(n)); g = lambda s, k: s * s / (4 * k) if k > 0 else 0",
			"rate = lambda a, c: xor_allocation(n, n, {eps}, a, 2).error_rate(complement=c).value",
			"t = max([f(rate(a, c)) + max(0, (k * n - s) * n) + g(s, k) for a in [0, 0.3, 0.5, 0.7, 1] for c in [False, True] for k in [(1 - a) * unit * 2 / (n * (n - 1))] for s in [math.log(rate(a, False) / (1 - rate(a, False))) - a * unit + k]])",
			"print(t, {published}, t >= {published} / 10)")
	},
}

// releasedDivergence returns the divergences of the study's released graphs, for comparison with the published ones.
func releasedDivergence(context.Context) (out []check.Item) {
	for _, eps := range []int{8, 3} {
		s := run{"Facebook", "stated", "XOR", eps, "random"}.of()
		out = append(out, check.Item{Label: fmt.Sprintf("degrees of 20 releases at ε = .%d from the binomial of their density, nats", eps), Number: s.number("notebooks/study_rivals.star")})
	}
	return out
}

// spreadCase is a graph and a flip rate in hundredths.
type spreadCase struct {
	bitsCase
	percent int
}

// degreeDivergence states that a rule bounds the divergence of degree laws in both directions. The laws are rational.
// The divergence has at most 24 terms below 10, each with an error of eight ulps for its logarithm, in total 5e-13.
func degreeDivergence(rule func(e events) (forward, backward float64)) check.Statement[spreadCase] {
	return check.Statement[spreadCase]{
		Family: "all graphs on 2 to 4 nodes, flip rates .1, .3, .7, .9",
		Each: check.Grid(func(c *spreadCase) []check.Axis {
			return []check.Axis{
				check.From(&c.bitsCase, smallGraphs),
				check.Over(&c.percent, 10, 90, 30, 70),
			}
		}),
		Draw: func(rng *rand.Rand) spreadCase {
			n := 3 + rng.IntN(3)
			return spreadCase{bitsCase{n, rng.IntN(1 << (n * (n - 1) / 2))}, 1 + rng.IntN(99)}
		},
		Holds: func(c spreadCase) bool {
			flip, degrees := check.Ratio(c.percent, 100), c.degrees()
			stay := new(big.Rat).Sub(check.One, flip)
			edge, absent := new(big.Rat).Mul(stay, stay), new(big.Rat).Mul(flip, flip)
			law, sum := make([]*big.Rat, c.n), 0
			for k := range law {
				law[k] = new(big.Rat)
			}
			for _, d := range degrees {
				sum += d
				for k, v := range coins(edge, d, absent, c.n-1-d) {
					law[k].Add(law[k], v)
				}
			}
			share := new(big.Rat).Mul(check.Ratio(sum, c.n), edge)
			share.Add(share, new(big.Rat).Mul(new(big.Rat).Sub(check.Ratio(c.n-1, 1), check.Ratio(sum, c.n)), absent))
			random := coins(share.Quo(share, check.Ratio(c.n-1, 1)), c.n-1, check.One, 0)
			got, back := 0.0, 0.0
			for k := range law {
				p, _ := law[k].Quo(law[k], check.Ratio(c.n, 1)).Float64()
				q, _ := random[k].Float64()
				got, back = got+p*math.Log(p/q), back+q*math.Log(q/p)
			}
			a, _ := edge.Float64()
			b, _ := absent.Float64()
			forward, backward := rule(events{float64(sum) / float64(c.n), float64(c.n - 1), a, b})
			return got <= forward+5e-13 && back <= backward+5e-13
		},
	}
}

// degrees returns the degrees of the graph's nodes.
func (c spreadCase) degrees() []int {
	out, a := make([]int, c.n), c.graph(c.state)
	for i := range c.n {
		for j := range c.n {
			if a.At(i, j) {
				out[i]++
			}
		}
	}
	return out
}

// coins returns the law of the number of heads among i coins of probability p and j of
// probability q.
func coins(p *big.Rat, i int, q *big.Rat, j int) []*big.Rat {
	law := []*big.Rat{big.NewRat(1, 1)}
	for n := range i + j {
		heads := p
		if n >= i {
			heads = q
		}
		tails, next := new(big.Rat).Sub(check.One, heads), make([]*big.Rat, len(law)+1)
		for k := range next {
			next[k] = new(big.Rat)
		}
		for k, v := range law {
			next[k].Add(next[k], new(big.Rat).Mul(v, tails))
			next[k+1].Add(next[k+1], new(big.Rat).Mul(v, heads))
		}
		law = next
	}
	return law
}
