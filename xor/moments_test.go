package xor_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/xor"
)

// Marginals and pair moments agree with 256-bit sums over all states.
func TestMomentsAgainstDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	var laws []*xor.Bernoulli
	for _, scale := range []float64{.5, 60, 2000} {
		laws = append(laws, randomLaw(t, 5, 2, scale, rng))
	}
	laws = append(laws, randomLaw(t, 3, 4, 1, rng), sparseLaw(t, 5, 2, .3, rng)) // 12 bits have two high ones
	uniform := must.Be(xor.NewUniform(6, 2, .3, -.2))
	objects := must.Be(xor.NewBernoulli([][]float64{{1, .5}, {.5, -1}}, nil, 6))
	for n, b := range append(laws, uniform, objects) {
		m := must.Be(b.Moments(ctx))
		_, _, _, weights := brute(b)
		d := b.Dim()
		z := new(big.Float).SetPrec(256)
		for _, w := range weights {
			z.Add(z, w)
		}
		for i := range d {
			for j := range i + 1 {
				sum := new(big.Float).SetPrec(256)
				for s, w := range weights {
					if s>>i&1 == 1 && s>>j&1 == 1 {
						sum.Add(sum, w)
					}
				}
				want, _ := sum.Quo(sum, z).Float64()
				if want > 1e-250 {
					within(t, fmt.Sprintf("law %d: E[b_%d b_%d]", n, i, j), must.Be(m.Pair(i, j)), want, 1e-12)
				}
				if got := m.Products(); got[i][j] != must.Be(m.Pair(i, j)).Float() || got[j][i] != got[i][j] {
					t.Errorf("law %d: Products has %g and %g for bits %d and %d", n, got[i][j], got[j][i], i, j)
				}
			}
		}
	}
}

func rational(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }

// The moments agree with sums over all states, although the weights leave the range of float64.
func TestMomentsBeyondFloat64(t *testing.T) {
	const n, p = 2, 6
	theta, block := make([][]float64, p), make([][]float64, p)
	for i := range p {
		theta[i], block[i] = make([]float64, p), make([]float64, p)
	}
	for i := range p {
		theta[i][i] = 150.0 * float64(1-2*(i%2))
		for j := range p {
			block[i][j] = 30 * math.Sin(float64(i*j+i+j+1)) // symmetric
		}
	}
	for i := range p {
		for j := range i {
			theta[i][j] = 12.5 * math.Cos(float64(i+j))
			theta[j][i] = theta[i][j]
		}
	}
	b := must.Be(xor.NewBernoulli(theta, map[xor.Pair][][]float64{{I: 0, J: 1}: block}, n))
	exponents := make([]float64, 1<<(n*p))
	top := math.Inf(-1)
	for s := range exponents {
		m := must.Be(xor.NewBits(n, p))
		for k := range n * p {
			m.Set(k/p, k%p, s>>k&1 == 1)
		}
		exponents[s] = must.Be(b.Exponent(m))
		top = math.Max(top, exponents[s])
	}
	var total float64
	var sums [n * p][n * p]float64
	for s, e := range exponents {
		w := math.Exp(e - top)
		total += w
		for i := range n * p {
			for j := range n * p {
				if s>>i&1 == 1 && s>>j&1 == 1 {
					sums[i][j] += w
				}
			}
		}
	}
	if top < 700 {
		t.Fatalf("the largest exponent is %v, so no weight leaves float64", top)
	}
	m := must.Be(b.Moments(t.Context()))
	for i := range n * p {
		for j := range n * p {
			// The exponents are up to 2000, so these float64 weights have a relative error of 1e-12.
			got, want := must.Be(m.Pair(i, j)), sums[i][j]/total
			if off := 1e-10 * want; got.Hi < want-off || got.Lo > want+off || got.Hi-got.Lo > 1e-10*(want+1e-300) {
				t.Errorf("bits %d and %d: [%v, %v], want %v", i, j, got.Lo, got.Hi, want)
			}
		}
	}
}

// OptimizeAlpha encloses the flip rate 1/(1 + e^{ε/s}) of randomised response, with the smallest ε shared by s bits.
// The enclosure contains the rate at both bounds of ε, computed to 60 digits.
func TestResponseAtSharedLoss(t *testing.T) {
	for _, eps := range []float64{.7, 10, 300, 2000} {
		for _, s := range []int{1, 3, 7} {
			q := must.Be(xor.OptimizeAlpha(t.Context(), xor.AlphaProblem{N: 1, P: 7, Epsilon: evidencetest.Epsilon(eps), Sensitivity: s, Privacy: xor.ExactPrivacy}))
			for end, v := range map[string]float64{"least": q.Smallest.Hi, "greatest": q.Smallest.Lo} {
				x, _ := new(big.Rat).Quo(rational(v), big.NewRat(int64(s), 1)).Float64()
				rest := new(big.Rat).Sub(new(big.Rat).Quo(rational(v), big.NewRat(int64(s), 1)), rational(x))
				more, _ := rest.Float64()
				rate := 1 / (1 + math.Exp(x)) * (1 - more/(1+math.Exp(-x)))
				if rate < 0x1p-1000 {
					continue
				}
				// math.Exp errs by less than an ulp, and the remaining operations by three.
				if off := 8 * 0x1p-53 * rate; end == "least" && q.Response.Lo > rate+off || end == "greatest" && q.Response.Hi < rate-off {
					t.Errorf("ε = %v, %d bits: the %s rate is %v, outside [%v, %v]", eps, s, end, rate, q.Response.Lo, q.Response.Hi)
				}
			}
			if q.Alpha != 1 || !(q.Response.Lo <= q.Response.Hi && q.Response.Hi <= .5) {
				t.Errorf("ε = %v, %d bits: α = %v, response %v", eps, s, q.Alpha, q.Response)
			}
		}
	}
}

// The error of a float64 loss covers at least one rounding of the exponents.
func TestScreenErrorCoversRounding(t *testing.T) {
	for _, size := range []float64{.5, 30, 300} {
		theta := [][]float64{{size, size / 4}, {size / 4, -size}}
		b := must.Be(xor.NewBernoulli(theta, map[xor.Pair][][]float64{{I: 0, J: 1}: theta}, 2))
		f := must.Be(b.PairsUnder(xor.FlipBits(2)))
		for i := range f.Size {
			r := f.Screen(i)
			for _, loss := range r.Loss {
				if !(r.Error >= math.Abs(loss)*0x1p-52) {
					t.Errorf("size %v: the error of loss %v is only %v", size, loss, r.Error)
				}
			}
		}
	}
}
