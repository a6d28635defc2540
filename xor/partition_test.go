package xor

import (
	"context"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/privacy"
)

// The greedy value is at most the optimum, and the bound is at least the optimum. If all parts are alike and the bits
// divide evenly, all three agree.
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
		// The optimum by dynamic programming, part by part and copy by copy.
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

// Written returns every entry of Θ and of the blocks, in its place and as the exact float64.
func TestWrittenReturnsTheLaw(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 12))
	for range 50 {
		n, p := 2+rng.IntN(3), 2+rng.IntN(2) // with one column there may be a uniform law
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
		theta, lam := square(), map[Pair][][]float64{}
		for i := range n {
			for j := range i {
				if rng.IntN(2) == 0 {
					lam[Pair{j, i}] = square()
				}
			}
		}
		b := must.Be(NewBernoulli(theta, lam, n))
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
			if !same(block.Lambda, lam[Pair{block.I, block.J}]) || k > 0 && (w.Blocks[k-1].I > block.I || w.Blocks[k-1].I == block.I && w.Blocks[k-1].J >= block.J) {
				t.Fatalf("block %d of %v has Written %+v", k, lam, block)
			}
		}
	}
}

// δ of an enumerated law is at most what its largest loss implies, also for ε near that loss.
func TestDeltaBelowTheLargestLoss(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 13))
	for range 20 {
		b := must.Be(NewBernoulli([][]float64{{rng.NormFloat64(), 0.25}, {0.25, rng.NormFloat64()}}, nil, 2))
		p := must.Be(b.Under(FlipBits(1), LossOptions{}))
		pure := must.Be(p.Epsilon(t.Context(), evidence.Delta{}))
		for _, share := range []float64{0.3, 0.999999, 1 - 1e-12, 1 - 0x1p-52, 1, 1 + 0x1p-52, 1.5} {
			eps := must.Be(evidence.NewEpsilon("eps", pure.Float()*share))
			d := must.Be(p.Delta(t.Context(), eps))
			lo, hi := d.Bounds()
			if _, most := privacy.PureDelta(pure, eps, "").Bounds(); !(0 <= lo && lo <= hi && hi <= most) {
				t.Errorf("δ at %v of %v is [%v, %v], at most %v", share, pure, lo, hi, most)
			}
		}
	}
}
