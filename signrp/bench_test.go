package signrp

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"dpworkbench/internal/parallel"
)

// The sizes of the retrieval experiment.
const (
	benchVectors = 10_000
	benchP       = 784
	benchK       = 512
)

func benchData(rng *rand.Rand) [][]float64 {
	data := make([][]float64, benchVectors)
	for v := range data {
		data[v] = randomVector(rng, benchP)
	}
	return data
}

// OPORP against a copy of the same numbers, in turns, on all processors: the
// median rates at which bytes are read and written, p numbers in and k out
// against p in and p out, and the ratio of the two.
func BenchmarkOPORP(b *testing.B) {
	w, err := NewOPORP(context.Background(), benchP, benchK, 1)
	if err != nil {
		b.Fatal(err)
	}
	ctx := context.Background()
	data := benchData(rand.New(rand.NewPCG(1, 1)))
	scratch, out := make([][]float64, benchVectors), make([][]float64, benchVectors)
	for v := range scratch { // there before the clock starts
		scratch[v], out[v] = make([]float64, benchP), make([]float64, benchK)
	}
	flat := make([]float64, benchVectors*benchK)
	pixels := make([]byte, benchVectors*benchP)
	for i := range pixels {
		pixels[i] = byte(i * 37 >> 3)
	}
	copyAll := func() error {
		return parallel.Chunks(ctx, benchVectors, 64, func(first, last int) error {
			for v := first; v < last; v++ {
				copy(scratch[v], data[v])
			}
			return nil
		})
	}
	against := func(b *testing.B, bytes int, run func() error) {
		var mine, copies []float64
		timed := func(f func() error, bytes int) float64 {
			start := time.Now()
			if err := f(); err != nil {
				b.Fatal(err)
			}
			return float64(bytes) * benchVectors / time.Since(start).Seconds() / 1e9
		}
		for b.Loop() {
			copies = append(copies, timed(copyAll, 16*benchP))
			mine = append(mine, timed(run, bytes))
		}
		slices.Sort(mine)
		slices.Sort(copies)
		rate, copyRate := mine[len(mine)/2], copies[len(copies)/2]
		b.ReportMetric(rate, "GB/s")
		b.ReportMetric(copyRate, "copy-GB/s")
		b.ReportMetric(rate/copyRate, "of-copy")
		b.ReportMetric(float64(bytes)*benchVectors/rate/1e6, "ms")
	}
	b.Run("float64", func(b *testing.B) {
		against(b, 8*(benchP+benchK), func() error { return w.ApplyInto(ctx, out, data) })
	})
	b.Run("bytes", func(b *testing.B) {
		against(b, benchP+8*benchK, func() error {
			return w.applyBytesInto(ctx, flat, pixels, 1.0/255)
		})
	})
}

// 10⁸ comparisons of 512 bits: 10,000 queries against 10,000 vectors, the ten
// nearest of each.
func BenchmarkHamming(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	random := func() *codes {
		c := &codes{words: 8, bits: make([]uint64, 8*10_000)}
		for i := range c.bits {
			c.bits[i] = rng.Uint64()
		}
		return c
	}
	data, queries := random(), random()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := data.nearest(context.Background(), queries, 10); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(1e8*float64(b.N)/b.Elapsed().Seconds(), "comparisons/s")
}

// Every β-neighbor of a vector, p·k = 401,408 signs at both ends.
func BenchmarkNeighbors(b *testing.B) {
	w, err := NewProjection(Rademacher, benchP, benchK, ProjectionOptions{Seed: 1})
	if err != nil {
		b.Fatal(err)
	}
	u := randomVector(rand.New(rand.NewPCG(2, 2)), benchP)
	for _, r := range everyRelease(b, w, eps(b, 1), 1) {
		b.Run(r.Name(), func(b *testing.B) {
			for b.Loop() {
				if _, err := r.Neighbors(u).Worst(context.Background()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
