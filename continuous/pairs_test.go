package continuous_test

import (
	"math/big"
	"testing"

	"dpworkbench/continuous"
	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/privacy"
)

// The privacy loss distribution of one use gives the same δ(ε) as the closed form, which is computed independently.
func TestPairsMatchProfile(t *testing.T) {
	one, three := big.NewRat(1, 1), big.NewRat(3, 1)
	q := must.For(continuous.NewLinear([][2]*big.Rat{{one, one}, {three, three}}))(t)
	for _, top := range []evidence.Epsilon{must.For(evidence.LogEpsilon("eps", big.NewRat(9, 1)))(t), must.For(evidence.NewEpsilon("eps", 1.3))(t)} {
		for _, m := range []continuous.Mechanism{
			must.For(continuous.NewLaplace(q, top))(t), must.For(continuous.NewGeometric(q, top))(t), must.For(continuous.NewStaircase(q, top, big.NewRat(1, 3)))(t),
			must.For(continuous.NewOptimalStaircase(q, top, "abs"))(t), must.For(continuous.NewPurest(t.Context(), q, top))(t),
		} {
			f := must.For(m.Pairs(t.Context()))(t)
			f.Profile = nil
			a := privacy.New(f)
			for _, at := range []int64{0, 1, 2, 4, 5} { // fifths of the largest loss
				eps := top.Ratio(at, 5)
				got, want := must.For(a.Delta(t.Context(), eps))(t), must.For(m.Privacy().Delta(t.Context(), eps))(t)
				lo, hi := got.Bounds()
				least, most := want.Bounds()
				if !(lo <= most+1e-14 && least <= hi+1e-14 && hi-lo < 1e-12) {
					t.Errorf("%s: δ(%v) = %v, want %v", m.Name(), eps, got, want)
				}
			}
		}
	}
}
