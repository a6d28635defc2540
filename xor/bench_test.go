package xor_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"dpworkbench/internal/must"
	"dpworkbench/xor"
)

// BenchmarkEnumerate reports nanoseconds a state, with as many processors as
// there are. The scales make exponents plain (range below 600), guarded (bounds
// above, range below) and wide.
func BenchmarkEnumerate(b *testing.B) {
	for _, c := range []struct {
		d     int
		scale float64
	}{{20, .5}, {26, .5}, {30, .5}, {36, .5}, {26, 2}, {24, 40}} {
		if c.d > 30 && os.Getenv("WORKBENCH_SLOW") == "" { // a quarter of a minute
			continue
		}
		b.Run(fmt.Sprintf("d=%d/scale=%g", c.d, c.scale), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				law := randomLaw(b, 1, c.d, c.scale, rand.New(rand.NewPCG(1, uint64(c.d)))) // anew: results are kept
				if _, err := law.Enumerate(ctx); err != nil {
					b.Fatal(err)
				}
			}
			states := float64(uint64(1)<<c.d) * float64(b.N)
			b.ReportMetric(b.Elapsed().Seconds()*1e9/states, "ns/state")
		})
	}
}

// BenchmarkColumns times the closed form and sampling at the size of the
// Facebook graph's adjacency matrix.
func BenchmarkColumns(b *testing.B) {
	const n = 4039
	b.Run("solve", func(b *testing.B) {
		for b.Loop() {
			law, err := xor.Allocate(xor.Budget{N: n, P: n, Epsilon: nats(1), Alpha: .7, Sensitivity: 2})
			if err != nil {
				b.Fatal(err)
			}
			if _, err := law.LogNormalizer(ctx); err != nil {
				b.Fatal(err)
			}
			if _, err := law.ErrorRate(ctx, 0, xor.Complement); err != nil {
				b.Fatal(err)
			}
			for _, nb := range []xor.Neighbors{xor.FlipBits(2), xor.FlipRows(1), xor.FlipEdges(1)} {
				if _, err := smallest(ctx, law, nb, xor.LossOptions{}); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
	law, err := xor.Allocate(xor.Budget{N: n, P: n, Epsilon: nats(1), Alpha: .7, Sensitivity: 2})
	if err != nil {
		b.Fatal(err)
	}
	for name, src := range map[string]rand.Source{"sample/seed": rand.NewPCG(1, 2), "sample/crypto": xor.NewCryptoSource()} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				must.Be(law.Columns().Noise(ctx, src))
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(n*n), "ns/bit")
		})
	}
	b.Run("release", func(b *testing.B) {
		query := must.Be(xor.NewBits(n, n))
		for b.Loop() {
			if _, _, err := xor.Release(ctx, query, law, xor.ReleaseOptions{Complement: true}, nil); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(n*n), "ns/bit")
	})
}

// BenchmarkRefined times the exact path behind the filter, of which a draw has need once in
// 2⁶⁰ or so.
func BenchmarkRefined(b *testing.B) {
	for _, n := range []int{10, 4039, 1 << 17} {
		b.Run(fmt.Sprintf("columns/n=%d", n), func(b *testing.B) {
			law := must.Be(xor.NewUniform(n, 1, -.5, .25/float64(n)))
			for b.Loop() {
				must.Be(law.Columns().DrawRefined(ctx))
			}
		})
	}
}
