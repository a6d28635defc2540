// Package xor_test sets the enumeration of quadratic laws beside a NumPy version
// in one run:
//
//	go test ./bench/xor -run XXX -bench . -benchtime 1x
//
// It wants /usr/bin/python3 with NumPy (Debian's python3-numpy) and skips the
// peer elsewhere.
package xor_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"

	"dpworkbench/xor"
)

func law(tb testing.TB, d int) *xor.Bernoulli {
	rng := rand.New(rand.NewPCG(uint64(d), 1))
	theta := make([][]float64, d)
	for i := range theta {
		theta[i] = make([]float64, d)
		for j := range i + 1 {
			theta[i][j] = rng.NormFloat64() / 2
			theta[j][i] = theta[i][j]
		}
	}
	b, err := xor.NewBernoulli(theta, nil, 1)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// numpy returns what the peer computes, and its seconds without start-up.
func numpy(tb testing.TB, b *xor.Bernoulli) (logZ, mean, seconds float64) {
	var in bytes.Buffer
	fmt.Fprintln(&in, b.Dim())
	pi, err := b.Pi()
	if err != nil {
		tb.Fatal(err)
	}
	for _, row := range pi {
		for _, v := range row {
			fmt.Fprintf(&in, "%v ", v)
		}
	}
	cmd := exec.Command("/usr/bin/python3", "enumerate.py")
	cmd.Stdin = &in
	out, err := cmd.Output()
	if err != nil {
		tb.Skipf("no NumPy to compare with: %v", err)
	}
	if _, err := fmt.Sscan(strings.TrimSpace(string(out)), &logZ, &mean, &seconds); err != nil {
		tb.Fatal(err)
	}
	return logZ, mean, seconds
}

// The two must agree before their speeds are worth comparing.
func TestAgainstNumPy(t *testing.T) {
	b := law(t, 18)
	logZ, mean, _ := numpy(t, b)
	e, err := b.Enumerate(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(e.LogNormalizer.Float()-logZ) > 1e-10 || math.Abs(e.MeanOnes.Float()-mean) > 1e-10 {
		t.Errorf("ln Z %v, mean %v; NumPy has %v, %v", e.LogNormalizer.Float(), e.MeanOnes.Float(), logZ, mean)
	}
}

func BenchmarkEnumeration(b *testing.B) {
	for _, d := range []int{24, 28, 30} {
		states := math.Ldexp(1, d)
		b.Run(fmt.Sprintf("d=%d/go", d), func(b *testing.B) {
			for b.Loop() {
				if _, err := law(b, d).Enumerate(context.Background()); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/states*1e9, "ns/state")
		})
		b.Run(fmt.Sprintf("d=%d/numpy", d), func(b *testing.B) {
			var seconds float64
			for b.Loop() {
				_, _, s := numpy(b, law(b, d))
				seconds += s
			}
			b.ReportMetric(seconds/float64(b.N)/states*1e9, "ns/state")
		})
	}
}
