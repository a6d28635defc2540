package analytic

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"

	"dpworkbench/claims/check"
)

// realCase is the query f(r) = a·r on ℝ with the metric d̄(r, s) = |g(r) − g(s)|/g(u), where g(r) = αr + βr³ is
// increasing, and a dataset x. u and x are in halves.
type realCase struct{ a, alpha, beta, u, x int64 }

// g returns g(halves/2).
func (c realCase) g(halves int64) *big.Rat {
	r := big.NewRat(halves, 2)
	linear := new(big.Rat).Mul(big.NewRat(c.alpha, 1), r)
	return linear.Add(linear, new(big.Rat).Mul(big.NewRat(c.beta, 1), check.Power(r, 3)))
}

// apart returns d̄ of two numbers that are given in halves.
func (c realCase) apart(r, s int64) *big.Rat {
	d := new(big.Rat).Sub(c.g(r), c.g(s))
	return d.Quo(d.Abs(d), c.g(c.u))
}

// sameRealSet states the sentence after Definition 9 for the real line: the changes f(x') − f(x) to the neighbors x' of
// x are the same at every x. g is increasing, so the numbers within distance 1 of x are an interval around x, and those
// within distance 1 of 0 are [−u, u]. The sets of changes at x and at 0 are equal exactly if x − u and x + u are at
// distance 1 from x.
func sameRealSet() check.Statement[realCase] {
	one := big.NewRat(1, 1)
	return check.Statement[realCase]{
		Family: "f(r) = r, 2r on ℝ, d̄(r, s) = |g(r) − g(s)|/g(u), g(r) = αr + βr³ with α, β in 0…2, u = 1/2 … 2, x = 1/2 … 3",
		Each: check.Grid(func(c *realCase) []check.Axis {
			return []check.Axis{
				check.Span(&c.a, 1, 2),
				check.Span(&c.beta, 0, 2),
				check.Span(&c.alpha, 0, 2),
				check.Where(func() bool { return c.alpha+c.beta > 0 }),
				check.Over(&c.u, 2, 1, 3, 4),
				check.Over(&c.x, 2, 4, 1, 3, 5, 6),
			}
		}),
		Holds: func(c realCase) bool {
			return c.apart(c.x, c.x+c.u).Cmp(one) == 0 && c.apart(c.x, c.x-c.u).Cmp(one) == 0
		},
		Witness: func(c realCase) *check.Witness {
			x, u := big.NewRat(c.x, 2), big.NewRat(c.u, 2)
			return check.NewWitness(check.Named("D, R", "the real numbers", "f(r)", fmt.Sprintf("%d r", c.a), "distance of r and s", fmt.Sprintf("|g(r) − g(s)| / g(%s), g(r) = %d r + %d r³", u.RatString(), c.alpha, c.beta), "x", x, "x'", new(big.Rat).Add(x, u), "distance of 0 and x' − x", c.apart(0, c.u), "distance of x and x'", c.apart(c.x, c.x+c.u)),
				check.Vars{"alpha": c.alpha, "beta": c.beta, "x": x, "u": u},
				"g = lambda r: {alpha} * r + {beta} * r * r * r; x, u = {x}, {u}; a, b = abs(g(u) - g(0)) / g(u), abs(g(x + u) - g(x)) / g(u)",
				"print(a, b, (a <= 1) == (b <= 1))")
		},
	}
}

// linearCase is a linear map f(x) = a·x from 𝔽_pⁿ to 𝔽_p and a metric on 𝔽_pⁿ with the distances 1 and 2.
type linearCase struct {
	p, n int
	a    []int
	far  []bool // for x < y, far[y(y−1)/2 + x] tells whether they are at distance 2
}

// neighbors reports whether d̄(x, y) = 1. A dataset is a number whose digits in base p are the coordinates.
func (c linearCase) neighbors(x, y int) bool {
	if x == y {
		return false
	}
	x, y = min(x, y), max(x, y)
	return !c.far[y*(y-1)/2+x]
}

func (c linearCase) size() int {
	size := 1
	for range c.n {
		size *= c.p
	}
	return size
}

// f returns a·x, and minus returns x − y, coordinate by coordinate.
func (c linearCase) f(x int) int {
	sum := 0
	for i, v := range check.Digits(x, c.p, c.n) {
		sum += c.a[i] * v
	}
	return sum % c.p
}

