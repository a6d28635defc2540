package planes

import (
	"math"
	"math/rand/v2"

	"dpworkbench/internal/symmetric"

	"gonum.org/v1/gonum/mat"
)

// precision returns W diag(1/variances) Wᵀ, divided by the largest of them.
func precision(variances []float64, w *mat.Dense) *mat.SymDense {
	n := len(variances)
	root, top := mat.DenseCopyOf(w), 0.0
	for j, v := range variances {
		top = math.Max(top, 1/v)
		for i := range n {
			root.Set(i, j, math.Sqrt(1/v)*root.At(i, j))
		}
	}
	out := mat.NewSymDense(n, nil)
	out.SymOuterK(1, root)
	out.ScaleSym(1/top, out)
	return out
}

// lognormal draws variances.
func lognormal(d int, spread float64, rng *rand.Rand) []float64 {
	v := make([]float64, d)
	for i := range v {
		v[i] = math.Exp(spread * rng.NormFloat64())
	}
	return v
}

// drawn returns a precision of lognormal variances in random directions.
func drawn(d int, spread float64, rng *rand.Rand) *mat.SymDense {
	return precision(lognormal(d, spread, rng), symmetric.RandomBasis(d, rng))
}

// twoLevels draws a precision of k variances 1 and the others r.
func twoLevels(d, k int, r float64, rng *rand.Rand) *mat.SymDense {
	v := make([]float64, d)
	for i := range v {
		if v[i] = r; i < k {
			v[i] = 1
		}
	}
	return precision(v, symmetric.RandomBasis(d, rng))
}

// spectra are kinds of variances: spread, graded, flat, half of them large, decaying,
// and a few small ones before a floor.
var spectra = []func(d, i int, rng *rand.Rand) float64{
	func(_, _ int, rng *rand.Rand) float64 { return math.Exp(2 * rng.NormFloat64()) },
	func(_, i int, _ *rand.Rand) float64 { return 1 / float64(i+1) },
	func(_, _ int, rng *rand.Rand) float64 { return 1 / (1 + rng.Float64()) },
	func(d, i int, rng *rand.Rand) float64 {
		if i < d/2 {
			return 1 / (1 + rng.Float64())
		}
		return 1000
	},
	func(_, i int, _ *rand.Rand) float64 { return math.Pow(float64(i+1), 1.5) },
	func(_, i int, _ *rand.Rand) float64 {
		if i < 3 {
			return 1
		}
		return 20
	},
	func(_, i int, _ *rand.Rand) float64 {
		if i < 3 {
			return 1 / (1 - 0.2*float64(i))
		}
		return 100
	},
}

// spectrum returns a precision of variances of the kind, in random directions where axes
// is nil.
func spectrum(d, kind int, axes *mat.Dense, rng *rand.Rand) *mat.SymDense {
	v := make([]float64, d)
	for i := range v {
		v[i] = spectra[kind](d, i, rng)
	}
	if axes == nil {
		axes = symmetric.RandomBasis(d, rng)
	}
	return precision(v, axes)
}

// turnedPairs returns I with each direction of a pair turned towards the other.
func turnedPairs(d int, pairs [][2]int, degrees []float64) *mat.Dense {
	w := symmetric.Eye(d)
	for k, p := range pairs {
		sin, cos := math.Sincos(degrees[k] * math.Pi / 180)
		w.Set(p[0], p[0], cos)
		w.Set(p[1], p[0], sin)
		w.Set(p[0], p[1], -sin)
		w.Set(p[1], p[1], cos)
	}
	return w
}
