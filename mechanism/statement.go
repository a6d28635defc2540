package mechanism

import (
	"context"
	"fmt"
	"math"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/query"
)

// Definition is a law that a name and ε determine: the Ladder, exponential, Laplace or geometric mechanism on the
// query.
type Definition struct {
	Name string // "ladder", "exponential", "laplace" or "geometric"; "" for other mechanisms
	Eps  evidence.Epsilon
}

// Definition returns the definition of the layers.
func (m *Layered) Definition() Definition { return m.definition }

// Definition returns the definition of the probabilities.
func (t *Table) Definition() Definition { return t.definition }

// builder returns a function that builds the mechanism, or nil without a definition.
func (d Definition) builder(q *query.Query) Builder {
	switch d.Name {
	case "ladder":
		return func(ctx context.Context) (Mechanism, error) { return NewLadder(ctx, q, d.Eps) }
	case "exponential":
		return func(ctx context.Context) (Mechanism, error) { return NewExponential(ctx, q, d.Eps) }
	case "laplace":
		return func(ctx context.Context) (Mechanism, error) { return NewLaplace(ctx, q, d.Eps) }
	case "geometric":
		return func(ctx context.Context) (Mechanism, error) { return NewGeometric(ctx, q, d.Eps) }
	}
	return nil
}

// EpsilonStatement states the smallest ε of a mechanism.
type EpsilonStatement struct{ Of Mechanism }

// DeltaStatement states δ(ε) of a mechanism.
type DeltaStatement struct {
	Of Mechanism
	At evidence.Epsilon
}

// EpsilonAtStatement states the least ε of a mechanism at δ.
type EpsilonAtStatement struct {
	Of    Mechanism
	Delta evidence.Delta
}

// DistortionStatement states the expected distortion of a mechanism at a dataset, or its mean under a prior.
type DistortionStatement struct {
	Of      Mechanism
	Dataset int        // used if Prior is nil
	Prior   []*big.Rat // one probability per dataset, or nil
}

// Says implements evidence.Statement.
func (s *EpsilonStatement) Says() string { return smallestEpsilonOf(s.Of.Name()) }

func smallestEpsilonOf(name string) string { return "the smallest ε of " + name }

// Says implements evidence.Statement.
func (s *DeltaStatement) Says() string { return fmt.Sprintf("δ at ε = %s of %s", s.At, s.Of.Name()) }

// Says implements evidence.Statement.
func (s *EpsilonAtStatement) Says() string {
	return fmt.Sprintf("ε at δ = %s of %s", evidence.FormatFloat(s.Delta.Value(), 6), s.Of.Name())
}

// Says implements evidence.Statement.
func (s *DistortionStatement) Says() string {
	if s.Prior != nil {
		return "the expected distortion of " + s.Of.Name()
	}
	return fmt.Sprintf("the expected distortion of %s at dataset %v", s.Of.Name(), s.Of.Query().Space().Dataset(s.Dataset))
}

// Witness is a pair of neighbors and the index of a value.
type Witness struct{ X, Y, R int }

// Witness returns neighbors x, y and a value r with the largest or an infinite ln p^x(r)/p^y(r). It returns false
// if there are no neighbors.
func (s *EpsilonStatement) Witness(ctx context.Context) (Witness, bool, error) {
	m := s.Of
	near, _, infinite, err := largestLosses(ctx, m, 1<<12)
	switch {
	case err != nil:
		return Witness{}, false, err
	case infinite != nil:
		return *infinite, true, nil
	}
	var worst *Witness
	var largest evidence.RatOrInterval // Enclosure of the loss; Rational is e^loss if known
	for _, w := range near {
		if err := ctx.Err(); err != nil {
			return Witness{}, false, err
		}
		loss := evidence.RatOrInterval{Enclosure: lossOf(m, w.X, w.Y, w.R)}
		p, known := m.Rational(w.X, w.R)
		if q, too := m.Rational(w.Y, w.R); known && too {
			loss.Rational = new(big.Rat).Quo(p, q)
		}
		if worst == nil || below(largest, loss) {
			worst, largest = &w, loss
		}
	}
	if worst == nil {
		return Witness{}, false, nil
	}
	return *worst, true, nil
}

// Witness returns neighbors x, y with the largest δ at ε, as DeltaStatement.Witness does. If ε is infinite, they
// have the largest mass of infinite losses.
func (s *EpsilonAtStatement) Witness(ctx context.Context, eps float64) (Witness, bool, error) {
	var at evidence.Epsilon
	if eps > 0 {
		var err error
		if at, err = evidence.NewEpsilon("eps", math.Min(eps, math.MaxFloat64)); err != nil {
			return Witness{}, false, err
		}
	}
	return (&DeltaStatement{s.Of, at}).Witness(ctx)
}

// Witness returns neighbors x, y with the largest Σ_r max(0, p^x(r) − e^ε p^y(r)). It returns false if there are
// no neighbors. R is not set.
func (s *DeltaStatement) Witness(ctx context.Context) (Witness, bool, error) {
	h := hockeyStick{s.Of, s.At}
	near, _, _, err := h.candidates(ctx)
	if err != nil {
		return Witness{}, false, err
	}
	if near, _, err = h.dropDuplicates(ctx, near); err != nil {
		return Witness{}, false, err
	}
	var worst *pair
	var largest evidence.RatOrInterval
	for _, p := range near {
		d, err := lossesOf(s.Of, p.x, p.y).Delta(ctx, s.At)
		if err != nil {
			return Witness{}, false, err
		}
		if worst == nil || below(largest, d) {
			worst, largest = &p, d
		}
	}
	if worst == nil {
		return Witness{}, false, nil
	}
	return Witness{X: worst.x, Y: worst.y}, true, nil
}

// below reports a < b, by the rational values if both are known, and by the lower ends otherwise.
func below(a, b evidence.RatOrInterval) bool {
	if a.Rational != nil && b.Rational != nil {
		return a.Rational.Cmp(b.Rational) < 0
	}
	return a.Enclosure.CmpLo(b.Enclosure) < 0
}
