package discretize

import (
	"context"
	"fmt"
	"math"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
)

// Theorem1 is the evidence for Theorem 1 on one instance. The theorem states that if p is ε-differentially private
// then q is 2ε-differentially private, and e^{−ε} E_q ≤ E_p ≤ e^ε E_q for the expected distortion of every dataset.
type Theorem1 struct {
	Epsilon     evidence.Epsilon
	Source      evidence.Number  // smallest ε of p
	Discretized evidence.Number  // smallest ε of q
	Hypothesis  evidence.Verdict // is p ε-differentially private?
	Privacy     evidence.Verdict // is q 2ε-differentially private?
	Utility     evidence.Verdict // do both inequalities hold at every dataset?

	// Dataset maximises |ln E_p/E_q|; Before and After are E_p and E_q there.
	Dataset       int
	Before, After evidence.Number
}

// Theorem1 checks both statements of Theorem 1, by exact or enclosed numbers.
func (d *Discretization) Theorem1(ctx context.Context) (Theorem1, error) {
	out := Theorem1{Epsilon: d.Decay(), Utility: evidence.Confirmed}
	var err error
	if out.Source, out.Hypothesis, err = private(ctx, d.source, out.Epsilon); err != nil {
		return Theorem1{}, err
	}
	if out.Discretized, out.Privacy, err = private(ctx, d.Mechanism, out.Epsilon.Times(2)); err != nil {
		return Theorem1{}, err
	}
	farthest := math.Inf(-1)
	for x := range d.Query().Size() {
		if err := ctx.Err(); err != nil {
			return Theorem1{}, err
		}
		apart, verdict := d.utility(x)
		if apart > farthest {
			farthest, out.Dataset = apart, x
		}
		if verdict == evidence.Refuted || verdict == evidence.Undecided && out.Utility == evidence.Confirmed {
			out.Utility = verdict
		}
	}
	out.Before = mechanism.Distortion(d.source, out.Dataset)
	out.After = mechanism.Distortion(d.Mechanism, out.Dataset)
	return out, nil
}

// utility returns |ln E_p/E_q| at dataset x and whether that is at most ε. It compares logarithms, which do not
// underflow, and rational numbers if these are too close.
func (d *Discretization) utility(x int) (apart float64, verdict evidence.Verdict) {
	if _, costs := mechanism.LogDistortion(d.source, x); !costs { // p outputs only f(x), and so does q
		return 0, evidence.Confirmed
	}
	gap := mechanism.LogRatio(d.source, d.Mechanism, x)
	gap = interval.Max(gap, gap.Neg())
	eps := d.Decay().Enclosure()
	switch over, _ := gap.Sub(eps).Sign(); {
	case over > 0:
		return gap.Mid(), evidence.Refuted
	case over < 0:
		return gap.Mid(), evidence.Confirmed
	}
	a, ok := mechanism.Distortion(d.source, x).(evidence.Exact)
	b, too := mechanism.Distortion(d.Mechanism, x).(evidence.Exact)
	if !ok || !too {
		return gap.Mid(), evidence.Undecided
	}
	ratio := new(big.Rat).Quo(a.Value, b.Value)
	if ratio.Cmp(big.NewRat(1, 1)) < 0 {
		ratio.Inv(ratio)
	}
	return gap.Mid(), mechanism.AtMost(evidence.ExactLog{Argument: ratio, Side: evidence.Up}, d.Decay())
}

// private returns the smallest ε of m and whether it is at most the given one. A loss of exactly ε is common, which
// no enclosure can decide. If the smallest ε is undecided, the losses near ε are compared with it one by one.
func private(ctx context.Context, m mechanism.Mechanism, eps evidence.Epsilon) (evidence.Number, evidence.Verdict, error) {
	loss, err := mechanism.Privacy(m).Epsilon(ctx, evidence.Delta{})
	if err != nil {
		return nil, evidence.Undecided, err
	}
	verdict := mechanism.AtMost(loss, eps)
	if verdict != evidence.Undecided {
		return loss, verdict, nil
	}
	verdict = evidence.Confirmed
	least, _ := eps.Enclosure().Bounds()
	seen := make(map[[2]int]bool)
	for x := range m.Query().Size() {
		if err := ctx.Err(); err != nil {
			return nil, evidence.Undecided, err
		}
		for _, y := range m.Query().Space().Neighbors(x) {
			pair := [2]int{m.Class(x), m.Class(int(y))}
			if seen[pair] {
				continue
			}
			seen[pair] = true
			for r := range m.Query().Range() {
				a, b := m.LogProb(x, r), m.LogProb(int(y), r)
				if math.IsInf(a, -1) || a-b < least-miss(m) {
					continue
				}
				// p^y(r) ≥ p^x(r) e^{−ε}?
				sign, err := mechanism.CompareProbabilities(m, mechanism.Outcome{X: int(y), R: r}, mechanism.Outcome{X: x, R: r}, 1, eps)
				switch {
				case err != nil:
					verdict = evidence.Undecided
				case sign < 0:
					return loss, evidence.Refuted, nil
				}
			}
		}
	}
	return loss, verdict, nil
}

func positive(a interval.Interval) bool {
	sign, _ := a.Sign()
	return sign > 0
}

// String returns the verdicts and the numbers on one line.
func (t Theorem1) String() string {
	short := func(n evidence.Number) string { return evidence.FormatNumber(n, 6) }
	return fmt.Sprintf("<Theorem 1 at ε = %v: p is ε-DP %s, q is 2ε-DP %s, utility %s; smallest ε %s of p, %s of q; E_p = %s, E_q = %s at dataset %d>",
		t.Epsilon, t.Hypothesis, t.Privacy, t.Utility, short(t.Source), short(t.Discretized), short(t.Before), short(t.After), t.Dataset)
}
