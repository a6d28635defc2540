package signrp

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/internal/must"
)

// The assembly and the Go code of OPORP's bin sums agree bit for bit, at every remainder of their strides. Both agree
// with sums that scatter the coordinates one by one.
func TestGatherRoutinesAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 3))
	for p := 1; p <= 70; p++ {
		for _, k := range []int{1, 2, 3, 4, 5, 7, 8, 33, p} {
			if k > p {
				continue
			}
			w := must.Be(NewOPORP(context.Background(), p, k, uint64(p)))
			u := RandomVector(rng, p)
			got, want, scattered := make([]float64, k), make([]float64, k), make([]float64, k)
			b := w.bins()
			b.add(got, u, got, u)
			for at := 0; at < len(b.from); at += 2 * k {
				gatherGo(0, want, u, b.from[at:at+2*k], b.weight[at:at+2*k])
			}
			if !slices.Equal(got, want) {
				t.Fatalf("p = %d, k = %d: %v, in Go %v", p, k, got, want)
			}
			if len(b.from) == 2*k {
				for shift := range 4 { // all alignments modulo 32 bytes
					x := make([]float64, k+3)[shift:][:k]
					b.set(x, u, u)
					if !slices.Equal(x, want) {
						t.Fatalf("p = %d, k = %d: streamed %v, in Go %v", p, k, x, want)
					}
				}
			}
			for i, place := range w.place {
				scattered[place>>1] += u[i] * float64(1-2*(place&1))
			}
			for j, v := range scattered {
				if math.Abs(got[j]-v) > float64(p)*ulp*float64(p) {
					t.Fatalf("p = %d, k = %d: sum %d is %v, scattered %v", p, k, j, got[j], v)
				}
			}
		}
		data, got, want := make([]byte, p), make([]float64, p), make([]float64, p)
		for i := range data {
			data[i] = byte(rng.Uint32())
		}
		fromBytes(got, data)
		fromBytesGo(want, data)
		if !slices.Equal(got, want) {
			t.Fatalf("bytes %v as numbers %v, in Go %v", data, got, want)
		}
	}
}
