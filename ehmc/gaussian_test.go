package ehmc_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/ehmc"
	"dpworkbench/evidence"
	"dpworkbench/internal/ctxtest"
	"dpworkbench/internal/must"
	"dpworkbench/internal/stattest"
)

// A random state uses each bit of the source once, the lowest first.
func TestRandomStateUsesEveryBitOnce(t *testing.T) {
	for _, d := range []int{1, 5, 63, 64, 65, 128, 130} {
		src := rand.NewPCG(uint64(d), 8)
		words := []uint64{src.Uint64(), src.Uint64(), src.Uint64()}
		next := src.Uint64()
		used := (d + 63) / 64
		if used < 3 {
			next = words[used]
		}
		again := rand.NewPCG(uint64(d), 8)
		s := must.Be(ehmc.NewRandomState(randomLaw(t, d, .1, false, rand.NewPCG(1, 1)), again))
		ones := 0
		for k, on := range s.Bits {
			if want := words[k/64]>>(k%64)&1 == 1; on != want {
				t.Fatalf("%d bits: bit %d is %v", d, k, on)
			}
			if on {
				ones++
			}
		}
		if got := again.Uint64(); got != next || s.Ones() != ones {
			t.Errorf("%d bits: %d ones, want %d, from %d words", d, s.Ones(), ones, used)
		}
	}
}

// The confidence of a distance is at most 1 − α in rational arithmetic, and at least 1 − α − 2⁻⁵².
func TestConfidenceIsNotRoundedUp(t *testing.T) {
	for _, alpha := range []float64{.5, .1, 1e-3, 1e-6, 3e-9, 1e-17, 1 - 0x1p-53} {
		d := must.Be(ehmc.TotalVariation([]float64{.5, .5}, []int{3, 4}, alpha))
		gap := new(big.Rat).Sub(big.NewRat(1, 1), new(big.Rat).SetFloat64(alpha))
		gap.Sub(gap, new(big.Rat).SetFloat64(d.Sampler.Confidence))
		if v, _ := gap.Float64(); gap.Sign() < 0 || v > 0x1p-52 {
			t.Errorf("α = %g: the confidence is %v, off by %g", alpha, d.Sampler.Confidence, v)
		}
	}
}

// alpha is the false-positive rate of every statistical test here.
const alpha = 1e-9

// randomLaw draws couplings of both signs, or nonnegative ones if attractive.
func randomLaw(t testing.TB, d int, scale float64, attractive bool, src rand.Source) *ehmc.Dense {
	rng := rand.New(src)
	pi := make([][]float64, d)
	for i := range pi {
		pi[i] = make([]float64, d)
		pi[i][i] = scale * rng.NormFloat64()
		for j := range i {
			v := scale * rng.NormFloat64()
			if attractive {
				v = math.Abs(v)
			}
			pi[i][j], pi[j][i] = v, v
		}
	}
	q := must.Be(ehmc.NewDense(pi))
	return q
}

// brute enumerates the law. Its exponents are computed directly from the definition, with no shared code.
func brute(q ehmc.Quadratic) []float64 {
	d := q.Dim()
	p := make([]float64, 1<<d)
	var sum float64
	for s := range p {
		b := make([]bool, d)
		for k := range b {
			b[k] = s>>k&1 == 1
		}
		p[s] = math.Exp(must.Be(ehmc.Exponent(q, b)))
		sum += p[s]
	}
	for s := range p {
		p[s] /= sum
	}
	return p
}

func ExampleNewGaussian() {
	law, _ := ehmc.NewDense([][]float64{{1, -0.5}, {-0.5, 0.25}})
	chain, _ := ehmc.NewGaussian(law, []bool{false, false}, ehmc.GaussianOptions{Turns: 2}, rand.NewPCG(1, 2))
	var ones, n float64
	_ = ehmc.Run(context.Background(), chain, 100, 100000, 1, func(s *ehmc.State) error {
		n++
		if s.Bits[0] {
			ones++
		}
		return nil
	})
	p, _ := ehmc.Probabilities(law)
	fmt.Printf("%.2f %.2f\n", ones/n, p[1]+p[3])
	// Output: 0.64 0.64
}

