package certificate

import (
	"testing"

	"dpworkbench/internal/must"
)

// Originals returns certificates of every kind that the tests of this package have judged, each as it is written to a file.
func Originals(t *testing.T) map[string][][]byte {
	t.Helper()
	out := make(map[string][][]byte)
	for _, of := range []func(*judged){
		gaussians, designs, fillings, chances, flips, bits, universes, layersAndMigrations, comparisons, epsilonsAtDelta, compositions, tradeoffs, programs,
	} {
		j := &judged{t: t}
		of(j)
		for _, f := range j.kept {
			text := must.For(f.Encode(""))(t)
			kind := f.statement["kind"].(string)
			out[kind] = append(out[kind], text)
		}
	}
	return out
}
