package xor

import (
	"fmt"
	"iter"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"dpworkbench/claims/check"
	"dpworkbench/internal/lists"
	"dpworkbench/xor"
)

// noiseCase is a small matrix-valued Bernoulli law with entries in integer tenths, and the number s of bits in which
// neighbors may differ.
type noiseCase struct {
	n, p, s int
	theta   [][]int
	lambda  [][][]int // for the pairs (0, 1), (0, 2), (1, 2), …
}

func tenths(m [][]int) [][]float64 {
	out := make([][]float64, len(m))
	for i, row := range m {
		for _, v := range row {
			out[i] = append(out[i], float64(v)/10)
		}
	}
	return out
}

// pairBlock returns Λ_ij, i ≠ j.
func (c noiseCase) pairBlock(i, j int) [][]int {
	i, j = min(i, j), max(i, j)
	return c.lambda[j*(j-1)/2+i]
}

// law builds the law. It panics if the case is malformed.
func (c noiseCase) law() *xor.Bernoulli {
	lambda := map[xor.Pair][][]float64{}
	for j := range c.n {
		for i := range j {
			lambda[xor.Pair{I: i, J: j}] = tenths(c.pairBlock(i, j))
		}
	}
	return check.Must(xor.NewBernoulli(tenths(c.theta), lambda, c.n))
}

// exponents returns, in tenths, the exponent of every state by Definition 4: Tr[BΘBᵀ] + Σ_{i≠j} Tr[J_ij B Λ_ij Bᵀ],
// where Tr[J_ij M] = M_ji. Entry (i, p) of B is bit i·P + p of the state.
func (c noiseCase) exponents() []int {
	out := make([]int, 1<<(c.n*c.p))
	for state := range out {
		for j := range c.n {
			for i := range c.n {
				block := c.theta
				if i != j {
					block = c.pairBlock(i, j)
				}
				for p := range c.p {
					for q := range c.p {
						out[state] += state >> (j*c.p + p) & 1 * block[p][q] * (state >> (i*c.p + q) & 1)
					}
				}
			}
		}
	}
	return out
}

// pi returns Π of (3) in tenths.
func (c noiseCase) pi() [][]int {
	d := c.n * c.p
	out := make([][]int, d)
	for k := range out {
		out[k] = make([]int, d)
		for l := range out[k] {
			block := c.theta
			if i, j := k/c.p, l/c.p; i != j {
				block = c.pairBlock(i, j)
			}
			out[k][l] = block[k%c.p][l%c.p]
		}
	}
	return out
}

// greatestLoss returns the largest difference of the exponents of two states that differ in at most s bits. With
// exponents in tenths this is ten times the smallest ε of the XOR mechanism.
func greatestLoss(exponents []int, s int) int {
	worst := 0
	for mask := range exponents {
		if bits.OnesCount(uint(mask)) > s {
			continue
		}
		for state, e := range exponents {
			worst = max(worst, e-exponents[state^mask])
		}
	}
	return worst
}

func (c noiseCase) loss() int { return greatestLoss(c.exponents(), c.s) }

// drawNoise draws n ≤ 3 objects with p ≤ 3 features and integer tenths in [least, 20], in symmetric blocks, as in
// Definition 4.
func drawNoise(rng *rand.Rand, least int) noiseCase {
	c := noiseCase{n: 1 + rng.IntN(3), p: 1 + rng.IntN(3)}
	c.s = 1 + rng.IntN(c.n*c.p)
	block := func() [][]int {
		m := square(c.p)
		for i := range m {
			for j := range i + 1 {
				m[i][j] = least + rng.IntN(21-least)
				m[j][i] = m[i][j]
			}
		}
		return m
	}
	c.theta = block()
	for range c.n * (c.n - 1) / 2 {
		c.lambda = append(c.lambda, block())
	}
	return c
}

func square(p int) [][]int {
	return lists.Of(p, func(int) []int { return make([]int, p) })
}

