package query_test

import (
	"errors"
	"math/big"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/query"
)

func TestFromTables(t *testing.T) {
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
	q := must.For(query.FromTables("own", rows("10,yes;020,no;-3,yes"), rows("10,020;020,-3"), query.ValueMetric{Discrete: true}))(t)
	if names := q.Space().Names(); names[0] != 10 || names[1] != "020" || names[2] != -3 || len(q.Range()) != 2 {
		t.Errorf("names %v, range %v", names, q.Range())
	}
}
