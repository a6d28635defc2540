package script_test

import (
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

// round returns an integer that is at most ½ away. It is even if two integers are equally near.
func TestRoundHalfToEven(t *testing.T) {
	s, half := script.New(script.Vocabulary{}), big.NewRat(1, 2)
	for den := int64(1); den <= 8; den++ {
		for num := int64(-40); num <= 40; num++ {
			q := big.NewRat(num, den)
			s.Set("q", script.Known(evidence.Exact{Value: q}))
			v, err := s.Exec(t.Context(), "a", "round(q)")
			if err != nil {
				t.Fatal(err)
			}
			got := v.(starlark.Int).BigInt()
			away := new(big.Rat).Sub(q, new(big.Rat).SetInt(got))
			if c := away.Abs(away).Cmp(half); c > 0 || c == 0 && got.Bit(0) == 1 {
				t.Errorf("%v is rounded to %v", q, got)
			}
		}
	}
}
