package ehmc_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/ehmc"
	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/internal/stattest"
)

// alpha is the false-positive rate of every statistical test here.
const alpha = 1e-9

// randomLaw draws couplings of both signs, or of one where attractive.
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
	q, err := ehmc.NewDense(pi)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// brute enumerates with no shared code: exponents straight from the definition.
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

func TestTableAgainstDefinition(t *testing.T) {
	for seed := range uint64(5) {
		q := randomLaw(t, 7, 1.5, false, rand.NewPCG(seed, 1))
		p, err := ehmc.Probabilities(q)
		if err != nil {
			t.Fatal(err)
		}
		for s, want := range brute(q) {
			if got := p[s]; math.Abs(got-want) > 1e-13 {
				t.Fatalf("seed %d: Pr[%b] = %g, want %g", seed, s, got, want)
			}
		}
	}
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

// leaves draws states from the law, moves each by steps steps, and returns the
// chi-square tail of where they are.
func leaves(t *testing.T, make maker, q *ehmc.Dense, n, steps int, src *rand.PCG) float64 {
	p, err := ehmc.Probabilities(q)
	if err != nil {
		t.Fatal(err)
	}
	counts := make2(len(p))
	for range n {
		s, err := make(q, drawn(p, src), src)
		if err != nil {
			t.Fatal(err)
		}
		for range steps {
			s.Step()
		}
		counts[must.Be(ehmc.Index(s.State().Bits))]++
	}
	_, _, tail := stattest.ChiSquare(counts, brute(q))
	return tail
}

// drawn returns a state of the law with the given probabilities, by inversion.
func drawn(p []float64, src rand.Source) []bool {
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

func make2(n int) []int { return make([]int, n) }

// Steps from an exact draw must leave the law unchanged; draws stay independent.
func TestStepKeepsLaw(t *testing.T) {
	for name, make := range makers {
		for seed := range uint64(4) {
			q := randomLaw(t, 5, .8, seed == 3, rand.NewPCG(seed, 7))
			if tail := leaves(t, make, q, 1<<15, 2, rand.NewPCG(seed, 11)); tail < alpha {
				t.Errorf("%s, seed %d: law moved, chi-square tail %g", name, seed, tail)
			}
		}
	}
}

// One long chain must forget a bad start.
func TestChainReachesLaw(t *testing.T) {
	q := randomLaw(t, 6, .5, false, rand.NewPCG(5, 5))
	for name, make := range makers {
		chain, err := make(q, []bool{true, true, true, true, true, true}, rand.NewPCG(3, 4))
		if err != nil {
			t.Fatal(err)
		}
		counts := make2(64)
		_ = ehmc.Run(context.Background(), chain, 50, 15000, 8, func(s *ehmc.State) error {
			counts[must.Be(ehmc.Index(s.Bits))]++
			return nil
		})
		if _, _, tail := stattest.ChiSquare(counts, brute(q)); tail < alpha {
			t.Errorf("%s: chi-square tail %g", name, tail)
		}
	}
}

// The test must have teeth: Algorithm 2 as printed is rejected, and so is a
// heat bath whose couplings are counted once instead of twice.
func TestWrongLawsAreRejected(t *testing.T) {
	q := randomLaw(t, 5, .8, false, rand.NewPCG(1, 7))
	printed := func(q ehmc.Quadratic, _ []bool, src rand.Source) (ehmc.Sampler, error) {
		return ehmc.NewPublished(q, 1.5*math.Pi, src)
	}
	if tail := leaves(t, printed, q, 1<<14, 1, rand.NewPCG(1, 2)); tail > alpha {
		t.Errorf("printed Algorithm 2 passes with tail %g", tail)
	}
	half := func(q ehmc.Quadratic, b []bool, src rand.Source) (ehmc.Sampler, error) {
		return ehmc.NewGibbs(halved{q}, b, src)
	}
	if tail := leaves(t, half, q, 1<<14, 2, rand.NewPCG(1, 2)); tail > alpha {
		t.Errorf("halved couplings pass with tail %g", tail)
	}
}

type halved struct{ ehmc.Quadratic }

func (h halved) AddRow(k int, scale float64, dst []float64) { h.Quadratic.AddRow(k, scale/2, dst) }

// Printed Algorithm 2 has fair marginals on every law.
func TestPublishedIsFair(t *testing.T) {
	q, _ := ehmc.NewDense([][]float64{{3, 1}, {1, -2}})
	chain := must.Be(ehmc.NewPublished(q, .4, rand.NewPCG(1, 1)))
	const n = 1 << 16
	var ones [2]int
	_ = ehmc.Run(context.Background(), chain, 0, n, 1, func(s *ehmc.State) error {
		for k, on := range s.Bits {
			if on {
				ones[k]++
			}
		}
		return nil
	})
	for k, c := range ones {
		if gap := math.Abs(float64(c)/n - .5); gap > stattest.Radius(n, alpha) {
			t.Errorf("marginal %d is off one half by %g", k, gap)
		}
	}
}

func TestPerfect(t *testing.T) {
	for seed := range uint64(3) {
		q := randomLaw(t, 5, .6, true, rand.NewPCG(seed, 3))
		if seed == 2 { // rename bits 1 and 3: couplings across change sign
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
		p, err := ehmc.NewPerfect(context.Background(), q)
		if err != nil {
			t.Fatal(err)
		}
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

func TestPerfectRefuses(t *testing.T) {
	frustrated, _ := ehmc.NewDense([][]float64{{0, -1, -1}, {-1, 0, -1}, {-1, -1, 0}})
	if _, err := ehmc.NewPerfect(context.Background(), frustrated); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("a frustrated triangle gives %v", err)
	}
	cold, _ := ehmc.NewDense([][]float64{{-20, 20}, {20, -20}})
	p, err := ehmc.NewPerfect(context.Background(), cold)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := p.Sample(context.Background(), 64, rand.NewPCG(1, 2)); !errors.Is(err, ehmc.ErrNotCoalesced) {
		t.Errorf("a law with two wells gives %v", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, _, err := p.Sample(ctx, 64, rand.NewPCG(1, 2)); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled draw gives %v", err)
	}
}

func TestBadLaws(t *testing.T) {
	for _, pi := range [][][]float64{nil, {{1, 2}}, {{1, 2}, {3, 1}}, {{math.NaN()}}, {{math.Inf(1)}}} {
		if _, err := ehmc.NewDense(pi); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%v gives %v", pi, err)
		}
	}
}

// An autoregressive chain x' = ρx + noise has τ = (1 + ρ)/(1 − ρ).
func TestDiagnose(t *testing.T) {
	const rho = .8
	var chains [][]float64
	for c := range uint64(4) {
		rng := rand.New(rand.NewPCG(c, 1))
		x := make([]float64, 40000)
		v := rng.NormFloat64() / math.Sqrt(1-rho*rho)
		for i := range x {
			v = rho*v + rng.NormFloat64()
			x[i] = v
		}
		chains = append(chains, x)
	}
	d, err := ehmc.Diagnose(chains)
	if err != nil {
		t.Fatal(err)
	}
	if want := (1 + rho) / (1 - rho); math.Abs(d.Tau/want-1) > .1 {
		t.Errorf("τ = %g, want %g within a tenth (about 5 standard errors)", d.Tau, want)
	}
	if math.Abs(d.RHat-1) > .01 {
		t.Errorf("R̂ = %g", d.RHat)
	}
	for i := range chains[0] {
		chains[0][i] += 5
	}
	if d, _ = ehmc.Diagnose(chains); d.RHat < 1.2 {
		t.Errorf("a shifted chain has R̂ = %g", d.RHat)
	}
}

func TestTotalVariation(t *testing.T) {
	p := []float64{.5, .25, .125, .125}
	d, err := ehmc.TotalVariation(p, []int{25000, 50000, 12500, 12500}, 1e-6)
	if err != nil {
		t.Fatal(err)
	}
	if d.Plain != .25 || d.Sampler.Lo > .25 || d.Sampler.Lo < .2 || d.Sampler.Hi < .25 || d.Sampler.Hi > .3 {
		t.Errorf("distance %+v, want .25 inside a sliver", d)
	}
	if got, want := must.Be(ehmc.DeltaOf(must.Be(evidence.LogEpsilon("eps", big.NewRat(2, 1))), .01)), .03; math.Abs(got-want) > 1e-15 {
		t.Errorf("δ = %g, want %g", got, want)
	}
}
