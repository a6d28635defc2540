package analytic

import (
	"context"
	"fmt"
	"math/big"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/optimize"
	"dpworkbench/query"
	"dpworkbench/smooth"
)

// comparatorCase is a comparison of a sensitivity-based mechanism that claims 2ε with the purest mechanism at decay ε,
// which is 2ε-DP. The query counts the triangles in the graphs 𝒢_n of n nodes.
type comparatorCase struct {
	nodes int
	tenth int // ε in tenths
	noise noiseKind
	on    int // the count is extended from the graphs with at most this degree; 0 for no extension
}

func (c comparatorCase) eps() float64 { return float64(c.tenth) / 10 }

// noiseKind is a noise distribution for smooth sensitivity.
type noiseKind struct {
	law    string // "cauchy" or "student"
	degree int64  // γ of Cauchy-type noise, or d of Student's t
}

func (k noiseKind) noise() smooth.Noise {
	if k.law == "student" {
		return check.Must(smooth.Student(big.NewRat(k.degree, 1)))
	}
	return check.Must(smooth.Cauchy(big.NewRat(k.degree, 1)))
}

var noiseKinds = []noiseKind{{"cauchy", 3}, {"cauchy", 4}, {"student", 3}, {"student", 6}}

// comparators caches the queries and their extensions, which many cases share.
type comparators struct {
	counts   map[int]*query.Query
	extended map[[2]int]*query.Query
}

func newComparators() *comparators {
	return &comparators{counts: make(map[int]*query.Query), extended: make(map[[2]int]*query.Query)}
}

func (k *comparators) count(ctx context.Context, nodes int) *query.Query {
	if k.counts[nodes] == nil {
		k.counts[nodes] = triangleCounts(ctx, nodes)
	}
	return k.counts[nodes]
}

// extension returns the triangle count extended from the graphs with at most the given degree. The extension has the
// smallest Lipschitz constant of the count on those graphs.
func (k *comparators) extension(ctx context.Context, nodes, degree int) *query.Query {
	key := [2]int{nodes, degree}
	if k.extended[key] == nil {
		q := k.count(ctx, nodes)
		on := check.Must(smooth.UpToDegree(q, degree))
		bound, _, _, err := smooth.LipschitzConstant(ctx, q, on)
		k.extended[key] = check.Must(smooth.McShane(ctx, q, check.Must(bound, err).Value, on, smooth.Upper))
	}
	return k.extended[key]
}

// rival builds the sensitivity-based mechanism that claims times·ε-DP. Its outputs are real numbers, not only values of
// the query.
func (k *comparators) rival(ctx context.Context, c comparatorCase, times float64) *smooth.Mechanism {
	q := k.count(ctx, c.nodes)
	eps := check.Must(evidence.NewEpsilon("eps", times*c.eps()))
	if c.on > 0 {
		return check.Must(smooth.NewGlobal(k.extension(ctx, c.nodes, c.on), eps, q))
	}
	by := check.Must(smooth.Calibrate(c.noise.noise(), eps, evidence.Delta{}, nil))
	return check.Must(smooth.New(ctx, q, by))
}

func (k *comparators) purest(ctx context.Context, c comparatorCase) *layers.Mechanism {
	q := k.count(ctx, c.nodes)
	eps := check.Must(evidence.NewEpsilon("eps", c.eps()))
	return check.Must(layers.NewPurest(ctx, q, eps))
}

// means returns expected errors under the uniform prior: own is that of the purest mechanism at ε, and rival
// that of the sensitivity-based mechanism, which claims times·ε-DP.
func (k *comparators) means(ctx context.Context, c comparatorCase, times float64) (own, rival evidence.Number) {
	own = check.Must(mechanism.ExpectedDistortion(ctx, k.purest(ctx, c), nil))
	return own, check.Must(k.rival(ctx, c, times).ExpectedDistortion(ctx, nil))
}

// smoothWorse states Section 5.3 on smooth sensitivity: on every graph, the purest mechanism at ε has a
// smaller expected error than the mechanism with smooth sensitivity, which claims times·ε-DP. The query is
// that of the paper's experiment.
func smoothWorse(ctx context.Context, times float64) check.Statement[comparatorCase] {
	known := newComparators()
	return check.Statement[comparatorCase]{
		Family: "triangles of 𝒢_4, 𝒢_5 and 𝒢_6, ε = 0.5, 1 and 2, Cauchy-type noise of γ = 3, 4 and Student's t of d = 3, 6",
		Each: check.Grid(func(c *comparatorCase) []check.Axis {
			return []check.Axis{
				check.Over(&c.nodes, 4, 5, 6),
				check.Over(&c.tenth, 5, 10, 20),
				check.Over(&c.noise, noiseKinds...),
			}
		}),
		Holds: func(c comparatorCase) bool {
			near := check.Must(mechanism.Distortions(ctx, known.purest(ctx, c)))
			return everyLess(near, check.Must(known.rival(ctx, c, times).Distortions(ctx)))
		},
	}
}

// everyLess reports whether, at every dataset, the distortion in near is smaller than that in far by more
// than the relative error of both.
func everyLess(near, far []float64) bool {
	for x := range near {
		if !(near[x] < far[x]*(1-ratioError)) {
			return false
		}
	}
	return true
}

