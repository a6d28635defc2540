package query_test

import (
	"dpworkbench/internal/must"
	"math/big"
	"testing"

	"dpworkbench/query"
)

// Values and distances of any magnitude are exact.
func TestValuesOfAnyMagnitude(t *testing.T) {
	base, _ := new(big.Rat).SetString("1e400")
	at := func(n, d int64) query.Value { return query.RationalValue(new(big.Rat).Add(base, big.NewRat(n, d))) }
	q := must.For(query.New("f", line(t, 3), []query.Value{at(0, 1), at(1, 1), at(5, 3)}, nil, query.ValueMetric{}))(t)
	if s := q.RationalSensitivity(); s.Cmp(big.NewRat(1, 1)) != 0 {
		t.Errorf("sensitivity %v, want 1", s)
	}
	if d := q.Metric().Rational(1, 2); d.Cmp(big.NewRat(2, 3)) != 0 {
		t.Errorf("distance %v, want 2/3", d)
	}
}
