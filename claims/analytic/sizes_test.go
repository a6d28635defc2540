package analytic

// This file counts the instances of each family independently of its enumeration, for the test of the ledger, which is
// outside the package.

import "dpworkbench/claims/check"

// The number of metrics on two, three and four datasets, and the number of chained metrics on two and three.
const (
	onTwo, onThree, onFour       = 3, 5, 2
	chainedOnTwo, chainedOnThree = 2, 3
)

// onTen returns the number of instances on the ten metrics, given the number on one metric of two, three and four
// datasets.
func onTen(two, three, four int) int { return onTwo*two + onThree*three + onFour*four }

// laws counts the instances of the family allTables, given the numbers of metrics on two and on three datasets. At each
// of two datasets, two values have one of six weights each, not both 0, which gives 35 laws. There are two ε. The laws
// of ratios are counted in addition.
func laws(two, three int) int { return two*35*35*2 + ratios(two, three) }

// ratios counts laws on two values in one of seven ratios at each dataset, given the numbers of metrics on two and on
// three datasets.
func ratios(two, three int) int { return two*7*7 + three*7*7*7 }

// circulants is the number of laws on circulant graphs: for each n from 2 to 6, the number of sets of steps whose graph
// on n datasets is connected, times the number of divisors of n except 1, times two for the two e^ε.
const circulants = (1*1 + 1*1 + 2*2 + 3*1 + 5*3) * 2

// onConnected returns the number of instances on the connected graphs on 2, 3 and 4 nodes up to isomorphism, given the
// number on one graph of each size. There are 1, 2 and 6 such graphs.
func onConnected(two, three, four int) int { return two + 2*three + 6*four }

// twoLayers counts initial values on two datasets: value 1 is in one of the layers 0…deep of each dataset, and e^ε is 2
// or 3.
func twoLayers(deep int) int { return onTwo * (deep + 1) * (deep + 1) * 2 }

// none is the label of a dataset whose value is in no layer.
const none = 5

// spread adds up the weights of all assignments of a layer 0…4 or none to each dataset that (33) can give, on metrics
// of three or more datasets: a value in layer i ≥ 1 of x is in no R_0^y with d̄(x, y) ≤ i.
func spread(metrics [][][]int, weight func(datasets int) int) (n int) {
	for _, d := range metrics {
		if len(d) < 3 {
			continue
		}
	words:
		for at := range check.Words(none+1, len(d)) {
			for x, i := range at {
				for y, j := range at {
					if i > 0 && i < none && j == 0 && 2*i >= d[x][y] {
						continue words
					}
				}
			}
			n += weight(len(d))
		}
	}
	return n
}

// levelled adds up the weights of all assignments of layers 0…most that differ by at most 1 between neighbors, on the
// chained metrics of three or more datasets. On three datasets these are the path, the triangle and a metric between
// them, on four the path and the cycle, and on five the path, the cycle and the star.
func levelled(most int, weight func(d [][]int, at []int) int) (n int) {
	for _, d := range append([][][]int{metrics[3], metrics[4], metrics[5], metrics[8], metrics[9]}, widerSpaces...) {
	words:
		for at := range check.Words(most+1, len(d)) {
			for x := range at {
				for y := range at {
					if d[x][y] <= 2 && at[x]-at[y] > 1 {
						continue words
					}
				}
			}
			n += weight(d, at)
		}
	}
	return n
}

// migrations counts the migrations of value 1 from layers at[x], once with value 2 in layer 1 of all datasets and once
// with value 2 in layer 2. At each dataset, value 1 can be added to R_0 unless it is there. It can also be added to the
// layer of value 2 unless it is an initial value of that layer. A value that comes from an R_0^y at that distance is no
// initial value.
func migrations(d [][]int, at []int) (n int) {
	for layer := 1; layer <= 2; layer++ {
		for x, i := range at {
			own := true
			for y, j := range at {
				own = own && !(j == 0 && (d[x][y]+1)/2 == i)
			}
			if i > 0 {
				n++
			}
			if i != layer || !own {
				n++
			}
		}
	}
	return n
}

// monotonic counts the strictly monotonic f with values 0…6 on the ten metrics: d̄(x, y) < d̄(x, z) implies |f(x) −
// f(y)| < |f(x) − f(z)|.
func monotonic() (n int) {
	for _, d := range metrics {
	words:
		for f := range check.Words(7, len(d)) {
			for x, near := range d {
				for y := range near {
					for z := range near {
						if apart := check.Abs; near[y] < near[z] && apart(f[x]-f[y]) >= apart(f[x]-f[z]) {
							continue words
						}
					}
				}
			}
			n++
		}
	}
	return n
}

func datasets(n int) int { return n }

func one(int) int { return 1 }

const (
	allTables = "two datasets, two values, weights 0, 1, 2, 3, 5, 8, ε the smallest and that plus ln 2; two or three datasets, two values, p^x(0)/p^x(1) from 1/8 to 8 in powers of 2"
	smallLaws = "two or three datasets, two values, p^x(0)/p^x(1) from 1/8 to 8 in powers of 2; laws ∝ e^{−iε} of purest layers on circulant graphs of at most six datasets, f(x) = x mod 2 … 6, e^ε in {2, 3}"
	tenMoves  = "basic mechanisms with two values on ten metrics, every migration"
)

