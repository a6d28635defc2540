package claims

import (
	"context"
	"fmt"
	"math"

	"dpworkbench/evidence"
	"dpworkbench/xor"
)

// xorFigureClaims holds what the paper's tables and figures show, as far as the
// stated mechanism decides it without the data.
func xorFigureClaims() []Claim {
	return []Claim{{
		ID: "xor.table2", Paper: xorPaper, Place: "Table 2",
		Statement:  "the Facebook graph released at ε = 1 has 113,000 edges, at 0.6 148,000, at 0.2 273,000",
		Hypotheses: "Algorithm 3 with N = 4039, s_f = 2, 88,234 edges, some α in [0, 1]",
		Recorded:   evidence.Refuted,
		Remark:     "not reproducible",
		check:      facebookEdges.check,
	}, {
		ID: "xor.figure2", Paper: xorPaper, Place: "Figure 2",
		Statement:  "on Voting the error rate E‖B‖²/‖f(D)‖² is about 0.04 at ε = 0.5",
		Hypotheses: "ε-private noise on 240 × 16 bits; a change of one bit is a change of the data",
		Corrected:  "noise that is ε-private for one bit flips it with probability at least 1/(1 + e^ε), so that the rate is at least that, whatever ‖f(D)‖² ≤ NP is",
		Recorded:   evidence.Refuted,
		Remark:     "not reproducible",
		check:      withCorrection(votingRate(.05).check, votingRate(1).check),
	}, {
		ID: "xor.figure4", Paper: xorPaper, Place: "Figure 4",
		Statement:  "the degree distribution survives for ε > 0.3: the mean degree at least, within a factor of two",
		Hypotheses: "Algorithm 3 on the Facebook graph, s_f = 2, some α in [0, 1]",
		Recorded:   evidence.Refuted,
		Remark:     "not reproducible",
		check:      meanDegree.check,
	}, {
		ID: "xor.figure5", Paper: xorPaper, Place: "Figure 5",
		Statement:  "communities survive for ε ≥ 0.7: an edge of the graph is likelier to be released than another pair",
		Hypotheses: "Algorithm 3 on the Facebook graph, s_f = 2, noise B as printed",
		Recorded:   evidence.Refuted,
		Remark:     "not reproducible",
		check:      edgesStandOut.check,
	}}
}

// votingRate says that the least error rate that noise of Algorithm 1's form has
// on 240 × 16 bits is at most rate (below 1) or at least 1/(1 + e^ε) (rate 1), in
// the better of its two orientations and for data that are all ones.
func votingRate(rate float64) statement[budgetCase] {
	least := func(c budgetCase) (evidence.Certified, error) {
		u := c.budget()
		u.Sensitivity = 1 // the most favourable: one bit at a time
		b, err := xor.Allocate(u)
		if err != nil {
			return evidence.Certified{}, err
		}
		b, err = b.Scale(u.Epsilon / b.Columns().LossAnywhere(1).Hi)
		if err != nil {
			return evidence.Certified{}, err
		}
		return b.ErrorRate(context.Background(), u.N*u.P, true, xor.Options{})
	}
	return statement[budgetCase]{
		family: "ε = .5, α in {1, .75, .5, 0}",
		each: func(yield func(budgetCase) bool) {
			for _, alpha := range []int{10, 7, 5, 0} {
				if !yield(budgetCase{240, 16, 1, 5, alpha}) {
					return
				}
			}
		},
		holds: func(c budgetCase) (bool, error) {
			got, err := least(c)
			if rate < 1 {
				return got.Lo <= rate, err
			}
			return got.Hi*(1+1e-12) >= 1/(1+math.Exp(float64(c.eps)/10)), err
		},
		witness: func(c budgetCase) *Witness {
			got, _ := least(c)
			return &Witness{
				Fields: c.fields(Field{"error rate of the complement at the exact budget, data all ones", fmt.Sprintf("%.4f", got.Float())}, Field{"1/(1 + e^eps)", fmt.Sprintf("%.4f", 1/(1+math.Exp(.5)))}),
				Script: fmt.Sprintf("b = %s; print(b.scaled(%g / b.smallest_epsilon()).error_rate(complement=True))", c.script(), float64(c.eps)/10),
			}
		},
	}
}

// facebookBudgets enumerates budgets in tenths and shares for the Facebook graph.
func facebookBudgets(budgets ...int) func(yield func(networkCase) bool) {
	return func(yield func(networkCase) bool) {
		for _, eps := range budgets {
			for _, alpha := range []int{7, 5, 9, 10, 0} {
				if !yield(networkCase{eps: eps, alpha: alpha}) {
					return
				}
			}
		}
	}
}

