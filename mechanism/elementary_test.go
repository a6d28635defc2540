package mechanism

import (
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/interval"
)

// Both stay within their bounds at random arguments and at those where the
// reduction changes sides, against 256-bit intervals.
func TestElementaryErrors(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 2))
	for i := range 20000 {
		v := 708 * rng.Float64() * rng.Float64()
		switch i % 4 {
		case 0:
			v = math.Ldexp(v, -rng.IntN(60))
		case 1: // half way between two multiples of ln 2
			v = (float64(rng.IntN(1020)) + 0.5) * math.Ln2
			for range rng.IntN(3) {
				v = math.Nextafter(v, 0)
			}
		case 2: // up to the last that is not 0
			v = 708 - math.Ldexp(rng.Float64(), -i%60)*float64(min(i/4, 1))
		}
		want := interval.Float(v).Neg().Exp()
		off := interval.Float(expNeg(v)).Quo(want).Sub(interval.Int(1))
		if lo, hi := off.Bounds(); lo < -expError || hi > expError {
			t.Fatalf("e^-%v is off by [%g, %g], want at most %g", v, lo, hi, expError)
		}
		p := expNeg(v) * (1 + rng.Float64())
		if i%2 == 0 {
			p = 1 / p
		}
		y := logOf(p)
		off = interval.Float(p).Log().Sub(interval.Float(y))
		if lo, hi := off.Bounds(); lo < -logError(y) || hi > logError(y) {
			t.Fatalf("ln %v is off by [%g, %g], want at most %g", p, lo, hi, logError(y))
		}
	}
	for _, v := range []float64{math.Nextafter(708, 709), 746, 1e308, math.Inf(1)} {
		if got := expNeg(v); got != 0 {
			t.Errorf("e^-%v = %v, want 0", v, got)
		}
	}
}
