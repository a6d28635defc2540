package xor

import (
	"math"
	"math/rand/v2"
	"testing"
)

// A step of the walk multiplies, adds up part by part, and sees a weight that leaves
// 2^±guardBits wherever it stands: at the ends to the last bit.
func TestGuardedSteps(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 1))
	least, most := math.Ldexp(1, -guardBits), math.Ldexp(1, guardBits)
	odd := []struct {
		weight float64
		within bool
	}{{least, true}, {math.Nextafter(least, 0), false}, {most, true}, {math.Nextafter(most, 2*most), false}, {1, true}, {math.Ldexp(1, -1000), false}, {math.Ldexp(1, 1000), false}, {0, false}, {math.Inf(1), false}}
	for trial := range 2000 {
		ends, n := []int{}, 0
		for range 1 + rng.IntN(3) {
			n += rng.IntN(6)
			ends = append(ends, n)
		}
		src, ratio, dst, sums := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, len(ends))
		for i := range src {
			src[i], ratio[i] = math.Ldexp(1+rng.Float64(), rng.IntN(40)-20), math.Ldexp(1+rng.Float64(), rng.IntN(40)-20)
		}
		c, want := math.Ldexp(1, rng.IntN(9)-4), true
		if n > 0 && trial%3 > 0 {
			at, o := rng.IntN(n), odd[trial%len(odd)]
			src[at], ratio[at], want = o.weight, 1/c, o.within
		}
		if got := advanceGuarded(dst, src, ratio, c, ends, sums); got != want {
			t.Errorf("weights %v in %v: within %t, want %t", dst, ends, got, want)
		}
		start := 0
		for k, end := range ends {
			whole, rest := 0.0, 0.0
			for i := start; i < end; i++ {
				if w := src[i] * (ratio[i] * c); dst[i] != w {
					t.Errorf("weight %d is %v, want %v", i, dst[i], w)
				}
				if (i-start)%2 == 0 {
					whole += dst[i]
				} else {
					rest += dst[i]
				}
			}
			if start = end; sums[k] != whole+rest {
				t.Errorf("part %d of %v sums to %v, want %v", k, ends, sums[k], whole+rest)
			}
		}
	}
}
