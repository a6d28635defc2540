package privacy

import (
	"context"

	"dpworkbench/evidence"
)

// Profile is the privacy profile of a mechanism: the set of all (ε, δ) such that, for neighbors x, x' and every event
// E,
//
//	Pr[M(x) ∈ E] ≤ e^ε Pr[M(x') ∈ E] + δ.
//
// Answers are exact, or enclosures whose safe side is up. Both methods return an error wrapping evidence.ErrParameter
// for a parameter out of range, and the context's error.
type Profile interface {
	// Delta returns the least δ at ε: the largest hockey-stick divergence of neighbors, in both directions. At ε = 0
	// it is the largest total variation distance.
	Delta(ctx context.Context, eps evidence.Epsilon) (evidence.Number, error)
	// Epsilon returns the least ε ≥ 0 at δ in nats, and +Inf if there is none. At δ = 0 it is the smallest ε of pure
	// differential privacy.
	Epsilon(ctx context.Context, delta evidence.Delta) (evidence.Number, error)
}
