package mvg

import (
	"fmt"
	"math"
	"math/rand/v2"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
)

// queryCase is a query of two independent records, each 1 with probability percent/100 and otherwise 0. It holds the
// values at (0, 0), (0, 1), (1, 0), (1, 1), and the ratio of the query's variance to the noise's.
type queryCase struct {
	percent int64
	table   [4]int64
	ratio   int64
}

// weights returns the probabilities of the four data sets, in the order of table.
func (c queryCase) weights() []float64 {
	p := float64(c.percent) / 100
	q := 1 - p
	return []float64{q * q, q * p, p * q, p * p}
}

// information returns the mutual information of the query and its release. The noise has 1/ratio of the query's
// variance.
func (c queryCase) information() float64 {
	mean, square := 0.0, 0.0
	values := make([]float64, len(c.table))
	for i, w := range c.weights() {
		values[i] = float64(c.table[i])
		mean += w * values[i]
		square += w * values[i] * values[i]
	}
	return information(values, c.weights(), (square-mean*mean)/float64(c.ratio))
}

// additiveAngles is the number of angles t in the grid of mostAdditive.
const additiveAngles = 96

// mostAdditive returns a function that bounds the information of every query g_1(x_1) + g_2(x_2) of variance at most 1.
// Such a query is given by an angle t. The bound is the maximum over a grid of t from π/4 to 3π/4, plus half a step
// times slope. Results are cached.
func mostAdditive() func(queryCase) float64 {
	known := make(map[[2]int64]float64)
	return func(c queryCase) float64 {
		key := [2]int64{c.percent, c.ratio}
		if _, ok := known[key]; !ok {
			p := float64(c.percent) / 100
			sd, most := math.Sqrt(p*(1-p)), 0.0
			for i := range additiveAngles {
				t := math.Pi / 4 * (1 + (2*float64(i)+1)/additiveAngles)
				x, y := math.Cos(t)/sd, math.Sin(t)/sd
				most = math.Max(most, information([]float64{0, y, x, x + y}, c.weights(), 1/float64(c.ratio)))
			}
			known[key] = most + c.slope()*math.Pi/(4*additiveAngles)
		}
		return known[key]
	}
}

// slope returns r/√(1 + r) for the variance ratio r. It bounds |dI/dt|, where I is the information and t the angle in
// mostAdditive.
func (c queryCase) slope() float64 { return float64(c.ratio) / math.Sqrt(1+float64(c.ratio)) }

// gaussianCapacity returns ½ ln(1 + ratio), an upper bound on the information of every query.
func gaussianCapacity(c queryCase) float64 { return math.Log1p(float64(c.ratio)) / 2 }

// decomposable states that the information of a query exceeds the bound by no more than the errors of the two numbers.
func decomposable(bound func(queryCase) float64) check.Statement[queryCase] {
	return check.Statement[queryCase]{
		Family: "p = .5, .4, …, .1, values 0…3 each once, variance ratios 1, 4, 10, 16",
		Each: check.Grid(func(c *queryCase) []check.Axis {
			var d []int
			return []check.Axis{
				check.Over(&c.percent, 50, 30, 20, 40, 10),
				check.Over(&c.ratio, 10, 4, 16, 1),
				check.From(&d, check.Words(4, 4)),
				check.Where(func() bool { return 1<<d[0]|1<<d[1]|1<<d[2]|1<<d[3] == 15 }),
				check.Let(func() { c.table = [4]int64{int64(d[0]), int64(d[1]), int64(d[2]), int64(d[3])} }),
			}
		}),
		Draw: func(rng *rand.Rand) queryCase {
			c := queryCase{percent: 5 * (1 + rng.Int64N(10)), ratio: 1 + rng.Int64N(30)}
			for i := range c.table {
				c.table[i] = rng.Int64N(9)
			}
			c.table[3] = 9
			return c
		},
		Holds: func(c queryCase) bool { return c.information() <= bound(c)+2*informationError },
		Measure: func(c queryCase) []check.Item {
			most := mostAdditive()(c)
			return []check.Item{
				{Label: "most information of a query Σ g_i(x_i), nats", Number: evidence.Certified{
					Lo: most - c.slope()*math.Pi/(4*additiveAngles) - informationError, Hi: most + informationError,
					Provenance: evidence.From("Theorem 8").By(fmt.Sprintf("%d angles, and the slope between", additiveAngles))}},
				numberWithin("information of the other query, nats", c.information(), informationError, trapezoid, "Theorem 8"),
				numberWithin("½ ln(1 + variance/noise)", gaussianCapacity(c), 1e-15*(1+gaussianCapacity(c)), "float64", "Theorem 8"),
			}
		},
		Witness: func(c queryCase) *check.Witness {
			return &check.Witness{
				Fields:       check.Named("records", fmt.Sprintf("two, 1 with probability %d/100 and else 0", c.percent), "values of the other query at (0, 0), (0, 1), (1, 0), (1, 1)", check.List(c.table[:]), "variance over the noise's", c.ratio),
				Approximates: integral,
				Script: informationScript + check.Script(check.Vars{"percent": c.percent, "ratio": c.ratio, "table": c.table[:], "angles": additiveAngles},
					"p, r, f, n = {percent} / 100, {ratio}, {table}, {angles}; ws = [(1 - p) * (1 - p), (1 - p) * p, p * (1 - p), p * p]",
					"m = sum([w * v for w, v in zip(ws, f)]); s = sum([w * (v - m) * (v - m) for w, v in zip(ws, f)])",
					"ts = [math.pi / 4 * (1 + (2 * i + 1) / n) for i in range(n)]; d = math.sqrt(p * (1 - p))",
					"a = max([info([0, math.sin(t) / d, math.cos(t) / d, (math.sin(t) + math.cos(t)) / d], 1 / r, ws) for t in ts]) + r / math.sqrt(1 + r) * math.pi / (4 * n)",
					"b = info(f, s / r, ws); print(a, b, a >= b)"),
			}
		},
	}
}
