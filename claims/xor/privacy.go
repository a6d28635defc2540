package xor

import (
	"fmt"
	"iter"
	"math/rand/v2"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/interval"
	"dpworkbench/xor"
)

// xorPrivacyChecks returns the checks of Theorem 1.
func xorPrivacyChecks() check.Checks {
	return check.Checks{
		"xor.theorem1":          theorem1(rowBound, noiseOfAnySign),
		"xor.theorem1.positive": theorem1(positiveRowBound, positiveDefiniteNoise),
		"xor.theorem1.step":     check.WithCorrection(check.Surveyed(normStep(absoluteSum)), normStep(sumOfAbsolutes).Check),
	}
}

// theorem1 checks condition (4) on a set of laws. Its correction has bound in place of the condition.
func theorem1(bound func(noiseCase) int, kind noiseKind) check.Checker {
	return check.WithCorrection(
		check.Measuring("smallest ε / condition (4)", func(r *check.RatioRange) check.Checker { return check.Surveyed(spends(r, condition4, kind)) }),
		check.Measuring("sufficient ε / smallest ε", func(r *check.RatioRange) check.Checker { return rowsSuffice(r, bound, kind).Check }))
}

// noiseKind is a set of laws for the search.
type noiseKind struct {
	family string
	each   iter.Seq[noiseCase]
	draw   func(rng *rand.Rand) noiseCase
}

var noiseOfAnySign = noiseKind{
	family: "N, P ≤ 2, entries in {−.1, 0, .1}, s_f ≤ NP",
	each:   everySensitivity(noiseGrid(noiseShapes, 0, 1, -1)),
	draw: func(rng *rand.Rand) noiseCase {
		if rng.IntN(2) == 0 {
			return drawNoise(rng, 0)
		}
		return drawNoise(rng, -20)
	},
}

var positiveDefiniteNoise = noiseKind{
	family: "(N, P) in {(1, 1), (1, 2), (2, 1), (3, 1)}, positive definite blocks of entries in {.1, .2, .3}, s_f ≤ NP",
	each:   check.Keep(everySensitivity(noiseGrid([][2]int{{1, 1}, {1, 2}, {2, 1}, {3, 1}}, 1, 2, 3)), positiveDefinite),
	draw: func(rng *rand.Rand) noiseCase {
		for {
			c := drawGram(rng)
			for _, m := range c.blocks() {
				for i := range *m {
					(*m)[i][i]++ // definite
				}
			}
			if positiveDefinite(c) {
				return c
			}
		}
	},
}

// drawGram draws blocks AAᵀ with integer A ≥ 0. They are positive semidefinite with entries ≥ 0.
func drawGram(rng *rand.Rand) noiseCase {
	c := drawNoise(rng, 0)
	for _, m := range c.blocks() {
		a := square(c.p)
		for i := range a {
			for j := range a {
				a[i][j] = rng.IntN(3)
			}
		}
		for i := range *m {
			for j := range *m {
				(*m)[i][j] = 0
				for k := range c.p {
					(*m)[i][j] += a[i][k] * a[j][k]
				}
			}
		}
	}
	return c
}

// positiveDefinite reports whether every block has positive entries and positive leading minors. P is at most 3.
func positiveDefinite(c noiseCase) bool {
	for _, m := range c.blocks() {
		for k := 1; k <= c.p; k++ {
			if determinant(*m, k) <= 0 {
				return false
			}
		}
	}
	return c.every(func(v int) bool { return v > 0 })
}

// determinant returns the leading minor of order k ≤ 3.
func determinant(m [][]int, k int) int {
	switch k {
	case 1:
		return m[0][0]
	case 2:
		return m[0][0]*m[1][1] - m[0][1]*m[1][0]
	}
	return m[0][0]*(m[1][1]*m[2][2]-m[1][2]*m[2][1]) - m[0][1]*(m[1][0]*m[2][2]-m[1][2]*m[2][0]) + m[0][2]*(m[1][0]*m[2][1]-m[1][1]*m[2][0])
}

// condition4 encloses ten times the left side of (4): s times a sum of Frobenius norms.
func condition4(c noiseCase) interval.Interval {
	sum := interval.Int(0)
	for _, m := range c.blocks() {
		square := 0
		for _, row := range *m {
			for _, v := range row {
				square += v * v
			}
		}
		sum = sum.Add(interval.Int(int64(square)).Sqrt())
	}
	return interval.Int(int64(c.s)).Mul(sum)
}

