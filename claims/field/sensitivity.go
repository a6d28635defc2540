package field

import (
	"fmt"
	"math/big"
	"slices"

	"dpworkbench/claims/check"
)

// boundsCase is the range of numbers that are summed, from lower to lower + width.
type boundsCase struct{ lower, width int64 }

func (c boundsCase) squares() (lower, upper int64) {
	upper = c.lower + c.width
	return c.lower * c.lower, upper * upper
}

// squares states that replacing a record changes a sum of squares by at most a formula. Adding a record can change the
// sum by at least as much.
func squares(name string, formula func(c boundsCase) int64) inequality {
	return inequality{
		family: "lower bound 0, 1, 2, −1, −2, −3, width 1 to 4, whole numbers",
		each: check.Untyped(check.Grid(func(c *boundsCase) []check.Axis {
			return []check.Axis{check.Over(&c.lower, 0, 1, 2, -1, -2, -3), check.Span(&c.width, 1, 4)}
		})),
		quantity: exactly("change of the sum", "largest square less the smallest", func(c boundsCase) *big.Rat {
			lower, upper := c.squares()
			least := min(lower, upper)
			if c.lower <= 0 && c.lower+c.width >= 0 {
				least = 0
			}
			return big.NewRat(max(lower, upper)-least, 1)
		}),
		bound: exactly(name, "the formula", func(c boundsCase) *big.Rat { return big.NewRat(formula(c), 1) }),
		witness: describing(func(c boundsCase) *check.Witness {
			return check.NewWitness(check.Named("bounds", fmt.Sprintf("(%d, %d)", c.lower, c.lower+c.width)),
				check.Vars{"a": c.lower, "b": c.lower + c.width},
				"said = max([abs({a}), abs({a})]) * max([abs({a}), abs({a})]); squares = [{a} * {a}, {b} * {b}] "+
					"+ ([0] if {a} <= 0 and {b} >= 0 else []); t = max(squares) - min(squares); print(t, said, t <= "+
					"said)")
		}),
	}
}

// centered states that a sum of numbers, each minus the middle of the range, changes by at most half the width if a
// number is added, or replaced.
func centered(what string, replaced bool) inequality {
	return inequality{
		family: what + ", lower bound −2 to 2, width 1 to 4, whole numbers",
		each: check.Untyped(check.Grid(func(c *boundsCase) []check.Axis {
			return []check.Axis{check.Span(&c.lower, -2, 2), check.Span(&c.width, 1, 4)}
		})),
		quantity: exactly("change of the sum", "over numbers in quarters of the range", func(c boundsCase) *big.Rat {
			most := new(big.Rat)
			middle := big.NewRat(2*c.lower+c.width, 2)
			at := func(k int64) *big.Rat { // a number minus the middle
				x := big.NewRat(4*c.lower+k*c.width, 4)
				return x.Sub(x, middle)
			}
			for k := range int64(5) {
				change := at(k)
				if replaced {
					change.Sub(change, at(4-k))
				}
				if change.Abs(change).Cmp(most) > 0 {
					most = change
				}
			}
			return most
		}),
		bound: exactly("half the width", "the formula", func(c boundsCase) *big.Rat { return big.NewRat(c.width, 2) }),
		witness: describing(func(c boundsCase) *check.Witness {
			return check.NewWitness(check.Named("bounds", fmt.Sprintf("(%d, %d)", c.lower, c.lower+c.width)),
				check.Vars{"a": c.lower, "b": c.lower + c.width},
				"middle = ({a} + {b}) / 2; t = abs(({b} - middle) - ({a} - middle)); f = ({b} - {a}) / 2; print(t, f, t <= f)")
		}),
	}
}

// normCase is Gaussian noise on a sum of vectors of norm at most C, one of which is replaced.
type normCase struct{ norm, deviation, order int64 }