type maker func(q ehmc.Quadratic, bits []bool, src rand.Source) (ehmc.Sampler, error)

var makers = map[string]maker{
	"gaussian": func(q ehmc.Quadratic, b []bool, src rand.Source) (ehmc.Sampler, error) {
		return ehmc.NewGaussian(q, b, ehmc.GaussianOptions{Turns: 1}, src)
	},
	"gibbs": func(q ehmc.Quadratic, b []bool, src rand.Source) (ehmc.Sampler, error) {
		return ehmc.NewGibbs(q, b, src)
	},
}

// stationarityTail draws n states from the law and takes steps steps from each. It returns the chi-square tail of the
// final states.
func stationarityTail(t *testing.T, make maker, q *ehmc.Dense, n, steps int, src *rand.PCG) float64 {
	p := must.Be(ehmc.Probabilities(q))
	counts := newCounts(len(p))
	for range n {
		s := must.Be(make(q, drawState(p, src), src))
		for range steps {
			s.Step()
		}
		counts[must.Be(ehmc.Index(s.State().Bits))]++
	}
	_, _, tail := stattest.ChiSquare(counts, brute(q))
	return tail
}

// drawState returns a state of the law with the given probabilities, by inversion.
func drawState(p []float64, src rand.Source) []bool {
	u, s := rand.New(src).Float64(), 0
	for s < len(p)-1 && u >= p[s] {
		u -= p[s]
		s++
	}
	var b []bool
	for k := 1; k < len(p); k *= 2 {
		b = append(b, s&k != 0)
	}
	return b
}

func newCounts(n int) []int { return make([]int, n) }

// Steps from an exact draw must leave the law unchanged. The draws are independent.
func TestStepKeepsLaw(t *testing.T) {
	for name, make := range makers {
		for seed := range uint64(4) {
			q := randomLaw(t, 5, .8, seed == 3, rand.NewPCG(seed, 7))
			if tail := stationarityTail(t, make, q, 1<<15, 2, rand.NewPCG(seed, 11)); tail < alpha {
				t.Errorf("%s, seed %d: law moved, chi-square tail %g", name, seed, tail)
			}
		}
	}
}

// TestStepKeepsLaw must be able to fail: it rejects Algorithm 2 as printed, and a heat bath with couplings counted once
// instead of twice.
func TestWrongLawsAreRejected(t *testing.T) {
	q := randomLaw(t, 5, .8, false, rand.NewPCG(1, 7))
	printed := func(q ehmc.Quadratic, _ []bool, src rand.Source) (ehmc.Sampler, error) {
		return ehmc.NewPublished(q, 1.5*math.Pi, src)
	}
	if tail := stationarityTail(t, printed, q, 1<<14, 1, rand.NewPCG(1, 2)); tail > alpha {
		t.Errorf("the test accepts the printed Algorithm 2, with tail %g", tail)
	}
	half := func(q ehmc.Quadratic, b []bool, src rand.Source) (ehmc.Sampler, error) {
		return ehmc.NewGibbs(halved{q}, b, src)
	}
	if tail := stationarityTail(t, half, q, 1<<14, 2, rand.NewPCG(1, 2)); tail > alpha {
		t.Errorf("the test accepts halved couplings, with tail %g", tail)
	}
}

// halved is a law whose AddRow halves the couplings.
type halved struct{ ehmc.Quadratic }

func (h halved) AddRow(k int, scale float64, dst []float64) { h.Quadratic.AddRow(k, scale/2, dst) }

