package xor

import (
	"context"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/must"
)

// The value of greedily is at most the optimum, and its bound is at least the optimum. If all parts are alike and the
// bits divide evenly, all three agree.
func TestGreedySpendingAgainstOptimum(t *testing.T) {
	r := rand.New(rand.NewPCG(22, 2))
	even := 0
	for trial := range 400 {
		var all []options
		for range 1 + r.IntN(3) {
			o := options{part: component{bits: []int{0}}, copies: 1 + r.IntN(4), best: make([]found, 2+r.IntN(3))}
			for k := 1; k < len(o.best); k++ {
				o.best[k].value = o.best[k-1].value + float64(r.IntN(8)) // more bits never lose less
				o.best[k].most = o.best[k].value
			}
			all = append(all, o)
		}
		if trial%2 == 0 {
			all = all[:1]
		}
		bits := 1 + r.IntN(12)
		// Compute the optimum by dynamic programming, part by part and copy by copy.
		best := make([]float64, bits+1)
		for _, o := range all {
			for range o.copies {
				next := append([]float64{}, best...)
				for n := range best {
					for k := 1; k < len(o.best) && k <= n; k++ {
						next[n] = max(next[n], best[n-k]+o.best[k].value)
					}
				}
				best = next
			}
		}
		b := must.Be(NewUniform(1, 64, 1, 0))
		s := &lossSearch{law: b, ctx: context.Background(), work: 1e9}
		got := must.Be(s.greedily(all, bits))
		if got.value > best[bits] || got.most < best[bits] {
			t.Fatalf("%+v, %d bits: from %g to %g, want %g", all, bits, got.value, got.most, best[bits])
		}
		if len(all) == 1 {
			dearest, rate := 0, 0.0
			for k := 1; k < len(all[0].best); k++ {
				if v := all[0].best[k].value / float64(k); v > rate {
					dearest, rate = k, v
				}
			}
			if dearest > 0 && bits%dearest == 0 && bits/dearest <= all[0].copies {
				even++
				if got.value != best[bits] || got.most > best[bits]*(1+1e-14) || s.gaveUp {
					t.Fatalf("%+v, %d bits: from %g to %g, want %g", all, bits, got.value, got.most, best[bits])
				}
			}
		}
		whole, err := s.byDynamicProgramme(all, bits, 0)
		if err != nil || whole.value != best[bits] || whole.most != best[bits] {
			t.Fatalf("%+v, %d bits: %g to %g, %v, want %g", all, bits, whole.value, whole.most, err, best[bits])
		}
	}
	if even < 30 {
		t.Errorf("the bits divide evenly in only %d cases", even)
	}
}
