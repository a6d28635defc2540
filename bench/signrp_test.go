package bench

import (
	"context"
	"math"
	"math/rand/v2"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"dpworkbench/signrp"
)

// The sizes of the retrieval experiment.
const (
	projectVectors = 10_000
	projectP       = 784
	projectK       = 512
)

// numpyProjection returns the best seconds of NumPy's float64 matrix product of
// that size; ok is false where no Python here has NumPy.
func numpyProjection() (seconds float64, ok bool) {
	for _, python := range []string{"python3", "/usr/bin/python3"} {
		out, err := exec.Command(python, "numpy_signrp.py", strconv.Itoa(projectVectors), strconv.Itoa(projectP), strconv.Itoa(projectK)).Output()
		if err != nil {
			continue
		}
		seconds, err = strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
		return seconds, err == nil
	}
	return 0, false
}

// againstNumPy runs f and reports NumPy's best time over ours, in one run.
func againstNumPy(b *testing.B, f func() error) {
	b.Helper()
	b.ReportAllocs()
	best := math.Inf(1)
	for b.Loop() {
		start := time.Now()
		if err := f(); err != nil {
			b.Fatal(err)
		}
		best = math.Min(best, time.Since(start).Seconds())
	}
	b.ReportMetric(projectVectors/best, "vectors/s")
	seconds, ok := numpyProjection()
	if !ok {
		b.Log("NumPy is not installed: no comparison")
		return
	}
	b.ReportMetric(seconds/best, "times-numpy")
}

func rademacher(b *testing.B) *signrp.Projection {
	b.Helper()
	w, err := signrp.NewProjection(signrp.Rademacher, projectP, projectK, 0, 1)
	if err != nil {
		b.Fatal(err)
	}
	return w
}

// 10,000 vectors of 784 bytes onto 512 signs.
func BenchmarkProjectBytes(b *testing.B) {
	w, rng := rademacher(b), rand.New(rand.NewPCG(1, 1))
	data := make([]byte, projectVectors*projectP)
	for i := range data {
		data[i] = byte(rng.Uint32())
	}
	againstNumPy(b, func() error {
		_, err := w.ApplyBytes(context.Background(), data, 1.0/255)
		return err
	})
}

// The same of float64 numbers.
func BenchmarkProjectFloats(b *testing.B) {
	w, rng := rademacher(b), rand.New(rand.NewPCG(1, 1))
	data := make([][]float64, projectVectors)
	for v := range data {
		data[v] = make([]float64, projectP)
		for i := range data[v] {
			data[v][i] = 2*rng.Float64() - 1
		}
	}
	againstNumPy(b, func() error {
		_, err := w.ApplyAll(context.Background(), data)
		return err
	})
}
