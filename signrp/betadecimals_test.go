package signrp_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/cases"
	"dpworkbench/internal/must"
	"dpworkbench/signrp"
)

// β means its printed decimal everywhere: in levels, the set within reach, neighbors, balls, P₊ and the public loss. In
// tenths float64 differs from the decimals: 0.3 < 3·0.1 and 0.8 > 0.7 + 0.1.

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
