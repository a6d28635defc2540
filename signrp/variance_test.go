package signrp_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/signrp"
)

// Without noise, Theorems C.2 and C.3 give the exact variance. The test enumerates the mean square of the inner product
// over every W in rational arithmetic, at p = 4, k = 2.
func TestVarianceByEnumeration(t *testing.T) {
	const p, k = 4, 2
	u, v := []float64{0.5, -0.25, 1, 0.75}, []float64{0.25, 0.5, 0.5, -1}
	rat := func(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }
	dot := rat(0)
	for i := range u {
		dot.Add(dot, new(big.Rat).Mul(rat(u[i]), rat(v[i])))
	}
	spread := func(estimates []*big.Rat) float64 { // returns the variance, and checks that the estimates are unbiased
		mean, square := rat(0), rat(0)
		for _, e := range estimates {
			mean.Add(mean, e)
			square.Add(square, new(big.Rat).Mul(e, e))
		}
		n := big.NewRat(int64(len(estimates)), 1)
		mean.Quo(mean, n)
		if mean.Cmp(dot) != 0 {
			t.Errorf("mean %v, want %v", mean, dot)
		}
		square.Quo(square, n)
		out, _ := square.Sub(square, mean.Mul(mean, mean)).Float64()
		return out
	}
	var rademacher []*big.Rat
	for signs := range 1 << (p * k) {
		e := rat(0)
		for j := range k {
			x, y := rat(0), rat(0)
			for i := range p {
				s := rat(float64(2*(signs>>(i*k+j)&1) - 1))
				x.Add(x, new(big.Rat).Mul(s, rat(u[i])))
				y.Add(y, new(big.Rat).Mul(s, rat(v[i])))
			}
			e.Add(e, x.Mul(x, y))
		}
		rademacher = append(rademacher, e.Quo(e, big.NewRat(k, 1)))
	}
	var oporp []*big.Rat
	for bins := range 1 << p { // the coordinates of bin 0, two of four
		if bins&1+bins>>1&1+bins>>2&1+bins>>3&1 != 2 {
			continue
		}
		for signs := range 1 << p {
			e := rat(0)
			for j := range k {
				x, y := rat(0), rat(0)
				for i := range p {
					if bins>>i&1 == j {
						s := rat(float64(2*(signs>>i&1) - 1))
						x.Add(x, new(big.Rat).Mul(s, rat(u[i])))
						y.Add(y, new(big.Rat).Mul(s, rat(v[i])))
					}
				}
				e.Add(e, x.Mul(x, y))
			}
			oporp = append(oporp, e)
		}
	}
	w, _ := signrp.NewProjection(signrp.Rademacher, p, k, signrp.ProjectionOptions{Seed: 0})
	o, _ := signrp.NewOPORP(context.Background(), p, k, 0)
	for _, c := range []struct {
		w    *signrp.Projection
		want float64
	}{{w, spread(rademacher)}, {o, spread(oporp)}} {
		got := must.Be(signrp.InnerVariance(c.w, u, v, new(big.Rat)))
		if got.Lo > c.want || got.Hi < c.want || got.Hi-got.Lo > 1e-14 {
			t.Errorf("%s: variance %v, enumeration %v", c.w.Kind(), got, c.want)
		}
	}
}

// The variances of the three theorems, of the other laws of W and of padded OPORP agree with simulation with fresh W
// and noise. The standard error comes from the fourth moment of the same draws. A normal variable exceeds 8 standard
// errors with probability 1e-15 in each case, and the seed is fixed. A formula off by a factor of two misses by more
// than 50 standard errors.
func TestVarianceAgainstSimulation(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 12))
	const p, k, draws = 23, 6, 20_000
	u, v := signrp.RandomVector(rng, p), signrp.RandomVector(rng, p)
	dot := 0.0
	for i := range u {
		dot += u[i] * v[i]
	}
	for kind, w := range map[string]*signrp.Projection{"raw": nil, "rademacher": {}, "gaussian": {}, "uniform": {}, "sparse": {}, "oporp": {}} {
		const sigma = 0.4
		sum, square, fourth := 0.0, 0.0, 0.0
		for n := range draws {
			var err error
			switch kind {
			case "raw":
			case "oporp":
				w, err = signrp.NewOPORP(context.Background(), p, k, uint64(n))
			default:
				w, err = signrp.NewProjection(signrp.Kind(kind), p, k, signrp.ProjectionOptions{Sparsity: 4, Seed: uint64(n)})
			}
			if err != nil {
				t.Fatal(err)
			}
			x, y := u, v
			if w != nil {
				x = must.Be(w.Apply(context.Background(), u))
				y = must.Be(w.Apply(context.Background(), v))
			}
			estimate := 0.0
			for j := range x {
				estimate += (x[j] + sigma*rng.NormFloat64()) * (y[j] + sigma*rng.NormFloat64())
			}
			e := estimate - dot
			sum, square, fourth = sum+e, square+e*e, fourth+e*e*e*e
		}
		want := must.Be(signrp.InnerVariance(w, u, v, interval.Decimal(sigma)))
		got := square / draws
		se := math.Sqrt((fourth/draws - got*got) / draws)
		if math.Abs(got-want.Float()) > 8*se || math.Abs(sum/draws) > 8*math.Sqrt(got/draws) {
			t.Errorf("%s: variance %v, simulated %v ± %v; bias %v", kind, want.Float(), got, se, sum/draws)
		}
		if 8*se > want.Float()/4 {
			t.Errorf("%s: the standard error %v of %v is too large to detect a factor of two", kind, se, want.Float())
		}
	}
}

