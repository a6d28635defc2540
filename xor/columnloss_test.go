package xor

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
)

// mostOver is what at most s bits on so many columns earn at most, of all ways, where t
// bits of one earn best[t].
func mostOver(best []float64, s, columns int) float64 {
	if columns == 0 {
		return 0
	}
	most := 0.0
	for t := 0; t <= s && t < len(best); t++ {
		most = math.Max(most, best[t]+mostOver(best, s-t, columns-1))
	}
	return most
}

// The loss of a column of n bits, t of them complemented, by trying all numbers of ones.
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

// A few bits on a few columns are spent the best of all ways, θ and λ of one sign or not,
// and what is certified is narrow.
func TestLossAnywhereIsTheBestWay(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 21))
	for trial := range 600 {
		n, p := 1+rng.IntN(6), 1+rng.IntN(4)
		theta, lambda := float64(rng.IntN(41)-20)/8, float64(rng.IntN(41)-20)/16
		if trial%3 == 0 {
			lambda = -theta / float64(2*n) * float64(1+rng.IntN(4)) / 2 // near where t bits change sides
		}
		c := must.Be(NewColumns(n, p, theta, lambda))
		best := make([]float64, n+1)
		for k := 1; k <= n; k++ {
			best[k] = slowLoss(n, k, theta, lambda)
			if got := c.loss(k); math.Abs(got-best[k]) > 1e-14*(best[k]+20) {
				t.Fatalf("θ = %v, λ = %v: the loss of %d bits of %d is %v, want %v", theta, lambda, k, n, got, best[k])
			}
		}
		for s := 0; s <= n*p+1; s++ {
			if want := mostOver(best, s, p); !within(c.LossAnywhere(s), want) {
				t.Errorf("%d × %d, θ = %v, λ = %v: %d bits lose %v, want %v", n, p, theta, lambda, s, c.LossAnywhere(s), want)
			}
			if got, want := c.LossInDistinctColumns(s), float64(min(s, p))*best[1]; !within(got, want) {
				t.Errorf("%d × %d, θ = %v, λ = %v: %d bits of a row lose %v, want %v", n, p, theta, lambda, s, got, want)
			}
		}
	}
}

// within reports whether an enclosure holds v and is narrow.
func within(c evidence.Certified, v float64) bool {
	return c.Lo <= v+1e-15 && c.Hi >= v-1e-15 && c.Hi-c.Lo <= 1e-13*(v+20)
}

// Many bits on many columns lose what even spending does, and no way loses more than its
// average at the least concave majorant; all numbers of bits at once cost nothing.
func TestLossOfManyColumns(t *testing.T) {
	for _, lambda := range []float64{-1. / 400, -1. / 90, -1. / 1000, -1. / 299} {
		const n, p, s = 300, 100_000, 1_234_567
		c := must.Be(NewColumns(n, p, 1, lambda))
		best := make([]float64, n+1)
		dearest := 0.0
		for k := 1; k <= n; k++ {
			best[k] = math.Max(best[k-1], slowLoss(n, k, 1, lambda))
		}
		at := float64(s) / p // its majorant there, by all chords
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

// The evidence of a loss holds the number that it is made of, with its rounding and what
// the readings move it by, exactly; and no more than that and a few steps.
func TestLossEvidenceHoldsItsEnds(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 23))
	for range 2000 {
		n, s := 1+rng.IntN(50), 1+rng.IntN(40)
		c := &Columns{n: n, p: 1, theta: rng.NormFloat64(), lambda: rng.NormFloat64() / 10, offTheta: rng.Float64() * 1e-9, offLambda: rng.Float64() * 1e-9}
		v := 10 * rng.Float64()
		got := c.lossEvidence(s, v, 2*(s%5))
		q := func(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }
		times := func(v ...*big.Rat) *big.Rat {
			out := big.NewRat(1, 1)
			for _, x := range v {
				out.Mul(out, x)
			}
			return out
		}
		off := q(c.offTheta)
		off.Add(off, times(big.NewRat(int64(2*(n-1)), 1), q(c.offLambda)))
		if c.theta*c.lambda < 0 {
			size := q(math.Abs(c.theta))
			size.Add(size, times(big.NewRat(int64(2*(n-1)), 1), q(math.Abs(c.lambda))))
			off.Add(off, times(size, q(8*unit)))
		}
		off.Mul(off, big.NewRat(int64(s), 1))
		relative := q(float64(8+2*(s%5)) * unit)
		end := func(sign int64) *big.Rat {
			moved := new(big.Rat).Add(times(q(v), relative), off)
			return moved.Add(moved.Mul(moved, big.NewRat(sign, 1)), q(v))
		}
		near := func(a float64, b *big.Rat) bool {
			d, _ := new(big.Rat).Sub(q(a), b).Float64()
			return math.Abs(d) <= 8*unit*math.Max(math.Abs(a), 1e-10)
		}
		low := end(-1)
		if low.Sign() < 0 {
			low = new(big.Rat)
		}
		if q(got.Hi).Cmp(end(1)) < 0 || q(got.Lo).Cmp(low) > 0 || !near(got.Hi, end(1)) || !near(got.Lo, low) {
			t.Fatalf("%v of %d bits with %+v: [%v, %v]", v, s, c, got.Lo, got.Hi)
		}
	}
}

