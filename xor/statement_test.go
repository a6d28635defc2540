package xor_test

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dpworkbench/internal/must"
	"dpworkbench/internal/parallel"
	"dpworkbench/xor"
)

// A statement names the law, its neighbors and the divisor of the number. Of listed patterns it names the first three.
func TestStatements(t *testing.T) {
	b := must.Be(xor.NewUniform(2, 3, 1, .1))
	listed := func(many int) xor.Neighbors {
		var all []*xor.Bits
		for k := range many {
			m := must.Be(xor.NewBits(2, 3))
			m.Set(k/3, k%3, true)
			m.Set(1, 2, true)
			all = append(all, m)
		}
		return xor.FlipPatterns(all...)
	}
	for _, c := range []struct {
		nb         xor.Neighbors
		says, kind string
		most       int
		patterns   [][]int
	}{
		{xor.FlipBits(3), "at most 3 bits", "bits", 3, nil}, {xor.FlipRows(2), "at most 2 rows", "rows", 2, nil}, {xor.FlipEdges(1), "at most 1 edges", "edges", 1, nil},
		{listed(1), "the bits [0 5]", "patterns", 0, [][]int{{0, 5}}}, {listed(3), "the bits [0 5], [1 5], [2 5]", "patterns", 0, [][]int{{0, 5}, {1, 5}, {2, 5}}},
		{listed(4), "the bits [0 5], [1 5], [2 5], …", "patterns", 0, [][]int{{0, 5}, {1, 5}, {2, 5}, {3, 5}}},
	} {
		if got, want := (&xor.LossStatement{b, c.nb}).Says(), "the smallest ε of noise on 2 × 3 bits for neighbors that differ in "+c.says; got != want {
			t.Errorf("%q, want %q", got, want)
		}
		kind, most, patterns := c.nb.Relation()
		if kind != c.kind || most != c.most || fmt.Sprint(patterns) != fmt.Sprint(c.patterns) {
			t.Errorf("%s: %s, %d, %v", c.says, kind, most, patterns)
		}
	}
	if got := (&xor.NormalizerStatement{b}).Says(); got != "the log-normaliser of noise on 2 × 3 bits" {
		t.Errorf("%q", got)
	}
	if got := (&xor.FlipsStatement{b, true, big.NewInt(7)}).Says(); got != "the expected flips of noise on 2 × 3 bits over 7" {
		t.Errorf("%q", got)
	}
}

// Written returns the two parameters of a uniform law. They are the shortest decimals if the law is from ForDecimals
// and nothing else was rounded, and float64s otherwise.
func TestWrittenOfUniformLaws(t *testing.T) {
	b := must.Be(xor.NewUniform(4, 3, .1, -.7))
	for name, c := range map[string]struct {
		b       *xor.Bernoulli
		decimal bool
	}{"floats": {b, false}, "decimals": {b.ForDecimals(), true}, "scaled decimals": {must.Be(b.ForDecimals().Scale(1. / 3)), false}} {
		w := c.b.Written()
		a, b := c.b.Columns().Parameters()
		theta, lambda := new(big.Rat).SetFloat64(a), new(big.Rat).SetFloat64(b)
		if c.decimal {
			theta, lambda = big.NewRat(1, 10), big.NewRat(-7, 10)
		}
		if w.N != 4 || w.P != 3 || !w.Uniform || len(w.Theta) != 1 || len(w.Theta[0]) != 1 || w.Theta[0][0].Cmp(theta) != 0 || w.Lambda.Cmp(lambda) != 0 || w.Blocks != nil {
			t.Errorf("%s: %+v", name, w)
		}
	}
	if got := b.Parts(); !slices.Equal(got, []int{4}) {
		t.Errorf("columns of four bits have parts %v", got)
	}
}

