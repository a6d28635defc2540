package analytic

import (
	"context"
	"fmt"
	"math/big"
	"strings"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
)

// discretizationBounds checks Theorem 1 for one mechanism: its discretization is 2ε-DP, and the expected errors of both
// differ by a factor of at most e^ε.
func discretizationBounds(c tableCase, base *big.Rat, layer [][]int) string {
	const failure = "t = d.theorem1(); print(t.privacy, t.utility, t.smallest_epsilon, t.before, t.after, t.privacy == \"confirmed\" and t.utility == \"confirmed\")"
	q := discretized(base, layer)
	square := new(big.Rat).Mul(base, base)
	for x := range q {
		eq, ep := new(big.Rat), new(big.Rat)
		for r := range q[x] {
			d := big.NewRat(int64(max(r-c.value[x], c.value[x]-r)), 1)
			eq.Add(eq, new(big.Rat).Mul(d, q[x][r]))
			ep.Add(ep, new(big.Rat).Mul(d, c.prob(x, r)))
			for y := range q {
				if c.neighbors(x, y) && q[x][r].Cmp(new(big.Rat).Mul(square, q[y][r])) > 0 {
					return failure
				}
			}
		}
		if ep.Cmp(new(big.Rat).Mul(base, eq)) > 0 || eq.Cmp(new(big.Rat).Mul(base, ep)) > 0 {
			return failure
		}
	}
	return ""
}

// discretized returns the law (11), q^x(r) = e^{−L^x(r)ε}/α^x.
func discretized(base *big.Rat, layer [][]int) [][]*big.Rat {
	q := make([][]*big.Rat, len(layer))
	for x := range q {
		q[x] = make([]*big.Rat, len(layer[x]))
		alpha := new(big.Rat)
		for r, l := range layer[x] {
			q[x][r] = new(big.Rat)
			if l >= 0 {
				q[x][r] = check.Power(base, -l)
			}
			alpha.Add(alpha, q[x][r])
		}
		for r := range q[x] {
			q[x][r].Quo(q[x][r], alpha)
		}
	}
	return q
}

// layersWithin checks Theorem 2 (1) for one mechanism: the layers of a value at two neighbors differ by at most gap,
// which is 1 in the paper.
func layersWithin(gap int) tablePart {
	return func(c tableCase, _ *big.Rat, layer [][]int) string {
		for x := range layer {
			for y := range layer {
				if !c.neighbors(x, y) {
					continue
				}
				for r, l := range layer[y] {
					if m := layer[x][r]; l >= 0 && (m < 0 || m > l+gap) {
						return notWithin(x, r, fmt.Sprintf("d.layer(%d, %d) + %d", y, r, gap))
					}
				}
			}
		}
		return ""
	}
}

// neighborsWithin checks Theorem 2 (2), (25), for one mechanism: a value in layer i − step of a neighbor of x is in
// R_i^x unless it is in A_{i−1}^x. step is 1 in the paper.
func neighborsWithin(step int) tablePart {
	return func(c tableCase, _ *big.Rat, layer [][]int) string {
		for x := range layer {
			for y := range layer {
				for r, l := range layer[y] {
					if !c.neighbors(x, y) || l < 0 {
						continue
					}
					m, i := layer[x][r], l+step
					if inA := m >= 0 && m <= i-1; !inA && m != i {
						return notWithin(x, r, fmt.Sprintf("d.layer(%d, %d) + %d", y, r, step))
					}
				}
			}
		}
		return ""
	}
}

// initialWithin checks Theorem 2 (3), (26), for one mechanism: R_0^y is a subset of A_i^x, where i = ⌈d̄(x, y)⌉ in the
// paper.
func initialWithin(round rounding) tablePart {
	return func(c tableCase, _ *big.Rat, layer [][]int) string {
		for x := range layer {
			for y := range layer {
				for r, l := range layer[y] {
					if l == 0 && (layer[x][r] < 0 || layer[x][r] > round(c.distance[x][y])) {
						return notInitial(x, y, r)
					}
				}
			}
		}
		return ""
	}
}

