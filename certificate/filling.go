package certificate

import (
	"context"

	"dpworkbench/evidence"
	"dpworkbench/mvg"
)

// filling proves a number of a water-filling by the level.
func filling(s *mvg.FillingStatement) prover {
	return func(_ context.Context, n evidence.Number) (statement, proof object, err error) {
		f := s.Filling
		number := map[mvg.FillingNumber]string{mvg.FillingOptimum: "optimum", mvg.FillingInformation: "information", mvg.FillingLevel: "level"}[s.Number]
		norm := map[mvg.Norm]string{mvg.L1: "l1", mvg.L2: "l2"}[f.Norm]
		statement = object{
			"kind": "water-filling", "number": number, "eigenvalues": floats(f.Eigenvalues), "budget": float(f.Budget), "norm": norm, "is": is(n),
		}
		if f.Weights != nil {
			statement["weights"] = floats(f.Weights)
		}
		if s.Number == mvg.FillingLevel {
			return statement, object{}, nil
		}
		low, high := f.Level()
		return statement, object{"level": list{rational(low), rational(high)}}, nil
	}
}
