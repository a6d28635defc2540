package repl_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dpworkbench/internal/cases"
)

// A dataset's name can be used wherever its number can, with the same result.
func TestDatasetNamesReplaceNumbers(t *testing.T) {
	const setup = `q = finite_query({"a": 0, "b": "1/3", "c": 1000000000000000000000000000000}, edges=[("a", "b"), ("b", "c")])
p = finite_query([0, "1/3", 1000000000000000000000000000000], edges=[(0, 1), (1, 2)])
m = purest(q, ln(2)); n = purest(p, ln(2))
`
	for _, call := range []string{
		`distortion(X)`, `prob(X)`, `layers(X)`, `layer(X, 0)`, `sample(X, n=9, seed=4)`, `simulate(X, n=9, seed=4)`, `release(X, n=9, seed=4)`,
		`migrate(X, 0).layers(X)`, `migration_gains(X, 0)`, `query.local_sensitivity(X)`, `query.distance(X, 0)`, `query.index(X)`,
	} {
		for i, name := range []string{`"a"`, `"b"`, `"c"`} {
			number := string('0' + rune(i))
			source := setup + "print(m." + strings.ReplaceAll(call, "X", name) + " == n." + strings.ReplaceAll(call, "X", number) + ", m." + strings.ReplaceAll(call, "X", number) + " == n." + strings.ReplaceAll(call, "X", number) + ")"
			if got, err := run(t, source); err != nil || got != "True True\n" {
				t.Errorf("%s of %s: %s%v", call, name, got, err)
			}
		}
	}
}

// A report on any private object states its claimed guarantee and whether it holds.
func TestReportStatesClaims(t *testing.T) {
	t.Parallel()
	pair := `q = finite_query([0, 1], edges=[(0, 1)])` + "\n"
	for source, want := range map[string][]string{
		`m = mvg(l2_sensitivity(2, 3, 1, 2), 1, 1e-3, theta=[0.8, 0.2])`:                         {"claimed ε at δ = 0.001: 1.0", "smallest ε at δ = 0.001: 0.086", "ε at δ = 0: inf"},
		`m = mvg_noise(l2_sensitivity(2, 2, 1, 1), [[4, 1], [1, 3]])`:                            {"Nothing is claimed.", "ε at δ = 0: inf"},
		pair + `m = finite_mechanism(q, [[1, 0], [0, 1]], eps=1)`:                                {"does not hold", "smallest ε: inf", "no ε is finite"},
		pair + `m = finite_mechanism(q, [[1, 0], [0, 1]])`:                                       {"Nothing is claimed.", "smallest ε: inf"},
		pair + `m = finite_mechanism(q, [["2/3", "1/3"], ["1/3", "2/3"]], eps=ln(2))`:            {"What is claimed holds"},
		pair + `m = finite_mechanism(q, [["2/3", "1/3"], ["1/3", "2/3"]], eps=0.69)`:             {"does not hold"},
		`m = purest(finite_query([0, 1], edges=[]), 1)`:                                          {"No two datasets are neighbors", "sensitivity of the query: 0.0"},
		`m = privacy(purest(finite_query([0, 1], edges=[]), 1))`:                                 {"No two datasets are neighbors"},
		`m = discrete_gaussian(linear_query([1]), 3)`:                                            {"No ε at δ = 0 is claimed.", "smallest ε: inf", "No dataset stands out"},
		`m = optimal(finite_query([0, 1, 2], edges=[(0, 1), (1, 2)]), 1, delta="1/100")`:         {"(1, 1/100)-differential", "What is claimed holds: δ", "Not computed: the claim is (ε, δ)", "δ at ε = 2.0"},
		`m = laplace(linear_query([1]), 1e-9)`:                                                   {"δ at ε = 1.05e-09: 0.0"},
		`m = purest(finite_query([0, 10000000000000000000000000000001], edges=[(0, 1)]), ln(2))`: {"10000000000000000000000000000001. "},
		pair + `m = finite_mechanism(q, [["1/2", "1/2"], ["1/2", "1/2"]])`:                       {"smallest ε: 0.0", "0.0 + aaa"},
	} {
		page, err := run(t, source+"\nprint(m.report())")
		flat := strings.Join(strings.Fields(page), " ")
		for _, part := range want {
			if err != nil || !strings.Contains(flat, part) {
				t.Errorf("%s: %v, want %q in\n%s", source, err, part, page)
			}
		}
		if strings.Contains(page, "-1.0 +") || strings.Contains(page, "claimed ε: inf") || strings.Contains(source, "finite_mechanism") && !strings.Contains(source, "eps=") && strings.Contains(page, "claimed ε") {
			t.Errorf("%s:\n%s", source, page)
		}
	}
	if got, err := run(t, fmt.Sprintf("print(purest(graphs(3).count(\"edge\"), 1).report(%q))", filepath.Join(t.TempDir(), "z.tex"))); err != nil || got != "None\n" {
		t.Errorf("%q, %v", got, err)
	}
}

