package definite

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// conditioned returns AAᵀ rounded, of a condition number near 10^decades, its rows and
// columns scaled by up to 2^±spread.
func conditioned(n int, decades float64, spread int, rng *rand.Rand) *mat.SymDense {
	a := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			a.Set(i, j, rng.NormFloat64())
		}
	}
	var qr mat.QR
	qr.Factorize(a)
	var q mat.Dense
	qr.QTo(&q)
	for j := range n {
		k := math.Pow(10, -decades/2*float64(j)/float64(max(1, n-1)))
		for i := range n {
			a.Set(i, j, k*q.At(i, j))
		}
	}
	s := mat.NewSymDense(n, nil)
	s.SymOuterK(1, a)
	for i := range n {
		e := 0
		if spread > 0 {
			e = rng.IntN(2*spread) - spread
		}
		for j := range n {
			v := math.Ldexp(s.At(i, j), e)
			if i == j {
				v = math.Ldexp(v, e)
			}
			s.SetSym(i, j, v)
		}
	}
	return s
}

func pascal(n int) *mat.SymDense { // of determinant 1, its condition number about 16ⁿ/n
	s := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			s.SetSym(i, j, float64(new(big.Int).Binomial(int64(i+j), int64(i)).Int64()))
		}
	}
	return s
}

func hilbert(n int) *mat.SymDense {
	s := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			s.SetSym(i, j, 1/float64(i+j+1))
		}
	}
	return s
}

func cases(rng *rand.Rand) map[string][]mat.Symmetric {
	out := map[string][]mat.Symmetric{
		"order 1":        {mat.NewSymDense(1, []float64{3e-310})},
		"nearly equal":   {mat.NewSymDense(2, []float64{1, 1 - 1e-14, 1 - 1e-14, 1})},
		"an ulp apart":   {mat.NewSymDense(2, []float64{1, 1 - 0x1p-53, 1 - 0x1p-53, 1})},
		"far apart":      {mat.NewSymDense(2, []float64{1e-300, 1e-10, 1e-10, 1e300})},
		"pascal 20":      {pascal(20)},
		"hilbert 11":     {hilbert(11)},
		"two terms":      {mat.NewSymDense(2, []float64{1e12, 1e12, 1e12, 1e12 + 1}), mat.NewSymDense(2, []float64{1, 0, 0, 1})},
		"tiny beside":    {mat.NewSymDense(2, []float64{1, 1, 1, 1}), mat.NewSymDense(2, []float64{1e-40, 0, 0, 1e-40})},
		"three terms":    {hilbert(6), pascal(6), conditioned(6, 3, 0, rng)},
		"scaled hilbert": {conditioned(7, 6, 400, rng)},
	}
	for k := range 40 {
		n, decades := 2+rng.IntN(7), 14*rng.Float64()
		out[fmt.Sprintf("random %d", k)] = []mat.Symmetric{conditioned(n, decades, rng.IntN(2)*30, rng)}
	}
	return out
}

// skewed returns a basis that is orthonormal up to by.
func skewed(n int, by float64, rng *rand.Rand) *mat.Dense {
	d := mat.NewDense(n, n, nil)
	for i := range n {
		d.Set(i, i, 1)
		for j := range n {
			d.Set(i, j, d.At(i, j)+by*rng.NormFloat64())
		}
	}
	return d
}
