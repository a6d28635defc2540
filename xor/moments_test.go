package xor_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/must"
	"dpworkbench/xor"
)

// Marginals and pair moments against 256-bit sums over all states.
func TestMomentsAgainstDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	var laws []*xor.Bernoulli
	for _, scale := range []float64{.5, 60, 2000} {
		laws = append(laws, randomLaw(t, 5, 2, scale, rng))
	}
	laws = append(laws, randomLaw(t, 3, 4, 1, rng), sparseLaw(t, 5, 2, .3, rng)) // 12 bits have two high ones
	uniform, err := xor.NewUniform(6, 2, .3, -.2)
	if err != nil {
		t.Fatal(err)
	}
	objects, err := xor.NewBernoulli([][]float64{{1, .5}, {.5, -1}}, nil, 6)
	if err != nil {
		t.Fatal(err)
	}
	for n, b := range append(laws, uniform, objects) {
		m, err := b.Moments(ctx)
		if err != nil {
			t.Fatal(err)
		}
		_, _, _, weights := brute(b)
		d := b.Dim()
		z := new(big.Float).SetPrec(256)
		for _, w := range weights {
			z.Add(z, w)
		}
		for i := range d {
			for j := range i + 1 {
				sum := new(big.Float).SetPrec(256)
				for s, w := range weights {
					if s>>i&1 == 1 && s>>j&1 == 1 {
						sum.Add(sum, w)
					}
				}
				want, _ := sum.Quo(sum, z).Float64()
				if want > 1e-250 {
					within(t, fmt.Sprintf("law %d: E[b_%d b_%d]", n, i, j), must.Be(m.Pair(i, j)), want, 1e-12)
				}
				if got := m.Products(); got[i][j] != must.Be(m.Pair(i, j)).Float() || got[j][i] != got[i][j] {
					t.Errorf("law %d: Products has %g and %g for bits %d and %d", n, got[i][j], got[j][i], i, j)
				}
			}
		}
	}
}

// 16 high bits are walked here: means must agree with the law of the number of
// ones, which another route gives.
func TestMomentsAddUp(t *testing.T) {
	b := randomLaw(t, 1, 19, .4, rand.New(rand.NewPCG(6, 1)))
	m, err := b.Moments(ctx)
	if err != nil {
		t.Fatal(err)
	}
	e, err := b.Enumerate(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var mean, pairs, wantPairs float64
	for i := range b.Dim() {
		mean += m.Marginals[i].Float()
		for j := range i {
			pairs += must.Be(m.Pair(i, j)).Float()
		}
	}
	for k, p := range e.Ones {
		wantPairs += float64(k*(k-1)/2) * p.Float()
	}
	if math.Abs(mean/e.MeanOnes.Float()-1) > 1e-12 || math.Abs(pairs/wantPairs-1) > 1e-12 {
		t.Errorf("means add up to %v, want %v; pairs to %v, want %v", mean, e.MeanOnes.Float(), pairs, wantPairs)
	}
}
