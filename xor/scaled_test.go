package xor

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/must"
)

// Sums of numbers of any size against exact ones, in any order: terms that follow
// each other at a distance in exponents around where the scale moves, and where
// they are dropped.
func TestScaledSums(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 3))
	jumps := []int64{0, 1, 52, 53, 60, 399, 400, 401, 402, 430, 898, 899, 900, 901, 1100, 2999, 3000, 3001, 50000}
	near := func(what string, got scaledFloat, want *big.Float) {
		t.Helper()
		exact := new(big.Float).SetMantExp(big.NewFloat(got.m), int(got.e))
		gap := exact.Sub(exact, want)
		if gap.Quo(gap, want).Abs(gap).Cmp(big.NewFloat(0x1p-52)) > 0 || got.m < .5 || got.m >= 1 {
			t.Errorf("%s: %v·2^%d, want %v", what, got.m, got.e, want)
		}
	}
	for trial := range 3000 {
		whole, first, second := scaledSum{e: none}, scaledSum{e: none}, scaledSum{e: none}
		want := new(big.Float).SetPrec(4000)
		e := int64(rng.IntN(2000) - 1000)
		for i := range 1 + rng.IntN(12) {
			if i > 0 {
				jump := jumps[rng.IntN(len(jumps))]
				if rng.IntN(2) == 0 {
					jump = -jump
				}
				e += jump
			}
			m := .5 + rng.Float64()/2
			if rng.IntN(4) == 0 {
				m = []float64{.5, math.Nextafter(1, 0)}[rng.IntN(2)]
			}
			want.Add(want, new(big.Float).SetMantExp(big.NewFloat(m), int(e)))
			whole.add(m, e)
			if rng.IntN(2) == 0 {
				first.addScaled(scaledFloat{m, e})
			} else {
				second.addScaled(scaledFloat{m, e})
			}
		}
		near("one after another", whole.rounded(), want)
		sum := scaledSum{e: none}
		sum.addSum(first)
		sum.addSum(second)
		near("in two parts", sum.rounded(), want)
		if t.Failed() {
			t.Fatalf("trial %d", trial)
		}
	}
	if w := (scaledSum{e: none}).rounded(); w.m != 0 {
		t.Errorf("no terms sum to %v", w)
	}
}

// The bounds hold every exponent; they are its least and largest where no bit has
// neighbors of both signs, or one of another sign than its own.
func TestExponentBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 6))
	for trial := range 600 {
		d := 1 + rng.IntN(6)
		sign := float64(1 - 2*(trial/2%2))
		diag, rows := make([]float64, d), make([][]float64, d)
		draw := func() float64 {
			v := math.Round(8 * rng.NormFloat64())
			if trial%2 == 0 {
				v = sign * math.Abs(v)
			}
			return v
		}
		for k := range d {
			diag[k], rows[k] = draw(), make([]float64, d)
			for j := range k {
				rows[k][j] = draw()
				rows[j][k] = rows[k][j]
			}
		}
		least, most := math.Inf(1), math.Inf(-1)
		for s := range 1 << d {
			sum := 0.0
			for k := range d {
				for j := range d {
					if s>>k&1 == 1 && s>>j&1 == 1 && j != k {
						sum += rows[k][j]
					}
				}
				if s>>k&1 == 1 {
					sum += diag[k]
				}
			}
			least, most = math.Min(least, sum), math.Max(most, sum)
		}
		lo, hi := exponentBounds(diag, rows)
		if lo > least || hi < most || trial%2 == 0 && (lo != least || hi != most) {
			t.Fatalf("Θ = %v, couplings %v: [%v, %v], want to hold [%v, %v]", diag, rows, lo, hi, least, most)
		}
	}
}

// Products of numbers of any size, entry by entry, are such numbers, m·2ᵉ with ½ ≤ m < 1, rounded twice; and each class of entries is summed.
func TestAdvancesOfAnySize(t *testing.T) {
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
					t.Errorf("%v·%v·%v: %v", src.entry(i), ratio.entry(i), c, dst.entry(i))
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

// A law whose last bits pull with up to 590 nats in all, whichever bits these are, has the sums of products in wide numbers, one state after the other.
func TestLawsThatPullFar(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 5))
	const d = lowBits + 3
	for trial, reach := range []float64{100, 400, 590} {
		diag, rows := make([]float64, d), make([][]float64, d)
		for k := range rows {
			rows[k] = make([]float64, d)
		}
		weights, all := map[[2]int]float64{}, 0.0
		for k := d - 2; k < d; k++ {
			for j := range k {
				weights[[2]int{k, j}] = rng.Float64() - .5
				all += 2 * math.Abs(weights[[2]int{k, j}])
			}
		}
		for at, v := range weights {
			v *= reach / all
			rows[at[0]][at[1]], rows[at[1]][at[0]] = v, v
		}
		want := scaledSum{e: none}
		exp := expCache{}
		for b := range 1 << d {
			w := scaledOne
			for k := range d {
				for j := range k {
					if b>>k&1 == 1 && b>>j&1 == 1 && rows[k][j] != 0 {
						w = w.mul(exp.of(2 * rows[k][j]))
					}
				}
			}
			want.addScaled(w)
		}
		s := must.Be(newSplit(diag, rows, lowBits))
		if f := newFast(s); f == nil || f.both == nil {
			t.Errorf("trial %d is walked without folding", trial)
		}
		sum := must.Be(s.enumerate(t.Context()))
		have := scaledSum{e: none}
		for _, w := range sum.ones {
			have.addScaled(w)
		}
		a, b := have.rounded(), want.rounded()
		if ratio := math.Ldexp(a.m/b.m, int(a.e-b.e)); math.Abs(ratio-1) > 1e-13 {
			t.Errorf("trial %d: all states weigh %v·2^%d, want %v·2^%d", trial, a.m, a.e, b.m, b.e)
		}
	}
}
