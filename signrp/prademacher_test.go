package signrp

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
	"time"

	"dpworkbench/evidence"
)

// P₊ on a lattice is exact and reports the number of cases, also for limits beyond the sum.
func TestCountsOnTheLattice(t *testing.T) {
	ctx := t.Context()
	// Of the eight patterns ±1 ±1 ±3, two are within 1: ±(1 + 1 − 3).
	for limit, inside := range map[int64]int64{0: 0, 1: 2, 2: 2, 3: 6, 4: 6, 5: 8, math.MaxInt64: 8} {
		n, err := exactOnLattice(ctx, []group{{1, 2}, {3, 1}}, big.NewInt(limit))
		if e, ok := n.(evidence.Exact); err != nil || !ok || e.Value.Cmp(big.NewRat(inside, 8)) != 0 || e.Cases != 3*2 {
			t.Errorf("sizes 1, 1 and 3 within %d: %v of %v cases, error %v, want %d of 8", limit, n, e.Cases, err, inside)
		}
	}
	huge := new(big.Int).Lsh(big.NewInt(1), 70)
	if n, err := exactOnLattice(ctx, []group{{5, 3}}, huge); err != nil || n.Float() != 1 {
		t.Errorf("limit 2⁷⁰: %v, %v", n, err)
	}
	if n, err := exactOnLattice(ctx, nil, big.NewInt(0)); err != nil || n.Float() != 1 || n.(evidence.Exact).Cases != 1 {
		t.Errorf("no sizes: %v, %v", n, err)
	}
}

func ExampleRademacherPPlus() {
	u := make([]float64, 9999)
	for i := range u {
		u[i] = 1
	}
	p, _ := RademacherPPlus(context.Background(), u, 1)
	printed, _ := PublishedRademacher(1/math.Sqrt(9999), 9999)
	fmt.Printf("%.5f %s against %.5f %s\n", p.Float(), p.Kind(), printed.Value, printed.Kind())
	// Output: 0.01596 exact against 0.00798 claimed
}

// exhaustive visits every sign pattern, with the rationals of the shortest decimals.
func exhaustive(u []float64, beta float64) *big.Rat {
	p := len(u)
	rats := make([]*big.Rat, p)
	for i, v := range u {
		rats[i], _ = new(big.Rat).SetString(fmt.Sprint(v))
	}
	limit, _ := new(big.Rat).SetString(fmt.Sprint(beta))
	inside := int64(0)
	sum := new(big.Rat)
	for _, r := range rats {
		sum.Sub(sum, r)
	}
	last := 0
	for n := range 1 << p { // Gray code: one sign a step
		gray := n ^ n>>1
		for i, r := range rats {
			if (gray^last)>>i&1 == 1 {
				twice := new(big.Rat).Add(r, r)
				if gray>>i&1 == 1 {
					sum.Add(sum, twice)
				} else {
					sum.Sub(sum, twice)
				}
			}
		}
		last = gray
		if new(big.Rat).Abs(sum).Cmp(limit) <= 0 {
			inside++
		}
	}
	return big.NewRat(inside, 1<<p)
}

func TestRademacherPPlusAgainstAllSigns(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	ctx := context.Background()
	for trial := range 60 {
		p := 1 + rng.IntN(10)
		if trial < 3 {
			p = 14
		}
		u := make([]float64, p)
		for i := range u {
			switch trial % 4 {
			case 0: // a lattice with ties at β
				u[i] = float64(rng.IntN(21)-10) / 10
			case 1:
				u[i] = 2*rng.Float64() - 1
			case 2:
				u[i] = []float64{0.5, -0.5, 0.25, 0}[rng.IntN(4)]
			default:
				u[i] = (2*rng.Float64() - 1) * math.Pow(10, -float64(rng.IntN(6)))
			}
		}
		beta := []float64{0.1, 0.5, 1, 1.7, rng.Float64() + 0.01}[rng.IntN(5)]
		want := exhaustive(u, beta)
		got := must(RademacherPPlus(ctx, u, beta))
		exact, ok := got.(evidence.Exact)
		if !ok || exact.Value.Cmp(want) != 0 {
			t.Errorf("u = %v, beta = %v: %v, want %v", u, beta, got, want)
		}
		rounded := must(roundedPPlus(ctx, u, beta, 1<<18))
		if lo, hi := rounded.Bounds(); lo > exact.Float()+1e-15 || hi < exact.Float()-1e-15 {
			t.Errorf("u = %v, beta = %v: rounded to [%v, %v], want %v", u, beta, lo, hi, exact.Float())
		}
	}
}

