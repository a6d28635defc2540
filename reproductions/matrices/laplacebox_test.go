package matrices_test

import (
	"math"
	"slices"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/mvg"
	"dpworkbench/reproductions/matrices"

	"gonum.org/v1/gonum/integrate/quad"
)

// laplaceDelta computes δ(ε) of independent Laplace noise of scale 1 on elements that move by e_1, e_2, …. It
// integrates, over the noise of the first element, the δ of the other elements at the remaining ε. The integral is
// piecewise between the kinks.
func laplaceDelta(eps float64, e []float64) float64 {
	if len(e) == 0 {
		return max(0, -math.Expm1(eps))
	}
	sums := []float64{0}
	for _, v := range e[1:] {
		for _, s := range sums {
			sums = append(sums, s+v, s-v)
		}
	}
	cuts := []float64{0, e[0]}
	for _, s := range sums {
		if x := (e[0] - eps + s) / 2; x > 0 && x < e[0] {
			cuts = append(cuts, x)
		}
	}
	slices.Sort(cuts)
	rest := func(loss float64) float64 { return laplaceDelta(eps-loss, e[1:]) }
	total := (rest(e[0]) + math.Exp(-e[0])*rest(-e[0])) / 2 // noise below 0, and above e
	for i, to := range cuts[1:] {
		if to-cuts[i] > 1e-12 {
			total += quad.Fixed(func(x float64) float64 { return math.Exp(-x) / 2 * rest(e[0]-2*x) }, cuts[i], to, 12, nil, 0)
		}
	}
	return total
}

// The closed form for independent Laplace noise agrees with integrals over the noise of one element after another, for
// equal and different moves. Its ε inverts δ.
func TestLaplaceOfABoxByIntegrals(t *testing.T) {
	for _, halfWidths := range [][]float64{{1}, {1, 2}, {0.5, 0.5}, {2, 0.25, 0.25}, {1, 1, 1}} {
		for _, scale := range []float64{0.7, 3} {
			l := must.For(matrices.NewLaplace(must.For(mvg.NewBox(4, halfWidths))(t), scale))(t)
			var e []float64
			total := 0.0
			for _, h := range halfWidths {
				e = append(e, 2*h/scale)
				total += 2 * h / scale
			}
			for _, share := range []float64{0, 0.01, 0.3, 0.6, 0.95, 0.999} {
				eps, want := share*total, laplaceDelta(share*total, e)
				at := evidence.Epsilon{}
				if eps > 0 {
					at = must.For(evidence.NewEpsilon("eps", eps))(t)
				}
				lo, hi := must.For(l.Privacy().Delta(t.Context(), at))(t).Bounds()
				if !(lo-1e-12 <= want && want <= hi+1e-12 && hi-lo <= 1e-14*hi) {
					t.Errorf("moves %v: δ(%g) is %g…%g, want %g", e, eps, lo, hi, want)
				}
				delta := must.For(evidence.NewDelta("delta", want))(t)
				if lo, hi = must.For(l.Privacy().Epsilon(t.Context(), delta))(t).Bounds(); !(lo <= hi && hi-lo <= 1e-14*max(1, hi) && laplaceDelta(lo, e) >= want-1e-12 && laplaceDelta(hi, e) <= want+1e-12) {
					t.Errorf("moves %v: ε(%g) is %g…%g, want %g", e, want, lo, hi, eps)
				}
			}
		}
	}
}
