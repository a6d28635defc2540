package claims

import (
	"fmt"
	"iter"
	"math/big"
	"math/rand/v2"
	"strings"

	"dpworkbench/evidence"
)

// tableCase is a mechanism on a tiny universe, in rational numbers: the laws of
// Definition 13 before discretization. Its ε is the smallest it satisfies, or
// ln 2 where it leaks nothing.
type tableCase struct {
	distance [][]int   // d̄ between datasets, in halves
	weight   [][]int64 // p^x(r) ∝ weight[x][r]
	value    []int     // f(x), an index into R = {0, 1, …} with the metric |a − b|
}

func (c tableCase) neighbors(x, y int) bool { return x != y && c.distance[x][y] <= 2 }

func (c tableCase) prob(x, r int) *big.Rat {
	sum := int64(0)
	for _, w := range c.weight[x] {
		sum += w
	}
	return big.NewRat(c.weight[x][r], sum)
}

// base returns e^ε of the mechanism's smallest ε, at least 2 where that is 0;
// ok is false where no finite ε exists.
func (c tableCase) base() (base *big.Rat, ok bool) {
	one := big.NewRat(1, 1)
	base = one
	for x := range c.weight {
		for y := range c.weight {
			if !c.neighbors(x, y) {
				continue
			}
			for r := range c.weight[x] {
				if c.weight[x][r] == 0 && c.weight[y][r] == 0 {
					continue
				}
				if c.weight[y][r] == 0 {
					return nil, false
				}
				if q := new(big.Rat).Quo(c.prob(x, r), c.prob(y, r)); q.Cmp(base) > 0 {
					base = q
				}
			}
		}
	}
	if base.Cmp(one) == 0 {
		base = big.NewRat(2, 1)
	}
	return base, true
}

// layers returns L^x(r) by Definition 13, −1 where p^x(r) = 0.
func (c tableCase) layers(base *big.Rat) [][]int {
	largest := new(big.Rat)
	for x := range c.weight {
		for r := range c.weight[x] {
			if p := c.prob(x, r); p.Cmp(largest) > 0 {
				largest = p
			}
		}
	}
	out := make([][]int, len(c.weight))
	for x := range out {
		out[x] = make([]int, len(c.weight[x]))
		for r := range out[x] {
			if c.weight[x][r] == 0 {
				out[x][r] = -1
				continue
			}
			// The layer is the largest i with p/M ≤ e^{−iε}.
			p := new(big.Rat).Quo(c.prob(x, r), largest)
			for p.Mul(p, base).Cmp(big.NewRat(1, 1)) <= 0 {
				out[x][r]++
			}
		}
	}
	return out
}

// ceil is ⌈d̄⌉.
func (c tableCase) ceil(x, y int) int { return (c.distance[x][y] + 1) / 2 }

func (c tableCase) String() string {
	var rows []string
	for x := range c.weight {
		var p []string
		for r := range c.weight[x] {
			p = append(p, c.prob(x, r).RatString())
		}
		rows = append(rows, "("+strings.Join(p, ", ")+")")
	}
	return strings.Join(rows, ", ")
}

func (c tableCase) describe(extra ...Field) *Witness {
	var d []string
	for x := range c.distance {
		for y := range x {
			d = append(d, fmt.Sprintf("d(%d,%d)=%g", y, x, float64(c.distance[x][y])/2))
		}
	}
	base, _ := c.base()
	w := &Witness{Fields: append([]Field{
		{"distances", strings.Join(d, " ")}, {"laws", c.String()}, {"e^eps", base.RatString()},
	}, extra...)}
	w.Script = fmt.Sprintf("print(%q)", strings.Join(d, " ")+"; p = "+c.String()+"; e^eps = "+base.RatString())
	return w
}

