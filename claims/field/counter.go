package field

import (
	"fmt"
	"math/big"
	"strings"

	"dpworkbench/claims/check"
	"dpworkbench/program"
)

// branchCase is a tree of sums with a branching factor and a number of leaves.
type branchCase struct{ branching, leaves int }

// changed returns the largest number of nodes whose sum changes with one leaf. It computes all sums again for each
// leaf.
func (c branchCase) changed() int {
	most := 0
	for leaf := range c.leaves {
		n := 0
		for width := 1; ; width *= c.branching {
			for from := 0; from < c.leaves; from += width {
				if from <= leaf && leaf < from+width {
					n++
				}
			}
			if width >= c.leaves {
				break
			}
		}
		most = max(most, n)
	}
	return most
}

// layers states that the number of changed sums is at most ⌈log_b leaves⌉ plus a constant.
func layers(more int) inequality {
	return inequality{
		family: "b = 2, 3, 5, 1, 2, …, 64 leaves",
		each: check.Untyped(check.Grid(func(c *branchCase) []check.Axis {
			return []check.Axis{check.Over(&c.branching, 2, 3, 5), check.Span(&c.leaves, 1, 64)}
		})),
		quantity: exactly("nodes of a leaf", "counted", func(c branchCase) *big.Rat {
			return big.NewRat(int64(c.changed()), 1)
		}),
		bound: exactly("⌈log_b leaves⌉ + 1", "the formula", func(c branchCase) *big.Rat {
			log := 0
			for power := 1; power < c.leaves; power *= c.branching {
				log++
			}
			return big.NewRat(int64(log+more), 1)
		}),
	}
}

// restarted returns the sparse vector technique with new threshold noise after each positive. threshold and query are
// the rates of the noise.
func restarted(n, positives int, threshold, query program.Rate) algorithm {
	one := big.NewRat(1, 1)
	run := func(x []int, noise *program.Noise) program.Output {
		rho := noise.Geometric(threshold, one)
		var told []string
		for i, q := range x {
			if noise.Less(count(q).Add(noise.Geometric(query, one)), rho) {
				continue
			}
			if told = append(told, fmt.Sprint(i)); len(told) == positives {
				break
			}
			rho = noise.Geometric(threshold, one)
		}
		return program.Output{Shape: strings.Join(told, " ")}
	}
	return algorithm{name: "sparse vector with new noise", n: n, top: 1, run: run}
}

// treeCounter returns the algorithm that releases the sums of all nodes of a binary tree over bits, with noise of scale
// layers/ε.
func treeCounter(steps, layers int) algorithm {
	run := func(x []int, noise *program.Noise) (out program.Output) {
		for width := 1; width <= steps; width *= 2 {
			for from := 0; from < steps; from += width {
				sum := count(sumOf(x[from:min(from+width, steps)]))
				out.Numbers = append(out.Numbers, sum.Add(noise.Geometric(rate(1, int64(layers)), big.NewRat(1, 1))))
			}
		}
		return out
	}
	return algorithm{name: "tree of noisy sums", n: steps, top: 1, single: true, run: run}
}

// counterChecks returns the checks of the statements about trees of sums, and about the restarted sparse vector technique.
func counterChecks() check.Checks {
	sharp := layers(1)
	return check.Checks{
		"field.tree.layers": check.InTurn(sharp.Check, reverse(sharp).Check, treeCounter(4, 3).private(true)),
		"field.svt.book":    restarted(3, 2, rate(1, 4), rate(1, 8)).private(true),
	}
}
