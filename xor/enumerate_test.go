package xor_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/must"
	"dpworkbench/xor"

	"dpworkbench/evidence"
)

var ctx = context.Background()

func ExampleNewBernoulli() {
	// Two objects with two features each, associated through the first.
	b, err := xor.NewBernoulli([][]float64{{0.5, 0.2}, {0.2, -1}}, map[xor.Pair][][]float64{
		{I: 0, J: 1}: {{0.3, 0}, {0, 0}},
	}, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, row := range must.Be(b.Pi()) {
		fmt.Println(row)
	}
	e, _ := b.Enumerate(context.Background())
	fmt.Printf("%d states, E‖B‖² = %.10f\n", e.States, e.MeanOnes.Float())
	// Output:
	// [0.5 0.2 0.3 0]
	// [0.2 -1 0 0]
	// [0.3 0 0.5 0.2]
	// [0 0 0.2 -1]
	// 16 states, E‖B‖² = 2.1472027025
}

// randomLaw draws Θ and all Λ_ij with entries of standard deviation scale.
func randomLaw(t testing.TB, n, p int, scale float64, rng *rand.Rand) *xor.Bernoulli {
	symmetric := func() [][]float64 {
		m := make([][]float64, p)
		for i := range m {
			m[i] = make([]float64, p)
			for j := range i + 1 {
				m[i][j] = scale * rng.NormFloat64()
				m[j][i] = m[i][j]
			}
		}
		return m
	}
	lambda := map[xor.Pair][][]float64{}
	for j := range n {
		for i := range j {
			lambda[xor.Pair{I: i, J: j}] = symmetric()
		}
	}
	b := must.Be(xor.NewBernoulli(symmetric(), lambda, n))
	return b
}

// brute sums exp(bᵀΠb) at 256 bits, factor by factor. It returns ln Z, the mean number of ones, the law of the number
// of ones and the weights. It shares only the definition with the enumeration: the full Π, and states in counting
// order.
func brute(b *xor.Bernoulli) (logZ, mean float64, ones []float64, weights []*big.Float) {
	pi := must.Be(b.Pi())
	d := len(pi)
	z, m := new(big.Float).SetPrec(256), new(big.Float).SetPrec(256)
	sums := make([]*big.Float, d+1)
	for t := range sums {
		sums[t] = new(big.Float).SetPrec(256)
	}
	factor := func(x float64) *big.Float { return bigExp(new(big.Rat).SetFloat64(x)) }
	own, cross := make([]*big.Float, d), make([][]*big.Float, d)
	for i := range d {
		own[i] = factor(pi[i][i])
		for j := range i {
			cross[i] = append(cross[i], factor(pi[i][j]+pi[j][i]))
		}
	}
	for s := range 1 << d {
		w, t := big.NewFloat(1).SetPrec(256), 0
		for i := range d {
			if s>>i&1 == 0 {
				continue
			}
			t++
			w.Mul(w, own[i])
			for j := range i {
				if s>>j&1 == 1 {
					w.Mul(w, cross[i][j])
				}
			}
		}
		weights = append(weights, w)
		z.Add(z, w)
		m.Add(m, new(big.Float).SetPrec(256).Mul(w, big.NewFloat(float64(t))))
		sums[t].Add(sums[t], w)
	}
	for _, w := range sums {
		v, _ := new(big.Float).Quo(w, z).Float64()
		ones = append(ones, v)
	}
	mean, _ = new(big.Float).Quo(m, z).Float64()
	return bigLog(z), mean, ones, weights
}

// bigExp is e^x by its power series after halving, at 300 bits.
func bigExp(x *big.Rat) *big.Float {
	const prec, halvings = 320, 40
	s := new(big.Float).SetPrec(prec).SetRat(x)
	s.SetMantExp(s, -halvings)
	sum, term := big.NewFloat(1).SetPrec(prec), big.NewFloat(1).SetPrec(prec)
	for i := 1; i < 30; i++ {
		term.Mul(term, s)
		term.Quo(term, big.NewFloat(float64(i)))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum
}

// bigLog returns ln z to float64's precision, for z of any size.
func bigLog(z *big.Float) float64 {
	m := new(big.Float)
	e := z.MantExp(m)
	v, _ := m.Float64()
	return math.Log(v) + float64(e)*math.Ln2
}

func within(t *testing.T, what string, got interface{ Bounds() (lo, hi float64) }, want, rel float64) {
	t.Helper()
	lo, hi := got.Bounds()
	slack := math.Abs(want) * 4e-16 // the reference's own rounding to float64
	if !(lo <= want+slack && hi >= want-slack) {
		t.Errorf("%s: [%v, %v] misses %v", what, lo, hi, want)
	}
	if hi-lo > 2*rel*math.Abs(want)+1e-300 {
		t.Errorf("%s: [%v, %v] is wider than ±%g relative", what, lo, hi, rel)
	}
}

// The factors are rationals, so the expected values are exact.
func TestEnumerateAgainstRationals(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for _, d := range []int{2, 7, 12} {
		factor := func() (*big.Rat, float64) {
			q := big.NewRat(rng.Int64N(9)+1, rng.Int64N(9)+1)
			v, _ := q.Float64()
			return q, math.Log(v)
		}
		own, cross := make([]*big.Rat, d), make([][]*big.Rat, d)
		theta := make([][]float64, d)
		for i := range d {
			theta[i] = make([]float64, d)
			cross[i] = make([]*big.Rat, d)
			own[i], theta[i][i] = factor()
			for j := range i {
				q, v := factor()
				cross[i][j] = q
				theta[i][j], theta[j][i] = v/2, v/2
			}
		}
		z, m := new(big.Rat), new(big.Rat)
		weights := []*big.Rat{big.NewRat(1, 1)}
		for k := range d {
			for s := range 1 << k {
				w := new(big.Rat).Mul(weights[s], own[k])
				for j := range k {
					if s>>j&1 == 1 {
						w.Mul(w, cross[k][j])
					}
				}
				weights = append(weights, w)
			}
		}
		for s, w := range weights {
			z.Add(z, w)
			t := 0
			for k := range d {
				t += s >> k & 1
			}
			m.Add(m, new(big.Rat).Mul(w, big.NewRat(int64(t), 1)))
		}
		b := must.Be(xor.NewBernoulli(theta, nil, 1))
		e := must.Be(b.Enumerate(ctx))
		// The logarithms of the d² factors are rounded by a relative 2⁻⁵³ each.
		slack := float64(d*d) * 4 * 0x1p-53
		want := bigLog(new(big.Float).SetPrec(200).SetRat(z))
		if got := e.LogNormalizer.Float(); math.Abs(got-want) > slack+4e-16*math.Abs(want) {
			t.Errorf("d = %d: ln Z = %v, want %v", d, got, want)
		}
		mean, _ := new(big.Rat).Quo(m, z).Float64()
		if got := e.MeanOnes.Float(); math.Abs(got/mean-1) > 2*slack {
			t.Errorf("d = %d: mean %v, want %v", d, got, mean)
		}
	}
}

// Independent bits have a closed form for any number of bits. With 20 bits, 10 belong to the high half of the split.
func TestEnumerateIndependentBits(t *testing.T) {
	for _, scale := range []float64{1, 100, 900} { // walks with plain, guarded and scaled weights
		const d = 20
		theta := make([][]float64, d)
		var logZ, mean float64
		for k := range theta {
			theta[k] = make([]float64, d)
			theta[k][k] = scale * (float64(k)/d - .5)
			x := theta[k][k]
			logZ += math.Max(x, 0) + math.Log1p(math.Exp(-math.Abs(x)))
			mean += 1 / (1 + math.Exp(-x))
		}
		b := must.Be(xor.NewBernoulli(theta, nil, 1))
		e := must.Be(b.Enumerate(ctx))
		if got := e.LogNormalizer.Float(); math.Abs(got-logZ) > 1e-14*float64(d)*math.Max(1, scale) {
			t.Errorf("scale %g: ln Z = %v, want %v", scale, got, logZ)
		}
		if got := e.MeanOnes.Float(); math.Abs(got-mean) > 1e-13*mean {
			t.Errorf("scale %g: mean %v, want %v", scale, got, mean)
		}
	}
}

// Possible events never get probability 0, however unlikely. Small probabilities keep their relative accuracy beside
// large ones.
func TestSubnormalProbabilities(t *testing.T) {
	b := must.Be(xor.NewUniform(150, 2, 55.5, 21.9))
	rate := must.Be(b.ErrorRate(ctx, 0, xor.Complement))
	if !(rate.Lo == 0 && rate.Hi > 0 && rate.Hi < 1e-300 && rate.Float() > 0) {
		t.Errorf("rate of zeros is %v, want it above 0", rate)
	}
	block := [][]float64{{.1, 0}, {0, .2}}
	b = must.Be(xor.NewBernoulli([][]float64{{700, 0}, {0, -700}}, map[xor.Pair][][]float64{{I: 0, J: 1}: block}, 2))
	m := must.Be(b.Moments(ctx))
	const want = 9.859676543759770e-305 // 1/(1 + e^700) to relative accuracy 1e-300
	if c := m.Marginals[1]; !(c.Lo <= want*(1+1e-12) && c.Hi >= want*(1-1e-12) && c.Hi-c.Lo < 1e-11*want) {
		t.Errorf("marginal %v, want %v", c, want)
	}
}

// Enumerations of laws with all bits coupled agree with float64 sums over the states. The laws have more bits than one
// vector holds. Their weights are moderate, far from 1, or outside float64.
func TestWalksOfCoupledBits(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	for _, d := range []int{11, 13, 15, 19} {
		for _, step := range []float64{0, 40, 900} {
			if d > 15 && step < 900 { // no weight is negligible, so the sums would take too long
				continue
			}
			theta := make([][]float64, d)
			for i := range theta {
				theta[i] = make([]float64, d)
				for j := range i + 1 {
					theta[i][j] = .4*rng.NormFloat64() + step*float64(rng.IntN(3)-1)
					theta[j][i] = theta[i][j]
				}
			}
			b := must.Be(xor.NewBernoulli(theta, nil, 1))
			logs, most := make([]float64, 1<<d), math.Inf(-1)
			for s := range logs {
				if s > 0 { // add the terms of the highest bit k to the rest's exponent
					k := 0
					for s>>k > 1 {
						k++
					}
					v := theta[k][k]
					for j := range k {
						if s>>j&1 == 1 {
							v += 2 * theta[k][j]
						}
					}
					logs[s] = logs[s&^(1<<k)] + v
				}
				most = max(most, logs[s])
			}
			z, mean := 0.0, 0.0
			pairs := make([][]float64, d)
			for i := range pairs {
				pairs[i] = make([]float64, d)
			}
			for s, v := range logs {
				w := math.Exp(v - most)
				if z += w; w < 1e-30 {
					continue
				}
				for i := range d {
					for j := range i + 1 {
						if s>>i&1 == 1 && s>>j&1 == 1 {
							pairs[i][j] += w
						}
					}
					mean += w * float64(s>>i&1)
				}
			}
			name, close := fmt.Sprintf("%d bits, steps of %g", d, step), 1e-13*(1+step)*float64(d)
			e := must.Be(b.Enumerate(ctx))
			if want := most + math.Log(z); math.Abs(e.LogNormalizer.Float()-want) > close {
				t.Errorf("%s: ln Z = %v, want %v", name, e.LogNormalizer, want)
			}
			if math.Abs(e.MeanOnes.Float()-mean/z) > close*float64(d) {
				t.Errorf("%s: the mean is %v, want %v", name, e.MeanOnes, mean/z)
			}
			m := must.Be(b.Moments(ctx))
			for i := range d {
				for j := range i + 1 {
					if got := must.Be(m.Pair(i, j)).Float(); math.Abs(got-pairs[i][j]/z) > close {
						t.Errorf("%s: E[b_%d b_%d] = %v, want %v", name, i, j, got, pairs[i][j]/z)
					}
				}
			}
		}
	}
}

// Sixteen bits are few enough to enumerate all states. Independent bits are solved directly, for any number.
func TestEnumerationLimit(t *testing.T) {
	ctx := context.Background()
	p := 1 / (1 + math.Exp(-1.))
	for _, shape := range [][2]int{{4, 4}, {16, 1}, {1, 16}} {
		b := must.Be(xor.NewUniform(shape[0], shape[1], 1, 0))
		curve := must.Be(b.Under(xor.FlipBits(1), xor.LossOptions{}))
		eps := must.Be(evidence.NewEpsilon("eps", 0.5))
		delta := must.Be(curve.Delta(ctx, eps))
		if lo, hi := delta.Bounds(); math.Abs(lo-(p-math.Exp(0.5)*(1-p))) > 1e-12 || hi-lo > 1e-12 {
			t.Errorf("%d × %d bits: δ(0.5) in [%v, %v]", shape[0], shape[1], lo, hi)
		}
	}
	long := must.Be(xor.NewColumns(math.MaxInt32, 3, 1, 0))
	if got, err := long.MeanOnes(ctx, xor.Plain, 1); err != nil || math.Abs(got.Lo-3*math.MaxInt32*p) > 1e-3 || math.Abs(got.Hi-3*math.MaxInt32*p) > 1e-3 {
		t.Errorf("the mean of long columns is %v, %v", got, err)
	}
}
