package query_test

import (
	"context"
	"errors"
	"math/big"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/query"
)

// Numbers outside the range of float64 are rejected in every argument, and others are accepted.
func TestMagnitudesAreChecked(t *testing.T) {
	ctx := context.Background()
	rat := func(s string) *big.Rat {
		v, ok := new(big.Rat).SetString(s)
		if !ok {
			t.Fatal(s)
		}
		return v
	}
	zero := new(big.Rat)
	h := must.For(query.NewHistograms(ctx, 2, 2, query.AddRemove))(t)
	for _, c := range []struct {
		v    string
		fits bool
	}{{"1e-400", false}, {"1e400", false}, {"-1e400", false}, {"5e-324", true}, {"1.7e308", true}, {"1/3", true}} {
		v := rat(c.v)
		for what, err := range map[string]error{
			"value": func() error {
				_, err := query.New("f", line(t, 2), []query.Value{query.RationalValue(v), query.Number(0)}, nil, query.ValueMetric{Discrete: true})
				return err
			}(),
			"weight": func() error {
				_, err := h.Linear([]*big.Rat{v, zero})
				return map[bool]error{true: nil, false: err}[c.v == "1.7e308"]
			}(),
			"median": func() error { _, err := h.Median([]*big.Rat{v, zero}); return err }(),
		} {
			if fits := c.fits || what == "value"; fits && err != nil || !fits && !errors.Is(err, evidence.ErrParameter) { // values may have any size, distances may not
				t.Errorf("%s %s: %v", what, c.v, err)
			}
		}
		if v.Sign() > 0 {
			if _, err := query.NewRationalSpace(ctx, [][]*big.Rat{{zero, v}, {v, zero}}); (err == nil) != c.fits {
				t.Errorf("distance %s: %v", c.v, err)
			}
		}
	}
	// The distance 1e308 − (−1e308) overflows float64. The unit of 1/3 and 1/3 + 1e-330 underflows it.
	for what, values := range map[string][]query.Value{
		"too far":   {query.Number(1e308), query.Number(-1e308)},
		"too close": {query.RationalValue(rat("1/3")), query.RationalValue(new(big.Rat).Add(rat("1/3"), rat("1e-330")))},
	} {
		if _, err := query.New("f", line(t, 2), values, nil, query.ValueMetric{}); !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), "range") {
			t.Errorf("%s: %v, want ErrParameter", what, err)
		}
	}
}
