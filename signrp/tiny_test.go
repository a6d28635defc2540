package signrp

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
)

// Numbers of which squares or products leave the range of float64 are numbers.
// u = 0 has a neighbor as far as any two neighbors are apart, so reading (i) is
// reading (ii) at every β, and nearly ε as σ grows like β.
func TestTinyMovesOfNumbers(t *testing.T) {
	const p = 5
	for _, beta := range []float64{1, 1e-150, 1e-155, 1e-160, 3e-162, 1e-170, 1e-250, 1e-310, 5e-322} {
		var all []*Release
		for _, w := range allKinds(t, p, 4, 3) {
			r, err := NewRP(context.Background(), w, eps(t, 1), evidencetest.Delta(1e-6), RPOptions{Beta: beta})
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, r)
		}
		raw, err := NewRaw(p, eps(t, 1), evidencetest.Delta(1e-6), RPOptions{Beta: beta})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range append(all, raw) {
			worst := worstOf(t, r, make([]float64, p))
			public := publicOf(t, r)
			lo, hi := worst.Epsilon.Bounds()
			if least, most := public.Bounds(); hi < least || lo > most || hi-lo > 1e-12 {
				t.Errorf("%s, beta = %g: %v to its worst neighbor, %v over all", r.name, beta, worst.Epsilon, public)
			}
			// A subnormal σ is drawn to no more than its bits.
			if beta > 1e-300 && !(lo > 0.999999 && hi < 1.000001) {
				t.Errorf("%s, beta = %g: %v to its worst neighbor, want nearly 1", r.name, beta, worst.Epsilon)
			}
		}
	}
}

