package ehmc

import "context"

// Sampler is a Markov chain on states that leaves the law it was built for
// unchanged (but for Published, which does not). A Sampler owns its source and
// its state, and is not safe for concurrent use.
type Sampler interface {
	// Step moves the chain once: a full travel of the Hamiltonian samplers, a
	// sweep over all bits of the others.
	Step() Info
	// State returns the chain's state, which the next Step changes.
	State() *State
}

// Info tells what one step did.
type Info struct {
	Tries   int // walls met, or bits visited
	Crosses int // walls crossed, or bits changed
}

// StepUntil is s.Step, left within milliseconds where ctx is done, with its error:
// the chain is then of no more use.
func StepUntil(ctx context.Context, s Sampler) (Info, error) {
	if long, ok := s.(interface {
		step(ctx context.Context) (Info, error)
	}); ok {
		return long.step(ctx)
	}
	if err := ctx.Err(); err != nil {
		return Info{}, err
	}
	return s.Step(), nil
}
