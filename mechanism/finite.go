package mechanism

import (
	"context"
	"fmt"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/query"
)

// Finite is a finite mechanism given by its laws alone. New makes a Mechanism of it. If it has a method
// ClaimedEpsilon, with Mechanism's signature, New uses that claim.
type Finite interface {
	// Name returns the mechanism's name and parameters.
	Name() string
	// Query returns the query that the mechanism answers.
	Query() *query.Query
	// Law returns the probabilities of the values of the range at dataset x, as rational numbers or enclosures.
	Law(x int) ([]evidence.RatOrInterval, error)
}

// New returns the mechanism with the laws of f. It calls Law once for each dataset. Results are exact if all
// probabilities are rational, and certified otherwise. If f makes no claim, the claimed ε is the smallest ε.
//
// It returns an error wrapping evidence.ErrParameter if a law does not have one probability per value, a
// probability is negative or cannot be told from 0, or a law does not sum to 1. It also returns errors of Law and
// the context's error.
func New(ctx context.Context, f Finite) (*Table, error) {
	q := f.Query()
	h := Info{Name: f.Name(), Query: q}
	if c, ok := f.(interface{ ClaimedEpsilon() evidence.Number }); ok {
		h.Claimed = c.ClaimedEpsilon()
	}
	rows := make([][]evidence.RatOrInterval, q.Size())
	for x := range rows {
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
			if p.Rational != nil {
				p = evidence.ExactRat(p.Rational)
			}
			rows[x] = append(rows[x], p)
			sum = sum.Add(p.Enclosure)
		}
		if one := interval.Int(1); sum.Less(one) || one.Less(sum) {
			return nil, parameter.Errorf("the law at dataset %d sums to %v, want 1", x, sum)
		}
	}
	t, err := newAmountTable(h, rows, nil, nil)
	if err == nil && h.Claimed == nil {
		t.claimed, err = smallestEpsilon(ctx, t)
	}
	return t, err
}

// sumTolerance bounds the difference from 1 of the sum of a row or prior that the caller supplies.
var sumTolerance = big.NewRat(1, 1_000_000_000)

// NewFinite returns the mechanism with the given table: table[x][r] is the probability of range[r] at dataset x.
// Each row is divided by its sum, which must be 1 within 1e-9. The probabilities are then exact rational numbers.
// A nil claim means that the claimed ε is the smallest ε.
//
// It returns an error wrapping evidence.ErrParameter unless the table has one row per dataset and one column per
// value, no probability is negative, and every sum is within the tolerance.
func NewFinite(ctx context.Context, q *query.Query, table [][]*big.Rat, claim evidence.Number) (*Table, error) {
	if len(table) != q.Size() {
		return nil, parameter.Errorf("table has %d rows, want %d, one per dataset", len(table), q.Size())
	}
	rows := make([][]*big.Rat, len(table))
	for x, row := range table {
		if len(row) != len(q.Range()) {
			return nil, parameter.Errorf("table[%d] has %d probabilities, want %d, one per value of the range", x, len(row), len(q.Range()))
		}
		var err error
		if rows[x], err = normalized(fmt.Sprintf("table[%d]", x), row); err != nil {
			return nil, err
		}
	}
	m, err := NewRationalTable(Info{"finite mechanism", q, claim}, rows, nil)
	if err == nil && claim == nil {
		m.claimed, err = smallestEpsilon(ctx, m)
	}
	return m, err
}

// normalized returns the probabilities p divided by their sum. It returns an error wrapping evidence.ErrParameter if a
// probability is missing or negative, or if the sum differs from 1 by more than sumTolerance.
func normalized(name string, p []*big.Rat) ([]*big.Rat, error) {
	sum := new(big.Rat)
	for i, v := range p {
		if v == nil {
			return nil, parameter.Errorf("%s[%d] is missing, want a probability", name, i)
		}
		if v.Sign() < 0 {
			f, _ := v.Float64()
			return nil, parameter.Errorf("%s[%d] = %g, want a probability", name, i, f)
		}
		sum.Add(sum, v)
	}
	excess := new(big.Rat).Sub(sum, big.NewRat(1, 1))
	if excess.Abs(excess).Cmp(sumTolerance) > 0 {
		f, _ := sum.Float64()
		return nil, parameter.Errorf("%s sums to %.12g, want 1", name, f)
	}
	out := lists.Of(len(p), func(i int) *big.Rat { return new(big.Rat).Quo(p[i], sum) })
	return out, nil
}