// Every number of a report equals the result of its line of script, and the page is complete in every format.
func TestReportLinesReproduceNumbers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i, made := range []string{
		`purest(finite_query({"none": 0, "ann & co": 1, "both_": "7/3"}, edges=[("none", "ann & co"), ("ann & co", "both_")]), ln(2))`,
		`ladder(graphs(4).count("triangle"), 1)`,
		`compose(known(1), 3)`,
		`mvg(l2_sensitivity(2, 3, 1, 2), 1, 1e-3, theta=[0.8, 0.2])`,
		`mvg_noise(l2_sensitivity(2, 2, 1, 1), [[4, 1], [1, 3]])`,
		`finite_mechanism(finite_query([0, 1], edges=[(0, 1)]), [[1, 0], [0, 1]], eps=1)`,
		`finite_mechanism(finite_query([0, 1], edges=[(0, 1)]), [[1, 0], ["1/2", "1/2"]])`,
		`optimal(finite_query([0, 1, 2], edges=[(0, 1), (1, 2)]), 1, delta="1/100")`,
		`optimal(finite_query([0, 1, 2], edges=[(0, 1), (1, 2)]), ln("3/2"), delta="1/100")`,
		`laplace(linear_query([1]), 1e-9)`,
		`discrete_gaussian(linear_query([1]), 2)`,
		`gaussian(1, eps=1, delta=1e-6)`,
		`knorm([[1, 0], [0, 1]], 1)`,
	} {
		if !cases.Every(6, i) {
			continue
		}
		page, err := run(t, "print("+made+".report())")
		if err != nil {
			t.Fatal(err)
		}
		what, said := "", ""
		var described, want, lines []string
		for line := range strings.Lines(page) {
			line = strings.TrimSuffix(line, "\n")
			trimmed := strings.TrimSpace(line)
			switch {
			case strings.HasPrefix(line, "  ") && !strings.HasPrefix(line, "   ") && strings.Contains(line, ": "):
				what, said, _ = strings.Cut(trimmed, ": ")
			case strings.HasPrefix(trimmed, "m.") || strings.HasPrefix(trimmed, "p.") || strings.HasPrefix(trimmed, "compare("):
				first, _, _ := strings.Cut(said, " (")
				described, want, lines = append(described, what), append(want, first), append(lines, trimmed)
			}
		}
		if len(lines) < 7 {
			t.Errorf("%d lines in\n%s", len(lines), page)
		}
		out, err := run(t, "m = "+made+"\np = m\nprint("+strings.Join(lines, ", sep=\"\")\nprint(\"====\")\nprint(")+", sep=\"\")")
		if err != nil {
			t.Fatal(err)
		}
		values := strings.Split(out, "\n====\n")
		if len(values) != len(lines) {
			t.Fatalf("%s: %d values of %d lines", made, len(values), len(lines))
		}
		for i, got := range values {
			if value, _, _ := strings.Cut(strings.TrimSuffix(got, "\n"), " ("); value != want[i] {
				t.Errorf("%s: the report has %s, and its line %s gives %s", described[i], want[i], lines[i], got)
			}
		}
		for _, name := range []string{"page.html", "page.tex", "page.txt"} {
			path := filepath.Join(dir, name)
			if _, err := run(t, made+".report("+`"`+path+`")`); err != nil {
				t.Fatal(err)
			}
			data, err := os.ReadFile(path)
			if err != nil || len(data) < 1000 || strings.Contains(string(data), "ann & co") && !strings.HasSuffix(name, "txt") {
				t.Errorf("%s: %d bytes, %v, want the page with & escaped as the format requires", name, len(data), err)
			}
		}
	}
	for source, want := range map[string]string{
		`m.report("page")`:       `one that ends in .html, .tex or .txt`,
		`m.report(format="pdf")`: `format = "pdf"`,
	} {
		if _, err := run(t, "m = purest(graphs(3).count(\"edge\"), 1)\n"+source); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", source, err, want)
		}
	}
	got, err := run(t, `r = purest(finite_query(list(range(60)), edges=[(i, i + 1) for i in range(59)]), 1).report(format="text"); print("has 3600 variables, and more than 3000 take" in r, "\\begin{document}" in purest(graphs(3).count("edge"), 1).report(format="latex", optimum=False))`)
	if err != nil || got != "True True\n" {
		t.Errorf("%s%v", got, err)
	}
}
