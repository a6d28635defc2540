package signrp

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The assembly and the Go of the routines under OPORP agree to the last bit, at
// every remainder of their strides; and both are the sums of a plain scatter.
func TestGatherRoutinesAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 3))
	for p := 1; p <= 70; p++ {
		for _, k := range []int{1, 2, 3, 4, 5, 7, 8, 33, p} {
			if k > p {
				continue
			}
			w := must(NewOPORP(context.Background(), p, k, uint64(p)))
			u := randomVector(rng, p)
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
				for shift := range 4 { // on both sides of a multiple of 32 bytes
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

// Every place of a vector is looked at, and the edge of [−1, 1] is inside.
func TestAllWithin(t *testing.T) {
	outside := []float64{math.Nextafter(1, 2), -math.Nextafter(1, 2), math.Inf(1), math.Inf(-1), math.NaN(), math.Copysign(math.NaN(), -1), 1e300, -2}
	for n := range 40 {
		u := make([]float64, n)
		for i := range u {
			u[i] = []float64{1, -1, 0, math.Copysign(0, -1), math.Nextafter(1, 0), 5e-324}[i%6]
		}
		if !allWithin(u) || !allWithinGo(u) {
			t.Fatalf("%v is said to leave [-1, 1]", u)
		}
		for i := range u {
			for _, v := range outside {
				kept := u[i]
				u[i] = v
				if allWithin(u) || allWithinGo(u) {
					t.Fatalf("u[%d] = %v of %d is said to be within", i, v, n)
				}
				u[i] = kept
			}
		}
	}
}

// An empty bin, and one of zeros, sums to +0.
func TestBinsOfZerosArePositive(t *testing.T) {
	w := must(NewOPORP(context.Background(), 5, 4, 1))
	x := must(w.Apply(context.Background(), []float64{0, math.Copysign(0, -1), 0, 0, math.Copysign(0, -1)}))
	for j, v := range x {
		if v != 0 || math.Signbit(v) {
			t.Errorf("x[%d] = %v, want +0", j, v)
		}
	}
}
