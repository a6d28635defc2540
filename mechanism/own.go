package mechanism

import (
	"context"
	"fmt"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/query"
)

// Finite is a finite mechanism by its laws alone, of which New makes a Mechanism. One that has a method ClaimedEpsilon, as
// Mechanism has it, claims what that says.
type Finite interface {
	// Name says which mechanism it is, with its parameters.
	Name() string
	// Query returns the query that the mechanism answers.
	Query() *query.Query
	// Law returns the probabilities of the values of the range at dataset x, rationals or enclosures.
	Law(x int) ([]evidence.Amount, error)
}

// New returns the mechanism with the laws of f, which is asked for each once. Where all probabilities are rational answers are exact, and
// elsewhere certified. It claims what f claims, or else its smallest ε.
//
// It returns an error wrapping evidence.ErrParameter where a law has not one probability per value, one is negative or may be
// either 0 or positive, or their sum is not 1; errors of Law; and the context's.
func New(ctx context.Context, f Finite) (*Table, error) {
	q := f.Query()
	h := Info{Name: f.Name(), Query: q}
	if c, ok := f.(interface{ ClaimedEpsilon() evidence.Number }); ok {
		h.Claimed = c.ClaimedEpsilon()
	}
	rational, enclosed, exact := make([][]*big.Rat, q.Size()), make([][]interval.Interval, q.Size()), true
	for x := range q.Size() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		law, err := f.Law(x)
		if err != nil {
			return nil, fmt.Errorf("the law at dataset %d: %w", x, err)
		}
		if len(law) != len(q.Range()) {
			return nil, parameter.Errorf("the law at dataset %d has %d probabilities, want %d, one per value of the range", x, len(law), len(q.Range()))
		}
		sum := interval.Int(0)
		for _, p := range law {
			if exact = exact && p.Rational != nil; p.Rational != nil {
				p.Enclosure = interval.Rat(p.Rational)
			}
			rational[x], enclosed[x] = append(rational[x], p.Rational), append(enclosed[x], p.Enclosure)
			sum = sum.Add(p.Enclosure)
		}
		if one := interval.Int(1); sum.Less(one) || one.Less(sum) {
			return nil, parameter.Errorf("the law at dataset %d sums to %v, want 1", x, sum)
		}
	}
	var t *Table
	var err error
	if exact {
		t, err = NewRationalTable(h, rational, nil)
	} else {
		t, err = NewEnclosedTable(h, enclosed, nil, nil)
	}
	if err == nil && h.Claimed == nil {
		t.claimed, err = smallestEpsilon(ctx, t)
	}
	return t, err
}