// replaced states that the Rényi divergence after a vector of norm C is replaced by its negative is at most the
// divergence of a sum that changes by moves·C.
func replaced(name string, moves int64) inequality {
	of := func(by int64) func(c normCase) *big.Rat {
		return func(c normCase) *big.Rat { return big.NewRat(c.order*by*by*c.norm*c.norm, 2*c.deviation*c.deviation) }
	}
	return inequality{
		family: "C = 1, 2, s = 1, 2, 4, α = 2, 8, 32",
		each: check.Untyped(check.Grid(func(c *normCase) []check.Axis {
			orders := check.Over(&c.order, 2, 8, 32)
			return []check.Axis{check.Over(&c.norm, 1, 2), check.Over(&c.deviation, 1, 2, 4), orders}
		})),
		quantity: exactly("Rényi divergence where C becomes −C", "α d²/2s²", of(2)),
		bound:    exactly(name, "α d²/2s²", of(moves)),
		witness: describing(func(c normCase) *check.Witness {
			return check.NewWitness(
				check.Named("vectors", fmt.Sprintf("%d and −%d", c.norm, c.norm), "s", c.deviation, "order", c.order),
				check.Vars{"c": c.norm, "s": c.deviation, "a": c.order},
				"d = abs({c} - (-{c})); z = {s} / {c}; t = {a} * d * d / (2 * {s} * {s}); f = {a} / (2 * z * z); "+
					"print(t, f, t <= f)")
		}),
	}
}

// averageCase is a weighted average of numbers −1 and 1. The divisor is the larger of the total weight and a floor.
// Weights are from 1 to most. The last weight and number are those of the record that is removed.
type averageCase struct {
	weights, values []int
	most            int
}

// of returns the weighted sum of the values divided by the larger of total and the floor.
func (c averageCase) of(weights, values []int, total int) *big.Rat {
	sum := 0
	for i, w := range weights {
		sum += w * values[i]
	}
	return big.NewRat(int64(sum), int64(max(total, len(c.weights)))) // the floor is the number of records times the mean weight of 1
}

func sumOf(xs []int) (sum int) {
	for _, x := range xs {
		sum += x
	}
	return sum
}

// averages states that the average changes by at most most/n if a record is removed. Its weight stays in the total if
// stays is set.
func averages(name string, stays bool) inequality {
	return inequality{
		family: name + ", 2 and 3 people, weights to 2 and 3, mean weight 1, updates −1 and 1",
		each: check.Untyped(func(yield func(averageCase) bool) {
			for n := 2; n <= 3; n++ {
				for most := 2; most <= 3; most++ {
					for weights := range check.Words(most, n) {
						weights = slices.Clone(weights)
						for i := range weights {
							weights[i]++
						}
						for values := range check.Words(2, n) {
							signs := slices.Clone(values)
							for i := range signs {
								signs[i] = 1 - 2*signs[i]
							}
							if !yield(averageCase{weights, signs, most}) {
								return
							}
						}
					}
				}
			}
		}),
		quantity: exactly("change of the average", "two averages", func(c averageCase) *big.Rat {
			last := len(c.weights) - 1
			total := sumOf(c.weights)
			with := c.of(c.weights, c.values, total)
			if !stays {
				total -= c.weights[last]
			}
			d := with.Sub(with, c.of(c.weights[:last], c.values[:last], total))
			return d.Abs(d)
		}),
		bound: exactly("clip × most weight/(mean weight × people)", "the formula", func(c averageCase) *big.Rat {
			return big.NewRat(int64(c.most), int64(len(c.weights)))
		}),
		witness: describing(func(c averageCase) *check.Witness {
			return check.NewWitness(check.Named("weights", check.List(c.weights), "updates", check.List(c.values),
				"most weight", c.most, "who leaves", "the last one"),
				check.Vars{"w": c.weights, "x": c.values, "m": c.most},
				"w, x = {w}, {x}; n = len(w); f = lambda k: sum([w[i] * x[i] for i in range(k)]) / max(n, "+
					"sum(w[:k])); t = abs(f(n) - f(n - 1)); s = {m} / n; print(t, s, t <= s)")
		}),
	}
}

// weightsCase is an average over a number of people, whose weights are from least to least + more, in halves.
type weightsCase struct{ least, more, people int64 }

