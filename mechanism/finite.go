package mechanism

import (
	"context"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/query"
)

// sumTolerance is how far from 1 the sum of a row that is written down may be.
var sumTolerance = big.NewRat(1, 1_000_000_000)

// NewFinite returns the mechanism that is written down as a table: table[x][r] is
// the probability of the r-th value of the range at dataset x. What a row's sum
// leaves of 1, at most 1e-9, is divided out, so that every probability is an exact
// rational. The mechanism claims what claim says, and of nil nothing: its smallest
// ε stands in for a claim.
//
// It returns an error wrapping evidence.ErrParameter where the table has not one
// row per dataset and one column per value, a probability is negative, or a row's
// sum is farther from 1.
func NewFinite(ctx context.Context, q *query.Query, table [][]*big.Rat, claim evidence.Number) (*Table, error) {
	if len(table) != q.Size() {
		return nil, parameter.Errorf("table has %d rows, want %d, one per dataset", len(table), q.Size())
	}
	one := big.NewRat(1, 1)
	rows := make([][]*big.Rat, len(table))
	for x, row := range table {
		if len(row) != len(q.Range()) {
			return nil, parameter.Errorf("table[%d] has %d probabilities, want %d, one per value of the range", x, len(row), len(q.Range()))
		}
		sum := new(big.Rat)
		for r, p := range row {
			if p == nil {
				return nil, parameter.Errorf("table[%d][%d] is missing, want a probability", x, r)
			}
			if p.Sign() < 0 {
				return nil, parameter.Errorf("table[%d][%d] = %s, want a probability", x, r, p.RatString())
			}
			sum.Add(sum, p)
		}
		off := new(big.Rat).Sub(sum, one)
		if new(big.Rat).Abs(off).Cmp(sumTolerance) > 0 {
			excess, _ := off.Float64()
			return nil, parameter.Errorf("table[%d] sums to 1 %+.6g, want 1 within 1e-9", x, excess)
		}
		rows[x] = make([]*big.Rat, len(row))
		for r, p := range row {
			rows[x][r] = new(big.Rat).Quo(p, sum)
		}
	}
	m, err := NewRationalTable(Info{"finite mechanism", q, claim}, rows, nil)
	if err == nil && claim == nil {
		m.claimed, err = smallestEpsilon(ctx, m)
	}
	return m, err
}
