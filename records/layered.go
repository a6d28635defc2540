package records

import (
	"cmp"
	"math/big"
	"sync"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/mechanism"
)

// Layered is a layered mechanism at one dataset: a value in layer t has weight, or density, e^{−t·decay}, divided
// by the sum over the range. Layer sets are the intervals [f(x) − down_t, f(x) + up_t].
type Layered struct {
	base
	decay  evidence.Epsilon
	radius *big.Rat
	moves  func(t int) (up, down *big.Rat)
	plain  bool // the layers are the query's own

	mu  sync.Mutex
	law *layerLaw
}

// NewPurest returns the purest mechanism (Wu et al., Definition 16) at this dataset, from its layers alone. If the
// layers are only bounds, the result is not the purest mechanism. It is a layered mechanism with the same guarantee
// 2·decay (Proposition 3).
func NewPurest(q *Query, decay evidence.Epsilon) (Law, error) {
	title := "purest"
	if !q.exact {
		title = "layered by bounds"
	}
	return newLayered(q, decay, new(big.Rat), title+"(decay="+decay.String()+")", proposition3(decay), func(q *Query) (Law, error) { return NewPurest(q, decay) })
}

func proposition3(decay evidence.Epsilon) evidence.Number {
	return mechanism.Claim(decay.Times(2), "Wu et al., Proposition 3: 2·decay")
}

// NewDeltaNeighborhood returns the δ-neighborhood mechanism (Wu et al., Definition 18) with one radius for all
// datasets; a nil radius is infinite. Its layer t is layer t of the purest mechanism, enlarged by radius. It is the
// smooth inverse sensitivity mechanism of Asi and Duchi (2020). It returns an error wrapping evidence.ErrParameter if
// the radius is negative or layers are not intervals.
func NewDeltaNeighborhood(q *Query, decay evidence.Epsilon, radius *big.Rat) (Law, error) {
	if radius != nil && radius.Sign() == 0 {
		return NewPurest(q, decay)
	}
	if err := checkRadius(q, "radius", radius); err != nil {
		return nil, err
	}
	title := "delta_neighborhood, radius " + orInf(radius)
	if !q.exact {
		title += ", by bounds"
	}
	return newLayered(q, decay, radius, title+"(decay="+decay.String()+")", proposition3(decay), func(q *Query) (Law, error) { return NewDeltaNeighborhood(q, decay, radius) })
}

// NewInverseSensitivity returns the inverse sensitivity mechanism (Asi and Duchi 2020) at this dataset. The weight of r
// is e^{−kε/2}, where k is the number of changes to the nearest dataset whose value is within rho of r. A nil rho is
// infinite. It is NewDeltaNeighborhood with decay ε/2 and radius rho, and NewPurest for rho = 0. If the layers are only
// bounds, k is a bound, and the guarantee is the same. It claims ε. It returns the errors of NewDeltaNeighborhood.
func NewInverseSensitivity(q *Query, eps evidence.Epsilon, rho *big.Rat) (Law, error) {
	if err := cmp.Or(eps.Positive("eps"), checkRadius(q, "rho", rho)); err != nil {
		return nil, err
	}
	title := "inverse_sensitivity"
	if !q.exact {
		title += " by bounds"
	}
	title += "(eps=" + eps.String() + ", rho=" + orInf(rho) + ")"
	return newLayered(q, eps.Ratio(1, 2), rho, title, mechanism.Claim(eps, "Asi and Duchi 2020, inverse sensitivity"), func(q *Query) (Law, error) { return NewInverseSensitivity(q, eps, rho) })
}

// checkRadius returns an error wrapping evidence.ErrParameter if the radius is negative, or if it is not 0 although
// layers are not intervals.
func checkRadius(q *Query, name string, radius *big.Rat) error {
	if radius != nil && radius.Sign() < 0 {
		return parameter.Bad(name, radius, "at least 0")
	}
	if q.listed != nil && (radius == nil || radius.Sign() > 0) {
		return parameter.Errorf("%s = %s, want 0 for %s, whose layers are not intervals", name, orInf(radius), q.name)
	}
	return nil
}

func orInf(q *big.Rat) string {
	if q == nil {
		return "inf"
	}
	return text(q)
}

func newLayered(q *Query, decay evidence.Epsilon, radius *big.Rat, title string, claim evidence.Number, remake func(q *Query) (Law, error)) (Law, error) {
	if err := cmp.Or(decay.Positive("decay"), q.hasLayers()); err != nil {
		return nil, err
	}
	if q.listed != nil {
		m, err := newListed(q, title, decay, claim, q.listed.level, remake)
		if err != nil {
			return nil, err
		}
		m.layered = true
		return m, nil
	}
	return &Layered{base: base{q, title, claim, remake}, decay: decay, radius: radius, moves: q.moves, plain: radius != nil && radius.Sign() == 0}, nil
}

// NewLadder returns the Ladder mechanism (Zhang et al. 2015) on the query's range. Rung t, the values within I_0 +
// … + I_{t−1} of f(x), has weight e^{−tε/2}. It claims ε.
func NewLadder(q *Query, eps evidence.Epsilon) (Law, error) {
	if err := eps.Positive("eps"); err != nil {
		return nil, err
	}
	if q.local == nil {
		return nil, parameter.Errorf("%s has no known local sensitivity at a distance, which ladder requires", q.name)
	}
	if q.listed != nil && q.listed.names != nil {
		return nil, parameter.Errorf("%s has categories as values, but ladder needs numbers", q.name)
	}
	claim := mechanism.Claim(eps, "Zhang et al. 2015, Algorithm 1")
	return &Layered{base: base{q, "ladder(eps=" + eps.String() + ")", claim, func(q *Query) (Law, error) { return NewLadder(q, eps) }},
		decay: eps.Ratio(1, 2), radius: new(big.Rat), moves: q.ladderMoves}, nil
}

// Decay returns the privacy loss per layer, in nats.
func (m *Layered) Decay() evidence.Epsilon { return m.decay }

// Layer returns the layer of r in this mechanism, or −1 if r is never output. It returns an error wrapping
// evidence.ErrParameter if r is not in the range.
func (m *Layered) Layer(r *big.Rat) (int, error) {
	if err := m.q.inRange("r", r); err != nil {
		return 0, err
	}
	if m.plain {
		return m.q.Layer(r)
	}
	return m.q.layerAt(m.moves, m.radius, r), nil
}