// metrics are the dataset spaces of the tiny instances, distances in halves.
var metrics = [][][]int{
	{{0, 2}, {2, 0}},
	{{0, 1}, {1, 0}},
	{{0, 4}, {4, 0}}, // two datasets that are no neighbors
	{{0, 2, 4}, {2, 0, 2}, {4, 2, 0}},
	{{0, 2, 2}, {2, 0, 2}, {2, 2, 0}},
	{{0, 2, 3}, {2, 0, 2}, {3, 2, 0}},
	{{0, 4, 4}, {4, 0, 4}, {4, 4, 0}},
	{{0, 4, 6}, {4, 0, 6}, {6, 6, 0}},
	{{0, 2, 4, 6}, {2, 0, 2, 4}, {4, 2, 0, 2}, {6, 4, 2, 0}},
	{{0, 2, 4, 2}, {2, 0, 2, 4}, {4, 2, 0, 2}, {2, 4, 2, 0}},
}

// chained reports whether every pair at distance in (k, k+1] has an x' with
// d̄(x, x') ≤ 1 and d̄(x', y) ≤ k: what Theorem 2 (3), (4) need of the metric.
func chained(d [][]int) bool {
	for x := range d {
		for y := range d {
			if d[x][y] <= 2 {
				continue
			}
			k := 2 * ((d[x][y]+1)/2 - 1)
			found := false
			for z := range d {
				found = found || z != x && d[x][z] <= 2 && d[z][y] <= k
			}
			if !found {
				return false
			}
		}
	}
	return true
}

// tables quantifies over mechanisms on tiny universes; part says whether the
// statement holds at one.
func tables(onlyChained bool, part func(c tableCase, base *big.Rat, layer [][]int) bool) statement[tableCase] {
	allowed := metrics
	if onlyChained {
		allowed = nil
		for _, d := range metrics {
			if chained(d) {
				allowed = append(allowed, d)
			}
		}
	}
	holds := func(c tableCase) (bool, error) {
		base, ok := c.base()
		return !ok || part(c, base, c.layers(base)), nil
	}
	return statement[tableCase]{
		family: "two datasets, two values, weights 0…5",
		each: func(yield func(tableCase) bool) {
			for _, d := range allowed {
				if len(d) > 2 {
					continue
				}
				for w := range 6 * 6 * 6 * 6 {
					weight := [][]int64{{int64(w % 6), int64(w / 6 % 6)}, {int64(w / 36 % 6), int64(w / 216)}}
					if weight[0][0]+weight[0][1] == 0 || weight[1][0]+weight[1][1] == 0 {
						continue
					}
					if !yield(tableCase{d, weight, []int{0, 1}}) {
						return
					}
				}
			}
		},
		draw: func(rng *rand.Rand) tableCase {
			d := allowed[rng.IntN(len(allowed))]
			c := tableCase{distance: d, weight: make([][]int64, len(d)), value: make([]int, len(d))}
			size := 2 + rng.IntN(4)
			scale := []int64{3, 10, 100}[rng.IntN(3)]
			for x := range d {
				c.value[x] = rng.IntN(size)
				c.weight[x] = make([]int64, size)
				for r := range size {
					c.weight[x][r] = 1 + rng.Int64N(scale)
				}
			}
			return c
		},
		holds: holds,
		simpler: func(c tableCase) iter.Seq[tableCase] {
			return func(yield func(tableCase) bool) {
				for x := range c.weight {
					for r := range c.weight[x] {
						for _, w := range []int64{1, c.weight[x][r] / 2, c.weight[x][r] - 1} {
							if w < 0 || w >= c.weight[x][r] {
								continue
							}
							d := c
							d.weight = make([][]int64, len(c.weight))
							for y := range d.weight {
								d.weight[y] = append([]int64(nil), c.weight[y]...)
							}
							d.weight[x][r] = w
							sum := int64(0)
							for _, v := range d.weight[x] {
								sum += v
							}
							if sum > 0 && !yield(d) {
								return
							}
						}
					}
				}
			}
		},
		witness: func(c tableCase) *Witness {
			base, _ := c.base()
			return c.describe(Field{"layers", fmt.Sprint(c.layers(base))})
		},
	}
}

