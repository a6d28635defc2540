package signrp

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/cases"
)

// β means its printed decimal everywhere: in levels, the set within reach, neighbors, balls, P₊ and the public loss. In
// tenths float64 differs from the decimals: 0.3 < 3·0.1 and 0.8 > 0.7 + 0.1.

// tenths returns random multiples of a tenth in [−1, 1].
func tenths(rng *rand.Rand, p int) []float64 {
	u := make([]float64, p)
	for i := range u {
		u[i] = float64(rng.IntN(21)-10) / 10
	}
	return u
}

// The columns are all sign patterns. So P₊ is the fraction of signs within reach, and these have a level of at most 1.
func TestBetaIsDecimalInLevelsAndPPlus(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 1))
	const p = 5
	edges := 0
	for range 300 {
		u, beta := tenths(rng, p), float64(1+rng.IntN(20))/10
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
		levels := must(w.Levels(context.Background(), u, beta))
		at := must(w.at(context.Background(), u, beta))
		inside := int64(0)
		for j, level := range levels {
			sum := new(big.Rat)
			for i, v := range u {
				sum.Add(sum, new(big.Rat).Mul(printedDecimal(v), big.NewRat(int64(2*(j>>i&1)-1), 1)))
			}
			sum.Abs(sum)
			q := new(big.Rat).Quo(sum, printedDecimal(beta))
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
			if sum.Cmp(printedDecimal(beta)) == 0 {
				edges++
			}
		}
		n := must(RademacherPPlus(context.Background(), u, beta))
		if got := n.(evidence.Exact).Value; got.Cmp(big.NewRat(inside, 1<<p)) != 0 {
			t.Fatalf("u = %v, β = %v: P₊ = %v, but %d of %d signs are within reach", u, beta, got, inside, 1<<p)
		}
	}
	if edges < 100 {
		t.Errorf("only %d sums equal β", edges)
	}
}

// A pair whose decimals differ by at most β costs no more than the worst neighbor and the public ε.
func TestBetaIsDecimalInLosses(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 2))
	reached := 0
	for trial := range cases.Of(50, 150) {
		p, k := 1+rng.IntN(4), 1+rng.IntN(5)
		w := must(NewProjection(Rademacher, p, k, ProjectionOptions{Seed: uint64(trial)}))
		beta := float64(1+rng.IntN(9)) / 10
		u := tenths(rng, p)
		i := rng.IntN(p)
		for j := range u {
			if j != i && trial%2 == 1 { // many digits, so that the moved coordinate is rounded
				u[j] = 2*rng.Float64() - 1
			}
		}
		v := append([]float64(nil), u...)
		ten := int(math.Round(10*u[i])) + (1-2*rng.IntN(2))*int(math.Round(10*beta))
		if ten < -10 || ten > 10 {
			continue
		}
		v[i] = float64(ten) / 10
		for _, smoothing := range []bool{false, true} {
			r := must(NewSignRP(context.Background(), w, lnEps(t, 3, 1), SignOptions{Noise: RandomizedResponse, Beta: beta, Smoothing: smoothing}))
			what := fmt.Sprintf("%s, W %d of %d × %d, β = %v, u = %v, v = %v", r.name, trial, p, k, beta, u, v)
			pair := smallestOf(t, r, u, v)
			worst := worstOf(t, r, u)
			ball := ballOf(t, r, u)
			public := publicOf(t, r)
			a, _ := pair.Bounds()
			b, most := worst.Epsilon.Bounds()
			_, all := public.Bounds()
			if a > most || b > upper(ball) || b > all || a > all {
				t.Fatalf("%s: pair %v, worst neighbor %v, ball %v, all pairs %v", what, pair, worst.Epsilon, ball, public)
			}
			if a > 0 && a > all*(1-1e-12) {
				reached++
			}
			// The worst neighbor is a neighbor by its decimals, and has the reported cost.
			if worst.Coordinate >= 0 {
				v := append([]float64(nil), u...)
				v[worst.Coordinate] = worst.To
				gap := new(big.Rat).Sub(printedDecimal(worst.To), printedDecimal(u[worst.Coordinate]))
				again := smallestOf(t, r, u, v)
				if lo, hi := again.Bounds(); gap.Abs(gap).Cmp(printedDecimal(beta)) > 0 || hi < b || lo > most {
					t.Fatalf("%s: worst neighbor %+v is %v away and costs %v", what, worst, gap, again)
				}
			}
		}
	}
	if reached < 10 {
		t.Errorf("only %d pairs attain the public ε", reached)
	}
}

// covers is false for every ε below the loss, however close. The logarithm of the first terms of the series of e^½ is
// such an ε.
func TestCoversIsExact(t *testing.T) {
	base, term := new(big.Rat), big.NewRat(1, 1)
	for n := range int64(70) {
		base.Add(base, term)
		term.Mul(term, big.NewRat(1, 2*(n+1)))
	}
	less := must(evidence.LogEpsilon("eps", base))
	half := evidence.Certified{Lo: 0.4, Hi: 0.5}
	if covers(less, half) || !covers(eps(t, 0.5), half) || covers(eps(t, math.Nextafter(0.5, 0)), half) || !covers(eps(t, math.Nextafter(0.5, 1)), half) {
		t.Error("1/2 is covered by less, or not by itself")
	}
}