// Signs of subnormal data are those of their decimals: 4.4e-323 is less than
// 2e-323 + 2.5e-323, while the float64s, 9, 4 and 5 times the smallest, sum to 0.
func TestSignsOfSubnormals(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 7))
	least := math.SmallestNonzeroFloat64
	vectors := [][]float64{{-4 * least, -5 * least, 9 * least}, {4 * least, 5 * least, -9 * least}}
	for range 400 {
		a, b := float64(rng.IntN(40)-20), float64(rng.IntN(40)-20)
		vectors = append(vectors, []float64{a * least, b * least, -(a + b) * least})
	}
	binary := 0
	w := seek([][]float64{{1}, {1}, {1}})
	r, err := NewSignRP(context.Background(), w, eps(t, 1), SignOptions{Noise: RandomizedResponse, Beta: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range vectors {
		sum, floats := new(big.Rat), 0.0
		for _, v := range u {
			sum.Add(sum, written(v))
			floats += v
		}
		want := 0.0 // from the vector 0, of which the sign is +
		if sum.Sign() < 0 {
			want = 1
		}
		if (floats < 0) != (sum.Sign() < 0) {
			binary++
		}
		got, err := r.Pair(u, make([]float64, 3)).Epsilon(context.Background(), evidence.Delta{})
		if err != nil || got.Float() != want {
			t.Fatalf("u = %v: loss %v (%v), want %v", u, got, err, want)
		}
	}
	if binary < 50 {
		t.Errorf("float64s had the sign of the decimals but for %d vectors, want more", binary)
	}
}

// Sensitivity is β·max‖W_i‖/√k where ‖W_i‖β alone leaves the range.
func TestSensitivityAtTheEnds(t *testing.T) {
	w, err := NewProjection(Sparse, 6, 10, ProjectionOptions{Sparsity: 1, Seed: 3}) // ±1 everywhere
	if err != nil {
		t.Fatal(err)
	}
	for _, beta := range []float64{1e308, math.MaxFloat64 / 2, 1e-310, 1e-320, 5e-324} {
		s, err := w.Sensitivity(context.Background(), beta)
		if err != nil {
			t.Fatal(err)
		}
		lo, hi := s.Bounds()
		if new(big.Rat).SetFloat64(lo).Cmp(written(beta)) > 0 || new(big.Rat).SetFloat64(hi).Cmp(written(beta)) < 0 || hi-lo > 1e-14*beta+2*math.SmallestNonzeroFloat64 {
			t.Errorf("beta = %g: [%g, %g]", beta, lo, hi)
		}
	}
}

// P₊ depends on u/β alone: powers of ten are the same problem, where all
// u_i keep their digits, and the convolution of rounded sizes is none of those that
// notice.
func TestPPlusOfTinyNumbers(t *testing.T) {
	ctx := context.Background()
	unit := func(scale float64) (u []float64) {
		for i := range 43 {
			u = append(u, float64(1000+37*i*i%911)*scale)
		}
		return u
	}
	plain, err := roundedPPlus(ctx, unit(1e-6), 3.0005e-3, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	least, most := plain.Bounds()
	for _, exponent := range []int{-100, -130, -160, -200, -290, -300} {
		scale := math.Pow(10, float64(exponent))
		n, err := roundedPPlus(ctx, unit(scale), 3000.5*scale, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		if lo, hi := n.Bounds(); hi < least || lo > most || hi-lo > 2*(most-least) {
			t.Errorf("all times 1e%d: P₊ in [%v, %v], want near [%v, %v]", exponent, lo, hi, least, most)
		}
	}
}

// More than forty coordinates without a lattice are no reason to round what is
// certain: β from Σ|u_i| on, and β below what one coordinate has over the others.
func TestPPlusThatIsCertain(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 44))
	u, sum := make([]float64, 60), new(big.Rat)
	for i := range u {
		u[i] = (rng.Float64() + 0.1) / 128 * float64(1-2*(i%2))
		sum.Add(sum, written(math.Abs(u[i])))
	}
	total, _ := sum.Float64()
	for _, c := range []struct {
		beta float64
		last float64
		want float64
	}{{total * 1.001, 0, 1}, {0.3, -1, 0}, {total + 1e-9, 1e-9, 1}} {
		n, err := RademacherPPlus(context.Background(), append(u[:len(u):len(u)], c.last), c.beta)
		if err != nil {
			t.Fatal(err)
		}
		if n.Kind() != "exact" || n.Float() != c.want {
			t.Errorf("beta = %v and %v at last: P₊ = %v, want exactly %v", c.beta, c.last, n, c.want)
		}
	}
	n, err := RademacherPPlus(context.Background(), append(u[:len(u):len(u)], 1), 1-total*0.999)
	if err != nil {
		t.Fatal(err)
	}
	if lo, hi := n.Bounds(); lo > math.Exp2(-60) || hi < math.Exp2(-60) {
		t.Errorf("one pattern of 2⁶⁰ within reach: P₊ = %v", n)
	}
}

// Vectors next to each other are as far apart as their decimals, which float64
// differences hardly show.
func TestDistanceOfCloseVectors(t *testing.T) {
	const beta = 1e-17
	w, err := NewProjection(Rademacher, 3, 2, ProjectionOptions{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	u, v := []float64{0.3, 0.10000000000000002, -0.7}, []float64{0.3, 0.10000000000000003, -0.7}
	r, err := NewRP(context.Background(), w, eps(t, 1), evidencetest.Delta(1e-6), RPOptions{Beta: beta})
	if err != nil {
		t.Fatal(err)
	}
	near := smallestOf(t, r, u, v) // 1e-17 apart
	public := publicOf(t, r)
	lo, hi := near.Bounds()
	if least, most := public.Bounds(); hi < least || lo > most || hi-lo > 1e-12 {
		t.Errorf("vectors apart by beta: %v, all such: %v", near, public)
	}
}

// Sizes as far apart as float64s can be are counted exactly too: a number too
// small to matter decides what is at β itself.
func TestPPlusOfSizesFarApart(t *testing.T) {
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
		n, err := RademacherPPlus(context.Background(), u, beta)
		if err != nil {
			t.Fatal(err)
		}
		if want := exhaustive(u, beta); n.Kind() != "exact" || n.(evidence.Exact).Value.Cmp(want) != 0 {
			t.Errorf("u = %v, β = %v: P₊ = %v, want exactly %v", u, beta, n, want)
		}
	}
}

// A sum of sizes that exceeds β by less than any precision holds is not within reach for certain; where it is β, it is.
func TestCertainReachIsExact(t *testing.T) {
	for _, c := range []struct {
		u    []float64
		want bool
	}{{[]float64{1, 1e-300}, false}, {[]float64{0.5, -0.5}, true}, {[]float64{0.5, 0.5, 0x1p-1074}, false}} {
		if got := newJointLaw(c.u, 1).certain; got != c.want {
			t.Errorf("u = %v: certain at β = 1: %t", c.u, got)
		}
	}
}

// The length of what is infinite is infinite, and that of zeros 0.
func TestNormsAtTheEnds(t *testing.T) {
	for _, c := range []struct {
		u    []float64
		want float64
	}{{[]float64{1, math.Inf(-1), 2}, math.Inf(1)}, {[]float64{0, 0}, 0}, {nil, 0}, {[]float64{3e-300, 4e-300}, 5e-300}, {[]float64{3e200, -4e200}, 5e200}} {
		if got := norm(c.u); got != c.want && !(math.Abs(got/c.want-1) < 1e-15) {
			t.Errorf("%v is %v long, want %v", c.u, got, c.want)
		}
	}
}