// initialInShell checks Theorem 2 (4), (27), for one mechanism: a value of R_0^y is in R_i^x unless it is in A_{i−1}^x,
// where i = ⌈d̄(x, y)⌉ in the paper.
func initialInShell(round rounding) tablePart {
	return func(c tableCase, _ *big.Rat, layer [][]int) string {
		for x := range layer {
			for y := range layer {
				i := round(c.distance[x][y])
				for r, l := range layer[y] {
					m := layer[x][r]
					if inA := m >= 0 && m <= i-1; l == 0 && i > 0 && !inA && m != i {
						return notInitial(x, y, r)
					}
				}
			}
		}
		return ""
	}
}

// notWithin writes a script that shows that r is in a deeper layer of x than a bound, or in no layer. The script prints
// the values of first before the layers.
func notWithin(x, r int, bound string, first ...string) string {
	at := fmt.Sprintf("d.layer(%d, %d)", x, r)
	shown := strings.Join(append(first, "m.smallest_epsilon", at, bound), ", ")
	return check.Script(check.Vars{"shown": check.Code(shown), "at": check.Code(at), "bound": check.Code(bound)}, "print({shown}, {at} != None and {at} <= {bound})")
}

// notInitial writes a script that shows that r, a value of R_0^y, is in a layer of x beyond ⌈d̄(x, y)⌉.
func notInitial(x, y, r int) string {
	return notWithin(x, r, fmt.Sprintf("math.ceil(q.distance(%d, %d))", x, y), fmt.Sprintf("d.layer(%d, %d)", y, r))
}

// both returns the conjunction of two parts.
func both(a, b tablePart) tablePart {
	return func(c tableCase, base *big.Rat, layer [][]int) string {
		if failure := a(c, base, layer); failure != "" {
			return failure
		}
		return b(c, base, layer)
	}
}

// crowdedLoss reports how close the smallest ε of a discretization comes to 2ε. At e^ε = 2, two neighbors x and x' have
// one value of probability M at x and M/2 at x'. Each of n other values has probability M/2 at x and slightly more at
// x'.
func crowdedLoss(context.Context) []check.Item {
	const n = 1000
	c := crowdedCase(n)
	base, _ := c.base()
	q := discretized(base, c.layers(base))
	return []check.Item{{
		Label:  fmt.Sprintf("smallest epsilon of q where p is ln(2)-DP on %d values", n+1),
		Number: evidence.ExactLog{Argument: new(big.Rat).Quo(q[0][0], q[1][0]), Side: evidence.Up, Provenance: evidence.From("Theorem 1, against 2ε = ln(4)")},
	}}
}

// crowdedCase returns the mechanism of crowdedLoss with n values besides the first.
func crowdedCase(n int) tableCase {
	c := tableCase{distance: metrics[0], value: []int{0, 0}, slack: 1, weight: [][]int64{{int64(2 * n)}, {int64(n)}}}
	for range n {
		c.weight[0] = append(c.weight[0], int64(n))   // Σ = 2n + n²
		c.weight[1] = append(c.weight[1], int64(n)+1) // Σ = n + n² + n
	}
	return c
}

// discreteChecks returns the checks of Theorems 1 and 2, on properties that discretization preserves.
func discreteChecks() check.Checks {
	near, far := both(layersWithin(1), neighborsWithin(1)), both(initialWithin(up), initialInShell(up))
	return check.Checks{
		"analytic.theorem1":          check.Loose(tableCheck(false, discretizationBounds), crowdedLoss),
		"analytic.theorem2.layers":   tableCount(false, adjoining, near),
		"analytic.theorem2.distance": check.WithCorrection(tableCheck(false, far), tableCheck(true, far)),
	}
}
