package xor

import (
	"fmt"
	"math/rand/v2"

	"dpworkbench/claims/check"
)

// xorLawChecks returns the checks of the statements about the law of the noise.
func xorLawChecks() check.Checks {
	return check.Checks{
		"xor.footnote2":         check.WithCorrection(check.Surveyed(oddsRatio(ofFeatures, 1)), oddsRatio(ofFeatures, 2).Check),
		"xor.footnote2.single":  singleOdds(1).Check,
		"xor.footnote2.objects": check.WithCorrection(check.Surveyed(oddsRatio(ofObjects, 1)), oddsRatio(ofObjects, 2).Check),
		"xor.lemma1":            vectorised(noiseCase.pi).Check,
		"xor.density":           check.WithCorrection(check.Surveyed(signDensity(4)), signDensity(1).Check),
	}
}

var noiseShapes = [][2]int{{1, 1}, {1, 2}, {2, 1}, {2, 2}}

const unitFamily = "N, P ≤ 2, entries in {−1, 0, 1}"

// pairKind reports whether a pair of bits k < l is of a kind.
type pairKind func(c noiseCase, k, l int) bool

func ofFeatures(c noiseCase, k, l int) bool { return k/c.p == l/c.p }
func ofObjects(c noiseCase, k, l int) bool  { return k/c.p != l/c.p }

// oddsRatio states that the log odds ratio of any two bits of a kind, given that the others are 0, is factor times
// their entry of Π, in integer tenths.
func oddsRatio(kind pairKind, factor int) check.Statement[noiseCase] {
	failing := func(c noiseCase) (k, l, ratio, entry int, failed bool) {
		e, pi := c.exponents(), c.pi()
		for l = range c.n * c.p {
			for k = range l {
				if !kind(c, k, l) {
					continue
				}
				ratio = e[1<<k|1<<l] - e[1<<l] + e[0] - e[1<<k]
				if ratio != factor*pi[k][l] {
					return k, l, ratio, pi[k][l], true
				}
			}
		}
		return
	}
	return check.Statement[noiseCase]{
		Family: unitFamily, Each: noiseGrid(noiseShapes, 0, 10, -10),
		Draw: func(rng *rand.Rand) noiseCase { return drawNoise(rng, -20) },
		Holds: func(c noiseCase) bool {
			_, _, _, _, failed := failing(c)
			return !failed
		},
		Witness: func(c noiseCase) *check.Witness {
			k, l, ratio, entry, _ := failing(c)
			return check.NewWitness(c.fields("bits", fmt.Sprintf("(%d, %d) and (%d, %d)", k/c.p, k%c.p, l/c.p, l%c.p),
				"entry", float64(entry)/10, "log odds ratio", float64(ratio)/10),
				check.Vars{"law": c.script(), "both": c.matrix(1<<k | 1<<l), "second": c.matrix(1 << l), "none": c.matrix(0), "first": c.matrix(1 << k), "odds": times(factor, fmt.Sprintf("b.pi[%d][%d]", k, l))},
				"b = {law}; r = b.exponent({both}) - b.exponent({second}) + b.exponent({none}) - b.exponent({first}); t = {odds}",
				"print(r, t, abs(r - t) < 1e-9)")
		},
	}
}

// times returns factor times an expression in the script language.
func times(factor int, of string) check.Code {
	if factor == 1 {
		return check.Code(of)
	}
	return check.Code(fmt.Sprintf("%d*%s", factor, of))
}

// singleOdds states that the log odds of a bit, given that the others are 0, are factor times its entry of Θ's
// diagonal.
func singleOdds(factor int) check.Statement[noiseCase] {
	return check.Statement[noiseCase]{
		Family: unitFamily, Each: noiseGrid(noiseShapes, 0, 10, -10),
		Draw: func(rng *rand.Rand) noiseCase { return drawNoise(rng, -20) },
		Holds: func(c noiseCase) bool {
			e := c.exponents()
			for k := range c.n * c.p {
				if e[1<<k]-e[0] != factor*c.theta[k%c.p][k%c.p] {
					return false
				}
			}
			return true
		},
	}
}

// vectorised states that bᵀΠb is the exponent of Definition 4 at every state. Both sides are linear in the blocks, so
// unit blocks decide all blocks of a shape.
func vectorised(pi func(noiseCase) [][]int) check.Statement[noiseCase] {
	units := check.Grid(func(c *noiseCase) []check.Axis {
		var k, i, j int
		c.s = 1
		return []check.Axis{
			check.Span(&c.n, 1, 3),
			check.Span(&c.p, 1, 3),
			check.Span(&k, 0, 3),
			check.Span(&i, 0, 2),
			check.Span(&j, 0, 2),
			check.Where(func() bool { return k <= c.n*(c.n-1)/2 && i < c.p && j <= i }),
			check.Let(func() {
				c.theta = square(c.p)
				for range c.n * (c.n - 1) / 2 {
					c.lambda = append(c.lambda, square(c.p))
				}
				m := *c.blocks()[k]
				m[i][j], m[j][i] = 10, 10
			}),
		}
	})
	return check.Statement[noiseCase]{
		Family: "N, P ≤ 3, one symmetric pair of entries 1 and the others 0; both sides are linear in the blocks",
		Each:   units,
		Holds: func(c noiseCase) bool {
			m := pi(c)
			for state, want := range c.exponents() {
				got := 0
				for k := range m {
					for l := range m {
						got += state >> k & 1 * m[k][l] * (state >> l & 1)
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

// signDensity states that the exponent of the sign vector s is (quarters/4)(sᵀΠs + 2sᵀΠ1) up to a constant. It computes
// in integer fortieths.
func signDensity(quarters int) check.Statement[noiseCase] {
	exponent := func(pi [][]int, state int) int {
		sum := 0
		for k := range pi {
			for l := range pi {
				sum += (2*(state>>k&1) - 1) * pi[k][l] * (2*(state>>l&1) - 1 + 2)
			}
		}
		return quarters * sum
	}
	failing := func(c noiseCase) (int, bool) {
		e, pi := c.exponents(), c.pi()
		for state := range e {
			if exponent(pi, state)-exponent(pi, 0) != 4*(e[state]-e[0]) {
				return state, true
			}
		}
		return 0, false
	}
	return check.Statement[noiseCase]{
		Family: unitFamily, Each: noiseGrid(noiseShapes, 0, 10, -10),
		Draw: func(rng *rand.Rand) noiseCase { return drawNoise(rng, -20) },
		Holds: func(c noiseCase) bool {
			_, failed := failing(c)
			return !failed
		},
		Witness: func(c noiseCase) *check.Witness {
			state, _ := failing(c)
			pi := c.pi()
			return check.NewWitness(c.fields("b", check.Lists(c.matrix(state)),
				"ln Pr[b]/Pr[0]", float64(c.exponents()[state])/10,
				"by the stated density", float64(exponent(pi, state)-exponent(pi, 0))/40),
				check.Vars{"law": c.script(), "state": c.matrix(state), "quarters": quarters},
				"b = {law}; m = {state}; s = [2*v - 1 for row in m for v in row]",
				"f = lambda s: sum([b.pi[k][l]*s[k]*(s[l] + 2) for k in range(b.size) for l in range(b.size)]) * {quarters}/4",
				"e = b.exponent(m); t = f(s) - f([-1]*b.size); print(e, t, abs(e - t) < 1e-9)")
		},
	}
}
