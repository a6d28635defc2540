package analytic

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

// triangleCounts returns the query of Figure 1, the number of triangles in the unlabeled graphs with the given number
// of nodes.
func triangleCounts(ctx context.Context, nodes int) *query.Query {
	g := check.Must(query.NewGraphs(ctx, nodes))
	return check.Must(g.Count("triangle"))
}

// figure1Nodes is the number of nodes in Figure 1.
const figure1Nodes = 7

// contender builds a mechanism for the comparison at decay ε.
type contender func(ctx context.Context, q *query.Query, eps evidence.Epsilon) mechanism.Mechanism

func purestContender(ctx context.Context, q *query.Query, eps evidence.Epsilon) mechanism.Mechanism {
	return check.Must(layers.NewPurest(ctx, q, eps))
}

// ladderContender returns Ladder at 2ε, as in the paper.
func ladderContender(ctx context.Context, q *query.Query, eps evidence.Epsilon) mechanism.Mechanism {
	return check.Must(mechanism.NewLadder(ctx, q, eps.Times(2)))
}

// neighborhoodContender returns a contender that builds the δ-neighborhood mechanism with δ = 1 on the given datasets
// and δ = 0 elsewhere.
func neighborhoodContender(datasets []int) contender {
	return func(ctx context.Context, q *query.Query, eps evidence.Epsilon) mechanism.Mechanism {
		radii := make([]float64, q.Size())
		for _, x := range datasets {
			radii[x] = 1
		}
		return check.Must(layers.NewDeltaNeighborhood(ctx, q, eps, radii))
	}
}

// ratioError bounds the relative error of a ratio of two distortions on 𝒢_7. A distortion is a sum of at most 28
// positive terms. Each is an exponential whose exponent is at most 210 in size and accurate to 8 ulps. The error is at
// most 2·(28 + 8·210) ulps or 8e-13, rounded up generously.
const ratioError = 1e-9

// shareBelow encloses the fraction of the given datasets at which the ratio P_a/P_b is below 1. A ratio within
// ratioError of 1 counts only in the upper end.
func shareBelow(ratios []float64, datasets []int) evidence.Certified {
	least, most := 0, 0
	for _, x := range datasets {
		if ratios[x] < 1-ratioError {
			least++
		}
		if ratios[x] < 1+ratioError {
			most++
		}
	}
	n := float64(len(datasets))
	return evidence.Certified{Lo: float64(least) / n, Hi: float64(most) / n, Provenance: evidence.From("Figure 1").By("ratios within 1e-9 of 1 count either way")}
}

// widened encloses a ratio of two distortions, given its float64 value.
func widened(ratio float64) evidence.Certified {
	return evidence.Certified{Lo: ratio * (1 - ratioError), Hi: ratio * (1 + ratioError), Provenance: evidence.From("Figure 1").By("float64, widened")}
}

// mostGraphs states what Figure 1 shows: P_a/P_b is below 1 on more than half of the graphs.
func mostGraphs(ctx context.Context, q *query.Query, a, b contender) check.Statement[float64] {
	return check.Statement[float64]{
		Family: "ε = 0.5, 0.6, …, 5 on all of 𝒢_7",
		Each: check.Grid(func(c *float64) []check.Axis {
			var tenths int
			return []check.Axis{
				check.Span(&tenths, 5, 50),
				check.Let(func() { *c = float64(tenths) / 10 }),
			}
		}),
		Holds: func(e float64) bool {
			return shareBelow(contest(ctx, q, e, a, b).Ratios, check.Counting(q.Size())).Lo > 0.5
		},
	}
}

func contest(ctx context.Context, q *query.Query, e float64, a, b contender) mechanism.Comparison {
	eps := check.BudgetOf(e)
	return check.Must(mechanism.Compare(ctx, a(ctx, q, eps), b(ctx, q, eps)))
}

// figure1Check checks the upper panel of Figure 1. It adds the numbers that the paper gives for 𝒢_7, and the fractions
// and mean ratios at four ε.
func figure1Check(nodes int, a, b contender) check.Checker {
	return func(ctx context.Context, run check.Run) (check.Outcome, error) {
		q := triangleCounts(ctx, nodes)
		return check.Loose(mostGraphs(ctx, q, a, b).Check, upperPanel(q, a, b))(ctx, run)
	}
}

func upperPanel(q *query.Query, a, b contender) func(ctx context.Context) []check.Item {
	return func(ctx context.Context) (out []check.Item) {
		count := func(label string, n int64) {
			out = append(out, check.Item{Label: label, Number: evidence.Exact{Value: big.NewRat(n, 1), Provenance: evidence.From("counted")}})
		}
		count("|D|", int64(q.Size()))
		count("|R|", int64(len(q.Range())))
		count("diameter", int64(q.Space().Diameter()))
		count("neighboring pairs", q.Space().Pairs())
		for _, e := range []float64{0.5, 1, 2, 3} {
			c := contest(ctx, q, e, a, b)
			out = append(out,
				check.Item{Label: fmt.Sprintf("fraction of graphs with P/P_L < 1 at ε = %g", e), Number: shareBelow(c.Ratios, check.Counting(q.Size()))},
				check.Item{Label: fmt.Sprintf("mean P/P_L at ε = %g", e), Number: widened(c.Mean)})
		}
		return out
	}
}

