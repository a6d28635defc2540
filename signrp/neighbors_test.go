package signrp_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/cases"
	"dpworkbench/signrp"
)

// The sweep finds the worst of many neighbors, at the extreme moves and between them. None is worse.
func TestNeighborsAgainstManyPairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	for trial := range cases.Of(4, 12) {
		p, k := 1+rng.IntN(5), 1+rng.IntN(8)
		beta := []float64{1, 0.5, 0.25, 2.5}[trial%4]
		e := evidencetest.Epsilon([]float64{0.5, 2}[trial%2])
		for i, w := range signrp.AllKinds(t, p, k, uint64(trial)) {
			for j, r := range signrp.EveryRelease(t, w, e, beta) {
				if !cases.Every(2, trial+i+j) {
					continue
				}
				u := signrp.BoundaryVector(rng, p, trial)
				worst := signrp.WorstOf(t, r, u)
				lo, hi := worst.Epsilon.Bounds()
				a := slowLaw(t, r, u)
				found := 0.0
				for i := range u {
					for n := range 21 {
						v := append([]float64(nil), u...)
						v[i] = math.Max(-1, math.Min(1, u[i]+beta*float64(n-10)/10))
						got, _ := bruteForce(a, slowLaw(t, r, v), 1)
						found = math.Max(found, got)
					}
				}
				if found > hi*(1+1e-9)+1e-12 {
					t.Errorf("%s, %s W, β = %g, u = %v: a neighbor has ε %v, sweep [%v, %v]", r.Name(), w.Kind(), beta, u, found, lo, hi)
				}
				if found < lo*(1-1e-9)-1e-12 {
					t.Errorf("%s, %s W, β = %g, u = %v: the worst of many has ε %v, sweep [%v, %v] at %d → %v", r.Name(), w.Kind(), beta, u, found, lo, hi, worst.Coordinate, worst.To)
				}
				ball := ballOf(t, r, u)
				if upper(ball) < hi*(1-1e-12) {
					t.Errorf("%s: ball %v below the neighbors' %v", r.Name(), ball, worst.Epsilon)
				}
				for range 5 { // points of the ball
					v := append([]float64(nil), u...)
					left := beta
					for range 3 {
						i, step := rng.IntN(p), left*rng.Float64()
						left -= step
						v[i] = math.Max(-1, math.Min(1, v[i]+step*float64(1-2*rng.IntN(2))))
					}
					if got, _ := bruteForce(a, slowLaw(t, r, v), 1); got > upper(ball)*(1+1e-9)+1e-12 {
						t.Errorf("%s: point %v of the ball has ε %v, above the bound %v", r.Name(), v, got, upper(ball))
					}
				}
				public := publicOf(t, r)
				if !r.HasSigma() && upper(public) < lo*(1-1e-12) {
					t.Errorf("%s, %s W, β = %g, u = %v: individual %v above differential privacy %v", r.Name(), w.Kind(), beta, u, worst.Epsilon, public)
				}
			}
		}
	}
}