func (c linearCase) minus(x, y int) int {
	out, place := 0, 1
	v, w := check.Digits(x, c.p, c.n), check.Digits(y, c.p, c.n)
	for i := range v {
		out += (v[i] - w[i] + c.p) % c.p * place
		place *= c.p
	}
	return out
}

// changes returns {f(x') − f(x): x' ∈ N^x}, sorted; 0 is in it because d̄(x, x) ≤ 1.
func (c linearCase) changes(x int) []int {
	out := []int{0}
	for y := range c.size() {
		if c.neighbors(x, y) {
			out = append(out, (c.f(y)-c.f(x)+c.p)%c.p)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// invariant reports whether d̄(x, y) = d̄(0, y − x) for all x and y.
func (c linearCase) invariant() bool {
	for x := range c.size() {
		for y := range c.size() {
			if c.neighbors(x, y) != c.neighbors(0, c.minus(y, x)) {
				return false
			}
		}
	}
	return true
}

// sameNeighboringSet states the sentence after Definition 9: {f(x') − f(x): x' ∈ N^x} equals {f(y): d̄(0, y) ≤ 1} at
// every x. Only the instances that allowed accepts count.
func sameNeighboringSet(allowed func(c linearCase) bool) check.Statement[linearCase] {
	differs := func(c linearCase) (x int, ok bool) {
		for x := range c.size() {
			if !slices.Equal(c.changes(x), c.changes(0)) {
				return x, true
			}
		}
		return 0, false
	}
	spaces := [][2]int{{2, 1}, {3, 1}, {2, 2}} // 𝔽_2, 𝔽_3, 𝔽_2²
	build := func(space [2]int, map_, metric int) linearCase {
		c := linearCase{p: space[0], n: space[1], a: check.Digits(map_, space[0], space[1])}
		for _, far := range check.Digits(metric, 2, c.size()*(c.size()-1)/2) {
			c.far = append(c.far, far == 1)
		}
		return c
	}
	// invariantOn returns f(x) = a·x on 𝔽_p with a metric that is invariant under translation. With k the distance of x
	// and y on the circle, d̄(x, y) is 1 if bit k − 1 of near is set, and 2 otherwise.
	invariantOn := func(p, a, near int) linearCase {
		c := linearCase{p: p, n: 1, a: []int{a}, far: make([]bool, p*(p-1)/2)}
		for y := range p {
			for x := range y {
				c.far[y*(y-1)/2+x] = near>>(min(y-x, p-y+x)-1)&1 == 0
			}
		}
		return c
	}
	return check.Statement[linearCase]{
		Family: "linear f on 𝔽_2, 𝔽_3 and 𝔽_2², metrics with distances 1 and 2; on 𝔽_5 and 𝔽_7, invariant ones",
		Each: check.Chain(check.Grid(func(c *linearCase) []check.Axis {
			var space [2]int
			var image, metric int
			return []check.Axis{
				check.Over(&space, spaces...),
				check.Span(&image, 0, 3),
				check.Span(&metric, 0, 1<<6-1),
				check.Where(func() bool {
					size := linearCase{p: space[0], n: space[1]}.size()
					return image < size && metric < 1<<(size*(size-1)/2)
				}),
				check.Let(func() { *c = build(space, image, metric) }),
			}
		}), check.Grid(func(c *linearCase) []check.Axis {
			var p, a, near int
			return []check.Axis{
				check.Over(&p, 5, 7),
				check.Span(&a, 0, 6),
				check.Span(&near, 0, 7),
				check.Where(func() bool { return a < p && near < 1<<(p/2) }),
				check.Let(func() { *c = invariantOn(p, a, near) }),
			}
		})),
		Draw: func(rng *rand.Rand) linearCase {
			// Half of the random instances are invariant by construction: in them far depends only on ±(y − x).
			c := linearCase{p: 5, n: 1, a: []int{rng.IntN(5)}, far: make([]bool, 10)}
			near, even := rng.IntN(4), rng.IntN(2) == 0
			for y := range 5 {
				for x := range y {
					c.far[y*(y-1)/2+x] = rng.IntN(2) == 0
					if step := min(y-x, 5-y+x); even {
						c.far[y*(y-1)/2+x] = near>>(step-1)&1 == 1
					}
				}
			}
			return c
		},
		Decide: func(c linearCase) (holds, counts bool) {
			if !allowed(c) {
				return true, false
			}
			_, found := differs(c)
			return !found, true
		},
	}
}
