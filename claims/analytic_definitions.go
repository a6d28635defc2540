package claims

import (
	"fmt"
	"iter"
	"math/big"
	"math/rand/v2"
	"slices"

	"dpworkbench/evidence"
)

// normProductCase is a norm N(a, b) = α|a − b| + β|a + b| on ℝ² and three points of a
// product of two lines.
type normProductCase struct {
	alpha, beta int
	points      [3][2]int
}

// norm is N of the distances of two points in the two lines.
func (c normProductCase) norm(p, q [2]int) int {
	a, b := max(p[0]-q[0], q[0]-p[0]), max(p[1]-q[1], q[1]-p[1])
	return c.alpha*max(a-b, b-a) + c.beta*(a+b)
}

// productMetric is Definition 6: N(d_1, d_2) satisfies the triangle inequality on the
// product. allowed restricts the norms.
func productMetric(allowed func(c normProductCase) bool) statement[normProductCase] {
	return statement[normProductCase]{
		family: "N = α|a − b| + β|a + b| with α in 0…3 and β in 1…3, points of {0, 1, 2}²",
		each: func(yield func(normProductCase) bool) {
			for beta := 1; beta <= 3; beta++ {
				for alpha := range 4 {
					for code := range 729 {
						v := digits(code, 3, 6)
						c := normProductCase{alpha, beta, [3][2]int{{v[0], v[1]}, {v[2], v[3]}, {v[4], v[5]}}}
						if !yield(c) {
							return
						}
					}
				}
			}
		},
		draw: func(rng *rand.Rand) normProductCase {
			c := normProductCase{alpha: rng.IntN(20), beta: 1 + rng.IntN(20)}
			for i := range c.points {
				c.points[i] = [2]int{rng.IntN(9), rng.IntN(9)}
			}
			return c
		},
		holds: func(c normProductCase) (bool, error) {
			p := c.points
			return !allowed(c) || c.norm(p[0], p[2]) <= c.norm(p[0], p[1])+c.norm(p[1], p[2]), nil
		},
		witness: func(c normProductCase) *Witness {
			p := c.points
			return &Witness{
				Fields: []Field{{"N(a, b)", fmt.Sprintf("%d|a - b| + %d|a + b|", c.alpha, c.beta)}, {"points", pairs(p[:])}},
				Script: fmt.Sprintf("n = lambda p, q: %d * abs(abs(p[0] - q[0]) - abs(p[1] - q[1])) + %d * (abs(p[0] - q[0]) + abs(p[1] - q[1])); x, y, z = %s; print(n(x, z), n(x, y) + n(y, z), n(x, z) <= n(x, y) + n(y, z))",
					c.alpha, c.beta, pairs(p[:])),
			}
		},
	}
}

// anyNorm and monotoneNorm are all of the norms, and those that grow in |a| and |b|.
func anyNorm(normProductCase) bool        { return true }
func monotoneNorm(c normProductCase) bool { return c.alpha <= c.beta }

// linearCase is a map f(x) = a·x of 𝔽_pⁿ to 𝔽_p with a metric of distances 1 and 2.
type linearCase struct {
	p, n int
	a    []int
	far  []bool // by pairs x < y: distance 2
}

// neighbors reports whether d̄(x, y) = 1; datasets are numbers in base p.
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

// f returns a·x, and minus x − y, coordinate by coordinate.
func (c linearCase) f(x int) int {
	sum := 0
	for i, v := range digits(x, c.p, c.n) {
		sum += c.a[i] * v
	}
	return sum % c.p
}

