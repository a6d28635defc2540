package query_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/query"
)

// Find accepts the name that Dataset returns.
func TestDatasetNames(t *testing.T) {
	graphs := must.For(query.NewGraphs(t.Context(), 5))(t)
	for x := range graphs.Size() {
		d := graphs.Space().Dataset(x)
		if at, err := graphs.Index(d.String()); err != nil || at != x || d.Index != x {
			t.Errorf("graph %d is %v, which Find places at %d, %v", x, d, at, err)
		}
	}
	for _, kind := range []query.Relation{query.Replace, query.AddRemove} {
		histograms := must.For(query.NewHistograms(t.Context(), 3, 3, kind))(t)
		for x := range histograms.Size() {
			d := histograms.Space().Dataset(x)
			counts := d.Name.([]int)
			if at, err := histograms.Index(counts); err != nil || at != x || d.Index != x {
				t.Errorf("histogram %d is %v, which Find places at %d, %v", x, d, at, err)
			}
			if want := fmt.Sprintf("[%d, %d, %d]", counts[0], counts[1], counts[2]); d.String() != want {
				t.Errorf("printed as %s, want %s", d, want)
			}
		}
	}
	line := must.For(query.NewPathSpace(2, [][2]int{{0, 1}}))(t)
	if d := line.Dataset(1); d.Index != 1 || d.Name != nil || d.String() != "1" {
		t.Errorf("a dataset without a name: %+v", d)
	}
}

// Find inverts Dataset in every universe, and rejects other names.
func TestFindByName(t *testing.T) {
	ctx := context.Background()
	g := must.For(query.NewGraphs(ctx, 5))(t)
	h := must.For(query.NewHistograms(ctx, 3, 3, query.AddRemove))(t)
	own := must.For(line(t, 4).Named([]any{"a", 7, []int{7}, "7"}))(t)
	for what, s := range map[string]*query.Space{"graphs": g.Space(), "histograms": h.Space(), "own": own} {
		for x := range s.Size() {
			if y, err := s.Find(s.Dataset(x).Name); err != nil || y != x {
				t.Errorf("%s: dataset %v is found at %d, %v, want %d", what, s.Dataset(x), y, err, x)
			}
		}
		for _, name := range []any{"nobody", 99, []int{9, 9, 9}, 1.5, nil} {
			if x, err := s.Find(name); err == nil || !errors.Is(err, evidence.ErrParameter) {
				t.Errorf("%s: Find(%v) = %d, %v, want ErrParameter", what, name, x, err)
			}
		}
	}
	if own.Names()[1] != 7 || g.Space().Names() != nil || !own.SameNeighbors(line(t, 4)) {
		t.Errorf("names %v, want those given, on the same space", own.Names())
	}
	if _, err := line(t, 2).Find("a"); !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), "0…1") {
		t.Errorf("without names: %v", err)
	}
	for _, bad := range [][]any{{"a"}, {"a", "a"}, {"a", 1.5}, {[]int{1}, []int{1}}, nil} {
		if _, err := line(t, 2).Named(bad); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("Named(%v): %v, want ErrParameter", bad, err)
		}
	}
}