// meanDegree compares the expected mean degree with the graph's 43.69.
var meanDegree = statement[networkCase]{
	family: "ε in {1, .7, .4}, α in {.5, .7, .9, 1, 0}",
	each:   facebookBudgets(10, 7, 4),
	holds: func(c networkCase) (bool, error) {
		edges, _, err := c.expected()
		return edges <= 2*88234, err
	},
	witness: func(c networkCase) *Witness {
		edges, rate, _ := c.expected()
		return &Witness{
			Fields: []Field{
				{"eps", fmt.Sprint(float64(c.eps) / 10)}, {"alpha", fmt.Sprint(float64(c.alpha) / 10)}, {"flip rate", fmt.Sprintf("%.4f", rate)},
				{"mean degree", fmt.Sprintf("%.2f", 2*88234.0/4039)}, {"expected mean degree released", fmt.Sprintf("%.1f", 2*edges/4039)},
			},
			Script: fmt.Sprintf("p = xor_allocation(4039, 4039, %g, %g, 2).error_rate().value; print(2*(88234*(1-p)*(1-p) + (4039*4038/2 - 88234)*p*p) / 4039)", float64(c.eps)/10, float64(c.alpha)/10),
		}
	},
}

// edgesStandOut: an edge is released with probability (1 − p)², another pair
// with p², p the flip rate.
var edgesStandOut = statement[networkCase]{
	family: "ε in {1, .9, .7}, α in {.5, .7, .9, 1, 0}",
	each:   facebookBudgets(10, 9, 7),
	holds: func(c networkCase) (bool, error) {
		_, rate, err := c.expected()
		return rate < .5, err
	},
	witness: func(c networkCase) *Witness {
		_, p, _ := c.expected()
		return &Witness{
			Fields: []Field{
				{"eps", fmt.Sprint(float64(c.eps) / 10)}, {"alpha", fmt.Sprint(float64(c.alpha) / 10)}, {"flip rate", fmt.Sprintf("%.4f", p)},
				{"an edge is released with", fmt.Sprintf("%.4f", (1-p)*(1-p))}, {"another pair with", fmt.Sprintf("%.4f", p*p)},
			},
			Script: fmt.Sprintf("p = xor_allocation(4039, 4039, %g, %g, 2).error_rate().value; print((1-p)*(1-p), p*p)", float64(c.eps)/10, float64(c.alpha)/10),
		}
	},
}

// networkCase is a budget in tenths, the published number of edges, and α in tenths.
type networkCase struct{ eps, published, alpha int }

// expected is the mean number of edges that Algorithm 3 releases: two mirrored
// bits lie in different columns, so that they are independent.
func (c networkCase) expected() (edges, rate float64, err error) {
	const nodes, edgesIn = 4039, 88234
	b, err := xor.Allocate(xor.Budget{N: nodes, P: nodes, Epsilon: float64(c.eps) / 10, Alpha: float64(c.alpha) / 10, Sensitivity: 2})
	if err != nil {
		return 0, 0, err
	}
	p := b.Columns().FlipRate(false).Float()
	return edgesIn*(1-p)*(1-p) + (nodes*(nodes-1)/2-edgesIn)*p*p, p, nil
}

// facebookEdges holds where the published number is within a tenth of the mean.
var facebookEdges = statement[networkCase]{
	family: "ε in {1, .6, .2}, α in {.5, .7, .9, 1, 0}",
	each: func(yield func(networkCase) bool) {
		for _, c := range [][2]int{{10, 113000}, {6, 148000}, {2, 273000}} {
			for _, alpha := range []int{7, 5, 9, 10, 0} {
				if !yield(networkCase{c[0], c[1], alpha}) {
					return
				}
			}
		}
	},
	holds: func(c networkCase) (bool, error) {
		edges, _, err := c.expected()
		return math.Abs(edges-float64(c.published)) <= .1*float64(c.published), err
	},
	witness: func(c networkCase) *Witness {
		edges, rate, _ := c.expected()
		return &Witness{
			Fields: []Field{
				{"eps", fmt.Sprint(float64(c.eps) / 10)}, {"alpha", fmt.Sprint(float64(c.alpha) / 10)},
				{"edges published", fmt.Sprint(c.published)}, {"edges expected", fmt.Sprintf("%.0f", edges)}, {"flip rate", fmt.Sprintf("%.4f", rate)},
			},
			Script: fmt.Sprintf("p = xor_allocation(4039, 4039, %g, %g, 2).error_rate().value; print(88234*(1-p)*(1-p) + (4039*4038/2 - 88234)*p*p)", float64(c.eps)/10, float64(c.alpha)/10),
		}
	},
}
