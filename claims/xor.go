package claims

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"

	"dpworkbench/xor"
)

const xorPaper = "XOR"

// xorClaims returns the claims of the XOR mechanism's paper.
func xorClaims() []Claim {
	return slices.Concat(
		xorLawClaims(),
		xorPrivacyClaims(),
		xorUtilityClaims(),
		xorGraphClaims(),
		xorFigureClaims(),
	)
}

// noiseCase is a small matrix-valued Bernoulli law, entries in tenths.
type noiseCase struct {
	n, p, s int
	theta   [][]int
	lambda  [][][]int // of the pairs (0, 1), (0, 2), (1, 2), …
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

// law builds the law; it panics where the case is malformed.
func (c noiseCase) law() *xor.Bernoulli {
	lambda := map[xor.Pair][][]float64{}
	k := 0
	for j := range c.n {
		for i := range j {
			lambda[xor.Pair{I: i, J: j}] = tenths(c.lambda[k])
			k++
		}
	}
	b, err := xor.New(tenths(c.theta), lambda, c.n)
	if err != nil {
		panic(err)
	}
	return b
}

// drawNoise draws n ≤ 3 objects with p ≤ 3 features and whole tenths in
// [least, 20]. Symmetric blocks, as Definition 4 has them.
func drawNoise(rng *rand.Rand, least int) noiseCase {
	c := noiseCase{n: 1 + rng.IntN(3), p: 1 + rng.IntN(3)}
	c.s = 1 + rng.IntN(c.n*c.p)
	block := func() [][]int {
		m := make([][]int, c.p)
		for i := range m {
			m[i] = make([]int, c.p)
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

// simpler yields fewer objects, fewer features, fewer bits, and entries nearer
// to zero, in this order.
func (c noiseCase) simpler() iter.Seq[noiseCase] {
	return func(yield func(noiseCase) bool) {
		if c.n > 1 {
			d := c.clone()
			d.n--
			d.lambda = d.lambda[:d.n*(d.n-1)/2]
			d.s = min(d.s, d.n*d.p)
			if !yield(d) {
				return
			}
		}
		for drop := range c.p {
			if c.p == 1 {
				break
			}
			d := c.clone()
			d.p--
			for _, m := range d.blocks() {
				*m = slices.Delete(*m, drop, drop+1)
				for i := range *m {
					(*m)[i] = slices.Delete((*m)[i], drop, drop+1)
				}
			}
			d.s = min(d.s, d.n*d.p)
			if !yield(d) {
				return
			}
		}
		if c.s > 1 {
			d := c.clone()
			d.s--
			if !yield(d) {
				return
			}
		}
		for k := range c.blocks() {
			for i := range c.p {
				for j := range i + 1 {
					at := (*c.blocks()[k])[i][j]
					for _, v := range []int{0, at / 2, at - sign(at)} {
						if v == at {
							continue
						}
						d := c.clone()
						m := *d.blocks()[k]
						m[i][j], m[j][i] = v, v
						if !yield(d) {
							return
						}
					}
				}
			}
		}
	}
}

func sign(v int) int {
	switch {
	case v > 0:
		return 1
	case v < 0:
		return -1
	}
	return 0
}

func (c *noiseCase) blocks() []*[][]int {
	out := []*[][]int{&c.theta}
	for k := range c.lambda {
		out = append(out, &c.lambda[k])
	}
	return out
}

func (c noiseCase) clone() noiseCase {
	d := c
	d.lambda = slices.Clone(c.lambda)
	for _, m := range d.blocks() {
		*m = slices.Clone(*m)
		for i := range *m {
			(*m)[i] = slices.Clone((*m)[i])
		}
	}
	return d
}

// script writes the law in the script language.
func (c noiseCase) script() string {
	var lambda []string
	k := 0
	for j := range c.n {
		for i := range j {
			lambda = append(lambda, fmt.Sprintf("(%d, %d): %s", i, j, lists(tenths(c.lambda[k]))))
			k++
		}
	}
	return fmt.Sprintf("bernoulli(%s, {%s}, %d)", lists(tenths(c.theta)), strings.Join(lambda, ", "), c.n)
}

func (c noiseCase) fields(extra ...Field) []Field {
	out := []Field{
		{"N", fmt.Sprint(c.n)}, {"P", fmt.Sprint(c.p)},
		{"Theta", lists(tenths(c.theta))},
	}
	for k, m := range c.lambda {
		out = append(out, Field{fmt.Sprintf("Lambda_%d", k), lists(tenths(m))})
	}
	return append(out, extra...)
}

// budgetCase is an input of Algorithm 1, ε and α in tenths.
type budgetCase struct {
	n, p, s    int
	eps, alpha int
}

func (c budgetCase) budget() xor.Budget {
	return xor.Budget{N: c.n, P: c.p, Epsilon: float64(c.eps) / 10, Alpha: float64(c.alpha) / 10, Sensitivity: float64(c.s)}
}

func (c budgetCase) law() *xor.Bernoulli {
	b, err := xor.Allocate(c.budget())
	if err != nil {
		panic(err)
	}
	return b
}

func (c budgetCase) script() string {
	return fmt.Sprintf("xor_allocation(%d, %d, %g, %g, %d)", c.n, c.p, float64(c.eps)/10, float64(c.alpha)/10, c.s)
}

func (c budgetCase) fields(extra ...Field) []Field {
	return append([]Field{
		{"N", fmt.Sprint(c.n)}, {"P", fmt.Sprint(c.p)}, {"s_f", fmt.Sprint(c.s)},
		{"eps", fmt.Sprint(float64(c.eps) / 10)}, {"alpha", fmt.Sprint(float64(c.alpha) / 10)},
	}, extra...)
}

// drawBudget draws an input with n ≤ most objects and s ≤ P.
func drawBudget(rng *rand.Rand, most int) budgetCase {
	c := budgetCase{n: 1 + rng.IntN(most), p: 1 + rng.IntN(4), eps: 1 + rng.IntN(50), alpha: rng.IntN(11)}
	c.s = 1 + rng.IntN(c.p)
	return c
}

// simpler yields smaller shapes and rounder parameters.
func (c budgetCase) simpler() iter.Seq[budgetCase] {
	return func(yield func(budgetCase) bool) {
		for _, change := range []func(*budgetCase){
			func(d *budgetCase) { d.n-- }, func(d *budgetCase) { d.p--; d.s = min(d.s, d.p) }, func(d *budgetCase) { d.s-- },
			func(d *budgetCase) { d.eps = 10 }, func(d *budgetCase) { d.alpha = 5 },
		} {
			d := c
			change(&d)
			if d == c || d.n < 1 || d.p < 1 || d.s < 1 {
				continue
			}
			if !yield(d) {
				return
			}
		}
	}
}

// budgets enumerates small inputs of Algorithm 1.
func budgets(yield func(budgetCase) bool) {
	for n := 1; n <= 4; n++ {
		for p := 1; p <= 3; p++ {
			for s := 1; s <= p; s++ {
				for _, eps := range []int{10, 1, 50} {
					for _, alpha := range []int{3, 5, 7} {
						if !yield(budgetCase{n, p, s, eps, alpha}) {
							return
						}
					}
				}
			}
		}
	}
}

const budgetFamily = "N ≤ 4, s_f ≤ P ≤ 3, ε in {.1, 1, 5}, α in {.3, .5, .7}"