// Theorem 4.5 for Gaussian W at k = 16 agrees with simulation, to the tolerance of TestVarianceAgainstSimulation.
func TestAngleVarianceAgainstSimulation(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 13))
	const p, k, draws, perSign = 5, 16, 20_000, 1.2
	u, v := signrp.RandomVector(rng, p), signrp.RandomVector(rng, p)
	theta := must.Be(signrp.Angle(u, v))
	sum, square, fourth := 0.0, 0.0, 0.0
	for n := range draws {
		w, _ := signrp.NewProjection(signrp.Gaussian, p, k, signrp.ProjectionOptions{Seed: uint64(n)})
		r := must.Be(signrp.NewSignRP(context.Background(), w, evidencetest.Epsilon(perSign*k), signrp.SignOptions{Noise: signrp.RandomizedResponse, Beta: 1}))
		a := must.Be(r.Sample(context.Background(), u, rand.NewPCG(uint64(n), 1)))
		b := must.Be(r.Sample(context.Background(), v, rand.NewPCG(uint64(n), 2)))
		estimate := must.Be(signrp.AngleEstimate(a.Signs, b.Signs, evidencetest.Epsilon(perSign)))
		e := estimate - theta
		sum, square, fourth = sum+e, square+e*e, fourth+e*e*e*e
	}
	want := must.Be(signrp.AngleVariance(theta, evidencetest.Epsilon(perSign), k))
	got := square / draws
	se := math.Sqrt((fourth/draws - got*got) / draws)
	if math.Abs(got-want.Value) > 8*se || math.Abs(sum/draws) > 8*math.Sqrt(got/draws) {
		t.Errorf("variance %v, simulated %v ± %v; bias %v", want.Value, got, se, sum/draws)
	}
}

func TestVarianceRatio(t *testing.T) {
	// In the corner of Figure 12, σ = .1 and k = 10, so R·k/p → σ⁴k/(2σ² + kσ⁴ + 1/k) = .001/.121.
	r := must.Be(signrp.VarianceRatio(1_000_000_000>>2, 10, 0.1))
	if got := r * 10 / (1_000_000_000 >> 2); math.Abs(got-0.001/0.121) > 1e-6 {
		t.Errorf("ratio/(p/k) = %v, want .00826", got)
	}
}

// The angle estimate and its variance refuse an ε so small that their numbers overflow.
func TestAngleRefusesTinyEpsilon(t *testing.T) {
	for e, ok := range map[float64]bool{1e-75: true, 9e-76: false, 1e-300: false} {
		v, err := signrp.AngleVariance(1, evidencetest.Epsilon(e), 9)
		if ok != (err == nil) || !ok && (!errors.Is(err, evidence.ErrParameter) || v != (evidence.Claimed{})) || ok && !(v.Value > 0 && v.Value <= math.MaxFloat64) {
			t.Errorf("ε = %g: %v, %v", e, v, err)
		}
	}
	for theta, ok := range map[float64]bool{0: true, math.Pi: true, -1e-300: false, math.Nextafter(math.Pi, 4): false, math.NaN(): false} {
		if _, err := signrp.AngleVariance(theta, evidencetest.Epsilon(1), 9); ok != (err == nil) {
			t.Errorf("θ = %g: %v", theta, err)
		}
	}
	if _, err := signrp.AngleVariance(1, evidencetest.Epsilon(1), 0); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("without signs: error %v", err)
	}
	if _, err := signrp.AngleVariance(1, evidence.Epsilon{}, 4); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("without ε: error %v", err)
	}
}

// A release's variance is that of the estimator with the release's own noise.
func TestReleaseVariance(t *testing.T) {
	ctx := context.Background()
	u, v := []float64{0.5, -0.25, 1, 0.75}, []float64{0.25, 0.5, 0.5, -1}
	for _, w := range []*signrp.Projection{
		must.Be(signrp.NewOPORP(ctx, 4, 2, 5)),
		must.Be(signrp.NewProjection(signrp.Rademacher, 4, 3, signrp.ProjectionOptions{Seed: 5})),
	} {
		r := must.Be(signrp.NewRP(ctx, w, evidencetest.Epsilon(1), evidencetest.Delta(1e-3), signrp.RPOptions{Beta: 1}))
		sigma := new(big.Rat).SetFloat64(must.Be(r.Sigma()).Hi)
		got, want := must.Be(r.Variance(u, v)).(evidence.Certified), must.Be(signrp.InnerVariance(w, u, v, sigma))
		if got.Hi < want.Lo || want.Hi < got.Lo {
			t.Errorf("%s: variance %v, want %v", r.Name(), got, want)
		}
	}
}
