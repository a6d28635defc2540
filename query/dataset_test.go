package query_test

import (
	"fmt"
	"testing"

	"dpworkbench/query"
)

// Every dataset goes by the name that its universe finds it by.
func TestDatasetsByName(t *testing.T) {
	graphs, err := query.NewGraphs(t.Context(), 5)
	if err != nil {
		t.Fatal(err)
	}
	for x := range graphs.Size() {
		d := graphs.Space().Dataset(x)
		if at, err := graphs.Index(d.String()); err != nil || at != x || d.Index != x {
			t.Errorf("graph %d is %v, which is %d, %v", x, d, at, err)
		}
	}
	for _, kind := range []query.Relation{query.Replace, query.AddRemove} {
		histograms, err := query.NewHistograms(t.Context(), 3, 3, kind)
		if err != nil {
			t.Fatal(err)
		}
		for x := range histograms.Size() {
			d := histograms.Space().Dataset(x)
			counts := d.Name.([]int)
			if at, err := histograms.Index(counts); err != nil || at != x || d.Index != x {
				t.Errorf("histogram %d is %v, which is %d, %v", x, d, at, err)
			}
			if want := fmt.Sprintf("[%d, %d, %d]", counts[0], counts[1], counts[2]); d.String() != want {
				t.Errorf("printed as %s, want %s", d, want)
			}
		}
	}
	line, err := query.NewPathSpace(2, [][2]int{{0, 1}})
	if err != nil {
		t.Fatal(err)
	}
	if d := line.Dataset(1); d.Index != 1 || d.Name != nil || d.String() != "1" {
		t.Errorf("a dataset without a name: %+v", d)
	}
}