// unfloored states that a record of the largest weight changes the average by at most a formula if its update becomes
// 0 and all others have the smallest weight.
func unfloored(name string, formula func(c weightsCase) *big.Rat) inequality {
	return inequality{
		family: "weights from 1/2, 1, 2, up to 0, 1/2, 1 and 3/2 more, 1 to 4 people, clip 1",
		each: check.Untyped(check.Grid(func(c *weightsCase) []check.Axis {
			return []check.Axis{check.Over(&c.least, 1, 2, 4), check.Span(&c.more, 0, 3), check.Span(&c.people, 1, 4)}
		})),
		quantity: exactly("change of the average", "its weight over the total", func(c weightsCase) *big.Rat {
			return big.NewRat(c.least+c.more, c.people*c.least+c.more)
		}),
		bound: exactly(name, "the formula", formula),
		witness: describing(func(c weightsCase) *check.Witness {
			least, most := big.NewRat(c.least, 2), big.NewRat(c.least+c.more, 2)
			return check.NewWitness(check.Named("least weight", least, "most", most, "people", c.people),
				check.Vars{"a": least, "b": most, "n": c.people},
				"a, b, n = {a}, {b}, {n}; t = b / (b + (n - 1) * a); s = 1 * b / n * a; print(t, s, t <= s)")
		}),
	}
}

// largestCovariance returns 4n(n − 1) times the largest change of the sample covariance of n pairs of numbers 0, ½, 1
// if one pair is replaced.
func largestCovariance(n int) int {
	least, most := map[int]int{}, map[int]int{}
	change := 0
	for word := range check.Words(9, n) {
		others, xy, x, y := 0, 0, 0, 0
		for i, v := range word {
			if i > 0 {
				others = others*9 + v
			}
			xy, x, y = xy+v%3*(v/3), x+v%3, y+v/3
		}
		c := n*xy - x*y
		if _, seen := least[others]; !seen {
			least[others], most[others] = c, c
		}
		least[others], most[others] = min(least[others], c), max(most[others], c)
		change = max(change, most[others]-least[others])
	}
	return change
}

// covariance states that the sample covariance of n pairs of numbers in [0, 1] changes by at most 2/n if one pair is
// replaced.
func covariance() inequality {
	return inequality{
		family: "2, 3 and 4 pairs of numbers 0, 1/2, 1", each: check.Untyped(slices.Values([]int{2, 3, 4})),
		quantity: exactly("change of the covariance", "all pairs", func(n int) *big.Rat {
			return big.NewRat(int64(largestCovariance(n)), int64(4*n*(n-1)))
		}),
		bound: exactly("2/n", "the formula", func(n int) *big.Rat { return big.NewRat(2, int64(n)) }),
		witness: describing(func(n int) *check.Witness {
			return check.NewWitness(check.Named("records", n), check.Vars{"n": n},
				"grid = [(x, y) for x in (0, 1) for y in (0, 1)]; f = 2 / {n}; cov = lambda z: (sum([x * y for "+
					"x, y in z]) - sum([x for x, y in z]) * sum([y for x, y in z]) / {n}) / ({n} - 1); t = "+
					"max([abs(cov([p] + [r] * ({n} - 1)) - cov([q] + [r] * ({n} - 1))) for p in grid for q in grid "+
					"for r in grid]); print(f, t, f <= t)")
		}),
	}
}

// sensitivityChecks returns the checks of the statements about sensitivities.
func sensitivityChecks() check.Checks {
	lower := squares("square of the lower bound", func(c boundsCase) int64 { v, _ := c.squares(); return v })
	both := squares("larger square of a bound", func(c boundsCase) int64 { return max(c.squares()) })
	leaves, stay := averages("the record leaves", false), averages("its update becomes 0", true)
	scaled := unfloored("most weight/people × least weight", func(c weightsCase) *big.Rat {
		return big.NewRat((c.least+c.more)*c.least, 4*c.people)
	})
	divided := unfloored("most weight/(people × least weight)", func(c weightsCase) *big.Rat {
		return big.NewRat(c.least+c.more, c.people*c.least)
	})
	single, double := replaced("α/2z², z = s/C", 1), replaced("α (2C)²/2s²", 2)
	cov, added := covariance(), centered("one record added", false)
	return check.Checks{
		"field.mean.centered":      check.TakenFor(check.InTurn(added.Check, reverse(added).Check), centered("one record replaced", true).Check),
		"field.regression.bounds":  check.WithCorrection(surveyed(lower), both.Check),
		"field.accountant.replace": check.WithCorrection(single.Check, double.Check),
		"field.mean.floor":         check.WithCorrection(surveyed(leaves), stay.Check),
		"field.mean.weights":       check.WithCorrection(surveyed(scaled), divided.Check),
		"field.covariance.replace": check.TakenFor(cov.Check, swapped(cov).Check),
	}
}
