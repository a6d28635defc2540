package signrp

import (
	"math"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/privacy"
)

// Where a neighbor has another A the loss is infinite at δ = 0, at both ends, and of δ > 0 nothing is known over many pairs; of one pair δ has its own curve.
func TestInfiniteReadings(t *testing.T) {
	ctx := t.Context()
	w := seek([][]float64{{1}, {1}})
	u, v := []float64{0.6, 0.5}, []float64{-0.4, 0.5}
	for _, o := range []SignOptions{{Noise: RandomizedResponse, Beta: 1}, {Noise: GaussianNoise, Delta: evidencetest.Delta(1e-3), Beta: 1}} {
		r := must(NewIndividual(w, eps(t, 1), o))
		for name, c := range map[string]privacy.Profile{"neighbors": r.Neighbors(u), "ball": r.Ball(u), "public": r.Public()} {
			pure := must(c.Epsilon(ctx, evidence.Delta{}))
			if lo, hi := pure.Bounds(); !math.IsInf(lo, 1) || !math.IsInf(hi, 1) {
				t.Errorf("%s, %s: ε(0) in [%v, %v]", r.Name(), name, lo, hi)
			}
			n := must(c.Epsilon(ctx, evidencetest.Delta(0.05)))
			if c, ok := n.(evidence.Certified); !ok || c.Lo != 0 || !math.IsInf(c.Hi, 1) {
				t.Errorf("%s, %s: ε(0.05) is %+v, of which nothing is known", r.Name(), name, n)
			}
		}
		// u never flips, v does: δ is the chance that v's sign is −, whatever ε is.
		pair := r.Pair(u, v)
		if n := must(pair.Epsilon(ctx, evidence.Delta{})); !math.IsInf(lower(n), 1) {
			t.Errorf("%s: the pair's ε(0) = %v", r.Name(), n)
		}
		d := deltaOf(t, pair, eps(t, 30))
		flips := slowLaw(t, r, v)[0].minus
		if lo, hi := d.Bounds(); !(lo <= flips*(1+1e-12) && hi >= flips*(1-1e-12) && hi-lo <= 1e-12) {
			t.Errorf("%s: δ(30) = %v of the pair, want %v", r.Name(), d, flips)
		}
		if n := must(pair.Epsilon(ctx, evidencetest.Delta(flips*0.9))); !math.IsInf(upper(n), 1) {
			t.Errorf("%s: ε below the chance of a sign that the other cannot have: %v", r.Name(), n)
		}
		if n := must(pair.Epsilon(ctx, evidencetest.Delta(flips*1.1))); math.IsInf(upper(n), 1) {
			t.Errorf("%s: ε above that chance: %v", r.Name(), n)
		}
	}
}
