package xor_test

import (
	"math"
	"math/big"
	"sync"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/xor"
)

// The product moments of independent bits enclose the exact products of the ends of
// their marginals.
func TestMomentsOfIndependentBits(t *testing.T) {
	theta := [][]float64{{.3, 0, 0}, {0, -1.7, 0}, {0, 0, 40.1}}
	for _, b := range []*xor.Bernoulli{must.Be(xor.NewBernoulli(theta, nil, 3)), must.Be(xor.NewUniform(3, 3, -.37, .21)), must.Be(xor.NewUniform(2, 3, -800, .1))} {
		m := must.Be(b.Moments(t.Context()))
		_, p := 0, 3
		for i, x := range m.Marginals {
			for j, y := range m.Marginals {
				if i == j || i%p == j%p {
					continue
				}
				both := must.Be(m.Pair(i, j))
				if lo := new(big.Rat).Mul(rational(x.Lo), rational(y.Lo)); rational(both.Lo).Cmp(lo) > 0 || both.Lo < 0 {
					t.Errorf("bits %d and %d: the lower end %v is above the product of %v and %v", i, j, both.Lo, x.Lo, y.Lo)
				}
				if hi := new(big.Rat).Mul(rational(x.Hi), rational(y.Hi)); rational(both.Hi).Cmp(hi) < 0 || both.Hi > 1 {
					t.Errorf("bits %d and %d: the upper end %v is below the product of %v and %v", i, j, both.Hi, x.Hi, y.Hi)
				}
			}
		}
	}
}

func rational(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }

// Where weights leave the range of float64 the moments are those of the states too.
func TestMomentsOfFarWeights(t *testing.T) {
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
		t.Fatalf("the largest exponent is %v: no weight is far", top)
	}
	m := must.Be(b.Moments(t.Context()))
	for i := range n * p {
		for j := range n * p {
			// Exponents are of some 2000 nats, so that a weight here errs by 1e-12 of itself.
			got, want := must.Be(m.Pair(i, j)), sums[i][j]/total
			if off := 1e-10 * want; got.Hi < want-off || got.Lo > want+off || got.Hi-got.Lo > 1e-10*(want+1e-300) {
				t.Errorf("bits %d and %d: [%v, %v], want %v", i, j, got.Lo, got.Hi, want)
			}
		}
	}
}

// A rate is between 0 and 1, also where rounding outward would leave them.
func TestRatesAreShares(t *testing.T) {
	for _, eps := range []float64{1e-3, 1, 30, 500} {
		q := must.Be(xor.Divide(xor.Budget{N: 4, P: 6, Epsilon: nats(eps), Alpha: 1, Sensitivity: 1}, 2, 3))
		plain, other := must.Be(q.FlipRate(t.Context(), xor.Plain)), must.Be(q.FlipRate(t.Context(), xor.Complement))
		for _, rate := range []evidence.Certified{plain, other} {
			if !(0 <= rate.Lo && rate.Lo <= rate.Hi && rate.Hi <= 1) {
				t.Errorf("ε = %v: the rate is in [%v, %v]", eps, rate.Lo, rate.Hi)
			}
		}
		if sum := plain.Lo + other.Lo; sum > 1 || plain.Hi+other.Hi < 1 || plain.Hi+other.Hi-sum > 1e-12 {
			t.Errorf("ε = %v: the rates %v and %v are not of complements", eps, plain, other)
		}
	}
}