// Bound agrees with Proposition 1: Σ e^{c‖b‖²}‖b‖² divided by 2^{NP−1}(2 + N‖λ(Θ)‖₂ + Σ‖λ(Λ_ij)‖₂). The blocks are θI
// and λI, in a uniform law and in a law given by blocks.
func TestBoundByDefinition(t *testing.T) {
	for n := 1; n <= 5; n++ {
		for p := 1; p <= 3; p++ {
			const theta, lambda = .25, .125
			c, below := theta, 2+float64(n)*math.Sqrt(float64(p))*theta
			block := func(v float64) [][]float64 {
				m := make([][]float64, p)
				for i := range m {
					m[i] = make([]float64, p)
					m[i][i] = v
				}
				return m
			}
			blocks := make(map[xor.Pair][][]float64)
			for j := range n {
				for i := range j {
					c, below = c+2*lambda, below+math.Sqrt(float64(p))*lambda
					blocks[xor.Pair{I: i, J: j}] = block(lambda)
				}
			}
			want := 0.0
			for b := range 1 << (n * p) {
				ones := float64(bits.OnesCount(uint(b)))
				want += math.Exp(c*ones) * ones
			}
			want /= math.Ldexp(below, n*p-1)
			for what, b := range map[string]*xor.Bernoulli{"uniform": must.Be(xor.NewUniform(n, p, theta, lambda)), "of blocks": must.Be(xor.NewBernoulli(block(theta), blocks, n))} {
				if got, ok := b.Bound(); !ok || math.Abs(got.Float()/want-1) > 1e-12 {
					t.Errorf("%s, %d × %d: %v, want %v", what, n, p, got.Float(), want)
				}
			}
		}
	}
}

// The report of a Markov chain says how it ran, and that its privacy is unknown. Noise reports its progress. With
// method "auto" the report gives the reason for the choice.
func TestMarkovChainReport(t *testing.T) {
	const p = 24 // equal bits have nearly all the weight, and coupling from the past is too slow
	alike := make([][]float64, p)
	for i := range alike {
		alike[i] = slices.Repeat([]float64{1}, p)
		alike[i][i] = 1 - p
	}
	b := must.Be(xor.NewBernoulli(alike, nil, 1))
	for method, why := range map[xor.Method]string{xor.Auto: "parts too large to enumerate, coupling from the past did not coalesce; ", xor.Gibbs: ""} {
		most := map[string]int64{}
		_, report, err := b.Noise(parallel.WithProgress(t.Context(), func(done, _ int64, what string) { most[what] = max(most[what], done) }), 3, method, rand.NewPCG(1, 1))
		want := fmt.Sprintf("%sMarkov chain, 300 steps of burn-in, every %d-th kept: if its law is τ from the wanted one", why, report.Thin)
		if err != nil || !strings.HasPrefix(report.Note, want) || report.Thin < 5 || most["steps of burn-in and pilot"] != 4*500 || most["draws"] != 2 {
			t.Errorf("%s: %q, progress %v, error %v", method, report.Note, most, err)
		}
	}
}

// Written returns every entry of Θ and of the blocks, in its place and as the exact float64.
func TestWrittenReturnsTheLaw(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 12))
	for range 50 {
		n, p := 2+rng.IntN(3), 2+rng.IntN(2) // one column could make the law uniform
		square := func() [][]float64 {
			m := make([][]float64, p)
			for i := range m {
				m[i] = make([]float64, p)
			}
			for i := range m {
				for j := range i + 1 {
					m[i][j] = rng.NormFloat64()
					m[j][i] = m[i][j]
				}
			}
			return m
		}
		theta, lam := square(), map[xor.Pair][][]float64{}
		for i := range n {
			for j := range i {
				if rng.IntN(2) == 0 {
					lam[xor.Pair{j, i}] = square()
				}
			}
		}
		b := must.Be(xor.NewBernoulli(theta, lam, n))
		w := b.Written()
		same := func(got [][]*big.Rat, want [][]float64) bool {
			ok := len(got) == len(want)
			for i := range want {
				ok = ok && len(got[i]) == len(want[i])
				for j := range want[i] {
					ok = ok && got[i][j].Cmp(new(big.Rat).SetFloat64(want[i][j])) == 0
				}
			}
			return ok
		}
		if w.N != n || w.P != p || w.Uniform || !same(w.Theta, theta) || len(w.Blocks) != len(lam) {
			t.Fatalf("Θ = %v of %d objects has Written %+v", theta, n, w)
		}
		for k, block := range w.Blocks {
			if !same(block.Lambda, lam[xor.Pair{block.I, block.J}]) || k > 0 && (w.Blocks[k-1].I > block.I || w.Blocks[k-1].I == block.I && w.Blocks[k-1].J >= block.J) {
				t.Fatalf("block %d of %v has Written %+v", k, lam, block)
			}
		}
	}
}
