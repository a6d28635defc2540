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

// The kernels are plain sums, for every number of low bits.
func TestKernelsAreSums(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 36))
	for low := 1; low <= 11; low++ {
		s := &split{low: low}
		s.sort()
		n := 1 << low
		vector := func() []float64 {
			v := make([]float64, n)
			for i := range v {
				v[i] = math.Exp(rng.NormFloat64())
			}
			return v
		}
		src, x, y, z := vector(), vector(), vector(), vector()
		classes := func() []float64 { return make([]float64, low+1) }
		got, gotSums := make([]float64, n), classes()
		advance(got, src, x, 1.7, s.ends, gotSums)
		a, b, c := classes(), classes(), classes()
		dot3(src, x, y, z, s.ends, a, b, c)
		start := 0
		for k, end := range s.ends {
			sum, dot := 0.0, 0.0
			for i := start; i < end; i++ {
				sum += src[i] * x[i] * 1.7
				dot += src[i] * z[i]
			}
			if math.Abs(gotSums[k]-sum) > 1e-12*sum || math.Abs(c[k]-dot) > 1e-12*dot {
				t.Fatalf("%d bits: class %d sums to %v and %v, one by one %v and %v", low, k, gotSums[k], c[k], sum, dot)
			}
			start = end
		}
	}
}