// spends states that the smallest ε is at most sufficient, up to the width of its enclosure. It compares the exponents
// of all states in integer tenths.
func spends(r *check.RatioRange, sufficient func(noiseCase) interval.Interval, kind noiseKind) check.Statement[noiseCase] {
	return check.Statement[noiseCase]{
		Family: kind.family, Each: kind.each, Draw: kind.draw,
		Holds: func(c noiseCase) bool {
			loss, most := interval.Int(int64(c.loss())), sufficient(c)
			if !c.zero() {
				r.See(evidence.Enclosed(loss.Quo(most), "the exponents of all states compared", "Theorem 1"))
			}
			return !most.Less(loss)
		},
		Witness: func(c noiseCase) *check.Witness {
			loss := smallestEpsilon(c.law(), xor.FlipBits(c.s), xor.LossOptions{General: true})
			return check.NewWitness(c.fields("s_f", c.s,
				"condition (4)", fmt.Sprintf("%.6g", sufficient(c).Mid()/10),
				"smallest eps", fmt.Sprintf("%.6g", float64(c.loss())/10),
				"noise bits on", loss.Worst.On, "bits that differ", loss.Worst.Bits),
				check.Vars{"law": c.script(), "s": c.s}, "b = {law}; e = b.smallest_epsilon({s}).lo; c = b.claimed_epsilon({s}).value; print(e, c, e <= c)")
		},
		Measure: func(c noiseCase) []check.Item {
			return []check.Item{
				{Label: "condition (4)", Number: evidence.WithSide(evidence.Enclosed(sufficient(c).Quo(interval.Int(10)), "square roots rounded outward", "Theorem 1"), evidence.Up)},
				{Label: "smallest ε", Number: evidence.EnclosedLoss(interval.Rat(check.Ratio(c.loss(), 10)), "the exponents of all states compared", "(2)")},
			}
		},
	}
}

// rowBound returns 10·s·max_k L_k, where L_k is the largest log-ratio of a change of bit k alone. L_k is attained if
// the other bits are 1 where their entry in row k of Π has the sign of the change. A change of s bits is a sequence of
// s single changes.
func rowBound(c noiseCase) int {
	most := 0
	for k, row := range c.pi() {
		up, down := row[k], -row[k]
		for l, v := range row {
			if l != k {
				up, down = up+2*max(v, 0), down+2*max(-v, 0)
			}
		}
		most = max(most, up, down)
	}
	return c.s * most
}

// positiveRowBound returns rowBound for laws without negative entries.
func positiveRowBound(c noiseCase) int {
	most := 0
	for k, row := range c.pi() {
		up := row[k]
		for l, v := range row {
			if l != k {
				up += 2 * v
			}
		}
		most = max(most, up)
	}
	return c.s * most
}

// rowsSuffice states that the smallest ε, in tenths, is at most a bound, with equality at s = 1.
func rowsSuffice(r *check.RatioRange, bound func(noiseCase) int, kind noiseKind) check.Statement[noiseCase] {
	return check.Statement[noiseCase]{
		Family: kind.family, Each: kind.each, Draw: kind.draw,
		Holds: func(c noiseCase) bool {
			loss, most := c.loss(), bound(c)
			if loss > 0 {
				r.See(evidence.Enclosed(interval.Rat(check.Ratio(most, loss)), "whole tenths", "Theorem 1 corrected"))
			}
			return loss <= most && (c.s > 1 || loss == most)
		},
	}
}

// rowPair is two rows of bits, given by their numbers of ones.
type rowPair struct{ p, ones, other int }

// normBound returns the right side of the step for x.
type normBound func(x []int) int

func absoluteSum(x []int) int {
	sum := 0
	for _, v := range x {
		sum += v
	}
	return max(sum, -sum)
}

func sumOfAbsolutes(x []int) int {
	sum := 0
	for _, v := range x {
		sum += max(v, -v)
	}
	return sum
}

// normStep states that √Σx² is at most a bound. x has the differences of the squared singular values of two matrices of
// one row. A row of m ones has σ₁² = m and otherwise zeros.
func normStep(bound normBound) check.Statement[rowPair] {
	values := func(c rowPair) []int {
		x := make([]int, c.p)
		x[0] += c.ones
		x[c.p-1] -= c.other
		return x
	}
	return check.Statement[rowPair]{
		Family: "rows of at most 6 bits",
		Each: check.Grid(func(c *rowPair) []check.Axis {
			return []check.Axis{
				check.Span(&c.p, 1, 6),
				check.Span(&c.ones, 0, 6),
				check.Span(&c.other, 0, 6),
				check.Where(func() bool { return c.ones <= c.p && c.other <= c.p }),
			}
		}),
		Holds: func(c rowPair) bool {
			x, squares := values(c), 0
			for _, v := range x {
				squares += v * v
			}
			return squares <= bound(x)*bound(x)
		},
		Witness: func(c rowPair) *check.Witness {
			x := values(c)
			return check.NewWitness(check.Named("P", c.p, "ones of B", c.ones, "ones of B'", c.other, "x", check.List(x)),
				check.Vars{"p": c.p, "ones": c.ones, "other": c.other},
				"p, m, n = {p}, {ones}, {other}; x = [(m if k == 0 else 0) - (n if k == p - 1 else 0) for k in range(p)]",
				"r = math.sqrt(sum([v*v for v in x])); t = abs(sum(x)); print(r, t, r <= t)")
		},
	}
}
