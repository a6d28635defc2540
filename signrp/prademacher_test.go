package signrp_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/signrp"
)

func ExampleRademacherPPlus() {
	u := make([]float64, 9999)
	for i := range u {
		u[i] = 1
	}
	p, _ := signrp.RademacherPPlus(context.Background(), u, 1)
	printed, _ := signrp.PublishedRademacher(1/math.Sqrt(9999), 9999)
	fmt.Printf("%.5f %s against %.5f %s\n", p.Float(), p.Kind(), printed.Value, printed.Kind())
	// Output: 0.01596 exact against 0.00798 claimed
}

// circlePPlus returns P₊ for p = 2 in polar coordinates. With w = (cos a, sin a) it is the fraction of the circle on
// which β max(|cos a|, |sin a|) ≥ |u·w|. The angles of equality bound the arcs.
func circlePPlus(u [2]float64, beta float64) float64 {
	const n = 1 << 20
	inside := 0
	for i := range n {
		sin, cos := math.Sincos(2 * math.Pi * (float64(i) + 0.5) / n)
		if beta*math.Max(math.Abs(cos), math.Abs(sin)) >= math.Abs(u[0]*cos+u[1]*sin) {
			inside++
		}
	}
	return float64(inside) / n
}

func TestGaussianPPlus(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		u    [2]float64
		beta float64
	}{{[2]float64{0.5, 0.5}, 0.9 * math.Sqrt(0.5)}, {[2]float64{1, 0.1}, 0.4}, {[2]float64{0.3, -0.9}, 0.5}, {[2]float64{0.7, 0}, 0.3}, {[2]float64{1, 0.5}, 1.2}} {
		got := must.Be(signrp.GaussianPPlus(ctx, c.u[:], c.beta))
		if want := circlePPlus(c.u, c.beta); math.Abs(got.Float()-want) > 1e-5 || got.Kind() != evidence.KindCertified {
			t.Errorf("u = %v, beta = %g: %v, want %v (circle)", c.u, c.beta, got, want)
		}
	}
	// For p = 2, P₊ is .669 in closed form. For p = 20, 10⁸ draws of w by another program gave .945279, with standard
	// error .000023.
	for _, c := range []struct {
		p    int
		want float64
	}{{2, 0.6695}, {20, 0.94526}} {
		u := make([]float64, c.p)
		for i := range u {
			u[i] = 0.5
		}
		got := must.Be(signrp.GaussianPPlus(ctx, u, 0.9*norm(u)))
		printed, _ := signrp.PublishedGaussian(0.9, c.p)
		if math.Abs(got.Float()-c.want) > 1e-4 || lower(got) <= printed.Value {
			t.Errorf("p = %d: %v, want %v, above the printed %v", c.p, got, c.want, printed.Value)
		}
	}
}

// The estimated interval contains the exact P₊, from arcs or from all signs. Its radius is that of Hoeffding's bound,
// cut at 0 and 1. The test fails for a correct estimate with probability at most 6e-6.
func TestEstimatePPlusContainsPPlus(t *testing.T) {
	ctx := t.Context()
	streams := func(n uint64) rand.Source { return rand.NewPCG(62, n) }
	u := []float64{0.6, 0.3}
	for _, c := range []struct {
		kind signrp.Kind
		s    float64
		u    []float64
		beta float64
		p    evidence.Number
	}{
		{signrp.Gaussian, 0, u, 0.2, must.Be(signrp.GaussianPPlus(ctx, u, 0.2))}, {signrp.Gaussian, 0, u, 0.5, must.Be(signrp.GaussianPPlus(ctx, u, 0.5))}, {signrp.Rademacher, 0, u, 0.3, must.Be(signrp.RademacherPPlus(ctx, u, 0.3))},
		{signrp.Gaussian, 0, u, 2, evidence.Exact{Value: big.NewRat(1, 1)}}, {signrp.Uniform, 0, u[:1], 0.5, evidence.Exact{Value: new(big.Rat)}}, {signrp.Uniform, 0, u[:1], 0.7, evidence.Exact{Value: big.NewRat(1, 1)}},
		// Entries are 0 with probability 2/3. The event holds in three cases: both entries are 0, only the first is 0,
		// or both have opposite signs, where |0.6 − 0.3| is at most β.
		{signrp.Sparse, 3, u, 0.4, evidence.Exact{Value: big.NewRat(8+4+1, 18)}}, {signrp.Sparse, 3, u, 0.3, evidence.Exact{Value: big.NewRat(8+4+1, 18)}}, {signrp.Sparse, 3, u, 0.2, evidence.Exact{Value: big.NewRat(4, 9)}},
	} {
		const n = 9000
		e := must.Be(signrp.EstimatePPlus(ctx, signrp.Column{Kind: c.kind, S: c.s, U: c.u, Beta: c.beta}, n, streams))
		radius := math.Sqrt(math.Log(2e6) / (2 * n))
		if !(e.Lo <= upper(c.p) && lower(c.p) <= e.Hi) || math.Abs(e.Lo-max(0, e.Value-radius)) > 1e-15 || math.Abs(e.Hi-min(1, e.Value+radius)) > 1e-15 {
			t.Errorf("%s W, u = %v, β = %g: %v from %v to %v, want P₊ = %v", c.kind, c.u, c.beta, e.Value, e.Lo, e.Hi, c.p)
		}
	}
}

