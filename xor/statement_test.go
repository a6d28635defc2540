package xor

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
)

// A statement names the law, its neighbors and the divisor of the number. It names the first three of listed patterns.
func TestStatements(t *testing.T) {
	b := must.Be(NewUniform(2, 3, 1, .1))
	listed := func(many int) Neighbors {
		var all []*Bits
		for k := range many {
			m := newBits(2, 3)
			m.Set(k/3, k%3, true)
			m.Set(1, 2, true)
			all = append(all, m)
		}
		return FlipPatterns(all...)
	}
	for _, c := range []struct {
		nb         Neighbors
		says, kind string
		most       int
		patterns   [][]int
	}{
		{FlipBits(3), "at most 3 bits", "bits", 3, nil}, {FlipRows(2), "at most 2 rows", "rows", 2, nil}, {FlipEdges(1), "at most 1 edges", "edges", 1, nil},
		{listed(1), "the bits [0 5]", "patterns", 0, [][]int{{0, 5}}}, {listed(3), "the bits [0 5], [1 5], [2 5]", "patterns", 0, [][]int{{0, 5}, {1, 5}, {2, 5}}},
		{listed(4), "the bits [0 5], [1 5], [2 5], …", "patterns", 0, [][]int{{0, 5}, {1, 5}, {2, 5}, {3, 5}}},
	} {
		if got, want := (&LossStatement{b, c.nb}).Says(), "the smallest ε of noise on 2 × 3 bits for neighbors that differ in "+c.says; got != want {
			t.Errorf("%q, want %q", got, want)
		}
		kind, most, patterns := c.nb.Relation()
		if kind != c.kind || most != c.most || fmt.Sprint(patterns) != fmt.Sprint(c.patterns) {
			t.Errorf("%s: %s, %d, %v", c.says, kind, most, patterns)
		}
	}
	if got := (&NormalizerStatement{b}).Says(); got != "the log-normaliser of noise on 2 × 3 bits" {
		t.Errorf("%q", got)
	}
	if got := (&FlipsStatement{b, true, big.NewInt(7)}).Says(); got != "the expected flips of noise on 2 × 3 bits over 7" {
		t.Errorf("%q", got)
	}
}

// Written returns the two parameters of a uniform law. They are shortest decimals if the law was made ForDecimals and
// nothing else was rounded, otherwise float64.
func TestWrittenOfUniformLaws(t *testing.T) {
	b := must.Be(NewUniform(4, 3, .1, -.7))
	for name, c := range map[string]struct {
		b       *Bernoulli
		decimal bool
	}{"floats": {b, false}, "decimals": {b.ForDecimals(), true}, "scaled decimals": {must.Be(b.ForDecimals().Scale(1. / 3)), false}} {
		w := c.b.Written()
		theta, lambda := rat(c.b.cols.theta), rat(c.b.cols.lambda)
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

// Bound agrees with the definition in Proposition 1: Σ e^{c‖b‖²}‖b‖² over 2^{NP−1}(2 + N‖λ(Θ)‖₂ + Σ‖λ(Λ_ij)‖₂). The
// blocks are θI and λI, for a uniform law and for one given by blocks.
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
			blocks := make(map[Pair][][]float64)
			for j := range n {
				for i := range j {
					c, below = c+2*lambda, below+math.Sqrt(float64(p))*lambda
					blocks[Pair{I: i, J: j}] = block(lambda)
				}
			}
			want := 0.0
			for b := range 1 << (n * p) {
				ones := float64(bits.OnesCount(uint(b)))
				want += math.Exp(c*ones) * ones
			}
			want /= math.Ldexp(below, n*p-1)
			for what, b := range map[string]*Bernoulli{"uniform": must.Be(NewUniform(n, p, theta, lambda)), "of blocks": must.Be(NewBernoulli(block(theta), blocks, n))} {
				if got, ok := b.Bound(); !ok || math.Abs(got.Float()/want-1) > 1e-12 {
					t.Errorf("%s, %d × %d: %v, want %v", what, n, p, got.Float(), want)
				}
			}
		}
	}
}

// A Markov chain's report says how it ran, and that its privacy is unknown. Its progress is reported. With method
// "auto" the report gives the reason for the choice.
func TestMarkovChainReport(t *testing.T) {
	const p = 24 // all bits equal has by far the most weight, and coupling from the past takes too long to find it
	alike := make([][]float64, p)
	for i := range alike {
		alike[i] = slices.Repeat([]float64{1}, p)
		alike[i][i] = 1 - p
	}
	b := must.Be(NewBernoulli(alike, nil, 1))
	for method, why := range map[Method]string{Auto: "parts too large to enumerate, coupling from the past did not coalesce; ", Gibbs: ""} {
		most := map[string]int64{}
		_, report, err := b.Noise(parallel.WithProgress(t.Context(), func(done, _ int64, what string) { most[what] = max(most[what], done) }), 3, method, rand.NewPCG(1, 1))
		want := fmt.Sprintf("%sMarkov chain, 300 steps of burn-in, every %d-th kept: if its law is τ from the wanted one", why, report.Thin)
		if err != nil || !strings.HasPrefix(report.Note, want) || report.Thin < 5 || most["steps of burn-in and pilot"] != 4*500 || most["draws"] != 2 {
			t.Errorf("%s: %q, progress %v, error %v", method, report.Note, most, err)
		}
	}
}
