package signrp

import (
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/must"
)

// The two vectors of centredPair are neighbors by their printed decimals for every β. They are as far apart as adjacent
// float64s allow.
func TestCentredPairIsOfNeighbors(t *testing.T) {
	rng := rand.New(rand.NewPCG(43, 1))
	w := must.Be(NewProjection(Sparse, 5, 2, ProjectionOptions{Sparsity: 2, Seed: 3}))
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
			gap := PrintedDecimal(to)
			return gap.Add(gap, gap).Cmp(PrintedDecimal(most)) > 0
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
