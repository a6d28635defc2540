package query

import (
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/must"
)

// components returns orthonormal eigenvectors in descending order of eigenvalue: A·v = (vᵀA·v)·v.
func TestComponentsOfIntegerMatrices(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 5))
	for range 100 {
		m := 1 + rng.IntN(6)
		a, size := make([]float64, m*m), 1.0
		for i := range m {
			for j := range i + 1 {
				v := float64(rng.IntN(41) - 20)
				if rng.IntN(3) == 0 {
					v = 0
				}
				a[i*m+j], a[j*m+i] = v, v
				size = max(size, math.Abs(v))
			}
		}
		out, last := must.For(components(a, m))(t), math.Inf(1)
		for k, v := range out {
			times, value := make([]float64, m), 0.0
			for i := range m {
				for j := range m {
					times[i] += a[i*m+j] * v[j]
				}
				value += v[i] * times[i]
			}
			for i := range m {
				if math.Abs(times[i]-value*v[i]) > 1e-12*size*float64(m) {
					t.Fatalf("%v: column %d, %v, is not an eigenvector", a, k, v)
				}
			}
			if value > last+1e-11*size {
				t.Fatalf("%v: eigenvalue %v after %v", a, value, last)
			}
			last = value
			for l, w := range out[:k+1] {
				dot := 0.0
				for i := range m {
					dot += v[i] * w[i]
				}
				if l == k {
					dot--
				}
				if math.Abs(dot) > 1e-12 {
					t.Fatalf("%v: columns %d and %d are not orthonormal: %v", a, k, l, dot)
				}
			}
		}
		if len(out) != m {
			t.Fatalf("%d of %d components", len(out), m)
		}
	}
}
