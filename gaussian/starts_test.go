package gaussian

import (
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
)

// The start on the surrogate is near the root where a is above 0, the nearer the larger a is; and
// from there the ends that are proven are neighbors.
func TestStartsAndEnds(t *testing.T) {
	rng := rand.New(rand.NewPCG(115, 1))
	for range 1500 {
		eps, target := 1e-6*math.Exp(rng.Float64()*math.Log(1e9)), -rng.Float64()*690-0.7
		if rng.IntN(2) == 0 {
			target = -12*rng.Float64() - 0.7
		}
		mu := solveMu(eps, target)
		a := eps/mu - mu/2
		near := 0.45
		switch {
		case a > 10:
			near = 2e-5
		case a > 2:
			near = 2.6e-3
		case a > 0.5:
			near = 0.1
		}
		if off := math.Abs(math.Log(startMu(eps, target) / mu)); a > -0.4 && off > near {
			t.Errorf("ε = %v, ln δ = %v: a start of e^%v times μ at a = %v", eps, target, off, a)
		}
		e, err := evidence.NewEpsilon("eps", eps)
		if err != nil {
			t.Fatal(err)
		}
		ends, err := Mu(e, math.Exp(target))
		if err != nil || !(ends.Lo <= ends.Hi && ends.Hi <= math.Nextafter(ends.Lo, math.Inf(1))) {
			t.Errorf("ε = %v, ln δ = %v: μ in %+v, error %v", eps, target, ends, err)
		}
	}
}