// The bound on so many roundings is that of Higham's lemma, to a rounding or two.
func TestGamma(t *testing.T) {
	for _, n := range []int{0, 1, 7, 1000, 1 << 20, 1 << 30} {
		v := new(big.Rat).SetFloat64(float64(n) * unit)
		v.Quo(v, new(big.Rat).Sub(big.NewRat(1, 1), v))
		want, _ := v.Float64()
		if got := gamma(n); math.Abs(got-want) > 2*unit*want {
			t.Errorf("γ of %d is %v, want %v", n, got, want)
		}
	}
}

// The loss of listed patterns allows for the readings of as many bits as the longest has.
func TestLossOfPatterns(t *testing.T) {
	c := &Columns{n: 4, p: 2, theta: 1, lambda: 0.25, offTheta: 1e-3, offLambda: 1e-4}
	long, short := newBits(4, 2), newBits(4, 2)
	for i := range 3 {
		long.Set(i, 0, true)
	}
	short.Set(0, 1, true)
	for _, patterns := range [][]*Bits{{long}, {short, long}, {long, short}, {short}} {
		ones := 0
		want := 0.0
		for _, m := range patterns {
			ones = max(ones, m.Ones())
			want = math.Max(want, slowLoss(4, m.Ones(), 1, 0.25))
		}
		off := (1e-3 + 6e-4) * float64(ones)
		if got := c.closedLoss(FlipPatterns(patterns...)); math.Abs(got.Lo-(want-off)) > 1e-12 || math.Abs(got.Hi-(want+off)) > 1e-12 {
			t.Errorf("patterns of at most %d ones lose [%v, %v], want %v ± %v", ones, got.Lo, got.Hi, want, off)
		}
	}
}

// A law that is scaled is read at least as loosely as what was meant, scaled, requires.
func TestScaledReadings(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 24))
	for range 2000 {
		theta, lambda, factor := rng.NormFloat64(), rng.NormFloat64()/8, rng.NormFloat64()
		b := must.Be(NewUniform(1+rng.IntN(4), 2, theta, lambda))
		b.cols.offTheta, b.cols.offLambda = rng.Float64()*1e-9, rng.Float64()*1e-9
		scaled := must.Be(b.Scale(factor))
		for _, c := range [2][4]float64{{theta, b.cols.offTheta, scaled.cols.theta, scaled.cols.offTheta}, {lambda, b.cols.offLambda, scaled.cols.lambda, scaled.cols.offLambda}} {
			q := func(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }
			// factor·v and factor by an ulp more, of v and of all within off of it.
			exact := new(big.Rat).Mul(q(factor), q(c[0]))
			moved := new(big.Rat).Sub(exact, q(c[2]))
			need := new(big.Rat).Add(moved.Abs(moved), new(big.Rat).Abs(new(big.Rat).Mul(q(factor), q(c[1]))))
			if d, _ := new(big.Rat).Sub(q(c[3]), need).Float64(); d < 0 || d > 1e-9*math.Abs(factor)*c[1]+3*unit*math.Abs(c[2]) {
				t.Fatalf("%v ± %v by %v is %v ± %v, which is %v more than needed", c[0], c[1], factor, c[2], c[3], d)
			}
		}
		m := must.Be(b.Theta())
		if m[0][0] != theta || m[0][1] != 0 || m[1][0] != 0 || m[1][1] != theta {
			t.Fatalf("Θ = %v, want %v on the diagonal", m, theta)
		}
	}
}

