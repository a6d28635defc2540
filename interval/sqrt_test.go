package interval

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

func TestSqrtEnclosesRoot(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := big.NewRat(rapid.Int64Range(0, 1e15).Draw(t, "num"), rapid.Int64Range(1, 1e15).Draw(t, "den"))
		r := Rat(new(big.Rat).Mul(q, q)).Sqrt()
		lo, _ := r.lo.Rat(nil)
		hi, _ := r.hi.Rat(nil)
		if lo.Cmp(q) > 0 || hi.Cmp(q) < 0 {
			t.Fatalf("√(%v²) in %v", q, r)
		}
		if l, h := r.Bounds(); h-l > 3e-16*h {
			t.Fatalf("√(%v²) = %v is wide", q, r)
		}
	})
}
