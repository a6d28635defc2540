package display

import (
	"testing"

	"dpworkbench/internal/must"
)

// A figure of 1044 graphs by 40 values of ε, in each form.
func BenchmarkHeatMap(b *testing.B) {
	h := pictures()["figure"]
	for name, f := range map[string]func() ([]byte, error){"svg": h.SVG, "png": h.PNG, "pdf": h.PDF} {
		b.Run(name, func(b *testing.B) {
			size := 0
			for b.Loop() {
				size = len(must.Be(f()))
			}
			b.ReportMetric(float64(size), "bytes")
		})
	}
	b.Run("terminal", func(b *testing.B) {
		for b.Loop() {
			h.Terminal(Caps{Colors: TrueColor, Unicode: true})
		}
	})
}

func BenchmarkTable(b *testing.B) {
	spec := TableSpec{Header: []string{"graph", "ratio", "ε"}}
	for range 1044 {
		spec.Rows = append(spec.Rows, []string{"F?zPw", "0.9952", "0.72692"})
	}
	t := must.Be(NewTable(spec))
	for b.Loop() {
		t.Terminal(Caps{})
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1044, "ns/row")
}
