package signrp

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
)

// The columns are all sign patterns. So P₊ is the fraction of signs within reach, and these have a level of at most 1.
func TestBetaIsDecimalInLevelsAndPPlus(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 1))
	const p = 5
	edges := 0
	for range 300 {
		u, beta := Tenths(rng, p), float64(1+rng.IntN(20))/10
		if rng.IntN(4) == 0 { // one ulp beside the decimal is another number
			beta = math.Nextafter(beta, float64(rng.IntN(2)*9))
		}
		w := &Projection{kind: Rademacher, p: p, k: 1 << p}
		w.lazily()
		words := make([]uint64, 1<<p)
		for j := range words {
			words[j] = uint64(j)
		}
		w.packed = func() [][]uint64 { return [][]uint64{words} }
		rows := make([]float64, 0, p<<p)
		for i := range p {
			for j := range 1 << p {
				rows = append(rows, float64(2*(j>>i&1)-1))
			}
		}
		w.stored = func() [][]float64 { return [][]float64{rows} }
		levels := must.Be(w.Levels(context.Background(), u, beta))
		at := must.Be(w.at(context.Background(), u, beta))
		inside := int64(0)
		for j, level := range levels {
			sum := new(big.Rat)
			for i, v := range u {
				sum.Add(sum, new(big.Rat).Mul(PrintedDecimal(v), big.NewRat(int64(2*(j>>i&1)-1), 1)))
			}
			sum.Abs(sum)
			q := new(big.Rat).Quo(sum, PrintedDecimal(beta))
			want := new(big.Int).Sub(new(big.Int).Add(q.Num(), q.Denom()), big.NewInt(1))
			want.Quo(want, q.Denom())
			if int64(level) != want.Int64() {
				t.Fatalf("u = %v, β = %v: |sum| %v has level %d, want %v", u, beta, sum, level, want)
			}
			if within(at, j, beta, 1) != (level <= 1) {
				t.Fatalf("u = %v, β = %v: |sum| %v has level %d, but within reach is %v", u, beta, sum, level, level > 1)
			}
			if level <= 1 {
				inside++
			}
			if sum.Cmp(PrintedDecimal(beta)) == 0 {
				edges++
			}
		}
		n := must.Be(RademacherPPlus(context.Background(), u, beta))
		if got := n.(evidence.Exact).Value; got.Cmp(big.NewRat(inside, 1<<p)) != 0 {
			t.Fatalf("u = %v, β = %v: P₊ = %v, but %d of %d signs are within reach", u, beta, got, inside, 1<<p)
		}
	}
	if edges < 100 {
		t.Errorf("only %d sums equal β", edges)
	}
}