// Three exact or certified algorithms agree where all of them apply, beyond what can be enumerated. The interval of the
// rounding algorithm is narrow.
func TestRademacherPPlusRoutesAgree(t *testing.T) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(4, 4))
	u := make([]float64, 34)
	for i := range u {
		u[i] = float64(rng.IntN(2001)-1000) / 1000
	}
	sizes, limit := commonLattice(u, 0.8)
	groups, _, ok := smallGroups(sizes)
	if !ok {
		t.Fatal("no lattice")
	}
	a := must(exactOnLattice(ctx, groups, limit))
	b, _, err := exactByHalves(ctx, sizes, limit)
	if err != nil {
		t.Fatal(err)
	}
	if a.(evidence.Exact).Value.Cmp(b.(evidence.Exact).Value) != 0 {
		t.Errorf("lattice %v, halves %v", a, b)
	}
	c := must(roundedPPlus(ctx, u, 0.8, 1<<24))
	if lo, hi := c.Bounds(); lo > a.Float() || hi < a.Float() || hi-lo > 0.01 {
		t.Errorf("rounded to [%v, %v], want %v", lo, hi, a.Float())
	}
	long := randomVector(rng, 1000)
	start := time.Now()
	d := must(RademacherPPlus(ctx, long, 1))
	if lo, hi := d.Bounds(); d.Kind() != evidence.KindCertified || hi-lo > 0.005 {
		t.Errorf("p = 1000: [%v, %v] %s", lo, hi, d.Kind())
	}
	t.Logf("p = 1000: %v in %v", d, time.Since(start))
}

// circlePPlus is P₊ for p = 2 in polar coordinates. With w = (cos a, sin a) it is the fraction of the circle with β
// max(|cos a|, |sin a|) ≥ |u·w|, between the angles of equality.
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

func lower(n evidence.Number) float64 {
	lo, _ := n.Bounds()
	return lo
}

func TestGaussianPPlus(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		u    [2]float64
		beta float64
	}{{[2]float64{0.5, 0.5}, 0.9 * math.Sqrt(0.5)}, {[2]float64{1, 0.1}, 0.4}, {[2]float64{0.3, -0.9}, 0.5}, {[2]float64{0.7, 0}, 0.3}, {[2]float64{1, 0.5}, 1.2}} {
		got := must(GaussianPPlus(ctx, c.u[:], c.beta))
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
		got := must(GaussianPPlus(ctx, u, 0.9*norm(u)))
		printed, _ := PublishedGaussian(0.9, c.p)
		if math.Abs(got.Float()-c.want) > 1e-4 || lower(got) <= printed.Value {
			t.Errorf("p = %d: %v, want %v, above the printed %v", c.p, got, c.want, printed.Value)
		}
	}
}

// The estimated interval contains the P₊ of arcs and of all signs. Its radius is Hoeffding's, cut at 0 and 1. A false
// positive has probability 6e-6.
func TestEstimatePPlusContainsPPlus(t *testing.T) {
	ctx := t.Context()
	streams := func(n uint64) rand.Source { return rand.NewPCG(62, n) }
	u := []float64{0.6, 0.3}
	for _, c := range []struct {
		kind Kind
		s    float64
		u    []float64
		beta float64
		p    evidence.Number
	}{
		{Gaussian, 0, u, 0.2, arcPPlus(u, 0.2)}, {Gaussian, 0, u, 0.5, arcPPlus(u, 0.5)}, {Rademacher, 0, u, 0.3, must(RademacherPPlus(ctx, u, 0.3))},
		{Gaussian, 0, u, 2, evidence.Exact{Value: big.NewRat(1, 1)}}, {Uniform, 0, u[:1], 0.5, evidence.Exact{Value: new(big.Rat)}}, {Uniform, 0, u[:1], 0.7, evidence.Exact{Value: big.NewRat(1, 1)}},
		// Entries are 0 with probability 2/3. The event holds if both are 0, if only the second is not, and if both
		// have opposite signs, where |0.6 − 0.3| is at most β.
		{Sparse, 3, u, 0.4, evidence.Exact{Value: big.NewRat(8+4+1, 18)}}, {Sparse, 3, u, 0.3, evidence.Exact{Value: big.NewRat(8+4+1, 18)}}, {Sparse, 3, u, 0.2, evidence.Exact{Value: big.NewRat(4, 9)}},
	} {
		const n = 9000
		e := must(EstimatePPlus(ctx, Column{Kind: c.kind, S: c.s, U: c.u, Beta: c.beta}, n, streams))
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
	if p := arcPPlus([]float64{0.5, 0.25}, 0.3); p.Hi != math.Nextafter(p.Lo, 1) || math.Abs(p.Hi-want) > 1e-15 {
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
		sum.Add(sum, printedDecimal(math.Abs(u[i])))
	}
	total, _ := sum.Float64()
	for _, c := range []struct {
		beta float64
		last float64
		want float64
	}{{total * 1.001, 0, 1}, {0.3, -1, 0}, {total + 1e-9, 1e-9, 1}} {
		n := must(RademacherPPlus(context.Background(), append(u[:len(u):len(u)], c.last), c.beta))
		if n.Kind() != "exact" || n.Float() != c.want {
			t.Errorf("beta = %v, last coordinate %v: P₊ = %v, want exactly %v", c.beta, c.last, n, c.want)
		}
	}
	n := must(RademacherPPlus(context.Background(), append(u[:len(u):len(u)], 1), 1-total*0.999))
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
		n := must(RademacherPPlus(context.Background(), u, beta))
		if want := exhaustive(u, beta); n.Kind() != "exact" || n.(evidence.Exact).Value.Cmp(want) != 0 {
			t.Errorf("u = %v, β = %v: P₊ = %v, want exactly %v", u, beta, n, want)
		}
	}
}
