package privacy

import (
	"context"

	"dpworkbench/evidence"
)

// Profile is the privacy of a mechanism for its neighbors: the set of all (ε, δ) at
// which, for neighbors x, x' and every event E,
//
//	Pr[M(x) ∈ E] ≤ e^ε Pr[M(x') ∈ E] + δ.
//
// Both answers are losses: exact, or enclosures that are read at their upper end.
// They return an error wrapping evidence.ErrParameter for a parameter out of
// range, and the context's error where it ends first.
type Profile interface {
	// Delta returns the least δ at ε, that is the largest hockey-stick divergence
	// of neighbors in both directions; ε = 0 gives their total variation distance.
	Delta(ctx context.Context, eps evidence.Epsilon) (evidence.Number, error)
	// Epsilon returns the least ε ≥ 0 at δ, in nats: +Inf where no ε
	// will do. At δ = 0 it is the smallest ε of pure differential privacy.
	Epsilon(ctx context.Context, delta evidence.Delta) (evidence.Number, error)
}
