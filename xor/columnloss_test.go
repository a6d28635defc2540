package xor_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/xor"
)

// bestSplit returns the largest loss of at most s bits over the columns, by trying every split. best[t] is the loss of
// t bits of one column.
func bestSplit(best []float64, s, columns int) float64 {
	if columns == 0 {
		return 0
	}
	most := 0.0
	for t := 0; t <= s && t < len(best); t++ {
		most = math.Max(most, best[t]+bestSplit(best, s-t, columns-1))
	}
	return most
}

// slowLoss returns the loss of a column of n bits with t of them complemented, by trying all numbers of ones.
func slowLoss(n, t int, theta, lambda float64) float64 {
	most := 0.0
	e := func(m int) float64 { return theta*float64(m) + lambda*float64(m*(m-1)) }
	for a := 0; a <= t; a++ {
		for r := 0; r <= n-t; r++ {
			most = math.Max(most, math.Abs(e(r+t-a)-e(r+a)))
		}
	}
	return most
}

// LossAnywhere returns a narrow enclosure of the loss of the best split of a few bits over a few columns. θ and λ have
// equal or different signs.
func TestLossAnywhereIsOptimal(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 21))
	for trial := range 600 {
		n, p := 1+rng.IntN(6), 1+rng.IntN(4)
		theta, lambda := float64(rng.IntN(41)-20)/8, float64(rng.IntN(41)-20)/16
		if trial%3 == 0 {
			lambda = -theta / float64(2*n) * float64(1+rng.IntN(4)) / 2 // θ + λ(2n − t − 1) is near 0 for some t
		}
		c, one := must.Be(xor.NewColumns(n, p, theta, lambda)), must.Be(xor.NewColumns(n, 1, theta, lambda))
		best := make([]float64, n+1)
		for k := 1; k <= n; k++ {
			best[k] = slowLoss(n, k, theta, lambda)
			if want := slices.Max(best[:k+1]); !encloses(one.LossAnywhere(k), want) {
				t.Fatalf("θ = %v, λ = %v: %d bits of %d lose %v, want %v", theta, lambda, k, n, one.LossAnywhere(k), want)
			}
		}
		for s := 0; s <= n*p+1; s++ {
			if want := bestSplit(best, s, p); !encloses(c.LossAnywhere(s), want) {
				t.Errorf("%d × %d, θ = %v, λ = %v: %d bits lose %v, want %v", n, p, theta, lambda, s, c.LossAnywhere(s), want)
			}
			if got, want := c.LossInDistinctColumns(s), float64(min(s, p))*best[1]; !encloses(got, want) {
				t.Errorf("%d × %d, θ = %v, λ = %v: %d bits of a row lose %v, want %v", n, p, theta, lambda, s, got, want)
			}
		}
	}
}

// encloses reports whether an enclosure contains v and is narrow.
func encloses(c evidence.Certified, v float64) bool {
	return c.Lo <= v+1e-15 && c.Hi >= v-1e-15 && c.Hi-c.Lo <= 1e-13*(v+20)
}

// LossAnywhere for many bits and columns equals the least concave majorant of one column's loss at the average number
// of bits, times the number of columns. For all bits, it is the sum of the columns' largest losses.
func TestLossOfManyColumns(t *testing.T) {
	for _, lambda := range []float64{-1. / 400, -1. / 90, -1. / 1000, -1. / 299} {
		const n, p, s = 300, 100_000, 1_234_567
		c := must.Be(xor.NewColumns(n, p, 1, lambda))
		best := make([]float64, n+1)
		dearest := 0.0
		for k := 1; k <= n; k++ {
			best[k] = math.Max(best[k-1], slowLoss(n, k, 1, lambda))
		}
		at := float64(s) / p // the majorant at this number is the highest chord
		for a := 0; float64(a) <= at; a++ {
			for b := int(at) + 1; b <= n; b++ {
				dearest = math.Max(dearest, best[a]+(best[b]-best[a])*(at-float64(a))/float64(b-a))
			}
		}
		if got := c.LossAnywhere(s); math.Abs(got.Lo-dearest*p) > 1e-11*got.Lo || math.Abs(got.Hi-dearest*p) > 1e-11*got.Hi {
			t.Errorf("λ = %v: [%v, %v], want %v", lambda, got.Lo, got.Hi, dearest*p)
		}
		if got := c.LossAnywhere(n * p); math.Abs(got.Lo-best[n]*p) > 1e-11*got.Lo || math.Abs(got.Hi-best[n]*p) > 1e-11*got.Hi {
			t.Errorf("λ = %v: all bits lose [%v, %v], want %v", lambda, got.Lo, got.Hi, best[n]*p)
		}
	}
}

