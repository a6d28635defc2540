package xor

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"

	"dpworkbench/claims/check"
	"dpworkbench/interval"
)

// xorFigureChecks returns the checks of the statements about the table and figures that can be checked without the
// paper's data.
func xorFigureChecks() check.Checks {
	return check.Checks{
		"xor.table2":           check.WithCorrection(check.Surveyed(publishedEdges), meanEdges(edgesAt).Check),
		"xor.figure2":          check.WithCorrection(publishedRate.Check, flipsAtLeast(1).Check),
		"xor.figure3":          check.Surveyed(panel(8, 144, .5)),
		"xor.figure3.c":        check.Surveyed(panel(3, 112, .5)),
		"xor.figure3.d":        panelShown(.02, 1/(1+math.Exp(.01))),
		"xor.figure3.graph":    panelShown(1.74, 0),
		"xor.figure3.binomial": check.WithCorrection(check.Loose(check.Surveyed(publishedDivergence), releasedDivergence), degreeDivergence(pairDivergence).Check),
		"xor.figure3.limit":    randomGraph(1).Check,
		"xor.figure4.degree":   leastDegree(4).Check,
		"xor.figure5.contrast": complementShowsEdges(true).Check,
	}
}

// randomGraph states that, for each diagonal, edge^k·(4 − edge)^{pairs−k} of the 2^{N²} noise matrices give a released
// graph of k edges. So each edge has probability edge/4.
func randomGraph(edge int) check.Statement[bitsCase] {
	return check.Statement[bitsCase]{
		Family: "all graphs on N ≤ 4 nodes",
		Each:   edgeEntries(2).Each,
		Holds: func(c bitsCase) bool {
			pairs := c.n * (c.n - 1) / 2
			ways := make([]int, 1<<pairs)
			a := c.graph(c.state)
			for noise := range 1 << (c.n * (c.n - 1)) { // without the diagonal, which is dropped
				out, at := 0, 0
				for j := range c.n {
					for i := range j {
						edge := 0
						if a.At(i, j) {
							edge = 1
						}
						out |= (noise>>(2*at)&1 ^ edge) & (noise>>(2*at+1)&1 ^ edge) << at
						at++
					}
				}
				ways[out]++
			}
			for out, got := range ways {
				want := 1
				for k := range pairs {
					if out>>k&1 == 1 {
						want *= edge
					} else {
						want *= 4 - edge
					}
				}
				if got != want {
					return false
				}
			}
			return true
		},
	}
}

// rateCase is an input of Algorithm 1 and the error rate published for it.
type rateCase struct {
	budgetCase
	published float64
}

// least returns the smallest flip rate of Algorithm 1 over α, for the noise and for its complement.
func (c rateCase) least() float64 {
	least := math.Inf(1)
	for _, alpha := range shareGrid {
		for _, complement := range []bool{false, true} {
			least = min(least, flipRate(c.at(alpha).law().Columns(), complement).Lo)
		}
	}
	return least
}

// publishedRate states that the published error rate plus .01 is at least the smallest flip rate of Algorithm 1 or of
// randomised response. The error rate E‖B‖²/‖f(D)‖² is the flip rate if all entries of f(D) are ones, and otherwise
// larger.
var publishedRate = check.Statement[rateCase]{
	Family: "the published number",
	Each: func(yield func(rateCase) bool) {
		yield(rateCase{budgetCase{240, 16, 16, 5, 10}, .04})
	},
	Holds: func(c rateCase) bool { return min(c.least(), responseRate(1)(float64(c.eps)/10)) <= c.published+.01 },
	Witness: func(c rateCase) *check.Witness {
		eps := float64(c.eps) / 10
		return check.NewWitness(check.Named("bits", fmt.Sprintf("%d x %d", c.n, c.p), "s_f", c.s, "eps", eps, "published", c.published, "least flip rate of Algorithm 1 over alpha, B or its complement", fmt.Sprintf("%.4f", c.least()), "1/(1 + e^eps)", fmt.Sprintf("%.4f", responseRate(1)(eps))),
			check.Vars{"n": c.n, "p": c.p, "eps": eps, "s": c.s, "shares": shareGrid, "published": c.published, "most": c.published + .01},
			"r = min([xor_allocation({n}, {p}, {eps}, k/10, {s}).error_rate(complement=c).lo for k in {shares} for c in [False, True]])",
			"m = 1/(1 + math.exp({eps})); print(r, m, {published}, min(r, m) <= {most})")
	},
}

