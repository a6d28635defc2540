package xor

import (
	"math"
	"math/big"
	"math/rand/v2"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
	"dpworkbench/xor"
)

// xorGraphChecks returns the checks of the statements about released graphs.
func xorGraphChecks() check.Checks {
	return check.Checks{
		"xor.algorithm3":             validGraph(symmetrized).Check,
		"xor.algorithm3.sensitivity": edgeEntries(2).Check,
		"xor.theorem3":               check.WithCorrection(check.Surveyed(graphRelease(promised)), graphRelease(noiseLoss(allocationFactor(4))).Check),
	}
}

// bitsCase is a square matrix of n² bits.
type bitsCase struct{ n, state int }

func (c bitsCase) bits() *xor.Bits {
	m := zeros(c.n)
	for k := range c.n * c.n {
		m.Set(k/c.n, k%c.n, c.state>>k&1 == 1)
	}
	return m
}

// zeros returns the zero matrix of a small order n ≥ 1.
func zeros(n int) *xor.Bits { return check.Must(xor.NewBits(n, n)) }

// symmetrized returns the result of line 3 of Algorithm 3 for a square matrix.
func symmetrized(m *xor.Bits) *xor.Bits { return check.Must(xor.Symmetrize(m)) }

// allBits yields the square matrices of order at most 3.
var allBits = check.Grid(func(c *bitsCase) []check.Axis {
	return []check.Axis{
		check.Span(&c.n, 1, 3),
		check.Span(&c.state, 0, 1<<9-1),
		check.Where(func() bool { return c.state < 1<<(c.n*c.n) }),
	}
})

// smallGraphs yields the graphs on 2 to 4 nodes, with one bit for each pair.
var smallGraphs = check.Grid(func(c *bitsCase) []check.Axis {
	return []check.Axis{
		check.Span(&c.n, 2, 4),
		check.Span(&c.state, 0, 1<<6-1),
		check.Where(func() bool { return c.state < 1<<(c.n*(c.n-1)/2) }),
	}
})

// validGraph states that line 3 gives a symmetric matrix with zero diagonal that has an edge exactly where both
// entries are 1.
func validGraph(line3 func(*xor.Bits) *xor.Bits) check.Statement[bitsCase] {
	return check.Statement[bitsCase]{
		Family: "all matrices of order at most 3", Each: allBits,
		Draw: func(rng *rand.Rand) bitsCase {
			n := 4 + rng.IntN(4)
			return bitsCase{n, rng.IntN(1 << (n * n))}
		},
		Holds: func(c bitsCase) bool {
			m := c.bits()
			g := line3(m)
			for i := range c.n {
				for j := range c.n {
					if g.At(i, j) != g.At(j, i) || g.At(i, j) != (i != j && m.At(i, j) && m.At(j, i)) {
						return false
					}
				}
			}
			return true
		},
	}
}

// edgeEntries states that adding or removing an edge changes the given number of entries of A.
func edgeEntries(entries int) check.Statement[bitsCase] {
	return check.Statement[bitsCase]{
		Family: "all graphs of at most 4 nodes, every edge",
		Each:   smallGraphs,
		Holds: func(c bitsCase) bool {
			for k := range c.n * (c.n - 1) / 2 {
				if check.Must(c.graph(c.state).Xor(c.graph(c.state^1<<k))).Ones() != entries {
					return false
				}
			}
			return true
		},
	}
}

// graph returns the adjacency matrix whose pairs (0, 1), (0, 2), (1, 2), … are the bits of the number pairs.
func (c bitsCase) graph(pairs int) *xor.Bits {
	m, k := zeros(c.n), 0
	for j := range c.n {
		for i := range j {
			m.Set(i, j, pairs>>k&1 == 1)
			m.Set(j, i, pairs>>k&1 == 1)
			k++
		}
	}
	return m
}

// graphCase is Algorithm 3 on n nodes at sensitivity 2, with ε and α in tenths.
type graphCase struct{ n, eps, alpha int }

func (c graphCase) budget() budgetCase { return budgetCase{c.n, c.n, 2, c.eps, c.alpha} }

