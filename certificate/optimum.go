package certificate

import (
	"context"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/mechanism"
	"dpworkbench/optimize"
)

// optimum proves the optimum of a query: a mechanism attains it, and prices of the constraints (a dual solution) bound
// it from below.
func optimum(m *optimize.Optimal) prover {
	return func(ctx context.Context, n evidence.Number) (statement, proof object, err error) {
		if m.Objective() == optimize.Pareto {
			return nil, nil, parameter.Errorf(`no certificate of %s: objective "pareto" is not supported`, n)
		}
		q, err := queryOf(ctx, m.Query())
		if err != nil {
			return nil, nil, err
		}
		eps, budget := m.Guarantee()
		c := m.Certificate()
		statement = object{
			"kind": "optimum", "query": q, "eps": epsilon(eps), "delta": rational(budget.Rat()), "objective": string(m.Objective()), "is": is(n),
		}
		laws := listOf(mechanism.RationalLaws(m), rationals)
		prices := list{}
		for i, key := range c.Keys() {
			if i%1024 == 0 && ctx.Err() != nil {
				return nil, nil, ctx.Err()
			}
			price := new(big.Rat).Mul(c.Up[key], c.Unit) // per unit of distance, not per step
			prices = append(prices, list{key[0], key[1], key[2], rational(price)})
		}
		proof = object{"laws": laws, "prices": prices}
		if len(c.Values) < len(m.Query().Range()) {
			proof["values"] = places(c.Values)
		}
		if m.Objective() == optimize.Worst {
			proof["weights"] = rationals(c.Bound)
		} else {
			statement["prior"] = rationals(c.Weight)
		}
		return statement, proof, nil
	}
}
