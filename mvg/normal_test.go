package mvg

import "testing"

func BenchmarkFill(b *testing.B) {
	s, dst := newStream(1), make([]float64, 4096)
	for b.Loop() {
		s.fill(dst, 2)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/4096, "ns/normal")
}
