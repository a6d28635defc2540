package evidence

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/interval"
)

// The whole numbers that a multiple of a logarithm is compared by lie on both sides of it, as near as its series and
// its factor leave them, whatever its sign and the bits: against an enclosure of 256 bits.
func TestFixedEnclosesMultiplesOfLogarithms(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 11))
	draw := func(most int64) *big.Rat { return big.NewRat(1+rng.Int64N(most), 1+rng.Int64N(most)) }
	below, above := 0, 0
	for range 3000 {
		base := draw([]int64{3, 40, 1 << 40}[rng.IntN(3)])
		if base.Cmp(big.NewRat(1, 1)) <= 0 {
			base.Inv(base).Add(base, big.NewRat(1, 1<<20))
		}
		scale := draw([]int64{2, 30, 1 << 30}[rng.IntN(3)])
		if rng.IntN(2) == 0 {
			scale.Neg(scale)
		}
		bits := uint(rng.IntN(130))
		unit := interval.Rat(new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), bits)))
		truth := interval.Rat(base).Log().Mul(interval.Rat(scale)).Mul(unit)
		low, high := (&real{base: base, scale: scale}).fixed(bits)
		lo, hi := interval.Rat(new(big.Rat).SetInt(low)), interval.Rat(new(big.Rat).SetInt(high))
		if truth.Less(lo) || hi.Less(truth) {
			t.Fatalf("%v ln %v in %d bits is %v, not in [%v, %v]", scale, base, bits, truth, low, high)
		}
		// A term a bit and a half at most, two units each, of ln m and of k ln 2.
		spare := new(big.Rat).Mul(new(big.Rat).Abs(scale), big.NewRat(int64(6+2*bits)*int64(2+base.Num().BitLen()), 1))
		if wide := new(big.Rat).SetInt(new(big.Int).Sub(high, low)); wide.Cmp(spare.Add(spare, big.NewRat(3, 1))) > 0 {
			t.Fatalf("%v ln %v in %d bits: %v apart, want at most %v", scale, base, bits, wide, spare)
		}
		if middle := interval.Rat(new(big.Rat).SetFrac(new(big.Int).Add(low, high), big.NewInt(2))); middle.Less(truth) {
			below++
		} else {
			above++
		}
	}
	if below < 100 || above < 100 {
		t.Errorf("the middle is below %d times, above %d times", below, above)
	}
	for _, q := range []*big.Rat{big.NewRat(-7, 3), big.NewRat(7, 3), big.NewRat(-2, 1), big.NewRat(2, 1), new(big.Rat)} {
		low, high := (&real{scale: q}).fixed(5)
		at := new(big.Rat).Mul(q, big.NewRat(32, 1))
		if at.Cmp(new(big.Rat).SetInt(low)) < 0 || at.Cmp(new(big.Rat).SetInt(high)) > 0 || new(big.Int).Sub(high, low).Int64() != 1 {
			t.Errorf("%v in 5 bits: %v to %v", q, low, high)
		}
	}
}

// The series itself is off by no more than it says, on the side where it rounds.
func TestFixedArtanhKeepsItsErrorBound(t *testing.T) {
	for _, bits := range []uint{0, 1, 2, 3, 8, 33, 100} {
		for a := range int64(8) {
			for b := max(1, 3*a); b <= 3*a+9; b++ {
				sum, off := fixedArtanh(big.NewInt(a), big.NewInt(b), bits)
				z := big.NewRat(a, b)
				one := big.NewRat(1, 1)
				truth := interval.Rat(new(big.Rat).Quo(new(big.Rat).Add(one, z), new(big.Rat).Sub(one, z))).Log().Mul(interval.Rat(big.NewRat(1, 2)))
				truth = truth.Mul(interval.Rat(new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), bits))))
				end := func(v *big.Int) interval.Interval { return interval.Rat(new(big.Rat).SetInt(v)) }
				if truth.Less(end(sum)) || end(new(big.Int).Add(sum, off)).Less(truth) || off.Sign() <= 0 || off.Int64() > int64(bits)+4 {
					t.Errorf("artanh %v in %d bits is %v: %v, off by %v at most", z, bits, truth, sum, off)
				}
			}
		}
	}
}
