package signrp

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// The sizes of the retrieval experiment.
const (
	benchVectors = 10_000
	benchP       = 784
	benchK       = 512
)

// numpySeconds asks bench/signrp_numpy.py for the best of several runs of the
// same float64 matrix product, in the same run as the benchmark.
func numpySeconds(b *testing.B) float64 {
	b.Helper()
	python := "python3"
	if _, err := exec.LookPath("/usr/bin/python3"); err == nil {
		python = "/usr/bin/python3"
	}
	cmd := exec.Command(python, "../bench/signrp_numpy.py", fmt.Sprint(benchVectors), fmt.Sprint(benchP), fmt.Sprint(benchK))
	out, err := cmd.Output()
	if err != nil {
		b.Skipf("NumPy is absent: %v", err)
	}
	seconds := 0.0
	if _, err := fmt.Fscan(bufio.NewReader(strings.NewReader(string(out))), &seconds); err != nil {
		b.Skipf("NumPy said %q", out)
	}
	return seconds
}

// against runs f and reports NumPy's best time over ours.
func against(b *testing.B, f func()) {
	f() // tables and caches
	best := math.Inf(1)
	for b.Loop() {
		start := time.Now()
		f()
		best = math.Min(best, time.Since(start).Seconds())
	}
	b.ReportMetric(benchVectors/best, "vectors/s")
	b.ReportMetric(numpySeconds(b)/best, "numpy/ours")
}

func BenchmarkProjectBytes(b *testing.B) {
	w, err := New(Rademacher, benchP, benchK, 0, 1)
	if err != nil {
		b.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	data := make([]byte, benchVectors*benchP)
	for i := range data {
		data[i] = byte(rng.Uint32())
	}
	b.ReportAllocs()
	against(b, func() {
		if _, err := w.ApplyBytes(context.Background(), data, 1.0/255); err != nil {
			b.Fatal(err)
		}
	})
}

func benchData(rng *rand.Rand) [][]float64 {
	data := make([][]float64, benchVectors)
	for v := range data {
		data[v] = make([]float64, benchP)
		for i := range data[v] {
			data[v][i] = 2*rng.Float64() - 1
		}
	}
	return data
}

func BenchmarkProjectFloats(b *testing.B) {
	w, err := New(Rademacher, benchP, benchK, 0, 1)
	if err != nil {
		b.Fatal(err)
	}
	data := benchData(rand.New(rand.NewPCG(1, 1)))
	b.ReportAllocs()
	against(b, func() {
		if _, err := w.ApplyAll(context.Background(), data); err != nil {
			b.Fatal(err)
		}
	})
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
	for b.Loop() {
		start := time.Now()
		if _, err := w.ApplyAll(context.Background(), data); err != nil {
			b.Fatal(err)
		}
		best = min(best, time.Since(start))
	}
	bytes := float64(8 * benchVectors * benchP)
	b.ReportMetric(bytes/best.Seconds()/1e9, "GB/s")
	b.ReportMetric(bytes/copyTime.Seconds()/1e9, "copy-GB/s")
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