// Perfect draws follow the law, for attractive couplings and for such a law with bits complemented.
func TestPerfectDraws(t *testing.T) {
	for seed := range uint64(3) {
		q := randomLaw(t, 5, .6, true, rand.NewPCG(seed, 3))
		if seed == 2 { // complement bits 1 and 3: the couplings across change sign
			pi := make([][]float64, 5)
			flat := make([]float64, 5)
			for i := range pi {
				pi[i] = make([]float64, 5)
				clear(flat)
				q.AddRow(i, 1, flat)
				flat[i] = q.Diagonal(i)
				for j, v := range flat {
					if (i%2 == 1) != (j%2 == 1) {
						v = -v
					}
					pi[i][j] = v
				}
			}
			q, _ = ehmc.NewDense(pi)
		}
		p := must.Be(ehmc.NewPerfect(context.Background(), q))
		counts := make([]int, 32)
		src := rand.NewPCG(seed, 9)
		for range 20000 {
			b, _, err := p.Sample(context.Background(), 1<<16, src)
			if err != nil {
				t.Fatal(err)
			}
			counts[must.Be(ehmc.Index(b))]++
		}
		if _, _, tail := stattest.ChiSquare(counts, brute(q)); tail < alpha {
			t.Errorf("seed %d: chi-square tail %g", seed, tail)
		}
	}
}

// The steps and counts of every sampler from a seed never change, so a chain can be run again. On failure the test
// prints them.
func TestStreams(t *testing.T) {
	q := randomLaw(t, 9, .7, false, rand.NewPCG(22, 32))
	start := []bool{true, false, true, true, false, false, true, false, true}
	for _, c := range []struct {
		name string
		make func(src rand.Source) (ehmc.Sampler, error)
		want string
	}{
		{"gaussian", func(src rand.Source) (ehmc.Sampler, error) {
			return ehmc.NewGaussian(q, start, ehmc.GaussianOptions{Turns: 1}, src)
		}, "064ea10e 662 128 19ca"},
		{"gaussian, two turns", func(src rand.Source) (ehmc.Sampler, error) {
			return ehmc.NewGaussian(q, start, ehmc.GaussianOptions{Turns: 2}, src)
		}, "e8e29006 1112 192 19ca"},
		{"gibbs", func(src rand.Source) (ehmc.Sampler, error) { return ehmc.NewGibbs(q, start, src) }, "fb5c692e 450 78 a056"},
		{"printed", func(src rand.Source) (ehmc.Sampler, error) { return ehmc.NewPublished(q, .4, src) }, "21cfbbfe 450 219 f3c3"},
	} {
		src := rand.NewPCG(22, 33)
		chain := must.Be(c.make(src))
		h, tries, crosses := fnv.New32a(), 0, 0
		for step := range 50 {
			var info ehmc.Info
			if step%2 == 0 {
				info = chain.Step()
			} else {
				info = must.Be(ehmc.StepUntil(context.Background(), chain))
			}
			tries, crosses = tries+info.Tries, crosses+info.Crosses
			fmt.Fprint(h, chain.State().Bits)
		}
		if got := fmt.Sprintf("%08x %d %d %04x", h.Sum32(), tries, crosses, src.Uint64()>>48); got != c.want {
			t.Errorf("%s gives %q, want %q", c.name, got, c.want)
		}
	}
	attractive := randomLaw(t, 9, .2, true, rand.NewPCG(22, 34))
	p, src := must.Be(ehmc.NewPerfect(context.Background(), attractive)), rand.NewPCG(22, 35)
	h, all := fnv.New32a(), 0
	for range 20 {
		bits, sweeps, err := p.Sample(context.Background(), 1<<12, src)
		if err != nil {
			t.Fatal(err)
		}
		all += sweeps
		fmt.Fprint(h, bits)
	}
	if got, want := fmt.Sprintf("%08x %d %04x", h.Sum32(), all, src.Uint64()>>48), "c406bee2 56 3f98"; got != want {
		t.Errorf("perfect draws give %q, want %q", got, want)
	}
}

// identicalBits is a law of n independent bits with the same logit.
type identicalBits struct {
	n     int
	logit float64
}

func (c identicalBits) Dim() int                       { return c.n }
func (c identicalBits) Diagonal(int) float64           { return c.logit }
func (c identicalBits) AddRow(int, float64, []float64) {}

