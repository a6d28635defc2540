package signrp

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// Where the processor lacks what the assembly takes the same numbers come out, to the last bit.
func TestWithoutAssembly(t *testing.T) {
	if !hasAVX2 {
		t.Skip("the processor has no AVX2")
	}
	vnni := hasVNNI
	defer func() { hasAVX2, hasVNNI = true, vnni }()
	rng := rand.New(rand.NewPCG(50, 1))
	w, bins := anew(t, Rademacher, 300, 5, false), anew(t, OPORP, 300, 200, false)
	data, bytes := make([][]float64, 9), make([]byte, 20*300)
	for v := range data {
		data[v] = randomVector(rng, 300)
	}
	for i := range bytes {
		bytes[i] = byte(rng.Uint32())
	}
	var said [3]string
	for n := range said {
		hasAVX2, hasVNNI = n < 2, vnni && n == 0 // products of bytes have routines of their own where there is VNNI
		said[n] = fmt.Sprint(must(w.ApplyAll(t.Context(), data)), must(bins.ApplyAll(t.Context(), data)), must(w.ApplyBytes(t.Context(), bytes, 1./255)))
	}
	if said[0] != said[1] || said[0] != said[2] {
		t.Error("plain routines give other numbers")
	}
}

// Products of bytes and signs are the sums over the rows with +1 and those with −1, whatever the shape.
func TestBytesTimesSigns(t *testing.T) {
	if !hasVNNI {
		t.Skip("the processor has no AVX-512 VNNI")
	}
	defer func() { hasVNNI = true }()
	rng := rand.New(rand.NewPCG(50, 2))
	for _, shape := range [][3]int{{1, 1, 6}, {3, 2, 7}, {4, 64, 12}, {5, 65, 13}, {63, 130, 49}, {257, 200, 96}, {784, 512, 101}} {
		w := anew(t, Rademacher, shape[0], shape[1], false)
		data := make([]byte, shape[2]*shape[0])
		for i := range data {
			data[i] = byte(rng.Uint32())
			if i%5 == 0 {
				data[i] = 255
			}
		}
		var said [2][]float64
		for n := range said {
			hasVNNI = n == 0
			said[n] = must(w.ApplyBytes(t.Context(), data, 1./255))
		}
		if !slices.Equal(said[0], said[1]) {
			t.Errorf("%v: products and sums differ", shape)
		}
		var out, plain dotRows
		panel := w.panels()[0]
		var rows [dotVectors]*byte
		long := make([]byte, dotVectors*4*len(panel))
		for i := range long {
			long[i] = byte(rng.Uint32())
		}
		for v := range rows {
			rows[v] = &long[v*4*len(panel)]
		}
		dotBytes(&out, panel, &rows, .125)
		dotBytesGo(&plain, panel, &rows, .125)
		if out != plain {
			t.Errorf("%v: the assembly and Go differ", shape)
		}
	}
}
