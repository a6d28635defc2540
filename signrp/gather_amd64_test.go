package signrp

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/must"
)

// Without AVX2 the routines give the same numbers as with it, bit for bit.
func TestWithoutAssembly(t *testing.T) {
	if !hasAVX2 {
		t.Skip("the processor has no AVX2")
	}
	defer func() { hasAVX2 = true }()
	rng := rand.New(rand.NewPCG(50, 1))
	w, bins := FreshProjection(t, Rademacher, 300, 5, false), FreshProjection(t, OPORP, 300, 200, false)
	data, bytes := make([][]float64, 9), make([]byte, 20*300)
	for v := range data {
		data[v] = RandomVector(rng, 300)
	}
	for i := range bytes {
		bytes[i] = byte(rng.Uint32())
	}
	var numberText [2]string
	for n := range numberText {
		hasAVX2 = n == 0
		numberText[n] = fmt.Sprint(must.Be(w.ApplyAll(t.Context(), data)), must.Be(bins.ApplyAll(t.Context(), data)), must.Be(w.ApplyBytes(t.Context(), bytes, 1./255)))
	}
	if numberText[0] != numberText[1] {
		t.Error("the plain routines and the assembly differ")
	}
}
