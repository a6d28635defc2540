package signrp

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"
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

// OPORP against a copy of the same numbers.
func BenchmarkOPORP(b *testing.B) {
	w, err := NewOPORP(benchP, benchK, 1)
	if err != nil {
		b.Fatal(err)
	}
	data := benchData(rand.New(rand.NewPCG(1, 1)))
	scratch := make([][]float64, benchVectors)
	for v := range scratch {
		scratch[v] = make([]float64, benchP)
	}
	copyTime := time.Hour
	for range 5 {
		start := time.Now()
		_ = forChunks(context.Background(), benchVectors, 64, func(first, last int) {
			for v := first; v < last; v++ {
				copy(scratch[v], data[v])
			}
		})
		copyTime = min(copyTime, time.Since(start))
	}
	best := time.Hour
	out := make([][]float64, benchVectors) // there before the clock starts, as for the copy
	for v := range out {
		out[v] = make([]float64, benchK)
	}
	for b.Loop() {
		start := time.Now()
		if err := w.ApplyInto(context.Background(), out, data); err != nil {
			b.Fatal(err)
		}
		best = min(best, time.Since(start))
	}
	// Bytes read and written: p numbers in and k out, against p in and p out.
	b.ReportMetric(float64(8*benchVectors*(benchP+benchK))/best.Seconds()/1e9, "GB/s")
	b.ReportMetric(float64(8*benchVectors*2*benchP)/copyTime.Seconds()/1e9, "copy-GB/s")
}

// 10⁸ comparisons of 512 bits: 10,000 queries against 10,000 vectors, the ten
// nearest of each.
func BenchmarkHamming(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	random := func() *Codes {
		c := &Codes{words: 8, bits: make([]uint64, 8*10_000)}
		for i := range c.bits {
			c.bits[i] = rng.Uint64()
		}
		return c
	}
	data, queries := random(), random()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := data.Nearest(context.Background(), queries, 10); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(1e8*float64(b.N)/b.Elapsed().Seconds(), "comparisons/s")
}

// Every β-neighbor of a vector, p·k = 401,408 signs at both ends.
func BenchmarkNeighborEpsilon(b *testing.B) {
	w, err := New(Rademacher, benchP, benchK, 0, 1)
	if err != nil {
		b.Fatal(err)
	}
	u := randomVector(rand.New(rand.NewPCG(2, 2)), benchP)
	for _, r := range everyRelease(b, w, eps(b, 1), 1) {
		b.Run(r.Name(), func(b *testing.B) {
			for b.Loop() {
				if _, err := r.NeighborEpsilon(context.Background(), u); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
