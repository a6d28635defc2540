package xor_test

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/big"
	"math/rand/v2"
	"sync"
	"testing"

	"dpworkbench/internal/must"
	"dpworkbench/xor"
)

// stream spells out draws, and what the source says next: so much was taken of it.
func stream(src rand.Source, draws ...*xor.Bits) string {
	h := fnv.New32a()
	for _, m := range draws {
		fmt.Fprint(h, m.Rows())
	}
	return fmt.Sprintf("%08x %04x", h.Sum32(), src.Uint64()>>48)
}

// Every sampler draws from a seed what it always drew: whoever has a seed, a law and
// this program can draw the noise of a study again. Printed by this test.
func TestStreams(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 11))
	uniform, wide := must.Be(xor.NewUniform(5, 3, .4, -.3)), must.Be(xor.NewUniform(37, 131, -1, .03))
	attractive := must.Be(xor.NewBernoulli([][]float64{{-1, .5}, {.5, -2}}, map[xor.Pair][][]float64{{I: 0, J: 1}: {{.3, .2}, {.2, 0}}, {I: 1, J: 2}: {{.3, .2}, {.2, 0}}}, 5))
	mixed := randomLaw(t, 2, 3, .6, rng)
	objects := must.Be(xor.NewBernoulli([][]float64{{1, .4, 0}, {.4, -.5, 0}, {0, 0, .3}}, map[xor.Pair][][]float64{{I: 1, J: 3}: {{.5, 0, 0}, {0, 0, 0}, {0, 0, -.5}}}, 6))
	for _, c := range []struct {
		b      *xor.Bernoulli
		method xor.Method
		draws  int
		want   string
	}{
		{uniform, xor.Closed, 40, "e25dbcb5 635f"},
		{wide, xor.Auto, 2, "e2aaad14 5092"},
		{uniform, xor.Enumerated, 40, "3b7a8773 234c"},
		{attractive, xor.Enumerated, 40, "0897c8c5 234c"},
		{attractive, xor.Perfect, 40, "40a56766 3b0d"},
		{mixed, xor.Auto, 40, "257b2ddb 8baf"},
		{objects, xor.Auto, 40, "dc985f91 87b1"},
		{mixed, xor.EHMC, 20, "d9aba987 5286, every 11-th, τ 2.109058"},
		{mixed, xor.Gibbs, 20, "75ae96e2 5286, every 12-th, τ 2.202988"},
		{uniform, xor.Gibbs, 7, "758cacfb 5286, every 5-th, τ 0.576778"},
		{objects, xor.Published, 20, "a7813e30 e975"},
	} {
		src := rand.NewPCG(22, 12)
		draws, report, err := c.b.Noise(ctx, c.draws, c.method, src)
		if err != nil || len(draws) != c.draws {
			t.Fatal(c.method, len(draws), err)
		}
		got := stream(src, draws...)
		if report.Thin > 0 {
			got += fmt.Sprintf(", every %d-th, τ %.6f", report.Thin, report.Diagnosis.Tau)
		}
		if got != c.want {
			t.Errorf("%s gives %q, want %q", c.method, got, c.want)
		}
	}

	src := rand.NewPCG(22, 13)
	tiles := must.Be(xor.Divide(xor.Budget{N: 7, P: 9, Epsilon: nats(20), Alpha: .5, Sensitivity: 1}, 3, 4))
	if got, want := stream(src, must.Be(tiles.Noise(ctx, src))), "26fbf67d 0b57"; got != want {
		t.Errorf("tiles give %q, want %q", got, want)
	}
	query := must.Be(xor.Adjacency(6, [][2]int{{0, 1}, {1, 2}, {4, 5}, {3, 0}}))
	noise := must.Be(xor.NewUniform(6, 6, -2, .1))
	for _, c := range []struct {
		complement bool
		want       string
	}{{false, "0b2df524 12d3"}, {true, "e67e6ff6 12d3"}} {
		src := rand.NewPCG(22, 14)
		out, _, err := xor.ReleaseGraph(ctx, query, noise, xor.ReleaseOptions{Complement: c.complement}, src)
		if err != nil {
			t.Fatal(err)
		}
		if got := stream(src, out); got != c.want {
			t.Errorf("a graph, complement %t, gives %q, want %q", c.complement, got, c.want)
		}
	}
	weights := must.Be(xor.NewWeightedNoiseLaw(1, 2, []float64{1, 2, 0, 5}))
	if got, want := fmt.Sprint(must.Be(weights.Noise(20, rand.NewPCG(22, 15)))), "[1 3 3 1 0 3 3 3 3 3 3 1 1 3 3 3 3 1 3 3]"; got != want {
		t.Errorf("a table gives %q, want %q", got, want)
	}
}

// Several goroutines may ask one closed form at once.
func TestOneLawForMany(t *testing.T) {
	c := must.Be(xor.NewColumns(300, 2, -1, .001))
	var all sync.WaitGroup
	rates := make([]float64, 8)
	for i := range rates {
		all.Go(func() { rates[i] = must.Be(c.FlipRate(ctx, xor.Plain)).Lo })
	}
	all.Wait()
	for _, v := range rates {
		if v != rates[0] {
			t.Errorf("flip rates %v", rates)
		}
	}
}

// The smallest words of a source draw the first state, the largest the last.
func TestNoiseAtTheEnds(t *testing.T) {
	for _, c := range []struct {
		word uint64
		want int
	}{{0, 0}, {math.MaxUint64, 4}} {
		b := must.Be(xor.NewUniform(2, 2, .1, .1))
		draws, _, err := b.Noise(ctx, 1, xor.Enumerated, constant(c.word))
		if err != nil || draws[0].Ones() != c.want {
			t.Errorf("words of %x draw %v, %v", c.word, draws[0].Floats(), err)
		}
	}
}

// constant is a source of one word.
type constant uint64

func (c constant) Uint64() uint64 { return uint64(c) }

// A law of a table says what it was given, and nothing beyond its states.
func TestNoiseLawProbabilities(t *testing.T) {
	weights := must.Be(xor.NewWeightedNoiseLaw(1, 2, []float64{1, 2, 0, 5}))
	exact := must.Be(xor.NewNoiseLaw(1, 2, []*big.Rat{big.NewRat(1, 8), big.NewRat(1, 4), new(big.Rat), big.NewRat(5, 8)}))
	for _, l := range []*xor.NoiseLaw{weights, exact} {
		if got := fmt.Sprint(l.Probs(), l.States(), l.Prob(-1), l.Prob(4)); got != "[0.125 0.25 0 0.625] 4 0 0" {
			t.Errorf("the law is %s", got)
		}
	}
	for b, want := range map[int]string{-1: "", 0: "1/8", 3: "5/8", 4: ""} {
		q, ok := exact.Rational(b)
		if ok != (want != "") || ok && q.RatString() != want {
			t.Errorf("state %d: %v, %t", b, q, ok)
		}
	}
	if q, ok := weights.Rational(0); ok {
		t.Errorf("a weight is the rational %v", q)
	}
}
