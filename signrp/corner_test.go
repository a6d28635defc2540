package signrp_test

import (
	"context"
	"math"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/signrp"
)

// Above the limit for enumerating corners, the public ε of noisy signs is enclosed. The lower end is the loss at a
// corner where one sign is farthest from 0, and the upper end bounds the loss of all signs. For one sign the two agree.
func TestWorstOfManyCorners(t *testing.T) {
	const p, beta = 13, 0.5 // one coordinate above the limit for enumeration
	for _, k := range []int{1, 2, 3} {
		w := must.Be(signrp.NewProjection(signrp.Gaussian, p, k, signrp.ProjectionOptions{Seed: 8}))
		r := must.Be(signrp.NewSignRP(context.Background(), w, evidencetest.Epsilon(1), signrp.SignOptions{Noise: signrp.GaussianNoise, Delta: evidencetest.Delta(0.1), Beta: beta}))
		public := must.Be(r.Public().Epsilon(context.Background(), evidence.Delta{}))
		m := must.Be(w.Matrix())
		lnPhi := func(z float64) float64 { return math.Log(math.Erfc(-z/math.Sqrt2) / 2) }
		unit := math.Sqrt(float64(k)) * sigmaOf(r)
		d := make([]float64, k)
		loss := func(at func(i int) float64, moved int) float64 {
			clear(d)
			for i := range p {
				for j := range d {
					d[j] += m[i][j] * at(i)
				}
			}
			forward, backward := 0.0, 0.0
			for j := range d {
				x, y := d[j]/unit, (d[j]-beta*m[moved][j]*at(moved))/unit
				plus, minus := lnPhi(x)-lnPhi(y), lnPhi(-x)-lnPhi(-y)
				forward, backward = forward+max(plus, minus), backward-min(plus, minus)
			}
			return max(forward, backward)
		}
		worst, reached := 0.0, 0.0
		for corner := range 1 << p {
			for moved := range p {
				worst = max(worst, loss(func(i int) float64 { return float64(2*(corner>>i&1) - 1) }, moved))
			}
		}
		for j := range k { // the corner where sign j is farthest from 0, moved in the first coordinate
			reached = max(reached, loss(func(i int) float64 { return math.Copysign(1, m[i][j]) }, 0))
		}
		lo, hi := public.Bounds()
		if math.Abs(lo-reached) > 1e-9*lo || worst > hi*(1+1e-9) || hi > worst*[]float64{1 + 1e-9, 1.5, 1.5}[k-1] {
			t.Errorf("%d signs: public ε in [%v, %v], these corners attain %v and the worst corner %v", k, lo, hi, reached, worst)
		}
	}
}
