package study_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"dpworkbench/study"
)

// BenchmarkStudy measures what a study itself costs: 500 trials of an objective
// that costs nothing, with two parameters.
func BenchmarkStudy(b *testing.B) {
	const trials = 500
	for _, storage := range []string{"memory", "sqlite"} {
		for _, sampler := range study.Samplers {
			b.Run(fmt.Sprintf("storage=%s/sampler=%s/trials=%d", storage, sampler, trials), func(b *testing.B) {
				for b.Loop() {
					url := ""
					if storage == "sqlite" {
						url = filepath.Join(b.TempDir(), "study.db")
					}
					s := newStudy(b, open(b, url), "bench", study.Options{Sampler: sampler})
					if err := s.Optimize(context.Background(), sphere, study.Run{Trials: trials}); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(trials*b.N), "ms/trial")
				b.ReportAllocs()
			})
		}
	}
}
