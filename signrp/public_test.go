package signrp_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/cases"
	"dpworkbench/internal/must"
	"dpworkbench/signrp"
)

// The pair −t e_i, t e_i attains the closed form of the public ε.
func TestPublicIsReached(t *testing.T) {
	for _, w := range signrp.AllKinds(t, 9, 8, 4) {
		for _, smoothing := range []bool{false, true} {
			r := must.Be(signrp.NewSignRP(context.Background(), w, evidencetest.Epsilon(2), signrp.SignOptions{Noise: signrp.RandomizedResponse, Beta: 0.5, Smoothing: smoothing}))
			public := publicOf(t, r)
			u, v, most := make([]float64, 9), make([]float64, 9), 0
			for i, row := range must.Be(w.Matrix()) {
				n := 0
				for _, entry := range row {
					if entry != 0 {
						n++
					}
				}
				if n > most {
					most = n
					clear(u)
					u[i], v = -0.25, make([]float64, 9)
					v[i] = 0.25
				}
			}
			pair := signrp.SmallestOf(t, r, u, v)
			want := 2 * float64(most) / 8
			if w.Kind() == signrp.OPORP {
				want = 2
			}
			if public.Float() != want || public.Kind() != evidence.KindExact || !agrees(pair, want, 1e-12) {
				t.Errorf("%s, %s W: public ε %v, ε of the pair %v, want %v", r.Name(), w.Kind(), public, pair, want)
			}
		}
	}
}

// The vectors of the dominating pair of plain randomised response are neighbors by their printed decimals for every β,
// and as far apart as adjacent float64s allow. They differ in the coordinate whose row of W has the most nonzero
// entries.
func TestDominatingPairIsOfNeighbors(t *testing.T) {
	rng := rand.New(rand.NewPCG(43, 1))
	w := must.Be(signrp.NewProjection(signrp.Sparse, 5, 2, signrp.ProjectionOptions{Sparsity: 2, Seed: 3}))
	beyond, at, widest := 0, 0, 0
	for i, row := range must.Be(w.Matrix()) {
		if n := len(slices.DeleteFunc(row, func(v float64) bool { return v == 0 })); n > widest {
			at, widest = i, n
		}
	}
	total := cases.Of(2000, 8000)
	for n := range total {
		beta := float64(n+1) * 5e-324
		switch {
		case n%2 == 1:
			beta = math.Ldexp(0.5+rng.Float64()/2, rng.IntN(1070)-1070)
		case n%4 == 2:
			beta = math.Ldexp(1+float64(rng.IntN(3)-1)*0x1p-52, rng.IntN(1070)-1070) // near a power of two
		case n%16 == 4:
			beta = 2 + float64(rng.IntN(3))
		}
		r := must.Be(signrp.NewSignRP(t.Context(), w, evidencetest.Epsilon(1), signrp.SignOptions{Noise: signrp.RandomizedResponse, Beta: beta}))
		x, y := must.Be(r.Pairs(t.Context())).Datasets(0)
		u, v, most := x.([]float64), y.([]float64), math.Min(beta, 2)
		for i := range u {
			if i != at && (u[i] != 0 || v[i] != 0) || u[i] != -v[i] {
				t.Fatalf("β = %v: vectors %v and %v, want opposite ones that differ in one coordinate", beta, u, v)
			}
		}
		apart := func(to float64) bool { // reports whether 2·to exceeds β as decimals
			gap := signrp.PrintedDecimal(to)
			return gap.Add(gap, gap).Cmp(signrp.PrintedDecimal(most)) > 0
		}
		if to := v[at]; to < 0 || apart(to) || math.Nextafter(math.Nextafter(to, 1), 1) < most/2 {
			t.Fatalf("β = %v: the pair is ±%v, want β/2 or the next float64 below", beta, to)
		}
		if apart(most / 2) {
			beyond++
		}
	}
	if beyond < total*3/80 {
		t.Errorf("only %d values of β/2 print as more than half of β", beyond)
	}
}
