package xor

import (
	"context"
	"math"
	"sync/atomic"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/privacy"
)

// Privacy is the privacy.Profile of M(D) = f(D) ⊕ B for a neighbor relation, and equally of 1 − B in place of B. It is
// safe for concurrent use.
type Privacy struct {
	solve   func(ctx context.Context) (Loss, error)
	states  func(ctx context.Context) (*stateLaw, error) // nil if there are too many states
	loss    atomic.Pointer[Loss]
	visited atomic.Pointer[stateLaw]
}

var _ privacy.Profile = (*Privacy)(nil)

// Under returns the privacy of M(D) = f(D) ⊕ B for the given neighbors. It returns an error wrapping
// evidence.ErrParameter if they do not fit the law's shape, and above MaxDifferences bits for more than one row or edge
// at once.
//
// The smallest ε does not need the states; see [Loss]. δ(ε) is enclosed up to rounding if the law has at most 2¹⁶
// states, and states times differences are at most 2²⁶. Otherwise only the bound from the smallest ε is known.
func (b *Bernoulli) Under(nb Neighbors, opts LossOptions) (*Privacy, error) {
	if err := nb.check(b.n, b.p); err != nil {
		return nil, err
	}
	simple, err := nb.simple(b.n, b.p)
	if err != nil {
		return nil, err
	}
	stated := &LossStatement{b, nb}
	out := &Privacy{solve: func(ctx context.Context) (Loss, error) {
		loss, err := b.smallest(ctx, simple, opts)
		loss.Certified = evidence.WithStatement(loss.Certified, stated)
		return loss, err
	}}
	if b.n > MaxDifferences || b.p > MaxDifferences || b.Dim() > MaxDifferences {
		return out, nil
	}
	out.states = func(ctx context.Context) (*stateLaw, error) {
		steps := nb.differences(b.n, b.p)
		const most = 1 << 26
		if len(steps) > most>>b.Dim() {
			return &stateLaw{}, nil
		}
		law, err := b.stateLaw(ctx)
		if err != nil {
			return nil, err
		}
		law.steps = steps
		return law, nil
	}
	return out, nil
}

// Loss returns the smallest ε, with the flip that attains it. It returns ctx's error.
func (p *Privacy) Loss(ctx context.Context) (Loss, error) {
	if l := p.loss.Load(); l != nil {
		return *l, nil
	}
	if p.solve == nil {
		return Loss{}, parameter.Errorf("the Privacy is its zero value, want one that Under returned")
	}
	l, err := p.solve(ctx)
	if err != nil {
		return Loss{}, err
	}
	p.loss.Store(&l)
	return l, nil
}

// Delta implements privacy.Profile.
func (p *Privacy) Delta(ctx context.Context, eps evidence.Epsilon) (evidence.Number, error) {
	loss, err := p.Loss(ctx)
	if err != nil {
		return nil, err
	}
	most := privacy.PureDelta(loss.Certified, eps, loss.Source)
	if p.states == nil || most.Hi == 0 {
		return most, nil
	}
	law := p.visited.Load()
	if law == nil {
		if law, err = p.states(ctx); err != nil {
			return nil, err
		}
		p.visited.Store(law)
	}
	if law.steps == nil {
		return most, nil
	}
	lo, hi, err := law.delta(ctx, eps)
	if err != nil {
		return nil, err
	}
	return evidence.Certified{Lo: lo, Hi: math.Min(hi, most.Hi), Side: evidence.Up, Provenance: evidence.From("every state of every difference pattern").By(allStates)}, nil
}

// Epsilon implements privacy.Profile.
func (p *Privacy) Epsilon(ctx context.Context, delta evidence.Delta) (evidence.Number, error) {
	return privacy.ProfileFunc{
		Pure: func(ctx context.Context) (evidence.Number, error) {
			l, err := p.Loss(ctx)
			return l.Certified, err
		},
		At:     p.Delta,
		Source: "every state of every difference pattern",
	}.Epsilon(ctx, delta)
}
