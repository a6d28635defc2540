package nearest_test

import (
	"testing"

	"dpworkbench/internal/nearest"
)

func TestNearest(t *testing.T) {
	known := []string{"purest", "ladder", "laplace", "len", "delta_neighborhood", "evidence"}
	for name, want := range map[string]string{
		"purst": "purest", "pruest": "purest", "Ladder": "ladder", "lapalce": "laplace", "deltaneighbourhood": "delta_neighborhood",
		"lenn": "len", "qqq": "", "x": "", "": "", "evidense": "evidence", "neighborhood": "delta_neighborhood", "hood": "",
	} {
		if got := nearest.Name(name, known); got != want {
			t.Errorf("Name(%q) = %q, want %q", name, got, want)
		}
	}
}
