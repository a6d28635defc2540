package privacy

import (
	"context"
	"errors"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
)

// Worst is where a mechanism reveals most.
type Worst struct {
	// X and Y are the two datasets, as the family counts them: x is the true one. Nil where the pair is
	// that of any two datasets.
	X, Y any
	// Outputs are those of the largest loss, or, asked for at an ε, those of losses above ε; nil where
	// uses are composed or outputs have no names.
	Outputs []any
	// Loss is the largest loss, or δ at the ε.
	Loss evidence.Number
}

// ErrNoNeighbors says that no two datasets are neighbors, so that nothing is revealed.
var ErrNoNeighbors = errors.New("no neighbors")

// Worst returns the pair and outputs of the largest loss, and with an ε the pair and the event of the
// largest P(E) − e^ε Q(E). Among equals it is the first.
func (a *Account) Worst(ctx context.Context, eps *evidence.Epsilon) (*Worst, error) {
	bound := (*candidate).maxLoss
	if eps != nil {
		bound = deltaBound(*eps)
	}
	_, near, err := a.maxOverPairs(ctx, bound, func(p *composition, _ float64) (evidence.RatOrInterval, error) {
		if eps != nil {
			return p.delta(ctx, *eps)
		}
		return p.maxLoss(), nil
	})
	if err != nil {
		return nil, err
	}
	out := &Worst{}
	if len(near) == 0 {
		return nil, parameter.Errorf("%s has %w", a.name, ErrNoNeighbors)
	}
	best := near[0]
	if a.reference.Datasets != nil {
		out.X, out.Y = a.reference.Datasets(best.index)
	}
	if eps != nil {
		out.Loss, err = a.Delta(ctx, *eps)
	} else {
		out.Loss, err = a.Epsilon(ctx, evidence.Delta{})
	}
	l, ok := best.single().(*DiscretePair)
	if ok && a.uses[0].Of.Output != nil {
		out.Outputs = l.outputs(eps, a.uses[0].Of.Output)
	}
	return out, err
}

// outputs names those of the largest loss, or of the losses above ε.
func (l *DiscretePair) outputs(eps *evidence.Epsilon, name func(tag int) any) []any {
	tags := l.infinityTags
	if eps == nil && len(tags) == 0 && len(l.atoms) > 0 {
		tags = l.atoms[len(l.atoms)-1].Tags
	}
	if eps != nil {
		for _, a := range l.atoms {
			if s, _ := l.epsilonMinusLoss(a, *eps).Sign(); s < 0 {
				tags = append(tags[:len(tags):len(tags)], a.Tags...)
			}
		}
	}
	var out []any
	for _, t := range tags {
		out = append(out, name(t))
	}
	return out
}

// InfinityMass returns the mass of an infinite loss: δ at every ε, the largest of all pairs.
func (a *Account) InfinityMass(ctx context.Context) (evidence.Number, error) {
	if c, laws := a.concentrated(); c != nil {
		return a.infinityByRenyi(ctx, laws)
	}
	d, _, err := a.maxOverPairs(ctx, (*candidate).infinityMass, func(p *composition, _ float64) (evidence.RatOrInterval, error) { return p.infinityMass(), nil })
	if err != nil {
		return nil, err
	}
	if sign(d) == 0 {
		d = evidence.ExactRat(new(big.Rat))
	}
	return a.asNumber(d, "mass of the outputs that just one of two neighbors can have", func(u *Account) (evidence.Number, error) { return u.InfinityMass(ctx) })
}