// A P₊ that float64 cannot represent lies between adjacent float64s. Here the event is |½ + t/4| ≤ 0.3 for −1 ≤ t ≤
// −0.8, or |¼ + t/2| ≤ 0.3 for −1 ≤ t ≤ 0.1.
func TestArcPPlusIsOneUlpWide(t *testing.T) {
	want := (math.Atan(1) - math.Atan(.8) + math.Atan(.1) + math.Atan(1)) / math.Pi
	if p := must.Be(signrp.GaussianPPlus(t.Context(), []float64{0.5, 0.25}, 0.3)).(evidence.Certified); p.Hi != math.Nextafter(p.Lo, 1) || math.Abs(p.Hi-want) > 1e-15 {
		t.Errorf("P₊ from %v to %v, want %v", p.Lo, p.Hi, want)
	}
}

// Above forty coordinates without a lattice, P₊ is still exact if it is certain. Either β ≥ Σ|u_i|, or one coordinate
// exceeds the sum of the others by more than β.
func TestRademacherPPlusCertain(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 44))
	u, sum := make([]float64, 60), new(big.Rat)
	for i := range u {
		u[i] = (rng.Float64() + 0.1) / 128 * float64(1-2*(i%2))
		sum.Add(sum, signrp.PrintedDecimal(math.Abs(u[i])))
	}
	total, _ := sum.Float64()
	for _, c := range []struct {
		beta float64
		last float64
		want float64
	}{{total * 1.001, 0, 1}, {0.3, -1, 0}, {total + 1e-9, 1e-9, 1}} {
		n := must.Be(signrp.RademacherPPlus(context.Background(), append(u[:len(u):len(u)], c.last), c.beta))
		if n.Kind() != "exact" || n.Float() != c.want {
			t.Errorf("beta = %v, last coordinate %v: P₊ = %v, want exactly %v", c.beta, c.last, n, c.want)
		}
	}
	n := must.Be(signrp.RademacherPPlus(context.Background(), append(u[:len(u):len(u)], 1), 1-total*0.999))
	if lo, hi := n.Bounds(); lo > math.Exp2(-60) || hi < math.Exp2(-60) {
		t.Errorf("with one pattern of 2⁶⁰ within reach, P₊ = %v", n)
	}
}

// Coordinates of very different sizes are counted exactly. A tiny coordinate decides ties at β.
func TestRademacherPPlusOfMixedSizes(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 41))
	for trial := range 60 {
		u := make([]float64, 2+rng.IntN(9))
		for i := range u {
			u[i] = float64(rng.IntN(9)-4) / 8
			if trial%3 == 0 {
				u[i] = rng.Float64()
			}
		}
		u[0] = []float64{5e-324, 2.5e-320, 1e-200, -1e-60}[trial%4]
		beta := float64(1+rng.IntN(8)) / 8
		n := must.Be(signrp.RademacherPPlus(context.Background(), u, beta))
		if want := signrp.ExhaustivePPlus(u, beta); n.Kind() != "exact" || n.(evidence.Exact).Value.Cmp(want) != 0 {
			t.Errorf("u = %v, β = %v: P₊ = %v, want exactly %v", u, beta, n, want)
		}
	}
}

// Sums that need more than 126 bits are counted exactly for up to 32 coordinates, and bounded for more. Smaller sums
// are counted in 128 bits. Each count visits all sign patterns by halves.
func TestRademacherPPlusOfManyDigits(t *testing.T) {
	ctx, rng := t.Context(), rand.New(rand.NewPCG(3, 2))
	for _, tiny := range []float64{1e-30, 1e-36, 1e-37, 1e-38, 1e-39, 1e-90, 1e-300} {
		u := append(signrp.RandomVector(rng, 7), tiny)
		for i := range u[:7] {
			u[i] = math.Copysign(float64(500+rng.IntN(501))/1000, u[i])
		}
		n := must.Be(signrp.RademacherPPlus(ctx, u, 0.5))
		if e, ok := n.(evidence.Exact); !ok || e.Value.Cmp(signrp.ExhaustivePPlus(u, 0.5)) != 0 || e.Cases != 1<<8 {
			t.Errorf("%v within 0.5: %v, want %v", u, n, signrp.ExhaustivePPlus(u, 0.5))
		}
	}
	many := append(signrp.RandomVector(rng, 32), 1e-40)
	if n := must.Be(signrp.RademacherPPlus(ctx, many, 0.5)); n.Kind() != evidence.KindCertified {
		t.Errorf("33 numbers of 40 digits: %v", n)
	}
	// If β is at least the sum, every pattern counts. If β is just below the sum, the two extreme patterns do not.
	for beta, want := range map[float64]int64{0.6: 14, 0.6000000000001: 16, 0.6000000000002: 16, 0.5999999999999: 14, 0.5999999999998: 12} {
		n := must.Be(signrp.RademacherPPlus(ctx, []float64{0.1, 0.2, 0.3, 1e-13}, beta))
		if e, ok := n.(evidence.Exact); !ok || e.Value.Cmp(big.NewRat(want, 16)) != 0 {
			t.Errorf("0.1, 0.2, 0.3 and 1e-13 within %v: %v, want %d/16", beta, n, want)
		}
	}
}
