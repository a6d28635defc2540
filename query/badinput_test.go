package query_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/query"
)

// What is missing is an error that says where.
func TestMissingNumbers(t *testing.T) {
	ctx := context.Background()
	one := big.NewRat(1, 1)
	h, err := query.NewHistograms(ctx, 2, 2, query.AddRemove)
	if err != nil {
		t.Fatal(err)
	}
	values := []query.Value{query.Number(0), query.Number(1)}
	for name, f := range map[string]func() error{
		"weight": func() error { _, err := h.Linear([]*big.Rat{one, nil}); return err },
		"median": func() error { _, err := h.Median([]*big.Rat{nil, one}); return err },
		"value": func() error {
			_, err := query.New("f", line(t, 2), []query.Value{query.Number(0), nil}, nil, query.ValueMetric{})
			return err
		},
		"range": func() error {
			_, err := query.New("f", line(t, 2), values, []query.Value{values[0], values[1], nil}, query.ValueMetric{})
			return err
		},
		"fraction": func() error {
			_, err := query.New("f", line(t, 2), []query.Value{query.RationalValue(nil), query.Number(0)}, nil, query.ValueMetric{})
			return err
		},
		"distance": func() error { _, err := query.NewRationalSpace(ctx, [][]*big.Rat{{nil}}); return err },
		"metric": func() error {
			_, err := query.New("f", line(t, 2), values, nil, query.ValueMetric{Rational: [][]*big.Rat{{new(big.Rat), nil}, {one, new(big.Rat)}}})
			return err
		},
		"histogram": func() error { _, err := h.Index([]int{1, math.MaxInt}); return err },
	} {
		if err := f(); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%s: %v, want ErrParameter", name, err)
		}
	}
	for _, v := range []float64{math.NaN(), math.Inf(1)} {
		if _, err := query.Rational("end", v); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%v: %v, want ErrParameter", v, err)
		}
	}
	for _, v := range []query.Value{query.Fraction{}, query.Number(math.NaN()), query.Number(math.Inf(1)), nil} {
		if q, ok := query.RationalOf(v); ok {
			t.Errorf("%v is the number %v, want none", v, q)
		}
	}
}
