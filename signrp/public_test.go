package signrp

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
)

// The pair −t e_i, t e_i attains the closed form of the public ε.
func TestPublicIsReached(t *testing.T) {
	for _, w := range allKinds(t, 9, 8, 4) {
		for _, smoothing := range []bool{false, true} {
			r := must(NewSignRP(context.Background(), w, eps(t, 2), SignOptions{Noise: RandomizedResponse, Beta: 0.5, Smoothing: smoothing}))
			public := publicOf(t, r)
			u, v := r.centredPair()
			pair := smallestOf(t, r, u, v)
			want := 2 * float64(w.nonZero()) / 8
			if w.Kind() == OPORP {
				want = 2
			}
			if public.Float() != want || public.Kind() != evidence.KindExact || !agrees(pair, want, 1e-12) {
				t.Errorf("%s, %s W: public ε %v, ε of the pair %v, want %v", r.name, w.Kind(), public, pair, want)
			}
		}
	}
}

// The two vectors of centredPair are neighbors by their printed decimals for every β. They are as far apart as adjacent
// float64s allow.
func TestCentredPairIsOfNeighbors(t *testing.T) {
	rng := rand.New(rand.NewPCG(43, 1))
	w := must(NewProjection(Sparse, 5, 2, ProjectionOptions{Sparsity: 2, Seed: 3}))
	beyond := 0
	for n := range 8000 {
		beta := float64(n+1) * 5e-324
		switch {
		case n%2 == 1:
			beta = math.Ldexp(0.5+rng.Float64()/2, rng.IntN(1070)-1070)
		case n%4 == 2:
			beta = math.Ldexp(1+float64(rng.IntN(3)-1)*0x1p-52, rng.IntN(1070)-1070) // near a power of two
		case n%16 == 4:
			beta = 2 + float64(rng.IntN(3))
		}
		r := &Release{w: w, p: 5, beta: beta}
		u, v := r.centredPair()
		at, most := w.measures().widest, math.Min(beta, 2)
		for i := range u {
			if i != at && (u[i] != 0 || v[i] != 0) || u[i] != -v[i] {
				t.Fatalf("β = %v: vectors %v and %v, want opposite ones that differ in one coordinate", beta, u, v)
			}
		}
		apart := func(to float64) bool { // whether 2·to exceeds β as decimals
			gap := printedDecimal(to)
			return gap.Add(gap, gap).Cmp(printedDecimal(most)) > 0
		}
		if to := v[at]; to < 0 || apart(to) || math.Nextafter(math.Nextafter(to, 1), 1) < most/2 {
			t.Fatalf("β = %v: the pair is ±%v, want β/2 or the next float64 below", beta, to)
		}
		if apart(most / 2) {
			beyond++
		}
	}
	if beyond < 300 {
		t.Errorf("only %d values of β/2 print as more than half of β", beyond)
	}
}
