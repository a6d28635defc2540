package xor_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/must"
	"dpworkbench/xor"
)

// Laws whose bits all pull at each other, with more bits than one vector holds, against sums of
// their exponents in float64: where weights are plain, far from 1, and beyond float64, with
// many states at the top.
func TestWalksOfCoupledBits(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	for _, d := range []int{11, 13, 15, 19} {
		for _, step := range []float64{0, 40, 900} {
			if d > 15 && step < 900 { // all states weigh something
				continue
			}
			theta := make([][]float64, d)
			for i := range theta {
				theta[i] = make([]float64, d)
				for j := range i + 1 {
					theta[i][j] = .4*rng.NormFloat64() + step*float64(rng.IntN(3)-1)
					theta[j][i] = theta[i][j]
				}
			}
			b := must.Be(xor.NewBernoulli(theta, nil, 1))
			logs, most := make([]float64, 1<<d), math.Inf(-1)
			for s := range logs {
				if s > 0 { // without its highest bit
					k := 0
					for s>>k > 1 {
						k++
					}
					v := theta[k][k]
					for j := range k {
						if s>>j&1 == 1 {
							v += 2 * theta[k][j]
						}
					}
					logs[s] = logs[s&^(1<<k)] + v
				}
				most = max(most, logs[s])
			}
			z, mean := 0.0, 0.0
			pairs := make([][]float64, d)
			for i := range pairs {
				pairs[i] = make([]float64, d)
			}
			for s, v := range logs {
				w := math.Exp(v - most)
				if z += w; w < 1e-30 {
					continue
				}
				for i := range d {
					for j := range i + 1 {
						if s>>i&1 == 1 && s>>j&1 == 1 {
							pairs[i][j] += w
						}
					}
					mean += w * float64(s>>i&1)
				}
			}
			name, close := fmt.Sprintf("%d bits, steps of %g", d, step), 1e-13*(1+step)*float64(d)
			e := must.Be(b.Enumerate(ctx))
			if want := most + math.Log(z); math.Abs(e.LogNormalizer.Float()-want) > close {
				t.Errorf("%s: ln Z = %v, want %v", name, e.LogNormalizer, want)
			}
			if math.Abs(e.MeanOnes.Float()-mean/z) > close*float64(d) {
				t.Errorf("%s: the mean is %v, want %v", name, e.MeanOnes, mean/z)
			}
			m := must.Be(b.Moments(ctx))
			for i := range d {
				for j := range i + 1 {
					if got := must.Be(m.Pair(i, j)).Float(); math.Abs(got-pairs[i][j]/z) > close {
						t.Errorf("%s: E[b_%d b_%d] = %v, want %v", name, i, j, got, pairs[i][j]/z)
					}
				}
			}
		}
	}
}
