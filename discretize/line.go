package discretize

import (
	"context"

	"dpworkbench/continuous"
	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/mechanism"
	"dpworkbench/privacy"
)

// Line is the discretized mechanism of a mechanism on the real line, its source, at the source's own ε. If the source
// is not layered, R_0 = {|r| < ρ} and A_i = {|r| < ρ + iΔ}, where ρ = Δ for Laplace noise and ρ = γΔ for a Staircase,
// which is its own discretization.
type Line struct {
	continuous.Mechanism // q
	source               continuous.Mechanism
	eps                  evidence.Epsilon
	basic                bool
}

// NewLine discretizes a mechanism of q on the real line: a Staircase, Laplace noise, or a layered one, which is its
// own discretization. It returns an error wrapping evidence.ErrParameter for any other, and one wrapping
// mechanism.ErrUndecided if it cannot decide whether the mechanism is basic.
func NewLine(q *continuous.Linear, m continuous.Mechanism) (*Line, error) {
	own, ok := m.(continuous.Discretizable)
	if !ok {
		return nil, parameter.Errorf("%s cannot be discretized, want a layered, Staircase or Laplace mechanism on the line", m.Name())
	}
	d, err := own.InLayers(q)
	if err != nil {
		return nil, err
	}
	return &Line{d.Law, m, d.Epsilon, d.Basic}, nil
}

// InLayers implements continuous.Discretizable: a discretized mechanism is its own discretization.
func (l *Line) InLayers(*continuous.Linear) (continuous.InLayers, error) {
	return continuous.InLayers{Law: l.Mechanism, Epsilon: l.eps, Basic: l.basic}, nil
}

// Name includes the name of the source.
func (l *Line) Name() string { return "discretize(" + l.source.Name() + ")" }

// ClaimedEpsilon implements continuous.Mechanism: 2ε, by Theorem 1.
func (l *Line) ClaimedEpsilon() evidence.Number { return theorem1Claim(l.eps) }

// Source returns p.
func (l *Line) Source() continuous.Mechanism { return l.source }

// Law returns q, the mechanism whose law l has.
func (l *Line) Law() continuous.Mechanism { return l.Mechanism }

// Pairs implements privacy.Private with the pairs of q.
func (l *Line) Pairs(ctx context.Context) (*privacy.DominatingPairs, error) {
	f, err := l.Mechanism.Pairs(ctx)
	if err == nil {
		f.Name = l.Name()
	}
	return f, err
}

// IsBasic reports whether R_i = R_0 + iV − A_{i−1} for every i (Corollary 1).
func (l *Line) IsBasic() bool { return l.basic }

// Theorem1 checks both statements of Theorem 1. Every dataset has the same law up to a shift, so Dataset is 0. The
// second statement is proved for all mechanisms that NewLine accepts. With the most probable output at 1, layer i has
// density q = e^{−iε} and e^{−ε}q < p ≤ q. So the integrals of p and of |r|p are at most those of q and |r|q, and at
// least e^{−ε} times as large. The computed distortions can only refute the second statement.
func (l *Line) Theorem1(ctx context.Context) (Theorem1, error) {
	out := Theorem1{Epsilon: l.eps, Utility: evidence.Confirmed, Before: l.source.Distortion(), After: l.Distortion()}
	var err error
	if out.Source, err = l.source.Privacy().Epsilon(ctx, evidence.Delta{}); err != nil {
		return Theorem1{}, err
	}
	if out.Discretized, err = l.Privacy().Epsilon(ctx, evidence.Delta{}); err != nil {
		return Theorem1{}, err
	}
	out.Hypothesis = evidence.Confirmed // for all sources, their own ε is the smallest
	out.Privacy = mechanism.AtMost(out.Discretized, l.eps.Times(2))
	z := l.eps.Decay()
	a, b := evidence.Enclosure(out.Before), evidence.Enclosure(out.After)
	if positive(z.Mul(b).Sub(a)) || positive(z.Mul(a).Sub(b)) {
		out.Utility = evidence.Refuted
	}
	return out, nil
}
