package signrp

import (
	"context"
	"testing"

	"dpworkbench/evidence"
)

// Reading (ii) in closed form: the pair −t e_i, t e_i reaches it.
func TestPublicIsReached(t *testing.T) {
	for _, w := range allKinds(t, 9, 8, 4) {
		for _, smoothing := range []bool{false, true} {
			r, err := NewSignRP(context.Background(), w, eps(t, 2), SignOptions{Noise: RandomizedResponse, Beta: 0.5, Smoothing: smoothing})
			if err != nil {
				t.Fatal(err)
			}
			public := publicOf(t, r)
			u, v := r.centredPair()
			pair := smallestOf(t, r, u, v)
			want := 2 * float64(w.nonZero()) / 8
			if w.Kind() == OPORP {
				want = 2
			}
			if public.Float() != want || public.Kind() != evidence.KindExact || !agrees(pair, want, 1e-12) {
				t.Errorf("%s, %s W: public %v, pair %v, want %v", r.name, w.Kind(), public, pair, want)
			}
		}
	}
}