// Sizes counts the instances of each family from its description. Some statements have fewer instances than the
// description says, because they need chained metrics or purest mechanisms. Their keys are the claim and the number of
// the statement in its check.
var Sizes = map[string]int{
	allTables:                             laws(onTwo, onThree),
	"analytic.theorem2.distance/2":        laws(chainedOnTwo, chainedOnThree),
	"analytic.theorem3/2":                 laws(chainedOnTwo, chainedOnThree),
	"analytic.universe.contains/2":        laws(chainedOnTwo, chainedOnThree),
	smallLaws:                             ratios(onTwo, onThree) + circulants,
	"analytic.corollary1.neighbors/2":     ratios(chainedOnTwo, chainedOnThree) + circulants,
	"analytic.corollary1.distance/2":      ratios(chainedOnTwo, chainedOnThree) + circulants,
	"analytic.corollary1.printed/1":       ratios(chainedOnTwo, chainedOnThree) + circulants,
	"analytic.corollary1.printed/2":       ratios(chainedOnTwo, chainedOnThree) + circulants,
	"analytic.proposition4.discretized/2": ratios(chainedOnTwo, chainedOnThree) + circulants,
	"three datasets, two at a distance of 2 or more; two values, p^x(0)/p^x(1) from 1/8 to 8 in powers of 2": 7 * 7 * 7,
	"two mechanisms on two neighbors, two values, weights 1…3":                                               81 * 82 / 2, // unordered pairs of 81 mechanisms
	tenMoves:                  onTen(3*3*2*2, 3*3*3*3*2, 3*3*3*3*4*2), // three R_0^x at each dataset, then the dataset and the value that migrate
	"analytic.lemma2/1":       onTen(2*2*2*2, 2*2*2*3*2, 2*2*2*2*4*2),
	"analytic.lemma2.proof/1": onTen(2*2*2*2, 2*2*2*3*2, 2*2*2*2*4*2),
	"analytic.lemma2.proof/2": onTen(2*2*2*2, 2*2*2*3*2, 2*2*2*2*4*2),
	"R_0^x of one or two of two values, on ten metrics":                  onTen(3*3, 3*3*3, 3*3*3*3),
	"values 0…3 on ten metrics of two to four datasets":                  onTen(4*4, 4*4*4, 4*4*4*4),
	"values 0…3 on ten metrics of two to four datasets, ε = ln 4":        onTen(4*4, 4*4*4, 4*4*4*4),
	"two to four datasets on ten metrics, values 0…3":                    onTen(4*4, 4*4*4, 4*4*4*4),
	"monotonic f with values 0…6 on ten metrics of two to four datasets": monotonic(),
	"two or three datasets, values 0…2, R_0^x any set of values":         3*2*2 + 6*4*4 + 3*2*2*2 + 18*4*4*4 + 6*8*8*8, // on two datasets and on three: f with one, two and three different values
	// R_0^x has at most two of two values (4 sets) or of three (7). Without the empty set there are 3 and 6. On four
	// datasets it has at most one of three values (4 sets or 3).
	"analytic.corollary2/1": onConnected(4*4+7*7, 4*4*4+7*7*7, 4*4*4*4+4*4*4*4),
	"analytic.corollary2/2": onConnected(3*3+6*6, 3*3*3+6*6*6, 3*3*3*3+3*3*3*3),
	"two datasets, value 0 in R_0, value 1 in layer 0…8 of each, e^ε in {2, 3}":                                                                                           twoLayers(8),
	"value 0 in every R_0, value 1 in layer 0…8 of each of two datasets, e^ε in {2, 3}, or in layer 0…4 or none of each of three to five, as (33) may give them, e^ε = 2": twoLayers(8) + spread(append(metrics[:10:10], widerSpaces...), one),
	"value 0 in every R_0, value 1 in layer 0…6 of each of two datasets, e^ε in {2, 3}, or in layer 0…4 or none of each of three to five, as (33) may give them, e^ε = 2": twoLayers(6) + spread(append(metrics[:10:10], widerSpaces...), one),
	"value 0 in every R_0, value 1 in layer 0…6 of each of two datasets, e^ε in {2, 3}, or in layers 0…5 of three to five that differ by at most 1 at neighbors, e^ε = 2": twoLayers(6) + levelled(5, func([][]int, []int) int { return 1 }),
	"three to five datasets, e^ε = 2, every migration of one value in layers 0…3 that differ by at most 1 at neighbors, another in layer 1 or 2 of all":                   levelled(3, migrations),
	// Factors of 2·2: the other value is in layer 1 or 2, and a migration goes into R_0 or into that layer.
	"three to five datasets, e^ε = 2, the initial values those of (33), every migration of one value, another in layer 1 or 2 of all: in layer 0…4 or none of each dataset, or in layers 0…3 that differ by at most 1 at neighbors": 2*2*spread(metrics, datasets) + levelled(3, migrations),
	"one or two intervals or points with ends 0…5, δ 0…2":                                                          (2*20 + 3*18 + 4*15 + 5*11 + 6*6) * 3, // for e = 1 … 5, the e + 1 intervals that end in e, times those that end in e or later
	"counting on {0, …, n}, n ≤ 6, δ ≤ 3, e^ε in 2…4":                                                              6 * 4 * 3,
	"[0, a] ∪ [b, c] with whole 0 < a < b < c ≤ 8, purest":                                                         8 * 7 * 6 / 6,
	"f(x), f(x'), r in {0, 1, 2}²":                                                                                 9 * 9 * 9,
	"two datasets, three values, scores −2…0, e^{ε/(2Δs)} = 2":                                                     3 * 3 * 3 * 3 * 3 * 3,
	"k ≤ 6, Δf/ε = 1, 1/4, 1/2, …, 4":                                                                              6 * 10,
	"N = α|a − b| + β|a + b| with α in 0…3 and β in 1…3, points of {0, 1, 2}²":                                     4 * 3 * 9 * 9 * 9,
	"f(r) = r, 2r on ℝ, d̄(r, s) = |g(r) − g(s)|/g(u), g(r) = αr + βr³ with α, β in 0…2, u = 1/2 … 2, x = 1/2 … 3": 2 * (9 - 1) * 4 * 6,
	"linear f on 𝔽_2, 𝔽_3 and 𝔽_2², metrics with distances 1 and 2; on 𝔽_5 and 𝔽_7, invariant ones":                2*2 + 3*8 + 4*64 + 5*4 + 7*8,
	"ε = 0.5, 0.6, …, 5 on all of 𝒢_7":                                                                             46,
	"δ = 5, 10, 20, 30, 50 and ε = 3, 4, …, 8":                                                                     5 * 6,
	"V1 … V4, δ = 5, 10, 20, 30, 50 and ε = 1, 2, …, 8":                                                            4 * 5 * 8,
	"α in 0…2, β in 1…2, x < y in -3…3":                                                                            3 * 3 * 2 * 2 * 21,
	"α in 0…2, β in 1…2, x < y in 0…3":                                                                             3 * 3 * 2 * 2 * 6,
	"two to four of the columns (1, 0), (0, 1), (1, 1), (1, −1) and of their doubles":                              (6 + 4 + 1) * 2,
	"F with entries −1…1 and determinant ≠ 0, y in {−3, …, 3}²":                                                    48 * 49, // of 81 matrices 33 are singular
	"e^{ε/2} = 2 … 6, γ = 1/12 … 11/12 and 1/(1 + e^{ε/2})":                                                        5 * (11 + 1),
	"triangles of 𝒢_4, 𝒢_5 and 𝒢_6, ε = 0.5, 1 and 2, Cauchy-type noise of γ = 3, 4 and Student's t of d = 3, 6":   3 * 3 * 4,
	"triangles of 𝒢_4, 𝒢_5 and 𝒢_6, extended from the graphs of degree at most 2, 3 and 4, ε = [0.5, 1, 2]":        3 * 3 * 3,
	"triangles of 𝒢_4, 𝒢_5 and 𝒢_6, extended from the graphs of degree at most 2, 3 and 4, ε = [2, 3, 4]":          3 * 3 * 3,
}