// outputs returns Pr[output | input] for the graphs on n nodes, summed over all
// noise matrices.
func (c graphCase) outputs() [][]float64 {
	n, size := c.n, 1<<(c.n*(c.n-1)/2)
	theta, lambda := c.budget().law().Columns().Parameters()
	table := lists.Of(size, func(int) []float64 { return make([]float64, size) })
	var sum float64
	for state := range 1 << (n * n) {
		var exponent float64
		for j := range n {
			m := 0
			for i := range n {
				m += state >> (i*n + j) & 1
			}
			exponent += float64(m) * (theta + lambda*float64(m-1))
		}
		w := math.Exp(exponent)
		sum += w
		for g := range table {
			out, k := 0, 0
			for j := range n {
				for i := range j {
					edge := g >> k & 1
					out |= (state>>(i*n+j)&1 ^ edge) & (state>>(j*n+i)&1 ^ edge) << k
					k++
				}
			}
			table[g][out] += w
		}
	}
	for g := range table {
		for out := range table[g] {
			table[g][out] /= sum
		}
	}
	return table
}

// released returns the smallest ε of the released graph.
func (c graphCase) released() float64 {
	var worst float64
	table := c.outputs()
	for g := range table {
		for k := range c.n * (c.n - 1) / 2 {
			for out, v := range table[g] {
				worst = math.Max(worst, math.Log(v/table[g^1<<k][out]))
			}
		}
	}
	return worst
}

// promised returns ε, the guarantee of Theorem 3.
func promised(c graphCase) float64 { return float64(c.eps) / 10 }

// noiseLoss returns a function for the smallest ε of the noise for two mirrored bits, by the closed form (ε/√N)·factor.
// The function returns NaN if a search over the states disagrees.
func noiseLoss(factor func(budgetCase) *big.Rat) func(graphCase) float64 {
	return func(c graphCase) float64 {
		loss := smallestEpsilon(c.budget().law(), xor.FlipEdges(1), xor.LossOptions{})
		f, _ := factor(c.budget()).Float64()
		closed := float64(c.eps) / 10 / math.Sqrt(float64(c.n)) * f
		if math.Abs(closed-loss.Float()) > graphRounding {
			return math.NaN()
		}
		return closed
	}
}

// graphRounding bounds the error of released: the logarithm of a ratio of two sums of at most 512 weights. A weight is
// an exponential of less than 64, within 128 ulps.
const graphRounding = 4 * (512 + 128) * check.Epsilon64

// graphRelease states that the smallest ε of the released graph is at most allowed.
func graphRelease(allowed func(graphCase) float64) check.Statement[graphCase] {
	return check.Statement[graphCase]{
		Family: "N ≤ 3, ε in {1, …, 6}, α in {.1, .3, .5, .7, 1}",
		Each: check.Grid(func(c *graphCase) []check.Axis {
			var eps int
			return []check.Axis{
				check.Span(&c.n, 2, 3),
				check.Span(&eps, 1, 6),
				check.Over(&c.alpha, 5, 7, 10, 3, 1),
				check.Let(func() { c.eps = 10 * eps }),
			}
		}),
		Draw:  func(rng *rand.Rand) graphCase { return graphCase{2, 1 + rng.IntN(80), rng.IntN(11)} },
		Holds: func(c graphCase) bool { return c.released() <= allowed(c)+graphRounding },
		Witness: func(c graphCase) *check.Witness {
			return &check.Witness{
				Fields: c.budget().fields("smallest eps of the released graph", evidence.FormatUp(c.released(), 5)),
				Script: c.script(),
			}
		},
		Measure: func(c graphCase) []check.Item {
			got := c.released()
			return []check.Item{
				{Label: "claimed ε", Number: evidence.Claimed{Value: float64(c.eps) / 10, Provenance: evidence.From("Theorem 3")}},
				{Label: "smallest ε", Number: evidence.Certified{Lo: got - graphRounding, Hi: got + graphRounding, Side: evidence.Up, Provenance: evidence.Provenance{Method: "all outputs of all inputs"}}},
			}
		},
	}
}

// script compares the loss with ε. With two nodes, their two bits are in different columns and independent. Then an
// edge is released with probability p² if there is none and (1 − p)² if there is one.
func (c graphCase) script() string {
	if c.n != 2 {
		return check.Script(check.Vars{"law": c.budget().script(), "eps": float64(c.eps) / 10},
			`b = {law}; e = b.smallest_epsilon(neighbors="edge").lo; print(e, {eps}, e <= {eps})`)
	}
	return check.Script(check.Vars{"law": c.budget().script(), "eps": float64(c.eps) / 10},
		"p = {law}.error_rate().value; q = 1 - p; e = max(abs(math.log(p*p / (q*q))), abs(math.log((1 - p*p) / (1 - q*q))))",
		"print(e, {eps}, e <= {eps})")
}
