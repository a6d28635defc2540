package privacy

import "context"

// Private is implemented by everything whose privacy can be computed: mechanisms, designs, laws of noise, releases
// and accounts. Of returns the account of one use.
type Private interface {
	// Pairs returns the pairs of output laws of all neighboring datasets. It returns an error wrapping
	// evidence.ErrParameter if they are unknown, and the context's error.
	Pairs(ctx context.Context) (*DominatingPairs, error)
}

// Of returns the account of one use of x. If x is an account, it returns x. For a training loop it returns the account
// of all steps. It returns the errors of Pairs.
func Of(ctx context.Context, x Private) (*Account, error) {
	switch x := x.(type) {
	case *Account:
		return x, nil
	case interface{ Account() *Account }:
		return x.Account(), nil
	}
	f, err := x.Pairs(ctx)
	if err != nil {
		return nil, err
	}
	return New(f), nil
}

// Pairs implements Private.
func (f *DominatingPairs) Pairs(context.Context) (*DominatingPairs, error) { return f, nil }

// Pairs implements Private. It returns the pairs of the joint outputs of all uses.
func (a *Account) Pairs(context.Context) (*DominatingPairs, error) {
	if len(a.uses) == 1 && a.uses[0].Times == 1 {
		return a.uses[0].Of, nil
	}
	f := &DominatingPairs{
		Name: a.name, Universe: a.reference.Universe, Size: a.reference.Size, Datasets: a.reference.Datasets, Source: "products of the pairs of all uses",
		Relation: a.reference.Relation, Removes: a.reference.Removes, TranslationInvariant: a.reference.TranslationInvariant, SensitivityOnly: a.reference.SensitivityOnly, Bound: a.bound || a.rounded, ClaimedBy: a.claimedBy(),
	}
	f.Pair = func(ctx context.Context, i int) (Pair, error) {
		p, err := a.composition(ctx, &candidate{index: i})
		if err != nil {
			return nil, err
		}
		pairs, times := make([]Pair, len(p.factors)), make([]int, len(p.factors))
		for k, factor := range p.factors {
			pairs[k], times[k] = factor.pair, factor.times
		}
		return Independent(pairs, times), nil
	}
	return f, nil
}

// Compose returns the account of n repetitions of all uses of a, on the same dataset. It returns an error wrapping
// evidence.ErrParameter unless n ≥ 1 and there are at most 2³⁰ uses in total.
func (a *Account) Compose(n int) (*Account, error) {
	return Compose(context.Background(), []*Account{a}, []int{n})
}