func (c linearCase) minus(x, y int) int {
	out, place := 0, 1
	v, w := digits(x, c.p, c.n), digits(y, c.p, c.n)
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

// invariant reports whether d̄(x, y) = d̄(0, y − x).
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

// sameNeighboringSet is what follows Definition 9: {f(x') − f(x): x' ∈ N^x} is
// {f(y): d̄(0, y) ≤ 1} at every x. It counts the instances that are allowed.
func sameNeighboringSet(met *int, allowed func(c linearCase) bool) statement[linearCase] {
	differs := func(c linearCase) (x int, ok bool) {
		for x := range c.size() {
			if !slices.Equal(c.changes(x), c.changes(0)) {
				return x, true
			}
		}
		return 0, false
	}
	spaces := [][2]int{{2, 1}, {3, 1}, {2, 2}}
	build := func(space [2]int, map_, metric int) linearCase {
		c := linearCase{p: space[0], n: space[1], a: digits(map_, space[0], space[1])}
		for _, far := range digits(metric, 2, c.size()*(c.size()-1)/2) {
			c.far = append(c.far, far == 1)
		}
		return c
	}
	return statement[linearCase]{
		family: "linear f on 𝔽_2, 𝔽_3 and 𝔽_2², metrics with distances 1 and 2",
		each: func(yield func(linearCase) bool) {
			for _, space := range spaces {
				size := linearCase{p: space[0], n: space[1]}.size()
				for map_ := range size {
					for metric := range 1 << (size * (size - 1) / 2) {
						if !yield(build(space, map_, metric)) {
							return
						}
					}
				}
			}
		},
		draw: func(rng *rand.Rand) linearCase {
			// Invariant by construction in half of the draws: far depends on ±(y − x).
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
		holds: func(c linearCase) (bool, error) {
			if !allowed(c) {
				return true, nil
			}
			*met++
			_, found := differs(c)
			return !found, nil
		},
		witness: func(c linearCase) *Witness {
			x, _ := differs(c)
			f, near := make([]int, c.size()), make([][]int, c.size())
			for y := range f {
				f[y] = c.f(y)
				near[y] = []int{y}
				for z := range f {
					if c.neighbors(y, z) {
						near[y] = append(near[y], z)
					}
				}
			}
			return &Witness{
				Fields: []Field{
					{"D", fmt.Sprintf("vectors of %d coordinates over the field of %d elements", c.n, c.p)}, {"f", list(f)}, {"at a distance of at most 1", lists(near)}, {"x", fmt.Sprint(x)},
				},
				Script: fmt.Sprintf("f, near = %s, %s; v = [sorted(set([(f[y] - f[x]) %% %d for y in near[x]])) for x in [%d, 0]]; print(v[0], v[1], v[0] == v[1])",
					list(f), lists(near), c.p, x),
			}
		},
	}
}

// anyLinear demands nothing of the metric.
func anyLinear(linearCase) bool { return true }

// scoreCase is a score s^x(r) ≤ 0 for each dataset and value, with e^ε = base^{2Δs}.
type scoreCase struct {
	distance [][]int
	score    [][]int
	base     int64
}

// sensitivity is Δs.
func (c scoreCase) sensitivity() int {
	out := 0
	for x := range c.score {
		for y := range c.score {
			for r := range c.score[x] {
				if c.distance[x][y] <= 2 {
					out = max(out, c.score[x][r]-c.score[y][r])
				}
			}
		}
	}
	return out
}

// exponentialPrivacy is Definition 3 for the exponential mechanism: p^x(r) ∝
// e^{ε s^x(r)/(2Δs)} is ε-DP. At e^ε = base^{2Δs} the weight is base^{s}; times is the
// multiple of Δs, 2 in the paper, that the loss is held against.
func exponentialPrivacy(times int) statement[scoreCase] {
	table := func(c scoreCase) tableCase {
		t := tableCase{distance: c.distance, value: make([]int, len(c.score)), slack: 1}
		for _, row := range c.score {
			least := slices.Min(row)
			weights := make([]int64, len(row))
			for r, s := range row {
				weights[r] = power(big.NewRat(c.base, 1), s-least).Num().Int64()
			}
			t.weight = append(t.weight, weights)
		}
		return t
	}
	return statement[scoreCase]{
		family: "two datasets, three values, scores −2…0, e^{ε/(2Δs)} = 2",
		each: func(yield func(scoreCase) bool) {
			for code := range 729 {
				v := digits(code, 3, 6)
				if !yield(scoreCase{metrics[0], [][]int{{-v[0], -v[1], -v[2]}, {-v[3], -v[4], -v[5]}}, 2}) {
					return
				}
			}
		},
		draw: func(rng *rand.Rand) scoreCase {
			c := scoreCase{distance: metrics[rng.IntN(len(metrics))], base: 2 + rng.Int64N(3)}
			size := 2 + rng.IntN(4)
			for range c.distance {
				row := make([]int, size)
				for r := range row {
					row[r] = -rng.IntN(7)
				}
				c.score = append(c.score, row)
			}
			return c
		},
		holds: func(c scoreCase) (bool, error) {
			loss, _ := table(c).loss()
			return loss.Cmp(power(big.NewRat(c.base, 1), times*c.sensitivity())) <= 0, nil
		},
		witness: func(c scoreCase) *Witness {
			return &Witness{
				Fields: []Field{{"distances", halves(c.distance)}, {"scores", lists(c.score)}, {"e^{ε/(2Δs)}", fmt.Sprint(c.base)}},
				Script: fmt.Sprintf("%s; bound = %d * ln(%d); print(m.smallest_epsilon, bound, m.smallest_epsilon.lo <= bound.hi)", table(c).script(), times*c.sensitivity(), c.base),
			}
		},
	}
}

// laplaceCase is two values f(x), f(x') in ℤᵏ at ‖f(x) − f(x')‖₁ ≤ Δf and an output.
type laplaceCase struct {
	f, g, r []int
	delta   int
}

// laplacePrivacy is Definition 3 for the Laplace mechanism: its densities at neighbors
// differ by a factor of at most e^ε, (‖r − f(x')‖ − ‖r − f(x)‖)/Δf ≤ 1 in ‖·‖₁. norm
// is the one that Δf is measured in.
func laplacePrivacy(norm func(a, b []int) int) statement[laplaceCase] {
	return statement[laplaceCase]{
		family: "f(x), f(x'), r in {0, 1, 2}²",
		each: func(yield func(laplaceCase) bool) {
			for code := range 729 {
				v := digits(code, 3, 6)
				c := laplaceCase{f: v[:2], g: v[2:4], r: v[4:]}
				if c.delta = norm(c.f, c.g); !yield(c) {
					return
				}
			}
		},
		draw: func(rng *rand.Rand) laplaceCase {
			k := 1 + rng.IntN(4)
			c := laplaceCase{make([]int, k), make([]int, k), make([]int, k), 0}
			for i := range k {
				c.f[i], c.g[i], c.r[i] = rng.IntN(50), rng.IntN(50), rng.IntN(50)
			}
			c.delta = norm(c.f, c.g) + rng.IntN(3)
			return c
		},
		holds: func(c laplaceCase) (bool, error) {
			return sumDistance(c.r, c.g)-sumDistance(c.r, c.f) <= c.delta, nil
		},
		simpler: func(c laplaceCase) iter.Seq[laplaceCase] {
			return func(yield func(laplaceCase) bool) {
				if len(c.f) > 2 {
					d := laplaceCase{f: c.f[1:], g: c.g[1:], r: c.r[1:]}
					d.delta = norm(d.f, d.g)
					yield(d)
				}
			}
		},
		witness: func(c laplaceCase) *Witness {
			return &Witness{
				Fields: []Field{{"f(x)", list(c.f)}, {"f(x')", list(c.g)}, {"r", list(c.r)}, {"sensitivity", fmt.Sprint(c.delta)}},
				Script: fmt.Sprintf("f, g, r, s = %s, %s, %s, %d; loss = sum([abs(a - c) - abs(b - c) for a, b, c in zip(g, f, r)]) / s; print(loss, 1, loss <= 1)", list(c.f), list(c.g), list(c.r), c.delta),
			}
		},
	}
}

// sumDistance is ‖a − b‖₁.
func sumDistance(a, b []int) int {
	sum := 0
	for i := range a {
		sum += max(a[i]-b[i], b[i]-a[i])
	}
	return sum
}

// definitionClaims holds what Definitions 3, 6 and 9 state.
func definitionClaims() []Claim {
	return []Claim{{
		ID: "analytic.definition3.laplace", Paper: analyticPaper, Place: "Definition 3, Laplace", Covers: []string{"Definition 3"},
		Statement:  "the Laplace mechanism with density ∝ e^{−ε‖r − f(x)‖₁/Δf} is ε-DP",
		Hypotheses: "Δf by Definition 2, in ‖·‖₁; densities compared at whole points",
		Recorded:   evidence.Confirmed,
		check:      laplacePrivacy(sumDistance).check,
	}, {
		ID: "analytic.definition3.exponential", Paper: analyticPaper, Place: "Definition 3, exponential", Covers: []string{"Definition 3"},
		Statement:  "the exponential mechanism p^x(r) ∝ e^{ε s^x(r)/(2Δs)} is ε-DP",
		Hypotheses: "R finite; Δs by Definition 2, the largest change of the score of one value between neighbors",
		Recorded:   evidence.Confirmed,
		check:      exponentialPrivacy(2).check,
	}, {
		ID: "analytic.definition6", Paper: analyticPaper, Place: "Definition 6",
		Statement:  "N(d_1, …, d_n) is a metric on R_1 × … × R_n for every norm N on ℝⁿ",
		Hypotheses: "metric spaces (R_i, d_i); checked: the triangle inequality",
		Corrected:  "it is where N does not fall as a coordinate grows in absolute value",
		Recorded:   evidence.Refuted,
		check:      withCorrection(productMetric(anyNorm).check, productMetric(monotoneNorm).check),
	}, {
		ID: "analytic.definition9", Paper: analyticPaper, Place: "Definition 9",
		Statement:  "{f(x') − f(x): x' ∈ N^x} is V_f = {f(y): d̄(0, y) ≤ 1} at every x, for a linear f",
		Hypotheses: "D, R vector spaces over one field; any metric d̄ on D",
		Corrected:  "the same where d̄(x, y) = d̄(0, y − x)",
		Recorded:   evidence.Refuted,
		check: withCorrection(applicable(func(met *int) statement[linearCase] { return sameNeighboringSet(met, anyLinear) }),
			applicable(func(met *int) statement[linearCase] { return sameNeighboringSet(met, linearCase.invariant) })),
	}}
}
