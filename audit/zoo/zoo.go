// Package zoo holds twenty mechanisms for testing an audit: ten with proven privacy, each paired with one that makes a
// published error. Every sampler claims (ε, δ) for one pair of neighboring inputs.
//
// The noise of all but laplace_doubles is drawn exactly on integers or on a grid, so that the named error is the
// only one.
package zoo

import (
	"context"
	"errors"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"

	"dpworkbench/audit"
	"dpworkbench/evidence"
	"dpworkbench/internal/draw"
	"dpworkbench/internal/parallel"
	"dpworkbench/internal/parameter"
)

// Mechanism is a sampler that claims privacy.
type Mechanism struct {
	Name  string
	Right bool
	Claim audit.Claim
	Pair  audit.Pair // two neighboring inputs
	What  string     // what it does; for a wrong mechanism, the error
	Draws int        // draws of each input that refute a wrong one
	// Source cites the publication of the error or, for a right one, of the mechanism.
	Source string
	sample func(second bool, src rand.Source) string
}

// All returns the mechanisms, each wrong one followed by a right one for the same task. Their Draws for both inputs
// add up to at most a million.
func All() []*Mechanism { return slices.Concat(numbers(), selections(), sums()) }

// MostDraws bounds the draws of one input.
const MostDraws = 1 << 24

// Samples returns n outputs at each input of the pair, in this order: words, numbers or tuples as audit.Samples takes
// them. They are independent draws from two streams seeded from src. It returns an error wrapping ErrParameter unless
// 1 ≤ n ≤ MostDraws, and the context's error.
func (m *Mechanism) Samples(ctx context.Context, n int, src rand.Source) (drawn [2][]string, err error) {
	if n < 1 || n > MostDraws {
		return drawn, parameter.Bad("n", n, "1 <= n <= 16777216")
	}
	for i := range drawn {
		from := draw.NewKey(src).Source()
		for k := range n {
			if k%1024 == 0 {
				if err := ctx.Err(); err != nil {
					return drawn, err
				}
				parallel.Report(ctx, int64(i*n+k), int64(2*n), "draws")
			}
			drawn[i] = append(drawn[i], m.sample(i == 1, from))
		}
	}
	return drawn, nil
}

// Audit tests the claim by n draws of each input, with the default options.
func (m *Mechanism) Audit(ctx context.Context, n int, src rand.Source) (*audit.Result, error) {
	drawn, err := m.Samples(ctx, n, src)
	if err != nil {
		return nil, err
	}
	var s audit.Samples
	for i, outputs := range drawn {
		for _, output := range outputs {
			if err := s.Add(m.Pair[i], output, 1); err != nil {
				return nil, err
			}
		}
	}
	return s.Audit(ctx, []audit.Pair{m.Pair}, m.Claim, audit.Sampling{}, src)
}

// number spells an output that is a number.
func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// choose returns a at the first input, b at the second.
func choose[T any](second bool, a, b T) T {
	if second {
		return b
	}
	return a
}

// claim returns the claim with the given fractions for ε and δ.
func claim(eps, delta string) (c audit.Claim) {
	number := func(text string) *big.Rat {
		q, _ := new(big.Rat).SetString(text)
		return q
	}
	var errs [2]error
	c.Epsilon, errs[0] = evidence.RationalEpsilon("eps", number(eps))
	c.Delta, errs[1] = evidence.RationalDelta("delta", number(delta))
	if err := errors.Join(errs[:]...); err != nil {
		panic(err) // the claims are constants
	}
	return c
}