// Randomised response at the smallest ε, shared by s bits, flips at a rate that the
// enclosure holds for both ends: 1/(1 + e^{ε/s}) with 60 digits.
func TestResponseAtSharedLoss(t *testing.T) {
	for _, eps := range []float64{.7, 10, 300, 2000} {
		for _, s := range []int{1, 3, 7} {
			q := must.Be(xor.OptimizeAlpha(t.Context(), xor.AlphaProblem{N: 1, P: 7, Epsilon: nats(eps), Sensitivity: s, Privacy: xor.ExactPrivacy}))
			for end, v := range map[string]float64{"least": q.Smallest.Hi, "greatest": q.Smallest.Lo} {
				x, _ := new(big.Rat).Quo(rational(v), big.NewRat(int64(s), 1)).Float64()
				rest := new(big.Rat).Sub(new(big.Rat).Quo(rational(v), big.NewRat(int64(s), 1)), rational(x))
				more, _ := rest.Float64()
				rate := 1 / (1 + math.Exp(x)) * (1 - more/(1+math.Exp(-x)))
				if rate < 0x1p-1000 {
					continue
				}
				// math.Exp errs by less than an ulp, and the rest by three.
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

// Proposition 1 covers positive semidefinite blocks without negative entries, in Θ and
// in every Λ_ij.
func TestBoundCovers(t *testing.T) {
	good, negative, indefinite := [][]float64{{1, .5}, {.5, 1}}, [][]float64{{1, -.5}, {-.5, 1}}, [][]float64{{0, 1}, {1, 0}}
	for _, test := range []struct {
		theta, first, last [][]float64
		want               bool
	}{
		{good, good, good, true}, {negative, good, good, false}, {indefinite, good, good, false},
		{good, negative, good, false}, {good, good, negative, false}, {good, indefinite, good, false}, {good, good, indefinite, false},
	} {
		b := must.Be(xor.NewBernoulli(test.theta, map[xor.Pair][][]float64{{I: 0, J: 1}: test.first, {I: 1, J: 2}: test.last}, 3))
		if _, covered := b.Bound(); covered != test.want {
			t.Errorf("%+v: covered %t", test, covered)
		}
	}
}

// A family's pairs may be asked for by several at once.
func TestPairsAtOnce(t *testing.T) {
	theta := [][]float64{{.5, .25}, {.25, -.5}}
	for _, b := range []*xor.Bernoulli{must.Be(xor.NewUniform(3, 2, .5, .1)), must.Be(xor.NewBernoulli(theta, map[xor.Pair][][]float64{{I: 0, J: 1}: theta}, 2))} {
		f := must.Be(b.PairsUnder(xor.FlipBits(2)))
		start := make(chan struct{})
		var wait sync.WaitGroup
		for range 4 {
			wait.Go(func() {
				<-start
				for i := range f.Size {
					if _, err := f.Pair(t.Context(), i); err != nil {
						t.Error(err)
					}
				}
			})
		}
		close(start)
		wait.Wait()
	}
}

// Noise that one of two neighbors alone can give has no ε: both ends are infinite.
func TestNoiseLawWithGapsHasNoEpsilon(t *testing.T) {
	l := must.Be(xor.NewNoiseLaw(1, 2, []*big.Rat{big.NewRat(1, 2), big.NewRat(1, 4), big.NewRat(1, 4), new(big.Rat)}))
	pure, err := must.Be(l.Under(xor.FlipBits(1))).Epsilon(t.Context(), evidence.Delta{})
	if err != nil {
		t.Fatal(err)
	}
	if c, ok := pure.(evidence.Certified); !ok || !math.IsInf(c.Lo, 1) || !math.IsInf(c.Hi, 1) {
		t.Errorf("the smallest ε is %v", pure)
	}
}

// The normaliser of a law of more bits than one vector holds is the sum over its states.
func TestNormalizerOfDenseLaws(t *testing.T) {
	for p := 11; p <= 14; p++ {
		theta := make([][]float64, p)
		for i := range theta {
			theta[i] = make([]float64, p)
		}
		for i := range p {
			theta[i][i] = .3 * math.Sin(float64(3*i+p))
			for j := range i {
				theta[i][j] = .2 * math.Cos(float64(i*j+2*i+p))
				theta[j][i] = theta[i][j]
			}
		}
		var sum float64
		for s := range 1 << p {
			var e float64
			for i := range p {
				if s>>i&1 == 1 {
					e += theta[i][i]
					for j := range i {
						if s>>j&1 == 1 {
							e += 2 * theta[i][j]
						}
					}
				}
			}
			sum += math.Exp(e)
		}
		got := must.Be(must.Be(xor.NewBernoulli(theta, nil, 1)).LogNormalizer(t.Context()))
		// A term errs by 2⁻⁵³ of its 100 additions, the sum by 2⁻⁵³ of its 16384.
		if want, off := math.Log(sum), 2e-12; got.Lo > want+off || got.Hi < want-off || got.Hi-got.Lo > 1e-11 {
			t.Errorf("%d bits: ln Z in [%v, %v], want %v", p, got.Lo, got.Hi, want)
		}
	}
}

// Pairs in float64 say how far their losses may be off: by a rounding of the exponents at least.
func TestRoughPairsOfFarStates(t *testing.T) {
	for _, size := range []float64{.5, 30, 300} {
		theta := [][]float64{{size, size / 4}, {size / 4, -size}}
		b := must.Be(xor.NewBernoulli(theta, map[xor.Pair][][]float64{{I: 0, J: 1}: theta}, 2))
		f := must.Be(b.PairsUnder(xor.FlipBits(2)))
		for i := range f.Size {
			r := f.Screen(i)
			for _, loss := range r.Loss {
				if !(r.Error >= math.Abs(loss)*0x1p-52) {
					t.Errorf("size %v: a loss of %v is off by %v at most", size, loss, r.Error)
				}
			}
		}
	}
}

// At an ε whose power no float64 holds δ is bounded by what the largest ratio says.
func TestNoiseLawAtLargeEpsilon(t *testing.T) {
	tiny := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 300))
	l := must.Be(xor.NewNoiseLaw(1, 1, []*big.Rat{new(big.Rat).Sub(big.NewRat(1, 1), tiny), tiny}))
	curve := must.Be(l.Under(xor.FlipBits(1)))
	for _, eps := range []float64{139, 150, 207.9, 208, 300} { // 300 ln 2 = 207.94
		lo, hi := must.Be(curve.Delta(t.Context(), nats(eps))).Bounds()
		want := math.Max(0, 1-math.Exp(eps-300*math.Ln2))
		if lo > want+1e-9 || hi < want-1e-9 || hi > 1 {
			t.Errorf("δ(%v) in [%v, %v], want %v", eps, lo, hi, want)
		}
	}
}