// Losses enclose the rational values, although the float64 sums are inexact.
func TestLossesEncloseRationalOnes(t *testing.T) {
	ctx, rng := context.Background(), rand.New(rand.NewPCG(22, 91))
	check := func(what string, got evidence.Certified, want *big.Rat, width float64) {
		t.Helper()
		if rational(got.Lo).Cmp(want) > 0 || rational(got.Hi).Cmp(want) < 0 || got.Hi-got.Lo > width || got.Side != evidence.Up {
			t.Errorf("%s: [%v, %v] is not a tight enclosure of %s", what, got.Lo, got.Hi, want.FloatString(25))
		}
	}
	for trial := range 60 {
		scale := math.Ldexp(1, rng.IntN(40)-20)
		theta := [][]float64{{scale * rng.NormFloat64(), rng.NormFloat64()}, {0, scale * rng.NormFloat64()}}
		theta[1][0] = theta[0][1]
		block := [][]float64{{rng.NormFloat64() * scale, 1e-3 * rng.NormFloat64()}, {0, rng.NormFloat64()}}
		block[1][0] = block[0][1]
		b := must.Be(xor.NewBernoulli(theta, map[xor.Pair][][]float64{{I: 0, J: 1}: block}, 2))
		pi := must.Be(b.Pi())
		exponent := make([]*big.Rat, 16)
		for s := range exponent {
			exponent[s] = new(big.Rat)
			for i := range pi {
				for j := range pi {
					if s>>i&(s>>j)&1 == 1 {
						exponent[s].Add(exponent[s], rational(pi[i][j]))
					}
				}
			}
		}
		for k, nb := range []xor.Neighbors{xor.FlipBits(1), xor.FlipBits(2), xor.FlipBits(3), xor.FlipBits(4), xor.FlipRows(1), xor.FlipEdges(1)} {
			want := new(big.Rat)
			for _, step := range must.Be(nb.Differences(2, 2)) {
				for s, e := range exponent {
					if d := new(big.Rat).Sub(exponent[s^step], e); d.Cmp(want) > 0 {
						want = d
					}
				}
			}
			got := must.Be(must.Be(b.Under(nb, xor.LossOptions{})).Loss(ctx))
			check(fmt.Sprint("law ", trial, ", neighbors ", k), got.Certified, want, 6e-13*(1+scale))
		}
		c := must.Be(xor.NewColumns(1+rng.IntN(5), 1+rng.IntN(3), scale*rng.NormFloat64(), rng.NormFloat64()))
		n, p := c.Shape()
		own, shared := c.Parameters()
		for s := 1; s <= n*p; s++ {
			check(fmt.Sprint(c, ", ", s), c.LossAnywhere(s), xor.ColumnLoss(n, p, s, false, own, shared), 1e-13*(1+scale)*float64(s))
		}
	}
}

// The enclosure of the largest posterior holds for every reading of the odds and of ε, also near certainty.
func TestEdgeLeakageEnclosesAllReadings(t *testing.T) {
	one := interval.Int(1)
	for _, eps := range []float64{.1, 1, 40, 700, 1e5, 999999, 1e6, 1e9} {
		for _, odds := range []float64{1, .1, .25, 1e-9, 3, 7.7, 1e300, 5e-324} {
			got := must.Be(xor.EdgeLeakage(must.Be(evidence.NewEpsilon("eps", eps)), odds))
			e := interval.Float(math.Min(eps, 1e6))
			for _, z := range []interval.Interval{interval.Float(odds), interval.Rat(interval.Decimal(odds))} {
				z = interval.Max(z, one.Quo(z))
				want := one.Quo(one.Add(e.Neg().Exp().Quo(z)))
				if interval.Float(got.Lo).CmpLo(want.Upper()) > 0 || interval.Float(got.Hi).CmpHi(want.Lower()) < 0 && got.Hi < 1 || got.Hi > 1 || got.Hi-got.Lo > 1e-14 {
					t.Errorf("ε = %v, odds %v: [%v, %v], want %v inside", eps, odds, got.Lo, got.Hi, want)
				}
			}
		}
	}
}

// For long columns with θ and λ of opposite signs, the loss is attained by splitting the bits evenly over the columns.
func TestLossOfVeryLongColumns(t *testing.T) {
	for _, c := range []struct {
		p             int
		theta, lambda float64
	}{{1, -1, 1e-7}, {1, 1, -1e-7}, {2, -1e-3, 1e-7}, {1, -1, 1e-9}, {1, 1, -1e-320}} {
		const n = 1 << 23
		law := must.Be(xor.NewColumns(n, c.p, c.theta, c.lambda))
		loss := func(t int) float64 { // loss of t bits; the column's others are all 0 or all 1
			return float64(t) * max(math.Abs(c.theta+c.lambda*float64(t-1)), math.Abs(c.theta+c.lambda*float64(2*n-t-1)))
		}
		for _, s := range []int{1 << 22, 6 << 20} {
			each := min(s/c.p, n)
			best := loss(each)
			for t := 1; t <= each; t += 997 {
				best = math.Max(best, loss(t))
			}
			best *= float64(c.p)
			if got := law.LossAnywhere(s); math.Abs(got.Lo-best) > 1e-6*best || math.Abs(got.Hi-best) > 1e-6*best || got.Lo > got.Hi {
				t.Errorf("%d × %d, θ = %v, λ = %v, %d bits: [%v, %v], want %v", n, c.p, c.theta, c.lambda, s, got.Lo, got.Hi, best)
			}
		}
	}
}
