package xor_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/xor"
)

func ExampleBernoulli_Under() {
	// Algorithm 1 with two objects, one feature, α = 0.3, s_f = 1, ε = 1.
	b, _ := xor.Allocate(xor.Budget{N: 2, P: 1, Epsilon: evidencetest.Epsilon(1), Alpha: 0.3, Sensitivity: 1})
	loss, _ := smallest(context.Background(), b, xor.FlipBits(1), xor.LossOptions{})
	fmt.Printf("claimed %.4f, smallest %.4f\n", b.ClaimedEpsilon(1).Float(), loss.Float())
	// Output: claimed 1.0000, smallest 1.7000
}

// exponents tabulates bᵀΠb from the full Π in float64.
func exponents(b *xor.Bernoulli) []float64 {
	pi := must.Be(b.Pi())
	d := len(pi)
	out := make([]float64, 1<<d)
	for s := range out {
		for i := range d {
			for j := range d {
				if s>>i&1 == 1 && s>>j&1 == 1 {
					out[s] += pi[i][j]
				}
			}
		}
	}
	return out
}

// bruteLoss returns the largest difference of the exponents of two states that differ in one of the masks.
func bruteLoss(e []float64, masks map[int]bool) float64 {
	var best float64
	for mask := range masks {
		for s := range e {
			best = math.Max(best, e[s^mask]-e[s])
		}
	}
	return best
}

func bitMasks(d, s int) map[int]bool {
	out := map[int]bool{}
	for m := 1; m < 1<<d; m++ {
		ones := 0
		for k := range d {
			ones += m >> k & 1
		}
		if ones <= s {
			out[m] = true
		}
	}
	return out
}

func rowMasks(n, p int) map[int]bool {
	out := map[int]bool{}
	for i := range n {
		for m := 1; m < 1<<p; m++ {
			out[m<<(i*p)] = true
		}
	}
	return out
}

func edgeMasks(n int) map[int]bool {
	out := map[int]bool{}
	for i := range n {
		for j := range i {
			out[1<<(i*n+j)|1<<(j*n+i)] = true
		}
	}
	return out
}

// sparseLaw returns a random law whose entries are zero with probability 1 − keep, so that it splits into independent
// parts.
func sparseLaw(t testing.TB, n, p int, keep float64, rng *rand.Rand) *xor.Bernoulli {
	symmetric := func() [][]float64 {
		m := make([][]float64, p)
		for i := range m {
			m[i] = make([]float64, p)
			for j := range i + 1 {
				if rng.Float64() < keep {
					m[i][j] = math.Round(40*rng.NormFloat64()) / 16 // coarse rounding makes ties common
				}
				m[j][i] = m[i][j]
			}
		}
		return m
	}
	lambda := map[xor.Pair][][]float64{}
	for j := range n {
		for i := range j {
			if rng.Float64() < keep {
				lambda[xor.Pair{I: i, J: j}] = symmetric()
			}
		}
	}
	b := must.Be(xor.NewBernoulli(symmetric(), lambda, n))
	return b
}

func checkLoss(t *testing.T, name string, b *xor.Bernoulli, nb xor.Neighbors, e []float64, masks map[int]bool) {
	t.Helper()
	want := bruteLoss(e, masks)
	slack := 1e-14 * (1 + want) // rounding of want: at most 100 terms of size 5
	for _, general := range []bool{false, true} {
		loss, err := smallest(ctx, b, nb, xor.LossOptions{General: general})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !loss.Complete || loss.Lo > want+slack || loss.Hi < want-slack || loss.Hi-loss.Lo > 1e-12*(1+want) {
			t.Errorf("%s (general %t): [%v, %v], complete %t, want %v", name, general, loss.Lo, loss.Hi, loss.Complete, want)
		}
		if w := loss.Worst; w != nil {
			from, mask := 0, 0
			for _, k := range w.On {
				from |= 1 << k
			}
			for _, k := range w.Bits {
				mask |= 1 << k
			}
			d := e[from^mask] - e[from]
			if !masks[mask] && want > 0 || math.Abs(math.Abs(d)-want) > 1e-13*(1+want) {
				t.Errorf("%s: the worst flip %v of %v is %v, want %v", name, w.Bits, w.On, d, want)
			}
		}
	}
}

