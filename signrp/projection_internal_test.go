package signrp

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/internal/must"
)

// Every way to compute x agrees with the product by the full matrix, and the error bound of the dot products holds.
func TestApplyIsTheMatrixProduct(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	ctx := context.Background()
	for _, shape := range shapes {
		p, k := shape[0], shape[1]
		for _, w := range AllKinds(t, p, k, 7) {
			m := must.Be(w.Matrix())
			const n = 9
			data, bytes := make([][]float64, n), make([]byte, n*p)
			for v := range data {
				data[v] = RandomVector(rng, p)
				for i := range p {
					bytes[v*p+i] = byte(rng.IntN(256))
					if v == 0 {
						bytes[i] = 255
					}
				}
			}
			all := must.Be(w.ApplyAll(ctx, data))
			fromBytes := must.Be(w.ApplyBytes(ctx, bytes, 1.0/255))
			again := slices.Repeat([]float64{7}, n*k)
			if err := w.applyBytesInto(ctx, again, bytes, 1.0/255); err != nil || !slices.Equal(again, fromBytes) {
				t.Fatalf("%s %dx%d: into nonzero rows: %v", w.Kind(), p, k, err)
			}
			streamed := make([][]float64, n)
			for v := range streamed {
				streamed[v] = make([]float64, k)
			}
			if err := w.applyBlocks(ctx, streamed, data); err != nil {
				t.Fatal(err)
			}
			for v, u := range data {
				x := must.Be(w.Apply(context.Background(), u))
				norm1 := 0.0
				for _, c := range u {
					norm1 += math.Abs(c)
				}
				for j := range k {
					want, wantBytes := 0.0, 0.0
					for i := range p {
						want += u[i] * m[i][j]
						wantBytes += float64(bytes[v*p+i]) / 255 * m[i][j]
					}
					want, wantBytes = want/w.scale(), wantBytes/w.scale()
					bound := 2 * (w.dotsError(norm1, j) + float64(p)*ulp*norm1*w.largests()[j]) / w.scale()
					for route, got := range []float64{x[j], all[v][j], streamed[v][j]} {
						if math.Abs(got-want) > bound {
							t.Fatalf("%s %dx%d route %d: x[%d] = %v, want %v within %g", w.Kind(), p, k, route, j, got, want, bound)
						}
					}
					if got := fromBytes[v*k+j]; math.Abs(got-wantBytes) > 1e-11*(1+math.Abs(wantBytes)) {
						t.Fatalf("%s %dx%d: x[%d] from bytes = %v, want %v", w.Kind(), p, k, j, got, wantBytes)
					}
				}
			}
		}
	}
}

// The assembly and the Go routine for four vectors agree bit for bit. Both return the sums of eight coordinates each,
// which the test computes one by one.
func TestRoutinesForFourVectorsAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 7))
	var u [4][blockRows]float64
	for v := range u {
		for i := range u[v] {
			u[v][i] = rng.NormFloat64()
		}
	}
	var a, b fourTables
	fillFours(&a, &u[0], &u[1], &u[2], &u[3])
	fillFoursGo(&b, &u[0], &u[1], &u[2], &u[3])
	if a != b {
		t.Fatal("tables differ")
	}
	for _, k := range []int{1, 2, 7, 512} {
		words := make([]uint64, k)
		got, want := make([][4]float64, k), make([][4]float64, k)
		for j := range words {
			words[j] = rng.Uint64()
			got[j] = [4]float64{rng.NormFloat64(), 1}
		}
		copy(want, got)
		addFours(got, words, &a)
		addFoursGo(want, words, &a)
		if !slices.Equal(got, want) {
			t.Fatalf("k = %d: %v, in Go %v", k, got, want)
		}
		clear(got)
		addFours(got, words, &a)
		for j, word := range words {
			for v := range u {
				sum := 0.0
				for i, x := range u[v] {
					sum += x * float64(int(word>>i&1)*2-1)
				}
				if math.Abs(got[j][v]-sum) > 1e-13 {
					t.Fatalf("k = %d, vector %d: column %d sums to %v, by hand %v", k, v, j, got[j][v], sum)
				}
			}
		}
	}
}

// The assembly and the Go routine for the bytes of sixteen vectors agree. Sums over four blocks of 64 coordinates of
// 255 fit in 16 bits.
func TestRoutinesForBytesAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 9))
	for _, k := range []int{1, 2, 7, 512} {
		got, want, plain := make([][lanes]int32, k), make([][lanes]int32, k), make([][lanes]int32, k)
		gotAcc, wantAcc := make([][lanes]uint16, k), make([][lanes]uint16, k)
		for range 4 {
			var columns [blockRows][lanes]uint16
			for i := range columns {
				for lane := range lanes - 1 {
					columns[i][lane] = uint16(rng.IntN(256))
				}
				columns[i][lanes-1] = 255
			}
			words := make([]uint64, k)
			for j := range words {
				if words[j] = rng.Uint64(); j == 0 {
					words[j] = ^uint64(0)
				}
				for i, column := range columns {
					for lane, v := range column {
						plain[j][lane] += int32(words[j]>>i&1) * int32(v)
					}
				}
			}
			var a, b byteTables
			fillBytes(&a, &columns)
			fillBytesGo(&b, &columns)
			if a != b {
				t.Fatal("tables differ")
			}
			addBytes(gotAcc, words, &a)
			addBytesGo(wantAcc, words, &b)
		}
		if !slices.Equal(gotAcc, wantAcc) {
			t.Fatalf("k = %d: %v, in Go %v", k, gotAcc, wantAcc)
		}
		widen(got, gotAcc)
		widenGo(want, wantAcc)
		if !slices.Equal(got, plain) || !slices.Equal(want, plain) || gotAcc[k-1] != [lanes]uint16{} {
			t.Fatalf("k = %d: %v, in Go %v, one by one %v", k, got, want, plain)
		}
	}
}

// shapes are dimensions around the boundaries of blocks, bytes and bins.
var shapes = [][2]int{{1, 1}, {2, 1}, {3, 2}, {8, 8}, {63, 5}, {64, 7}, {65, 16}, {130, 33}, {256, 3}, {784, 12}}
