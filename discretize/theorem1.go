package discretize

import (
	"context"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/internal/interval"
	"dpworkbench/mechanism"
)

// Theorem1 is the evidence on one instance of what Theorem 1 states: if p is
// ε-differentially private then q is 2ε-differentially private, and
// e^{−ε} E_q ≤ E_p ≤ e^ε E_q for the expected distortion of every dataset.
type Theorem1 struct {
	Epsilon     evidence.Epsilon
	Source      evidence.Number  // smallest ε of p
	Discretized evidence.Number  // smallest ε of q
	Hypothesis  evidence.Verdict // is p ε-differentially private?
	Privacy     evidence.Verdict // is q 2ε-differentially private?
	Utility     evidence.Verdict // do both inequalities hold at every dataset?

	// Dataset is one at which E_p/E_q is farthest from 1, Before and After are E_p
	// and E_q there.
	Dataset       int
	Before, After evidence.Number
}

// Theorem1 checks both statements of Theorem 1, by exact or enclosed numbers.
func (d *Discretization) Theorem1(ctx context.Context) (Theorem1, error) {
	out := Theorem1{Epsilon: d.Decay(), Utility: evidence.Confirmed}
	var err error
	if out.Source, err = mechanism.SmallestEpsilon(ctx, d.source); err != nil {
		return Theorem1{}, err
	}
	if out.Discretized, err = mechanism.SmallestEpsilon(ctx, d.Mechanism); err != nil {
		return Theorem1{}, err
	}
	if out.Hypothesis = atMost(out.Source, out.Epsilon); out.Hypothesis == evidence.Undecided {
		if out.Hypothesis, err = privateBySums(ctx, d.source, out.Epsilon); err != nil {
			return Theorem1{}, err
		}
	}
	out.Privacy = atMost(out.Discretized, out.Epsilon.Times(2))

	before, err := mechanism.Distortions(ctx, d.source)
	if err != nil {
		return Theorem1{}, err
	}
	after, err := mechanism.Distortions(ctx, d.Mechanism)
	if err != nil {
		return Theorem1{}, err
	}
	z := out.Epsilon.Decay()
	farthest := 0.0
	for x := range before {
		if err := ctx.Err(); err != nil {
			return Theorem1{}, err
		}
		p, q := before[x], after[x]
		if p == 0 && q == 0 { // no value but f(x) itself
			continue
		}
		apart := max(p/q, q/p)
		if apart > farthest {
			farthest, out.Dataset = apart, x
		}
		// float64 decides unless the ratio is within 1e-6 of the bound.
		if edge := 1 / z.Mid(); apart < edge*(1-1e-6) {
			continue
		}
		a, b := enclosed(mechanism.Distortion(d.source, x)), enclosed(mechanism.Distortion(d.Mechanism, x))
		switch low, high := z.Mul(b).Sub(a), z.Mul(a).Sub(b); {
		case positive(low) || positive(high):
			out.Utility = evidence.Refuted
		case !(notPositive(low) && notPositive(high)) && out.Utility == evidence.Confirmed:
			out.Utility = evidence.Undecided
		}
	}
	out.Before = mechanism.Distortion(d.source, out.Dataset)
	out.After = mechanism.Distortion(d.Mechanism, out.Dataset)
	return out, nil
}

// privateBySums decides whether m is ε-differentially private where its weights
// are sums of exponentials: a loss of exactly ε is common, and no enclosure tells.
func privateBySums(ctx context.Context, m mechanism.Mechanism, eps evidence.Epsilon) (evidence.Verdict, error) {
	t, ok := m.(interface {
		Weights() (func(x, r int) mechanism.ExpSum, evidence.Epsilon, bool)
	})
	if !ok {
		return evidence.Undecided, nil
	}
	weight, own, ok := t.Weights()
	if !ok {
		return evidence.Undecided, nil
	}
	shift, ok := eps.Quotient(own)
	if !ok {
		return evidence.Undecided, nil
	}
	seen := make(map[[2]int]bool)
	for x := range m.Query().Size() {
		if err := ctx.Err(); err != nil {
			return evidence.Undecided, err
		}
		for _, y := range m.Query().Space().Neighbors(x) {
			pair := [2]int{m.Class(x), m.Class(int(y))}
			if seen[pair] {
				continue
			}
			seen[pair] = true
			for r := range m.Query().Range() { // p^x(r) e^{−ε} ≤ p^y(r)?
				sign, err := weight(x, r).Shift(shift).Sub(weight(int(y), r)).Sign(own)
				switch {
				case err != nil:
					return evidence.Undecided, nil
				case sign > 0:
					return evidence.Refuted, nil
				}
			}
		}
	}
	return evidence.Confirmed, nil
}

func positive(a interval.Interval) bool {
	sign, _ := a.Sign()
	return sign > 0
}

func notPositive(a interval.Interval) bool {
	sign, exact := a.Sign()
	return sign < 0 || exact
}

// enclosed returns the enclosure that a number stands for.
func enclosed(n evidence.Number) interval.Interval {
	if e, ok := n.(evidence.Exact); ok {
		return interval.Rat(e.Value)
	}
	lo, hi := n.Bounds()
	return interval.Between(lo, hi)
}

// atMost decides whether a privacy loss is at most ε.
func atMost(loss evidence.Number, eps evidence.Epsilon) evidence.Verdict {
	if l, ok := loss.(evidence.ExactLog); ok {
		if root, s, ok := eps.Root(); ok && s.Num().IsInt64() && s.Denom().IsInt64() &&
			s.Num().Int64() < maxExponent && s.Denom().Int64() < maxExponent {
			// loss ≤ ε where argument^d ≤ root^n.
			if power(l.Argument, s.Denom().Int64()).Cmp(power(root, s.Num().Int64())) <= 0 {
				return evidence.Confirmed
			}
			return evidence.Refuted
		}
		if l.Argument.Cmp(big.NewRat(1, 1)) == 0 {
			return evidence.Confirmed
		}
	}
	lo, hi := loss.Bounds()
	least, most := eps.Enclosure().Bounds()
	switch {
	case hi <= least:
		return evidence.Confirmed
	case lo > most:
		return evidence.Refuted
	}
	return evidence.Undecided
}
