package mvg

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/must"
	"dpworkbench/internal/sampling"
)

// Entries of the product, from shorts and from longs, are within the documented bound of the same product with 300 more
// bits.
func TestFactorsWithinTheirBound(t *testing.T) {
	rng := rand.New(rand.NewPCG(61, 2))
	worst := 0.0
	for _, c := range []struct{ sigma, psi Covariance }{
		{DrawCovariance(t, 9, 2, rng), DrawCovariance(t, 12, 2, rng)},
		{must.Be(NewDense(IllConditioned())), DrawCovariance(t, 12, 2, rng)},
		{DrawCovariance(t, 60, 2, rng), RandomVariances(3, 8, rng)},
		{RandomVariances(9, 8, rng), DrawCovariance(t, 5, 2, rng)},
		{RandomVariances(1, 8, rng), RandomVariances(1, 8, rng)},
	} {
		m, n := c.sigma.Order(), c.psi.Order()
		z := make([]sampling.Real, m*n)
		sampling.Normals(z, rng)
		const size, more = 5, 300
		entries := func(b int, short bool) ([]*big.Int, int) {
			drawTo(z, b)
			places := b + 8 + size + 7
			f := factors{m: m, n: n, b: b, size: size, left: must.Be(c.sigma.triangle(t.Context(), places)).cut(places), right: must.Be(c.psi.triangle(t.Context(), places)).cut(places)}
			prepare := f.longs
			if short {
				if !f.short() {
					t.Fatalf("%d bits do not take the short path", b)
				}
				prepare = f.shorts
			}
			start, exp, err := prepare(t.Context(), z)
			if err != nil {
				t.Fatal(err)
			}
			column := start()
			var out []*big.Int
			for j := range n {
				next := column(j)
				for i := range m {
					out = append(out, new(big.Int).Set(must.Be(next(t.Context(), i))))
				}
			}
			return out, exp
		}
		for _, b := range []int{8, 40, 64, 72, 90} {
			long, fine := entries(b+more, false)
			for _, short := range []bool{true, false} {
				got, exp := entries(b, short)
				for k := range got {
					d := new(big.Int).Lsh(got[k], uint(exp-fine))
					off, _ := new(big.Float).SetMantExp(new(big.Float).SetInt(d.Sub(d, long[k])), fine+b).Float64()
					off = math.Abs(off) / (4 * math.Sqrt(float64(m*n)))
					worst = max(worst, off)
					if off > 1 {
						t.Fatalf("%d×%d at %d bits, short %v: entry %d is %.3g bounds off", m, n, b, short, k, off)
					}
				}
			}
		}
	}
	if worst < 0.05 {
		t.Errorf("the largest error is %.3g of the bound, so the bound is too wide", worst)
	}
}