// lowerPanel computes the lower panel of Figure 1 for three orders of the graphs. Its verdict is undecided, because the
// paper does not say which graphs are the graphs 1 … 100.
func lowerPanel(ctx context.Context, _ check.Run) (check.Outcome, error) {
	return lowerPanelOf(ctx, triangleCounts(ctx, figure1Nodes), 100)
}

// lowerPanelOf computes the lower panel for the given number of first graphs in each order.
func lowerPanelOf(ctx context.Context, q *query.Query, first int) (check.Outcome, error) {
	sparse := check.Counting(q.Size()) // ordered by number of edges
	dense := slices.Clone(sparse)
	slices.Reverse(dense)
	triangles := slices.Clone(sparse)
	slices.SortStableFunc(triangles, func(x, y int) int { return q.ValueIndex(x) - q.ValueIndex(y) })
	out := check.Outcome{Verdict: evidence.Undecided, Remark: "ambiguous"}
	for _, order := range []struct {
		name   string
		graphs []int
	}{{"sparsest", sparse[:first]}, {"densest", dense[:first]}, {"fewest triangles", triangles[:first]}} {
		for _, e := range []float64{0.5, 1, 2, 3, 4} {
			c := contest(ctx, q, e, ladderContender, neighborhoodContender(order.graphs))
			out.Instances++
			out.Evidence = append(out.Evidence, check.Item{
				Label: fmt.Sprintf("fraction with P > P_L at ε = %g, δ = 1 on the %d %s", e, first, order.name), Number: shareBelow(c.Ratios, order.graphs)})
		}
	}
	out.Scope = fmt.Sprintf("%d instances", out.Instances)
	return out, nil
}

// ladderCase is an integer query on a tiny universe, and root = e^{ε/2}.
type ladderCase struct {
	sensitivityCase
	root int64
}

// ladderPrivacy states that Ladder with outputs in the query's range is ε-DP: its smallest ε is at most ε. given
// returns the ε with which Ladder is run, in the paper ε itself.
func ladderPrivacy(ctx context.Context, given func(eps evidence.Epsilon) evidence.Epsilon) check.Statement[ladderCase] {
	smallest := func(c ladderCase) evidence.Number {
		space := check.Must(query.NewMatrixSpace(c.matrix()))
		values := lists.Of(len(c.f), func(x int) float64 { return float64(c.f[x]) })
		q := check.Must(query.NewNumeric("f", space, values, nil))
		eps := check.Must(evidence.LogEpsilon("eps", big.NewRat(c.root*c.root, 1)))
		m := check.Must(mechanism.NewLadder(ctx, q, given(eps)))
		return check.Must(mechanism.Privacy(m).Epsilon(ctx, evidence.Delta{}))
	}
	return check.Statement[ladderCase]{
		Family: "values 0…3 on ten metrics of two to four datasets, ε = ln 4",
		Each:   check.Map(sensitivityCases(), func(c sensitivityCase) ladderCase { return ladderCase{c, 2} }),
		Draw:   func(rng *rand.Rand) ladderCase { return ladderCase{drawSensitivity(rng), 2 + rng.Int64N(4)} },
		Holds: func(c ladderCase) bool {
			loss, ok := smallest(c).(evidence.ExactLog)
			return ok && loss.Argument.Cmp(big.NewRat(c.root*c.root, 1)) <= 0
		},
	}
}

// asGiven returns ε itself.
func asGiven(eps evidence.Epsilon) evidence.Epsilon { return eps }

// ladderCheck checks the privacy of Ladder. It adds the smallest ε of both mechanisms of Figure 1 on 𝒢_7.
func ladderCheck(ctx context.Context, run check.Run) (check.Outcome, error) {
	return check.Loose(ladderPrivacy(ctx, asGiven).Check, losses(figure1Nodes))(ctx, run)
}

func losses(nodes int) func(ctx context.Context) []check.Item {
	return func(ctx context.Context) (out []check.Item) {
		q := triangleCounts(ctx, nodes)
		for _, e := range []float64{1, 2, 3} {
			for _, c := range []struct {
				name  string
				build contender
			}{{"purest", purestContender}, {"Ladder", ladderContender}} {
				m := c.build(ctx, q, check.BudgetOf(e))
				loss := check.Must(mechanism.Privacy(m).Epsilon(ctx, evidence.Delta{}))
				out = append(out, check.Item{Label: fmt.Sprintf("smallest epsilon on 𝒢_%d of %s, claimed %g", nodes, c.name, 2*e), Number: loss})
			}
		}
		return out
	}
}

// figure1Checks returns the checks of Figure 1 and of Ladder, the mechanism with which the figure compares.
func figure1Checks() check.Checks {
	return check.Checks{
		"analytic.figure1":              figure1Check(figure1Nodes, purestContender, ladderContender),
		"analytic.figure1.neighborhood": lowerPanel,
		"analytic.ladder":               ladderCheck,
	}
}
