package signrp

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// Where the processor lacks what the assembly takes the same numbers come out, to the last bit.
func TestWithoutAssembly(t *testing.T) {
	if !hasAVX2 {
		t.Skip("the processor has no AVX2")
	}
	defer func() { hasAVX2 = true }()
	rng := rand.New(rand.NewPCG(50, 1))
	w, bins := anew(t, Rademacher, 300, 5, false), anew(t, OPORP, 300, 200, false)
	data, bytes := make([][]float64, 9), make([]byte, 20*300)
	for v := range data {
		data[v] = randomVector(rng, 300)
	}
	for i := range bytes {
		bytes[i] = byte(rng.Uint32())
	}
	var said [2]string
	for n := range said {
		hasAVX2 = n == 0
		said[n] = fmt.Sprint(must(w.ApplyAll(t.Context(), data)), must(bins.ApplyAll(t.Context(), data)), must(w.ApplyBytes(t.Context(), bytes, 1./255)))
	}
	if said[0] != said[1] {
		t.Error("plain routines give other numbers")
	}
}
