package workload

import (
	"math"

	"dpworkbench/interval"
)

// A series holds the coefficients of a power series up to a degree. It is the first column of a lower triangular
// Toeplitz matrix, and products of such matrices are products of series.
type series []float64

// over returns a/b by forward substitution; b_0 is not 0.
func (a series) over(b series) series {
	out := make(series, len(a))
	for k := range out {
		sum := a[k]
		for j := 1; j <= k; j++ {
			sum -= b[j] * out[k-j]
		}
		out[k] = sum / b[0]
	}
	return out
}

// correlate returns Σ_j g_{j+k} a_j for every k: the transpose of the product with a, applied to g.
func (a series) correlate(g series) series {
	out := make(series, len(a))
	for k := range out {
		for j, y := range g[k:] {
			out[k] += y * a[j]
		}
	}
	return out
}

// root returns the square root of a series with a positive first coefficient, 2c_0 c_k = a_k − Σ_{0<j<k} c_j c_{k−j}.
func (a series) root() series {
	out := make(series, len(a))
	out[0] = math.Sqrt(a[0])
	for k := 1; k < len(a); k++ {
		sum := a[k]
		for j := 1; j < k; j++ {
			sum -= out[j] * out[k-j]
		}
		out[k] = sum / (2 * out[0])
	}
	return out
}

// centralBinomials returns binom(2k, k)/4^k, each correct to about an ulp: the coefficients of (1 − z)^{−1/2}, the
// square root of prefix sums (Fichtenberger, Henzinger and Upadhyay, arXiv:2202.11205, (3)).
func centralBinomials(n int) series {
	out := make(series, n)
	v := interval.BallAt(1)
	for k := range out {
		if k > 0 {
			v = v.Mul(interval.BallAt(float64(2*k - 1))).Quo(interval.BallAt(float64(2 * k)))
		}
		out[k] = v.Mid.Float()
	}
	return out
}

// ones reports whether all coefficients are 1.
func (a series) ones() bool {
	for _, x := range a {
		if x != 1 {
			return false
		}
	}
	return true
}
