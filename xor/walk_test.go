package xor

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/must"
)

// advanceGuarded multiplies, sums each class, and detects any weight outside 2^±guardBits, exactly at the limits.
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
			t.Errorf("weights %v with parts %v: in range %t, want %t", dst, ends, got, want)
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

// The kernels agree with plain sums, for every number of low bits.
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

// advanceScaled returns entrywise products of the form m·2ᵉ with ½ ≤ m < 1, rounded twice, and sums each class of
// entries.
func TestAdvanceScaled(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 4))
	edge := []float64{.5, math.Nextafter(.5, 1), math.Sqrt(.5), math.Nextafter(1, 0)}
	random := func() scaledFloat {
		m := .5 + rng.Float64()/2
		if rng.IntN(2) == 0 {
			m = edge[rng.IntN(len(edge))]
		}
		return scaledFloat{m, rng.Int64N(1<<40) - 1<<39}
	}
	exact := func(of ...scaledFloat) (m *big.Float, e int64) {
		m = big.NewFloat(1).SetPrec(400)
		for _, w := range of {
			m.Mul(m, big.NewFloat(w.m))
			e += w.e
		}
		return m, e
	}
	for range 300 {
		src, ratio, dst := newVector(make([]scaledFloat, 7)), newVector(make([]scaledFloat, 7)), newVector(make([]scaledFloat, 7))
		c, acc := random(), []scaledSum{{e: none}, {e: none}, {e: none}}
		near := random()
		for i := range src.m {
			a, b := random(), random()
			src.m[i], src.e[i], ratio.m[i], ratio.e[i] = a.m, near.e, b.m, near.e-int64(i)
		}
		ends := []int{0, 3, 7}
		advanceScaled(dst, src, ratio, c, ends, acc)
		start := 0
		for k, end := range ends {
			sum := new(big.Float).SetPrec(400)
			for i := start; i < end; i++ {
				want, e := exact(src.entry(i), ratio.entry(i), c)
				got := new(big.Float).SetMantExp(big.NewFloat(dst.m[i]), int(dst.e[i]-e))
				if gap := new(big.Float).Sub(got, want); gap.Quo(gap, want).Abs(gap).Cmp(big.NewFloat(0x1p-52)) > 0 || dst.m[i] < .5 || dst.m[i] >= 1 {
					t.Errorf("product %v·%v·%v is %v", src.entry(i), ratio.entry(i), c, dst.entry(i))
				}
				sum.Add(sum, new(big.Float).SetMantExp(big.NewFloat(dst.m[i]), int(dst.e[i]-near.e-near.e-c.e)))
			}
			got := acc[k].rounded()
			have := new(big.Float)
			if got.m > 0 {
				have.SetMantExp(big.NewFloat(got.m), int(got.e-near.e-near.e-c.e))
			}
			if gap := new(big.Float).Sub(have, sum); gap.Abs(gap).Cmp(new(big.Float).Mul(sum, big.NewFloat(0x1p-52))) > 0 {
				t.Errorf("class %d sums to %v, want %v", k, have, sum)
			}
			start = end
		}
	}
}

// A walk is unguarded only if bounds show that all weights are in the safe range. A walk whose weights are near its
// limits may be guarded.
func TestUnguardedWalksAreInRange(t *testing.T) {
	for _, x := range []float64{-900, -670, -666, -620, -1, 0, 1, 620, 666, 670, 900} {
		for _, y := range []float64{-900, -666, -620, 0, 620, 666, 900} {
			rows := [][]float64{{0, 0}, {0, 0}}
			f := newFast(must.Be(newSplit([]float64{x, y}, rows, 2)))
			least, most := math.Min(x, 0)+math.Min(y, 0), math.Max(x, 0)+math.Max(y, 0)
			trusted := guardBits * math.Ln2
			if in := f != nil && f.unguarded; in && (least < -trusted || most > trusted) || !in && least > -650 && most < 650 {
				t.Errorf("exponents %g and %g: unguarded %t", x, y, in)
			}
		}
	}
}

// coefficient returns a float64 only if its product with every entry of its vector is a normal number with a few bits
// to spare.
func TestCoefficientsOfNormalProducts(t *testing.T) {
	rows := [][]float64{{0, 0, 40}, {0, 0, 7}, {40, 7, 0}} // the last bit's vector is 1, e^80, e^14, e^94
	f := newFast(must.Be(newSplit(make([]float64, 3), rows, 2)))
	products := func(e int64) (least, most float64) { // base-2 logarithms of the least and the largest product
		return float64(e-1) + math.Log2(f.ends2[0][0]) + float64(f.shift[0]), float64(e-1) + math.Log2(f.ends2[0][1]) + float64(f.shift[0])
	}
	for e := int64(-1300); e <= 1300; e++ {
		_, ok := f.coefficient(0, scaledFloat{.5, e})
		least, most := products(e)
		if in := least > -1010 && most < 1010; in && !ok && math.Abs(float64(e)) < 900 || ok && (least < -1021 || most > 1021) {
			t.Errorf("2^%d: ok %t, products from 2^%g to 2^%g", e-1, ok, least, most)
		}
	}
}
