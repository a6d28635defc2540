package ehmc_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"dpworkbench/ehmc"
)

// BenchmarkHMC reports the cost of a kept state and effective samples a second
// (by the number of ones) of exact HMC on random laws whose fields are of the
// order of 1 at every dimension.
func BenchmarkHMC(b *testing.B) {
	for _, d := range []int{12, 100, 1000} {
		q := randomLaw(b, d, 1/float64(d), false, rand.NewPCG(uint64(d), 1))
		for _, kind := range []string{"gaussian", "exponential", "gibbs"} {
			b.Run(fmt.Sprintf("%s/d=%d", kind, d), func(b *testing.B) {
				chain, err := makers[kind](q, make([]bool, d), rand.NewPCG(1, 2))
				if err != nil {
					b.Fatal(err)
				}
				b.ReportAllocs()
				var trace []float64
				for b.Loop() {
					chain.Step()
					trace = append(trace, float64(chain.State().Ones()))
				}
				perSample := b.Elapsed().Seconds() / float64(len(trace))
				b.ReportMetric(perSample*1e6, "µs/sample")
				if diagnosis, err := ehmc.Diagnose([][]float64{trace}); err == nil {
					b.ReportMetric(1/(diagnosis.Tau*perSample), "effective/s")
				}
			})
		}
	}
}
