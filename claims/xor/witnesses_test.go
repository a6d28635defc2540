package xor

import (
	"math"
	"testing"

	"dpworkbench/xor"
)

// The checkers' own arithmetic and package xor both reproduce the recorded numbers of the counterexamples to
// the XOR paper.
func TestRecordedXorWitnesses(t *testing.T) {
	golden := func(name string, got, want, within float64) {
		t.Helper()
		if math.Abs(got-want) > within {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	loss := func(b *xor.Bernoulli, nb xor.Neighbors) float64 {
		t.Helper()
		return smallestEpsilon(b, nb, xor.LossOptions{General: true}).Float()
	}
	pair := func(diagonal, off int) noiseCase {
		return noiseCase{n: 1, p: 2, s: 1, theta: [][]int{{diagonal, off}, {off, diagonal}}}
	}

	e := pair(0, 7).exponents()
	golden("Footnote 2: log odds ratio at θ_pq = .7, in tenths", float64(e[3]-e[2]+e[0]-e[1]), 14, 0)

	for _, w := range []struct {
		noiseCase
		condition, smallest float64
	}{
		{pair(10, 9), 1.9026, 2.8},
		{pair(0, 1), .1414, .2},
	} {
		golden("Theorem 1: condition (4)", condition4(w.noiseCase).Mid()/10, w.condition, 5e-5)
		golden("Theorem 1: condition (4) by xor", w.law().ClaimedEpsilon(1).Value, w.condition, 5e-5)
		golden("Theorem 1: smallest ε", float64(w.loss())/10, w.smallest, 0)
		golden("Theorem 1: smallest ε by xor", loss(w.law(), xor.FlipBits(1)), w.smallest, 1e-12)
	}

	c := budgetCase{n: 2, p: 1, s: 1, eps: 10, alpha: 3}
	l, _ := c.columnLoss().Float64()
	golden("Algorithm 1 at N = 2, P = 1, α = .3", l, 1.7, 1e-15)
	golden("Algorithm 1 by xor", loss(c.law(), xor.FlipBits(1)), 1.7, 1e-12)
	golden("Remark 2: flip rate", flipRate(c.law().Columns(), false).Float(), .788, 5e-4)

	golden("Algorithm 3 at N = 2, α = .3, ε = 5", graphCase{2, 50, 3}.released(), 5.18, 5e-3)

	rr := edgeCase{[2][]int64{{2, 1}, {1, 2}}, 1}
	printed, _ := ofAnEdge(rr, rr.base()).Float64()
	leaked, _ := rr.leaks().Float64()
	golden("Theorem 4 as printed, ζ the odds of an edge", printed, .980, 5e-4)
	golden("Theorem 4: leakage", leaked, .995, 5e-4)

	one := noiseCase{n: 1, p: 1, s: 1, theta: [][]int{{10}}}
	golden("the law of s: Pr[b = 1]", marginals(one)[0], .7311, 5e-5)
	golden("the law of s as printed", 1/(1+math.Exp(-4)), .9820, 5e-5)

	big := budgetCase{4039, 4039, 2, 10, 7}
	theta, _ := big.law().Columns().Parameters()
	golden("Table 2: θ", theta, .0055, 5e-5)
	golden("Table 2: flip rate", flipRate(big.law().Columns(), false).Float(), .5, 2e-3)
}

// The closed form of Algorithm 1's privacy loss equals the largest loss that a search over states finds.
func TestColumnLoss(t *testing.T) {
	for c := range budgets(several) {
		if c.n*c.p > 9 {
			continue
		}
		l := smallestEpsilon(c.law(), xor.FlipBits(c.s), xor.LossOptions{General: true})
		unit, _ := c.columnLoss().Float64()
		if got := unit * float64(c.eps) / 10 / float64(c.s) / math.Sqrt(float64(c.p)); math.Abs(got-l.Hi) > 1e-9 {
			t.Errorf("%+v: %v, want %v", c, got, l.Hi)
		}
	}
}
