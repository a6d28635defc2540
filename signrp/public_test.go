package signrp_test

import (
	"context"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
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