// responseRate returns the function ε ↦ 1/(1 + e^{ε/share}).
func responseRate(share float64) func(eps float64) float64 {
	return func(eps float64) float64 { return 1 / (1 + math.Exp(eps/share)) }
}

// responseInterval encloses 1/(1 + e^{ε/share}), with ε in tenths.
func responseInterval(share int64, eps int) interval.Interval {
	one := interval.Int(1)
	return one.Quo(one.Add(interval.Rat(big.NewRat(int64(eps), 10*share)).Exp()))
}

// flipsAtLeast states that every bit is flipped with probability at least 1/(1 + e^{ε/share}), where ε is the smallest
// for neighbors that differ in one bit.
func flipsAtLeast(share float64) check.Statement[noiseCase] {
	return check.Statement[noiseCase]{
		Family: unitFamily, Each: noiseGrid(noiseShapes, 0, 10, -10), Draw: drawCoins,
		Holds: func(c noiseCase) bool {
			least := responseRate(share)(float64(greatestLoss(c.exponents(), 1)) / 10)
			for _, p := range marginals(c) {
				if p < least*(1-1024*check.Epsilon64) { // sums of at most 512 weights
					return false
				}
			}
			return true
		},
	}
}

// sparseCase is Algorithm 3 on n nodes and the number of edges of its input.
type sparseCase struct {
	graphCase
	edges int
}

// leastDegree states that the mean released degree is at least (N − 1)/part if at most half of all pairs are edges.
func leastDegree(part int) check.Statement[sparseCase] {
	return check.Statement[sparseCase]{
		Family: "N ≤ 6, every number of edges up to half of all, ε in {.1, 1, 5}, α in {.1, .5, 1}",
		Each: check.Grid(func(c *sparseCase) []check.Axis {
			return []check.Axis{
				check.Span(&c.n, 2, 6),
				check.Span(&c.edges, 0, 7),
				check.Over(&c.eps, 10, 1, 50),
				check.Over(&c.alpha, 5, 1, 10),
				check.Where(func() bool { return c.edges <= c.n*(c.n-1)/4 }),
			}
		}),
		Draw: func(rng *rand.Rand) sparseCase {
			c := sparseCase{graphCase{2 + rng.IntN(100), 1 + rng.IntN(50), rng.IntN(11)}, 0}
			c.edges = rng.IntN(c.n*(c.n-1)/4 + 1)
			return c
		},
		Holds: func(c sparseCase) bool {
			p := flipRate(c.budget().law().Columns(), false).Hi
			return 2*edgesAt(c.edges, c.n*(c.n-1)/2, p)/float64(c.n) >= float64(c.n-1)/float64(part)*(1-16*check.Epsilon64)
		},
	}
}

// complementShowsEdges states that noise B flips more than half of the bits, and that its complement (or B itself, if
// complement is false) flips fewer than half.
func complementShowsEdges(complement bool) check.Statement[budgetCase] {
	return check.Statement[budgetCase]{
		Family: budgetFamily, Each: budgets(func(budgetCase) bool { return true }),
		Draw: func(rng *rand.Rand) budgetCase {
			c := drawBudget(rng, 100)
			c.alpha = max(c.alpha, 1)
			return c
		},
		Holds: func(c budgetCase) bool {
			b := c.law().Columns()
			return flipRate(b, false).Lo > .5 && flipRate(b, complement).Hi < .5
		},
	}
}
