package analytic

// The number of instances of each family, for the test of the ledger outside the package.

import "dpworkbench/claims/check"

// The number of metrics on two, three and four datasets: all ten, and the chained ones.
const (
	onTwo, onThree, onFour       = 3, 5, 2
	chainedOnTwo, chainedOnThree = 2, 3
)

// onTen adds one count for each metric on two, three and four datasets.
func onTen(two, three, four int) int { return onTwo*two + onThree*three + onFour*four }

// laws counts laws with two values, given the numbers for two and for three datasets. At each of two datasets the
// weights are 0 or one of five, not both 0, and there are two ε. The laws of ratios come in addition.
func laws(two, three int) int { return two*35*35*2 + ratios(two, three) }

// ratios counts laws with two values whose ratio is one of seven at each dataset.
func ratios(two, three int) int { return two*7*7 + three*7*7*7 }

// circulants counts connected circulant graphs on two to six datasets, given by the steps that generate all residues.
// Each counts once for every divisor of its size except 1, and twice for the two e^ε.
const circulants = (1*1 + 1*1 + 2*2 + 3*1 + 5*3) * 2

// onConnected adds one count for each connected graph on 2, 3 and 4 nodes up to isomorphism: 1, 2 and 6 graphs.
func onConnected(two, three, four int) int { return two + 2*three + 6*four }

// twoLayers counts layers of value 1: one of 0…deep at each of two datasets, with e^ε 2 or 3.
func twoLayers(deep int) int { return onTwo * (deep + 1) * (deep + 1) * 2 }

// none is the label of a dataset whose value is in no layer.
const none = 5

// spread counts, with weights, the labels 0…4 or none that (33) can give on metrics of three or more datasets: a value
// in layer i ≥ 1 of x is in no R_0^y within i of x.
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

// levelled counts, with weights, the labels 0…most that differ by at most 1 at neighbors, on the chained metrics of
// three or more datasets: the path, the triangle and those between; the path and the cycle on four; the path, cycle
// and star on five.
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

// migrations counts the layers of each dataset into which value 1 can be moved, given its label. One is R_0, if it is
// not there. The other is the layer of value 2, which is 1 or 2, unless value 1 is already there as an initial value,
// and not because of an R_0^y at that distance.
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

// monotonic counts the f with values 0…6 on the ten metrics for which a dataset farther from another has a value
// farther from the other's value.
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

// Sizes counts the families from their descriptions. If a corrected statement needs a chained metric, or basic
// mechanisms must be pure, it also uses the statement.
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
	"two mechanisms on two neighbors, two values, weights 1…3":                                               81 * 82 / 2, // unordered pairs
	tenMoves:                  onTen(3*3*2*2, 3*3*3*3*2, 3*3*3*3*4*2), // R_0^x of three, a dataset and a value
	"analytic.lemma2/1":       onTen(2*2*2*2, 2*2*2*3*2, 2*2*2*2*4*2),
	"analytic.lemma2.proof/1": onTen(2*2*2*2, 2*2*2*3*2, 2*2*2*2*4*2),
	"analytic.lemma2.proof/2": onTen(2*2*2*2, 2*2*2*3*2, 2*2*2*2*4*2),
	"R_0^x of one or two of two values, on ten metrics":                  onTen(3*3, 3*3*3, 3*3*3*3),
	"values 0…3 on ten metrics of two to four datasets":                  onTen(4*4, 4*4*4, 4*4*4*4),
	"values 0…3 on ten metrics of two to four datasets, ε = ln 4":        onTen(4*4, 4*4*4, 4*4*4*4),
	"two to four datasets on ten metrics, values 0…3":                    onTen(4*4, 4*4*4, 4*4*4*4),
	"monotonic f with values 0…6 on ten metrics of two to four datasets": monotonic(),
	"two or three datasets, values 0…2, R_0^x any set of values":         3*2*2 + 6*4*4 + 3*2*2*2 + 18*4*4*4 + 6*8*8*8, // f with one value, with two, and with three
	// Sets of at most two of two or three values: 4 and 7, or 3 and 6 without the empty set.
	"analytic.corollary2/1": onConnected(4*4+7*7, 4*4*4+7*7*7, 4*4*4*4+4*4*4*4),
	"analytic.corollary2/2": onConnected(3*3+6*6, 3*3*3+6*6*6, 3*3*3*3+3*3*3*3),
	"two datasets, value 0 in R_0, value 1 in layer 0…8 of each, e^ε in {2, 3}":                                                                                           twoLayers(8),
	"value 0 in every R_0, value 1 in layer 0…8 of each of two datasets, e^ε in {2, 3}, or in layer 0…4 or none of each of three to five, as (33) may give them, e^ε = 2": twoLayers(8) + spread(append(metrics[:10:10], widerSpaces...), one),
	"value 0 in every R_0, value 1 in layer 0…6 of each of two datasets, e^ε in {2, 3}, or in layer 0…4 or none of each of three to five, as (33) may give them, e^ε = 2": twoLayers(6) + spread(append(metrics[:10:10], widerSpaces...), one),
	"value 0 in every R_0, value 1 in layer 0…6 of each of two datasets, e^ε in {2, 3}, or in layers 0…5 of three to five that differ by at most 1 at neighbors, e^ε = 2": twoLayers(6) + levelled(5, func([][]int, []int) int { return 1 }),
	"three to five datasets, e^ε = 2, every migration of one value in layers 0…3 that differ by at most 1 at neighbors, another in layer 1 or 2 of all":                   levelled(3, migrations),
	// The other value is in layer 1 or 2. The moves go into R_0 of each dataset, and into that layer.
	"three to five datasets, e^ε = 2, the initial values those of (33), every migration of one value, another in layer 1 or 2 of all: in layer 0…4 or none of each dataset, or in layers 0…3 that differ by at most 1 at neighbors": 2*2*spread(metrics, datasets) + levelled(3, migrations),
	"one or two intervals or points with ends 0…5, δ 0…2":                                                          (2*20 + 3*18 + 4*15 + 5*11 + 6*6) * 3, // the e + 1 that end in e ≥ 1, and those that end in e or later
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

// Repeated counts instances that occur more than once. Laws with a most probable value 1 at one dataset and 0 at the
// other occur among the weights and among the ratios: 1, 2 and 8 to 1 on one side, 2 and 8 to 1 on the other. The
// circulant graph on two datasets has the law 1 : 2. For e^{ε/2} = 2, 3 and 5, a third, a quarter and a sixth are
// twelfths.
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
