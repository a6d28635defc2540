package signrp_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/cases"
	"dpworkbench/internal/must"
	"dpworkbench/signrp"
)

// Every function reads β as its printed decimal: levels, the set within reach, neighbors, balls, P₊ and the public
// loss. For multiples of 0.1, float64 arithmetic differs from decimals: 0.3 < 3·0.1 and 0.8 > 0.7 + 0.1.

// A pair whose decimals differ by at most β costs no more than the worst neighbor and the public ε.
func TestBetaIsDecimalInLosses(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 2))
	reached := 0
	for trial := range cases.Of(50, 150) {
		p, k := 1+rng.IntN(4), 1+rng.IntN(5)
		w := must.Be(signrp.NewProjection(signrp.Rademacher, p, k, signrp.ProjectionOptions{Seed: uint64(trial)}))
		beta := float64(1+rng.IntN(9)) / 10
		u := signrp.Tenths(rng, p)
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
			r := must.Be(signrp.NewSignRP(context.Background(), w, evidencetest.LogEpsilon(3, 1), signrp.SignOptions{Noise: signrp.RandomizedResponse, Beta: beta, Smoothing: smoothing}))
			what := fmt.Sprintf("%s, W %d of %d × %d, β = %v, u = %v, v = %v", r.Name(), trial, p, k, beta, u, v)
			pair := signrp.SmallestOf(t, r, u, v)
			worst := signrp.WorstOf(t, r, u)
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
				gap := new(big.Rat).Sub(signrp.PrintedDecimal(worst.To), signrp.PrintedDecimal(u[worst.Coordinate]))
				again := signrp.SmallestOf(t, r, u, v)
				if lo, hi := again.Bounds(); gap.Abs(gap).Cmp(signrp.PrintedDecimal(beta)) > 0 || hi < b || lo > most {
					t.Fatalf("%s: worst neighbor %+v is %v away and costs %v", what, worst, gap, again)
				}
			}
		}
	}
	if reached < 10 {
		t.Errorf("only %d pairs attain the public ε", reached)
	}
}

// The columns are all sign patterns. So P₊ is the fraction of signs within reach, and these have a level of at most 1.
// Signs beyond reach are fixed, so their loss between u and −u is infinite.
func TestBetaIsDecimalInLevelsAndPPlus(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 1))
	const p = 5
	edges, columns := 0, make([]*signrp.Projection, 1<<p)
	for j := range columns {
		m := make([][]float64, p)
		for i := range m {
			m[i] = []float64{float64(2*(j>>i&1) - 1)}
		}
		columns[j] = projectionWith(m)
	}
	for range 300 {
		u, beta := signrp.Tenths(rng, p), float64(1+rng.IntN(20))/10
		if rng.IntN(4) == 0 { // a float64 one ulp away stands for another decimal
			beta = math.Nextafter(beta, float64(rng.IntN(2)*9))
		}
		minus := make([]float64, p)
		for i, v := range u {
			minus[i] = -v
		}
		inside := int64(0)
		for j, w := range columns {
			level := must.Be(w.Levels(t.Context(), u, beta))[0]
			sum := new(big.Rat)
			for i, v := range u {
				sum.Add(sum, new(big.Rat).Mul(signrp.PrintedDecimal(v), big.NewRat(int64(2*(j>>i&1)-1), 1)))
			}
			sum.Abs(sum)
			q := new(big.Rat).Quo(sum, signrp.PrintedDecimal(beta))
			want := new(big.Int).Sub(new(big.Int).Add(q.Num(), q.Denom()), big.NewInt(1))
			want.Quo(want, q.Denom())
			if int64(level) != want.Int64() {
				t.Fatalf("u = %v, β = %v: |sum| %v has level %d, want %v", u, beta, sum, level, want)
			}
			r := must.Be(signrp.NewIndividual(w, evidencetest.Epsilon(1), signrp.SignOptions{Noise: signrp.RandomizedResponse, Beta: beta}))
			if loss := signrp.SmallestOf(t, r, u, minus); math.IsInf(loss.Float(), 1) != (level > 1) {
				t.Fatalf("u = %v, β = %v: |sum| %v has level %d, but loses %v", u, beta, sum, level, loss)
			}
			if level <= 1 {
				inside++
			}
			if sum.Cmp(signrp.PrintedDecimal(beta)) == 0 {
				edges++
			}
		}
		n := must.Be(signrp.RademacherPPlus(context.Background(), u, beta))
		if got := n.(evidence.Exact).Value; got.Cmp(big.NewRat(inside, 1<<p)) != 0 {
			t.Fatalf("u = %v, β = %v: P₊ = %v, but %d of %d signs are within reach", u, beta, got, inside, 1<<p)
		}
	}
	if edges < 100 {
		t.Errorf("only %d sums equal β", edges)
	}
}
