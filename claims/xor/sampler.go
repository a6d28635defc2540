package xor

import (
	"fmt"
	"math"
	"math/rand/v2"

	"dpworkbench/claims/check"
)

// xorSamplerChecks returns the checks of Algorithm 2.
func xorSamplerChecks() check.Checks {
	return check.Checks{
		"xor.algorithm2": check.WithCorrection(check.Surveyed(printedSigns), keepsLaw(wall).Check),
	}
}

// distribution returns the probabilities of the states from their exponents in tenths.
func distribution(exponents []int) []float64 {
	out := make([]float64, len(exponents))
	var sum float64
	for s, e := range exponents {
		out[s] = math.Exp(float64(e) / 10)
		sum += out[s]
	}
	for s := range out {
		out[s] /= sum
	}
	return out
}

func drawCoins(rng *rand.Rand) noiseCase {
	c := drawNoise(rng, -20)
	for c.n*c.p > 3 {
		c = drawNoise(rng, -20)
	}
	return c
}

// printedSigns states that the noise has the law of the printed algorithm. That law is uniform: y cos T + q sin T is
// standard normal with independent coordinates for every T.
var printedSigns = check.Statement[noiseCase]{
	Family: unitFamily, Each: noiseGrid(noiseShapes, 0, 10, -10), Draw: drawCoins,
	Holds: func(c noiseCase) bool {
		for _, e := range c.exponents() {
			if e != 0 {
				return false
			}
		}
		return true
	},
	Witness: func(c noiseCase) *check.Witness {
		bit, p := 0, marginals(c)
		for k := range p {
			if math.Abs(p[k]-.5) > math.Abs(p[bit]-.5) {
				bit = k
			}
		}
		return check.NewWitness(c.fields("bit", fmt.Sprintf("(%d, %d)", bit/c.p, bit%c.p), "Pr[bit = 1]", fmt.Sprintf("%.4f", p[bit]), "of the printed algorithm", "0.5"),
			check.Vars{"n": c.n, "p": c.p, "bit": bit, "law": c.script()},
			"u = bernoulli_uniform({n}, {p}, 0, 0).marginals()[{bit}]; p = {law}.marginals()[{bit}]; print(u, p, abs(u - p) < 1e-9)")
	},
}

// marginals returns Pr[bit k = 1] for each k.
func marginals(c noiseCase) []float64 {
	out := make([]float64, c.n*c.p)
	for s, p := range distribution(c.exponents()) {
		for k := range out {
			out[k] += float64(s>>k&1) * p
		}
	}
	return out
}

// crossing is the rule for a coordinate with energy e at y_i = 0, where crossing raises the log density by gain. The
// coordinate crosses if e > need, and change is then added to its energy.
type crossing func(gain float64) (need, change float64)

// wall is the rule of a step of the potential (Pakman and Paninski 2013, section 2.1).
func wall(gain float64) (need, change float64) { return -gain, gain }

// keepsLaw states that motion for a time of 3π/2 from an exact draw preserves the law. The coordinates move
// independently between walls. Coordinate i has an energy E_i ~ Exp(1). It first reaches y_i = 0 at a time uniform on
// (0, π), and then again every π. So the order of walls and the intervals of the E_i give every transition probability
// exactly, up to the rounding of a few sums.
func keepsLaw(rule crossing) check.Statement[noiseCase] {
	return check.Statement[noiseCase]{
		Family: "N, P ≤ 2, at most 3 bits, entries in {−1, 0, 1}",
		Each:   noiseGrid([][2]int{{1, 1}, {1, 2}, {2, 1}}, 0, 10, -10), Draw: drawCoins,
		Holds: func(c noiseCase) bool {
			law := distribution(c.exponents())
			after := make([]float64, len(law))
			for s, p := range law {
				for t, q := range travel(c.exponents(), s, rule) {
					after[t] += p * q
				}
			}
			for s := range law {
				// The sum has at most 8 states and 8 orders of walls, and each term is below 1 and within 32 ulps.
				if math.Abs(after[s]-law[s]) > 64*32*check.Epsilon64 {
					return false
				}
			}
			return true
		},
	}
}

// travel returns the law of the signs after a time of 3π/2 from given signs.
func travel(exponents []int, from int, rule crossing) []float64 {
	d := 0
	for 1<<d < len(exponents) {
		d++
	}
	out := make([]float64, len(exponents))
	for early := range 1 << d { // coordinates whose first wall is before π/2, which reach a second wall
		for order, share := range orders(d, early) {
			walls := order
			for _, k := range order {
				if early>>k&1 == 1 {
					walls = append(walls[:len(walls):len(walls)], k)
				}
			}
			meet(exponents, from, walls, newEnergies(d), rule, share/float64(int(1)<<d), out)
		}
	}
	return out
}

// orders yields the orders of first walls in which the early coordinates come first, and their probabilities.
func orders(d, early int) func(yield func([]int, float64) bool) {
	return func(yield func([]int, float64) bool) {
		var all [][]int
		var extend func(order []int, used int)
		extend = func(order []int, used int) {
			if len(order) == d {
				all = append(all, append([]int(nil), order...))
				return
			}
			for k := range d {
				late := early>>k&1 == 0
				if used>>k&1 == 1 || late && used&early != early {
					continue
				}
				extend(append(order, k), used|1<<k)
			}
		}
		extend(nil, 0)
		for _, order := range all {
			if !yield(order, 1/float64(len(all))) {
				return
			}
		}
	}
}

// energies holds what is known about the coordinates' energies: E_k is in (lo, hi) at the start and has since gained
// gained[k].
type energies struct{ lo, hi, gained []float64 }

func newEnergies(d int) energies {
	e := energies{make([]float64, d), make([]float64, d), make([]float64, d)}
	for k := range d {
		e.hi[k] = math.Inf(1)
	}
	return e
}

// with returns a copy in which E_k is in (lo, hi) and has gained more in addition.
func (e energies) with(k int, lo, hi, more float64) energies {
	f := energies{append([]float64(nil), e.lo...), append([]float64(nil), e.hi...), append([]float64(nil), e.gained...)}
	f.lo[k], f.hi[k] = lo, hi
	f.gained[k] += more
	return f
}

// meet adds to out the probabilities of the signs after the given walls, from a state and the known energies. weight is
// the probability of the order.
func meet(exponents []int, state int, walls []int, e energies, rule crossing, weight float64, out []float64) {
	if len(walls) == 0 {
		for k := range e.lo {
			weight *= math.Exp(-e.lo[k]) - math.Exp(-e.hi[k])
		}
		out[state] += weight
		return
	}
	k, rest := walls[0], walls[1:]
	need, change := rule(float64(exponents[state^1<<k]-exponents[state]) / 10)
	at := min(max(need-e.gained[k], e.lo[k]), e.hi[k]) // crosses if E_k > at
	if at < e.hi[k] {
		meet(exponents, state^1<<k, rest, e.with(k, at, e.hi[k], change), rule, weight, out)
	}
	if at > e.lo[k] {
		meet(exponents, state, rest, e.with(k, e.lo[k], at, 0), rule, weight, out)
	}
}
