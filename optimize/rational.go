package optimize

import (
	"context"
	"fmt"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/internal/lp"
	"dpworkbench/mechanism"
)

// mayBeExact returns an error wrapping evidence.ErrParameter where the program
// is not one in rational numbers.
func (p *program) mayBeExact(eps evidence.Epsilon) error {
	switch {
	case p.ratio == nil:
		return fmt.Errorf("%w: eps = %s, want the logarithm of a rational number for an exact optimum", evidence.ErrParameter, eps)
	case p.objective == Pareto:
		return fmt.Errorf("%w: objective = %q has no exact optimum, want \"mean\" or \"worst\"", evidence.ErrParameter, string(p.objective))
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
		rows[i] = make([]*big.Rat, len(p.q.Range()))
		for r := range rows[i] {
			rows[i][r] = new(big.Rat)
		}
		for k, r := range p.values {
			rows[i][r] = x.P[i*len(p.values)+k]
		}
	}
	t, err := mechanism.NewRationalTable(name, p.q, claim, rows, nil)
	if err != nil {
		return nil, err
	}
	m := &Optimal{Table: t, optimum: evidence.Exact{
		Value: new(big.Rat).Mul(x.Value, p.scale), Cases: uint64(p.Size()),
		Source: "linear program of the optimal mechanism; primal and dual points agree, both checked in rationals",
	}}
	m.certificate = func() Certificate {
		return p.certificate(func(k int) *big.Rat { return new(big.Rat).Set(x.Z[k]) }, func(i int) *big.Rat { return x.V[i] })
	}
	return m, nil
}
