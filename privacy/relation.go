package privacy

import (
	"context"
	"fmt"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/query"
)

// Relation returns the neighbor relation, and "" if it is unknown.
func (a *Account) Relation() query.Relation { return a.reference.Relation }

// Under returns an upper bound on the privacy under another relation, whose neighbors are at most n steps of the
// account's own relation apart ([query.Relation.Steps]). A mechanism that is (ε, δ)-private for one step is (nε, (1 +
// e^ε + … + e^{(n−1)ε})δ)-private for n steps (Dwork and Roth 2014, Theorem 2.2, for δ). It returns an error wrapping
// evidence.ErrParameter if no number of steps suffices.
func (a *Account) Under(r query.Relation) (*Account, error) {
	own := a.reference.Relation
	n, ok := own.Steps(r)
	switch {
	case !ok && own == "":
		return nil, parameter.Errorf("the neighbor relation of %s is not known, so no guarantee for neighbors %q follows", a.name, string(r))
	case !ok:
		return nil, parameter.Errorf("the guarantee of %s for neighbors %q implies none for neighbors %q: no number of steps of the first relation replaces a step of the second", a.name, string(own), string(r))
	case own == r || own == query.Any:
		return a, nil
	}
	const source = "as many steps between neighbors of the relation that is private (Dwork and Roth 2014, Theorem 2.2)"
	up := func(hi interval.Interval) evidence.Number {
		_, most := hi.Bounds()
		return evidence.Certified{Lo: 0, Hi: most, Side: evidence.Up, Provenance: evidence.From(source).By("an upper bound")}
	}
	f := PureDP(fmt.Sprintf("%s for neighbors of %q", a.name, string(r)), ProfileFunc{
		Pure: func(ctx context.Context) (evidence.Number, error) {
			e, err := a.Epsilon(ctx, evidence.Delta{})
			if err != nil {
				return nil, err
			}
			_, hi := e.Bounds()
			return up(interval.Float(hi).Mul(interval.Int(int64(n)))), nil
		},
		At: func(ctx context.Context, eps evidence.Epsilon) (evidence.Number, error) {
			step := eps.Ratio(1, int64(n))
			d, err := a.Delta(ctx, step)
			if err != nil {
				return nil, err
			}
			_, hi := d.Bounds()
			sum := interval.Int(0)
			for j := range n {
				sum = sum.Add(step.Enclosure().Mul(interval.Int(int64(j))).Exp())
			}
			most := sum.Mul(interval.Float(hi))
			return up(interval.Max(most.Neg(), interval.Int(-1)).Neg()), nil
		},
		Source: source,
	})
	f.Relation = r
	if f.ClaimedBy = a.claimedBy(); f.ClaimedBy != "" {
		f.Profile = claimed{f.Profile, source + " of what is claimed by " + f.ClaimedBy}
	}
	return New(f), nil
}

// claimed is a profile whose answers rest on a claim.
type claimed struct {
	Profile
	source string
}

// Delta implements Profile.
func (c claimed) Delta(ctx context.Context, eps evidence.Epsilon) (evidence.Number, error) {
	return c.claim(c.Profile.Delta(ctx, eps))
}

// Epsilon implements Profile.
func (c claimed) Epsilon(ctx context.Context, delta evidence.Delta) (evidence.Number, error) {
	return c.claim(c.Profile.Epsilon(ctx, delta))
}

func (c claimed) claim(n evidence.Number, err error) (evidence.Number, error) {
	if err != nil {
		return nil, err
	}
	_, hi := n.Bounds()
	return evidence.Claimed{Value: hi, Provenance: evidence.From(c.source)}, nil
}
