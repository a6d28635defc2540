package mvg

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/must"
	"dpworkbench/internal/sampling"
)

// A multiple of the grid becomes the nearest float64, ties to even. Below 2⁻¹⁰²², rounding the integer first would
// round twice. Above the range of float64 the result is the largest float64.
func TestGridValueRoundsToNearest(t *testing.T) {
	rng := rand.New(rand.NewPCG(62, 1))
	for range 20000 {
		step := sampling.TwoTo(rng.IntN(2300) - 1250)
		if rng.IntN(3) == 0 {
			step.Mul(step, big.NewRat(1+rng.Int64N(9), 1+rng.Int64N(9)))
		}
		k := new(big.Int).Rsh(big.NewInt(rng.Int64()), uint(rng.IntN(63)))
		switch rng.IntN(4) {
		case 0:
			k.Lsh(k, uint(rng.IntN(100)))
		case 1:
			k.SetInt64(1<<54 + rng.Int64N(8)) // near a tie
		}
		if rng.IntN(2) == 0 {
			k.Neg(k)
		}
		want, _ := new(big.Rat).Mul(new(big.Rat).SetInt(k), step).Float64()
		if math.IsInf(want, 0) {
			want = math.Copysign(math.MaxFloat64, want)
		}
		if got := must.Be(newGrid(step, nil)).value(k); got != want {
			t.Fatalf("%v·%v becomes %v, want %v", k, step.FloatString(5), got, want)
		}
	}
	tie := new(big.Int).SetInt64(1<<60 + 1<<8 - 1) // just below a tie, and rounding to 53 bits gives the tie
	step := sampling.TwoTo(-1074 - 9)
	want, _ := new(big.Rat).Mul(new(big.Rat).SetInt(tie), step).Float64()
	if got := must.Be(newGrid(step, nil)).value(tie); got != want {
		t.Errorf("%v·2^−1083 becomes %v, want %v", tie, got, want)
	}
}