// discreteClaims holds Theorems 1 and 2: what discretization keeps.
func discreteClaims() []Claim {
	neighborLayers := tables(false, layersWithinOne)
	return []Claim{{
		ID: "analytic.theorem1", Paper: analyticPaper, Place: "Theorem 1",
		Statement:  "the discretization q of an ε-DP mechanism p is 2ε-DP, and e^{−ε} E_q ≤ E_p ≤ e^ε E_q for the expected distortion of every dataset",
		Hypotheses: "D and R discrete; layers by Definition 13 with one M for all datasets",
		Recorded:   evidence.Confirmed,
		check:      tables(false, discretizationBounds).check,
	}, {
		ID: "analytic.theorem2.layers", Paper: analyticPaper, Place: "Theorem 2 (1), (2)",
		Statement:  "layers of one value at two neighbors differ by at most 1, so R_i^x contains every R_{i−1}^{x'} of a neighbor x' that is not in A_{i−1}^x",
		Hypotheses: "p is ε-DP; layers by Definition 13",
		Recorded:   evidence.Confirmed,
		check:      neighborLayers.check,
	}, {
		ID: "analytic.theorem2.distance", Paper: analyticPaper, Place: "Theorem 2 (3), (4), Theorem 3 (34), Corollary 1 (2)",
		Statement:  "A_i^x contains R_0^y for every y with d̄(x, y) ≤ i",
		Hypotheses: "p is ε-DP; layers by Definition 13; any metric d̄",
		Corrected:  "the same where every pair at distance ≤ k+1 has an x' with d̄(x, x') ≤ 1 and d̄(x', y) ≤ k",
		Recorded:   evidence.Refuted,
		check:      withCorrection(tables(false, initialWithinDistance).check, tables(true, initialWithinDistance).check),
	}}
}

// discretizationBounds is Theorem 1 at one mechanism.
func discretizationBounds(c tableCase, base *big.Rat, layer [][]int) bool {
	n := len(c.weight)
	q := make([][]*big.Rat, n)
	for x := range q {
		q[x] = make([]*big.Rat, len(c.weight[x]))
		alpha := new(big.Rat)
		for r, l := range layer[x] {
			q[x][r] = new(big.Rat)
			if l >= 0 {
				q[x][r] = power(base, -l)
			}
			alpha.Add(alpha, q[x][r])
		}
		for r := range q[x] {
			q[x][r].Quo(q[x][r], alpha)
		}
	}
	square := new(big.Rat).Mul(base, base)
	for x := range n {
		eq, ep := new(big.Rat), new(big.Rat)
		for r := range q[x] {
			d := big.NewRat(int64(max(r-c.value[x], c.value[x]-r)), 1)
			eq.Add(eq, new(big.Rat).Mul(d, q[x][r]))
			ep.Add(ep, new(big.Rat).Mul(d, c.prob(x, r)))
			for y := range n {
				if c.neighbors(x, y) && q[x][r].Cmp(new(big.Rat).Mul(square, q[y][r])) > 0 {
					return false
				}
			}
		}
		if ep.Cmp(new(big.Rat).Mul(base, eq)) > 0 || eq.Cmp(new(big.Rat).Mul(base, ep)) > 0 {
			return false
		}
	}
	return true
}

// power returns qᵏ for any whole k.
func power(q *big.Rat, k int) *big.Rat {
	if k < 0 {
		return power(new(big.Rat).Inv(q), -k)
	}
	out := big.NewRat(1, 1)
	for range k {
		out.Mul(out, q)
	}
	return out
}

// layersWithinOne is Theorem 2 (1), (2) at one mechanism.
func layersWithinOne(c tableCase, _ *big.Rat, layer [][]int) bool {
	for x := range layer {
		for y := range layer {
			if !c.neighbors(x, y) {
				continue
			}
			for r, l := range layer[y] {
				if l < 0 {
					continue
				}
				if m := layer[x][r]; m < l-1 || m > l+1 { // also where r is in no layer of x
					return false
				}
			}
		}
	}
	return true
}

// initialWithinDistance is Theorem 2 (3) at one mechanism.
func initialWithinDistance(c tableCase, _ *big.Rat, layer [][]int) bool {
	for x := range layer {
		for y := range layer {
			for r, l := range layer[y] {
				if l == 0 && (layer[x][r] < 0 || layer[x][r] > c.ceil(x, y)) {
					return false
				}
			}
		}
	}
	return true
}