// extensionWorse states Section 5.3 on Lipschitz extensions, for the error averaged over the graphs: the
// purest mechanism at ε has a smaller expected error than Laplace noise on the extension, which claims
// times·ε-DP.
func extensionWorse(ctx context.Context, times float64, tenths ...int) check.Statement[comparatorCase] {
	known := newComparators()
	return check.Statement[comparatorCase]{
		Family: fmt.Sprintf("triangles of 𝒢_4, 𝒢_5 and 𝒢_6, extended from the graphs of degree at most 2, 3 and 4, ε = %s", check.List(tenthsOf(tenths))),
		Each: check.Grid(func(c *comparatorCase) []check.Axis {
			return []check.Axis{
				check.Over(&c.nodes, 4, 5, 6),
				check.Over(&c.tenth, tenths...),
				check.Over(&c.on, 2, 3, 4),
			}
		}),
		Applies: func(c comparatorCase) bool { return c.on < c.nodes },
		Holds:   func(c comparatorCase) bool { return below(known.means(ctx, c, times)) },
		Witness: func(c comparatorCase) *check.Witness {
			return check.NewWitness(check.Named("nodes", c.nodes, "eps", c.eps(), "extended from degree at most", c.on),
				check.Vars{"nodes": c.nodes, "eps": c.eps(), "on": c.on},
				`q = graphs({nodes}).count("triangle"); a = purest(q, {eps}).expected_distortion(); b = laplace(lipschitz_extension(q, on={on}), 2 * {eps}, line=True).expected_distortion()`,
				"print(a, b, a < b)")
		},
		Measure: func(c comparatorCase) []check.Item {
			own, rival := known.means(ctx, c, times)
			return []check.Item{{Label: "mean error of the purest mechanism", Number: own}, {Label: "of Laplace noise on the extension", Number: rival}}
		},
	}
}

func tenthsOf(tenths []int) []float64 {
	return lists.Of(len(tenths), func(i int) float64 { return float64(tenths[i]) / 10 })
}

// overPurest reports the mean errors of sensitivity-based mechanisms divided by the purest mechanism's mean error.
func overPurest(cases ...comparatorCase) func(ctx context.Context) []check.Item {
	return func(ctx context.Context) (out []check.Item) {
		known := newComparators()
		for _, c := range cases {
			own, rival := known.means(ctx, c, 2)
			what := fmt.Sprintf("smooth sensitivity with %s %d", c.noise.law, c.noise.degree)
			if c.on > 0 {
				what = fmt.Sprintf("the extension from degree at most %d", c.on)
			}
			out = append(out, quotient(fmt.Sprintf("mean error of %s over the purest mechanism's on 𝒢_%d at ε = %g", what, c.nodes, c.eps()), rival, own))
		}
		return out
	}
}

// overOptimum reports the mean errors of the purest mechanism and of smooth sensitivity, divided by the smallest mean
// error of any 2ε-DP mechanism.
func overOptimum(c comparatorCase) func(ctx context.Context) []check.Item {
	return func(ctx context.Context) []check.Item {
		known := newComparators()
		own, rival := known.means(ctx, c, 2)
		m := known.purest(ctx, c)
		best := check.Must(optimize.NewOptimal(ctx, m.Query(), m.Decay().Times(2), optimize.Options{Objective: optimize.Mean}))
		over := fmt.Sprintf("over the optimum's at 2ε, 𝒢_%d, ε = %g", c.nodes, c.eps())
		return []check.Item{
			quotient("mean error of the purest mechanism "+over, own, best.Optimum()),
			quotient(fmt.Sprintf("mean error of smooth sensitivity with %s %d ", c.noise.law, c.noise.degree)+over, rival, best.Optimum()),
		}
	}
}

func quotient(label string, a, b evidence.Number) check.Item {
	return check.Item{Label: label, Number: evidence.Enclosed(evidence.Enclosure(a).Quo(evidence.Enclosure(b)), "quotient of two enclosures", "Section 5.3")}
}

// comparatorChecks returns the checks of the statements of Section 5.3 about mechanisms whose noise is scaled by a
// sensitivity.
func comparatorChecks() check.Checks {
	ctx := context.Background()
	return check.Checks{
		"analytic.sensitivity.smooth": check.Loose(check.Loose(smoothWorse(ctx, 2).Check, overOptimum(comparatorCase{nodes: 5, tenth: 10, noise: noiseKind{"student", 3}})), overPurest(
			comparatorCase{nodes: 6, tenth: 10, noise: noiseKind{"cauchy", 4}}, comparatorCase{nodes: 6, tenth: 10, noise: noiseKind{"student", 3}},
			comparatorCase{nodes: 7, tenth: 10, noise: noiseKind{"cauchy", 4}}, comparatorCase{nodes: 7, tenth: 10, noise: noiseKind{"student", 3}},
		)),
		"analytic.sensitivity.extension": check.WithCorrection(
			check.Loose(check.Surveyed(extensionWorse(ctx, 2, 5, 10, 20)), overPurest(
				comparatorCase{nodes: 6, tenth: 5, on: 2}, comparatorCase{nodes: 6, tenth: 10, on: 2}, comparatorCase{nodes: 6, tenth: 20, on: 4},
				comparatorCase{nodes: 7, tenth: 10, on: 2}, comparatorCase{nodes: 7, tenth: 10, on: 3},
			)),
			extensionWorse(ctx, 2, 20, 30, 40).Check),
	}
}