// Randomised response is judged at every ε that the law may have.
func TestResponseOfTheSolution(t *testing.T) {
	for k := range 60 {
		eps := must.Be(evidence.NewEpsilon("eps", 0.1+0.07*float64(k)))
		s := 3 + k%5*2
		got := must.Be(OptimizeAlpha(context.Background(), AlphaProblem{N: 1, P: 8 + s, Epsilon: eps, Sensitivity: s, Privacy: ExactPrivacy}))
		for _, c := range [2]struct{ loss, rate, sign float64 }{{got.Smallest.Lo, got.Response.Hi, 1}, {got.Smallest.Hi, got.Response.Lo, -1}} {
			per := new(big.Rat).Quo(new(big.Rat).SetFloat64(c.loss), big.NewRat(int64(s), 1))
			want := interval.Int(1).Quo(interval.Int(1).Add(interval.Rat(per).Exp()))
			gap := interval.Float(c.rate).Sub(want).Mul(interval.Float(c.sign)) // what is spare
			if spare := gap.Mid(); spare < 0 || spare > 8*unit {
				t.Errorf("ε = %v for %d bits: the rate %v has %v to spare", c.loss, s, c.rate, spare)
			}
		}
	}
}

// Sixteen bits are few enough for all states, and what is independent is solved at once,
// however long.
func TestSizesAtTheirBounds(t *testing.T) {
	ctx := context.Background()
	p := 1 / (1 + math.Exp(-1.))
	for _, shape := range [][2]int{{4, 4}, {16, 1}, {1, 16}} {
		b := must.Be(NewUniform(shape[0], shape[1], 1, 0))
		curve := must.Be(b.Under(FlipBits(1), LossOptions{}))
		eps := must.Be(evidence.NewEpsilon("eps", 0.5))
		delta := must.Be(curve.Delta(ctx, eps))
		if lo, hi := delta.Bounds(); math.Abs(lo-(p-math.Exp(0.5)*(1-p))) > 1e-12 || hi-lo > 1e-12 {
			t.Errorf("%d × %d bits: δ(0.5) in [%v, %v]", shape[0], shape[1], lo, hi)
		}
	}
	long := must.Be(NewColumns(math.MaxInt32, 3, 1, 0))
	if got, err := long.MeanOnes(ctx, Plain, 1); err != nil || math.Abs(got.Lo-3*math.MaxInt32*p) > 1e-3 || math.Abs(got.Hi-3*math.MaxInt32*p) > 1e-3 {
		t.Errorf("the mean of long columns is %v, %v", got, err)
	}
}

// Losses of float64s that do not add exactly hold the rational ones all the same.
func TestLossesHoldRationalOnes(t *testing.T) {
	ctx, rng := context.Background(), rand.New(rand.NewPCG(22, 91))
	check := func(what string, got evidence.Certified, want *big.Rat, width float64) {
		t.Helper()
		if rat(got.Lo).Cmp(want) > 0 || rat(got.Hi).Cmp(want) < 0 || got.Hi-got.Lo > width || got.Side != evidence.Up {
			t.Errorf("%s: [%v, %v] is not around %s", what, got.Lo, got.Hi, want.FloatString(25))
		}
	}
	for trial := range 60 {
		scale := math.Ldexp(1, rng.IntN(40)-20)
		theta := [][]float64{{scale * rng.NormFloat64(), rng.NormFloat64()}, {0, scale * rng.NormFloat64()}}
		theta[1][0] = theta[0][1]
		block := [][]float64{{rng.NormFloat64() * scale, 1e-3 * rng.NormFloat64()}, {0, rng.NormFloat64()}}
		block[1][0] = block[0][1]
		b := must.Be(NewBernoulli(theta, map[Pair][][]float64{{I: 0, J: 1}: block}, 2))
		pi := movedPi(b, nil)
		exponent := make([]*big.Rat, 16)
		for s := range exponent {
			exponent[s] = new(big.Rat)
			for i := range pi {
				for j := range pi {
					if s>>i&(s>>j)&1 == 1 {
						exponent[s].Add(exponent[s], pi[i][j])
					}
				}
			}
		}
		for k, nb := range []Neighbors{FlipBits(1), FlipBits(2), FlipBits(3), FlipBits(4), FlipRows(1), FlipEdges(1)} {
			want := (&tableLaw{exponent: exponent}).loss(must.Be(nb.Differences(2, 2)))
			got := must.Be(must.Be(b.Under(nb, LossOptions{})).Loss(ctx))
			check(fmt.Sprint("law ", trial, ", neighbors ", k), got.Certified, want, 6e-13*(1+scale))
		}
		c := must.Be(NewColumns(1+rng.IntN(5), 1+rng.IntN(3), scale*rng.NormFloat64(), rng.NormFloat64()))
		for s := 1; s <= c.n*c.p; s++ {
			check(fmt.Sprint(c, ", ", s), c.LossAnywhere(s), columnLoss(c.n, c.p, s, false, c.theta, c.lambda), 1e-13*(1+scale)*float64(s))
		}
	}
}
