package learn_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/must"
	"dpworkbench/internal/parameter"
	"dpworkbench/reproductions/learn"
)

// pairwiseLikelihood computes the likelihood pair by pair.
func pairwiseLikelihood(rows [][]uint64, f []float64, k int, background float64, linear [][]float64) (l float64) {
	for u := range rows {
		for v := range u {
			x := -math.Log1p(-background) + learn.Inner(f[u*k:(u+1)*k], f[v*k:(v+1)*k])
			if rows[u][v/64]>>(v%64)&1 == 1 {
				l += math.Log(1 - math.Exp(-x))
			} else {
				l -= x
			}
		}
		if linear != nil {
			l += learn.Inner(linear[u], f[u*k:(u+1)*k])
		}
	}
	return l
}

// The likelihood is the sum over all pairs and never decreases. At the end of the ascent no change of a single
// affiliation improves it.
func TestBigclamAscends(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	noise := make([][]float64, 34)
	for u := range noise {
		noise[u] = []float64{-rng.Float64(), -rng.Float64(), -rng.Float64()} // bounded above
	}
	for _, linear := range [][][]float64{nil, noise} {
		last := math.Inf(-1)
		for sweeps := 1; sweeps <= 6; sweeps++ {
			b := must.Be(learn.FitBigclam(t.Context(), learn.Karate, 3, learn.BigclamOptions{MostSweeps: sweeps, Tolerance: 1e-12, Linear: linear}, rand.NewPCG(1, 1)))
			if want := pairwiseLikelihood(learn.Karate, b.Affiliations, 3, 1./34, linear); math.Abs(b.LogLikelihood-want) > 1e-9*math.Abs(want) || b.LogLikelihood < last {
				t.Errorf("%d sweeps: %v, want %v and at least %v", sweeps, b.LogLikelihood, want, last)
			}
			last = b.LogLikelihood
		}
		b := must.Be(learn.FitBigclam(t.Context(), learn.Karate, 3, learn.BigclamOptions{MostSweeps: 100000, Tolerance: 1e-15, Background: .05, Linear: linear}, rand.NewPCG(1, 1)))
		const step = 1e-4
		for i, v := range b.Affiliations {
			for _, d := range []float64{-step, step} {
				if v+d < 0 {
					continue
				}
				b.Affiliations[i] = v + d
				if l := pairwiseLikelihood(learn.Karate, b.Affiliations, 3, .05, linear); l > b.LogLikelihood+1e-8 {
					t.Errorf("affiliation %d: %v at %v, %v at %v", i, b.LogLikelihood, v, l, v+d)
				}
				b.Affiliations[i] = v
			}
		}
	}
}

// averageF1 computes the average F₁ score from its definition, set by set.
func averageF1(found, truth [][]int) float64 {
	score := func(a, b []int) float64 {
		common := 0.0
		for _, u := range a {
			for _, v := range b {
				if u == v {
					common++
				}
			}
		}
		if common == 0 {
			return 0
		}
		precision, recall := common/float64(len(a)), common/float64(len(b))
		return 2 * precision * recall / (precision + recall)
	}
	half := func(from, to [][]int) (sum float64) {
		for _, a := range from {
			best := 0.0
			for _, b := range to {
				best = max(best, score(a, b))
			}
			sum += best
		}
		return sum / (2 * float64(len(from)))
	}
	return half(found, truth) + half(truth, found)
}

func TestAverageF1(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	sets := func() (out [][]int) {
		for range 1 + rng.IntN(4) {
			perm := rng.Perm(9)
			out = append(out, perm[:1+rng.IntN(8)])
		}
		return out
	}
	for range 200 {
		found, truth := sets(), sets()
		if got, err := learn.AverageF1(9, found, truth); err != nil || math.Abs(got-averageF1(found, truth)) > 1e-12 {
			t.Fatalf("%v against %v: %v, %v, want %v", found, truth, got, err, averageF1(found, truth))
		}
	}
	if f, err := learn.AverageF1(3, nil, [][]int{{0}}); f != 0 || err != nil {
		t.Errorf("nothing found: %v, %v", f, err)
	}
	one := [][]int{{0}}
	if f, err := learn.AverageF1(math.MaxInt, [][]int{{0, math.MaxInt - 1}}, one); math.Abs(f-2./3) > 1e-15 || err != nil {
		t.Errorf("a node with a huge number: %v, %v", f, err)
	}
	for what, c := range map[string][2][][]int{
		"no truth": {one, nil}, "an empty set": {one, {{0}, {}}}, "a node out of range": {{{3}}, one}, "a negative node": {{{-1}}, one}, "a node twice": {{{1, 1}}, one},
	} {
		if _, err := learn.AverageF1(3, c[0], c[1]); !errors.Is(err, parameter.Err) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
