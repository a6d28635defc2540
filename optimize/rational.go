package optimize

import (
	"context"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/mechanism"
	"dpworkbench/optimize/lp"
)

// mayBeExact returns an error wrapping evidence.ErrParameter unless all numbers of the program are rational.
func (p *program) mayBeExact(eps evidence.Epsilon) error {
	switch {
	case p.ratio == nil:
		return parameter.Bad("eps", eps, "the logarithm of a rational number for an exact optimum")
	case p.objective == Pareto:
		return parameter.Errorf(`objective = %q has no exact optimum, want "mean" or "worst"`, string(p.objective))
	}
	return nil
}

// exact solves the program in rational numbers.
func (p *program) exact(ctx context.Context, name string, claim evidence.Number, faces int) (*Optimal, error) {
	x, err := lp.SolveExact(ctx, &p.Program, p.ratio, faces)
	if err != nil {
		return nil, err
	}
	rows := make([][]*big.Rat, p.q.Size())
	for i := range rows {
		rows[i] = lp.Zeros(len(p.q.Range()))
		for k, r := range p.values {
			rows[i][r] = x.P[i*len(p.values)+k]
		}
	}
	t, err := mechanism.NewRationalTable(mechanism.Info{Name: name, Query: p.q, Claimed: claim}, rows, nil)
	if err != nil {
		return nil, err
	}
	m := &Optimal{Table: t, eps: p.eps, delta: p.delta, objective: p.objective, optimum: evidence.Exact{
		Value: new(big.Rat).Mul(x.Value, p.scale), Cases: uint64(p.Size()),
		Provenance: evidence.From("linear program of the optimal mechanism; primal and dual points agree, both checked in rationals"),
	}}
	m.certificate = func() Certificate {
		return p.certificate(func(k int) *big.Rat { return new(big.Rat).Set(x.Z[k]) }, func(i int) *big.Rat { return x.V[i] })
	}
	return m, nil
}
