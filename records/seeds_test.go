package records_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/records"
)

// A seed gives the same draws for good. testdata/draws.txt is what this test prints.
func TestDrawsOfASeed(t *testing.T) {
	var out strings.Builder
	write := func(name string, m records.Law) {
		drawn := must.For(m.Simulate(ctx, 8, rand.NewPCG(7, 11)))(t)
		released, grid, err := m.(records.Releaser).Release(ctx, 8, rand.NewPCG(5, 3))
		if err != nil {
			t.Fatalf("%s of %s: %v", name, m.Query().Name(), err)
		}
		fmt.Fprintf(&out, "%s of %s: %s\n\t%.9g\n\t%v grid %v\n", name, m.Query().Name(), m.Name(), drawn, released, grid)
	}
	_, lattice := scattered(t, quarters[0], rat(1, 4), records.Replace)
	_, open := scattered(t, quarters[0], nil, records.Replace)
	_, end := scattered(t, quarters[3], rat(1, 4), records.Replace)
	total := must.For(records.New([]float64{-2, -1, 0, 3}, records.Options{Lo: rat(-2, 1), Hi: rat(3, 1), Neighbors: records.AddRemove}))(t)
	sums := must.For(records.New([]float64{1, 3}, records.Options{Lo: rat(1, 1), Hi: rat(4, 1), Grid: rat(1, 1), Neighbors: records.AddRemove}))(t)
	many := must.For(records.New(floats(100, 3), records.Options{Lo: rat(0, 1), Hi: rat(1, 1), Neighbors: records.Replace}))(t)
	names := make([]string, 0, len(mechanisms))
	for name := range mechanisms {
		names = append(names, name)
	}
	slices.Sort(names)
	little, much := must.For(evidence.NewEpsilon("eps", 0.75))(t), must.For(evidence.NewEpsilon("eps", 3))(t)
	for _, name := range names {
		eps := much
		if name == "purest" || name == "delta" || name == "ladder" {
			eps = little
		}
		for _, q := range []*records.Query{must.For(lattice.Median())(t), must.For(end.Maximum())(t), must.For(open.Median())(t), must.For(total.Total())(t), must.For(sums.Total())(t), must.For(many.Median())(t)} {
			write(name, must.For(mechanisms[name](q, eps))(t))
		}
	}
	names = names[:0]
	for name := range modal {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		for _, neighbors := range []records.Neighbors{records.Replace, records.AddRemove} {
			write(name, must.For(modal[name](modeOf(t, []int{3, 1, 4, 4}, neighbors), little))(t))
		}
	}
	path := filepath.Join("testdata", "draws.txt")
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if out.String() != string(want) {
		lines, wanted := strings.Split(out.String(), "\n"), strings.Split(string(want), "\n")
		for i, line := range lines {
			if i >= len(wanted) || line != wanted[i] {
				t.Errorf("line %d: %s", i+1, line)
			}
		}
		t.Errorf("%d lines, want %d", len(lines), len(wanted))
	}
}
