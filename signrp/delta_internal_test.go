package signrp

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
)

// With levels, δ(ε) agrees with a convolution over the sum of level differences of the + bits, in float64 without
// truncation. The test uses small and large numbers of bits.
func TestDeltaOfLevels(t *testing.T) {
	ctx := context.Background()
	for _, k := range []int{3, 12, 96, 600} {
		const slope = 0.01
		a, b := &law{eps: evidencetest.Epsilon(slope)}, &law{eps: evidencetest.Epsilon(slope)}
		for j := range k {
			a.level, b.level = append(a.level, 1+j%3), append(b.level, -1-j%2)
		}
		chance := func(level int) float64 { return 1 / (1 + math.Exp(-slope*float64(level))) }
		// The sum of level differences over the + bits determines the loss.
		p, q, shift := []float64{1}, []float64{1}, 0.0
		for j := range k {
			plus, under, step := chance(a.level[j]), chance(b.level[j]), a.level[j]-b.level[j]
			longer := func(p []float64, plus float64) []float64 {
				next := make([]float64, len(p)+step)
				for n, v := range p {
					next[n] += v * (1 - plus)
					next[n+step] += v * plus
				}
				return next
			}
			p, q = longer(p, plus), longer(q, under)
			shift += math.Log((1 - plus) / (1 - under))
		}
		for _, e := range []float64{0.05, 0.5, 1} {
			var sums [2]float64
			for n := range p {
				loss := shift + slope*float64(n)
				sums[0] += p[n] * math.Max(0, -math.Expm1(e-loss))
				sums[1] += q[n] * math.Max(0, -math.Expm1(e+loss))
			}
			want := math.Max(sums[0], sums[1])
			got := must.Be(newSides(a, b, nil).delta(ctx, evidencetest.Epsilon(e), ""))
			lo, hi := got.Bounds()
			if lo > want*(1+1e-10)+1e-15 || hi < want*(1-1e-10)-1e-15 || hi-lo > 1e-15+1e-12*hi {
				t.Errorf("k = %d: δ(%g) in [%v, %v], want %v", k, e, lo, hi, want)
			}
		}
	}
}

// With two privacy parameters, and with Gaussian noise, δ agrees with the sum over all patterns of a few bits.
func TestDeltaOfPatterns(t *testing.T) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(10, 10))
	for _, k := range []int{1, 2, 5, 10} {
		two := [2]*law{{eps: evidencetest.Epsilon(0.4)}, {eps: evidencetest.Epsilon(0.7)}}
		normal := [2]*law{{normal: true, sigma: 1}, {normal: true, sigma: 1}}
		for range k {
			for i := range two {
				two[i].level = append(two[i].level, 1-2*rng.IntN(2))
				normal[i].level, normal[i].z, normal[i].slack = append(normal[i].level, 1), append(normal[i].z, 2*rng.NormFloat64()), append(normal[i].slack, 0)
			}
		}
		for name, l := range map[string][2]*law{"two ε'": two, "normal signs": normal} {
			chance := func(i, j int) float64 {
				if l[i].normal {
					return math.Erfc(-l[i].z[j]/math.Sqrt2) / 2
				}
				return 1 / (1 + math.Exp(-l[i].eps.Value()*float64(l[i].level[j])))
			}
			for _, e := range []float64{0.01, 0.3, 1} {
				var sums [2]float64
				for pattern := range 1 << k {
					p, q := 1.0, 1.0
					for j := range k {
						x, y := chance(0, j), chance(1, j)
						if pattern>>j&1 == 0 {
							x, y = 1-x, 1-y
						}
						p, q = p*x, q*y
					}
					sums[0] += math.Max(0, p-math.Exp(e)*q)
					sums[1] += math.Max(0, q-math.Exp(e)*p)
				}
				want := math.Max(sums[0], sums[1])
				got := must.Be(newSides(l[0], l[1], nil).delta(ctx, evidencetest.Epsilon(e), ""))
				lo, hi := got.Bounds()
				if lo > want+1e-13 || hi < want-1e-13 || hi-lo > 1e-13 {
					t.Errorf("%s, k = %d: δ(%g) in [%v, %v], want %v", name, k, e, lo, hi, want)
				}
			}
		}
	}
}
