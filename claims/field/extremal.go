package field

import (
	"context"
	"math/big"
	"slices"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/interval"
	"dpworkbench/program"
)

// staircase is a mechanism on three values. The probability of an output is its weight, multiplied by e^ε if the value
// is in the output's set.
type staircase struct {
	sets    []uint
	weights []*big.Rat
}

// staircases returns the vertices of the polytope of staircase mechanisms with e^ε = r. A vertex has at most three
// outputs, and their probabilities add to 1 for each value.
func staircases(r *big.Rat) (out []staircase) {
	entry := func(set uint, value int) *big.Rat {
		if set>>value&1 == 1 {
			return r
		}
		return check.One
	}
	for a := uint(1); a < 8; a++ {
		for b := a + 1; b < 8; b++ {
			for c := b + 1; c < 8; c++ {
				sets := []uint{a, b, c}
				column := func(k int) (v [3]*big.Rat) {
					for value := range v {
						v[value] = entry(sets[k], value)
					}
					return v
				}
				m := [3][3]*big.Rat{column(0), column(1), column(2)}
				d := determinant(m)
				if d.Sign() == 0 {
					continue
				}
				s := staircase{sets: sets}
				for k := range m {
					other := m
					other[k] = [3]*big.Rat{check.One, check.One, check.One}
					s.weights = append(s.weights, new(big.Rat).Quo(determinant(other), d))
				}
				if !slices.ContainsFunc(s.weights, func(w *big.Rat) bool { return w.Sign() < 0 }) {
					out = append(out, s)
				}
			}
		}
	}
	return out
}

func determinant(m [3][3]*big.Rat) *big.Rat {
	sum := new(big.Rat)
	for k := range 3 {
		for sign, at := range [2][2]int{{(k + 1) % 3, (k + 2) % 3}, {(k + 2) % 3, (k + 1) % 3}} {
			term := new(big.Rat).Mul(m[0][k], new(big.Rat).Mul(m[1][at[0]], m[2][at[1]]))
			if sign == 1 {
				term.Neg(term)
			}
			sum.Add(sum, term)
		}
	}
	return sum
}

// information encloses the mutual information of a uniform value and the output.
func (s staircase) information(r *big.Rat) interval.Interval {
	sum, log := whole(0), interval.RationalLog(r)
	for k, set := range s.sets {
		ones := 0
		for value := range 3 {
			ones += int(set >> value & 1)
		}
		total := new(big.Rat).Add(check.Ratio(3-ones, 1), new(big.Rat).Mul(r, check.Ratio(ones, 1)))
		mean := new(big.Rat).Quo(total, big.NewRat(3, 1))
		high := interval.Rat(new(big.Rat).Mul(r, check.Ratio(ones, 1))).Mul(log)
		term := high.Sub(interval.Rat(total).Mul(interval.RationalLog(mean)))
		sum = sum.Add(term.Mul(interval.Rat(s.weights[k])))
	}
	return sum.Quo(whole(3))
}

// support returns the outputs with positive probability.
func (s staircase) support() (out []uint) {
	for k, set := range s.sets {
		if s.weights[k].Sign() > 0 {
			out = append(out, set)
		}
	}
	return out
}

var (
	response3 = []uint{1, 2, 4} // for each value, an output that is likelier under it than under the others
	binary3   = []uint{1, 6}    // the outputs tell only whether the value is the first one
)

// informed returns a function that computes the largest information of the staircase mechanisms whose support is
// wanted.
func informed(wanted func(support []uint) bool) func(context.Context, *big.Rat) evidence.Number {
	return func(_ context.Context, r *big.Rat) evidence.Number {
		most := whole(0)
		for _, s := range staircases(r) {
			if wanted(s.support()) {
				most = interval.Max(most, s.information(r))
			}
		}
		return enclosed(most, "the vertices of the staircase mechanisms")
	}
}

func sameSets(sets []uint) func([]uint) bool {
	return func(support []uint) bool { return slices.Equal(support, sets) }
}

// extremal states that no other staircase mechanism has more information than the one with the outputs best.
func extremal(family, name string, best []uint, ratios ...*big.Rat) inequality {
	other := informed(func(s []uint) bool { return !slices.Equal(s, best) })
	return inequality{
		family: family, each: check.Untyped(slices.Values(ratios)),
		quantity: computed("information of the best other staircase", other),
		bound:    computed("information of "+name, informed(sameSets(best))),
		witness: describing(func(r *big.Rat) *check.Witness {
			return check.NewWitness(check.Named("values", 3, "prior", "uniform", "e^eps", r), check.Vars{"r": r},
				"r = {r}", "s = r + 2", "u = 2 * r + 1", "k = r / (r + 2) * math.log(r) - math.log((r + 2) / 3)",
				"b = (3 * r * math.log(r) - s * math.log(s / 3) - u * math.log(u / 3)) / (s + u)",
				"print(k, b, k <= b)")
		}),
	}
}

// oneSidedSparse returns the sparse vector technique at threshold 0 on three counts, which stops after the first
// positive. It has one-sided noise, at the rate ε/2 on the threshold and at the rate query on the counts. script
// decides the same program.
func oneSidedSparse(query program.Rate, script string) algorithm {
	run := func(x []int, noise *program.Noise) program.Output {
		rho := noise.OneSided(rate(1, 2))
		for i, q := range x {
			if !noise.Less(count(q).Add(noise.OneSided(query)), rho) {
				return program.Output{Shape: string(rune('0' + i))}
			}
		}
		return program.Output{Shape: "none"}
	}
	return algorithm{name: "sparse vector with one-sided noise", n: 3, top: 1, script: script, run: run}
}

const oneSidedScript = `eps = symbol("eps"); cube = [(i & 1, (i >> 1) & 1, (i >> 2) & 1) for i in range(8)]; ` +
	`near = lambda a, b: max([abs(u - v) for u, v in zip(a, b)]) == 1; ` +
	`run = lambda x, noise: (lambda t: [i for i in range(3) if t[i]][0] if True in t else 3)` +
	`((lambda r: [not (q + noise.one_sided(eps / 2) < r) for q in x])(noise.one_sided(eps / 2))); ` +
	`d = program(cube, run, neighbors=near).private(eps); print(d.verdict, d.verdict == "confirmed")`

// extremalChecks returns the checks of the statements about the best mechanism or noise for a task.
func extremalChecks() check.Checks {
	low := extremal("three values, a uniform prior, e^ε in {8, 20, 100}", "randomized response", response3,
		big.NewRat(8, 1), big.NewRat(20, 1), big.NewRat(100, 1))
	high := extremal("three values, a uniform prior, e^ε in {1001/1000, 101/100, 11/10}", "the binary mechanism", binary3,
		big.NewRat(1001, 1000), big.NewRat(101, 100), big.NewRat(11, 10))
	right, wrong := oneSidedSparse(rate(1, 4), ""), oneSidedSparse(rate(1, 2), oneSidedScript)
	return check.Checks{
		"field.krr.low":         low.Check,
		"field.krr.high":        quoted(high.Check),
		"field.svt.exponential": check.TakenFor(right.private(true), wrong.private(true)),
	}
}