// noiseGrid yields the laws of the given shapes {N, P} whose blocks have entries among values, with s = 1. Fewer bits
// come first, then fewer objects, then smaller entries.
func noiseGrid(shapes [][2]int, values ...int) iter.Seq[noiseCase] {
	type sized struct {
		noiseCase
		bits, weight int
	}
	sorted := sync.OnceValue(func() []sized { // sorted on first use, so that a program that checks no claim does not wait
		var all []sized
		for _, shape := range shapes {
			n, p := shape[0], shape[1]
			blocks, free := 1+n*(n-1)/2, p*(p+1)/2
			count := 1
			for range blocks * free {
				count *= len(values)
			}
			for code := range count {
				c := sized{noiseCase: noiseCase{n: n, p: p, s: 1}, bits: n * p}
				for k := range blocks {
					m := square(p)
					for i := range m {
						for j := range i + 1 {
							v := values[code%len(values)]
							code /= len(values)
							m[i][j], m[j][i] = v, v
							c.weight += max(v, -v)
						}
					}
					if k == 0 {
						c.theta = m
					} else {
						c.lambda = append(c.lambda, m)
					}
				}
				all = append(all, c)
			}
		}
		slices.SortStableFunc(all, func(a, b sized) int {
			if a.bits != b.bits {
				return a.bits - b.bits
			}
			if a.n != b.n {
				return a.n - b.n
			}
			return a.weight - b.weight
		})
		return all
	})
	return check.Grid(func(c *noiseCase) []check.Axis {
		var of sized
		return []check.Axis{check.Over(&of, sorted()...), check.Let(func() { *c = of.noiseCase })}
	})
}

// everySensitivity yields each case with s = 1, …, NP.
func everySensitivity(cases iter.Seq[noiseCase]) iter.Seq[noiseCase] {
	return check.Each(cases, func(c noiseCase) iter.Seq[noiseCase] {
		return check.Grid(func(d *noiseCase) []check.Axis {
			*d = c
			return []check.Axis{check.Span(&d.s, 1, c.n*c.p)}
		})
	})
}

func (c *noiseCase) blocks() []*[][]int {
	out := []*[][]int{&c.theta}
	for k := range c.lambda {
		out = append(out, &c.lambda[k])
	}
	return out
}

// every reports whether all entries of all blocks satisfy a condition.
func (c noiseCase) every(meets func(int) bool) bool {
	for _, m := range c.blocks() {
		for _, row := range *m {
			for _, v := range row {
				if !meets(v) {
					return false
				}
			}
		}
	}
	return true
}

// zero reports whether all parameters are 0, so that the law is uniform.
func (c noiseCase) zero() bool { return c.every(func(v int) bool { return v == 0 }) }

// script returns the law in the script language.
func (c noiseCase) script() check.Code {
	var lambda []string
	for j := range c.n {
		for i := range j {
			lambda = append(lambda, fmt.Sprintf("(%d, %d): %s", i, j, check.Lists(tenths(c.pairBlock(i, j)))))
		}
	}
	return check.Code(fmt.Sprintf("bernoulli(%s, {%s}, %d)", check.Lists(tenths(c.theta)), strings.Join(lambda, ", "), c.n))
}

// matrix returns a state as N rows of P bits.
func (c noiseCase) matrix(state int) [][]int {
	rows := make([][]int, c.n)
	for k := range c.n * c.p {
		rows[k/c.p] = append(rows[k/c.p], state>>k&1)
	}
	return rows
}

func (c noiseCase) fields(extra ...any) []check.Field {
	out := check.Named("N", c.n, "P", c.p, "Theta", check.Lists(tenths(c.theta)))
	for j := range c.n {
		for i := range j {
			out = append(out, check.Named(fmt.Sprintf("Lambda (%d, %d)", i, j), check.Lists(tenths(c.pairBlock(i, j))))...)
		}
	}
	return append(out, check.Named(extra...)...)
}
