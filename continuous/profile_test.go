package continuous

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// A term alone is the term of the list, and far beyond the list it goes on in a line.
func TestTerm(t *testing.T) {
	rng := rand.New(rand.NewPCG(19, 7))
	for range 200 {
		var s series
		for range 1 + rng.IntN(6) {
			s.ramp(rng.IntN(20), rng.IntN(5), big.NewInt(rng.Int64N(9)-4), big.NewInt(rng.Int64N(9)-4))
		}
		list := s.values(60)
		for i, want := range list {
			if got := s.term(i); got.Cmp(want) != 0 {
				t.Fatalf("term %d is %v, want %v", i, got, want)
			}
		}
		slope := new(big.Int).Sub(list[59], list[58])
		want := slope.Mul(slope, big.NewInt(math.MaxInt-59))
		if want.Add(want, list[59]); s.term(math.MaxInt).Cmp(want) != 0 {
			t.Errorf("term 2^63 - 1 is %v, want %v", s.term(math.MaxInt), want)
		}
	}
}
