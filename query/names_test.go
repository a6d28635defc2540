package query_test

import (
	"context"
	"errors"
	"math/big"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/query"
)

// A name leads back to its dataset, in every universe.
func TestNamesFindTheirDatasets(t *testing.T) {
	ctx := context.Background()
	g, err := query.NewGraphs(ctx, 5)
	if err != nil {
		t.Fatal(err)
	}
	h, err := query.NewHistograms(ctx, 3, 3, query.AddRemove)
	if err != nil {
		t.Fatal(err)
	}
	own, err := line(t, 4).Named([]any{"a", 7, []int{7}, "7"})
	if err != nil {
		t.Fatal(err)
	}
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

func TestTables(t *testing.T) {
	rows := func(text string) (out [][]string) {
		for line := range strings.SplitSeq(text, ";") {
			if line != "" {
				out = append(out, strings.Split(line, ","))
			}
		}
		return out
	}
	for _, c := range []struct{ values, edges, bad string }{
		{"a,0;b,1/3;c,1e30", "a,b;b,c", ""},
		{"name,value;a,0;b,1/3;c,1e30", "from,to;a,b;b,c", ""},
		{"name,value;a,0;b,1/3;c,1e30", "a,b;b,c", ""},
		{"a,0;b,1/3;c,1e30", "from,to;a,b;b,c", `edges, row 1: "from" is not a dataset`},
		{"name,value;a,0;b,1", "a,x", `edges, row 1: "x" is not a dataset of values, want one of "a", "b"`},
		{"a,0;b,y", "a,b", `values, row 2: dataset "b" has the value "y"`},
		{"a,0;a,1", "", `values has dataset "a" twice`},
		{"a,0;b,", "", `dataset "b" has no value`},
		{"a,0;,1", "", "values, row 2 has no name"},
		{"a,0;b", "", "values, row 2 has 1 cells"},
		{"a,0;b,1", "a,b,1", "edges, row 1 has 3 cells"},
		{"a,0;b,1", "b,b", "itself"},
		{"", "", "values has no rows"},
		{"a,0;b,1", "", "edges has no pairs of neighbors, want one or more"},
		{"name,value;a,0;b,1", "from,to", "edges has no pairs of neighbors"},
	} {
		q, err := query.FromTables("own", rows(c.values), rows(c.edges), query.ValueMetric{})
		if c.bad != "" {
			if !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), c.bad) {
				t.Errorf("%s and %s: %v, want one that says %s", c.values, c.edges, err, c.bad)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s and %s: %v", c.values, c.edges, err)
			continue
		}
		large, _ := new(big.Rat).SetString("1e30")
		want := []*big.Rat{new(big.Rat), big.NewRat(1, 3), large}
		for x, w := range want {
			if v, ok := query.RationalOf(q.Value(x)); !ok || v.Cmp(w) != 0 {
				t.Errorf("f(%d) = %v, want %v", x, v, w)
			}
		}
		if d := q.Space().Distance(0, 2); d != 2 || q.Space().Dataset(1).Name != "b" {
			t.Errorf("distance %v, name %v", d, q.Space().Dataset(1).Name)
		}
	}
	q, err := query.FromTables("own", rows("10,yes;020,no;-3,yes"), rows("10,020;020,-3"), query.ValueMetric{Discrete: true})
	if err != nil {
		t.Fatal(err)
	}
	if names := q.Space().Names(); names[0] != 10 || names[1] != "020" || names[2] != -3 || len(q.Range()) != 2 {
		t.Errorf("names %v, range %v", names, q.Range())
	}
}

// Values of any size are themselves, and so are their distances.
func TestValuesOfAnySize(t *testing.T) {
	base, _ := new(big.Rat).SetString("1e400")
	at := func(n, d int64) query.Value { return query.RationalValue(new(big.Rat).Add(base, big.NewRat(n, d))) }
	q, err := query.New("f", line(t, 3), []query.Value{at(0, 1), at(1, 1), at(5, 3)}, nil, query.ValueMetric{})
	if err != nil {
		t.Fatal(err)
	}
	if s := q.RationalSensitivity(); s.Cmp(big.NewRat(1, 1)) != 0 {
		t.Errorf("sensitivity %v, want 1", s)
	}
	if d := q.Metric().Rational(1, 2); d.Cmp(big.NewRat(2, 3)) != 0 {
		t.Errorf("distance %v, want 2/3", d)
	}
}
