package repl

import (
	"io"
	"math/big"
	"strings"
	"testing"

	"dpworkbench/records"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

// Everything with a finite case is verified, compositions of unlike things too, and what has none is refused by name.
func TestVerify(t *testing.T) {
	s := NewSession()
	s.Stdout, s.Stderr = io.Discard, io.Discard
	exec1(t, s, `r, b, h = dp_signrp(projection(2, 2), 1, smoothing=True), bernoulli_uniform(2, 2, -1, .1), histograms(2, 2).counting([0])
lq, two, sub = linear_query([1]), two_laws(["1/2", "1/2"], ["1/4", "3/4"]), subsample(geometric(h, 1), "1/4")
`)
	for _, x := range []string{
		`r`, `dp_rp(projection(2, 2), 1, 1e-6)`, `compose(privacy(r, [.5, 0], [0, .25]), 2)`, `compose(privacy(b, neighbors="row"), 2)`, `privacy(b, sensitivity=2)`,
		`compose(privacy(optimal_xor(2, 1, 1)), 2)`, `compose([(krr(3, ln(2)), 2)])`, `sub`, `compose([sub, (sub, 2)])`, `subsample(compose(geometric(h, 1), 2), .1)`,
		`subsample(known(1, "1/10"), .5, kind="without_replacement")`, `compose([two, two, known(1)])`, `compose(purest(records([1, 2], lo=0, hi=3, grid=1).median(), 1), 2)`,
		`compose(laplace(records([1, 2], lo=0, hi=3).mean(), 1), 2)`, `geometric(lq, 1)`, `compose(discrete_gaussian(lq, 2), 2)`, `privacy(ladder(h, 1))`,
		`program([0, 1], lambda x, noise: (x + noise.geometric(1), x + noise.geometric(2)))`,
	} {
		if v, err := s.Exec(t.Context(), "verify", "verify("+x+").verdict"); err != nil || s.Show(v) != `"confirmed"` {
			t.Errorf("%s: %v, %v", x, v, err)
		}
	}
	for x, want := range map[string]string{
		`compose([krr(3, 1), gaussian(1, 2)])`: "gaussian(sigma=2) adds continuous noise", `laplace(lq, 1)`: "laplace(eps=1) adds continuous noise", `compose(two, 2).adaptive`: "not continuous noise",
		`compose(krr(3, 1), 1000)`: "the product has more than", `privacy(r)`: "want privacy(r, u, v)", `privacy(dp_rp(projection(2, 2), 1, .1), [0, 0], [0, 1])`: "continuous noise",
		`privacy(b, neighbors=[[[1, 0], [0, 0]]])`: `want neighbors "bits"`, `compose(smooth_sensitivity(h, 1), 2)`: "want something with a finite case", `r.name`: "want something with a finite case",
		`compose(subsample(known(1), .5, kind="without_replacement"), 2)`: "has no finite case",
	} {
		if _, err := s.Exec(t.Context(), "verify", "verify("+x+")"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error about %s", x, err, want)
		}
	}
}

// A planted disagreement of a record query is a line of script that shows it, at the dataset of the universe.
func TestVerificationLines(t *testing.T) {
	s := NewSession()
	s.Stdout, s.Stderr = io.Discard, io.Discard
	exec1(t, s, `x, names = records([1, 2, 4], lo=0, hi=4, grid=1), records(["a", "b"], categories=["a", "b", "c"])
g = network_records([(0, 1)], neighbors="node", nodes=3)
cases = [(q, verify(q, records=2, values=[0, .5, 1], nodes=3)) for q in [x.median(), purest(x.median(), 1), laplace(x.mean(), 1), g.edges()]]
cases.append((names.mode(), verify(names.mode(), records=2, values=[0, 1, 2])))
`)
	cases, _ := script.Elements(s.Get("cases"))
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
		x, v := cases[i].(starlark.Tuple)[0], cases[i].(starlark.Tuple)[1]
		found, _ := script.Unwrap(v, verificationClass)
		if line := witnessLine(v, x, found); line != "" {
			t.Errorf("a line of what agrees: %s", line)
		}
		c.spoil(found)
		line := witnessLine(v, x, found)
		shown, err := s.Exec(t.Context(), "line", line)
		if err != nil || line != c.want || !strings.HasPrefix(s.Show(shown), c.says) {
			t.Errorf("%s\nprints %v, %v; want %s\nwhich prints %s", line, shown, err, c.want, c.says)
		}
	}
}