// Repeated counts instances that occur more than once. The families with weights and with ratios share some laws on two
// datasets. In these, value 0 is 2 or 8 times as probable as value 1 at the first dataset, and value 1 is 1, 2 or 8
// times as probable as value 0 at the second. The circulant graph on two datasets has laws in the ratio 1 : 2, which
// are also among the ratios. For e^{ε/2} = 2, 3 and 5, γ = 1/(1 + e^{ε/2}) is a third, a quarter and a sixth, which are
// also multiples of 1/12.
var Repeated = map[string]int{
	"analytic.theorem1/1":                 onTwo * 3 * 2,
	"analytic.theorem2.layers/1":          onTwo * 3 * 2,
	"analytic.theorem2.distance/1":        onTwo * 3 * 2,
	"analytic.theorem2.distance/2":        chainedOnTwo * 3 * 2,
	"analytic.theorem3/1":                 onTwo * 3 * 2,
	"analytic.theorem3/2":                 chainedOnTwo * 3 * 2,
	"analytic.universe.contains/1":        onTwo * 3 * 2,
	"analytic.universe.contains/2":        chainedOnTwo * 3 * 2,
	"analytic.corollary1.layers/1":        1,
	"analytic.corollary1.neighbors/1":     1,
	"analytic.corollary1.neighbors/2":     1,
	"analytic.corollary1.distance/1":      1,
	"analytic.corollary1.distance/2":      1,
	"analytic.corollary1.printed/1":       1,
	"analytic.corollary1.printed/2":       1,
	"analytic.proposition4.discretized/1": 1,
	"analytic.proposition4.discretized/2": 1,
	"analytic.staircase/1":                3,
}
