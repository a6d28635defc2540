package xor

import (
	"math/rand/v2"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// xorBlockChecks returns the checks of the partition into blocks.
func xorBlockChecks() check.Checks {
	return check.Checks{
		"xor.blocks": check.Measuring("sum over the blocks / smallest ε", func(r *check.RatioRange) check.Checker {
			return composes(r, sumOfLosses).Check
		}),
	}
}

// tileCase is independent noise on blocks of a matrix. Neighbors differ in at most s bits of the whole matrix.
type tileCase struct {
	tiles []noiseCase
	s     int
}

// exponents returns the exponents of the whole matrix, which are sums of those of the blocks.
func (c tileCase) exponents() []int {
	whole := []int{0}
	for _, t := range c.tiles {
		var next []int
		for _, e := range t.exponents() {
			for _, f := range whole {
				next = append(next, e+f)
			}
		}
		whole = next
	}
	return whole
}

// sumOfLosses returns the sum of the largest losses of the blocks, each for s bits.
func sumOfLosses(c tileCase) int {
	sum := 0
	for _, t := range c.tiles {
		sum += greatestLoss(t.exponents(), c.s)
	}
	return sum
}

func composes(r *check.RatioRange, bound func(tileCase) int) check.Statement[tileCase] {
	return check.Statement[tileCase]{
		Family: "two blocks of at most 2 bits, entries in {−1, 0, 1}, s_f ≤ 2",
		Each: check.Grid(func(c *tileCase) []check.Axis {
			var first, second noiseCase
			blocks := noiseGrid([][2]int{{1, 1}, {1, 2}, {2, 1}}, 0, 10, -10)
			return []check.Axis{
				check.From(&first, blocks),
				check.From(&second, blocks),
				check.Span(&c.s, 1, 2),
				check.Let(func() { c.tiles = []noiseCase{first, second} }),
			}
		}),
		Draw: func(rng *rand.Rand) tileCase {
			var c tileCase
			bits := 0
			for range 2 + rng.IntN(2) {
				t := drawCoins(rng)
				c.tiles = append(c.tiles, t)
				bits += t.n * t.p
			}
			c.s = 1 + rng.IntN(bits)
			return c
		},
		Holds: func(c tileCase) bool {
			loss, most := greatestLoss(c.exponents(), c.s), bound(c)
			if loss > 0 {
				r.See(evidence.Enclosed(interval.Rat(check.Ratio(most, loss)), "whole tenths", "Section 5.2"))
			}
			return loss <= most
		},
	}
}
