package interval_test

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"dpworkbench/interval"
)

func TestSqrtEnclosesRoot(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := big.NewRat(rapid.Int64Range(0, 1e15).Draw(t, "num"), rapid.Int64Range(1, 1e15).Draw(t, "den"))
		r := interval.Rat(new(big.Rat).Mul(q, q)).Sqrt()
		lo, _ := r.Lower().MidFloat(interval.Prec).Rat(nil)
		hi, _ := r.Upper().MidFloat(interval.Prec).Rat(nil)
		if lo.Cmp(q) > 0 || hi.Cmp(q) < 0 {
			t.Fatalf("√(%v²) in %v", q, r)
		}
		if l, h := r.Bounds(); h-l > 3e-16*h {
			t.Fatalf("√(%v²) = %v is wide", q, r)
		}
	})
}
