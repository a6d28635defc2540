package continuous

import (
	"math/big"

	"dpworkbench/evidence"
)

// InLayers is the layered form of a mechanism on the line (Wu et al., Definition 13).
type InLayers struct {
	Law     Mechanism
	Epsilon evidence.Epsilon // per layer
	Basic   bool             // R_i = R_0 + iV − A_{i−1} for every i (Corollary 1)
}

// Discretizable is a mechanism with a known layered form.
type Discretizable interface {
	Mechanism
	// InLayers returns the layered form as a mechanism of q. The form is basic if R_0 + V covers A_1, that is, unless V
	// has too wide a gap. The later layers follow, since A_1 is wider than Δ. It returns an error wrapping
	// mechanism.ErrUndecided if it cannot decide whether the form is basic.
	InLayers(q *Linear) (InLayers, error)
}

// InLayers implements Discretizable: a layered mechanism is its own layered form, and basic by construction.
func (m *Layered) InLayers(*Linear) (InLayers, error) { return InLayers{m, m.decay, true}, nil }

// InLayers implements Discretizable: the form has steps of width Δ, the first from 0 on. It is basic, since no gap
// reaches 2Δ.
func (l *Laplace) InLayers(*Linear) (InLayers, error) {
	return InLayers{l.Discretized(), l.eps, true}, nil
}

// InLayers implements Discretizable: a staircase is its own layered form. It is basic if the intervals (v − γΔ, v +
// γΔ), v ∈ V, overlap.
func (s *Staircase) InLayers(q *Linear) (InLayers, error) {
	gap := q.set.widestGap()
	basic, err := s.StepExceeds(gap.Mul(gap, big.NewRat(1, 2)))
	return InLayers{s, s.eps, basic}, err
}

// widestGap returns the largest distance between adjacent components.
func (s Set) widestGap() *big.Rat {
	widest := new(big.Rat)
	parts := s.Segments()
	for i := 1; i < len(parts); i++ {
		if d := new(big.Rat).Sub(parts[i].Lo, parts[i-1].Hi); d.Cmp(widest) > 0 {
			widest = d
		}
	}
	return widest
}
