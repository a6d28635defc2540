package repl_test

import (
	"io"
	"math/big"
	"strings"
	"testing"

	"dpworkbench/records"
	"dpworkbench/repl"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

// A planted error in a record query gives a line of script that shows it, at the right dataset of the universe.
func TestVerificationLines(t *testing.T) {
	s := repl.NewSession()
	s.Stdout, s.Stderr = io.Discard, io.Discard
	const source = `x, names = records([1, 2, 4], lo=0, hi=4, grid=1), records(["a", "b"], categories=["a", "b", "c"])
g = network_records([(0, 1)], neighbors="node", nodes=3)
cases = [(q, verify(q, records=2, values=[0, .5, 1], nodes=3)) for q in [x.median(), purest(x.median(), 1), laplace(x.mean(), 1), g.edges()]]
cases.append((names.mode(), verify(names.mode(), records=2, values=[0, 1, 2])))
`
	cases := func() []starlark.Value {
		exec1(t, s, source)
		cases, _ := script.Elements(s.Get("cases"))
		return cases
	}
	good, spoilt := cases(), cases()
	line := func(c starlark.Value) starlark.Value {
		v, err := c.(starlark.Tuple)[1].(starlark.HasAttrs).Attr("line")
		if err != nil {
			t.Error(err)
		}
		return v
	}
	rows, edges := records.Dataset{Records: []float64{0, 1}}, records.Dataset{Nodes: 3, Edges: [][2]int{{0, 1}, {1, 2}}}
	median := `records([0, 1], lo=0, hi=1, grid=0.5, neighbors="replace").median()`
	for i, c := range []struct {
		spoil      func(v *records.Verification)
		want, says string
	}{
		{func(v *records.Verification) {
			v.Distance = &records.Finding{Dataset: rows, Value: big.NewRat(1, 2), Layer: 2, Other: 1}
		}, median + ".layer(0.5)  # 2, where the distance is 1", "1"},
		{func(v *records.Verification) {
			v.Lipschitz = &records.Finding{Dataset: rows, Neighbor: &rows, Value: big.NewRat(1, 2), Layer: 1, Other: -1}
		}, `purest(` + median + `, 1).layer(0.5)  # 1, where the neighbor [0 1] has none`, "1"},
		{func(v *records.Verification) {
			v.Gap = &records.Gap{Dataset: rows, Changes: -1, Bound: big.NewRat(1, 4), Other: big.NewRat(1, 2)}
		}, `laplace(records([0, 1], lo=0, hi=1, grid=0.5, neighbors="replace").mean(), 1).query.global_sensitivity  # 0.25, where a neighbor moves by 0.5`, "0.5 (exact: 1/2)"},
		{func(v *records.Verification) {
			v.Gap = &records.Gap{Dataset: edges, Changes: 1, Bound: big.NewRat(1, 1), Other: big.NewRat(2, 1)}
		}, `network_records([(0, 1), (1, 2)], nodes=3, neighbors="node").edges().local_sensitivity(1)  # 1, where a neighbor within as many changes moves by 2`, "2"},
		{func(v *records.Verification) {
			v.Distance = &records.Finding{Dataset: rows, Value: big.NewRat(2, 1), Layer: 3, Other: 2}
		}, `records(["a", "b"], categories=["a", "b", "c"], neighbors="replace").mode().layer("c")  # 3, where the distance is 2`, "2"},
	} {
		if line := line(good[i]); line != starlark.None {
			t.Errorf("a line without a disagreement: %s", line)
		}
		c.spoil(spoilt[i].(starlark.Tuple)[1].(*script.Object).Inner().(*records.Verification))
		line, _ := starlark.AsString(line(spoilt[i]))
		shown, err := s.Exec(t.Context(), "line", line)
		if err != nil || line != c.want || !strings.HasPrefix(s.Show(shown), c.says) {
			t.Errorf("%s\nprints %v, %v; want %s\nthat prints %s", line, shown, err, c.want, c.says)
		}
	}
}