// Probabilities accepts at most twenty bits. For independent bits, the probabilities are products.
func TestProbabilitiesOfIndependentBits(t *testing.T) {
	for n := range 22 {
		p, err := ehmc.Probabilities(identicalBits{n, math.Log(3)})
		if (err != nil) != (n > ehmc.MaxTable) || err != nil && !errors.Is(err, evidence.ErrParameter) {
			t.Fatalf("%d bits: %v", n, err)
		}
		if err != nil {
			continue
		}
		if len(p) != 1<<n || math.Abs(p[0]*math.Pow(4, float64(n))-1) > 1e-10 || math.Abs(p[len(p)-1]/math.Pow(0.75, float64(n))-1) > 1e-10 {
			t.Errorf("%d bits: %d states, the first %v, the last %v", n, len(p), p[0], p[len(p)-1])
		}
	}
}

// A chain that is cancelled before some step returns the error after the steps before it.
func TestRunStops(t *testing.T) {
	q := randomLaw(t, 4, 1, false, rand.NewPCG(1, 1))
	start := make([]bool, 4)
	for name, chain := range map[string]ehmc.Sampler{
		"gibbs":     must.Be(ehmc.NewGibbs(q, start, rand.NewPCG(1, 1))),
		"gaussian":  must.Be(ehmc.NewGaussian(q, start, ehmc.GaussianOptions{Turns: 1}, rand.NewPCG(1, 1))),
		"published": must.Be(ehmc.NewPublished(q, 1, rand.NewPCG(1, 1))),
		"counting":  &counting{state: must.Be(ehmc.NewRandomState(q, rand.NewPCG(1, 1)))},
	} {
		for left := range 9 { // 3 burn-in steps, then twice 3 for thinning
			ctx := ctxtest.CancelAfter(context.Background(), left)
			visits := 0
			err := ehmc.Run(ctx, chain, 3, 2, 3, func(*ehmc.State) error { visits++; return nil })
			if !errors.Is(err, context.Canceled) || visits != max(0, left-3)/3 {
				t.Errorf("%s: %v and %d visits cancelled after %d steps", name, err, visits, left)
			}
			if info, err := ehmc.StepUntil(ctxtest.CancelAfter(context.Background(), 0), chain); !errors.Is(err, context.Canceled) || info.Crosses != 0 {
				t.Errorf("%s: a step with a cancelled context gives %v, %v", name, info, err)
			}
		}
		ctx := ctxtest.CancelAfter(context.Background(), 9)
		if err := ehmc.Run(ctx, chain, 3, 2, 3, func(*ehmc.State) error { return nil }); err != nil || ctx.Polls() != 9 {
			t.Errorf("%s: %v after %d polls, want 9", name, err, ctx.Polls())
		}
	}
	for left := range 4 {
		if _, err := ehmc.NewPerfect(ctxtest.CancelAfter(context.Background(), left), chainOfFour()); !errors.Is(err, context.Canceled) {
			t.Errorf("perfect sampling cancelled after %d polls gives %v", left, err)
		}
	}
	p := must.Be(ehmc.NewPerfect(context.Background(), chainOfFour()))
	_, sweeps, err := p.Sample(context.Background(), 1<<10, rand.NewPCG(3, 3))
	if err != nil {
		t.Fatal(err)
	}
	for left := range sweeps {
		bits, made, err := p.Sample(ctxtest.CancelAfter(context.Background(), left), 1<<10, rand.NewPCG(3, 3))
		if !errors.Is(err, context.Canceled) || made != left || bits != nil {
			t.Errorf("%v after %d sweeps of %d", err, made, left)
		}
	}
}

// counting is a Sampler that counts its steps.
type counting struct {
	steps int
	state *ehmc.State
}

func (c *counting) Step() ehmc.Info    { c.steps++; return ehmc.Info{} }
func (c *counting) State() *ehmc.State { return c.state }