// The smallest ε agrees with the maximum over all pairs of states, for random laws and every kind of neighbors.
func TestSmallestEpsilonAgainstAllPairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 6))
	shapes := [][2]int{{1, 1}, {1, 2}, {2, 1}, {2, 2}, {1, 6}, {6, 1}, {3, 2}, {2, 3}}
	for trial := range 500 {
		shape := shapes[trial%len(shapes)]
		n, p := shape[0], shape[1]
		var b *xor.Bernoulli
		switch trial % 3 {
		case 0:
			b = randomLaw(t, n, p, 1, rng)
		case 1:
			b = sparseLaw(t, n, p, .4, rng)
		default:
			b = must.Be(xor.NewUniform(n, p, rng.NormFloat64(), rng.NormFloat64()))
		}
		e, name := exponents(b), fmt.Sprintf("law %d, %d×%d", trial, n, p)
		s := 1 + rng.IntN(n*p)
		checkLoss(t, fmt.Sprintf("%s, %d bits", name, s), b, xor.FlipBits(s), e, bitMasks(n*p, s))
		checkLoss(t, name+", row", b, xor.FlipRows(1), e, rowMasks(n, p))
		if n == p && n > 1 {
			checkLoss(t, name+", edge", b, xor.FlipEdges(1), e, edgeMasks(n))
		}
		pattern, mask := must.Be(xor.NewBits(n, p)), 0
		for k := range n * p {
			if rng.IntN(2) == 0 || k == 0 {
				pattern.Set(k/p, k%p, true)
				mask |= 1 << k
			}
		}
		checkLoss(t, name+", pattern", b, xor.FlipPatterns(pattern), e, map[int]bool{mask: true})
	}
}

// A search that runs out of work still encloses the answer.
func TestSmallestEpsilonInterval(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 6))
	for trial := range 8 {
		b := randomLaw(t, 2, 4, 1, rng)
		want := bruteLoss(exponents(b), bitMasks(8, 5))
		gaveUp := false
		for _, work := range []float64{1, 100, 1000, 1e4} {
			loss := must.Be(smallest(ctx, b, xor.FlipBits(5), xor.LossOptions{Work: work}))
			gaveUp = gaveUp || !loss.Complete
			if loss.Lo > want+1e-13 || loss.Hi < want-1e-13 {
				t.Errorf("law %d, work %g: [%v, %v] misses %v", trial, work, loss.Lo, loss.Hi, want)
			}
		}
		if !gaveUp {
			t.Errorf("law %d: the search is complete after one multiplication", trial)
		}
	}
}

// The smallest ε is found for laws with too many bits to enumerate the states.
func TestSmallestEpsilonLarge(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 6))
	big := randomLaw(t, 20, 20, .01, rng) // NP = 400
	start := time.Now()
	two, err := smallest(ctx, big, xor.FlipBits(2), xor.LossOptions{})
	if err != nil || !two.Complete || two.Hi-two.Lo > 1e-10 {
		t.Fatalf("400 bits, s = 2: %+v, %v", two.Certified, err)
	}
	t.Logf("NP = 400, s = 2: %v in %v", two.Float(), time.Since(start))
	one, err := smallest(ctx, big, xor.FlipBits(1), xor.LossOptions{})
	if err != nil || one.Hi > two.Hi || two.Lo > 2*one.Hi {
		t.Errorf("s = 1 gives %v, s = 2 gives %v: want ε₁ ≤ ε₂ ≤ 2ε₁", one.Float(), two.Float())
	}
	// A thousand objects with ten features, associated along a path: 10,000 bits.
	lambda := map[xor.Pair][][]float64{}
	theta := make([][]float64, 10)
	block := make([][]float64, 10)
	for i := range theta {
		theta[i], block[i] = make([]float64, 10), make([]float64, 10)
		for j := range theta {
			theta[i][j], block[i][j] = .01, .001
		}
	}
	for i := range 999 {
		lambda[xor.Pair{I: i, J: i + 1}] = block
	}
	ring := must.Be(xor.NewBernoulli(theta, lambda, 1000))
	start = time.Now()
	loss, err := smallest(ctx, ring, xor.FlipBits(1), xor.LossOptions{})
	want := .01 + 2*(9*.01+2*10*.001) // a bit of an object with two associations
	if err != nil || !loss.Complete || math.Abs(loss.Float()-want) > 1e-9 {
		t.Errorf("10,000 bits: %v, %v, want %v", loss.Float(), err, want)
	}
	t.Logf("NP = 10000, s = 1: %v in %v", loss.Float(), time.Since(start))
}

func TestNeighborsRefuse(t *testing.T) {
	b := randomLaw(t, 2, 3, 1, rand.New(rand.NewPCG(1, 1)))
	for _, nb := range []xor.Neighbors{{}, xor.FlipBits(0), xor.FlipEdges(1), xor.FlipPatterns(), xor.FlipPatterns(must.Be(xor.NewBits(3, 2)))} {
		if _, err := smallest(ctx, b, nb, xor.LossOptions{}); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%+v gives %v", nb, err)
		}
	}
}
