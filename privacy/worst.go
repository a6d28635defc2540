package privacy

import (
	"context"
	"errors"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
)

// Worst describes the pair of neighbors with the largest privacy loss.
type Worst struct {
	// X and Y are the two datasets, where X is the true one. Both are nil if every two neighbors have the same pair.
	X, Y any
	// Outputs are the outputs with the largest loss, or with a loss above the given ε. It is nil for compositions, and
	// if outputs have no names.
	Outputs []any
	// Loss is the largest loss, or δ at the given ε.
	Loss evidence.Number
}

// ErrNoNeighbors is the error of Worst if no two datasets are neighbors.
var ErrNoNeighbors = errors.New("no neighbors")

// Worst returns the pair and the outputs with the largest loss. Given an ε, it returns the pair with the largest P(E) −
// e^ε Q(E), and the outputs of E. Among equal pairs it returns the first.
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
	if err != nil {
		return nil, err
	}
	l, ok := best.single().(*DiscretePair)
	if ok && a.uses[0].Of.Output != nil {
		out.Outputs = l.outputs(eps, a.uses[0].Of.Output)
	}
	return out, nil
}

// outputs returns the outputs with the largest loss, or with losses above ε.
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

// InfinityMass returns the largest probability of an infinite loss over the pairs, which is the limit of δ(ε) for ε →
// ∞.
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
